#pragma once

#include <vtkPolyData.h>
#include <vtkSmartPointer.h>

#include <QColor>
#include <array>
#include <vector>

#include "core/geometry/topology.h"

class vtkDoubleArray;
class vtkFloatArray;
class vtkUnsignedCharArray;

namespace touchstone {

/// The drawn surface of a body that deforms, in the world frame. Normals are smooth; across an edge that is
/// sharp at rest they are apart, because there each side has drawn vertices of its own.
class DeformingSurface {
 public:
  explicit DeformingSurface(const TriangleMesh& rest);

  /// Triangles with normals, and the sharp edges as lines.
  vtkPolyData* surface() const { return m_surface; }
  vtkPolyData* edges() const { return m_edges; }

  /// @param vertices  [vertices of the mesh] world [m]
  void place(const std::vector<Vec3>& vertices);
  /// Values that the mapper colours. @param values  [vertices of the mesh]
  void setValues(const std::vector<double>& values);
  /// Colours themselves. @param colours  [vertices of the mesh]
  void setColours(const std::vector<QColor>& colours);

 private:
  std::vector<int> m_vertexOf;                   ///< [drawn vertices] vertex of the mesh
  std::vector<std::array<int, 3>> m_triangles;   ///< of drawn vertices
  std::vector<std::array<int, 2>> m_sharpEdges;  ///< of vertices of the mesh
  vtkSmartPointer<vtkPolyData> m_surface, m_edges;
  vtkSmartPointer<vtkFloatArray> m_normals;
  vtkSmartPointer<vtkDoubleArray> m_values;
  vtkSmartPointer<vtkUnsignedCharArray> m_colours;
};

}  // namespace touchstone
