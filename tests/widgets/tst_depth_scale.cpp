#include <QtTest>

#include "widgets/views/scalar_scaling.h"

using namespace touchstone;

class DepthScaleTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void roundingIsNeverSpreadOverTheScale();
  void aFixedEndIsKept();
  void deformationsHaveANiceEndAndNeverNone();
  void sharedRangesKeepTheLargest();
  void pressuresHaveAReadableUnit();
};

void DepthScaleTest::roundingIsNeverSpreadOverTheScale() {
  const ViewSettings settings;
  for (double shared : {0.0, 2.5e-13, 1e-7}) QCOMPARE(scalarMaximum(settings, shared, 2.5e-13, 2e-6), 2e-5);
  QCOMPARE(scalarMaximum(settings, 5e-3, 0, 2e-6), 5e-3);
  QCOMPARE(scalarMaximum(settings, 0, 4.1e-3, 2e-6), 5e-3);
}

void DepthScaleTest::aFixedEndIsKept() {
  ViewSettings settings;
  settings.scalarMaximum = 1e-9;
  QCOMPARE(scalarMaximum(settings, 5e-3, 1e-3, 2e-6), 1e-9);
}

void DepthScaleTest::deformationsHaveANiceEndAndNeverNone() {
  QCOMPARE(deformationMaximum(0.2, 0.7), 0.2);  // shared
  QCOMPARE(deformationMaximum(0, 0.3), 0.5);
  QCOMPARE(deformationMaximum(0, 1e-12), 1e-6);
  QCOMPARE(deformationMaximum(0, 0), 1e-6);
}

void DepthScaleTest::sharedRangesKeepTheLargest() {
  SharedRanges ranges{1, 2, 3, 0.25, 0.5, 100};
  ranges.join({8, 8, 8, 0.5, 0.5, 1600}, 0.5, 0.125);
  QCOMPARE(ranges.depth, 4.0);
  QCOMPARE(ranges.force, 2.0);
  QCOMPARE(ranges.distance, 4.0);
  QCOMPARE(ranges.volumeChange, 0.25);
  QCOMPARE(ranges.strain, 0.5);
  QCOMPARE(ranges.pressure, 200.0);  // as a force
  const SharedRanges nice = niceCeiling(SharedRanges{3, 0, 0.011, 0.21, 0.6, 1300});
  QCOMPARE(nice.depth, 5.0);
  QCOMPARE(nice.force, 0.0);
  QCOMPARE(nice.distance, 0.02);
  QCOMPARE(nice.volumeChange, 0.5);
  QCOMPARE(nice.strain, 1.0);
  QCOMPARE(nice.pressure, 2000.0);
}

void DepthScaleTest::pressuresHaveAReadableUnit() {
  QCOMPARE(pressureUnit(200).symbol, QStringLiteral("Pa"));
  QCOMPARE(pressureUnit(1000).symbol, QStringLiteral("kPa"));
  QCOMPARE(2e6 * pressureUnit(2e6).perPascal, 2.0);
  QCOMPARE(pressureUnit(2e6).symbol, QStringLiteral("MPa"));
}

QTEST_APPLESS_MAIN(DepthScaleTest)
#include "tst_depth_scale.moc"
