#include "core/constraints/element_rows.h"

#include "core/constraints/particle_terms.h"
#include "core/constraints/row_rates.h"
#include "core/elasticity/element_rows.inl"

namespace touchstone {

namespace {

/// The block of a tetrahedron while its rows are written.
struct TetrahedronBlock {
  const TetrahedronElement& element;
  const MovingCarriers& moving;
  const StateView& state;
  double dampingTime;  ///< β [s]
  RowBuffer& to;

  double damped() const { return 1 + dampingTime / state.h; }

  /// Row of a strain. @param residual  r   @param compliance  E; 0: packed
  void addStrain(const Vec3 gradient[4], double residual, double compliance, bool isFirst) const {
    const double t = damped(), largest = largestGradient(gradient);
    for (int corner = 0; corner < 4; ++corner)
      if (!isDynamic(state.world, element.carriers[corner]))
        residual += dampingTime * gradient[corner].dot(state.heldVelocityOf(element.carriers[corner]));
    const Row row{residual / (state.h * t),
                  compliance / (state.h * state.h * t),
                  0,
                  largest > 0 ? static_cast<float>(t / largest) : 0,
                  0,
                  RowLaw::Free,
                  0};
    setCornerTerms(element.carriers, gradient, moving, isFirst ? to.addRow(row) : to.addRowToUnit(row));
    if (state.u) to.rows.back().constant -= rateOfLastRow(to, state) / t;
  }
  void addFlip(const Vec3 gradient[4], double compliance) const {
    const Row row{0, compliance / (state.h * state.h), 0, 0, 0, RowLaw::Free, kTransient};
    setCornerTerms(element.carriers, gradient, moving, to.addRowToUnit(row));
    if (state.u) to.rows.back().constant -= rateOfLastRow(to, state);
  }
};

void addStrains(const TetrahedronBlock& block, const ElasticMaterial& material, const Vec3 x[4]) {
  const double none[ElementRows::kMost] = {};
  const ElementRows rows = elementRows(material, block.element.rest, ElasticRows::Six, x, none);
  for (int row = 0; row < rows.count; ++row)
    block.addStrain(rows.gradient[row], rows.residual[row], rows.compliance[row], row == 0);
}

void addStretches(const TetrahedronBlock& block, const ElasticMaterial& material, ElasticRows form,
                  const Vec3 x[4]) {
  const StretchRows rows = stretchRows(material, block.element.rest, x);
  for (int row = 0; row < 3; ++row) block.addStrain(rows.gradient[row], rows.residual[row], 0, row == 0);
  double* const packed = block.to.addPacked(3);
  const double h = block.state.h;
  for (int row = 0; row < 3; ++row)
    for (int column = 0; column <= row; ++column)
      packed[packedIndex(row, column)] = rows.compliance(row, column) / (h * h * block.damped());
  for (int row = 0; row < 3 && form == ElasticRows::Six; ++row)
    block.addFlip(rows.flipGradient[row], rows.flipCompliance[row]);
}

}  // namespace

void TetrahedronRows::write(int index, const StateView& state, RowBuffer& to) const {
  const TetrahedronElement& element = state.world.elastic->tetrahedra[index];
  const ElasticMaterial& material = state.world.materials[element.material];
  const MovingCarriers moving(state.world, element.carriers);
  if (moving.isEmpty()) return;
  Vec3 x[4];
  for (int corner = 0; corner < 4; ++corner) x[corner] = state.positionOf(element.carriers[corner]);
  to.addBlock({kTetrahedronBlock, index, 0}, RowForm::General, moving.list());
  to.setLinear();
  const TetrahedronBlock block{element, moving, state, material.dampingTime, to};
  if (material.model == ElasticModel::NeoHookean)
    addStretches(block, material, form, x);
  else
    addStrains(block, material, x);
}

}  // namespace touchstone
