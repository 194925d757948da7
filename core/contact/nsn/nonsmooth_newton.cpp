#include "core/contact/nsn/nonsmooth_newton.h"

#include <Eigen/Eigenvalues>
#include <Eigen/SparseCholesky>
#include <Eigen/SparseLU>
#include <algorithm>

#include "core/solver/linear/krylov.inl"

namespace touchstone::nsn {

namespace {

using Sparse = Eigen::SparseMatrix<double>;

/// What a row does to one body.
struct Term {
  int body = -1;
  Vec3 linear = Vec3(0, 0, 0), angular = Vec3(0, 0, 0);
};

/// A row of the system with its geometric gradient; mimic joints have up to four bodies.
struct Row {
  std::array<Term, 4> terms;
  int count = 0;
  LinearRow equation;
  double scale = 1;  ///< of its gradient in the equations: LinearRow::share
  double force = 0;  ///< λ of this iterate, along the row
  int follower = -1;        ///< of a normal: the row of its slip, whose force follows it …
  double followerShare = 0;  ///< … by μ

  void add(int body, const Vec3& linear, const Vec3& angular) {
    if (body < 0) return;
    for (int k = 0; k < count; ++k) {
      Term& term = terms[static_cast<std::size_t>(k)];
      if (term.body != body) continue;
      term.linear += linear;
      term.angular += angular;
      return;
    }
    terms[static_cast<std::size_t>(count++)] = {body, linear, angular};
  }
  void add(int a, int b, const JacobianRow& j, double share = 1) {
    add(a, share * j.linearA, share * j.angularA);
    add(b, share * j.linearB, share * j.angularB);
  }
};

/// Velocities, or impulses, of all bodies.
struct Motions {
  std::vector<Vec3> linear, angular;
  explicit Motions(std::size_t bodies) : linear(bodies, Vec3(0, 0, 0)), angular(bodies, Vec3(0, 0, 0)) {}
};

/// The rows of a joint by JointConstraint::Slot; −1: none.
struct JointPlace {
  int first = 0;
  std::array<int, JointConstraint::SlotCount> row;
  JointPlace() { row.fill(-1); }
};

class Solver {
 public:
  Solver(const Island& island, const Settings& settings, bool keepCurves)
      : m_island(island),
        m_settings(settings),
        m_keepCurves(keepCurves),
        m_u(island.bodies.size()),
        m_inverse(island.bodies.size()) {
    for (std::size_t body = 0; body < island.bodies.size(); ++body) {
      m_u.linear[body] = Vec3(0, 0, 0);
      m_u.angular[body] = Vec3(0, 0, 0);
    }
    for (const IslandContact& contact : island.contacts) m_contactForces.push_back(contact.force);
    m_jointForces.resize(island.joints.size());
  }

  Answer solve() {
    Answer answer;
    evaluate();
    answer.iterates.push_back(iterate());
    double best = HUGE_VAL;  // of the iterates after the start, which is at rest
    keep(answer);
    answer.residual = answer.iterates.back().residuals.total(m_island.h);
    bool wasWhole = !m_settings.lastStepIsWhole;
    for (int count = 1; count <= m_settings.iterations; ++count) {
      // An iterate within the tolerance is followed by one whole step, which brings momentum to rounding.
      const double now = answer.iterates.back().residuals.total(m_island.h);
      const bool isWithin = now <= m_settings.tolerance;
      if (now == 0 || (isWithin && wasWhole)) break;
      const bool isLast = isWithin || count == m_settings.iterations;
      wasWhole = wasWhole || isLast;
      Iterate next = advance(isLast);
      answer.iterates.push_back(std::move(next));
      const double total = answer.iterates.back().residuals.total(m_island.h);
      if (m_settings.usesBest && !(total <= best)) continue;
      best = total;
      keep(answer);
      answer.residual = total;
      if (!std::isfinite(answer.iterates.back().merit)) break;
    }
    answer.isSolved = answer.residual <= m_settings.tolerance;
    return answer;
  }

 private:
  /// The iterate becomes the answer.
  void keep(Answer& answer) const {
    answer.linear = m_u.linear;
    answer.angular = m_u.angular;
    answer.contacts = m_contactForces;
    answer.joints = m_jointForces;
    for (std::size_t joint = 0; joint < m_places.size(); ++joint) addWrenches(joint, answer.joints[joint]);
  }

  /// Sums what the rows of a joint do to its bodies.
  void addWrenches(std::size_t index, JointForces& forces) const {
    const IslandJoint& own = m_island.joints[index];
    forces.forceOnA = forces.momentOnA = forces.forceOnB = forces.momentOnB = Vec3(0, 0, 0);
    const std::size_t first = static_cast<std::size_t>(m_places[index].first),
                      end = index + 1 < m_places.size()
                                ? static_cast<std::size_t>(m_places[index + 1].first)
                                : static_cast<std::size_t>(m_firstContact);
    for (std::size_t at = first; at < end; ++at)
      for (int k = 0; k < m_rows[at].count; ++k) {
        const Term& term = m_rows[at].terms[static_cast<std::size_t>(k)];
        Vec3* const force = term.body == own.a   ? &forces.forceOnA
                            : term.body == own.b ? &forces.forceOnB
                                                 : nullptr;
        if (!force) continue;  // a third body, of a mimic
        *force += m_rows[at].force * term.linear;
        (term.body == own.a ? forces.momentOnA : forces.momentOnB) += m_rows[at].force * term.angular;
      }
  }

  // --- the equations at an iterate

  BodyPose poseOf(int body, const BodyPose& fixed) const {
    if (body < 0) return fixed;
    const IslandBody& own = m_island.bodies[static_cast<std::size_t>(body)];
    const std::size_t at = static_cast<std::size_t>(body);
    return {own.pose.position + m_island.h * m_u.linear[at],
            freeRotation(own.constants, own.pose.orientation, m_u.angular[at], m_island.h).orientation};
  }

  double rate(const Row& row) const {
    double sum = 0;
    for (int k = 0; k < row.count; ++k) {
      const Term& term = row.terms[static_cast<std::size_t>(k)];
      const std::size_t body = static_cast<std::size_t>(term.body);
      sum += term.linear.dot(m_u.linear[body]) + term.angular.dot(m_u.angular[body]);
    }
    return sum;
  }
  /// J M⁻¹ J'ᵀ of two rows [1/kg].
  double coupling(const Row& one, const Row& other) const {
    double sum = 0;
    for (int k = 0; k < one.count; ++k)
      for (int l = 0; l < other.count; ++l) {
        const Term &a = one.terms[static_cast<std::size_t>(k)], &b = other.terms[static_cast<std::size_t>(l)];
        if (a.body != b.body) continue;
        const IslandBody& body = m_island.bodies[static_cast<std::size_t>(a.body)];
        sum += body.inverseMass * a.linear.dot(b.linear) + a.angular.dot(body.inverseInertia * b.angular);
      }
    return sum;
  }
  double slope(const Row& row) const { return coupling(row, row); }

  /// Gaps, gradients and equations with the velocities and forces as they are.
  void evaluate() {
    m_rows.clear();
    m_residuals = Residuals();
    m_places.clear();
    for (std::size_t joint = 0; joint < m_island.joints.size(); ++joint) addJoint(joint);
    m_firstContact = static_cast<int>(m_rows.size());
    for (std::size_t contact = 0; contact < m_island.contacts.size(); ++contact) addContact(contact);
    findMomentum();
  }

  /// Unilateral: C ≥ 0 ⊥ λ ≥ 0, inelastic; limits and ropes.
  void setUnilateral(Row& row, double gap, double force) {
    const double h = m_island.h, mass = h * h * slope(row);
    row.force = force;
    row.equation = normalRow(m_settings.function, m_settings.rows, m_settings.isTouchingRepaired, gap, force,
                             scaleOfNormal(mass), h);
    if (m_settings.rows == RowForm::Published) row.scale = row.equation.share;
    m_residuals.normal = std::fmax(m_residuals.normal, std::fabs(std::fmin(gap, mass * force)));
  }
  double scaleOfNormal(double mass) const {
    const double h = m_island.h;
    return m_settings.scaling == RowScaling::Identity ? 1
           : m_settings.scaling == RowScaling::H2     ? h * h
                                                      : (mass > 0 ? mass : h * h);
  }

  /// c + E λ = 0 with damping (c + τ ċ + E λ).
  void setBilateral(Row& row, double error, double compliance, double dampingTime, double force) {
    const double h = m_island.h, share = 1 + (compliance > 0 ? dampingTime / h : 0);
    const double left = error + compliance * force;
    row.force = force;
    row.equation = {1, compliance / (h * h * share),
                    (left + (compliance > 0 ? dampingTime * rate(row) : 0)) / (h * share), false, 0};
    m_residuals.joints = std::fmax(
        m_residuals.joints, std::fabs(left + (compliance > 0 ? dampingTime * rate(row) : 0)));
  }

  void setDrive(Row& row, const JointConstraint& drive, double force) {
    const double h = m_island.h, e = drive.driveCompliance(h), most = drive.most;
    const double wanted = -drive.stiffness * drive.c - drive.damping * (rate(row) - drive.rate),
                 left = e * (force - wanted);
    const double rho = 1 / (h * h * slope(row) + e), tried = force - rho * left;
    row.force = force;
    if (std::fabs(tried) > most) {
      row.equation = prescribed((tried > 0 ? most : -most) - force);
      m_residuals.joints =
          std::fmax(m_residuals.joints, std::fabs((tried > 0 ? most : -most) - force) / rho);
    } else {
      row.equation = {1, e / (h * h), left / h, false, 0};
      m_residuals.joints = std::fmax(m_residuals.joints, std::fabs(left));
    }
  }

  PlacedConstraints placedJoint(std::size_t index) const {
    const IslandJoint& own = m_island.joints[index];
    return {own.joint,  poseOf(own.a, own.fixedA), poseOf(own.b, own.fixedB),
            own.coordinate, own.target,                own.targetRate,
            nullptr};
  }

  void addJoint(std::size_t index) {
    const IslandJoint& own = m_island.joints[index];
    PlacedConstraints placed = placedJoint(index), led;
    if (own.mimicked >= 0) {
      led = placedJoint(static_cast<std::size_t>(own.mimicked));
      placed.led = &led;
    }
    JointPlace place;
    place.first = static_cast<int>(m_rows.size());
    eachJointConstraint(placed, [&](const JointConstraint& constraint) {
      const double force = m_jointForces[index].rows[static_cast<std::size_t>(constraint.slot)];
      Row row;
      row.add(own.a, own.b, constraint.row);
      if (constraint.hasLed) {
        const IslandJoint& other = m_island.joints[static_cast<std::size_t>(own.mimicked)];
        row.add(other.a, other.b, constraint.led);
      }
      if (constraint.kind == JointConstraint::Kind::Unilateral)
        setUnilateral(row, constraint.c, force);
      else if (constraint.kind == JointConstraint::Kind::Drive)
        setDrive(row, constraint, force);
      else
        setBilateral(row, constraint.c, constraint.compliance, constraint.dampingTime, force);
      place.row[static_cast<std::size_t>(constraint.slot)] = static_cast<int>(m_rows.size());
      m_rows.push_back(row);
    });
    m_places.push_back(place);
  }

  void addContact(std::size_t index) {
    const IslandContact& own = m_island.contacts[index];
    const Vec3& force = m_contactForces[index];
    const double h = m_island.h;
    const BodyPose none, a = poseOf(own.a, none), b = poseOf(own.b, none);
    const Vec3 armA = a.orientation * own.pointA, armB = b.orientation * own.pointB;
    const auto along = [&](const Vec3& d) {
      Row row;
      row.add(own.a, -d, -armA.cross(d));
      row.add(own.b, d, armB.cross(d));
      return row;
    };
    Row normal = along(own.normal);
    const double gap =
        own.normal.dot((b.position + armB) - (a.position + armA)) - own.thickness;
    setUnilateral(normal, gap, force[0]);
    const int at = static_cast<int>(m_rows.size());
    m_rows.push_back(normal);
    if (!(own.friction > 0)) return;

    Vec3 t1, t2;
    tangentsOf(own.normal, t1, t2);
    const Row first = along(t1), second = along(t2);
    const double slip1 = rate(first), slip2 = m_island.planar ? 0 : rate(second);
    const double mass = h * std::fmax(slope(first), m_island.planar ? 0 : slope(second));
    const double limit = own.friction * force[0];
    const double scale = m_settings.scaling == RowScaling::Identity ? 1
                         : m_settings.scaling == RowScaling::H2     ? h
                                                                    : mass;
    const FrictionRows rows = frictionRows(m_settings.function, m_settings.friction, slip1, slip2, force[1],
                                           force[2], limit, scale, h);
    Row along1 = along(rows.x * t1 + rows.y * t2), across = along(rows.x * t2 - rows.y * t1);
    along1.equation = rows.along;
    along1.force = rows.x * force[1] + rows.y * force[2];
    across.equation = m_island.planar ? prescribed(0) : rows.across;
    across.force = rows.x * force[2] - rows.y * force[1];
    if (rows.followsNormal) {
      m_rows[static_cast<std::size_t>(at)].follower = at + 1;
      m_rows[static_cast<std::size_t>(at)].followerShare = own.friction;
    }
    m_rows.push_back(along1);
    m_rows.push_back(across);

    double x = force[1] - slip1 / mass, y = force[2] - slip2 / mass;
    projectOnDisk(limit, x, y);
    m_residuals.friction = std::fmax(m_residuals.friction, mass * lengthOf(force[1] - x, force[2] - y));
  }

  void tangentsOf(const Vec3& normal, Vec3& t1, Vec3& t2) const {
    if (m_island.planar) {
      t1 = Vec3(-normal.y(), normal.x(), 0);
      t2 = Vec3(0, 0, 1);
    } else {
      tangentBasis(normal, t1, t2);
    }
  }

  /// g = M (u − ũ) − h Jᵀ λ with the gradients of the equations [N·s], and the natural residual of it.
  void findMomentum() {
    const double h = m_island.h;
    const std::size_t bodies = m_island.bodies.size();
    m_g = Motions(bodies);
    for (std::size_t body = 0; body < bodies; ++body) {
      const IslandBody& own = m_island.bodies[body];
      m_g.linear[body] = (m_u.linear[body] - own.linear) / own.inverseMass;
      m_g.angular[body] = own.inertia * Vec3(m_u.angular[body] - own.angular);
    }
    Motions geometric = m_g;
    for (const Row& row : m_rows) {
      push(row, -h * row.force, geometric);
      push(row, -h * row.scale * row.force, m_g);
    }
    for (std::size_t body = 0; body < bodies; ++body) {
      const IslandBody& own = m_island.bodies[body];
      const double linear = (own.inverseMass * geometric.linear[body]).cwiseAbs().maxCoeff(),
                   angular = Vec3(own.inverseInertia * geometric.angular[body]).cwiseAbs().maxCoeff();
      m_residuals.momentum = std::fmax(m_residuals.momentum, std::fmax(linear, angular));
    }
  }

  static void push(const Row& row, double impulse, Motions& bodies) {
    for (int k = 0; k < row.count; ++k) {
      const Term& term = row.terms[static_cast<std::size_t>(k)];
      bodies.linear[static_cast<std::size_t>(term.body)] += impulse * term.linear;
      bodies.angular[static_cast<std::size_t>(term.body)] += impulse * term.angular;
    }
  }

  Iterate iterate() const {
    Iterate now;
    now.residuals = m_residuals;
    double sum = 0;
    for (std::size_t body = 0; body < m_island.bodies.size(); ++body)
      sum += m_g.linear[body].squaredNorm() + m_g.angular[body].squaredNorm();
    for (const Row& row : m_rows) {
      const LinearRow& own = row.equation;
      const double value = own.isPrescribed ? own.change : own.residual;
      sum += value * value;
    }
    now.merit = 0.5 * sum;
    return now;
  }

  // --- one step

  /// Takes a step. @param isLast  of all
  Iterate advance(bool isLast) {
    Iterate step;
    const Motions before = m_u;
    const std::vector<Vec3> contacts = m_contactForces;
    const std::vector<JointForces> joints = m_jointForces;
    const double total = m_residuals.total(m_island.h);
    std::vector<double> change;
    const Motions du = direction(change, step);
    const std::vector<Row> rows = m_rows;
    const int firstContact = m_firstContact;
    const std::vector<JointPlace> places = m_places;
    const auto take = [&](double t) {
      m_u = before;
      m_contactForces = contacts;
      m_jointForces = joints;
      move(rows, firstContact, places, du, change, t);
      evaluate();
    };
    constexpr double kUsual = 0.75;
    double t = isLast && m_settings.lastStepIsWhole ? 1 : m_settings.damping > 0 ? m_settings.damping : 1;
    take(t);
    if (m_settings.damping == 0 && !isLast && !(m_residuals.total(m_island.h) < total)) {
      t = kUsual;
      take(t);
    }
    Iterate next = iterate();
    next.linearIterations = step.linearIterations;
    next.linearResidual = step.linearResidual;
    next.linearCurve = std::move(step.linearCurve);
    for (std::size_t body = 0; body < du.linear.size(); ++body)
      next.step = std::fmax(next.step, t * std::fmax(du.linear[body].cwiseAbs().maxCoeff(),
                                                     du.angular[body].cwiseAbs().maxCoeff()));
    return next;
  }

  void move(const std::vector<Row>& rows, int firstContact, const std::vector<JointPlace>& places,
            const Motions& du, const std::vector<double>& change, double t) {
    for (std::size_t body = 0; body < du.linear.size(); ++body) {
      m_u.linear[body] += t * du.linear[body];
      m_u.angular[body] += t * du.angular[body];
    }
    const auto changed = [&](int row) {
      return row < 0 ? 0.0
                     : rows[static_cast<std::size_t>(row)].force + t * change[static_cast<std::size_t>(row)];
    };
    for (std::size_t joint = 0; joint < places.size(); ++joint) {
      const JointPlace& place = places[joint];
      JointForces& forces = m_jointForces[joint];
      for (std::size_t slot = 0; slot < place.row.size(); ++slot) forces.rows[slot] = changed(place.row[slot]);
    }
    int at = firstContact;
    for (std::size_t contact = 0; contact < m_contactForces.size(); ++contact) {
      Vec3& force = m_contactForces[contact];
      force[0] = changed(at);
      const IslandContact& own = m_island.contacts[contact];
      if (!(own.friction > 0)) {
        ++at;
        continue;
      }
      // The rows lie along the slip: back to the tangents of the contact.
      Vec3 t1, t2;
      tangentsOf(own.normal, t1, t2);
      const Row &first = rows[static_cast<std::size_t>(at) + 1], &second = rows[static_cast<std::size_t>(at) + 2];
      const double along = changed(at + 1), across = changed(at + 2);
      const Vec3 e1 = directionOf(first, own), e2 = directionOf(second, own);
      const Vec3 sum = along * e1 + across * e2;
      force[1] = t1.dot(sum);
      force[2] = t2.dot(sum);
      at += 3;
    }
  }
  /// Of a row of a contact, on B.
  static Vec3 directionOf(const Row& row, const IslandContact& contact) {
    const Term& last = row.terms[static_cast<std::size_t>(row.count) - 1];
    return contact.b >= 0 ? last.linear : Vec3(-last.linear);
  }

  /// H⁻¹ g, with the geometric stiffness of joints in the rotational part of H.
  Motions inverseTimes(const Motions& g) const {
    Motions v(g.linear.size());
    for (std::size_t body = 0; body < g.linear.size(); ++body) {
      v.linear[body] = m_island.bodies[body].inverseMass * g.linear[body];
      v.angular[body] = m_inverse[body] * g.angular[body];
    }
    return v;
  }

  /// H_ωω = I + h² [sym Σ K]₊ with K_B = −[λ]×[r_B]×, K_A = +[λ]×[r_A]× over the point rows of joints.
  void findInverses() {
    const std::size_t bodies = m_island.bodies.size();
    std::vector<Mat3> stiffness(bodies, Mat3(Mat3::Zero()));
    if (m_settings.geometric == Geometric::Joints)
      for (std::size_t joint = 0; joint < m_places.size(); ++joint) addStiffness(joint, stiffness);
    const double h = m_island.h;
    for (std::size_t body = 0; body < bodies; ++body) {
      const IslandBody& own = m_island.bodies[body];
      m_inverse[body] = own.inverseInertia;
      if (stiffness[body].isZero(0)) continue;
      const Eigen::Matrix3d symmetric = 0.5 * (stiffness[body] + stiffness[body].transpose());
      const Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d> eigen(symmetric);
      const Eigen::Matrix3d positive = eigen.eigenvectors() * eigen.eigenvalues().cwiseMax(0).asDiagonal() *
                                       eigen.eigenvectors().transpose();
      const Eigen::Matrix3d sum = own.inertia + h * h * positive;
      m_inverse[body] = sum.inverse();
    }
  }
  void addStiffness(std::size_t joint, std::vector<Mat3>& stiffness) const {
    const IslandJoint& own = m_island.joints[joint];
    const JointPlace& place = m_places[joint];
    Vec3 force(0, 0, 0);
    for (int slot = 0; slot < JointRows::kMost; ++slot) {
      if (place.row[static_cast<std::size_t>(slot)] < 0) continue;
      const Row& row = m_rows[static_cast<std::size_t>(place.row[static_cast<std::size_t>(slot)])];
      if (row.count == 0) return;
      const Term& last = row.terms[static_cast<std::size_t>(row.count) - 1];
      force += row.force * (own.b >= 0 ? last.linear : Vec3(-last.linear));  // on B; rows of angles have none
    }
    const auto cross = [](const Vec3& v) {
      Mat3 m;
      m << 0, -v.z(), v.y(), v.z(), 0, -v.x(), -v.y(), v.x(), 0;
      return m;
    };
    const JointFrames& frames = own.joint->frames;
    if (own.b >= 0)
      stiffness[static_cast<std::size_t>(own.b)] -=
          cross(force) * cross(poseOf(own.b, own.fixedB).orientation * frames.anchorB);
    if (own.a >= 0)
      stiffness[static_cast<std::size_t>(own.a)] +=
          cross(force) * cross(poseOf(own.a, own.fixedA).orientation * frames.anchorA);
  }

  static double along(const Row& row, const Motions& v) {
    double sum = 0;
    for (int k = 0; k < row.count; ++k) {
      const Term& term = row.terms[static_cast<std::size_t>(k)];
      sum += term.linear.dot(v.linear[static_cast<std::size_t>(term.body)]) +
             term.angular.dot(v.angular[static_cast<std::size_t>(term.body)]);
    }
    return row.scale * sum;
  }
  /// Adds the force x of a free row, with what follows it.
  void pushFree(const Row& row, double x, Motions& bodies) const {
    push(row, row.scale * x, bodies);
    if (row.follower >= 0)
      push(m_rows[static_cast<std::size_t>(row.follower)], row.followerShare * x, bodies);
  }

  /// Solves A Δλ = (1/h) (J H⁻¹ g₀ − h_vec) on the rows that are free, g₀ = g − h Jᵀ Δλ₀ (Macklin 2019, eqs.
  /// 56, 59 and 60). @param change  out: Δλ of all rows   @return Δu
  Motions direction(std::vector<double>& change, Iterate& step) {
    findInverses();
    const double h = m_island.h;
    change.assign(m_rows.size(), 0);
    m_free.clear();
    Motions left = m_g;  // g₀
    for (std::size_t index = 0; index < m_rows.size(); ++index) {
      const Row& row = m_rows[index];
      if (!row.equation.isPrescribed) {
        m_free.push_back(static_cast<int>(index));
        continue;
      }
      change[index] = row.equation.change;
      push(row, -h * row.scale * change[index], left);
    }
    // What follows a normal that is prescribed itself.
    for (const Row& row : m_rows)
      if (row.follower >= 0 && row.equation.isPrescribed) {
        const double more = row.followerShare * row.equation.change;
        change[static_cast<std::size_t>(row.follower)] += more;
        push(m_rows[static_cast<std::size_t>(row.follower)], -h * more, left);
      }
    const Motions free = inverseTimes(left);
    Eigen::VectorXd right(static_cast<Eigen::Index>(m_free.size()));
    m_diagonal.resize(right.size());
    m_added.resize(right.size());
    for (Eigen::Index k = 0; k < right.size(); ++k) {
      const Row& row = m_rows[static_cast<std::size_t>(m_free[static_cast<std::size_t>(k)])];
      right[k] = (along(row, free) - row.equation.residual) / h;
      Motions own(0);
      double diagonal = row.equation.compliance;
      for (int t = 0; t < row.count; ++t) {
        const Term& term = row.terms[static_cast<std::size_t>(t)];
        const std::size_t body = static_cast<std::size_t>(term.body);
        diagonal += row.scale * row.scale *
                    (m_island.bodies[body].inverseMass * term.linear.squaredNorm() +
                     term.angular.dot(m_inverse[body] * term.angular));
      }
      m_added[k] = row.equation.compliance + m_settings.regularisation * diagonal;
      m_diagonal[k] = diagonal * (1 + m_settings.regularisation);
    }
    const Eigen::VectorXd x = solveLinear(right, step);
    Motions impulses(m_island.bodies.size());
    for (std::size_t body = 0; body < impulses.linear.size(); ++body) {
      impulses.linear[body] = -left.linear[body];
      impulses.angular[body] = -left.angular[body];
    }
    for (Eigen::Index k = 0; k < x.size(); ++k) {
      const std::size_t index = static_cast<std::size_t>(m_free[static_cast<std::size_t>(k)]);
      const Row& row = m_rows[index];
      change[index] = x[k];
      if (row.follower >= 0) change[static_cast<std::size_t>(row.follower)] += row.followerShare * x[k];
      pushFree(row, h * x[k], impulses);
    }
    return inverseTimes(impulses);
  }

  // --- the linear system

  /// A x = J H⁻¹ Jᵀ x + C x over the free rows.
  Eigen::VectorXd times(const double* x) const {
    Motions impulses(m_island.bodies.size());
    for (std::size_t k = 0; k < m_free.size(); ++k)
      pushFree(m_rows[static_cast<std::size_t>(m_free[k])], x[k], impulses);
    const Motions v = inverseTimes(impulses);
    Eigen::VectorXd result(static_cast<Eigen::Index>(m_free.size()));
    for (Eigen::Index k = 0; k < result.size(); ++k)
      result[k] = along(m_rows[static_cast<std::size_t>(m_free[static_cast<std::size_t>(k)])], v) +
                  m_added[k] * x[k];
    return result;
  }

  /// The system for the one Krylov loop.
  struct KrylovSystem {
    struct Rows {
      KrylovVectors u;
      const double* product;
      double systemTimes(int, int row, const double*) const { return product[row]; }
    };
    Solver& solver;
    KrylovVectors u;
    mutable Eigen::VectorXd product;
    mutable KrylovState state;
    mutable KrylovSums sums;
    mutable bool isRunning = true;
    std::vector<double>* curve = nullptr;

    void multiply(const double* x) const { product = solver.times(x); }
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
      if (isRunning) isRunning = act(state, sums.values);
    }
    bool goesOn(int) const {
      if (curve && state.iterations > static_cast<int>(curve->size()) && state.size > 0)
        curve->push_back(std::sqrt(state.square) / state.size);
      return isRunning;
    }
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

  Eigen::VectorXd solveLinear(const Eigen::VectorXd& right, Iterate& step) {
    Eigen::VectorXd x = Eigen::VectorXd::Zero(right.size());
    const double size = right.norm();
    if (!(size > 0)) return x;
    const bool isFull = m_settings.friction == FrictionForm::Full;
    if (isFull || m_settings.linear == LinearSolver::Direct) {
      x = solveDirectly(right, isFull);
      step.linearResidual = (times(x.data()) - right).norm() / size;
      return x;
    }
    if (m_settings.linear == LinearSolver::GaussSeidel) return sweep(right, step);
    return iterateLinear(right, step);
  }

  Eigen::VectorXd iterateLinear(const Eigen::VectorXd& right, Iterate& step) {
    const Eigen::Index n = right.size();
    Eigen::VectorXd b = right, x(n), best(n), r(n), z(n), p(n), Sz(n), Sp(n);
    Eigen::VectorXd inverse = m_diagonal.unaryExpr([](double d) { return d > 0 ? 1 / d : 1.0; });
    const KrylovVectors u{b.data(), x.data(), best.data(), r.data(),      z.data(),
                          p.data(), Sz.data(), Sp.data(),  inverse.data()};
    KrylovSystem system{*this, u, Eigen::VectorXd::Zero(n), {}, {}, true, nullptr};
    if (m_keepCurves) system.curve = &step.linearCurve;
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
    step.linearIterations = system.state.iterations;
    step.linearResidual = system.state.residual;
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
  Eigen::VectorXd sweep(const Eigen::VectorXd& right, Iterate& step) {
    Eigen::VectorXd x = Eigen::VectorXd::Zero(right.size());
    Motions v(m_island.bodies.size());
    for (step.linearIterations = 0; step.linearIterations < m_settings.linearIterations;) {
      for (Eigen::Index k = 0; k < x.size(); ++k) {
        const Row& row = m_rows[static_cast<std::size_t>(m_free[static_cast<std::size_t>(k)])];
        if (!(m_diagonal[k] > 0)) continue;
        const double change = (right[k] - along(row, v) - m_added[k] * x[k]) / m_diagonal[k];
        x[k] += change;
        for (int t = 0; t < row.count; ++t) {
          const Term& term = row.terms[static_cast<std::size_t>(t)];
          const std::size_t body = static_cast<std::size_t>(term.body);
          v.linear[body] += row.scale * change * m_island.bodies[body].inverseMass * term.linear;
          v.angular[body] += row.scale * change * Vec3(m_inverse[body] * term.angular);
        }
      }
      ++step.linearIterations;
      step.linearResidual = (times(x.data()) - right).norm() / right.norm();
      if (m_keepCurves) step.linearCurve.push_back(step.linearResidual);
      if (step.linearResidual <= m_settings.linearTolerance) break;
    }
    return x;
  }

  /// LDLᵀ of the sparse matrix, or LU where it is not symmetric.
  Eigen::VectorXd solveDirectly(const Eigen::VectorXd& right, bool isFull) const {
    const std::size_t bodies = m_island.bodies.size();
    std::vector<std::vector<std::pair<int, const Term*>>> ofBody(bodies);  // free rows, with their terms
    for (std::size_t k = 0; k < m_free.size(); ++k) {
      const Row& row = m_rows[static_cast<std::size_t>(m_free[k])];
      for (int t = 0; t < row.count; ++t) {
        const Term& term = row.terms[static_cast<std::size_t>(t)];
        ofBody[static_cast<std::size_t>(term.body)].push_back({static_cast<int>(k), &term});
      }
    }
    std::vector<Eigen::Triplet<double>> entries;
    for (std::size_t body = 0; body < bodies; ++body)
      for (const auto& [column, pushed] : ofBody[body]) {
        const Row& source = m_rows[static_cast<std::size_t>(m_free[static_cast<std::size_t>(column)])];
        Vec3 linear = source.scale * pushed->linear, angular = source.scale * pushed->angular;
        if (source.follower >= 0) {
          const Row& follower = m_rows[static_cast<std::size_t>(source.follower)];
          for (int t = 0; t < follower.count; ++t) {
            const Term& term = follower.terms[static_cast<std::size_t>(t)];
            if (term.body != static_cast<int>(body)) continue;
            linear += source.followerShare * term.linear;
            angular += source.followerShare * term.angular;
          }
        }
        const Vec3 v = m_island.bodies[body].inverseMass * linear, w = m_inverse[body] * angular;
        for (const auto& [row, term] : ofBody[body]) {
          const double scale = m_rows[static_cast<std::size_t>(m_free[static_cast<std::size_t>(row)])].scale;
          entries.emplace_back(row, column, scale * (term->linear.dot(v) + term->angular.dot(w)));
        }
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
  bool m_keepCurves;
  Motions m_u;
  std::vector<Vec3> m_contactForces;
  std::vector<JointForces> m_jointForces;

  // At the iterate:
  std::vector<Row> m_rows;  ///< of joints, then of contacts
  std::vector<JointPlace> m_places;
  int m_firstContact = 0;
  Residuals m_residuals;
  Motions m_g{0};
  std::vector<Mat3> m_inverse;  ///< of H_ωω
  std::vector<int> m_free;      ///< rows whose multipliers are unknown
  Eigen::VectorXd m_diagonal, m_added;
};

}  // namespace

Answer solve(const Island& island, const Settings& settings, bool keepCurves) {
  return Solver(island, settings, keepCurves).solve();
}

}  // namespace touchstone::nsn
