#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "core/record/step_record.h"
#include "core/referee/motion_engine.h"
#include "core/referee/overlap_engine.h"

namespace touchstone {

/// What a Referee knows of the frames before.
struct RefereeHistory {
  double dt = 0;                          ///< s, of the steps that energies are measured for, see useStep()
  double startEnergy = 0;                 ///< J, of the start and of what was brought in since
  Vec3 expectedLinear = Vec3::Zero();     ///< N·s, start + gravity + impulses of static bodies
  Vec3 expectedAngular = Vec3::Zero();    ///< N·m·s about the world's origin
  std::vector<unsigned char> wasDynamic;  ///< [bodyCount] bodies enter the balances when released
  std::vector<Vec3> slowVelocity;         ///< [bodyCount] m/s, low-pass filtered: jitter is what is above
  double drift = 0;                       ///< J, EnergyDrift
  double lively = 0;                      ///< J, kinetic and elastic energy
  double elastic = 0;                     ///< J
  double overlapWork = 0;                 ///< J that undoing the overlaps of the last frame may take
};

/// Measures a world after a frame, the same way for every method, where the world is; knows no method.
class Referee {
 public:
  /// Has to begin() or goOn() before it measures. @param there  the world on the backend
  /// @throws std::runtime_error if the backend has no engines, or if a device refuses
  Referee(BackendKind backend, const World& world, const std::shared_ptr<DeviceWorld>& deviceWorld);

  /// The state of the world, which is on the backend as well, is the start. @param dt  of its steps [s]
  void begin(const World& world, double dt);
  RefereeHistory history() const;
  /// The state is reached with steps of another length from now on. The energy of a free fall is that of half
  /// a step before, so that what counts as the start moves with the length: no change of it is a drift.
  void useStep(const World& world, double dt);
  /// As if this one had measured what another has.
  void goOn(const RefereeHistory& history);

  /// As DeviceWorld::inspect().
  void inspect(bool on) { m_overlaps->inspect(on); }
  /// Fills penetration, overlap (with record.overlaps), energy, momentum, jitter, force and contact-count
  /// quantities of `record`, whose dt, substeps, contacts and bodies are already there. `frameDt` is the
  /// length of the frame [s]; 0 of a state that no step led to.
  /// @param whenFound  called before the frame enters the history. If it throws, or a device fails before,
  /// the history is still that of the frames before.
  void measure(const World& world, double frameDt, StepRecord& record,
               const std::function<void()>& whenFound = {});
  /// What to say of a state in which bodies overlap that nothing has pushed into each other, at the start or
  /// at a release; empty if none does by more than 10⁻⁶ ℓ with the scene's length ℓ.
  /// @param bodies  [bodyCount] 1: pairs with such a body count; empty: all do
  std::string overlapNote(const World& world, const std::vector<unsigned char>& bodies = {});

 private:
  void enterReleased(const World& world, double dt);
  void measurePenetration(const World& world, StepRecord& record);
  void measureBalances(const World& world, const Momenta& total, double frameDt, StepRecord& record);
  void judgeEnergy(const World& world, bool isLedTo, StepRecord& record);

  std::unique_ptr<OverlapEngine> m_overlaps;
  std::unique_ptr<MotionEngine> m_motion;
  /// Of the state as it is, for steps of a length, without anything that pushes.
  Momenta momentaOf(const World& world, double dt);

  RefereeHistory m_history;  ///< but for the slow velocities, which m_motion has
};

}  // namespace touchstone
