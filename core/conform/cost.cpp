#include "core/conform/cost.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <mutex>
#include <nlohmann/json.hpp>

#include "core/conform/side_by_side.h"
#include "core/files/listed.h"
#include "core/files/scene_error.h"
#include "core/files/text_columns.h"
#include "core/files/text_forms.h"

namespace touchstone {

namespace {

/// Errors of rounding where an answer is exact, relative to it or to 1. A larger value hides what exact
/// methods still err; a smaller one takes their rounding for an error of the step.
constexpr double kRoundingError = 1e-12;

bool hasCost(const Measure& measure) {
  return measure.exact && measure.runs.size() == 1 && measure.onlyFor.empty() && !measure.polyhedral;
}

/// The phenomenon with the measures that take part and their runs only.
Phenomenon partOf(Phenomenon phenomenon) {
  std::vector<Measure>& measures = phenomenon.measures;
  measures.erase(std::remove_if(measures.begin(), measures.end(),
                                [](const Measure& measure) { return !hasCost(measure); }),
                 measures.end());
  std::vector<PhenomenonRun>& runs = phenomenon.runs;
  const auto isUnused = [&](const PhenomenonRun& run) {
    return std::none_of(measures.begin(), measures.end(),
                        [&](const Measure& measure) { return measure.runs.front() == run.id; });
  };
  runs.erase(std::remove_if(runs.begin(), runs.end(), isUnused), runs.end());
  phenomenon.controls.clear();
  return phenomenon;
}

/// One column with steps of one length.
struct CostTask {
  CardColumn column;
  double factor = 1;
  Card card;
};

CostPoint pointOf(const CardNumber& number, const CostTask& task) {
  CostPoint point;
  point.phenomenon = number.phenomenon;
  point.measure = number.measure;
  point.column = number.column;
  point.unit = number.unit;
  point.factor = task.factor;
  point.value = number.value;
  point.reference = number.reference;
  point.error = std::abs(number.value - number.reference);
  if (std::isnan(point.error)) point.problem = number.reason.empty() ? wordOf(number.verdict) : number.reason;
  const RunEffort* effort = effortOf(task.card, number);
  point.step = effort ? effort->step : 0;
  point.processor = effort ? effort->processor : NAN;
  return point;
}

std::string factorText(double factor) {
  return factor == 0.5 ? "½" : factor == 0.25 ? "¼" : fourDigits(factor);
}

std::string hundredths(double number) {
  char text[32];
  std::snprintf(text, sizeof text, "%.2f", number);
  return text;
}

/// Half a unit of the last digit of an answer that was written with many digits. Those with few are exact.
double halfDigitOf(double reference) {
  // More digits take a quadrature for exact; fewer take a half or a third for rounded.
  constexpr std::ptrdiff_t kManyDigits = 6;
  const std::string text = csvNumber(std::abs(reference));
  const std::string digits = text.substr(0, text.find('e'));
  const auto isDigit = [](unsigned char c) { return std::isdigit(c) != 0; };
  const auto begin = std::find_if(digits.begin(), digits.end(), [](char c) { return c > '0' && c <= '9'; });
  if (std::count_if(begin, digits.end(), isDigit) < kManyDigits) return 0;
  const std::size_t point = digits.find('.');
  const double decimals = point == std::string::npos ? 0 : static_cast<double>(digits.size() - point - 1);
  const double exponent = text.size() > digits.size() ? std::stod(text.substr(digits.size() + 1)) : 0;
  return 0.5 * std::pow(10, exponent - decimals);
}

bool isRounding(const CostPoint& point) {
  return point.error <=
         std::max(kRoundingError * std::max(1.0, std::abs(point.reference)), halfDigitOf(point.reference));
}

/// Slope of log error over log step by least squares.
double slopeOf(const std::vector<const CostPoint*>& points) {
  double x = 0, y = 0, xx = 0, xy = 0;
  for (const CostPoint* point : points) {
    const double step = std::log(point->step), error = std::log(point->error);
    x += step, y += error, xx += step * step, xy += step * error;
  }
  const auto count = static_cast<double>(points.size());
  return (count * xy - x * y) / (count * xx - x * x);
}

/// The text about points that have an error, longest step first.
std::string effectText(const std::vector<const CostPoint*>& points, double order) {
  // Orders within which a change of the step is none. A larger value hides a slow convergence; a smaller one
  // gives an order to the error of a model.
  constexpr double kNoOrder = 0.1;
  // Difference of orders between neighbours. A larger value gives an order to errors that approach
  // another answer or pass 0; a smaller one gives none to steps that are still long.
  constexpr double kSpread = 0.5;
  std::vector<std::string> orders;
  double least = INFINITY, largest = -INFINITY;
  bool isFlat = true;
  for (std::size_t index = 1; index < points.size(); ++index) {
    const double between = slopeOf({points[index - 1], points[index]});
    orders.push_back(hundredths(between));
    isFlat = isFlat && std::abs(between) < kNoOrder;
    least = std::min(least, between);
    largest = std::max(largest, between);
  }
  const std::string between = " (" + listed(orders, ", ") + ")";
  if (isFlat) return "the step has no effect";
  if (least <= 0) return "not monotone" + between;
  return (largest - least > kSpread ? "no single order" : "order " + hundredths(order)) + between;
}

std::vector<CostPoint> pointsOf(const CostTable& table, const std::string& phenomenon,
                                const std::string& measure, const std::string& column) {
  std::vector<CostPoint> points;
  for (const CostPoint& point : table.points)
    if (point.phenomenon == phenomenon && point.measure == measure && point.column == column)
      points.push_back(point);
  return points;
}

const StepEffect& effectOf(const CostTable& table, const CostPoint& point) {
  return *std::find_if(table.effects.begin(), table.effects.end(), [&](const StepEffect& effect) {
    return effect.phenomenon == point.phenomenon && effect.measure == point.measure &&
           effect.column == point.column;
  });
}

std::string secondsText(double seconds) {
  char text[32];
  std::snprintf(text, sizeof text, seconds < 0.9995 ? "%.3f s" : "%.3g s", seconds);
  return text;
}

}  // namespace

StepEffect stepEffectOf(const std::vector<CostPoint>& points) {
  StepEffect effect;
  effect.order = NAN;
  if (points.empty()) return effect;
  effect.phenomenon = points.front().phenomenon;
  effect.measure = points.front().measure;
  effect.column = points.front().column;
  std::vector<const CostPoint*> known;
  std::vector<std::string> missing;
  bool isExact = false;
  std::string problem;
  for (const CostPoint& point : points) {
    if (std::isnan(point.error)) {
      missing.push_back(factorText(point.factor));
      if (problem.empty()) problem = point.problem;
    } else if (isRounding(point)) {
      isExact = true;
    } else {
      known.push_back(&point);
    }
  }
  if (missing.size() == points.size()) {
    effect.text = "no number: " + problem;
    return effect;
  }
  if (known.size() > 1) effect.order = slopeOf(known);
  effect.text = known.size() > 1    ? effectText(known, effect.order)
                : known.size() == 1 ? "one step has an error beyond the digits of the answer"
                                    : "no error beyond the digits of the answer";
  if (isExact && known.size() > 1) effect.text += ", elsewhere none beyond the digits of the answer";
  if (!missing.empty()) effect.text += "; no number at steps × " + listed(missing, ", ") + ": " + problem;
  return effect;
}

const Measure* shownMeasure(const Phenomenon& phenomenon) {
  for (const Measure& measure : phenomenon.measures)
    if (measure.id == phenomenon.primaryMeasure) return &measure;
  return phenomenon.measures.empty() ? nullptr : &phenomenon.measures.front();
}

CostTable costOf(const std::vector<Phenomenon>& phenomena, const ConformOptions& options) {
  CostTable table;
  table.settings = options.settings;
  for (const Phenomenon& phenomenon : phenomena) {
    const Phenomenon part = partOf(phenomenon);
    if (!part.measures.empty()) table.phenomena.push_back(part);
  }
  std::vector<CostTask> tasks;  // the shortest steps, which take longest, come first
  for (auto factor = costFactors().rbegin(); factor != costFactors().rend(); ++factor)
    for (const CardColumn& column : options.columns)
      if (!column.isForeign()) tasks.push_back({column, *factor, {}});
  for (const CardColumn& column : options.columns)
    if (!column.isForeign()) table.columns.push_back(column.label);
  double work = 0, done = 0;
  for (const CostTask& task : tasks) work += 1 / task.factor;
  std::mutex mutex;
  onThreads(tasks.size(), options.jobs, [&](std::size_t index) {
    CostTask& task = tasks[index];
    ConformOptions single;
    single.columns = {task.column};
    single.settings = options.settings;
    single.stepFactor = task.factor;
    double before = 0;
    single.progress = [&](double share) {
      if (!options.progress) return;
      const std::lock_guard<std::mutex> lock(mutex);
      done += (share - before) / task.factor;
      before = share;
      options.progress(done / work);
    };
    task.card = conform(table.phenomena, single, false);
  });
  for (const Phenomenon& phenomenon : table.phenomena)
    for (const Measure& measure : phenomenon.measures)
      for (const std::string& column : table.columns) {
        std::vector<CostPoint> points;
        for (const double factor : costFactors())
          for (const CostTask& task : tasks)
            for (const CardNumber& number : task.card.numbers)
              if (task.factor == factor && number.column == column && number.phenomenon == phenomenon.name &&
                  number.measure == measure.id)
                points.push_back(pointOf(number, task));
        table.effects.push_back(stepEffectOf(points));
        table.points.insert(table.points.end(), points.begin(), points.end());
      }
  return table;
}

std::string textOf(const CostTable& table) {
  std::string text = "Error against cost: the battery, version " + std::string(kBatteryVersion) +
                     ", settings " + toString(table.settings) +
                     "\nEach cell: error, processor time of the "
                     "steps. Steps × 1 are those of the settings.\n";
  for (const Phenomenon& phenomenon : table.phenomena) {
    const Measure* measure = shownMeasure(phenomenon);
    const std::string unit = measure->unit.empty() ? "" : " " + measure->unit;
    text += "\n" + phenomenon.number + (phenomenon.number.empty() ? "" : " ") + phenomenon.name + ", " +
            measure->title + " = " + fourDigits(*measure->exact) + unit + "\n";
    std::vector<std::vector<std::string>> rows(1);
    rows.front().emplace_back("column");
    for (const double factor : costFactors()) rows.front().push_back("steps × " + factorText(factor));
    rows.front().emplace_back("effect of the step");
    for (const std::string& column : table.columns) {
      rows.push_back({column});
      const std::vector<CostPoint> points = pointsOf(table, phenomenon.name, measure->id, column);
      for (const CostPoint& point : points)
        rows.back().push_back(std::isnan(point.error)
                                  ? "–"
                                  : fourDigits(point.error) + unit + ", " + secondsText(point.processor));
      if (!points.empty()) rows.back().push_back(effectOf(table, points.front()).text);
    }
    text += inColumns(rows);
  }
  return printable(text);
}

std::string csvOf(const CostTable& table) {
  std::string text =
      "phenomenon,measure,column,steps,step,value,unit,reference,error,problem,order,effect,processor\n";
  for (const CostPoint& point : table.points) {
    const StepEffect& effect = effectOf(table, point);
    for (const std::string& cell :
         {csvText(point.phenomenon), csvText(point.measure), csvText(point.column), csvNumber(point.factor),
          csvNumber(point.step > 0 ? point.step : NAN), csvNumber(point.value), csvText(point.unit),
          csvNumber(point.reference), csvNumber(point.error), csvText(point.problem), csvNumber(effect.order),
          csvText(effect.text)})
      text += cell + ",";
    text += csvNumber(point.processor) + "\n";
  }
  return text;
}

std::string jsonOf(const CostTable& table) {
  const auto orNull = [](double value) {
    return std::isnan(value) ? nlohmann::ordered_json() : nlohmann::ordered_json(value);
  };
  nlohmann::ordered_json json;
  json["touchstone_cost"] = 1;
  json["battery_version"] = kBatteryVersion;
  json["settings"] = toString(table.settings);
  json["columns"] = table.columns;
  json["effects"] = nlohmann::ordered_json::array();
  for (const StepEffect& effect : table.effects) {
    nlohmann::ordered_json steps = nlohmann::ordered_json::array();
    for (const CostPoint& point : pointsOf(table, effect.phenomenon, effect.measure, effect.column))
      steps.push_back({{"steps", point.factor},
                       {"step_s", orNull(point.step > 0 ? point.step : NAN)},
                       {"value", orNull(point.value)},
                       {"unit", point.unit},
                       {"reference", orNull(point.reference)},
                       {"error", orNull(point.error)},
                       {"problem", point.problem},
                       {"processor_s", orNull(point.processor)}});
    json["effects"].push_back({{"phenomenon", effect.phenomenon},
                               {"measure", effect.measure},
                               {"column", effect.column},
                               {"order", orNull(effect.order)},
                               {"effect", effect.text},
                               {"points", steps}});
  }
  return json.dump(1) + "\n";
}

}  // namespace touchstone
