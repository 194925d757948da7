#include "core/solver/newton/carrier_systems.inl"

#include <algorithm>
#include <cmath>

#include "core/math/count.h"
#include "core/parallel/frame_clock.h"

namespace touchstone {

using detail::NewtonRows;

void CarrierSystems::start(LinearSolver linear, int linearIterations, bool isExact, int islandCount) {
  m_linear = linear;
  m_linearIterations = linearIterations;
  m_isExact = isExact;
  m_islands.resize(islandCount);
}

void CarrierSystems::setUnits(const RowsView& table, int island, std::vector<int> units) {
  Island& to = m_islands[island];
  to.isSymmetric = !m_isExact;
  to.places.clear();
  to.carriers.clear();
  for (const int number : units) {
    const RowUnit& unit = table.units[number];
    const RowBlock& block = table.blocks[unit.block];
    if (block.firstForce >= 0) to.isSymmetric = false;
    to.places.push_back({unit, number, island});
    to.carriers.insert(to.carriers.end(), table.carriersOf(block),
                       table.carriersOf(block) + block.carrierCount);
  }
  std::sort(to.carriers.begin(), to.carriers.end());
  to.carriers.erase(std::unique(to.carriers.begin(), to.carriers.end()), to.carriers.end());
}

double CarrierSystems::System::along(const Line& line) const {
  double rate = 0;
  for (int k = line.firstTerm; k < line.firstTerm + line.carrierCount; ++k)
    rate += terms[k].linear.dot(linear[localCarriers[k]]) + terms[k].angular.dot(angular[localCarriers[k]]);
  return rate;
}

void CarrierSystems::System::push(const Line& line, double x) {
  for (int k = line.firstTerm; k < line.firstTerm + line.carrierCount; ++k) {
    const int local = localCarriers[k], carrier = carriers[local];
    linear[local] += x * rows.metric.inverseMass[carrier].cwiseProduct(forces[k].linear);
    angular[local] += x * Vec3(rows.metric.inverseInertia[carrier] * forces[k].angular);
  }
}

/// C x of a row whose C is packed. Rows of a unit follow each other, and all of them are coupled.
double CarrierSystems::System::packed(int line, const Eigen::VectorXd& x) const {
  const RowBlock& block = rows.table.blocks[lines[line].place.unit.block];
  const int index = lines[line].row - block.firstRow;
  double sum = 0;
  rows.table.eachPacked(block, index, [&](int other, double compliance) {
    sum += compliance * rows.u.inverseRoot[block.firstRow + other] * x[line - index + other];
  });
  return rows.u.inverseRoot[lines[line].row] * sum;
}

Eigen::VectorXd CarrierSystems::System::times(const Eigen::VectorXd& x) {
  std::fill(linear.begin(), linear.end(), Vec3(0, 0, 0));
  std::fill(angular.begin(), angular.end(), Vec3(0, 0, 0));
  for (int k = 0; k < countOf(lines); ++k) push(lines[k], x[k]);
  Eigen::VectorXd result(x.size());
  for (int k = 0; k < countOf(lines); ++k) result[k] = along(lines[k]) + lines[k].added * x[k] + packed(k, x);
  return result;
}

CarrierSystems::System CarrierSystems::systemOf(const NewtonRows& rows, const Island& island) const {
  System system{rows, island.carriers, {}, {}, {}, {}, {}, {}, {}};
  for (const RowPlace& place : island.places) {
    const RowUnit& unit = place.unit;
    const RowBlock& block = rows.table.blocks[unit.block];
    const int* const carriers = rows.table.carriersOf(block);
    for (int row = unit.firstRow; row < unit.firstRow + unit.rowCount; ++row) {
      if (!rows.isCoupled(row)) continue;
      const double compliance = rows.compliance(place, row);
      Line line{
          place, row,  carriers, block.carrierCount, countOf(system.terms), rows.u.added[row] + compliance,
          false, false};
      line.isCompliant = rows.u.dy[row] > 0 || compliance > 0 || row - block.firstRow < block.packedCount;
      int follower = -1;
      for (int other = row + 1; m_isExact && other < unit.firstRow + unit.rowCount; ++other)
        if (rows.followsLimit(unit, other) && other - rows.table.rows[other].leader == row) follower = other;
      line.hasFollower = follower >= 0;
      for (int k = 0; k < block.carrierCount; ++k) {
        RowTerm force = rows.turnedForceTerm(unit, row, k);
        system.terms.push_back(rows.turnedTerm(unit, row, k));
        if (follower >= 0) {
          const RowTerm more = rows.turnedForceTerm(unit, follower, k);
          const double slope = rows.slopeOfLimit(follower, row);
          force.linear += slope * more.linear;
          force.angular += slope * more.angular;
        }
        system.forces.push_back(force);
        system.localCarriers.push_back(
            static_cast<int>(std::lower_bound(island.carriers.begin(), island.carriers.end(), carriers[k]) -
                             island.carriers.begin()));
      }
      system.lines.push_back(line);
    }
  }
  system.right.resize(countOf(system.lines));
  for (int k = 0; k < countOf(system.lines); ++k) system.right[k] = rows.u.right[system.lines[k].row];
  system.linear.assign(island.carriers.size(), Vec3(0, 0, 0));
  system.angular.assign(island.carriers.size(), Vec3(0, 0, 0));
  return system;
}

void CarrierSystems::solve(const NewtonRows& rows, int number, float* told) {
  Island& island = m_islands[number];
  System system = systemOf(rows, island);
  if (system.lines.empty()) return;
  NewtonIsland& state = rows.islands[number];
  Eigen::VectorXd x;
  if (m_linear == LinearSolver::GaussSeidel) {
    x = sweep(system, state, told);
  } else {
    x = solveDirectly(system, island.isSymmetric, island.matrix);
    state.iterations = 0;
    state.residual = (system.times(x) - system.right).norm() / state.size;
  }
  for (int k = 0; k < countOf(system.lines); ++k) rows.u.best[system.lines[k].row] = x[k];
}

/// One step of iterative refinement follows, because the factorisation does not pivot.
Eigen::VectorXd CarrierSystems::solveDirectly(System& system, bool isSymmetric, CarrierMatrix& matrix) const {
  matrix.begin(system.rows.metric, system.carriers, isSymmetric);
  for (int first = 0; first < countOf(system.lines);) {
    const int block = system.lines[first].place.unit.block;
    std::vector<int> compliant;
    std::vector<RowTerm> terms;
    const Line& line = system.lines[first];
    int last = first;
    for (; last < countOf(system.lines) && system.lines[last].place.unit.block == block; ++last) {
      const Line& other = system.lines[last];
      const RowTerm* const from = system.terms.data() + other.firstTerm;
      const bool isAlongForce = system.rows.table.blocks[block].firstForce < 0 && !other.hasFollower;
      if (other.isCompliant && isAlongForce) {
        compliant.push_back(last);
        terms.insert(terms.end(), from, from + other.carrierCount);
      } else {
        matrix.addStiff(other.carriers, other.carrierCount, from, system.forces.data() + other.firstTerm,
                        other.added, last);
      }
    }
    if (!compliant.empty()) {
      const int count = countOf(compliant);
      Eigen::MatrixXd C = Eigen::MatrixXd::Zero(count, count);
      const RowBlock& rows = system.rows.table.blocks[block];
      for (int i = 0; i < count; ++i) {
        C(i, i) = system.lines[compliant[i]].added;
        for (int j = 0; j < count; ++j) {
          const int a = system.lines[compliant[i]].row, b = system.lines[compliant[j]].row;
          if (a - rows.firstRow < rows.packedCount && b - rows.firstRow < rows.packedCount)
            C(i, j) += system.rows.u.inverseRoot[a] * system.rows.u.inverseRoot[b] *
                       system.rows.table.complianceOf(rows, a - rows.firstRow, b - rows.firstRow);
        }
      }
      matrix.addCompliant(line.carriers, line.carrierCount, terms.data(), C, compliant);
    }
    first = last;
  }
  matrix.factor();
  const Eigen::VectorXd x = matrix.solve(system.right);
  return x + matrix.solve(system.right - system.times(x));
}

Eigen::VectorXd CarrierSystems::sweep(System& system, NewtonIsland& state, float* told) const {
  const int n = countOf(system.lines);
  Eigen::VectorXd x = Eigen::VectorXd::Zero(n);
  for (state.iterations = 0; state.iterations < m_linearIterations;) {
    checkFrameClock();
    for (int k = 0; k < n; ++k) {
      const Line& line = system.lines[k];
      const double rate = system.along(line) + line.added * x[k] + system.packed(k, x),
                   change = (system.right[k] - rate) * system.rows.u.inverse[line.row];
      x[k] += change;
      system.push(line, change);
    }
    state.residual = (system.times(x) - system.right).norm() / state.size;
    if (told) told[state.iterations] = static_cast<float>(state.residual);
    ++state.iterations;
    if (state.isSolved()) break;
  }
  return x;
}

}  // namespace touchstone
