#pragma once

#include <string>

#include "core/constraints/drive_integration.h"
#include "core/scene/parameter.h"

namespace touchstone {

/// Parameter of every method: when the springs of drives act.
/// @param byDefault  of methods whose other springs keep energy Trapezoidal
inline ParameterSpec driveIntegrationSpec(DriveIntegration byDefault) {
  const bool isImplicit = byDefault == DriveIntegration::Implicit;
  return choiceSpec(
      kDriveIntegration, "Springs of drives",
      "When the spring of a joint's drive acts. implicit: at the end of the step, which is stable "
      "for any stiffness and damps what has no damper. trapezoidal: as a mean of three instants "
      "(Newmark 1959, β = 1/4), which keeps the energy of a spring without a damper; a spring so "
      "stiff that k h² is more than the mass that it moves stays implicit.",
      isImplicit ? std::vector<std::string>{kImplicitDrives, kTrapezoidalDrives}
                 : std::vector<std::string>{kTrapezoidalDrives, kImplicitDrives});
}
/// @param choice  the value of this parameter
inline DriveIntegration driveIntegrationOf(const std::string& choice) {
  return choice == kTrapezoidalDrives ? DriveIntegration::Trapezoidal : DriveIntegration::Implicit;
}

}  // namespace touchstone
