#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/conform/quantity_query.h"
#include "core/scene/parameter.h"

namespace touchstone {

/// Version of the battery, the phenomena of datasets/battery: it changes with any question, answer, tolerance
/// or scene of them, so that cards of one version can be compared.
constexpr char kBatteryVersion[] = "3";

/// A change of a scene's file: the place as names or numbers between slashes ("materials/m/friction",
/// "bodies/tip/position/0"), and the JSON text of the new value; "null" takes the member away.
struct SceneEdit {
  std::string path, value;
};

/// One run of a phenomenon's scene under every column.
struct PhenomenonRun {
  std::string id;
  std::string scene;           ///< path of the scene file
  double dt = 0, time = 0;     ///< s; 0: the scene's
  int substeps = 0;            ///< of every column; 0: as suggested
  ParameterValues parameters;  ///< given to every column that has them; another is left out
  std::vector<SceneEdit> edits;
  /// Columns that are left out, by method or method-solver, and why.
  std::map<std::string, std::string> without;
};

/// The answer of a theory that is not the exact one, or the number of a recorded run of a column of its kind.
struct ModelAnswer {
  double value = 0;
  bool isRecorded = false;  ///< the number comes from a run or a figure, not from a theory
  std::string source;       ///< of a recorded one: a sentence without its full stop
  std::string failure;      ///< the recorded run has no number: it fails for a reason that begins so
  std::string closedForm;   ///< key, see closedFormTable(); empty: the value is given
  std::map<std::string, double> arguments;
  double tolerance = 0;                ///< absolute; 0: that of the measure
  std::optional<QuantityQuery> query;  ///< measured so where the column has this model
};

struct Tolerance {
  double absolute = 0, relative = 0;  ///< one of the two is positive
  /// In the unit of the value.
  double of(double exact) const;
};

/// A number with a known answer.
struct Measure {
  std::string id, title;
  std::vector<std::string> runs;  ///< ids; one, but for self_convergence
  QuantityQuery query;
  std::string unit;
  std::optional<double> atMost, atLeast;  ///< a bound in the place of an exact answer
  std::optional<double> exact;            ///< none and no bound: the number is shown, not judged
  Tolerance tolerance;
  std::string formula;                         ///< of the exact answer, as text
  std::string why;                             ///< of the tolerance
  std::map<std::string, ModelAnswer> models;   ///< by model, see ColumnModel
  std::map<std::string, std::string> notFor;   ///< why a column with this model has no answer
  std::map<std::string, std::string> onlyFor;  ///< asked of such columns only, and why not of others
  /// Measured reasons why a column with this model deviates; "{id}" is the number of another measure there.
  std::map<std::string, std::string> because;
  bool polyhedral = false;  ///< bodies stand for round ones: our columns show the number, without a verdict
};

/// A change that must turn measures from ✓ into something else, or the measures cannot see an error.
struct Control {
  std::vector<SceneEdit> edits;         ///< of the scenes of the runs
  std::map<std::string, double> exact;  ///< by measure: judged as if this were the answer
  std::vector<std::string> turns;       ///< measures
};

/// Which number a cell of the card shows: that of a measure, the worst among those with the quantity of the
/// first, how many of all are wrong, or how many are right.
enum class Primary { Measure, Worst, Wrong, Right };

/// One contact phenomenon with known answers: a file of datasets/battery.
struct Phenomenon {
  std::string file, name, number, group, title, question, source, notShown;
  Primary primary = Primary::Worst;
  std::string primaryMeasure;  ///< of Primary::Measure
  std::vector<PhenomenonRun> runs;
  std::vector<Measure> measures;
  std::vector<Control> controls;

  const PhenomenonRun& run(const std::string& id) const;
};

/// Reads a phenomenon file (JSON, "touchstone_phenomenon": 1) and checks it against its scenes.
/// @param scenes  folder of scenes that are named without a path
/// @throws SceneError with file, field and remedy
Phenomenon loadPhenomenon(const std::string& path, const std::string& scenes);

/// The phenomena of a folder, by their numbers ("2" before "10"), then by name. @throws SceneError
std::vector<Phenomenon> loadPhenomena(const std::string& folder);

/// The text of a scene file with these changes. @throws SceneError for a place that does not exist
std::string editedScene(const std::string& file, const std::string& text,
                        const std::vector<SceneEdit>& edits);

}  // namespace touchstone
