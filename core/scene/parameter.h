#pragma once

#include <functional>
#include <map>
#include <string>
#include <variant>
#include <vector>

namespace touchstone {

class JsonView;
struct Scene;

/// Value of a parameter: a number (SI units; whole numbers for integers, 0 or 1 for switches), the name of a
/// choice or the path of a file. In files and options a switch is "true" or "false".
using ParameterValue = std::variant<double, std::string>;

/// Values by key, for example {"stiffness": 1e4, "point": "current"}. A missing key has its default.
using ParameterValues = std::map<std::string, ParameterValue>;

/// File: the path of a file, or empty where none is given; its reader says what is wrong with the file.
enum class ParameterKind { Number, Integer, Switch, Choice, File };

/// The word for a number that a method chooses itself, in files and on the command line.
inline constexpr char kAutomatic[] = "automatic";

/// Value that a method chooses for a parameter that is kAutomatic.
struct AutomaticValue {
  double least = 0, most = 0;  ///< of the pairs of bodies of the scene, in the parameter's unit
  std::string reason;          ///< the formula
};

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
  std::string published = {};        ///< where the default is the published value: the paper; else it is ours
  bool forAllReplicas = false;       ///< a number of all replicas at once, not one of each (replicate.h)
  bool mayBeAutomatic = false;       ///< Number: kAutomatic is a value as well
  /// The automatic value in a scene with steps of this length [s]; null: it is chosen for each
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

/// Specification of a number. If the default is the word kAutomatic, that word is a valid value.
ParameterSpec numberSpec(const char* key, const char* label, const char* unit, const char* help,
                         ParameterValue standard, double minimum, double maximum, bool logarithmic = false);

/// Specification of a choice; the first one is the default.
ParameterSpec choiceSpec(const char* key, const char* label, const char* help,
                         std::vector<std::string> choices);

/// Specification of a file; none by default.
ParameterSpec fileSpec(const char* key, const char* label, const char* help);

/// True if the value of `spec` in `values`, or its default, is kAutomatic.
bool isAutomatic(const ParameterSpec& spec, const ParameterValues& values);

/// The value of `spec` in `values`, or its default. The value must not be automatic.
double numberOf(const ParameterSpec& spec, const ParameterValues& values);
/// A choice, or the path of a file.
std::string choiceOf(const ParameterSpec& spec, const ParameterValues& values);

/// The same by key; the key must be one of `specs` (assertion).
double numberOf(const std::vector<ParameterSpec>& specs, const ParameterValues& values,
                const std::string& key);
std::string choiceOf(const std::vector<ParameterSpec>& specs, const ParameterValues& values,
                     const std::string& key);

/// The present key of a parameter that files and command lines of earlier versions name otherwise
/// ("parting_speed"); any other key as it is. All methods have one key for one quantity.
std::string currentKey(const std::string& key);
/// A sentence for the user where a key is a former one; else empty.
std::string formerKeyNote(const std::string& key);

constexpr char kTrue[] = "true", kFalse[] = "false";
/// Converts a value to the type of `spec`: a switch given as a word becomes a number, the name of a file that
/// reads as a number a text.
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
