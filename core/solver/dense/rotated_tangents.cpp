#include "core/solver/dense/rotated_tangents.h"

namespace touchstone {

namespace {

/// values ← T values, T = [x y; −y x].
template <class Values>
void rotateRows(int count, double x, double y, Values&& values) {
  if (count == 1)
    values *= x;
  else
    values = ((Eigen::Matrix2d() << x, y, -y, x).finished() * values).eval();
}

}  // namespace

RotatedTangents::RotatedTangents(const EquilibratedProblem& given)
    : m_disks(given.disks), m_A(given.A), m_b(given.b), m_first(given.disks.size(), {1, 0}) {}

void RotatedTangents::rotate(std::size_t disk, double x, double y) {
  const auto [row, count] = std::pair(m_disks[disk].first, m_disks[disk].count);
  rotateRows(count, x, y, m_A.middleRows(row, count));
  rotateRows(count, x, y, m_A.middleCols(row, count).transpose());
  rotate(disk, x, y, m_b);
  const auto [c, s] = m_first[disk];
  m_first[disk] = {x * c - y * s, x * s + y * c};
}

void RotatedTangents::rotate(std::size_t disk, double x, double y, Eigen::VectorXd& values) const {
  rotateRows(m_disks[disk].count, x, y, values.segment(m_disks[disk].first, m_disks[disk].count));
}

Eigen::VectorXd RotatedTangents::rotatedBack(Eigen::VectorXd y) const {
  for (std::size_t disk = 0; disk < m_disks.size(); ++disk)
    rotate(disk, m_first[disk][0], -m_first[disk][1], y);
  return y;
}

}  // namespace touchstone
