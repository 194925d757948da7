#pragma once

#include <Eigen/Core>
#include <vector>

#include "core/contact/nsn/linear_systems.h"
#include "core/contact/nsn/newton_equations.h"

namespace touchstone::nsn {

/// The step of Newton's method from an iterate: solves
///     A Δλ = (1/h) (J H⁻¹ g₀ − r),   A = J H⁻¹ Jᵀ + C,   g₀ = g − h Jᵀ Δλ₀,   H Δu = h Jᵀ Δλ − g₀
/// on the rows whose Δλ is not prescribed (Δλ₀), with the residuals r of the rows and their compliance C
/// (Macklin 2019, eqs. 56, 59 and 60), by the linear solver of the settings.
class NewtonSystem {
 public:
  /// All of them outlive it, unchanged.
  NewtonSystem(const Equations& equations, const Island& island, const Settings& settings);

  /// True if a BatchedLinearSystems solves it; else solve() does.
  bool isForEngine() const;
  const SystemSize& size() const { return m_size; }
  /// Writes the system where LinearSystems::layOut() has made room.
  void write(LinearSystems& systems, int system) const;
  /// Its step from the answer of the engine.
  NewtonStep stepOf(const LinearAnswers& answers, const SystemPlace& place, int system);
  /// Its step by the solvers that work here, row by row: Gauss–Seidel's sweeps and factorisations.
  NewtonStep solve();

 private:
  const NewtonRow& freeRow(Eigen::Index k) const { return m_rows[m_free[k]]; }
  bool isFull() const { return m_settings.friction == FrictionForm::Full; }
  void stiffen(const std::vector<Mat3>& stiffness);
  void prescribe();
  void formRightSide();
  NewtonStep stepFrom(const double* x);
  Motions inverseTimes(const Motions& g) const;
  static double along(const NewtonRow& row, const Motions& v) { return row.scale * rateOf(row.terms, v); }
  void pushFree(const NewtonRow& row, double x, Motions& bodies) const;
  Eigen::VectorXd times(const double* x) const;
  Eigen::VectorXd sweep();
  Eigen::VectorXd solveDirectly() const;

  const Island& m_island;
  const Settings& m_settings;
  const std::vector<NewtonRow>& m_rows;
  Motions m_left;                   ///< g₀
  std::vector<Mat3> m_inverse;      ///< of H_ωω
  std::vector<Vec3> m_inverseMass;  ///< of H_vv, a diagonal [1/kg]
  std::vector<int> m_free;          ///< rows whose multipliers are unknown
  Eigen::VectorXd m_right;
  SystemSize m_size;
  double m_norm = 0;           ///< |right|
  Eigen::VectorXd m_diagonal;  ///< of A, regularised
  Eigen::VectorXd m_added;     ///< C with the regularisation
  NewtonStep m_step;
};

}  // namespace touchstone::nsn
