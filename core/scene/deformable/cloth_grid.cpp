#include "core/scene/deformable/cloth_grid.h"

#include <algorithm>
#include <cmath>

#include "core/elasticity/cloth.h"
#include "core/math/count.h"
#include "core/scene/deformable/tet_lattice.h"

namespace touchstone {

namespace {

/// Rows of vertices along x, at equal distances along z.
class SheetRows {
 public:
  SheetRows(const std::array<double, 2>& size, const std::array<int, 2>& cells)
      : m_size(size), m_cells(cells) {}

  TriangleMesh cutInRectangles(ClothCut cut) {
    for (int row = 0; row <= m_cells[1]; ++row)
      for (int column = 0; column <= m_cells[0]; ++column) add(column, row);
    const auto numberAt = [this](int column, int row) { return row * (m_cells[0] + 1) + column; };
    for (int row = 0; row < m_cells[1]; ++row)
      for (int column = 0; column < m_cells[0]; ++column) {
        const int a = numberAt(column, row), b = numberAt(column + 1, row), c = numberAt(column, row + 1),
                  d = numberAt(column + 1, row + 1);
        const bool other = cut == ClothCut::Alternating && (column + row) % 2 == 1;
        if (other) {
          m_sheet.triangles.push_back({a, c, b});
          m_sheet.triangles.push_back({b, c, d});
        } else {
          m_sheet.triangles.push_back({a, c, d});
          m_sheet.triangles.push_back({a, d, b});
        }
      }
    return std::move(m_sheet);
  }

  /// Even rows have n + 1 vertices; odd ones are half a cell off, with both ends on the border: n + 2.
  TriangleMesh cutInTriangles() {
    std::vector<int> firsts;
    for (int row = 0; row <= m_cells[1]; ++row) {
      firsts.push_back(countOf(m_sheet.vertices));
      if (row % 2 == 0)
        for (int column = 0; column <= m_cells[0]; ++column) add(column, row);
      else
        for (int column = 0; column <= m_cells[0] + 1; ++column)
          add(std::clamp(column - 0.5, 0.0, static_cast<double>(m_cells[0])), row);
    }
    for (std::size_t row = 0; row + 1 < firsts.size(); ++row) {
      const bool evenFirst = row % 2 == 0;
      const int even = firsts[evenFirst ? row : row + 1], odd = firsts[evenFirst ? row + 1 : row];
      for (int column = 0; column <= m_cells[0]; ++column)
        addTriangle(even + column, odd + column, odd + column + 1, evenFirst);
      for (int column = 0; column < m_cells[0]; ++column)
        addTriangle(even + column, odd + column + 1, even + column + 1, evenFirst);
    }
    return std::move(m_sheet);
  }

 private:
  void add(double column, int row) {
    m_sheet.vertices.emplace_back(m_size[0] * (column / m_cells[0] - 0.5), 0,
                                  m_size[1] * (static_cast<double>(row) / m_cells[1] - 0.5));
  }
  void addTriangle(int a, int b, int c, bool inOrder) {
    if (inOrder)
      m_sheet.triangles.push_back({a, b, c});
    else
      m_sheet.triangles.push_back({a, c, b});
  }

  std::array<double, 2> m_size;
  std::array<int, 2> m_cells;
  TriangleMesh m_sheet;
};

int farCorner(const TriangleMesh& sheet, int triangle, const TriangleMesh::Edge& edge) {
  for (int vertex : sheet.triangles[triangle])
    if (vertex != edge.tail && vertex != edge.head) return vertex;
  return -1;
}

ClothHinge hingeOf(const TriangleMesh& sheet, const TriangleMesh::Edge& edge, double bending) {
  ClothHinge hinge;
  hinge.particles = {edge.tail, edge.head, farCorner(sheet, edge.left, edge),
                     farCorner(sheet, edge.right, edge)};
  Vec3 x[4];
  for (std::size_t k = 0; k < 4; ++k) x[k] = sheet.vertices[hinge.particles[k]];
  hinge.angle = hingeBend(x).angle;
  hinge.stiffness = bending * hingeShape(x);
  return hinge;
}

}  // namespace

TriangleMesh clothGrid(const std::array<double, 2>& size, const std::array<int, 2>& cells, ClothCut cut) {
  SheetRows rows(size, cells);
  TriangleMesh sheet = cut == ClothCut::Equilateral ? rows.cutInTriangles() : rows.cutInRectangles(cut);
  buildTopology(sheet);
  return sheet;
}

Deformable clothOf(const TriangleMesh& sheet, const ClothStiffness& stiffness) {
  Deformable cloth;
  cloth.rest = sheet.vertices;
  cloth.mass.assign(sheet.vertices.size(), 0.0);
  const auto cornerAt = [&sheet](int vertex) { return sheet.vertices[vertex]; };
  for (const std::array<int, 3>& t : sheet.triangles) {
    const double area = 0.5 * (cornerAt(t[1]) - cornerAt(t[0])).cross(cornerAt(t[2]) - cornerAt(t[0])).norm();
    for (int vertex : t) cloth.mass[vertex] += stiffness.areaDensity * area / 3;
  }
  for (const TriangleMesh::Edge& edge : sheet.edges) {
    cloth.edges.push_back(
        {{edge.tail, edge.head}, (cornerAt(edge.head) - cornerAt(edge.tail)).norm(), stiffness.edge});
    if (edge.right >= 0 && stiffness.bending > 0)
      cloth.hinges.push_back(hingeOf(sheet, edge, stiffness.bending));
  }
  cloth.surface = tiedOneToOne(sheet.vertices.size());
  return cloth;
}

double shortestEdge(const TriangleMesh& sheet) {
  double shortest = HUGE_VAL;
  for (const TriangleMesh::Edge& edge : sheet.edges)
    shortest = std::min(shortest, (sheet.vertices[edge.head] - sheet.vertices[edge.tail]).norm());
  return shortest;
}

double clothStepLimit(const Deformable& cloth) {
  std::vector<double> sum(cloth.rest.size(), 0.0);
  for (const ClothEdge& edge : cloth.edges)
    for (int particle : edge.particles) sum[particle] += 2 * edge.stiffness;
  for (const ClothHinge& hinge : cloth.hinges) {
    Vec3 x[4];
    for (std::size_t k = 0; k < 4; ++k) x[k] = cloth.rest[hinge.particles[k]];
    const HingeBend bend = hingeBend(x);
    for (std::size_t k = 0; k < 4; ++k)
      sum[hinge.particles[k]] += 4 * hinge.stiffness * bend.row[k].squaredNorm();
  }
  double largest = 0;
  for (std::size_t particle = 0; particle < sum.size(); ++particle)
    largest = std::max(largest, sum[particle] / cloth.mass[particle]);
  return 2 / std::sqrt(largest);
}

}  // namespace touchstone
