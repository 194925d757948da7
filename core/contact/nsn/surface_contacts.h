#pragma once

#include <array>
#include <vector>

#include "core/detect/broad_phase.h"

namespace touchstone::nsn {

/// Two features of surfaces, or a vertex and a plane, of which a body deforms: C = n · (b − a) with n held.
struct SurfaceContact {
  FeaturePair pair{};
  int bodyA = -1, bodyB = -1;        ///< of the vertex or first edge, and of the other feature
  double weights[4] = {1, 0, 0, 0};  ///< of both points, as particlesOf() takes them
  Vec3 pointA = Vec3(0, 0, 0), pointB = Vec3(0, 0, 0);  ///< closest points at the start of the step [m]
  Vec3 normal = Vec3(0, 0, 0);                          ///< from A to B, outwards where A and B overlap
  double gap = 0;  ///< C at the start of the step, negative: they overlap [m]
};

/// Finds them: pairs whose boxes, swept along the unconstrained motion, approach each other. Of the
/// triangles of a surface that are near a vertex those count above whose inside it is, and the nearest. In a
/// closed surface it is the nearest alone, whose normal points out of it. Keeps its arrays; one thread at a
/// time.
class SurfaceContacts {
 public:
  explicit SurfaceContacts(const World& world);
  /// Finds them for the world that predict() has left, sorted by pair.
  /// @param areVerticesOnHost  as predict() on the host leaves them; a device does not download them
  std::vector<SurfaceContact> find(World& world, bool areVerticesOnHost);

 private:
  void addVertex(const World& world, const FeaturePair* first, const FeaturePair* last,
                 std::vector<SurfaceContact>& found) const;
  void addEdges(const World& world, const FeaturePair& pair, std::vector<SurfaceContact>& found) const;
  void addPlane(const World& world, const FeaturePair& pair, std::vector<SurfaceContact>& found) const;
  static void placeVertices(World& world);
  Vec3 normalOf(const World& world, int triangle) const;
  Vec3 normalsAtEdge(const World& world, int edge) const;
  bool isClosed(const World& world, int surface) const;

  BroadPhase m_broadPhase;
  Candidates m_candidates;
  CandidateNeeds m_needs;
  std::vector<std::array<int, 2>> m_edgeTriangles;  ///< [edgeCount] of the world; −1: a border
};

}  // namespace touchstone::nsn
