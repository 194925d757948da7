#pragma once

#include "core/constraints/kinds/registered_kinds.h"
#include "core/constraints/moving_carriers.h"
#include "core/constraints/row_rates.h"

namespace touchstone::test {

/// Bodies whose name begins with "pinned" keep their centre of mass where the run began: three rows each. The
/// whole of a kind of constraint: registerConstraints(ConstraintList<Pin>()).
struct Pin {
  static constexpr const char* kKey = "pin";
  const World& world;

  explicit Pin(const World& of) : world(of) {}
  int count() const { return countOf(world.scene->bodies); }
  void write(int body, const StateView& state, RowBuffer& to) const {
    const Body& pinned = state.world.scene->bodies[body];
    if (pinned.name.rfind("pinned", 0) != 0 || !canMove(state.world, body)) return;
    const Vec3 c = state.poseOf(body).position - pinned.position;
    to.addBlock({0, 0, 0}, RowForm::Point, {body});
    const Row row{0, 0, 0, 1, 0, RowLaw::Free, 0};
    const Row rows[3] = {row, row, row};
    to.addGroup(Vec3(1, 0, 0), Vec3(0, 1, 0), rows, 3)[0] = {1, Vec3(0, 0, 0)};
    const Vec3 velocity = velocityOfLastPoint(to, state);
    for (int axis = 0; axis < 3; ++axis)
      to.rows[to.rows.size() - 3 + axis].constant = c[axis] / state.h - velocity[axis];
  }
};

}  // namespace touchstone::test
