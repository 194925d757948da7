#pragma once

#include <memory>
#include <string>

#include "core/run/simulation.h"

namespace touchstone {

/// One method on one scene, a backend against the CPU.
struct BackendCheck {
  std::string scene, method;   ///< the method with its solver as paneName() has it
  bool ran = false;            ///< the backend took the steps; else `reason`
  std::string reason;          ///< why it did not, or what failed
  int frames = 0;              ///< frames compared, each from where the CPU stood
  int framesWithContacts = 0;  ///< of these
  long candidates = 0, contacts = 0;
  long otherCandidates = 0;   ///< found by one side only
  long otherContacts = 0;     ///< recorded by one side only
  int otherStatuses = 0;      ///< frames that converged, stopped or diverged on one side only
  double impulse = 0;         ///< largest difference of a contact's impulse, of the frame's largest
  double position = 0;        ///< largest difference of a body's state after the step, v and ω times dt [m]
  QuantityValues quantities;  ///< largest difference of each after one step, of its size + 0.001; NaN: none
  double meanForce = 0;       ///< of two separate runs: relative difference of the mean normal force
  bool repeats = false;  ///< two runs on the backend gave the same bits, one in graphs and one loop by loop
  bool passed = false;
};

/// What may differ. Both sides round alike (tst_run_device_rounding) but for elementary functions (friction's
/// exponential), so that candidates and contacts are the same sets.
constexpr double kImpulseTolerance = 1e-9;    ///< of the largest impulse of the frame
constexpr double kPositionTolerance = 1e-11;  ///< of the scene's size
constexpr double kQuantityTolerance = 1e-9;   ///< of its size + 0.001 in its unit

/// Runs the CPU through the scene, and every few frames takes one step on both sides from the CPU's state,
/// contact memory and history of measurements: later frames of separate runs may part, since contact is
/// chaotic. What those do on average is told (meanForce), not judged. A step that any part of the pane took
/// on the CPU instead is a failure.
/// @param frames  more where bodies have not touched until then, so that there are contacts to compare
BackendCheck checkBackend(const std::shared_ptr<const Scene>& scene, PaneSettings settings,
                          BackendKind backend, int frames);

}  // namespace touchstone
