#include "core/solver/dense/dense_rows.h"

#include <cmath>
#include <stdexcept>
#include <string>

#include "core/parallel/parallel_for.h"

namespace touchstone {

namespace {

/// M⁻¹ of one body applied to a force column.
Vec6 inverseMassTimes(const World& world, int body, const Vec6& column) {
  Vec6 result;
  result.head<3>() = world.inverseMass[body] * column.head<3>();
  result.tail<3>() = world.inverseInertia[body] * Vec3(column.tail<3>());
  return result;
}

bool movesBody(const World& world, int body) { return body >= 0 && isDynamic(world, body); }

/// One row or column of the reduced problem.
struct Line {
  PairJacobian row;     ///< of R
  PairJacobian force;   ///< of F; no bodies: none
  double constant = 0;  ///< ψ/h part of b
};

double coupling(const World& world, const PairJacobian& row, const PairJacobian& force, const Vec6& fa,
                const Vec6& fb) {
  double sum = 0;
  if (movesBody(world, force.bodyA)) {
    if (row.bodyA == force.bodyA) sum += row.a.dot(fa);
    if (row.bodyB == force.bodyA) sum += row.b.dot(fa);
  }
  if (movesBody(world, force.bodyB)) {
    if (row.bodyA == force.bodyB) sum += row.a.dot(fb);
    if (row.bodyB == force.bodyB) sum += row.b.dot(fb);
  }
  return sum;
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

DenseProblem denseProblem(const World& world, const std::vector<DenseRow>& rows, const Velocities& velocities,
                          const ModelSettings& settings) {
  DenseProblem dense;
  const bool disk = settings.friction == FrictionShape::Disk;
  std::vector<Line> lines;
  std::vector<int>& scaledBy = dense.problem.scaledBy;
  bool symmetric = true;
  for (const DenseRow& each : rows) {
    const ContactRow& row = each.row;
    const auto along = [&each](const auto& at, const Vec3& direction) {
      return pairJacobian(each.bodyA, each.bodyB, direction, at.armA, at.armB);
    };
    const PairJacobian normal = along(row, row.normal);
    dense.first.push_back(static_cast<int>(lines.size()));
    lines.push_back({normal, normal, row.rate});
    scaledBy.resize(lines.size(), -1);
    for (const SetMember& other : each.members) {
      lines.push_back(
          {difference(normal, along(other, other.normal)), PairJacobian(), row.rate - other.rate});
      symmetric = false;
    }
    scaledBy.resize(lines.size(), dense.first.back());
    if (!each.members.empty())
      dense.problem.maxima.push_back({dense.first.back(), static_cast<int>(each.members.size())});
    if (!(row.friction > 0)) continue;
    if (disk)
      dense.problem.disks.push_back(
          {dense.first.back(), static_cast<int>(lines.size()), tangentCount(settings), row.friction});
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

  const int n = static_cast<int>(lines.size());
  if (n > settings.largestProblem)
    throw std::length_error(
        std::to_string(n) + " coupled rows are more than the " + std::to_string(settings.largestProblem) +
        " of the parameter largest_problem, for which a dense matrix is made; use a solver that makes none "
        "(pgs, "
        "or newton-fb with the linear solver pcr), a penalty method, fewer contacts, or raise it");
  dense.problem.A = Eigen::MatrixXd::Zero(n, n);
  dense.problem.b = Eigen::VectorXd::Zero(n);
  dense.problem.symmetric = symmetric;
  dense.problem.velocityUnit = settings.velocityUnit;
  std::vector<Vec6> fa(n, Vec6::Zero()), fb(n, Vec6::Zero());
  for (int column = 0; column < n; ++column) {
    const PairJacobian& force = lines[column].force;
    if (movesBody(world, force.bodyA)) fa[column] = inverseMassTimes(world, force.bodyA, force.a);
    if (movesBody(world, force.bodyB)) fb[column] = inverseMassTimes(world, force.bodyB, force.b);
    dense.force.push_back(force);
  }
  parallelFor(n, [&](int column) {
    for (int row = 0; row < n; ++row)
      dense.problem.A(row, column) =
          coupling(world, lines[row].row, lines[column].force, fa[column], fb[column]);
  });
  for (int row = 0; row < n; ++row) {
    const PairJacobian& r = lines[row].row;
    dense.problem.b[row] = lines[row].constant;
    if (r.bodyA >= 0) dense.problem.b[row] += r.a.dot(velocities[r.bodyA]);
    if (r.bodyB >= 0) dense.problem.b[row] += r.b.dot(velocities[r.bodyB]);
  }

  for (std::size_t k = 0; k < rows.size(); ++k) {
    const int p = dense.first[k], slacks = static_cast<int>(rows[k].members.size());
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

Eigen::VectorXd appliedImpulses(const ComplementarityProblem& problem, const Eigen::VectorXd& z) {
  Eigen::VectorXd applied = z.cwiseMax(0);
  for (const FrictionDisk& disk : problem.disks) {
    double x = z[disk.first], y = disk.count == 2 ? z[disk.first + 1] : 0;
    projectOnDisk(disk.friction * applied[disk.normal], x, y);
    applied[disk.first] = x;
    if (disk.count == 2) applied[disk.first + 1] = y;
  }
  return applied;
}

void addImpulses(const World& world, const DenseProblem& rows, const Eigen::VectorXd& z,
                 Velocities& velocities) {
  for (int column = 0; column < z.size(); ++column) {
    const PairJacobian& force = rows.force[column];
    if (movesBody(world, force.bodyA))
      velocities[force.bodyA] += z[column] * inverseMassTimes(world, force.bodyA, force.a);
    if (movesBody(world, force.bodyB))
      velocities[force.bodyB] += z[column] * inverseMassTimes(world, force.bodyB, force.b);
  }
}

}  // namespace touchstone
