#include "core/study/summary.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <set>

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

/// The larger value; NaN counts as no value.
double larger(double a, double b) { return std::isnan(a) || b > a ? b : a; }

std::string format(const char* pattern, ...) {
  char text[512];
  va_list arguments;
  va_start(arguments, pattern);
  std::vsnprintf(text, sizeof text, pattern, arguments);
  va_end(arguments);
  return text;
}

std::string nameOf(const PaneSummary& pane) {
  return pane.label.empty() ? paneName(pane.method, pane.solver) : pane.label;
}

/// The method with the additions of its label: "peg:step=exact".
std::string methodOf(const PaneSummary& pane) {
  const std::size_t end = pane.label.find_first_of(":#");
  return pane.method + (end == std::string::npos ? "" : pane.label.substr(end));
}

std::string withoutNumbers(const std::string& text) {
  std::string rest;
  for (const char* at = text.c_str(); *at != '\0';)
    if (std::isdigit(static_cast<unsigned char>(*at))) {
      char* end = nullptr;
      std::strtod(at, &end);
      at = end;
    } else {
      rest += *at++;
    }
  return rest;
}

void addWarnings(const StepRecord& record, std::vector<RunWarning>& warnings) {
  std::set<std::string> said;  // a frame counts once
  for (const std::string& text : record.warnings) {
    const std::string key = withoutNumbers(text);
    if (!said.insert(key).second) continue;
    const auto known = std::find_if(warnings.begin(), warnings.end(),
                                    [&](const RunWarning& each) { return withoutNumbers(each.text) == key; });
    const bool isStart = record.frame == 0;
    if (known == warnings.end()) {
      warnings.push_back({text, isStart ? 0 : 1, record.time, isStart});
      continue;
    }
    if (known->frames == 0) known->since = record.time;
    ++known->frames;
  }
}

void addDelivered(const StepRecord& record, std::vector<std::pair<std::string, long>>& delivered) {
  if (record.frame == 0 || record.deliveredBy.empty()) return;
  const auto known = std::find_if(delivered.begin(), delivered.end(),
                                  [&](const auto& each) { return each.first == record.deliveredBy; });
  if (known == delivered.end())
    delivered.emplace_back(record.deliveredBy, 1);
  else
    ++known->second;
}

/// Names the solvers that answered in the place of the one that was asked for; empty if it answered always.
std::string deliveredLine(const PaneSummary& pane) {
  if (pane.delivered.empty() || (pane.delivered.size() == 1 && pane.delivered[0].first == pane.solver))
    return {};
  std::string text;
  for (const auto& [solver, frames] : pane.delivered)
    text += (text.empty() ? "" : "; ") + solver + format(" in %ld of %ld frames", frames, pane.frames);
  return "  " + nameOf(pane) + ": " + text + "\n";
}

std::string framesOf(const RunWarning& warning, long frames) {
  if (warning.atStart && warning.frames == 0) return "at the start";
  const std::string counted = format("%ld of %ld frames", warning.frames, frames);
  return warning.atStart ? "at the start and in " + counted
                         : counted + format(", first at %.3f s", warning.since);
}

std::string warningLines(const PaneSummary& pane) {
  const std::string name = nameOf(pane);
  std::string text;
  for (const RunWarning& warning : pane.warnings)
    text += "  " + name + ", " + framesOf(warning, pane.frames) + ": " + warning.text + "\n";
  return text;
}

}  // namespace

void RunSummary::add(const StepRecord& record) {
  // Most samples per quantity. A larger value takes more memory; a smaller one makes medians of long runs
  // coarser.
  constexpr std::size_t kMostSamples = 1 << 16;
  const auto value = [&record](Quantity quantity) { return record.quantities[quantity]; };
  m_sums.method = record.method;
  m_sums.solver = record.solver;
  m_sums.planar = record.planar;
  if (m_seen == 0) m_sums.overlapMax = m_sums.penetrationMax = m_sums.residualMax = m_sums.timeMax = kNaN;
  if (record.frame > 0) {
    ++m_sums.frames;
    m_sums.notConverged += record.status == StepStatus::NotConverged;
    m_sums.noSolution += record.status == StepStatus::NoSolution;
    if (isFrozen(record.status) && m_sums.frozenFrom < 0) m_sums.frozenFrom = record.time;
    m_sums.energy += record.status == StepStatus::Energy;
  }
  addDelivered(record, m_sums.delivered);
  addWarnings(record, m_sums.warnings);  // the first frame reports initial overlaps
  m_sums.overlapMax = larger(m_sums.overlapMax, value(Quantity::Overlap));
  m_sums.penetrationMax = larger(m_sums.penetrationMax, value(Quantity::PenetrationMax));
  m_sums.residualMax = larger(m_sums.residualMax, value(Quantity::Residual));
  m_sums.timeMax = larger(m_sums.timeMax, value(Quantity::TimeStep));
  if (m_seen++ % m_spacing != 0) return;
  m_samples.push_back({value(Quantity::Overlap), value(Quantity::PenetrationMax), value(Quantity::TimeStep),
                       value(Quantity::EnergyKinetic)});
  if (m_samples.size() < kMostSamples) return;
  for (std::size_t kept = 0; 2 * kept < m_samples.size(); ++kept) m_samples[kept] = m_samples[2 * kept];
  m_samples.resize(m_samples.size() / 2);
  m_spacing *= 2;
}

std::vector<double> RunSummary::valuesOf(const std::vector<Sample>& samples, double Sample::*value,
                                         bool lastFifth) {
  std::vector<double> values;
  for (std::size_t index = lastFifth ? samples.size() - samples.size() / 5 : 0; index < samples.size();
       ++index)
    if (!std::isnan(samples[index].*value)) values.push_back(samples[index].*value);
  return values;
}

PaneSummary RunSummary::result() const {
  PaneSummary summary = m_sums;
  summary.overlapMedian = median(valuesOf(m_samples, &Sample::overlap));
  summary.penetrationMedian = median(valuesOf(m_samples, &Sample::depth));
  summary.timeMedian = median(valuesOf(m_samples, &Sample::milliseconds));
  summary.endKineticEnergy = mean(valuesOf(m_samples, &Sample::kineticEnergy, true));
  return summary;
}

std::string summaryTable(const std::vector<PaneSummary>& panes) {
  int method = 6, solver = 6;  // widths of their columns
  for (const PaneSummary& pane : panes) {
    method = std::max(method, static_cast<int>(methodOf(pane).size()));
    solver = std::max(solver, static_cast<int>(pane.solver.size()));
  }
  const bool isPlanar =
      std::any_of(panes.begin(), panes.end(), [](const PaneSummary& pane) { return pane.planar; });
  const char* const size = isPlanar ? "m^2" : "m^3";
  constexpr const char* kHead = "%-*s  %-*s  %7s  %6s  %9s  %7s  %7s  %8s  %8s  %8s  %8s  %8s  %8s\n";
  std::string text = format(kHead, method, "method", solver, "solver", "frames", "energy", "not conv.",
                            "no sol.", "frozen", "overlap~", "overlap^", "depth~", "depth^", "ms~", "ms^");
  text += format(kHead, method, "", solver, "", "", "frames", "frames", "frames", "s", size, size, "m", "m",
                 "frame", "frame");
  for (const PaneSummary& pane : panes)
    text +=
        format("%-*s  %-*s  %7ld  %6ld  %9ld  %7ld  %7s  %8.2e  %8.2e  %8.2e  %8.2e  %8.2f  %8.2f\n", method,
               methodOf(pane).c_str(), solver, pane.solver.empty() ? "-" : pane.solver.c_str(), pane.frames,
               pane.energy, pane.notConverged, pane.noSolution,
               pane.frozenFrom < 0 ? "no" : format("%.3f", pane.frozenFrom).c_str(), pane.overlapMedian,
               pane.overlapMax, pane.penetrationMedian, pane.penetrationMax, pane.timeMedian, pane.timeMax);
  text +=
      "~ median over frames, ^ maximum; overlap and depth by the Referee, time without measurement\n"
      "energy: frames in which it rose though nothing brought it in\n";
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
