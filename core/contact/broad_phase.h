#pragma once

#include "core/contact/contact_method.h"

namespace touchstone {

/// Finds all candidates that `needs` asks for: pairs of features or pieces of bodies that can collide, whose
/// boxes, swept from the start to the predicted pose and grown by the margin, overlap. O(n log n + pairs).
/// Sorted. Call after predict().
void findCandidates(const World& world, const CandidateNeeds& needs, Candidates& candidates);

}  // namespace touchstone
