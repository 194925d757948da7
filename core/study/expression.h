#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <variant>
#include <vector>

struct sqlite3;
struct sqlite3_stmt;

namespace touchstone {

/// An expression that cannot be evaluated. what() says which, and what is wrong.
class ExpressionError : public std::invalid_argument {
 public:
  using std::invalid_argument::invalid_argument;
};

/// Ends an evaluation that its caller no longer wants.
class EvaluationStopped : public std::runtime_error {
 public:
  EvaluationStopped() : std::runtime_error("an expression was stopped before it had a value") {}
};

/// Work that expressions may take together: steps of SQLite, and time. All tables that are made for one file
/// share a budget, so that many expressions take no longer than one. The clock only refuses; no value depends
/// on it.
class ExpressionBudget {
 public:
  enum class Clock {
    Wall,      ///< for a file that is read while somebody waits
    Processor  ///< of the thread, for results of long runs: other programs refuse nothing
  };
  /// @param goesOn  asked while expressions are evaluated; false ends them with EvaluationStopped
  explicit ExpressionBudget(Clock clock = Clock::Processor, std::function<bool()> goesOn = nullptr);
  /// Adds the work of one more row.
  void addRow();

 private:
  friend class ExpressionTable;
  using Time = std::chrono::nanoseconds;
  void begin();
  void end();
  /// @return false if the budget is used up, or the caller stops
  bool takeSteps();
  /// True while time and steps are left, and nobody stops.
  bool isLeft();
  Time now() const;

  Clock m_clock;
  std::function<bool()> m_goesOn;
  long m_steps;  ///< calls of SQLite's progress handler that are left
  Time m_left, m_begin{};
  bool m_isStopped = false;
};

/// A value of a table: a number, of which NaN is none, or a text.
using Cell = std::variant<double, std::string>;

/// A table in memory on which expressions in SQL are evaluated, as study files have them: "max(depth)",
/// "avg(overlap > 1e-9) where pane = 'cpf' and dt_s <= 0.002". Beyond SQLite's own functions there are
///
///     sqrt pow exp ln log10 sin cos tan atan2 pi
///     median(x) q1(x) q3(x)   with linear interpolation between two values
///     first(x) last(x)        that are not null
///     rms(x)                  √(mean x²)
///     total_variation(x)      Σ |x_k − x_k−1|
///     roughness(x)            rms of x_k+1 − 2 x_k + x_k−1 over rms of x
///     high_frequency(x)       share of the power of x − mean above a quarter of the Nyquist frequency
///     growth(x)               factor per row by which the amplitude grows: the largest root, in size, of the
///                             recurrence x_k+1 = a x_k + b x_k−1 that fits best
///     friction_w_min(u, λ, L) friction_w_fb(u, λ, L)   W of the published friction of a contact that slips
///     with
///                             u [m/s] under the force λ [N], of which it can carry L (Macklin 2019, eq. 35)
///     ncp_min(a, b), ncp_fb(a, b)   min(a, b) and a + b − √(a² + b²)
///
/// The order of rows is that in which they were added. Nothing but reading is allowed: an expression from an
/// untrusted file can neither write nor open files, nor ask for the time or for random numbers. All
/// expressions together have a budget of steps and time that grows with the rows, and a text within an
/// expression has at most 1000 bytes.
class ExpressionTable {
 public:
  /// @param name  of the table   @param columns  names of letters, digits and _
  /// @param budget  shared with other tables; null: the table has its own
  ExpressionTable(const std::string& name, std::vector<std::string> columns,
                  std::shared_ptr<ExpressionBudget> budget = nullptr);
  ~ExpressionTable();
  ExpressionTable(const ExpressionTable&) = delete;
  ExpressionTable& operator=(const ExpressionTable&) = delete;

  const std::vector<std::string>& columns() const { return m_columns; }
  /// @param cells  [columns]
  void add(const std::vector<Cell>& cells);
  /// Adds a column that is an expression of those that there are, in the rows that there are, other rows
  /// included ("lag(y) over (order by row_number)").   @throws ExpressionError
  void derive(const std::string& column, const std::string& expression);
  /// The value of an aggregate, with or without " where CONDITION"; NaN for null.   @throws ExpressionError
  double number(const std::string& expression) const;
  /// The value of an expression in each row, with or without " where CONDITION".   @throws ExpressionError
  std::vector<double> column(const std::string& expression) const;
  /// The row number (from 0) of each row that fulfils a condition; all for an empty one.
  std::vector<std::size_t> rowsWhere(const std::string& condition) const;

 private:
  std::vector<Cell> query(const std::string& sql, const std::string& expression) const;
  void run(const std::string& sql);
  std::string m_name;
  std::vector<std::string> m_columns;  ///< without derived ones
  std::size_t m_rows = 0;
  /// State that the callbacks of SQLite see.
  struct Guard {
    std::shared_ptr<ExpressionBudget> budget;
    bool isLocked = false;  ///< expressions of a user are evaluated
  };
  static int allowReadingOnly(void* guard, int action, const char*, const char* function, const char*,
                              const char*);
  static int stopEndless(void* guard);
  [[noreturn]] void fail(const std::string& expression) const;
  mutable Guard m_guard;
  sqlite3* m_handle = nullptr;
  sqlite3_stmt* m_insert = nullptr;
};

/// A table of one row, for expressions of some numbers: "sqrt(2) * x" with x = 3.   @throws ExpressionError
std::unique_ptr<ExpressionTable> tableOfNumbers(const std::vector<std::pair<std::string, double>>& names,
                                                std::shared_ptr<ExpressionBudget> budget = nullptr);
/// The value of one expression of some numbers.   @throws ExpressionError
double evaluated(const std::string& expression, const std::vector<std::pair<std::string, double>>& names);

/// True for a name of letters, digits and _ that does not begin with a digit, at most 60 long, and that is no
/// word of SQL.
bool isColumnName(const std::string& name);

/// " where CONDITION" at the end of an expression, or empty.
std::string conditionOf(const std::string& expression);

/// True if a word occurs in an expression, as a whole and outside of quotes.
bool mentions(const std::string& expression, const std::string& word);

}  // namespace touchstone
