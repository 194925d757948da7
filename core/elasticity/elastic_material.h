#pragma once

#include "core/math/vec.h"

namespace touchstone {

/// Laws of isotropic elasticity for tetrahedra.
enum class ElasticModel : unsigned char {
  Corotational,  ///< linear in the strain of the rotated frame, sym(RᵀF) − 1: loses volume at large stretch
  NeoHookean     ///< stable Neo-Hookean without a logarithm (Macklin 2019, eq. 107): keeps volume
};

/// A law with its constants.
struct ElasticMaterial {
  ElasticModel model = ElasticModel::NeoHookean;
  double young = 1e5;      ///< Y > 0 [Pa]
  double poisson = 0.3;    ///< ν, 0 ≤ ν ≤ 0.49
  double dampingTime = 0;  ///< β of the viscous stress β K : sym(RᵀḞ) [s]
  /// ε* of a tetrahedron that swells by itself in all directions: it adds the stress −Y ε* / (1 − 2ν) in the
  /// rotated frame. Of the linear law only.
  double eigenstrain = 0;

  /// Lamé's constants [Pa].
  TS_HD double lambda() const { return young * poisson / ((1 + poisson) * (1 - 2 * poisson)); }
  TS_HD double mu() const { return young / (2 * (1 + poisson)); }
};

}  // namespace touchstone
