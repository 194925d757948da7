#include "core/contact/nsn/newton_equations.h"

#include <limits>

#include "core/elasticity/cloth.h"
#include "core/elasticity/element_rows.inl"
#include "core/elasticity/tetrahedron.inl"
#include "core/math/count.h"
#include "core/world/body_pose.h"

namespace touchstone::nsn {

namespace {

/// The linear part of a row on the second of two bodies, the first of which gets the opposite.
Vec3 directionOnB(const RowTerms& row, int b) {
  return b >= 0 ? row.last().linear : Vec3(-row.last().linear);
}

}  // namespace

Equations::Equations(const Island& island, const Settings& settings, Unknowns unknowns)
    : m_island(&island), m_settings(&settings), m_unknowns(std::move(unknowns)) {
  for (std::size_t body = 0; body < island.bodies.size(); ++body) {
    const IslandBody& islandBody = island.bodies[body];
    if (islandBody.isParticle) {
      m_poses.push_back(
          {islandBody.pose.position + island.h * m_unknowns.u.linear[body], islandBody.pose.orientation});
      continue;
    }
    m_poses.push_back(poseAfter(islandBody.pose, islandBody.constants, m_unknowns.u.linear[body],
                                m_unknowns.u.angular[body], island.h));
  }
  for (std::size_t joint = 0; joint < island.joints.size(); ++joint) addJoint(joint);
  m_firstAttachment = countOf(m_rows);
  for (std::size_t attachment = 0; attachment < island.attachments.size(); ++attachment)
    addAttachment(attachment);
  for (std::size_t element = 0; element < island.elements.size(); ++element) addElement(element);
  m_firstContact = countOf(m_rows);
  for (std::size_t contact = 0; contact < island.contacts.size(); ++contact) addContact(contact);
  findMomentum();
}

BodyPose Equations::poseOf(int body, const BodyPose& fixed) const { return body < 0 ? fixed : m_poses[body]; }

/// J M⁻¹ Jᵀ of a row [1/kg].
double Equations::coupling(const RowTerms& row) const {
  double sum = 0;
  for (const BodyTerm& term : row) {
    const IslandBody& body = m_island->bodies[term.body];
    sum += body.inverseMass * term.linear.dot(term.linear) +
           term.angular.dot(body.inverseInertia * term.angular);
  }
  return sum;
}

/// @param published  h² of normals, h of friction   @param mass  the row's own
double Equations::scaleOf(double published, double mass) const {
  if (m_settings->scaling == RowScaling::Identity) return 1;
  return m_settings->scaling == RowScaling::Mass && mass > 0 ? mass : published;
}

/// C ≥ 0 ⊥ λ ≥ 0, inelastic.
void Equations::setUnilateral(NewtonRow& row, double gap, double force) {
  const double h = m_island->h, mass = h * h * coupling(row.terms);
  row.force = force;
  row.equation = normalRow(m_settings->function, m_settings->rows, m_settings->isTouchingRepaired, gap, force,
                           scaleOf(h * h, mass), h);
  if (m_settings->rows == RowForm::Published) row.scale = row.equation.share;
  m_residuals.normal = std::fmax(m_residuals.normal, std::fabs(std::fmin(gap, mass * force)));
}

/// c + τ ċ + E λ = 0.
void Equations::setBilateral(NewtonRow& row, const JointConstraint& constraint, double force) {
  const double h = m_island->h, dampingTime = constraint.compliance > 0 ? constraint.dampingTime : 0,
               share = 1 + dampingTime / h;
  double residual = constraint.c + constraint.compliance * force;
  if (dampingTime > 0) residual += dampingTime * rateOf(row.terms, m_unknowns.u);
  row.force = force;
  row.equation = {1, constraint.compliance / (h * h * share), residual / (h * share), false, 0};
  m_residuals.joints = std::fmax(m_residuals.joints, std::fabs(residual));
}

void Equations::setDrive(NewtonRow& row, const JointConstraint& drive, double force) {
  const double h = m_island->h, e = drive.driveCompliance(h), maxForce = drive.bound;
  const double wanted =
      -drive.stiffness * drive.c - drive.damping * (rateOf(row.terms, m_unknowns.u) - drive.rate);
  const double residual = e * (force - wanted);
  const double rho = 1 / (h * h * coupling(row.terms) + e), tried = force - rho * residual;
  row.force = force;
  if (std::fabs(tried) > maxForce) {
    const double change = (tried > 0 ? maxForce : -maxForce) - force;
    row.equation = prescribed(change);
    m_residuals.joints = std::fmax(m_residuals.joints, std::fabs(change) / rho);
  } else {
    row.equation = {1, e / (h * h), residual / h, false, 0};
    m_residuals.joints = std::fmax(m_residuals.joints, std::fabs(residual));
  }
}

void Equations::setGiven(NewtonRow& row, double force) {
  row.force = force;
  row.equation = prescribed(0);
}

PlacedConstraints Equations::placedJoint(std::size_t index) const {
  const IslandJoint& islandJoint = m_island->joints[index];
  return {islandJoint.joint,
          poseOf(islandJoint.a, islandJoint.fixedA),
          poseOf(islandJoint.b, islandJoint.fixedB),
          islandJoint.coordinate,
          islandJoint.aim,
          nullptr};
}

template <class Keep>
void Equations::eachConstraint(std::size_t index, const Keep& keep) const {
  const int mimicked = m_island->joints[index].mimicked;
  PlacedConstraints placed = placedJoint(index), led;
  if (mimicked >= 0) {
    led = placedJoint(mimicked);
    placed.led = &led;
  }
  eachJointConstraint(placed, keep);
}

void Equations::addJoint(std::size_t index) {
  const IslandJoint& islandJoint = m_island->joints[index];
  JointPlace place;
  place.first = countOf(m_rows);
  eachConstraint(index, [&](const JointConstraint& constraint) {
    const double force = m_unknowns.joints[index].rows[constraint.slot];
    NewtonRow row;
    row.terms.add(islandJoint.a, islandJoint.b, constraint.row);
    if (constraint.hasLed) {
      const IslandJoint& other = m_island->joints[islandJoint.mimicked];
      row.terms.add(other.a, other.b, constraint.led);
    }
    if (constraint.kind == JointConstraint::Kind::Unilateral)
      setUnilateral(row, constraint.c, force);
    else if (constraint.kind == JointConstraint::Kind::Drive)
      setDrive(row, constraint, force);
    else if (constraint.kind == JointConstraint::Kind::Force)
      setGiven(row, constraint.bound);
    else
      setBilateral(row, constraint, force);
    place.row[constraint.slot] = countOf(m_rows);
    m_rows.push_back(row);
  });
  m_places.push_back(place);
}

/// The normal turned with what it belongs to, and the arms to the point where a plane meets a vertex, or to
/// the feet of the common perpendicular of two edges.
Equations::ContactPlace Equations::placeOf(const IslandContact& contact) const {
  // Sine of the angle between edges below which their common perpendicular turns too fast: it is held.
  constexpr double kParallel = 0.1;
  const BodyPose none, a = poseOf(contact.a, none), b = poseOf(contact.b, none);
  const auto turnOf = [this](int body, const BodyPose& pose) {
    return body < 0 ? Quaternion(Quaternion::Identity())
                    : Quaternion(pose.orientation * m_island->bodies[body].pose.orientation.conjugate());
  };
  const auto placed = [this](const DeformedSide& side, const Vec3& rigid) {
    if (!side.isUsed) return rigid;
    Vec3 sum = side.held;
    for (const DeformedSide::Share& share : side.shares) sum += share.weight * m_poses[share.body].position;
    return sum;
  };
  ContactPlace place;
  Vec3& normal = place.axes.normal;
  normal = contact.normal;
  place.armA = a.orientation * contact.pointA;
  place.armB = b.orientation * contact.pointB;
  const Vec3 apart =
      placed(contact.sideB, b.position + place.armB) - placed(contact.sideA, a.position + place.armA);
  const TurnsWith turnsWith = m_settings->normalsTurn ? contact.turnsWith : TurnsWith::Nothing;
  if (turnsWith == TurnsWith::FaceOfA) {
    normal = turnOf(contact.a, a) * contact.normal;
    place.armA += apart;
  } else if (turnsWith == TurnsWith::FaceOfB) {
    normal = turnOf(contact.b, b) * contact.normal;
    place.armB -= apart;
  } else if (turnsWith == TurnsWith::Edges) {
    const Vec3 alongA = a.orientation * contact.edgeA, alongB = b.orientation * contact.edgeB,
               cross = alongA.cross(alongB);
    const double square = cross.squaredNorm();
    if (square > kParallel * kParallel) {
      normal = (cross.dot(contact.normal) < 0 ? -1 : 1) / std::sqrt(square) * cross;
      place.armA += apart.cross(alongB).dot(cross) / square * alongA;
      place.armB += apart.cross(alongA).dot(cross) / square * alongB;
    }
  }
  place.gap = normal.dot(apart) - contact.thickness;
  contactTangents(contact.normal, m_island->planar, place.axes.first, place.axes.second);
  if (turnsWith == TurnsWith::Nothing) return place;
  place.axes.first = (place.axes.first - normal.dot(place.axes.first) * normal).normalized();
  if (!m_island->planar) place.axes.second = normal.cross(place.axes.first);
  return place;
}

void Equations::addContact(std::size_t index) {
  const IslandContact& contact = m_island->contacts[index];
  const Vec3& force = m_unknowns.contacts[index];
  const bool planar = m_island->planar;
  const double h = m_island->h;
  const ContactPlace place = placeOf(contact);
  const auto along = [&](const Vec3& d) { return contactRow(contact, place.armA, place.armB, d); };
  NewtonRow normal = along(place.axes.normal);
  m_axes.push_back(place.axes);
  m_gaps.push_back(place.gap);
  setUnilateral(normal, place.gap, force[0]);
  m_rows.push_back(normal);
  if (!(contact.friction > 0)) return;

  const std::size_t normalRow = m_rows.size() - 1;
  const Vec3 &t1 = place.axes.first, &t2 = place.axes.second;
  const RowTerms first = along(t1).terms, second = along(t2).terms;
  const Vec3 drift = contact.sideB.heldVelocity - contact.sideA.heldVelocity;
  const double slip1 = rateOf(first, m_unknowns.u) + t1.dot(drift),
               slip2 = planar ? 0 : rateOf(second, m_unknowns.u) + t2.dot(drift);
  const double mass = h * std::fmax(coupling(first), planar ? 0 : coupling(second));
  const double limit = contact.friction * force[0];
  const FrictionRows rows = frictionRows(m_settings->function, m_settings->friction, slip1, slip2, force[1],
                                         force[2], limit, scaleOf(h, mass), h);
  NewtonRow along1 = along(rows.x * t1 + rows.y * t2), across = along(rows.x * t2 - rows.y * t1);
  along1.equation = rows.along;
  along1.force = rows.x * force[1] + rows.y * force[2];
  across.equation = planar ? prescribed(0) : rows.across;
  across.force = rows.x * force[2] - rows.y * force[1];
  if (rows.followsNormal) {
    m_rows[normalRow].follower = static_cast<int>(normalRow) + 1;
    m_rows[normalRow].followerShare = contact.friction;
  }
  m_rows.push_back(along1);
  m_rows.push_back(across);

  double x = force[1] - slip1 / mass, y = force[2] - slip2 / mass;
  projectOnDisk(limit, x, y);
  m_residuals.friction = std::fmax(m_residuals.friction, mass * lengthOf(force[1] - x, force[2] - y));
}

NewtonRow Equations::contactRow(const IslandContact& contact, const Vec3& armA, const Vec3& armB,
                                const Vec3& direction) const {
  NewtonRow row;
  row.direction = direction;
  const auto add = [&](const DeformedSide& side, int body, double sign, const Vec3& arm) {
    if (!side.isUsed) row.terms.add(body, sign * direction, sign * arm.cross(direction));
    for (const DeformedSide::Share& share : side.shares)
      row.terms.add(share.body, sign * share.weight * direction, Vec3(0, 0, 0));
  };
  add(contact.sideA, contact.a, -1, armA);
  add(contact.sideB, contact.b, 1, armB);
  return row;
}

/// c = x_p − (x_B + R r) = 0 along the axes of the world.
void Equations::addAttachment(std::size_t index) {
  const IslandAttachment& attachment = m_island->attachments[index];
  const BodyPose none, body = poseOf(attachment.body, none);
  const Vec3 arm = body.orientation * attachment.point;
  const Vec3 apart = m_poses[attachment.particle].position - (body.position + arm);
  for (int axis = 0; axis < 3; ++axis) {
    const Vec3 along = Vec3::Unit(axis);
    NewtonRow row;
    row.terms.add(attachment.particle, along, Vec3(0, 0, 0));
    row.terms.add(attachment.body, -along, -arm.cross(along));
    row.force = m_unknowns.attachments[index][axis];
    row.equation = {1, 0, apart[axis] / m_island->h, false, 0};
    m_residuals.joints = std::fmax(m_residuals.joints, std::fabs(apart[axis]));
    m_rows.push_back(row);
  }
}

void Equations::placeElement(const IslandElement& element, Vec3 x[4]) const {
  for (std::size_t k = 0; k < 4; ++k)
    x[k] = element.bodies[k] < 0 ? element.held[k] : m_poses[element.bodies[k]].position;
}

void Equations::addElement(std::size_t index) {
  const IslandElement& islandElement = m_island->elements[index];
  m_firstOfElement.push_back(countOf(m_rows));
  Vec3 x[4];
  placeElement(islandElement, x);
  if (islandElement.tetrahedron) {
    addTetrahedron(index, x);
  } else if (islandElement.edge) {
    const EdgeStretch stretch = edgeStretch(x, islandElement.edge->length);
    addClothRow(index, 2, stretch.row, stretch.c, islandElement.edge->stiffness);
  } else {
    const HingeBend bend = hingeBend(x);
    addClothRow(index, 4, bend.row, wrappedAngle(bend.angle - islandElement.hinge->angle),
                islandElement.hinge->stiffness);
  }
}

/// E (c + λ) + β J u = 0 of each strain.
void Equations::addTetrahedron(std::size_t index, const Vec3 x[4]) {
  const IslandElement& islandElement = m_island->elements[index];
  const std::array<double, ElementRows::kMost>& force = m_unknowns.elements[index];
  m_elements.push_back(elementRows(*islandElement.material, islandElement.tetrahedron->rest,
                                   m_settings->elastic, x, force.data()));
  const ElementRows& element = m_elements.back();
  const double h = m_island->h, beta = islandElement.material->dampingTime, share = 1 + beta / h;
  for (int k = 0; k < element.count; ++k) {
    const bool isKept = k < element.kept;
    NewtonRow row;
    double residual = element.residual[k], largest = 0;
    for (std::size_t corner = 0; corner < 4; ++corner) {
      const Vec3& gradient = element.gradient[k][corner];
      row.terms.add(islandElement.bodies[corner], gradient, Vec3(0, 0, 0));
      largest = std::fmax(largest, gradient.norm());
      if (islandElement.bodies[corner] < 0 && isKept)
        residual += beta * gradient.dot(islandElement.heldVelocities[corner]);
    }
    if (isKept && beta > 0) residual += beta * rateOf(row.terms, m_unknowns.u);
    for (int m = 0; isKept && m < element.kept; ++m) row.force += element.basis[m][k] * force[m];
    const double damped = isKept ? share : 1;
    row.equation = {1, element.compliance[k] / (h * h * damped), residual / (h * damped), false, 0};
    if (largest > 0) m_residuals.elastic = std::fmax(m_residuals.elastic, std::fabs(residual) / largest);
    m_rows.push_back(row);
  }
}

/// c + E λ = 0 of an edge or a hinge.
void Equations::addClothRow(std::size_t index, int corners, const Vec3* gradient, double c,
                            double stiffness) {
  const IslandElement& islandElement = m_island->elements[index];
  ElementRows element;
  element.count = element.kept = 1;
  element.basis[0][0] = 1;
  element.compliance[0] = 1 / stiffness;  // 0 of one that is inextensible
  NewtonRow row;
  double largest = 0;
  for (int k = 0; k < corners; ++k) {
    element.gradient[0][k] = gradient[k];
    row.terms.add(islandElement.bodies[k], gradient[k], Vec3(0, 0, 0));
    largest = std::fmax(largest, gradient[k].norm());
  }
  for (int k = corners; k < 4; ++k) element.gradient[0][k] = Vec3(0, 0, 0);
  const double h = m_island->h;
  row.force = m_unknowns.elements[index][0];
  const double residual = c + element.compliance[0] * row.force;
  row.equation = {1, element.compliance[0] / (h * h), residual / h, false, 0};
  if (largest > 0)
    m_residuals.elastic = std::fmax(m_residuals.elastic, std::fabs(residual) / largest);
  else
    row.equation = prescribed(0);  // its ends coincide, or a triangle has no area
  m_elements.push_back(element);
  m_rows.push_back(row);
}

void Equations::addElementForces(std::size_t index, const std::array<double, ElementRows::kMost>& force,
                                 double factor, std::vector<Vec3>& sums) const {
  const IslandElement& islandElement = m_island->elements[index];
  const ElementRows& element = m_elements[index];
  for (int k = 0; k < element.kept; ++k) {
    double along = 0;
    for (int m = 0; m < element.kept; ++m) along += element.basis[m][k] * force[m];
    for (std::size_t corner = 0; corner < 4; ++corner)
      if (islandElement.bodies[corner] >= 0)
        sums[islandElement.bodies[corner]] += factor * along * element.gradient[k][corner];
  }
}

void Equations::findSecantMasses(const Equations& before, const Motions& change) {
  // m/s. Larger: particles that still move have none; smaller: it is a quotient of roundings.
  constexpr double kMoves = 1e-9;
  m_secantMasses.assign(m_island->bodies.size(), Vec3(0, 0, 0));
  std::vector<Vec3> sums(m_island->bodies.size(), Vec3(0, 0, 0));
  for (std::size_t element = 0; element < m_elements.size(); ++element) {
    addElementForces(element, m_unknowns.elements[element], m_island->h, sums);
    before.addElementForces(element, m_unknowns.elements[element], -m_island->h, sums);
  }
  for (std::size_t body = 0; body < sums.size(); ++body) {
    if (!m_island->bodies[body].isParticle) continue;
    for (int axis = 0; axis < 3; ++axis)
      if (std::fabs(change.linear[body][axis]) >= kMoves)
        m_secantMasses[body][axis] = -std::fmin(0.0, sums[body][axis] / change.linear[body][axis]);
  }
}

void Equations::findMomentum() {
  const double h = m_island->h;
  const std::size_t bodies = m_island->bodies.size();
  m_momentum = Motions(bodies);
  for (std::size_t body = 0; body < bodies; ++body) {
    const IslandBody& islandBody = m_island->bodies[body];
    m_momentum.linear[body] = (m_unknowns.u.linear[body] - islandBody.linear) / islandBody.inverseMass;
    m_momentum.angular[body] = islandBody.inertia * Vec3(m_unknowns.u.angular[body] - islandBody.angular);
  }
  Motions geometric = m_momentum;  // without the scales of the rows
  for (const NewtonRow& row : m_rows) {
    push(row.terms, -h * row.force, geometric);
    push(row.terms, -h * row.scale * row.force, m_momentum);
  }
  for (std::size_t body = 0; body < bodies; ++body) {
    const IslandBody& islandBody = m_island->bodies[body];
    const double linear = (islandBody.inverseMass * geometric.linear[body]).cwiseAbs().maxCoeff(),
                 angular = Vec3(islandBody.inverseInertia * geometric.angular[body]).cwiseAbs().maxCoeff();
    m_residuals.momentum = std::fmax(m_residuals.momentum, std::fmax(linear, angular));
  }
}

Iterate Equations::iterate() const {
  Iterate now;
  now.residuals = m_residuals;
  double sum = 0;
  for (std::size_t body = 0; body < m_island->bodies.size(); ++body)
    sum += m_momentum.linear[body].squaredNorm() + m_momentum.angular[body].squaredNorm();
  for (const NewtonRow& row : m_rows) {
    const LinearRow& equation = row.equation;
    const double value = equation.isPrescribed ? equation.change : equation.residual;
    sum += value * value;
  }
  now.merit = 0.5 * sum;
  return now;
}

Equations Equations::after(const NewtonStep& step, double t) const {
  Unknowns next = m_unknowns;
  for (std::size_t body = 0; body < step.u.linear.size(); ++body) {
    next.u.linear[body] += t * step.u.linear[body];
    next.u.angular[body] += t * step.u.angular[body];
  }
  const auto changed = [&](int row) { return row < 0 ? 0.0 : m_rows[row].force + t * step.forces[row]; };
  for (std::size_t joint = 0; joint < m_places.size(); ++joint)
    for (std::size_t slot = 0; slot < JointConstraint::SlotCount; ++slot)
      next.joints[joint].rows[slot] = changed(m_places[joint].row[slot]);
  for (std::size_t attachment = 0; attachment < next.attachments.size(); ++attachment)
    for (int axis = 0; axis < 3; ++axis)
      next.attachments[attachment][axis] =
          changed(m_firstAttachment + 3 * static_cast<int>(attachment) + axis);
  for (std::size_t element = 0; element < m_elements.size(); ++element) {
    const ElementRows& elementRows = m_elements[element];
    for (int k = 0; k < elementRows.kept; ++k) {
      const double change = t * step.forces[m_firstOfElement[element] + k];
      for (int m = 0; m < elementRows.kept; ++m)
        next.elements[element][m] += elementRows.basis[m][k] * change;
    }
  }
  int row = m_firstContact;
  for (std::size_t contact = 0; contact < next.contacts.size(); ++contact) {
    const IslandContact& islandContact = m_island->contacts[contact];
    Vec3& force = next.contacts[contact];
    force[0] = changed(row++);
    if (!(islandContact.friction > 0)) continue;
    // The rows lie along the slip: back to the tangents of the contact.
    Vec3 sum(0, 0, 0);
    for (const int end = row + 2; row < end; ++row) sum += changed(row) * m_rows[row].direction;
    force[1] = m_axes[contact].first.dot(sum);
    force[2] = m_axes[contact].second.dot(sum);
  }
  Equations nextEquations(*m_island, *m_settings, std::move(next));
  const bool isSecantWanted =
      m_settings->geometric == Geometric::Particles || m_settings->geometric == Geometric::All;
  if (isSecantWanted && !m_elements.empty()) {
    Motions change = step.u;
    for (Vec3& velocity : change.linear) velocity *= t;
    nextEquations.findSecantMasses(*this, change);
  }
  return nextEquations;
}

void Equations::write(Answer& answer) const {
  answer.linear = m_unknowns.u.linear;
  answer.angular = m_unknowns.u.angular;
  answer.contacts = m_unknowns.contacts;
  answer.gaps = m_gaps;
  answer.axes = m_axes;
  answer.joints = m_unknowns.joints;
  answer.elements = m_unknowns.elements;
  answer.attachments = m_unknowns.attachments;
  answer.residual = total();
  answer.limitingAccuracy = limitingAccuracy();
  for (std::size_t joint = 0; joint < m_places.size(); ++joint) addForces(joint, answer.joints[joint]);
}

double Equations::limitingAccuracy() const {
  std::vector<double> sums(m_island->bodies.size(), 0.0);
  for (const NewtonRow& row : m_rows)
    for (const BodyTerm& term : row.terms) {
      const std::size_t bodyIndex = term.body;
      const IslandBody& body = m_island->bodies[bodyIndex];
      sums[bodyIndex] += m_island->h * std::fabs(row.force) *
                         std::fmax(body.inverseMass * term.linear.cwiseAbs().maxCoeff(),
                                   Vec3(body.inverseInertia * term.angular).cwiseAbs().maxCoeff());
    }
  double maximum = 0, farthest = 0;
  for (std::size_t body = 0; body < sums.size(); ++body) {
    maximum = std::fmax(maximum, sums[body]);
    farthest = std::fmax(farthest, m_poses[body].position.cwiseAbs().maxCoeff());
  }
  return 0.5 * std::numeric_limits<double>::epsilon() * (maximum + farthest / m_island->h);
}

/// Sums what the rows of a joint do to bodies.
void Equations::addForces(std::size_t joint, JointForces& forces) const {
  eachConstraint(joint, [&](const JointConstraint& constraint) {
    const int row = m_places[joint].row[constraint.slot];
    if (row < 0) return;
    const double force = m_rows[row].force;
    forces.wrench += constraint.row.scaled(force);
    if (constraint.hasLed) forces.led += constraint.led.scaled(force);
  });
}

std::vector<Mat3> Equations::geometricStiffness() const {
  std::vector<Mat3> stiffness(m_island->bodies.size(), Mat3(Mat3::Zero()));
  for (std::size_t joint = 0; joint < m_places.size(); ++joint) addStiffness(joint, stiffness);
  return stiffness;
}

void Equations::addStiffness(std::size_t joint, std::vector<Mat3>& stiffness) const {
  const IslandJoint& islandJoint = m_island->joints[joint];
  Vec3 force(0, 0, 0);  // on B; rows of angles have none
  for (int slot = 0; slot < JointRows::kMost; ++slot) {
    const int rowIndex = m_places[joint].row[slot];
    if (rowIndex < 0) continue;
    const NewtonRow& row = m_rows[rowIndex];
    if (row.terms.isEmpty()) return;
    force += row.force * directionOnB(row.terms, islandJoint.b);
  }
  const auto cross = [](const Vec3& v) {
    Mat3 m;
    m << 0, -v.z(), v.y(), v.z(), 0, -v.x(), -v.y(), v.x(), 0;
    return m;
  };
  const JointFrames& frames = islandJoint.joint->frames;
  if (islandJoint.b >= 0)
    stiffness[islandJoint.b] -=
        cross(force) * cross(poseOf(islandJoint.b, islandJoint.fixedB).orientation * frames.anchorB);
  if (islandJoint.a >= 0)
    stiffness[islandJoint.a] +=
        cross(force) * cross(poseOf(islandJoint.a, islandJoint.fixedA).orientation * frames.anchorA);
}

}  // namespace touchstone::nsn
