#pragma once

#include <functional>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "core/constraints/drive_integration.h"
#include "core/constraints/joint_projection_limits.h"
#include "core/contact/method_info.h"
#include "core/detect/candidates.h"
#include "core/record/step_record.h"
#include "core/world/device_world.h"

namespace touchstone {

struct CandidateView;  // core/detect/feature_broad_phase.inl
class HostBackend;
template <class Backend>
class MemoryArray;  // core/contact/memory_array.h
class PhaseClock;   // core/record/phase_clock.h
struct StepDetail;

/// Candidates that broad phase must find for a step.
struct Needs {
  bool features = false;  ///< pairs of surface features, swept over the predicted path
  FeatureNeeds kinds;     ///< which of them
  /// [replicaCount] on the backend: boxes of a pair that are closer than this overlap [m].
  const double* margins = nullptr;
};

/// A step as its method sees it.
struct MethodStep {
  World& world;           ///< on the host
  const WorldView& view;  ///< on the backend
  const CandidateView& candidates;
  PhaseClock& clock;             ///< stamps narrow phase and assembly
  StepDetail* detail = nullptr;  ///< where the inside of the step goes, or null
  // Of a method that waits:
  StepRecord* record = nullptr;  ///< of the step
  PhaseTimes begun{};            ///< that the loops before respond() took, for its record [ms]
  /// The method may ask for the step to be bisected. Replicas that do are recorded with their cost only.
  bool mayBisect = false;
};

/// Turns candidates into impulses, its own way, on a backend. One object per pane; keeps contact memory
/// between steps. Everything else of a step (predict, broad phase, integrate, measurement) is the same for
/// all methods: core/run/stepper.inl.
///
/// Loops of a method either wait for nothing: a device then begins with a step before it is asked for, and
/// repeats it as a graph. Or respond() waits for the backend, or hands parts of its solve to the host:
/// waits().
template <class Backend>
class Method {
 public:
  virtual ~Method() = default;

  /// True if respond() waits for the backend: it is in no graph then, and follows begin().
  virtual bool waits() const { return false; }
  /// Before a step of length World::dt: sends what has changed on the host. With joints the host has the
  /// state.
  virtual void prepare(const Backend&, const World&) {}
  /// Candidates that broad phase must find for this step; after prediction.
  virtual Needs needs(const Backend&, const WorldView&) { return {}; }
  /// Begins with what follows from prediction alone, if the method waits; changes neither the state nor
  /// contact memory, and does not wait for a device.
  virtual void begin(const Backend&, const WorldView&) {}
  /// Finds the velocities of the step. Changes contact memory, and not the state. One that waits fills
  /// iterations, deliveredBy, status, warnings and quantities of the record, adds to its sums over contacts,
  /// and records contacts that are on the host; others do so in finishRecord().
  /// @return the replicas for which two steps of half the length would be better, or none; their velocities
  /// may still be used
  virtual ReplicaSet respond(const Backend&, const MethodStep&) = 0;
  /// Measures the velocities for the record again. Called after respond(), where joints have changed them.
  virtual void rejoin(const Backend&, const WorldView&) {}
  /// After integration, with the step's arrays still in place: contact memory on the corrected path.
  virtual void settle(const Backend&, const WorldView&, const CandidateView&) {}
  /// After integration: moves bodies apart by what the method undoes besides its velocities.
  virtual void moveApart(const Backend&, const WorldView&) {}
  /// When the springs of drives act, of a method that has no rows for joints.
  virtual DriveIntegration driveIntegration() const { return DriveIntegration::Implicit; }
  /// Joints that are asked for at velocity level drift apart: their projection follows each step.
  virtual JointProjection jointProjection() const { return {}; }

  // What the record gets of a step. After sendSums(): what its contacts come to, and themselves.

  /// Sets what the records of the next steps get of contacts. A method may save the work for what they do not
  /// get.
  virtual void setRecorded(Recorded) {}
  virtual void sendSums(const Backend&) {}
  virtual void finishRecord(StepRecord&) {}
  /// Only starts the way of the contacts before they are asked for.
  virtual void sendContacts(const Backend&) {}
  /// Waits for contacts that are on their way.
  virtual void awaitContacts() {}
  /// The contacts of the last step, for a record that has got none of them.
  virtual void addContacts(const Backend&, StepRecord&) {}

  /// New values at a step boundary; they have passed MethodInfo::refusal and the ranges of the parameters.
  /// @param ofReplicas  choices are those of replica 0, numbers each replica's own
  virtual void setParameters(const std::vector<ParameterValues>& ofReplicas) = 0;
  /// Visits everything that, with the World, makes the next step exactly reproducible; always the same arrays
  /// in the same order.
  virtual void eachMemoryArray(const std::function<void(MemoryArray<Backend>&)>& /*visit*/) {}
};

/// The parts that a method is made from.
struct MethodSetup {
  const World& world;
  std::shared_ptr<DeviceWorld> deviceWorld;  ///< the world on the backend
  std::string solver;                        ///< key, or empty
  std::vector<ParameterValues> ofReplicas;
};

template <class Backend>
using MethodMaker = std::function<std::unique_ptr<Method<Backend>>(const Backend&, const MethodSetup&)>;

/// Makers of the methods of a backend, by key.
template <class Backend>
std::map<std::string, MethodMaker<Backend>>& methodMakers() {
  static std::map<std::string, MethodMaker<Backend>> makers;
  return makers;
}
/// Has those of the program.
template <>
std::map<std::string, MethodMaker<HostBackend>>& methodMakers<HostBackend>();

/// @throws std::runtime_error if the backend has no such method
template <class Backend>
std::unique_ptr<Method<Backend>> makeMethod(const std::string& key, const Backend& backend,
                                            const MethodSetup& setup) {
  const auto& makers = methodMakers<Backend>();
  const auto found = makers.find(key);
  if (found == makers.end()) throw std::runtime_error(key + " has no step on this backend");
  return found->second(backend, setup);
}

/// Methods, each with
///     static MethodInfo describe();
///     template <class Backend>
///     static std::unique_ptr<Method<Backend>> make(const Backend&, const MethodSetup&);
template <class... Infos>
struct MethodList {};

template <class Backend, class... Infos>
std::map<std::string, MethodMaker<Backend>> makersOf(MethodList<Infos...>) {
  return {{Infos::describe().key, &Infos::template make<Backend>}...};
}

/// Adds methods that are in the table to what a backend can make.
template <class Backend, class... Infos>
void registerMakers(MethodList<Infos...> methods) {
  methodMakers<Backend>().merge(makersOf<Backend>(methods));
}

/// Adds methods to the one table, and to what these backends can make.
template <class... Backends, class... Infos>
void registerMethods(MethodList<Infos...>) {
  (addMethod(Infos::describe()), ...);
  (registerMakers<Backends>(MethodList<Infos...>()), ...);
}

}  // namespace touchstone
