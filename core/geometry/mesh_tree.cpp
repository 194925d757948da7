#include "core/geometry/mesh_tree.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "core/geometry/closest_points.h"

namespace touchstone {

namespace {

constexpr int kLeafTriangles = 4;

double squaredDistance(const Aabb& box, const Vec3& point) {
  return (box.low - point).cwiseMax(point - box.high).cwiseMax(0).squaredNorm();
}

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

void MeshTree::visit(int index, const Vec3& point, SurfacePoint& best) const {
  const Node& node = m_nodes[index];
  if (squaredDistance(node.box, point) > best.squaredDistance) return;
  if (node.left >= 0) {
    const bool leftFirst =
        squaredDistance(m_nodes[node.left].box, point) <= squaredDistance(m_nodes[node.right].box, point);
    visit(leftFirst ? node.left : node.right, point, best);
    visit(leftFirst ? node.right : node.left, point, best);
    return;
  }
  for (int k = node.begin; k < node.end; ++k) {
    const int triangle = m_order[k];
    const auto& t = m_mesh.triangles[triangle];
    const Vec3 &a = m_mesh.vertices[t[0]], &b = m_mesh.vertices[t[1]], &c = m_mesh.vertices[t[2]];
    const Vec3 weights = closestOnTriangle(point, a, b, c);
    const Vec3 foot = weights[0] * a + weights[1] * b + weights[2] * c;
    const double squared = (point - foot).squaredNorm();
    if (squared < best.squaredDistance || (squared == best.squaredDistance && triangle < best.triangle))
      best = {triangle, weights, foot, squared, false};
  }
}

Vec3 MeshTree::pseudoNormal(const SurfacePoint& at) const {
  int zeros = 0, zeroCorner = -1, oneCorner = -1;
  for (int corner = 0; corner < 3; ++corner) {
    if (at.weights[corner] == 0) {
      ++zeros;
      zeroCorner = corner;
    } else {
      oneCorner = corner;
    }
  }
  if (zeros == 2) return m_vertexNormals[m_mesh.triangles[at.triangle][oneCorner]];
  Vec3 normal = m_mesh.normals[at.triangle];
  if (zeros == 1) {
    const int neighbour = m_mesh.neighbours[at.triangle][zeroCorner];
    if (neighbour >= 0) normal += m_mesh.normals[neighbour];
  }
  return normal;
}

SurfacePoint MeshTree::closest(const Vec3& point) const {
  SurfacePoint best;
  best.squaredDistance = std::numeric_limits<double>::infinity();
  if (m_nodes.empty()) return best;
  visit(0, point, best);
  if (m_mesh.closed && best.triangle >= 0) best.inside = (point - best.point).dot(pseudoNormal(best)) < 0;
  return best;
}

}  // namespace touchstone
