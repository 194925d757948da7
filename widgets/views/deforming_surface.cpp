#include "widgets/views/deforming_surface.h"

#include <vtkCellArray.h>
#include <vtkDoubleArray.h>
#include <vtkFloatArray.h>
#include <vtkPointData.h>
#include <vtkPoints.h>
#include <vtkUnsignedCharArray.h>

#include <algorithm>
#include <numeric>

#include "core/math/count.h"
#include "widgets/views/shown_actors.h"

namespace touchstone {

namespace {

// cos 35°: edges that are bent by less are drawn smooth. A larger value shows the facets of round bodies; a
// smaller one shades boxes as if they were round.
constexpr double kSharpCosine = 0.82;

/// Corners of triangles that are drawn as one vertex.
class CornerGroups {
 public:
  explicit CornerGroups(std::size_t corners) : m_parent(corners) {
    std::iota(m_parent.begin(), m_parent.end(), 0);
  }
  int rootOf(int corner) {
    while (m_parent[corner] != corner) corner = m_parent[corner] = m_parent[m_parent[corner]];
    return corner;
  }
  void join(int a, int b) {
    const int rootA = rootOf(a), rootB = rootOf(b);
    m_parent[std::max(rootA, rootB)] = std::min(rootA, rootB);
  }

 private:
  std::vector<int> m_parent;
};

/// Place of a vertex among the corners of all triangles.
int cornerOf(const TriangleMesh& mesh, int triangle, int vertex) {
  const auto& corners = mesh.triangles[triangle];
  return 3 * triangle + static_cast<int>(std::find(corners.begin(), corners.end(), vertex) - corners.begin());
}

bool isSharp(const TriangleMesh::Edge& edge) { return edge.right < 0 || edge.turn < kSharpCosine; }

}  // namespace

DeformingSurface::DeformingSurface(const TriangleMesh& rest)
    : m_surface(vtkSmartPointer<vtkPolyData>::New()),
      m_edges(vtkSmartPointer<vtkPolyData>::New()),
      m_normals(vtkSmartPointer<vtkFloatArray>::New()),
      m_values(vtkSmartPointer<vtkDoubleArray>::New()),
      m_colours(vtkSmartPointer<vtkUnsignedCharArray>::New()) {
  const int corners = 3 * countOf(rest.triangles);
  CornerGroups groups(corners);
  for (const TriangleMesh::Edge& edge : rest.edges) {
    if (isSharp(edge)) {
      m_sharpEdges.push_back({edge.tail, edge.head});
    } else {
      for (int end : {edge.tail, edge.head})
        groups.join(cornerOf(rest, edge.left, end), cornerOf(rest, edge.right, end));
    }
  }
  std::vector<int> drawn(corners);
  vtkNew<vtkCellArray> polygons, lines;
  for (int corner = 0; corner < corners; ++corner) {
    const int root = groups.rootOf(corner);  // not behind the corner
    if (root == corner) {
      drawn[corner] = countOf(m_vertexOf);
      m_vertexOf.push_back(rest.triangles[corner / 3][corner % 3]);
    } else {
      drawn[corner] = drawn[root];
    }
  }
  for (int corner = 0; corner < corners; corner += 3) {
    m_triangles.push_back({drawn[corner], drawn[corner + 1], drawn[corner + 2]});
    const vtkIdType ids[3] = {drawn[corner], drawn[corner + 1], drawn[corner + 2]};
    polygons->InsertNextCell(3, ids);
  }
  vtkNew<vtkPoints> points, ends;
  points->SetNumberOfPoints(static_cast<vtkIdType>(m_vertexOf.size()));
  for (std::size_t edge = 0; edge < m_sharpEdges.size(); ++edge) {
    const vtkIdType first = static_cast<vtkIdType>(2 * edge), ids[2] = {first, first + 1};
    lines->InsertNextCell(2, ids);
  }
  ends->SetNumberOfPoints(static_cast<vtkIdType>(2 * m_sharpEdges.size()));
  m_normals->SetName("normal");
  m_normals->SetNumberOfComponents(3);
  m_normals->SetNumberOfTuples(points->GetNumberOfPoints());
  m_values->SetName("value");
  m_colours->SetName("colour");
  m_colours->SetNumberOfComponents(3);
  m_surface->SetPoints(points);
  m_surface->SetPolys(polygons);
  m_surface->GetPointData()->SetNormals(m_normals);
  m_edges->SetPoints(ends);
  m_edges->SetLines(lines);
  place(rest.vertices);
}

void DeformingSurface::place(const std::vector<Vec3>& vertices) {
  std::vector<Vec3> normals(m_vertexOf.size(), Vec3(0, 0, 0));
  for (const auto& triangle : m_triangles) {
    const Vec3 &a = vertices[m_vertexOf[triangle[0]]], &b = vertices[m_vertexOf[triangle[1]]],
               &c = vertices[m_vertexOf[triangle[2]]];
    const Vec3 area = (b - a).cross(c - a);  // twice: larger triangles count more
    for (int corner : triangle) normals[corner] += area;
  }
  vtkPoints* points = m_surface->GetPoints();
  for (std::size_t drawn = 0; drawn < m_vertexOf.size(); ++drawn) {
    const Vec3 normal = normals[drawn].normalized();
    points->SetPoint(static_cast<vtkIdType>(drawn), vertices[m_vertexOf[drawn]].data());
    m_normals->SetTuple(static_cast<vtkIdType>(drawn), normal.data());
  }
  for (std::size_t edge = 0; edge < m_sharpEdges.size(); ++edge)
    for (std::size_t end = 0; end < 2; ++end)
      m_edges->GetPoints()->SetPoint(static_cast<vtkIdType>(2 * edge + end),
                                     vertices[m_sharpEdges[edge][end]].data());
  for (vtkPolyData* data : {m_surface.Get(), m_edges.Get()}) {
    data->GetPoints()->Modified();
    data->Modified();
  }
  m_normals->Modified();
}

void DeformingSurface::setValues(const std::vector<double>& values) {
  m_values->SetNumberOfTuples(static_cast<vtkIdType>(m_vertexOf.size()));
  for (std::size_t drawn = 0; drawn < m_vertexOf.size(); ++drawn)
    m_values->SetValue(static_cast<vtkIdType>(drawn), values[m_vertexOf[drawn]]);
  m_values->Modified();
  m_surface->GetPointData()->SetScalars(m_values);
  m_surface->Modified();
}

void DeformingSurface::setColours(const std::vector<QColor>& colours) {
  m_colours->SetNumberOfTuples(static_cast<vtkIdType>(m_vertexOf.size()));
  for (std::size_t drawn = 0; drawn < m_vertexOf.size(); ++drawn)
    m_colours->SetTypedTuple(static_cast<vtkIdType>(drawn), componentsOf(colours[m_vertexOf[drawn]]).data());
  m_colours->Modified();
  m_surface->GetPointData()->SetScalars(m_colours);
  m_surface->Modified();
}

}  // namespace touchstone
