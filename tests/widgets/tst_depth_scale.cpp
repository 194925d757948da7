#include <QtTest>

#include "widgets/views/scalar_scaling.h"

using namespace touchstone;

class DepthScaleTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void roundingIsNeverSpreadOverTheScale();
  void aFixedEndIsKept();
};

void DepthScaleTest::roundingIsNeverSpreadOverTheScale() {
  const ViewSettings settings;
  for (double shared : {0.0, 2.5e-13, 1e-7}) QCOMPARE(scalarMaximum(settings, shared, 2.5e-13, 2), 2e-6);
  QCOMPARE(scalarMaximum(settings, 5e-3, 0, 2), 5e-3);
  QCOMPARE(scalarMaximum(settings, 0, 4.1e-3, 2), 5e-3);
}

void DepthScaleTest::aFixedEndIsKept() {
  ViewSettings settings;
  settings.scalarMaximum = 1e-9;
  QCOMPARE(scalarMaximum(settings, 5e-3, 1e-3, 2), 1e-9);
}

QTEST_APPLESS_MAIN(DepthScaleTest)
#include "tst_depth_scale.moc"
