#include "core/conform/effort.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <ctime>
#include <iterator>
#include <nlohmann/json.hpp>
#include <set>

#include "core/conform/conformance.h"
#include "core/files/listed.h"
#include "core/files/text_forms.h"

namespace touchstone {

namespace {

constexpr char kUntold[] = "not told";

/// Steps and clocks of files are sums and rounded texts. A larger share hides longer steps; a smaller one
/// takes rounding for one.
constexpr double kSameStep = 1e-3;

/// The least and the largest value of some runs.
class Range {
 public:
  void add(double value) {
    m_low = std::min(m_low, value);
    m_high = std::max(m_high, value);
  }
  bool isEmpty() const { return m_low > m_high; }
  double high() const { return m_high; }
  template <class Text>
  std::string text(const Text& text) const {
    if (isEmpty()) return kUntold;
    const std::string low = text(m_low), high = text(m_high);
    return low == high ? low : low + "–" + high;
  }

 private:
  double m_low = INFINITY, m_high = -INFINITY;
};

/// A share of a frame: 1/16 rather than 0.0625.
std::string shareText(double share) {
  const double parts = std::round(1 / share);
  if (parts > 1 && std::abs(share * parts - 1) < kSameStep) return "1/" + fourDigits(parts);
  const double times = std::round(share);
  return fourDigits(times >= 1 && std::abs(share / times - 1) < kSameStep ? times : share);
}

std::string runsText(std::size_t count, const char* noun) {
  return std::to_string(count) + " " + noun + (count == 1 ? "" : "s");
}

/// The sentence about runs whose steps or samples are longer than asked, or nothing.
std::string longerText(const std::string& begin, const std::string& end, const std::vector<double>& times) {
  if (times.empty()) return {};
  const auto [least, largest] = std::minmax_element(times.begin(), times.end());
  const bool isOne = shareText(*least) == shareText(*largest);
  return begin + (isOne ? " " : " up to ") + shareText(*largest) + " times " + end + " in " +
         runsText(times.size(), "run");
}

std::vector<std::string> remarksOf(const std::vector<const RunEffort*>& runs) {
  std::vector<double> steps, samples;
  std::size_t distrusted = 0;
  for (const RunEffort* run : runs) {
    distrusted += run->isDistrusted;
    if (!(run->asked > 0)) continue;
    if (run->step > (1 + kSameStep) * run->asked)
      steps.push_back(run->step / run->asked);
    else if (run->interval > (1 + kSameStep) * run->asked)
      samples.push_back(run->interval / run->asked);
  }
  std::vector<std::string> remarks;
  for (const std::string& remark :
       {longerText("steps", "those asked", steps), longerText("samples", "as far apart as asked", samples)})
    if (!remark.empty()) remarks.push_back(remark);
  if (distrusted > 0) remarks.push_back("velocities contradict poses in " + runsText(distrusted, "file"));
  return remarks;
}

std::string iterationsText(const std::vector<const RunEffort*>& runs) {
  int largest = RunEffort::kNotTold;
  for (const RunEffort* run : runs) largest = std::max(largest, run->iterations);
  if (largest == RunEffort::kNotTold) return kUntold;
  return largest == 0 ? "none" : "≤ " + std::to_string(largest);
}

std::string processorText(const std::vector<const RunEffort*>& runs) {
  double sum = 0;
  std::size_t reported = 0;
  for (const RunEffort* run : runs) {
    if (std::isnan(run->processor)) continue;
    sum += run->processor;
    ++reported;
  }
  if (reported == 0) return kUntold;
  char text[32];
  std::snprintf(text, sizeof text, sum < 10 ? "%.2f s" : "%.0f s", sum);
  return text + (reported < runs.size() ? " of " + runsText(reported, "run") : std::string());
}

nlohmann::ordered_json numberOrNull(double value, bool isReported) {
  return isReported ? nlohmann::ordered_json(value) : nlohmann::ordered_json();
}

}  // namespace

ColumnHead headOf(const Card& card, const std::string& column) {
  std::vector<const RunEffort*> runs;
  for (const CardEffort& run : card.efforts)
    if (run.column == column) runs.push_back(&run.effort);
  Range steps, shares, substeps;
  std::set<std::string> precisions;
  for (const RunEffort* run : runs) {
    if (!run->precision.empty()) precisions.insert(run->precision);
    if (run->substeps > 0) substeps.add(run->substeps);
    if (!(run->step > 0)) continue;
    steps.add(run->step);
    if (run->asked > 0) shares.add(run->step / run->asked);
  }
  const auto milliseconds = [](double step) { return fourDigits(1e3 * step); };
  ColumnHead head;
  head.lines = {{"step", steps.text(milliseconds) + (steps.isEmpty() ? "" : " ms")},
                {"step / frame", shares.text(shareText)},
                {"substeps", substeps.text(fourDigits)},
                {"iterations", iterationsText(runs)},
                {"precision", precisions.empty() ? kUntold : listed(precisions, " and ")},
                {"processor", processorText(runs)}};
  head.remarks = remarksOf(runs);
  return head;
}

std::vector<std::vector<std::string>> headRows(const Card& card) {
  std::vector<ColumnHead> heads;
  std::size_t remarks = 0;
  for (const std::string& column : card.columns) {
    heads.push_back(headOf(card, column));
    remarks = std::max(remarks, heads.back().remarks.size());
  }
  std::vector<std::vector<std::string>> rows;
  if (heads.empty()) return rows;
  for (std::size_t line = 0; line < heads.front().lines.size(); ++line) {
    rows.push_back({heads.front().lines[line].first});
    for (const ColumnHead& head : heads) rows.back().push_back(head.lines[line].second);
  }
  for (std::size_t remark = 0; remark < remarks; ++remark) {
    rows.push_back({"remark"});
    for (const ColumnHead& head : heads)
      rows.back().push_back(remark < head.remarks.size() ? head.remarks[remark] : "–");
  }
  return rows;
}

std::vector<std::vector<std::string>> fileRows(const Card& card) {
  std::vector<std::vector<std::string>> rows = {{"column", "phenomenon", "run", "file", "SHA-256"}};
  for (const CardEffort& run : card.efforts) {
    const RunEffort& effort = run.effort;
    if (!effort.fileHash.empty())
      rows.push_back({run.column, run.phenomenon, run.run, "trajectory", effort.fileHash});
    if (!effort.contactsHash.empty())
      rows.push_back({run.column, run.phenomenon, run.run, "contacts", effort.contactsHash});
  }
  return rows;
}

const RunEffort* effortOf(const Card& card, const CardNumber& number) {
  const auto phenomenon =
      std::find_if(card.phenomena.begin(), card.phenomena.end(),
                   [&](const Phenomenon& candidate) { return candidate.name == number.phenomenon; });
  if (phenomenon == card.phenomena.end()) return nullptr;
  for (const Measure& measure : phenomenon->measures) {
    if (measure.id != number.measure) continue;
    for (const CardEffort& run : card.efforts)
      if (run.phenomenon == number.phenomenon && run.run == measure.runs.back() &&
          run.column == number.column)
        return &run.effort;
  }
  return nullptr;
}

std::vector<std::string> effortCells(const RunEffort* effort) {
  if (!effort) return std::vector<std::string>(std::size(kEffortColumns));
  return {effort->step > 0 ? csvNumber(effort->step) : "",
          effort->substeps > 0 ? std::to_string(effort->substeps) : "",
          effort->iterations != RunEffort::kNotTold ? std::to_string(effort->iterations) : "",
          csvText(effort->precision),
          effort->fileHash,
          effort->contactsHash,
          csvNumber(effort->processor)};
}

nlohmann::ordered_json effortsOf(const Card& card) {
  nlohmann::ordered_json json = nlohmann::ordered_json::array();
  for (const std::string& column : card.columns) {
    const ColumnHead head = headOf(card, column);
    nlohmann::ordered_json lines, runs = nlohmann::ordered_json::array();
    for (const auto& [name, text] : head.lines) lines[name] = text;
    for (const CardEffort& run : card.efforts) {
      if (run.column != column) continue;
      const RunEffort& effort = run.effort;
      nlohmann::ordered_json entry = {
          {"phenomenon", run.phenomenon},
          {"run", run.run},
          {"frame_s", effort.asked},
          {"step_s", numberOrNull(effort.step, effort.step > 0)},
          {"substeps", numberOrNull(effort.substeps, effort.substeps > 0)},
          {"iterations", numberOrNull(effort.iterations, effort.iterations != RunEffort::kNotTold)},
          {"iteration_sum", numberOrNull(static_cast<double>(effort.iterationSum),
                                         effort.iterationSum != RunEffort::kNotTold)},
          {"precision", effort.precision},
          {"processor_s", numberOrNull(effort.processor, !std::isnan(effort.processor))}};
      if (!effort.fileHash.empty()) {
        entry["sample_interval_s"] = effort.interval;
        entry["file_sha256"] = effort.fileHash;
        entry["contacts_sha256"] = effort.contactsHash;
        entry["velocities_contradict_poses"] = effort.isDistrusted;
      }
      runs.push_back(entry);
    }
    json.push_back({{"column", column}, {"head", lines}, {"remarks", head.remarks}, {"runs", runs}});
  }
  return json;
}

double threadSeconds() {
  timespec time = {};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

}  // namespace touchstone
