#pragma once

#include <algorithm>
#include <cmath>
#include <string>

#include "core/record/step_record.h"
#include "core/scene/scene.h"

namespace touchstone {

namespace detail {

/// Part of a segment that lies inside a piece, as shares of its length; `from` ≥ `to`: it misses the piece.
struct InsideShare {
  double from = 0, to = 1;
};

inline InsideShare insideShare(const Polytope& piece, const Vec3& start, const Vec3& end) {
  InsideShare inside;
  for (const Polytope::Face& face : piece.faces) {
    const double before = face.normal.dot(start) - face.offset, after = face.normal.dot(end) - face.offset;
    if (before >= 0 && after >= 0) return {1, 0};
    if (before < 0 && after < 0) continue;
    const double share = before / (before - after);
    if (before > 0)
      inside.from = std::max(inside.from, share);
    else
      inside.to = std::min(inside.to, share);
  }
  return inside;
}

/// Distance from the centre of mass to the surface of the piece around it [m]; 0: no piece is around it.
inline double depthOfCentre(const Shape& shape) {
  double deepest = 0;
  for (const Polytope& piece : shape.pieces) {
    double depth = HUGE_VAL;
    for (const Polytope::Face& face : piece.faces) depth = std::min(depth, face.offset);
    deepest = std::max(deepest, depth);
  }
  return deepest;
}

inline Vec3 seenFrom(const BodyState& body, const Vec3& point) {
  return body.orientation.conjugate() * Vec3(point - body.position);
}

/// True if the centre of mass of a body has entered a piece of another one within a frame and has left it
/// again on another side.
inline bool goesThrough(const Shape& other, const Vec3& start, const Vec3& end) {
  return std::any_of(other.pieces.begin(), other.pieces.end(), [&](const Polytope& piece) {
    const InsideShare inside = insideShare(piece, start, end);
    return inside.from > 0 && inside.to < 1 && inside.from < inside.to;
  });
}

}  // namespace detail

/// Gives a frame the status NotConverged and the names of the pair, if a body has gone through another one
/// within the frame. Such bodies overlap neither before nor after, and no method that missed them can say so.
/// The centre of mass of the body, which lies in one of its pieces, has passed a piece of the other one.
/// @param before  the frame before   @param mayTouch  (a, b): the bodies collide
template <class MayTouch>
void judgePassages(const Scene& scene, const StepRecord& before, StepRecord& record,
                   const MayTouch& mayTouch) {
  const std::size_t count = scene.bodies.size();
  if (before.bodies.size() != count || record.bodies.size() != count) return;
  const auto isThere = [&](std::size_t body) {
    return before.bodies[body].active && record.bodies[body].active && !scene.bodies[body].deformable;
  };
  for (std::size_t body = 0; body < count; ++body) {
    if (scene.bodies[body].motion == Motion::Static || !isThere(body)) continue;
    const Vec3 &startPosition = before.bodies[body].position, &endPosition = record.bodies[body].position;
    const double way = (endPosition - startPosition).norm();
    // Bodies that overlap neither before nor after are no nearer than this, on either side.
    const double depth = detail::depthOfCentre(*scene.bodies[body].shape);
    if (!(depth > 0 && way > depth)) continue;
    for (std::size_t other = 0; other < count; ++other) {
      const Shape& shape = *scene.bodies[other].shape;
      const BodyState &then = before.bodies[other], &now = record.bodies[other];
      if (other == body || !isThere(other) ||
          (0.5 * (startPosition + endPosition) - now.position).norm() >
              0.5 * way + shape.radius + (now.position - then.position).norm() ||
          !mayTouch(static_cast<int>(body), static_cast<int>(other)) ||
          !detail::goesThrough(shape, detail::seenFrom(then, startPosition),
                               detail::seenFrom(now, endPosition)))
        continue;
      const std::string text = "'" + scene.bodies[body].name + "' has gone through '" +
                               scene.bodies[other].name + "' within this frame; take a shorter step";
      record.warnings.push_back(text);
      if (record.status >= StepStatus::NotConverged) return;
      record.status = StepStatus::NotConverged;
      record.statusText = text;
      return;
    }
  }
}

}  // namespace touchstone
