#include "core/contact/complementarity/complementarity_model.h"

#include <cmath>
#include <stdexcept>
#include <string>

#include "core/contact/complementarity/islands.h"
#include "core/contact/penalty/penalty_contact.h"
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

PairJacobian difference(const PairJacobian& first, const PairJacobian& second) {
  PairJacobian result = first;
  result.a -= second.a;
  result.b -= second.b;
  return result;
}

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

int rowsOf(const ModelSet& set, const ModelSettings& settings) {
  const int withFriction = tangentCount(settings) + (settings.friction == FrictionShape::Pyramid ? 1 : 0);
  return static_cast<int>(set.contacts.size()) + (set.friction > 0 ? withFriction : 0);
}

bool hasFriction(const World& world) {
  const auto rubs = [&world](std::size_t body) { return (*world.constants)[body].staticFriction > 0; };
  int rubbing = 0, moving = 0;
  for (std::size_t body = 0; body < world.constants->size(); ++body) {
    rubbing += rubs(body);
    moving += rubs(body) && world.scene->bodies[body].motion == Motion::Dynamic;
  }
  return rubbing > 1 && moving > 0;
}

double frictionOf(const World& world, const ModelContact& contact, double velocityUnit) {
  const std::vector<BodyConstants>& bodies = *world.constants;
  const FrictionPair pair = frictionOf(bodies[contact.bodyA], bodies[contact.bodyB]);
  if (pair.staticFriction == pair.dynamicFriction) return pair.dynamicFriction;
  return frictionInStep(viewOf(world), contact.bodyA, contact.bodyB, contact.geometry.normal, contact.armA,
                        contact.armB, velocityUnit);
}

std::vector<std::vector<int>> islandsOf(const World& world, const std::vector<ModelContact>& contacts,
                                        const std::vector<ModelSet>& sets) {
  Islands bodies(world);
  const auto primary = [&](const ModelSet& set) -> const ModelContact& {
    return contacts[set.contacts.front()];
  };
  for (const ModelSet& set : sets) bodies.connect(primary(set).bodyA, primary(set).bodyB);
  std::vector<std::vector<int>> islands;
  for (std::size_t set = 0; set < sets.size(); ++set) {
    const std::size_t island =
        static_cast<std::size_t>(bodies.of(primary(sets[set]).bodyA, primary(sets[set]).bodyB));
    if (island == islands.size()) islands.emplace_back();
    islands[island].push_back(static_cast<int>(set));
  }
  return islands;
}

std::vector<ModelSet> setsOfIsland(const std::vector<ModelSet>& sets, const std::vector<int>& island) {
  std::vector<ModelSet> own;
  own.reserve(island.size());
  for (int set : island) own.push_back(sets[set]);
  return own;
}

IslandProblem assemble(const World& world, const std::vector<ModelContact>& contacts,
                       std::vector<ModelSet> sets, const Velocities& velocities,
                       const ModelSettings& settings) {
  IslandProblem island;
  island.sets = std::move(sets);
  island.replica = (*world.constants)[contacts[island.sets.front().contacts.front()].bodyA].replica;
  const bool disk = settings.friction == FrictionShape::Disk;
  std::vector<Line> lines;
  std::vector<int>& scaledBy = island.problem.scaledBy;
  bool symmetric = true;
  for (const ModelSet& set : island.sets) {
    const ModelContact& primary = contacts[set.contacts.front()];
    island.first.push_back(static_cast<int>(lines.size()));
    lines.push_back({primary.jacobian, primary.jacobian, primary.rate});
    scaledBy.resize(lines.size(), -1);
    for (std::size_t s = 1; s < set.contacts.size(); ++s) {
      const ModelContact& other = contacts[set.contacts[s]];
      lines.push_back(
          {difference(primary.jacobian, other.jacobian), PairJacobian(), primary.rate - other.rate});
      symmetric = false;
    }
    scaledBy.resize(lines.size(), island.first.back());
    if (set.contacts.size() > 1)
      island.problem.maxima.push_back({island.first.back(), static_cast<int>(set.contacts.size()) - 1});
    if (!(set.friction > 0)) continue;
    if (disk)
      island.problem.disks.push_back(
          {island.first.back(), static_cast<int>(lines.size()), tangentCount(settings), set.friction});
    symmetric = symmetric && disk;
    for (const Vec3& d : frictionDirections(primary.geometry.normal, settings)) {
      const PairJacobian tangent = pairJacobian(primary.bodyA, primary.bodyB, d, primary.armA, primary.armB);
      lines.push_back({tangent, tangent, 0});
    }
    scaledBy.resize(lines.size(), -1);
    if (disk) continue;
    lines.push_back({PairJacobian(), PairJacobian(), 0});  // σ
    scaledBy.push_back(island.first.back());
  }

  const int n = static_cast<int>(lines.size());
  if (n > settings.largestProblem)
    throw std::length_error(
        std::to_string(n) + " coupled rows are more than the " + std::to_string(settings.largestProblem) +
        " of the parameter largest_problem, for which a dense matrix is made; use a solver that makes none "
        "(pgs, "
        "or newton-fb with the linear solver pcr), a penalty method, fewer contacts, or raise it");
  island.problem.A = Eigen::MatrixXd::Zero(n, n);
  island.problem.b = Eigen::VectorXd::Zero(n);
  island.problem.symmetric = symmetric;
  island.problem.velocityUnit = settings.velocityUnit;
  std::vector<Vec6> fa(n, Vec6::Zero()), fb(n, Vec6::Zero());
  for (int column = 0; column < n; ++column) {
    const PairJacobian& force = lines[column].force;
    if (movesBody(world, force.bodyA)) fa[column] = inverseMassTimes(world, force.bodyA, force.a);
    if (movesBody(world, force.bodyB)) fb[column] = inverseMassTimes(world, force.bodyB, force.b);
    island.force.push_back(force);
  }
  parallelFor(n, [&](int column) {
    for (int row = 0; row < n; ++row)
      island.problem.A(row, column) =
          coupling(world, lines[row].row, lines[column].force, fa[column], fb[column]);
  });
  for (int row = 0; row < n; ++row) {
    const PairJacobian& r = lines[row].row;
    island.problem.b[row] = lines[row].constant;
    if (r.bodyA >= 0) island.problem.b[row] += r.a.dot(velocities[r.bodyA]);
    if (r.bodyB >= 0) island.problem.b[row] += r.b.dot(velocities[r.bodyB]);
  }

  for (std::size_t k = 0; k < island.sets.size(); ++k) {
    const ModelSet& set = island.sets[k];
    const int p = island.first[k], slacks = static_cast<int>(set.contacts.size()) - 1;
    island.problem.A.block(p, p + 1, 1, slacks).setOnes();                                   // E2
    for (int s = 1; s <= slacks; ++s) island.problem.A.block(p + s, p + 1, 1, s).setOnes();  // E1
    if (disk || !(set.friction > 0)) continue;
    const int beta = p + slacks + 1, sigma = beta + settings.facets;
    island.problem.A.block(beta, sigma, settings.facets, 1).setOnes();
    island.problem.A(sigma, p) = set.friction;
    island.problem.A.block(sigma, beta, 1, settings.facets).setConstant(-1);
  }
  return island;
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

void addImpulses(const World& world, const IslandProblem& island, const Eigen::VectorXd& z,
                 Velocities& velocities) {
  for (int column = 0; column < z.size(); ++column) {
    const PairJacobian& force = island.force[column];
    if (movesBody(world, force.bodyA))
      velocities[force.bodyA] += z[column] * inverseMassTimes(world, force.bodyA, force.a);
    if (movesBody(world, force.bodyB))
      velocities[force.bodyB] += z[column] * inverseMassTimes(world, force.bodyB, force.b);
  }
}

}  // namespace touchstone
