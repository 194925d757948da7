#include <algorithm>
#include <cmath>
#include <cstdio>
#include <functional>
#include <istream>
#include <sstream>

#include "core/files/text_forms.h"
#include "core/math/quantile.h"
#include "core/store/csv.h"
#include "core/study/study.h"

namespace touchstone {

namespace {

const char* const kColumns =
    "pane,dt_s,seed,frames,crashed_at_s,reason,overlap_median,overlap_quartile,overlap_max,depth_max_m,"
    "unsolved,"
    "trap_share,solves_per_frame,halved_frames,step_time_ms";

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
  std::ostringstream out;
  out << csvText(run.pane) << ',' << csvNumber(run.dt) << ',' << run.seed << ',' << run.frames << ','
      << csvNumber(run.crashedAt) << ',' << csvText(run.reason) << ',' << csvNumber(run.overlapMedian) << ','
      << csvNumber(run.overlapQuartile) << ',' << csvNumber(run.overlapMax) << ',' << csvNumber(run.depthMax)
      << ',' << run.unsolved << ',' << csvNumber(run.trapShare) << ',' << csvNumber(run.solves) << ','
      << run.bisected << ',' << csvNumber(run.milliseconds);
  return out.str();
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
        long bisected = 0;
        for (const StudyRun* run : chosen) {
          sum += run->solves / static_cast<double>(chosen.size());
          bisected += run->bisected;
        }
        char number[32];
        std::snprintf(number, sizeof number, "%.1f", sum);
        return std::string(number) + "; " + count(bisected);
      });
  return text;
}

}  // namespace touchstone
