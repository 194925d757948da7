#pragma once

#include <memory>
#include <string>

#include "core/contact/method_info.h"
#include "core/record/step_record.h"
#include "core/world/world.h"
#include "tests/support/scenes.h"

namespace touchstone::test {

/// One scene under one method without anything else of a simulation: predict, broad phase, respond,
/// integrate. No step is bisected.
class MethodRun {
 public:
  MethodRun(std::shared_ptr<const Scene> scene, const MethodInfo& info, const ParameterValues& values = {},
            const std::string& solver = {});
  ~MethodRun();
  MethodRun(const MethodRun&) = delete;
  MethodRun& operator=(const MethodRun&) = delete;
  /// One step of the scene's dt; `record` is of this step alone.
  void step() { step(world.scene->dt); }
  /// @param dt  of the step [s]
  void step(double dt);
  double normalImpulse() const;
  /// Contact memory, as keyframes have it.
  std::string memory();
  void restoreMemory(const std::string& bytes);

  World world;
  StepRecord record;
  ReplicaSet wantsBisection;  ///< of the last step

 private:
  struct Parts;
  std::unique_ptr<Parts> m_parts;
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
