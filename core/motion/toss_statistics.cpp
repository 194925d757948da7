#include "core/motion/toss_statistics.h"

#include <algorithm>
#include <boost/math/statistics/univariate_statistics.hpp>
#include <cmath>
#include <cstdio>
#include <random>

#include "core/files/text_columns.h"
#include "core/files/text_forms.h"
#include "core/math/quantile.h"

namespace touchstone {

namespace {

/// Samples of a bootstrap. More cost time; fewer make the ends of an interval noisy in their second digit.
constexpr int kResamples = 4000;

std::string cell(const MedianWithInterval& value, const char* number) {
  const std::string pattern =
      std::string(number) + " [" + number + " " + number + "] (" + number + "–" + number + ")";
  char text[160];
  std::snprintf(text, sizeof text, pattern.c_str(), value.median, value.lowerQuartile, value.upperQuartile,
                value.low, value.high);
  return text;
}

const char* numberFormat(const TossMeasure& measure) {
  return std::string(measure.column).rfind("centre", 0) == 0 ? "%.3f" : "%.1f";
}

bool isWhole(const TossError& error) {
  return error.failedAt < 0 && std::isfinite(error.centreMean) && std::isfinite(error.centreEnd);
}

std::vector<double> valuesOf(const PaneErrors& pane, double TossError::*value) {
  std::vector<double> values;
  for (const TossError& error : pane.errors)
    if (isWhole(error)) values.push_back(error.*value);
  return values;
}

std::string meanAndDeviation(const std::vector<double>& values, const char* pattern) {
  char text[64];
  const double deviation =
      values.size() > 1 ? std::sqrt(boost::math::statistics::sample_variance(values)) : 0;
  std::snprintf(text, sizeof text, pattern, boost::math::statistics::mean(values), deviation);
  return text;
}

/// The differences a − b over the tosses that both have, and how many are below zero.
std::string difference(const PaneErrors& a, const PaneErrors& b, const TossMeasure& measure) {
  std::vector<double> differences;
  for (std::size_t toss = 0; toss < a.errors.size(); ++toss)
    if (isWhole(a.errors[toss]) && isWhole(b.errors[toss]))
      differences.push_back(a.errors[toss].*measure.value - b.errors[toss].*measure.value);
  if (differences.empty()) return "–";
  const MedianWithInterval median = medianWithInterval(differences);
  const auto lower = std::count_if(differences.begin(), differences.end(), [](double d) { return d < 0; });
  const std::string number = numberFormat(measure);
  const std::string pattern = number + " (" + number + " to " + number + "), smaller in %.0f %%";
  char text[160];
  std::snprintf(text, sizeof text, pattern.c_str(), median.median, median.low, median.high,
                100 * static_cast<double>(lower) / static_cast<double>(differences.size()));
  return text;
}

}  // namespace

MedianWithInterval medianWithInterval(const std::vector<double>& values) {
  MedianWithInterval result{median(values), interpolatedQuantile(values, 0.25),
                            interpolatedQuantile(values, 0.75)};
  if (values.empty()) return {kNaN, kNaN, kNaN, kNaN, kNaN};
  std::mt19937_64 random(1);
  std::vector<double> medians, sample(values.size());
  for (int resample = 0; resample < kResamples; ++resample) {
    for (double& value : sample) value = values[random() % values.size()];
    medians.push_back(median(sample));
  }
  result.low = interpolatedQuantile(medians, 0.025);
  result.high = interpolatedQuantile(medians, 0.975);
  return result;
}

const std::vector<TossMeasure>& tossMeasures() {
  static const std::vector<TossMeasure> measures = {
      {"centre_mean_widths", "centre, mean [widths]", &TossError::centreMean},
      {"centre_end_widths", "centre, end [widths]", &TossError::centreEnd},
      {"rotation_mean_deg", "rotation, mean [°]", &TossError::turnMean},
      {"rotation_end_deg", "rotation, end [°]", &TossError::turnEnd}};
  return measures;
}

std::string tossTable(const std::vector<PaneErrors>& panes) {
  std::vector<std::vector<std::string>> rows = {{"pane"}},
                                        means = {{"pane", "centre [% of width]", "rotation [°]"}};
  for (const TossMeasure& measure : tossMeasures()) rows[0].push_back(measure.title);
  rows[0].push_back("turned");
  std::string failures;
  for (const PaneErrors& pane : panes) {
    std::vector<std::string> row = {pane.pane};
    const std::vector<double> centre = valuesOf(pane, &TossError::centreMean);
    for (const TossMeasure& measure : tossMeasures())
      row.push_back(centre.empty()
                        ? "–"
                        : cell(medianWithInterval(valuesOf(pane, measure.value)), numberFormat(measure)));
    const auto turned = std::count_if(pane.errors.begin(), pane.errors.end(), [](const TossError& error) {
      return isWhole(error) && error.isTurned();
    });
    char share[32] = "–";
    if (!centre.empty())
      std::snprintf(share, sizeof share, "%.0f %%",
                    100 * static_cast<double>(turned) / static_cast<double>(centre.size()));
    row.push_back(share);
    rows.push_back(row);
    if (!centre.empty()) {
      std::vector<double> percent = centre;
      for (double& value : percent) value *= 100;
      means.push_back({pane.pane, meanAndDeviation(percent, "%.1f ± %.1f"),
                       meanAndDeviation(valuesOf(pane, &TossError::turnMean), "%.1f ± %.1f")});
    }
    const std::size_t failed = pane.errors.size() - centre.size();
    if (failed > 0)
      failures += pane.pane + ": " + std::to_string(failed) + " tosses failed and do not count\n";
  }
  std::string text =
      "Median [quartiles] (95 % interval of the median) over tosses; mean from the first contact on\n" +
      inColumns(rows) + failures;
  if (means.size() > 1)
    text += "\nMean ± standard deviation over tosses of the mean error\n" + inColumns(means);
  if (panes.size() < 2) return text;
  std::vector<std::vector<std::string>> pairs = {
      {"Over the same tosses", tossMeasures()[0].title, tossMeasures()[1].title}};
  for (std::size_t a = 0; a < panes.size(); ++a)
    for (std::size_t b = a + 1; b < panes.size(); ++b)
      pairs.push_back({panes[a].pane + " − " + panes[b].pane,
                       difference(panes[a], panes[b], tossMeasures()[0]),
                       difference(panes[a], panes[b], tossMeasures()[1])});
  return text + "\n" + inColumns(pairs);
}

std::string tossCsv(const std::vector<std::string>& tosses, const std::vector<PaneErrors>& panes) {
  std::string text = "toss,pane";
  for (const TossMeasure& measure : tossMeasures()) text += std::string(",") + measure.column;
  text += ",turned,failed_at_s\n";
  for (std::size_t toss = 0; toss < tosses.size(); ++toss)
    for (const PaneErrors& pane : panes) {
      const TossError& error = pane.errors[toss];
      text += csvText(tosses[toss]) + ',' + csvText(pane.pane);
      for (const TossMeasure& measure : tossMeasures()) text += ',' + csvNumber(error.*measure.value);
      text += std::string(",") + (error.isTurned() ? "1" : "0") + ',' +
              (error.failedAt < 0 ? "" : csvNumber(error.failedAt)) + '\n';
    }
  return text;
}

}  // namespace touchstone
