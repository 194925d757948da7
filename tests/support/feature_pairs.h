#pragma once

#include <random>
#include <vector>

#include "core/contact/manifold/continuous_penalty.h"

namespace touchstone::test {

/// Moving feature pairs of all kinds, including tracked ones; the same in each call.
inline std::vector<PairPath> featurePairs(int count) {
  std::mt19937 random(7);
  std::uniform_real_distribution<double> place(-0.5, 0.5), motion(-0.3, 0.3);
  std::vector<PairPath> pairs(count);
  for (int index = 0; index < count; ++index) {
    PairPath& pair = pairs[index];
    pair.kind = static_cast<FeaturePairKind>(index % 3);
    pair.oneSided = index % 2 == 0;
    pair.tracked = index % 5 == 0;
    pair.side = index % 10 == 0 ? -1 : 1;
    pair.stiffness = 1e4;
    pair.dt = 1e-3;
    pair.planeNormal = Vec3(0, 1, 0);
    for (int row = 0; row < 4; ++row) {
      pair.x0[row] = Vec3(place(random), place(random), place(random));
      pair.x1[row] = pair.x0[row] + Vec3(motion(random), motion(random), motion(random));
    }
  }
  return pairs;
}

}  // namespace touchstone::test
