#include "core/solver/carrier/rewritten_newton.h"

#include <algorithm>
#include <cmath>

#include "core/math/count.h"
#include "core/solver/newton/rewritten_loops.inl"
#include "core/solver/product/row_product.inl"

namespace touchstone {

namespace {

/// Factorisations of a step in small and medium islands, and in larger ones.
constexpr int kMostFactorisations = 200, kFewFactorisations = 30;
/// Rounds in a row that lower the best residual by less than kFlatOuter, after which an island ends.
constexpr int kFlatOuterRounds = 8;
constexpr double kFlatOuter = 0.7;
/// Shares of a round that are tried; the last one is taken whatever its residual.
constexpr double kShares[] = {1, 0.5, 0.25};
/// Residual of a round of fixed rows, as a share of that of the rows that are written again, and of V in the
/// first round. Smaller: factorisations for digits that the next round writes over.
constexpr double kRoundShare = 0.1, kFirstShare = 1e-3;
/// Residual as a share of V from which a round begins as one that is nearly solved. Larger: it jams.
constexpr double kNearlySolved = 1e-3;
/// Masses of an island differ by more: sweeps hardly help.
constexpr double kUneven = 50;

void takeOnce(std::vector<int>& numbers) {
  std::sort(numbers.begin(), numbers.end());
  numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
}

}  // namespace

void RewrittenArrays::resize(int carriers, int rows) {
  for (std::vector<Vec3>* vector :
       {&inverseMass, &linear, &angular, &freeLinear, &freeAngular, &changeLinear, &changeAngular})
    vector->resize(carriers, Vec3(0, 0, 0));
  inverseInertia.resize(carriers, Mat3::Zero());
  for (std::vector<double>* vector : {&scale, &inverse, &z, &rates}) vector->resize(rows);
}

void RewrittenNewton::begin(const RewrittenProblem& problem, const double* z, RewrittenArrays& arrays) {
  m_problem = problem;
  m_arrays = &arrays;
  m_hasJoints = false;
  std::vector<int> blocks, carriers;
  for (const int number : *problem.units) blocks.push_back(problem.table.units[number].block);
  takeOnce(blocks);
  for (const int index : blocks) {
    const RowBlock& block = problem.table.blocks[index];
    const int* ofBlock = problem.table.carriersOf(block);
    carriers.insert(carriers.end(), ofBlock, ofBlock + block.carrierCount);
    m_hasJoints = m_hasJoints || block.key.kind > kCouplingBlock;
  }
  takeOnce(carriers);
  m_blocks = std::move(blocks);
  m_carriers = std::move(carriers);
  m_addedMass.assign(m_carriers.size(), Vec3(0, 0, 0));
  m_addedInertia.assign(m_carriers.size(), Mat3::Zero());
  double smallest = HUGE_VAL, largest = 0;
  for (const int carrier : m_carriers) {
    const double inverse = problem.mass.inverseMass[carrier].maxCoeff();
    smallest = std::min(smallest, inverse);
    largest = std::max(largest, inverse);
    arrays.inverseMass[carrier] = problem.mass.inverseMass[carrier];
    arrays.inverseInertia[carrier] = problem.mass.inverseInertia[carrier];
    arrays.linear[carrier] = arrays.angular[carrier] = Vec3(0, 0, 0);
  }
  m_isUneven = largest > kUneven * smallest;
  for (const int number : *problem.units) {
    const RowUnit& unit = problem.table.units[number];
    std::copy(z + unit.firstRow, z + unit.firstRow + unit.rowCount, arrays.z.begin() + unit.firstRow);
  }
  m_history.clear();
  m_best = ResidualParts();
  m_best.momentum = HUGE_VAL;
  m_bestIterate = iterate(problem.free, arrays.z.data());
  std::fill(m_bestIterate.z.begin(), m_bestIterate.z.end(), 0.0);
}

double RewrittenNewton::look(const CarrierVelocities& u, const double* z) {
  const Iterate to = iterate(u, z);
  moveTo(to, to, 1);
  rewrite();
  const ResidualParts parts = measure();
  note(parts);
  return parts.total();
}

void RewrittenNewton::note(const ResidualParts& parts) {
  m_history.push_back(parts);
  if (!(parts.total() < m_best.total())) return;
  m_best = parts;
  m_bestIterate = iterate(m_arrays->velocities(), m_arrays->z.data());
}

void RewrittenNewton::improve(double tolerance, int rounds, bool isWarm) {
  const int budget =
      carrierCount() > m_problem.settings->mediumIsland ? kFewFactorisations : kMostFactorisations;
  const CarrierVelocities u = m_arrays->velocities();
  double total = m_best.total(), last = total;
  const bool isStart = total == HUGE_VAL;
  if (!isStart) {
    moveTo(m_bestIterate, m_bestIterate, 1);
    rewrite();
  }
  stiffen();
  int flat = 0, factorisations = 0;
  for (int round = 0; round < rounds && factorisations < budget && m_best.total() > tolerance; ++round) {
    const bool isFirst = isStart && round == 0;
    const Iterate from = iterate(u, m_arrays->z.data());
    const std::vector<Vec3> fromForces = elementForces(m_arrays->z.data());
    freeUnderStiffness(u);
    double largestScale = 0;
    const double relative = denominator(largestScale);
    const double wanted = std::max(kShareOfTolerance * tolerance,
                                   isFirst ? kFirstShare * m_problem.velocityUnit : kRoundShare * total);
    const ProximalOutcome solved = m_rounds.solve(
        {m_problem.table, m_arrays->metric(), m_arrays->free(), m_problem.units, m_arrays->scale.data(),
         m_arrays->inverse.data(), relative, m_problem.velocityUnit},
        wanted / (relative * largestScale), budget - factorisations,
        round > 0            ? (total > kNearlySolved * m_problem.velocityUnit ? ProximalNewton::kWarmSoftness
                                                                               : ProximalNewton::kSolvedSoftness)
        : isWarm || !isStart ? ProximalNewton::kWarmSoftness
                             : ProximalNewton::kColdSoftness,
        m_arrays->z.data(), m_arrays->change());
    factorisations += std::max(1, solved.factorisations);
    for (const int carrier : m_carriers) {
      m_arrays->changeLinear[carrier] += m_arrays->freeLinear[carrier];
      m_arrays->changeAngular[carrier] += m_arrays->freeAngular[carrier];
    }
    const Iterate to = iterate(m_arrays->change(), m_arrays->z.data());
    const std::vector<Vec3> toForces = elementForces(m_arrays->z.data());
    const double before = total;
    ResidualParts parts;
    for (const double share : kShares) {
      moveTo(from, to, share);
      rewrite();
      stiffen();
      addSecants(fromForces, toForces, share, from);
      parts = measure();
      total = parts.total();
      if (isFirst || total < before) break;
    }
    for (int k = 0; k < countOf(m_carriers); ++k) {
      ResidualParts::keep((u.linear[m_carriers[k]] - from.linear[k]).cwiseAbs().maxCoeff(), parts.stepSize);
      ResidualParts::keep((u.angular[m_carriers[k]] - from.angular[k]).cwiseAbs().maxCoeff(), parts.stepSize);
    }
    note(parts);
    if (!std::isfinite(total) || solved.isJammed) break;
    flat = m_best.total() > kFlatOuter * last ? flat + 1 : 0;
    if (flat == 0) last = m_best.total();
    if (flat > kFlatOuterRounds) break;
  }
}

void RewrittenNewton::end(double* z) {
  moveTo(m_bestIterate, m_bestIterate, 1);
  rewrite();
  for (const int number : *m_problem.units) {
    const RowUnit& unit = m_problem.table.units[number];
    std::copy(m_arrays->z.begin() + unit.firstRow, m_arrays->z.begin() + unit.firstRow + unit.rowCount,
              z + unit.firstRow);
  }
}

RewrittenNewton::Iterate RewrittenNewton::iterate(const CarrierVelocities& u, const double* z) const {
  Iterate copy;
  for (const int carrier : m_carriers) {
    copy.linear.push_back(u.linear[carrier]);
    copy.angular.push_back(u.angular[carrier]);
  }
  for (const int number : *m_problem.units) {
    const RowUnit& unit = m_problem.table.units[number];
    copy.z.insert(copy.z.end(), z + unit.firstRow, z + unit.firstRow + unit.rowCount);
  }
  return copy;
}

/// Rows that are transient have served: their impulses are 0.
void RewrittenNewton::moveTo(const Iterate& from, const Iterate& to, double share) {
  const auto between = [share](const auto& a, const auto& b) {
    using Value = std::decay_t<decltype(a)>;
    return share == 1 ? b : Value(a + share * (b - a));
  };
  for (int k = 0; k < countOf(m_carriers); ++k) {
    m_arrays->linear[m_carriers[k]] = between(from.linear[k], to.linear[k]);
    m_arrays->angular[m_carriers[k]] = between(from.angular[k], to.angular[k]);
  }
  int index = 0;
  for (const int number : *m_problem.units) {
    const RowUnit& unit = m_problem.table.units[number];
    for (int row = unit.firstRow; row < unit.firstRow + unit.rowCount; ++row, ++index)
      m_arrays->z[row] =
          m_problem.table.rows[row].flags & kTransient ? 0 : between(from.z[index], to.z[index]);
  }
}

void RewrittenNewton::rewrite() {
  const CarrierVelocities u = m_arrays->velocities();
  for (const int carrier : m_carriers) m_problem.again->place(carrier, u);
  for (const int block : m_blocks) m_problem.again->write(m_problem.table.blocks[block], u, m_problem.arrays);
}

/// H of bodies that joints hold, with their geometric stiffness.
void RewrittenNewton::stiffen() {
  if (!m_problem.settings->stiffensJoints || !m_problem.again->stiffness) return;
  std::vector<Mat3> sums(m_carriers.size(), Mat3::Zero());
  std::vector<char> isStiff(m_carriers.size(), 0);
  const CarrierVelocities u = m_arrays->velocities();
  for (const int index : m_blocks) {
    const RowBlock& block = m_problem.table.blocks[index];
    if (block.key.kind != kJointBlock) continue;
    for (const int carrier : m_carriers) m_problem.again->place(carrier, u);
    for (int k = 0; k < block.carrierCount; ++k) {
      const int place = static_cast<int>(
          std::lower_bound(m_carriers.begin(), m_carriers.end(), m_problem.table.carriersOf(block)[k]) -
          m_carriers.begin());
      isStiff[place] = 1;
      sums[place] += m_problem.again->stiffness(block, k, m_problem.table.terms + block.firstTerm,
                                                m_arrays->z.data() + block.firstRow, u);
    }
  }
  for (int k = 0; k < countOf(m_carriers); ++k)
    if (isStiff[k])
      m_arrays->inverseInertia[m_carriers[k]] = detail::stiffened(
          m_problem.mass.inverseInertia[m_carriers[k]], sums[k], m_problem.dt, m_addedInertia[k]);
}

/// Fᵀz of elements on the carriers of the island [N·s]; empty where particles do not stiffen.
std::vector<Vec3> RewrittenNewton::elementForces(const double* z) const {
  if (!m_problem.settings->stiffensParticles) return {};
  std::vector<Vec3> forces(m_carriers.size(), Vec3(0, 0, 0));
  for (const int number : *m_problem.units) {
    const RowUnit& unit = m_problem.table.units[number];
    const RowBlock& block = m_problem.table.blocks[unit.block];
    if (!isElementBlock(block.key.kind)) continue;
    eachPush(
        m_problem.table, unit, [&](int row) { return z[unit.firstRow + row]; },
        [&](int k, const Vec3& force, const Vec3&) {
          const int carrier = m_problem.table.carriersOf(block)[k];
          forces[std::lower_bound(m_carriers.begin(), m_carriers.end(), carrier) - m_carriers.begin()] +=
              force;
        });
  }
  return forces;
}

/// Adds the secants of elements as mass of their particles, see detail::SetSecant.
/// @param fromForces, toForces  elementForces() of both ends of the step with the gradients of `from`
void RewrittenNewton::addSecants(const std::vector<Vec3>& fromForces, const std::vector<Vec3>& toForces,
                                 double share, const Iterate& from) {
  if (fromForces.empty()) return;
  const std::vector<Vec3> forces = elementForces(m_arrays->z.data());
  for (int k = 0; k < countOf(m_carriers); ++k) {
    const int carrier = m_carriers[k];
    if (carrier < m_problem.bodyCount) continue;
    const Vec3 before = fromForces[k] + share * (toForces[k] - fromForces[k]);
    for (int axis = 0; axis < 3; ++axis) {
      const double added = detail::secantMass(forces[k][axis] - before[axis],
                                              m_arrays->linear[carrier][axis] - from.linear[k][axis]);
      const double inverse = m_problem.mass.inverseMass[carrier][axis];
      m_addedMass[k][axis] = added;
      m_arrays->inverseMass[carrier][axis] = inverse > 0 ? 1 / (1 / inverse + added) : 0;
    }
  }
}

/// Failures of the rows as they are written, and of momentum, at the iterate.
ResidualParts RewrittenNewton::measure() {
  const RowsView& table = m_problem.table;
  const CarrierVelocities u = m_arrays->velocities();
  ResidualParts parts;
  for (const int carrier : m_carriers)
    m_arrays->changeLinear[carrier] = m_arrays->changeAngular[carrier] = Vec3(0, 0, 0);
  for (const int number : *m_problem.units) {
    const RowUnit& unit = table.units[number];
    double* const z = m_arrays->z.data() + unit.firstRow;
    double* const w = m_arrays->rates.data() + unit.firstRow;
    for (int row = 0; row < unit.rowCount; ++row)
      if (table.rows[unit.firstRow + row].law == RowLaw::Fixed)
        z[row] = table.rows[unit.firstRow + row].bound;
    setScales(table, unit, m_problem.mass, m_arrays->scale.data() + unit.firstRow,
              m_arrays->inverse.data() + unit.firstRow);
    setRates(table, unit, u, z, w);
    parts.addUnit(table.blocks[unit.block].key.kind, table.rows + unit.firstRow, unit.rowCount, z, w,
                  m_arrays->scale.data() + unit.firstRow, m_arrays->inverse.data() + unit.firstRow);
    eachPush(
        table, unit, [z](int row) { return z[row]; },
        [&](int k, const Vec3& force, const Vec3& moment) {
          const int carrier = table.carriersOf(table.blocks[unit.block])[k];
          m_arrays->changeLinear[carrier] += force;
          m_arrays->changeAngular[carrier] += moment;
        });
  }
  for (const int carrier : m_carriers) {
    const Vec3 linear = u.linear[carrier] - m_problem.free.linear[carrier] -
                        m_problem.mass.inverseMass[carrier].cwiseProduct(m_arrays->changeLinear[carrier]),
               angular = u.angular[carrier] - m_problem.free.angular[carrier] -
                         m_problem.mass.inverseInertia[carrier] * m_arrays->changeAngular[carrier];
    for (int axis = 0; axis < 3; ++axis) {
      ResidualParts::keep(std::fabs(linear[axis]), parts.momentum);
      ResidualParts::keep(std::fabs(angular[axis]), parts.momentum);
    }
  }
  return parts;
}

/// Velocities without impulses of the stiffened carriers: ν̃ + H⁻¹ K (ν_k − ν̃).
void RewrittenNewton::freeUnderStiffness(const CarrierVelocities& iterate) {
  for (int k = 0; k < countOf(m_carriers); ++k) {
    const int carrier = m_carriers[k];
    const Vec3 linear = iterate.linear[carrier] - m_problem.free.linear[carrier],
               angular = iterate.angular[carrier] - m_problem.free.angular[carrier];
    m_arrays->freeLinear[carrier] =
        m_problem.free.linear[carrier] +
        m_arrays->inverseMass[carrier].cwiseProduct(m_addedMass[k].cwiseProduct(linear));
    m_arrays->freeAngular[carrier] =
        m_problem.free.angular[carrier] + m_arrays->inverseInertia[carrier] * (m_addedInertia[k] * angular);
  }
}

/// Scales the rows. @return what scaled residuals are relative to, as IslandCurve::denominator
/// @param largestScale  out: max √r
double RewrittenNewton::denominator(double& largestScale) {
  RowExtremes largest;
  const detail::ScaleRows scale{m_problem.table,
                                m_problem.mass,
                                m_arrays->free(),
                                nullptr,
                                {nullptr, m_arrays->scale.data(), m_arrays->inverse.data(), nullptr},
                                nullptr};
  for (const int block : m_blocks) largest.add(scale.of(m_problem.table.blocks[block]));
  largestScale = largest.natural > 0 ? largest.natural : 1;
  return m_problem.velocityUnit / largestScale + largest.scaled;
}

}  // namespace touchstone
