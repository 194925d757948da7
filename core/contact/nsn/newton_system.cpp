#include "core/contact/nsn/newton_system.h"

#include <Eigen/Eigenvalues>
#include <Eigen/SparseCholesky>
#include <Eigen/SparseLU>

#include "core/solver/linear/krylov.inl"

namespace touchstone::nsn {

namespace {

using Sparse = Eigen::SparseMatrix<double>;

class NewtonSystem {
 public:
  NewtonSystem(const Equations& equations, const Island& island, const Settings& settings)
      : m_island(island), m_settings(settings), m_rows(equations.rows()), m_left(equations.momentum()) {
    for (const IslandBody& body : island.bodies) m_inverse.push_back(body.inverseInertia);
    if (settings.geometric == Geometric::Joints) stiffen(equations.geometricStiffness());
    m_step.forces.assign(m_rows.size(), 0);
    prescribe();
  }

  NewtonStep solve() {
    const Eigen::VectorXd x = solveLinear(rightSide());
    const std::size_t bodies = m_island.bodies.size();
    Motions impulses(bodies);
    for (std::size_t body = 0; body < bodies; ++body) {
      impulses.linear[body] = -m_left.linear[body];
      impulses.angular[body] = -m_left.angular[body];
    }
    for (Eigen::Index k = 0; k < x.size(); ++k) {
      const NewtonRow& row = freeRow(k);
      m_step.forces[static_cast<std::size_t>(m_free[static_cast<std::size_t>(k)])] = x[k];
      if (row.follower >= 0)
        m_step.forces[static_cast<std::size_t>(row.follower)] += row.followerShare * x[k];
      pushFree(row, m_island.h * x[k], impulses);
    }
    m_step.u = inverseTimes(impulses);
    return std::move(m_step);
  }

 private:
  const NewtonRow& freeRow(Eigen::Index k) const {
    return m_rows[static_cast<std::size_t>(m_free[static_cast<std::size_t>(k)])];
  }

  /// H_ωω = I + h² [sym Σ K]₊.
  void stiffen(const std::vector<Mat3>& stiffness) {
    const double h = m_island.h;
    for (std::size_t body = 0; body < stiffness.size(); ++body) {
      if (stiffness[body].isZero(0)) continue;
      const Eigen::Matrix3d symmetric = 0.5 * (stiffness[body] + stiffness[body].transpose());
      const Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d> eigen(symmetric);
      const Eigen::Matrix3d positive = eigen.eigenvectors() * eigen.eigenvalues().cwiseMax(0).asDiagonal() *
                                       eigen.eigenvectors().transpose();
      const Eigen::Matrix3d sum = m_island.bodies[body].inertia + h * h * positive;
      m_inverse[body] = sum.inverse();
    }
  }

  /// Takes Δλ of the rows that prescribe it, with what follows them, out of g.
  void prescribe() {
    const double h = m_island.h;
    for (std::size_t index = 0; index < m_rows.size(); ++index) {
      const NewtonRow& row = m_rows[index];
      if (!row.equation.isPrescribed) {
        m_free.push_back(static_cast<int>(index));
        continue;
      }
      m_step.forces[index] = row.equation.change;
      push(row.terms, -h * row.scale * row.equation.change, m_left);
    }
    for (const NewtonRow& row : m_rows) {
      if (row.follower < 0 || !row.equation.isPrescribed) continue;
      const std::size_t follower = static_cast<std::size_t>(row.follower);
      const double more = row.followerShare * row.equation.change;
      m_step.forces[follower] += more;
      push(m_rows[follower].terms, -h * more, m_left);
    }
  }

  /// The right side, with the diagonal of A.
  Eigen::VectorXd rightSide() {
    const Motions free = inverseTimes(m_left);
    Eigen::VectorXd right(static_cast<Eigen::Index>(m_free.size()));
    m_diagonal.resize(right.size());
    m_added.resize(right.size());
    for (Eigen::Index k = 0; k < right.size(); ++k) {
      const NewtonRow& row = freeRow(k);
      right[k] = (along(row, free) - row.equation.residual) / m_island.h;
      double diagonal = row.equation.compliance;
      for (const RowTerm& term : row.terms) {
        const std::size_t body = static_cast<std::size_t>(term.body);
        diagonal += row.scale * row.scale *
                    (m_island.bodies[body].inverseMass * term.linear.squaredNorm() +
                     term.angular.dot(m_inverse[body] * term.angular));
      }
      m_added[k] = row.equation.compliance + m_settings.regularisation * diagonal;
      m_diagonal[k] = diagonal * (1 + m_settings.regularisation);
    }
    return right;
  }

  /// H⁻¹ g.
  Motions inverseTimes(const Motions& g) const {
    Motions v(g.linear.size());
    for (std::size_t body = 0; body < g.linear.size(); ++body) {
      v.linear[body] = m_island.bodies[body].inverseMass * g.linear[body];
      v.angular[body] = m_inverse[body] * g.angular[body];
    }
    return v;
  }
  static double along(const NewtonRow& row, const Motions& v) { return row.scale * rateOf(row.terms, v); }
  /// Adds the force x of a free row, with what follows it.
  void pushFree(const NewtonRow& row, double x, Motions& bodies) const {
    push(row.terms, row.scale * x, bodies);
    if (row.follower >= 0)
      push(m_rows[static_cast<std::size_t>(row.follower)].terms, row.followerShare * x, bodies);
  }

  /// A x over the free rows.
  Eigen::VectorXd times(const double* x) const {
    Motions impulses(m_island.bodies.size());
    for (Eigen::Index k = 0; k < m_added.size(); ++k) pushFree(freeRow(k), x[k], impulses);
    const Motions v = inverseTimes(impulses);
    Eigen::VectorXd result(m_added.size());
    for (Eigen::Index k = 0; k < result.size(); ++k) result[k] = along(freeRow(k), v) + m_added[k] * x[k];
    return result;
  }

  /// The system for the one Krylov loop.
  struct KrylovSystem {
    struct Rows {
      KrylovVectors u;
      const double* product;
      double systemTimes(int, int row, const double*) const { return product[row]; }
    };
    const NewtonSystem& system;
    KrylovVectors u;
    mutable Eigen::VectorXd product;
    mutable KrylovState state;
    mutable KrylovSums sums;
    mutable bool isRunning = true;
    mutable std::vector<float> curve;  ///< relative residual after each iteration

    void multiply(const double* x) const { product = system.times(x); }
    template <class Body>
    void eachRow(const Body& body) const {
      KrylovSums none;
      visit(body, none);
    }
    template <class Body>
    void sumRows(const Body& body) const {
      sums = KrylovSums();
      visit(body, sums);
    }
    template <class Act>
    void conclude(const Act& act) const {
      if (!isRunning) return;
      const int before = state.iterations;
      isRunning = act(state, sums.values);
      if (state.iterations > before) curve.push_back(static_cast<float>(state.residual));
    }
    bool goesOn(int) const { return isRunning; }
    template <class Sequence>
    void repeat(const Sequence& sequence) const {
      sequence();
    }

   private:
    template <class Body>
    void visit(const Body& body, KrylovSums& into) const {
      if (!isRunning) return;
      const Rows rows{u, product.data()};
      for (int row = 0; row < static_cast<int>(product.size()); ++row) body(rows, 0, state, row, into);
    }
  };

  Eigen::VectorXd solveLinear(const Eigen::VectorXd& right) {
    Eigen::VectorXd x = Eigen::VectorXd::Zero(right.size());
    const double size = right.norm();
    if (!(size > 0)) return x;
    const bool isFull = m_settings.friction == FrictionForm::Full;
    if (isFull || m_settings.linear == LinearSolver::Direct) {
      x = solveDirectly(right, isFull);
      m_step.linearResidual = (times(x.data()) - right).norm() / size;
      return x;
    }
    if (m_settings.linear == LinearSolver::GaussSeidel) return sweep(right);
    return iterateLinear(right);
  }

  Eigen::VectorXd iterateLinear(const Eigen::VectorXd& right) {
    const Eigen::Index n = right.size();
    Eigen::VectorXd b = right, x(n), best(n), r(n), z(n), p(n), Sz(n), Sp(n);
    Eigen::VectorXd inverse = m_diagonal.unaryExpr([](double d) { return d > 0 ? 1 / d : 1.0; });
    const KrylovVectors u{b.data(), x.data(),  best.data(), r.data(),      z.data(),
                          p.data(), Sz.data(), Sp.data(),   inverse.data()};
    KrylovSystem system{*this, u, Eigen::VectorXd::Zero(n), {}, {}, true, {}};
    system.state.size = right.norm();
    system.state.residual = 1;
    system.state.tolerance = m_settings.linearTolerance;
    for (int row = 0; row < n; ++row) detail::beginLinear(u, row);
    if (m_settings.linear == LinearSolver::Jacobi) {
      system.state.damping = jacobiDamping(inverse);
      iterateJacobi(system, u, m_settings.linearIterations);
    } else {
      iterateKrylov(system, u, m_settings.linear == LinearSolver::Pcr, m_settings.linearIterations);
    }
    m_step.linearIterations = system.state.iterations;
    m_step.linearResidual = system.state.residual;
    m_step.linear = std::move(system.curve);
    return system.state.isBetter ? x : best;
  }

  /// 1 / λ_max(P⁻¹ A), by power iterations: undamped, Jacobi's sweeps diverge on redundant contacts.
  double jacobiDamping(const Eigen::VectorXd& inverse) const {
    constexpr int kPowerIterations = 15;
    Eigen::VectorXd x = Eigen::VectorXd::Ones(inverse.size());
    for (Eigen::Index k = 0; k < x.size(); ++k) x[k] += 0.1 * static_cast<double>(k % 7);
    double largest = 1;
    for (int k = 0; k < kPowerIterations; ++k) {
      x /= x.norm();
      x = inverse.cwiseProduct(times(x.data()));
      largest = x.norm();
      if (!(largest > 0)) return 1;
    }
    return 1 / largest;
  }

  /// Forward sweeps of Gauss–Seidel in the order of the rows, without the matrix.
  Eigen::VectorXd sweep(const Eigen::VectorXd& right) {
    Eigen::VectorXd x = Eigen::VectorXd::Zero(right.size());
    Motions v(m_island.bodies.size());
    for (m_step.linearIterations = 0; m_step.linearIterations < m_settings.linearIterations;) {
      for (Eigen::Index k = 0; k < x.size(); ++k) {
        const NewtonRow& row = freeRow(k);
        if (!(m_diagonal[k] > 0)) continue;
        const double change = (right[k] - along(row, v) - m_added[k] * x[k]) / m_diagonal[k];
        x[k] += change;
        for (const RowTerm& term : row.terms) {
          const std::size_t body = static_cast<std::size_t>(term.body);
          v.linear[body] += row.scale * change * m_island.bodies[body].inverseMass * term.linear;
          v.angular[body] += row.scale * change * Vec3(m_inverse[body] * term.angular);
        }
      }
      ++m_step.linearIterations;
      m_step.linearResidual = (times(x.data()) - right).norm() / right.norm();
      m_step.linear.push_back(static_cast<float>(m_step.linearResidual));
      if (m_step.linearResidual <= m_settings.linearTolerance) break;
    }
    return x;
  }

  /// LDLᵀ of the sparse matrix, or LU where it is not symmetric.
  Eigen::VectorXd solveDirectly(const Eigen::VectorXd& right, bool isFull) const {
    const std::size_t bodies = m_island.bodies.size();
    std::vector<std::vector<std::pair<int, const RowTerm*>>> ofBody(bodies);  // free rows, with their terms
    for (Eigen::Index k = 0; k < right.size(); ++k)
      for (const RowTerm& term : freeRow(k).terms)
        ofBody[static_cast<std::size_t>(term.body)].push_back({static_cast<int>(k), &term});
    std::vector<Eigen::Triplet<double>> entries;
    for (std::size_t body = 0; body < bodies; ++body)
      for (const auto& [column, pushed] : ofBody[body]) {
        const NewtonRow& source = freeRow(column);
        Vec3 linear = source.scale * pushed->linear, angular = source.scale * pushed->angular;
        if (source.follower >= 0)
          for (const RowTerm& term : m_rows[static_cast<std::size_t>(source.follower)].terms) {
            if (term.body != pushed->body) continue;
            linear += source.followerShare * term.linear;
            angular += source.followerShare * term.angular;
          }
        const Vec3 v = m_island.bodies[body].inverseMass * linear, w = m_inverse[body] * angular;
        for (const auto& [row, term] : ofBody[body])
          entries.emplace_back(row, column,
                               freeRow(row).scale * (term->linear.dot(v) + term->angular.dot(w)));
      }
    const int n = static_cast<int>(right.size());
    for (int row = 0; row < n; ++row) entries.emplace_back(row, row, m_added[row]);
    Sparse A(n, n);
    A.setFromTriplets(entries.begin(), entries.end());
    if (isFull) {
      Eigen::SparseLU<Sparse> lu;
      lu.compute(A);
      if (lu.info() == Eigen::Success) return lu.solve(right);
    } else {
      const Eigen::SimplicialLDLT<Sparse> ldlt(A);
      if (ldlt.info() == Eigen::Success) return ldlt.solve(right);
    }
    return Eigen::VectorXd::Constant(n, NAN);
  }

  const Island& m_island;
  const Settings& m_settings;
  const std::vector<NewtonRow>& m_rows;
  Motions m_left;               ///< g₀
  std::vector<Mat3> m_inverse;  ///< of H_ωω
  std::vector<int> m_free;      ///< rows whose multipliers are unknown
  Eigen::VectorXd m_diagonal;   ///< of A, regularised
  Eigen::VectorXd m_added;      ///< C with the regularisation
  NewtonStep m_step;
};

}  // namespace

NewtonStep newtonStep(const Equations& equations, const Island& island, const Settings& settings) {
  return NewtonSystem(equations, island, settings).solve();
}

}  // namespace touchstone::nsn
