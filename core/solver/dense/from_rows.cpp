#include "core/solver/dense/from_rows.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <stdexcept>
#include <string>

#include "core/math/count.h"

namespace touchstone {

namespace {

/// Rows that follow a contact's normal within its unit.
struct Followers {
  std::vector<int> members, tangents;  // rows of the unit
  double friction = 0;                 // μ
};

Followers followersOf(const RowsView& rows, const RowUnit& unit, int normal) {
  Followers followers;
  const Row* unitRows = rows.rows + unit.firstRow;
  for (int row = normal + 1; row < unit.rowCount; ++row) {
    if (row - unitRows[row].leader != normal || (unitRows[row].flags & kTransient)) continue;
    if (unitRows[row].law == RowLaw::Member) followers.members.push_back(row);
    if (unitRows[row].law != RowLaw::Disk) continue;
    followers.tangents.push_back(row);
    followers.friction = unitRows[row].bound;
  }
  if (!(followers.friction > 0)) followers.tangents.clear();
  return followers;
}

/// Part that a row has in a dense problem.
enum class RowRole { None, Given, Equation, Contact, Limit };

bool isOfJoint(const RowsView& rows, const RowUnit& unit) {
  return rows.blocks[unit.block].key.kind >= kJointBlock;
}

RowRole roleOf(const RowsView& rows, const RowUnit& unit, int rowOfUnit) {
  const Row& row = rows.rows[unit.firstRow + rowOfUnit];
  if (row.flags & kTransient) return RowRole::None;
  switch (row.law) {
    case RowLaw::Free:
      return RowRole::Equation;
    case RowLaw::Symmetric:
      return row.bound > 0 ? RowRole::Equation : RowRole::Given;
    case RowLaw::Fixed:
      return RowRole::Given;
    case RowLaw::Unilateral:
      return unit.rowCount == 1 && isOfJoint(rows, unit) ? RowRole::Limit : RowRole::Contact;
    case RowLaw::Maximum:
      return RowRole::Contact;
    default:
      return RowRole::None;  // a follower
  }
}

/// Weights of both tangents in the directions of a pyramid, in ± pairs. @param tangents  1 or 2
std::vector<std::array<double, 2>> facetWeights(int tangents, int facets) {
  if (tangents == 1) return {{1, 0}, {-1, 0}};
  std::vector<std::array<double, 2>> weights;
  for (int k = 0; k < facets / 2; ++k) {
    const double angle = 2 * M_PI * k / facets;
    weights.push_back({std::cos(angle), std::sin(angle)});
    weights.push_back({-std::cos(angle), -std::sin(angle)});
  }
  return weights;
}

/// Unknowns β and σ of a contact with a pyramid.
struct Pyramid {
  int normal, first, sigma;
  double friction;  // μ
};

/// List of the unknowns of an island: makes everything of a dense problem but A and b.
class UnknownList {
 public:
  UnknownList(const RowsView& rows, const std::vector<int>& units, const ModelSettings& settings,
              const std::vector<HeldImpulse>& held)
      : m_rows(rows), m_settings(settings) {
    m_dense.units = units;
    m_dense.friction = settings.friction;
    m_dense.problem.symmetric = true;
    m_dense.problem.velocityUnit = settings.velocityUnit;
    eachRow([&](int unit, int row, RowRole role) { addEquation(unit, row, role, held); });
    m_dense.problem.freeCount = countOf(m_rates);
    eachRow([this](int unit, int row, RowRole role) {
      if (role == RowRole::Contact) addContact(unit, row);
    });
    eachRow([this](int unit, int row, RowRole role) {
      if (role == RowRole::Limit) add({unit, {row, 0}, {1, 0}}, -1);
    });
  }
  int count() const { return countOf(m_rates); }
  const std::vector<RowSum>& rates() const { return m_rates; }
  const std::vector<Pyramid>& pyramids() const { return m_pyramids; }
  /// Rows of DenseProblem::given.
  const std::vector<RowSum>& givenForces() const { return m_givenForces; }
  DenseProblem take() { return std::move(m_dense); }

 private:
  template <class Use>
  void eachRow(const Use& use) {
    for (const int unit : m_dense.units)
      for (int row = 0; row < m_rows.units[unit].rowCount; ++row)
        use(unit, row, roleOf(m_rows, m_rows.units[unit], row));
  }

  /// Adds an unknown with equal rows of R and F. @param scaledBy  see ComplementarityProblem
  void add(const RowSum& sum, int scaledBy) { add(sum, sum, scaledBy); }
  void add(const RowSum& rate, const RowSum& force, int scaledBy) {
    m_rates.push_back(rate);
    m_dense.forces.push_back(force);
    m_dense.problem.scaledBy.push_back(scaledBy);
    if (force.unit >= 0 && m_rows.blocks[m_rows.units[force.unit].block].firstForce >= 0)
      m_dense.problem.symmetric = false;
  }

  void addEquation(int unit, int row, RowRole role, const std::vector<HeldImpulse>& held) {
    const int rowOfTable = m_rows.units[unit].firstRow + row;
    const Row& asked = m_rows.rows[rowOfTable];
    if (role == RowRole::Given) addGiven(unit, row, asked.law == RowLaw::Fixed ? asked.bound : 0);
    if (role != RowRole::Equation) return;
    const auto found = std::find_if(held.begin(), held.end(), [rowOfTable](const HeldImpulse& impulse) {
      return impulse.row == rowOfTable;
    });
    if (found != held.end())
      addGiven(unit, row, found->impulse);
    else
      add({unit, {row, 0}, {1, 0}}, -1);
  }
  void addGiven(int unit, int row, double impulse) {
    m_dense.given.push_back({m_rows.units[unit].firstRow + row, impulse});
    m_givenForces.push_back({unit, {row, 0}, {1, 0}});
  }

  void addContact(int unit, int normal) {
    const Followers followers = followersOf(m_rows, m_rows.units[unit], normal);
    ComplementarityProblem& problem = m_dense.problem;
    const int p = count(), tangents = countOf(followers.tangents);
    m_dense.first.push_back(p);
    add({unit, {normal, 0}, {1, 0}}, -1);
    for (const int member : followers.members) add({unit, {normal, member}, {1, -1}}, RowSum(), p);
    if (!followers.members.empty()) {
      problem.maxima.push_back({p, countOf(followers.members)});
      problem.symmetric = false;
    }
    if (tangents == 0) return;
    if (m_settings.friction == FrictionShape::Disk) {
      problem.disks.push_back({p, count(), tangents, followers.friction});
      for (const int tangent : followers.tangents) add({unit, {tangent, 0}, {1, 0}}, -1);
      return;
    }
    problem.symmetric = false;
    const int beta = count();
    for (const auto& weights : facetWeights(tangents, m_settings.facets))
      add({unit, {followers.tangents.front(), followers.tangents.back()}, {weights[0], weights[1]}}, -1);
    m_pyramids.push_back({p, beta, count(), followers.friction});
    add(RowSum(), RowSum(), p);  // σ
  }

  const RowsView& m_rows;
  const ModelSettings& m_settings;
  std::vector<RowSum> m_rates, m_givenForces;
  std::vector<Pyramid> m_pyramids;
  DenseProblem m_dense;
};

/// Σ weight · constant of a sum of rows.
double constantOf(const RowsView& rows, const RowSum& sum) {
  if (sum.unit < 0) return 0;
  const Row* unitRows = rows.rows + rows.units[sum.unit].firstRow;
  double constant = sum.weights[0] * unitRows[sum.rows[0]].constant;
  if (sum.weights[1] != 0) constant += sum.weights[1] * unitRows[sum.rows[1]].constant;
  return constant;
}

/// C between two sums of rows of one unit.
double complianceOf(const Row* unitRows, const RowSum& rate, const RowSum& force) {
  double sum = 0;
  for (int a = 0; a < 2; ++a)
    for (int b = 0; b < 2; ++b)
      if (rate.rows[a] == force.rows[b])
        sum += rate.weights[a] * force.weights[b] * unitRows[rate.rows[a]].compliance;
  return sum;
}

/// Adds C, after the softness of redundant rows. The unknowns of a row's unit follow one another.
void addCompliance(const RowsView& rows, const std::vector<RowSum>& rates, DenseProblem& dense) {
  Eigen::MatrixXd& A = dense.problem.A;
  for (int row = 0; row < countOf(rates); ++row) {
    const RowSum& rate = rates[row];
    if (rate.unit < 0) continue;
    const RowUnit& unit = rows.units[rate.unit];
    const RowRole role = roleOf(rows, unit, rate.rows[0]);
    if (isOfJoint(rows, unit) && (role == RowRole::Equation || role == RowRole::Limit))
      A(row, row) *= 1 + kRedundantRows;
    const auto add = [&](int column) {
      if (dense.forces[column].unit == rate.unit)
        A(row, column) += complianceOf(rows.rows + unit.firstRow, rate, dense.forces[column]);
    };
    for (int column = row; column >= 0 && rates[column].unit == rate.unit; --column) add(column);
    for (int column = row + 1; column < countOf(rates) && rates[column].unit == rate.unit; ++column)
      add(column);
  }
}

/// Adds the entries of slacks (E1, E2) and of pyramids.
void addLimits(const std::vector<Pyramid>& pyramids, ComplementarityProblem& problem) {
  Eigen::MatrixXd& A = problem.A;
  for (const MaximumRow& maximum : problem.maxima) {
    const int p = maximum.row;
    A.block(p, p + 1, 1, maximum.slacks).setOnes();                                   // E2
    for (int s = 1; s <= maximum.slacks; ++s) A.block(p + s, p + 1, 1, s).setOnes();  // E1
  }
  for (const Pyramid& pyramid : pyramids) {
    const int facets = pyramid.sigma - pyramid.first;
    A.block(pyramid.first, pyramid.sigma, facets, 1).setOnes();
    A(pyramid.sigma, pyramid.normal) = pyramid.friction;
    A.block(pyramid.sigma, pyramid.first, 1, facets).setConstant(-1);
  }
}

}  // namespace

DenseProblem denseProblem(const RowsView& rows, const CarrierMetric& metric, const CarrierVelocities& free,
                          const std::vector<int>& units, const ModelSettings& settings,
                          const std::vector<HeldImpulse>& held) {
  UnknownList unknowns(rows, units, settings, held);
  const int n = unknowns.count();
  requireMatrixOf(n, settings.largestProblem);
  DenseProblem dense = unknowns.take();
  dense.problem.A = denseProduct(rows, metric, unknowns.rates(), dense.forces);
  addCompliance(rows, unknowns.rates(), dense);
  addLimits(unknowns.pyramids(), dense.problem);
  dense.problem.b = denseRates(rows, unknowns.rates(), free);
  for (int row = 0; row < n; ++row) dense.problem.b[row] += constantOf(rows, unknowns.rates()[row]);
  if (!dense.given.empty()) {
    Eigen::VectorXd impulses(countOf(dense.given));
    for (int k = 0; k < countOf(dense.given); ++k) impulses[k] = dense.given[k].impulse;
    dense.problem.b += denseProduct(rows, metric, unknowns.rates(), unknowns.givenForces()) * impulses;
  }
  return dense;
}

int unknownCount(const RowsView& rows, const std::vector<int>& units, const ModelSettings& settings) {
  return UnknownList(rows, units, settings, {}).count();
}

int unknownsOfContact(int members, double friction, const ModelSettings& settings) {
  const int withFriction = tangentCount(settings) + (settings.friction == FrictionShape::Pyramid ? 1 : 0);
  return 1 + members + (friction > 0 ? withFriction : 0);
}

int tangentCount(const ModelSettings& settings) {
  if (settings.friction == FrictionShape::Pyramid) return settings.facets;
  return settings.planar ? 1 : 2;
}

Eigen::VectorXd unknownsOf(const RowsView& rows, const DenseProblem& dense, const double* impulses) {
  Eigen::VectorXd z = Eigen::VectorXd::Zero(dense.problem.b.size());
  if (dense.friction == FrictionShape::Pyramid) return z;
  for (int unknown = 0; unknown < z.size(); ++unknown)
    if (const RowSum& force = dense.forces[unknown]; force.unit >= 0)
      z[unknown] = impulses[rows.units[force.unit].firstRow + force.rows[0]];
  if (dense.problem.maxima.empty()) return z;
  const Eigen::VectorXd rates = dense.problem.A * z + dense.problem.b;  // ρ_1, and ρ_1 − ρ_s
  for (const MaximumRow& maximum : dense.problem.maxima) {
    double largest = 0;  // above ρ_1
    for (int slack = maximum.row + 1; slack <= maximum.row + maximum.slacks; ++slack) {
      const double above = -rates[slack];
      z[slack] = std::max(0.0, above - largest);
      largest = std::max(largest, above);
    }
  }
  return z;
}

void writeImpulses(const RowsView& rows, const DenseProblem& dense, const Eigen::VectorXd& z,
                   double* impulses) {
  for (const int unit : dense.units)
    std::fill_n(impulses + rows.units[unit].firstRow, rows.units[unit].rowCount, 0.0);
  for (int unknown = 0; unknown < z.size(); ++unknown) {
    const RowSum& force = dense.forces[unknown];
    if (force.unit < 0) continue;
    double* unitImpulses = impulses + rows.units[force.unit].firstRow;
    unitImpulses[force.rows[0]] += force.weights[0] * z[unknown];
    if (force.weights[1] != 0) unitImpulses[force.rows[1]] += force.weights[1] * z[unknown];
  }
  for (const HeldImpulse& given : dense.given) impulses[given.row] = given.impulse;
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

}  // namespace touchstone
