#include <QtTest>

#include "core/record/contact_features.h"
#include "core/record/deformation.h"
#include "core/record/placed_surface.h"
#include "tests/support/deformables.h"
#include "tests/support/near.h"
#include "tests/support/scenes.h"

using namespace touchstone;

/// Where the surface of a body is in a frame, and how its elements are deformed there.
class PlacedSurfaceTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void ofARigidBodyIsItsShapeAtThePose();
  void withoutParticlesABodyThatDeformsIsAtRest();
  void affineMotionCarriesEverySurfaceVertex();
  void embeddedVerticesFollowTheirWeights();
  void eachBodyHasItsOwnParticles();
  void featuresOfContactsAreWhereTheSurfaceIs();
  void volumeAndStrainOfAStretch_data();
  void volumeAndStrainOfAStretch();
  void rigidMotionDeformsNothing();
  void smallStrainKeepsItsDigits();
  void aMirroredBodyIsInverted();
  void surfaceHasTheMeanOfItsElements();
  void clothHasStrainAndNoVolume();
  void bodiesFarFromTheOthersAreThrownOut();
  void outermostPointsAreThoseFarthestAlong();
};

static const Quaternion kTurn(Eigen::AngleAxisd(0.7, Vec3(1, 2, 3).normalized()));
constexpr double kRounding = 1e-14;  // of places within a metre or two

static std::shared_ptr<Scene> boxAndBar() {
  Body bar = test::elasticBar("bar", {3, 1, 1}, 0.1, Vec3(0.5, 0.2, -0.1));
  bar.orientation = kTurn;
  return test::scene({test::box("box", Vec3(1, 2, 3), 1, Vec3(0, 1, 0)), bar, test::ground()});
}

void PlacedSurfaceTest::ofARigidBodyIsItsShapeAtThePose() {
  const auto scene = boxAndBar();
  StepRecord record;
  for (const Body& body : scene->bodies)
    record.bodies.push_back({body.position, body.orientation, Vec3(0, 0, 0), Vec3(0, 0, 0), true});
  record.bodies[0].position = Vec3(3, 4, 5);
  record.bodies[0].orientation = kTurn;
  const std::vector<Vec3> placed = placedSurface(*scene, record, 0, 0);
  QCOMPARE(placed.size(), std::size_t(8));
  const Mat3 rotation = kTurn.toRotationMatrix();
  for (std::size_t vertex = 0; vertex < 8; ++vertex) {
    const Vec3 expected = rotation * scene->bodies[0].shape->surfaces[0].vertices[vertex] + Vec3(3, 4, 5);
    QVERIFY_NEAR((placed[vertex] - expected).norm(), 0, kRounding);
  }
}

void PlacedSurfaceTest::withoutParticlesABodyThatDeformsIsAtRest() {
  const auto scene = boxAndBar();
  const std::vector<Vec3> placed = placedSurface(*scene, StepRecord(), 1, 0);
  const TriangleMesh& rest = scene->bodies[1].shape->surfaces[0];
  QCOMPARE(placed.size(), rest.vertices.size());
  for (std::size_t vertex = 0; vertex < placed.size(); ++vertex)
    QVERIFY_NEAR((placed[vertex] - Vec3(kTurn * rest.vertices[vertex] + Vec3(0.5, 0.2, -0.1))).norm(), 0,
                 kRounding);
}

void PlacedSurfaceTest::affineMotionCarriesEverySurfaceVertex() {
  const auto scene = boxAndBar();
  Mat3 A;
  A << 1.5, 0.2, 0, -0.1, 0.8, 0.3, 0, 0.1, 1.1;
  const Vec3 shift(1, -2, 0.5);
  const auto move = [&](const Vec3& X) { return Vec3(A * X + shift); };
  const std::vector<Vec3> start = placedSurface(*scene, StepRecord(), 1, 0),
                          moved = placedSurface(*scene, *test::recordOf(*scene, move), 1, 0);
  for (std::size_t vertex = 0; vertex < start.size(); ++vertex)
    QVERIFY_NEAR((moved[vertex] - move(start[vertex])).norm(), 0, kRounding);
}

void PlacedSurfaceTest::embeddedVerticesFollowTheirWeights() {
  EmbeddedVertex vertex;
  vertex.particles = {2, 0, 3, -1};
  vertex.weights = {0.5, 0.75, -0.25, 7};
  const std::vector<Vec3> particles = {Vec3(4, 0, 0), Vec3(9, 9, 9), Vec3(0, 2, 0), Vec3(0, 0, 8)};
  QVERIFY_NEAR((placed(vertex, particles) - Vec3(3, 1, -2)).norm(), 0, 0);
}

void PlacedSurfaceTest::eachBodyHasItsOwnParticles() {
  const auto scene = test::scene({test::elasticBar("first", {1, 1, 1}, 0.1, Vec3(0, 0, 0)), test::ground(),
                                  test::elasticBar("second", {2, 1, 1}, 0.1, Vec3(1, 0, 0))});
  QCOMPARE(firstParticle(*scene, 0), 0);
  QCOMPARE(firstParticle(*scene, 1), 8);
  QCOMPARE(firstParticle(*scene, 2), 8);
  QCOMPARE(particleCount(*scene), 8 + 12);
  StepRecord record = *test::recordOf(*scene, [](const Vec3& X) { return X; });
  for (int particle = 8; particle < 20; ++particle) record.particles[particle].y() += 1;
  for (const Vec3& vertex : placedSurface(*scene, record, 0, 0)) QVERIFY(std::abs(vertex.y()) < 0.06);
  for (const Vec3& vertex : placedSurface(*scene, record, 2, 0)) QVERIFY(std::abs(vertex.y() - 1) < 0.06);
}

void PlacedSurfaceTest::featuresOfContactsAreWhereTheSurfaceIs() {
  const auto scene = boxAndBar();
  const StepRecord record = *test::recordOf(*scene, [](const Vec3& X) { return Vec3(2 * X); });
  const std::vector<Vec3> start = placedSurface(*scene, StepRecord(), 1, 0);
  const ContactFeatures features(scene);
  Contact contact;
  contact.kind = FeaturePairKind::VertexFace;
  contact.bodyA = 0;
  contact.bodyB = 1;
  contact.pieceA = contact.pieceB = -1;
  contact.vertexOnA = false;
  contact.featureA = 0;
  contact.featureB = 8 + 5;  // the box has eight vertices
  const std::vector<BodyFeature> found = features.of(contact);
  QCOMPARE(found.size(), std::size_t(2));
  QVERIFY(found[0].vertices.empty());
  QCOMPARE(found[1].vertices, std::vector<int>{5});
  QVERIFY_NEAR((placed(found[1], *scene, record).front() - 2 * start[5]).norm(), 0, kRounding);
  QCOMPARE(placed(found[0], *scene, record).size(), std::size_t(3));
  contact.vertexOnA = true;
  contact.featureB = 12 + 7;  // and twelve triangles
  const BodyFeature face = features.of(contact)[1];
  const auto& corners = scene->bodies[1].shape->surfaces[0].triangles[7];
  QCOMPARE(face.vertices, (std::vector<int>{corners[0], corners[1], corners[2]}));
}

void PlacedSurfaceTest::volumeAndStrainOfAStretch_data() {
  QTest::addColumn<double>("along");
  QTest::addColumn<double>("across");
  QTest::addColumn<double>("volumeChange");
  QTest::addColumn<double>("strain");
  QTest::newRow("pulled") << 1.5 << 1.0 << 0.5 << 0.5;
  QTest::newRow("keeps its volume") << 4.0 << 0.5 << 0.0 << 3.0;
  QTest::newRow("compressed") << 0.5 << 0.5 << -0.875 << 0.5;
  QTest::newRow("flat") << 0.0 << 1.0 << -1.0 << 1.0;
}

/// The stretch is turned, too: F = R U.
void PlacedSurfaceTest::volumeAndStrainOfAStretch() {
  QFETCH(double, along);
  QFETCH(double, across);
  QFETCH(double, volumeChange);
  QFETCH(double, strain);
  const auto scene = test::scene({test::elasticBar("bar", {3, 2, 2}, 0.1, Vec3(0, 0, 0))});
  const auto record = test::recordOf(*scene, [&](const Vec3& X) {
    return Vec3(kTurn * Vec3(along * X.x(), across * X.y(), across * X.z()) + Vec3(1, 2, 3));
  });
  const Deformable& bar = *scene->bodies[0].deformable;
  const Deformation deformation = deformationOf(bar, placedParticles(*scene, *record, 0));
  QCOMPARE(deformation.volumeChange.size(), std::size_t(5 * 12));
  constexpr double kTolerance = 1e-7;  // a stretch is a root: near 0 it has half of the digits
  for (double change : deformation.volumeChange) QVERIFY_NEAR(change, volumeChange, 1e-13);
  for (double each : deformation.strain) QVERIFY_NEAR(each, strain, kTolerance);
  const LargestDeformation largest = largestDeformation(*scene, *record);
  QVERIFY_NEAR(largest.volumeChange, std::abs(volumeChange), 1e-13);
  QVERIFY_NEAR(largest.strain, strain, kTolerance);
}

void PlacedSurfaceTest::rigidMotionDeformsNothing() {
  const auto scene = boxAndBar();
  const auto record = test::recordOf(*scene, [](const Vec3& X) { return Vec3(kTurn * X + Vec3(5, 0, 0)); });
  const Deformation deformation =
      deformationOf(*scene->bodies[1].deformable, placedParticles(*scene, *record, 1));
  for (double change : deformation.volumeChange) QVERIFY_NEAR(change, 0, 1e-13);
  for (double strain : deformation.strain) QVERIFY_NEAR(strain, 0, 1e-13);
  QCOMPARE(deformation.inverted, 0);
}

void PlacedSurfaceTest::smallStrainKeepsItsDigits() {
  const auto scene = test::scene({test::elasticBar("bar", {2, 1, 1}, 0.1, Vec3(0, 0, 0))});
  const auto record =
      test::recordOf(*scene, [](const Vec3& X) { return Vec3((1 + 1e-9) * X.x(), X.y(), X.z()); });
  const Deformation deformation =
      deformationOf(*scene->bodies[0].deformable, placedParticles(*scene, *record, 0));
  for (double strain : deformation.strain) QVERIFY_NEAR(strain, 1e-9, 1e-14);
}

void PlacedSurfaceTest::aMirroredBodyIsInverted() {
  const auto scene = test::scene({test::elasticBar("bar", {2, 1, 1}, 0.1, Vec3(0, 0, 0))});
  const auto record = test::recordOf(*scene, [](const Vec3& X) { return Vec3(X.x(), -0.5 * X.y(), X.z()); });
  const Deformation deformation =
      deformationOf(*scene->bodies[0].deformable, placedParticles(*scene, *record, 0));
  QCOMPARE(deformation.inverted, 10);
  for (double change : deformation.volumeChange) QVERIFY_NEAR(change, -1.5, 1e-13);
  for (double strain : deformation.strain) QVERIFY_NEAR(strain, 1.5, 1e-13);
}

void PlacedSurfaceTest::surfaceHasTheMeanOfItsElements() {
  Deformable deformable;
  deformable.rest.assign(5, Vec3(0, 0, 0));
  deformable.tetrahedra = {{0, 1, 2, 3}, {1, 2, 3, 4}};
  EmbeddedVertex own, shared, between;
  own.particles[0] = 0;
  own.weights[0] = 1;
  shared.particles[0] = 2;
  shared.weights[0] = 1;
  between.particles = {0, 4, -1, -1};
  between.weights = {0.25, 0.75, 0, 0};
  deformable.surface = {own, shared, between};
  Deformation deformation;
  deformation.volume = {1, 3};
  deformation.volumeChange = {0.2, 0.6};
  deformation.strain = {0.1, 0.5};
  const SurfaceDeformation surface = onSurface(deformable, deformation);
  QVERIFY_NEAR(surface.volumeChange[0], 0.2, 1e-15);
  QVERIFY_NEAR(surface.volumeChange[1], 0.5, 1e-15);
  QVERIFY_NEAR(surface.volumeChange[2], 0.25 * 0.2 + 0.75 * 0.6, 1e-15);
  QVERIFY_NEAR(surface.strain[1], 0.4, 1e-15);
}

void PlacedSurfaceTest::clothHasStrainAndNoVolume() {
  Deformable cloth;
  cloth.rest = {Vec3(0, 0, 0), Vec3(1, 0, 0), Vec3(0, 1, 0)};
  cloth.edges = {{{0, 1}, 1, 10}, {{0, 2}, 1, 10}};
  for (int particle = 0; particle < 3; ++particle) {
    cloth.surface.emplace_back().particles[0] = particle;
    cloth.surface.back().weights[0] = 1;
  }
  const Deformation deformation = deformationOf(cloth, {Vec3(0, 0, 0), Vec3(1.2, 0, 0), Vec3(0, 0.9, 0)});
  const SurfaceDeformation surface = onSurface(cloth, deformation);
  QVERIFY_NEAR(surface.strain[0], 0.15, 1e-14);
  QVERIFY_NEAR(surface.strain[1], 0.2, 1e-14);
  QVERIFY_NEAR(surface.strain[2], 0.1, 1e-14);
  for (double change : surface.volumeChange) QVERIFY(std::isnan(change));
}

void PlacedSurfaceTest::bodiesFarFromTheOthersAreThrownOut() {
  const auto scene = test::scene({test::box("a", Vec3(1, 1, 1), 1, Vec3(0, 0, 0)),
                                  test::box("b", Vec3(1, 1, 1), 1, Vec3(1.1, 0, 0)),
                                  test::box("c", Vec3(1, 1, 1), 1, Vec3(2.2, 0, 0)), test::ground(-1)});
  auto frame = std::make_shared<StepRecord>();
  for (int body = 0; body < 4; ++body) frame->bodies.push_back(stateIn(*scene, StepRecord(), body));
  frame->bodies[2].position.y() = 50 * scene->size;
  std::vector<std::pair<std::size_t, int>> thrown, kept;
  for (const MovingBody& moving : movingBodies(*scene, {nullptr, frame}))
    (moving.isThrown ? thrown : kept).emplace_back(moving.pane, moving.body);
  QCOMPARE(thrown, (std::vector<std::pair<std::size_t, int>>{{1, 2}}));
  QCOMPARE(kept, (std::vector<std::pair<std::size_t, int>>{{0, 0}, {0, 1}, {0, 2}, {1, 0}, {1, 1}}));
  QCOMPARE(movingPoints(*scene, {nullptr, frame}).size(), std::size_t(5 * 8));
}

void PlacedSurfaceTest::outermostPointsAreThoseFarthestAlong() {
  const std::vector<Vec3> points = {Vec3(0, 0, 0), Vec3(1, 0, 0), Vec3(0, 2, 0), Vec3(-3, 0, 0)};
  const std::vector<Vec3> outer = outermost(points, {Vec3(1, 0, 0), Vec3(1, 0.1, 0), Vec3(-1, 0, 0)});
  QCOMPARE(outer.size(), std::size_t(2));
  QCOMPARE(outer[0], Vec3(1, 0, 0));
  QCOMPARE(outer[1], Vec3(-3, 0, 0));
  QVERIFY(outermost({}, {Vec3(1, 0, 0)}).empty());
}

QTEST_APPLESS_MAIN(PlacedSurfaceTest)
#include "tst_placed_surface.moc"
