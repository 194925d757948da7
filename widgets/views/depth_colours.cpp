#include "widgets/views/depth_colours.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>
#include <utility>

#include "core/geometry/aabb.h"
#include "core/math/count.h"
#include "core/record/placed_surface.h"
#include "core/scene/scale.h"

namespace touchstone {

namespace {

/// Colours at t = 0, 0.25, … 1. Their distances ΔE from the first are 0, 21, 41, 65 and 75.
constexpr QRgb kRamp[] = {0xB4BCC6, 0x84A6CF, 0x7880C8, 0x9058B8, 0xA80058};

/// Numbers of connected parts of a triangle mesh, by triangle.
std::vector<int> partsOf(std::size_t vertices, const std::vector<std::array<int, 3>>& triangles) {
  std::vector<int> parent(vertices);
  std::iota(parent.begin(), parent.end(), 0);
  const auto rootOf = [&parent](int vertex) {
    while (parent[vertex] != vertex) vertex = parent[vertex] = parent[parent[vertex]];
    return vertex;
  };
  for (const auto& triangle : triangles)
    for (int corner : {triangle[1], triangle[2]}) parent[rootOf(corner)] = rootOf(triangle[0]);
  std::vector<int> parts;
  for (const auto& triangle : triangles) parts.push_back(rootOf(triangle[0]));
  return parts;
}

/// The least width of each part across one of its triangles [m], by the number of the part.
std::map<int, double> widthsOf(const Overlap& overlap, const std::vector<int>& parts) {
  std::map<int, std::vector<const std::array<int, 3>*>> trianglesOf;
  for (std::size_t triangle = 0; triangle < parts.size(); ++triangle)
    trianglesOf[parts[triangle]].push_back(&overlap.triangles[triangle]);
  std::map<int, double> widths;
  for (const auto& [part, triangles] : trianglesOf) {
    double least = std::numeric_limits<double>::infinity();
    for (const auto* face : triangles) {
      const Vec3 &a = overlap.vertices[(*face)[0]], &b = overlap.vertices[(*face)[1]],
                 &c = overlap.vertices[(*face)[2]];
      const Vec3 normal = (b - a).cross(c - a);
      if (!(normal.norm() > 0)) continue;
      double width = 0;
      for (const auto* other : triangles)
        for (int corner : *other)
          width = std::max(width, std::abs(normal.dot(overlap.vertices[corner] - a)) / normal.norm());
      least = std::min(least, width);
    }
    widths[part] = std::isfinite(least) ? least : 0;
  }
  return widths;
}

void addSurface(const Overlap& overlap, std::vector<DepthPlace>& places) {
  const std::vector<int> parts = partsOf(overlap.vertices.size(), overlap.triangles);
  std::map<int, double> widths = widthsOf(overlap, parts);
  double widest = 0;
  for (const auto& [part, width] : widths) widest = std::max(widest, width);
  for (std::size_t triangle = 0; triangle < parts.size(); ++triangle) {
    const auto& face = overlap.triangles[triangle];
    const double share = widest > 0 ? widths[parts[triangle]] / widest : 1;
    places.push_back({{overlap.vertices[face[0]], overlap.vertices[face[1]], overlap.vertices[face[2]]},
                      share * overlap.depth});
  }
}

using Pair = std::pair<int, int>;
Pair pairOf(int a, int b) { return {std::min(a, b), std::max(a, b)}; }

void addContacts(const Overlap& overlap, const std::vector<const Contact*>& contacts,
                 std::vector<DepthPlace>& places) {
  double deepest = 0;
  for (const Contact* contact : contacts) deepest = std::max(deepest, -contact->gap);
  for (const Contact* contact : contacts) {
    // Without a gap below 0 nothing tells which of them are where the bodies overlap.
    if (deepest > 0 && !(contact->gap < 0)) continue;
    const double depth = deepest > 0 ? -contact->gap / deepest * overlap.depth : overlap.depth;
    for (const Vec3& point : {contact->pointA, contact->pointB})
      places.push_back({{point, point, point}, depth});
  }
}

Aabb boxOf(const Scene& scene, const StepRecord& record, int body) {
  Aabb box;
  const int surfaces = countOf(scene.bodies[body].shape->surfaces);
  for (int surface = 0; surface < surfaces; ++surface)
    for (const Vec3& point : placedSurface(scene, record, body, surface)) box.add(point);
  return box;
}

double distanceTo(const Vec3& point, const std::array<Vec3, 3>& corners) {
  const auto toSegment = [&point](const Vec3& start, const Vec3& end) {
    const Vec3 along = end - start;
    const double length = along.squaredNorm();
    const double part = length > 0 ? std::clamp(along.dot(point - start) / length, 0.0, 1.0) : 0;
    return (start + part * along - point).norm();
  };
  const Vec3 normal = (corners[1] - corners[0]).cross(corners[2] - corners[0]);
  if (normal.squaredNorm() > 0) {
    bool isInside = true;
    for (int corner = 0; corner < 3; ++corner) {
      const Vec3 edge = corners[(corner + 1) % 3] - corners[corner];
      isInside = isInside && edge.cross(point - corners[corner]).dot(normal) >= 0;
    }
    if (isInside) return std::abs(normal.dot(point - corners[0])) / normal.norm();
  }
  return std::min({toSegment(corners[0], corners[1]), toSegment(corners[1], corners[2]),
                   toSegment(corners[2], corners[0])});
}

bool isPlane(const Scene& scene, int body) { return scene.bodies[body].shape->kind == Shape::Kind::Plane; }

}  // namespace

QColor bodyGrey(Motion motion) {
  return motion == Motion::Static ? QColor(0xC9, 0xCE, 0xD4) : QColor(kRamp[0]);
}

QColor contactColour(ContactGlyph glyph) {
  constexpr QRgb kColours[] = {0xF0F0F0, 0x3399FF, 0xFFB000, 0x00C090, 0xE62E6B};
  return QColor(kColours[static_cast<int>(glyph)]);
}

double DepthScale::at(double depth) const {
  if (!(depth > threshold)) return 0;
  if (!(maximum > threshold)) return 1;
  return std::min(1.0, std::log(depth / threshold) / std::log(maximum / threshold));
}

double depthThreshold(const Scene& scene) {
  // A larger value hides real overlaps; a smaller one colours what solvers leave.
  constexpr double kShare = 1e-6;
  return kShare * lengthOf(scene);
}

QColor depthColour(double t) {
  constexpr int kLast = static_cast<int>(std::size(kRamp)) - 1;
  const double position = std::clamp(t, 0.0, 1.0) * kLast;
  const int below = std::min(static_cast<int>(position), kLast - 1);
  const double part = position - below;
  const QColor low(kRamp[below]), high(kRamp[below + 1]);
  const auto mix = [part](double a, double b) { return a + part * (b - a); };
  return QColor::fromRgbF(mix(low.redF(), high.redF()), mix(low.greenF(), high.greenF()),
                          mix(low.blueF(), high.blueF()));
}

double overlapOpacity(const DepthScale& scale, double depth) {
  if (!(depth > scale.threshold)) return 0;
  // Larger values let a sliver look like a deep overlap; smaller ones hide it.
  constexpr double kPerDecade = 0.15, kMost = 0.85;
  return std::min(kMost, kPerDecade * (1 + std::floor(std::log10(depth / scale.threshold))));
}

std::vector<BodyPlaces> depthPlaces(const Scene& scene, const StepRecord& record, double threshold) {
  std::vector<BodyPlaces> ofBodies(scene.bodies.size());
  const int count = countOf(scene.bodies);
  std::map<Pair, std::vector<const Contact*>> contactsOf;
  const bool needsContacts = std::any_of(record.overlaps.begin(), record.overlaps.end(),
                                         [](const Overlap& overlap) { return overlap.triangles.empty(); });
  if (needsContacts)
    for (const Contact& contact : record.contacts)
      contactsOf[pairOf(contact.bodyA, contact.bodyB)].push_back(&contact);
  for (const Overlap& overlap : record.overlaps) {
    const int a = overlap.bodyA, b = overlap.bodyB;
    if (!(overlap.depth > threshold) || a < 0 || b < 0 || a >= count || b >= count) continue;
    if (isPlane(scene, a) || isPlane(scene, b)) {
      ofBodies[isPlane(scene, a) ? b : a].planes.push_back(isPlane(scene, a) ? a : b);
      continue;
    }
    std::vector<DepthPlace> places;
    if (!overlap.triangles.empty()) {
      addSurface(overlap, places);
    } else if (const auto known = contactsOf.find(pairOf(a, b)); known != contactsOf.end()) {
      addContacts(overlap, known->second, places);
    }
    if (places.empty()) {
      const Aabb first = boxOf(scene, record, a), second = boxOf(scene, record, b);
      const Vec3 low = first.low.cwiseMax(second.low), high = first.high.cwiseMin(second.high),
                 middle = 0.5 * (low + high);
      places.push_back({{middle, middle, middle}, overlap.depth});
      for (int corner = 0; corner < 8; ++corner) {
        Vec3 place;
        for (int axis = 0; axis < 3; ++axis) place[axis] = (corner >> axis & 1) == 0 ? low[axis] : high[axis];
        places.push_back({{place, place, place}, overlap.depth});
      }
    }
    for (int body : {a, b})
      if (scene.bodies[body].motion == Motion::Dynamic && (body == a || a != b))
        ofBodies[body].places.insert(ofBodies[body].places.end(), places.begin(), places.end());
  }
  return ofBodies;
}

std::vector<double> depthsAt(const std::vector<Vec3>& points, double reach, const BodyPlaces& places,
                             const Scene& scene, const DepthScale& scale) {
  std::vector<double> values(points.size(), 0.0);
  std::vector<DepthPlace> shown = places.places;
  for (int plane : places.planes) {
    const Body& body = scene.bodies[plane];
    const Vec3 normal = body.orientation * body.shape->planeNormal;
    std::vector<DepthPlace> below;
    for (std::size_t k = 0; k < points.size(); ++k) {
      const double depth = normal.dot(body.position - points[k]);
      values[k] = std::max(values[k], scale.at(depth));
      if (depth > scale.threshold) below.push_back({{points[k], points[k], points[k]}, depth});
    }
    // Points of a fine surface are near enough to each other to show a place without its surroundings.
    constexpr std::size_t kMostBelow = 300;
    if (below.size() <= kMostBelow) shown.insert(shown.end(), below.begin(), below.end());
  }
  for (const DepthPlace& place : shown) {
    const double value = scale.at(place.depth);
    if (!(value > 0)) continue;
    const Vec3 low = place.corners[0].cwiseMin(place.corners[1]).cwiseMin(place.corners[2]) -
                     Vec3::Constant(reach),
               high = place.corners[0].cwiseMax(place.corners[1]).cwiseMax(place.corners[2]) +
                      Vec3::Constant(reach);
    bool isShown = false;
    double nearest = std::numeric_limits<double>::infinity();
    std::size_t nearestPoint = points.size();
    for (std::size_t k = 0; k < points.size(); ++k) {
      const Vec3& point = points[k];
      if (!isShown) {  // as far as it is not certain that a point is in reach
        const double distance = (point - place.corners[0]).squaredNorm();
        if (distance < nearest) nearestPoint = k;
        nearest = std::min(nearest, distance);
      }
      if ((point.array() < low.array()).any() || (point.array() > high.array()).any()) continue;
      const double distance = distanceTo(point, place.corners);
      if (distance >= reach) continue;
      isShown = true;
      values[k] = std::max(values[k], value * std::min(1.0, 1.5 * (1 - distance / reach)));
    }
    if (!isShown && nearestPoint < points.size())
      values[nearestPoint] = std::max(values[nearestPoint], value);
  }
  return values;
}

}  // namespace touchstone
