#pragma once

#include <functional>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

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

/// Turns candidates into impulses, its own way, on a backend. One object per pane; keeps contact memory
/// between steps. Everything else of a step (predict, broad phase, integrate, measurement) is the same for
/// all methods: core/run/stepper.inl.
///
/// A method answers in one of two ways. respond() launches loops that wait for nothing: a device then begins
/// with a step before it is asked for, and repeats it as a graph. Or the host leads the answer:
/// isLedByHost().
template <class Backend>
class Method {
 public:
  virtual ~Method() = default;

  /// Before a step of length World::dt: sends what has changed on the host. With joints the host has the
  /// state.
  virtual void prepare(const Backend&, const World&) {}
  /// Candidates that broad phase must find for this step; after prediction.
  virtual Needs needs(const Backend&, const WorldView&) { return {}; }
  /// Adds contact impulses to the step's velocities. Changes contact memory, and not the state.
  /// @param clock  stamps narrow phase and assembly   @param detail  where the inside of the step goes, or
  /// null
  virtual void respond(const Backend&, const WorldView&, const CandidateView&, PhaseClock& /*clock*/,
                       StepDetail* /*detail*/) {}
  /// Measures the velocities for the record again. Called after respond(), where joints have changed them.
  virtual void rejoin(const Backend&, const WorldView&) {}
  /// After integration, with the step's arrays still in place: contact memory on the corrected path.
  virtual void settle(const Backend&, const WorldView&, const CandidateView&) {}

  // The rest is for methods whose solve is driven by the host, with engines on the backend. They use no lists
  // of the step's backend.

  virtual bool isLedByHost() const { return false; }
  /// Joints that are asked for at velocity level drift apart: their projection follows each step.
  virtual JointProjection jointProjection() const { return {}; }
  /// Begins with what follows from prediction alone, and changes neither the state nor contact memory; on a
  /// device without waiting for it.
  virtual void begin(const World&) {}
  /// Waits for it, and adds the time of its phases [ms].
  virtual void await(PhaseTimes&) {}
  /// Finds the velocities of the step, also on the backend. Fills iterations, deliveredBy, status, warnings
  /// and quantities of the record; adds to its sums over contacts. Contacts that are on the host are recorded
  /// too.
  /// @param mayBisect  whether the method may ask for the step to be bisected. Replicas that do are recorded
  /// with their cost only.
  /// @return the replicas for which two steps of half the length would be better, or none; their velocities
  /// may still be used
  virtual ReplicaSet solve(World&, bool /*mayBisect*/, StepRecord&, PhaseClock&, StepDetail*) { return {}; }

  // What the record gets of a step. After sendSums(): what its contacts come to, and themselves.

  /// Sets whether contacts of the next steps are recorded.
  virtual void setRecorded(RecordedContacts) {}
  virtual void sendSums(const Backend&) {}
  virtual void finishRecord(StepRecord&) {}
  /// Only starts the way of the contacts before they are asked for.
  virtual void sendContacts(const Backend&) {}
  /// Waits for contacts that are on their way.
  virtual void awaitContacts() {}
  /// The contacts of the last step, for a record that has got none of them.
  virtual void addContacts(const Backend&, StepRecord&) {}
  /// Records need neither contacts nor their sums from now on; a method that saves work by it may leave them
  /// out.
  virtual void setStatesOnly(bool) {}

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
using MethodMaker = std::unique_ptr<Method<Backend>> (*)(const Backend&, const MethodSetup&);

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
