#include "core/solver/product/carrier_matrix.h"

#include <Eigen/Dense>
#include <algorithm>

#include "core/math/count.h"

namespace touchstone {

namespace {

double componentOf(const RowTerm& term, int axis) {
  return axis < 3 ? term.linear[axis] : term.angular[axis - 3];
}

}  // namespace

void CarrierMatrix::begin(const CarrierMetric& metric, const std::vector<int>& carriers, bool isSymmetric) {
  m_isSymmetric = isSymmetric;
  m_carriers = carriers;
  m_unknowns.assign(carriers.size(), {});
  m_count = 0;
  m_compliant.clear();
  m_stiff.clear();
  m_entries.clear();
  for (int k = 0; k < countOf(carriers); ++k) putMetric(metric, carriers[k], m_unknowns[k]);
}

const std::array<int, 6>& CarrierMatrix::unknownsOf(int carrier) const {
  return m_unknowns[std::lower_bound(m_carriers.begin(), m_carriers.end(), carrier) - m_carriers.begin()];
}

void CarrierMatrix::put(int row, int column, double value) {
  if (row >= column || !m_isSymmetric) m_entries.emplace_back(row, column, value);  // LDLᵀ reads one half
}

/// Numbers the velocities of a carrier and puts −H.
void CarrierMatrix::putMetric(const CarrierMetric& metric, int carrier, std::array<int, 6>& unknowns) {
  unknowns.fill(-1);
  for (int axis = 0; axis < 3; ++axis) {
    const double inverse = metric.inverseMass[carrier][axis];
    if (!(inverse > 0)) continue;
    unknowns[axis] = m_count;
    put(m_count, m_count, -1 / inverse);
    ++m_count;
  }
  // A particle turns about no axis, a planar body about one.
  std::vector<int> axes;
  for (int axis = 0; axis < 3; ++axis)
    if (metric.inverseInertia[carrier](axis, axis) > 0) axes.push_back(axis);
  if (axes.empty()) return;
  const Eigen::MatrixXd inertia = Eigen::MatrixXd(metric.inverseInertia[carrier](axes, axes)).inverse();
  const int first = m_count;
  for (const int axis : axes) unknowns[3 + axis] = m_count++;
  for (int i = 0; i < m_count - first; ++i)
    for (int j = 0; j < m_count - first; ++j) put(first + i, first + j, -inertia(i, j));
}

void CarrierMatrix::addCompliant(const int* on, int count, const RowTerm* terms, const Eigen::MatrixXd& C,
                                 const std::vector<int>& numbers) {
  Compliant rows;
  rows.numbers = numbers;
  std::vector<std::array<int, 2>> places;  // carrier of the rows and axis, of each unknown
  for (int k = 0; k < count; ++k) {
    const std::array<int, 6>& unknowns = unknownsOf(on[k]);
    for (int axis = 0; axis < 6; ++axis) {
      if (unknowns[axis] < 0) continue;
      rows.unknowns.push_back(unknowns[axis]);
      places.push_back({k, axis});
    }
  }
  const int n = countOf(rows.unknowns);
  rows.gradient.resize(countOf(numbers), n);
  for (int row = 0; row < countOf(numbers); ++row)
    for (int k = 0; k < n; ++k)
      rows.gradient(row, k) = componentOf(terms[row * count + places[k][0]], places[k][1]);
  rows.inverse = C.rows() == 1 ? Eigen::MatrixXd::Constant(1, 1, 1 / C(0, 0)) : Eigen::MatrixXd(C.inverse());
  const Eigen::MatrixXd sum = rows.gradient.transpose() * rows.inverse * rows.gradient;
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) put(rows.unknowns[i], rows.unknowns[j], -sum(i, j));
  m_compliant.push_back(std::move(rows));
}

void CarrierMatrix::addStiff(const int* on, int count, const RowTerm* terms, const RowTerm* forces, double c,
                             int number) {
  const int place = m_count++;
  m_stiff.push_back({number, place});
  put(place, place, c);
  for (int k = 0; k < count; ++k) {
    const std::array<int, 6>& unknowns = unknownsOf(on[k]);
    for (int axis = 0; axis < 6; ++axis) {
      if (unknowns[axis] < 0) continue;
      put(place, unknowns[axis], componentOf(terms[k], axis));
      if (!m_isSymmetric) put(unknowns[axis], place, componentOf(forces[k], axis));
    }
  }
}

bool CarrierMatrix::hasPatternOf(const Sparse& matrix) const {
  return countOf(m_outer) == matrix.outerSize() + 1 && countOf(m_inner) == matrix.nonZeros() &&
         std::equal(m_outer.begin(), m_outer.end(), matrix.outerIndexPtr()) &&
         std::equal(m_inner.begin(), m_inner.end(), matrix.innerIndexPtr());
}

void CarrierMatrix::factor() {
  Sparse matrix(m_count, m_count);
  matrix.setFromTriplets(m_entries.begin(), m_entries.end());
  const bool isKnown = hasPatternOf(matrix) && (m_isSymmetric ? m_ldlt != nullptr : m_lu != nullptr);
  if (!isKnown) {
    m_outer.assign(matrix.outerIndexPtr(), matrix.outerIndexPtr() + matrix.outerSize() + 1);
    m_inner.assign(matrix.innerIndexPtr(), matrix.innerIndexPtr() + matrix.nonZeros());
    m_ldlt = m_isSymmetric ? std::make_unique<Eigen::SimplicialLDLT<Sparse>>() : nullptr;
    m_lu = m_isSymmetric ? nullptr : std::make_unique<Eigen::SparseLU<Sparse>>();
    if (m_ldlt)
      m_ldlt->analyzePattern(matrix);
    else
      m_lu->analyzePattern(matrix);
  }
  if (m_ldlt)
    m_ldlt->factorize(matrix);
  else
    m_lu->factorize(matrix);
}

Eigen::VectorXd CarrierMatrix::solve(const Eigen::VectorXd& right) const {
  Eigen::VectorXd known = Eigen::VectorXd::Zero(m_count), x = Eigen::VectorXd::Constant(right.size(), NAN);
  if ((m_ldlt ? m_ldlt->info() : m_lu->info()) != Eigen::Success) return x;
  for (const Stiff& row : m_stiff) known[row.place] = right[row.number];
  for (const Compliant& rows : m_compliant)
    known(rows.unknowns) -= rows.gradient.transpose() * (rows.inverse * right(rows.numbers));
  const Eigen::VectorXd found = m_ldlt ? Eigen::VectorXd(m_ldlt->solve(known)) : m_lu->solve(known);
  for (const Stiff& row : m_stiff) x[row.number] = found[row.place];
  for (const Compliant& rows : m_compliant)
    x(rows.numbers) = rows.inverse * (right(rows.numbers) - rows.gradient * found(rows.unknowns));
  return x;
}

}  // namespace touchstone
