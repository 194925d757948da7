#include "core/solver/carrier/proximal_newton.h"

#include <algorithm>
#include <cmath>

#include "core/math/count.h"
#include "core/solver/product/row_product.inl"

namespace touchstone {

namespace {

constexpr double kLeastSoftness = 1e-6;  // below it the rounding of q grows more than the error shrinks
constexpr double kFineSoftness = 1e-7, kFineTolerance = 1e-7;  // once, where more is asked and it stays
constexpr double kEqualitySoftness = 1e-6;  // of rows without a bound, whose equations are linear
constexpr int kMostRounds = 200, kFlatRounds = 20;
constexpr double kFlat = 0.7;                                // a residual that falls by less is flat
constexpr double kSolvedShare = 1e-8, kSolvedOfAll = 1e-14;  // of the merit of a coupled round
constexpr int kCoupledSteps = 30, kConvexSteps = 20;
constexpr double kConvexShare = 1e-4;
// Of impulses that grow from round to round; those of answers are 1 to 10, in a pile of 1000 a hundred.
constexpr double kJammedImpulse = 100;
constexpr double kJammedResidual = 1e-5;
constexpr int kJammedRounds = 5;

}  // namespace

ProximalOutcome ProximalNewton::solve(const CarrierProblem& problem, double tolerance, int factorisations,
                                      double softness, double* z, const CarrierVelocities& change) {
  m_outcome = ProximalOutcome();
  m_budget = factorisations;
  take(problem, z);
  setPattern();
  m_rho = softness;
  const double firstRho = std::max(softness, kWarmSoftness);
  m_q = m_centre;
  m_v = inverseTimes(pushOf(m_q));
  m_best = m_q;
  m_outcome.best = {HUGE_VAL, HUGE_VAL};
  note();
  // |Fᵀ max(0, −w)/r|² of the impulses that each row by itself asks for: what merits are small against.
  std::vector<double> alone(m_q.size(), 0.0);
  for (const Unit& unit : m_units)
    for (int row = 0; row < unit.forced; ++row)
      if (unit.rows[row].law != RowLaw::Disk)
        alone[unit.firstRow + row] =
            projected(unit.rows[row], -m_free[unit.firstRow + row] / m_scale[unit.firstRow + row]);
  const Eigen::VectorXd pushed = pushOf(alone);
  m_noMerit = std::max(1e-300, pushed.dot(inverseTimes(pushed)));
  bool isConvexDue = softness >= kColdSoftness, hasSlopes = false;
  double last = HUGE_VAL, leastRho = kLeastSoftness;
  int flat = 0;
  for (int round = 0; round < kMostRounds && hasBudget() && flat <= kFlatRounds; ++round) {
    if (m_outcome.best.scaled <= tolerance) break;
    if (hasSlopes) predict();
    if (isConvexDue) {
      convexRound();
      note();
    }
    const Eigen::VectorXd before = m_v;
    int used = 0;
    const bool isSolved = coupledRound(used);
    note();
    hasSlopes = isSolved;
    m_slopesRho = m_rho;
    if (isSolved) {
      m_centre = m_q;
      isConvexDue = false;
      m_rho = std::max(leastRho, m_rho * (used <= 3 ? 0.1 : 0.3));
    } else {
      m_v = before;
      if (!isConvexDue) {
        convexRound();
        note();
      } else {
        holdLimits();
        evaluate(m_v, false, false);
      }
      m_centre = m_q;
      isConvexDue = true;
      m_rho = std::min(firstRho, 2 * m_rho);
    }
    if (m_outcome.best.scaled > kFlat * last) {
      ++flat;
      if (flat == kJammedRounds && tolerance < kFineTolerance) leastRho = kFineSoftness;
    } else {
      flat = 0;
      last = m_outcome.best.scaled;
    }
    m_outcome.isJammed = (flat > kJammedRounds || !hasBudget()) && isJammed();
    if (m_outcome.isJammed) break;
  }
  for (const Unit& unit : m_units)
    for (int row = 0; row < unit.rowCount; ++row)
      z[unit.tableRow + row] = row < unit.forced ? m_best[unit.firstRow + row] : 0;
  const Eigen::VectorXd end = inverseTimes(pushOf(m_best));
  for (int k = 0; k < countOf(m_carriers); ++k) {
    change.linear[m_carriers[k]] = end.segment<3>(6 * k);
    change.angular[m_carriers[k]] = end.segment<3>(6 * k + 3) / m_masses[k].length;
  }
  return std::move(m_outcome);
}

void ProximalNewton::take(const CarrierProblem& problem, const double* z) {
  m_problem = &problem;
  m_carriers.clear();
  for (const int number : *problem.units) {
    const RowBlock& block = problem.table.blocks[problem.table.units[number].block];
    const int* carriers = problem.table.carriersOf(block);
    m_carriers.insert(m_carriers.end(), carriers, carriers + block.carrierCount);
  }
  std::sort(m_carriers.begin(), m_carriers.end());
  m_carriers.erase(std::unique(m_carriers.begin(), m_carriers.end()), m_carriers.end());
  m_masses.clear();
  for (const int carrier : m_carriers) {
    Mass mass;
    for (int axis = 0; axis < 3; ++axis) {
      mass.inverse[axis] = problem.metric.inverseMass[carrier][axis];
      mass.mass[axis] = mass.inverse[axis] > 0 ? 1 / mass.inverse[axis] : 1;
    }
    // Axes about which a carrier does not turn have no entry; 1 in their place does not couple to others.
    mass.inverseInertia = problem.metric.inverseInertia[carrier];
    Mat3 whole = mass.inverseInertia;
    for (int axis = 0; axis < 3; ++axis)
      if (!(whole(axis, axis) > 0)) whole(axis, axis) = 1;
    mass.inertia = whole.inverse();
    double largest = 0, lightest = 0;
    for (int axis = 0; axis < 3; ++axis) {
      lightest = std::max(lightest, mass.inverse[axis]);
      if (mass.inverseInertia(axis, axis) > 0) largest = std::max(largest, mass.inertia(axis, axis));
    }
    mass.length = largest > 0 && lightest > 0 ? std::sqrt(largest * lightest) : 1;
    mass.inertia /= mass.length * mass.length;
    mass.inverseInertia *= mass.length * mass.length;
    m_masses.push_back(mass);
  }
  m_units.clear();
  m_unitCarriers.clear();
  m_terms.clear();
  m_forces.clear();
  m_free.clear();
  m_scale.clear();
  m_centre.clear();
  int slopes = 0, slots = 0;
  for (const int number : *problem.units) {
    takeUnit(problem, problem.table.units[number]);
    Unit& unit = m_units.back();
    unit.firstSlope = slopes;
    unit.firstSlot = slots;
    slopes += unit.forced * unit.forced;
    slots += unit.carrierCount * unit.carrierCount;
    for (int row = 0; row < unit.rowCount; ++row)
      m_centre.push_back(row < unit.forced ? z[unit.tableRow + row] : 0);
  }
  m_slopes.assign(slopes, 0.0);
  m_slots.assign(slots, 0);
  m_limit.assign(m_free.size(), 0.0);
}

void ProximalNewton::takeUnit(const CarrierProblem& problem, const RowUnit& from) {
  const RowsView& table = problem.table;
  const RowBlock& block = table.blocks[from.block];
  const int* carriers = table.carriersOf(block);
  Unit unit{};
  unit.rows = table.rows + from.firstRow;
  unit.rowCount = from.rowCount;
  unit.forced = block.form == RowForm::Point ? from.groupRows : from.rowCount;
  unit.carrierCount = block.carrierCount;
  unit.firstCarrier = countOf(m_unitCarriers);
  unit.firstRow = countOf(m_free);
  unit.tableRow = from.firstRow;
  unit.firstTerm = countOf(m_terms);
  unit.isPacked = block.packedCount > 0 && from.firstRow == block.firstRow;
  unit.hasForces = block.firstForce >= 0;
  for (int k = 0; k < block.carrierCount; ++k)
    m_unitCarriers.push_back(static_cast<int>(
        std::lower_bound(m_carriers.begin(), m_carriers.end(), carriers[k]) - m_carriers.begin()));
  const auto twistOf = [&](const RowTerm& term, int carrier) {
    const Mass& mass = m_masses[carrier];
    Twist twist;
    for (int axis = 0; axis < 3; ++axis) {
      twist[axis] = mass.inverse[axis] > 0 ? term.linear[axis] : 0;
      twist[3 + axis] = mass.inverseInertia(axis, axis) > 0 ? term.angular[axis] / mass.length : 0;
    }
    return twist;
  };
  for (int row = 0; row < unit.rowCount; ++row)
    for (int k = 0; k < unit.carrierCount; ++k)
      m_terms.push_back(twistOf(termOf(table, from, row, k), m_unitCarriers[unit.firstCarrier + k]));
  unit.firstForceTerm = countOf(m_forces);
  if (unit.hasForces)
    for (int row = 0; row < unit.forced; ++row)
      for (int k = 0; k < unit.carrierCount; ++k)
        m_forces.push_back(twistOf(forceTermOf(table, from, row, k), m_unitCarriers[unit.firstCarrier + k]));
  eachRate(table, from, problem.free, [&](int row, double rate) {
    m_free.push_back(unit.rows[row].constant + rate);
    m_scale.push_back(problem.scale[from.firstRow + row]);
  });
  m_units.push_back(unit);
}

void ProximalNewton::setPattern() {
  std::vector<std::array<int, 2>> pairs;
  for (const Unit& unit : m_units) {
    const int* carriers = m_unitCarriers.data() + unit.firstCarrier;
    for (int k = 0; k < unit.carrierCount; ++k)
      for (int l = k + 1; l < unit.carrierCount; ++l) pairs.push_back({carriers[k], carriers[l]});
  }
  m_matrix.setPattern(countOf(m_carriers), std::move(pairs));
  for (const Unit& unit : m_units) {
    const int* carriers = m_unitCarriers.data() + unit.firstCarrier;
    for (int k = 0; k < unit.carrierCount; ++k)
      for (int l = 0; l < unit.carrierCount; ++l)
        m_slots[unit.firstSlot + k * unit.carrierCount + l] = m_matrix.slotOf(carriers[k], carriers[l]);
  }
}

Eigen::VectorXd ProximalNewton::massTimes(const Eigen::VectorXd& v) const {
  Eigen::VectorXd f(v.size());
  for (int k = 0; k < countOf(m_masses); ++k) {
    for (int axis = 0; axis < 3; ++axis) f[6 * k + axis] = m_masses[k].mass[axis] * v[6 * k + axis];
    f.segment<3>(6 * k + 3) = m_masses[k].inertia * v.segment<3>(6 * k + 3);
  }
  return f;
}

Eigen::VectorXd ProximalNewton::inverseTimes(const Eigen::VectorXd& f) const {
  Eigen::VectorXd v(f.size());
  for (int k = 0; k < countOf(m_masses); ++k) {
    for (int axis = 0; axis < 3; ++axis) v[6 * k + axis] = m_masses[k].inverse[axis] * f[6 * k + axis];
    v.segment<3>(6 * k + 3) = m_masses[k].inverseInertia * f.segment<3>(6 * k + 3);
  }
  return v;
}

void ProximalNewton::addPush(const Unit& unit, const double* q, Eigen::VectorXd& force) const {
  const Twist* const terms = forcesOf(unit);
  for (int row = 0; row < unit.forced; ++row) {
    if (q[row] == 0) continue;
    for (int k = 0; k < unit.carrierCount; ++k)
      force.segment<6>(6 * m_unitCarriers[unit.firstCarrier + k]) +=
          q[row] * terms[row * unit.carrierCount + k];
  }
}

Eigen::VectorXd ProximalNewton::pushOf(const std::vector<double>& q) const {
  Eigen::VectorXd force = Eigen::VectorXd::Zero(6 * countOf(m_carriers));
  for (const Unit& unit : m_units) addPush(unit, q.data() + unit.firstRow, force);
  return force;
}

/// w(ν̃) + J v of a row.
double ProximalNewton::rateOf(const Unit& unit, int row, const Eigen::VectorXd& v) const {
  double w = m_free[unit.firstRow + row];
  const Twist* const terms = m_terms.data() + unit.firstTerm + row * unit.carrierCount;
  for (int k = 0; k < unit.carrierCount; ++k)
    w += terms[k].dot(v.segment<6>(6 * m_unitCarriers[unit.firstCarrier + k]));
  return w;
}

double ProximalNewton::softnessOf(const Unit& unit, int row) const {
  const double rho = unit.rows[row].law == RowLaw::Free ? std::min(m_rho, kEqualitySoftness) : m_rho;
  return rho * m_scale[unit.firstRow + row];
}

/// Impulses q at velocities v, their push less M v, and where wanted the slopes D. @return |F|² in M⁻¹
double ProximalNewton::evaluate(const Eigen::VectorXd& v, bool isCoupled, bool withSlopes) {
  m_force = -massTimes(v);
  for (Unit& unit : m_units) {
    m_rates.resize(unit.rowCount);
    for (int row = 0; row < unit.rowCount; ++row) m_rates[row] = rateOf(unit, row, v);
    answer(unit, m_rates.data(), isCoupled, withSlopes);
    addPush(unit, m_q.data() + unit.firstRow, m_force);
  }
  if (withSlopes) m_isCoupledSlope = isCoupled;
  return m_force.dot(inverseTimes(m_force));
}

void ProximalNewton::answer(Unit& unit, const double* w, bool isCoupled, bool withSlopes) {
  double* const slopes = m_slopes.data() + unit.firstSlope;
  if (withSlopes) std::fill(slopes, slopes + unit.forced * unit.forced, 0.0);
  if (unit.isPacked) {
    answerPacked(unit, w, withSlopes);
    return;
  }
  for (int row = 0; row < unit.forced; ++row) {
    const Row& ask = unit.rows[row];
    if (ask.law == RowLaw::Disk) {
      answerDisk(unit, row, w, isCoupled, withSlopes);
      if (isDiskOfTwo(unit.rows, row, unit.forced)) ++row;
      continue;
    }
    double rate = w[row];
    if (ask.law == RowLaw::Maximum) {
      unit.active = row;
      for (int member = unit.forced; member < unit.rowCount; ++member)
        if (unit.rows[member].law == RowLaw::Member && w[member] > rate) {
          rate = w[member];
          unit.active = member;
        }
    }
    const double R = softnessOf(unit, row), slope = 1 / (R + ask.compliance),
                 y = (R * m_centre[unit.firstRow + row] - rate) * slope;
    const double q = projected(ask, y);
    m_q[unit.firstRow + row] = q;
    const bool isFree = q == y && ask.law != RowLaw::Fixed && ask.law != RowLaw::Member &&
                        (ask.law == RowLaw::Free || ask.law == RowLaw::Symmetric || y > 0);
    if (withSlopes && isFree) slopes[row * unit.forced + row] = slope;
  }
}

void ProximalNewton::answerDisk(const Unit& unit, int row, const double* w, bool isCoupled, bool withSlopes) {
  const Row& ask = unit.rows[row];
  const int leader = row - ask.leader, first = unit.firstRow + row;
  const bool two = isDiskOfTwo(unit.rows, row, unit.forced);
  const double R = softnessOf(unit, row);
  const double x = m_centre[first] - w[row] / R, y = two ? m_centre[first + 1] - w[row + 1] / R : 0;
  const double limit = isCoupled ? diskLimit(ask, m_q[unit.firstRow + leader]) : m_limit[first];
  const double length = lengthOf(x, y);
  double* const slopes = m_slopes.data() + unit.firstSlope;
  const auto slope = [&](int i, int j) -> double& { return slopes[(row + i) * unit.forced + row + j]; };
  if (length <= limit) {
    m_q[first] = x;
    if (two) m_q[first + 1] = y;
    if (!withSlopes || !(limit > 0)) return;
    slope(0, 0) = 1 / R;
    if (two) slope(1, 1) = 1 / R;
    return;
  }
  const double ex = limit > 0 ? x / length : 0, ey = limit > 0 ? y / length : 0;
  m_q[first] = limit * ex;
  if (two) m_q[first + 1] = limit * ey;
  if (!withSlopes || !(limit > 0)) return;
  const double across = limit / length / R;
  if (two) {
    slope(0, 0) = across * (1 - ex * ex);
    slope(1, 1) = across * (1 - ey * ey);
    slope(0, 1) = slope(1, 0) = -across * ex * ey;
  }
  if (!isCoupled) return;
  const double ofNormal = ask.bound * slopes[leader * unit.forced + leader];
  slopes[row * unit.forced + leader] = ofNormal * ex;
  if (two) slopes[(row + 1) * unit.forced + leader] = ofNormal * ey;
}

/// Free rows with a compliance that couples them: (C + R) q = R p° − w.
void ProximalNewton::answerPacked(const Unit& unit, const double* w, bool withSlopes) {
  const RowBlock& block =
      m_problem->table.blocks[m_problem->table.units[(*m_problem->units)[&unit - m_units.data()]].block];
  Eigen::MatrixXd matrix(unit.forced, unit.forced);
  Eigen::VectorXd right(unit.forced);
  for (int row = 0; row < unit.forced; ++row) {
    const double R = softnessOf(unit, row);
    for (int other = 0; other < unit.forced; ++other)
      matrix(row, other) = m_problem->table.complianceOf(block, row, other) + (row == other ? R : 0);
    right[row] = R * m_centre[unit.firstRow + row] - w[row];
  }
  const Eigen::MatrixXd inverse = matrix.inverse();
  for (int row = 0; row < unit.forced; ++row) {
    m_q[unit.firstRow + row] = inverse.row(row).dot(right);
    for (int other = 0; withSlopes && other < unit.forced; ++other)
      m_slopes[unit.firstSlope + row * unit.forced + other] = inverse(row, other);
  }
}

bool ProximalNewton::isSymmetric() const {
  if (m_isCoupledSlope) return false;
  for (const Unit& unit : m_units)
    if (unit.hasForces || unit.active > 0) return false;
  return true;
}

/// M + Fᵀ D J with the slopes of the last evaluate() that asked for them, factored.
bool ProximalNewton::factor() {
  m_matrix.clear();
  for (int k = 0; k < countOf(m_masses); ++k) {
    BlockMatrix::Block& block = m_matrix.at(m_matrix.slotOf(k, k));
    for (int axis = 0; axis < 3; ++axis) block(axis, axis) = m_masses[k].mass[axis];
    block.bottomRightCorner<3, 3>() = m_masses[k].inertia;
  }
  for (const Unit& unit : m_units) {
    const int carriers = unit.carrierCount;
    const double* const slopes = m_slopes.data() + unit.firstSlope;
    const Twist* const terms = m_terms.data() + unit.firstTerm;
    const Twist* const forces = forcesOf(unit);
    for (int row = 0; row < unit.forced; ++row)
      for (int l = 0; l < carriers; ++l) {
        Twist moved = Twist::Zero();  // D J of this row
        bool isZero = true;
        for (int other = 0; other < unit.forced; ++other) {
          const double slope = slopes[row * unit.forced + other];
          if (slope == 0) continue;
          isZero = false;
          const int rate = other == 0 && unit.active > 0 ? unit.active : other;
          moved += slope * terms[rate * carriers + l];
        }
        if (isZero) break;
        for (int k = 0; k < carriers; ++k)
          m_matrix.at(m_slots[unit.firstSlot + k * carriers + l]).noalias() +=
              forces[row * carriers + k] * moved.transpose();
      }
  }
  ++m_outcome.factorisations;
  return m_matrix.factor(isSymmetric());
}

/// Holds the radii of disks at μ p°_n.
void ProximalNewton::holdLimits() {
  for (const Unit& unit : m_units)
    for (int row = 0; row < unit.forced; ++row)
      if (unit.rows[row].law == RowLaw::Disk)
        m_limit[unit.firstRow + row] =
            diskLimit(unit.rows[row], m_centre[unit.firstRow + row - unit.rows[row].leader]);
}

/// Largest failures of the exact laws by q. @param change  H⁻¹ Fᵀ q
RowExtremes ProximalNewton::residual(const Eigen::VectorXd& change) const {
  RowExtremes largest;
  std::vector<double> w;
  for (int number = 0; number < countOf(m_units); ++number) {
    const Unit& unit = m_units[number];
    const RowUnit& from = m_problem->table.units[(*m_problem->units)[number]];
    w.resize(unit.rowCount);
    for (int row = 0; row < unit.rowCount; ++row)
      w[row] =
          rateOf(unit, row, change) + compliantRate(m_problem->table, from, row, m_q.data() + unit.firstRow);
    const double* const inverse = m_problem->inverse + unit.tableRow;
    eachFailure(unit.rows, unit.rowCount, m_q.data() + unit.firstRow, w.data(),
                m_problem->scale + unit.tableRow, inverse, [&](int row, double failure) {
                  RowExtremes::keep(failure * static_cast<double>(unit.rows[row].length), largest.natural);
                  RowExtremes::keep(failure * std::sqrt(inverse[row]) / m_problem->denominator,
                                    largest.scaled);
                });
  }
  return largest;
}

/// Measures q with the velocities that it makes, and keeps it where it is the best.
void ProximalNewton::note() {
  const RowExtremes extremes = residual(inverseTimes(pushOf(m_q)));
  m_outcome.history.push_back(extremes);
  if (!(extremes.scaled < m_outcome.best.scaled)) return;
  m_outcome.best = extremes;
  m_best = m_q;
}

/// The minimum of the problem with the radii of disks held at those of the centre.
void ProximalNewton::convexRound() {
  holdLimits();
  double merit = evaluate(m_v, false, true);
  const double first = merit;
  for (int step = 0; step < kConvexSteps && hasBudget(); ++step) {
    if (!(merit > kConvexShare * first && merit > 1e-12 * m_noMerit)) return;
    if (!factor()) return;
    Eigen::VectorXd direction = m_force;
    m_matrix.solve(direction);
    // Zero of g(t) = −F(v + t dv)·dv, which grows with t.
    const double start = -m_force.dot(direction);
    double low = 0, ofLow = start, high = 0, ofHigh = 0, t = 1;
    Eigen::VectorXd next;
    for (int trial = 0; trial < 12; ++trial) {
      next = m_v + t * direction;
      evaluate(next, false, false);
      const double g = -m_force.dot(direction);
      if (std::fabs(g) <= 0.05 * std::fabs(start)) break;
      if (g < 0) {
        low = t;
        ofLow = g;
        if (high == 0) {
          t *= 2;
          if (t > 8) break;
          continue;
        }
      } else {
        high = t;
        ofHigh = g;
      }
      const double share = trial % 3 == 2 ? 0.5 : ofLow / (ofLow - ofHigh);
      t = low + std::min(0.95, std::max(0.05, share)) * (high - low);
    }
    if (!next.allFinite()) return;
    m_v = next;
    merit = evaluate(m_v, false, true);
  }
}

/// Newton's method on the law itself, at this centre. @param used  out: steps   @return true if it is solved
bool ProximalNewton::coupledRound(int& used) {
  double merit = evaluate(m_v, true, true);
  const double first = merit;
  const auto isSolved = [&] { return merit <= kSolvedOfAll * m_noMerit || merit <= kSolvedShare * first; };
  int slow = 0;
  for (used = 0; used < kCoupledSteps && hasBudget(); ++used) {
    if (isSolved()) return true;
    if (!factor()) return false;
    Eigen::VectorXd direction = m_force;
    m_matrix.solve(direction);
    if (!direction.allFinite()) return false;
    double t = 1, found = 0;
    Eigen::VectorXd next;
    int halves = 0;
    for (; halves < 6; ++halves, t *= 0.5) {
      next = m_v + t * direction;
      found = evaluate(next, true, false);
      if (found <= merit * (1 - 0.1 * t)) break;
    }
    if (halves == 6) slow += 2;
    if (!(found <= 0.5 * merit)) ++slow;
    m_v = next;
    merit = evaluate(m_v, true, true);
    if (slow > 4) return merit <= 1e-3 * first;
  }
  return isSolved();
}

/// The velocities at which the rows that act now would be answered at the new centre and softness.
void ProximalNewton::predict() {
  std::vector<double> impulses(m_q.size(), 0.0);
  for (const Unit& unit : m_units)
    for (int row = 0; row < unit.forced; ++row) {
      double* const slopes = m_slopes.data() + unit.firstSlope + row * unit.forced;
      double& impulse = impulses[unit.firstRow + row];
      const RowLaw law = unit.rows[row].law;
      const double ratio = law == RowLaw::Free ? 1 : m_slopesRho / m_rho;
      for (int other = 0; other < unit.forced; ++other) {
        slopes[other] *= ratio;
        const int rate = other == 0 && unit.active > 0 ? unit.active : other;
        impulse -= slopes[other] * m_free[unit.firstRow + rate];
      }
      if (law == RowLaw::Disk)
        impulse += m_centre[unit.firstRow + row];
      else if (slopes[row] > 0)
        impulse += softnessOf(unit, row) * slopes[row] * m_centre[unit.firstRow + row];
      else if (law == RowLaw::Symmetric || law == RowLaw::Fixed)
        impulse += m_q[unit.firstRow + row];
    }
  m_isCoupledSlope = true;
  if (!factor()) return;
  Eigen::VectorXd next = pushOf(impulses);
  m_matrix.solve(next);
  const double before = evaluate(m_v, true, false), after = evaluate(next, true, false);
  if (after < before) m_v = next;
}

/// True if the centre has impulses that no motion explains, p > 100 max m (V + max |w(ν̃)|), while the
/// residual stays.
bool ProximalNewton::isJammed() const {
  if (!(m_outcome.best.scaled > kJammedResidual)) return false;
  double impulse = 0, rate = 0, mass = 0;
  for (const Unit& unit : m_units)
    for (int row = 0; row < unit.forced; ++row) {
      const RowLaw law = unit.rows[row].law;
      if (law != RowLaw::Unilateral && law != RowLaw::Maximum) continue;
      impulse = std::max(impulse, m_centre[unit.firstRow + row]);
      rate = std::max(rate, std::fabs(m_free[unit.firstRow + row]));
    }
  for (const Mass& carrier : m_masses)
    for (int axis = 0; axis < 3; ++axis)
      if (carrier.inverse[axis] > 0) mass = std::max(mass, carrier.mass[axis]);
  return impulse > kJammedImpulse * mass * (m_problem->velocityUnit + rate);
}

}  // namespace touchstone
