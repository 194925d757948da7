#pragma once

#include "core/math/host_device.h"

namespace touchstone {

/// Points of the rule. The table in gaussNode() holds exactly this many, so that any other value is wrong.
constexpr int kGaussPoints = 16;

/// Node and weight k of the 16-point Gauss–Legendre rule on [−1, 1].
struct GaussNode {
  double position, weight;
};
TS_HD inline GaussNode gaussNode(int k) {
  const double position[8] = {0.98940093499164994, 0.9445750230732326,  0.86563120238783176,
                              0.755404408355003,   0.61787624440264377, 0.45801677765722737,
                              0.28160355077925892, 0.095012509837637441};
  const double weight[8] = {0.027152459411754096, 0.062253523938647894, 0.095158511682492786,
                            0.12462897125553388,  0.14959598881657674,  0.16915651939500254,
                            0.18260341504492358,  0.1894506104550685};
  const int half = k < 8 ? k : 15 - k;
  return {k < 8 ? -position[half] : position[half], weight[half]};
}

}  // namespace touchstone
