#pragma once

#include "core/contact/nsn/newton_equations.h"

namespace touchstone::nsn {

/// The step of Newton's method from an iterate: solves
///     A Δλ = (1/h) (J H⁻¹ g₀ − r),   A = J H⁻¹ Jᵀ + C,   g₀ = g − h Jᵀ Δλ₀,   H Δu = h Jᵀ Δλ − g
/// on the rows whose Δλ is not prescribed (Δλ₀), with the residuals r of the rows and their compliance C
/// (Macklin 2019, eqs. 56, 59 and 60), by the linear solver of the settings.
NewtonStep newtonStep(const Equations& equations, const Island& island, const Settings& settings);

}  // namespace touchstone::nsn
