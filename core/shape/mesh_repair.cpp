#include "core/shape/mesh_repair.h"
#include "core/math/count.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <numeric>
#include <unordered_map>

namespace touchstone {

namespace {

using Triangle = std::array<int, 3>;

bool allMultiplesOf(double step, const std::vector<Vec3>& vertices) {
  // Rounding of coordinates that were read in single precision. A larger value takes arbitrary coordinates
  // for multiples; a smaller one rejects true multiples.
  constexpr double kSingle = 0x1p-23;
  return std::all_of(vertices.begin(), vertices.end(), [step](const Vec3& vertex) {
    for (int axis = 0; axis < 3; ++axis) {
      const double count = vertex[axis] / step;
      if (!(std::abs(count - std::round(count)) <= kSingle * std::abs(count))) return false;
    }
    return true;
  });
}

/// [vertexCount] whether the vertex ends a side that is not used exactly once in each direction.
std::vector<char> onOpenSides(const TriangleMesh& mesh) {
  std::vector<std::pair<std::pair<int, int>, int>> sides;
  for (const Triangle& t : mesh.triangles)
    for (std::size_t corner = 0; corner < 3; ++corner) {
      const int tail = t[corner], head = t[(corner + 1) % 3];
      sides.push_back({std::minmax(tail, head), tail < head ? 1 : -1});
    }
  std::sort(sides.begin(), sides.end());
  std::vector<char> open(mesh.vertices.size(), 0);
  for (std::size_t first = 0, end; first < sides.size(); first = end) {
    for (end = first; end < sides.size() && sides[end].first == sides[first].first;) ++end;
    const bool pair = end - first == 2 && sides[first].second != sides[first + 1].second;
    if (!pair) open[sides[first].first.first] = open[sides[first].first.second] = 1;
  }
  return open;
}

/// Numbers vertices by their first use and drops the unused ones.
void renumber(TriangleMesh& mesh) {
  std::vector<int> numbers(mesh.vertices.size(), -1);
  std::vector<Vec3> used;
  for (Triangle& t : mesh.triangles)
    for (int& corner : t) {
      int& number = numbers[corner];
      if (number < 0) {
        number = countOf(used);
        used.push_back(mesh.vertices[corner]);
      }
      corner = number;
    }
  mesh.vertices = std::move(used);
}

/// Sorts vertices into the cubes of a grid, and joins those that are within the tolerance.
class Joiner {
 public:
  Joiner(const std::vector<Vec3>& vertices, double tolerance)
      : m_vertices(vertices), m_tolerance(tolerance), m_parents(vertices.size()) {
    std::iota(m_parents.begin(), m_parents.end(), 0);
  }

  void add(int vertex) {
    const Vec3& place = m_vertices[vertex];
    for (int corner = 0; corner < 8; ++corner) {  // a cube is wider than the tolerance: no other cube can
                                                  // hold a close vertex
      const Vec3 offset(corner & 1 ? 1 : -1, corner & 2 ? 1 : -1, corner & 4 ? 1 : -1);
      const auto cell = m_cells.find(cellOf(place + m_tolerance * offset));
      if (cell == m_cells.end()) continue;
      for (int other : cell->second)
        if ((m_vertices[other] - place).cwiseAbs().maxCoeff() <= m_tolerance) unite(vertex, other);
    }
    m_cells[cellOf(place)].push_back(vertex);
  }

  /// The first of all vertices that are joined with it.
  int first(int vertex) {
    while (m_parents[vertex] != vertex) vertex = m_parents[vertex] = m_parents[m_parents[vertex]];
    return vertex;
  }

 private:
  std::array<long, 3> cellOf(const Vec3& place) const {
    const auto index = [&](int axis) { return std::lround(place[axis] / (3 * m_tolerance)); };
    return {index(0), index(1), index(2)};
  }
  void unite(int a, int b) {
    a = first(a);
    b = first(b);
    m_parents[std::max(a, b)] = std::min(a, b);
  }

  const std::vector<Vec3>& m_vertices;
  double m_tolerance;
  std::vector<int> m_parents;
  std::map<std::array<long, 3>, std::vector<int>> m_cells;
};

/// Removes triangles one by one, and knows the triangle across each side.
class Remover {
 public:
  explicit Remover(std::vector<Triangle>& triangles) : m_triangles(triangles) {
    for (std::size_t index = 0; index < triangles.size(); ++index) enter(static_cast<int>(index));
  }

  /// @param longest  the longest side of the triangle: the one from the corner of that number to the next
  /// @return the triangles that were added
  std::vector<int> remove(int triangle, std::size_t longest) {
    const Triangle t = m_triangles[triangle];
    const int tail = t[longest], head = t[(longest + 1) % 3], between = t[(longest + 2) % 3];
    leave(triangle);
    const auto across = m_sides.find(key(head, tail));
    if (across == m_sides.end()) return {};
    const int other = across->second;
    const Triangle o = m_triangles[other];
    leave(other);
    const auto isEnd = [&](int corner) { return corner == tail || corner == head; };
    const int far = *std::find_if_not(o.begin(), o.end(), isEnd);
    if (far == between) return {};  // the same triangle with opposite orientation
    std::vector<int> made;
    for (const Triangle& half : {Triangle{head, between, far}, Triangle{between, tail, far}}) {
      made.push_back(countOf(m_triangles));
      m_triangles.push_back(half);
      enter(made.back());
    }
    return made;
  }

  bool isGone(int triangle) const { return m_triangles[triangle][0] < 0; }

 private:
  static std::uint64_t key(int tail, int head) {
    return std::uint64_t(static_cast<std::uint32_t>(tail)) << 32 | static_cast<std::uint32_t>(head);
  }
  void enter(int index) {
    const Triangle& t = m_triangles[index];
    for (std::size_t corner = 0; corner < 3; ++corner) m_sides[key(t[corner], t[(corner + 1) % 3])] = index;
  }
  void leave(int index) {
    Triangle& t = m_triangles[index];
    for (std::size_t corner = 0; corner < 3; ++corner) {
      const auto side = m_sides.find(key(t[corner], t[(corner + 1) % 3]));
      if (side != m_sides.end() && side->second == index) m_sides.erase(side);
    }
    t = {-1, -1, -1};
  }

  std::vector<Triangle>& m_triangles;
  std::unordered_map<std::uint64_t, int> m_sides;
};

std::size_t longestSide(const TriangleMesh& mesh, const Triangle& t) {
  std::array<double, 3> lengths;
  for (std::size_t corner = 0; corner < 3; ++corner)
    lengths[corner] = (mesh.vertices[t[(corner + 1) % 3]] - mesh.vertices[t[corner]]).squaredNorm();
  return std::max_element(lengths.begin(), lengths.end()) - lengths.begin();
}

bool hasEqualCorners(const Triangle& t) { return t[0] == t[1] || t[1] == t[2] || t[2] == t[0]; }

void eraseIf(std::vector<Triangle>& triangles, bool (*isSo)(const Triangle&)) {
  triangles.erase(std::remove_if(triangles.begin(), triangles.end(), isSo), triangles.end());
}

void dropFlatTriangles(TriangleMesh& mesh) {
  std::vector<int> flat;
  const auto keepFlat = [&](int triangle) {
    if (!hasArea(mesh, mesh.triangles[triangle])) flat.push_back(triangle);
  };
  for (std::size_t index = 0; index < mesh.triangles.size(); ++index) keepFlat(static_cast<int>(index));
  if (flat.empty()) return;
  Remover remover(mesh.triangles);
  // Half of a flat neighbour may be flat again. The limit stops endless cycles; buildTopology() refuses the
  // rest.
  for (std::size_t removals = 8 * flat.size() + 64; !flat.empty() && removals > 0; --removals) {
    const int triangle = flat.back();
    flat.pop_back();
    if (remover.isGone(triangle)) continue;
    for (int made : remover.remove(triangle, longestSide(mesh, mesh.triangles[triangle]))) keepFlat(made);
  }
  eraseIf(mesh.triangles, [](const Triangle& t) { return t[0] < 0; });
}

}  // namespace

double precisionOf(const std::vector<Vec3>& vertices) {
  // kSteps: a larger value joins corners that are meant to be different; a smaller one leaves cracks.
  // kRoundNumber: a larger value takes round numbers for rounded ones and joins distinct corners; a smaller
  // one ignores coarsely printed files.
  constexpr double kSteps = 8, kRoundNumber = 1e-4;
  // More decimals than any file prints. A smaller value misses finely printed coordinates.
  constexpr int kMostDecimals = 12;
  double largest = 0;
  Vec3 low = Vec3::Constant(HUGE_VAL), high = Vec3::Constant(-HUGE_VAL);
  for (const Vec3& vertex : vertices) {
    largest = std::max(largest, vertex.cwiseAbs().maxCoeff());
    low = low.cwiseMin(vertex);
    high = high.cwiseMax(vertex);
  }
  const double single = kSteps * 0x1p-23 * largest;
  for (int decimals = 0; decimals <= kMostDecimals; ++decimals) {
    const double step = std::pow(10.0, -decimals);
    if (step <= single) break;
    if (allMultiplesOf(step, vertices)) return step <= kRoundNumber * (high - low).maxCoeff() ? step : single;
  }
  return single;
}

std::size_t joinOpenCorners(TriangleMesh& mesh, double tolerance) {
  const std::vector<char> open = onOpenSides(mesh);
  Joiner joiner(mesh.vertices, tolerance);
  for (std::size_t vertex = 0; vertex < open.size(); ++vertex)
    if (open[vertex]) joiner.add(static_cast<int>(vertex));
  std::size_t joined = 0;
  for (std::size_t vertex = 0; vertex < open.size(); ++vertex)
    joined += joiner.first(static_cast<int>(vertex)) != static_cast<int>(vertex);
  for (Triangle& t : mesh.triangles)
    for (int& corner : t) corner = joiner.first(corner);
  return joined;
}

std::size_t dropTrianglesWithoutArea(TriangleMesh& mesh) {
  const auto dropped = std::count_if(mesh.triangles.begin(), mesh.triangles.end(),
                                     [&mesh](const Triangle& triangle) { return !hasArea(mesh, triangle); });
  eraseIf(mesh.triangles, hasEqualCorners);
  dropFlatTriangles(mesh);
  renumber(mesh);
  return dropped;
}

}  // namespace touchstone
