#include <QtTest>
#include <cstdint>
#include <set>

#include "core/geometry/convex_hull.h"
#include "core/geometry/polytope_overlap.h"
#include "core/geometry/solid_memory.h"
#include "core/shape/primitives.h"
#include "tests/support/near.h"
#include "tests/support/solid_overlap.h"
#include "tests/support/vectors.h"

using namespace touchstone;
using nlohmann::json;

Q_DECLARE_METATYPE(json)

namespace {

const Quaternion kUpright = Quaternion::Identity();

Quaternion rotationAbout(const Vec3& axis, double angle) {
  return Quaternion(Eigen::AngleAxisd(angle, Eigen::Vector3d(axis).normalized()));
}

Polytope hullOf(const std::vector<Vec3>& points) {
  Polytope hull;
  const std::string problem = convexHull(points, hull);
  if (!problem.empty()) qFatal("%s", problem.c_str());
  return hull;
}

Polytope box(const Vec3& size) { return hullOf(boxPoints(size)); }

/// Points of a reference hull; planar ones become a prism of height 1, whose volume is their area.
Polytope referenceHull(const json& points) {
  std::vector<Vec3> corners;
  for (const json& point : points) {
    if (point.size() == 3) {
      corners.emplace_back(point[0].get<double>(), point[1].get<double>(), point[2].get<double>());
    } else {
      corners.emplace_back(point[0].get<double>(), point[1].get<double>(), 0);
      corners.emplace_back(point[0].get<double>(), point[1].get<double>(), 1);
    }
  }
  return hullOf(corners);
}

/// Random numbers in (−1, 1) that are the same on every machine.
class Numbers {
 public:
  double next() {
    m_state = m_state * 6364136223846793005ull + 1442695040888963407ull;
    return static_cast<double>(m_state >> 11) / 9007199254740992.0 * 2 - 1;
  }
  Vec3 point() {
    const double x = next(), y = next(), z = next();
    return Vec3(x, y, z);
  }

 private:
  std::uint64_t m_state = 42;
};

Polytope randomHull(Numbers& numbers, int points) {
  std::vector<Vec3> corners;
  for (int corner = 0; corner < points; ++corner) corners.push_back(numbers.point().normalized());
  return hullOf(corners);
}

/// The separating-axis theorem without shortcuts.
double separationByAllAxes(const PlacedPolytope& a, const PlacedPolytope& b) {
  double best = -1e300;
  const auto offer = [&](const Vec3& axis) {
    double lowA = 1e300, highA = -1e300, lowB = 1e300, highB = -1e300;
    for (const Vec3& vertex : a.vertices) {
      lowA = std::min(lowA, axis.dot(vertex));
      highA = std::max(highA, axis.dot(vertex));
    }
    for (const Vec3& vertex : b.vertices) {
      lowB = std::min(lowB, axis.dot(vertex));
      highB = std::max(highB, axis.dot(vertex));
    }
    best = std::max({best, lowB - highA, lowA - highB});
  };
  for (const Vec3& normal : a.normals) offer(normal);
  for (const Vec3& normal : b.normals) offer(normal);
  for (const Polytope::Edge& ea : a.polytope->edges)
    for (const Polytope::Edge& eb : b.polytope->edges) {
      const Vec3 cross =
          (a.vertices[ea.head] - a.vertices[ea.tail]).cross(Vec3(b.vertices[eb.head] - b.vertices[eb.tail]));
      if (cross.norm() > 1e-9) offer(cross.normalized());
    }
  return best;
}

/// All of a clipped by all half-spaces of b, one after another.
double volumeByAllClips(const PolytopeView& a, const PolytopeView& b) {
  SolidMemory memory(20000);
  SolidScratch& scratch = memory.scratch();
  beginSolid(a, scratch);
  for (int face = 0; face < b.faceCount; ++face) clipSolid(b.normals[face], b.offsets[face], false, scratch);
  if (scratch.isFull()) qFatal("the room is too small");
  return sizeOf(scratch.solid(), false);
}

using Point = std::array<double, 3>;
Point keyOf(const Vec3& v) { return {v.x(), v.y(), v.z()}; }

/// Σ ½ (b − a) × (c − a), which vanishes for every closed surface.
Vec3 areaVector(const Intersection& solid) {
  Vec3 sum = Vec3::Zero();
  for (const auto& t : solid.triangles) {
    const Vec3 &a = solid.vertices[t[0]], &b = solid.vertices[t[1]], &c = solid.vertices[t[2]];
    sum += 0.5 * (b - a).cross(c - a);
  }
  return sum;
}

/// True if every directed edge of the surface has its opposite, comparing points bit for bit.
bool isClosed(const Intersection& solid) {
  std::multiset<std::pair<Point, Point>> edges;
  for (const auto& t : solid.triangles)
    for (int corner = 0; corner < 3; ++corner)
      edges.insert({keyOf(solid.vertices[t[corner]]), keyOf(solid.vertices[t[(corner + 1) % 3]])});
  for (const auto& edge : edges)
    if (edges.count(edge) != edges.count({edge.second, edge.first})) return false;
  return !edges.empty();
}

}  // namespace

class PolytopeOverlapTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void referenceHullsOverlapByTheirMeasure_data();
  void referenceHullsOverlapByTheirMeasure();
  void boxesOverlapInABox_data();
  void boxesOverlapInABox();
  void aCubeTurnedBy45DegreesMeetsAnotherInAnOctagon();
  void anIntersectionIsAClosedSurface();
  void theVolumeDependsNeitherOnOrderNorOnPlace();
  void theDepthIsThatOfAllSeparatingAxes();
  void solidsOfManyFacesOverlapAsIfAllFacesClipped();
  void movingApartByTheDepthSeparates();
  void parallelEdgesGiveTheDepthOfTheFaces();
  void crossedEdgesGiveADepthThatNoFaceHas();
  void thePairOfEdgesIsTheOneThatMeets();
  void aBoxSinksBelowAPlane_data();
  void aBoxSinksBelowAPlane();
  void aTiltedCubeDipsACornerBelowAPlane();
};

void PolytopeOverlapTest::referenceHullsOverlapByTheirMeasure_data() {
  QTest::addColumn<json>("entry");
  int number = 0;
  for (const json& content : test::referenceFiles(QStringLiteral("peg-cases")))
    for (const json& entry : content.value("overlap", json::array()))
      QTest::newRow(qPrintable(QStringLiteral("case %1, %2D").arg(number++).arg(entry["dim"].get<int>())))
          << entry;
}

void PolytopeOverlapTest::referenceHullsOverlapByTheirMeasure() {
  QFETCH(json, entry);
  const Polytope first = referenceHull(entry["hull_a"]), second = referenceHull(entry["hull_b"]);
  const PlacedPolytope a = placed(first, Vec3::Zero(), kUpright), b = placed(second, Vec3::Zero(), kUpright);
  const double expected = entry["measure"];
  const double tolerance = 1e-9 * expected + 1e-16;
  QVERIFY_NEAR(test::intersection(a, b).volume, expected, tolerance);
  QVERIFY_NEAR(test::intersection(b, a).volume, expected, tolerance);
  if (expected > 0) QVERIFY(separation(a, b) < 0);
  if (expected == 0) QVERIFY(separation(a, b) >= -1e-15);
}

void PolytopeOverlapTest::boxesOverlapInABox_data() {
  QTest::addColumn<double>("x");
  QTest::addColumn<double>("y");
  QTest::addColumn<double>("volume");
  QTest::addColumn<double>("separation");
  // Unit cube and a box of 2 × 1 × 0.5 whose centre is at (x, y, 0).
  QTest::newRow("apart") << 1.75 << 0.0 << 0.0 << 0.25;
  QTest::newRow("touching face to face") << 1.5 << 0.0 << 0.0 << 0.0;
  QTest::newRow("touching edge to edge") << 1.5 << 1.0 << 0.0 << 0.0;
  QTest::newRow("shallow") << 1.499 << 0.0 << 0.0005 << -0.001;
  QTest::newRow("corner region") << 1.25 << 0.5 << 0.25 * 0.5 * 0.5 << -0.25;
  QTest::newRow("shared faces") << 0.5 << 0.0 << 0.5 << -0.75;
  QTest::newRow("rounding deep") << 1.5 - 1e-12 << 0.0 << 0.5e-12 << -1e-12;
}

void PolytopeOverlapTest::boxesOverlapInABox() {
  QFETCH(double, x);
  QFETCH(double, y);
  QFETCH(double, volume);
  QFETCH(double, separation);
  const Polytope cube = box(Vec3(1, 1, 1)), plate = box(Vec3(2, 1, 0.5));
  const PlacedPolytope a = placed(cube, Vec3::Zero(), kUpright), b = placed(plate, Vec3(x, y, 0), kUpright);
  QVERIFY_NEAR(test::intersection(a, b).volume, volume, 1e-15);
  QVERIFY_NEAR(touchstone::separation(a, b), separation, 1e-15);
  Vec3 normal;
  QVERIFY_NEAR(touchstone::separation(b, a, &normal), separation, 1e-15);
  QVERIFY_NEAR(normal.norm(), 1, 1e-15);
  QVERIFY(normal.dot(Vec3(x, y, 0)) <= 0);  // from b into a
}

void PolytopeOverlapTest::aCubeTurnedBy45DegreesMeetsAnotherInAnOctagon() {
  // The regular octagon with incircle radius ½ has area 8 · ¼ · tan(π/8) = 2 (√2 − 1).
  const Polytope cube = box(Vec3(1, 1, 1));
  const PlacedPolytope a = placed(cube, Vec3::Zero(), kUpright);
  const PlacedPolytope b = placed(cube, Vec3(0, 0, 0.25), rotationAbout(Vec3(0, 0, 1), std::atan(1.0)));
  const Intersection solid = test::intersection(a, b);
  QVERIFY_NEAR(solid.volume, 0.75 * 2 * (std::sqrt(2.0) - 1), 1e-15);
  std::set<Point> corners;
  for (const Vec3& vertex : solid.vertices) corners.insert(keyOf(vertex));
  QCOMPARE(corners.size(), std::size_t(16));
  QVERIFY(isClosed(solid));
  QVERIFY_NEAR(separation(a, b), -0.75, 1e-15);
}

void PolytopeOverlapTest::anIntersectionIsAClosedSurface() {
  Numbers numbers;
  for (int trial = 0; trial < 60; ++trial) {
    const Polytope first = randomHull(numbers, 5 + trial % 20), second = randomHull(numbers, 30 - trial % 20);
    const PlacedPolytope a = placed(first, Vec3::Zero(), kUpright);
    const PlacedPolytope b = placed(second, 0.6 * numbers.point(), rotationAbout(numbers.point(), trial));
    const Intersection solid = test::intersection(a, b);
    QCOMPARE(solid.volume > 0, separation(a, b) < 0);
    QVERIFY_NEAR(areaVector(solid).norm(), 0, 1e-14);
    for (const Vec3& vertex : solid.vertices)
      for (std::size_t face = 0; face < b.normals.size(); ++face)
        QVERIFY(b.normals[face].dot(vertex) - b.offsets[face] < 1e-14);
  }
}

void PolytopeOverlapTest::theVolumeDependsNeitherOnOrderNorOnPlace() {
  Numbers numbers;
  for (int trial = 0; trial < 30; ++trial) {
    const Polytope first = randomHull(numbers, 20), second = randomHull(numbers, 20);
    const Vec3 shift = 0.8 * numbers.point(), far(70, -30, 10);
    const Quaternion rotation = rotationAbout(numbers.point(), trial),
                     whole = rotationAbout(numbers.point(), 3 * trial);
    const PlacedPolytope a = placed(first, Vec3::Zero(), kUpright), b = placed(second, shift, rotation);
    const double volume = test::intersection(a, b).volume;
    QVERIFY_NEAR(test::intersection(b, a).volume, volume, 1e-14);
    const PlacedPolytope movedA = placed(first, far, whole);
    const PlacedPolytope movedB = placed(second, far + whole * shift, whole * rotation);
    QVERIFY_NEAR(test::intersection(movedA, movedB).volume, volume, 1e-12);
    QVERIFY_NEAR(separation(movedA, movedB), separation(a, b), 1e-13);
  }
}

void PolytopeOverlapTest::theDepthIsThatOfAllSeparatingAxes() {
  Numbers numbers;
  int overlapping = 0;
  for (int trial = 0; trial < 300; ++trial) {
    const Polytope first = randomHull(numbers, 4 + trial % 25), second = randomHull(numbers, 4 + trial % 11);
    const PlacedPolytope a = placed(first, Vec3::Zero(), kUpright);
    const PlacedPolytope b = placed(second, 1.2 * numbers.point(), rotationAbout(numbers.point(), trial));
    const double expected = separationByAllAxes(a, b), gap = separation(a, b);
    QCOMPARE(gap > 0, expected > 0);
    if (expected > 0) {
      QVERIFY(gap <= expected + 1e-14);
      continue;
    }
    ++overlapping;
    QVERIFY_NEAR(gap, expected, 1e-14);
    QVERIFY_NEAR(separation(b, a), expected, 1e-14);
  }
  QVERIFY(overlapping > 50);
}

/// Large pieces skip what is far from each other. Tested with many faces, and with few against many.
void PolytopeOverlapTest::solidsOfManyFacesOverlapAsIfAllFacesClipped() {
  Numbers numbers;
  const int counts[][2] = {{150, 150}, {150, 12}, {12, 150}, {40, 40}};
  int overlapping = 0;
  for (const auto& [few, many] : counts)
    for (double distance : {0.0, 0.7, 1.6, 1.9, 1.97}) {
      const Polytope first = randomHull(numbers, few), second = randomHull(numbers, many);
      const Vec3 shift = distance * numbers.point().normalized();
      const PlacedPolytope a = placed(first, Vec3::Zero(), kUpright),
                           b = placed(second, shift, rotationAbout(numbers.point(), distance));
      const double gap = separation(a, b);
      const Intersection solid = test::intersection(a, b);
      QCOMPARE(solid.volume > 0, gap < 0);
      QVERIFY_NEAR(solid.volume, volumeByAllClips(a, b), 1e-13);  // sums of some hundred polygons
      QVERIFY_NEAR(test::intersection(b, a).volume, solid.volume, 1e-13);
      QVERIFY_NEAR(areaVector(solid).norm(), 0, 1e-13);
      if (gap < 0) QVERIFY_NEAR(gap, separationByAllAxes(a, b), 1e-14);
      overlapping += gap < 0;
      const Vec3 normal = numbers.point().normalized();
      const double below = test::partBelow(a, normal, 0.3).volume,
                   above = test::partBelow(a, -normal, -0.3).volume;
      QVERIFY_NEAR(below + above, test::partBelow(a, normal, 2).volume, 1e-13);
    }
  QVERIFY(overlapping > 12);
}

void PolytopeOverlapTest::movingApartByTheDepthSeparates() {
  Numbers numbers;
  const Polytope sphere = hullOf(spherePoints(0.5, 2));
  for (int trial = 0; trial < 20; ++trial) {
    const Quaternion angularA = rotationAbout(numbers.point(), trial),
                     angularB = rotationAbout(numbers.point(), trial);
    const Vec3 centre = 0.9 * numbers.point().normalized();
    const PlacedPolytope a = placed(sphere, Vec3::Zero(), angularA), b = placed(sphere, centre, angularB);
    Vec3 normal;
    const double gap = separation(a, b, &normal);
    QVERIFY(gap < -0.05 && gap > -0.1);  // two spheres of radius ½, reduced by faces inside them
    const PlacedPolytope moved = placed(sphere, centre - gap * normal, angularB);
    QVERIFY_NEAR(separation(a, moved), 0, 1e-14);
    QVERIFY_NEAR(test::intersection(a, moved).volume, 0, 1e-15);
  }
}

void PolytopeOverlapTest::parallelEdgesGiveTheDepthOfTheFaces() {
  const Polytope cube = box(Vec3(1, 1, 1));
  const PlacedPolytope a = placed(cube, Vec3::Zero(), kUpright);
  for (double angle : {0.0, 1e-16, 1e-12, 1e-8}) {
    const PlacedPolytope b = placed(cube, Vec3(0.1, 0.9, 0.2), rotationAbout(Vec3(0, 1, 0), angle));
    QVERIFY_NEAR(separation(a, b), -0.1, 1e-15);
  }
}

void PolytopeOverlapTest::crossedEdgesGiveADepthThatNoFaceHas() {
  // Two square rods on edge, one along x above one along z: their nearest edges cross at y = ±√½.
  const Polytope along = box(Vec3(10, 1, 1)), across = box(Vec3(1, 1, 10));
  const PlacedPolytope upper =
      placed(along, Vec3(0, std::sqrt(2.0) - 0.1, 0), rotationAbout(Vec3(1, 0, 0), std::atan(1.0)));
  const PlacedPolytope lower = placed(across, Vec3::Zero(), rotationAbout(Vec3(0, 0, 1), std::atan(1.0)));
  Vec3 normal;
  QVERIFY_NEAR(separation(lower, upper, &normal), -0.1, 1e-15);
  QVERIFY_NEAR((normal - Vec3(0, 1, 0)).norm(), 0, 1e-15);
  // Two wedges whose sections at height y, 0.1 in all, are 2y and 2(0.1 − y) wide: ∫ 4 y (0.1 − y) dy = 4 ·
  // 0.1³/6.
  QVERIFY_NEAR(test::intersection(lower, upper).volume, 4 * 1e-3 / 6, 1e-15);
}

// Rods have four parallel edges, which all have the same axis and so the same gap; only one looks at the
// other rod.
void PolytopeOverlapTest::thePairOfEdgesIsTheOneThatMeets() {
  Numbers numbers;
  int pairs = 0;
  for (int trial = 0; trial < 400; ++trial) {
    const Polytope along = box(Vec3(1 + trial % 20, 1, 1)), across = box(Vec3(1, 1, 1 + trial % 17));
    const Quaternion by = rotationAbout(numbers.point(), trial);
    const PlacedPolytope lower = placed(
        across, Vec3::Zero(), by * rotationAbout(Vec3(0, 0, 1), std::atan(1.0) + 0.1 * numbers.point().x()));
    const PlacedPolytope upper =
        placed(along, by * Vec3(0, std::sqrt(2.0) - 0.05, 0),
               by * rotationAbout(Vec3(1, 0, 0), std::atan(1.0) + 0.1 * numbers.point().y()));
    for (const bool isSwapped : {false, true}) {
      const PlacedPolytope &a = isSwapped ? upper : lower, &b = isSwapped ? lower : upper;
      Vec3 axis;
      SeparatingFeature feature;
      const double gap = separation(a, b, &axis, &feature);
      if (feature.kind != SeparatingFeature::Kind::Edges) continue;
      ++pairs;
      const PolytopeView viewA = a, viewB = b;
      const double between =
          axis.dot(viewB.vertices[viewB.edges[feature.b].tail] - viewA.vertices[viewA.edges[feature.a].tail]);
      QVERIFY_NEAR(between, gap, 1e-12);
    }
  }
  QVERIFY(pairs > 100);
}

void PolytopeOverlapTest::aBoxSinksBelowAPlane_data() {
  QTest::addColumn<double>("height");
  QTest::addColumn<double>("volume");
  QTest::newRow("above") << 0.6 << 0.0;
  QTest::newRow("resting") << 0.5 << 0.0;
  QTest::newRow("a little below") << 0.49 << 0.02;
  QTest::newRow("half") << 0.0 << 1.0;
  QTest::newRow("just sunk") << -0.5 << 2.0;
  QTest::newRow("deep") << -7.0 << 2.0;
}

void PolytopeOverlapTest::aBoxSinksBelowAPlane() {
  QFETCH(double, height);
  QFETCH(double, volume);
  const Polytope plate = box(Vec3(2, 1, 1));
  const Intersection below = test::partBelow(placed(plate, Vec3(3, height, -2), kUpright), Vec3(0, 1, 0), 0);
  QVERIFY_NEAR(below.volume, volume, 1e-14);
  if (volume > 0) QVERIFY(isClosed(below));
}

void PolytopeOverlapTest::aTiltedCubeDipsACornerBelowAPlane() {
  // Cut by x + y + z = √3 offset near the corner (−½, −½, −½): legs t, volume t³/6.
  const Polytope cube = box(Vec3(1, 1, 1));
  const double t = 0.3;
  const Vec3 normal = Vec3(1, 1, 1).normalized();
  const Intersection corner =
      test::partBelow(placed(cube, Vec3::Zero(), kUpright), normal, (t - 1.5) / std::sqrt(3.0));
  QVERIFY_NEAR(corner.volume, t * t * t / 6, 1e-15);
  QCOMPARE(corner.triangles.size(), std::size_t(4));
  QVERIFY(isClosed(corner));
}

QTEST_APPLESS_MAIN(PolytopeOverlapTest)
#include "tst_polytope_overlap.moc"
