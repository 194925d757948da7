#include <mutex>
#include <stdexcept>

#include "app/engines/engines.h"
#include "app/engines/ode_shapes.h"
#include "core/engine/engine.h"
#include "core/engine/engine_bodies.h"
#include "core/record/integrator.h"

namespace touchstone {

namespace {

// ODE has one generator of random numbers, which orders the rows of QuickStep: engines take turns, each with
// its own state of it.
std::mutex& odeMutex() {
  static std::mutex mutex;
  return mutex;
}

class OdeEngine : public Engine {
 public:
  OdeEngine(std::shared_ptr<const Scene> scene, const ParameterValues& values)
      : m_scene(std::move(scene)), m_values(values) {
    static const bool isReady = dInitODE2(0) != 0;
    if (!isReady) throw std::runtime_error("ODE cannot be initialised");
  }
  ~OdeEngine() override { clear(); }
  OdeEngine(const OdeEngine&) = delete;
  OdeEngine& operator=(const OdeEngine&) = delete;

  void begin(double) override {
    clear();
    const Vec3& gravity = m_scene->gravity;
    m_world = dWorldCreate();
    m_space = dHashSpaceCreate(nullptr);
    m_joints = dJointGroupCreate(0);
    dWorldSetGravity(m_world, gravity.x(), gravity.y(), gravity.z());
    dWorldSetERP(m_world, number("erp"));
    dWorldSetCFM(m_world, number("cfm"));
    dWorldSetQuickStepNumIterations(m_world, static_cast<int>(number("iterations")));
    m_bodies.assign(m_scene->bodies.size(), nullptr);
    m_seed = 0;
  }
  void add(int index, const BodyState& state) override {
    const Body& source = m_scene->bodies[index];
    const Vec3 &x = state.position, &v = state.linearVelocity, &w = state.angularVelocity;
    dBodyID body = nullptr;
    if (source.motion == Motion::Dynamic) {
      const Mat3& i = source.inertia;
      dMass mass;
      dMassSetParameters(&mass, source.mass, 0, 0, 0, i(0, 0), i(1, 1), i(2, 2), i(0, 1), i(0, 2), i(1, 2));
      body = m_bodies[index] = dBodyCreate(m_world);
      dBodySetMass(body, &mass);
      dBodySetPosition(body, x.x(), x.y(), x.z());
      dBodySetQuaternion(body, OdeQuaternion(state.orientation).q);
      dBodySetLinearVel(body, v.x(), v.y(), v.z());
      dBodySetAngularVel(body, w.x(), w.y(), w.z());
    }
    m_shapes.add(*source.shape, x, state.orientation, body, index, m_space);
  }
  void push(int index, const Vec3& f, const Vec3& point) override {
    dBodyID body = m_bodies[index];
    if (body) dBodyAddForceAtPos(body, f.x(), f.y(), f.z(), point.x(), point.y(), point.z());
  }
  void step(double, double dt) override {
    const std::lock_guard<std::mutex> turn(odeMutex());
    dAllocateODEDataForThread(dAllocateMaskAll);
    dRandSetSeed(m_seed);
    dJointGroupEmpty(m_joints);
    m_touches.clear();
    dSpaceCollide(m_space, this,
                  [](void* self, dGeomID a, dGeomID b) { static_cast<OdeEngine*>(self)->meet(a, b); });
    const bool isQuick = std::get<std::string>(m_values.at("stepper")) == "quick";
    if (!(isQuick ? dWorldQuickStep(m_world, dt) : dWorldStep(m_world, dt)))
      throw std::runtime_error("ODE has too little memory for it");
    for (Touch& touch : m_touches) touch.finish(dt);
    m_seed = dRandGetSeed();
  }
  void read(std::vector<BodyState>& states) const override {
    const auto vector = [](const dReal* v) { return Vec3(v[0], v[1], v[2]); };
    for (std::size_t index = 0; index < m_bodies.size(); ++index) {
      if (!m_bodies[index]) continue;
      const dReal* q = dBodyGetQuaternion(m_bodies[index]);
      states[index] = {vector(dBodyGetPosition(m_bodies[index])), Quaternion(q[0], q[1], q[2], q[3]),
                       vector(dBodyGetLinearVel(m_bodies[index])),
                       vector(dBodyGetAngularVel(m_bodies[index])), true};
    }
  }
  void addContacts(std::vector<Contact>& contacts) const override {
    for (const Touch& touch : m_touches) contacts.push_back(ascending(touch.contact));
  }

 private:
  struct Touch {
    Contact contact;
    dJointFeedback force{};
    bool isOnB = false;  ///< the first force is on B
    void finish(double dt) {
      const Vec3 onFirst = dt * Vec3(force.f1[0], force.f1[1], force.f1[2]);
      const Vec3 onB = isOnB ? onFirst : Vec3(-onFirst);
      contact.normalImpulse = onB.dot(contact.normal);
      contact.frictionImpulse = onB - contact.normalImpulse * contact.normal;
    }
  };

  double number(const char* key) const { return std::get<double>(m_values.at(key)); }
  void meet(dGeomID first, dGeomID second) {
    constexpr int kMost = 16;
    dContact found[kMost] = {};
    const int a = bodyIndexOf(first), b = bodyIndexOf(second);
    if (!mayMeet(*m_scene, a, b)) return;
    const int count = dCollide(first, second, kMost, &found[0].geom, sizeof found[0]);
    for (int index = 0; index < count; ++index) {
      dContact& contact = found[index];
      contact.surface.mode = dContactApprox1;  // Coulomb's pyramid instead of a box of forces
      contact.surface.mu = pairFriction(*m_scene, a, b);
      const dJointID joint = dJointCreateContact(m_world, m_joints, &contact);
      dJointAttach(joint, dGeomGetBody(first), dGeomGetBody(second));
      Touch& touch = m_touches.emplace_back();
      touch.isOnB = !dGeomGetBody(first);  // ODE then has the second one as its first
      touch.contact.bodyA = a;
      touch.contact.bodyB = b;
      touch.contact.pointA = touch.contact.pointB =
          Vec3(contact.geom.pos[0], contact.geom.pos[1], contact.geom.pos[2]);
      touch.contact.normal = -Vec3(contact.geom.normal[0], contact.geom.normal[1], contact.geom.normal[2]);
      touch.contact.gap = -contact.geom.depth;
      dJointSetFeedback(joint, &touch.force);
    }
  }
  void clear() {
    if (!m_world) return;
    dJointGroupDestroy(m_joints);
    dSpaceDestroy(m_space);
    dWorldDestroy(m_world);
    m_shapes.clear();
    m_touches.clear();
    m_world = nullptr;
  }

  std::shared_ptr<const Scene> m_scene;
  ParameterValues m_values;
  OdeShapes m_shapes;
  dWorldID m_world = nullptr;
  dSpaceID m_space = nullptr;
  dJointGroupID m_joints = nullptr;
  std::vector<dBodyID> m_bodies;  ///< null: static, or not active yet
  std::deque<Touch> m_touches;    ///< of the last step
  unsigned long m_seed = 0;
};

}  // namespace

void registerOde() {
  EngineInfo info;
  info.tellsContacts = true;
  info.model = {"plastic", "discrete", "box", kSemiImplicitEuler};
  info.precision = sizeof(dReal) == sizeof(double) ? "double" : "single";
  info.method.key = "ode";
  info.method.name = "Open Dynamics Engine";
  info.method.shortName = "ODE";
  info.method.source = "Open Dynamics Engine " TS_ODE_VERSION ", R. Smith";
  info.method.colour = 0x4B3B8F;
  info.method.dash = LineDash::DashDotDot;
  info.method.parameters = {
      choiceSpec("stepper", "Step",
                 "quick: projected Gauss–Seidel. direct: Dantzig's method for all rows of an island.",
                 {"quick", "direct"}),
      {"iterations",
       "Iterations",
       "",
       "Of the quick step.",
       ParameterKind::Integer,
       20.0,
       1,
       10000,
       true,
       {}},
      numberSpec("erp", "Share of depth removed", "", "Of a step (ERP).", 0.2, 0, 1),
      numberSpec("cfm", "Softness of rows", "1/(N·s)",
                 "CFM: added to the diagonal of the rows' system, over the step.", 1e-10, 0, 1)};
  info.make = [](std::shared_ptr<const Scene> scene, const ParameterValues& values) {
    return std::make_unique<OdeEngine>(std::move(scene), values);
  };
  addEngine(std::move(info));
}

}  // namespace touchstone
