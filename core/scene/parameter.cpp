#include "core/scene/parameter.h"

#include <algorithm>
#include <cassert>
#include <charconv>
#include <cmath>

#include "core/files/json_view.h"
#include "core/files/listed.h"

namespace touchstone {

namespace {

const ParameterSpec& find(const std::vector<ParameterSpec>& specs, const std::string& key) {
  const auto found =
      std::find_if(specs.begin(), specs.end(), [&](const ParameterSpec& spec) { return spec.key == key; });
  assert(found != specs.end());
  return *found;
}

const ParameterValue& valueOf(const ParameterSpec& spec, const ParameterValues& values) {
  const auto found = values.find(spec.key);
  return found == values.end() ? spec.standard : found->second;
}

std::string rangeText(const ParameterSpec& spec) {
  return toString(spec.minimum) + " to " + toString(spec.maximum) +
         (spec.unit.empty() ? "" : " " + spec.unit);
}

}  // namespace

ParameterSpec numberSpec(const char* key, const char* label, const char* unit, const char* help,
                         ParameterValue standard, double minimum, double maximum, bool logarithmic) {
  ParameterSpec spec{key,     label,   unit,        help, ParameterKind::Number, std::move(standard),
                     minimum, maximum, logarithmic, {}};
  spec.mayBeAutomatic = std::holds_alternative<std::string>(spec.standard);
  return spec;
}

ParameterSpec choiceSpec(const char* key, const char* label, const char* help,
                         std::vector<std::string> choices) {
  std::string first = choices.front();
  return {key, label, "", help, ParameterKind::Choice, std::move(first), 0, 0, false, std::move(choices)};
}

ParameterSpec fileSpec(const char* key, const char* label, const char* help) {
  return {key, label, "", help, ParameterKind::File, std::string(), 0, 0, false, {}};
}

bool isAutomatic(const ParameterSpec& spec, const ParameterValues& values) {
  const std::string* text = std::get_if<std::string>(&valueOf(spec, values));
  return spec.mayBeAutomatic && text && *text == kAutomatic;
}

double numberOf(const ParameterSpec& spec, const ParameterValues& values) {
  return std::get<double>(valueOf(spec, values));
}

std::string choiceOf(const ParameterSpec& spec, const ParameterValues& values) {
  return std::get<std::string>(valueOf(spec, values));
}

double numberOf(const std::vector<ParameterSpec>& specs, const ParameterValues& values,
                const std::string& key) {
  return numberOf(find(specs, key), values);
}

double numberOr(const std::vector<ParameterSpec>& specs, const ParameterValues& values,
                const std::string& key, double automatic) {
  const ParameterSpec& spec = find(specs, key);
  return isAutomatic(spec, values) ? automatic : numberOf(spec, values);
}

std::string choiceOf(const std::vector<ParameterSpec>& specs, const ParameterValues& values,
                     const std::string& key) {
  return choiceOf(find(specs, key), values);
}

ParameterValue meant(const ParameterSpec& spec, const ParameterValue& value) {
  if (spec.kind == ParameterKind::File) return toString(value);
  const std::string* word = std::get_if<std::string>(&value);
  if (spec.kind != ParameterKind::Switch || !word || (*word != kTrue && *word != kFalse)) return value;
  return *word == kTrue ? 1.0 : 0.0;
}

std::string refusal(const ParameterSpec& spec, const ParameterValue& given) {
  const ParameterValue value = meant(spec, given);
  if (spec.kind == ParameterKind::Choice) {
    const std::string* choice = std::get_if<std::string>(&value);
    if (choice && std::count(spec.choices.begin(), spec.choices.end(), *choice) > 0) return {};
    return "must be one of " + listed(spec.choices) + ", is " + toString(value);
  }
  if (spec.kind == ParameterKind::File) return {};
  const double* number = std::get_if<double>(&value);
  if (!number && spec.mayBeAutomatic && toString(value) == kAutomatic) return {};
  if (spec.kind == ParameterKind::Switch)
    return number && (*number == 0 || *number == 1) ? "" : "must be true or false, is " + toString(value);
  if (!number)
    return std::string("must be a number (") + rangeText(spec) + ")" +
           (spec.mayBeAutomatic ? " or " + std::string(kAutomatic) : "") + ", is '" + toString(value) + "'";
  if (!(*number >= spec.minimum && *number <= spec.maximum))
    return "must be " + rangeText(spec) + ", is " + toString(value);
  if (spec.kind == ParameterKind::Integer && *number != std::floor(*number))
    return "must be a whole number, is " + toString(value);
  return {};
}

std::string toString(const ParameterValue& value) {
  if (const std::string* text = std::get_if<std::string>(&value)) return *text;
  char buffer[32];
  return std::string(buffer, std::to_chars(buffer, buffer + sizeof buffer, std::get<double>(value)).ptr);
}

namespace {
const std::map<std::string, std::string>& formerKeys() {
  static const std::map<std::string, std::string> keys = {{"parting_speed", "max_depenetration_speed"},
                                                          {"correction_cap", "max_depenetration_speed"},
                                                          {"stabilisation", "baumgarte"}};
  return keys;
}
}  // namespace

std::string currentKey(const std::string& key) {
  const auto former = formerKeys().find(key);
  return former == formerKeys().end() ? key : former->second;
}

std::string formerKeyNote(const std::string& key) {
  const std::string current = currentKey(key);
  return current == key ? "" : "'" + key + "' is an earlier key of '" + current + "'; both are read";
}

ParameterValues parametersOf(const JsonView& json) {
  // A larger value lets a damaged file use more memory and time; a smaller one refuses files that name many
  // parameters.
  constexpr std::size_t kMostParameters = 2000;
  ParameterValues values;
  for (const auto& [name, entry] : json.members(kMostParameters)) {
    const std::string key = currentKey(name);
    if (values.count(key)) entry.fail("is given twice, as '" + key + "' too", "keep '" + key + "'");
    if (entry.json().is_boolean()) {
      values[key] = std::string(entry.boolean() ? kTrue : kFalse);
    } else if (entry.json().is_string()) {
      values[key] = entry.text();
    } else {
      values[key] = entry.number();
    }
  }
  return values;
}

}  // namespace touchstone
