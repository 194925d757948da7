#pragma once

#include <vector>

#include "core/record/contact_features.h"

namespace touchstone {

/// Contact pressure at the vertices of the surface of each body that deforms, in a frame [Pa]:
///
///     p_v = Σ w_v J / (h A_v)
///
/// over the recorded contacts of the body. J is the normal impulse of the contact in the last step, of length
/// h; w_v are the weights of the corners of its feature (vertex, edge or triangle) at its point at the start
/// of that step; A_v is a third of the areas of the triangles around v at the end of the frame. Σ p_v A_v is
/// therefore the sum of the normal forces. Both sides of a contact of a body with itself count.
/// @param features  of the same scene
/// @return [bodyCount][vertices of surfaces[0]] ≥ 0; empty for a rigid body; 0 in a record without a step,
/// and at a vertex whose triangles have no area
std::vector<std::vector<double>> contactPressures(const ContactFeatures& features, const Scene& scene,
                                                  const StepRecord& record);

/// Largest of them [Pa]; 0 without any.
double largestOf(const std::vector<std::vector<double>>& pressures);
double largestPressure(const ContactFeatures& features, const Scene& scene, const StepRecord& record);

}  // namespace touchstone
