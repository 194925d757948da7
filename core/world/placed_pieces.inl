#pragma once

#include <algorithm>
#include <map>
#include <vector>

#include "core/geometry/polytope_view.h"
#include "core/math/count.h"
#include "core/parallel/for_each.h"
#include "core/scene/scale.h"
#include "core/world/world.h"

namespace touchstone {

/// Places where the index lists of a shape begin in `listFirsts` and `listItems` of all shapes.
struct ListsPlace {
  int firsts = 0, items = 0;
};

/// Place of the shape of a piece in the arrays of all shapes. Pieces of equal bodies share one shape.
struct PieceShape {
  int vertexCount, faceCount, edgeCount;
  double thickness, shortestEdge;  ///< [m]
  int firstVertex, firstFace, firstEdge;
  ListsPlace vertexEdges, vertexFaces, faceVertices;
};

/// All convex pieces of a world at one pose, as pointers.
struct PiecesView {
  int pieceCount = 0;
  const int* body = nullptr;            ///< [pieceCount]
  const int* bodyFirstPiece = nullptr;  ///< [bodyCount + 1]
  IndexListsView neighbours;            ///< [pieceCount] see PieceTable
  double length = 1;                    ///< lengthOf() the scene [m]
  const int* shape = nullptr;           ///< [pieceCount]
  const PieceShape* shapes = nullptr;
  const Vec3 *shapeVertices = nullptr, *shapeNormals = nullptr;  ///< body frame
  const double* shapeOffsets = nullptr;
  const Polytope::Edge* edges = nullptr;
  const int *listFirsts = nullptr, *listItems = nullptr;
  const int *firstVertex = nullptr, *firstFace = nullptr;  ///< [pieceCount + 1] into the placed arrays
  const int *vertexPiece = nullptr, *facePiece = nullptr;
  Vec3 *vertices = nullptr, *normals = nullptr;  ///< placed, world frame
  double* offsets = nullptr;

  TS_HD double shortestEdge(int piece) const { return shapes[shape[piece]].shortestEdge; }
  TS_HD IndexListsView listsAt(const ListsPlace& place) const {
    return {listFirsts + place.firsts, listItems + place.items};
  }
  TS_HD PolytopeView operator[](int piece) const {
    const PieceShape& pieceShape = shapes[shape[piece]];
    PolytopeView view;
    view.vertexCount = pieceShape.vertexCount;
    view.faceCount = pieceShape.faceCount;
    view.edgeCount = pieceShape.edgeCount;
    view.thickness = pieceShape.thickness;
    view.vertices = vertices + firstVertex[piece];
    view.normals = normals + firstFace[piece];
    view.offsets = offsets + firstFace[piece];
    view.edges = edges + pieceShape.firstEdge;
    view.vertexEdges = listsAt(pieceShape.vertexEdges);
    view.vertexFaces = listsAt(pieceShape.vertexFaces);
    view.faceVertices = listsAt(pieceShape.faceVertices);
    return view;
  }
};

namespace detail {

struct PlacePieceVertex {
  PiecesView pieces;
  const Vec3* position;  // [bodyCount]
  const Quaternion* orientation;
  TS_HD void operator()(int index) const {
    const int piece = pieces.vertexPiece[index], body = pieces.body[piece];
    const int local = pieces.shapes[pieces.shape[piece]].firstVertex + index - pieces.firstVertex[piece];
    pieces.vertices[index] = worldPoint(position[body], orientation[body], pieces.shapeVertices[local]);
  }
};

struct PlacePieceFace {
  PiecesView pieces;
  const Vec3* position;
  const Quaternion* orientation;
  TS_HD void operator()(int index) const {
    const int piece = pieces.facePiece[index], body = pieces.body[piece];
    const int local = pieces.shapes[pieces.shape[piece]].firstFace + index - pieces.firstFace[piece];
    const Vec3 normal = orientation[body] * pieces.shapeNormals[local];
    pieces.normals[index] = normal;
    pieces.offsets[index] = pieces.shapeOffsets[local] + normal.dot(position[body]);
  }
};

/// Shapes in the form in which they are sent to a backend.
struct ShapeArrays {
  std::vector<PieceShape> shapes;
  std::vector<Vec3> vertices, normals;
  std::vector<double> offsets;
  std::vector<Polytope::Edge> edges;
  std::vector<int> listFirsts, listItems;

  void add(const Polytope& polytope) {
    PieceShape shape;
    shape.vertexCount = countOf(polytope.vertices);
    shape.faceCount = countOf(polytope.faces);
    shape.edgeCount = countOf(polytope.edges);
    shape.thickness = polytope.thickness;
    shape.shortestEdge = 1e300;
    for (const Polytope::Edge& edge : polytope.edges)
      shape.shortestEdge =
          std::min(shape.shortestEdge, (polytope.vertices[edge.head] - polytope.vertices[edge.tail]).norm());
    shape.firstVertex = countOf(vertices);
    shape.firstFace = countOf(normals);
    shape.firstEdge = countOf(edges);
    vertices.insert(vertices.end(), polytope.vertices.begin(), polytope.vertices.end());
    for (const Polytope::Face& face : polytope.faces) {
      normals.push_back(face.normal);
      offsets.push_back(face.offset);
    }
    edges.insert(edges.end(), polytope.edges.begin(), polytope.edges.end());
    shape.vertexEdges = add(polytope.vertexEdges);
    shape.vertexFaces = add(polytope.vertexFaces);
    shape.faceVertices = add(polytope.faceVertices);
    shapes.push_back(shape);
  }
  ListsPlace add(const IndexLists& lists) {
    const ListsPlace place{countOf(listFirsts), countOf(listItems)};
    listFirsts.insert(listFirsts.end(), lists.firsts.begin(), lists.firsts.end());
    listItems.insert(listItems.end(), lists.items.begin(), lists.items.end());
    return place;
  }
};

}  // namespace detail

/// The pieces of a world in a backend's memory. The shapes are sent once; place() moves them to a pose.
template <class Backend>
class PlacedPieces {
 public:
  PlacedPieces(const Backend& backend, const World& world) {
    detail::ShapeArrays shapes;
    std::map<const Polytope*, int> known;
    std::vector<int> shape, vertexPiece, facePiece, firstVertex{0}, firstFace{0};
    const PieceTable& table = *world.pieces;
    for (std::size_t piece = 0; piece < table.body.size(); ++piece) {
      const Polytope& polytope = world.scene->bodies[table.body[piece]].shape->pieces[table.index[piece]];
      const auto [entry, isNew] = known.emplace(&polytope, countOf(shapes.shapes));
      if (isNew) shapes.add(polytope);
      shape.push_back(entry->second);
      vertexPiece.insert(vertexPiece.end(), polytope.vertices.size(), static_cast<int>(piece));
      facePiece.insert(facePiece.end(), polytope.faces.size(), static_cast<int>(piece));
      firstVertex.push_back(countOf(vertexPiece));
      firstFace.push_back(countOf(facePiece));
    }
    const std::vector<int> bodyFirstPiece = firstOfEachBody(table.body, world.bodyCount());

    const auto send = [&backend](const auto& items, auto& array, auto& pointer) {
      backend.upload(items.data(), items.size(), array);
      pointer = array.data();
    };
    m_view.pieceCount = countOf(shape);
    send(table.body, m_body, m_view.body);
    send(bodyFirstPiece, m_bodyFirstPiece, m_view.bodyFirstPiece);
    send(table.neighbours.firsts, m_neighbourFirsts, m_view.neighbours.firsts);
    send(table.neighbours.items, m_neighbours, m_view.neighbours.items);
    m_view.length = lengthOf(*world.scene);
    send(shape, m_shape, m_view.shape);
    send(shapes.shapes, m_shapes, m_view.shapes);
    send(shapes.vertices, m_shapeVertices, m_view.shapeVertices);
    send(shapes.normals, m_shapeNormals, m_view.shapeNormals);
    send(shapes.offsets, m_shapeOffsets, m_view.shapeOffsets);
    send(shapes.edges, m_edges, m_view.edges);
    send(shapes.listFirsts, m_listFirsts, m_view.listFirsts);
    send(shapes.listItems, m_listItems, m_view.listItems);
    send(firstVertex, m_firstVertex, m_view.firstVertex);
    send(firstFace, m_firstFace, m_view.firstFace);
    send(vertexPiece, m_vertexPiece, m_view.vertexPiece);
    send(facePiece, m_facePiece, m_view.facePiece);
    for (const PieceShape& pieceShape : shapes.shapes) {
      m_largest.vertexCount = std::max(m_largest.vertexCount, pieceShape.vertexCount);
      m_largest.faceCount = std::max(m_largest.faceCount, pieceShape.faceCount);
      m_largest.edgeCount = std::max(m_largest.edgeCount, pieceShape.edgeCount);
    }
    for (const auto& [polytope, index] : known)
      for (const Polytope::Face& face : polytope->faces)
        m_largestLoop = std::max(m_largestLoop, countOf(face.vertices));
    m_vertexCount = countOf(vertexPiece);
    m_faceCount = countOf(facePiece);
    const auto make = [](int count, auto& array, auto& pointer) {
      array.resize(count);
      pointer = array.data();
    };
    make(m_vertexCount, m_vertices, m_view.vertices);
    make(m_faceCount, m_normals, m_view.normals);
    make(m_faceCount, m_offsets, m_view.offsets);
  }

  /// Computes vertices and faces at a pose.
  /// @param position, orientation  [bodyCount] in the backend's memory
  const PiecesView& place(const Backend& backend, const Vec3* position, const Quaternion* orientation) {
    forEach(backend, m_vertexCount, detail::PlacePieceVertex{m_view, position, orientation});
    forEach(backend, m_faceCount, detail::PlacePieceFace{m_view, position, orientation});
    return m_view;
  }
  const PiecesView& view() const { return m_view; }
  /// Upper bounds of the counts of all pieces; nothing else in the result is set.
  const PolytopeView& largest() const { return m_largest; }
  /// Largest number of vertices of a face.
  int largestLoop() const { return m_largestLoop; }

 private:
  template <class T>
  using Array = typename Backend::template Array<T>;

  PiecesView m_view;
  PolytopeView m_largest;
  int m_vertexCount = 0, m_faceCount = 0, m_largestLoop = 0;
  Array<int> m_body, m_bodyFirstPiece, m_neighbourFirsts, m_neighbours, m_shape, m_listFirsts, m_listItems;
  Array<int> m_firstVertex, m_firstFace, m_vertexPiece, m_facePiece;
  Array<PieceShape> m_shapes;
  Array<Vec3> m_shapeVertices, m_shapeNormals, m_vertices, m_normals;
  Array<double> m_shapeOffsets, m_offsets;
  Array<Polytope::Edge> m_edges;
};

}  // namespace touchstone
