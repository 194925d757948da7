#include <QtTest>

#include "core/conform/references.h"
#include "core/conform/verdict.h"
#include "tests/support/near.h"
#include "tests/support/scenes.h"

using namespace touchstone;

/// What a measured number is called on the card.
class VerdictTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void theLargerToleranceCounts_data();
  void theLargerToleranceCounts();
  void theExactAnswerComesFirst();
  void theAnswerOfItsTheoryIsCompared_data();
  void theAnswerOfItsTheoryIsCompared();
  void aRecordedNumberHasASignOfItsOwn();
  void aTheoryMayMeasureOtherwise();
  void aClosedFormIsTheAnswerOfATheory();
  void aBoundHasASide_data();
  void aBoundHasASide();
  void withoutAnAnswerANumberIsShown();
  void whereATheoryHasNoAnswerTheReasonIsSaid();
  void aMeasureMayBeAskedOfSomeColumnsOnly();
  void roundBodiesAreJudgedInOtherEnginesOnly();
  void aRunThatFailedIsNoDeviation();
  void aNumberThatCannotBeMeasuredIsNotApplicable();
  void aControlReplacesTheAnswer();
  void deviationsAreFromTheReference();
};

namespace {

/// A box that is at x at the end, and at half of it at 0.5 s.
struct Run {
  Trajectory trajectory;
  explicit Run(double x) {
    trajectory.scene = test::scene({test::box("box", {1, 1, 1}, 1, {0, 0, 0})});
    for (const double time : {0.0, 0.5, 1.0}) {
      BodyState state;
      state.position = Vec3(x * time, 0, 0);
      trajectory.times.push_back(time);
      trajectory.states.push_back({state});
    }
    trajectory.given = {1};
    trajectory.status.assign(3, StepStatus::Ok);
  }
  std::vector<MeasuredRun> runs() const { return {{&trajectory, 0.5, 1}}; }
};

QuantityQuery position() {
  QuantityQuery query;
  query.quantity = "position";
  query.body = "box";
  query.axis = Vec3(1, 0, 0);
  return query;
}

/// x = 1 within 0.1.
Measure atOne() {
  Measure measure;
  measure.id = "x";
  measure.query = position();
  measure.exact = 1;
  measure.tolerance.absolute = 0.1;
  return measure;
}

ColumnModel pyramid() {
  ColumnModel model;
  model.words = {"pyramid", "plastic"};
  model.text = "pyramid of 4";
  return model;
}

CardNumber judgedAt(double x, const Measure& measure, const ColumnModel& model = pyramid(),
                    bool isForeign = false) {
  return judged(measure, model, isForeign, Run(x).runs());
}

}  // namespace

void VerdictTest::theLargerToleranceCounts_data() {
  QTest::addColumn<double>("absolute");
  QTest::addColumn<double>("relative");
  QTest::addColumn<double>("exact");
  QTest::addColumn<double>("expected");
  QTest::newRow("relative") << 0.1 << 0.5 << 2.0 << 1.0;
  QTest::newRow("absolute") << 0.1 << 0.5 << 0.1 << 0.1;
  QTest::newRow("of a negative answer") << 0.1 << 0.5 << -2.0 << 1.0;
  QTest::newRow("absolute only") << 0.1 << 0.0 << 7.0 << 0.1;
  QTest::newRow("relative only") << 0.0 << 0.25 << 4.0 << 1.0;
}

void VerdictTest::theLargerToleranceCounts() {
  QFETCH(double, absolute);
  QFETCH(double, relative);
  QFETCH(double, exact);
  QFETCH(double, expected);
  Tolerance tolerance;
  tolerance.absolute = absolute;
  tolerance.relative = relative;
  QVERIFY_NEAR(tolerance.of(exact), expected, 1e-15);
  Measure measure = atOne();
  measure.exact = exact;
  measure.tolerance = tolerance;
  for (const double side : {-1.0, 1.0}) {
    QVERIFY(judgedAt(exact + 0.99 * side * expected, measure).verdict == Verdict::Agrees);
    const CardNumber outside = judgedAt(exact + 1.01 * side * expected, measure);
    QVERIFY(outside.verdict == Verdict::Deviates);
    QVERIFY_NEAR(outside.tolerance, expected, 1e-15);
  }
}

void VerdictTest::theExactAnswerComesFirst() {
  Measure measure = atOne();
  measure.models["pyramid"].value = 1.05;
  const CardNumber number = judgedAt(1.05, measure);
  QVERIFY(number.verdict == Verdict::Agrees);
  QVERIFY(std::isnan(number.model) && number.reason.empty());
}

void VerdictTest::theAnswerOfItsTheoryIsCompared_data() {
  QTest::addColumn<QString>("word");
  QTest::addColumn<double>("tolerance");  // 0: that of the measure, 0.1
  QTest::addColumn<double>("x");
  QTest::addColumn<bool>("isAsItsTheory");
  QTest::newRow("as its theory") << "pyramid" << 0.0 << 2.09 << true;
  QTest::newRow("beside its theory") << "pyramid" << 0.0 << 2.11 << false;
  QTest::newRow("far from its theory") << "pyramid" << 0.0 << 5.0 << false;
  QTest::newRow("on the other side") << "pyramid" << 0.0 << 0.1 << false;
  QTest::newRow("a tolerance of its own") << "pyramid" << 0.3 << 2.29 << true;
  QTest::newRow("beyond it") << "pyramid" << 0.3 << 2.31 << false;
  QTest::newRow("a narrower one") << "pyramid" << 0.01 << 2.05 << false;
  QTest::newRow("another theory") << "regularised" << 0.0 << 2.0 << false;
}

void VerdictTest::theAnswerOfItsTheoryIsCompared() {
  QFETCH(QString, word);
  QFETCH(double, tolerance);
  QFETCH(double, x);
  QFETCH(bool, isAsItsTheory);
  Measure measure = atOne();
  ModelAnswer& answer = measure.models[word.toStdString()];
  answer.value = 2;
  answer.tolerance = tolerance;
  const CardNumber number = judgedAt(x, measure);
  QVERIFY(number.verdict == (isAsItsTheory ? Verdict::AsItsTheory : Verdict::Deviates));
  QCOMPARE(number.value, x);
  QCOMPARE(number.reference, 1.0);
  if (word == "pyramid") {
    QCOMPARE(number.model, 2.0);
    QCOMPARE(number.reason, std::string("pyramid of 4"));
  } else {
    QVERIFY(std::isnan(number.model) && number.reason.empty());
  }
}

void VerdictTest::aRecordedNumberHasASignOfItsOwn() {
  Measure measure = atOne();
  ModelAnswer& answer = measure.models["pyramid"];
  answer.value = 2;
  answer.isRecorded = true;
  answer.source = "a run of 2026";
  const CardNumber inside = judgedAt(2.05, measure);
  QVERIFY(inside.verdict == Verdict::AsRecorded);
  QCOMPARE(inside.model, 2.0);
  QVERIFY(inside.reason.find("a run of 2026") != std::string::npos);
  QVERIFY(judgedAt(1.05, measure).verdict == Verdict::Agrees);  // the exact answer comes first
  QVERIFY(judgedAt(5, measure).verdict == Verdict::Deviates);
  // A recorded run may have no number at all.
  answer.failure = "no solution";
  Measure late = measure;
  late.query.at = 99;
  QVERIFY(judgedAt(1, late).verdict == Verdict::Failed);  // for another reason
  late.models["pyramid"].failure = judgedAt(1, late).reason.substr(0, 7);
  QVERIFY(judgedAt(1, late).verdict == Verdict::AsRecorded);
  std::set<std::string> signs, words;
  for (const Verdict verdict : allVerdicts()) {
    signs.insert(signOf(verdict));
    words.insert(wordOf(verdict));
  }
  QCOMPARE(signs.size(), std::size_t(7));
  QCOMPARE(words.size(), std::size_t(7));
  QVERIFY(Verdict::AsRecorded > Verdict::AsItsTheory && Verdict::AsRecorded < Verdict::Deviates);
}

void VerdictTest::aTheoryMayMeasureOtherwise() {
  Measure measure = atOne();
  ModelAnswer& answer = measure.models["pyramid"];
  answer.value = 2;
  answer.query = position();
  answer.query->at = 0.5;
  const CardNumber half = judgedAt(4, measure);  // 2 at half of the time
  QVERIFY(half.verdict == Verdict::AsItsTheory);
  QCOMPARE(half.value, 2.0);
  QVERIFY(judgedAt(2, measure).verdict == Verdict::Deviates);
  answer.query->body = "nobody";
  QVERIFY(judgedAt(2, measure).verdict == Verdict::Deviates);
}

void VerdictTest::aClosedFormIsTheAnswerOfATheory() {
  const ClosedForm* form = &closedFormTable().front();
  Measure measure = atOne();
  ModelAnswer& answer = measure.models["pyramid"];
  answer.value = 77;  // is not looked at
  answer.closedForm = form->key;
  for (const std::string& argument : form->arguments) answer.arguments[argument] = 0.7;
  ColumnModel model = pyramid();
  model.facets = 4;
  const double expected = form->value(answer.arguments, model);
  QVERIFY(std::isfinite(expected));
  measure.exact = expected + 1;
  QVERIFY(judgedAt(expected, measure, model).verdict == Verdict::AsItsTheory);
  QVERIFY(judgedAt(expected - 0.2, measure, model).verdict == Verdict::Deviates);
}

void VerdictTest::aBoundHasASide_data() {
  QTest::addColumn<bool>("isMost");
  QTest::addColumn<double>("x");
  QTest::addColumn<bool>("agrees");
  QTest::newRow("below the most") << true << 0.5 << true;
  QTest::newRow("above the most") << true << 1.5 << false;
  QTest::newRow("below the least") << false << 0.5 << false;
  QTest::newRow("above the least") << false << 1.5 << true;
  QTest::newRow("at the most") << true << 1.0 << true;
  QTest::newRow("at the least") << false << 1.0 << true;
}

void VerdictTest::aBoundHasASide() {
  QFETCH(bool, isMost);
  QFETCH(double, x);
  QFETCH(bool, agrees);
  Measure measure = atOne();
  measure.exact.reset();
  (isMost ? measure.atMost : measure.atLeast) = 1;
  const CardNumber number = judgedAt(x, measure);
  QVERIFY(number.verdict == (agrees ? Verdict::Agrees : Verdict::Deviates));
  QCOMPARE(number.reference, 1.0);
}

void VerdictTest::withoutAnAnswerANumberIsShown() {
  Measure measure = atOne();
  measure.exact.reset();
  const CardNumber number = judgedAt(3, measure);
  QVERIFY(number.verdict == Verdict::Shown);
  QCOMPARE(number.value, 3.0);
  QVERIFY(std::isnan(number.reference) && std::isnan(number.deviation));
}

void VerdictTest::whereATheoryHasNoAnswerTheReasonIsSaid() {
  Measure measure = atOne();
  measure.notFor["plastic"] = "it does not bounce";
  const CardNumber number = judgedAt(1, measure);
  QVERIFY(number.verdict == Verdict::NotApplicable);
  QCOMPARE(number.reason, std::string("it does not bounce"));
  QCOMPARE(number.value, 1.0);
  ColumnModel other = pyramid();
  other.words = {"newton"};
  QVERIFY(judgedAt(1, measure, other).verdict == Verdict::Agrees);
}

void VerdictTest::aMeasureMayBeAskedOfSomeColumnsOnly() {
  Measure measure = atOne();
  measure.onlyFor["semi-implicit-euler"] = "of another integrator";
  const CardNumber other = judgedAt(1, measure);
  QVERIFY(other.verdict == Verdict::NotApplicable);
  QCOMPARE(other.reason, std::string("of another integrator"));
  ColumnModel model = pyramid();
  model.words.insert("semi-implicit-euler");
  QVERIFY(judgedAt(1, measure, model).verdict == Verdict::Agrees);
  QVERIFY(judgedAt(2, measure, model).verdict == Verdict::Deviates);
}

void VerdictTest::roundBodiesAreJudgedInOtherEnginesOnly() {
  Measure measure = atOne();
  measure.polyhedral = true;
  const CardNumber own = judgedAt(3, measure);
  QVERIFY(own.verdict == Verdict::NotApplicable && !own.reason.empty());
  QVERIFY(judgedAt(3, measure, pyramid(), true).verdict == Verdict::Deviates);
  QVERIFY(judgedAt(1, measure, pyramid(), true).verdict == Verdict::Agrees);
}

void VerdictTest::aRunThatFailedIsNoDeviation() {
  Run run(1);
  run.trajectory.status.back() = StepStatus::Diverged;
  const CardNumber number = judged(atOne(), pyramid(), false, run.runs());
  QVERIFY(number.verdict == Verdict::Failed);
  QVERIFY(std::isnan(number.value) && !number.reason.empty());
}

void VerdictTest::aNumberThatCannotBeMeasuredIsNotApplicable() {
  Measure measure = atOne();
  measure.query.quantity = "normal_sum";  // of contacts, which this trajectory does not have
  const CardNumber number = judgedAt(1, measure);
  QVERIFY(number.verdict == Verdict::NotApplicable);
  QVERIFY(number.reason.find("contacts") != std::string::npos);
}

void VerdictTest::aControlReplacesTheAnswer() {
  const Run run(1);
  QVERIFY(judged(atOne(), pyramid(), false, run.runs()).verdict == Verdict::Agrees);
  const CardNumber control = judged(atOne(), pyramid(), false, run.runs(), 1.2);
  QVERIFY(control.verdict == Verdict::Deviates);
  QCOMPARE(control.reference, 1.2);
}

void VerdictTest::deviationsAreFromTheReference() {
  QVERIFY_NEAR(judgedAt(1.05, atOne()).deviation, 0.05, 1e-15);
  QVERIFY_NEAR(judgedAt(0.5, atOne()).deviation, -0.5, 1e-15);
}

QTEST_APPLESS_MAIN(VerdictTest)
#include "tst_verdict.moc"
