#include "core/motion/toss_fit.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <random>
#include <set>
#include <stdexcept>

#include "core/files/text_forms.h"
#include "core/math/quantile.h"

namespace touchstone {

namespace {

/// Score of a run that failed: worse than any that did not, and finite, so that medians stay numbers.
constexpr double kFailedScore = 1e6;
/// Samples of the bootstrap over tosses. More cost time; fewer make the region's edge depend on chance.
constexpr int kFitResamples = 2000;

/// [tosses] of one cell.
using Scores = std::vector<double>;

Scores chosen(const Scores& source, const std::vector<std::size_t>& places) {
  Scores scores;
  for (std::size_t place : places) scores.push_back(source[place]);
  return scores;
}

/// True where the difference of medians to the best cell is below zero in more than 2.5 % of the resamples.
bool cannotBeTold(const Scores& cell, const Scores& best,
                  const std::vector<std::vector<std::size_t>>& resamples) {
  int notWorse = 0;
  for (const std::vector<std::size_t>& places : resamples)
    notWorse += median(chosen(cell, places)) <= median(chosen(best, places));
  return notWorse > 0.025 * static_cast<double>(resamples.size());
}

void findRegion(const std::vector<Scores>& scores, TossFit& fit) {
  std::mt19937_64 random(1);
  const std::size_t tosses = scores.front().size();
  std::vector<std::vector<std::size_t>> resamples(kFitResamples, std::vector<std::size_t>(tosses));
  for (std::vector<std::size_t>& places : resamples)
    for (std::size_t& place : places) place = random() % tosses;
  for (std::size_t cell = 0; cell < scores.size(); ++cell)
    fit.isAsGood.push_back(cell == fit.best || cannotBeTold(scores[cell], scores[fit.best], resamples));
}

std::string numberText(double score) {
  if (std::isnan(score)) return "–";
  if (score >= kFailedScore) return "failed";
  return fourDigits(score);
}

/// Cells along an axis through the best one.
std::vector<std::size_t> cellsThroughBest(const TossFit& fit, std::size_t axis) {
  const std::size_t inRow = fit.axes[0].values.size();
  std::vector<std::size_t> cells;
  for (std::size_t index = 0; index < fit.axes[axis].values.size(); ++index)
    cells.push_back(axis == 0 ? fit.best / inRow * inRow + index : index * inRow + fit.best % inRow);
  return cells;
}

}  // namespace

void requireOneFrameLength(const std::vector<MapAxis>& axes) {
  if (variesFrameLength(axes))
    throw std::invalid_argument(
        "dt: the frame length is one for all tosses and cannot be fitted; give it as --dt");
}

TossFit tossFit(const Scene& scene, const PaneSettings& settings, const std::vector<MapAxis>& axes, double dt,
                const std::vector<ComparedToss>& tosses, const TossMeasure& measure, int seed,
                const std::function<void(double share)>& progress) {
  if (tosses.empty()) throw std::invalid_argument("there is no toss that can be compared");
  requireOneFrameLength(axes);
  checkSuggestions(scene);
  TossFit fit;
  fit.axes = axes;
  fit.measure = measure;
  const std::size_t cells = cellCount(axes);
  const std::vector<TossError> errors = tossErrors(
      scene, settings, dt, tosses, static_cast<int>(cells),
      [&](int cell) { return variationAt(axes, settings.method, cell); }, progress);
  std::set<std::string> names;
  for (const ComparedToss& toss : drawn(tosses, static_cast<int>((tosses.size() + 1) / 2), seed))
    names.insert(toss.name);
  std::vector<Scores> fitted(cells), aside(cells);
  fit.failures.assign(cells, 0);
  for (std::size_t toss = 0; toss < tosses.size(); ++toss) {
    const bool isFitted = names.count(tosses[toss].name) > 0;
    ++(isFitted ? fit.fitted : fit.keptAside);
    for (std::size_t cell = 0; cell < cells; ++cell) {
      const TossError& error = errors[toss * cells + cell];
      const double value = error.*measure.value;
      const bool isFailed = error.failedAt >= 0 || !std::isfinite(value);
      fit.failures[cell] += isFailed;
      (isFitted ? fitted : aside)[cell].push_back(isFailed ? kFailedScore : value);
    }
  }
  for (std::size_t cell = 0; cell < cells; ++cell) {
    fit.score.push_back(median(fitted[cell]));
    fit.scoreAside.push_back(median(aside[cell]));
  }
  fit.best = std::min_element(fit.score.begin(), fit.score.end()) - fit.score.begin();
  findRegion(fitted, fit);
  fit.bestFitted = medianWithInterval(fitted[fit.best]);
  fit.bestAside = medianWithInterval(aside[fit.best]);
  return fit;
}

std::string fitTable(const TossFit& fit) {
  std::string text = std::string("Score: ") + fit.measure.title + ", median over " +
                     std::to_string(fit.fitted) + " tosses; " + std::to_string(fit.keptAside) +
                     " kept aside\n";
  char line[240];
  for (std::size_t axis = 0; axis < fit.axes.size(); ++axis) {
    std::snprintf(line, sizeof line, "\n%-20s %10s %12s\n", fit.axes[axis].key.c_str(), "fitted",
                  "kept aside");
    text += line;
    for (const std::size_t cell : cellsThroughBest(fit, axis)) {
      std::snprintf(line, sizeof line, "%-20s %10s %12s  %s\n",
                    fourDigits(valueAt(fit.axes, axis, cell)).c_str(), numberText(fit.score[cell]).c_str(),
                    numberText(fit.scoreAside[cell]).c_str(),
                    cell == fit.best     ? "best"
                    : fit.isAsGood[cell] ? "as good"
                                         : "");
      text += line;
    }
  }
  text += "\nBest:";
  for (std::size_t axis = 0; axis < fit.axes.size(); ++axis) {
    double low = valueAt(fit.axes, axis, fit.best), high = low;
    for (std::size_t cell = 0; cell < fit.score.size(); ++cell) {
      if (!fit.isAsGood[cell]) continue;
      low = std::min(low, valueAt(fit.axes, axis, cell));
      high = std::max(high, valueAt(fit.axes, axis, cell));
    }
    text += " " + fit.axes[axis].key + " = " + fourDigits(valueAt(fit.axes, axis, fit.best)) +
            " (as good from " + fourDigits(low) + " to " + fourDigits(high) + ")";
  }
  std::snprintf(line, sizeof line, "\n%s %s (95 %% %s–%s); on tosses kept aside %s (%s–%s)\n",
                fit.measure.title, numberText(fit.bestFitted.median).c_str(),
                numberText(fit.bestFitted.low).c_str(), numberText(fit.bestFitted.high).c_str(),
                numberText(fit.bestAside.median).c_str(), numberText(fit.bestAside.low).c_str(),
                numberText(fit.bestAside.high).c_str());
  return text + line;
}

std::string csvOf(const TossFit& fit) {
  std::string text;
  for (const MapAxis& axis : fit.axes) text += axis.key + ",";
  text += std::string(fit.measure.column) + "_median,kept_aside_median,failed,as_good_as_the_best\n";
  for (std::size_t cell = 0; cell < fit.score.size(); ++cell) {
    for (std::size_t axis = 0; axis < fit.axes.size(); ++axis)
      text += csvNumber(valueAt(fit.axes, axis, cell)) + ",";
    text += csvNumber(fit.score[cell]) + ',' + csvNumber(fit.scoreAside[cell]) + ',' +
            std::to_string(fit.failures[cell]) + ',' + (fit.isAsGood[cell] ? "1" : "0") + '\n';
  }
  return text;
}

}  // namespace touchstone
