#pragma once

#include <CLI/CLI.hpp>
#include <cmath>
#include <string>

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

/// A finite number from `least` to `most`. CLI::Range and CLI::NonNegativeNumber accept nan.
inline CLI::Validator numberFrom(double least, double most = 1e300) {
  const auto problemOf = [least, most](std::string& text) {
    double number = 0;
    const bool fits = CLI::detail::lexical_cast(text, number) && number >= least && number <= most;
    const auto shown = [](double bound) {
      std::string digits = std::to_string(bound);
      digits.erase(digits.find_last_not_of('0') + 1);
      return digits.back() == '.' ? digits.substr(0, digits.size() - 1) : digits;
    };
    return fits ? std::string()
                : "must be a number from " + shown(least) + (most < 1e300 ? " to " + shown(most) : " up") +
                      ", is '" + text + "'";
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

}  // namespace touchstone::cli
