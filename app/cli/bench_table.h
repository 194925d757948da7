#pragma once

#include <functional>
#include <limits>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

namespace touchstone::cli {

struct BenchRow {
  std::string name, unit;
  double value = 0;  ///< median of several measurements, or the only value
  double least = std::numeric_limits<double>::quiet_NaN(), largest = least;  ///< NaN: measured once
};

/// Measured values, printed row by row as they arrive, so that a later failure loses no earlier row.
class BenchTable {
 public:
  /// @param prints  false: only json() is needed
  explicit BenchTable(bool prints) : m_prints(prints) {}

  void add(const BenchRow& row);
  /// Runs a benchmark. If it throws, the table shows the reason, and other benchmarks continue.
  void attempt(const std::string& name, const std::function<void()>& benchmark);

  /// Value of the first row whose name begins with `beginning`; NaN if there is none.
  double valueOf(const std::string& beginning) const;
  bool hasFailed() const { return !m_failures.empty(); }
  /// rows: [{name, unit, value, least, largest}], failed: [{name, reason}]
  void write(nlohmann::ordered_json& out) const;

 private:
  struct Failure {
    std::string name, reason;
  };
  bool m_prints;
  std::vector<BenchRow> m_rows;
  std::vector<Failure> m_failures;
};

}  // namespace touchstone::cli
