#pragma once

#include <string>
#include <vector>

#include "core/record/step_record.h"
#include "core/scene/scene.h"
#include "core/trajectory/file_frame.h"

namespace touchstone {

/// Compares the first sample of a file with the start of the scene. Bodies may have moved by |v| t + |g| t²
/// and turned by |ω| t since.
/// @return empty if all are within a thousandth of their diameter (2 × bounding radius); else a sentence with
/// the body that is farthest off and the cause that would explain it: another unit, axis, point of reference
/// or order of the quaternion
std::string startWarning(const Scene& scene, const TrajectoryHeader& header, double time,
                         const std::vector<BodyState>& states);

/// Compares velocities with differences of poses: median |v − Δx/Δt| against 0.1 max |v|, with v the mean of
/// both ends of an interval; ω likewise.
class VelocityCheck {
 public:
  /// Adds an interval of all dynamic bodies.
  void add(const Scene& scene, double timeBefore, const std::vector<BodyState>& before, double time,
           const std::vector<BodyState>& states);
  /// Empty, or what contradicts, with the likely cause.
  std::vector<std::string> warnings(const TrajectoryHeader& header, bool linear, bool angular) const;

 private:
  std::vector<double> m_linear, m_angular, m_asOfBody, m_asOfWorld;
  double m_fastest = 0, m_fastestSpin = 0;
};

}  // namespace touchstone
