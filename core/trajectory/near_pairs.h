#pragma once

#include <vector>

#include "core/world/world.h"

namespace touchstone {

/// Two bodies that touch or nearly do, in a state of a world.
struct NearPair {
  int bodyA = -1, bodyB = -1;  ///< ascending
  double gap = 0;              ///< m, see gapBetween()
  Vec3 normal = Vec3::Zero();  ///< unit, from A into B; of the pieces with the least gap
  bool isFlat = true;          ///< all pieces with gap ≤ ε have that normal
  /// Corners of where they are within ε, of all their pieces, world [m]: points, lines and areas.
  std::vector<Vec3> points;
  Vec3 middle() const;  ///< mean of the points
};

/// Gap of two bodies [m] along the normal of least overlap: over pairs of convex pieces the largest
/// separating gap, above a plane the height of the lowest vertex; negative: they overlap. It is a lower bound
/// of the distance.
/// @param normal  out, or null: unit, from A into B   @return not a number if neither is a plane and one has
/// no pieces
double gapBetween(const World& world, int bodyA, int bodyB, Vec3* normal = nullptr);

/// ε of a pair: a thousandth of the diameter (2 × bounding radius) of the smaller body [m].
double nearReach(const Scene& scene, int bodyA, int bodyB);

/// The pairs with gap ≤ ε of which one moves, by body ids. Pairs that must not collide are left out, and so
/// are meshes without pieces, but above planes.
std::vector<NearPair> nearPairs(const World& world);

/// The largest speed [m/s] across the normal with which the bodies of the pairs slide on each other, at the
/// middle of where they are nearest; 0 without pairs.
double largestSlip(const World& world, const std::vector<NearPair>& pairs);

/// v + ω × (point − x) of a body as it is in the world [m/s]; 0 of a static one.
Vec3 velocityAt(const World& world, int body, const Vec3& point);

}  // namespace touchstone
