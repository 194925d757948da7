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
  double startEnergy = 0;                 ///< J, of the start and of what was brought in since
  Vec3 expectedLinear = Vec3::Zero();     ///< N·s, start + gravity + impulses of static bodies
  Vec3 expectedAngular = Vec3::Zero();    ///< N·m·s about the world's origin
  std::vector<unsigned char> wasDynamic;  ///< [bodyCount] bodies enter the balances when released
  std::vector<Vec3> slowVelocity;         ///< [bodyCount] m/s, low-pass filtered: jitter is what is above
};

/// Measures a world after a frame, the same way for every method, where the world is; knows no method.
class Referee {
 public:
  /// Has to begin() or goOn() before it measures. @param there  the world on the backend
  /// @throws std::runtime_error if the backend has no engines, or if a device refuses
  Referee(BackendKind backend, const World& world, const std::shared_ptr<BackendWorld>& there);

  /// The state of the world, which is on the backend as well, is the start.
  void begin(const World& world);
  RefereeHistory history() const;
  /// As if this one had measured what another has.
  void goOn(const RefereeHistory& history);

  /// As BackendWorld::lookInto().
  void lookInto(bool on) { m_overlaps->lookInto(on); }
  /// Fills penetration, overlap (with record.overlaps), energy, momentum, jitter, force and contact-count
  /// quantities of `record`, whose contacts and bodies are already there. `frameDt` is the length of the
  /// frame [s]; 0 of a state that no step led to.
  /// @param whenFound  called before the frame enters the history. If it throws, or a device fails before,
  /// the history is still that of the frames before.
  void measure(const World& world, double frameDt, StepRecord& record,
               const std::function<void()>& whenFound = {});

 private:
  void enterReleased(const World& world);
  void measurePenetration(const World& world, StepRecord& record);
  void measureBalances(const World& world, const Momenta& total, double frameDt, StepRecord& record);

  std::unique_ptr<OverlapEngine> m_overlaps;
  std::unique_ptr<MotionEngine> m_motion;
  RefereeHistory m_history;  ///< but for the slow velocities, which m_motion has
};

}  // namespace touchstone
