#include "core/shape/polygon_collector.h"

#include <Eigen/Geometry>
#include <algorithm>

#include "core/files/scene_error.h"
#include "core/math/count.h"
#include "core/shape/mesh_file.h"

namespace touchstone {

namespace {

// Largest number of corners of one polygon. The cost of cutting ears is cubic in it: a larger value makes
// loading slow, a smaller one refuses more files.
constexpr std::size_t kMaxCorners = 1000;
// [m] As kLargestComponent of JsonView: products of larger coordinates lose all digits; a smaller value
// refuses large scenes.
constexpr double kLargestCoordinate = 1e9;

}  // namespace

void PolygonCollector::add(std::size_t cornerCount,
                           const std::function<PolygonCorner(std::size_t)>& cornerAt) {
  if (cornerCount < 3) return;
  requireCapacity(cornerCount);
  std::vector<int> corners;
  for (std::size_t corner = 0; corner < cornerCount; ++corner) corners.push_back(number(cornerAt(corner)));
  cutIntoTriangles(corners);
}

void PolygonCollector::requireCapacity(std::size_t corners) const {
  if (corners > kMaxCorners) fail("is part of a polygon of more than 1000 corners");
  if (m_mesh.triangles.size() + corners - 2 > kMostTriangles)
    throw SceneError(m_path, "", "has more than 2 million triangles", "simplify the mesh");
}

/// Cuts a polygon into triangles, one ear after the other. An ear is a corner that is convex about the
/// polygon's normal and whose triangle contains no other corner. The triangulation of the library crashes on
/// some malformed files.
void PolygonCollector::cutIntoTriangles(std::vector<int> corners) {
  Vec3 normal = Vec3::Zero();
  for (std::size_t k = 1; k + 1 < corners.size(); ++k)
    normal += (at(corners[k]) - at(corners[0])).cross(at(corners[k + 1]) - at(corners[0]));
  while (corners.size() > 3) {
    const std::size_t count = corners.size();
    std::size_t ear = 0;
    while (ear < count && !isEar(corners, ear, normal)) ++ear;
    if (ear == count) fail("is part of a polygon that crosses itself or has no area");
    m_mesh.triangles.push_back({corners[ear], corners[(ear + 1) % count], corners[(ear + 2) % count]});
    corners.erase(corners.begin() + static_cast<std::ptrdiff_t>((ear + 1) % count));
  }
  m_mesh.triangles.push_back({corners[0], corners[1], corners[2]});
}

/// True if the corner after `first` is an ear.
bool PolygonCollector::isEar(const std::vector<int>& corners, std::size_t first, const Vec3& normal) const {
  const std::size_t count = corners.size();
  const int a = corners[first], b = corners[(first + 1) % count], c = corners[(first + 2) % count];
  const auto side = [&](int tail, int head, int point) {
    return (at(head) - at(tail)).cross(at(point) - at(tail)).dot(normal);
  };
  if (!(side(a, b, c) > 0)) return false;
  return std::none_of(corners.begin(), corners.end(), [&](int corner) {
    return corner != a && corner != b && corner != c && side(a, b, corner) >= 0 && side(b, c, corner) >= 0 &&
           side(c, a, corner) >= 0;
  });
}

/// The number of a corner: that of the vertex at the same place, or the next one.
int PolygonCollector::number(const PolygonCorner& corner) {
  // Adding zero turns −0 into 0, so that both are one vertex.
  const std::array<double, 3> key = {m_scale * corner[0] + 0.0, m_scale * corner[1] + 0.0,
                                     m_scale * corner[2] + 0.0};
  const Vec3 point(key[0], key[1], key[2]);
  if (!isWithin(point, kLargestCoordinate)) fail("has a corner that is not finite or beyond 1e9 m");
  const auto inserted = m_numbers.insert({key, countOf(m_mesh.vertices)});
  if (inserted.second) m_mesh.vertices.push_back(point);
  return inserted.first->second;
}

void PolygonCollector::fail(const std::string& problem) const {
  throw SceneError(m_path, "triangles[" + std::to_string(m_mesh.triangles.size()) + "]", problem,
                   "repair the mesh");
}

}  // namespace touchstone
