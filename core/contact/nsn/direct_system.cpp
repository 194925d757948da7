#include "core/contact/nsn/direct_system.h"
#include "core/math/count.h"

#include <Eigen/Dense>

namespace touchstone::nsn {

DirectSystem::DirectSystem(const std::vector<NewtonRow>& rows, const std::vector<int>& free,
                           const Eigen::VectorXd& added, const std::vector<Vec3>& inverseMass,
                           const std::vector<Mat3>& inverseInertia, bool isSymmetric)
    : m_isSymmetric(isSymmetric) {
  placeBodies(inverseMass, inverseInertia);
  placeRows(rows, free, added);
  putEliminated();
  putKept(rows, free);
  Sparse matrix(m_count, m_count);
  matrix.setFromTriplets(m_matrix.begin(), m_matrix.end());
  m_matrix.clear();
  if (isSymmetric) {
    m_ldlt = std::make_unique<Eigen::SimplicialLDLT<Sparse>>(matrix);
  } else {
    m_lu = std::make_unique<Eigen::SparseLU<Sparse>>();
    m_lu->compute(matrix);
  }
}

Eigen::VectorXd DirectSystem::solve(const Eigen::VectorXd& right) const {
  Eigen::VectorXd known = Eigen::VectorXd::Zero(m_count), x = Eigen::VectorXd::Constant(right.size(), NAN);
  if ((m_ldlt ? m_ldlt->info() : m_lu->info()) != Eigen::Success) return x;
  for (std::size_t k = 0; k < m_rows.size(); ++k) {
    const Row& row = m_rows[k];
    const double value = right[static_cast<Eigen::Index>(k)];
    if (row.place >= 0)
      known[row.place] = value;
    else
      for (int entry = row.firstEntry; entry < row.firstEntry + row.entryCount; ++entry)
        known[m_entries[entry].unknown] -= m_entries[entry].value * value / row.added;
  }
  Eigen::VectorXd found;
  if (m_ldlt)
    found = m_ldlt->solve(known);
  else
    found = m_lu->solve(known);
  for (std::size_t k = 0; k < m_rows.size(); ++k) {
    const Row& row = m_rows[k];
    double& solution = x[static_cast<Eigen::Index>(k)];
    if (row.place >= 0) {
      solution = found[row.place];
      continue;
    }
    solution = right[static_cast<Eigen::Index>(k)];
    for (int entry = row.firstEntry; entry < row.firstEntry + row.entryCount; ++entry)
      solution -= m_entries[entry].value * found[m_entries[entry].unknown];
    solution /= row.added;
  }
  return x;
}

/// Numbers the velocities and puts −H.
void DirectSystem::placeBodies(const std::vector<Vec3>& inverseMass,
                               const std::vector<Mat3>& inverseInertia) {
  m_unknowns.resize(inverseMass.size());
  for (std::size_t body = 0; body < m_unknowns.size(); ++body) {
    std::array<int, 6>& unknowns = m_unknowns[body];
    unknowns.fill(-1);
    for (int axis = 0; axis < 3; ++axis) {
      if (!(inverseMass[body][axis] > 0)) continue;
      unknowns[axis] = m_count;
      put(m_count, m_count, -1 / inverseMass[body][axis]);
      ++m_count;
    }
    // A particle turns about no axis, a planar body about one.
    std::vector<int> axes;
    for (int axis = 0; axis < 3; ++axis)
      if (inverseInertia[body](axis, axis) > 0) axes.push_back(axis);
    if (axes.empty()) continue;
    const Eigen::MatrixXd inertia = Eigen::MatrixXd(inverseInertia[body](axes, axes)).inverse();
    const int first = m_count;
    for (int axis : axes) unknowns[3 + axis] = m_count++;
    for (int i = 0; i < m_count - first; ++i)
      for (int j = 0; j < m_count - first; ++j) put(first + i, first + j, -inertia(i, j));
  }
}

/// Gradients of the rows, and which rows are eliminated.
void DirectSystem::placeRows(const std::vector<NewtonRow>& rows, const std::vector<int>& free,
                             const Eigen::VectorXd& added) {
  for (std::size_t k = 0; k < free.size(); ++k) {
    const NewtonRow& source = rows[free[k]];
    Row row;
    row.firstEntry = countOf(m_entries);
    append(source.terms, source.scale, m_entries);
    row.entryCount = countOf(m_entries) - row.firstEntry;
    row.added = added[static_cast<Eigen::Index>(k)];
    // The regularisation alone would divide by next to nothing.
    if (!(source.equation.compliance > 0) || source.follower >= 0) row.place = m_count++;
    m_rows.push_back(row);
  }
}

void DirectSystem::append(const RowTerms& terms, double scale, std::vector<Entry>& entries) const {
  for (const BodyTerm& term : terms) {
    const std::array<int, 6>& unknowns = m_unknowns[term.body];
    for (std::size_t axis = 0; axis < 6; ++axis) {
      if (unknowns[axis] < 0) continue;
      const auto component = static_cast<Eigen::Index>(axis % 3);
      entries.push_back({unknowns[axis], scale * (axis < 3 ? term.linear : term.angular)[component]});
    }
  }
}

void DirectSystem::put(int row, int column, double value) {
  if (row >= column || !m_isSymmetric) m_matrix.emplace_back(row, column, value);  // LDLᵀ reads one half
}

/// −Jᵀ C⁻¹ J of the eliminated rows. Rows of one element follow each other and have the same unknowns: their
/// sum is taken before it is put.
void DirectSystem::putEliminated() {
  const auto entryOf = [this](const Row& row, int k) { return m_entries[row.firstEntry + k]; };
  const auto isLike = [&](const Row& a, const Row& b) {
    if (b.place >= 0 || a.entryCount != b.entryCount) return false;
    for (int k = 0; k < a.entryCount; ++k)
      if (entryOf(a, k).unknown != entryOf(b, k).unknown) return false;
    return true;
  };
  for (std::size_t first = 0; first < m_rows.size();) {
    const Row& row = m_rows[first];
    if (row.place >= 0) {
      ++first;
      continue;
    }
    Eigen::MatrixXd sum = Eigen::MatrixXd::Zero(row.entryCount, row.entryCount);
    Eigen::VectorXd gradient(row.entryCount);
    for (; first < m_rows.size() && isLike(row, m_rows[first]); ++first) {
      for (int k = 0; k < row.entryCount; ++k) gradient[k] = entryOf(m_rows[first], k).value;
      sum.noalias() += (gradient / m_rows[first].added) * gradient.transpose();
    }
    for (int i = 0; i < row.entryCount; ++i)
      for (int j = 0; j < row.entryCount; ++j)
        put(entryOf(row, i).unknown, entryOf(row, j).unknown, -sum(i, j));
  }
}

void DirectSystem::putKept(const std::vector<NewtonRow>& rows, const std::vector<int>& free) {
  std::vector<Entry> column;
  for (std::size_t k = 0; k < m_rows.size(); ++k) {
    const Row& row = m_rows[k];
    if (row.place < 0) continue;
    put(row.place, row.place, row.added);
    for (int entry = row.firstEntry; entry < row.firstEntry + row.entryCount; ++entry)
      put(row.place, m_entries[entry].unknown, m_entries[entry].value);
    if (m_isSymmetric) continue;
    const NewtonRow& source = rows[free[k]];
    column.clear();
    append(source.terms, source.scale, column);
    if (source.follower >= 0) append(rows[source.follower].terms, source.followerShare, column);
    for (const Entry& entry : column) put(entry.unknown, row.place, entry.value);
  }
}

}  // namespace touchstone::nsn
