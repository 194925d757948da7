#pragma once

#include <functional>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "app/bench/bench_table.h"

namespace touchstone::cli {

/// Results that `bench --json` wrote, or that are measured now.
struct BenchResult {
  std::map<std::string, std::string> backends;  ///< by key, as provenance() tells them: model and cores
  int rounds = 1;
  std::vector<BenchRow> rows;
};

/// Reads the document of `bench --json`, also of versions without rounds. Rows whose value is null are left
/// out: they had none.
/// @param file  name in messages   @throws SceneError for what is missing, wrong or there twice
BenchResult benchResultOf(const nlohmann::json& json, const std::string& file);

/// Why figures of two machines cannot be compared: a backend that the other lacks or that is another device.
/// Empty if they are of one machine.
std::string otherMachine(const BenchResult& then, const BenchResult& now);

/// Rows of several rounds as one each, in the order in which they first appear: the median of the rounds'
/// values, its spread the least and the largest of them. A row of only one round stays as it is.
std::vector<BenchRow> rowsOfRounds(const std::vector<std::vector<BenchRow>>& rounds);

/// The better direction, by unit and name of a row: less for times and bytes, more for rates, neither for
/// figures that are no cost (counts, shares, depths, residuals).
enum class Better { Less, More, Neither };
Better betterOf(const BenchRow& row);

/// Noise: the medians differ by more than the threshold, but the spreads overlap. Changed: a figure that is
/// no cost has moved.
enum class BenchVerdict { Same, Noise, Faster, Slower, Changed, New, Gone };
/// "faster"; of bytes "smaller" and "larger"
const char* verdictText(BenchVerdict verdict, const std::string& unit);

struct BenchChange {
  std::string name, unit;
  double then = 0, now = 0;  ///< NaN: there is none
  double ratio = 0;          ///< now / then; NaN where it has no meaning
  BenchVerdict verdict = BenchVerdict::Same;
};

/// Rows of now in their order, then those that are gone. A row has moved if the intervals [least, largest]
/// of both do not overlap and the larger median exceeds the smaller one by more than `threshold`.
/// @param threshold  share of the smaller one, >= 0: 0.05
/// @param isChosen  of the name of a row that is not there now: whether it should have been measured
std::vector<BenchChange> changesOf(const BenchResult& then, const BenchResult& now, double threshold,
                                   const std::function<bool(const std::string& name)>& isChosen);

bool hasSlower(const std::vector<BenchChange>& changes);

/// A table, and one sentence.
std::string comparisonText(const std::vector<BenchChange>& changes, double threshold);

}  // namespace touchstone::cli
