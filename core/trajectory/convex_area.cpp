#include "core/trajectory/convex_area.h"

#include <Eigen/Core>
#include <algorithm>
#include <cmath>

namespace touchstone {

namespace {

using Flat = Eigen::Matrix<double, 2, 1, Eigen::DontAlign>;

double cross(const Flat& a, const Flat& b) { return a.x() * b.y() - a.y() * b.x(); }

/// Counter-clockwise (Andrew 1979); of points on a line both ends, of equal ones one.
std::vector<Flat> hullOf(std::vector<Flat> points) {
  std::sort(points.begin(), points.end(),
            [](const Flat& a, const Flat& b) { return a.x() != b.x() ? a.x() < b.x() : a.y() < b.y(); });
  points.erase(std::unique(points.begin(), points.end()), points.end());
  if (points.size() < 3) return points;
  std::vector<Flat> hull;
  hull.reserve(points.size() + 1);
  const auto extend = [&hull](const Flat& point, std::size_t least) {
    while (hull.size() >= least && cross(hull.back() - hull[hull.size() - 2], point - hull.back()) <= 0)
      hull.pop_back();
    hull.push_back(point);
  };
  for (const Flat& point : points) extend(point, 2);
  const std::size_t lower = hull.size() + 1;
  for (auto point = points.rbegin() + 1; point != points.rend(); ++point) extend(*point, lower);
  hull.pop_back();
  return hull;
}

/// The part of a convex polygon, line or point to the left of the line from `tail` to `head`.
std::vector<Flat> clipped(const std::vector<Flat>& subject, const Flat& tail, const Flat& head,
                          double slack) {
  std::vector<Flat> kept;
  const auto height = [&](const Flat& p) {
    return cross(head - tail, p - tail) / (head - tail).norm() + slack;
  };
  for (std::size_t k = 0; k < subject.size(); ++k) {
    const Flat &p = subject[k], &next = subject[(k + 1) % subject.size()];
    const double a = height(p), b = height(next);
    if (a >= 0) kept.push_back(p);
    const bool isEdge = subject.size() > 2 || (subject.size() == 2 && k == 0);
    if (isEdge && (a >= 0) != (b >= 0)) kept.push_back(p + a / (a - b) * (next - p));
  }
  return kept;
}

double toSegment(const Flat& point, const Flat& a, const Flat& b) {
  const double square = (b - a).squaredNorm();
  const double share = square > 0 ? std::clamp((point - a).dot(b - a) / square, 0.0, 1.0) : 0;
  return (point - a - share * (b - a)).norm();
}

}  // namespace

Tangents tangentsOf(const Vec3& normal) {
  const Vec3 off = std::abs(normal.x()) < 0.6 ? Vec3(1, 0, 0) : Vec3(0, 1, 0);
  const Vec3 first = (off - normal.dot(off) * normal).normalized();
  return {first, normal.cross(first)};
}

std::vector<Vec3> commonArea(const std::vector<Vec3>& a, const std::vector<Vec3>& b, const Vec3& normal) {
  const Tangents axes = tangentsOf(normal);
  const auto flattened = [&](const std::vector<Vec3>& points) {
    std::vector<Flat> flat;
    for (const Vec3& point : points) flat.push_back(Flat(axes.first.dot(point), axes.second.dot(point)));
    return hullOf(flat);
  };
  std::vector<Flat> subject = flattened(a), clip = flattened(b);
  const double height = normal.dot((a.empty() ? b : a).front());
  if (subject.size() > clip.size()) std::swap(subject, clip);
  if (subject.empty()) {
    subject = clip;
  } else {
    const auto mean = [](const std::vector<Flat>& points) {
      Flat sum = Flat::Zero();
      for (const Flat& point : points) sum += point;
      return Flat(sum / static_cast<double>(points.size()));
    };
    const Flat between = 0.5 * (mean(subject) + mean(clip));
    double size = 0;
    for (const Flat& point : clip) size = std::max(size, (point - clip.front()).norm());
    // Share of the size that rounding may take from two edges that lie on each other.
    constexpr double kRounding = 1e-9;
    if (clip.size() == 2) {  // two lines: where they cross
      const Flat u = subject.back() - subject.front(), v = clip[1] - clip[0];
      const double turn = cross(u, v);
      if (subject.size() == 2 && std::abs(turn) > kRounding * u.norm() * v.norm())
        subject = {subject[0] + cross(clip[0] - subject[0], v) / turn * u};
    }
    for (std::size_t k = 0; clip.size() > 2 && k < clip.size(); ++k)
      subject = clipped(subject, clip[k], clip[(k + 1) % clip.size()], kRounding * size);
    if (subject.empty()) subject = {between};
  }
  std::vector<Vec3> area;
  for (const Flat& point : subject)
    area.push_back(point.x() * axes.first + point.y() * axes.second + height * normal);
  return area;
}

double distanceFromHull(const Vec3& point, const std::vector<Vec3>& others, const Vec3& normal) {
  const Tangents axes = tangentsOf(normal);
  const auto flattened = [&](const Vec3& p) { return Flat(axes.first.dot(p), axes.second.dot(p)); };
  std::vector<Flat> flat;
  flat.reserve(others.size());
  for (const Vec3& other : others) flat.push_back(flattened(other));
  const std::vector<Flat> hull = hullOf(flat);
  if (hull.empty()) return NAN;
  const Flat p = flattened(point);
  bool isInside = hull.size() > 2;
  double nearest = HUGE_VAL;
  for (std::size_t k = 0; k < hull.size(); ++k) {
    const Flat &a = hull[k], &b = hull[(k + 1) % hull.size()];
    isInside = isInside && cross(b - a, p - a) >= 0;
    nearest = std::min(nearest, toSegment(p, a, b));
  }
  return isInside ? 0 : nearest;
}

}  // namespace touchstone
