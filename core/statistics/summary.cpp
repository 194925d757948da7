#include "core/statistics/summary.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "core/files/text_columns.h"
#include "core/files/text_forms.h"
#include "core/math/not_a_number.h"
#include "core/math/quantile.h"
#include "core/run/pane_name.h"

namespace touchstone {

namespace {

double mean(const std::vector<double>& values) {
  double sum = 0;
  for (double value : values) sum += value;
  return values.empty() ? kNaN : sum / static_cast<double>(values.size());
}

std::string nameOf(const PaneSummary& pane) {
  return pane.label.empty() ? paneName(pane.method, pane.solver) : pane.label;
}

/// Names the solvers that answered in the place of the one that was asked for; empty if it answered always.
std::string deliveredLine(const PaneSummary& pane) {
  if (pane.delivered.empty() || (pane.delivered.size() == 1 && pane.delivered[0].first == pane.solver))
    return {};
  std::string text;
  for (const auto& [solver, frames] : pane.delivered)
    text += (text.empty() ? "" : "; ") + solver + formatted(" in %ld of %ld frames", frames, pane.frames);
  return "  " + nameOf(pane) + ": " + text + "\n";
}

std::string framesOf(const RunWarning& warning, long frames) {
  if (warning.atStart && warning.frames == 0) return "at the start";
  const std::string counted = formatted("%ld of %ld frames", warning.frames, frames);
  return warning.atStart ? "at the start and in " + counted
                         : counted + formatted(", first at %.3f s", warning.since);
}

std::string warningLines(const PaneSummary& pane) {
  const std::string name = nameOf(pane);
  std::string text;
  for (const RunWarning& warning : pane.warnings)
    text += "  " + name + ", " + framesOf(warning, pane.frames) + ": " + warning.text + "\n";
  return text;
}

RunWarning warningOf(const CourseText& text, const FrameRange& range) {
  RunWarning warning;
  warning.text = text.text;
  warning.frames = text.framesIn(range.from, range.to);
  for (const FrameStretch& stretch : text.stretches) {
    if (stretch.last < range.from || stretch.first > range.to) continue;
    if (stretch.first == 0) warning.atStart = true;
    if (warning.since == 0) warning.since = stretch.since;
  }
  return warning;
}

/// Values of the samples that have one.
template <class Value>
std::vector<double> valuesOf(const std::vector<CourseSample>& samples, const Value& value) {
  std::vector<double> values;
  for (const CourseSample& sample : samples)
    if (!std::isnan(value(sample))) values.push_back(value(sample));
  return values;
}

double largestOf(const std::vector<CourseSample>& samples, double CourseSample::*value) {
  double largest = kNaN;
  for (const CourseSample& sample : samples)
    if (std::isnan(largest) || sample.*value > largest) largest = sample.*value;
  return largest;
}

void countStatuses(const RunCourse& course, const FrameRange& range, PaneSummary& summary) {
  for (const StatusStretch& stretch : course.statuses()) {
    const long frames = std::min(stretch.last, range.to) - std::max(stretch.first, range.from) + 1;
    if (frames <= 0) continue;
    summary.frames += frames;
    if (stretch.status == StepStatus::Energy) summary.energy += frames;
    if (stretch.status == StepStatus::NotConverged) summary.notConverged += frames;
    if (stretch.status == StepStatus::NoSolution) summary.noSolution += frames;
    if (isFrozen(stretch.status) && summary.frozenFrom < 0) summary.frozenFrom = stretch.since;
  }
}

/// Sets time to rest and jitter.
void measureRest(const std::vector<CourseSample>& samples, double mass, PaneSummary& summary) {
  // Of the largest kinetic energy. A larger share calls slow creeping rest; a smaller one sees rest only
  // after rounding is reached.
  constexpr double kRestShare = 1e-6;
  summary.timeToRest = summary.jitter = kNaN;
  const double largest = largestOf(samples, &CourseSample::kineticEnergyMax);
  if (samples.empty() || std::isnan(largest) || summary.frozenFrom >= 0) return;
  std::size_t rest = samples.size();
  while (rest > 0 && samples[rest - 1].kineticEnergyMax <= kRestShare * largest) --rest;
  summary.timeToRest = std::numeric_limits<double>::infinity();
  if (rest == samples.size()) return;
  summary.timeToRest = samples[rest].time;
  const std::vector<CourseSample> resting(samples.begin() + static_cast<std::ptrdiff_t>(rest), samples.end());
  const double energy = mean(valuesOf(resting, [](const CourseSample& s) { return s.kineticEnergy; }));
  if (mass > 0) summary.jitter = std::sqrt(2 * energy / mass);
}

/// A row of the verdict without its values.
struct RowForm {
  const char *key, *label, *unit, *help;
  Quantity quantity;
  double floor;
  bool smallerIsBetter;
  double (*valueOf)(const PaneSummary&);
};

double orNone(double value) { return value < 0 ? kNaN : value; }

constexpr RowForm kRows[] = {
    {"penetration_max", "Deepest penetration", "m", "Largest of the deepest penetrations of all frames.",
     Quantity::PenetrationMax, 1e-9, true, [](const PaneSummary& pane) { return pane.penetrationMax; }},
    {"penetration_median", "Median penetration", "m", "Median over the frames of their deepest penetration.",
     Quantity::PenetrationMax, 1e-9, true, [](const PaneSummary& pane) { return pane.penetrationMedian; }},
    {"overlap_max", "Largest overlap", "m³", "Largest overlap of all frames.", Quantity::Overlap, 1e-12, true,
     [](const PaneSummary& pane) { return pane.overlapMax; }},
    {"overlap_median", "Median overlap", "m³", "Median over the frames of their overlap.", Quantity::Overlap,
     1e-12, true, [](const PaneSummary& pane) { return pane.overlapMedian; }},
    {"energy_made", "Energy made", "J",
     "max(0, max E_drift) over the frames: how far the energy rose above what was there and brought in.",
     Quantity::EnergyDrift, 1e-6, true, [](const PaneSummary& pane) { return pane.energyMade; }},
    {"time_to_rest", "Time to rest", "s",
     "The first time after which the kinetic energy stays at or below 1e-6 of its largest value.",
     Quantity::EnergyKinetic, 1e-9, true, [](const PaneSummary& pane) { return pane.timeToRest; }},
    {"jitter_at_rest", "Jitter at rest", "m/s",
     "√(2 Ē / M) after the time to rest: root mean square speed of all moving material of mass M, with the "
     "mean "
     "kinetic energy Ē.",
     Quantity::EnergyKinetic, 1e-6, true, [](const PaneSummary& pane) { return pane.jitter; }},
    {"joint_error_max", "Joint error", "m", "Largest error of all joints and frames.", Quantity::JointError,
     1e-9, true, [](const PaneSummary& pane) { return pane.jointErrorMax; }},
    {"momentum_linear_error_max", "Momentum error", "N·s", "Largest error of all frames.",
     Quantity::MomentumLinearError, 1e-9, true, [](const PaneSummary& pane) { return pane.linearErrorMax; }},
    {"momentum_angular_error_max", "Angular momentum error", "N·m·s", "Largest error of all frames.",
     Quantity::MomentumAngularError, 1e-9, true,
     [](const PaneSummary& pane) { return pane.angularErrorMax; }},
    {"traps_sum", "Traps", "", "Sum over the frames.", Quantity::Traps, 0.5, false,
     [](const PaneSummary& pane) { return pane.traps; }},
    {"frames_energy", "Frames with energy made", "",
     "Frames in which the energy rose though nothing brought it in.", Quantity::EnergyDrift, 0.5, true,
     [](const PaneSummary& pane) { return static_cast<double>(pane.energy); }},
    {"frames_not_converged", "Frames not converged", "", "Frames whose solver missed its tolerance.",
     Quantity::Residual, 0.5, true,
     [](const PaneSummary& pane) { return static_cast<double>(pane.notConverged); }},
    {"frames_no_solution", "Frames without solution", "", "Frames whose problem got no answer.",
     Quantity::Residual, 0.5, true,
     [](const PaneSummary& pane) { return static_cast<double>(pane.noSolution); }},
    {"frozen_from", "Frozen from", "s", "Time at which the pane diverged or stopped.", Quantity::EnergyTotal,
     0, false, [](const PaneSummary& pane) { return orNone(pane.frozenFrom); }},
    {"time_frame_median", "Time per frame", "ms", "Wall clock of a frame without the Referee.",
     Quantity::TimeStep, 0.05, true, [](const PaneSummary& pane) { return pane.timeMedian; }}};

std::string valueText(double value, const std::string& unit) {
  if (std::isnan(value)) return "–";
  if (std::isinf(value)) return "never";
  if (unit.empty()) return formatted("%.0f", value);
  return formatted("%.3g", value);
}

std::string titleOf(const VerdictRow& row) {
  return row.label + (row.unit.empty() ? "" : " [" + row.unit + "]");
}

std::string markdownText(const std::string& text) {
  std::string escaped;
  for (const char letter : text) {
    if (std::string("|*_`\\<").find(letter) != std::string::npos) escaped += '\\';
    escaped += letter;
  }
  return escaped;
}

}  // namespace

double movingMass(const Scene& scene) {
  double mass = 0;
  for (const Body& body : scene.bodies)
    if (body.motion == Motion::Dynamic) mass += body.mass;
  return mass;
}

PaneSummary summaryOf(const RunCourse& course, double mass, const FrameRange& range) {
  PaneSummary summary;
  summary.method = course.method();
  summary.solver = course.solver();
  summary.planar = course.planar();
  countStatuses(course, range, summary);
  for (const CourseText& text : course.warnings()) {
    const RunWarning warning = warningOf(text, range);
    if (warning.frames > 0 || warning.atStart) summary.warnings.push_back(warning);
  }
  for (const CourseText& solver : course.delivered())
    if (const long frames = solver.framesIn(range.from, range.to); frames > 0)
      summary.delivered.emplace_back(solver.text, frames);

  std::vector<CourseSample> samples;
  for (const CourseSample& sample : course.samples())
    if (sample.last >= range.from && sample.first <= range.to) samples.push_back(sample);
  summary.overlapMedian = median(valuesOf(samples, [](const CourseSample& s) { return s.overlap; }));
  summary.penetrationMedian = median(valuesOf(samples, [](const CourseSample& s) { return s.depth; }));
  summary.timeMedian = median(valuesOf(samples, [](const CourseSample& s) { return s.milliseconds; }));
  summary.overlapMax = largestOf(samples, &CourseSample::overlapMax);
  summary.penetrationMax = largestOf(samples, &CourseSample::depthMax);
  summary.timeMax = largestOf(samples, &CourseSample::millisecondsMax);
  summary.residualMax = largestOf(samples, &CourseSample::residualMax);
  summary.jointErrorMax = largestOf(samples, &CourseSample::jointErrorMax);
  summary.linearErrorMax = largestOf(samples, &CourseSample::linearErrorMax);
  summary.angularErrorMax = largestOf(samples, &CourseSample::angularErrorMax);
  const double drift = largestOf(samples, &CourseSample::energyDriftMax);
  summary.energyMade = std::isnan(drift) ? kNaN : std::max(0.0, drift);
  summary.traps = kNaN;
  for (const CourseSample& sample : samples)
    if (!std::isnan(sample.traps))
      summary.traps = sample.traps + (std::isnan(summary.traps) ? 0 : summary.traps);
  measureRest(samples, mass, summary);
  const std::vector<CourseSample> lastFifth(samples.end() - static_cast<std::ptrdiff_t>(samples.size() / 5),
                                            samples.end());
  summary.endKineticEnergy = mean(valuesOf(lastFifth, [](const CourseSample& s) { return s.kineticEnergy; }));
  return summary;
}

RunStatus runStatusOf(const RunCourse& course, long last) {
  // Of frames that are not ok. A larger share hides a run that fails; a smaller one alarms at single frames.
  constexpr double kSeriousShare = 0.01;
  struct Kind {
    StepStatus status;
    bool isSerious;
    const char* text;
    long frames, first;
    double since;
    std::string reason;
  };
  // The gravest first.
  Kind kinds[] = {{StepStatus::Diverged, true, "diverged", 0, -1, 0, {}},
                  {StepStatus::Stopped, true, "stopped", 0, -1, 0, {}},
                  {StepStatus::Energy, true, "made energy", 0, -1, 0, {}},
                  {StepStatus::NotConverged, true, "missed a contact or tore a joint", 0, -1, 0, {}},
                  {StepStatus::NoSolution, true, "without solution", 0, -1, 0, {}},
                  {StepStatus::NotConverged, false, "not converged", 0, -1, 0, {}}};
  long frames = 0;
  for (const StatusStretch& stretch : course.statuses()) {
    frames += std::max(0L, std::min(stretch.last, last) - stretch.first + 1);
    for (Kind& kind : kinds) {
      if (stretch.first > last || stretch.status != kind.status || stretch.isSerious != kind.isSerious)
        continue;
      if (kind.frames == 0) {
        kind.first = stretch.first;
        kind.since = stretch.since;
        kind.reason = stretch.text;
      }
      kind.frames += std::min(stretch.last, last) - stretch.first + 1;
    }
  }
  RunStatus status;
  for (const CourseText& warning : course.warnings())
    status.warnings.push_back(warningOf(warning, {0, last}));
  std::string text;
  for (const Kind& kind : kinds) {
    if (kind.frames == 0) continue;
    const bool isFirst = status.isOk;
    status.isOk = false;
    status.frames += kind.frames;
    status.isSerious = status.isSerious || kind.isSerious ||
                       static_cast<double>(kind.frames) >= kSeriousShare * static_cast<double>(frames);
    text += (isFirst ? "" : "; ") + (isFrozen(kind.status)
                                         ? std::string(kind.text) + formatted(" at %.3f s", kind.since)
                                         : formatted("%ld of %ld frames ", kind.frames, frames) + kind.text);
    if (!isFirst) continue;
    status.firstFrame = kind.first;
    status.since = kind.since;
    status.reason = kind.reason;
  }
  if (!status.isOk) status.text = (status.isSerious ? "" : "ok · ") + text;
  return status;
}

std::vector<PaneSummary> summariesOf(const Comparison& comparison, const std::vector<std::string>& labels) {
  const double mass = movingMass(comparison.scene());
  std::vector<PaneSummary> summaries;
  for (int pane = 0; pane < comparison.paneCount(); ++pane) {
    summaries.push_back(summaryOf(comparison.history(pane).course(), mass));
    summaries.back().label = labels[pane];
  }
  return summaries;
}

VerdictTable verdictOf(const std::vector<PaneSummary>& panes) {
  VerdictTable table;
  bool isPlanar = false;
  for (const PaneSummary& pane : panes) {
    table.panes.push_back(nameOf(pane));
    table.frozen.push_back(pane.frozenFrom >= 0);
    isPlanar = isPlanar || pane.planar;
  }
  for (const RowForm& form : kRows) {
    VerdictRow row{form.key,   form.label,           form.unit, form.help, form.quantity,
                   form.floor, form.smallerIsBetter, {}};
    if (isPlanar && form.quantity == Quantity::Overlap) row.unit = "m²";
    for (const PaneSummary& pane : panes) row.values.push_back(form.valueOf(pane));
    const auto isNone = [](double value) { return std::isnan(value); };
    if (!std::all_of(row.values.begin(), row.values.end(), isNone)) table.rows.push_back(row);
  }
  return table;
}

std::vector<unsigned char> bestOf(const VerdictTable& table, const VerdictRow& row) {
  // A larger share calls different values equal; a smaller one calls noise a victory.
  constexpr double kShare = 0.05;
  std::vector<unsigned char> best(row.values.size(), 0);
  if (!row.smallerIsBetter) return best;
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t pane = 0; pane < best.size(); ++pane)
    if (!table.frozen[pane] && row.values[pane] < least) least = row.values[pane];
  if (std::isinf(least)) return best;
  const auto differs = [&](double value) {
    return value - least > row.floor && (std::isinf(value) || value - least > kShare * value);
  };
  bool any = false;
  for (std::size_t pane = 0; pane < best.size(); ++pane) {
    const double value = row.values[pane];
    if (std::isnan(value)) continue;
    if (differs(value)) any = true;
    best[pane] = !table.frozen[pane] && !differs(value);
  }
  return any ? best : std::vector<unsigned char>(best.size(), 0);
}

std::string verdictCell(const VerdictRow& row, std::size_t pane, VerdictForm form, std::size_t reference) {
  const double value = row.values[pane], base = row.values[reference];
  if (form == VerdictForm::Value || pane == reference || std::isinf(value) || std::isinf(base))
    return valueText(value, row.unit);
  if (form == VerdictForm::Difference) return (value > base ? "+" : "") + valueText(value - base, row.unit);
  const double ratio = value / base;
  return std::isfinite(ratio) ? "× " + formatted("%.3g", ratio) : valueText(kNaN, row.unit);
}

std::string verdictText(const VerdictTable& table) {
  std::vector<std::size_t> widths;
  for (const std::string& pane : table.panes) widths.push_back(std::max<std::size_t>(9, widthOf(pane)));
  std::size_t titles = 0;
  for (const VerdictRow& row : table.rows) titles = std::max(titles, widthOf(titleOf(row)));
  std::string text = std::string(titles, ' ');
  for (std::size_t pane = 0; pane < widths.size(); ++pane)
    text += "  " + fillOf(table.panes[pane], widths[pane]) + table.panes[pane] + " ";
  text += '\n';
  for (const VerdictRow& row : table.rows) {
    const std::vector<unsigned char> best = bestOf(table, row);
    text += titleOf(row) + fillOf(titleOf(row), titles);
    for (std::size_t pane = 0; pane < widths.size(); ++pane) {
      const std::string cell = verdictCell(row, pane);
      text += "  " + fillOf(cell, widths[pane]) + cell + (best[pane] ? "*" : " ");
    }
    text += '\n';
  }
  return text;
}

std::string verdictMarkdown(const VerdictTable& table) {
  std::string text = "| quantity |", rule = "|:--|";
  for (const std::string& pane : table.panes) {
    text += " " + markdownText(pane) + " |";
    rule += "--:|";
  }
  text += "\n" + rule + "\n";
  for (const VerdictRow& row : table.rows) {
    const std::vector<unsigned char> best = bestOf(table, row);
    text += "| " + titleOf(row) + " |";
    for (std::size_t pane = 0; pane < table.panes.size(); ++pane) {
      const std::string mark = best[pane] ? "**" : "";
      text += " " + mark + verdictCell(row, pane) + mark + " |";
    }
    text += "\n";
  }
  return text;
}

std::string verdictLatex(const VerdictTable& table) {
  std::string text = "\\begin{tabular}{l" + std::string(table.panes.size(), 'r') + "}\n\\hline\nquantity";
  for (const std::string& pane : table.panes) text += " & " + texText(pane);
  text += " \\\\\n\\hline\n";
  for (const VerdictRow& row : table.rows) {
    const std::vector<unsigned char> best = bestOf(table, row);
    text += texText(titleOf(row));
    for (std::size_t pane = 0; pane < table.panes.size(); ++pane) {
      const std::string cell = texText(verdictCell(row, pane));
      text += " & " + (best[pane] ? "\\textbf{" + cell + "}" : cell);
    }
    text += " \\\\\n";
  }
  return text + "\\hline\n\\end{tabular}\n";
}

std::string verdictCsv(const VerdictTable& table) {
  std::string text = "key,quantity,unit";
  for (const std::string& pane : table.panes) text += "," + csvText(pane);
  text += "\n";
  for (const VerdictRow& row : table.rows) {
    text += row.key + "," + csvText(row.label) + "," + csvText(row.unit);
    for (const double value : row.values) text += "," + (std::isinf(value) ? "inf" : csvNumber(value));
    text += "\n";
  }
  return text;
}

std::string summaryTable(const std::vector<PaneSummary>& panes) {
  std::string text = verdictText(verdictOf(panes)) +
                     "* best: the others are larger by more than 5 % and by more than the quantity's floor\n"
                     "Depth, overlap, energy and momentum are measured by the Referee; times are without "
                     "measurement.\n";
  std::string warnings, delivered;
  for (const PaneSummary& pane : panes) {
    warnings += warningLines(pane);
    delivered += deliveredLine(pane);
  }
  if (!delivered.empty()) text += "\nAnswers of the steps\n" + delivered;
  if (!warnings.empty()) text += "\nWarnings of the steps\n" + warnings;
  return text;
}

}  // namespace touchstone
