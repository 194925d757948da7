#pragma once

#include "core/math/host_device.h"

namespace touchstone {

enum class FeaturePairKind { VertexFace, EdgeEdge, VertexPlane };

/// A pair of features that may touch in this step. Vertex–face: vertex a, triangle b; edge–edge: edges a and
/// b, where the body of a has the lower index; vertex–plane: vertex a, body b. Ids of SurfaceTopology.
struct FeaturePair {
  FeaturePairKind kind;
  int a, b;
  TS_HD bool operator==(const FeaturePair& o) const { return kind == o.kind && a == o.a && b == o.b; }
  TS_HD bool operator<(const FeaturePair& o) const {
    return kind != o.kind ? kind < o.kind : (a != o.a ? a < o.a : b < o.b);
  }
};

}  // namespace touchstone
