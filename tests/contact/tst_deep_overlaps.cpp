#include <QtTest>
#include <cmath>

#include "core/run/simulation.h"
#include "core/scene/scale.h"
#include "tests/support/scenes.h"

using namespace touchstone;

/// Edges and faces that begin in each other by more than the margin, most of them without a corner of either
/// body inside the other.
class DeepOverlapsTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void areParted_data();
  void areParted();

 private:
  static std::shared_ptr<Scene> sceneOf(const QString& kind, double depth);
};

namespace {

constexpr double kMargin = 1e-3;  // m

Body bar(const char* name, const Vec3& size, const Vec3& position, double angle, const Vec3& axis) {
  Body body = test::box(name, size, 700 * size.prod(), position);
  body.orientation = Quaternion(Eigen::AngleAxisd(angle, axis));
  return body;
}

Body fixed(Body body) {
  body.motion = Motion::Static;
  body.mass = 0;
  body.inertia = Mat3::Zero();
  return body;
}

/// A roof of a right angle along z whose ridge points down and is at the origin.
Body ridge(double length, double depth) {
  const double side = 0.1;
  return bar("upper", Vec3(side, side, length), Vec3(0, side / std::sqrt(2.0) - depth, 0), M_PI / 4,
             Vec3::UnitZ());
}

}  // namespace

std::shared_ptr<Scene> DeepOverlapsTest::sceneOf(const QString& kind, double depth) {
  const double thick = 0.05, half = thick / std::sqrt(2.0), quarter = M_PI / 4;
  if (kind == "edge in edge")
    return test::scene(
        {fixed(bar("lower", Vec3(0.6, thick, thick), Vec3::Zero(), quarter, Vec3::UnitX())),
         bar("upper", Vec3(thick, thick, 0.6), Vec3(0, 2 * half - depth, 0), quarter, Vec3::UnitZ())});
  if (kind == "edge in edge, askew") {
    const Quaternion turn(Eigen::AngleAxisd(1, Vec3::UnitY()));
    Body upper = bar("upper", Vec3(0.03, 0.03, 0.9), Vec3(0, half + 0.015 * std::sqrt(2.0) - depth, 0),
                     quarter, Vec3::UnitZ());
    upper.orientation = turn * upper.orientation;
    return test::scene(
        {fixed(bar("lower", Vec3(0.4, thick, thick), Vec3::Zero(), quarter, Vec3::UnitX())), upper});
  }
  if (kind == "face in face")
    return test::scene({fixed(bar("lower", Vec3(0.6, thick, thick), Vec3::Zero(), 0, Vec3::UnitX())),
                        bar("upper", Vec3(thick, thick, 0.6), Vec3(0, thick - depth, 0), 0, Vec3::UnitX())});
  if (kind == "edge in face")  // of a plate narrower than the edge is long
    return test::scene(
        {fixed(bar("lower", Vec3(0.5, 0.1, 0.2), Vec3(0, -0.05, 0), 0, Vec3::UnitX())), ridge(0.6, depth)});
  if (kind == "edge in face, inside")  // its ends are inside
    return test::scene(
        {fixed(bar("lower", Vec3(0.5, 0.1, 0.9), Vec3(0, -0.05, 0), 0, Vec3::UnitX())), ridge(0.3, depth)});
  // A box in a box.
  return test::scene({fixed(bar("lower", Vec3(0.5, 0.4, 0.5), Vec3(0, -0.2, 0), 0, Vec3::UnitX())),
                      bar("upper", Vec3(0.1, 0.1, 0.1), Vec3(0.02, 0.05 - depth, 0.01), 0.3, Vec3::UnitY())});
}

void DeepOverlapsTest::areParted_data() {
  QTest::addColumn<QString>("method");
  QTest::addColumn<QString>("kind");
  QTest::addColumn<double>("depth");
  for (const char* method : {"lcp", "peg", "nsn"})
    for (const char* kind : {"edge in edge", "edge in edge, askew", "face in face", "edge in face",
                             "edge in face, inside", "box in box"})
      for (const double depth : {1.5e-3, 7e-3, 12e-3})
        QTest::addRow("%s, %s, %g mm", method, kind, 1e3 * depth) << method << kind << depth;
}

/// Slowly: no faster than the speed of parting, and nothing falls through.
void DeepOverlapsTest::areParted() {
  QFETCH(QString, method);
  QFETCH(QString, kind);
  QFETCH(double, depth);
  const auto scene = sceneOf(kind, depth);
  PaneSettings settings;
  settings.method = method.toStdString();
  settings.parameters["margin"] = kMargin;
  Simulation simulation(scene, settings, scene->dt);
  const double start = simulation.current()->bodies[1].position.y();
  QVERIFY(simulation.current()->quantities[Quantity::PenetrationMax] > kMargin);
  RecordPtr record;
  for (int frame = 0; frame < 30; ++frame) {
    record = simulation.step();
    QVERIFY2(record->status == StepStatus::Ok, record->statusText.c_str());
    QVERIFY2(record->bodies[1].linearVelocity.y() < 1.5 * depenetrationSpeedOf(*scene),
             qPrintable(QString::number(record->bodies[1].linearVelocity.y())));
  }
  QVERIFY2(record->quantities[Quantity::PenetrationMax] < kMargin,
           qPrintable(QString::number(record->quantities[Quantity::PenetrationMax])));
  QVERIFY(record->bodies[1].position.y() > start);
}

QTEST_APPLESS_MAIN(DeepOverlapsTest)
#include "tst_deep_overlaps.moc"
