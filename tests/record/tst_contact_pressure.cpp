#include <QtTest>
#include <numeric>

#include "core/record/contact_pressure.h"
#include "core/record/placed_surface.h"
#include "core/run/pane_settings.h"
#include "core/run/simulation.h"
#include "tests/support/deformables.h"
#include "tests/support/near.h"
#include "tests/support/scenes.h"

using namespace touchstone;

/// Pressure of contacts on the surface of a body that deforms.
class ContactPressureTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void goesToTheCornersOfTheFeature_data();
  void goesToTheCornersOfTheFeature();
  void pointsAreThoseAtTheStartOfTheStep();
  void isForcePerArea();
  void bothSidesOfABodyThatTouchesItselfCount();
  void nothingPressesWithoutAStepOrAnImpulse();
  void isTheWeightOverTheArea_data();
  void isTheWeightOverTheArea();

 private:
  static constexpr int kGround = 0, kBar = 1;
  static constexpr double kStep = 0.01, kImpulse = 0.3;  // s, N·s
  std::shared_ptr<Scene> m_scene =
      test::scene({test::ground(), test::elasticBar("bar", {3, 2, 2}, 0.1, Vec3(0, 0.1, 0))});
  ContactFeatures m_features{m_scene};
  const TriangleMesh& mesh() const { return m_scene->bodies[kBar].shape->surfaces[0]; }
  StepRecord record(const Contact& contact) const {
    StepRecord record = *test::recordOf(*m_scene, [](const Vec3& X) { return X; });
    record.dt = kStep;
    record.contacts = {contact};
    return record;
  }
  /// Of the bar with the ground, which is the body before it.
  static Contact contactOf(FeaturePairKind kind, int feature, const Vec3& at) {
    Contact contact;
    contact.kind = kind;
    contact.bodyA = kGround;
    contact.bodyB = kBar;
    contact.featureB = feature;
    contact.vertexOnA = kind != FeaturePairKind::VertexPlane;
    contact.pointA = Vec3(100, 0, 0);  // it must not be taken
    contact.pointB = at;
    contact.normalImpulse = kImpulse;
    return contact;
  }
  /// p_v A_v h: impulses at the vertices [N·s].
  std::vector<double> impulses(const Scene& scene, const ContactFeatures& features, const StepRecord& record,
                               int body) const {
    const std::vector<Vec3> places = placedSurface(scene, record, body, 0);
    std::vector<double> impulses = contactPressures(features, scene, record)[body], areas(places.size(), 0);
    for (const auto& triangle : scene.bodies[body].shape->surfaces[0].triangles)
      for (int corner : triangle)
        areas[corner] += (places[triangle[1]] - places[triangle[0]])
                             .cross(places[triangle[2]] - places[triangle[0]])
                             .norm() /
                         6;
    for (std::size_t vertex = 0; vertex < areas.size(); ++vertex)
      impulses[vertex] *= areas[vertex] * record.dt;
    return impulses;
  }
};

void ContactPressureTest::goesToTheCornersOfTheFeature_data() {
  QTest::addColumn<int>("kind");
  QTest::addColumn<QList<double>>("weights");
  QTest::newRow("vertex") << static_cast<int>(FeaturePairKind::VertexPlane) << QList<double>{1};
  QTest::newRow("edge") << static_cast<int>(FeaturePairKind::EdgeEdge) << QList<double>{0.3, 0.7};
  QTest::newRow("triangle") << static_cast<int>(FeaturePairKind::VertexFace) << QList<double>{0.2, 0.3, 0.5};
}

void ContactPressureTest::goesToTheCornersOfTheFeature() {
  QFETCH(int, kind);
  QFETCH(QList<double>, weights);
  constexpr int kFeature = 7;
  std::vector<int> corners = {kFeature};
  if (weights.size() == 2) corners = {mesh().edges[kFeature].tail, mesh().edges[kFeature].head};
  if (weights.size() == 3)
    corners.assign(mesh().triangles[kFeature].begin(), mesh().triangles[kFeature].end());
  const std::vector<Vec3> places = placedSurface(*m_scene, StepRecord(), kBar, 0);
  Vec3 at(0, 0, 0);
  std::vector<double> wanted(places.size(), 0);
  for (int corner = 0; corner < weights.size(); ++corner) {
    const std::size_t vertex = corners[corner];
    at += weights[corner] * places[vertex];
    wanted[vertex] = weights[corner] * kImpulse;
  }
  const Contact contact = contactOf(static_cast<FeaturePairKind>(kind), kFeature, at);
  const std::vector<double> found = impulses(*m_scene, m_features, record(contact), kBar);
  for (std::size_t vertex = 0; vertex < found.size(); ++vertex)
    QVERIFY_NEAR(found[vertex], wanted[vertex], 1e-13);
  QVERIFY(contactPressures(m_features, *m_scene, record(contact))[kGround].empty());
}

/// The body flies by more than its length in the step.
void ContactPressureTest::pointsAreThoseAtTheStartOfTheStep() {
  const std::vector<Vec3> places = placedSurface(*m_scene, StepRecord(), kBar, 0);
  const auto& corners = mesh().triangles[3];
  const Vec3 centre = (places[corners[0]] + places[corners[1]] + places[corners[2]]) / 3;
  const Vec3 velocity(50, 20, 0);
  StepRecord moved = record(contactOf(FeaturePairKind::VertexFace, 3, centre));
  for (Vec3& particle : moved.particles) particle += kStep * velocity;
  moved.particleVelocities.assign(moved.particles.size(), velocity);
  const std::vector<double> found = impulses(*m_scene, m_features, moved, kBar);
  for (int corner : corners) QVERIFY_NEAR(found[corner], kImpulse / 3, 1e-12);
}

/// A corner of a bar that is pulled to twice its width and height.
void ContactPressureTest::isForcePerArea() {
  StepRecord wide = record(contactOf(FeaturePairKind::VertexPlane, 7, Vec3(0, 0, 0)));
  const double before = largestPressure(m_features, *m_scene, wide);
  for (Vec3& particle : wide.particles) particle *= 2;
  QVERIFY_NEAR(largestPressure(m_features, *m_scene, wide), before / 4, 1e-12 * before);
  wide.dt *= 0.5;
  QVERIFY_NEAR(largestPressure(m_features, *m_scene, wide), before / 2, 1e-12 * before);
  // Of a vertex within a face, with four to eight halves of squares of 0.1 m around it: a third of each.
  QVERIFY(before > kImpulse / kStep / (8 * 0.005 / 3 + 1e-9) && before < kImpulse / kStep / (0.005 / 3));
}

void ContactPressureTest::bothSidesOfABodyThatTouchesItselfCount() {
  Contact contact = contactOf(FeaturePairKind::VertexFace, 3, Vec3(0, 0, 0));
  contact.bodyA = kBar;
  contact.vertexOnA = true;
  contact.featureA = 11;
  const std::vector<double> found = impulses(*m_scene, m_features, record(contact), kBar);
  QVERIFY_NEAR(std::accumulate(found.begin(), found.end(), 0.0), 2 * kImpulse, 1e-13);
  QVERIFY(found[11] >= kImpulse * (1 - 1e-12));
}

void ContactPressureTest::nothingPressesWithoutAStepOrAnImpulse() {
  Contact open = contactOf(FeaturePairKind::VertexPlane, 7, Vec3(0, 0, 0));
  StepRecord start = record(open);
  start.dt = 0;
  QCOMPARE(largestPressure(m_features, *m_scene, start), 0.0);
  QCOMPARE(contactPressures(m_features, *m_scene, start)[kBar].size(), mesh().vertices.size());
  open.normalImpulse = 0;
  QCOMPARE(largestPressure(m_features, *m_scene, record(open)), 0.0);
}

void ContactPressureTest::isTheWeightOverTheArea_data() {
  QTest::addColumn<QString>("method");
  for (const char* name : {"dpf", "cpf", "nsn"}) QTest::newRow(name) << QString::fromLatin1(name);
}

/// A bar of 12 kg that rests on 0.3 m × 0.2 m.
void ContactPressureTest::isTheWeightOverTheArea() {
  QFETCH(QString, method);
  const auto scene = test::scene({test::ground(), test::elasticBar("bar", {3, 2, 2}, 0.1, Vec3(0, 0.1, 0))});
  auto bar = std::make_shared<Deformable>(*scene->bodies[kBar].deformable);
  bar->material.dampingTime = 0.005;
  bar->stepLimit = 1e-3;
  scene->bodies[kBar].deformable = bar;
  scene->dt = 1.0 / 120;
  PaneSettings settings;
  settings.method = method.toStdString();
  settings.substeps = method == QLatin1String("nsn") ? 1 : 20;
  Simulation run(scene, settings, scene->dt);
  for (int frame = 0; frame < 120; ++frame) run.step();
  const StepRecord& record = *run.current();
  QVERIFY(record.status == StepStatus::Ok);
  const ContactFeatures features(scene);
  const std::vector<double> found = impulses(*scene, features, record, kBar);
  const double force = std::accumulate(found.begin(), found.end(), 0.0) / record.dt, weight = 12 * 9.81;
  QVERIFY2(std::abs(force / weight - 1) < 0.05, qPrintable(QString::number(force)));
  const std::vector<double> pressures = contactPressures(features, *scene, record)[kBar];
  const std::vector<Vec3> places = placedSurface(*scene, record, kBar, 0);
  for (std::size_t vertex = 0; vertex < places.size(); ++vertex)
    if (places[vertex].y() > 0.05) QCOMPARE(pressures[vertex], 0.0);
  QVERIFY(largestPressure(features, *scene, record) > weight / 0.06);  // no less than the mean
}

QTEST_APPLESS_MAIN(ContactPressureTest)
#include "tst_contact_pressure.moc"
