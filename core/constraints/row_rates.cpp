#include "core/constraints/row_rates.h"

#include "core/solver/product/row_product.inl"

namespace touchstone {

namespace {

VelocitiesOfBlock velocitiesOfLastBlock(const RowBuffer& rows, const StateView& state) {
  return {*state.u, rows.carriers.data() + rows.blocks.back().firstCarrier};
}

}  // namespace

double rateOfLastRow(const RowBuffer& rows, const StateView& state) {
  if (!state.u) return 0;
  const int count = rows.blocks.back().carrierCount;
  return rateAlong(rows.terms.data() + rows.terms.size() - count, count, velocitiesOfLastBlock(rows, state));
}

Vec3 velocityOfLastPoint(const RowBuffer& rows, const StateView& state) {
  if (!state.u) return {0, 0, 0};
  const int count = rows.blocks.back().carrierCount;
  return velocityOf(rows.points.data() + rows.points.size() - count, count,
                    velocitiesOfLastBlock(rows, state));
}

}  // namespace touchstone
