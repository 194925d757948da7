#include <QtTest>
#include <cmath>

#include "core/files/scene_error.h"
#include "core/robot/scene_readers.h"
#include "core/run/comparison.h"
#include "core/run/pane_name.h"
#include "core/study/scene_claims.h"
#include "tests/scene/scene_folder.h"

using namespace touchstone;
using State = SceneClaimResult::State;

/// Claims of a scene file: a box falls freely, so that every number has a closed form.
class SceneClaimsTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void claimsAreDecidedByTheRun_data();
  void claimsAreDecidedByTheRun();
  void aClaimOnAPaneThatDidNotRunIsNotDecided();
  void faultsNameTheMemberAndTheRemedy_data();
  void faultsNameTheMemberAndTheRemedy();

 private:
  std::shared_ptr<const Scene> sceneWith(const QString& claim);
  test::SceneFolder m_folder;
};

std::shared_ptr<const Scene> SceneClaimsTest::sceneWith(const QString& claim) {
  return loadScene(
      m_folder.write(QStringLiteral("fall.json"),
                     QStringLiteral(R"({"touchstone": 1, "name": "fall", "title": "Fall", "dt": 0.01,
    "duration": 1, "gravity": [0, -10, 0], "methods": ["cpf", "lcp"], "claims": [%1],
    "bodies": [{"name": "box", "shape": {"type": "box", "size": [1, 1, 1]}, "position": [0, 20, 0]}]})")
                         .arg(claim)
                         .toUtf8()));
}

void SceneClaimsTest::claimsAreDecidedByTheRun_data() {
  QTest::addColumn<QString>("claim");
  QTest::addColumn<bool>("holds");
  QTest::addColumn<double>("value");
  // v = −g t after 50 frames of 10 ms.
  QTest::newRow("velocity at the end")
      << R"("quantity": "body_velocity:box", "component": "y", "reduce": "end", "compare": "<", "value": -4.9)"
      << true << -5.0;
  QTest::newRow("speed is a length")
      << R"("quantity": "body_velocity:box", "reduce": "end", "compare": "within", "value": [4.9, 5.1])"
      << true << 5.0;
  QTest::newRow("at a time")
      << R"("quantity": "body_velocity:box", "component": "y", "reduce": "at", "time": 0.3, "compare": ">", "value": 0)"
      << false << -3.0;
  QTest::newRow("largest")
      << R"("quantity": "energy_kinetic", "reduce": "max", "compare": ">", "value": 12000)" << true
      << 12500.0;
  QTest::newRow("median") << R"("quantity": "contacts", "reduce": "median", "compare": "<", "value": 1)"
                          << true << 0.0;
  QTest::newRow("verdict") << R"("quantity": "frames_not_converged", "compare": ">", "value": 0)" << false
                           << 0.0;
}

void SceneClaimsTest::claimsAreDecidedByTheRun() {
  QFETCH(QString, claim);
  QFETCH(bool, holds);
  QFETCH(double, value);
  const auto scene = sceneWith(R"({"text": "it falls", "pane": "cpf", )" + claim + "}");
  Comparison comparison(scene, panesFor({}, *scene), History::kNewestOnly);
  const std::vector<std::string> labels = paneLabels(*scene, comparison.settings().panes);
  ClaimMeter meter(claimsOf(*scene));
  for (int frame = 0; frame <= 50; ++frame) {
    for (int pane = 0; pane < comparison.paneCount(); ++pane)
      meter.add(labels[pane], *comparison.history(pane).frames().back());
    if (frame < 50) comparison.step(false);
  }
  const auto results = meter.results(verdictOf(summariesOf(comparison, labels)));
  QCOMPARE(results.size(), std::size_t(1));
  QCOMPARE(results[0].state, holds ? State::Passes : State::Fails);
  QVERIFY2(std::abs(results[0].value - value) <= 1e-9 * std::max(1.0, std::abs(value)),
           qPrintable(QString::number(results[0].value, 'g', 17)));
  const QString line = QString::fromStdString(claimLines(results));
  QVERIFY2(line.contains(holds ? "  holds    it falls (cpf: " : "  FAILS    it falls (cpf: "),
           qPrintable(line));
}

void SceneClaimsTest::aClaimOnAPaneThatDidNotRunIsNotDecided() {
  const auto scene = sceneWith(
      R"({"text": "t", "pane": "lcp-auto", "quantity": "contacts", "reduce": "max", "compare": "<", "value": 1})");
  ClaimMeter meter(claimsOf(*scene));
  QCOMPARE(meter.results({})[0].state, State::NotRun);
}

void SceneClaimsTest::faultsNameTheMemberAndTheRemedy_data() {
  QTest::addColumn<QString>("claim");
  QTest::addColumn<QString>("said");
  const auto add = [](const char* name, const char* claim, const char* said) {
    QTest::newRow(name) << QString(claim) << QString(said);
  };
  add("pane", R"({"text": "t", "pane": "peg", "quantity": "energy_made", "compare": "<", "value": 1})",
      "claims[0].pane: 'peg' is no pane of this scene; name one of its panes: cpf or lcp-auto");
  add("row", R"({"text": "t", "pane": "cpf", "quantity": "energy_mad", "compare": "<", "value": 1})",
      "did you mean 'energy_made'?");
  add("quantity",
      R"({"text": "t", "pane": "cpf", "quantity": "penetration_mx", "reduce": "max", "compare": "<", "value": 1})",
      "did you mean 'penetration_max'?");
  add("body",
      R"({"text": "t", "pane": "cpf", "quantity": "body_velocity:bux", "reduce": "max", "compare": "<", "value": 1})",
      "did you mean 'box'?");
  add("component",
      R"({"text": "t", "pane": "cpf", "quantity": "body_position:box", "reduce": "max", "compare": "<", "value": 1})",
      "add \"component\"");
  add("idle component",
      R"({"text": "t", "pane": "cpf", "quantity": "contacts", "component": "x", "reduce": "max", "compare": "<", "value": 1})",
      "claims[0].component");
  add("idle time",
      R"({"text": "t", "pane": "cpf", "quantity": "contacts", "time": 1, "reduce": "max", "compare": "<", "value": 1})",
      "claims[0].time");
  add("limits",
      R"({"text": "t", "pane": "cpf", "quantity": "contacts", "reduce": "max", "compare": "within", "value": [2, 1]})",
      "two ascending numbers");
  add("member", R"({"text": "t", "pane": "cpf", "quantity": "energy_made", "compare": "<", "valu": 1})",
      "valu");
}

void SceneClaimsTest::faultsNameTheMemberAndTheRemedy() {
  QFETCH(QString, claim);
  QFETCH(QString, said);
  const auto scene = sceneWith(claim);
  try {
    claimsOf(*scene);
    QFAIL("it is read");
  } catch (const SceneError& error) {
    QVERIFY2(QString(error.what()).contains(said), error.what());
  }
}

QTEST_APPLESS_MAIN(SceneClaimsTest)
#include "tst_scene_claims.moc"
