#include <QtTest>

#include "core/parallel/host_backend.h"
#include "core/world/surface_trees.inl"
#include "tests/support/near.h"
#include "tests/support/scenes.h"
#include "tests/support/separate_backend.h"
#include "tests/support/separate_device.h"

using namespace touchstone;
using test::box;
using test::boxShape;
using test::ground;

namespace {

Quaternion turned(const Vec3& axis, double angle) {
  return Quaternion(Eigen::AngleAxisd(angle, Eigen::Vector3d(axis).normalized()));
}

/// Requires equal bits.
void compare(const std::vector<Overlap>& overlaps, const std::vector<Overlap>& expected) {
  QCOMPARE(overlaps.size(), expected.size());
  for (std::size_t k = 0; k < overlaps.size(); ++k) {
    QCOMPARE(overlaps[k].bodyA, expected[k].bodyA);
    QCOMPARE(overlaps[k].bodyB, expected[k].bodyB);
    QVERIFY(overlaps[k].depth == expected[k].depth && overlaps[k].volume == expected[k].volume);
    QVERIFY(overlaps[k].vertices == expected[k].vertices && overlaps[k].triangles == expected[k].triangles);
  }
}

/// Measures each scene of this file in the way of a device, too.
void compareWithADevice(const World& world, const std::vector<Overlap>& expected) {
  bool sampled = false;
  const auto device = test::separateOverlapMeasurement(world, test::separateWorld(world));
  for (int again = 0; again < 2; ++again) compare(device->find(world, sampled), expected);
}

std::vector<Overlap> overlapsIn(std::initializer_list<Body> bodies, bool* sampled = nullptr) {
  const auto scene = test::scene(bodies);
  const World world = makeWorld(scene);
  bool usedSamples = false;
  const auto engine =
      makeOverlapMeasurement(BackendKind::Cpu, world, makeDeviceWorld(BackendKind::Cpu, world));
  const std::vector<Overlap> overlaps = engine->find(world, usedSamples);
  compareWithADevice(world, overlaps);
  if (sampled) *sampled = usedSamples;
  return overlaps;
}

/// The body with its surface only, like a mesh without convex pieces.
Body withoutPieces(Body body) {
  auto shape = std::make_shared<Shape>(*body.shape);
  shape->kind = Shape::Kind::Mesh;
  shape->pieces.clear();
  body.shape = shape;
  return body;
}

/// Two unit cubes in a row along x, 1 m apart, as one body.
Body twoCubes(const Vec3& position) {
  auto shape = std::make_shared<Shape>();
  shape->kind = Shape::Kind::Convex;
  for (double x : {-1.0, 1.0}) {
    Polytope cube = boxShape(Vec3(1, 1, 1))->pieces[0];
    for (Vec3& vertex : cube.vertices) vertex.x() += x;
    if (!buildTopology(cube).empty()) std::abort();
    shape->pieces.push_back(cube);
    shape->surfaces.push_back(triangulated(cube));
  }
  Body body = box("cubes", Vec3(3, 1, 1), 1, position);
  body.shape = shape;
  return body;
}

Body fixed(Body body) {
  body.motion = Motion::Static;
  body.mass = 0;
  return body;
}

}  // namespace

class PenetrationTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void bodiesApartDoNotOverlap();
  void touchingBodiesDoNotOverlap();
  void boxesOverlapByDepthAndVolume();
  void bodiesThatCannotCollideAreLeftOut();
  void aBoxInThePlaneCountsItsDeepestVertexAndItsPartBelow();
  void aTiltedPlaneIsMeasuredAlongItsNormal();
  void piecesOfAUnionAddTheirVolumes();
  void pairsComeSortedByBodies();
  void aMeshBelowAPlaneHasAnExactVolume();
  void aMeshInABoxIsAsDeepAsItsDeepestVertex();
  void samplesSeeBodiesThatCrossWithoutVerticesInside();
  void treesAreBuiltOncePerShape();
  void manyMoreOverlapsThanBeforeAreFound();
};

void PenetrationTest::bodiesApartDoNotOverlap() {
  QVERIFY(overlapsIn({ground(), box("a", Vec3(1, 1, 1), 1, Vec3(0, 0.6, 0)),
                      box("b", Vec3(1, 1, 1), 1, Vec3(1.1, 0.6, 0))})
              .empty());
}

void PenetrationTest::touchingBodiesDoNotOverlap() {
  QVERIFY(overlapsIn({ground(), box("a", Vec3(1, 1, 1), 1, Vec3(0, 0.5, 0)),
                      box("b", Vec3(1, 1, 1), 1, Vec3(0, 1.5, 0))})
              .empty());
}

void PenetrationTest::boxesOverlapByDepthAndVolume() {
  bool sampled = true;
  const auto overlaps = overlapsIn(
      {box("a", Vec3(1, 1, 1), 1, Vec3::Zero()), box("b", Vec3(2, 1, 0.5), 1, Vec3(1.25, 0.5, 0))}, &sampled);
  QCOMPARE(overlaps.size(), std::size_t(1));
  QCOMPARE(overlaps[0].bodyA, 0);
  QCOMPARE(overlaps[0].bodyB, 1);
  QVERIFY_NEAR(overlaps[0].depth, 0.25, 1e-15);
  QVERIFY_NEAR(overlaps[0].volume, 0.25 * 0.5 * 0.5, 1e-15);
  QVERIFY(!overlaps[0].triangles.empty());
  QVERIFY(!sampled);
}

void PenetrationTest::bodiesThatCannotCollideAreLeftOut() {
  const Body wall = fixed(box("wall", Vec3(1, 1, 1), 1, Vec3(0, 0.2, 0)));
  Body later = box("later", Vec3(1, 1, 1), 1, Vec3(0, 0.2, 0));
  later.releaseTime = 1;
  QVERIFY(overlapsIn({ground(), wall, wall, later}).empty());
  later.releaseTime = 0;
  QCOMPARE(overlapsIn({ground(), wall, wall, later}).size(), std::size_t(3));
}

void PenetrationTest::aBoxInThePlaneCountsItsDeepestVertexAndItsPartBelow() {
  // On edge, its lowest edge 0.1 below: a wedge of section 0.1² and length 2.
  Body body = box("a", Vec3(1, 1, 2), 1, Vec3(3, std::sqrt(0.5) - 0.1, 4));
  body.orientation = turned(Vec3(0, 0, 1), std::atan(1.0));
  for (const auto& overlaps : {overlapsIn({ground(), body}), overlapsIn({body, ground()})}) {
    QCOMPARE(overlaps.size(), std::size_t(1));
    QCOMPARE(overlaps[0].bodyA, 0);
    QCOMPARE(overlaps[0].bodyB, 1);
    QVERIFY_NEAR(overlaps[0].depth, 0.1, 1e-15);
    QVERIFY_NEAR(overlaps[0].volume, 0.02, 1e-14);
  }
}

void PenetrationTest::aTiltedPlaneIsMeasuredAlongItsNormal() {
  Body slope = ground(0.3);
  slope.orientation = turned(Vec3(0, 0, 1), 0.4);
  Body body = box("a", Vec3(1, 1, 1), 1, Vec3(0, 0.3, 0));
  body.orientation = slope.orientation;
  const auto overlaps = overlapsIn({slope, body});
  QCOMPARE(overlaps.size(), std::size_t(1));
  QVERIFY_NEAR(overlaps[0].depth, 0.5, 1e-15);
  QVERIFY_NEAR(overlaps[0].volume, 0.5, 1e-15);
}

void PenetrationTest::piecesOfAUnionAddTheirVolumes() {
  // The plate reaches 0.1 m into one cube and is 0.3 m below the top of the other, which is rotated towards
  // it.
  Body cubes = twoCubes(Vec3::Zero());
  const auto flat = overlapsIn({cubes, box("plate", Vec3(4, 1, 4), 1, Vec3(0, 0.9, 0))});
  QCOMPARE(flat.size(), std::size_t(1));
  QVERIFY_NEAR(flat[0].depth, 0.1, 1e-15);
  QVERIFY_NEAR(flat[0].volume, 0.2, 1e-15);
  const auto between = overlapsIn({cubes, box("plug", Vec3(1.5, 0.5, 0.5), 1, Vec3(0.1, 0, 0))});
  QVERIFY_NEAR(between[0].depth, 0.35, 1e-15);  // into the cube on the right; 0.15 on the left
  QVERIFY_NEAR(between[0].volume, (0.35 + 0.15) * 0.25, 1e-15);
  QVERIFY(overlapsIn({cubes, box("plug", Vec3(0.9, 0.5, 0.5), 1, Vec3::Zero())}).empty());
}

void PenetrationTest::pairsComeSortedByBodies() {
  const Vec3 size(1, 1, 1);
  const auto overlaps =
      overlapsIn({box("a", size, 1, Vec3(0, 0.4, 0)), box("b", size, 1, Vec3(5, 0.4, 0)), ground(),
                  box("c", size, 1, Vec3(5.1, 0.4, 0)), box("d", size, 1, Vec3(0.1, 0.4, 0))});
  std::vector<std::pair<int, int>> pairs;
  for (const Overlap& overlap : overlaps) pairs.emplace_back(overlap.bodyA, overlap.bodyB);
  QCOMPARE(pairs, (std::vector<std::pair<int, int>>{{0, 2}, {0, 4}, {1, 2}, {1, 3}, {2, 3}, {2, 4}}));
}

void PenetrationTest::aMeshBelowAPlaneHasAnExactVolume() {
  Body body = box("a", Vec3(1, 0.7, 2), 1, Vec3(3, 0.2, 4));
  body.orientation = turned(Vec3(1, 2, 3), 1);
  bool sampled = true;
  const auto exact = overlapsIn({ground(), body}),
             mesh = overlapsIn({ground(), withoutPieces(body)}, &sampled);
  QVERIFY_NEAR(mesh[0].depth, exact[0].depth, 1e-15);
  QVERIFY_NEAR(mesh[0].volume, exact[0].volume, 1e-14);
  QVERIFY(!sampled);
  body.position.y() = -5;
  QVERIFY_NEAR(overlapsIn({ground(), withoutPieces(body)})[0].volume, 1.4, 1e-13);
}

void PenetrationTest::aMeshInABoxIsAsDeepAsItsDeepestVertex() {
  bool sampled = false;
  const Body peg = box("peg", Vec3(0.2, 1, 0.2), 1, Vec3(0, 0.9, 0)),
             block = box("block", Vec3(1, 1, 1), 1, Vec3::Zero());
  for (const auto& overlaps :
       {overlapsIn({withoutPieces(peg), block}, &sampled), overlapsIn({block, withoutPieces(peg)}, &sampled),
        overlapsIn({withoutPieces(block), withoutPieces(peg)}, &sampled)}) {
    QCOMPARE(overlaps.size(), std::size_t(1));
    QVERIFY_NEAR(overlaps[0].depth, 0.1, 1e-15);
    QVERIFY_NEAR(overlaps[0].volume, 0.1 * 0.04, 1e-15);  // all of the boxes' intersection is inside
    QVERIFY(sampled);
  }
}

void PenetrationTest::samplesSeeBodiesThatCrossWithoutVerticesInside() {
  // The octagonal prism of tst_polytope_overlap, measured by samples.
  const Body a = withoutPieces(box("a", Vec3(1, 1, 1), 1, Vec3::Zero()));
  Body b = box("b", Vec3(1, 1, 1), 1, Vec3(0.05, 0, 0.25));
  b.orientation = turned(Vec3(0, 0, 1), std::atan(1.0));
  const auto exact = overlapsIn({box("a", Vec3(1, 1, 1), 1, Vec3::Zero()), b}), samples = overlapsIn({a, b});
  QVERIFY_NEAR(samples[0].volume, exact[0].volume, 0.01 * exact[0].volume);
  // No vertex of either body is in the other; the depth comes from samples and is a lower bound.
  QVERIFY(samples[0].depth <= exact[0].depth && samples[0].depth > 0.9 * exact[0].depth);
}

void PenetrationTest::treesAreBuiltOncePerShape() {
  const Body a = box("a", Vec3(1, 1, 1), 1, Vec3::Zero()), mesh = withoutPieces(a);
  const auto scene = test::scene({ground(), mesh, a, mesh});
  const SurfaceTreesOn<HostBackend> trees(HostBackend(), *scene);
  QVERIFY(trees.views()[0].nodes == trees.views()[2].nodes &&
          trees.views()[0].nodes != trees.views()[1].nodes);
}

// A device has capacity for as many pairs and corners as before, and records its loops meanwhile.
void PenetrationTest::manyMoreOverlapsThanBeforeAreFound() {
  constexpr int kBoxes = 400;
  const auto scene = test::scene({ground()});
  for (int k = 0; k < kBoxes; ++k)
    scene->bodies.push_back(box("box", Vec3(1, 1, 1), 1, Vec3(0.98 * (k % 20), 5, 3.0 * (k / 20))));
  World world = makeWorld(scene);
  const std::shared_ptr<DeviceWorld> deviceWorld = test::separateWorld(world);
  const auto device = test::separateOverlapMeasurement(world, deviceWorld);
  const auto host = makeOverlapMeasurement(BackendKind::Cpu, world, makeDeviceWorld(BackendKind::Cpu, world));
  bool sampled = false;
  std::size_t most = 0;
  const long before = graphCaptures().taken;
  for (const int low : {0, 3, 7, 20, 40, 80, 399, 400, 50, 400, 1, 0}) {  // boxes in the ground
    for (int k = 0; k < kBoxes; ++k) world.position[k + 1].y() = k < low ? 0.45 + 1e-4 * k : 5 + 2.0 * k;
    deviceWorld->changed(world);
    const std::vector<Overlap> expected = host->find(world, sampled);
    compare(device->find(world, sampled), expected);
    most = std::max(most, expected.size());
  }
  QVERIFY2(most == 400 + 20 * 19, qPrintable(QString::number(most)));
  QVERIFY(graphCaptures().taken > before);
}

QTEST_APPLESS_MAIN(PenetrationTest)
#include "tst_penetration.moc"
