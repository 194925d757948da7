#include "core/shape/primitives.h"

#include <array>
#include <cmath>
#include <map>

namespace touchstone {

namespace {

const double kGolden = (1 + std::sqrt(5.0)) / 2;

std::vector<Vec3> scaledTo(std::vector<Vec3> points, double radius) {
  for (Vec3& point : points) point *= radius / point.norm();
  return points;
}

std::vector<Vec3> cyclic(double a, double b) {  // (0, ±a, ±b) and its cyclic permutations
  std::vector<Vec3> points;
  for (int axis = 0; axis < 3; ++axis)
    for (double sa : {-a, a})
      for (double sb : {-b, b}) {
        Vec3 point = Vec3::Zero();
        point[(axis + 1) % 3] = sa;
        point[(axis + 2) % 3] = sb;
        points.push_back(point);
      }
  return points;
}

}  // namespace

std::vector<Vec3> boxPoints(const Vec3& size) {
  std::vector<Vec3> points;
  for (int corner = 0; corner < 8; ++corner)
    points.push_back(0.5 * Vec3(corner & 1 ? size.x() : -size.x(), corner & 2 ? size.y() : -size.y(),
                                corner & 4 ? size.z() : -size.z()));
  return points;
}

std::vector<Vec3> cylinderPoints(double radius, double height, int segments) {
  std::vector<Vec3> points;
  for (double y : {-height / 2, height / 2})
    for (int segment = 0; segment < segments; ++segment) {
      const double angle = 2 * M_PI * segment / segments;
      points.emplace_back(radius * std::cos(angle), y, radius * std::sin(angle));
    }
  return points;
}

std::vector<Vec3> spherePoints(double radius, int levels) {
  std::vector<Vec3> points = scaledTo(cyclic(1, kGolden), 1);
  // The body is the hull of the points, so that no face list is needed to subdivide an icosahedron: the
  // midpoints of the closest pairs are the midpoints of the edges.
  double edge = 1.0514622242382672;  // of the icosahedron with circumradius 1
  for (int level = 0; level < levels; ++level) {
    const std::size_t count = points.size();
    double shortest = 2;
    for (std::size_t a = 0; a < count; ++a)
      for (std::size_t b = a + 1; b < count; ++b)
        if ((points[a] - points[b]).norm() < 1.3 * edge) {
          const Vec3 middle = (points[a] + points[b]).normalized();
          shortest = std::min(shortest, (middle - points[a]).norm());
          points.push_back(middle);
        }
    edge = shortest;
  }
  return scaledTo(points, radius);
}

std::vector<Vec3> capsulePoints(double radius, double length, int levels) {
  // Of the radius: corners on the equator belong to both halves. A larger value bends the side.
  constexpr double kOnEquator = 1e-9;
  std::vector<Vec3> points;
  for (const Vec3& point : spherePoints(radius, levels))
    for (double side : {-1.0, 1.0})
      if (side * point.y() >= -kOnEquator * radius) points.push_back(point + Vec3(0, 0.5 * side * length, 0));
  return points;
}

std::vector<Vec3> platonicPoints(const std::string& name, double radius) {
  if (name == "tetrahedron")
    return scaledTo({Vec3(1, 1, 1), Vec3(1, -1, -1), Vec3(-1, 1, -1), Vec3(-1, -1, 1)}, radius);
  if (name == "cube") return scaledTo(boxPoints(Vec3(1, 1, 1)), radius);
  if (name == "octahedron")
    return scaledTo(
        {Vec3(1, 0, 0), Vec3(-1, 0, 0), Vec3(0, 1, 0), Vec3(0, -1, 0), Vec3(0, 0, 1), Vec3(0, 0, -1)},
        radius);
  if (name == "icosahedron") return scaledTo(cyclic(1, kGolden), radius);
  if (name == "dodecahedron") {
    std::vector<Vec3> points = boxPoints(Vec3(2, 2, 2));
    for (const Vec3& point : cyclic(1 / kGolden, kGolden)) points.push_back(point);
    return scaledTo(points, radius);
  }
  return {};
}

}  // namespace touchstone
