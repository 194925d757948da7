#include "core/contact/penalty/penalty_parameters.h"

#include "core/contact/drive_parameter.h"
#include "core/contact/penalty/automatic_springs.h"
#include "core/scene/scale.h"

namespace touchstone {

std::vector<ParameterSpec> sharedPenaltyParameters() {
  std::vector<ParameterSpec> specs;
  specs.push_back(
      numberSpec(
          "stiffness", "Stiffness k", "N/m",
          "Force per depth of each contact, F = k δ (Tang 2012, eq. 3). Automatic: at most m / (12 h²) of "
          "each pair with the reduced mass m and the step h, which rests about 3 g h² deep on four "
          "contacts; less where a body has so many contacts, or such arms and masses, that their "
          "springs together would throw it.",
          std::string(kAutomatic), 1e-9, 1e15, true)
          .chosenBy(automaticStiffness));
  specs.push_back(choiceSpec(
      "contacts", "Contacts of convex bodies",
      "faces: one direction for each pair of convex pieces, that of the feature which separates them best, "
      "and a "
      "spring at each corner of the faces' overlap, so that a face carries a face; features: each vertex and "
      "each "
      "pair of edges by itself, as published. Bodies without convex pieces always act by their features.",
      {"faces", "features"}));
  specs.push_back(choiceSpec(
      "rebound", "Energy given back",
      "all: whatever the springs push, as published; stored: two convex pieces give back no more energy than "
      "they have taken from their bodies. Of contacts by faces; on flush tiles a slider rocks.",
      {"all", "stored"}));
  specs.push_back(numberSpec("damping", "Damping c", "N·s/m",
                             "Force against the gap's rate, −c dg/dt; never makes a contact pull. Not in the "
                             "paper: 0 is published. Automatic: "
                             "0.2 √(k m) with the reduced mass m of each pair where there is friction, which "
                             "holds only what rests, lessened like the stiffness; else 0.",
                             std::string(kAutomatic), 0, 1e9)
                      .publishedIn("Tang 2012")
                      .chosenBy(automaticDamping));
  specs.push_back(
      numberSpec("max_depenetration_speed", "Max. depenetration speed", "m/s",
                 "Bodies that overlap at the start or at their release, or that a step took into each "
                 "other unseen, part no faster than about this: where their springs would be faster, "
                 "their depth makes no force at first, and what is allowed of it shrinks at half this "
                 "speed. 0: all of the depth makes a force at once, as published. Automatic: "
                 "0.2 √(g ℓ) with the scene's length ℓ.",
                 std::string(kAutomatic), 0, 100)
          .chosenBy([](const Scene& scene, double) { return automaticDepenetrationSpeed(scene); }));
  specs.push_back(
      choiceSpec("friction_reset", "Friction of a slip",
                 "return-map: Coulomb's force along the sticking spring, which gives way so far that "
                 "it holds just that force; "
                 "paper: weighted with the speed of slip, and the spring restarts from zero (Yamane "
                 "and Nakamura 2006), which "
                 "creeps below the angle of friction.",
                 {"return-map", "paper"})
          .publishedIn("Yamane and Nakamura 2006"));
  specs.push_back(
      numberSpec("friction_stiffness", "Friction stiffness k_FP", "N/m",
                 "Spring between the reference points of a sticking contact (Yamane and Nakamura 2006). "
                 "Automatic, or negative: the stiffness k.",
                 std::string(kAutomatic), -1, 1e15));
  specs.push_back(
      numberSpec("friction_damping", "Friction damping k_FD", "N·s/m",
                 "Damper of the sticking spring (Yamane and Nakamura 2006). Automatic, or negative: "
                 "min(2 √(k m), m / (2 dt)) of the contact.",
                 std::string(kAutomatic), -1, 1e9));
  specs.push_back(
      numberSpec("friction_weighting", "Friction weighting k_ω", "s/m",
                 "Of the friction law of the paper: dynamic friction is weighted by ω(v) = 1 − exp(−k_ω v) "
                 "(Yamane and Nakamura 2006).",
                 1e3, 1, 1e6, true));
  specs.push_back(driveIntegrationSpec(DriveIntegration::Trapezoidal));
  specs.push_back(choiceSpec("normalise", "Divide the stiffness",
                             "off: each contact has the stiffness k, as published, so that more contacts are "
                             "stiffer; pairs: k is divided by "
                             "the number of contacts between the two bodies.",
                             {"off", "pairs"})
                      .publishedIn("Tang 2012"));
  specs.push_back(
      numberSpec("stiffness_perturbation", "Perturbation e of k", "",
                 "k(τ) = k (1 + e sin ω τ) with the simulated time τ, taken at the start of each step: the "
                 "particle experiment (Tang 2012, section 3.6).",
                 0.0, 0, 1)
          .publishedIn("Tang 2012"));
  specs.push_back(numberSpec("stiffness_frequency", "Frequency ω of k", "rad/s",
                             "Of the perturbation; √(k/m) in the particle experiment.", 100.0, 0, 1e5));
  return specs;
}

PenaltySettings penaltySettings(const Scene& scene, const std::vector<ParameterSpec>& specs,
                                const ParameterValues& values) {
  PenaltySettings settings;
  settings.stiffness = {numberOr(specs, values, "stiffness", 0),
                        numberOf(specs, values, "stiffness_perturbation"),
                        numberOf(specs, values, "stiffness_frequency")};
  settings.numbers.damping = numberOr(specs, values, "damping", -1);
  settings.numbers.maxDepenetrationSpeed =
      numberOr(specs, values, "max_depenetration_speed", depenetrationSpeedOf(scene));
  FrictionSettings& friction = settings.numbers.friction;
  friction.springStiffness = numberOr(specs, values, "friction_stiffness", -1);
  friction.springDamping = numberOr(specs, values, "friction_damping", -1);
  friction.weighting = numberOf(specs, values, "friction_weighting");
  friction.law =
      choiceOf(specs, values, "friction_reset") == "paper" ? FrictionLaw::Paper : FrictionLaw::ReturnMap;
  return settings;
}

}  // namespace touchstone
