#include "core/contact/cpf/tracked_penalty.h"

#include "core/contact/penalty/penalty_parameters.h"

namespace touchstone {

std::vector<ParameterSpec> trackedPenaltyParameters() {
  std::vector<ParameterSpec> all = sharedPenaltyParameters();
  all.push_back(
      choiceSpec("adopt", "Adopt untracked penetration",
                 "always: vertices found inside a body without a tracked pair get one, each step; load: "
                 "only at the start.",
                 {"always", "load"}));
  all.push_back(
      choiceSpec("sliding", "Sliding off a triangle",
                 "reseat: the pair moves on to the neighbouring triangle or is dropped; sticky: it is kept "
                 "until its depth is "
                 "zero, as published, and can act as a ghost wall. Of contacts by features.",
                 {"reseat", "sticky"}));
  all.push_back(choiceSpec(
      "sides", "Sides of closed meshes",
      "auto: contacts with a closed mesh begin only from outside; two: from both sides, as published. Of "
      "contacts by features.",
      {"auto", "two"}));
  all.push_back(choiceSpec(
      "point", "Where the impulse acts",
      "current: one common point of both bodies at the mean time of the contact, which keeps the angular "
      "momentum "
      "to rounding; entry: at the weights of the entry, on each body its own (Tang 2012, eqs. 13 and 17), "
      "which leaves a couple (p − q) × I while the pair slides. Of contacts by features: faces find their "
      "corners in each step.",
      {"current", "entry"}));
  return all;
}

}  // namespace touchstone
