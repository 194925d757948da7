#include <QtTest>

#include "core/run/pane_name.h"
#include "core/run/simulation.h"
#include "tests/support/scalar_device.h"
#include "tests/support/scenes.h"

using namespace touchstone;

/// A device adds, multiplies, divides and takes roots like the host, but without the host's vector
/// instructions. If it summed in another order, the backends would find different contacts and different
/// impulses of redundant contacts.
class DeviceRoundingTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void initTestCase() { test::useScalarDevice(); }
  void aDeviceGivesTheBitsOfTheHost_data();
  void aDeviceGivesTheBitsOfTheHost();
};

void DeviceRoundingTest::aDeviceGivesTheBitsOfTheHost_data() {
  QTest::addColumn<QString>("scene");
  QTest::addColumn<QString>("pane");
  QTest::addColumn<int>("frames");
  for (const char* pane :
       {"dpf", "dpf-ccd", "cpf", "lcp", "peg", "lcp-pgs", "peg-pgs", "lcp-newton-fb", "lcp-newton-fb-pcr"})
    QTest::addRow("pour %s", pane) << "pour" << pane << 150;
  for (const char* pane : {"lcp", "peg", "lcp-pgs", "peg-pgs", "lcp-newton-fb-pcr", "peg-newton-fb-pcr"})
    QTest::addRow("pour-2d %s", pane) << "pour-2d" << pane << 150;
  for (const char* pane :
       {"dpf", "cpf", "lcp", "peg", "lcp-pgs", "peg-pgs", "lcp-newton-fb-pcr", "peg-newton-fb-pcr"}) {
    QTest::addRow("incline %s", pane) << "incline" << pane << 100;
    QTest::addRow("resting-box %s", pane) << "resting-box" << pane << 200;
    QTest::addRow("heavy-stack %s", pane) << "heavy-stack" << pane << 50;
  }
  for (const char* scene : {"incline", "heavy-stack", "arch", "humanoid"})
    QTest::addRow("%s nsn", scene) << scene << "nsn" << 50;
  for (const char* pane : {"peg exact", "peg-newton-fb-pcr exact"}) {
    QTest::addRow("pour %s", pane) << "pour" << pane << 150;
    QTest::addRow("pour-2d %s", pane) << "pour-2d" << pane << 150;
  }
  for (const char* pane : {"dpf", "dpf-ccd", "cpf"}) {
    QTest::addRow("meshes %s", pane) << "meshes" << pane << 110;
    QTest::addRow("rings %s", pane) << "rings" << pane << 140;
  }
}

void DeviceRoundingTest::aDeviceGivesTheBitsOfTheHost() {
  QFETCH(QString, scene);
  QFETCH(QString, pane);
  QFETCH(int, frames);
  const auto loaded = test::shipped(scene.toStdString());
  PaneSettings settings = paneWithStep(pane.toStdString());
  settings.substeps = 2;
  Simulation host(loaded, settings, loaded->dt);
  settings.backend = BackendKind::Cuda;
  Simulation device(loaded, settings, loaded->dt);
  std::size_t contacts = 0;
  for (int frame = 0; frame < frames; ++frame) {
    const RecordPtr a = host.step(), b = device.step();
    QVERIFY(device.backend() == BackendKind::Cuda);
    QCOMPARE(b->stateHash, a->stateHash);
    QCOMPARE(b->contacts.size(), a->contacts.size());
    for (std::size_t k = 0; k < a->contacts.size(); ++k) {
      QCOMPARE(b->contacts[k].normalImpulse, a->contacts[k].normalImpulse);
      QVERIFY(b->contacts[k].frictionImpulse == a->contacts[k].frictionImpulse);
      QCOMPARE(b->contacts[k].gap, a->contacts[k].gap);
    }
    for (const Quantity quantity : {Quantity::Overlap, Quantity::PenetrationMax, Quantity::EnergyKinetic}) {
      const double x = a->quantities[quantity], y = b->quantities[quantity];
      QVERIFY(x == y || (std::isnan(x) && std::isnan(y)));
    }
    contacts += a->contacts.size();
  }
  QVERIFY(contacts > 0);
  QVERIFY(host.contactMemory() == device.contactMemory());
}

QTEST_APPLESS_MAIN(DeviceRoundingTest)
#include "tst_device_rounding.moc"
