#pragma once

#include <vector>

#include "core/contact/penalty_common.h"
#include "core/contact/penalty_pair.h"

namespace touchstone {

/// What CPF remembers of an active pair between steps.
struct CpfEntry {
  FeaturePair pair;
  int side = 1;
  double weights[4] = {0, 0, 0, 0};  ///< at entry
  FrictionAnchor anchor;
  bool anchored = false;  ///< anchor is set
};

/// Sorted by pair; no pair twice.
using CpfMemory = std::vector<CpfEntry>;

/// Entry of a pair, or null.
const CpfEntry* find(const CpfMemory& memory, const FeaturePair& pair);
CpfEntry* find(CpfMemory& memory, const FeaturePair& pair);

/// Rows of a pair (PairMotion) out of an array of vertex positions.
void rowsOf(const SurfaceTopology& surface, const FeaturePair& pair, const std::vector<Vec3>& positions,
            Vec3 rows[4]);
/// Bodies of a pair: of the vertex or first edge, and of the triangle, second edge or plane.
std::pair<int, int> bodiesOf(const SurfaceTopology& surface, const FeaturePair& pair);

/// At the start of a step: entries whose vertex has slid off its triangle walk to the neighbour below it or
/// are dropped
/// (`reseat`); edge pairs that have slid off each other or turned parallel are dropped. A tracked plane is
/// infinite, so that without this a kept pair acts as a ghost wall beyond its triangle.
void reseat(const World& world, CpfMemory& memory);

/// Entries for vertices that are inside a closed body without any entry against that surface: they were there
/// at the start, or the corrected path took them in unseen. Likewise for vertices below planes, and for
/// crossing edges of surfaces between which no pair of edges is held.
void adopt(const World& world, const std::vector<std::shared_ptr<const MeshTree>>& trees,
           const Candidates& candidates, CpfMemory& memory);

}  // namespace touchstone
