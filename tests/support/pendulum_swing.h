#pragma once

#include <algorithm>
#include <cmath>

#include "core/run/simulation.h"
#include "tests/support/scenes.h"

namespace touchstone::test {

/// Of pendulum(), from hanging down [rad].
inline double pendulumAngle(const Simulation& simulation) {
  const Vec3 at = simulation.current()->bodies[0].position;
  return std::atan2(at.x(), -at.y());
}

/// A pendulum that passes its lowest point at 3 m/s and may turn from −0.1 to 0.3 rad.
struct LimitedSwing {
  double least = 0, most = 0;  ///< angles that it reached [rad]
  bool isUpper = false;        ///< its upper limit was recorded

  explicit LimitedSwing(const PaneSettings& pane) {
    const auto scene = pendulum(0, 1e-5);
    scene->bodies[0].linearVelocity = Vec3(3, 0, 0);
    scene->bodies[0].angularVelocity = Vec3(0, 0, 3);
    scene->joints[0].lower = -0.1;
    scene->joints[0].upper = 0.3;
    Simulation simulation(scene, pane, scene->dt);
    for (int frame = 0; frame < 360; ++frame) {
      simulation.step();
      most = std::max(most, pendulumAngle(simulation));
      least = std::min(least, pendulumAngle(simulation));
      isUpper = isUpper || simulation.current()->joints[0].limit == 1;
    }
  }
};

}  // namespace touchstone::test
