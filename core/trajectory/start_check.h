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

/// Compares velocities with differences of poses, with v the mean of both ends of an interval: the median of
/// |v − Δx/Δt| against 0.1 max |v|, and Σ |v Δt − Δx| against 0.3 of the way, where few of many bodies move.
/// ω likewise.
class VelocityCheck {
 public:
  /// Adds an interval of all dynamic bodies.
  void add(const Scene& scene, double timeBefore, const std::vector<BodyState>& before, double time,
           const std::vector<BodyState>& states);
  /// Empty, or what contradicts, with the likely cause.
  std::vector<std::string> warnings(const TrajectoryHeader& header, bool linear, bool angular) const;
  bool contradictsLinear() const { return contradicts(m_linear, m_fastest, m_offLinear, m_wayLinear); }
  bool contradictsAngular() const {
    return contradicts(m_angular, m_fastestSpin, m_offAngular, m_wayAngular);
  }

 private:
  static bool contradicts(const std::vector<double>& differences, double fastest, double off, double way);
  double m_offLinear = 0, m_wayLinear = 0;    ///< m; sums over bodies and intervals
  double m_offAngular = 0, m_wayAngular = 0;  ///< rad; likewise
  std::vector<double> m_linear, m_angular, m_asOfBody, m_asOfWorld;
  double m_fastest = 0, m_fastestSpin = 0;
};

}  // namespace touchstone
