#pragma once

#include <cmath>
#include <string>
#include <vector>

#include "core/contact/penalty/penalty_contact.h"
#include "core/scene/parameter.h"
#include "core/scene/scene.h"

namespace touchstone {

/// Parameters that all penalty methods share: stiffness, damping, friction.
std::vector<ParameterSpec> sharedPenaltyParameters();

/// Stiffness of a pair over time.
struct StiffnessSettings {
  double mean = 0;          ///< k [N/m]; 0: automatic
  double perturbation = 0;  ///< e
  double frequency = 0;     ///< ω [rad/s]
  /// 1 + e sin ω τ at the simulated time τ [s].
  double factorAt(double time) const {
    return perturbation == 0 ? 1 : 1 + perturbation * std::sin(frequency * time);
  }
};

/// The shared parameters of one replica; `numbers.stiffness` is set for each step.
struct PenaltySettings {
  StiffnessSettings stiffness;
  PenaltyNumbers numbers;
};
PenaltySettings penaltySettings(const Scene& scene, const std::vector<ParameterSpec>& specs,
                                const ParameterValues& values);

}  // namespace touchstone
