#include "app/engines/bullet_shapes.h"
#include "app/engines/engines.h"
#include "core/engine/engine.h"
#include "core/engine/engine_bodies.h"
#include "core/record/integrator.h"

#include <cmath>

namespace touchstone {

namespace {

/// Bodies of Bullet have the axes of their principal moments; its friction is the product of both
/// coefficients.
class BulletEngine : public Engine, btOverlapFilterCallback {
 public:
  BulletEngine(std::shared_ptr<const Scene> scene, const ParameterValues& values)
      : m_scene(std::move(scene)), m_values(values) {}

  void begin(double) override {
    m_world.reset();  // before what it points to
    m_bodies.clear();
    m_shapes = BulletShapes(value("margin"));
    m_parts = std::make_unique<Parts>();
    m_world = std::make_unique<btDiscreteDynamicsWorld>(&m_parts->dispatcher, &m_parts->broadphase,
                                                        &m_parts->solver, &m_parts->configuration);
    m_world->setGravity(bt(m_scene->gravity));
    m_world->getPairCache()->setOverlapFilterCallback(this);
    btContactSolverInfo& info = m_world->getSolverInfo();
    info.m_numIterations = static_cast<int>(value("iterations"));
    info.m_erp2 = btScalar(value("erp"));
    info.m_splitImpulse = value("split_impulse") != 0;
    if (value("two_directions") != 0) info.m_solverMode |= SOLVER_USE_2_FRICTION_DIRECTIONS;
  }
  void add(int index, const BodyState& state) override {
    const Body& body = m_scene->bodies[index];
    const PrincipalAxes inertia = principalAxesOf(body.inertia);
    btRigidBody::btRigidBodyConstructionInfo info(btScalar(body.mass), nullptr,
                                                  m_shapes.of(*body.shape, inertia.axes.conjugate()),
                                                  bt(inertia.moments));
    info.m_friction = btScalar(std::sqrt(pairFriction(*m_scene, index, index)));
    info.m_startWorldTransform =
        btTransform(bt(product(state.orientation, inertia.axes)), bt(state.position));
    Own added{index, inertia.axes.conjugate(), std::make_unique<btRigidBody>(info)};
    added.body->setLinearVelocity(bt(state.linearVelocity));
    added.body->setAngularVelocity(bt(state.angularVelocity));
    added.body->setActivationState(DISABLE_DEACTIVATION);
    added.body->setUserIndex(index);
    m_world->addRigidBody(added.body.get());
    m_bodies.push_back(std::move(added));
  }
  void push(int index, const Vec3& force, const Vec3& point) override {
    for (Own& pushed : m_bodies)
      if (pushed.index == index)
        pushed.body->applyForce(bt(force), bt(point) - pushed.body->getCenterOfMassPosition());
  }
  void step(double, double dt) override { m_world->stepSimulation(btScalar(dt), 0); }
  void read(std::vector<BodyState>& states) const override {
    for (const auto& [index, toShape, body] : m_bodies)
      if (!body->isStaticObject())
        states[index] = {ours(body->getCenterOfMassPosition()),
                         product(ours(body->getOrientation()), toShape), ours(body->getLinearVelocity()),
                         ours(body->getAngularVelocity()), true};
  }
  void addContacts(std::vector<Contact>& contacts) const override {
    for (int pair = 0; pair < m_parts->dispatcher.getNumManifolds(); ++pair) {
      const btPersistentManifold& manifold = *m_parts->dispatcher.getManifoldByIndexInternal(pair);
      for (int pointIndex = 0; pointIndex < manifold.getNumContacts(); ++pointIndex) {
        const btManifoldPoint& point = manifold.getContactPoint(pointIndex);  // impulses on the first body
        Contact contact;
        contact.bodyA = manifold.getBody0()->getUserIndex();
        contact.bodyB = manifold.getBody1()->getUserIndex();
        contact.pointA = ours(point.getPositionWorldOnA());
        contact.pointB = ours(point.getPositionWorldOnB());
        contact.normal = -ours(point.m_normalWorldOnB);
        contact.gap = point.getDistance();
        contact.normalImpulse = point.m_appliedImpulse;
        contact.frictionImpulse = -(point.m_appliedImpulseLateral1 * ours(point.m_lateralFrictionDir1) +
                                    point.m_appliedImpulseLateral2 * ours(point.m_lateralFrictionDir2));
        contacts.push_back(ascending(contact));
      }
    }
  }

 private:
  struct Parts {
    btDefaultCollisionConfiguration configuration;
    btCollisionDispatcher dispatcher{&configuration};
    btDbvtBroadphase broadphase;
    btSequentialImpulseConstraintSolver solver;
  };
  struct Own {
    int index;
    Quaternion toShape;  ///< turns the axes of the shape into those of Bullet's body
    std::unique_ptr<btRigidBody> body;
  };

  double value(const char* key) const { return std::get<double>(m_values.at(key)); }
  bool needBroadphaseCollision(btBroadphaseProxy* a, btBroadphaseProxy* b) const override {
    const auto indexOf = [](btBroadphaseProxy* p) {
      return static_cast<btCollisionObject*>(p->m_clientObject)->getUserIndex();
    };
    return mayMeet(*m_scene, indexOf(a), indexOf(b));
  }
  std::shared_ptr<const Scene> m_scene;
  ParameterValues m_values;
  BulletShapes m_shapes{0};
  std::unique_ptr<Parts> m_parts;
  std::vector<Own> m_bodies;
  std::unique_ptr<btDiscreteDynamicsWorld> m_world;
};

}  // namespace

void registerBullet() {
  EngineInfo info;
  info.tellsContacts = true;
  info.model = {"plastic", "discrete", kSemiImplicitEuler};
  info.precision = sizeof(btScalar) == sizeof(double) ? "double" : "single";
  info.method.key = "bullet";
  info.method.name = info.method.shortName = "Bullet";
  info.method.source = "Bullet " + std::to_string(btGetVersion() / 100) + "." +
                       std::to_string(btGetVersion() % 100) + " (sequential impulses)";
  info.method.colour = 0x7A5C00;
  info.method.dash = LineDash::DashDot;
  info.method.parameters = {
      {"iterations",
       "Iterations",
       "",
       "Of the sequential impulses in each step.",
       ParameterKind::Integer,
       10.0,
       1,
       10000,
       true,
       {}},
      numberSpec("erp", "Share of depth removed", "", "Of a step (erp2).", 0.2, 0, 1),
      {"split_impulse",
       "Split impulse",
       "",
       "Depth is removed without adding velocity.",
       ParameterKind::Switch,
       1.0,
       0,
       1,
       false,
       {}},
      {"two_directions",
       "Two directions of friction",
       "",
       "Off: one, along the sliding.",
       ParameterKind::Switch,
       0.0,
       0,
       1,
       false,
       {}},
      numberSpec("margin", "Margin of hulls", "m",
                 "At most, and a tenth of the hull's inside; boxes have their own.", 0.04, 0, 1)};
  info.make = [](std::shared_ptr<const Scene> scene, const ParameterValues& values) {
    return std::make_unique<BulletEngine>(std::move(scene), values);
  };
  addEngine(std::move(info));
}

}  // namespace touchstone
