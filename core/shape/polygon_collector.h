#pragma once

#include <array>
#include <cstddef>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "core/geometry/topology.h"

namespace touchstone {

/// A corner of a polygon in the units of its file. Formats of meshes hold single precision.
using PolygonCorner = std::array<float, 3>;

/// Collects polygons as triangles and joins vertices that are bitwise equal. A tolerance, as libraries have,
/// would close narrow slits.
class PolygonCollector {
 public:
  /// @param path   of the mesh, in messages
  /// @param scale  every coordinate is multiplied by it
  PolygonCollector(const std::string& path, double scale, TriangleMesh& mesh)
      : m_path(path), m_scale(scale), m_mesh(mesh) {}

  /// Adds a polygon. Points and lines, which have no area, are ignored.
  /// @param cornerAt  its corners, which are asked for once each, in their order   @throws SceneError
  void add(std::size_t cornerCount, const std::function<PolygonCorner(std::size_t)>& cornerAt);

  /// Refuses the current polygon, which names a vertex that the file does not hold. @throws SceneError
  [[noreturn]] void failMissingVertex() const { fail("names a vertex that does not exist"); }

 private:
  void requireCapacity(std::size_t corners) const;
  void cutIntoTriangles(std::vector<int> corners);
  bool isEar(const std::vector<int>& corners, std::size_t first, const Vec3& normal) const;
  const Vec3& at(int vertex) const { return m_mesh.vertices[vertex]; }
  int number(const PolygonCorner& corner);
  [[noreturn]] void fail(const std::string& problem) const;

  const std::string& m_path;
  double m_scale;
  TriangleMesh& m_mesh;
  std::map<std::array<double, 3>, int> m_numbers;
};

}  // namespace touchstone
