#pragma once

#include <cmath>
#include <memory>
#include <random>
#include <vector>

#include "core/constraints/attachment_rows.h"
#include "core/constraints/edge_rows.h"
#include "core/constraints/element_rows.h"
#include "core/constraints/gap_contact_rows.h"
#include "core/constraints/hinge_rows.h"
#include "core/constraints/joint_rows.h"
#include "core/elasticity/tetrahedron.inl"
#include "core/world/free_rotation.h"

// A world in the middle of a step with every kind of constraint, at random, without shapes.

namespace touchstone::test {

/// Uniform numbers of a seed.
class Random {
 public:
  explicit Random(unsigned seed) : m_engine(seed) {}
  double number(double low = -1, double high = 1) {
    return low + (high - low) * (static_cast<double>(m_engine()) / 4294967295.0);
  }
  Vec3 vector(double size = 1) {
    const double x = number(), y = number(), z = number();
    return size * Vec3(x, y, z);
  }
  Quaternion rotation(double size) { return rotationBy(vector(size)); }

 private:
  std::mt19937 m_engine;
};

/// Velocities of the carriers of a world.
struct MovedVelocities {
  std::vector<Vec3> linear, angular;
  CarrierVelocities view() { return {linear.data(), angular.data()}; }
};

/// Body 0 is static, bodies 1 … 4 move, then come 20 particles, of which the last seven are held and move
/// with given velocities. Joints 0 … 9 have every row; `contacts` are between surfaces and
/// have normals that do not turn.
struct ConstrainedWorld {
  static constexpr int kBodies = 5, kParticles = 20, kHeld = 7;
  World world;
  std::shared_ptr<Scene> scene = std::make_shared<Scene>();
  std::shared_ptr<ElasticBodies> elastic = std::make_shared<ElasticBodies>();
  std::vector<GapContact> contacts;
  double h = 0.01;

  explicit ConstrainedWorld(unsigned seed, bool planar = false) : m_random(seed) {
    scene->planar = planar;
    world.time = 0.3;
    world.dt = h;
    addCarriers();
    addJoints();
    addElements();
    addContacts();
    world.scene = scene;
    world.elastic = elastic;
    world.materials = elastic->materials;
  }

  /// Rows of all kinds at q⁻ ⊕ h u. @param u  null: 0
  RowBuffer rows(const World& start, const CarrierVelocities* u = nullptr) const {
    const StateView state{start, h, u};
    RowBuffer rows;
    const auto write = [&](const auto& kind) {
      for (int index = 0; index < kind.count(); ++index) kind.write(index, state, rows);
    };
    write(JointBlocks{start});
    write(AttachmentRows{start});
    write(TetrahedronRows{start});
    write(EdgeRows{start, isTensionOnly});
    write(HingeRows{start});
    write(GapContactRows{contacts});
    return rows;
  }
  RowBuffer rows() const { return rows(world); }

  MovedVelocities velocities(double size) {
    MovedVelocities velocities;
    for (int carrier = 0; carrier < kBodies + kParticles; ++carrier) {
      velocities.linear.push_back(m_random.vector(size));
      velocities.angular.push_back(carrier < kBodies ? m_random.vector(size) : Vec3(0, 0, 0));
    }
    return velocities;
  }

  /// The world whose start is q⁻ ⊕ h u. Held particles stay, since they move by themselves.
  World movedBy(const MovedVelocities& u) const {
    World moved = world;
    for (int carrier = 0; carrier < kBodies + kParticles; ++carrier) {
      if (!isDynamic(world, carrier)) continue;
      moved.position[carrier] += h * u.linear[carrier];
      if (carrier < kBodies)
        moved.orientation[carrier] =
            freeRotation((*world.constants)[carrier], world.orientation[carrier], u.angular[carrier], h)
                .orientation;
    }
    return moved;
  }

  bool isTensionOnly = false;

 private:
  void addCarriers() {
    auto constants = std::make_shared<std::vector<BodyConstants>>(kBodies);
    for (int body = 0; body < kBodies; ++body) {
      scene->bodies.emplace_back();
      world.position.push_back(m_random.vector());
      world.orientation.push_back(m_random.rotation(0.4));
      world.inverseMass.push_back(body == 0 ? 0 : 1 / m_random.number(1, 3));
      world.active.push_back(1);
      if (body > 0) setInertia((*constants)[body]);
      const Mat3 rotation = world.orientation.back().toRotationMatrix();
      world.inverseInertia.push_back(rotation * (*constants)[body].inverseInertia * rotation.transpose());
      world.nextLinearVelocity.push_back(body == 0 ? Vec3(0, 0, 0) : m_random.vector());
      world.nextAngularVelocity.push_back(body == 0 ? Vec3(0, 0, 0) : m_random.vector());
      world.carrierBody.push_back(body);
    }
    for (int particle = 0; particle < kParticles; ++particle) {
      world.position.push_back(m_random.vector());
      world.inverseMass.push_back(particle < kParticles - kHeld ? 1 / m_random.number(0.1, 0.3) : 0);
      world.inverseInertia.push_back(Mat3::Zero());
      world.nextLinearVelocity.push_back(m_random.vector());
      world.nextAngularVelocity.push_back(Vec3(0, 0, 0));
      world.carrierBody.push_back(0);
    }
    world.constants = constants;
  }

  void setInertia(BodyConstants& body) {
    const Vec3 moments(m_random.number(0.2, 0.4), m_random.number(0.5, 0.6), m_random.number(0.7, 0.9));
    body.inertia = moments.asDiagonal();
    body.inverseInertia = moments.cwiseInverse().asDiagonal();
    body.axisOfSmallest = Vec3(1, 0, 0);
    body.axisOfLargest = Vec3(0, 0, 1);
    body.inverseMiddleInertia = 1 / moments[1];
    body.excessOfSmallest = 1 / moments[0] - 1 / moments[1];
    body.excessOfLargest = 1 / moments[2] - 1 / moments[1];
  }

  Joint& addJoint(JointKind kind, int a, int b) {
    Joint joint;
    joint.kind = kind;
    joint.bodyA = a;
    joint.bodyB = b;
    joint.frames = {m_random.vector(0.5), m_random.vector(0.5), m_random.rotation(0.4),
                    m_random.rotation(0.4)};
    joint.length = 0.7;
    scene->joints.push_back(joint);
    world.jointCoordinate.push_back(0);
    world.driveTarget.push_back(std::nan(""));
    return scene->joints.back();
  }

  void addJoints() {
    addJoint(JointKind::Ball, 1, 2);
    Joint& driven = addJoint(JointKind::Revolute, 2, 3);
    driven.lower = -0.3;
    driven.upper = 0.2;
    driven.drive.stiffness = 40;
    driven.drive.damping = 3;
    driven.drive.target = 0.4;
    driven.drive.rate = 0.7;
    driven.drive.mostForce = 5;
    driven.drive.force = 1.5;
    driven.dryFriction = 0.6;
    Joint& locked = addJoint(JointKind::Prismatic, 4, 3);
    locked.lower = locked.upper = 0.1;
    locked.drive.damping = 8;
    locked.drive.rate = -0.4;
    locked.compliance = 2e-3;
    locked.angularCompliance = 1e-3;
    locked.dampingTime = 0.02;
    Joint& soft = addJoint(JointKind::Fixed, 1, 4);
    soft.compliance = 1e-3;
    soft.dampingTime = 0.05;
    addJoint(JointKind::Beam, -1, 2).angularCompliance = 4e-3;
    addJoint(JointKind::Distance, 0, 3);
    addJoint(JointKind::Rope, 1, 3);
    Joint& follower = addJoint(JointKind::Revolute, 4, 1);
    follower.mimic = {1, -1.5, 0.2};
    follower.dryFriction = 0.3;
    addJoint(JointKind::Prismatic, 1, 0).upper = 0.5;
    addJoint(JointKind::Prismatic, 3, 4).mimic = {1, 0.5, -0.1};  // body 3 is one of the followed joint, too
    // Turns since the start of the run, which poses do not show.
    world.jointCoordinate[1] = 6.2;
  }

  int particle(int index) const { return kBodies + index; }

  void addTetrahedron(const std::array<int, 4>& corners, const ElasticMaterial& material) {
    TetrahedronElement element;
    Vec3 rest[4];
    for (int corner = 0; corner < 4; ++corner) {
      element.carriers[corner] = particle(corners[corner]);
      rest[corner] = world.position[element.carriers[corner]] + m_random.vector(0.1);
    }
    element.rest = restOf(rest);
    element.material = countOf(elastic->materials);
    elastic->materials.push_back(material);
    elastic->tetrahedra.push_back(element);
  }

  void addElements() {
    // Corners of a tetrahedron far from flat, positively oriented, and in no order of carriers.
    const std::array<int, 4> corners[] = {
        {2, 0, 1, 3}, {5, 4, 7, 6}, {8, 14, 9, 13}, {10, 15, 11, 12}, {16, 17, 18, 19}};
    for (const std::array<int, 4>& tetrahedron : corners) {
      const Vec3 middle = m_random.vector(0.2);
      const Vec3 places[] = {{0, 0, 0}, {0.5, 0, 0}, {0, 0.5, 0}, {0, 0, 0.5}};
      for (int corner = 0; corner < 4; ++corner)
        world.position[particle(tetrahedron[corner])] = middle + places[corner] + m_random.vector(0.08);
    }
    ElasticMaterial linear, neo;
    linear.model = ElasticModel::Corotational;
    neo.model = ElasticModel::NeoHookean;
    addTetrahedron(corners[0], linear);
    addTetrahedron(corners[1], neo);
    linear.dampingTime = 0.03;
    linear.eigenstrain = 0.05;
    neo.dampingTime = 0.02;
    addTetrahedron(corners[2], linear);
    addTetrahedron(corners[3], neo);
    addTetrahedron(corners[4], neo);  // held
    elastic->edges = {{{particle(3), particle(1)}, 0.4, 300},
                      {{particle(14), particle(6)}, 0.9, HUGE_VAL},
                      {{particle(10), particle(13)}, 0.9, 10},
                      {{particle(16), particle(17)}, 0.9, 10}};
    elastic->hinges = {{{particle(4), particle(2), particle(9), particle(0)}, 0.1, 0.7},
                       {{particle(8), particle(13), particle(1), particle(7)}, -0.4, 0.2}};
    elastic->attachments = {{particle(4), 2, m_random.vector(0.5)},
                            {particle(0), 0, m_random.vector(0.5)},
                            {particle(11), 3, m_random.vector(0.5)},
                            {particle(16), 1, m_random.vector(0.5)}};
    elastic->particleMass.assign(kParticles, 1);
  }

  ContactSide sideOf(std::initializer_list<int> particles) {
    ContactSide side;
    double sum = 0;
    for (const int index : particles) side.particles.add(particle(index), m_random.number(0.2, 1));
    for (int k = 0; k < side.particles.count; ++k) sum += side.particles.weights[k];
    for (int k = 0; k < side.particles.count; ++k) side.particles.weights[k] /= sum;
    return side;
  }
  ContactSide sideOf(int body) {
    ContactSide side;
    side.body = body;
    side.point = m_random.vector(0.5);
    return side;
  }
  void addContact(const ContactSide& a, const ContactSide& b, double friction) {
    Vec3 normal = m_random.vector();
    if (scene->planar) normal.z() = 0;
    GapContact contact;
    contact.key = {kSurfaceBlock, countOf(contacts), 0};
    contact.a = a;
    contact.b = b;
    contact.normal = normal.normalized();
    contact.thickness = 0.02;
    contact.friction = friction;
    contacts.push_back(contact);
  }
  void addContacts() {
    addContact(sideOf({0}), sideOf({3, 5, 7}), 0.5);
    addContact(sideOf({12, 3, 5, 6, 14, 8, 9, 10, 11, 1, 2, 4}), sideOf(2), 0.3);
    addContact(sideOf(0), sideOf({13, 1}), 0.7);
    addContact(sideOf({2, 3}), sideOf({3, 4}), 0.4);  // of one surface
    addContact(sideOf({6}), sideOf(-1), 0);
    addContact(sideOf({16, 17}), sideOf({18}), 0.4);  // held
  }

  Random m_random;
};

}  // namespace touchstone::test
