#pragma once

#include <array>
#include <vector>

#include "core/solver/dense/solvers.h"

namespace touchstone {

/// A problem in other coordinates: the rows of its disks can be turned about their normals, as DiskRows ask.
class RotatedTangents {
 public:
  explicit RotatedTangents(const EquilibratedProblem& given);

  const Eigen::MatrixXd& A() const { return m_A; }
  const Eigen::VectorXd& b() const { return m_b; }
  /// The first row of a disk becomes its unit vector (x, y) in the rows as they are now; in the plane x = ±1.
  void rotate(std::size_t disk, double x, double y);
  /// Unknowns, or rates, as they are after such a turn.
  void rotate(std::size_t disk, double x, double y, Eigen::VectorXd& values) const;
  /// Unknowns of the problem given.
  Eigen::VectorXd rotatedBack(Eigen::VectorXd y) const;

 private:
  std::vector<FrictionDisk> m_disks;
  Eigen::MatrixXd m_A;
  Eigen::VectorXd m_b;
  std::vector<std::array<double, 2>> m_first;  ///< [disks] the first row in the rows given
};

}  // namespace touchstone
