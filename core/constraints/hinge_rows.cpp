#include "core/constraints/hinge_rows.h"

#include "core/constraints/particle_terms.h"
#include "core/constraints/row_rates.h"
#include "core/elasticity/cloth.h"

namespace touchstone {

void HingeRows::write(int index, const StateView& state, RowBuffer& to) const {
  const HingeElement& hinge = state.world.elastic->hinges[index];
  const MovingCarriers moving(state.world, hinge.carriers);
  if (moving.isEmpty()) return;
  Vec3 x[4];
  for (int corner = 0; corner < 4; ++corner) x[corner] = state.positionOf(hinge.carriers[corner]);
  const HingeBend bend = hingeBend(x);
  const double largest = largestGradient(bend.row), compliance = 1 / hinge.stiffness;
  const bool isIdle = !(largest > 0);  // a triangle has no area

  to.addBlock({kHingeBlock, index, 0}, RowForm::General, moving.list());
  to.setLinear();
  const Row row{wrappedAngle(bend.angle - hinge.angle) / state.h,
                compliance / (state.h * state.h),
                0,
                static_cast<float>(1 / largest),
                0,
                RowLaw::Free,
                0};
  setCornerTerms(hinge.carriers, bend.row, moving, to.addRow(isIdle ? idleRow() : row));
  if (!isIdle) to.rows.back().constant -= rateOfLastRow(to, state);
}

}  // namespace touchstone
