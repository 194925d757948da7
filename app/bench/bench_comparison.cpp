#include "app/bench/bench_comparison.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>
#include <nlohmann/json.hpp>
#include <set>

#include "core/files/json_view.h"
#include "core/math/quantile.h"

namespace touchstone::cli {

namespace {

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
constexpr std::size_t kMostRows = 100000, kMostBackends = 16;

bool beginsWith(const std::string& text, const std::string& beginning) {
  return text.compare(0, beginning.size(), beginning) == 0;
}

bool endsWith(const std::string& text, const std::string& end) {
  return text.size() >= end.size() && text.compare(text.size() - end.size(), end.size(), end) == 0;
}

BenchRow rowOf(const JsonView& view) {
  BenchRow row{view.at("name").text(), view.at("unit").text(), view.at("value").number()};
  if (!view.has("least") && !view.has("largest")) return row;
  row.least = view.at("least").number();
  row.largest = view.at("largest").number();
  if (row.least > row.largest)
    view.at("least").fail("is above largest", "measure again with `touchstone-cli bench --json`");
  return row;
}

double leastOf(const BenchRow& row) { return std::isnan(row.least) ? row.value : row.least; }
double largestOf(const BenchRow& row) { return std::isnan(row.largest) ? row.value : row.largest; }

bool doOverlap(const BenchRow& a, const BenchRow& b) {
  return leastOf(a) <= largestOf(b) && leastOf(b) <= largestOf(a);
}

/// Values of which one is 0, or of different signs, differ by more than any share.
bool differByMoreThan(double threshold, double a, double b) {
  if (a == b) return false;
  if (!(a * b > 0)) return true;
  return std::max(a / b, b / a) > 1 + threshold;
}

BenchVerdict verdictOfRow(const BenchRow& then, const BenchRow& now, double threshold) {
  if (!differByMoreThan(threshold, then.value, now.value)) return BenchVerdict::Same;
  if (doOverlap(then, now)) return BenchVerdict::Noise;
  const Better better = betterOf(now);
  if (better == Better::Neither) return BenchVerdict::Changed;
  return (now.value < then.value) == (better == Better::Less) ? BenchVerdict::Faster : BenchVerdict::Slower;
}

BenchChange changeOf(const BenchRow& then, const BenchRow& now, double threshold) {
  BenchChange change{now.name, now.unit, then.value, now.value, kNone, verdictOfRow(then, now, threshold)};
  if (then.value != 0) change.ratio = now.value / then.value;
  return change;
}

/// A row of another unit is another figure.
const BenchRow* find(const BenchRow& meant, const std::vector<BenchRow>& rows) {
  const auto found = std::find_if(rows.begin(), rows.end(), [&meant](const BenchRow& row) {
    return row.name == meant.name && row.unit == meant.unit;
  });
  return found == rows.end() ? nullptr : &*found;
}

std::string cell(double value) { return std::isnan(value) ? "-" : shownNumber(value); }

std::string line(const std::string& name, const std::string& then, const std::string& now,
                 const std::string& ratio, const std::string& verdict) {
  char text[96];
  std::snprintf(text, sizeof text, " %10s %10s %8s  ", then.c_str(), now.c_str(), ratio.c_str());
  constexpr std::size_t kWidth = 60;
  return name + std::string(name.size() < kWidth ? kWidth - name.size() : 0, ' ') + text + verdict + "\n";
}

std::string counted(long count, const std::string& what) { return std::to_string(count) + " " + what; }

}  // namespace

BenchResult benchResultOf(const nlohmann::json& json, const std::string& file) {
  const JsonView root(json, file, "write the file with `touchstone-cli bench --json`");
  root.allowOnly({"version", "commit", "compiler", "build_type", "threads", "backends", "date", "rounds",
                  "share_of_others", "rows", "failed"});
  BenchResult result;
  for (const auto& [key, state] : root.at("backends").members(kMostBackends))
    result.backends[key] = state.text();
  if (root.has("rounds")) result.rounds = root.at("rounds").integer(1, 1000);
  std::set<std::string> names;
  for (const JsonView& item : root.at("rows").items(kMostRows)) {
    item.allowOnly({"name", "unit", "value", "least", "largest", "rounds"});
    if (item.at("value").json().is_null()) continue;
    result.rows.push_back(rowOf(item));
    const BenchRow& row = result.rows.back();
    if (!names.insert(row.name + "\n" + row.unit).second)
      item.at("name").fail("'" + row.name + "' is there twice", "remove one of both rows");
  }
  return result;
}

std::string otherMachine(const BenchResult& then, const BenchResult& now) {
  for (const auto& [key, state] : now.backends) {
    const auto other = then.backends.find(key);
    if (other == then.backends.end()) return "backend " + key + ": there it is not named, here: " + state;
    if (other->second != state) return "backend " + key + ": there " + other->second + ", here " + state;
  }
  for (const auto& [key, state] : then.backends)
    if (!now.backends.count(key)) return "backend " + key + ": there " + state + ", here it is not there";
  return {};
}

std::vector<BenchRow> rowsOfRounds(const std::vector<std::vector<BenchRow>>& rounds) {
  std::vector<BenchRow> merged;
  for (const std::vector<BenchRow>& round : rounds)
    for (const BenchRow& row : round) {
      const BenchRow* const first = find(row, merged);
      if (!first) {
        merged.push_back(row);
        merged.back().rounds = {row.value};
      } else {
        merged[first - merged.data()].rounds.push_back(row.value);
      }
    }
  for (BenchRow& row : merged) {
    if (row.rounds.size() < 2) {
      row.rounds.clear();
      continue;
    }
    row.value = interpolatedQuantile(row.rounds, 0.5);
    row.least = *std::min_element(row.rounds.begin(), row.rounds.end());
    row.largest = *std::max_element(row.rounds.begin(), row.rounds.end());
  }
  return merged;
}

Better betterOf(const BenchRow& row) {
  if (row.name.find("/paper (") != std::string::npos) return Better::Neither;  // printed there
  for (const char* cost : {"ms", "µs", "bytes"})
    if (row.unit == cost || beginsWith(row.unit, std::string(cost) + " ")) return Better::Less;
  for (const char* rate : {"GB/s", " per s", " per ms", " per second"})
    if (endsWith(row.unit, rate) || (row.unit.empty() && endsWith(row.name, rate))) return Better::More;
  return Better::Neither;
}

const char* verdictText(BenchVerdict verdict, const std::string& unit) {
  const bool isMemory = unit == "bytes";
  switch (verdict) {
    case BenchVerdict::Same:
      return "same";
    case BenchVerdict::Noise:
      return "noise";
    case BenchVerdict::Faster:
      return isMemory ? "smaller" : "faster";
    case BenchVerdict::Slower:
      return isMemory ? "larger" : "slower";
    case BenchVerdict::Changed:
      return "changed";
    case BenchVerdict::New:
      return "new";
    case BenchVerdict::Gone:
      return "gone";
  }
  return "";
}

std::vector<BenchChange> changesOf(const BenchResult& then, const BenchResult& now, double threshold,
                                   const std::function<bool(const std::string& name)>& isChosen) {
  std::vector<BenchChange> changes;
  for (const BenchRow& row : now.rows) {
    if (std::isnan(row.value)) continue;
    const BenchRow* const before = find(row, then.rows);
    changes.push_back(before ? changeOf(*before, row, threshold)
                             : BenchChange{row.name, row.unit, kNone, row.value, kNone, BenchVerdict::New});
  }
  for (const BenchRow& row : then.rows) {
    const BenchRow* const after = find(row, now.rows);
    if ((after && !std::isnan(after->value)) || !isChosen(row.name)) continue;
    changes.push_back({row.name, row.unit, row.value, kNone, kNone, BenchVerdict::Gone});
  }
  return changes;
}

bool hasSlower(const std::vector<BenchChange>& changes) {
  return std::any_of(changes.begin(), changes.end(),
                     [](const BenchChange& change) { return change.verdict == BenchVerdict::Slower; });
}

std::string comparisonText(const std::vector<BenchChange>& changes, double threshold) {
  std::string text = line("row", "then", "now", "ratio", "verdict");
  for (const BenchChange& change : changes)
    text +=
        line(change.unit.empty() ? change.name : change.name + " [" + change.unit + "]", cell(change.then),
             cell(change.now), cell(change.ratio), verdictText(change.verdict, change.unit));
  const auto count = [&changes](BenchVerdict verdict) {
    return std::count_if(changes.begin(), changes.end(),
                         [verdict](const BenchChange& change) { return change.verdict == verdict; });
  };
  text += "\nOf " + counted(static_cast<long>(changes.size()), "rows ") +
          counted(count(BenchVerdict::Slower), "became worse (slower, or larger in memory), ") +
          counted(count(BenchVerdict::Faster), "better; ") +
          counted(count(BenchVerdict::Changed), "figures that are no cost changed, ") +
          counted(count(BenchVerdict::Noise), "differ within noise, ") +
          counted(count(BenchVerdict::Same), "are the same to " + shownNumber(100 * threshold) + " %, ") +
          counted(count(BenchVerdict::New), "are new and ") + counted(count(BenchVerdict::Gone), "gone.\n");
  return text;
}

}  // namespace touchstone::cli
