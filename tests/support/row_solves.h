#pragma once

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <memory>
#include <vector>

#include "core/parallel/host_backend.h"
#include "core/solver/rows/uploaded_rows.inl"
#include "core/solver/solvers.inl"
#include "tests/support/row_models.h"

// Solvers of rows on tables of models, and what their answers are worth, measured without them.

namespace touchstone::test {

/// A solver of rows with the linear solver of its iterations.
struct SolverChoice {
  const char* name;
  RowSolverKind kind;
  LinearSolver linear;
  int iterations;  ///< with which it reaches its tolerance: sweeps of pgs, iterations of Newton's
  double tolerance = 1e-12;
};
inline bool isAuto(const SolverChoice& solver) {
  return solver.kind == RowSolverKind::Auto || solver.kind == RowSolverKind::AutoOnHost;
}
/// True for those that push carriers block by block instead of by the sum of all pushes.
inline bool sweeps(const SolverChoice& solver) {
  return solver.kind == RowSolverKind::Pgs || solver.kind == RowSolverKind::PgsConjugate || isAuto(solver);
}
inline constexpr SolverChoice kReference = {"newton-fb direct", RowSolverKind::NewtonFbOnHost,
                                            LinearSolver::Direct, 200};
inline std::vector<SolverChoice> everySolver() {
  return {kReference,
          {"newton-fb gauss-seidel", RowSolverKind::NewtonFbOnHost, LinearSolver::GaussSeidel, 200},
          {"newton-min direct", RowSolverKind::NewtonMinOnHost, LinearSolver::Direct, 200},
          {"newton-min gauss-seidel", RowSolverKind::NewtonMinOnHost, LinearSolver::GaussSeidel, 200},
          {"newton-fb pcr", RowSolverKind::NewtonFb, LinearSolver::Pcr, 200},
          {"newton-fb pcg", RowSolverKind::NewtonFb, LinearSolver::Pcg, 200},
          {"newton-fb jacobi", RowSolverKind::NewtonFb, LinearSolver::Jacobi, 200},
          {"newton-min pcr", RowSolverKind::NewtonMin, LinearSolver::Pcr, 200},
          {"newton-min pcg", RowSolverKind::NewtonMin, LinearSolver::Pcg, 200},
          {"newton-min jacobi", RowSolverKind::NewtonMin, LinearSolver::Jacobi, 200},
          {"auto direct", RowSolverKind::AutoOnHost, LinearSolver::Direct, 200},
          {"lemke", RowSolverKind::Lemke, LinearSolver::Direct, 200},
          {"pgs-conjugate", RowSolverKind::PgsConjugate, LinearSolver::Direct, 40000},
          {"newton-carrier", RowSolverKind::NewtonCarrier, LinearSolver::Direct, 2000, 1e-10},
          {"auto pcr", RowSolverKind::Auto, LinearSolver::Pcr, 200},
          {"pgs", RowSolverKind::Pgs, LinearSolver::Direct, 40000}};
}

/// Answer of a solver: impulses of rows and velocities of carriers.
struct RowAnswer {
  std::vector<double> z;
  Motion velocities;
};

/// A solver with the table of a model, whose arrays it works on. All islands run.
class RowSolve {
 public:
  RowSolve(const Model& model, const SolverChoice& choice, int maxIterations, double tolerance = 1e-12,
           double velocityUnit = 1)
      : m_velocities(model.free), m_inertia(model.inverseInertia), m_bodies(model.carrierCount()) {
    for (const Vec3& inverse : model.inverseMass) m_inverseMass.push_back(inverse.x());
    m_world.bodyCount = m_world.carrierCount = model.carrierCount();
    m_world.bodies = m_bodies.data();
    m_world.inverseMass = m_inverseMass.data();
    m_world.inverseInertia = m_inertia.data();
    m_world.nextLinearVelocity = m_velocities.linear.data();
    m_world.nextAngularVelocity = m_velocities.angular.data();
    m_kind.set(HostBackend(), model.table);
    SolverSettings settings;
    settings.tolerance = tolerance;
    settings.velocityUnit = velocityUnit;
    settings.maxIterations = maxIterations;
    settings.linear = choice.linear;
    settings.linearIterations = 20000;
    ModelSettings modelSettings;
    if (choice.kind == RowSolverKind::Lemke) modelSettings.friction = FrictionShape::Pyramid;
    solver = makeRowSolver(choice.kind, HostBackend());
    solver->setModel(modelSettings);
    solver->layOut(m_world, {&m_kind}, {settings});
    solver->runAll();
    solver->keepFree();
    solver->start(true);
  }
  RowSolve(const RowSolve&) = delete;

  RowAnswer solve() {
    solver->solve(0);
    return answer();
  }
  RowAnswer answer() const { return {{solver->best(), solver->best() + solver->rowCount()}, m_velocities}; }
  Motion& velocities() { return m_velocities; }
  /// Island of each block of the model.
  std::vector<int> islandOfBlocks(const Model& model) const {
    const RowsView table = solver->table();
    std::vector<int> islands;
    for (const RowBlock& block : model.table.blocks) {
      int place = 0;  // the table's blocks lie in the order of the sweeps
      while (table.blocks[place].firstRow != block.firstRow) ++place;
      islands.push_back(table.blocks[place].island);
    }
    return islands;
  }

  std::unique_ptr<RowSolver<HostBackend>> solver;

 private:
  Motion m_velocities;
  std::vector<Mat3> m_inertia;
  std::vector<BodyConstants> m_bodies;
  std::vector<double> m_inverseMass;
  WorldView m_world;
  UploadedRows<HostBackend> m_kind;
};

/// J of a model, whose impulses act along the same gradients, by the definition of both forms [rows × 6
/// carriers].
inline Eigen::MatrixXd gradientsOf(const Model& model) {
  const RowBuffer& table = model.table;
  Eigen::MatrixXd J = Eigen::MatrixXd::Zero(table.rows.size(), 6 * model.carrierCount());
  for (const RowUnit& unit : table.units) {
    const RowBlock& block = table.blocks[unit.block];
    for (int row = unit.firstRow; row < unit.firstRow + unit.rowCount; ++row)
      for (int k = 0; k < block.carrierCount; ++k) {
        Vec3 linear, angular;
        if (block.form == RowForm::General) {
          const int term = block.firstTerm + (row - block.firstRow) * block.carrierCount + k;
          linear = table.terms[term].linear;
          angular = table.terms[term].angular;
        } else {
          const int axis = row - unit.firstRow,
                    group = unit.firstGroup + std::max(0, axis - unit.groupRows + 1);
          const Vec3 first = table.frames[block.firstFrame + 2 * group],
                     second = table.frames[block.firstFrame + 2 * group + 1];
          const PointTerm& point = table.points[block.firstTerm + group * block.carrierCount + k];
          linear = axis == 1 && unit.groupRows > 1   ? second
                   : axis == 2 && unit.groupRows > 2 ? Vec3(first.cross(second))
                                                     : first;
          linear *= point.weight;
          angular = point.arm.cross(linear);
        }
        const int carrier = table.carriers[block.firstCarrier + k];
        J.block<1, 3>(row, 6 * carrier) += linear.transpose();
        J.block<1, 3>(row, 6 * carrier + 3) += angular.transpose();
      }
  }
  return J;
}

inline Eigen::VectorXd vectorOf(const Motion& motion) {
  Eigen::VectorXd velocities(6 * motion.linear.size());
  for (int carrier = 0; carrier < countOf(motion.linear); ++carrier)
    velocities.segment<6>(6 * carrier) << motion.linear[carrier], motion.angular[carrier];
  return velocities;
}

/// H⁻¹ f of all carriers. @param f  impulses and moments [6 × carriers]
inline Eigen::VectorXd responseOf(const Model& model, const Eigen::VectorXd& f) {
  Eigen::VectorXd response(f.size());
  for (int carrier = 0; carrier < model.carrierCount(); ++carrier) {
    response.segment<3>(6 * carrier) = model.inverseMass[carrier].x() * f.segment<3>(6 * carrier);
    response.segment<3>(6 * carrier + 3) = model.inverseInertia[carrier] * f.segment<3>(6 * carrier + 3);
  }
  return response;
}

/// Failures of the rows of a unit by the definition of their laws, without the code of solvers [m/s].
/// @param J  gradientsOf() the model   @param w  rates of all rows
inline std::vector<double> failuresOf(const Model& model, const RowUnit& unit, const Eigen::MatrixXd& J,
                                      const Eigen::VectorXd& z, const Eigen::VectorXd& w) {
  const auto scale = [&](int row, int other) {
    return J.row(row).dot(responseOf(model, J.row(other).transpose())) +
           (row == other ? model.table.rows[row].compliance : 0);
  };
  std::vector<double> failures(unit.rowCount, 0.0);
  double largest = w[unit.firstRow];  // of a set
  for (int k = unit.groupRows; k < unit.rowCount; ++k) largest = std::max(largest, w[unit.firstRow + k]);
  for (int k = 0; k < unit.rowCount; ++k) {
    const int row = unit.firstRow + k;
    const Row& ask = model.table.rows[row];
    switch (ask.law) {
      case RowLaw::Free:
        failures[k] = std::abs(w[row]);
        break;
      case RowLaw::Unilateral:
        failures[k] = std::abs(std::min(scale(row, row) * z[row], w[row]));
        break;
      case RowLaw::Maximum:
        failures[k] = std::abs(std::min(scale(row, row) * z[row], largest));
        break;
      case RowLaw::Symmetric:
      case RowLaw::Fixed: {
        const double r = scale(row, row), lower = ask.law == RowLaw::Fixed ? ask.bound : -ask.bound;
        failures[k] = r * std::abs(z[row] - std::min(std::max(z[row] - w[row] / r, lower), ask.bound));
        break;
      }
      case RowLaw::Disk: {
        if (k != 1) break;  // both rows of a disk fail as one
        const int count = unit.groupRows - 1;
        Eigen::MatrixXd block(count, count);
        for (int i = 0; i < count; ++i)
          for (int j = 0; j < count; ++j)  // the compliance of tangents is 0
            block(i, j) = scale(row + i, row + j);
        const double r = Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>(block).eigenvalues().maxCoeff(),
                     limit = ask.bound * std::max(0.0, z[unit.firstRow]);
        const Eigen::VectorXd beta = z.segment(row, count);
        Eigen::VectorXd nearest = beta - w.segment(row, count) / r;
        if (nearest.norm() > limit) nearest *= limit / nearest.norm();
        failures[k] = r * (beta - nearest).norm();
        break;
      }
      case RowLaw::Member:
        break;
    }
    failures[k] *= double(ask.length);
  }
  return failures;
}

/// Value of an answer by the laws of its rows and by momentum.
struct AnswerMeasure {
  std::vector<double> failures;  ///< [rows] r |z − proj(z − w/r)| in m/s
  double residual = 0;           ///< the largest of them [m/s]
  double momentum = 0;           ///< largest entry of ν − (ν̃ + H⁻¹ Fᵀ z) [m/s, rad/s]
  double rates = 0;              ///< largest difference of setRates() and constant + J ν + C z [m/s]
  double laws = 0;               ///< largest difference of eachFailure() and failuresOf() [m/s]
};
inline AnswerMeasure measured(const Model& model, const RowAnswer& answer) {
  AnswerMeasure measure;
  const Eigen::MatrixXd J = gradientsOf(model);
  Motion velocities = answer.velocities;
  const Eigen::VectorXd z = Eigen::Map<const Eigen::VectorXd>(answer.z.data(), answer.z.size()),
                        nu = vectorOf(velocities), pushed = responseOf(model, J.transpose() * z);
  measure.momentum = (nu - vectorOf(model.free) - pushed).lpNorm<Eigen::Infinity>();
  Eigen::VectorXd rates = J * nu;
  for (int row = 0; row < countOf(answer.z); ++row)
    rates[row] += model.table.rows[row].constant + model.table.rows[row].compliance * z[row];
  const RowsView table = model.table.view();
  measure.failures.assign(answer.z.size(), 0.0);
  for (const RowUnit& unit : model.table.units) {
    const Row* rows = table.rows + unit.firstRow;
    std::vector<double> w(unit.rowCount), r(unit.rowCount), inverse(unit.rowCount);
    setRates(table, unit, velocities.view(), answer.z.data() + unit.firstRow, w.data());
    setScales(table, unit, model.metric(), r.data(), inverse.data());
    eachFailure(rows, unit.rowCount, answer.z.data() + unit.firstRow, w.data(), r.data(), inverse.data(),
                [&](int row, double failure) {
                  measure.failures[unit.firstRow + row] = failure * double(rows[row].length);
                });
    const std::vector<double> failures = failuresOf(model, unit, J, z, rates);
    for (int row = 0; row < unit.rowCount; ++row) {
      measure.rates = std::max(measure.rates, std::abs(w[row] - rates[unit.firstRow + row]));
      measure.laws = std::max(measure.laws, std::abs(failures[row] - measure.failures[unit.firstRow + row]));
    }
  }
  for (const double failure : measure.failures)
    if (!(failure <= measure.residual)) measure.residual = failure;
  return measure;
}

/// Largest difference of velocities [m/s, rad/s].
inline double largestDifference(const Motion& one, const Motion& other) {
  return (vectorOf(one) - vectorOf(other)).lpNorm<Eigen::Infinity>();
}

}  // namespace touchstone::test
