#include "tests/contact/method_run.h"

#include <algorithm>
#include <cstdlib>

#include "core/detect/candidates.h"
#include "core/record/phase_clock.h"

namespace touchstone::test {

MethodRun::MethodRun(std::shared_ptr<const Scene> scene, const MethodInfo& info,
                     const ParameterValues& values, const std::string& solver)
    : world(makeWorld(scene)),
      method(info.create(world, values, solver.empty() ? info.solvers.front() : solver)) {
  method->useBackend(BackendKind::Cpu, world, makeDeviceWorld(BackendKind::Cpu, world));
  method->reset(world);
}

void MethodRun::step() {
  record = StepRecord();
  PhaseClock clock(record.times);
  releaseBodies(world);
  predict(world, world.scene->dt);
  method->begin(world);
  method->await(record.times);
  Candidates candidates;
  m_broadPhase.find(world, method->needs(world), candidates);
  method->respond(world, candidates, record, clock);
  if (record.contacts.empty()) method->addContacts(record);
  integrate(world);
  method->settle(world, candidates);
}

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
