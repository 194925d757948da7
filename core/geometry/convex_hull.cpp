#include "core/geometry/convex_hull.h"

extern "C" {
#include <libqhull_r/qhull_ra.h>
}

#include <algorithm>
#include <cmath>
#include <map>

namespace touchstone {

namespace {

struct Facet {
  std::array<int, 3> points;
  Vec3 normal;
};

/// Triangulated facets of the hull from Qhull ("Qt": merged facets come as triangles with one normal).
std::string rawFacets(const std::vector<Vec3>& points, std::vector<Facet>& facets) {
  std::vector<double> coordinates;
  for (const Vec3& point : points) coordinates.insert(coordinates.end(), point.data(), point.data() + 3);
  qhT context;
  qhT* qh = &context;
  QHULL_LIB_CHECK
  std::FILE* silent = std::fopen("/dev/null", "w");
  qh_zero(qh, silent);
  char flags[] = "qhull Qt";
  const int error =
      qh_new_qhull(qh, 3, static_cast<int>(points.size()), coordinates.data(), False, flags, nullptr, silent);
  if (!error) {
    facetT* facet;
    FORALLfacets {
      Facet out{{-1, -1, -1}, Vec3(facet->normal[0], facet->normal[1], facet->normal[2])};
      int corner = 0;
      vertexT *vertex, **vertexp;
      FOREACHvertex_(facet->vertices) if (corner < 3) out.points[corner++] = qh_pointid(qh, vertex->point);
      facets.push_back(out);
    }
  }
  qh_freeqhull(qh, qh_ALL);
  int remaining, total;
  qh_memfreeshort(qh, &remaining, &total);
  if (silent) std::fclose(silent);
  return error
             ? "the points have no convex hull with volume (they lie in one plane, or within rounding of it)"
             : "";
}

/// Points of one face in counter-clockwise order about its normal.
std::vector<int> ordered(const std::vector<Vec3>& points, std::vector<int> face, const Vec3& normal) {
  Vec3 centre = Vec3::Zero(), u, w;
  for (int point : face) centre += points[point] / static_cast<double>(face.size());
  tangentBasis(normal, u, w);
  std::sort(face.begin(), face.end(), [&](int a, int b) {
    const Vec3 da = points[a] - centre, db = points[b] - centre;
    return std::atan2(da.dot(w), da.dot(u)) < std::atan2(db.dot(w), db.dot(u));
  });
  std::rotate(face.begin(), std::min_element(face.begin(), face.end()), face.end());
  return face;
}

}  // namespace

std::string convexHull(const std::vector<Vec3>& points, Polytope& hull) {
  if (points.size() < 4) return "a convex hull needs at least four points";
  for (const Vec3& point : points)
    if (!point.allFinite()) return "a point is not finite";
  std::vector<Facet> facets;
  const std::string problem = rawFacets(points, facets);
  if (!problem.empty()) return problem;

  // Triangles of one plane become one face. The tolerance, a cosine, merges facets that Qhull split by
  // rounding: a value farther from 1 merges faces of different planes, 1 leaves faces in parts.
  constexpr double kSameNormal = 1 - 1e-12;
  std::vector<std::pair<Vec3, std::vector<int>>> faces;
  for (const Facet& facet : facets) {
    auto same = std::find_if(faces.begin(), faces.end(),
                             [&](const auto& face) { return face.first.dot(facet.normal) > kSameNormal; });
    if (same == faces.end()) same = faces.insert(faces.end(), {facet.normal, {}});
    for (int point : facet.points)
      if (!std::count(same->second.begin(), same->second.end(), point)) same->second.push_back(point);
  }

  std::map<int, int> number;  // point → vertex
  for (const auto& face : faces)
    for (int point : face.second) number[point] = 0;
  hull = Polytope();
  for (auto& [point, vertex] : number) {
    vertex = static_cast<int>(hull.vertices.size());
    hull.vertices.push_back(points[point]);
  }
  for (const auto& [normal, face] : faces) {
    std::vector<int> loop = ordered(points, face, normal);
    for (int& point : loop) point = number[point];
    hull.faces.push_back({loop, normal, 0});
  }
  std::sort(hull.faces.begin(), hull.faces.end(),
            [](const auto& a, const auto& b) { return a.vertices < b.vertices; });
  return buildTopology(hull);
}

}  // namespace touchstone
