#include <QtTest>

#include "core/run/pane_name.h"
#include "core/run/simulation.h"
#include "tests/contact/method_run.h"
#include "tests/support/near.h"

using namespace touchstone;

/// Coulomb's friction under every method and solver.
class FrictionLawsTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void aBlockSlidesAsFarInEveryDirection_data();
  void aBlockSlidesAsFarInEveryDirection();
  void aBlockHoldsByStaticAndSlidesByDynamicFriction_data();
  void aBlockHoldsByStaticAndSlidesByDynamicFriction();
  void aBrickDoesNotCreepFarBelowTheAngleOfFriction_data();
  void aBrickDoesNotCreepFarBelowTheAngleOfFriction();
};

static const std::vector<QString>& panes() {
  static const std::vector<QString> all = {"lcp-auto",
                                           "lcp-newton-fb",
                                           "lcp-newton-fb-pcr",
                                           "lcp-newton-fb-pcg",
                                           "lcp-newton-min",
                                           "lcp-newton-fb-jacobi",
                                           "lcp-pgs",
                                           "peg-auto",
                                           "peg-auto exact",
                                           "peg-auto relinearise",
                                           "peg-newton-fb",
                                           "peg-newton-fb exact",
                                           "peg-newton-fb-pcr",
                                           "peg-newton-fb-pcr exact",
                                           "peg-newton-fb-pcr relinearise",
                                           "peg-pgs",
                                           "peg-pgs relinearise",
                                           "dpf",
                                           "dpf-ccd",
                                           "cpf"};
  return all;
}
static bool isPenalty(const QString& pane) { return !pane.startsWith("lcp") && !pane.startsWith("peg"); }

static PaneSettings settingsOf(const QString& pane) {
  PaneSettings settings = paneNamed(pane.section(' ', 0, 0).toStdString());
  if (isPenalty(pane)) {
    settings.substeps = 8;
    return settings;
  }
  if (!pane.section(' ', 1).isEmpty()) settings.parameters["step"] = pane.section(' ', 1).toStdString();
  settings.parameters["max_iterations"] = 2000.0;
  return settings;
}

void FrictionLawsTest::aBlockSlidesAsFarInEveryDirection_data() {
  QTest::addColumn<QString>("pane");
  QTest::addColumn<double>("degrees");
  QTest::addColumn<double>("dt");
  for (const QString& pane : panes())
    for (double degrees : {0.0, 22.5, 45.0})
      for (double dt : {0.005, 0.002})
        QTest::newRow(pane.toUtf8() + ", " + QByteArray::number(degrees) + " degrees, " +
                      QByteArray::number(dt) + " s")
            << pane << degrees << dt;
}

/// v₀²/2 μ g = 0.6796 m; implicit Euler stops by v₀ h/2 earlier, in whole steps: 0.67458 m at 5 ms, 0.67758 m
/// at 2 ms.
void FrictionLawsTest::aBlockSlidesAsFarInEveryDirection() {
  QFETCH(QString, pane);
  QFETCH(double, degrees);
  QFETCH(double, dt);
  const double angle = degrees * M_PI / 180;
  const Vec3 way(std::cos(angle), 0, std::sin(angle));
  Body block = test::box("block", Vec3(0.2, 0.1, 0.2), 1, Vec3(0, 0.05, 0));
  block.orientation = Quaternion(Eigen::AngleAxisd(-angle, Vec3(0, 1, 0)));
  block.linearVelocity = 2 * way;
  auto scene = test::scene({test::ground(), block}, 0.3);
  scene->dt = dt;
  scene->size = 1;
  Simulation simulation(scene, settingsOf(pane), dt);
  while (simulation.world().time < 1) {
    const RecordPtr record = simulation.step();
    QVERIFY2(record->status == StepStatus::Ok, record->statusText.c_str());
  }
  const Vec3 travelled = simulation.world().position[1] - Vec3(0, simulation.world().position[1].y(), 0);
  const double along = way.dot(travelled), aside = (travelled - along * way).norm();
  const double wanted = isPenalty(pane) ? 0.6796 : dt == 0.005 ? 0.67458 : 0.67758;
  QVERIFY_NEAR(along, wanted, (isPenalty(pane) ? 5e-3 : 1e-3) * wanted);
  QVERIFY_NEAR(aside, 0, (isPenalty(pane) ? 0.1 : 0.01) * M_PI / 180 * wanted);
}

void FrictionLawsTest::aBlockHoldsByStaticAndSlidesByDynamicFriction_data() {
  QTest::addColumn<QString>("pane");
  for (const QString& pane : panes()) QTest::newRow(qPrintable(pane)) << pane;
}

/// μ_s = 0.7, μ_d = 0.3 on a slope of tan θ = 0.4: a box at rest holds, and a sliding box continues.
void FrictionLawsTest::aBlockHoldsByStaticAndSlidesByDynamicFriction() {
  QFETCH(QString, pane);
  const double angle = std::atan(0.4), g = 9.81;
  constexpr double kStep = 0.002;
  for (double start : {0.0, 0.5}) {
    // Starts at the depth of rest: four springs of m / (12 h²) give 3 g h².
    const PaneSettings settings = settingsOf(pane);
    const double h = kStep / settings.substeps, depth = isPenalty(pane) ? 3 * g * std::cos(angle) * h * h : 0;
    Body block = test::box("block", Vec3(0.2, 0.1, 0.2), 1, Vec3(0, 0.05 - depth, 0));
    block.linearVelocity = Vec3(start, 0, 0);
    auto scene = test::scene({test::block("slope", Vec3(20, 1, 2), Vec3(0, -0.5, 0)), block});
    scene->materials[0].staticFriction = 0.7;
    scene->materials[0].dynamicFriction = 0.3;
    scene->gravity = g * Vec3(std::sin(angle), -std::cos(angle), 0);
    scene->dt = kStep;
    scene->size = 1;
    Simulation simulation(scene, settings, scene->dt);
    for (int frame = 0; frame < 250; ++frame) {
      const RecordPtr record = simulation.step();
      QVERIFY2(record->status == StepStatus::Ok, record->statusText.c_str());
    }
    const double speed = simulation.world().linearVelocity[1].x();
    if (start == 0) {
      QVERIFY_NEAR(speed, 0, isPenalty(pane) ? 1e-4 : 1e-8);
      QVERIFY_NEAR(simulation.world().position[1].x(), 0, isPenalty(pane) ? 1e-3 : 1e-8);
    } else {
      const double acceleration = g * (std::sin(angle) - 0.3 * std::cos(angle));
      QVERIFY_NEAR(speed, start + 0.5 * acceleration, isPenalty(pane) ? 0.02 : 1e-4);
    }
  }
}

void FrictionLawsTest::aBrickDoesNotCreepFarBelowTheAngleOfFriction_data() {
  QTest::addColumn<QString>("pane");
  for (const char* pane : {"dpf", "dpf-ccd", "cpf", "lcp", "peg", "peg-auto exact"})
    QTest::newRow(pane) << pane;
}

/// On a slope of 3° with μ = 0.7 it settles, and then moves by at most 1 µm/s.
void FrictionLawsTest::aBrickDoesNotCreepFarBelowTheAngleOfFriction() {
  QFETCH(QString, pane);
  const double angle = 3 * M_PI / 180;
  auto scene = test::scene({test::block("slope", Vec3(4, 0.2, 2), Vec3(0, -0.1, 0)),
                            test::box("brick", Vec3(0.2, 0.06, 0.1), 1, Vec3(0, 0.03, 0))},
                           0.7);
  scene->gravity = 9.81 * Vec3(std::sin(angle), -std::cos(angle), 0);
  scene->dt = 0.005;
  scene->size = 1;
  PaneSettings settings = settingsOf(pane);
  settings.substeps = isPenalty(pane) ? 10 : 1;
  Simulation simulation(scene, settings, scene->dt);
  simulation.setStatesOnly(true);
  for (int frame = 0; frame < 400; ++frame) simulation.step();
  const Vec3 settled = simulation.world().position[1];
  QVERIFY(Vec3(settled.x(), 0, settled.z()).norm() <= 5e-4);
  for (int frame = 0; frame < 1000; ++frame) simulation.step();
  const Vec3 moved = simulation.world().position[1] - settled;
  QVERIFY_NEAR(Vec3(moved.x(), 0, moved.z()).norm() / 5, 0, 1e-6);
}

QTEST_APPLESS_MAIN(FrictionLawsTest)
#include "tst_friction_laws.moc"
