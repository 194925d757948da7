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

  /// Fills penetration, overlap (with record.overlaps), energy, momentum, jitter, force and contact-count
  /// quantities of `record`, whose contacts and bodies are already there. `frameDt` is the length of the
  /// frame [s].
  /// @param overlaps  finds what overlaps in this world
  void measure(const World& world, OverlapEngine& overlaps, double frameDt, StepRecord& record);

 private:
  static void measurePenetration(const World& world, OverlapEngine& overlaps, StepRecord& record);
  void measureBalances(const World& world, double frameDt, StepRecord& record);
  void measureJitter(const World& world, double frameDt, StepRecord& record);

  double m_startEnergy = 0;
  std::vector<unsigned char> m_wasActive;  ///< [bodyCount] bodies enter the balances when released
  Vec3 m_expectedLinear = Vec3::Zero();    ///< N·s, start + gravity + impulses of static bodies
  Vec3 m_expectedAngular = Vec3::Zero();   ///< N·m·s about the world origin
  std::vector<Vec3> m_slowVelocity;        ///< [bodyCount] low-pass filtered velocity, jitter subtracts it
};

}  // namespace touchstone
