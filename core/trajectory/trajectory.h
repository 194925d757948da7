#pragma once

#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "core/record/step_record.h"
#include "core/scene/scene.h"

namespace touchstone {

/// Motion of the bodies of a scene, sampled in time, from any source: a pane, another engine, a camera.
/// World frame, SI units, y up; a pose is that of the centre of mass with the axes of the body's shape.
struct Trajectory {
  std::shared_ptr<const Scene> scene;
  std::string name;                ///< label of a pane, or the key that the user gave
  std::string engine;              ///< as its file names it: "bullet 3.24"; empty: not known
  std::string integrator;          ///< as its file names it; empty: not known
  std::vector<std::string> model;  ///< words of its theory, as its file declares them
  double step = 0;                 ///< length of a step of the engine [s]; 0: not known
  // As its file tells them:
  std::string precision;                       ///< "double", "single"; empty: not known
  int iterations = -1;                         ///< of the engine's solver in a step; −1: not known
  double processorTime = std::nan("");         ///< that the engine took for the whole motion [s]
  std::vector<double> times;                   ///< [samples] ascending [s]
  std::vector<std::vector<BodyState>> states;  ///< [samples][bodies of the scene]; absent: not active
  std::vector<char> given;                     ///< [bodies] 1: static, or some sample has it
  /// Velocities are differences of poses (derived.h); they smear an impact over two intervals.
  bool linearDerived = false, angularDerived = false;
  bool distrusted =
      false;  ///< some velocities of the file contradict its poses and are replaced by differences
  long replacedVelocities = 0, givenVelocities = 0;  ///< of bodies at samples

  bool hasContacts = false;
  bool contactsComplete = true;  ///< they are all that acted in each interval
  /// [samples] of the interval that ends at this time; impulses on B [N·s]. Empty without contacts.
  std::vector<std::vector<Contact>> contacts;

  /// [samples] Σ x × m v + I ω that displacements which undo overlaps have added since the start [N·m·s], see
  /// StepRecord::pushOut; empty: not known.
  std::vector<Vec3> pushOutAngularMomentum;

  /// [samples] how the step went; empty: not known (other engines). A frozen pane ends with its last state.
  std::vector<StepStatus> status;
  std::string statusText;  ///< of the first sample that is not ok

  std::size_t sampleCount() const { return times.size(); }
};

}  // namespace touchstone
