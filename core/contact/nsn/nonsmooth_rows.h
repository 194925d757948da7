#pragma once

#include <cmath>

#include "core/math/host_device.h"
#include "core/solver/rows/friction_disk.h"
#include "core/solver/rows/ncp_function.h"

namespace touchstone::nsn {

/// Share of a Newton step that is taken where nothing else is asked for.
constexpr double kUsualShare = 0.75;

/// Form of Coulomb's friction as an equation of two rows.
enum class FrictionForm {
  W,      ///< Dᵀu + W λ_f = 0 with W held (Macklin 2019, eq. 35): published; cycles where contacts share
          ///< a body that slides
  Split,  ///< Alart and Curnier 1991 with the limit held: the force along the slip is prescribed
  Full    ///< with the derivative of the limit: exact, and not symmetric
};

/// Form of the rows of normals.
enum class RowForm {
  Published,  ///< gradients scaled by ∂φ/∂C, in the force too (Macklin 2019, eqs. 53 and 56)
  Divided     ///< each row divided by ∂φ/∂C: the same solution, and the forces between are right
};

/// r of φ(C, r λ) and of the friction rows (Macklin 2019, eq. 66).
enum class RowScaling { Identity, H2, Mass };

/// A row of the linear system, with the unknown h Δλ:
///     share · J Δu + compliance · h Δλ = −residual
/// or a multiplier whose change is known.
struct LinearRow {
  double share = 1;
  double compliance = 0;
  double residual = 0;  ///< m/s
  bool isPrescribed = false;
  double change = 0;  ///< Δλ, if it is prescribed [N]
};

TS_HD inline LinearRow prescribed(double change) { return {1, 0, 0, true, change}; }

/// Derivative of φ below which a row in the form Divided fixes its own multiplier.
constexpr double kOpen = 1e-7;

/// The row of a normal, φ(C, r λ) = 0 (Macklin 2019, appendix A).
/// @param isRepaired  at C = λ = 0 the row is that of a closed contact, ∂φ/∂C = 1. The paper's choice 0
///                    (Macklin 2019, eqs. 26 and 27) opens every contact of bodies that touch at rest
/// @param gap  C [m]   @param force  λ [N]   @param scale  r [m/N]
TS_HD inline LinearRow normalRow(NcpFunction function, RowForm form, bool isRepaired, double gap,
                                 double force, double scale, double h) {
  // As function of C and r λ: φ is symmetric in both.
  NcpValue phi = ncpValue(function, scale * force, gap);
  if (function == NcpFunction::FischerBurmeister && gap == 0 && force == 0)
    phi = isRepaired ? NcpValue{0, 0, 1} : NcpValue{0, 1, 0};
  const double byForce = scale * phi.dy, byGap = phi.dv;
  if (form == RowForm::Published) return {byGap, byForce / (h * h), phi.value / h, false, 0};
  if (byGap < kOpen) return prescribed(-phi.value / byForce);
  return {1, byForce / (byGap * h * h), phi.value / (byGap * h), false, 0};
}

/// W of the published friction, so that Dᵀu + W λ_f = 0 at the next iterate (Macklin 2019, eqs. 35, 99, 101,
/// 102, 104 and 105, corrected): 0 sticks.
/// @param slip  |Dᵀu| [m/s]   @param force  |λ_f| [N]   @param limit  μ λ_n > 0 [N]   @param scale  r
TS_HD inline double frictionWeight(NcpFunction function, double slip, double force, double limit,
                                   double scale) {
  const double remainder = scale * (limit - force);
  if (function == NcpFunction::MinimumMap) return slip <= remainder ? 0 : (slip - remainder) / limit;
  const double root = std::sqrt(slip * slip + remainder * remainder);
  if (root == 0) return slip == 0 && force == 0 ? 0 : scale;
  const double above = remainder > 0 ? slip * slip / (root + remainder) : root - remainder;
  double below = slip + scale * limit - root;
  // Far beyond its limit a force would get a weight of the wrong sign.
  const double least = 1e-9 * scale * limit;
  if (below < least) below = least;
  return scale * above / below;
}

/// The two rows of a contact's friction in the tangents e₁ = x t₁ + y t₂ and e₂ = −y t₁ + x t₂.
struct FrictionRows {
  double x = 1, y = 0;
  LinearRow along, across;
  bool followsNormal = false;  ///< the prescribed change along e₁ gets μ Δλ_n in addition
};

/// @param slip1, slip2  Dᵀu [m/s]   @param force1, force2  λ_f [N]   @param limit  μ λ_n of this iterate [N]
/// @param scale  r of the rows [m/(s N)]
TS_HD inline FrictionRows frictionRows(NcpFunction function, FrictionForm form, double slip1, double slip2,
                                       double force1, double force2, double limit, double scale, double h) {
  if (!(limit > 0))
    return {1, 0, prescribed(-force1), prescribed(-force2), false};  // (Macklin 2019, eq. 106)
  if (form == FrictionForm::W) {
    const double weight =
        frictionWeight(function, lengthOf(slip1, slip2), lengthOf(force1, force2), limit, scale);
    return {1,
            0,
            {1, weight / h, slip1 + weight * force1, false, 0},
            {1, weight / h, slip2 + weight * force2, false, 0},
            false};
  }
  const double p1 = force1 - slip1 / scale, p2 = force2 - slip2 / scale, length = lengthOf(p1, p2);
  if (length <= limit) return {1, 0, {1, 0, slip1, false, 0}, {1, 0, slip2, false, 0}, false};
  const double x = p1 / length, y = p2 / length, weight = scale * (length - limit) / limit;
  const double along = x * force1 + y * force2, across = x * force2 - y * force1;
  return {x,
          y,
          prescribed(limit - along),
          {1, weight / h, x * slip2 - y * slip1 + weight * across, false, 0},
          form == FrictionForm::Full};
}

}  // namespace touchstone::nsn
