#include "core/scene/deformable/tet_lattice.h"

#include <algorithm>
#include <cmath>

#include "core/geometry/aabb.h"
#include "core/geometry/mesh_tree.h"
#include "core/math/count.h"

namespace touchstone {

namespace {

/// Tetrahedra of a cell with the corner numbers x + 2 y + 4 z: the middle tetrahedron, and one at each corner
/// that it does not have.
using CellCut = std::array<std::array<int, 4>, 5>;
constexpr CellCut kEvenCut = {{{0, 3, 6, 5}, {1, 0, 5, 3}, {2, 0, 3, 6}, {4, 0, 6, 5}, {7, 3, 5, 6}}};
constexpr CellCut kOddCut = {{{1, 2, 4, 7}, {0, 1, 2, 4}, {3, 1, 7, 2}, {5, 1, 4, 7}, {6, 2, 7, 4}}};

// Of a cell: rounding of a box that is a whole number of cells. A larger value may leave out a cell that the
// solid enters by that much, a smaller one adds a layer of empty ones.
constexpr double kWholeCells = 1e-9;

/// The part of a lattice that does not depend on which cells are filled.
class LatticeBuilder {
 public:
  LatticeBuilder(const Vec3& origin, const Vec3& cell, const std::array<int, 3>& cells) {
    m_lattice.origin = origin;
    m_lattice.cell = cell;
    m_lattice.cells = cells;
    m_lattice.firstOf.assign(std::size_t(cells[0]) * cells[1] * cells[2], -1);
    m_lattice.particleAtNode.assign(std::size_t(cells[0] + 1) * (cells[1] + 1) * (cells[2] + 1), -1);
  }

  void fill(int i, int j, int k) {
    const CellCut& cut = (i + j + k) % 2 == 0 ? kEvenCut : kOddCut;
    std::array<int, 8> corners;
    for (int corner = 0; corner < 8; ++corner)
      corners[corner] = particleAt(i + (corner & 1), j + (corner >> 1 & 1), k + (corner >> 2));
    std::vector<std::array<int, 4>>& tetrahedra = m_lattice.mesh.tetrahedra;
    m_lattice.firstOf[(std::size_t(k) * m_lattice.cells[1] + j) * m_lattice.cells[0] + i] =
        countOf(tetrahedra);
    for (const std::array<int, 4>& part : cut)
      tetrahedra.push_back({corners[part[0]], corners[part[1]], corners[part[2]], corners[part[3]]});
  }

  CellLattice take() { return std::move(m_lattice); }

 private:
  int particleAt(int i, int j, int k) {
    int& particle =
        m_lattice
            .particleAtNode[(std::size_t(k) * (m_lattice.cells[1] + 1) + j) * (m_lattice.cells[0] + 1) + i];
    if (particle >= 0) return particle;
    particle = countOf(m_lattice.mesh.particles);
    m_lattice.mesh.particles.push_back(m_lattice.origin + Vec3(i, j, k).cwiseProduct(m_lattice.cell));
    return particle;
  }

  CellLattice m_lattice;
};

/// True if a triangle shares a point with the cube of half edge `half` around the origin: no axis separates
/// them (Akenine-Möller 2001).
bool meetsCube(const Vec3 corners[3], double half) {
  const Vec3 edges[3] = {corners[1] - corners[0], corners[2] - corners[1], corners[0] - corners[2]};
  const auto separates = [&](const Vec3& axis) {
    const double a = axis.dot(corners[0]), b = axis.dot(corners[1]), c = axis.dot(corners[2]);
    return std::min({a, b, c}) > half * axis.lpNorm<1>() || std::max({a, b, c}) < -half * axis.lpNorm<1>();
  };
  for (int axis = 0; axis < 3; ++axis) {
    const Vec3 unit = Vec3::Unit(axis);
    if (separates(unit)) return false;
    for (const Vec3& edge : edges)
      if (separates(unit.cross(edge))) return false;
  }
  return !separates(edges[0].cross(edges[1]));
}

/// Which cubes of a lattice a solid meets.
class SolidCubes {
 public:
  SolidCubes(const TriangleMesh& surface, const Vec3& origin, double cell, const std::array<int, 3>& cells)
      : m_surface(surface),
        m_origin(origin),
        m_cell(cell),
        m_cells(cells),
        m_state(std::size_t(cells[0]) * cells[1] * cells[2], State::Unknown) {
    for (const std::array<int, 3>& triangle : surface.triangles) markCrossed(triangle);
    const MeshTree tree(surface);
    for (int k = 0; k < cells[2]; ++k)
      for (int j = 0; j < cells[1]; ++j)
        for (int i = 0; i < cells[0]; ++i)
          if (m_state[at({i, j, k})] == State::Unknown)
            spread({i, j, k}, tree.closest(middle({i, j, k})).inside ? State::Inside : State::Outside);
  }

  bool isMet(int i, int j, int k) const { return m_state[at({i, j, k})] != State::Outside; }

 private:
  enum class State : unsigned char { Unknown, Crossed, Inside, Outside };
  using Cube = std::array<int, 3>;

  std::size_t at(const Cube& c) const { return (std::size_t(c[2]) * m_cells[1] + c[1]) * m_cells[0] + c[0]; }
  Vec3 middle(const Cube& c) const { return m_origin + m_cell * Vec3(c[0] + 0.5, c[1] + 0.5, c[2] + 0.5); }

  void markCrossed(const std::array<int, 3>& triangle) {
    Aabb box;
    for (int vertex : triangle) box.add(m_surface.vertices[vertex]);
    Cube low, high;
    for (int axis = 0; axis < 3; ++axis) {
      const auto cubeOf = [&](double x) {
        return std::clamp(static_cast<int>(std::floor((x - m_origin[axis]) / m_cell)), 0, m_cells[axis] - 1);
      };
      low[axis] = cubeOf(box.low[axis]);
      high[axis] = cubeOf(box.high[axis]);
    }
    for (int k = low[2]; k <= high[2]; ++k)
      for (int j = low[1]; j <= high[1]; ++j)
        for (int i = low[0]; i <= high[0]; ++i) {
          Vec3 corners[3];
          for (int corner = 0; corner < 3; ++corner)
            corners[corner] = m_surface.vertices[triangle[corner]] - middle({i, j, k});
          if (meetsCube(corners, 0.5 * m_cell)) m_state[at({i, j, k})] = State::Crossed;
        }
  }

  /// Cubes that share a face and that no triangle crosses lie on one side of the surface.
  void spread(const Cube& first, State state) {
    std::vector<Cube> open = {first};
    m_state[at(first)] = state;
    while (!open.empty()) {
      const Cube cube = open.back();
      open.pop_back();
      for (int face = 0; face < 6; ++face) {
        Cube next = cube;
        next[face / 2] += face % 2 ? 1 : -1;
        if (next[face / 2] < 0 || next[face / 2] >= m_cells[face / 2]) continue;
        if (m_state[at(next)] != State::Unknown) continue;
        m_state[at(next)] = state;
        open.push_back(next);
      }
    }
  }

  const TriangleMesh& m_surface;
  Vec3 m_origin;
  double m_cell;
  std::array<int, 3> m_cells;
  std::vector<State> m_state;
};

void tetrahedronCorners(const LatticeMesh& mesh, std::size_t tetrahedron, Vec3 corners[4]) {
  for (std::size_t corner = 0; corner < 4; ++corner)
    corners[corner] = mesh.particles[mesh.tetrahedra[tetrahedron][corner]];
}

/// The tetrahedron found so far that holds a point best.
struct BestHolder {
  int tetrahedron = -1;
  double lowest = -HUGE_VAL;  ///< of its weights
  std::array<double, 4> weights{};
};

void tryCell(const CellLattice& lattice, const std::array<int, 3>& cell, const Vec3& point,
             BestHolder& best) {
  for (std::size_t axis = 0; axis < 3; ++axis)
    if (cell[axis] < 0 || cell[axis] >= lattice.cells[axis]) return;
  const int first =
      lattice.firstOf[(std::size_t(cell[2]) * lattice.cells[1] + cell[1]) * lattice.cells[0] + cell[0]];
  if (first < 0) return;
  for (int tetrahedron = first; tetrahedron < first + 5; ++tetrahedron) {
    Vec3 corners[4];
    tetrahedronCorners(lattice.mesh, tetrahedron, corners);
    const std::array<double, 4> weights = barycentricWeights(corners, point);
    const double lowest = *std::min_element(weights.begin(), weights.end());
    if (lowest > best.lowest) best = {tetrahedron, lowest, weights};
  }
}

/// The cell of a point first: its neighbours only for points that rounding puts beside it, or outside.
BestHolder holderOf(const CellLattice& lattice, const Vec3& point) {
  // Of weights. A larger value ties points to cells beside theirs, a smaller one only costs time.
  constexpr double kRounding = 1e-9;
  std::array<int, 3> cell;
  for (int axis = 0; axis < 3; ++axis) {
    const double index = std::floor((point[axis] - lattice.origin[axis]) / lattice.cell[axis]);
    cell[axis] = static_cast<int>(std::clamp(index, -1.0, static_cast<double>(lattice.cells[axis])));
  }
  BestHolder best;
  tryCell(lattice, cell, point, best);
  if (best.lowest >= -kRounding) return best;
  for (int k = -1; k <= 1; ++k)
    for (int j = -1; j <= 1; ++j)
      for (int i = -1; i <= 1; ++i)
        if (i != 0 || j != 0 || k != 0)
          tryCell(lattice, {cell[0] + i, cell[1] + j, cell[2] + k}, point, best);
  return best;
}

}  // namespace

CellLattice boxLattice(const Vec3& size, const std::array<int, 3>& cells) {
  const Vec3 cell = size.cwiseQuotient(Vec3(cells[0], cells[1], cells[2]));
  LatticeBuilder builder(-0.5 * size, cell, cells);
  for (int k = 0; k < cells[2]; ++k)
    for (int j = 0; j < cells[1]; ++j)
      for (int i = 0; i < cells[0]; ++i) builder.fill(i, j, k);
  return builder.take();
}

std::array<double, 3> cubesAround(const TriangleMesh& surface, double cell) {
  Aabb box;
  for (const Vec3& vertex : surface.vertices) box.add(vertex);
  std::array<double, 3> cubes;
  for (int axis = 0; axis < 3; ++axis)
    cubes[axis] = std::max(1.0, std::ceil((box.high[axis] - box.low[axis] + cell) / cell - kWholeCells));
  return cubes;
}

CellLattice latticeAround(const TriangleMesh& surface, double cell) {
  Aabb box;
  for (const Vec3& vertex : surface.vertices) box.add(vertex);
  const std::array<double, 3> counts = cubesAround(surface, cell);
  const std::array<int, 3> cells = {static_cast<int>(counts[0]), static_cast<int>(counts[1]),
                                    static_cast<int>(counts[2])};
  const Vec3 origin = 0.5 * (box.low + box.high) - 0.5 * cell * Vec3(cells[0], cells[1], cells[2]);
  const SolidCubes solid(surface, origin, cell, cells);
  LatticeBuilder builder(origin, Vec3::Constant(cell), cells);
  for (int k = 0; k < cells[2]; ++k)
    for (int j = 0; j < cells[1]; ++j)
      for (int i = 0; i < cells[0]; ++i)
        if (solid.isMet(i, j, k)) builder.fill(i, j, k);
  return builder.take();
}

// w_a = det with the point in the place of the corner a, over the whole: by Cramer's rule.
std::array<double, 4> barycentricWeights(const Vec3 corners[4], const Vec3& point) {
  const Vec3 e1 = corners[1] - corners[0], e2 = corners[2] - corners[0], e3 = corners[3] - corners[0];
  const Vec3 to = point - corners[0];
  const double whole = e1.dot(e2.cross(e3));
  const double w1 = to.dot(e2.cross(e3)) / whole, w2 = to.dot(e3.cross(e1)) / whole,
               w3 = to.dot(e1.cross(e2)) / whole;
  return {1 - w1 - w2 - w3, w1, w2, w3};
}

int embed(const CellLattice& lattice, const std::vector<Vec3>& points,
          std::vector<EmbeddedVertex>& embedded) {
  // Further outside, a vertex moves several times as far as its particles: a smaller value lets it, a larger
  // one refuses surfaces that rounding moves out of their cells.
  constexpr double kLowestWeight = -0.5;
  embedded.clear();
  for (std::size_t point = 0; point < points.size(); ++point) {
    const BestHolder holder = holderOf(lattice, points[point]);
    if (!(holder.lowest >= kLowestWeight)) return static_cast<int>(point);
    embedded.push_back({lattice.mesh.tetrahedra[holder.tetrahedron], holder.weights});
  }
  return -1;
}

std::vector<EmbeddedVertex> tiedOneToOne(std::size_t vertices) {
  std::vector<EmbeddedVertex> tied;
  for (std::size_t vertex = 0; vertex < vertices; ++vertex)
    tied.push_back({{static_cast<int>(vertex), -1, -1, -1}, {1, 0, 0, 0}});
  return tied;
}

double tetrahedronVolume(const LatticeMesh& mesh, std::size_t tetrahedron) {
  Vec3 corners[4];
  tetrahedronCorners(mesh, tetrahedron, corners);
  return (corners[1] - corners[0]).dot((corners[2] - corners[0]).cross(corners[3] - corners[0])) / 6;
}

namespace {

/// Squares of the six edges [m²]: their sum and the largest.
std::pair<double, double> squaredEdges(const LatticeMesh& mesh, std::size_t tetrahedron) {
  Vec3 corners[4];
  tetrahedronCorners(mesh, tetrahedron, corners);
  double sum = 0, largest = 0;
  for (int a = 0; a < 4; ++a)
    for (int b = a + 1; b < 4; ++b) {
      const double squared = (corners[a] - corners[b]).squaredNorm();
      sum += squared;
      largest = std::max(largest, squared);
    }
  return {sum, largest};
}

}  // namespace

double longestEdge(const LatticeMesh& mesh, std::size_t tetrahedron) {
  return std::sqrt(squaredEdges(mesh, tetrahedron).second);
}

double tetrahedronQuality(const LatticeMesh& mesh, std::size_t tetrahedron) {
  const double edge = std::sqrt(squaredEdges(mesh, tetrahedron).first / 6);
  return 6 * std::sqrt(2.0) * tetrahedronVolume(mesh, tetrahedron) / (edge * edge * edge);
}

double latticeVolume(const LatticeMesh& mesh) {
  double volume = 0;
  for (std::size_t index = 0; index < mesh.tetrahedra.size(); ++index)
    volume += tetrahedronVolume(mesh, index);
  return volume;
}

std::vector<double> lumpedMasses(const LatticeMesh& mesh, double density) {
  std::vector<double> masses(mesh.particles.size(), 0.0);
  for (std::size_t index = 0; index < mesh.tetrahedra.size(); ++index) {
    const double quarter = density * tetrahedronVolume(mesh, index) / 4;
    for (int particle : mesh.tetrahedra[index]) masses[particle] += quarter;
  }
  return masses;
}

std::vector<BoundaryFace> boundaryFaces(const LatticeMesh& mesh, int& crowded) {
  struct Face {
    std::array<int, 3> sorted, outward;
    int tetrahedron;
  };
  constexpr int kFaces[4][3] = {{1, 2, 3}, {0, 3, 2}, {0, 1, 3}, {0, 2, 1}};  // opposite to each corner
  std::vector<Face> faces;
  faces.reserve(4 * mesh.tetrahedra.size());
  for (std::size_t index = 0; index < mesh.tetrahedra.size(); ++index)
    for (const auto& corners : kFaces) {
      const std::array<int, 4>& tet = mesh.tetrahedra[index];
      Face face{{}, {tet[corners[0]], tet[corners[1]], tet[corners[2]]}, static_cast<int>(index)};
      face.sorted = face.outward;
      std::sort(face.sorted.begin(), face.sorted.end());
      faces.push_back(face);
    }
  std::stable_sort(faces.begin(), faces.end(),
                   [](const Face& a, const Face& b) { return a.sorted < b.sorted; });
  const auto isEven = [](const Face& face) {  // the outward order is that of the sorted one, turned
    const auto first = std::min_element(face.outward.begin(), face.outward.end()) - face.outward.begin();
    return face.outward[(first + 1) % 3] == face.sorted[1];
  };
  crowded = -1;
  std::vector<BoundaryFace> boundary;
  for (std::size_t first = 0, end; first < faces.size(); first = end) {
    for (end = first + 1; end < faces.size() && faces[end].sorted == faces[first].sorted;) ++end;
    if (end - first == 1) boundary.push_back({faces[first].outward, faces[first].tetrahedron});
    const bool onOneSide = end - first == 2 && isEven(faces[first]) == isEven(faces[first + 1]);
    if (end - first > 2 || onOneSide) {
      const int last = faces[end - 1].tetrahedron;
      crowded = crowded < 0 ? last : std::min(crowded, last);
    }
  }
  std::stable_sort(boundary.begin(), boundary.end(), [](const BoundaryFace& a, const BoundaryFace& b) {
    return a.tetrahedron < b.tetrahedron;
  });
  return boundary;
}

void numberBoundaryFirst(LatticeMesh& mesh, std::vector<BoundaryFace>& faces) {
  std::vector<int> place(mesh.particles.size(), -1);
  int next = 0;
  for (const BoundaryFace& face : faces)
    for (int particle : face.particles) {
      int& number = place[particle];
      if (number < 0) number = next++;
    }
  for (int& number : place)
    if (number < 0) number = next++;
  std::vector<Vec3> particles(mesh.particles.size());
  for (std::size_t particle = 0; particle < place.size(); ++particle)
    particles[place[particle]] = mesh.particles[particle];
  mesh.particles = std::move(particles);
  for (std::array<int, 4>& tet : mesh.tetrahedra)
    for (int& particle : tet) particle = place[particle];
  for (BoundaryFace& face : faces)
    for (int& particle : face.particles) particle = place[particle];
}

TriangleMesh surfaceOf(const LatticeMesh& mesh, const std::vector<BoundaryFace>& faces) {
  TriangleMesh surface;
  int count = 0;
  for (const BoundaryFace& face : faces) {
    surface.triangles.push_back(face.particles);
    for (int particle : face.particles) count = std::max(count, particle + 1);
  }
  surface.vertices.assign(mesh.particles.begin(), mesh.particles.begin() + count);
  return surface;
}

}  // namespace touchstone
