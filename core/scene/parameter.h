#pragma once

#include <functional>
#include <map>
#include <string>
#include <variant>
#include <vector>

namespace touchstone {

class JsonView;
struct Scene;

/// Value of a parameter: a number (SI units; integers are whole numbers, switches 0 or 1) or the name of a
/// choice. From files and options a switch comes as "true" or "false".
using ParameterValue = std::variant<double, std::string>;

/// Values by key, for example {"stiffness": 1e4, "point": "current"}. Keys that are absent have their
/// default.
using ParameterValues = std::map<std::string, ParameterValue>;

enum class ParameterKind { Number, Integer, Switch, Choice };

/// What stands for a number that a method chooses itself, in files and on the command line.
inline constexpr char kAutomatic[] = "automatic";

/// What a method takes for a parameter that is kAutomatic.
struct AutomaticValue {
  double least = 0, most = 0;  ///< of the pairs of bodies of the scene, in the parameter's unit
  std::string reason;          ///< the formula
};

/// What a user may set: shown in the parameter dock, accepted by `--set method.key=value` and by scene files.
struct ParameterSpec {
  std::string key;    ///< as in files and on the command line, snake_case
  std::string label;  ///< as shown
  std::string unit;   ///< SI, empty for pure numbers
  std::string help;   ///< one or two sentences with the equation's source
  ParameterKind kind = ParameterKind::Number;
  ParameterValue standard;           ///< default
  double minimum = 0, maximum = 0;   ///< Number, Integer
  bool logarithmic = false;          ///< a slider over this range is logarithmic
  std::vector<std::string> choices;  ///< Choice
  std::string published = {};        ///< where the default is the published value: the paper; else it is ours
  bool forAllReplicas = false;       ///< a number of all replicas at once, not one of each (replicate.h)
  bool mayBeAutomatic = false;       ///< Number: kAutomatic is a value as well
  /// What an automatic value is in a scene with steps of this length [s]; null: it is chosen for each
  /// contact.
  std::function<AutomaticValue(const Scene& scene, double step)> automatic = {};

  /// The default is the value that this paper publishes.
  ParameterSpec publishedIn(std::string paper) && {
    published = std::move(paper);
    return std::move(*this);
  }
  ParameterSpec chosenBy(std::function<AutomaticValue(const Scene& scene, double step)> choose) && {
    automatic = std::move(choose);
    return std::move(*this);
  }
};

/// Of a number; where the default is a word, kAutomatic, that may be given as well.
ParameterSpec numberSpec(const char* key, const char* label, const char* unit, const char* help,
                         ParameterValue standard, double minimum, double maximum, bool logarithmic = false);

/// Of a choice; the first one is the default.
ParameterSpec choiceSpec(const char* key, const char* label, const char* help,
                         std::vector<std::string> choices);

/// True if the value of `spec` in `values`, or its default, is kAutomatic.
bool isAutomatic(const ParameterSpec& spec, const ParameterValues& values);

/// The value of `spec` in `values`, or its default; not an automatic one.
double numberOf(const ParameterSpec& spec, const ParameterValues& values);
std::string choiceOf(const ParameterSpec& spec, const ParameterValues& values);

/// Same by key; the key must be one of `specs` (a broken invariant otherwise).
double numberOf(const std::vector<ParameterSpec>& specs, const ParameterValues& values,
                const std::string& key);
std::string choiceOf(const std::vector<ParameterSpec>& specs, const ParameterValues& values,
                     const std::string& key);

constexpr char kTrue[] = "true", kFalse[] = "false";
/// The value that `spec` means: of a switch that is given as a word, its number.
ParameterValue meant(const ParameterSpec& spec, const ParameterValue& value);
/// The number, or `automatic` where it is kAutomatic.
double numberOr(const std::vector<ParameterSpec>& specs, const ParameterValues& values,
                const std::string& key, double automatic);

/// Empty if `value` fits `spec`; else what is wrong and what would be right ("must be 1 to 1e9 N/m, is -3").
std::string refusal(const ParameterSpec& spec, const ParameterValue& value);

/// Text of a value for sheets and files: full round-trip digits for numbers.
std::string toString(const ParameterValue& value);

/// Parameters of a method by key: numbers, and texts as which true and false are kept too. What a parameter
/// may be its specification says (parameter.h).
ParameterValues parametersOf(const JsonView& json);

}  // namespace touchstone
