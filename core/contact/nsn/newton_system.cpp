#include "core/contact/nsn/newton_system.h"

#include <Eigen/Eigenvalues>

#include "core/contact/nsn/direct_system.h"
#include "core/math/count.h"
#include "core/parallel/frame_clock.h"

namespace touchstone::nsn {

NewtonSystem::NewtonSystem(const Equations& equations, const Island& island, const Settings& settings)
    : m_island(island), m_settings(settings), m_rows(equations.rows()), m_left(equations.momentum()) {
  for (const IslandBody& body : island.bodies) {
    m_inverse.push_back(body.inverseInertia);
    m_inverseMass.push_back(Vec3::Constant(body.inverseMass));
  }
  if (settings.geometric == Geometric::Joints || settings.geometric == Geometric::All)
    stiffen(equations.geometricStiffness());
  const std::vector<Vec3>& secants = equations.secantMasses();
  for (std::size_t body = 0; body < secants.size(); ++body)
    for (int axis = 0; axis < 3; ++axis)
      m_inverseMass[body][axis] = 1 / (1 / m_inverseMass[body][axis] + secants[body][axis]);
  m_step.forces.assign(m_rows.size(), 0);
  prescribe();
  formRightSide();
}

/// H_ωω = I + h² [sym Σ K]₊.
void NewtonSystem::stiffen(const std::vector<Mat3>& stiffness) {
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
void NewtonSystem::prescribe() {
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
    const std::size_t follower = row.follower;
    const double more = row.followerShare * row.equation.change;
    m_step.forces[follower] += more;
    push(m_rows[follower].terms, -h * more, m_left);
  }
}

/// The right side, with the diagonal of A.
void NewtonSystem::formRightSide() {
  const Motions free = inverseTimes(m_left);
  m_size.rows = countOf(m_free);
  m_size.bodies = countOf(m_island.bodies);
  m_right.resize(m_size.rows);
  m_diagonal.resize(m_right.size());
  m_added.resize(m_right.size());
  for (Eigen::Index k = 0; k < m_right.size(); ++k) {
    const NewtonRow& row = freeRow(k);
    m_right[k] = (along(row, free) - row.equation.residual) / m_island.h;
    m_size.terms += row.terms.count();
    double diagonal = row.equation.compliance;
    for (const BodyTerm& term : row.terms) {
      const std::size_t body = term.body;
      diagonal += row.scale * row.scale *
                  (term.linear.dot(m_inverseMass[body].cwiseProduct(term.linear)) +
                   term.angular.dot(m_inverse[body] * term.angular));
    }
    m_added[k] = row.equation.compliance + m_settings.regularisation * diagonal;
    m_diagonal[k] = diagonal * (1 + m_settings.regularisation);
  }
  m_norm = m_right.norm();
}

// For an engine.

bool NewtonSystem::isForEngine() const { return m_norm > 0 && !isFull() && isOnBackend(m_settings.linear); }

void NewtonSystem::write(LinearSystems& systems, int system) const {
  SystemPlace& place = systems.places[system];
  place.size = m_norm;
  place.tolerance = m_settings.linearTolerance;
  for (std::size_t body = 0; body < m_inverse.size(); ++body) {
    SystemBody& systemBody = systems.bodies[place.firstBody + body];
    systemBody.inverseMass = m_inverseMass[body];
    systemBody.inverseInertia = m_inverse[body];
  }
  int next = place.firstTerm;
  for (Eigen::Index k = 0; k < m_right.size(); ++k) {
    const NewtonRow& row = freeRow(k);  // no other follows it: isFull()
    SystemRow& systemRow = systems.rows[place.firstRow + k];
    systemRow.right = m_right[k];
    systemRow.added = m_added[k];
    systemRow.inverse = m_diagonal[k] > 0 ? 1 / m_diagonal[k] : 1;
    systemRow.scale = row.scale;
    systemRow.firstTerm = next;
    systemRow.termCount = row.terms.count();
    for (const BodyTerm& term : row.terms) {
      BodyTerm& to = systems.terms[next++];
      to = term;
      to.body += place.firstBody;
    }
  }
  systems.findSides(system);
}

NewtonStep NewtonSystem::stepOf(const LinearAnswers& answers, const SystemPlace& place, int system) {
  const LinearAnswers::End& end = answers.ends[system];
  m_step.linearIterations = end.iterations;
  m_step.linearResidual = end.residual;
  if (place.firstResidual >= 0) {
    const auto first = answers.residuals.begin() + place.firstResidual;
    m_step.linear.assign(first, first + end.iterations);
  }
  return stepFrom(answers.x.data() + place.firstRow);
}

NewtonStep NewtonSystem::stepFrom(const double* x) {
  const std::size_t bodies = m_island.bodies.size();
  Motions impulses(bodies);
  for (std::size_t body = 0; body < bodies; ++body) {
    impulses.linear[body] = -m_left.linear[body];
    impulses.angular[body] = -m_left.angular[body];
  }
  for (Eigen::Index k = 0; k < m_right.size(); ++k) {
    const NewtonRow& row = freeRow(k);
    m_step.forces[m_free[k]] = x[k];
    if (row.follower >= 0) m_step.forces[row.follower] += row.followerShare * x[k];
    pushFree(row, m_island.h * x[k], impulses);
  }
  m_step.u = inverseTimes(impulses);
  return std::move(m_step);
}

// Here.

NewtonStep NewtonSystem::solve() {
  if (!(m_norm > 0)) return stepFrom(Eigen::VectorXd::Zero(m_right.size()).eval().data());
  if (!isFull() && m_settings.linear == LinearSolver::GaussSeidel) return stepFrom(sweep().data());
  const Eigen::VectorXd x = solveDirectly();
  m_step.linearResidual = (times(x.data()) - m_right).norm() / m_norm;
  return stepFrom(x.data());
}

/// H⁻¹ g.
Motions NewtonSystem::inverseTimes(const Motions& g) const {
  Motions v(g.linear.size());
  for (std::size_t body = 0; body < g.linear.size(); ++body) {
    v.linear[body] = m_inverseMass[body].cwiseProduct(g.linear[body]);
    v.angular[body] = m_inverse[body] * g.angular[body];
  }
  return v;
}
/// Adds the force x of a free row, with what follows it.
void NewtonSystem::pushFree(const NewtonRow& row, double x, Motions& bodies) const {
  push(row.terms, row.scale * x, bodies);
  if (row.follower >= 0) push(m_rows[row.follower].terms, row.followerShare * x, bodies);
}

/// A x over the free rows.
Eigen::VectorXd NewtonSystem::times(const double* x) const {
  Motions impulses(m_island.bodies.size());
  for (Eigen::Index k = 0; k < m_added.size(); ++k) pushFree(freeRow(k), x[k], impulses);
  const Motions v = inverseTimes(impulses);
  Eigen::VectorXd result(m_added.size());
  for (Eigen::Index k = 0; k < result.size(); ++k) result[k] = along(freeRow(k), v) + m_added[k] * x[k];
  return result;
}

/// Forward sweeps of Gauss–Seidel in the order of the rows, without the matrix.
Eigen::VectorXd NewtonSystem::sweep() {
  Eigen::VectorXd x = Eigen::VectorXd::Zero(m_right.size());
  Motions v(m_island.bodies.size());
  for (m_step.linearIterations = 0; m_step.linearIterations < m_settings.linearIterations;) {
    checkFrameClock();
    for (Eigen::Index k = 0; k < x.size(); ++k) {
      const NewtonRow& row = freeRow(k);
      if (!(m_diagonal[k] > 0)) continue;
      const double change = (m_right[k] - along(row, v) - m_added[k] * x[k]) / m_diagonal[k];
      x[k] += change;
      for (const BodyTerm& term : row.terms) {
        const std::size_t body = term.body;
        v.linear[body] += row.scale * change * m_inverseMass[body].cwiseProduct(term.linear);
        v.angular[body] += row.scale * change * Vec3(m_inverse[body] * term.angular);
      }
    }
    ++m_step.linearIterations;
    m_step.linearResidual = (times(x.data()) - m_right).norm() / m_norm;
    m_step.linear.push_back(static_cast<float>(m_step.linearResidual));
    if (m_step.linearResidual <= m_settings.linearTolerance) break;
  }
  return x;
}

/// Direct solve with one step of iterative refinement, because the factorisation does not pivot.
Eigen::VectorXd NewtonSystem::solveDirectly() const {
  const DirectSystem system(m_rows, m_free, m_added, m_inverseMass, m_inverse, !isFull());
  const Eigen::VectorXd x = system.solve(m_right);
  return x + system.solve(m_right - times(x.data()));
}

}  // namespace touchstone::nsn
