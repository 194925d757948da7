#pragma once

#include <vector>

#include "core/solver/carrier/proximal_newton.h"
#include "core/solver/rows/rewriting.h"

namespace touchstone {

/// The rows of an island that are written again at each iterate, on the host.
struct RewrittenProblem {
  RowsView table;
  RowArrays arrays;               ///< of the table, to write to
  const std::vector<int>* units;  ///< of the island
  CarrierMetric mass;             ///< M⁻¹
  CarrierVelocities free;         ///< ν̃ [m/s, rad/s]
  const RowRewriting* again;
  const RewritingSettings* settings;
  int bodyCount;        ///< carriers after these are particles
  double dt;            ///< h [s]
  double velocityUnit;  ///< V [m/s]
};

/// Arrays over all carriers and rows of a table, of which each island uses its part.
struct RewrittenArrays {
  std::vector<Vec3> inverseMass;                  ///< [carriers] H⁻¹ …
  std::vector<Mat3> inverseInertia;               ///< … of bodies
  std::vector<Vec3> linear, angular;              ///< [carriers] ν of the iterate
  std::vector<Vec3> freeLinear, freeAngular;      ///< [carriers] where H is free to go
  std::vector<Vec3> changeLinear, changeAngular;  ///< [carriers] H⁻¹ Fᵀz
  std::vector<double> scale, inverse, z, rates;   ///< [rows] r, 1/r, impulses and w of the iterate

  void resize(int carriers, int rows);
  CarrierMetric metric() const { return {inverseMass.data(), inverseInertia.data()}; }
  CarrierVelocities velocities() { return {linear.data(), angular.data()}; }
  CarrierVelocities free() { return {freeLinear.data(), freeAngular.data()}; }
  CarrierVelocities change() { return {changeLinear.data(), changeAngular.data()}; }
};

/// Newton's method in the space of the carriers' velocities for rows that bend (Macklin 2019, eq. 57, as an
/// outer iteration): rows are written where the iterate leads, c(q(ν))/h, and ProximalNewton solves them with
///
///     M (ν − ν̃) + K (ν − ν_k) = F_kᵀ z
///
/// K is the geometric stiffness of joints and elements, −∂(Fᵀz)/∂ν. The first round has the rows of the start
/// of the step, as the standard LCP model has them, so that it needs no guess. A round whose answer fails by
/// more than the iterate before it is shortened.
class RewrittenNewton {
 public:
  /// Residual of rows that are solved as they are, as a share of the tolerance.
  static constexpr double kShareOfTolerance = 0.3;

  /// Begins with an island whose rows are those of the start of the step.
  /// @param z  [rows of the table] start   @param arrays  stay until end()
  void begin(const RewrittenProblem& problem, const double* z, RewrittenArrays& arrays);
  /// Writes the rows where velocities u lead, and measures them with impulses z of the table.
  /// @return ResidualParts::total() [m/s]
  double look(const CarrierVelocities& u, const double* z);
  /// Newton's rounds, from the best iterate that was measured, else from the start.
  /// @param tolerance  on ResidualParts::total() [m/s]   @param rounds  at most
  /// @param isWarm  the start is an answer of the last step
  void improve(double tolerance, int rounds, bool isWarm);
  /// Takes the best iterate: velocities in the arrays, rows as it has them.
  /// @param z  [rows of the table] out: its impulses
  void end(double* z);

  const ResidualParts& best() const { return m_best; }
  const std::vector<ResidualParts>& history() const { return m_history; }  ///< of what was measured
  int carrierCount() const { return static_cast<int>(m_carriers.size()); }
  /// False with joints or elements, which sweeps converge on slowly, and where masses differ much.
  bool suitsSweeps() const { return !m_hasJoints && !m_isUneven; }

 private:
  struct Iterate {
    std::vector<Vec3> linear, angular;  ///< [carriers of the island]
    std::vector<double> z;              ///< [rows of the island]
  };

  void note(const ResidualParts& parts);
  Iterate iterate(const CarrierVelocities& u, const double* z) const;
  void moveTo(const Iterate& from, const Iterate& to, double share);
  void rewrite();
  void stiffen();
  std::vector<Vec3> elementForces(const double* z) const;
  void addSecants(const std::vector<Vec3>& fromForces, const std::vector<Vec3>& toForces, double share,
                  const Iterate& from);
  ResidualParts measure();
  void freeUnderStiffness(const CarrierVelocities& iterate);
  double denominator(double& largestScale);

  RewrittenProblem m_problem;
  RewrittenArrays* m_arrays = nullptr;
  bool m_hasJoints = false, m_isUneven = false;
  std::vector<int> m_carriers, m_blocks;  ///< of the table, ascending
  std::vector<Vec3> m_addedMass;          ///< [carriers of the island] H − M
  std::vector<Mat3> m_addedInertia;
  Iterate m_bestIterate;
  ResidualParts m_best;
  std::vector<ResidualParts> m_history;
  ProximalNewton m_rounds;
};

}  // namespace touchstone
