#include "core/study/expression.h"

#include <QFileInfo>
#include <QTemporaryDir>
#include <QtTest>
#include <cmath>

#include "core/math/count.h"
#include "core/math/not_a_number.h"
#include "tests/support/near.h"

using namespace touchstone;

/// Expressions in SQL over tables in memory, as study files have them.
class ExpressionTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void functionsHaveTheirValues_data();
  void functionsHaveTheirValues();
  void scalarFunctionsHaveTheirValues_data();
  void scalarFunctionsHaveTheirValues();
  void highFrequencyIsTheShareOfPower();
  void highFrequencyBeginsAboveAQuarter();
  void growthIsTheLargestRoot_data();
  void growthIsTheLargestRoot();
  void conditionsChooseRows_data();
  void conditionsChooseRows();
  void whatIsMissingIsNotCounted();
  void textsAreCompared();
  void rowsStayInTheirOrder();
  void aColumnIsMadeOfOtherRows();
  void whatIsNoNumberIsRefused_data();
  void whatIsNoNumberIsRefused();
  void nothingIsWritten();
  void endlessWorkIsStopped_data();
  void endlessWorkIsStopped();
  void longTextsAreRefused_data();
  void longTextsAreRefused();
  void tablesOfOneFileShareTheirBudget();
  void searchesInTextsEndByTheClock();
  void aCallerStopsAnExpression();
  void tablesOfManyColumnsCanBeAsked();
  void spectraThatTakeTooLongAreRefused();
  void aRefusalLeavesTheTableUsable();
  void namesOfColumnsAreNoWordsOfSql_data();
  void namesOfColumnsAreNoWordsOfSql();
  void aWordIsMentionedAsAWhole_data();
  void aWordIsMentionedAsAWhole();
};

namespace {

/// A table with one column x.
std::unique_ptr<ExpressionTable> tableOf(const std::vector<double>& values) {
  auto table = std::make_unique<ExpressionTable>("run", std::vector<std::string>{"x"});
  for (double value : values) table->add({value});
  return table;
}

/// Three runs: names with words of SQL in them, and a missing depth.
std::unique_ptr<ExpressionTable> runs() {
  auto table = std::make_unique<ExpressionTable>("runs", std::vector<std::string>{"pane", "dt_s", "depth"});
  table->add({std::string("cpf"), 0.001, 1.0});
  table->add({std::string("a where b"), 0.002, 2.0});
  table->add({std::string("cpf"), 0.004, 4.0});
  table->add({std::string("dpf (end"), 0.004, kNaN});
  return table;
}

/// Ten rows for each letter: "(values (0), …) a, (values (0), …) b".
QString tens(const char* letters) {
  QStringList tables;
  for (const char* letter = letters; *letter; ++letter)
    tables << QStringLiteral("(values (0), (1), (2), (3), (4), (5), (6), (7), (8), (9)) ") + *letter;
  return tables.join(QStringLiteral(", "));
}

/// What an expression is refused with; empty if it has a value.
QString refusalOf(const ExpressionTable& table, const QString& expression) {
  try {
    table.number(expression.toStdString());
    return {};
  } catch (const ExpressionError& error) {
    return QString::fromStdString(error.what());
  }
}

}  // namespace

void ExpressionTest::functionsHaveTheirValues_data() {
  QTest::addColumn<QVector<double>>("values");
  QTest::addColumn<QString>("expression");
  QTest::addColumn<double>("expected");
  const auto row = [](const char* expression, const QVector<double>& values, double expected) {
    QTest::addRow("%s of %d", expression, countOf(values))
        << values << QString::fromLatin1(expression) << expected;
  };
  row("median(x)", {4, 1, 3, 2}, 2.5);
  row("q1(x)", {4, 1, 3, 2}, 1.75);
  row("q3(x)", {4, 1, 3, 2}, 3.25);
  row("median(x)", {1, 2}, 1.5);
  row("median(x)", {7, 5, 6}, 6);
  row("q1(x)", {7}, 7);
  row("median(x)", {}, kNaN);
  row("first(x)", {3, 1, 2}, 3);
  row("last(x)", {3, 1, 2}, 2);
  row("first(x)", {}, kNaN);
  row("rms(x)", {3, -4}, std::sqrt(12.5));
  row("total_variation(x)", {1, 3, 2, 2}, 3);
  row("total_variation(x)", {5}, 0);
  row("roughness(x)", {1, 3, 2}, 3 / std::sqrt(14.0 / 3));  // 2 − 2·3 + 1 = −3
  row("roughness(x)", {1, -1, 1, -1, 1, -1}, 4);
  row("roughness(x)", {1, 2, 3, 4}, 0);
  row("roughness(x)", {1, 2}, kNaN);
  row("high_frequency(x)", {1, 2, 3}, kNaN);  // too few for a spectrum
  row("high_frequency(x)", {2, 2, 2, 2, 2, 2, 2, 2}, 0);
  row("avg(x > 1)", {0, 1, 2, 3}, 0.5);
  row("max(abs(x))", {1, -3, 2}, 3);
}

void ExpressionTest::functionsHaveTheirValues() {
  QFETCH(QVector<double>, values);
  QFETCH(QString, expression);
  QFETCH(double, expected);
  const double actual =
      tableOf(std::vector<double>(values.begin(), values.end()))->number(expression.toStdString());
  if (std::isnan(expected))
    QVERIFY(std::isnan(actual));
  else
    QVERIFY_NEAR(actual, expected, 1e-14);
}

void ExpressionTest::scalarFunctionsHaveTheirValues_data() {
  QTest::addColumn<double>("expected");
  const auto row = [](const char* expression, double expected) { QTest::newRow(expression) << expected; };
  row("sqrt(x)", 2);
  row("pow(x, 0.5)", 2);
  row("exp(x - 3)", std::exp(1.0));
  row("ln(x)", 2 * std::log(2.0));
  row("log10(25 * x)", 2);
  row("sin(pi() / 2) + cos(pi())", 0);
  row("tan(pi() / x)", 1);
  row("atan2(x, x)", M_PI / 4);
  row("sqrt(x - 5)", kNaN);  // no real root
  row("sqrt(null)", kNaN);
  row("x / 8", 0.5);
  row("1 / 2", 0);  // as in SQL
  row("1.0 / 2", 0.5);
  row("ncp_min(3, x)", 3);
  row("ncp_fb(3, x)", 2);  // 3 + 4 − 5
  // W = (u − ψ)/(λ + ψ) with the complementarity function ψ(u, L − λ) (Macklin 2019); x = 4.
  row("friction_w_min(5, 6, 6 + x)", 0.1);   // ψ = 4
  row("friction_w_min(3, 6, 6 + x)", 0);     // ψ = u: it sticks
  row("friction_w_min(5, 10, 10)", 0.5);     // ψ = 0: W L = u
  row("friction_w_fb(3, 6, 6 + x)", 0.125);  // ψ = 3 + 4 − 5
  row("friction_w_fb(5, 10, 10)", 0.5);
}

void ExpressionTest::scalarFunctionsHaveTheirValues() {
  QFETCH(double, expected);
  const double actual = evaluated(QTest::currentDataTag(), {{"x", 4}});
  if (std::isnan(expected))
    QVERIFY(std::isnan(actual));
  else
    QVERIFY_NEAR(actual, expected, 1e-14);
}

/// Powers are as squares of amplitudes: 1 at an eighth of the Nyquist frequency, 1/4 at five eighths, and any
/// mean.
void ExpressionTest::highFrequencyIsTheShareOfPower() {
  std::vector<double> values, low;
  for (int k = 0; k < 64; ++k) {
    low.push_back(7 + std::sin(2 * M_PI * 4 * k / 64));
    values.push_back(low.back() + 0.5 * std::cos(2 * M_PI * 20 * k / 64));
  }
  QVERIFY_NEAR(tableOf(values)->number("high_frequency(x)"), 0.2, 1e-12);
  QVERIFY_NEAR(tableOf(low)->number("high_frequency(x)"), 0, 1e-12);
}

/// High begins above a quarter of the Nyquist frequency, which is the eighth of 32 lines.
void ExpressionTest::highFrequencyBeginsAboveAQuarter() {
  const auto shareOf = [](int line) {
    std::vector<double> values;
    for (int k = 0; k < 64; ++k)
      values.push_back(std::sin(2 * M_PI * 2 * k / 64) + std::cos(2 * M_PI * line * k / 64));
    return tableOf(values)->number("high_frequency(x)");
  };
  QVERIFY_NEAR(shareOf(8), 0, 1e-12);
  QVERIFY_NEAR(shareOf(9), 0.5, 1e-12);
  QVERIFY_NEAR(shareOf(12), 0.5, 1e-12);
  QVERIFY_NEAR(shareOf(16), 0.5, 1e-12);
}

void ExpressionTest::growthIsTheLargestRoot_data() {
  QTest::addColumn<double>("modulus");
  QTest::addColumn<double>("angle");
  QTest::newRow("damped") << 0.9 << 0.3;
  QTest::newRow("undamped") << 1.0 << 1.1;
  QTest::newRow("grows") << 1.05 << 0.7;
  QTest::newRow("grows and turns its sign") << 1.2 << 2.9;
}

void ExpressionTest::growthIsTheLargestRoot() {
  QFETCH(double, modulus);
  QFETCH(double, angle);
  std::vector<double> values, sum;
  for (int k = 0; k < 20; ++k) {
    values.push_back(3e-6 * std::pow(modulus, k) * std::cos(angle * k + 0.4));
    sum.push_back(std::pow(-modulus, k) + std::pow(0.5, k));  // real roots
  }
  QVERIFY_NEAR(tableOf(values)->number("growth(x)"), modulus, 1e-9);
  QVERIFY_NEAR(tableOf(sum)->number("growth(x)"), modulus, 1e-9);
  QVERIFY(std::isnan(tableOf({1, 2, 3})->number("growth(x)")));
}

void ExpressionTest::conditionsChooseRows_data() {
  QTest::addColumn<double>("expected");
  const auto row = [](const char* expression, double expected) { QTest::newRow(expression) << expected; };
  row("max(depth)", 4);
  row("max(depth) where dt_s <= 0.002", 2);
  row("max(depth) WHERE dt_s <= 0.001", 1);
  row("min(dt_s) where depth > 1", 0.002);
  row("sum(depth) where pane = 'cpf'", 5);
  row("max(depth) where pane = 'a where b'", 2);
  row("count(*) where pane = 'dpf (end'", 1);
  row("count(*) where pane != ') where ('", 4);
  row("sum(depth) filter ( where depth > 1)", 6);
  row("max((select sum(depth) from runs where dt_s < 0.003)) where pane = 'cpf'", 3);
  row("depth where dt_s = 0.002", 2);
  row("depth where dt_s = 77", kNaN);
  row("max(depth) where dt_s = 77", kNaN);
  row("count(*) where dt_s = 77", 0);
  row("count(*) where pane in ('cpf', 'lcp') and not (depth > 2)", 1);
}

void ExpressionTest::conditionsChooseRows() {
  QFETCH(double, expected);
  const double actual = runs()->number(QTest::currentDataTag());
  if (std::isnan(expected))
    QVERIFY(std::isnan(actual));
  else
    QVERIFY_NEAR(actual, expected, 1e-15);
}

void ExpressionTest::whatIsMissingIsNotCounted() {
  const auto table = tableOf({kNaN, 1, kNaN, 3, kNaN});
  QCOMPARE(table->number("avg(x)"), 2.0);
  QCOMPARE(table->number("median(x)"), 2.0);
  QCOMPARE(table->number("count(x)"), 2.0);
  QCOMPARE(table->number("first(x)"), 1.0);
  QCOMPARE(table->number("last(x)"), 3.0);
  QCOMPARE(table->number("total_variation(x)"), 2.0);
  const std::vector<double> column = table->column("2 * x");
  QCOMPARE(column.size(), std::size_t(5));
  QVERIFY(std::isnan(column[0]) && std::isnan(column[4]));
  QCOMPARE(column[3], 6.0);
}

void ExpressionTest::textsAreCompared() {
  QCOMPARE(runs()->number("count(distinct pane)"), 3.0);
  QCOMPARE(runs()->column("pane = 'cpf'"), std::vector<double>({1, 0, 1, 0}));
  QVERIFY(refusalOf(*runs(), "max(pane)").contains("text"));
}

void ExpressionTest::rowsStayInTheirOrder() {
  const auto table = tableOf({3, 1, 2});
  QCOMPARE(table->column("x"), std::vector<double>({3, 1, 2}));
  QCOMPARE(table->column("x where x > 1"), std::vector<double>({3, 2}));
  QCOMPARE(table->rowsWhere("x > 1"), std::vector<std::size_t>({0, 2}));
  QCOMPARE(table->rowsWhere(""), std::vector<std::size_t>({0, 1, 2}));
  QVERIFY(table->rowsWhere("x > 9").empty());
}

void ExpressionTest::aColumnIsMadeOfOtherRows() {
  const auto table = tableOf({1, 3, 7});
  table->derive("step", "x - lag(x) over (order by row_number)");
  table->derive("twice", "2 * step");
  QCOMPARE(table->number("max(twice)"), 8.0);
  QCOMPARE(table->number("sum(step) where x < 5"), 2.0);
  const std::vector<double> step = table->column("step");
  QVERIFY(std::isnan(step[0]));
  QCOMPARE(step[1], 2.0);
  QCOMPARE(table->rowsWhere("step > 3"), std::vector<std::size_t>({2}));
  try {
    tableOf({1, 2})->derive("step", "x - lag(y) over (order by row_number)");
    QFAIL("taken");
  } catch (const ExpressionError& error) {
    QVERIFY(QString::fromUtf8(error.what()).contains("no such column: y"));
  }
}

void ExpressionTest::whatIsNoNumberIsRefused_data() {
  QTest::addColumn<QString>("says");
  const auto row = [](const char* expression, const char* says) {
    QTest::newRow(expression) << QString::fromLatin1(says);
  };
  row("max(dept)", "no such column: dept");
  row("max(\"dept\")", "no such column");  // not the text 'dept'
  row("medain(depth)", "no such function: medain");
  row("median(depth, 1)", "wrong number of arguments");
  row("depth", "gives 4 numbers; wrap it in max");
  row("depth where pane = 'cpf'", "gives 2 numbers");
  row("pane where dt_s = 0.001", "gives a text");
  row("max(depth", "'max(depth'");
  row("", "");
  row("max(depth), 1", "");
  row("max(depth) where", "");
  row("1); select (2", "not one expression");
  row("max(depth) where 1; drop table runs", "not one expression");
  row("1) from runs; delete from runs; --", "not one expression");
  row("attach 'other.db' as other", "syntax error");
  row("pragma user_version", "syntax error");
  row("create table t (x)", "syntax error");
  row("max(depth) where (select load_extension('libm.so')) is null", "not authorized");
  row("writefile('other.txt', 'x')", "no such function");
  row("(select x from other.t)", "no such table");
  row("random()", "not authorized");  // another number in each run
  row("max(julianday('now'))", "not authorized");
  row("length(zeroblob(400000000))", "not authorized");
  row("a.dt_s) from runs a, (runs b", "");
  row("dt_s where 1 union all select a.dt_s from runs a, runs b", "more values than there are rows");
}

void ExpressionTest::whatIsNoNumberIsRefused() {
  QFETCH(QString, says);
  const QString expression = QString::fromLatin1(QTest::currentDataTag());
  const QString refusal = refusalOf(*runs(), expression);
  QVERIFY2(!refusal.isEmpty(), "taken");
  QVERIFY2(refusal.contains(says), qPrintable(refusal));
  QVERIFY2(refusal.contains("'" + expression + "'"), qPrintable(refusal));
}

void ExpressionTest::nothingIsWritten() {
  QTemporaryDir folder;
  const QString file = folder.filePath("other.db");
  const auto table = runs();
  for (const QString& expression : {QStringLiteral("1) from runs; attach '%1' as other; --").arg(file),
                                    QStringLiteral("(attach '%1' as other)").arg(file),
                                    QStringLiteral("1) from runs; vacuum into '%1'; --").arg(file),
                                    QStringLiteral("1) from runs; update runs set depth = 9; --")})
    QVERIFY(!refusalOf(*table, expression).isEmpty());
  QVERIFY(!QFileInfo::exists(file));
  QCOMPARE(table->number("max(depth)"), 4.0);
}

void ExpressionTest::endlessWorkIsStopped_data() {
  QTest::addColumn<QString>("expression");
  QTest::newRow("recursion") << "max((with recursive c(n) as (select 1 union all select n + 1 from c) select "
                                "count(*) from c))";
  // A search in a long text is one instruction.
  QTest::newRow("text") << "max(length(hex(hex('" + QStringLiteral("1").repeated(9000) + "'))))";
  QString tables = "with t0(v) as (select 1 union all select 2)";  // each names the one before it twice
  for (int level = 1; level < 60; ++level)
    tables += QStringLiteral(", t%1(v) as (select a.v from t%2 a, t%2 b)").arg(level).arg(level - 1);
  QTest::newRow("tables of tables") << "max((" + tables + " select count(*) from t59))";
  QTest::newRow("depth") << "max(1" + QStringLiteral("+1").repeated(400) + ")";
  QTest::newRow("length") << "max(1" + QStringLiteral(" ").repeated(30000) + ")";
}

void ExpressionTest::endlessWorkIsStopped() {
  QFETCH(QString, expression);
  const auto table = runs();
  QVERIFY(!refusalOf(*table, expression).isEmpty());
  QCOMPARE(table->number("max(depth)"), 4.0);
}

void ExpressionTest::longTextsAreRefused_data() {
  QTest::addColumn<QString>("expression");
  const QString a = "'" + QStringLiteral("a").repeated(900) + "'", two = "(" + a + "||" + a + ")";
  const auto row = [](const char* name, const QString& expression) { QTest::newRow(name) << expression; };
  row("literal", "length('" + QStringLiteral("a").repeated(1001) + "')");
  row("concatenation", "length(" + two + ")");
  row("replace", "length(replace(" + a + ", 'a', 'aa'))");
  row("instr", "instr(" + two + ", 'b')");
  row("like", two + " like '%b%'");
  row("glob", two + " glob '*b*'");
  row("hex", "length(hex(" + a + "))");
  row("group_concat", "length(group_concat(" + a + "))");
  row("printf", "length(printf('%1500d', 1))");
  row("format", "length(format('%1500d', 1))");
  row("zeroblob", "length(zeroblob(1500))");
  row("randomblob", "length(randomblob(1500))");
}

void ExpressionTest::longTextsAreRefused() {
  QFETCH(QString, expression);
  const auto table = runs();
  const QString refusal = refusalOf(*table, "max(" + expression + ")"), plain = refusalOf(*table, expression);
  QVERIFY2(
      (refusal + plain).contains("more than 1000 bytes") || plain.contains("not authorized to use function"),
      qPrintable(refusal + "\n" + plain));
  QCOMPARE(table->number("length('" + std::string(1000, 'a') + "') where dt_s = 0.001"), 1000.0);
}

void ExpressionTest::tablesOfOneFileShareTheirBudget() {
  const auto budget = std::make_shared<ExpressionBudget>();
  QString refusal;
  // 10⁵ rows each: some 10⁶ of the 10⁸ steps that all have together.
  int count = 0;
  for (; refusal.isEmpty() && count < 1000; ++count) {
    const auto table = tableOfNumbers({{"x", 1}}, budget);
    refusal = refusalOf(*table, "(select count(*) from " + tens("abcde") + ")");
  }
  QVERIFY2(refusal.contains("takes too long"), qPrintable(refusal));
  QVERIFY(count > 10);
  const QString other = "max((select count(*) from " + tens("fghij") + "))";
  QVERIFY(refusalOf(*tableOfNumbers({{"x", 1}}, budget), other).contains("takes too long"));
  QCOMPARE(tableOfNumbers({{"x", 1}})->number("x"), 1.0);
}

/// Each search takes thousands of times as long as another step.
void ExpressionTest::searchesInTextsEndByTheClock() {
  const auto table = runs();
  const QString text = QStringLiteral("a").repeated(500), part = QStringLiteral("a").repeated(250) + "b";
  const QString refusal =
      refusalOf(*table, "(select sum(instr('" + text + "' || a.column1, '" + part + "') + ('" + text +
                            "' || b.column1 like '%a%a%a%b')) from " + tens("abcdefg") + ")");
  QVERIFY2(refusal.contains("takes too long"), qPrintable(refusal));
}

void ExpressionTest::aCallerStopsAnExpression() {
  int asked = 0;
  const auto budget = std::make_shared<ExpressionBudget>(ExpressionBudget::Clock::Processor,
                                                         [&asked] { return ++asked < 3; });
  const auto table = tableOfNumbers({{"x", 1}}, budget);
  QVERIFY_EXCEPTION_THROWN(table->number(("(select count(*) from " + tens("abcde") + ")").toStdString()),
                           EvaluationStopped);
  QCOMPARE(asked, 3);
}

/// A row, and an expression, has more bytes than a text within an expression may have.
void ExpressionTest::tablesOfManyColumnsCanBeAsked() {
  std::vector<std::string> names;
  std::vector<Cell> cells;
  for (int column = 0; column < 1200; ++column) {
    names.push_back("c" + std::to_string(column));
    cells.emplace_back(column + 0.5);
  }
  ExpressionTable table("run", names);
  for (int row = 0; row < 3; ++row) table.add(cells);
  QCOMPARE(table.number("max(c1199)"), 1199.5);
  QCOMPARE(table.number("median(c0 + c950) where c1199 > c1198"), 951.0);
  table.derive("rise", "c1199 - lag(c1199) over (order by row_number)");
  QCOMPARE(table.number("max(rise)"), 0.0);
  std::string sum = "c0";
  for (int column = 1; column < 190; ++column) sum += "        + c0";
  QCOMPARE(table.number("max(" + sum + ")"), 95.0);
}

/// The time of a transform grows with the largest prime factor of the number of values.
void ExpressionTest::spectraThatTakeTooLongAreRefused() {
  const auto table = tableOf({1});
  const auto spectrum = [&table](const char* count) {
    return refusalOf(*table, "(select high_frequency(x.n) from (select a.column1 as n from " +
                                 tens("abcdef") + " limit " + count + ") x)");
  };
  QVERIFY(spectrum("131072").isEmpty());
  QVERIFY2(spectrum("100003").contains("takes too long"), qPrintable(spectrum("100003")));
}

void ExpressionTest::aRefusalLeavesTheTableUsable() {
  const auto table = tableOf({1});
  QVERIFY(!refusalOf(*table, "max(y)").isEmpty());
  table->add({5.0});
  QCOMPARE(table->number("max(x)"), 5.0);
  table->add({6.0});
  QCOMPARE(table->number("max(x)"), 6.0);
}

void ExpressionTest::namesOfColumnsAreNoWordsOfSql_data() {
  QTest::addColumn<QString>("name");
  QTest::addColumn<bool>("isOne");
  const auto row = [](const QString& name, bool isOne) { QTest::newRow(qPrintable(name)) << name << isOne; };
  for (const char* name : {"x", "dt_s", "_1", "Overlap2", "depth_max", "pi", "median"}) row(name, true);
  for (const char* name : {"drop", "select", "where", "from", "null", "case", "current_time", "DROP"})
    row(name, false);
  for (const char* name : {"", "1x", "a-b", "a b", "a.b", "a\"b", "ä", "x;y", "row_number"}) row(name, false);
  row(QStringLiteral("a").repeated(60), true);
  row(QStringLiteral("a").repeated(61), false);
}

void ExpressionTest::namesOfColumnsAreNoWordsOfSql() {
  QFETCH(QString, name);
  QFETCH(bool, isOne);
  QCOMPARE(isColumnName(name.toStdString()), isOne);
}

void ExpressionTest::aWordIsMentionedAsAWhole_data() {
  QTest::addColumn<QString>("word");
  QTest::addColumn<bool>("isMentioned");
  const auto row = [](const char* expression, const char* word, bool isMentioned) {
    QTest::addRow("%s in %s", word, expression) << QString::fromLatin1(word) << isMentioned;
  };
  row("max(depth)", "depth", true);
  row("depth", "depth", true);
  row("max(depth_x)", "depth", false);
  row("max(my_depth)", "depth", false);
  row("count(*) where pane = 'depth'", "depth", false);
  row("count(*) where pane = 'a' and depth > 1", "depth", true);
  row("max(\"depth\")", "depth", true);
  row("2*depth", "depth", true);
  row("2depth", "depth", false);
  row("max(DEPTH)", "depth", true);  // SQL knows no case
  row("", "depth", false);
}

void ExpressionTest::aWordIsMentionedAsAWhole() {
  QFETCH(QString, word);
  QFETCH(bool, isMentioned);
  const std::string tag = QTest::currentDataTag();
  QCOMPARE(mentions(tag.substr(tag.find(" in ") + 4), word.toStdString()), isMentioned);
}

QTEST_APPLESS_MAIN(ExpressionTest)
#include "tst_expression.moc"
