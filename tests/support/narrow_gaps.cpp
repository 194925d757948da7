#include "tests/support/narrow_gaps.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <random>
#include <utility>
#include <vector>

#include "core/geometry/convex_hull.h"
#include "core/geometry/mass_properties.h"
#include "core/geometry/polytope_overlap.h"
#include "tests/support/scenes.h"

namespace touchstone::test {

namespace {

constexpr double kDensity = 1000;  // kg/m³

/// A number in [low, high), the same for a seed on every platform.
class Draw {
 public:
  Draw(int number, unsigned seed) : m_numbers(seed * 1009u + static_cast<unsigned>(number)) {}
  double operator()(double low, double high) {
    return low + (high - low) * (static_cast<double>(m_numbers()) / 4294967296.0);
  }
  Vec3 within(double size) { return Vec3((*this)(-size, size), (*this)(-size, size), (*this)(-size, size)); }
  Quaternion turn(double most) {
    return Quaternion(Eigen::AngleAxisd((*this)(-most, most), (within(1) + Vec3(0, 1e-3, 0)).normalized()));
  }

 private:
  std::mt19937 m_numbers;
};

/// The hull of points, with its centre of mass where the points have it.
Body solid(const char* name, const std::vector<Vec3>& points) {
  Polytope hull;
  if (!convexHull(points, hull).empty()) std::abort();
  const MassProperties mass = massProperties(triangulated(hull));
  std::vector<Vec3> centred;
  for (const Vec3& point : points) centred.push_back(point - mass.centre);
  if (!convexHull(centred, hull).empty()) std::abort();
  auto shape = std::make_shared<Shape>();
  shape->pieces.push_back(hull);
  shape->surfaces.push_back(triangulated(hull));
  for (const Vec3& vertex : hull.vertices) shape->radius = std::max(shape->radius, vertex.norm());
  Body body;
  body.name = name;
  body.shape = shape;
  body.volume = mass.volume;
  body.mass = kDensity * mass.volume;
  body.inertia = kDensity * mass.inertia;
  body.position = mass.centre;
  return body;
}

Body fixed(Body body) {
  body.motion = Motion::Static;
  body.mass = 0;
  body.inertia = Mat3::Zero();
  return body;
}

/// A pyramid whose tip is at the origin and whose base is at `height` (below it where that is negative).
std::vector<Vec3> tip(int sides, double radius, double height, double yaw) {
  std::vector<Vec3> points{Vec3(0, 0, 0)};
  for (int k = 0; k < sides; ++k) {
    const double angle = yaw + 2 * M_PI * k / sides;
    points.emplace_back(radius * std::cos(angle), height, radius * std::sin(angle));
  }
  return points;
}

/// A prism whose edge is the z axis, between ± half of the length. @param lean  of its base along x [m]
std::vector<Vec3> wedge(double width, double height, double length, double lean) {
  std::vector<Vec3> points;
  for (const double z : {-0.5 * length, 0.5 * length}) {
    points.emplace_back(0, 0, z);
    points.emplace_back(lean - 0.5 * width, height, z);
    points.emplace_back(lean + 0.5 * width, height, z);
  }
  return points;
}

/// The same points turned about the vertical axis, and moved.
std::vector<Vec3> moved(std::vector<Vec3> points, double yaw, const Vec3& at) {
  for (Vec3& point : points) point = Eigen::AngleAxisd(yaw, Vec3::UnitY()) * point + at;
  return points;
}

std::vector<Vec3> cuboid(const Vec3& low, const Vec3& high) {
  std::vector<Vec3> points;
  for (int corner = 0; corner < 8; ++corner)
    points.emplace_back(corner & 1 ? high.x() : low.x(), corner & 2 ? high.y() : low.y(),
                        corner & 4 ? high.z() : low.z());
  return points;
}

/// Lifts a body until it is apart from all others.
void raise(const std::vector<Body>& others, double apart, Body& body) {
  const auto placedOf = [](const Body& own) {
    return placed(own.shape->pieces[0], own.position, own.orientation);
  };
  const auto gap = [&] {
    double least = 1e300;
    for (const Body& other : others) least = std::min(least, separation(placedOf(other), placedOf(body)));
    return least;
  };
  while (gap() < 0.5 * apart) body.position.y() += 0.1 * apart;
}

}  // namespace

std::shared_ptr<const Scene> narrowGap(int number, unsigned seed) {
  Draw draw(number, seed);
  const auto kind = static_cast<GapKind>(number % static_cast<int>(GapKind::Count));
  const int sides = 3 + number / static_cast<int>(GapKind::Count) % 4;
  const double width = draw(0.3, 1.2), height = draw(0.3, 2), length = draw(0.3, 1.2), yaw = draw(0, M_PI),
               gap = draw(0.02, 0.2), lean = draw(-0.1, 0.1), apart = draw(1e-3, 2e-2);
  const auto wall = [&](double side, double top) {
    return cuboid(Vec3(side > 0 ? 0.5 * gap : -0.5 * gap - 0.5, -1, -1),
                  Vec3(side > 0 ? 0.5 * gap + 0.5 : -0.5 * gap, top, 1));
  };
  std::vector<std::vector<Vec3>> below;
  std::vector<Vec3> above;
  Vec3 at(0, apart, 0);  // of the tip or edge of the body that falls
  switch (kind) {
    case GapKind::TipOnTip:
      below = {tip(sides, 0.5 * width, -height, yaw)};
      above = tip(3 + (sides + 1) % 4, 0.5 * length, height, draw(0, M_PI));
      at += Vec3(draw(-0.01, 0.01), 0, draw(-0.01, 0.01));
      break;
    case GapKind::EdgeOnEdge:
      below = {wedge(width, -height, 1, lean)};
      // Every other pair of edges is nearly parallel.
      above = moved(wedge(length, height, 1, 0), sides % 2 ? draw(-0.02, 0.02) : yaw, Vec3::Zero());
      at += Vec3(draw(-0.01, 0.01), 0, draw(-0.3, 0.3));
      break;
    case GapKind::WedgeInGap:
      below = {wall(-1, 0), wall(1, draw(-0.02, 0.02))};
      above = moved(wedge(width, height, length, lean), draw(-0.2, 0.2), Vec3::Zero());
      at += Vec3(draw(-0.5, 0.5) * gap, 0, 0);
      break;
    case GapKind::TipBetweenTips:
      below = {moved(wedge(width, -height, 1, 0), 0, Vec3(-0.5 * gap, 0, 0)),
               moved(tip(sides, 0.5 * width, -height, yaw), 0, Vec3(0.5 * gap, 0, draw(-0.05, 0.05)))};
      above = tip(sides, 0.5 * length, height, yaw);
      at += Vec3(draw(-0.6, 0.6) * gap, 0, draw(-0.05, 0.05));
      break;
    case GapKind::WedgeInNotch: {
      // Two slopes that leave a slit at the bottom.
      const double slope = draw(0.3, 1.5);
      for (const double side : {-1.0, 1.0})
        below.push_back({Vec3(side * 0.05 * gap, -slope, -1), Vec3(side * 0.05 * gap, -slope, 1),
                         Vec3(side, 0, -1), Vec3(side, 0, 1), Vec3(side, -slope - 1, -1),
                         Vec3(side, -slope - 1, 1)});
      above = wedge(width * draw(0.2, 0.8), height, length, lean);
      at += Vec3(draw(-0.02, 0.02), -slope + gap, 0);
      break;
    }
    default:
      below = {wall(-1, 0), wall(1, draw(-0.3, 0.3))};
      above = moved(cuboid(Vec3(0, 0, 0), Vec3(width, 0.3, length)), yaw, Vec3::Zero());
      at += Vec3(draw(-1, 1) * gap, 0.3, draw(-0.1, 0.1));
      break;
  }
  std::vector<Body> bodies;
  for (const std::vector<Vec3>& points : below)
    bodies.push_back(fixed(solid(bodies.empty() ? "below" : "beside", points)));
  Body falling = solid("above", above);
  const Quaternion turn = draw.turn(kind == GapKind::CornerOnEdge ? 0.8 : 0.1);
  falling.position = at + turn * falling.position;
  falling.orientation = turn;
  raise(bodies, apart, falling);
  falling.linearVelocity = Vec3(draw(-0.3, 0.3), -draw(0.5, 5), draw(-0.3, 0.3));
  falling.angularVelocity = draw.within(1);
  bodies.push_back(falling);
  auto own = std::make_shared<Scene>(*scene({}));
  own->bodies = bodies;
  own->dt = 0.01;
  own->size = 2;
  return own;
}

}  // namespace touchstone::test
