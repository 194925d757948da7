#pragma once

#include <string>
#include <vector>

#include "core/contact/manifold/row_rules.h"
#include "core/scene/parameter.h"
#include "core/scene/scene.h"

/// Parameters that `lcp` and `peg` share, and in part `nsn`, for MethodInfo.
namespace touchstone::rigid {

/// Automatic `margin` and `feasible_depth`, as shares of lengthOf() the scene. A larger margin grows the
/// number of contacts, and what a step foresees. A smaller depth takes overlap for the back of a thin piece,
/// a larger one a plate.
inline constexpr double kMarginOfLength = 0.01, kFeasibleDepthOfLength = 5e-3;

std::vector<ParameterSpec> sharedParameters();
/// Why a scene has no contacts of convex pieces, or empty.
std::string refusal(const Scene& scene);
/// Which contacts there are, by the parameters eps_theta, margin and feasible_depth; without what rows ask
/// for.
RowRules rulesOf(const std::vector<ParameterSpec>& specs, const ParameterValues& values, const Scene& scene);
/// The same with the rules of rows, by the parameters baumgarte and max_depenetration_speed.
RowRules rowRulesOf(const std::vector<ParameterSpec>& specs, const ParameterValues& values,
                    const Scene& scene);
/// See MethodInfo::staysOnHost.
std::string staysOnHost(const std::string& solver);

}  // namespace touchstone::rigid
