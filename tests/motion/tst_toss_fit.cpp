#include <QtTest>

#include "core/motion/motion_file.h"
#include "core/motion/toss_fit.h"
#include "core/robot/scene_readers.h"
#include "tests/support/near.h"
#include "tests/support/tosses.h"

using namespace touchstone;

/// Parameters that are found from recordings whose parameters are known.
class TossFitTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void frictionOfARunIsFound();
  void twoNumbersAreFoundAtOnce();
  void theTableNamesTheBestAndTheRegion();
  void withoutATossThereIsNoFit();
  void frameLengthsAreNotFitted();

 private:
  TossFit fitOf(const RecordedMotion& motion, const Scene& scene,
                const std::vector<std::string>& axes) const {
    const PaneSettings pane = suggestedPane(scene, "lcp");
    std::vector<MapAxis> own;
    for (const std::string& axis : axes) own.push_back(mapAxisOf(axis, pane.method));
    return tossFit(scene, pane, own, scene.dt, comparedTosses(motion, scene).tosses, tossMeasures()[1], 1);
  }
  test::SceneFolder m_folder;
};

void TossFitTest::frictionOfARunIsFound() {
  const auto truth = loadScene(m_folder.write("truth.json", test::tossScene(0.23)));
  const auto other = loadScene(m_folder.write("other.json", test::tossScene(0.4)));
  const RecordedMotion motion =
      test::readBack(m_folder, test::simulatedTosses(*truth, 6, 100, test::TossKind::Sliding), {}, {});
  const TossFit fit = fitOf(motion, *other, {"scene.friction=0.215..0.245/7"});
  QCOMPARE(fit.score.size(), std::size_t(7));
  QVERIFY_NEAR(valueAt(fit.axes, 0, fit.best), 0.23, 0.005 + 1e-12);
  QVERIFY2(fit.score[fit.best] < 0.02, qPrintable(QString::number(fit.score[fit.best])));
  QVERIFY2(fit.scoreAside[fit.best] < 0.05, qPrintable(QString::number(fit.scoreAside[fit.best])));
  QVERIFY(fit.fitted == 3 && fit.keptAside == 3);
  QVERIFY(fit.isAsGood[fit.best] && !fit.isAsGood.front());
}

void TossFitTest::twoNumbersAreFoundAtOnce() {
  const auto truth = loadScene(m_folder.write("truth.json", test::tossScene(0.3)));
  const RecordedMotion motion = test::readBack(m_folder, test::simulatedTosses(*truth, 4, 90), {}, {});
  const TossFit fit = fitOf(motion, *truth, {"scene.friction=0.2,0.3,0.4", "restitution=0,0.2"});
  QCOMPARE(fit.best, std::size_t(1));  // 0.3 and 0
  const QString csv = QString::fromStdString(csvOf(fit));
  QCOMPARE(csv.count('\n'), 7);
  QVERIFY(csv.startsWith("scene.friction,restitution,centre_end_widths_median,"));
}

void TossFitTest::theTableNamesTheBestAndTheRegion() {
  TossFit fit;
  fit.axes = {{"scene.friction", {0.1, 0.2, 0.3}}};
  fit.measure = tossMeasures()[1];
  fit.fitted = 4;
  fit.keptAside = 4;
  fit.score = {0.5, 0.2, 0.21};
  fit.scoreAside = {0.6, 0.25, 0.2};
  fit.isAsGood = {0, 1, 1};
  fit.failures = {0, 0, 0};
  fit.best = 1;
  fit.bestFitted = {0.2, 0.1, 0.3, 0.15, 0.25};
  fit.bestAside = {0.25, 0.1, 0.3, 0.15, 0.25};
  const std::string table = fitTable(fit);
  QVERIFY2(table.find("scene.friction = 0.2 (as good from 0.2 to 0.3)") != std::string::npos, table.c_str());
  QVERIFY2(table.find("kept aside 0.25") != std::string::npos, table.c_str());
}

void TossFitTest::withoutATossThereIsNoFit() {
  const auto scene = loadScene(m_folder.write("s.json", test::tossScene(0.3)));
  QVERIFY_EXCEPTION_THROWN(
      tossFit(*scene, suggestedPane(*scene, "lcp"), {mapAxisOf("scene.friction=0.1,0.2", "lcp")}, 0.005, {},
              tossMeasures()[0], 1),
      std::invalid_argument);
}

/// The tosses share the frame length of one run.
void TossFitTest::frameLengthsAreNotFitted() {
  const auto scene = loadScene(m_folder.write("s.json", test::tossScene(0.3)));
  const RecordedMotion motion =
      test::readBack(m_folder, test::simulatedTosses(*scene, 2, 100, test::TossKind::Sliding), {}, {});
  try {
    fitOf(motion, *scene, {"dt=1e-3,5e-3"});
    QFAIL("taken");
  } catch (const std::invalid_argument& error) {
    QVERIFY2(QByteArray(error.what()).contains("give it as --dt"), error.what());
  }
}

QTEST_APPLESS_MAIN(TossFitTest)
#include "tst_toss_fit.moc"
