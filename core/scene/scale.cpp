#include "core/scene/scale.h"

#include <algorithm>
#include <cmath>

#include "core/math/quantile.h"

namespace touchstone {

namespace {

/// Diameters of the bounded bodies for which `wanted` is true.
template <class Wanted>
std::vector<double> diameters(const Scene& scene, const Wanted& wanted) {
  std::vector<double> found;
  for (const Body& body : scene.bodies)
    if (body.shape->radius > 0 && wanted(body)) found.push_back(2 * body.shape->radius);
  return found;
}

}  // namespace

double lengthOf(const Scene& scene) {
  if (scene.length > 0) return scene.length;
  std::vector<double> sizes =
      diameters(scene, [](const Body& body) { return body.motion == Motion::Dynamic; });
  if (sizes.empty()) sizes = diameters(scene, [](const Body&) { return true; });
  if (sizes.empty()) return 1;
  return median(std::move(sizes));
}

double extentOf(const Scene& scene) {
  double extent = lengthOf(scene);
  for (const Body& body : scene.bodies)
    if (body.shape->radius > 0)
      extent = std::max(extent, body.position.cwiseAbs().maxCoeff() + body.shape->radius);
  return extent;
}

double velocityUnitOf(const Scene& scene) { return lengthOf(scene) / (100 * scene.dt); }

double depenetrationSpeedOf(const Scene& scene) {
  const double gravity = scene.gravity.norm();
  return gravity > 0 ? 0.2 * std::sqrt(gravity * lengthOf(scene)) : velocityUnitOf(scene);
}

AutomaticValue automaticDepenetrationSpeed(const Scene& scene) {
  const double speed = depenetrationSpeedOf(scene);
  return {speed, speed,
          scene.gravity.norm() > 0 ? "0.2 √(g ℓ) with the scene's length ℓ"
                                   : "ℓ / (100 h) with the scene's length ℓ"};
}

}  // namespace touchstone
