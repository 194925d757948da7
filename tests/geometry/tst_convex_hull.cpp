#include <QtTest>
#include <algorithm>
#include <cmath>
#include <random>

#include "core/geometry/convex_hull.h"
#include "core/geometry/mass_properties.h"
#include "core/math/count.h"
#include "tests/scene/scene_folder.h"
#include "tests/support/near.h"

using namespace touchstone;

namespace {

using Points = std::vector<Vec3>;

/// Random numbers that are the same everywhere.
class Draw {
 public:
  explicit Draw(unsigned seed) : m_random(seed) {}
  double between(double low, double high) { return low + (high - low) * m_random() / 4294967296.0; }
  int below(int count) { return static_cast<int>(m_random() % static_cast<unsigned>(count)); }
  bool chance(int one) { return below(one) == 0; }

 private:
  std::mt19937 m_random;
};

void addRing(Points& points, int sides, double radius, double height) {
  for (int k = 0; k < (radius > 0 ? sides : 1); ++k)
    points.emplace_back(radius * std::cos(2 * M_PI * k / sides), radius * std::sin(2 * M_PI * k / sides),
                        height);
}

Points prism(Draw& draw) {
  const int sides = 3 + draw.below(254);
  const double height = std::pow(10, draw.between(-3, 1));
  Points points;
  for (const double z : {0.0, height}) addRing(points, sides, 1, z);
  return points;
}

Points shaft(Draw& draw) {
  const int sides = 48 + draw.below(209);
  Points points;
  double z = 0;
  for (int step = 2 + draw.below(4); step > 0; --step) {
    const double radius = draw.between(0.3, 1);
    addRing(points, sides, radius, z);
    z += draw.between(0.05, 1);
    addRing(points, sides, radius, z);
  }
  return points;
}

Points cone(Draw& draw) {
  const int sides = 3 + draw.below(254);
  Points points;
  addRing(points, sides, 1, 0);
  addRing(points, sides, draw.chance(2) ? 0 : draw.between(0.01, 0.9), std::pow(10, draw.between(-2, 1)));
  return points;
}

Points dome(Draw& draw) {
  const int sides = 12 + draw.below(117), rings = 4 + draw.below(12);
  const double height = std::pow(10, draw.between(-2, 1));
  Points points;
  for (int k = 0; k <= rings; ++k)
    addRing(points, sides, k == rings ? 0 : std::cos(k * M_PI / 2 / rings),
            std::sin(k * M_PI / 2 / rings) * height);
  return points;
}

Points boxWithRounds(Draw& draw) {
  const double a = draw.between(0.2, 1), b = draw.between(0.2, 1), round = draw.between(0.01, 0.2),
               height = std::pow(10, draw.between(-2, 1));
  const int parts = 12 + draw.below(53);  // a quarter of 48 to 256
  Points points;
  for (int corner = 0; corner < 4; ++corner)
    for (int k = 0; k <= parts; ++k)
      for (const double z : {0.0, height}) {
        const double angle = (corner + static_cast<double>(k) / parts) * M_PI / 2;
        points.emplace_back((corner == 0 || corner == 3 ? a : -a) + round * std::cos(angle),
                            (corner < 2 ? b : -b) + round * std::sin(angle), z);
      }
  return points;
}

Points plate(Draw& draw) {
  Points points;
  const double thickness = std::pow(10, draw.between(-5, -2));
  for (const double z : {0.0, thickness}) {
    addRing(points, 4, 1, z);
    addRing(points, 48 + draw.below(209), 0.9, z);
  }
  return points;
}

Points sphere(Draw& draw) {
  const int sides = 12 + draw.below(53), rings = 4 + draw.below(20);
  Points points;
  for (int k = 0; k <= rings; ++k)
    addRing(points, sides, k % rings == 0 ? 0 : std::sin(k * M_PI / rings), std::cos(k * M_PI / rings));
  return points;
}

Points chamfered(Draw& draw) {
  const double cut = draw.between(1e-3, 0.2);
  Points points;
  for (int corner = 0; corner < 8; ++corner)
    for (int axis = 0; axis < 3; ++axis) {
      Vec3 point(corner & 1 ? 1 : -1, corner & 2 ? 1 : -1, corner & 4 ? 1 : -1);
      point[axis] *= 1 - cut;
      points.push_back(point);
    }
  return points;
}

/// Faces of a cube with a grid of points each.
Points gridded(Draw& draw) {
  const int cells = 2 + draw.below(12);
  Points points;
  for (int face = 0; face < 6; ++face)
    for (int i = 0; i <= cells; ++i)
      for (int j = 0; j <= cells; ++j) {
        Vec3 point;
        point[face % 3] = face < 3 ? 1 : -1;
        point[(face + 1) % 3] = 2.0 * i / cells - 1;
        point[(face + 2) % 3] = 2.0 * j / cells - 1;
        points.push_back(point);
      }
  return points;
}

Points cloud(Draw& draw) {
  Points points;
  for (int k = 20 + draw.below(500); k > 0; --k)
    points.emplace_back(draw.between(-1, 1), draw.between(-1, 1), draw.between(-1, 1));
  return points;
}

Vec3 inSinglePrecision(const Vec3& point) { return point.cast<float>().cast<double>(); }

Quaternion anyRotation(Draw& draw) {
  return Quaternion(draw.between(-1, 1), draw.between(-1, 1), draw.between(-1, 1), draw.between(-1, 1))
      .normalized();
}

/// A solid as a file has it: thin along an axis, doubled corners, turned, shifted, from 1 mm to 10 m, in
/// single precision and with noise in the last bit.
Points asFiled(Points points, Draw& draw) {
  const bool isNoisy = draw.chance(3);
  Vec3 thin(1, 1, 1), shift(0, 0, 0);
  if (draw.chance(3)) thin[draw.below(3)] = std::pow(10, draw.between(-1, 0));
  if (draw.chance(2))
    shift = std::pow(10, draw.between(-1, 1)) * Vec3(draw.between(-1, 1), 1, draw.between(-1, 1));
  const Quaternion rotation = draw.chance(5) ? Quaternion(1, 0, 0, 0) : anyRotation(draw);
  const double scale = std::pow(10, draw.between(-3, 1));
  if (isNoisy)
    for (std::size_t k = points.size(); k-- > 0;)
      if (draw.chance(2)) points.push_back(points[k]);
  for (Vec3& point : points) {
    point = inSinglePrecision(scale * Vec3(rotation * Vec3(point.cwiseProduct(thin)) + shift));
    for (int axis = 0; isNoisy && axis < 3; ++axis)
      if (draw.chance(3))
        point[axis] = std::nextafter(static_cast<float>(point[axis]), draw.chance(2) ? 1e30f : -1e30f);
  }
  return points;
}

/// The longest side of a box around them.
double sizeOf(const Points& points) {
  Vec3 low = points.front(), high = low;
  for (const Vec3& point : points) {
    low = low.cwiseMin(point);
    high = high.cwiseMax(point);
  }
  return (high - low).maxCoeff();
}

/// The same shaft everywhere: turned and shifted, in single precision.
Points turnedShaft(int sides) {
  Points points;
  for (const double z : {-0.06, 0.06}) addRing(points, sides, 0.05, z);
  const Quaternion rotation =
      Quaternion(Eigen::AngleAxisd(0.3, Vec3::UnitZ()) * Eigen::AngleAxisd(0.2, Vec3::UnitY()) *
                 Eigen::AngleAxisd(0.1, Vec3::UnitX()));
  for (Vec3& point : points) point = inSinglePrecision(rotation * point + Vec3(0.1, 0.2, 0.3));
  return points;
}

/// A binary STL. @param triangles  of the points
QByteArray stlOf(const Points& points, const std::vector<std::array<int, 3>>& triangles) {
  QByteArray text(80, ' ');
  const auto add = [&text](const auto& value) {
    text.append(reinterpret_cast<const char*>(&value), sizeof value);
  };
  add(static_cast<std::uint32_t>(triangles.size()));
  for (const auto& triangle : triangles) {
    for (int k = 0; k < 3; ++k) add(0.0f);
    for (const int corner : triangle)
      for (int axis = 0; axis < 3; ++axis) add(static_cast<float>(points[corner][axis]));
    add(static_cast<std::uint16_t>(0));
  }
  return text;
}

}  // namespace

/// Hulls of points as files have them: nearly flat, in single precision, with doubled corners.
class ConvexHullTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void everyHullIsClosedAndHoldsItsPoints_data();
  void everyHullIsClosedAndHoldsItsPoints();
  void aTurnedShaftKeepsItsFaces_data();
  void aTurnedShaftKeepsItsFaces();
  void facesAreFlatAndConvex();
  void doubledCornersAreOne();
  void cornersOnEdgesAndFacesAreLeftOut();
  void whatIsFlatInSinglePrecisionHasNoHull();
  void theOrderOfPointsDoesNotMatter();
  void tenThousandPointsOnASphereAreAllCorners();
  void aTurnedShaftIsConvexAndADentIsNot();
};

void ConvexHullTest::everyHullIsClosedAndHoldsItsPoints_data() {
  QTest::addColumn<int>("kind");
  int kind = 0;
  for (const char* name : {"prism", "shaft", "cone", "dome", "box with rounds", "plate", "sphere",
                           "chamfered", "gridded", "cloud"})
    QTest::newRow(name) << kind++;
}

void ConvexHullTest::everyHullIsClosedAndHoldsItsPoints() {
  QFETCH(int, kind);
  using Solid = Points (*)(Draw&);
  constexpr Solid kSolids[] = {prism, shaft,  cone,      dome,    boxWithRounds,
                               plate, sphere, chamfered, gridded, cloud};
  for (unsigned seed = 0; seed < 25; ++seed) {
    Draw draw(seed);
    const Points points = asFiled(kSolids[kind](draw), draw);
    const double size = sizeOf(points);
    Polytope hull;
    const std::string problem = convexHull(points, hull);
    const QString where = QStringLiteral("seed %1: ").arg(seed);
    QVERIFY2(problem.empty(), qPrintable(where + problem.c_str()));
    QVERIFY2(hull.vertices.size() + hull.faces.size() == hull.edges.size() + 2, qPrintable(where));
    const TriangleMesh surface = triangulated(hull);
    QVERIFY2(surface.closed && surface.normals.size() == surface.triangles.size(), qPrintable(where));
    double outside = 0;
    for (const Polytope::Face& face : hull.faces)
      for (const Vec3& point : points) outside = std::max(outside, face.normal.dot(point) - face.offset);
    QVERIFY2(outside <= 4 * 0x1p-24 * size,
             qPrintable(where + QString::number(outside / size * 0x1p24) + " ulp outside"));
  }
}

void ConvexHullTest::aTurnedShaftKeepsItsFaces_data() {
  QTest::addColumn<int>("sides");
  for (const int sides : {3, 24, 48, 96, 256}) QTest::addRow("%d", sides) << sides;
}

void ConvexHullTest::aTurnedShaftKeepsItsFaces() {
  QFETCH(int, sides);
  Polytope hull;
  QCOMPARE(QString::fromStdString(convexHull(turnedShaft(sides), hull)), QString());
  QCOMPARE(countOf(hull.vertices), 2 * sides);
  QCOMPARE(countOf(hull.faces), sides + 2);
  // n/2 r² sin(2π/n) h.
  const double volume = 0.5 * sides * 0.05 * 0.05 * std::sin(2 * M_PI / sides) * 0.12;
  QVERIFY_NEAR(massProperties(triangulated(hull)).volume, volume, 1e-6 * volume);
}

void ConvexHullTest::facesAreFlatAndConvex() {
  for (const auto& solid : {shaft, dome, boxWithRounds, gridded})
    for (unsigned seed = 0; seed < 10; ++seed) {
      Draw draw(seed);
      const Points points = asFiled(solid(draw), draw);
      // Rounding of a coordinate is half a step at the largest one, and there are three.
      double largest = 0;
      for (const Vec3& point : points) largest = std::max(largest, point.cwiseAbs().maxCoeff());
      const double precision = 4 * 0x1p-24 * largest;
      Polytope hull;
      QVERIFY(convexHull(points, hull).empty());
      for (const Polytope::Face& face : hull.faces)
        for (std::size_t k = 0; k < face.vertices.size(); ++k) {
          const auto corner = [&](std::size_t index) {
            return hull.vertices[face.vertices[index % face.vertices.size()]];
          };
          QVERIFY(face.offset - face.normal.dot(corner(k)) <= precision);
          const Vec3 chord = corner(k + 2) - corner(k);
          QVERIFY(face.normal.dot(chord.cross(corner(k + 1) - corner(k))) <= precision * chord.norm());
        }
    }
}

void ConvexHullTest::doubledCornersAreOne() {
  Points points;
  for (int corner = 0; corner < 8; ++corner)
    for (int copy = 0; copy < 8; ++copy) {
      Vec3 point(corner & 1, corner >> 1 & 1, corner >> 2);
      for (int axis = 0; axis < 3; ++axis)
        if (copy >> axis & 1) point[axis] = std::nextafter(static_cast<float>(point[axis]), 0.5f);
      points.push_back(point);
    }
  Polytope hull;
  QVERIFY(convexHull(points, hull).empty());
  QCOMPARE(hull.vertices.size(), std::size_t(8));
  QCOMPARE(hull.faces.size(), std::size_t(6));
}

void ConvexHullTest::cornersOnEdgesAndFacesAreLeftOut() {
  for (unsigned seed = 0; seed < 20; ++seed) {
    Draw draw(seed);
    Points points = gridded(draw);
    const Quaternion rotation = anyRotation(draw);
    for (Vec3& point : points) point = inSinglePrecision(rotation * point);
    Polytope hull;
    QVERIFY(convexHull(points, hull).empty());
    QCOMPARE(hull.vertices.size(), std::size_t(8));
    QCOMPARE(hull.faces.size(), std::size_t(6));
  }
}

void ConvexHullTest::whatIsFlatInSinglePrecisionHasNoHull() {
  Draw draw(5);
  const Quaternion rotation = anyRotation(draw);
  Points sheet;
  addRing(sheet, 64, 1, 0);
  for (Vec3& point : sheet) point = inSinglePrecision(rotation * point);
  Polytope hull;
  QVERIFY(convexHull(sheet, hull).find("no convex hull with volume") != std::string::npos);
  QVERIFY(!convexHull({{1, 1, 1}, {1, 1, 1}, {1, 1, 1}, {1, 1, 1}}, hull).empty());
  QVERIFY(!convexHull({{0, 0, 0}, {1, 1, 1}, {2, 2, 2}, {3, 3, 3}}, hull).empty());
}

void ConvexHullTest::theOrderOfPointsDoesNotMatter() {
  Points points = turnedShaft(48), backwards = points;
  std::reverse(backwards.begin(), backwards.end());
  Polytope hull, other;
  QVERIFY(convexHull(points, hull).empty() && convexHull(backwards, other).empty());
  QCOMPARE(hull.vertices.size(), other.vertices.size());
  QCOMPARE(hull.faces.size(), other.faces.size());
  for (std::size_t vertex = 0; vertex < hull.vertices.size(); ++vertex)
    QVERIFY(hull.vertices[vertex] == points[vertex]);  // in the order of the points
}

void ConvexHullTest::tenThousandPointsOnASphereAreAllCorners() {
  Points points;
  for (int k = 0; k < 10'000; ++k) {  // a spiral with equal areas
    const double z = 1 - (2 * k + 1) / 10'000.0, angle = k * M_PI * (3 - std::sqrt(5.0));
    points.emplace_back(std::sqrt(1 - z * z) * std::cos(angle), std::sqrt(1 - z * z) * std::sin(angle), z);
  }
  Polytope hull;
  QVERIFY(convexHull(points, hull).empty());
  QCOMPARE(hull.vertices.size(), points.size());
  QVERIFY_NEAR(massProperties(triangulated(hull)).volume, 4 * M_PI / 3, 3e-3);
}

void ConvexHullTest::aTurnedShaftIsConvexAndADentIsNot() {
  const int sides = 48;
  Points points = turnedShaft(sides);
  // A corner in the middle of the upper end, which can be pushed in.
  Vec3 middle = Vec3::Zero();
  for (int k = 0; k < sides; ++k) middle += points[sides + k] / sides;
  points.push_back(inSinglePrecision(middle));
  std::vector<std::array<int, 3>> triangles;
  for (int k = 0; k < sides; ++k) {
    const int next = (k + 1) % sides;
    triangles.push_back({k, next, sides + next});
    triangles.push_back({k, sides + next, sides + k});
    triangles.push_back({2 * sides, sides + k, sides + next});
    if (k > 0 && k + 1 < sides) triangles.push_back({0, next, k});
  }
  test::SceneFolder folder;
  const auto noteOf = [&](const char* kind) {
    folder.write("shaft.stl", stlOf(points, triangles));
    const auto scene = folder.load(QByteArray(R"({"name": "shaft", "shape": {"type": ")") + kind +
                                   R"(", "file": "shaft.stl"}})");
    return std::make_pair(scene->bodies[0].shape->pieces.size(), scene->bodies[0].mass);
  };
  // 24 r² sin(2π/48) h at 1000 kg/m³.
  const auto [pieces, mass] = noteOf("mesh");
  QCOMPARE(pieces, std::size_t(1));
  QVERIFY_NEAR(mass, 0.93973, 1e-4);
  QCOMPARE(noteOf("hull").first, std::size_t(1));
  // 1 % of its length inwards.
  points.back() = inSinglePrecision(middle + 0.01 * Vec3(points[0] - points[sides]));
  QCOMPARE(noteOf("mesh").first, std::size_t(0));
}

QTEST_APPLESS_MAIN(ConvexHullTest)
#include "tst_convex_hull.moc"
