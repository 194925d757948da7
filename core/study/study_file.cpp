#include <algorithm>
#include <cctype>
#include <cmath>
#include <set>

#include "core/files/file_bytes.h"
#include "core/files/json_file.h"
#include "core/files/json_view.h"
#include "core/files/listed.h"
#include "core/files/text_forms.h"
#include "core/math/not_a_number.h"
#include "core/record/quantity.h"
#include "core/run/pane_name.h"
#include "core/scene/frame_count.h"
#include "core/study/run_table.h"
#include "core/study/study.h"

namespace touchstone {

namespace {

/// Most runs of a study. A larger value accepts studies that never end; a smaller one refuses large sweeps.
constexpr std::size_t kMostRuns = 100'000;
/// Most axes, quantities, numbers, plots and the like. More slow every table; fewer refuse useful studies.
constexpr std::size_t kMostItems = 100;
constexpr char kNameRemedy[] =
    "give 1 to 60 letters, digits and _, the first one no digit, and no word of SQL: it is a column";

/// Names of columns that every table of runs has.
const std::vector<std::string> kOwnColumns = {
    "pane",         "method",    "solver",           "seed",
    "dt_s",         "frames",    "failed",           "failed_at_s",
    "reason",       "unsolved",  "solves_per_frame", "halved_frames",
    "step_time_ms", "row_number"};

/// The words of a pane, which completed() brings into force in each scene.
PaneSettings readSettings(const JsonView& view) {
  PaneSettings settings;
  settings.method = view.textOr("method", "");
  if (!findMethod(settings.method))
    view.at("method").fail("'" + settings.method + "' is no method", "touchstone-cli list names them");
  settings.substeps = view.has("substeps") ? view.at("substeps").integer(1, kMostSubsteps) : kAsSuggested;
  if (view.has("parameters")) settings.parameters = parametersOf(view.at("parameters"));
  if (view.has("solver")) applyKey("solver", view.at("solver").text(), settings);
  return settings;
}

/// A label is the title of a table row and a cell of a CSV file.
bool isLabel(const std::string& label) {
  // A larger value breaks the layout of tables; a smaller one refuses descriptive labels.
  constexpr std::size_t kLongest = 200;
  return !label.empty() && label.size() <= kLongest &&
         std::none_of(label.begin(), label.end(),
                      [](unsigned char c) { return c < ' ' || c == ',' || c == '|' || c == '"'; });
}

bool isTarget(const std::string& target) {
  static const std::vector<std::string> words = {"dt", "time", "substeps", "solver", "scene"};
  const auto begins = [&target](const char* start) { return target.rfind(start, 0) == 0; };
  return std::count(words.begin(), words.end(), target) > 0 || begins("parameters/") || begins("scene/");
}

/// @param isControl  a perturbed program may take another method and other constants, too
std::vector<StudyChange> readChanges(const JsonView& view, bool isControl = false) {
  std::vector<StudyChange> changes;
  for (const auto& [target, value] : view.members(kMostItems)) {
    const bool isOfControl = isControl && (target == "method" || target.rfind("constants/", 0) == 0);
    if (!isTarget(target) && !isOfControl)
      value.fail("is nothing that a study can set",
                 "write dt, time, substeps, solver, scene, parameters/KEY or scene/PLACE/IN/THE/FILE");
    changes.push_back({target, value.json().dump()});
  }
  return changes;
}

void readPanes(const JsonView& root, Study& study) {
  for (const JsonView& view : root.at("panes").items(kMostItems)) {
    view.allowOnly(
        {"label", "method", "solver", "substeps", "parameters", "on_failure", "scene", "constants", "set"});
    StudyPane pane;
    pane.label = view.at("label").text();
    // A formula needs no method: its pane only has constants and a label.
    const bool hasMethod = study.kind != StudyKind::Formula && study.kind != StudyKind::PairPath;
    if (hasMethod || view.has("method")) pane.settings = readSettings(view);
    if (!hasMethod && !view.has("method")) pane.settings.method.clear();
    if (!isLabel(pane.label))
      view.at("label").fail("is empty, too long or has a comma, a bar, a quote or a control character",
                            "it heads a row of a table");
    for (const StudyPane& other : study.panes)
      if (other.label == pane.label) view.at("label").fail("is used twice", "rename one");
    pane.scene = view.textOr("scene", "");
    if (view.has("on_failure"))
      pane.stopsOnFailure = view.at("on_failure").oneOf({"stop", "go-on"}) == "stop";
    if (view.has("constants"))
      for (const auto& [name, value] : view.at("constants").members(kMostItems)) {
        if (!isColumnName(name)) value.fail("has a name that expressions cannot use", kNameRemedy);
        pane.constants[name] = value.number();
      }
    if (view.has("set")) pane.changes = readChanges(view.at("set"));
    study.panes.push_back(pane);
  }
  if (study.panes.empty()) root.at("panes").fail("is empty", "give at least one method");
}

void readSeeds(const JsonView& root, Study& study) {
  if (!root.has("seeds")) {
    study.seeds = {0};
  } else {
    const JsonView seeds = root.at("seeds");
    seeds.allowOnly({"first", "count"});
    const int first = seeds.at("first").integer(0, 1'000'000'000),
              count = seeds.at("count").integer(1, 10'000);
    for (int seed = first; seed < first + count; ++seed) study.seeds.push_back(seed);
  }
  if (!root.has("variation")) {
    if (study.seeds.size() > 1) root.at("variation");  // without it several seeds would give the same run
    return;
  }
  const JsonView variation = root.at("variation");
  variation.allowOnly({"position", "angle_deg", "spin"});
  if (variation.has("position")) study.variation.position = variation.at("position").nonNegative();
  if (variation.has("angle_deg"))
    study.variation.angle = variation.at("angle_deg").nonNegative() * M_PI / 180;
  if (variation.has("spin")) study.variation.spin = variation.at("spin").nonNegative();
}

/// A list of numbers or names, or {"from", "to", "count", "spacing": "even" or "factors"}.
std::vector<Cell> readValues(const JsonView& view) {
  std::vector<Cell> values;
  if (view.json().is_array()) {
    for (const JsonView& item : view.items(kMostRuns)) {
      if (item.json().is_string())
        values.emplace_back(item.text());
      else
        values.emplace_back(item.number());
    }
  } else {
    view.allowOnly({"from", "to", "count", "spacing"});
    const double first = view.at("from").number(), last = view.at("to").number();
    const int count = view.at("count").integer(2, static_cast<int>(kMostRuns));
    const bool byFactors = view.has("spacing") && view.at("spacing").oneOf({"even", "factors"}) == "factors";
    if (byFactors && !(first > 0 && last > 0))
      view.at("from").fail("is not positive", "a spacing by factors takes positive ends");
    for (int k = 0; k < count; ++k) {
      const double share = static_cast<double>(k) / (count - 1);
      values.emplace_back(k == count - 1 ? last
                          : byFactors    ? first * std::pow(last / first, share)
                                         : first + share * (last - first));
    }
  }
  if (values.empty()) view.fail("is empty", "give at least one value");
  if (std::set<Cell>(values.begin(), values.end()).size() < values.size())
    view.fail("has a value twice", "remove one of the two");
  return values;
}

/// SQL does not distinguish upper from lower case.
bool isSameColumn(const std::string& a, const std::string& b) { return mentions(a, b); }

bool isTaken(const Study& study, const std::string& name) {
  const auto is = [&name](const auto& column) { return isSameColumn(column, name); };
  if (std::any_of(kOwnColumns.begin(), kOwnColumns.end(), is)) return true;
  for (const StudyAxis& axis : study.axes)
    if (is(axis.name)) return true;
  for (const StudyQuantity& quantity : study.quantities)
    if (is(quantity.id)) return true;
  return false;
}

/// A name of a column of the table of runs.
std::string readName(const JsonView& view, const Study& study) {
  const std::string name = view.text();
  if (!isColumnName(name)) view.fail("cannot be used in expressions", kNameRemedy);
  if (isTaken(study, name)) view.fail("is the name of another column", "choose another one");
  return name;
}

void readAxes(const JsonView& root, Study& study) {
  if (!root.has("sweep")) return;
  for (const JsonView& view : root.at("sweep").items(8)) {
    view.allowOnly({"axis", "title", "unit", "values", "points", "set"});
    StudyAxis axis;
    axis.name = readName(view.at("axis"), study);
    axis.title = view.textOr("title", axis.name);
    axis.unit = view.textOr("unit", "");
    if (view.has("set")) axis.common = readChanges(view.at("set"));
    if (view.has("points") && view.has("values"))
      view.at("values").fail("and points stand in one axis", "give one of the two");
    if (view.has("points")) {
      std::set<Cell> values;
      for (const JsonView& point : view.at("points").items(kMostRuns)) {
        point.allowOnly({"value", "set"});
        StudyAxis::Point axisPoint;
        const JsonView value = point.at("value");
        if (value.json().is_string())
          axisPoint.value = value.text();
        else
          axisPoint.value = value.number();
        if (point.has("set")) axisPoint.changes = readChanges(point.at("set"));
        if (!values.insert(axisPoint.value).second)
          point.at("value").fail("is given twice", "remove one of the two");
        axis.points.push_back(axisPoint);
      }
      if (axis.points.empty()) view.at("points").fail("is empty", "give at least one point");
    } else {
      for (const Cell& value : readValues(view.at("values"))) axis.points.push_back({value, {}});
    }
    const auto isText = [](const StudyAxis::Point& point) { return point.value.index() == 1; };
    const auto texts = std::count_if(axis.points.begin(), axis.points.end(), isText);
    if (texts > 0 && texts < static_cast<long>(axis.points.size()))
      view.at(view.has("points") ? "points" : "values")
          .fail("has numbers and texts", "write all as numbers, or all as texts");
    study.axes.push_back(axis);
  }
}

/// True if an expression uses a clock, directly or through another column.
bool mentionsATime(const Study& study, const std::string& expression) {
  std::vector<std::string> times = {"closed_us", "quadrature_us"};
  for (const QuantityInfo& info : quantityTable())
    if (isTime(info.quantity)) times.push_back(info.key);
  const auto isOfTime = [&times](const std::string& text) {
    return std::any_of(times.begin(), times.end(),
                       [&text](const std::string& time) { return mentions(text, time); });
  };
  for (const auto& [name, derived] : study.derived)  // each is made of those before it
    if (isOfTime(derived)) times.push_back(name);
  return isOfTime(expression);
}

/// Refuses columns of a run of which two have one name.
void requireDifferentColumns(const JsonView& root, const Study& study) {
  std::vector<std::string> columns = columnsOfRun(study);
  columns.emplace_back("row_number");
  for (const auto& column : study.derived) columns.push_back(column.first);
  std::set<std::string> known;
  for (const std::string& column : columns) {
    std::string lower = column;
    std::transform(lower.begin(), lower.end(), lower.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    if (!known.insert(lower).second)
      root.at(root.has("columns") ? "columns" : "panes")
          .fail("give '" + column + "', which is another column already", "rename one of the two");
  }
}

/// The quantities of a study whose file names none.
std::vector<StudyQuantity> usualQuantities() {
  const auto quantityWith = [](const char* id, const char* title, const char* unit, const char* expression) {
    StudyQuantity quantity;
    quantity.id = id;
    quantity.title = title;
    quantity.unit = unit;
    quantity.expression = expression;
    return quantity;
  };
  return {
      quantityWith("overlap_median", "Overlap, median over the frames", "m³, planar m²", "median(overlap)"),
      quantityWith("overlap_q1", "Overlap, first quartile", "m³, planar m²", "q1(overlap)"),
      quantityWith("overlap_q3", "Overlap, third quartile", "m³, planar m²", "q3(overlap)"),
      quantityWith("overlap_max", "Overlap, largest", "m³, planar m²", "max(overlap)"),
      quantityWith("depth_max", "Deepest penetration", "m", "max(penetration_max)"),
      quantityWith("trap_share", "Share of frames with standard-model traps", "", "avg(traps > 0)")};
}

void readQuantities(const JsonView& root, Study& study) {
  if (root.has("columns"))
    for (const auto& [name, value] : root.at("columns").members(kMostItems)) {
      if (!isColumnName(name) || findQuantity(name))
        value.fail("has a name that is taken or that expressions cannot use", kNameRemedy);
      const std::string text = value.text();
      if (text.rfind('=', 0) == 0)
        study.derived.emplace_back(name, text.substr(1));
      else
        study.columns.emplace_back(name, text);
    }
  if (!root.has("quantities")) {
    study.quantities = usualQuantities();
    return;
  }
  for (const JsonView& view : root.at("quantities").items(kMostItems)) {
    view.allowOnly({"id", "title", "unit", "value", "series", "x", "x_title", "runs"});
    StudyQuantity quantity;
    quantity.id = readName(view.at("id"), study);
    quantity.title = view.textOr("title", quantity.id);
    quantity.unit = view.textOr("unit", "");
    quantity.isSeries = view.has("series");
    if (quantity.isSeries == view.has("value"))
      view.at("value").fail("and series stand in one quantity", "give one of the two");
    quantity.expression = view.at(quantity.isSeries ? "series" : "value").text();
    if (!quantity.isSeries && (view.has("x") || view.has("x_title")))
      view.at(view.has("x") ? "x" : "x_title").fail("belongs to a series", "remove it");
    quantity.x = view.textOr("x", study.kind == StudyKind::Frames    ? "time_s"
                                  : study.kind == StudyKind::Formula ? "x"
                                                                     : "row_number");
    quantity.xTitle = view.textOr("x_title", quantity.x == "time_s" ? "t [s]" : quantity.x);
    quantity.runs = view.textOr("runs", "");
    quantity.isTime = mentionsATime(study, quantity.expression) || mentionsATime(study, quantity.x);
    study.quantities.push_back(quantity);
  }
}

void requirePane(const JsonView& label, const Study& study) {
  const std::string text = label.text();
  if (std::none_of(study.panes.begin(), study.panes.end(),
                   [&text](const StudyPane& pane) { return pane.label == text; }))
    label.fail("is the label of no pane", "write it as panes do");
}

StudyControl readControl(const JsonView& view, const Study& study) {
  view.allowOnly({"what", "set", "panes", "runs", "swap"});
  StudyControl control;
  control.what = view.textOr("what", "");
  if (view.has("set") == view.has("swap"))
    view.at("set").fail("and swap stand in one control", "give one of the two");
  if (view.has("set")) {
    if (control.what.empty()) view.at("what").fail("is empty", "say in words what `set` perturbs");
    control.changes = readChanges(view.at("set"), true);
    if (control.changes.empty()) view.at("set").fail("is empty", "change the method or the scene");
    control.runs = view.textOr("runs", "");
    if (view.has("panes"))
      for (const JsonView& label : view.at("panes").items(kMostItems)) {
        requirePane(label, study);
        control.panes.push_back(label.text());
      }
    return control;
  }
  for (const char* member : {"panes", "runs"})
    if (view.has(member)) view.at(member).fail("belongs to a control with `set`", "remove it");
  for (const JsonView& pair : view.at("swap").items(kMostItems)) {
    const std::vector<JsonView> two = pair.items(2);
    if (two.size() != 2) pair.fail("is no pair", "give the labels of two panes");
    for (const JsonView& label : two) {
      requirePane(label, study);
      for (const auto& other : control.swapped)
        if (other.first == label.text() || other.second == label.text())
          label.fail("is exchanged twice", "exchange it with one other pane");
    }
    control.swapped.emplace_back(two[0].text(), two[1].text());
    if (!view.has("what"))
      control.what += (control.what.empty() ? "" : ", ") + two[0].text() + " runs as " + two[1].text() +
                      " and the reverse";
  }
  if (control.swapped.empty()) view.at("swap").fail("is empty", "give pairs of labels of panes");
  return control;
}

/// One control, several of which one must turn the verdict, or {"none": why it cannot be made}.
void readControls(const JsonView& view, const Study& study, StudyAcceptance& acceptance) {
  if (view.json().is_array()) {
    for (const JsonView& control : view.items(kMostItems))
      acceptance.controls.push_back(readControl(control, study));
  } else if (view.has("none")) {
    view.allowOnly({"none"});
    acceptance.withoutControl = view.at("none").text();
    if (acceptance.withoutControl.empty()) view.at("none").fail("is empty", "say why no control can be made");
  } else {
    acceptance.controls.push_back(readControl(view, study));
  }
}

void readNumbers(const JsonView& root, Study& study) {
  if (root.has("numbers"))
    for (const auto& [id, view] : root.at("numbers").members(1000)) {
      if (!isColumnName(id)) view.fail("has a name that expressions cannot use", kNameRemedy);
      StudyNumber number;
      number.id = id;
      if (view.json().is_string()) {
        number.expression = view.text();
      } else {
        view.allowOnly({"value", "title", "unit"});
        number.expression = view.at("value").text();
        number.title = view.textOr("title", "");
        number.unit = view.textOr("unit", "");
      }
      study.numbers.push_back(number);
    }
  if (!root.has("accept")) return;
  for (const JsonView& view : root.at("accept").items(kMostItems)) {
    view.allowOnly({"id", "claim", "if", "variants", "because", "control"});
    StudyAcceptance acceptance;
    acceptance.id = view.at("id").text();
    if (!isPlainName(acceptance.id))
      view.at("id").fail("must be 1 to 100 letters, digits, - and _", "claims refer to it");
    for (const StudyAcceptance& other : study.acceptances)
      if (other.id == acceptance.id) view.at("id").fail("is used twice", "rename one");
    acceptance.claim = view.at("claim").text();
    acceptance.condition = view.at("if").text();
    acceptance.because = view.textOr("because", "");
    if (view.has("variants"))
      for (const auto& [name, condition] : view.at("variants").members(kMostItems))
        acceptance.variants.emplace_back(name, condition.text());
    if (view.has("control")) readControls(view.at("control"), study, acceptance);
    study.acceptances.push_back(acceptance);
  }
}

/// Names of the parts that a plot separates: "pane", "dt_s" or an axis.
std::string readParts(const JsonView& view, const Study& study, std::size_t maximum) {
  const std::string name = view.text();
  std::size_t count = name == "pane" ? study.panes.size() : name == "dt_s" ? study.dt.size() : 0;
  std::vector<std::string> known = {"pane", "dt_s"};
  for (const StudyAxis& axis : study.axes) {
    known.push_back(axis.name);
    if (axis.name == name) count = axis.points.size();
  }
  if (!std::count(known.begin(), known.end(), name))
    view.fail("'" + name + "' is no axis", "there are " + listed(known));
  if (count > maximum)
    view.fail("has " + std::to_string(count) + " values, more than " + std::to_string(maximum),
              "choose another axis");
  return name;
}

/// An axis of a map: numbers that a study sets.
std::string readMapAxis(const JsonView& view, const Study& study) {
  const std::string name = view.text();
  std::vector<std::string> known = {"dt_s"};
  for (const StudyAxis& axis : study.axes)
    if (std::holds_alternative<double>(axis.points.front().value)) known.push_back(axis.name);
  if (!std::count(known.begin(), known.end(), name))
    view.fail("'" + name + "' is no axis of numbers, as a map needs", "there are " + listed(known));
  return name;
}

/// A name of a column of the table of runs, in a plot.
std::string readColumn(const JsonView& view, const Study& study) {
  const std::string name = view.text();
  if (isTaken(study, name)) return name;
  std::vector<std::string> known = {"dt_s", "failed", "unsolved", "step_time_ms", "pane"};
  for (const StudyAxis& axis : study.axes) known.push_back(axis.name);
  for (const StudyQuantity& quantity : study.quantities) known.push_back(quantity.id);
  const std::string nearest = nearestName(name, known);
  view.fail("'" + name + "' is no axis and no quantity of this study",
            nearest.empty() ? "there are " + listed(known) : "did you mean '" + nearest + "'?");
}

void readPublished(const JsonView& view, StudyPlot& plot) {
  for (const JsonView& item : view.items(kMostItems)) {
    item.allowOnly({"id", "number", "of", "factor", "label"});
    StudyPublished published;
    published.id = item.at("id").text();
    published.number = item.at("number").text();
    if (item.has("of")) published.ofX = item.at("of").oneOf({"x", "y"}) == "x";
    if (item.has("factor")) published.factor = item.at("factor").number();
    published.label = item.textOr("label", "");
    plot.published.push_back(published);
  }
}

void readPlots(const JsonView& root, Study& study) {
  static const std::vector<std::string> kinds = {"curve", "series", "share", "map", "polar"};
  if (!root.has("plots")) return;
  for (const JsonView& view : root.at("plots").items(kMostItems)) {
    view.allowOnly({"id", "title", "kind", "x", "y", "value", "x_title", "y_title", "log", "points", "band",
                    "bin", "floor", "panels", "curves", "where", "failed", "lines", "published"});
    StudyPlot plot;
    plot.id = view.at("id").text();
    if (!isPlainName(plot.id))
      view.at("id").fail("must be 1 to 100 letters, digits, - and _", "it becomes the name of a file");
    for (const StudyPlot& other : study.plots)
      if (other.id == plot.id) view.at("id").fail("is used twice", "rename one");
    plot.title = view.textOr("title", study.title);
    if (view.has("kind")) {
      const std::string kind = view.at("kind").oneOf(kinds);
      plot.kind = static_cast<StudyPlot::Kind>(std::find(kinds.begin(), kinds.end(), kind) - kinds.begin());
    }
    const bool isMap = plot.kind == StudyPlot::Kind::Map;
    if (plot.kind != StudyPlot::Kind::Series)
      plot.x = isMap ? readMapAxis(view.at("x"), study) : readColumn(view.at("x"), study);
    plot.y = isMap ? readMapAxis(view.at("y"), study) : readColumn(view.at("y"), study);
    const StudyQuantity* y = study.quantity(plot.y);
    if (plot.kind == StudyPlot::Kind::Series && (!y || !y->isSeries))
      view.at("y").fail("is no series", "name a quantity with `series`");
    if (plot.kind != StudyPlot::Kind::Series && y && y->isSeries)
      view.at("y").fail("is a series", "give the plot \"kind\": \"series\"");
    if (isMap) plot.value = readColumn(view.at("value"), study);
    plot.xTitle = view.textOr("x_title", "");
    plot.yTitle = view.textOr("y_title", "");
    if (view.has("log")) {
      const std::string log = view.at("log").oneOf({"x", "y", "xy"});
      plot.xLog = log != "y";
      plot.yLog = log != "x";
    }
    if (view.has("points")) plot.points = view.at("points").boolean();
    if (view.has("band")) plot.band = view.at("band").oneOf({"quartiles", "extremes", "none"});
    if (view.has("bin")) plot.bin = view.at("bin").positive();
    if (view.has("floor")) plot.floor = view.at("floor").positive();
    // Panels and curves. More become illegible; fewer refuse sweeps that can be read.
    if (view.has("panels")) plot.panels = readParts(view.at("panels"), study, 36);
    if (view.has("curves")) plot.curves = readParts(view.at("curves"), study, 200);
    plot.where = view.textOr("where", "");
    plot.failed = view.textOr("failed", "");
    if (view.has("lines"))
      for (const JsonView& line : view.at("lines").items(kMostItems)) {
        line.allowOnly({"label", "y"});
        plot.lines.push_back({line.at("label").text(), line.at("y").text()});
      }
    if (view.has("published")) readPublished(view.at("published"), plot);
    study.plots.push_back(plot);
  }
}

/// Evaluates every expression once on a table without meaning, so that a misspelt one is found before hours
/// of runs.
void checkExpressions(const JsonView& root, const Study& study) {
  const auto attempt = [&root](const char* member, const auto& evaluate) {
    try {
      evaluate();
    } catch (const ExpressionError& error) {
      root.at(member).fail(error.what(), "the guide, Writing a study, names columns and functions");
    }
  };
  std::vector<std::string> known = {"pane", "dt_s", "seed"};
  for (const StudyAxis& axis : study.axes) known.push_back(axis.name);
  const auto budget = std::make_shared<ExpressionBudget>(ExpressionBudget::Clock::Wall);
  const ExpressionTable tasks("runs", known, budget);
  // In two rows an expression that is no aggregate gives two values.
  ExpressionTable table("run", columnsOfRun(study), budget);
  for (int row = 0; row < 2; ++row) table.add(std::vector<Cell>(table.columns().size(), kNaN));
  attempt("columns", [&] {
    for (const auto& [name, expression] : study.derived) table.derive(name, expression);
  });
  for (const StudyQuantity& quantity : study.quantities)
    attempt("quantities", [&] {
      tasks.rowsWhere(quantity.runs);
      if (!quantity.isSeries) return static_cast<void>(table.number(quantity.expression));
      table.column(quantity.expression);
      table.column(quantity.x);
    });
  std::vector<std::string> columns(kOwnColumns.begin(), kOwnColumns.end() - 1);
  for (const StudyAxis& axis : study.axes) columns.push_back(axis.name);
  for (const StudyQuantity& quantity : study.quantities) columns.push_back(quantity.id);
  ExpressionTable runs("runs", columns, budget);
  for (int row = 0; row < 2; ++row) runs.add(std::vector<Cell>(columns.size(), kNaN));
  for (const StudyNumber& number : study.numbers) attempt("numbers", [&] { runs.number(number.expression); });
  std::vector<std::pair<std::string, double>> numbers;
  for (const StudyNumber& number : study.numbers) numbers.emplace_back(number.id, 1);
  attempt("accept", [&] {
    const auto ofNumbers = tableOfNumbers(numbers, budget);
    for (const StudyAcceptance& acceptance : study.acceptances) {
      for (const StudyControl& control : acceptance.controls) tasks.rowsWhere(control.runs);
      ofNumbers->number(acceptance.condition);
      for (const auto& variant : acceptance.variants) ofNumbers->number(variant.second);
    }
  });
  const auto ofX = tableOfNumbers({{"x", 1}}, budget);
  for (const StudyPlot& plot : study.plots)
    attempt("plots", [&] {
      for (const std::string& condition : {plot.where, plot.failed}) runs.rowsWhere(condition);
      for (const StudyPlot::Line& line : plot.lines) ofX->number(line.expression);
    });
}

/// Refuses parameters that no method of the study has: every value would give the same run.
void requireKnownParameters(const JsonView& root, const Study& study) {
  const std::string prefix = "parameters/";
  const auto isKnownTo = [](const StudyPane& pane, const std::string& key) {
    const MethodInfo* method = findMethod(pane.settings.method);
    return isOfDrive(key) || (method && findParameter(*method, key));
  };
  const auto check = [&](const StudyChange& change, const char* member, const std::string& where,
                         const auto& first, const auto& last) {
    if (change.target.rfind(prefix, 0) != 0) return;
    const std::string key = change.target.substr(prefix.size());
    if (std::none_of(first, last, [&](const StudyPane& pane) { return isKnownTo(pane, key); }))
      root.at(member).fail(where + " sets '" + key + "', a parameter of no method that takes part",
                           "touchstone-cli list names them");
  };
  for (const StudyAxis& axis : study.axes) {
    const std::string where = "axis '" + axis.name + "'";
    for (const StudyChange& change : axis.common)
      check(change, "sweep", where, study.panes.begin(), study.panes.end());
    for (const StudyAxis::Point& point : axis.points)
      for (const StudyChange& change : point.changes)
        check(change, "sweep", where, study.panes.begin(), study.panes.end());
  }
  for (auto pane = study.panes.begin(); pane != study.panes.end(); ++pane)
    for (const StudyChange& change : pane->changes)
      check(change, "panes", "'" + pane->label + "'", pane, pane + 1);
}

/// Refuses the members of `view` that nothing reads.
void refuseMembers(const JsonView& view, const std::vector<const char*>& members, const std::string& reader) {
  for (const char* member : members)
    if (view.has(member)) view.at(member).fail("has no effect: only " + reader, "remove it");
}

/// Refuses what another kind of study would read, so that nothing in a file is without effect.
void requireReadMembers(const JsonView& root, const Study& study) {
  const bool isFormula = study.kind == StudyKind::Formula,
             isWithoutMethod = isFormula || study.kind == StudyKind::PairPath,
             isWithoutScene = isWithoutMethod || study.kind == StudyKind::Phenomenon;
  const char* const simulated = "kinds that simulate a scene read it";
  if (!isFormula) refuseMembers(root, {"grid"}, "kind formula reads it");
  if (isWithoutScene) refuseMembers(root, {"scene", "time", "crash_speed", "variation"}, simulated);
  if (std::all_of(study.seeds.begin(), study.seeds.end(), [](int seed) { return seed == 0; }))
    refuseMembers(root, {"variation"}, "seeds above 0 move the start");
  for (const JsonView& pane : root.at("panes").items(kMostItems)) {
    if (isWithoutMethod) refuseMembers(pane, {"solver", "substeps", "parameters", "set"}, simulated);
    if (isWithoutScene) refuseMembers(pane, {"scene", "on_failure"}, simulated);
  }
  if (!root.has("plots")) return;
  for (const JsonView& view : root.at("plots").items(kMostItems)) {
    const std::string kind = view.textOr("kind", "curve");
    if (kind != "map") refuseMembers(view, {"value", "failed"}, "kind map reads it");
    if (kind != "share") refuseMembers(view, {"bin"}, "kind share reads it");
    if (kind == "series") refuseMembers(view, {"x"}, "other kinds read it; a series has an x of its own");
  }
}

void requireFewRuns(const JsonView& root, const Study& study) {
  std::size_t runs = std::max<std::size_t>(1, study.dt.size()) * study.seeds.size() * study.panes.size();
  for (const StudyAxis& axis : study.axes)
    if (runs <= kMostRuns) runs *= axis.points.size();  // the product of all could overflow
  if (runs > kMostRuns)
    root.at(root.has("seeds")   ? "seeds"
            : root.has("sweep") ? "sweep"
                                : "panes")
        .fail("asks for more than 100 000 runs", "use fewer seeds, steps, values or panes");
}

StudyKind readKind(const JsonView& root) {
  if (!root.has("kind")) return StudyKind::Frames;
  const std::vector<std::string> words = {"frames",  "iterations", "inner",
                                          "formula", "pair-path",  "phenomenon"};
  const std::string word = root.at("kind").oneOf(words);
  return static_cast<StudyKind>(std::find(words.begin(), words.end(), word) - words.begin());
}

void readTimes(const JsonView& root, Study& study) {
  study.time = root.has("time") ? root.at("time").positive() : 0;
  if (root.has("crash_speed")) study.crashSpeed = root.at("crash_speed").positive();
  if (!root.has("dt")) return;
  for (const JsonView& dt : root.at("dt").items(kMostItems)) {
    study.dt.push_back(dt.positive());
    const std::string problem =
        study.time > 0 ? frameCountProblem(study.time, study.dt.back()) : std::string();
    if (!problem.empty()) dt.fail(problem, kFrameCountRemedy);
    if (std::count(study.dt.begin(), study.dt.end(), study.dt.back()) > 1)
      dt.fail("is given twice", "remove one of the two");
  }
  if (study.dt.empty()) root.at("dt").fail("is empty", "give at least one time step in s");
}

}  // namespace

const StudyQuantity* Study::quantity(const std::string& id) const {
  const auto found = std::find_if(quantities.begin(), quantities.end(),
                                  [&id](const StudyQuantity& candidate) { return candidate.id == id; });
  return found == quantities.end() ? nullptr : &*found;
}

const char* toString(StudyKind kind) {
  switch (kind) {
    case StudyKind::Frames:
      return "frames";
    case StudyKind::Iterations:
      return "iterations";
    case StudyKind::Inner:
      return "inner";
    case StudyKind::Formula:
      return "formula";
    case StudyKind::PairPath:
      return "pair-path";
    case StudyKind::Phenomenon:
      return "phenomenon";
  }
  return "";
}

Study loadStudy(const std::string& path, bool quick) {
  constexpr char kGuide[] = "add it; the guide, Writing a study, describes the format";
  const std::string text = readFile(path, "give the path of a study file");
  nlohmann::json document = parseJson(text, path);
  if (quick && document.is_object() && document.contains("quick")) {
    const nlohmann::json patch = document["quick"];
    document.erase("quick");
    document.merge_patch(patch);
  }
  const JsonView root(document, path, kGuide);
  root.allowOnly({"touchstone_study",
                  "$schema",
                  "name",
                  "title",
                  "question",
                  "source",
                  "notes",
                  "kind",
                  "scene",
                  "time",
                  "dt",
                  "seeds",
                  "variation",
                  "crash_speed",
                  "panes",
                  "sweep",
                  "grid",
                  "columns",
                  "quantities",
                  "numbers",
                  "accept",
                  "plots",
                  "quick"});
  root.at("touchstone_study").integer(1, 1);
  Study study;
  study.file = path;
  study.hash = hashOf(text);
  study.isQuick = quick;
  study.name = root.at("name").text();
  if (!isPlainName(study.name))
    root.at("name").fail("must be 1 to 100 letters, digits, - and _", "it becomes the name of a folder");
  study.title = root.at("title").text();
  study.question = root.textOr("question", "");
  study.source = root.textOr("source", "");
  study.notes = root.textOr("notes", "");
  study.kind = readKind(root);
  const bool hasScene = study.kind != StudyKind::Formula && study.kind != StudyKind::PairPath &&
                        study.kind != StudyKind::Phenomenon;
  if (hasScene) {
    study.scene = root.at("scene").text();
    root.at("time");
  }
  readTimes(root, study);
  if (study.kind == StudyKind::Formula)
    for (const Cell& x : readValues(root.at("grid"))) {
      if (!std::holds_alternative<double>(x)) root.at("grid").fail("has a text", "give numbers");
      study.grid.push_back(std::get<double>(x));
    }
  readSeeds(root, study);
  readAxes(root, study);
  readPanes(root, study);
  requireFewRuns(root, study);
  requireKnownParameters(root, study);
  requireReadMembers(root, study);
  readQuantities(root, study);
  requireDifferentColumns(root, study);
  readNumbers(root, study);
  readPlots(root, study);
  checkExpressions(root, study);
  return study;
}

}  // namespace touchstone
