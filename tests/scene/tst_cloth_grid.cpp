#include <QtTest>

#include "core/elasticity/cloth.h"
#include "core/math/count.h"
#include "core/scene/deformable/cloth_grid.h"
#include "tests/support/near.h"

using namespace touchstone;

Q_DECLARE_METATYPE(ClothCut)

/// Sheets of cloth: triangles, masses, edges, hinges and their step limit.
class ClothGridTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void sheetsHaveTheirCounts_data();
  void sheetsHaveTheirCounts();
  void alternatingDiagonalsCross();
  void equilateralTrianglesAreThat();
  void massIsDensityTimesArea_data() { cuts(); }
  void massIsDensityTimesArea();
  void everyEdgeAndHingeIsThere_data() { cuts(); }
  void everyEdgeAndHingeIsThere();
  void hingesAreAsStiffAsTheirFormula();
  void aBentSheetStoresTheEnergyOfAPlate();
  void stepLimitIsThatOfTheFormula();
  void inextensibleClothHasNoStep();

 private:
  static void cuts() {
    QTest::addColumn<ClothCut>("cut");
    QTest::newRow("right") << ClothCut::Right;
    QTest::newRow("alternating") << ClothCut::Alternating;
    QTest::newRow("equilateral") << ClothCut::Equilateral;
  }
};

namespace {

TriangleMesh sheetOf(ClothCut cut) { return clothGrid({0.4, 0.3}, {4, 3}, cut); }
const Vec3& at(const TriangleMesh& sheet, int vertex) { return sheet.vertices[vertex]; }

}  // namespace

void ClothGridTest::sheetsHaveTheirCounts_data() {
  QTest::addColumn<ClothCut>("cut");
  QTest::addColumn<int>("vertices");
  QTest::addColumn<int>("triangles");
  QTest::newRow("right") << ClothCut::Right << 20 << 24;
  QTest::newRow("alternating") << ClothCut::Alternating << 20 << 24;
  QTest::newRow("equilateral") << ClothCut::Equilateral << 22 << 27;  // rows of 5, 6, 5, 6; 9 in each strip
}

void ClothGridTest::sheetsHaveTheirCounts() {
  QFETCH(ClothCut, cut);
  QFETCH(int, vertices);
  QFETCH(int, triangles);
  const TriangleMesh sheet = sheetOf(cut);
  QCOMPARE(countOf(sheet.vertices), vertices);
  QCOMPARE(countOf(sheet.triangles), triangles);
  QCOMPARE(vertices - countOf(sheet.edges) + triangles, 1);  // Euler: a disk
  QVERIFY(!sheet.closed);
  Vec3 low = sheet.vertices[0], high = low;
  for (const Vec3& vertex : sheet.vertices) {
    low = low.cwiseMin(vertex);
    high = high.cwiseMax(vertex);
  }
  QVERIFY((low - Vec3(-0.2, 0, -0.15)).norm() < 1e-15 && (high - Vec3(0.2, 0, 0.15)).norm() < 1e-15);
  for (const Vec3& normal : sheet.normals) QVERIFY_NEAR(normal.y(), 1, 1e-12);
}

void ClothGridTest::alternatingDiagonalsCross() {
  const TriangleMesh sheet = sheetOf(ClothCut::Alternating);
  int rising = 0, falling = 0;
  for (const TriangleMesh::Edge& edge : sheet.edges) {
    const Vec3 e = at(sheet, edge.head) - at(sheet, edge.tail);
    if (std::abs(e.x()) > 0.05 && std::abs(e.z()) > 0.05) (e.x() * e.z() > 0 ? rising : falling) += 1;
  }
  QCOMPARE(rising, 6);
  QCOMPARE(falling, 6);
}

void ClothGridTest::equilateralTrianglesAreThat() {
  const TriangleMesh sheet = clothGrid({1, 10 * 0.1 * std::sqrt(0.75)}, {10, 10}, ClothCut::Equilateral);
  int halves = 0;
  for (const TriangleMesh::Edge& edge : sheet.edges) {
    const double length = (at(sheet, edge.head) - at(sheet, edge.tail)).norm();
    if (edge.right < 0) continue;
    if (length < 0.075) ++halves;
    QVERIFY_NEAR(length, length < 0.075 ? 0.05 : 0.1, 1e-14);
  }
  QCOMPARE(halves, 10);  // the ends of five rows
  QVERIFY_NEAR(shortestEdge(sheet), 0.05, 1e-14);
}

void ClothGridTest::massIsDensityTimesArea() {
  QFETCH(ClothCut, cut);
  const Deformable cloth = clothOf(sheetOf(cut), {0.2, 100, 1e-5});
  double sum = 0;
  Vec3 moment = Vec3::Zero();
  for (std::size_t particle = 0; particle < cloth.mass.size(); ++particle) {
    QVERIFY(cloth.mass[particle] > 0);
    sum += cloth.mass[particle];
    moment += cloth.mass[particle] * cloth.rest[particle];
  }
  QVERIFY_NEAR(sum, 0.2 * 0.12, 1e-16);
  QVERIFY(moment.norm() / sum < 0.02);
}

void ClothGridTest::everyEdgeAndHingeIsThere() {
  QFETCH(ClothCut, cut);
  const TriangleMesh sheet = sheetOf(cut);
  const Deformable cloth = clothOf(sheet, {0.2, 100, 1e-5});
  QCOMPARE(cloth.edges.size(), sheet.edges.size());
  int inner = 0;
  for (std::size_t edge = 0; edge < sheet.edges.size(); ++edge) {
    inner += sheet.edges[edge].right >= 0 ? 1 : 0;
    QCOMPARE(cloth.edges[edge].stiffness, 100.0);
    Vec3 x[2];
    for (std::size_t k = 0; k < 2; ++k) x[k] = at(sheet, cloth.edges[edge].particles[k]);
    QVERIFY_NEAR(edgeStretch(x, cloth.edges[edge].length).c, 0, 1e-16);
  }
  QCOMPARE(countOf(cloth.hinges), inner);
  QCOMPARE(cloth.surface.size(), sheet.vertices.size());
  QVERIFY(clothOf(sheet, {0.2, 100, 0}).hinges.empty());
}

void ClothGridTest::hingesAreAsStiffAsTheirFormula() {
  const TriangleMesh sheet = sheetOf(ClothCut::Right);
  for (const ClothHinge& hinge : clothOf(sheet, {0.2, 100, 1e-5}).hinges) {
    const double squared = (at(sheet, hinge.particles[1]) - at(sheet, hinge.particles[0])).squaredNorm();
    QVERIFY_NEAR(hinge.stiffness, 1e-5 * squared / (2 * 0.5 * 0.1 * 0.1), 1e-18);  // two halves of a square
    QCOMPARE(hinge.angle, 0.0);
    Vec3 x[4];
    for (std::size_t k = 0; k < 4; ++k) x[k] = at(sheet, hinge.particles[k]);
    QVERIFY(hingeBend(x).row[2].norm() > 0);
    QVERIFY((x[1] - x[0]).cross(x[2] - x[0]).y() > 0 && (x[3] - x[0]).cross(x[1] - x[0]).y() > 0);
  }
}

void ClothGridTest::aBentSheetStoresTheEnergyOfAPlate() {
  // bodies.md, section 3.2: ½ D κ² per area on an equilateral net, 0.975 to 0.986 of it with a free border.
  const double kappa = 0.1, radius = 1 / kappa, bending = 2e-3;
  const TriangleMesh sheet = clothGrid({1, 40 * std::sqrt(0.75) / 40}, {40, 40}, ClothCut::Equilateral);
  const Deformable cloth = clothOf(sheet, {0.2, 100, bending});
  for (const double direction : {0.0, 0.4, 0.9, M_PI / 2}) {
    const Vec3 along(std::cos(direction), 0, std::sin(direction)), across(-along.z(), 0, along.x());
    double energy = 0;
    for (const ClothHinge& hinge : cloth.hinges) {
      Vec3 x[4];
      for (std::size_t k = 0; k < 4; ++k) {
        const Vec3& flat = at(sheet, hinge.particles[k]);
        const double angle = flat.dot(along) * kappa;
        x[k] = radius * std::sin(angle) * along + flat.dot(across) * across +
               Vec3(0, radius * (1 - std::cos(angle)), 0);
      }
      const double bend = wrappedAngle(hingeBend(x).angle - hinge.angle);
      energy += 0.5 * hinge.stiffness * bend * bend;
    }
    const double plate = 0.5 * bending * kappa * kappa * std::sqrt(0.75);
    QVERIFY_NEAR(energy / plate, 0.98, 0.02);
  }
}

void ClothGridTest::stepLimitIsThatOfTheFormula() {
  // One square of two triangles, edges only: 3 edges at both ends of the diagonal, which have 2/3 of the mass
  // of a triangle each; 2 edges at the others with 1/3.
  Deformable cloth = clothOf(clothGrid({1, 1}, {1, 1}, ClothCut::Right), {0.6, 50, 0});
  const double triangle = 0.6 * 0.5;
  const double stiffest = std::max(3 * 2 * 50 / (2 * triangle / 3), 2 * 2 * 50 / (triangle / 3));
  QVERIFY_NEAR(clothStepLimit(cloth), 2 / std::sqrt(stiffest), 1e-15);
  // The hinge alone: e = √2, both heights 1/√2, so that |∂θ/∂x_k| = √2; ∂_i = ∂_j = −½ (∂_k + ∂_l).
  cloth = clothOf(clothGrid({1, 1}, {1, 1}, ClothCut::Right), {0.6, 50, 3});
  for (ClothEdge& edge : cloth.edges) edge.stiffness = 0;
  const double hinge = 3 * 2 / 1.0;
  QVERIFY_NEAR(clothStepLimit(cloth), 2 / std::sqrt(4 * hinge * 2 / (triangle / 3)), 1e-15);
}

void ClothGridTest::inextensibleClothHasNoStep() {
  QCOMPARE(clothStepLimit(clothOf(sheetOf(ClothCut::Right), {0.2, HUGE_VAL, 0})), 0.0);
}

QTEST_GUILESS_MAIN(ClothGridTest)
#include "tst_cloth_grid.moc"
