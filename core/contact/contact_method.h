#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "core/contact/method.h"
#include "core/detect/candidates.h"
#include "core/record/contact.h"
#include "core/record/step_record.h"
#include "core/scene/parameter.h"
#include "core/world/device_world.h"

namespace touchstone {

class PhaseClock;  // core/record/phase_clock.h: stamps narrow phase, assemble, solve

struct StepDetail;

/// What a record gets of a step's contacts, beside the sums of their impulses: only those of a frame's last
/// step are looked at.
enum class RecordedContacts { All, None };

/// Turns candidates into impulses, its own way. One object per pane; keeps contact memory between steps.
/// Everything else of a step (predict, broad phase, integrate, measurement) is shared by all methods.
class ContactMethod {
 public:
  virtual ~ContactMethod() = default;

  /// Begins with a step after predict(): with what follows from prediction alone, and changes neither the
  /// state nor contact memory. On a device without waiting for it.
  virtual void begin(const World& /*world*/) {}
  /// Waits for it, and adds what its phases took.
  virtual void await(PhaseTimes& /*times*/) {}

  /// What broad phase must find for this step; called after predict().
  virtual CandidateNeeds needs(const World& world) const = 0;

  /// Adds contact impulses to the world's next velocities, and fills iterations, deliveredBy, status,
  /// warnings, Residual, MethodDepth, EnergyElastic, Traps and set counts of the record; adds to its sums
  /// over contacts. Contacts that are on the host anyway go into the record too.
  virtual void respond(World& world, const Candidates& candidates, StepRecord& record, PhaseClock& clock) = 0;

  /// Of the next respond(): whether a step that does not come to an end may be bisected. Then the record says
  /// of replicas that want it no more than what it took.
  virtual void setMayBisect(bool /*on*/) {}
  /// Replicas of the scene for which the last respond() did not come to an end: its velocities may be used,
  /// but two steps of half the length would be better; or empty.
  virtual ReplicaSet wantsBisection() const { return {}; }

  /// Called after integrate() with the step's arrays still in place: contact memory on the corrected path.
  virtual void settle(const World& /*world*/, const Candidates& /*candidates*/) {}

  /// New values at a step boundary; the values have passed refusal().
  virtual void setParameters(const ParameterValues& values) = 0;

  /// Where the parts of the step run that have an engine on each backend: all but what
  /// MethodInfo::staysOnHost names. Called before all else. @throws std::runtime_error if the backend has
  /// none
  virtual void useBackend(BackendKind /*backend*/, const World& /*world*/,
                          const std::shared_ptr<DeviceWorld>& /*there*/) {}
  /// Of the next steps: whether addContacts() follows, so that a method may start their way before.
  virtual void setRecorded(RecordedContacts) {}
  /// The contacts of the last step, for a record that has got none of them; before or after integrate().
  virtual void addContacts(StepRecord& /*record*/) {}
  /// Records need neither contacts nor their sums from now on; a method that saves work by it may leave them
  /// out.
  virtual void setStatesOnly(bool /*on*/) {}

  /// Forgets contact memory: the world's state was set from outside (start, fork). Initial overlap is adopted
  /// anew.
  virtual void reset(const World& world) = 0;

  /// Where the next steps put their inside, or null: nowhere.
  void explainTo(StepDetail* detail) { m_detail = detail; }

  /// Begins to bring to the host what, with the World, makes the next step exactly reproducible (contact
  /// memory); for keyframes and hashes.
  virtual void sendMemory() { m_sentMemory = memory(); }
  /// Waits for it; it is what is kept from then on.
  virtual void keepMemory() { m_keptMemory = m_sentMemory; }
  /// What is kept, also where a device has been lost since.
  virtual std::string keptMemory() { return m_keptMemory; }
  virtual void restoreMemory(const std::string& /*bytes*/) {}

 protected:
  /// Contact memory of a method that has it on the host.
  virtual std::string memory() const { return {}; }

  StepDetail* m_detail = nullptr;

 private:
  std::string m_sentMemory, m_keptMemory;
};

}  // namespace touchstone
