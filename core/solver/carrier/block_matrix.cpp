#include "core/solver/carrier/block_matrix.h"

#include <Eigen/OrderingMethods>
#include <Eigen/SparseCore>
#include <algorithm>
#include <cmath>

#include "core/math/count.h"

namespace touchstone {

namespace {

/// Order of elimination: carrier of each place.
std::vector<int> fillReducingOrder(int count, const std::vector<std::array<int, 2>>& pairs) {
  std::vector<Eigen::Triplet<double>> entries;
  for (int carrier = 0; carrier < count; ++carrier) entries.emplace_back(carrier, carrier, 1.0);
  for (const auto& [one, other] : pairs) {
    entries.emplace_back(one, other, 1.0);
    entries.emplace_back(other, one, 1.0);
  }
  Eigen::SparseMatrix<double> graph(count, count);
  graph.setFromTriplets(entries.begin(), entries.end());
  Eigen::PermutationMatrix<Eigen::Dynamic, Eigen::Dynamic, int> order;
  Eigen::AMDOrdering<int>()(graph, order);
  return {order.indices().data(), order.indices().data() + count};
}

}  // namespace

void BlockMatrix::setPattern(int count, std::vector<std::array<int, 2>> pairs) {
  std::sort(pairs.begin(), pairs.end());
  pairs.erase(std::unique(pairs.begin(), pairs.end()), pairs.end());
  if (count == this->count() && pairs == m_pairs) return;
  m_pairs = std::move(pairs);
  m_carrier = fillReducingOrder(count, m_pairs);
  m_place.assign(count, 0);
  for (int place = 0; place < count; ++place) m_place[m_carrier[place]] = place;
  std::vector<std::vector<int>> neighbours(count);
  for (const auto& [one, other] : m_pairs) {
    const int first = std::min(m_place[one], m_place[other]), last = std::max(m_place[one], m_place[other]);
    neighbours[first].push_back(last);
  }
  eliminate(neighbours);
  m_blocks.assign(count + 2 * m_rows.size(), Block::Zero());
  m_pivots.resize(count);
}

/// A column has the rows of its neighbours and of the columns whose first row it is.
void BlockMatrix::eliminate(const std::vector<std::vector<int>>& neighbours) {
  const int count = countOf(neighbours);
  std::vector<std::vector<int>> rows = neighbours;
  m_rows.clear();
  m_targets.clear();
  m_columns.assign(count, Column());
  for (int place = 0; place < count; ++place) {
    std::vector<int>& ofColumn = rows[place];
    std::sort(ofColumn.begin(), ofColumn.end());
    ofColumn.erase(std::unique(ofColumn.begin(), ofColumn.end()), ofColumn.end());
    m_columns[place] = {countOf(m_rows), countOf(ofColumn), 0};
    m_rows.insert(m_rows.end(), ofColumn.begin(), ofColumn.end());
    if (!ofColumn.empty())
      rows[ofColumn.front()].insert(rows[ofColumn.front()].end(), ofColumn.begin() + 1, ofColumn.end());
  }
  for (Column& column : m_columns) {
    column.firstTarget = countOf(m_targets);
    const int* const first = m_rows.data() + column.first;
    for (int row = 0; row < column.count; ++row)
      for (int other = 0; other < column.count; ++other)
        m_targets.push_back(slotOfPlaces(first[row], first[other]));
  }
}

int BlockMatrix::entryAt(int column, int row) const {
  const int* const first = m_rows.data() + m_columns[column].first;
  return static_cast<int>(std::lower_bound(first, first + m_columns[column].count, row) - m_rows.data());
}

int BlockMatrix::slotOfPlaces(int row, int column) const {
  if (row == column) return row;
  return row < column ? upper(entryAt(row, column)) : lower(entryAt(column, row));
}

int BlockMatrix::slotOf(int row, int column) const { return slotOfPlaces(m_place[row], m_place[column]); }

void BlockMatrix::clear() { std::fill(m_blocks.begin(), m_blocks.end(), Block::Zero()); }

bool BlockMatrix::factor(bool isSymmetric) {
  Block turned;
  for (int place = 0; place < count(); ++place) {
    const Column& column = m_columns[place];
    if (!std::isfinite(m_blocks[place].sum())) return false;
    m_pivots[place].compute(m_blocks[place]);
    const double least = m_pivots[place].matrixLU().diagonal().cwiseAbs().minCoeff();
    if (!(least > 0)) return false;
    const int* targets = m_targets.data() + column.firstTarget;
    for (int k = 0; k < column.count; ++k) {  // blocks of U become D⁻¹ U, those of L stay
      Block& right = m_blocks[upper(column.first + k)];
      if (isSymmetric) m_blocks[lower(column.first + k)].noalias() = right.transpose();
      turned = m_pivots[place].solve(right);
      right = turned;
    }
    for (int row = 0; row < column.count; ++row) {
      const Block& below = m_blocks[lower(column.first + row)];
      for (int k = isSymmetric ? row : 0; k < column.count; ++k)
        m_blocks[targets[row * column.count + k]].noalias() -=
            below.lazyProduct(m_blocks[upper(column.first + k)]);
    }
  }
  return true;
}

void BlockMatrix::solve(Eigen::VectorXd& x) const {
  using Part = Eigen::Matrix<double, 6, 1>;
  std::vector<Part> y(count());
  for (int place = 0; place < count(); ++place) y[place] = x.segment<6>(6 * m_carrier[place]);
  for (int place = 0; place < count(); ++place) {
    const Part solved = m_pivots[place].solve(y[place]);
    y[place] = solved;
    const Column& column = m_columns[place];
    for (int k = 0; k < column.count; ++k)
      y[m_rows[column.first + k]].noalias() -= m_blocks[lower(column.first + k)].lazyProduct(solved);
  }
  for (int place = count(); place-- > 0;) {
    const Column& column = m_columns[place];
    for (int k = 0; k < column.count; ++k)
      y[place].noalias() -= m_blocks[upper(column.first + k)].lazyProduct(y[m_rows[column.first + k]]);
    x.segment<6>(6 * m_carrier[place]) = y[place];
  }
}

}  // namespace touchstone
