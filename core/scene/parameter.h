#pragma once

#include <map>
#include <string>
#include <variant>
#include <vector>

namespace touchstone {

class JsonView;

/// Value of a parameter: a number (SI units; whole numbers for integers, 0 or 1 for switches) or the name of
/// a choice. In files and options a switch is "true" or "false".
using ParameterValue = std::variant<double, std::string>;

/// Values by key, for example {"stiffness": 1e4, "point": "current"}. A missing key has its default.
using ParameterValues = std::map<std::string, ParameterValue>;

enum class ParameterKind { Number, Integer, Switch, Choice };

/// The word for a number that a method chooses itself, in files and on the command line.
inline constexpr char kAutomatic[] = "automatic";

/// A parameter that a user may set: shown in the parameter dock, accepted by `--set method.key=value` and by
/// scene files.
struct ParameterSpec {
  std::string key;    ///< as in files and on the command line, snake_case
  std::string label;  ///< as shown to the user
  std::string unit;   ///< SI, empty for pure numbers
  std::string help;   ///< one or two sentences with the equation's source
  ParameterKind kind = ParameterKind::Number;
  ParameterValue standard;           ///< default
  double minimum = 0, maximum = 0;   ///< Number, Integer
  bool logarithmic = false;          ///< a slider over this range is logarithmic
  std::vector<std::string> choices;  ///< Choice
  std::string published = {};        ///< the paper that publishes the default; empty: the default is ours
  bool forAllReplicas = false;       ///< one value for all replicas, not one per replica (replicate.h)
  bool mayBeAutomatic = false;       ///< Number: kAutomatic is a valid value too
};

/// Specification of a number. If the default is the word kAutomatic, that word is a valid value.
ParameterSpec numberSpec(const char* key, const char* label, const char* unit, const char* help,
                         ParameterValue standard, double minimum, double maximum, bool logarithmic = false);

/// True if the value of `spec` in `values`, or its default, is kAutomatic.
bool isAutomatic(const ParameterSpec& spec, const ParameterValues& values);

/// The value of `spec` in `values`, or its default. The value must not be automatic.
double numberOf(const ParameterSpec& spec, const ParameterValues& values);
std::string choiceOf(const ParameterSpec& spec, const ParameterValues& values);

/// The same by key; the key must be one of `specs` (assertion).
double numberOf(const std::vector<ParameterSpec>& specs, const ParameterValues& values,
                const std::string& key);
std::string choiceOf(const std::vector<ParameterSpec>& specs, const ParameterValues& values,
                     const std::string& key);

constexpr char kTrue[] = "true", kFalse[] = "false";
/// Converts a value to the type of `spec`: a switch given as a word becomes a number.
ParameterValue meant(const ParameterSpec& spec, const ParameterValue& value);
/// The number, or `automatic` if the value is kAutomatic.
double numberOr(const std::vector<ParameterSpec>& specs, const ParameterValues& values,
                const std::string& key, double automatic);

/// Empty if `value` is valid for `spec`; else the fault and the remedy ("must be 1 to 1e9 N/m, is -3").
std::string refusal(const ParameterSpec& spec, const ParameterValue& value);

/// Text of a value for tables and files: full round-trip digits for numbers.
std::string toString(const ParameterValue& value);

/// Reads parameters of a method by key: numbers and texts; true and false become texts. The specification
/// decides which values are valid (parameter.h).
ParameterValues parametersOf(const JsonView& json);

}  // namespace touchstone
