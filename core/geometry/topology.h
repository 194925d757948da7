#pragma once

#include <array>
#include <string>
#include <vector>

#include "core/math/count.h"
#include "core/math/vec.h"

namespace touchstone {

/// Triangle mesh with its unique features. Positions in the body frame [m]. Triangles are counter-clockwise
/// seen from outside, so that (b−a)×(c−a) points out.
struct TriangleMesh {
  struct Edge {
    int tail, head;   ///< vertices, tail < head except on a boundary
    int left, right;  ///< the two triangles of the edge; `right` = −1 on a boundary. `left` runs tail→head
    double turn;      ///< cosine of the angle between the normals of both triangles; −1 on a boundary
    bool convex;      ///< the far vertex of `right` lies behind the plane of `left`; true on a boundary
  };
  std::vector<Vec3> vertices;
  std::vector<std::array<int, 3>> triangles;
  std::vector<Vec3> normals;                      ///< [triangleCount] unit, outward
  std::vector<Edge> edges;                        ///< unique, sorted by (tail, head)
  std::vector<std::array<int, 3>> triangleEdges;  ///< [triangleCount] edge opposite to corner 0, 1, 2
  std::vector<std::array<int, 3>>
      neighbours;       ///< [triangleCount] triangle across the edge opposite to corner 0, 1, 2; −1 none
  bool closed = false;  ///< every edge has two consistently oriented triangles
};

/// True if a triangle spans an area, so that its normal is more than rounding noise.
bool hasArea(const TriangleMesh& mesh, const std::array<int, 3>& triangle);

/// Computes edges, normals and neighbours from `vertices` and `triangles`.
/// @return empty if the mesh is a manifold with boundary; else the fault, with the triangle or edge
std::string buildTopology(TriangleMesh& mesh);

/// [triangleCount] mean of the corners of each triangle [m].
std::vector<Vec3> triangleCentres(const TriangleMesh& mesh);

/// Consecutive items of an array, on the host or on a device.
struct IndexRange {
  const int *first = nullptr, *last = nullptr;
  TS_HD const int* begin() const { return first; }
  TS_HD const int* end() const { return last; }
  TS_HD int size() const { return static_cast<int>(last - first); }
  TS_HD int operator[](int k) const { return first[k]; }
};

/// A list of indices per item. All lists are in one array, so that loop bodies can read them.
struct IndexLists {
  std::vector<int> firsts{0};  ///< [itemCount + 1] into `items`
  std::vector<int> items;
  void add(const std::vector<int>& list) {
    items.insert(items.end(), list.begin(), list.end());
    firsts.push_back(countOf(items));
  }
  IndexRange operator[](int item) const {
    return {items.data() + firsts[item], items.data() + firsts[item + 1]};
  }
  int size() const { return countOf(firsts) - 1; }
};

/// Convex polytope with polygonal faces. Positions in the body frame [m].
struct Polytope {
  struct Face {
    std::vector<int> vertices;  ///< counter-clockwise seen from outside
    Vec3 normal;                ///< unit, outward
    double offset;              ///< normal · x = offset on the face [m]
  };
  struct Edge {
    int tail, head;
    int left, right;  ///< faces on the left and right of tail→head, seen from outside (Williams 2017: f1, f2)
  };
  std::vector<Vec3> vertices;
  std::vector<Face> faces;
  std::vector<Edge> edges;
  IndexLists vertexEdges;   ///< [vertexCount] edges that end in the vertex, ascending
  IndexLists vertexFaces;   ///< [vertexCount] faces around the vertex, ascending
  IndexLists faceVertices;  ///< [faceCount] as `faces[].vertices`
  /// > 0: the polytope is a convex polygon in the plane z = 0, drawn with this thickness [m]. Its faces are
  /// its sides (two vertices each, counter-clockwise about +z, normals in the plane); face k and edge k run
  /// from vertex k to vertex k + 1.
  double thickness = 0;
  bool planar() const { return thickness > 0; }
};

/// Computes normals, offsets, edges and vertex adjacency from `vertices` and `faces[].vertices`.
/// @return empty if the faces bound a convex polytope; else the fault, with the face or edge
std::string buildTopology(Polytope& polytope);

/// Convex polygon over points in the plane z = 0. Points on or inside the hull that are no corners are
/// dropped.
/// @param thickness  > 0, used for drawing only, not for collision [m]
/// @return empty, or why the points make no polygon
std::string convexPolygon(const std::vector<Vec3>& points, double thickness, Polytope& polygon);

/// Triangles of a prism over a convex polygon of `count` corners, those of the lower end first.
std::vector<std::array<int, 3>> prismTriangles(int count);

/// Surface of a polytope as triangles (a fan per face; a polygon becomes a prism of its thickness, its
/// vertices first at −thickness/2, then at +thickness/2) over the same vertices in the same order.
TriangleMesh triangulated(const Polytope& polytope);

}  // namespace touchstone
