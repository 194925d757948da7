#include "core/contact/penalty_parameters.h"

namespace touchstone {

std::vector<ParameterSpec> sharedPenaltyParameters() {
  std::vector<ParameterSpec> specs(9);
  specs[0] = {"stiffness",
              "Stiffness k",
              "N/m",
              "Force per depth of each feature pair, F = k δ (Tang 2012, eq. 3).",
              ParameterKind::Number,
              1e4,
              1,
              1e9,
              true,
              {}};
  specs[1] = {
      "damping",
      "Damping c",
      "N·s/m",
      "Force against the gap's rate, −c dg/dt; never makes a contact pull. Not in the paper; 0 is published.",
      ParameterKind::Number,
      0.0,
      0,
      1e6,
      false,
      {}};
  specs[2] = {"friction_damping",
              "Friction damping k_FD",
              "N·s/m",
              "Damper of the sticking spring (Yamane and Nakamura 2006). Negative: min(2 √(k m), m / (2 dt)) "
              "of the contact.",
              ParameterKind::Number,
              -1.0,
              -1,
              1e6,
              false,
              {}};
  specs[3] = {"friction_weighting",
              "Friction weighting k_ω",
              "s/m",
              "Dynamic friction is weighted by ω(v) = 1 − exp(−k_ω v) (Yamane and Nakamura 2006).",
              ParameterKind::Number,
              1e3,
              1,
              1e6,
              true,
              {}};
  specs[4] = {"friction_reset",
              "Friction after a slip",
              "",
              "paper: the spring restarts from zero after each slip and averages below μ Fn; return-map: it "
              "keeps its force.",
              ParameterKind::Choice,
              std::string("paper"),
              0,
              0,
              false,
              {"paper", "return-map"}};
  specs[5] = {"friction_stiffness",
              "Friction stiffness k_FP",
              "N/m",
              "Spring between the reference points of a sticking contact (Yamane and Nakamura 2006). "
              "Negative: the stiffness k.",
              ParameterKind::Number,
              -1.0,
              -1,
              1e9,
              false,
              {}};
  specs[6] = {"normalise",
              "Divide the stiffness",
              "",
              "off: each feature pair has the stiffness k, as published, so that more pairs are stiffer; "
              "pairs: k is divided "
              "by the number of contacts between the two bodies.",
              ParameterKind::Choice,
              std::string("off"),
              0,
              0,
              false,
              {"off", "pairs"}};
  specs[7] = {"stiffness_perturbation",
              "Perturbation e of k",
              "",
              "k(τ) = k (1 + e sin ω τ) with the simulated time τ, taken at the start of each step: the "
              "particle experiment "
              "(Tang 2012, section 3.6).",
              ParameterKind::Number,
              0.0,
              0,
              1,
              false,
              {}};
  specs[8] = {"stiffness_frequency",
              "Frequency ω of k",
              "rad/s",
              "Of the perturbation; √(k/m) in the particle experiment.",
              ParameterKind::Number,
              100.0,
              0,
              1e5,
              false,
              {}};
  return specs;
}

PenaltySettings penaltySettings(const std::vector<ParameterSpec>& specs, const ParameterValues& values) {
  PenaltySettings settings;
  settings.stiffness = {numberOf(specs, values, "stiffness"),
                        numberOf(specs, values, "stiffness_perturbation"),
                        numberOf(specs, values, "stiffness_frequency")};
  settings.numbers.damping = numberOf(specs, values, "damping");
  FrictionSettings& friction = settings.numbers.friction;
  const double own = numberOf(specs, values, "friction_stiffness");
  friction.springStiffness = own >= 0 ? own : settings.stiffness.mean;
  friction.springDamping = numberOf(specs, values, "friction_damping");
  friction.weighting = numberOf(specs, values, "friction_weighting");
  friction.returnMap = choiceOf(specs, values, "friction_reset") == "return-map";
  return settings;
}

}  // namespace touchstone
