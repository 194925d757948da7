#include "core/constraints/edge_rows.h"

#include "core/constraints/moving_carriers.h"
#include "core/constraints/row_rates.h"
#include "core/elasticity/cloth.h"

namespace touchstone {

void EdgeRows::write(int index, const StateView& state, RowBuffer& to) const {
  const EdgeElement& edge = state.world.elastic->edges[index];
  const MovingCarriers carriers(state.world, edge.carriers);
  if (carriers.isEmpty()) return;
  const Vec3 x[2] = {state.positionOf(edge.carriers[0]), state.positionOf(edge.carriers[1])};
  const EdgeStretch stretch = edgeStretch(x, edge.length);
  const double sign = isTensionOnly ? -1 : 1, compliance = 1 / edge.stiffness;  // 0: inextensible
  const bool isIdle = stretch.row[1].squaredNorm() == 0;                        // its ends coincide
  Row row{0, compliance / (state.h * state.h), 0, 1, 0, isTensionOnly ? RowLaw::Unilateral : RowLaw::Free, 0};
  if (isIdle) row = idleRow();

  to.addBlock({kEdgeBlock, index, 0}, RowForm::General, carriers.list());
  to.setLinear();
  RowTerm* const terms = to.addRow(row);
  if (isIdle) return;
  for (int end = 0; end < 2; ++end) {
    const int place = carriers.placeOf(edge.carriers[end]);
    if (place >= 0) terms[place].linear += sign * stretch.row[end];
  }
  to.rows.back().constant = sign * stretch.c / state.h - rateOfLastRow(to, state);
}

}  // namespace touchstone
