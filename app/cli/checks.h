#pragma once

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>
#include <vector>

#include "core/files/listed.h"
#include "core/scene/frame_count.h"

namespace touchstone::cli {

/// A finite number above 0. The message of CLI::PositiveNumber prints all 309 digits of the largest number.
inline CLI::Validator positiveNumber() {
  const auto problemOf = [](std::string& text) {
    double number = 0;
    const bool isNumber = CLI::detail::lexical_cast(text, number) && std::isfinite(number);
    return isNumber && number > 0 ? std::string() : "must be a number above 0, is '" + text + "'";
  };
  return CLI::Validator(problemOf, "POSITIVE");
}

/// A finite number from `least` to `largest`. CLI::Range and CLI::NonNegativeNumber accept nan.
inline CLI::Validator numberFrom(double least, double largest = 1e300) {
  const auto problemOf = [least, largest](std::string& text) {
    double number = 0;
    const bool fits = CLI::detail::lexical_cast(text, number) && number >= least && number <= largest;
    const auto shown = [](double bound) {
      std::string digits = std::to_string(bound);
      digits.erase(digits.find_last_not_of('0') + 1);
      return digits.back() == '.' ? digits.substr(0, digits.size() - 1) : digits;
    };
    return fits ? std::string()
                : "must be a number from " + shown(least) +
                      (largest < 1e300 ? " to " + shown(largest) : " up") + ", is '" + text + "'";
  };
  return CLI::Validator(problemOf, "NUMBER");
}

/// A length of frames: above 0 and at most kLongestStep.
inline CLI::Validator frameLength() {
  const auto problemOf = [](std::string& text) {
    double number = 0;
    const bool fits = CLI::detail::lexical_cast(text, number) && number > 0 && number <= kLongestStep;
    return fits ? std::string() : "must be above 0 and at most 1 s, is '" + text + "'";
  };
  return CLI::Validator(problemOf, "SECONDS");
}

constexpr char kSecondsPerFrame[] = "--seconds-per-frame";

/// Declares a limit of the clock; without it a frame may take as long as it takes.
inline CLI::Option* addSecondsPerFrame(CLI::App& command, double& seconds) {
  return command
      .add_option(
          kSecondsPerFrame, seconds,
          "a frame of a pane that takes longer on the clock [s] ends the pane, with the reason; 0, the "
          "default: none")
      ->check(numberFrom(0));
}

/// The options beside which an option has an effect.
struct OptionUse {
  const char* option;
  std::vector<const char*> needs = {};     ///< it has none without one of them
  std::vector<const char*> excludes = {};  ///< it has none beside any of them
};

/// Refuses an option that is given and has no effect.   @throws std::invalid_argument that names a remedy
inline void refuseIdle(const CLI::App& command, const std::vector<OptionUse>& uses) {
  const auto isGiven = [&command](const char* option) { return command.get_option(option)->count() > 0; };
  for (const OptionUse& use : uses) {
    if (!isGiven(use.option)) continue;
    const std::string field = command.get_name() + (command.get_name().empty() ? "" : ": ") + use.option;
    if (!use.needs.empty() && std::none_of(use.needs.begin(), use.needs.end(), isGiven))
      throw std::invalid_argument(field + " has no effect without " + listed(use.needs, " or ") +
                                  (use.needs.size() > 1 ? "; give one of them, or leave it out"
                                                        : "; give it too, or leave this out"));
    const auto idle = std::find_if(use.excludes.begin(), use.excludes.end(), isGiven);
    if (idle != use.excludes.end())
      throw std::invalid_argument(field + " has no effect beside " + *idle + "; leave one of both out");
  }
}

}  // namespace touchstone::cli
