#include <Eigen/Geometry>
#include <QtTest>
#include <cmath>
#include <random>

#include "core/geometry/closest_points.h"
#include "core/geometry/mesh_tree.h"
#include "core/math/count.h"
#include "tests/support/near.h"

using namespace touchstone;

namespace {

/// Closed, not convex, with reflex edges: a torus of 12 × 8 quads, radii 1 and 0.4 m.
TriangleMesh torus() {
  constexpr int kAround = 12, kTube = 8;
  TriangleMesh mesh;
  for (int i = 0; i < kAround; ++i)
    for (int j = 0; j < kTube; ++j) {
      const double a = 2 * M_PI * i / kAround, b = 2 * M_PI * j / kTube, r = 1 + 0.4 * std::cos(b);
      mesh.vertices.emplace_back(r * std::cos(a), r * std::sin(a), 0.4 * std::sin(b));
    }
  const auto at = [](int i, int j) { return (i % kAround) * kTube + j % kTube; };
  for (int i = 0; i < kAround; ++i)
    for (int j = 0; j < kTube; ++j) {
      mesh.triangles.push_back({at(i, j), at(i + 1, j), at(i + 1, j + 1)});
      mesh.triangles.push_back({at(i, j), at(i + 1, j + 1), at(i, j + 1)});
    }
  if (!buildTopology(mesh).empty()) std::abort();
  return mesh;
}

/// Winding number by solid angles (van Oosterom and Strackee 1983): 1 inside, 0 outside.
double windingNumber(const TriangleMesh& mesh, const Vec3& p) {
  double sum = 0;
  for (const auto& t : mesh.triangles) {
    const Vec3 a = mesh.vertices[t[0]] - p, b = mesh.vertices[t[1]] - p, c = mesh.vertices[t[2]] - p;
    const double la = a.norm(), lb = b.norm(), lc = c.norm();
    sum += 2 * std::atan2(a.dot(b.cross(c)), la * lb * lc + a.dot(b) * lc + b.dot(c) * la + c.dot(a) * lb);
  }
  return sum / (4 * M_PI);
}

Vec3 pointOf(const TriangleMesh& mesh, int triangle, const Vec3& weights) {
  const auto& t = mesh.triangles[triangle];
  return weights[0] * mesh.vertices[t[0]] + weights[1] * mesh.vertices[t[1]] +
         weights[2] * mesh.vertices[t[2]];
}

}  // namespace

class PenaltyClosestPointsTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void closestPointIsTheClosestOfAllTriangles();
  void insideAgreesWithTheWindingNumber();
  void tiesGoToTheLowestTriangle();
  void openMeshHasNoInside();
};

void PenaltyClosestPointsTest::closestPointIsTheClosestOfAllTriangles() {
  const TriangleMesh mesh = torus();
  const MeshTree tree(mesh);
  std::mt19937 random(7);
  std::uniform_real_distribution<double> unit(-1.6, 1.6);
  for (int trial = 0; trial < 3000; ++trial) {
    const double x = unit(random), y = unit(random), z = 0.4 * unit(random);
    const Vec3 p(x, y, z);
    const ClosestPoint found = tree.closest(p);
    double least = 1e300;
    for (std::size_t triangle = 0; triangle < mesh.triangles.size(); ++triangle) {
      const auto& t = mesh.triangles[triangle];
      const Vec3 weights =
          closestOnTriangle(p, mesh.vertices[t[0]], mesh.vertices[t[1]], mesh.vertices[t[2]]);
      QVERIFY(weights.minCoeff() >= 0);
      QVERIFY_NEAR(weights.sum(), 1, 1e-14);
      least = std::min(least, (p - pointOf(mesh, static_cast<int>(triangle), weights)).squaredNorm());
    }
    QCOMPARE(found.squaredDistance, least);
    QVERIFY_NEAR((found.point - pointOf(mesh, found.triangle, found.weights)).norm(), 0, 1e-15);
  }
}

void PenaltyClosestPointsTest::insideAgreesWithTheWindingNumber() {
  const TriangleMesh mesh = torus();
  const MeshTree tree(mesh);
  std::mt19937 random(11);
  std::uniform_real_distribution<double> unit(-1.5, 1.5);
  int inside = 0;
  for (int trial = 0; trial < 5000; ++trial) {
    const double x = unit(random), y = unit(random), z = 0.35 * unit(random);
    const Vec3 p(x, y, z);
    const bool expected = windingNumber(mesh, p) > 0.5;
    QCOMPARE(tree.closest(p).inside, expected);
    inside += expected;
  }
  QVERIFY(inside > 500 && inside < 4500);
}

void PenaltyClosestPointsTest::tiesGoToTheLowestTriangle() {
  const TriangleMesh mesh = torus();
  const MeshTree tree(mesh);
  for (std::size_t vertex = 0; vertex < mesh.vertices.size(); ++vertex) {
    int lowest = -1;
    for (int triangle = countOf(mesh.triangles) - 1; triangle >= 0; --triangle)
      for (int corner : mesh.triangles[triangle])
        if (corner == static_cast<int>(vertex)) lowest = triangle;
    const ClosestPoint found = tree.closest(mesh.vertices[vertex]);
    QCOMPARE(found.triangle, lowest);
    QVERIFY(!found.inside);  // a point on the surface is not strictly inside
  }
}

void PenaltyClosestPointsTest::openMeshHasNoInside() {
  TriangleMesh mesh = torus();
  mesh.triangles.pop_back();
  QVERIFY(buildTopology(mesh).empty());
  QVERIFY(!mesh.closed);
  QVERIFY(!MeshTree(mesh).closest(Vec3(1, 0, 0)).inside);
}

QTEST_APPLESS_MAIN(PenaltyClosestPointsTest)
#include "tst_penalty_closest_points.moc"
