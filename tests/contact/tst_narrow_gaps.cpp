#include <QtTest>
#include <algorithm>

#include "core/run/simulation.h"
#include "tests/support/narrow_gaps.h"

using namespace touchstone;

/// Tips, edges and wedges that meet in narrow gaps at 0.5 to 5 m/s.
class NarrowGapsTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void impactsMakeHardlyAnyEnergy_data();
  void impactsMakeHardlyAnyEnergy();
};

/// Steps with one linearisation leave overlaps where bodies turn, and parting them takes energy.
void NarrowGapsTest::impactsMakeHardlyAnyEnergy_data() {
  QTest::addColumn<QString>("step");
  QTest::addColumn<int>("most");
  QTest::addColumn<double>("largest");
  QTest::newRow("plain") << "plain" << 10 << 0.15;
  QTest::newRow("relinearise") << "relinearise" << 10 << 0.5;
  QTest::newRow("exact") << "exact" << 2 << 0.05;
}

/// A gain counts in a frame from 1 % of the kinetic energy on with which the situation begins.
void NarrowGapsTest::impactsMakeHardlyAnyEnergy() {
  constexpr int kSituations = 200, kFrames = 30;
  constexpr unsigned kSeed = 1;
  QFETCH(QString, step);
  QFETCH(int, most);
  QFETCH(double, largest);
  int gaining = 0;
  for (int number = 0; number < kSituations; ++number) {
    PaneSettings settings;
    settings.method = "peg";
    settings.parameters["step"] = step.toStdString();
    const auto scene = test::narrowGap(number, kSeed);
    Simulation simulation(scene, settings, scene->dt);
    const double start = simulation.current()->quantities[Quantity::EnergyKinetic];
    double before = 0, gain = 0;
    for (int frame = 0; frame < kFrames; ++frame) {
      const double drift = simulation.step()->quantities[Quantity::EnergyDrift];
      gain = std::max(gain, (drift - before) / start);
      before = drift;
    }
    gaining += gain > 0.01;
    QVERIFY2(gain <= largest, qPrintable(QStringLiteral("%1: %2").arg(number).arg(gain)));
  }
  QVERIFY2(gaining <= most, qPrintable(QString::number(gaining)));
}

QTEST_APPLESS_MAIN(NarrowGapsTest)
#include "tst_narrow_gaps.moc"
