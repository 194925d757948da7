#include <QtTest>

#include "core/geometry/mass_properties.h"
#include "core/math/count.h"
#include "core/scene/deformable/tet_lattice.h"
#include "core/shape/mesh_file.h"
#include "tests/scene/scene_folder.h"
#include "tests/support/near.h"
#include "tests/support/vectors.h"

using namespace touchstone;

/// Lattices of tetrahedra: cells cut in five, boundaries, masses, and surfaces that are tied to them.
class TetLatticeTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void aBoxHasItsCounts_data();
  void aBoxHasItsCounts();
  void facesOfNeighboursMatch();
  void theBoundaryOfABoxIsItsSurface();
  void allTetrahedraArePositive();
  void massIsDensityTimesVolume();
  void qualityIsOneOfARegularTetrahedron();
  void aSphereFillsTheCubesThatItMeets();
  void aHollowBodyLeavesItsHollowEmpty();
  void cubesCoverTheSolidWhereverItIs_data();
  void cubesCoverTheSolidWhereverItIs();
  void weightsMatchReferences();
  void tiedPointsFollowAffineFieldsExactly();
  void pointsOutsideAreTiedUpToALimit();
};

namespace {

CellLattice brick() { return boxLattice(Vec3(0.4, 0.3, 0.2), {4, 3, 2}); }

TriangleMesh ball(double radius, const Vec3& centre = Vec3::Zero()) {
  static const auto scene = test::SceneFolder().load(
      R"({"name": "b", "shape": {"type": "sphere", "radius": 1, "subdivisions": 3}})");
  TriangleMesh mesh = scene->bodies[0].shape->surfaces[0];
  for (Vec3& vertex : mesh.vertices) vertex = centre + radius * vertex;
  return mesh;
}

Vec3 placeOf(const EmbeddedVertex& vertex, const std::vector<Vec3>& particles) {
  Vec3 sum = Vec3::Zero();
  for (std::size_t k = 0; k < 4; ++k)
    if (vertex.particles[k] >= 0) sum += vertex.weights[k] * particles[vertex.particles[k]];
  return sum;
}

}  // namespace

void TetLatticeTest::aBoxHasItsCounts_data() {
  QTest::addColumn<int>("nx");
  QTest::addColumn<int>("ny");
  QTest::addColumn<int>("nz");
  QTest::addColumn<int>("tetrahedra");
  QTest::newRow("one cell") << 1 << 1 << 1 << 5;
  QTest::newRow("cantilever, 2 cells across") << 10 << 2 << 2 << 200;
  QTest::newRow("cantilever, 4 cells across") << 20 << 4 << 4 << 1600;
  QTest::newRow("bar of the extension scene") << 16 << 4 << 4 << 1280;
}

void TetLatticeTest::aBoxHasItsCounts() {
  QFETCH(int, nx);
  QFETCH(int, ny);
  QFETCH(int, nz);
  QFETCH(int, tetrahedra);
  const LatticeMesh mesh = boxLattice(Vec3(1, 0.2, 0.2), {nx, ny, nz}).mesh;
  QCOMPARE(countOf(mesh.tetrahedra), tetrahedra);
  QCOMPARE(countOf(mesh.particles), (nx + 1) * (ny + 1) * (nz + 1));
  QVERIFY_NEAR(latticeVolume(mesh), 0.04, 1e-15);
}

void TetLatticeTest::facesOfNeighboursMatch() {
  int crowded = -1;
  const LatticeMesh mesh = brick().mesh;
  const std::vector<BoundaryFace> faces = boundaryFaces(mesh, crowded);
  QCOMPARE(crowded, -1);
  // Where faces of neighbours do not match, both are on the boundary: 2 triangles per square of the box only.
  QCOMPARE(countOf(faces), 2 * 2 * (4 * 3 + 3 * 2 + 4 * 2));
  for (const BoundaryFace& face : faces) {
    bool isOnSide = false;
    for (int axis = 0; axis < 3; ++axis) {
      const double side = mesh.particles[face.particles[0]][axis];
      bool isPlane = std::abs(std::abs(side) - 0.5 * Vec3(0.4, 0.3, 0.2)[axis]) < 1e-12;
      for (int particle : face.particles)
        isPlane = isPlane && std::abs(mesh.particles[particle][axis] - side) < 1e-12;
      isOnSide = isOnSide || isPlane;
    }
    QVERIFY(isOnSide);
  }
}

void TetLatticeTest::theBoundaryOfABoxIsItsSurface() {
  LatticeMesh mesh = brick().mesh;
  int crowded = -1;
  std::vector<BoundaryFace> faces = boundaryFaces(mesh, crowded);
  numberBoundaryFirst(mesh, faces);
  TriangleMesh surface = surfaceOf(mesh, faces);
  QCOMPARE(QString::fromStdString(buildTopology(surface)), QString());
  QVERIFY(surface.closed);
  QCOMPARE(countOf(surface.vertices), 5 * 4 * 3 - 3 * 2 * 1);  // all nodes but the inner ones
  for (std::size_t vertex = 0; vertex < surface.vertices.size(); ++vertex)
    QVERIFY(surface.vertices[vertex] == mesh.particles[vertex]);
  QVERIFY_NEAR(massProperties(surface).volume, 0.024, 1e-15);  // positive: seen from outside
  QVERIFY_NEAR(latticeVolume(mesh), 0.024, 1e-15);
}

void TetLatticeTest::allTetrahedraArePositive() {
  const LatticeMesh mesh = brick().mesh;
  for (std::size_t tet = 0; tet < mesh.tetrahedra.size(); ++tet) {
    const double expected = tet % 5 == 0 ? 1e-3 / 3 : 1e-3 / 6;  // the middle one, those at the corners
    QVERIFY_NEAR(tetrahedronVolume(mesh, tet), expected, 1e-16);
  }
}

void TetLatticeTest::massIsDensityTimesVolume() {
  const std::vector<double> masses = lumpedMasses(brick().mesh, 1200);
  double sum = 0;
  for (const double mass : masses) {
    QVERIFY(mass > 0);
    sum += mass;
  }
  QVERIFY_NEAR(sum, 1200 * 0.024, 1e-12);
}

void TetLatticeTest::qualityIsOneOfARegularTetrahedron() {
  const LatticeMesh regular{{Vec3(1, 1, 1), Vec3(1, -1, -1), Vec3(-1, 1, -1), Vec3(-1, -1, 1)},
                            {{0, 2, 1, 3}, {0, 1, 2, 3}}};
  QVERIFY_NEAR(tetrahedronQuality(regular, 0), 1, 1e-14);
  QVERIFY_NEAR(tetrahedronQuality(regular, 1), -1, 1e-14);  // turned inside out
  QVERIFY_NEAR(longestEdge(regular, 0), std::sqrt(8), 1e-14);
}

void TetLatticeTest::aSphereFillsTheCubesThatItMeets() {
  // A radius of 40 mm in cubes of 20 mm: 5 × 5 × 5 without the 44 at edges and corners.
  const CellLattice lattice = latticeAround(ball(0.04), 0.02);
  QCOMPARE(lattice.cells[0] * lattice.cells[1] * lattice.cells[2], 125);
  QCOMPARE(countOf(lattice.mesh.tetrahedra), 405);
  int crowded = 0;
  boundaryFaces(lattice.mesh, crowded);
  QCOMPARE(crowded, -1);
}

void TetLatticeTest::aHollowBodyLeavesItsHollowEmpty() {
  TriangleMesh shell = ball(1);
  const TriangleMesh inner = ball(0.7);
  const int first = countOf(shell.vertices);
  shell.vertices.insert(shell.vertices.end(), inner.vertices.begin(), inner.vertices.end());
  for (const auto& t : inner.triangles) shell.triangles.push_back({first + t[0], first + t[2], first + t[1]});
  QCOMPARE(QString::fromStdString(buildTopology(shell)), QString());
  const CellLattice lattice = latticeAround(shell, 0.1);
  for (int k = 0; k < lattice.cells[2]; ++k)
    for (int j = 0; j < lattice.cells[1]; ++j)
      for (int i = 0; i < lattice.cells[0]; ++i) {
        const double distance = (lattice.origin + 0.1 * Vec3(i + 0.5, j + 0.5, k + 0.5)).norm();
        const bool isFilled =
            lattice.firstOf[std::size_t((k * lattice.cells[1] + j) * lattice.cells[0] + i)] >= 0;
        if (distance < 0.58 || distance > 1.09) QVERIFY(!isFilled);  // half a diagonal and more off
        if (distance > 0.71 && distance < 0.97) QVERIFY(isFilled);
      }
}

void TetLatticeTest::cubesCoverTheSolidWhereverItIs_data() {
  QTest::addColumn<double>("cell");
  QTest::addColumn<double>("shift");
  for (const double cell : {0.013, 0.02, 0.05, 0.3})
    for (const double shift : {0.0, 1e-3, 5e2})
      QTest::addRow("cell %g shift %g", cell, shift) << cell << shift;
}

void TetLatticeTest::cubesCoverTheSolidWhereverItIs() {
  QFETCH(double, cell);
  QFETCH(double, shift);
  const TriangleMesh surface = ball(0.04, Vec3(shift, -0.3 * shift, 0.7 * shift));
  const CellLattice lattice = latticeAround(surface, cell);
  std::vector<EmbeddedVertex> embedded;
  QCOMPARE(embed(lattice, surface.vertices, embedded), -1);
  for (std::size_t vertex = 0; vertex < embedded.size(); ++vertex) {
    // Coordinates of 500 m have steps of 1e-13 m: 1e-11 of a cell.
    for (const double weight : embedded[vertex].weights) QVERIFY(weight >= -1e-9);
    QVERIFY((placeOf(embedded[vertex], lattice.mesh.particles) - surface.vertices[vertex]).norm() <=
            1e-12 * (1 + shift));
  }
}

void TetLatticeTest::weightsMatchReferences() {
  int count = 0;
  for (const auto& file : test::referenceFiles(QStringLiteral("bodies-vectors"))) {
    if (!file.contains("embedding")) continue;
    for (const auto& sample : file["embedding"]) {
      Vec3 corners[4];
      for (std::size_t corner = 0; corner < 4; ++corner)
        corners[corner] = test::vectorOf(sample["tet"][corner]);
      const std::array<double, 4> weights = barycentricWeights(corners, test::vectorOf(sample["point"]));
      for (std::size_t corner = 0; corner < 4; ++corner)
        QVERIFY_NEAR(weights[corner], sample["weights"][corner].get<double>(), 1e-10);
      ++count;
    }
  }
  QVERIFY(count > 0);
}

void TetLatticeTest::tiedPointsFollowAffineFieldsExactly() {
  const TriangleMesh surface = ball(0.3, Vec3(0.1, 0.2, 0.3));
  CellLattice lattice = latticeAround(surface, 0.11);
  std::vector<EmbeddedVertex> embedded;
  QCOMPARE(embed(lattice, surface.vertices, embedded), -1);
  Mat3 gradient;
  gradient << 1.2, 0.3, -0.4, 0.1, 0.7, 0.5, -0.6, 0.2, 1.9;
  const auto moved = [&](const Vec3& x) { return Vec3(gradient * x + Vec3(3, -2, 1)); };
  for (Vec3& particle : lattice.mesh.particles) particle = moved(particle);
  for (std::size_t vertex = 0; vertex < embedded.size(); ++vertex) {
    double sum = 0;
    for (const double weight : embedded[vertex].weights) sum += weight;
    QVERIFY_NEAR(sum, 1, 1e-15);
    QVERIFY((placeOf(embedded[vertex], lattice.mesh.particles) - moved(surface.vertices[vertex])).norm() <=
            1e-14);
  }
}

void TetLatticeTest::pointsOutsideAreTiedUpToALimit() {
  const CellLattice lattice = boxLattice(Vec3(1, 1, 1), {1, 1, 1});
  std::vector<EmbeddedVertex> embedded;
  QCOMPARE(embed(lattice, {Vec3(0, 0, 0), Vec3(0.5, 0.5, 0.5), Vec3(0, 0.7, 0)}, embedded), -1);
  const Vec3 above = placeOf(embedded[2], lattice.mesh.particles);
  QVERIFY((above - Vec3(0, 0.7, 0)).norm() <= 1e-15);
  QVERIFY(*std::min_element(embedded[2].weights.begin(), embedded[2].weights.end()) < 0);
  QCOMPARE(embed(lattice, {Vec3(0, 0, 0), Vec3(0, 3, 0)}, embedded), 1);
}

QTEST_GUILESS_MAIN(TetLatticeTest)
#include "tst_tet_lattice.moc"
