#include "core/solver/dense/dense_rows.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>

#include "core/math/count.h"
#include "core/parallel/parallel_for.h"

namespace touchstone {

namespace {

/// M⁻¹ of one body applied to a force column.
Vec6 inverseMassTimes(const WorldView& world, int body, const Vec6& column) {
  Vec6 result;
  result.head<3>() = world.inverseMass[body] * column.head<3>();
  result.tail<3>() = world.inverseInertia[body] * Vec3(column.tail<3>());
  return result;
}

/// One row or column of the reduced problem.
struct Line {
  PairJacobian row;     ///< of R
  PairJacobian force;   ///< of F; no bodies: none
  double constant = 0;  ///< ψ/h part of b
};

/// (v, ω) of the running step.
Vec6 velocityOf(const WorldView& world, int body) {
  Vec6 velocity;
  velocity << world.nextLinearVelocity[body], world.nextAngularVelocity[body];
  return velocity;
}

/// sum + the rate of a row with the velocities of the running step.
double withRate(const WorldView& world, const PairJacobian& row, double sum) {
  if (row.bodyA >= 0) sum += row.a.dot(velocityOf(world, row.bodyA));
  if (row.bodyB >= 0) sum += row.b.dot(velocityOf(world, row.bodyB));
  return sum;
}

/// M⁻¹ F of a column. No body in the place of one that does not move.
PairJacobian responseTo(const WorldView& world, const PairJacobian& force) {
  PairJacobian response;
  if (canMove(world, force.bodyA)) {
    response.bodyA = force.bodyA;
    response.a = inverseMassTimes(world, force.bodyA, force.a);
  }
  if (canMove(world, force.bodyB)) {
    response.bodyB = force.bodyB;
    response.b = inverseMassTimes(world, force.bodyB, force.b);
  }
  return response;
}

/// R M⁻¹ F of a row and a column.
double coupling(const PairJacobian& row, const PairJacobian& response) {
  double sum = 0;
  if (response.bodyA >= 0) {
    if (row.bodyA == response.bodyA) sum += row.a.dot(response.a);
    if (row.bodyB == response.bodyA) sum += row.b.dot(response.a);
  }
  if (response.bodyB >= 0) {
    if (row.bodyA == response.bodyB) sum += row.a.dot(response.b);
    if (row.bodyB == response.bodyB) sum += row.b.dot(response.b);
  }
  return sum;
}

/// Adds the impulse of a column to the velocities of the running step.
void pushBodies(const WorldView& world, const PairJacobian& force, double impulse) {
  const auto push = [&world, impulse](int body, const Vec6& column) {
    if (!canMove(world, body)) return;
    const Vec6 change = impulse * inverseMassTimes(world, body, column);
    world.nextLinearVelocity[body] += Vec3(change.head<3>());
    world.nextAngularVelocity[body] += Vec3(change.tail<3>());
  };
  push(force.bodyA, force.a);
  push(force.bodyB, force.b);
}

}  // namespace

int tangentCount(const ModelSettings& settings) {
  if (settings.friction == FrictionShape::Pyramid) return settings.facets;
  return settings.planar ? 1 : 2;
}

std::vector<Vec3> frictionDirections(const Vec3& normal, const ModelSettings& settings) {
  const bool disk = settings.friction == FrictionShape::Disk;
  if (settings.planar) {
    const Vec3 t(-normal.y(), normal.x(), 0);
    return disk ? std::vector<Vec3>{t} : std::vector<Vec3>{t, Vec3(normal.y(), -normal.x(), 0)};
  }
  const int facets = settings.facets;
  Vec3 t1, t2;
  tangentBasis(normal, t1, t2);
  if (disk) return {t1, t2};
  std::vector<Vec3> directions;
  for (int k = 0; k < facets / 2; ++k) {
    const double angle = 2 * M_PI * k / facets;
    const Vec3 d = std::cos(angle) * t1 + std::sin(angle) * t2;
    directions.push_back(d);
    directions.push_back(-d);
  }
  return directions;
}

DenseProblem denseProblem(const WorldView& world, const std::vector<DenseRow>& rows,
                          const ModelSettings& settings) {
  DenseProblem dense;
  const bool disk = settings.friction == FrictionShape::Disk;
  std::vector<Line> lines;
  std::vector<int>& scaledBy = dense.problem.scaledBy;
  bool symmetric = true;
  for (const DenseRow& denseRow : rows) {
    const ContactRow& row = denseRow.row;
    const auto along = [&denseRow](const auto& source, const Vec3& direction) {
      return pairJacobian(denseRow.bodyA, denseRow.bodyB, direction, source.armA, source.armB);
    };
    const PairJacobian normal = along(row, row.normal);
    dense.first.push_back(countOf(lines));
    lines.push_back({normal, normal, row.rate});
    scaledBy.resize(lines.size(), -1);
    for (const SetMember& other : denseRow.members) {
      lines.push_back(
          {difference(normal, along(other, other.normal)), PairJacobian(), row.rate - other.rate});
      symmetric = false;
    }
    scaledBy.resize(lines.size(), dense.first.back());
    if (!denseRow.members.empty())
      dense.problem.maxima.push_back({dense.first.back(), countOf(denseRow.members)});
    if (!(row.friction > 0)) continue;
    if (disk)
      dense.problem.disks.push_back(
          {dense.first.back(), countOf(lines), tangentCount(settings), row.friction});
    symmetric = symmetric && disk;
    for (const Vec3& d : frictionDirections(row.normal, settings)) {
      const PairJacobian tangent = along(row, d);
      lines.push_back({tangent, tangent, 0});
    }
    scaledBy.resize(lines.size(), -1);
    if (disk) continue;
    lines.push_back({PairJacobian(), PairJacobian(), 0});  // σ
    scaledBy.push_back(dense.first.back());
  }

  const int n = countOf(lines);
  if (n > settings.largestProblem)
    throw std::length_error(
        std::to_string(n) + " coupled rows are more than the " + std::to_string(settings.largestProblem) +
        " of the parameter largest_problem, for which a dense matrix is made; use " +
        (settings.hasJoints ? "nsn with the linear solver pcr, which makes none for joints either"
                            : "a solver that makes none (pgs, or newton-fb with the linear solver pcr)") +
        ", a penalty method, fewer contacts, or raise it");
  dense.problem.A = Eigen::MatrixXd::Zero(n, n);
  dense.problem.b = Eigen::VectorXd::Zero(n);
  dense.problem.symmetric = symmetric;
  dense.problem.velocityUnit = settings.velocityUnit;
  for (const Line& line : lines) {
    dense.rate.push_back(line.row);
    dense.force.push_back(line.force);
  }
  parallelFor(n, [&](int column) {
    const PairJacobian response = responseTo(world, lines[column].force);
    for (int row = 0; row < n; ++row) dense.problem.A(row, column) = coupling(lines[row].row, response);
  });
  for (int row = 0; row < n; ++row)
    dense.problem.b[row] = withRate(world, lines[row].row, lines[row].constant);

  for (std::size_t k = 0; k < rows.size(); ++k) {
    const int p = dense.first[k], slacks = countOf(rows[k].members);
    dense.problem.A.block(p, p + 1, 1, slacks).setOnes();                                   // E2
    for (int s = 1; s <= slacks; ++s) dense.problem.A.block(p + s, p + 1, 1, s).setOnes();  // E1
    if (disk || !(rows[k].row.friction > 0)) continue;
    const int beta = p + slacks + 1, sigma = beta + settings.facets;
    dense.problem.A.block(beta, sigma, settings.facets, 1).setOnes();
    dense.problem.A(sigma, p) = rows[k].row.friction;
    dense.problem.A.block(sigma, beta, 1, settings.facets).setConstant(-1);
  }
  return dense;
}

DenseProblem withConstraints(const WorldView& world, DenseProblem contacts,
                             const std::vector<ConstraintRow>& free,
                             const std::vector<ConstraintRow>& unilateral) {
  const int freeCount = countOf(free), inner = countOf(contacts.force),
            n = freeCount + inner + countOf(unilateral);
  DenseProblem combined;
  std::vector<double> constant, softness;
  const auto add = [&](const ConstraintRow& row) {
    combined.rate.push_back(row.jacobian);
    combined.led.push_back(row.led);
    constant.push_back(row.constant);
    softness.push_back(row.softness);
  };
  for (const ConstraintRow& row : free) add(row);
  for (int k = 0; k < inner; ++k) add({contacts.rate[k], {}, 0, 0, false, 0});
  for (const ConstraintRow& row : unilateral) add(row);
  combined.force = combined.rate;
  std::copy(contacts.force.begin(), contacts.force.end(), combined.force.begin() + freeCount);

  ComplementarityProblem& problem = combined.problem;
  problem.symmetric = contacts.problem.symmetric;
  problem.velocityUnit = contacts.problem.velocityUnit;
  problem.freeCount = freeCount;
  problem.A.resize(n, n);
  problem.b.resize(n);
  const auto isInner = [&](int index) { return index >= freeCount && index < freeCount + inner; };
  parallelFor(n, [&](int column) {
    const PairJacobian response = responseTo(world, combined.force[column]),
                       ledResponse = responseTo(world, combined.led[column]);
    for (int row = 0; row < n; ++row) {
      if (isInner(row) && isInner(column)) {
        problem.A(row, column) = contacts.problem.A(row - freeCount, column - freeCount);
        continue;
      }
      const PairJacobian &rate = combined.rate[row], &ledRate = combined.led[row];
      problem.A(row, column) = coupling(rate, response) + coupling(ledRate, response) +
                               coupling(rate, ledResponse) + coupling(ledRate, ledResponse);
    }
  });
  for (int row = 0; row < n; ++row) {
    if (isInner(row)) {
      problem.b[row] = contacts.problem.b[row - freeCount];
      continue;
    }
    problem.b[row] = withRate(world, combined.led[row], withRate(world, combined.rate[row], constant[row]));
    problem.A(row, row) = (1 + kRedundantRows) * problem.A(row, row) + softness[row];
  }
  for (const int first : contacts.first) combined.first.push_back(freeCount + first);
  for (FrictionDisk disk : contacts.problem.disks) {
    disk.normal += freeCount;
    disk.first += freeCount;
    problem.disks.push_back(disk);
  }
  for (MaximumRow maximum : contacts.problem.maxima) {
    maximum.row += freeCount;
    problem.maxima.push_back(maximum);
  }
  problem.scaledBy.assign(n, -1);
  for (std::size_t k = 0; k < contacts.problem.scaledBy.size(); ++k)
    if (contacts.problem.scaledBy[k] >= 0)
      problem.scaledBy[freeCount + k] = freeCount + contacts.problem.scaledBy[k];
  return combined;
}

Eigen::VectorXd appliedImpulses(const ComplementarityProblem& problem, const Eigen::VectorXd& z) {
  Eigen::VectorXd applied = z;
  applied.tail(z.size() - problem.freeCount) = z.tail(z.size() - problem.freeCount).cwiseMax(0);
  for (const FrictionDisk& disk : problem.disks) {
    double x = z[disk.first], y = disk.count == 2 ? z[disk.first + 1] : 0;
    projectOnDisk(disk.friction * applied[disk.normal], x, y);
    applied[disk.first] = x;
    if (disk.count == 2) applied[disk.first + 1] = y;
  }
  return applied;
}

void addImpulses(const WorldView& world, const DenseProblem& rows, const Eigen::VectorXd& z) {
  for (int column = 0; column < z.size(); ++column) {
    pushBodies(world, rows.force[column], z[column]);
    if (!rows.led.empty()) pushBodies(world, rows.led[column], z[column]);
  }
}

void addImpulse(const WorldView& world, const ConstraintRow& row, double impulse) {
  pushBodies(world, row.jacobian, impulse);
  pushBodies(world, row.led, impulse);
}

double rateOf(const WorldView& world, const ConstraintRow& row) {
  return withRate(world, row.led, withRate(world, row.jacobian, row.constant));
}

int unknownsOfRow(const ContactRow& row, int members, const ModelSettings& settings) {
  const int withFriction = tangentCount(settings) + (settings.friction == FrictionShape::Pyramid ? 1 : 0);
  return 1 + members + (row.friction > 0 ? withFriction : 0);
}

std::vector<IslandOfRows> islandsOf(const HostRows& hostRows, int islandCount, bool inSweepOrder) {
  std::vector<IslandOfRows> islands(islandCount);
  std::vector<int> order(hostRows.pairs.size());
  for (std::size_t pair = 0; pair < order.size(); ++pair) order[pair] = static_cast<int>(pair);
  const auto comesFirst = [&hostRows](int a, int b) {
    return hostRows.pairs[a].first < hostRows.pairs[b].first;
  };
  if (!inSweepOrder) std::sort(order.begin(), order.end(), comesFirst);
  for (const int index : order) {
    const RowPair& pair = hostRows.pairs[index];
    IslandOfRows& island = islands[pair.island];
    for (int row = pair.first; row < pair.first + pair.count; ++row) {
      island.pairs.push_back(index);
      island.rows.push_back(row);
    }
  }
  return islands;
}

int unknownsOf(const HostRows& hostRows, const IslandOfRows& island, const ModelSettings& settings) {
  int sum = 0;
  for (const int row : island.rows)
    sum += unknownsOfRow(hostRows.rows[row], hostRows.rows[row].otherCount, settings);
  return sum;
}

DenseProblem denseProblem(const WorldView& world, const HostRows& hostRows, const IslandOfRows& island,
                          const ModelSettings& settings) {
  std::vector<DenseRow> rows;
  rows.reserve(island.rows.size());
  for (std::size_t k = 0; k < island.rows.size(); ++k) {
    const RowPair& pair = hostRows.pairs[island.pairs[k]];
    const ContactRow& row = hostRows.rows[island.rows[k]];
    const auto members = hostRows.members.begin() + row.firstOther;
    rows.push_back({pair.bodyA, pair.bodyB, row, {}});
    if (row.otherCount > 0) rows.back().members.assign(members, members + row.otherCount);
  }
  return denseProblem(world, rows, settings);
}

Eigen::VectorXd unknownsOf(const HostRows& hostRows, const IslandOfRows& island, const DenseProblem& problem,
                           const std::vector<Vec3>& impulses, const ModelSettings& settings) {
  Eigen::VectorXd z = Eigen::VectorXd::Zero(problem.problem.b.size());
  if (settings.friction == FrictionShape::Pyramid) return z;
  bool hasMembers = false;
  for (std::size_t k = 0; k < island.rows.size(); ++k) {
    const ContactRow& row = hostRows.rows[island.rows[k]];
    const Vec3& impulse = impulses[island.rows[k]];
    const int p = problem.first[k], beta = p + 1 + row.otherCount;
    z[p] = impulse[0];
    for (int d = 0; d < tangentCount(settings) && row.friction > 0; ++d) z[beta + d] = impulse[1 + d];
    hasMembers = hasMembers || row.otherCount > 0;
  }
  if (!hasMembers) return z;
  const Eigen::VectorXd rates = problem.problem.A * z + problem.problem.b;  // ρ_1, and ρ_1 − ρ_s
  for (std::size_t k = 0; k < island.rows.size(); ++k) {
    const int p = problem.first[k];
    double largest = 0;  // above ρ_1
    for (int s = 1; s <= hostRows.rows[island.rows[k]].otherCount; ++s) {
      const double above = -rates[p + s];
      z[p + s] = std::max(0.0, above - largest);
      largest = std::max(largest, above);
    }
  }
  return z;
}

void writeImpulses(const HostRows& hostRows, const IslandOfRows& island, const DenseProblem& problem,
                   const Eigen::VectorXd& z, const ModelSettings& settings, std::vector<Vec3>& impulses) {
  const bool isPyramid = settings.friction == FrictionShape::Pyramid;
  for (std::size_t k = 0; k < island.rows.size(); ++k) {
    const ContactRow& row = hostRows.rows[island.rows[k]];
    const int p = problem.first[k], beta = p + 1 + row.otherCount;
    Vec3& impulse = impulses[island.rows[k]];
    impulse = Vec3(z[p], 0, 0);
    if (!(row.friction > 0)) continue;
    if (!isPyramid) {
      for (int d = 0; d < tangentCount(settings); ++d) impulse[1 + d] = z[beta + d];
      continue;
    }
    Vec3 sum(0, 0, 0);
    const std::vector<Vec3> directions = frictionDirections(row.normal, settings);
    for (std::size_t d = 0; d < directions.size(); ++d) sum += z[beta + static_cast<int>(d)] * directions[d];
    impulse[1] = row.tangent.dot(sum);
    if (!settings.planar) impulse[2] = row.normal.cross(row.tangent).dot(sum);
  }
}

}  // namespace touchstone
