#include <QtTest>

#include "core/run/pane_name.h"
#include "core/run/simulation.h"
#include "tests/support/scenes.h"

using namespace touchstone;

/// The parameter `start` of methods that solve rows.
class StartOfImpulsesTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void aWarmStartSavesIterations_data();
  void aWarmStartSavesIterations();
};

void StartOfImpulsesTest::aWarmStartSavesIterations_data() {
  QTest::addColumn<QString>("scene");
  QTest::addColumn<QString>("pane");
  for (const char* pane : {"lcp-pgs", "lcp-newton-fb-pcr", "peg-pgs"})
    QTest::addRow("heavy-stack %s", pane) << "heavy-stack" << pane;
  QTest::newRow("loaded-chain lcp-pgs") << "loaded-chain"
                                        << "lcp-pgs";
}

void StartOfImpulsesTest::aWarmStartSavesIterations() {
  QFETCH(QString, scene);
  QFETCH(QString, pane);
  const auto iterationsOf = [&](const char* start) {
    PaneSettings settings = paneNamed(pane.toStdString());
    settings.parameters["start"] = std::string(start);
    settings.parameters["max_iterations"] = 3000.0;
    settings.parameters["tolerance"] = 1e-6;
    settings.parameters["push_out"] = std::string("published");  // with it sweeps end within 20 frames
    const auto loaded = test::shipped(scene.toStdString());
    Simulation simulation(loaded, settings, loaded->dt);
    std::size_t count = 0;
    for (int frame = 0; frame < 20; ++frame) count += simulation.step()->iterations.size();
    return count;
  };
  const std::size_t warm = iterationsOf("warm"), zero = iterationsOf("zero");
  QVERIFY2(warm < zero, qPrintable(QStringLiteral("%1 against %2").arg(warm).arg(zero)));
}

QTEST_APPLESS_MAIN(StartOfImpulsesTest)
#include "tst_start_of_impulses.moc"
