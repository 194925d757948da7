#include "core/geometry/mesh_tree.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace touchstone {

namespace {

constexpr int kLeafTriangles = 4;

Vec3 centreOf(const TriangleMesh& mesh, int triangle) {
  const auto& t = mesh.triangles[triangle];
  return (mesh.vertices[t[0]] + mesh.vertices[t[1]] + mesh.vertices[t[2]]) / 3;
}

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
  if (!m_order.empty()) build(0, static_cast<int>(m_order.size()));
}

int MeshTree::build(int begin, int end) {
  const int index = static_cast<int>(m_nodes.size());
  m_nodes.emplace_back();
  Aabb box, centres;
  for (int k = begin; k < end; ++k) {
    for (int vertex : m_mesh.triangles[m_order[k]]) box.add(m_mesh.vertices[vertex]);
    centres.add(centreOf(m_mesh, m_order[k]));
  }
  m_nodes[index].box = box;
  m_nodes[index].begin = begin;
  m_nodes[index].end = end;
  if (end - begin <= kLeafTriangles) return index;
  int axis = 0;
  (centres.high - centres.low).maxCoeff(&axis);
  const int middle = (begin + end) / 2;
  std::sort(m_order.begin() + begin, m_order.begin() + end, [&](int a, int b) {
    const double ca = centreOf(m_mesh, a)[axis], cb = centreOf(m_mesh, b)[axis];
    return ca != cb ? ca < cb : a < b;
  });
  const int left = build(begin, middle), right = build(middle, end);
  m_nodes[index].left = left;
  m_nodes[index].right = right;
  return index;
}

MeshTreeView MeshTree::view() const {
  MeshTreeView view;
  view.nodeCount = static_cast<int>(m_nodes.size());
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
