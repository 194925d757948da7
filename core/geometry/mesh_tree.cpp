#include "core/geometry/mesh_tree.h"

#include <cmath>
#include <numeric>

#include "core/geometry/halve.h"
#include "core/math/count.h"

namespace touchstone {

namespace {

/// Most triangles in a leaf. A larger value makes queries test more triangles; a smaller one makes a larger
/// tree. The closest point is the same.
constexpr int kLeafTriangles = 4;

std::vector<Vec3> angleWeightedNormals(const TriangleMesh& mesh) {
  std::vector<Vec3> normals(mesh.vertices.size(), Vec3::Zero());
  for (std::size_t triangle = 0; triangle < mesh.triangles.size(); ++triangle)
    for (int corner = 0; corner < 3; ++corner) {
      const auto& t = mesh.triangles[triangle];
      const Vec3 u = mesh.vertices[t[(corner + 1) % 3]] - mesh.vertices[t[corner]];
      const Vec3 w = mesh.vertices[t[(corner + 2) % 3]] - mesh.vertices[t[corner]];
      normals[t[corner]] += std::atan2(u.cross(w).norm(), u.dot(w)) * mesh.normals[triangle];
    }
  return normals;
}

}  // namespace

MeshTree::MeshTree(const TriangleMesh& mesh) : m_mesh(mesh), m_order(mesh.triangles.size()) {
  std::iota(m_order.begin(), m_order.end(), 0);
  m_vertexNormals = angleWeightedNormals(mesh);
  if (!m_order.empty()) build(triangleCentres(mesh), 0, countOf(m_order));
}

int MeshTree::build(const std::vector<Vec3>& centres, int begin, int end) {
  const int index = countOf(m_nodes);
  m_nodes.emplace_back();
  Aabb box;
  for (int k = begin; k < end; ++k)
    for (int vertex : m_mesh.triangles[m_order[k]]) box.add(m_mesh.vertices[vertex]);
  m_nodes[index].box = box;
  m_nodes[index].begin = begin;
  m_nodes[index].end = end;
  if (end - begin <= kLeafTriangles) return index;
  const int middle = (begin + end) / 2;
  halve(centres, m_order, begin, middle, end);
  const int first = build(centres, begin, middle), second = build(centres, middle, end);
  m_nodes[index].left = first;
  m_nodes[index].right = second;
  return index;
}

MeshTreeView MeshTree::view() const {
  MeshTreeView view;
  view.nodeCount = countOf(m_nodes);
  view.closed = m_mesh.closed;
  view.nodes = m_nodes.data();
  view.order = m_order.data();
  view.vertices = m_mesh.vertices.data();
  view.triangles = m_mesh.triangles.data();
  view.normals = m_mesh.normals.data();
  view.neighbours = m_mesh.neighbours.data();
  view.vertexNormals = m_vertexNormals.data();
  return view;
}

}  // namespace touchstone
