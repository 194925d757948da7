#pragma once

#include <memory>
#include <optional>

#include "core/trajectory/trajectory_file.h"
#include "core/trajectory/velocity_belief.h"

namespace touchstone {

/// Velocities of a body from its poses at the samples around it,
///
///     v = (x₊ − x₋) / (t₊ − t₋),    ω = log(q₊ q₋⁻¹) / (t₊ − t₋)
///
/// with the shorter turn; one-sided where the body has no row before or after. They smear an impact over two
/// intervals. A body with a single row has none: not a number.
/// @param before, after  null at the ends   @param linear, angular  which ones to derive
void deriveVelocities(const TrajectorySample* before, TrajectorySample& sample, const TrajectorySample* after,
                      const Scene& scene, bool linear, bool angular);
/// The same for all samples; notes what was derived.
void deriveVelocities(Trajectory& trajectory, bool linear, bool angular);

/// Yields the samples of a file with velocities: those of the file, or derived ones where it has none, and
/// where the options ask for it also where the poses contradict them.
class SamplesWithVelocities {
 public:
  /// @param reader  stays valid
  SamplesWithVelocities(TrajectoryReader& reader, const std::shared_ptr<const Scene>& scene,
                        bool distrustsVelocities);
  /// @return false at the end   @throws SceneError
  bool next(TrajectorySample& sample);
  /// The counts of the samples so far; all 0 where velocities are not compared.
  BeliefSums belief() const { return m_belief ? m_belief->sums() : BeliefSums(); }

 private:
  TrajectoryReader& m_reader;
  const Scene& m_scene;
  bool m_linear, m_angular;  ///< derived
  std::optional<VelocityBelief> m_belief;
  bool m_hasBefore = false, m_hasAfter = false, m_begun = false;
  TrajectorySample m_before, m_after;  ///< as in the file
};

}  // namespace touchstone
