#include <Eigen/Dense>
#include <QtTest>
#include <map>

#include "core/elasticity/cloth.h"
#include "tests/support/near.h"
#include "tests/support/vectors.h"

using namespace touchstone;
using nlohmann::json;
Q_DECLARE_METATYPE(const nlohmann::json*)

class ClothTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void initTestCase() { m_files = test::referenceFiles(QStringLiteral("bodies-vectors")); }
  void edgesStretchLikeTheReference_data() { each("edges"); }
  void edgesStretchLikeTheReference();
  void anEdgeWithoutLengthHasNoDirection();
  void hingesBendLikeTheReference_data() { each("hinges"); }
  void hingesBendLikeTheReference();
  void hingesHaveTheGradientOfTheirAngle_data() { each("hinges"); }
  void hingesHaveTheGradientOfTheirAngle();
  void hingesHaveNoForceAndNoTorqueInAll_data() { each("hinges"); }
  void hingesHaveNoForceAndNoTorqueInAll();
  void aHingeIsPositiveAwayFromItsNormals();
  void aHingeWithoutAreaDoesNotBend();
  void aCylinderStoresTheEnergyOfAPlate_data();
  void aCylinderStoresTheEnergyOfAPlate();
  void anglesAreWrapped();

 private:
  void each(const char* key);
  std::vector<json> m_files;
};

static Vec3 vec(const json& v) { return {v[0].get<double>(), v[1].get<double>(), v[2].get<double>()}; }

/// Largest difference of an entry of n gradients.
static double differenceOf(const Vec3* rows, int count, const json& expected) {
  double largest = 0;
  for (int k = 0; k < 3 * count; ++k)
    largest = std::fmax(largest, std::abs(rows[k / 3][k % 3] - expected[k].get<double>()));
  return largest;
}

void ClothTest::each(const char* key) {
  QTest::addColumn<const json*>("reference");
  for (std::size_t file = 0; file < m_files.size(); ++file) {
    int index = 0;
    if (!m_files[file].contains(key)) continue;
    for (const json& c : m_files[file][key])
      QTest::newRow(qPrintable(QStringLiteral("%1 %2").arg(file).arg(index++))) << &c;
  }
}

struct HingeCase {
  explicit HingeCase(const json& c) {
    for (std::size_t k = 0; k < 4; ++k) x[k] = vec(c["x"][k]);
    bend = hingeBend(x);
    for (const Vec3& row : bend.row) largest = std::fmax(largest, row.norm());
  }
  Vec3 x[4];
  HingeBend bend;
  double largest = 0;  // of the gradient, rad/m
};

void ClothTest::edgesStretchLikeTheReference() {
  QFETCH(const json*, reference);
  const json& c = *reference;
  const Vec3 x[2] = {vec(c["x"][0]), vec(c["x"][1])};
  const EdgeStretch stretch = edgeStretch(x, c["length"]);
  QVERIFY_NEAR(stretch.c, c["error"].get<double>(), 1e-12);
  QVERIFY_NEAR(differenceOf(stretch.row, 2, c["row"]), 0, 1e-12);
}

void ClothTest::anEdgeWithoutLengthHasNoDirection() {
  const Vec3 x[2] = {Vec3(1, 2, 3), Vec3(1, 2, 3)};
  const EdgeStretch stretch = edgeStretch(x, 0.5);
  QCOMPARE(stretch.c, -0.5);
  QVERIFY(stretch.row[0] == Vec3(0, 0, 0) && stretch.row[1] == Vec3(0, 0, 0));
}

void ClothTest::hingesBendLikeTheReference() {
  QFETCH(const json*, reference);
  const json& c = *reference;
  const HingeCase hinge(c);
  const double shape = c["stiffness_per_D_if_this_is_the_rest_shape"];
  QVERIFY_NEAR(hinge.bend.angle, c["angle"].get<double>(), 1e-12);
  QVERIFY_NEAR(differenceOf(hinge.bend.row, 4, c["gradient"]), 0, 1e-12 * hinge.largest);
  QVERIFY_NEAR(hingeShape(hinge.x), shape, 1e-12 * shape);
}

void ClothTest::hingesHaveTheGradientOfTheirAngle() {
  QFETCH(const json*, reference);
  const HingeCase hinge(*reference);
  const double h = 1e-3 / hinge.largest;
  for (int corner = 0; corner < 4; ++corner)
    for (int axis = 0; axis < 3; ++axis) {
      const auto angleAt = [&](double shift) {
        Vec3 moved[4] = {hinge.x[0], hinge.x[1], hinge.x[2], hinge.x[3]};
        moved[corner][axis] += shift;
        return wrappedAngle(hingeBend(moved).angle - hinge.bend.angle);
      };
      // Fourth order: the error of h⁴ is 1e-12, that of rounding 1e-16 / 1e-3.
      const double slope = (8 * (angleAt(h) - angleAt(-h)) - (angleAt(2 * h) - angleAt(-2 * h))) / (12 * h);
      QVERIFY_NEAR(hinge.bend.row[corner][axis], slope, 1e-9 * hinge.largest);
    }
}

void ClothTest::hingesHaveNoForceAndNoTorqueInAll() {
  QFETCH(const json*, reference);
  const HingeCase hinge(*reference);
  Vec3 sum(0, 0, 0), torque(0, 0, 0);
  for (int k = 0; k < 4; ++k) {
    sum += hinge.bend.row[k];
    torque += hinge.x[k].cross(hinge.bend.row[k]);
  }
  QVERIFY_NEAR(sum.norm(), 0, 1e-14 * hinge.largest);
  QVERIFY_NEAR(torque.norm(), 0, 1e-14 * hinge.largest);  // arms of about 1 m
}

void ClothTest::aHingeIsPositiveAwayFromItsNormals() {
  // Both normals point along +z where it is flat.
  const auto angleOf = [](double height) {
    const Vec3 x[4] = {Vec3(0, 0, 0), Vec3(1, 0, 0), Vec3(0.5, 1, height), Vec3(0.5, -1, height)};
    return hingeBend(x).angle;
  };
  QCOMPARE(angleOf(0), 0.0);
  QVERIFY_NEAR(angleOf(-1), M_PI / 2, 1e-15);
  QVERIFY_NEAR(angleOf(1), -M_PI / 2, 1e-15);
}

void ClothTest::aHingeWithoutAreaDoesNotBend() {
  const Vec3 i(0, 0, 0), j(1, 0, 0), k(0.5, 1, 0), l(0.5, -1, 0), between(0.5, 0, 0);
  const Vec3 cases[][4] = {{i, i, k, l}, {i, j, between, l}, {i, j, k, between}, {i, i, i, i}};
  for (const auto& x : cases) {
    const HingeBend bend = hingeBend(x);
    QCOMPARE(bend.angle, 0.0);
    for (const Vec3& row : bend.row) QVERIFY(row == Vec3(0, 0, 0));
  }
  QCOMPARE(hingeShape(cases[3]), 0.0);
}

/// A net of 40 × 40 equilateral pairs of triangles with edges of 1 m.
struct EquilateralNet {
  static constexpr int kCells = 40;
  std::vector<Vec3> rest;
  std::vector<std::array<int, 4>> hinges;
  double area = 0;

  EquilateralNet() {
    const double height = std::sqrt(0.75);
    for (int row = 0; row <= kCells; ++row)
      for (int k = 0; k <= kCells; ++k) rest.emplace_back(k + 0.5 * (row % 2), row * height, 0);
    std::map<std::pair<int, int>, int> opposite;  // of each directed edge
    const auto add = [&](int a, int b, int c) {
      opposite[{a, b}] = c;
      opposite[{b, c}] = a;
      opposite[{c, a}] = b;
      area += 0.5 * height;
    };
    for (int row = 0; row < kCells; ++row)
      for (int k = 0; k < kCells; ++k) {
        const int a = row * (kCells + 1) + k, b = a + 1, c = a + kCells + 1, d = c + 1;
        if (row % 2 == 0) {
          add(a, b, c);
          add(b, d, c);
        } else {
          add(a, b, d);
          add(a, d, c);
        }
      }
    for (const auto& [edge, k] : opposite) {
      const auto other = opposite.find({edge.second, edge.first});
      if (edge.first < edge.second && other != opposite.end())
        hinges.push_back({edge.first, edge.second, k, other->second});
    }
  }
};

void ClothTest::aCylinderStoresTheEnergyOfAPlate_data() {
  QTest::addColumn<double>("degrees");
  for (const double degrees : {0.0, 15.0, 30.0, 45.0, 60.0, 75.0, 90.0})
    QTest::addRow("%g degrees", degrees) << degrees;
}

// ½ D κ² per area, rolled up without stretch along any direction; the border, where hinges are missing, is
// 1.2 to 2.5 % of this net.
void ClothTest::aCylinderStoresTheEnergyOfAPlate() {
  QFETCH(double, degrees);
  const double curvature = 0.01, plate = 1;  // 1/m, N·m
  const EquilateralNet net;
  const Vec3 along(std::cos(degrees * M_PI / 180), std::sin(degrees * M_PI / 180), 0);
  const auto rolled = [&](const Vec3& X) {
    const double arc = curvature * along.dot(X);
    return Vec3(X + (std::sin(arc) - arc) / curvature * along +
                (1 - std::cos(arc)) / curvature * Vec3(0, 0, 1));
  };
  double energy = 0;
  for (const auto& hinge : net.hinges) {
    Vec3 rest[4], x[4];
    for (std::size_t k = 0; k < 4; ++k) {
      rest[k] = net.rest[hinge[k]];
      x[k] = rolled(rest[k]);
    }
    const double c = wrappedAngle(hingeBend(x).angle - hingeBend(rest).angle);
    energy += 0.5 * plate * hingeShape(rest) * c * c;
  }
  QVERIFY_NEAR(energy / (0.5 * plate * curvature * curvature * net.area), 1, 0.03);
}

void ClothTest::anglesAreWrapped() {
  for (const double angle : {0.0, 1e-300, 3.0, -3.0, M_PI}) QCOMPARE(wrappedAngle(angle), angle);
  QCOMPARE(wrappedAngle(-M_PI), M_PI);
  QVERIFY_NEAR(wrappedAngle(6), 6 - 2 * M_PI, 1e-15);
  QVERIFY_NEAR(wrappedAngle(-6), 2 * M_PI - 6, 1e-15);
  QVERIFY_NEAR(wrappedAngle(2 * M_PI), 0, 1e-15);
  QVERIFY_NEAR(wrappedAngle(9 * M_PI + 0.5), 0.5 - M_PI, 1e-14);
}

QTEST_APPLESS_MAIN(ClothTest)
#include "tst_cloth.moc"
