#include <algorithm>
#include <cmath>
#include <cstdio>
#include <functional>
#include <istream>
#include <sstream>

#include "core/math/quantile.h"
#include "core/run/csv.h"
#include "core/run/study.h"

namespace touchstone {

namespace {

const char* const kColumns =
    "pane,dt_s,seed,frames,crashed_at_s,reason,overlap_median,overlap_quartile,overlap_max,depth_max_m,"
    "unsolved,"
    "trap_share,solves_per_frame,halved_frames,step_time_ms";
constexpr int kColumnCount = 15;

std::vector<std::string> cellsOf(const std::string& line) {
  std::vector<std::string> cells(1);
  for (char c : line) {
    if (c == ',') {
      cells.emplace_back();
    } else {
      cells.back() += c;
    }
  }
  return cells;
}

double numberOf(const std::string& cell) {
  return cell.empty() ? std::nan("") : std::strtod(cell.c_str(), nullptr);
}

std::string shortNumber(double value) {
  if (std::isnan(value)) return "–";
  char text[32];
  std::snprintf(text, sizeof text, value == 0 ? "0" : "%.0e", value);
  return text;
}

using Runs = std::vector<const StudyRun*>;

std::string table(const std::string& title, const Study& study, const std::vector<StudyRun>& runs,
                  const std::function<std::string(const Runs&)>& cell) {
  std::string text = "\n**" + title + "**\n\n| dt (ms) |", rule = "\n|---|";
  for (double dt : study.dt) {
    text += " " + csvNumber(1000 * dt) + " |";
    rule += "---|";
  }
  text += rule;
  for (const StudyPane& pane : study.panes) {
    text += "\n| " + pane.label + " |";
    for (double dt : study.dt) {
      Runs chosen;
      for (const StudyRun& run : runs)
        if (run.pane == pane.label && run.dt == dt) chosen.push_back(&run);
      text += " " + (chosen.empty() ? std::string("not run") : cell(chosen)) + " |";
    }
  }
  return text + "\n";
}

std::vector<double> valuesOf(const Runs& runs, double StudyRun::*member) {
  std::vector<double> values;
  for (const StudyRun* run : runs) values.push_back(run->*member);
  return values;
}

std::string count(long number) { return std::to_string(number); }

}  // namespace

std::string csvHeaderOfRuns() { return kColumns; }

std::string csvLine(const StudyRun& run) {
  std::string label = run.pane;
  std::replace(label.begin(), label.end(), ',', ';');
  std::ostringstream out;
  out << label << ',' << csvNumber(run.dt) << ',' << run.seed << ',' << run.frames << ','
      << csvNumber(run.crashedAt) << ',' << run.reason << ',' << csvNumber(run.overlapMedian) << ','
      << csvNumber(run.overlapQuartile) << ',' << csvNumber(run.overlapMax) << ',' << csvNumber(run.depthMax)
      << ',' << run.unsolved << ',' << csvNumber(run.trapShare) << ',' << csvNumber(run.solves) << ','
      << run.halved << ',' << csvNumber(run.milliseconds);
  return out.str();
}

std::vector<StudyRun> readRuns(std::istream& in) {
  std::vector<StudyRun> runs;
  std::string line;
  while (std::getline(in, line)) {
    const std::vector<std::string> cells = cellsOf(line);
    if (in.eof() || line == kColumns || cells.size() != kColumnCount)
      continue;  // a line without its end was cut off
    StudyRun run;
    run.pane = cells[0];
    run.dt = numberOf(cells[1]);
    run.seed = std::atoi(cells[2].c_str());
    run.frames = std::atol(cells[3].c_str());
    run.crashedAt = numberOf(cells[4]);
    run.reason = cells[5];
    run.overlapMedian = numberOf(cells[6]);
    run.overlapQuartile = numberOf(cells[7]);
    run.overlapMax = numberOf(cells[8]);
    run.depthMax = numberOf(cells[9]);
    run.unsolved = std::atol(cells[10].c_str());
    run.trapShare = numberOf(cells[11]);
    run.solves = numberOf(cells[12]);
    run.halved = std::atol(cells[13].c_str());
    run.milliseconds = numberOf(cells[14]);
    runs.push_back(run);
  }
  return runs;
}

std::string tablesOf(const Study& study, const std::vector<StudyRun>& runs, bool planar) {
  const std::string unit = planar ? "m²" : "m³";
  std::string text = "# " + study.title + "\n\nScene `" + study.scene + "`, " + csvNumber(study.time) +
                     " s, " + std::to_string(study.seeds.size()) + " seeds (" +
                     std::to_string(study.seeds.front()) + " to " + std::to_string(study.seeds.back()) +
                     "). A run counts up to its crash.\n";
  text += table("Crashed runs (no answer, or a body above " + csvNumber(study.crashSpeed) + " m/s)", study,
                runs, [](const Runs& chosen) {
                  const auto crashed = std::count_if(chosen.begin(), chosen.end(),
                                                     [](const StudyRun* run) { return run->crashedAt >= 0; });
                  return count(crashed) + "/" + count(static_cast<long>(chosen.size()));
                });
  text += table("Problems without an answer in the method's own form, all runs", study, runs,
                [](const Runs& chosen) {
                  long sum = 0;
                  for (const StudyRun* run : chosen) sum += run->unsolved;
                  return count(sum);
                });
  text += table(
      "Overlap [" + unit + "]: median over the runs of each run's median / third quartile; maximum of all",
      study, runs, [](const Runs& chosen) {
        return shortNumber(median(valuesOf(chosen, &StudyRun::overlapMedian))) + " / " +
               shortNumber(median(valuesOf(chosen, &StudyRun::overlapQuartile))) + "; " +
               shortNumber(quantile(valuesOf(chosen, &StudyRun::overlapMax), 1));
      });
  text += table("Deepest penetration of all runs [m]", study, runs, [](const Runs& chosen) {
    return shortNumber(quantile(valuesOf(chosen, &StudyRun::depthMax), 1));
  });
  text += table("Frames with standard-model traps", study, runs, [](const Runs& chosen) {
    double sum = 0;
    for (const StudyRun* run : chosen) sum += run->trapShare / static_cast<double>(chosen.size());
    return std::to_string(std::lround(100 * sum)) + " %";
  });
  text += table(
      "Problems solved per frame (one per island and linearisation); frames with a halved step, all runs",
      study, runs, [](const Runs& chosen) {
        double sum = 0;
        long halved = 0;
        for (const StudyRun* run : chosen) {
          sum += run->solves / static_cast<double>(chosen.size());
          halved += run->halved;
        }
        char number[32];
        std::snprintf(number, sizeof number, "%.1f", sum);
        return std::string(number) + "; " + count(halved);
      });
  return text;
}

}  // namespace touchstone
