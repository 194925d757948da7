#include <Eigen/Geometry>
#include <QtTest>
#include <algorithm>
#include <cmath>

#include "core/geometry/convex_hull.h"
#include "core/geometry/topology.h"
#include "tests/support/near.h"
#include "tests/support/scenes.h"

Q_DECLARE_METATYPE(touchstone::TriangleMesh)
Q_DECLARE_METATYPE(touchstone::Polytope)

using namespace touchstone;

namespace {

/// Corners of the unit right tetrahedron, faces counter-clockwise seen from outside.
TriangleMesh tetrahedron() {
  TriangleMesh mesh;
  mesh.vertices = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  mesh.triangles = {{0, 2, 1}, {0, 1, 3}, {0, 3, 2}, {1, 2, 3}};
  return mesh;
}

std::vector<Vec3> cubePoints() {
  std::vector<Vec3> points;
  for (int corner = 0; corner < 8; ++corner) points.emplace_back(corner & 1, corner >> 1 & 1, corner >> 2);
  return points;
}

}  // namespace

class TopologyTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void aTetrahedronIsClosedWithSixConvexEdges();
  void leftTrianglesRunAlongTheirEdge();
  void neighboursLieAcrossTheEdgeOppositeToTheCorner();
  void normalsPointOut();
  void aSingleTriangleIsOpenWithThreeBoundaryEdges();
  void anEdgeInAValleyIsNotConvex();
  void badMeshesAreNamed_data();
  void badMeshesAreNamed();
  void aBoxHasTwelveEdgesBetweenItsLeftAndRightFaces();
  void badPolytopesAreNamed_data();
  void badPolytopesAreNamed();
  void aFanCoversEveryFaceOverTheSameVertices();
  void hullsMergeCoplanarFacetsAndDropOtherPoints();
  void hullsOfRoundedDodecahedraKeepPentagons();
  void theSamePointsGiveTheSameHull();
  void flatPointsHaveNoHull_data();
  void flatPointsHaveNoHull();
};

void TopologyTest::aTetrahedronIsClosedWithSixConvexEdges() {
  TriangleMesh mesh = tetrahedron();
  QCOMPARE(QString::fromStdString(buildTopology(mesh)), QString());
  QVERIFY(mesh.closed);
  QCOMPARE(mesh.edges.size(), std::size_t(6));
  for (const auto& edge : mesh.edges) QVERIFY(edge.convex && edge.tail < edge.head && edge.right >= 0);
  QVERIFY(std::is_sorted(mesh.edges.begin(), mesh.edges.end(), [](const auto& a, const auto& b) {
    return std::pair(a.tail, a.head) < std::pair(b.tail, b.head);
  }));
  // Edge 0–1 lies between the planes z = 0 and y = 0.
  QVERIFY_NEAR(mesh.edges[0].turn, 0, 1e-16);
}

void TopologyTest::leftTrianglesRunAlongTheirEdge() {
  TriangleMesh mesh = tetrahedron();
  QVERIFY(buildTopology(mesh).empty());
  for (const auto& edge : mesh.edges) {
    const auto& leftTriangle = mesh.triangles[edge.left];
    bool found = false;
    for (std::size_t corner = 0; corner < 3; ++corner)
      found = found || (leftTriangle[corner] == edge.tail && leftTriangle[(corner + 1) % 3] == edge.head);
    QVERIFY(found);
  }
}

void TopologyTest::neighboursLieAcrossTheEdgeOppositeToTheCorner() {
  TriangleMesh mesh = tetrahedron();
  QVERIFY(buildTopology(mesh).empty());
  // Triangle 3 is (1, 2, 3): opposite to vertex 1 is the edge 2–3 of triangle 2 = (0, 3, 2), and so on.
  QCOMPARE(mesh.neighbours[3][0], 2);
  QCOMPARE(mesh.neighbours[3][1], 1);
  QCOMPARE(mesh.neighbours[3][2], 0);
  for (std::size_t triangle = 0; triangle < 4; ++triangle)
    for (std::size_t corner = 0; corner < 3; ++corner) {
      const auto& edge = mesh.edges[mesh.triangleEdges[triangle][corner]];
      const int opposite = mesh.triangles[triangle][corner];
      QVERIFY(edge.tail != opposite && edge.head != opposite);
      QCOMPARE(edge.left + edge.right, static_cast<int>(triangle) + mesh.neighbours[triangle][corner]);
    }
}

void TopologyTest::normalsPointOut() {
  TriangleMesh mesh = tetrahedron();
  QVERIFY(buildTopology(mesh).empty());
  QVERIFY_NEAR((mesh.normals[0] - Vec3(0, 0, -1)).norm(), 0, 1e-15);
  QVERIFY_NEAR((mesh.normals[3] - Vec3(1, 1, 1) / std::sqrt(3.0)).norm(), 0, 1e-15);
}

void TopologyTest::aSingleTriangleIsOpenWithThreeBoundaryEdges() {
  TriangleMesh mesh;
  mesh.vertices = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
  mesh.triangles = {{0, 1, 2}};
  QVERIFY(buildTopology(mesh).empty());
  QVERIFY(!mesh.closed);
  QCOMPARE(mesh.edges.size(), std::size_t(3));
  for (const auto& edge : mesh.edges) QVERIFY(edge.right == -1 && edge.convex && edge.turn == -1);
  QCOMPARE(mesh.neighbours[0][0], -1);
}

void TopologyTest::anEdgeInAValleyIsNotConvex() {
  TriangleMesh mesh;  // two triangles that meet at the x axis, with raised ends: a valley from above
  mesh.vertices = {{0, 0, 0}, {1, 0, 0}, {0.5, 1, 1}, {0.5, 1, -1}};
  mesh.triangles = {{0, 2, 1}, {0, 1, 3}};
  QVERIFY(buildTopology(mesh).empty());
  QVERIFY(mesh.normals[0].y() > 0 && mesh.normals[1].y() > 0);
  for (const auto& edge : mesh.edges)
    if (edge.right >= 0) QVERIFY(!edge.convex);
}

void TopologyTest::badMeshesAreNamed_data() {
  QTest::addColumn<TriangleMesh>("mesh");
  QTest::addColumn<QString>("part");
  TriangleMesh mesh = tetrahedron();
  mesh.vertices[3] = Vec3(0.5, 0, 0);
  QTest::newRow("no area") << mesh << "triangles[1] has no area";
  mesh = tetrahedron();
  mesh.triangles[2] = {0, 3, 3};
  QTest::newRow("a vertex twice") << mesh << "triangles[2] has no area";
  mesh = tetrahedron();
  mesh.triangles[1] = {0, 1, 7};
  QTest::newRow("missing vertex") << mesh << "triangles[1] names vertex 7";
  mesh = tetrahedron();
  std::swap(mesh.triangles[3][0], mesh.triangles[3][1]);
  QTest::newRow("one triangle turned over") << mesh << "not consistently oriented";
  mesh = tetrahedron();
  mesh.vertices.emplace_back(1, 1, -1);
  mesh.triangles.push_back({0, 1, 4});
  QTest::newRow("three triangles at an edge") << mesh << "not a manifold";
}

void TopologyTest::badMeshesAreNamed() {
  QFETCH(TriangleMesh, mesh);
  QFETCH(QString, part);
  const QString problem = QString::fromStdString(buildTopology(mesh));
  QVERIFY2(problem.contains(part), qPrintable(problem));
}

void TopologyTest::aBoxHasTwelveEdgesBetweenItsLeftAndRightFaces() {
  const Polytope box = test::boxShape(Vec3(1, 2, 3))->pieces[0];
  QCOMPARE(box.edges.size(), std::size_t(12));
  for (const auto& edge : box.edges) {
    const Vec3 along = box.vertices[edge.head] - box.vertices[edge.tail];
    const Vec3& leftNormal = box.faces[edge.left].normal;
    const Vec3& rightNormal = box.faces[edge.right].normal;
    // Seen from outside, (η_left + η_right) × along points to the left; the outward normal of the right face
    // points right.
    QVERIFY((leftNormal + rightNormal).cross(along).dot(leftNormal - rightNormal) > 0);
  }
  QCOMPARE(box.vertexEdges.size(), 8);
  for (int vertex = 0; vertex < box.vertexEdges.size(); ++vertex) {
    const touchstone::IndexRange faces = box.vertexFaces[vertex];
    QCOMPARE(box.vertexEdges[vertex].size(), 3);
    QVERIFY(faces.size() == 3 && std::is_sorted(faces.begin(), faces.end()));
  }
  for (int face = 0; face < box.faceVertices.size(); ++face)
    QVERIFY(std::equal(box.faceVertices[face].begin(), box.faceVertices[face].end(),
                       box.faces[face].vertices.begin()));
  QVERIFY_NEAR(box.faces[1].offset, 0.5, 0);  // the face x = 1/2
}

void TopologyTest::badPolytopesAreNamed_data() {
  QTest::addColumn<Polytope>("polytope");
  QTest::addColumn<QString>("part");
  const Polytope box = test::boxShape(Vec3(1, 1, 1))->pieces[0];
  Polytope bad = box;
  std::reverse(bad.faces[2].vertices.begin(), bad.faces[2].vertices.end());
  QTest::newRow("a face turned over") << bad << "faces[2]";
  bad = box;
  bad.faces.pop_back();
  QTest::newRow("a face missing") << bad << "not closed";
  bad = box;
  bad.vertices[7] = Vec3(0.1, 0.1, 0.1);
  QTest::newRow("a corner pushed in") << bad << "outside";
  bad = box;
  bad.vertices.emplace_back(0, 0, 0);
  QTest::newRow("a vertex without faces") << bad << "vertex 8 belongs to no face";
}

void TopologyTest::badPolytopesAreNamed() {
  QFETCH(Polytope, polytope);
  QFETCH(QString, part);
  const QString problem = QString::fromStdString(buildTopology(polytope));
  QVERIFY2(problem.contains(part), qPrintable(problem));
}

void TopologyTest::aFanCoversEveryFaceOverTheSameVertices() {
  const Polytope box = test::boxShape(Vec3(1, 2, 3))->pieces[0];
  const TriangleMesh mesh = triangulated(box);
  QVERIFY(mesh.closed);
  QCOMPARE(mesh.triangles.size(), std::size_t(12));
  QCOMPARE(mesh.vertices.size(), box.vertices.size());
  double area = 0;
  for (const auto& t : mesh.triangles)
    area +=
        0.5 *
        (mesh.vertices[t[1]] - mesh.vertices[t[0]]).cross(mesh.vertices[t[2]] - mesh.vertices[t[0]]).norm();
  QVERIFY_NEAR(area, 2 * (2 + 3 + 6), 1e-14);
}

void TopologyTest::hullsMergeCoplanarFacetsAndDropOtherPoints() {
  std::vector<Vec3> points = cubePoints();
  points.insert(points.begin(), Vec3(0.5, 0.5, 0.5));  // inside
  points.emplace_back(0.5, 0.5, 1);                    // inside a face
  points.emplace_back(1, 0.5, 0);                      // inside an edge
  points.emplace_back(1, 1, 1);                        // a corner again
  Polytope hull;
  QCOMPARE(QString::fromStdString(convexHull(points, hull)), QString());
  QCOMPARE(hull.vertices.size(), std::size_t(8));
  QCOMPARE(hull.faces.size(), std::size_t(6));
  QCOMPARE(hull.edges.size(), std::size_t(12));
  for (std::size_t corner = 0; corner < 7; ++corner) QVERIFY(hull.vertices[corner] == cubePoints()[corner]);
}

void TopologyTest::hullsOfRoundedDodecahedraKeepPentagons() {
  const double golden = (1 + std::sqrt(5.0)) / 2;
  std::vector<Vec3> points;
  for (const Vec3& corner : cubePoints()) points.push_back(2 * corner - Vec3(1, 1, 1));
  for (int shift = 0; shift < 3; ++shift)
    for (int signs = 0; signs < 4; ++signs) {
      Vec3 point = Vec3::Zero();
      point[(shift + 1) % 3] = (signs & 1 ? 1 : -1) / golden;
      point[(shift + 2) % 3] = (signs & 2 ? 1 : -1) * golden;
      points.push_back(point);
    }
  for (Vec3& point : points) point = point * 0.1234567 + Vec3(5, 7, 11);  // coplanar to 1e-15 only
  Polytope hull;
  QCOMPARE(QString::fromStdString(convexHull(points, hull)), QString());
  QCOMPARE(hull.faces.size(), std::size_t(12));
  QCOMPARE(hull.edges.size(), std::size_t(30));
  for (const auto& face : hull.faces) QCOMPARE(face.vertices.size(), std::size_t(5));
}

void TopologyTest::theSamePointsGiveTheSameHull() {
  Polytope first, second;
  QVERIFY(convexHull(cubePoints(), first).empty());
  QVERIFY(convexHull(cubePoints(), second).empty());
  for (std::size_t face = 0; face < 6; ++face)
    QVERIFY(first.faces[face].vertices == second.faces[face].vertices);
}

void TopologyTest::flatPointsHaveNoHull_data() {
  QTest::addColumn<double>("height");
  QTest::addColumn<bool>("solid");
  QTest::newRow("flat") << 0.0 << false;
  QTest::newRow("flat to rounding") << 1e-14 << false;
  QTest::newRow("thin but solid") << 1e-6 << true;
}

void TopologyTest::flatPointsHaveNoHull() {
  QFETCH(double, height);
  QFETCH(bool, solid);
  Polytope hull;
  const std::vector<Vec3> points{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {1, 1, 0}, {0.5, 0.4, height}};
  QCOMPARE(convexHull(points, hull).empty(), solid);
}

QTEST_APPLESS_MAIN(TopologyTest)
#include "tst_topology.moc"
