#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/parallel/launches.h"
#include "core/record/step_record.h"
#include "core/referee/referee_history.h"
#include "core/run/pane_settings.h"
#include "core/world/spring.h"

namespace touchstone {

class DeviceWorld;
class Referee;
class Stepper;
struct StepDetail;
struct World;

/// State from which a simulation continues exactly.
struct Snapshot {
  double time = 0;
  long frame = 0;
  std::vector<BodyState> bodies;
  std::vector<JointState> joints = {};  ///< for their turns; none: as the poses tell
  std::vector<Vec3> particles = {}, particleVelocities = {};
};
/// The state that a record has.
Snapshot snapshotOf(const StepRecord& record);

/// Everything from which a simulation goes on bit for bit, records included.
struct Checkpoint {
  PaneSettings settings;
  double dt = 0;
  Snapshot state;
  std::string memory;  ///< of the contact method
  RefereeHistory history;
  std::optional<Spring> spring;
  RecordPtr frozen;               ///< the record that is repeated after divergence or a stop; else null
  std::vector<Overlap> overlaps;  ///< of the state, against which the next frame's are judged
};
std::size_t bytesOf(const Checkpoint& checkpoint);

/// Begins the text of a pane that the clock has stopped: such a frame does not repeat.
constexpr char kEndedByClock[] = "the clock ended the frame";

/// One scene under one method. Not thread-safe: used by one worker at a time.
class Simulation {
 public:
  /// @param dt  frame length [s]
  /// @throws std::invalid_argument if method, solver or a parameter is refused; the text says why and what to
  /// do
  Simulation(std::shared_ptr<const Scene> scene, const PaneSettings& settings, double dt);
  ~Simulation();

  /// Record of the state before any step (frame 0), or of the state set last.
  RecordPtr current() const { return m_record; }

  /// Advances one frame: `substeps` steps of dt / substeps. After divergence the state is frozen and the
  /// record repeats with status Diverged; a state whose tetrahedra are inverted to more than 5 % has diverged
  /// too. So it does with status Stopped where a step cannot be computed (too little memory, a problem too
  /// large), and after the first frame without solution or convergence where on_failure is stop. A device
  /// that fails is left: the frame is taken again on the CPU, and backendNote() says why. A frame that takes
  /// longer than setSecondsPerFrame() allows ends with status Stopped as well.
  /// @throws FrameEnded  after endFrames(); the simulation then has no further use
  RecordPtr step() { return step(nullptr); }

  const PaneSettings& settings() const { return m_settings; }
  /// Values in force: defaults, scene's suggestions, user's.
  const ParameterValues& parameters() const { return m_values; }
  void setParameter(const std::string& key, const ParameterValue& value);
  void setSubsteps(int substeps);
  double dt() const { return m_dt; }
  void setDt(double dt);

  /// The mouse spring from now on; none lets go. A body that does not exist is an error.
  void pull(const std::optional<Spring>& spring);

  Snapshot snapshot() const;
  /// Continues from another state of the same scene (fork, method swap) without contact memory.
  /// @param measured  on the way there, from which the Referee goes on; null: it counts from that state
  void restore(const Snapshot& snapshot, const RefereeHistory* measured = nullptr);
  RefereeHistory measured() const;

  Checkpoint checkpoint() const;
  /// A simulation that goes on as the other did, with its settings.
  Simulation(std::shared_ptr<const Scene> scene, const Checkpoint& checkpoint);
  /// Goes on from the state of another one of the same scene, contact memory and what was measured included,
  /// with its own settings and frame length; current() is a bare record of the state then.
  void goOn(const Checkpoint& checkpoint);
  /// One frame, with the inside of its last step.
  RecordPtr step(StepDetail& detail) { return step(&detail); }

  /// Backend of the steps, and the reason if it is not the one of the settings (empty: it is).
  BackendKind backend() const { return m_backend; }
  const std::string& backendNote() const { return m_backendNote; }
  /// Contact memory as bytes, the same on any backend.
  /// Empty if a device is lost: the next step then falls back.
  std::string contactMemory() const;
  void restoreContactMemory(const std::string& bytes);
  /// So far.
  Launches launches() const;
  /// From now on records hold the contacts of every substep, not only of the last.
  void recordAllContacts() { m_allContacts = true; }
  /// From now on records hold states, status and times only: no Referee, and under penalty methods no
  /// contacts (benchmarks, sweeps of many worlds).
  void setStatesOnly(bool on);
  /// Seconds of the clock that a frame may take; 0: as many as it takes. The clock is looked at between the
  /// parts of steps and between iterations; an engine of another program is left in the middle of its work.
  void setSecondsPerFrame(double seconds) { m_secondsPerFrame = seconds; }
  /// True if the pane is frozen because a frame took too long.
  bool isEndedByClock() const { return m_isFrozen && m_isEndedByClock; }

  const World& world() const { return *m_world; }

 private:
  RecordPtr step(StepDetail* detail);
  RecordPtr advance(StepDetail* detail);
  RecordPtr advanceOrLeaveDevice(StepDetail* detail);
  RecordPtr repeatLast();
  RecordPtr stop(const std::string& text);
  void makeReferee();  ///< on the backend of the steps
  void measureOnHost(const std::string& reason);
  /// Calls `use` with the Referee; if its device fails, with the host's.
  void withReferee(const std::function<void(Referee& referee)>& use);
  void useStepLength();
  void leaveDevice();
  void onDeviceOrHost(const std::function<void()>& change);
  /// On the backend that the settings want, or on the CPU where that fails.
  void makeStepper();
  void makeStepperOn(BackendKind backend);
  void fallBack(const std::string& reason);
  void sendMemory();  ///< starts the way of contact memory to the host, for fallBack()
  void keepMemory();  ///< waits for it
  std::string divergence(int body) const;
  /// Names the overlaps of bodies that are released now, or is empty. @param activeBefore  [bodyCount]
  std::string overlapAtRelease(Referee& referee, const std::vector<unsigned char>& activeBefore) const;
  bool handleDivergence(StepRecord& record);
  bool handleInversion(StepRecord& record);
  void freeze(int replica);
  void place(const Snapshot& snapshot);
  void publishState(StepRecord& record) const;

  std::shared_ptr<const Scene> m_scene;
  PaneSettings m_settings;
  ParameterValues m_values;
  double m_dt;
  long m_frame = 0;
  double m_secondsPerFrame = 0;
  bool m_isFrozen = false;        ///< diverged or stopped
  bool m_isEndedByClock = false;  ///< if it is frozen
  std::unique_ptr<World> m_world;
  std::shared_ptr<DeviceWorld> m_deviceWorld;  ///< *m_world where its loops run
  std::unique_ptr<Stepper> m_stepper;
  BackendKind m_backend = BackendKind::Cpu;
  std::string m_backendNote;
  bool m_statesOnly = false, m_allContacts = false;
  long m_sentFrame = -1, m_keptFrame = -1;  ///< whose contact memory the stepper has sent, and keeps
  std::unique_ptr<Referee> m_referee;
  RecordPtr m_record;
};

}  // namespace touchstone
