#pragma once

#include <memory>
#include <string>

#include "core/run/simulation.h"

namespace touchstone {

/// One method on one scene, compared between a backend and the CPU.
struct BackendCheck {
  std::string scene, method;   ///< method: with its solver, see paneName()
  bool ran = false;            ///< the backend ran the steps; else see `reason`
  std::string reason;          ///< why it did not run, or what failed
  int frames = 0;              ///< number of compared frames, each from the CPU's state
  int framesWithContacts = 0;  ///< number of these with contacts
  long candidates = 0, contacts = 0;
  long otherCandidates = 0;   ///< found by one side only
  long otherContacts = 0;     ///< recorded by one side only
  int otherStatuses = 0;      ///< frames that converged, stopped or diverged on one side only
  double impulse = 0;         ///< largest difference of a contact's impulse, relative to the frame's largest
  double position = 0;        ///< largest difference of a body's state after the step; v and ω times dt [m]
  QuantityValues quantities;  ///< largest difference of each after one step, relative to its size + 0.001;
                              ///< NaN: none
  double meanForce = 0;       ///< relative difference of the mean normal force of two separate runs
  bool repeats = false;       ///< two runs on the backend gave equal bits, one in graphs and one loop by loop
  bool passed = false;
};

/// Accepted differences. Both sides round alike (tst_run_device_rounding) except for elementary functions
/// (friction's exponential), so that candidates and contacts are the same sets. Larger tolerances hide errors
/// of a backend; smaller ones report the rounding of those functions.
constexpr double kImpulseTolerance = 1e-9;    ///< relative to the largest impulse of the frame
constexpr double kPositionTolerance = 1e-11;  ///< relative to the scene's size
constexpr double kQuantityTolerance = 1e-9;   ///< relative to the quantity's size + 0.001 in its unit

/// Runs the CPU through the scene. Every few frames it takes one step on both sides from the CPU's state,
/// contact memory and measurement history. Later frames of separate runs may differ, because contact is
/// chaotic; their mean is reported (meanForce), not judged. A step that falls back to the CPU is a failure.
/// @param frames  least number of frames; more if bodies have not touched by then, so that contacts can be
/// compared
BackendCheck checkBackend(const std::shared_ptr<const Scene>& scene, PaneSettings settings,
                          BackendKind backend, int frames);

}  // namespace touchstone
