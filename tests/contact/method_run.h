#pragma once

#include <memory>

#include "core/contact/broad_phase.h"
#include "core/contact/contact_method.h"
#include "core/record/phase_clock.h"
#include "core/world/world.h"
#include "tests/support/scenes.h"

namespace touchstone::test {

/// One scene under one method without anything else of a simulation: predict, broad phase, respond,
/// integrate.
class MethodRun {
 public:
  MethodRun(std::shared_ptr<const Scene> scene, const MethodInfo& info, const ParameterValues& values = {},
            std::string solver = {})
      : world(makeWorld(scene)),
        method(info.create(world, values, solver.empty() ? info.solvers.front() : solver)) {
    method->useBackend(BackendKind::Cpu, world, makeBackendWorld(BackendKind::Cpu, world));
    method->reset(world);
  }

  /// One step of the scene's dt; `record` is of this step alone.
  void step() {
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

  double normalImpulse() const {
    double sum = 0;
    for (const Contact& contact : record.contacts) sum += contact.normalImpulse;
    return sum;
  }

  World world;
  std::unique_ptr<ContactMethod> method;
  StepRecord record;

 private:
  BroadPhase m_broadPhase;
};

/// Static box.
inline Body block(const char* name, const Vec3& size, const Vec3& position) {
  Body body = box(name, size, 1, position);
  body.motion = Motion::Static;
  body.mass = 0;
  body.inertia = Mat3::Zero();
  return body;
}

/// The edge of a box flies at the side of a block at 3 m/s, just below its top: within a tenth of a
/// millimetre of both faces. The published rule takes the top as primary and would lift the edge over it at
/// 0.5 m/s.
inline std::shared_ptr<Scene> edgeBesideACorner() {
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

/// Static box that is one convex piece of a container together with others: all under one body.
inline Body container(const char* name, const std::vector<std::pair<Vec3, Vec3>>& sizesAndCentres) {
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
