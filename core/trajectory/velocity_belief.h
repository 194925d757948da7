#pragma once

#include <memory>

#include "core/scene/scene.h"
#include "core/trajectory/trajectory_file.h"
#include "core/world/world.h"

namespace touchstone {

/// Counts of the velocities of a file that were asked and replaced, and its largest correction of positions.
struct BeliefSums {
  long velocities = 0;  ///< of bodies at samples that were asked
  long replaced = 0;    ///< of them, those that the poses contradict
  /// The largest way in an interval that a body was pushed along normals of its contacts without having that
  /// velocity [m]; the body, −1: none, and the time [s].
  double correction = 0;
  int correctedBody = -1;
  double correctedAt = 0;
};

/// Decides which velocities of a file are believed. With w₋ and w₊ = Δx/Δt of the intervals before and after
/// a sample, its v is believed where it lies between them,
///
///     min over s in [0, 1] of |v − (1 − s) w₋ − s w₊| ≤ 0.05 max(|v|, |w₋|, |w₊|) + ½ |g| Δt,
///
/// which holds for each scheme of integration, and where Δx contains a correction of positions: w − v of one
/// of the intervals is a sum of pushes outwards along the normals of contacts of its start, each of which
/// moves the body by n/m and turns it by I⁻¹ (r × n). Likewise ω, with ½ |g| Δt / r of the bounding radius.
/// At an end of the file the one interval lies between the velocities
/// of its ends. A spin of more than 2 rad in an interval is believed, for poses cannot tell it. Of a body
/// with joints, which are corrected in any direction, 0.3 is allowed in the place of 0.05. The first sample
/// may have the velocities of the scene. Not thread-safe.
class VelocityBelief {
 public:
  /// @param linear, angular  which ones the file gives
  VelocityBelief(std::shared_ptr<const Scene> scene, bool linear, bool angular);
  /// Replaces velocities that are not believed by differences of poses (derived.h).
  /// @param before, after  as in the file; null at the ends
  void check(const TrajectorySample* before, TrajectorySample& sample, const TrajectorySample* after);
  const BeliefSums& sums() const { return m_sums; }

 private:
  struct Interval;
  bool isCorrection(int body, const Interval& interval, const BodyState& state, double share);

  std::shared_ptr<const Scene> m_scene;
  bool m_linear, m_angular;
  std::vector<char> m_isJointed;  ///< [bodies]
  World m_world;
  BeliefSums m_sums;
};

}  // namespace touchstone
