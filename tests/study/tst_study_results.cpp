#include "core/study/study_results.h"

#include <QtTest>
#include <cmath>
#include <set>

#include "core/files/scene_error.h"
#include "core/math/not_a_number.h"
#include "tests/scene/scene_folder.h"
#include "tests/support/near.h"

using namespace touchstone;

/// Tables, verdicts and figures of a study. Most tests write the results of the runs themselves, so that
/// medians are known without a simulation; the last ones run small studies.
class StudyResultsTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void claimsAreJudged();
  void controlsMustTurn();
  void aClaimWithoutAControlIsNotJudged();
  void perturbedRunsStandForThoseOfTheStudy();
  void controlsChangeMethodAndScene();
  void sentencesAreFilled();
  void tablesHaveARowPerRun();
  void clocksAreInTheirOwnTable();
  void seriesHaveARowPerPoint();
  void missingRunsAreLeftOut();
  void markdownHasMediansAndQuartiles();
  void curvesGoThroughMedians();
  void bandsCanBeExtremesOrNothing();
  void failedRunsAreCrosses();
  void curvesOfOneMethodAreVariants();
  void panelsAreOfAnAxis();
  void smallValuesLieOnTheFloor();
  void sharesAreMeansInBins();
  void mapsHaveCellsAndABorder();
  void seriesShowOneStart();
  void polarPlotsTurn();
  void linesOfTheTheoryAreDrawn();
  void publishedValuesAreBands();
  void publishedValuesThatDoNotExistAreRefused();
  void sweepsChangeWhatIsRun();
  void runsThatDifferAreTold();
  void runsMeasureWhatWasSet();
  void aFastBodyEndsItsRun();
  void aRunCanBeAborted();
  void formulasNeedNoScene();
};

namespace {

constexpr double kDt = 0.01;

/// Panes A and B at the sizes 1 and 10 with the seeds 1 to 4: the height of a run is its seed times its size,
/// twice that in B. A quantity of a clock and a series of three points are measured too.
StudyResults heights() {
  StudyResults results;
  Study& study = results.study;
  study.name = "heights";
  study.title = "Heights";
  study.file = "heights.json";
  study.dt = std::vector<double>{kDt};
  study.seeds = {1, 2, 3, 4};
  StudyPane a, b;
  a.label = "A";
  a.settings.method = "cpf";
  b.label = "B";
  b.settings.method = "dpf";
  study.panes = {a, b};
  StudyAxis size;
  size.name = "s";
  size.title = "Size";
  size.unit = "m";
  StudyAxis::Point small, large;
  small.value = 1.0;
  large.value = 10.0;
  size.points = {small, large};
  study.axes = {size};
  StudyQuantity height, clock, track;
  height.id = "q";
  height.title = "Height";
  height.unit = "m";
  height.expression = "max(time_s)";
  clock.id = "clock";
  clock.title = "Clock";
  clock.isTime = true;
  track.id = "track";
  track.title = "Track";
  track.isSeries = true;
  study.quantities = {height, clock, track};
  for (int seed : study.seeds)
    for (double of : {1.0, 10.0})
      for (std::size_t pane = 0; pane < 2; ++pane) {
        StudyTask task;
        task.pane = pane;
        task.point = {of};
        task.dt = kDt;
        task.seed = seed;
        task.settings = study.panes[pane].settings;
        results.tasks.push_back(task);
        StudyRun run;
        run.frames = 20;
        run.solves = 1.5;
        run.milliseconds = 0.25;
        run.values = std::vector<double>{seed * of * (pane == 0 ? 1 : 2), 7, kNaN};
        const StudyRun::Series points{{0, 1, 2}, {of, 2 * of, 3 * of}};
        run.series = {{}, {}, points};
        results.runs.emplace_back(run);
      }
  return results;
}

std::size_t taskOf(const StudyResults& results, const char* pane, double size, int seed) {
  for (std::size_t task = 0; task < results.tasks.size(); ++task)
    if (results.study.panes[results.tasks[task].pane].label == pane &&
        std::get<double>(results.tasks[task].point[0]) == size && results.tasks[task].seed == seed)
      return task;
  return results.tasks.size();
}

/// Fails one run.
void fail(StudyResults& results, const char* pane, double size, int seed) {
  StudyRun& run = *results.runs[taskOf(results, pane, size, seed)];
  run.failedAt = 0.125;
  run.reason = "too fast, twice";
}

void addNumber(StudyResults& results, const char* id, const char* expression) {
  StudyNumber number;
  number.id = id;
  number.expression = expression;
  results.study.numbers.push_back(number);
}

StudyAcceptance& addClaim(StudyResults& results, const char* id, const char* condition) {
  StudyAcceptance claim;
  claim.id = id;
  claim.claim = "A has {a} and B has {b}";
  claim.condition = condition;
  results.study.acceptances.push_back(claim);
  return results.study.acceptances.back();
}

/// A program that runs the method of the other pane.
StudyControl exchange(const char* a, const char* b) {
  StudyControl control;
  control.what = std::string(a) + " as " + b;
  control.swapped = {{a, b}};
  return control;
}

/// Heights with their medians at size 1 as numbers: a = 2.5, b = 5, and one without a value.
StudyResults numbered() {
  StudyResults results = heights();
  addNumber(results, "a", "median(q) where pane = 'A' and s = 1");
  addNumber(results, "b", "median(q) where pane = 'B' and s = 1");
  addNumber(results, "none", "max(q) where s = 77");
  return results;
}

StudyPlot curvePlot() {
  StudyPlot plot;
  plot.id = "plot";
  plot.title = "Plot";
  plot.x = "s";
  plot.y = "q";
  return plot;
}

Figure figureOf(StudyResults results, const StudyPlot& plot, const PublishedValues* published = nullptr) {
  results.study.plots = {plot};
  return figuresOf(results, StudyVerdict(), published).at(0);
}

QStringList linesOf(const std::string& text) { return QString::fromStdString(text).split(QLatin1Char('\n')); }

using Values = std::vector<double>;

const PublishedValues& published() {
  static const PublishedValues values(TS_SOURCE_DIR "/datasets/published.json");
  return values;
}

constexpr char kBox[] = R"({"name": "floor", "motion": "static", "shape": {"type": "plane"}},
  {"name": "box", "position": [0, 0.6, 0], "shape": {"type": "box", "size": [1, 1, 1]}})";

/// Tasks of a study of a box above a plane.
struct Planned {
  test::SceneFolder folder;
  Study study;
  std::vector<StudyTask> tasks;
};
std::unique_ptr<Planned> planned(const QByteArray& members) {
  auto all = std::make_unique<Planned>();
  all->folder.write("box.json", test::SceneFolder::withBodies(kBox));
  const std::string file =
      all->folder.write("s.json", R"({"touchstone_study": 1, "name": "s", "title": "S", )" + members + "}");
  all->study = loadStudy(file);
  all->tasks = tasksOf(all->study, {"", [](const std::string& name) {
                                      return TS_SOURCE_DIR "/datasets/scenes/" + name + ".json";
                                    }});
  return all;
}

}  // namespace

void StudyResultsTest::claimsAreJudged() {
  StudyResults results = numbered();
  addClaim(results, "less", "a < b");
  addClaim(results, "more", "a > b").because = "since B has {b}";
  addClaim(results, "variant", "a > b").variants = {{"nobody", "0"}, {"B", "b > 4"}, {"C", "1"}};
  addClaim(results, "unknown", "a < none");
  const StudyVerdict verdict = verdictOf(results);
  QCOMPARE(verdict.numbers.size(), std::size_t(3));
  QCOMPARE(verdict.numbers[0].second, 2.5);
  QCOMPARE(verdict.numbers[1].second, 5.0);
  QVERIFY(std::isnan(verdict.numbers[2].second));
  QVERIFY(verdict.acceptances[0].disposition == Disposition::Reproduced);
  QVERIFY(verdict.acceptances[1].disposition == Disposition::Contradicted);
  QCOMPARE(verdict.acceptances[1].because, std::string("since B has 5"));
  QVERIFY(verdict.acceptances[2].disposition == Disposition::HoldsForVariant);
  QCOMPARE(verdict.acceptances[2].variant, std::string("B"));
  QVERIFY(verdict.acceptances[3].disposition == Disposition::NotJudged);
  QVERIFY(verdict.acceptances[3].because.find("none") != std::string::npos);
  for (const JudgedAcceptance& each : verdict.acceptances) QVERIFY(!each.hasControl);
}

void StudyResultsTest::controlsMustTurn() {
  StudyResults results = numbered();
  const StudyControl exchanged = exchange("A", "B");
  addClaim(results, "turns", "a < b").controls = {exchanged};
  addClaim(results, "cannot fail", "a < 1e9").controls = {exchanged};
  addClaim(results, "turns a contradiction", "a > b").controls = {exchanged};
  StudyAcceptance& variant = addClaim(results, "turns a variant", "a > b");
  variant.variants = {{"B", "b > 4"}};
  variant.controls = {exchanged};
  addClaim(results, "the second turns", "a < b").controls = {exchange("A", "A"), exchanged};
  addClaim(results, "turns for want of a number", "none > 0").controls = {exchanged};
  const StudyVerdict verdict = verdictOf(results);
  for (const JudgedAcceptance& each : verdict.acceptances) QVERIFY(each.hasControl);
  const QStringList sentences = linesOf(sentencesOf(verdict));
  for (int index = 0; index < 5; ++index) {
    const bool turns = index != 1;
    QCOMPARE(verdict.acceptances[std::size_t(index)].controlTurned, turns);
    QCOMPARE(sentences[index].contains("cannot fail"), !turns);
  }
  QCOMPARE(verdict.acceptances[4].control, exchanged.what);
  QVERIFY(!verdict.acceptances[5].controlTurned);
}

void StudyResultsTest::aClaimWithoutAControlIsNotJudged() {
  StudyResults results = numbered();
  addClaim(results, "less", "a < b").withoutControl = "a clock decides, {a} to {b}";
  const JudgedAcceptance judged = verdictOf(results).acceptances.at(0);
  QVERIFY(judged.disposition == Disposition::NotJudged);
  QCOMPARE(judged.withoutControl, std::string("a clock decides, 2.5 to 5"));
  QVERIFY(judged.because.find(judged.withoutControl) != std::string::npos);
}

/// A perturbed run counts in its own control only, in the place of the run of the same pane, point and step.
void StudyResultsTest::perturbedRunsStandForThoseOfTheStudy() {
  const auto all = planned(R"json("kind": "formula", "grid": [1, 2],
    "sweep": [{"axis": "power", "values": [1, 2]}],
    "panes": [{"label": "once", "constants": {"a": 1}}, {"label": "thrice", "constants": {"a": 3}}],
    "quantities": [{"id": "q", "value": "max(a * pow(x, power))"}],
    "numbers": {"once": "sum(q) where pane = 'once'", "thrice": "sum(q) where pane = 'thrice'"},
    "accept": [
      {"id": "thrice", "claim": "{thrice}", "if": "thrice = 3 * once",
       "control": {"what": "a third more", "set": {"constants/a": "=a + 1"}, "panes": ["thrice"], "runs": "power = 2"}},
      {"id": "larger", "claim": "{thrice}", "if": "thrice = 18",
       "control": {"what": "other once", "set": {"constants/a": 9}, "panes": ["once"]}},
      {"id": "axis", "claim": "{once}", "if": "once = 6",
       "control": {"what": "another power", "set": {"constants/power": "=2 * power"}}}])json");
  QCOMPARE(all->tasks.size(), std::size_t(4 + 1 + 2 + 4));
  StudyResults results;
  results.study = all->study;
  results.tasks = all->tasks;
  for (const StudyTask& task : all->tasks) results.runs.push_back(runOne(all->study, task));
  QCOMPARE(runsTable(results)->number("count(*)"), 4.0);
  QCOMPARE(linesOf(csvOfRuns(results)).size(), 4 + 2);
  // 3 · 2 + 3 · 4 = 18; with a = 4 at the second power 3 · 2 + 4 · 4 = 22.
  QCOMPARE(runsTable(results)->number("sum(q) where pane = 'thrice'"), 18.0);
  QCOMPARE(perturbedTable(results, 0, 0)->number("sum(q) where pane = 'thrice'"), 22.0);
  QCOMPARE(perturbedTable(results, 0, 0)->number("sum(q) where pane = 'once'"), 6.0);
  QCOMPARE(perturbedTable(results, 2, 0)->number("sum(q) where pane = 'once' and power = 2"), 16.0);
  const StudyVerdict verdict = verdictOf(results);
  for (const JudgedAcceptance& each : verdict.acceptances)
    QVERIFY(each.disposition == Disposition::Reproduced);
  QVERIFY(verdict.acceptances[0].controlTurned);
  QCOMPARE(verdict.acceptances[0].control, std::string("a third more"));
  QVERIFY(!verdict.acceptances[1].controlTurned);
  QVERIFY(verdict.acceptances[2].controlTurned);
}

void StudyResultsTest::controlsChangeMethodAndScene() {
  const auto all = planned(R"json("scene": "box.json", "time": 0.1, "dt": [0.005, 0.01],
    "panes": [{"label": "CPF", "method": "cpf", "parameters": {"stiffness": 1000}}, {"label": "LCP", "method": "lcp"}],
    "quantities": [{"id": "q", "value": "max(time_s)"}], "numbers": {"n": "max(q)"},
    "accept": [{"id": "a", "claim": "", "if": "n = 1", "control": [
      {"what": "the method", "panes": ["CPF"], "runs": "dt_s < 0.006", "set": {"method": "peg", "dt": 0.002}},
      {"what": "the scene", "panes": ["LCP"], "set": {"scene/bodies/1/position": [0, 0.7, 0]}}]}])json");
  QCOMPARE(all->tasks.size(), std::size_t(4 + 1 + 2));
  const StudyTask& method = all->tasks[4];
  QCOMPARE(method.settings.method, std::string("peg"));
  QVERIFY(!method.settings.parameters.count("stiffness"));
  QCOMPARE(method.dt, 0.002);
  QCOMPARE(method.statedDt, 0.005);
  for (std::size_t task : {5, 6}) {
    QCOMPARE(all->tasks[task].control, 1);
    QCOMPARE(all->tasks[task].scene->bodies.at(1).position.y(), 0.7);
  }
  std::set<std::string> hashes;
  for (const StudyTask& task : all->tasks) hashes.insert(task.hash);
  QCOMPARE(hashes.size(), all->tasks.size());
}

void StudyResultsTest::sentencesAreFilled() {
  StudyResults results = numbered();
  addClaim(results, "less", "a < b");
  addClaim(results, "more", "a > b").because = "since B has {b}";
  addClaim(results, "variant", "a > b").variants = {{"B alone", "b > 4"}};
  addClaim(results, "unknown", "none > 0").claim = "{none} is more than {other}.";
  const QStringList sentences = linesOf(sentencesOf(verdictOf(results)));
  QCOMPARE(sentences[0], QStringLiteral("Reproduced: A has 2.5 and B has 5."));
  QCOMPARE(sentences[1], QStringLiteral("Contradicted: A has 2.5 and B has 5. since B has 5."));
  QCOMPARE(sentences[2], QStringLiteral("Holds for B alone: A has 2.5 and B has 5."));
  QVERIFY2(sentences[3].startsWith(QStringLiteral("Not judged: – is more than {other}. ")),
           qPrintable(sentences[3]));
}

void StudyResultsTest::tablesHaveARowPerRun() {
  StudyResults results = heights();
  fail(results, "B", 1, 1);
  const QStringList lines = linesOf(csvOfRuns(results));
  QCOMPARE(lines.size(), 1 + 16 + 1);
  QCOMPARE(
      lines[0],
      QStringLiteral("pane,s,dt_s,seed,frames,failed_at_s,reason,unsolved,solves_per_frame,halved_frames,q"));
  QCOMPARE(lines[1], QStringLiteral("A,1,0.01,1,20,,,0,1.5,0,1"));
  QCOMPARE(lines[2], QStringLiteral("B,1,0.01,1,20,0.125,\"too fast, twice\",0,1.5,0,2"));
  QCOMPARE(lines[16], QStringLiteral("B,10,0.01,4,20,,,0,1.5,0,80"));
}

void StudyResultsTest::clocksAreInTheirOwnTable() {
  const QStringList lines = linesOf(csvOfTimes(heights()));
  QCOMPARE(lines.size(), 1 + 16 + 1);
  QCOMPARE(lines[0], QStringLiteral("pane,s,dt_s,seed,step_time_ms,clock"));
  QCOMPARE(lines[1], QStringLiteral("A,1,0.01,1,0.25,7"));
  StudyResults slower = heights();
  for (auto& run : slower.runs) {
    run->milliseconds = 9;
    run->values[1] = 11;
  }
  QVERIFY(csvOfRuns(slower) == csvOfRuns(heights()));
  QVERIFY(csvOfSeries(slower) == csvOfSeries(heights()));
}

void StudyResultsTest::seriesHaveARowPerPoint() {
  const QStringList lines = linesOf(csvOfSeries(heights()));
  QCOMPARE(lines.size(), 1 + 16 * 3 + 1);
  QCOMPARE(lines[0], QStringLiteral("pane,s,dt_s,seed,quantity,x,y"));
  QCOMPARE(lines[3], QStringLiteral("A,1,0.01,1,track,2,3"));
}

void StudyResultsTest::missingRunsAreLeftOut() {
  StudyResults results = heights();
  results.runs[0].reset();
  results.runs[5].reset();
  QCOMPARE(results.doneCount(), std::size_t(14));
  for (const std::string& table : {csvOfRuns(results), csvOfTimes(results)}) {
    QCOMPARE(linesOf(table).size(), 1 + 14 + 1);
    QVERIFY(linesOf(table)[1].startsWith(QStringLiteral("B,1,0.01,1,")));
  }
  std::vector<std::size_t> rows;
  QCOMPARE(runsTable(results, &rows)->number("count(*)"), 14.0);
  QCOMPARE(rows.front(), std::size_t(1));
}

void StudyResultsTest::markdownHasMediansAndQuartiles() {
  StudyResults results = heights();
  fail(results, "B", 10, 2);
  const std::string text = tablesOf(results);
  for (const char* part :
       {"| pane | s 1 | s 10 |", "| A | 0/4 | 0/4 |", "| B | 0/4 | 1/4 |",
        "Height [m]: median (quartiles) over seeds", "| A | 2.5 (1.75 … 3.25) | 25 (17.5 … 32.5) |"})
    QVERIFY2(text.find(part) != std::string::npos, text.c_str());
}

void StudyResultsTest::curvesGoThroughMedians() {
  StudyResults results = heights();
  const Figure figure = figureOf(results, curvePlot());
  QCOMPARE(figure.panels.size(), std::size_t(1));
  const FigurePanel& panel = figure.panels[0];
  QCOMPARE(panel.xLabel, std::string("Size [m]"));
  QCOMPARE(panel.yLabel, std::string("Height [m]"));
  QCOMPARE(panel.curves.size(), std::size_t(2));
  const FigureCurve &a = panel.curves[0], &b = panel.curves[1];
  QCOMPARE(a.label + b.label + " " + a.method + " " + b.method, std::string("AB cpf dpf"));
  QCOMPARE(a.x, Values({1, 10}));
  QCOMPARE(a.y, Values({2.5, 25}));
  QCOMPARE(a.low, Values({1.75, 17.5}));
  QCOMPARE(a.high, Values({3.25, 32.5}));
  QCOMPARE(b.y, Values({5, 50}));
  QVERIFY(a.crosses.empty());
  QVERIFY(a.style == FigureCurve::Style::LineAndPoints);
  QCOMPARE(a.runs.size(), std::size_t(2));
  QCOMPARE(a.runs[1], taskOf(results, "A", 10, 2));  // nearest to the median
  StudyPlot chosen = curvePlot();
  chosen.where = "pane = 'B' and seed <= 1";
  const Figure one = figureOf(results, chosen);
  QCOMPARE(one.panels[0].curves.size(), std::size_t(1));
  QCOMPARE(one.panels[0].curves[0].y, Values({2, 20}));
  QVERIFY(one.panels[0].curves[0].low.empty());  // one value has no quartiles
}

void StudyResultsTest::bandsCanBeExtremesOrNothing() {
  StudyPlot plot = curvePlot();
  plot.band = "extremes";
  const FigureCurve extremes = figureOf(heights(), plot).panels[0].curves[0];
  QCOMPARE(extremes.low, Values({1, 10}));
  QCOMPARE(extremes.high, Values({4, 40}));
  plot.band = "none";
  const FigureCurve nothing = figureOf(heights(), plot).panels[0].curves[0];
  QVERIFY(nothing.low.empty() && nothing.high.empty());
  QCOMPARE(nothing.y, Values({2.5, 25}));
}

void StudyResultsTest::failedRunsAreCrosses() {
  StudyResults results = heights();
  fail(results, "A", 10, 3);
  const FigurePanel panel = figureOf(results, curvePlot()).panels[0];
  QCOMPARE(panel.curves[0].crosses, Values({10}));
  QVERIFY(panel.curves[1].crosses.empty());
}

void StudyResultsTest::curvesOfOneMethodAreVariants() {
  StudyResults results = heights();
  for (StudyTask& task : results.tasks) task.settings.method = "cpf";
  const FigurePanel panel = figureOf(results, curvePlot()).panels[0];
  QCOMPARE(panel.curves[0].variant, 0);
  QCOMPARE(panel.curves[1].variant, 1);
}

void StudyResultsTest::panelsAreOfAnAxis() {
  StudyPlot plot = curvePlot();
  plot.x = "pane";
  plot.panels = "s";
  const Figure figure = figureOf(heights(), plot);
  QCOMPARE(figure.panels.size(), std::size_t(2));
  QCOMPARE(figure.columns, 2);
  QCOMPARE(figure.panels[0].title, std::string("Size = 1 m"));
  QCOMPARE(figure.panels[1].title, std::string("Size = 10 m"));
  QCOMPARE(figure.panels[1].xNames, std::vector<std::string>({"A", "B"}));
  QCOMPARE(figure.panels[1].curves[1].x, Values({1}));
  QCOMPARE(figure.panels[1].curves[1].y, Values({50}));
  plot = curvePlot();
  plot.curves = "s";
  plot.x = "dt_s";
  const Figure byCurve = figureOf(heights(), plot);
  QCOMPARE(byCurve.panels[0].curves.size(), std::size_t(4));
  QCOMPARE(byCurve.panels[0].curves[0].label, std::string("A, Size = 1 m"));
}

void StudyResultsTest::smallValuesLieOnTheFloor() {
  StudyPlot plot = curvePlot();
  plot.floor = 20;
  const FigureCurve curve = figureOf(heights(), plot).panels[0].curves[0];
  QCOMPARE(curve.y, Values({20, 25}));
  QCOMPARE(curve.low, Values({20, 20}));
  QCOMPARE(curve.high, Values({20, 32.5}));
}

void StudyResultsTest::sharesAreMeansInBins() {
  StudyResults results = heights();
  fail(results, "A", 10, 3);
  StudyPlot plot = curvePlot();
  plot.kind = StudyPlot::Kind::Share;
  plot.y = "failed";
  plot.bin = 5;  // 10 lies on a border and belongs to the bin above it
  const FigurePanel shares = figureOf(results, plot).panels[0];
  QCOMPARE(shares.curves[0].x, Values({2.5, 12.5}));
  QCOMPARE(shares.curves[0].y, Values({0, 0.25}));
  QCOMPARE(shares.curves[1].y, Values({0, 0}));
  plot.bin = 0;
  QCOMPARE(figureOf(results, plot).panels[0].curves[0].x, Values({1, 10}));
  plot.bin = 50;
  plot.y = "q";
  const FigureCurve one = figureOf(results, plot).panels[0].curves[0];
  QCOMPARE(one.x, Values({25}));
  QVERIFY_NEAR(one.y.at(0), (10 + 100) / 8.0, 1e-12);
}

void StudyResultsTest::mapsHaveCellsAndABorder() {
  StudyResults results = heights();
  fail(results, "A", 10, 2);
  StudyPlot plot = curvePlot();
  plot.kind = StudyPlot::Kind::Map;
  plot.y = "seed";
  plot.value = "q";
  plot.failed = "q > 30";
  const Figure figure = figureOf(results, plot);
  QCOMPARE(figure.panels.size(), std::size_t(2));
  QCOMPARE(figure.panels[0].title, std::string("A"));
  const FigureMap &a = figure.panels[0].map, &b = figure.panels[1].map;
  QCOMPARE(a.x, Values({1, 10}));
  QCOMPARE(a.y, Values({1, 2, 3, 4}));
  QCOMPARE(a.label, std::string("Height [m]"));
  const Values expected = {1, 10, 2, kNaN, 3, 30, 4, 40};  // [seed][size]
  const std::vector<char> border = {0, 0, 0, 1, 0, 0, 0, 1};
  for (std::size_t cell = 0; cell < 8; ++cell) {
    QVERIFY(std::isnan(expected[cell]) ? std::isnan(a.values[cell]) : a.values[cell] == expected[cell]);
    QCOMPARE(static_cast<int>(a.failed[cell]), static_cast<int>(border[cell]));
    QCOMPARE(a.runs[cell], taskOf(results, "A", cell % 2 == 0 ? 1 : 10, 1 + static_cast<int>(cell / 2)));
  }
  QVERIFY(!a.logarithmic);
  QCOMPARE(b.values[7], 80.0);
  results.runs[taskOf(results, "B", 10, 4)]->values[0] = 4000;
  QVERIFY(figureOf(results, plot).panels[1].map.logarithmic);
}

void StudyResultsTest::seriesShowOneStart() {
  StudyPlot plot = curvePlot();
  plot.kind = StudyPlot::Kind::Series;
  plot.x.clear();
  plot.y = "track";
  const Figure figure = figureOf(heights(), plot);
  QCOMPARE(figure.panels[0].xLabel, std::string("t [s]"));
  const FigureCurve& a = figure.panels[0].curves[0];
  QVERIFY(a.style == FigureCurve::Style::Line);
  QCOMPARE(a.x, Values({0, 1, 2, 2, 0, 1, 2}));  // both sizes, with a gap between them
  QVERIFY(std::isnan(a.y.at(3)));
  QCOMPARE(a.y.at(2), 3.0);
  QCOMPARE(a.y.at(6), 30.0);
  QCOMPARE(a.runs.at(3), -1L);
  QCOMPARE(a.runs.at(6), taskOf(heights(), "A", 10, 1));
}

void StudyResultsTest::polarPlotsTurn() {
  StudyPlot plot = curvePlot();
  plot.kind = StudyPlot::Kind::Polar;
  const FigurePanel panel = figureOf(heights(), plot).panels[0];
  QVERIFY(panel.equalScales);
  QVERIFY_NEAR(panel.curves[0].x.at(1), 25 * std::cos(10 * M_PI / 180), 1e-12);
  QVERIFY_NEAR(panel.curves[0].y.at(1), 25 * std::sin(10 * M_PI / 180), 1e-12);
}

void StudyResultsTest::linesOfTheTheoryAreDrawn() {
  StudyPlot plot = curvePlot();
  plot.xLog = true;
  plot.lines = {{"theory", "x * x + 1"}};
  const FigurePanel panel = figureOf(heights(), plot).panels[0];
  QCOMPARE(panel.curves.size(), std::size_t(3));
  const FigureCurve& line = panel.curves.back();
  QCOMPARE(line.label, std::string("theory"));
  QVERIFY(line.style == FigureCurve::Style::Theory && line.method.empty());
  QVERIFY(line.x.size() > 50 && line.x.size() == line.y.size());
  QVERIFY_NEAR(line.x.front(), 1, 1e-12);
  QVERIFY_NEAR(line.x.back(), 10, 1e-12);
  QVERIFY_NEAR(line.x[line.x.size() / 2], std::sqrt(10.0), 1e-9);  // evenly on the logarithmic axis
  for (std::size_t k = 0; k < line.x.size(); ++k)
    QVERIFY_NEAR(line.y[k], line.x[k] * line.x[k] + 1, 1e-12 * line.y[k]);
}

void StudyResultsTest::publishedValuesAreBands() {
  StudyPlot plot = curvePlot();
  StudyPublished range;
  range.id = "cpf.fig6";
  range.number = "difference_of_force_magnitude_percent";
  range.factor = 0.01;
  StudyPublished line;
  line.id = "cpf.fig13";
  line.number = "dpf_smooth_below_time_step_s";
  line.ofX = true;
  line.label = "smooth below";
  plot.published = {range, line};
  const FigurePanel panel = figureOf(heights(), plot, &published()).panels[0];
  QCOMPARE(panel.bands.size(), std::size_t(2));
  QVERIFY_NEAR(panel.bands[0].low, 0.042, 1e-15);
  QVERIFY_NEAR(panel.bands[0].high, 0.081, 1e-15);
  QVERIFY(!panel.bands[0].ofX && panel.bands[1].ofX);
  QCOMPARE(panel.bands[0].label, std::string("Tang et al. 2012"));
  QCOMPARE(panel.bands[1].label, std::string("smooth below"));
  QCOMPARE(panel.bands[1].low, 0.0002);
  QCOMPARE(panel.bands[1].high, 0.0002);
  QVERIFY(figureOf(heights(), plot).panels[0].bands.empty());
}

void StudyResultsTest::publishedValuesThatDoNotExistAreRefused() {
  const auto refusal = [](const char* id, const char* number) {
    StudyPlot plot = curvePlot();
    StudyPublished wanted;
    wanted.id = id;
    wanted.number = number;
    plot.published = {wanted};
    try {
      figureOf(heights(), plot, &published());
      return QString();
    } catch (const SceneError& error) {
      return QString::fromUtf8(error.what());
    }
  };
  for (const QString& text : {refusal("cpf.fig99", "n"), refusal("cpf.fig6", "nothing")}) {
    QVERIFY(text.startsWith(QStringLiteral("heights.json:plots.published: ")));
    QVERIFY(text.contains(QStringLiteral("datasets/published.json")));
  }
  QVERIFY(refusal("cpf.fig99", "n").contains("'cpf.fig99'"));
  QVERIFY(refusal("cpf.fig6", "nothing").contains("'nothing'"));
}

constexpr char kSweep[] = R"json("scene": "box.json", "time": 0.1, "dt": [0.005],
  "sweep": [{"axis": "stiff", "values": [1000, 4000],
             "set": {"parameters/stiffness": "=stiff * f", "scene/bodies/1/position": [0, "=0.6 + stiff/10000", 0]}},
            {"axis": "step", "points": [{"value": "short", "set": {}},
               {"value": "long", "set": {"dt": "=2 * dt", "substeps": 2, "time": 0.05}}]}],
  "panes": [{"label": "CPF", "method": "cpf", "constants": {"f": 2}},
            {"label": "DPF", "method": "dpf", "constants": {"f": 3}, "set": {"parameters/damping": "=f"}},
            {"label": "LCP", "method": "lcp", "constants": {"f": 0}, "set": {"solver": "pgs"}}],
  "columns": {"p": "body_position:box"},
  "quantities": [{"id": "start", "value": "first(p_y) where frame = 1"},
                 {"id": "last_time", "value": "max(time_s)", "runs": "pane = 'CPF'"},
                 {"id": "height", "series": "p_y where frame > 2"}])json";

void StudyResultsTest::sweepsChangeWhatIsRun() {
  const auto all = planned(kSweep);
  QCOMPARE(all->tasks.size(), std::size_t(2 * 2 * 3));
  std::set<std::string> hashes;
  for (const StudyTask& task : all->tasks) {
    const double stiff = std::get<double>(task.point[0]);
    const bool isLong = std::get<std::string>(task.point[1]) == "long";
    QCOMPARE(task.dt, isLong ? 0.01 : 0.005);
    QCOMPARE(task.time, isLong ? 0.05 : 0.1);
    QCOMPARE(task.settings.substeps, isLong ? 2 : 1);
    QVERIFY_NEAR(task.scene->bodies.at(1).position.y(), 0.6 + stiff / 10000, 1e-15);
    const ParameterValues& parameters = task.settings.parameters;
    if (task.pane == 2) {
      QVERIFY(!parameters.count("stiffness"));
      QCOMPARE(task.settings.solver, std::string("pgs"));
    } else {
      QVERIFY(parameters.at("stiffness") == ParameterValue(stiff * (task.pane == 0 ? 2 : 3)));
      QCOMPARE(parameters.count("damping"), std::size_t(task.pane));
    }
    hashes.insert(task.hash);
  }
  QVERIFY(all->tasks[1].settings.parameters.at("damping") == ParameterValue(3.0));
  QCOMPARE(hashes.size(), all->tasks.size());
}

/// What determines a run: two that differ in it have two hashes.
void StudyResultsTest::runsThatDifferAreTold() {
  const auto hashesOf = [](const QByteArray& pane, const QByteArray& quantity) {
    const auto all =
        planned(R"J("scene": "drawer", "time": 0.1,
      "dt": [0.01], "panes": [{"label": "A", "method": "nsn"}, {"label": "B", "method": "nsn")J" +
                pane + R"J(}], "quantities": [{"id": "q", "value": "max(time_s)")J" + quantity + "}]");
    std::set<std::string> hashes;
    for (const StudyTask& task : all->tasks) hashes.insert(task.hash);
    return hashes.size();
  };
  QCOMPARE(hashesOf("", ""), std::size_t(1));  // one run serves both panes
  QCOMPARE(hashesOf(R"J(, "substeps": 2)J", ""), std::size_t(2));
  QCOMPARE(hashesOf(R"J(, "parameters": {"drive:arm": 0.5})J", ""), std::size_t(2));
  QCOMPARE(hashesOf(R"J(, "set": {"parameters/drive:arm": 0.5})J", ""), std::size_t(2));
  QCOMPARE(hashesOf("", R"J(, "runs": "pane = 'B'")J"), std::size_t(2));
}

/// Before it touches the plane the box falls as symplectic Euler has it: by g h² · (1 + … + n) after n steps.
void StudyResultsTest::runsMeasureWhatWasSet() {
  const auto all = planned(kSweep);
  for (const StudyTask& task : all->tasks) {
    const std::optional<StudyRun> run = runOne(all->study, task);
    QVERIFY(run.has_value());
    QVERIFY2(run->failedAt < 0, run->reason.c_str());
    const bool isLong = std::get<std::string>(task.point[1]) == "long";
    QCOMPARE(run->frames, isLong ? 5L : 20L);
    const double steps = isLong ? 3 : 1;
    QVERIFY_NEAR(
        run->values[0],
        0.6 + std::get<double>(task.point[0]) / 10000 - steps * 0.005 * 0.005 * task.scene->gravity.norm(),
        1e-12);
    if (task.pane == 0)
      QVERIFY_NEAR(run->values[1], task.time, 1e-12);
    else
      QVERIFY(std::isnan(run->values[1]));
    QCOMPARE(run->series[2].x.size(), std::size_t(run->frames - 2));
    QCOMPARE(run->series[2].y.size(), run->series[2].x.size());
    QVERIFY_NEAR(run->series[2].x.front(), 3 * task.dt, 1e-12);
    QVERIFY(run->series[0].x.empty());
  }
}

/// The box has 0.0981 m/s after the first frame and twice that after the second.
void StudyResultsTest::aFastBodyEndsItsRun() {
  const auto all = planned(R"("scene": "box.json", "time": 0.1, "dt": [0.01], "crash_speed": 0.15,
    "panes": [{"label": "CPF", "method": "cpf"}])");
  const std::optional<StudyRun> run = runOne(all->study, all->tasks.at(0));
  QVERIFY(run.has_value());
  QCOMPARE(run->reason, std::string("too fast"));
  QCOMPARE(run->frames, 1L);
  QVERIFY_NEAR(run->failedAt, 0.02, 1e-12);
}

void StudyResultsTest::aRunCanBeAborted() {
  const auto all = planned(R"("scene": "box.json", "time": 0.1, "dt": [0.01],
    "panes": [{"label": "CPF", "method": "cpf"}])");
  int frames = 0;
  QVERIFY(!runOne(all->study, all->tasks.at(0), [&frames] { return ++frames < 4; }).has_value());
  QCOMPARE(frames, 4);
}

void StudyResultsTest::formulasNeedNoScene() {
  const auto all = planned(R"json("kind": "formula", "grid": {"from": 0, "to": 2, "count": 5},
    "sweep": [{"axis": "power", "values": [1, 2]}],
    "panes": [{"label": "once", "constants": {"a": 1}}, {"label": "thrice", "constants": {"a": 3}}],
    "quantities": [{"id": "area", "value": "avg(a * pow(x, power))"}, {"id": "y", "series": "a * pow(x, power)"}],
    "numbers": {"largest": "max(area) where pane = 'thrice'"},
    "accept": [{"id": "thrice", "claim": "{largest}", "if": "largest = 4.5"}])json");
  StudyResults results;
  results.study = all->study;
  results.tasks = all->tasks;
  for (const StudyTask& task : all->tasks) results.runs.push_back(runOne(all->study, task));
  QCOMPARE(results.doneCount(), std::size_t(4));
  // x = 0, ½, 1, 3/2, 2: the mean of x² is (1/4 + 1 + 9/4 + 4)/5 = 3/2.
  QVERIFY(verdictOf(results).acceptances.at(0).disposition == Disposition::Reproduced);
  QCOMPARE(results.runs[0]->series[1].x, Values({0, 0.5, 1, 1.5, 2}));
  QCOMPARE(results.runs[0]->series[1].y, Values({0, 0.5, 1, 1.5, 2}));
}

QTEST_APPLESS_MAIN(StudyResultsTest)
#include "tst_study_results.moc"
