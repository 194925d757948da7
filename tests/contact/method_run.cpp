#include "tests/contact/method_run.h"

#include <algorithm>
#include <cstdlib>

#include "core/contact/contact_memory.inl"
#include "core/contact/replica_values.h"
#include "core/detect/feature_broad_phase.inl"
#include "core/parallel/host_backend.h"
#include "core/record/phase_clock.h"

namespace touchstone::test {

struct MethodRun::Parts {
  Parts(const World& world, const MethodInfo& info, const ParameterValues& values, const std::string& solver)
      : method(
            makeMethod<HostBackend>(info.key, backend,
                                    {world, makeDeviceWorld(BackendKind::Cpu, world),
                                     solver.empty() && !info.solvers.empty() ? info.solvers.front() : solver,
                                     valuesOfReplicas(*world.scene, info.key, values)})),
        memory(*method) {
    memory.reset(backend);
  }

  HostBackend backend;
  std::unique_ptr<Method<HostBackend>> method;
  ContactMemory<HostBackend> memory;
  FeatureBroadPhase<HostBackend> broadPhase;
};

MethodRun::MethodRun(std::shared_ptr<const Scene> scene, const MethodInfo& info,
                     const ParameterValues& values, const std::string& solver)
    : world(makeWorld(scene)), m_parts(std::make_unique<Parts>(world, info, values, solver)) {}

MethodRun::~MethodRun() = default;

void MethodRun::step(double dt) {
  const HostBackend& backend = m_parts->backend;
  Method<HostBackend>& method = *m_parts->method;
  record = StepRecord();
  PhaseClock clock(record.times);
  releaseBodies(world);
  predict(world, dt);
  const WorldView view = viewOf(world);
  method.prepare(backend, world);
  const Needs needs = method.needs(backend, view);
  CandidateView candidates;
  if (needs.features) candidates = m_parts->broadPhase.find(backend, view, needs.margins, needs.kinds);
  method.begin(backend, view);
  wantsBisection = method.respond(backend, {world, view, candidates, clock, nullptr, &record});
  method.sendSums(backend);
  method.finishRecord(record);
  if (record.contacts.empty()) method.addContacts(backend, record);
  integrate(world);
  method.moveApart(backend, viewOf(world));
  method.settle(backend, view, candidates);
}

std::string MethodRun::memory() {
  m_parts->memory.send(m_parts->backend);
  m_parts->memory.keep();
  return m_parts->memory.bytes();
}

void MethodRun::restoreMemory(const std::string& bytes) { m_parts->memory.restore(m_parts->backend, bytes); }

double MethodRun::normalImpulse() const {
  double sum = 0;
  for (const Contact& contact : record.contacts) sum += contact.normalImpulse;
  return sum;
}

Body block(const char* name, const Vec3& size, const Vec3& position) {
  Body body = box(name, size, 1, position);
  body.motion = Motion::Static;
  body.mass = 0;
  body.inertia = Mat3::Zero();
  return body;
}

std::shared_ptr<Scene> edgeBesideACorner() {
  // The edge from which the sides leave at 89° and −1° to the x axis.
  const Quaternion turn(Eigen::AngleAxisd(89 * M_PI / 180, Vec3::UnitZ()));
  Body moving = box("box", Vec3(0.1, 0.1, 0.1), 1, Vec3(1e-4, -5e-5, 0) - turn * Vec3(-0.05, 0.05, 0));
  moving.orientation = turn;
  moving.linearVelocity = Vec3(-3, 0, 0);
  auto scene = test::scene({block("block", Vec3(1, 1, 1), Vec3(-0.5, -0.5, 0)), moving});
  scene->dt = 1e-4;
  scene->size = 1;
  scene->gravity = Vec3::Zero();
  return scene;
}

Body container(const char* name, const std::vector<std::pair<Vec3, Vec3>>& sizesAndCentres) {
  Body body;
  body.name = name;
  body.motion = Motion::Static;
  auto shape = std::make_shared<Shape>();
  for (const auto& [size, centre] : sizesAndCentres) {
    Polytope piece = boxShape(size)->pieces.front();
    for (Vec3& vertex : piece.vertices) vertex += centre;
    if (!buildTopology(piece).empty()) std::abort();
    shape->pieces.push_back(piece);
    shape->surfaces.push_back(triangulated(piece));
    for (const Vec3& vertex : piece.vertices) shape->radius = std::max(shape->radius, vertex.norm());
  }
  body.shape = shape;
  return body;
}

}  // namespace touchstone::test
