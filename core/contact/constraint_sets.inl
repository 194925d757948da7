#pragma once

#include "core/contact/constraint_sets.h"
#include "core/geometry/aabb.h"
#include "core/parallel/bounded_list.h"

namespace touchstone {

struct FeatureIds {
  int first, second;
};

/// Room for one pair of pieces: what was found, and what the search needs beside it.
struct PairRoom {
  BoundedList<PieceContact> contacts;  ///< distinct
  BoundedList<SetRange> sets;
  BoundedList<int> members;                ///< of all sets, into `contacts`
  BoundedList<FeatureIds> corners;         ///< vertex–vertex pairs that became a set
  BoundedList<FeatureIds> vertexEdges[2];  ///< [vertex on A] vertex, edge of the other piece
  int* numbers = nullptr;                  ///< [roomForNumbers()]
  TS_HD bool isFull() const {
    return contacts.isFull || sets.isFull || members.isFull || corners.isFull || vertexEdges[0].isFull ||
           vertexEdges[1].isFull;
  }
};

/// Vertices and edges near the other piece, the sides of an edge, separation()'s.
TS_HD inline int roomForNumbers(const PolytopeView& a, const PolytopeView& b) {
  return a.vertexCount + b.vertexCount + 2 * (a.edgeCount + b.edgeCount) + 2 + separationRoom(a, b);
}

/// Moves one member of a set to its front, the others keep their order.
TS_HD inline void moveToFront(int* members, int index) {
  const int front = members[index];
  for (int k = index; k > 0; --k) members[k] = members[k - 1];
  members[0] = front;
}

/// Finds the sets of one pair; see findConstraints(). "onA" helpers take the vertex from A or from B.
/// @tparam IsBuried  bool(bool onA, const Vec3& point), see Buried
template <class IsBuried>
class SetBuilder {
 public:
  TS_HD SetBuilder(const PolytopeView& a, const PolytopeView& b, const ConstraintSettings& settings,
                   const IsBuried& buried, PairRoom& room)
      : m_a(a), m_b(b), m_settings(settings), m_buried(buried), m_room(room) {
    int* next = room.numbers;
    const auto take = [&next](int count) {
      int* numbers = next;
      next += count;
      return numbers;
    };
    m_near[true] = take(a.vertexCount);
    m_near[false] = take(b.vertexCount);
    m_nearEdges[true] = take(a.edgeCount);
    m_nearEdges[false] = take(b.edgeCount);
    for (int*& side : m_sides) side = take((a.edgeCount + b.edgeCount) / 2 + 1);
    m_separationRoom = next;
  }

  TS_HD void build() {
    findNearVertices(true);
    findNearVertices(false);
    if (m_a.planar()) {
      planarVertexVertex();
      planarVertexEdge(true);
      planarVertexEdge(false);
    } else {
      vertexVertex();
      vertexEdge(true);
      vertexEdge(false);
      vertexFace(true);
      vertexFace(false);
      edgeEdge();
    }
    recover();
    if (m_settings.reach > m_settings.epsilon) approach();
    for (int set = 0; set < m_room.sets.count; ++set) putPrimaryFirst(m_room.sets.items[set]);
  }

 private:
  // Rounding allowed in "strictly applicable": parallel faces measure exactly 0.
  static constexpr double kStrict = 1e-9;
  static constexpr double kFlatEdge = 0.995;  // η1·η2 above this: the edge is no corner, one U represents it
  static constexpr double kAcross = 1e-6;     // |e·O|/|e| below this: the edge leans to neither side
  static constexpr double kBeyond = 1;        // lengths of an edge beyond its ends that a foot may lie
  static constexpr double kTouching = -1e-4;  // m; a gap above this counts as not violated

  TS_HD const PolytopeView& piece(bool a) const { return a ? m_a : m_b; }

  TS_HD PieceContact cornerFace(bool vertexOnA, int vertex, int face) const {
    return vertexOnA ? vertexFaceContact(m_a, vertex, m_b, face) : faceVertexContact(m_a, face, m_b, vertex);
  }
  /// Two edges that meet at a corner. The feet of nearly parallel ones lie far beyond their ends, where
  /// nothing of the pieces is: with such arms the row would hold still what turns. They count as parallel.
  TS_HD bool edgesMeet(int edgeA, int edgeB, PieceContact& contact) const {
    return edgeEdgeContact(m_a, edgeA, m_b, edgeB, contact) && isNearEdge(m_a, edgeA, contact.pointA) &&
           isNearEdge(m_b, edgeB, contact.pointB);
  }
  TS_HD static bool isNearEdge(const PolytopeView& p, int edge, const Vec3& foot) {
    const Vec3 along = p.along(edge);
    const double share = along.dot(foot - p.vertices[p.edges[edge].tail]) / along.squaredNorm();
    return share >= -kBeyond && share <= 1 + kBeyond;
  }

  TS_HD int indexOf(const PieceContact& contact) const {
    for (int index = 0; index < m_room.contacts.count; ++index)
      if (m_room.contacts.items[index].sameFeatures(contact)) return index;
    return -1;
  }
  TS_HD bool isUsed(const PieceContact& contact) const { return indexOf(contact) >= 0; }
  /// The contact's index; 0 where there is no room, which is noted.
  TS_HD int add(const PieceContact& contact) {
    const int known = indexOf(contact);
    if (known >= 0) return known;
    m_room.contacts.push(contact);
    return m_room.contacts.count > 0 ? m_room.contacts.count - 1 : 0;
  }
  TS_HD void addSet(ConstraintType type, int first) {
    m_room.sets.push({type, first, m_room.members.count - first});
  }
  TS_HD void addUnilateral(const PieceContact& contact) { addUnilateral(add(contact)); }
  TS_HD void addUnilateral(int contact) {
    m_room.members.push(contact);
    addSet(ConstraintType::U, m_room.members.count - 1);
  }

  TS_HD static bool has(const BoundedList<FeatureIds>& list, int first, int second) {
    for (int k = 0; k < list.count; ++k)
      if (list.items[k].first == first && list.items[k].second == second) return true;
    return false;
  }
  /// True if a vertex (of A if onA) and one of the other piece became a set.
  TS_HD bool isCorner(bool onA, int vertex, int other) const {
    return onA ? has(m_room.corners, vertex, other) : has(m_room.corners, other, vertex);
  }

  TS_HD void findNearVertices(bool onA) {
    const PolytopeView &own = piece(onA), &other = piece(!onA);
    for (int vertex = 0; vertex < own.vertexCount; ++vertex) {
      bool near = true;
      for (int face = 0; face < other.faceCount && near; ++face)
        near = other.normals[face].dot(own.vertices[vertex]) - other.offsets[face] <= m_settings.epsilon;
      if (near && !m_buried(onA, own.vertices[vertex])) m_near[onA][m_nearCount[onA]++] = vertex;
    }
  }

  TS_HD void vertexVertex() {
    for (int i = 0; i < m_nearCount[true]; ++i)
      for (int k = 0; k < m_nearCount[false]; ++k) {
        const int va = m_near[true][i], vb = m_near[false][k];
        if ((m_a.vertices[va] - m_b.vertices[vb]).norm() > m_settings.epsilon) continue;
        const int first = m_room.members.count;
        for (int face : m_b.vertexFaces[vb]) addIfStrict(vertexFaceContact(m_a, va, m_b, face));
        for (int face : m_a.vertexFaces[va]) addIfStrict(faceVertexContact(m_a, face, m_b, vb));
        for (int ea : m_a.vertexEdges[va])
          for (int eb : m_b.vertexEdges[vb]) {
            PieceContact contact;
            if (edgesMeet(ea, eb, contact)) addIfStrict(contact);
          }
        const int count = m_room.members.count - first;
        if (count == 0) continue;
        addSet(count == 1 ? ConstraintType::U : ConstraintType::I, first);
        m_room.corners.push({va, vb});
      }
  }
  TS_HD void addIfStrict(const PieceContact& contact) {
    if (contact.applicability >= -kStrict) m_room.members.push(add(contact));
  }

  /// Two corners of polygons: passing on one side keeps C1 and C3, on the other C2 and C4.
  TS_HD void planarVertexVertex() {
    for (int i = 0; i < m_nearCount[true]; ++i)
      for (int k = 0; k < m_nearCount[false]; ++k) {
        const int va = m_near[true][i], vb = m_near[false][k];
        if ((m_a.vertices[va] - m_b.vertices[vb]).norm() > m_settings.epsilon) continue;
        const int intoA = (va + m_a.vertexCount - 1) % m_a.vertexCount,
                  intoB = (vb + m_b.vertexCount - 1) % m_b.vertexCount;
        m_sideCount[0] = m_sideCount[1] = 0;
        addToSide(0, cornerFace(true, va, vb));  // edge k runs from vertex k: out of it
        addToSide(0, cornerFace(false, vb, va));
        addToSide(1, cornerFace(true, va, intoB));
        addToSide(1, cornerFace(false, vb, intoA));
        if (addProduct()) m_room.corners.push({va, vb});
      }
  }

  /// True if the contact's face is the back of a piece whose other face the point touches.
  /// @param point  of the contact on one piece   @param other  the other piece
  TS_HD bool isTooDeep(const PieceContact& contact, const Vec3& point, const PolytopeView& other) {
    constexpr double kRounding = 1e-6;  // of δ: what touches a face may lie inside it by a solver's tolerance
    if (contact.psi >= -m_settings.feasibleDepth) return false;
    m_foundDeep = true;
    for (int face = 0; face < other.faceCount; ++face)
      if (other.normals[face].dot(point) - other.offsets[face] > -kRounding * m_settings.feasibleDepth)
        return true;
    return false;
  }

  /// The point of a segment that is closest to v.
  TS_HD static Vec3 footOn(const Vec3& tail, const Vec3& along, const Vec3& v) {
    const double share = along.dot(v - tail) / along.squaredNorm();
    return tail + (share > 0 ? (share < 1 ? share : 1.0) : 0.0) * along;
  }

  /// Vertex v of one polygon (of A if onA) near an edge of the other: U.
  TS_HD void planarVertexEdge(bool onA) {
    const PolytopeView &own = piece(onA), &other = piece(!onA);
    for (int i = 0; i < m_nearCount[onA]; ++i)
      for (int edge = 0; edge < other.vertexCount; ++edge) {
        const int vertex = m_near[onA][i], head = (edge + 1) % other.vertexCount;
        if (isCorner(onA, vertex, edge) || isCorner(onA, vertex, head)) continue;
        const Vec3 &v = own.vertices[vertex], &tail = other.vertices[edge];
        const Vec3 foot = footOn(tail, other.vertices[head] - tail, v);
        const PieceContact contact = cornerFace(onA, vertex, edge);
        if ((v - foot).norm() > m_settings.epsilon || contact.applicability < -m_settings.epsilonTheta ||
            isTooDeep(contact, v, other) || isUsed(contact) || m_buried(!onA, foot))
          continue;
        addUnilateral(contact);
      }
  }

  /// Vertex v of one piece (of A if onA) near an edge of the other.
  TS_HD void vertexEdge(bool onA) {
    const PolytopeView &own = piece(onA), &other = piece(!onA);
    for (int i = 0; i < m_nearCount[onA]; ++i)
      for (int edge = 0; edge < other.edgeCount; ++edge) {
        const int vertex = m_near[onA][i];
        const Polytope::Edge& e = other.edges[edge];
        if (isCorner(onA, vertex, e.tail) || isCorner(onA, vertex, e.head)) continue;
        const Vec3& v = own.vertices[vertex];
        const Vec3 foot = footOn(other.vertices[e.tail], other.along(edge), v);
        if ((v - foot).norm() > m_settings.epsilon || m_buried(!onA, foot)) continue;
        addVertexEdge(onA, vertex, edge);
        m_room.vertexEdges[onA].push({vertex, edge});
      }
  }

  TS_HD void addVertexEdge(bool onA, int vertex, int edge) {
    const PolytopeView& other = piece(!onA);
    const Polytope::Edge& e = other.edges[edge];
    if (other.normals[e.left].dot(other.normals[e.right]) > kFlatEdge) {
      addUnilateral(cornerFace(onA, vertex, e.left));
      return;
    }
    m_sideCount[0] = m_sideCount[1] = 0;
    addToSide(0, cornerFace(onA, vertex, e.left));
    addLeaning(0, onA, vertex, edge);
    addToSide(1, cornerFace(onA, vertex, e.right));
    addLeaning(1, onA, vertex, edge);
    addProduct();
  }

  /// Edges of the vertex that lean to the left face block passing on the right together with face f2, and the
  /// other way round.
  TS_HD void addLeaning(int side, bool onA, int vertex, int edge) {
    const PolytopeView& own = piece(onA);
    const Vec3 across = edgeCross(piece(!onA), edge);
    for (int ownEdge : own.vertexEdges[vertex]) {
      const Polytope::Edge& o = own.edges[ownEdge];
      const Vec3 away = own.vertices[o.tail == vertex ? o.head : o.tail] - own.vertices[vertex];
      const double lean = away.dot(across);
      PieceContact contact;
      if (std::abs(lean) > kAcross * away.norm() && (lean < 0 ? 0 : 1) == side &&
          edgesMeet(onA ? ownEdge : edge, onA ? edge : ownEdge, contact))
        addToSide(side, contact);
    }
  }

  /// Inapplicable contacts are dropped.
  TS_HD void addToSide(int side, const PieceContact& contact) {
    if (contact.applicability >= -m_settings.epsilonTheta) m_sides[side][m_sideCount[side]++] = add(contact);
  }

  /// A set for every pair out of both sides: I if both are of one vertex, else X. The contacts of one side as
  /// U if the other is empty.
  /// @return false if nothing was left
  TS_HD bool addProduct() {
    if (m_sideCount[0] == 0 || m_sideCount[1] == 0) {
      const int side = m_sideCount[0] == 0 ? 1 : 0;
      for (int k = 0; k < m_sideCount[side]; ++k) addUnilateral(m_sides[side][k]);
      return m_sideCount[side] > 0;
    }
    for (int i = 0; i < m_sideCount[0]; ++i)
      for (int k = 0; k < m_sideCount[1]; ++k) {
        const int pair[2] = {m_sides[0][i], m_sides[1][k]};
        const PieceContact &c1 = m_room.contacts.items[pair[0]], &c2 = m_room.contacts.items[pair[1]];
        const bool sameVertex = c1.kind == FeaturePairKind::VertexFace &&
                                c2.kind == FeaturePairKind::VertexFace && c1.vertexOnA == c2.vertexOnA;
        const int first = m_room.members.count;
        m_room.members.push(pair[0]);
        m_room.members.push(pair[1]);
        addSet(sameVertex ? ConstraintType::I : ConstraintType::X, first);
      }
    return true;
  }

  /// True if the vertex was taken as a corner or beside an edge of this face.
  TS_HD bool isHandled(bool onA, int vertex, int face) const {
    const PolytopeView& other = piece(!onA);
    for (int end : other.faceVertices[face])
      if (isCorner(onA, vertex, end)) return true;
    const BoundedList<FeatureIds>& taken = m_room.vertexEdges[onA];
    for (int k = 0; k < taken.count; ++k) {
      const Polytope::Edge& e = other.edges[taken.items[k].second];
      if (taken.items[k].first == vertex && (e.left == face || e.right == face)) return true;
    }
    return false;
  }

  TS_HD void vertexFace(bool onA) {
    const PolytopeView &own = piece(onA), &other = piece(!onA);
    for (int i = 0; i < m_nearCount[onA]; ++i)
      for (int face = 0; face < other.faceCount; ++face) {
        const int vertex = m_near[onA][i];
        const PieceContact contact = cornerFace(onA, vertex, face);
        if (std::abs(contact.psi) > m_settings.epsilon || contact.applicability < -m_settings.epsilonTheta)
          continue;
        if (isTooDeep(contact, own.vertices[vertex], other)) continue;
        if (isHandled(onA, vertex, face) || isUsed(contact)) continue;
        const Vec3& foot = onA ? contact.pointB : contact.pointA;
        if (isInsideFace(other, face, foot) && !m_buried(!onA, foot)) addUnilateral(contact);
      }
  }

  TS_HD static bool isInsideFace(const PolytopeView& p, int face, const Vec3& foot) {
    const IndexRange loop = p.faceVertices[face];
    for (int k = 0; k < loop.size(); ++k) {
      const Vec3& from = p.vertices[loop[k]];
      const Vec3 along = p.vertices[loop[(k + 1) % loop.size()]] - from;
      if (p.normals[face].cross(along).dot(foot - from) < 0) return false;
    }
    return true;
  }

  /// @return the number of edges whose boxes the other piece comes near
  TS_HD int findNearEdges(bool onA) {
    const PolytopeView &own = piece(onA), &other = piece(!onA);
    Aabb box = boxOf(other);
    box.grow(m_settings.epsilon);
    int count = 0;
    for (int edge = 0; edge < own.edgeCount; ++edge) {
      Aabb ownBox;
      ownBox.add(own.vertices[own.edges[edge].tail]);
      ownBox.add(own.vertices[own.edges[edge].head]);
      if (overlap(box, ownBox)) m_nearEdges[onA][count++] = edge;
    }
    return count;
  }

  TS_HD void edgeEdge() {
    const int countA = findNearEdges(true), countB = findNearEdges(false);
    for (int i = 0; i < countA; ++i)
      for (int k = 0; k < countB; ++k) addEdges(m_nearEdges[true][i], m_nearEdges[false][k]);
  }

  TS_HD void addEdges(int ea, int eb) {
    const Polytope::Edge &a = m_a.edges[ea], &b = m_b.edges[eb];
    double s, t;
    const double distance = segmentDistance(m_a.vertices[a.tail], m_a.vertices[a.head], m_b.vertices[b.tail],
                                            m_b.vertices[b.head], s, t);
    if (distance > m_settings.epsilon || s <= 0 || s >= 1 || t <= 0 || t >= 1) return;
    for (int end = 0; end < 2; ++end) {
      const int va = end == 0 ? a.tail : a.head, vb = end == 0 ? b.tail : b.head;
      if (has(m_room.vertexEdges[true], va, eb) || isCorner(true, va, b.tail) || isCorner(true, va, b.head) ||
          has(m_room.vertexEdges[false], vb, ea))
        return;
    }
    PieceContact contact;
    if (!edgeEdgeContact(m_a, ea, m_b, eb, contact) || contact.applicability < -m_settings.epsilonTheta)
      return;
    if (isUsed(contact) || m_buried(true, contact.pointA) || m_buried(false, contact.pointB)) return;
    if (!isTooDeep(contact, contact.pointA, m_b)) addUnilateral(contact);
  }

  /// True if the vertex lies deeper than δ behind every face of the other piece: it is inside, and near none
  /// of them.
  TS_HD bool isDeep(bool onA, int vertex) const {
    const PolytopeView& other = piece(!onA);
    const Vec3& v = piece(onA).vertices[vertex];
    for (int face = 0; face < other.faceCount; ++face)
      if (other.normals[face].dot(v) - other.offsets[face] >= -m_settings.feasibleDepth) return false;
    return true;
  }

  /// Pieces that overlap deeper than δ (the linearisation of an earlier step erred) have few near features,
  /// or none. The feature that separates them best is then the only sensible direction: every vertex behind
  /// it, as U.
  TS_HD void recover() {
    bool suspect =
        m_foundDeep || (m_room.sets.count == 0 && (m_nearCount[true] > 0 || m_nearCount[false] > 0));
    for (int side = 0; side < 2 && !suspect; ++side)
      for (int k = 0; k < m_nearCount[side] && !suspect; ++k) suspect = isDeep(side == 1, m_near[side][k]);
    SeparatingFeature best;
    if (!suspect || separation(m_a, m_b, m_separationRoom, nullptr, &best) >= -m_settings.feasibleDepth)
      return;
    if (best.kind == SeparatingFeature::Kind::Edges) {
      PieceContact contact;
      if (edgeEdgeContact(m_a, best.a, m_b, best.b, contact) && !isUsed(contact)) addUnilateral(contact);
      return;
    }
    const bool faceOnA = best.kind == SeparatingFeature::Kind::FaceOfA;
    for (int vertex = 0; vertex < piece(!faceOnA).vertexCount; ++vertex) {
      const PieceContact contact = cornerFace(!faceOnA, vertex, faceOnA ? best.a : best.b);
      if (contact.psi < 0 && !isUsed(contact) &&
          !m_buried(faceOnA, faceOnA ? contact.pointA : contact.pointB))
        addUnilateral(contact);
    }
  }

  /// ε stays below a third of the shortest edge, or a vertex would lie in several corner sets at once. What
  /// may still arrive within the step from farther away has one plane to respect, that of the best separating
  /// face.
  TS_HD void approach() {
    SeparatingFeature best;
    const double gap = separation(m_a, m_b, m_separationRoom, nullptr, &best);
    if (gap > m_settings.reach || best.kind == SeparatingFeature::Kind::Edges) return;
    const bool faceOnA = best.kind == SeparatingFeature::Kind::FaceOfA;
    for (int vertex = 0; vertex < piece(!faceOnA).vertexCount; ++vertex) {
      const PieceContact contact = cornerFace(!faceOnA, vertex, faceOnA ? best.a : best.b);
      if (contact.psi > m_settings.epsilon && contact.psi <= m_settings.reach && !isUsed(contact))
        addUnilateral(contact);
    }
  }

  /// The primary: the smallest ψ ≥ −1e-4 m, else the largest ψ.
  TS_HD void putPrimaryFirst(const SetRange& set) {
    int* members = m_room.members.items + set.first;
    const auto psi = [&](int k) { return m_room.contacts.items[members[k]].psi; };
    int best = -1, largest = 0;
    for (int k = 0; k < set.count; ++k) {
      if (psi(k) >= kTouching && (best < 0 || psi(k) < psi(best))) best = k;
      if (psi(k) > psi(largest)) largest = k;
    }
    moveToFront(members, best >= 0 ? best : largest);
  }

  const PolytopeView &m_a, &m_b;
  const ConstraintSettings& m_settings;
  const IsBuried& m_buried;
  PairRoom& m_room;
  int* m_near[2];  ///< [on A] vertices near the other piece
  int m_nearCount[2] = {0, 0};
  int* m_nearEdges[2];
  int* m_sides[2];  ///< contacts of the side of an edge
  int m_sideCount[2] = {0, 0};
  int* m_separationRoom;
  bool m_foundDeep = false;  ///< a contact near enough is deeper than δ
};

}  // namespace touchstone
