#include "app/bench/bench_table.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <exception>
#include <nlohmann/json.hpp>
#include <string>

namespace touchstone::cli {

std::string shownNumber(double value) {
  char text[32];
  std::snprintf(text, sizeof text, std::abs(value) >= 1e4 && std::abs(value) < 1e15 ? "%.0f" : "%.4g", value);
  return text;
}

void BenchTable::add(const BenchRow& row) {
  m_rows.push_back(row);
  if (!m_prints) return;
  std::printf("%-60s %9s", row.name.c_str(), shownNumber(row.value).c_str());
  if (!row.unit.empty()) std::printf(" %s", row.unit.c_str());
  if (!std::isnan(row.least))
    std::printf("  (%s … %s)", shownNumber(row.least).c_str(), shownNumber(row.largest).c_str());
  std::printf("\n");
  std::fflush(stdout);
}

void BenchTable::attempt(const std::string& name, const std::function<void()>& benchmark) {
  try {
    benchmark();
  } catch (const std::exception& error) {
    m_failures.push_back({name, error.what()});
    if (!m_prints) return;
    std::printf("%-60s FAILED: %s\n", name.c_str(), error.what());
    std::fflush(stdout);
  }
}

void BenchTable::addFailuresOf(const BenchTable& other) {
  for (const BenchFailure& failure : other.m_failures) {
    const auto isSame = [&failure](const BenchFailure& earlier) {
      return earlier.name == failure.name && earlier.reason == failure.reason;
    };
    if (std::none_of(m_failures.begin(), m_failures.end(), isSame)) m_failures.push_back(failure);
  }
}

double BenchTable::valueOf(const std::string& beginning) const {
  for (const BenchRow& row : m_rows)
    if (row.name.compare(0, beginning.size(), beginning) == 0) return row.value;
  return std::nan("");
}

void BenchTable::write(nlohmann::ordered_json& out) const {
  for (const BenchRow& row : m_rows) {
    nlohmann::ordered_json entry{{"name", row.name}, {"unit", row.unit}, {"value", row.value}};
    if (!std::isnan(row.least)) {
      entry["least"] = row.least;
      entry["largest"] = row.largest;
    }
    if (!row.rounds.empty()) entry["rounds"] = row.rounds;
    out["rows"].push_back(entry);
  }
  for (const BenchFailure& failure : m_failures)
    out["failed"].push_back({{"name", failure.name}, {"reason", failure.reason}});
}

}  // namespace touchstone::cli
