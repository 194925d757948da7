#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "core/record/step_record.h"
#include "core/referee/crossings.h"
#include "core/referee/joint_measures.h"
#include "core/referee/motion_measurement.h"
#include "core/referee/overlap_measurement.h"
#include "core/referee/referee_history.h"

namespace touchstone {

/// Measures of penetration that no pair of bodies of a world can have. The surfaces of cloth and other open
/// surfaces have no inside: with them a pair has no volume, and a depth only below a plane. A world in which
/// no bodies can meet has all measures, and they are 0.
struct AbsentMeasures {
  bool depth = false, volume = false;
};
AbsentMeasures absentMeasuresOf(const World& world);

/// Measures a world after a frame, on the backend of the world and in the same way for every method. It knows
/// no method. Joints, drives and crossings are measured on the host, whose states must be those of the
/// backend.
class Referee {
 public:
  /// Call begin() or goOn() before measure(). @param deviceWorld  the world on the backend
  /// @throws std::runtime_error if the backend has no engines, or if a device fails
  Referee(BackendKind backend, const World& world, const std::shared_ptr<DeviceWorld>& deviceWorld);

  /// Makes the present state, which must be on the backend too, the start. @param dt  length of its steps [s]
  void begin(const World& world, double dt);
  RefereeHistory history() const;
  /// Changes the length of the steps. The energy of a free fall is measured half a step earlier, so that the
  /// start energy changes with the length; that change must not count as drift.
  void useStep(const World& world, double dt);
  /// Continues from the history of another Referee.
  void goOn(const RefereeHistory& history);

  /// See DeviceWorld::inspect().
  void inspect(bool on) { m_overlaps->inspect(on); }
  /// Fills the quantities of penetration, overlap (with record.overlaps), energy, momentum, jitter, force,
  /// contact count and crossings of `record`, whose dt, substeps, contacts, bodies and joints must be set.
  /// Warns of surfaces that pass through each other. A frame that would be ok gets the status NotConverged if
  /// a joint is torn (see tornJoint()), and Energy if the energy rose by itself. `frameDt` is the length of
  /// the frame [s]; 0 for a state without a step before it.
  /// @param whenFound  called before the frame enters the history. If it throws, or if a device fails
  /// earlier, the history is still that of the frames before.
  void measure(const World& world, double frameDt, StepRecord& record,
               const std::function<void()>& whenFound = {});
  /// A note about bodies that overlap at the start or at a release, before any step; empty if none overlaps
  /// by more than 10⁻⁶ ℓ with the scene's length ℓ.
  /// @param bodies  [bodyCount] 1: pairs with such a body are checked; empty: all pairs
  std::string overlapNote(const World& world, const std::vector<unsigned char>& bodies = {});

 private:
  void enterReleased(const World& world, double dt);
  void measurePenetration(const World& world, StepRecord& record);
  void measureBalances(const World& world, const Momenta& total, double frameDt, StepRecord& record);
  void measureCrossings(const World& world, StepRecord& record);
  void judgeJoints(const World& world, StepRecord& record) const;
  void judgeEnergy(const World& world, bool isLedTo, StepRecord& record);

  std::unique_ptr<OverlapMeasurement> m_overlaps;
  std::unique_ptr<MotionMeasurement> m_motion;
  CrossingFinder m_crossings;
  AbsentMeasures m_absent;
  JointMeasures m_joints;      ///< of the frame that is measured
  double m_unknownSupply = 0;  ///< J of that frame, see DriveWork
  /// Momenta of the present state for steps of length dt, without pulls and contacts.
  Momenta momentaOf(const World& world, double dt);

  RefereeHistory m_history;  ///< without the slow velocities, which m_motion keeps
};

}  // namespace touchstone
