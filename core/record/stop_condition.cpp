#include "core/record/stop_condition.h"

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>

#include "core/files/listed.h"

namespace touchstone {

namespace {

using Kind = StopCondition::Kind;

constexpr std::pair<Kind, const char*> kNames[] = {{Kind::FirstContact, "first-contact"},
                                                   {Kind::Trap, "trap"},
                                                   {Kind::Energy, "energy"},
                                                   {Kind::NotConverged, "not-converged"},
                                                   {Kind::NoSolution, "no-solution"},
                                                   {Kind::Diverged, "diverged"},
                                                   {Kind::Stopped, "stopped"}};

bool holds(const StopCondition& condition, const StepRecord& record) {
  switch (condition.kind) {
    case Kind::FirstContact:
      return !record.contacts.empty();
    case Kind::Trap:
      return record.quantities[Quantity::Traps] > 0;
    case Kind::Energy:
      return record.status == StepStatus::Energy;
    case Kind::NotConverged:
      return record.status == StepStatus::NotConverged;
    case Kind::NoSolution:
      return record.status == StepStatus::NoSolution;
    case Kind::Diverged:
      return record.status == StepStatus::Diverged;
    case Kind::Stopped:
      return record.status == StepStatus::Stopped;
    default:
      return record.quantities[condition.quantity] > condition.threshold;
  }
}

}  // namespace

std::string stopConditionNames() {
  return listed(kNames, ", ", [](const auto& condition) { return condition.second; });
}

StopCondition stopConditionOf(const std::string& text) {
  for (const auto& [kind, name] : kNames)
    if (text == name) return {kind, Quantity::PenetrationMax, 0};
  const std::size_t sign = text.find('>');
  const QuantityInfo* info = sign == std::string::npos ? nullptr : findQuantity(text.substr(0, sign));
  char* end = nullptr;
  const std::string number = sign == std::string::npos ? "" : text.substr(sign + 1);
  const double threshold = std::strtod(number.c_str(), &end);
  if (!info || number.empty() || *end != '\0' || !std::isfinite(threshold))
    throw std::invalid_argument("'" + text + "' is no condition; write " + stopConditionNames() +
                                ", or a quantity above a number, for example penetration_max>1e-3");
  return {Kind::Above, info->quantity, threshold};
}

std::string toString(const StopCondition& condition) {
  for (const auto& [kind, name] : kNames)
    if (condition.kind == kind) return name;
  char number[32];
  std::snprintf(number, sizeof number, "%g", condition.threshold);
  return quantityInfo(condition.quantity).key + ">" + number;
}

bool begins(const StopCondition& condition, const StepRecord* before, const StepRecord& record) {
  return holds(condition, record) && !(before && holds(condition, *before));
}

}  // namespace touchstone
