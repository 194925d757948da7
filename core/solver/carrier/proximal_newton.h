#pragma once

#include <vector>

#include "core/solver/carrier/block_matrix.h"
#include "core/solver/rows/row.h"
#include "core/solver/table/convergence.h"

namespace touchstone {

/// The rows of an island on the host, with what residuals are relative to.
struct CarrierProblem {
  RowsView table;
  CarrierMetric metric;
  CarrierVelocities free;         ///< ν̃ [m/s, rad/s]
  const std::vector<int>* units;  ///< of the island
  const double *scale, *inverse;  ///< [rows of the table] r and 1/r, see setScales()
  double denominator;             ///< IslandCurve::denominator
  double velocityUnit;            ///< V [m/s]
};

/// End of a solve: what its best iterate is worth.
struct ProximalOutcome {
  RowExtremes best;                  ///< scaled by the denominator
  std::vector<RowExtremes> history;  ///< of the start and of each round
  int factorisations = 0;
  /// Impulses have grown without an end while the residual stayed: friction locks rows that ask to part.
  bool isJammed = false;
};

/// Semismooth Newton with a proximal point in the space of the carriers' velocities, for rows of every law
/// (the disk of Alart and Curnier 1991, as an equation of δν instead of impulses). With a centre p°, a
/// softness ρ, R = ρ r and w = w(ν̃) + J δν,
///
///     q = proj_law((R p° − w)/(R + C)),   F(δν) = Fᵀ q − M δν = 0,   (M + Fᵀ D J) dv = F(δν)
///
/// D is the slope of q: 1/(R + C) of a row within its interval, 0 at a bound, of a disk that sticks 1/R in
/// both directions, of one that slips (L/|y|)(1 − e eᵀ)/R and, in a *coupled* round, μ e/R_n in the column of
/// its normal, for L = μ q_n. A *convex* round holds L at μ p°_n (Tresca): its problem has one minimum, which
/// an exact line search approaches from any start. A coupled round starts there, converges to the law
/// itself, and moves the centre; ρ shrinks as long as that goes well.
class ProximalNewton {
 public:
  /// ρ that a solve begins with: from nothing, from an answer of the last step or of sweeps, and from an
  /// answer of nearly the same rows.
  static constexpr double kColdSoftness = 0.1, kWarmSoftness = 1e-2, kSolvedSoftness = 1e-4;

  /// @param z  [rows of the table] in: start of the rows of the island, out: their best impulses
  /// @param tolerance  on RowExtremes::scaled   @param softness  ρ that fits the start; a cold one begins
  /// with a convex round
  /// @param change  out [carriers of the table]: H⁻¹ Fᵀ z of the island's carriers
  ProximalOutcome solve(const CarrierProblem& problem, double tolerance, int factorisations, double softness,
                        double* z, const CarrierVelocities& change);

 private:
  using Twist = Eigen::Matrix<double, 6, 1>;

  /// A unit of rows with its gradients.
  struct Unit {
    const Row* rows;
    int rowCount, forced;  ///< rows with impulses come first
    int carrierCount, firstCarrier;
    int firstRow;               ///< of the island's rows
    int tableRow, firstTerm;    ///< of m_terms: row r on carrier k: firstTerm + r carrierCount + k
    int firstForceTerm;         ///< of m_forces, likewise, if it has forces
    int firstSlope, firstSlot;  ///< D [forced²]; blocks [carrierCount²] of the matrix
    int active;                 ///< of a Maximum the row that is largest
    bool isPacked;              ///< C is a matrix
    bool hasForces;             ///< F is not J
  };
  /// Angular velocities are unknowns times `length`, a radius of gyration: all have one unit, and which pivot
  /// is the largest does not depend on the unit of length.
  struct Mass {
    double mass[3];  ///< 1 along axes that do not move
    double inverse[3];
    double length;
    Mat3 inertia, inverseInertia;  ///< over length² [kg, 1/kg]
  };

  void take(const CarrierProblem& problem, const double* z);
  void takeUnit(const CarrierProblem& problem, const RowUnit& unit);
  void setPattern();

  Eigen::VectorXd massTimes(const Eigen::VectorXd& v) const;
  Eigen::VectorXd inverseTimes(const Eigen::VectorXd& f) const;
  void addPush(const Unit& unit, const double* q, Eigen::VectorXd& force) const;
  Eigen::VectorXd pushOf(const std::vector<double>& q) const;
  const Twist* forcesOf(const Unit& unit) const {
    return unit.hasForces ? m_forces.data() + unit.firstForceTerm : m_terms.data() + unit.firstTerm;
  }
  double rateOf(const Unit& unit, int row, const Eigen::VectorXd& v) const;
  double softnessOf(const Unit& unit, int row) const;

  double evaluate(const Eigen::VectorXd& v, bool isCoupled, bool withSlopes);
  void answer(Unit& unit, const double* w, bool isCoupled, bool withSlopes);
  void answerDisk(const Unit& unit, int row, const double* w, bool isCoupled, bool withSlopes);
  void answerPacked(const Unit& unit, const double* w, bool withSlopes);
  bool factor();
  bool isSymmetric() const;
  void holdLimits();
  RowExtremes residual(const Eigen::VectorXd& change) const;
  void note();

  void convexRound();
  bool coupledRound(int& used);
  void predict();
  bool hasBudget() const { return m_outcome.factorisations < m_budget; }
  bool isJammed() const;

  const CarrierProblem* m_problem = nullptr;
  std::vector<int> m_carriers;  ///< of the table, ascending
  std::vector<Mass> m_masses;
  std::vector<Unit> m_units;
  std::vector<int> m_unitCarriers;       ///< of the island
  std::vector<Twist> m_terms, m_forces;  ///< J and F; F only of units that differ
  std::vector<int> m_slots;
  std::vector<double> m_free;                          ///< w(ν̃) of each row, without C z
  std::vector<double> m_scale;                         ///< r
  std::vector<double> m_centre, m_q, m_limit, m_best;  ///< p°, q; radius of a disk at its first row
  std::vector<double> m_slopes, m_rates;               ///< D of all units; w of the one that is answered
  BlockMatrix m_matrix;
  Eigen::VectorXd m_v, m_force;
  double m_rho = 0, m_slopesRho = 0, m_noMerit = 0, m_rounding = 0;
  int m_budget = 0;
  bool m_isCoupledSlope = false;
  ProximalOutcome m_outcome;
};

}  // namespace touchstone
