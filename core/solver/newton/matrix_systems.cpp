#include "core/solver/newton/matrix_systems.inl"

#include <Eigen/LU>
#include <algorithm>

#include "core/math/count.h"

namespace touchstone {

using detail::NewtonRows;

void MatrixSystems::start(LinearSolver linear, int linearIterations, int largestProblem, int islandCount) {
  m_linear = linear;
  m_linearIterations = linearIterations;
  m_largestProblem = largestProblem;
  m_islands.assign(islandCount, Island());
}

int MatrixSystems::largest() const {
  int rows = 0;
  for (const Island& island : m_islands) rows = std::max(rows, countOf(island.rows));
  return rows;
}

void MatrixSystems::assemble(const NewtonRows& system, Island& island) const {
  struct Entry {
    int carrier, row;  // row: of the matrix
    RowTerm rate, push;
  };
  std::vector<Entry> entries;
  for (const int number : island.units) {
    const RowUnit& unit = system.table.units[number];
    const RowBlock& block = system.table.blocks[unit.block];
    const int* carriers = system.table.carriersOf(block);
    for (int row = 0; row < unit.rowCount; ++row) {
      const double scale = system.u.inverseRoot[unit.firstRow + row];
      for (int k = 0; k < block.carrierCount; ++k) {
        const RowTerm rate = termOf(system.table, unit, row, k),
                      force = forceTermOf(system.table, unit, row, k);
        entries.push_back({carriers[k],
                           countOf(island.rows),
                           {scale * rate.linear, scale * rate.angular},
                           {scale * system.metric.inverseMass[carriers[k]].cwiseProduct(force.linear),
                            scale * (system.metric.inverseInertia[carriers[k]] * force.angular)}});
      }
      island.rows.push_back(unit.firstRow + row);
      island.places.push_back({unit, number, block.island});
    }
  }
  const int n = countOf(island.rows);
  requireMatrixOf(n, m_largestProblem);  // Members are rows of A as well, for their derivatives
  island.A = Eigen::MatrixXd::Zero(n, n);
  std::stable_sort(entries.begin(), entries.end(),
                   [](const Entry& a, const Entry& b) { return a.carrier < b.carrier; });
  for (auto first = entries.begin(); first != entries.end();) {
    auto last = first;
    while (last != entries.end() && last->carrier == first->carrier) ++last;
    for (auto column = first; column != last; ++column)
      for (auto row = first; row != last; ++row)
        island.A(row->row, column->row) +=
            row->rate.linear.dot(column->push.linear) + row->rate.angular.dot(column->push.angular);
    first = last;
  }
}

void MatrixSystems::solve(const NewtonRows& system, int number) {
  Island& island = m_islands[number];
  if (island.A.size() == 0) assemble(system, island);
  const NewtonVectors& u = system.u;
  const int n = countOf(island.rows);
  Eigen::MatrixXd A = island.A;
  for (int k = 0; k < n; ++k) {
    const int row = island.rows[k];
    const double x = u.turnX[row], y = -u.turnY[row];
    if (x == 1 && y == 0) continue;
    if (y == 0) {
      A.row(k) *= x;
      A.col(k) *= x;
      continue;
    }
    const Eigen::RowVectorXd first = A.row(k), second = A.row(k + 1);
    A.row(k) = x * first + y * second;
    A.row(k + 1) = x * second - y * first;
    const Eigen::VectorXd left = A.col(k), right = A.col(k + 1);
    A.col(k) = x * left + y * right;
    A.col(k + 1) = x * right - y * left;
    ++k;
  }
  std::vector<int> coupled, place(n, -1);
  for (int k = 0; k < n; ++k) {
    if (!system.isCoupled(island.rows[k])) continue;
    place[k] = countOf(coupled);
    coupled.push_back(k);
  }
  const int size = countOf(coupled);
  if (size == 0) return;
  Eigen::MatrixXd S = A(coupled, coupled);
  for (int k = 0; k < size && m_linear == LinearSolver::Direct; ++k) {
    const int row = island.rows[coupled[k]],
              active = system.activeOf(island.places[coupled[k]].unit, row) - row;
    if (active > 0) S.row(k) = A.row(coupled[k] + active)(coupled);
  }
  Eigen::VectorXd right(size), added(size), dy(size), dv(size);
  for (int k = 0; k < size; ++k) {
    const int row = island.rows[coupled[k]];
    right[k] = u.right[row];
    added[k] = u.added[row];
    dy[k] = u.dy[row];
    dv[k] = u.dv[row];
    S(k, k) += system.compliance(island.places[coupled[k]], row);
  }
  NewtonIsland& state = system.islands[number];
  Eigen::VectorXd x;
  if (m_linear == LinearSolver::Direct) {
    for (int k = 0; k < n; ++k) {
      const int row = island.rows[k];
      if (!system.followsLimit(island.places[k].unit, row)) continue;
      const int leader = system.table.rows[row].leader, normal = k - leader;
      if (place[normal] >= 0)
        S.col(place[normal]) += system.slopeOfLimit(row, row - leader) * Eigen::VectorXd(A.col(k)(coupled));
    }
    S.diagonal().array() += newton::kShift;
    S.array().colwise() *= dv.array();
    S.diagonal() += dy;
    x = S.partialPivLu().solve(Eigen::VectorXd(right.cwiseProduct(dv)));
    state.iterations = 0;
    state.residual = 0;
  } else {
    S.diagonal() += added;
    const LinearResult answer = solveLinear(
        m_linear, S, right, std::max(state.tolerance, state.smallest / state.size), m_linearIterations);
    x = answer.x;
    state.iterations = answer.iterations;
    state.residual = answer.residual;
  }
  for (int k = 0; k < size; ++k) u.best[island.rows[coupled[k]]] = x[k];
}

}  // namespace touchstone
