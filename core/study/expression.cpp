#include "core/study/expression.h"

#include <sqlite3.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstring>
#include <ctime>
#include <new>
#include <unsupported/Eigen/FFT>

#include "core/math/count.h"
#include "core/math/not_a_number.h"
#include "core/math/quantile.h"
#include "core/solver/newton/newton_forms.h"

namespace touchstone {

namespace {

/// Instructions of SQLite between two looks at the budget. More let an instruction that searches long texts
/// hide from the clock; fewer slow every expression down.
constexpr int kBetweenLooks = 200;
/// Such looks that expressions may take together, at first and for each row. Larger values let a hostile file
/// block longer; smaller ones refuse expressions on long runs.
constexpr long kLooks = 500'000, kLooksOfRow = 500;
/// The time that they may take. Longer ones let a hostile file block; shorter ones refuse long runs.
constexpr std::chrono::milliseconds kTime{5000}, kTimeOfRow{1};
/// Longest text within an expression. SQLite searches texts in one instruction, in a time that grows with the
/// square of their length. A larger value lets that hide from the clock; a smaller one refuses useful texts.
constexpr int kLongestText = 1000;
/// Longest row while rows are added. A larger value takes more memory; a smaller one refuses many columns.
constexpr int kLongestRow = 30'000;
/// Largest number of values times the sum of the prime factors of it, of a spectrum. The transform takes a
/// time in proportion and cannot be stopped. A smaller value refuses the spectra of some long runs.
constexpr double kMostSpectrumWork = 2e9;
/// Longest expression. A larger value lets a hostile file take longer; a smaller one refuses useful ones.
constexpr int kMostCharacters = 20'000;

using Values = std::vector<double>;

double rms(const Values& values) {
  double sum = 0;
  for (double value : values) sum += value * value;
  return values.empty() ? kNaN : std::sqrt(sum / static_cast<double>(values.size()));
}

double totalVariation(const Values& values) {
  double sum = 0;
  for (std::size_t k = 1; k < values.size(); ++k) sum += std::abs(values[k] - values[k - 1]);
  return values.empty() ? kNaN : sum;
}

double roughness(const Values& values) {
  if (values.size() < 3) return kNaN;
  Values second;
  for (std::size_t k = 1; k + 1 < values.size(); ++k)
    second.push_back(values[k + 1] - 2 * values[k] + values[k - 1]);
  return rms(second) / rms(values);
}

double spectrumWork(std::size_t count) {
  std::size_t sum = 0, rest = count;
  for (std::size_t factor = 2; factor * factor <= rest; ++factor)
    for (; rest % factor == 0; rest /= factor) sum += factor;
  return static_cast<double>(count) * static_cast<double>(sum + rest);
}

double highFrequency(const Values& values) {
  if (values.size() < 8) return kNaN;
  if (spectrumWork(values.size()) > kMostSpectrumWork)
    throw std::length_error("high_frequency of " + std::to_string(values.size()) +
                            " values takes too long, since the number has a large prime factor");
  double mean = 0;
  for (double value : values) mean += value / static_cast<double>(values.size());
  Values deviations;
  for (double value : values) deviations.push_back(value - mean);
  Eigen::FFT<double> transform;
  std::vector<std::complex<double>> spectrum;
  transform.fwd(spectrum, deviations);
  const std::size_t nyquist = values.size() / 2;
  double high = 0, total = 0;
  for (std::size_t k = 1; k <= nyquist; ++k) {
    const double power = std::norm(spectrum[k]);
    total += power;
    if (4 * k > nyquist) high += power;
  }
  return total > 0 ? high / total : 0;
}

double growth(const Values& values) {
  if (values.size() < 4) return kNaN;
  // Least squares for a and b of x_k+1 = a x_k + b x_k−1.
  double xx = 0, xy = 0, yy = 0, zx = 0, zy = 0;
  for (std::size_t k = 1; k + 1 < values.size(); ++k) {
    const double x = values[k], y = values[k - 1], z = values[k + 1];
    xx += x * x;
    xy += x * y;
    yy += y * y;
    zx += z * x;
    zy += z * y;
  }
  const double determinant = xx * yy - xy * xy;
  if (!(determinant > 0)) return kNaN;
  const double a = (zx * yy - zy * xy) / determinant, b = (zy * xx - zx * xy) / determinant;
  const double square = a * a / 4 + b;
  return square < 0 ? std::sqrt(-b) : std::abs(a) / 2 + std::sqrt(square);
}

double firstOf(const Values& values) { return values.empty() ? kNaN : values.front(); }
double lastOf(const Values& values) { return values.empty() ? kNaN : values.back(); }
double medianOf(const Values& values) { return median(values); }
double firstQuartile(const Values& values) { return interpolatedQuantile(values, 0.25); }
double thirdQuartile(const Values& values) { return interpolatedQuantile(values, 0.75); }

struct Aggregate {
  const char* name;
  double (*evaluate)(const Values& values);
};
constexpr Aggregate kAggregates[] = {{"median", medianOf},
                                     {"q1", firstQuartile},
                                     {"q3", thirdQuartile},
                                     {"first", firstOf},
                                     {"last", lastOf},
                                     {"rms", rms},
                                     {"total_variation", totalVariation},
                                     {"roughness", roughness},
                                     {"high_frequency", highFrequency},
                                     {"growth", growth}};

struct Scalar {
  const char* name;
  int arguments;
  double (*evaluate)(const double* x);
};
const Scalar kScalars[] = {
    {"sqrt", 1, [](const double* x) { return std::sqrt(x[0]); }},
    {"pow", 2, [](const double* x) { return std::pow(x[0], x[1]); }},
    {"exp", 1, [](const double* x) { return std::exp(x[0]); }},
    {"ln", 1, [](const double* x) { return std::log(x[0]); }},
    {"log10", 1, [](const double* x) { return std::log10(x[0]); }},
    {"sin", 1, [](const double* x) { return std::sin(x[0]); }},
    {"cos", 1, [](const double* x) { return std::cos(x[0]); }},
    {"tan", 1, [](const double* x) { return std::tan(x[0]); }},
    {"atan2", 2, [](const double* x) { return std::atan2(x[0], x[1]); }},
    {"pi", 0, [](const double*) { return M_PI; }},
    {"ncp_min", 2, [](const double* x) { return minimumMap(x[0], x[1]).value; }},
    {"ncp_fb", 2, [](const double* x) { return fischerBurmeister(x[0], x[1]).value; }},
    {"friction_w_min", 3,
     [](const double* x) { return frictionWeight(NcpFunction::MinimumMap, x[0], x[1], x[2]); }},
    {"friction_w_fb", 3,
     [](const double* x) { return frictionWeight(NcpFunction::FischerBurmeister, x[0], x[1], x[2]); }}};

void result(sqlite3_context* context, double value) {
  if (std::isnan(value))
    sqlite3_result_null(context);
  else
    sqlite3_result_double(context, value);
}

void runScalar(sqlite3_context* context, int count, sqlite3_value** values) {
  const auto& scalar = *static_cast<const Scalar*>(sqlite3_user_data(context));
  double arguments[4] = {};
  for (int k = 0; k < count; ++k) {
    if (sqlite3_value_type(values[k]) == SQLITE_NULL) return;
    arguments[k] = sqlite3_value_double(values[k]);
  }
  result(context, scalar.evaluate(arguments));
}

/// SQLite keeps the pointer to the values of an aggregate.
void addToAggregate(sqlite3_context* context, int, sqlite3_value** values) {
  auto** kept = static_cast<Values**>(sqlite3_aggregate_context(context, sizeof(Values*)));
  if (!kept) return sqlite3_result_error_nomem(context);
  if (!*kept) *kept = new (std::nothrow) Values;
  if (!*kept) return sqlite3_result_error_nomem(context);
  try {
    if (sqlite3_value_type(values[0]) != SQLITE_NULL) (*kept)->push_back(sqlite3_value_double(values[0]));
  } catch (const std::bad_alloc&) {  // SQLite, which calls, knows no exceptions
    sqlite3_result_error_nomem(context);
  }
}

void finishAggregate(sqlite3_context* context) {
  auto** kept = static_cast<Values**>(sqlite3_aggregate_context(context, 0));
  const std::unique_ptr<Values> values(kept && *kept ? *kept : nullptr);
  try {
    result(context,
           static_cast<const Aggregate*>(sqlite3_user_data(context))->evaluate(values ? *values : Values()));
  } catch (const std::bad_alloc&) {
    sqlite3_result_error_nomem(context);
  } catch (const std::length_error& error) {
    sqlite3_result_error(context, error.what(), -1);
  }
}

/// Functions of SQLite that an expression must not call: their values change from one run to the next, or
/// they speak of the database.
bool isForbidden(const char* function) {
  constexpr const char* kForbidden[] = {
      "random",       "randomblob",   "zeroblob",          "date",          "time",
      "datetime",     "julianday",    "unixepoch",         "strftime",      "timediff",
      "current_date", "current_time", "current_timestamp", "changes",       "total_changes",
      "printf",       "format",       "last_insert_rowid", "sqlite_offset", "load_extension"};
  return std::any_of(std::begin(kForbidden), std::end(kForbidden),
                     [function](const char* forbidden) { return sqlite3_stricmp(function, forbidden) == 0; });
}

/// Calls visit(place, depth of parentheses) for each character that stands in no quotes.
template <class Visit>
void visitUnquoted(const std::string& text, const Visit& visit) {
  int depth = 0;
  char quote = 0;
  for (std::size_t position = 0; position < text.size(); ++position) {
    const char c = text[position];
    if (quote) {
      if (c == quote) quote = 0;
      continue;
    }
    if (c == '\'' || c == '"') quote = c;
    depth += c == '(' ? 1 : c == ')' ? -1 : 0;
    visit(position, depth);
  }
}

/// Refuses what would leave the parentheses in which an expression is put, or hide what follows it.
void requireOneExpression(const std::string& expression) {
  // Tables that name each other twice unfold while a statement is prepared, where SQLite asks for no
  // progress.
  if (mentions(expression, "with"))
    throw ExpressionError("'" + expression +
                          "': defines tables with WITH; write (select …) where they are used");
  visitUnquoted(expression, [&expression](std::size_t position, int depth) {
    const char c = expression[position];
    const std::string two = expression.substr(position, 2);
    if (depth < 0 || c == ';' || c == '`' || c == '[' || two == "--" || two == "/*")
      throw ExpressionError("'" + expression + "': is not one expression");
  });
}

void bind(sqlite3_stmt* statement, int place, const Cell& cell) {
  const double* number = std::get_if<double>(&cell);
  if (!number)
    sqlite3_bind_text(statement, place, std::get<std::string>(cell).c_str(), -1, SQLITE_TRANSIENT);
  else if (std::isnan(*number))
    sqlite3_bind_null(statement, place);
  else
    sqlite3_bind_double(statement, place, *number);
}

bool isWordCharacter(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }

/// Position of the last " where " that is in no parentheses and no quotes, or npos.
std::size_t wherePlace(const std::string& expression) {
  std::size_t place = std::string::npos;
  visitUnquoted(expression, [&](std::size_t position, int depth) {
    if (depth == 0 && expression[position] == ' ' && position + 7 <= expression.size() &&
        sqlite3_strnicmp(expression.c_str() + position, " where ", 7) == 0)
      place = position;
  });
  return place;
}

}  // namespace

ExpressionBudget::ExpressionBudget(Clock clock, std::function<bool()> goesOn)
    : m_clock(clock), m_goesOn(std::move(goesOn)), m_steps(kLooks), m_left(kTime) {}

void ExpressionBudget::addRow() {
  m_steps += kLooksOfRow;
  m_left += kTimeOfRow;
}

ExpressionBudget::Time ExpressionBudget::now() const {
  if (m_clock == Clock::Wall) return std::chrono::steady_clock::now().time_since_epoch();
  timespec time = {};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return std::chrono::seconds(time.tv_sec) + Time(time.tv_nsec);
}

void ExpressionBudget::begin() { m_begin = now(); }

void ExpressionBudget::end() { m_left -= now() - m_begin; }

bool ExpressionBudget::isLeft() {
  m_isStopped = m_isStopped || (m_goesOn && !m_goesOn());
  return !m_isStopped && m_steps > 0 && now() - m_begin < m_left;
}

bool ExpressionBudget::takeSteps() {
  --m_steps;
  return isLeft();
}

int ExpressionTable::allowReadingOnly(void* guard, int action, const char*, const char* function, const char*,
                                      const char*) {
  auto& lock = *static_cast<Guard*>(guard);
  if (!lock.isLocked) return SQLITE_OK;
  if (action == SQLITE_SELECT || action == SQLITE_READ) return SQLITE_OK;
  return action == SQLITE_FUNCTION && function && !isForbidden(function) ? SQLITE_OK : SQLITE_DENY;
}

int ExpressionTable::stopEndless(void* guard) {
  return static_cast<Guard*>(guard)->budget->takeSteps() ? 0 : 1;
}

void ExpressionTable::fail(const std::string& expression) const {
  if (m_guard.budget->m_isStopped) throw EvaluationStopped();
  const int code = sqlite3_errcode(m_handle);
  std::string problem = sqlite3_errmsg(m_handle);
  if (code == SQLITE_AUTH) problem = "may only read the table";
  if (code == SQLITE_TOOBIG) problem = "makes a text of more than " + std::to_string(kLongestText) + " bytes";
  if (code == SQLITE_INTERRUPT || !m_guard.budget->isLeft()) problem = "takes too long";
  throw ExpressionError("'" + expression + "': " + problem);
}

bool isColumnName(const std::string& name) {
  const bool isWord = !name.empty() && name.size() <= 60 &&
                      !std::isdigit(static_cast<unsigned char>(name.front())) &&
                      std::all_of(name.begin(), name.end(), isWordCharacter);
  if (!isWord) return false;
  try {
    return evaluated(name, {{name, 2.5}}) == 2.5;  // not so for a word of SQL: `true` is 1
  } catch (const ExpressionError&) {
    return false;
  }
}

std::string conditionOf(const std::string& expression) {
  const std::size_t where = wherePlace(expression);
  return where == std::string::npos ? "" : expression.substr(where);
}

bool mentions(const std::string& expression, const std::string& word) {
  char quote = 0;
  for (std::size_t position = 0; position < expression.size(); ++position) {
    const char c = expression[position];
    if (quote) {
      if (c == quote) quote = 0;
      continue;
    }
    if (c == '\'') quote = c;
    if (!isWordCharacter(c) || (position > 0 && isWordCharacter(expression[position - 1]))) continue;
    std::size_t end = position;
    while (end < expression.size() && isWordCharacter(expression[end])) ++end;
    // SQL does not distinguish upper from lower case.
    if (end - position == word.size() &&
        sqlite3_strnicmp(expression.c_str() + position, word.c_str(), countOf(word)) == 0)
      return true;
    position = end - 1;
  }
  return false;
}

ExpressionTable::ExpressionTable(const std::string& name, std::vector<std::string> columns,
                                 std::shared_ptr<ExpressionBudget> budget)
    : m_name(name), m_columns(std::move(columns)) {
  m_guard.budget = budget ? std::move(budget) : std::make_shared<ExpressionBudget>();
  if (sqlite3_open_v2(":memory:", &m_handle, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, nullptr) !=
      SQLITE_OK) {
    sqlite3_close(m_handle);
    throw std::bad_alloc();
  }
  for (const Aggregate& aggregate : kAggregates)
    sqlite3_create_function(m_handle, aggregate.name, 1, SQLITE_UTF8 | SQLITE_DETERMINISTIC,
                            const_cast<Aggregate*>(&aggregate), nullptr, addToAggregate, finishAggregate);
  for (const Scalar& scalar : kScalars)
    sqlite3_create_function(m_handle, scalar.name, scalar.arguments, SQLITE_UTF8 | SQLITE_DETERMINISTIC,
                            const_cast<Scalar*>(&scalar), runScalar, nullptr, nullptr);
  sqlite3_set_authorizer(m_handle, allowReadingOnly, &m_guard);
  std::string create = "CREATE TABLE " + m_name + " (row_number INTEGER PRIMARY KEY",
              insert = "INSERT INTO " + m_name + " (row_number", values = ") VALUES (NULL";
  for (const std::string& column : m_columns) {
    create += ", \"" + column + "\"";
    insert += ", \"" + column + "\"";
    values += ", ?";
  }
  insert += values;
  sqlite3_limit(m_handle, SQLITE_LIMIT_COLUMN, 2000);
  if (sqlite3_exec(m_handle, (create + ")").c_str(), nullptr, nullptr, nullptr) != SQLITE_OK ||
      sqlite3_prepare_v2(m_handle, (insert + ")").c_str(), -1, &m_insert, nullptr) != SQLITE_OK) {
    const std::string problem = sqlite3_errmsg(m_handle);
    sqlite3_close(m_handle);
    throw ExpressionError("table " + m_name + ": " + problem);
  }
  sqlite3_exec(m_handle, "BEGIN", nullptr, nullptr, nullptr);
  sqlite3_limit(m_handle, SQLITE_LIMIT_SQL_LENGTH, kMostCharacters);
  sqlite3_limit(m_handle, SQLITE_LIMIT_EXPR_DEPTH, 200);
  sqlite3_limit(m_handle, SQLITE_LIMIT_LENGTH, kLongestRow);
  // A name in double quotes that is no column would be read as a text, so that a misspelt one is not noticed.
  sqlite3_db_config(m_handle, SQLITE_DBCONFIG_DQS_DML, 0, nullptr);
}

ExpressionTable::~ExpressionTable() {
  sqlite3_finalize(m_insert);
  sqlite3_close(m_handle);
}

void ExpressionTable::add(const std::vector<Cell>& cells) {
  for (std::size_t k = 0; k < m_columns.size(); ++k) bind(m_insert, static_cast<int>(k) + 1, cells[k]);
  const bool isStored = sqlite3_step(m_insert) == SQLITE_DONE;
  sqlite3_reset(m_insert);
  if (!isStored)
    throw ExpressionError("table " + m_name + ": a row cannot be added: " + sqlite3_errmsg(m_handle));
  ++m_rows;
  m_guard.budget->addRow();
}

/// A statement of our own.
void ExpressionTable::run(const std::string& sql) {
  if (sqlite3_exec(m_handle, sql.c_str(), nullptr, nullptr, nullptr) != SQLITE_OK)
    throw ExpressionError("table " + m_name + ": " + sqlite3_errmsg(m_handle));
}

void ExpressionTable::derive(const std::string& column, const std::string& expression) {
  // The column stores its values, so that another expression that names it does not evaluate it again.
  const std::vector<Cell> cells =
      query("SELECT (" + expression + ") FROM " + m_name + " ORDER BY row_number", expression);
  if (cells.size() != m_rows)
    throw ExpressionError("'" + expression + "': does not give a value for each row");
  run("ALTER TABLE " + m_name + " ADD COLUMN \"" + column + "\"");
  sqlite3_stmt* statement = nullptr;
  const std::string update = "UPDATE " + m_name + " SET \"" + column + "\" = ? WHERE row_number = ?";
  if (sqlite3_prepare_v2(m_handle, update.c_str(), -1, &statement, nullptr) != SQLITE_OK)
    throw ExpressionError("table " + m_name + ": " + sqlite3_errmsg(m_handle));
  const std::unique_ptr<sqlite3_stmt, int (*)(sqlite3_stmt*)> owner(statement, sqlite3_finalize);
  for (std::size_t row = 0; row < cells.size(); ++row) {
    bind(statement, 1, cells[row]);
    sqlite3_bind_int64(statement, 2, static_cast<sqlite3_int64>(row) + 1);
    if (sqlite3_step(statement) != SQLITE_DONE)
      throw ExpressionError("table " + m_name + ": a value cannot be set: " + sqlite3_errmsg(m_handle));
    sqlite3_reset(statement);
  }
}

std::vector<Cell> ExpressionTable::query(const std::string& sql, const std::string& expression) const {
  requireOneExpression(expression);
  struct Lock {
    sqlite3* handle;
    Guard& guard;
    Lock(sqlite3* database, Guard& locked) : handle(database), guard(locked) {
      guard.isLocked = true;
      guard.budget->begin();
      sqlite3_progress_handler(handle, kBetweenLooks, stopEndless, &guard);
    }
    ~Lock() {
      sqlite3_limit(handle, SQLITE_LIMIT_LENGTH, kLongestRow);
      sqlite3_progress_handler(handle, 0, nullptr, nullptr);
      guard.budget->end();
      guard.isLocked = false;
    }
  } const lock(m_handle, m_guard);
  if (!m_guard.budget->isLeft()) fail(expression);
  sqlite3_stmt* statement = nullptr;
  const char* rest = nullptr;
  if (sqlite3_prepare_v2(m_handle, sql.c_str(), countOf(sql), &statement, &rest) != SQLITE_OK)
    fail(expression);
  const std::unique_ptr<sqlite3_stmt, int (*)(sqlite3_stmt*)> owner(statement, sqlite3_finalize);
  if (!statement || std::strlen(rest) > 0 || sqlite3_column_count(statement) != 1)
    throw ExpressionError("'" + expression + "': is not one expression");
  sqlite3_limit(m_handle, SQLITE_LIMIT_LENGTH, kLongestText);  // the expression itself may be longer
  std::vector<Cell> cells;
  int code;
  while ((code = sqlite3_step(statement)) == SQLITE_ROW) {
    if (cells.size() > m_rows)
      throw ExpressionError("'" + expression + "': gives more values than there are rows");
    if (sqlite3_column_type(statement, 0) == SQLITE_TEXT)
      cells.emplace_back(std::string(reinterpret_cast<const char*>(sqlite3_column_text(statement, 0))));
    else if (sqlite3_column_type(statement, 0) == SQLITE_NULL)
      cells.emplace_back(kNaN);
    else
      cells.emplace_back(sqlite3_column_double(statement, 0));
  }
  if (code != SQLITE_DONE) fail(expression);
  return cells;
}

namespace {

double numberOf(const Cell& cell, const std::string& expression) {
  if (const double* number = std::get_if<double>(&cell)) return *number;
  throw ExpressionError("'" + expression + "': gives a text, not a number");
}

}  // namespace

double ExpressionTable::number(const std::string& expression) const {
  const std::string rest = conditionOf(expression);
  const std::vector<Cell> cells =
      query("SELECT (" + expression.substr(0, expression.size() - rest.size()) + ") FROM " + m_name + rest,
            expression);
  if (cells.size() > 1)
    throw ExpressionError("'" + expression + "': gives " + std::to_string(cells.size()) +
                          " numbers; wrap it in max(…), median(…) or another aggregate");
  return cells.empty() ? kNaN : numberOf(cells.front(), expression);
}

std::vector<double> ExpressionTable::column(const std::string& expression) const {
  const std::string rest = conditionOf(expression);
  std::vector<double> numbers;
  for (const Cell& cell : query("SELECT (" + expression.substr(0, expression.size() - rest.size()) +
                                    ") FROM " + m_name + rest + " ORDER BY row_number",
                                expression))
    numbers.push_back(numberOf(cell, expression));
  return numbers;
}

std::vector<std::size_t> ExpressionTable::rowsWhere(const std::string& condition) const {
  std::vector<std::size_t> rows;
  for (double row : column("row_number - 1" + (condition.empty() ? "" : " where " + condition)))
    rows.push_back(row);
  return rows;
}

std::unique_ptr<ExpressionTable> tableOfNumbers(const std::vector<std::pair<std::string, double>>& names,
                                                std::shared_ptr<ExpressionBudget> budget) {
  std::vector<std::string> columns;
  std::vector<Cell> cells;
  for (const auto& [name, value] : names) {
    columns.push_back(name);
    cells.emplace_back(value);
  }
  auto table = std::make_unique<ExpressionTable>("numbers", columns, std::move(budget));
  table->add(cells);
  return table;
}

double evaluated(const std::string& expression, const std::vector<std::pair<std::string, double>>& names) {
  return tableOfNumbers(names)->number(expression);
}

}  // namespace touchstone
