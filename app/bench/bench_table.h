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
  /// Spread: the 5th and 95th percentiles of the measurements (see stopwatch.h); of several rounds the least
  /// and the largest of their values. NaN: measured once.
  double least = std::numeric_limits<double>::quiet_NaN(), largest = least;
  std::vector<double> rounds = {};  ///< value of each round, if there were several
};

/// A benchmark that ended without its rows, or without some of them.
struct BenchFailure {
  std::string name, reason;
};

/// Four digits, and all that are before the point.
std::string shownNumber(double value);

/// Measured rows, printed as they come: printed rows stay, whatever becomes of the rest.
class BenchTable {
 public:
  /// @param prints  no: for write() or benchPage() alone
  explicit BenchTable(bool prints) : m_prints(prints) {}

  void add(const BenchRow& row);
  /// Runs a benchmark. If it throws, the table shows the reason, and other benchmarks continue.
  void attempt(const std::string& name, const std::function<void()>& benchmark);

  /// Value of the first row whose name begins with `beginning`; NaN if there is none.
  double valueOf(const std::string& beginning) const;
  bool hasFailed() const { return !m_failures.empty(); }
  const std::vector<BenchRow>& rows() const { return m_rows; }
  const std::vector<BenchFailure>& failures() const { return m_failures; }
  /// Failures of another table are failures of this one too.
  void addFailuresOf(const BenchTable& other);
  /// rows: [{name, unit, value, least, largest, rounds}], failed: [{name, reason}]
  void write(nlohmann::ordered_json& out) const;

 private:
  bool m_prints;
  std::vector<BenchRow> m_rows;
  std::vector<BenchFailure> m_failures;
};

}  // namespace touchstone::cli
