#pragma once

#include <memory>

#include "core/contact/contact_method.h"
#include "core/detect/broad_phase.h"
#include "core/world/world.h"
#include "tests/support/scenes.h"

namespace touchstone::test {

/// One scene under one method, with only these parts of a simulation: predict, broad phase, respond,
/// integrate.
class MethodRun {
 public:
  MethodRun(std::shared_ptr<const Scene> scene, const MethodInfo& info, const ParameterValues& values = {},
            const std::string& solver = {});
  /// Takes one step of the scene's dt; `record` contains only this step.
  void step();
  double normalImpulse() const;

  World world;
  std::unique_ptr<ContactMethod> method;
  StepRecord record;

 private:
  BroadPhase m_broadPhase;
};

/// A static box.
Body block(const char* name, const Vec3& size, const Vec3& position);

/// The edge of a box flies at the side of a block at 3 m/s, just below its top: within a tenth of a
/// millimetre of both faces. The published rule takes the top as primary and would lift the edge over it at
/// 0.5 m/s.
std::shared_ptr<Scene> edgeBesideACorner();

/// A static container: one body of several boxes, each a convex piece.
Body container(const char* name, const std::vector<std::pair<Vec3, Vec3>>& sizesAndCentres);

}  // namespace touchstone::test
