#pragma once

#include "core/geometry/clipped_solid.h"
#include "core/geometry/polytope_overlap.h"
#include "core/geometry/separation.h"
#include "core/geometry/solid_memory.h"

// The clipping of solids that the Referee's loops run, for one pair.

namespace touchstone::test {

/// Runs a clipping in scratch memory of its own, and repeats it with more memory if that did not suffice.
template <class Clip>
Intersection clippedWith(const Clip& clip, double thickness) {
  for (int capacity = 256;; capacity *= 2) {
    SolidMemory memory(capacity);
    SolidScratch& scratch = memory.scratch();
    clip(scratch);
    if (!scratch.isFull())
      return shownSolid(scratch.solid(), sizeOf(scratch.solid(), thickness > 0), thickness);
  }
}

/// Exact intersection of two convex polytopes: a clipped by the half-spaces of b. The volume is computed by
/// the divergence theorem from an interior point, the area by the shoelace formula.
inline Intersection intersection(const PolytopeView& a, const PolytopeView& b) {
  Vec3 axis(0, 0, 0);
  const double gap = separation(a, b, &axis);
  if (!(gap < 0)) return {};
  return clippedWith([&](SolidScratch& scratch) { intersectSolids(a, b, axis, gap, scratch); }, a.thickness);
}

/// The part of a polytope below the plane normal · x = offset.
inline Intersection partBelow(const PolytopeView& a, const Vec3& normal, double offset) {
  return clippedWith([&](SolidScratch& scratch) { beginClipped(a, normal, offset, scratch); }, a.thickness);
}

}  // namespace touchstone::test
