#pragma once

#include <memory>
#include <vector>

#include "core/record/step_record.h"
#include "core/referee/overlap_engine.h"
#include "core/world/world.h"

namespace touchstone {

/// Measures a world after a frame, the same way for every method; knows none. Keeps what needs a history
/// (energy at the start, momentum balance, jitter's filter).
class Referee {
 public:
  explicit Referee(const World& initial);

  /// Where overlaps are found from now on. @throws std::runtime_error if the backend has no engine
  void useBackend(BackendKind backend, const World& world);

  /// Fills penetration, overlap (with record.overlaps), energy, momentum, jitter, force and contact-count
  /// quantities of `record`, whose contacts and bodies are already there. `frameDt` is the length of the
  /// frame [s].
  void measure(const World& world, double frameDt, StepRecord& record);

 private:
  void measurePenetration(const World& world, StepRecord& record);
  void measureBalances(const World& world, double frameDt, StepRecord& record);
  void measureJitter(const World& world, double frameDt, StepRecord& record);

  /// Made where it is first needed. A copy of a Referee (of a checkpoint) makes its own.
  struct OwnEngine {
    OwnEngine() = default;
    OwnEngine(const OwnEngine&) {}
    OwnEngine& operator=(const OwnEngine&) {
      engine.reset();
      return *this;
    }
    std::unique_ptr<OverlapEngine> engine;
  };
  OwnEngine m_own;
  double m_startEnergy = 0;
  std::vector<unsigned char> m_wasActive;  ///< [bodyCount] bodies enter the balances when released
  Vec3 m_expectedLinear = Vec3::Zero();    ///< N·s, start + gravity + impulses of static bodies
  Vec3 m_expectedAngular = Vec3::Zero();   ///< N·m·s about the world origin
  std::vector<Vec3> m_slowVelocity;        ///< [bodyCount] low-pass filtered velocity, jitter subtracts it
};

}  // namespace touchstone
