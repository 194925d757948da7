#include "core/contact/constraint_sets.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "core/geometry/aabb.h"

namespace touchstone {

namespace {

constexpr double kStrict =
    1e-9;  // rounding allowed in "strictly applicable": parallel faces measure exactly 0
constexpr double kFlatEdge = 0.995;  // η1·η2 above this: the edge is no corner, one U represents it
constexpr double kAcross = 1e-6;     // |e·O|/|e| below this: the edge leans to neither side

/// Collects the constraints of one pair; "mirrored" helpers take the vertex from B.
class SetBuilder {
 public:
  SetBuilder(const PlacedPolytope& a, const PlacedPolytope& b, const ConstraintSettings& settings,
             const Buried& buried)
      : m_a(a), m_b(b), m_settings(settings), m_buried(buried) {}

  PairConstraints build() {
    const double reach = m_settings.epsilon;
    for (bool onA : {true, false}) {
      const PlacedPolytope &own = piece(onA), &other = piece(!onA);
      for (std::size_t vertex = 0; vertex < own.vertices.size(); ++vertex) {
        bool near = true;
        for (std::size_t face = 0; face < other.normals.size() && near; ++face)
          near = other.normals[face].dot(own.vertices[vertex]) - other.offsets[face] <= reach;
        if (near && !m_buried(onA, own.vertices[vertex])) near_(onA).push_back(static_cast<int>(vertex));
      }
    }
    if (m_a.polytope->planar()) {
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
    for (ConstraintSet& set : m_result.sets) putPrimaryFirst(m_result.contacts, set);
    return std::move(m_result);
  }

 private:
  using Corner = std::pair<int, int>;

  const PlacedPolytope& piece(bool a) const { return a ? m_a : m_b; }
  std::vector<int>& near_(bool a) { return a ? m_nearA : m_nearB; }

  PieceContact cornerFace(bool vertexOnA, int vertex, int face) const {
    return vertexOnA ? vertexFaceContact(m_a, vertex, m_b, face) : faceVertexContact(m_a, face, m_b, vertex);
  }
  bool edges(bool firstOnA, int first, int second, PieceContact& contact) const {
    return firstOnA ? edgeEdgeContact(m_a, first, m_b, second, contact)
                    : edgeEdgeContact(m_a, second, m_b, first, contact);
  }

  int add(const PieceContact& contact) {
    for (std::size_t index = 0; index < m_result.contacts.size(); ++index)
      if (m_result.contacts[index].sameFeatures(contact)) return static_cast<int>(index);
    m_result.contacts.push_back(contact);
    return static_cast<int>(m_result.contacts.size()) - 1;
  }
  bool isUsed(const PieceContact& contact) const {
    return std::any_of(m_result.contacts.begin(), m_result.contacts.end(),
                       [&](const PieceContact& other) { return other.sameFeatures(contact); });
  }
  void addUnilateral(const PieceContact& contact) {
    m_result.sets.push_back({ConstraintType::U, {add(contact)}});
  }

  void vertexVertex() {
    for (int va : m_nearA)
      for (int vb : m_nearB) {
        if ((m_a.vertices[va] - m_b.vertices[vb]).norm() > m_settings.epsilon) continue;
        std::vector<PieceContact> strict;
        for (int face : m_b.polytope->vertexFaces[vb])
          strict.push_back(vertexFaceContact(m_a, va, m_b, face));
        for (int face : m_a.polytope->vertexFaces[va])
          strict.push_back(faceVertexContact(m_a, face, m_b, vb));
        for (int ea : m_a.polytope->vertexEdges[va])
          for (int eb : m_b.polytope->vertexEdges[vb]) {
            PieceContact contact;
            if (edgeEdgeContact(m_a, ea, m_b, eb, contact)) strict.push_back(contact);
          }
        ConstraintSet set{ConstraintType::I, {}};
        for (const PieceContact& contact : strict)
          if (contact.applicability >= -kStrict) set.contacts.push_back(add(contact));
        if (set.contacts.empty()) continue;
        if (set.contacts.size() == 1) set.type = ConstraintType::U;
        m_result.sets.push_back(set);
        m_corners.insert({va, vb});
      }
  }

  /// Two corners of polygons: passing on one side keeps C1 and C3, on the other C2 and C4.
  void planarVertexVertex() {
    const int countA = static_cast<int>(m_a.vertices.size()), countB = static_cast<int>(m_b.vertices.size());
    for (int va : m_nearA)
      for (int vb : m_nearB) {
        if ((m_a.vertices[va] - m_b.vertices[vb]).norm() > m_settings.epsilon) continue;
        const int outOfA = va, intoA = (va + countA - 1) % countA, outOfB = vb,
                  intoB = (vb + countB - 1) % countB;
        const std::vector<PieceContact> sides[2] = {
            {cornerFace(true, va, outOfB), cornerFace(false, vb, outOfA)},
            {cornerFace(true, va, intoB), cornerFace(false, vb, intoA)}};
        if (addProduct(sides)) m_corners.insert({va, vb});
      }
  }

  /// @param point  of the contact on one piece   @param other  the other piece
  bool isTooDeep(const PieceContact& contact, const Vec3& point, const PlacedPolytope& other) {
    if (contact.psi >= -m_settings.feasibleDepth) return false;
    m_foundDeep = true;
    for (std::size_t face = 0; face < other.normals.size(); ++face)
      if (other.normals[face].dot(point) - other.offsets[face] > 0) return true;
    return false;
  }

  /// Vertex v of one polygon (of A if onA) near an edge of the other: U.
  void planarVertexEdge(bool onA) {
    const PlacedPolytope &own = piece(onA), &other = piece(!onA);
    const int count = static_cast<int>(other.vertices.size());
    for (int vertex : near_(onA))
      for (int edge = 0; edge < count; ++edge) {
        const int head = (edge + 1) % count;
        const auto corner = [&](int end) { return onA ? Corner{vertex, end} : Corner{end, vertex}; };
        if (m_corners.count(corner(edge)) || m_corners.count(corner(head))) continue;
        const Vec3 &v = own.vertices[vertex], &tail = other.vertices[edge],
                   along = other.vertices[head] - tail;
        const double share = std::min(1.0, std::max(0.0, along.dot(v - tail) / along.squaredNorm()));
        const Vec3 foot = tail + share * along;
        const PieceContact contact = cornerFace(onA, vertex, edge);
        if ((v - foot).norm() > m_settings.epsilon || contact.applicability < -m_settings.epsilonTheta ||
            isTooDeep(contact, v, other) || isUsed(contact) || m_buried(!onA, foot))
          continue;
        addUnilateral(contact);
      }
  }

  /// Vertex v of one piece (of A if onA) near an edge of the other.
  void vertexEdge(bool onA) {
    const PlacedPolytope &own = piece(onA), &other = piece(!onA);
    for (int vertex : near_(onA))
      for (std::size_t edge = 0; edge < other.polytope->edges.size(); ++edge) {
        const Polytope::Edge& e = other.polytope->edges[edge];
        const auto corner = [&](int end) { return onA ? Corner{vertex, end} : Corner{end, vertex}; };
        if (m_corners.count(corner(e.tail)) || m_corners.count(corner(e.head))) continue;
        const Vec3 &v = own.vertices[vertex], &tail = other.vertices[e.tail],
                   along = other.vertices[e.head] - tail;
        const double share = std::min(1.0, std::max(0.0, along.dot(v - tail) / along.squaredNorm()));
        const Vec3 foot = tail + share * along;
        if ((v - foot).norm() > m_settings.epsilon || m_buried(!onA, foot)) continue;
        addVertexEdge(onA, vertex, static_cast<int>(edge));
        m_vertexEdges[onA].insert({vertex, static_cast<int>(edge)});
      }
  }

  void addVertexEdge(bool onA, int vertex, int edge) {
    const PlacedPolytope &own = piece(onA), &other = piece(!onA);
    const Polytope::Edge& e = other.polytope->edges[edge];
    if (other.normals[e.left].dot(other.normals[e.right]) > kFlatEdge) {
      addUnilateral(cornerFace(onA, vertex, e.left));
      return;
    }
    const Vec3 across = edgeCross(other, edge);
    std::vector<PieceContact> sides[2] = {{cornerFace(onA, vertex, e.left)},
                                          {cornerFace(onA, vertex, e.right)}};
    for (int own_edge : own.polytope->vertexEdges[vertex]) {
      const Polytope::Edge& o = own.polytope->edges[own_edge];
      const Vec3 away = own.vertices[o.tail == vertex ? o.head : o.tail] - own.vertices[vertex];
      const double lean = away.dot(across);
      PieceContact contact;
      if (std::abs(lean) <= kAcross * away.norm() || !edges(onA, own_edge, edge, contact)) continue;
      // An edge that leans to the left face blocks passing on the right together with face f2, and the other
      // way round.
      sides[lean < 0 ? 0 : 1].push_back(contact);
    }
    addProduct(sides);
  }

  /// A set for every pair out of both sides, after the inapplicable contacts have been dropped from each: I
  /// if both are of one vertex, else X. The contacts of one side as U if the other is empty.
  /// @return false if nothing was left
  bool addProduct(const std::vector<PieceContact> (&sides)[2]) {
    std::vector<int> lists[2];
    for (int side = 0; side < 2; ++side)
      for (const PieceContact& contact : sides[side])
        if (contact.applicability >= -m_settings.epsilonTheta) lists[side].push_back(add(contact));
    if (lists[0].empty() || lists[1].empty()) {
      const std::vector<int>& rest = lists[0].empty() ? lists[1] : lists[0];
      for (int contact : rest) m_result.sets.push_back({ConstraintType::U, {contact}});
      return !rest.empty();
    }
    for (int first : lists[0])
      for (int second : lists[1]) {
        const PieceContact &c1 = m_result.contacts[first], &c2 = m_result.contacts[second];
        const bool sameVertex = c1.kind == FeaturePairKind::VertexFace &&
                                c2.kind == FeaturePairKind::VertexFace && c1.vertexOnA == c2.vertexOnA;
        m_result.sets.push_back({sameVertex ? ConstraintType::I : ConstraintType::X, {first, second}});
      }
    return true;
  }

  /// True if the vertex was taken as a corner or beside an edge of this face.
  bool isHandled(bool onA, int vertex, int face) const {
    const PlacedPolytope& other = piece(!onA);
    for (int end : other.polytope->faces[face].vertices)
      if (m_corners.count(onA ? Corner{vertex, end} : Corner{end, vertex})) return true;
    const auto& taken = m_vertexEdges[onA];
    return std::any_of(taken.begin(), taken.end(), [&](const auto& pair) {
      const Polytope::Edge& e = other.polytope->edges[pair.second];
      return pair.first == vertex && (e.left == face || e.right == face);
    });
  }

  void vertexFace(bool onA) {
    const PlacedPolytope &own = piece(onA), &other = piece(!onA);
    for (int vertex : near_(onA))
      for (std::size_t face = 0; face < other.normals.size(); ++face) {
        const PieceContact contact = cornerFace(onA, vertex, static_cast<int>(face));
        if (std::abs(contact.psi) > m_settings.epsilon || contact.applicability < -m_settings.epsilonTheta)
          continue;
        if (isTooDeep(contact, own.vertices[vertex], other)) continue;
        if (isHandled(onA, vertex, static_cast<int>(face)) || isUsed(contact)) continue;
        const Vec3& foot = onA ? contact.pointB : contact.pointA;
        if (isInsideFace(other, static_cast<int>(face), foot) && !m_buried(!onA, foot))
          addUnilateral(contact);
      }
  }

  bool isInsideFace(const PlacedPolytope& p, int face, const Vec3& foot) const {
    const std::vector<int>& loop = p.polytope->faces[face].vertices;
    for (std::size_t k = 0; k < loop.size(); ++k) {
      const Vec3 &from = p.vertices[loop[k]], along = p.vertices[loop[(k + 1) % loop.size()]] - from;
      if (p.normals[face].cross(along).dot(foot - from) < 0) return false;
    }
    return true;
  }

  void edgeEdge() {
    std::vector<int> nearEdges[2];
    for (bool onA : {true, false}) {
      const PlacedPolytope &own = piece(onA), &other = piece(!onA);
      Aabb box;
      for (const Vec3& vertex : other.vertices) box.add(vertex);
      box.grow(m_settings.epsilon);
      for (std::size_t edge = 0; edge < own.polytope->edges.size(); ++edge) {
        Aabb own_box;
        own_box.add(own.vertices[own.polytope->edges[edge].tail]);
        own_box.add(own.vertices[own.polytope->edges[edge].head]);
        if (overlap(box, own_box)) nearEdges[onA].push_back(static_cast<int>(edge));
      }
    }
    for (int ea : nearEdges[true])
      for (int eb : nearEdges[false]) addEdges(ea, eb);
  }

  void addEdges(int ea, int eb) {
    const Polytope::Edge &a = m_a.polytope->edges[ea], &b = m_b.polytope->edges[eb];
    double s, t;
    const double distance = segmentDistance(m_a.vertices[a.tail], m_a.vertices[a.head], m_b.vertices[b.tail],
                                            m_b.vertices[b.head], s, t);
    if (distance > m_settings.epsilon || s <= 0 || s >= 1 || t <= 0 || t >= 1) return;
    for (int va : {a.tail, a.head}) {
      if (m_vertexEdges[true].count({va, eb}) || m_corners.count({va, b.tail}) ||
          m_corners.count({va, b.head}))
        return;
    }
    for (int vb : {b.tail, b.head})
      if (m_vertexEdges[false].count({vb, ea})) return;
    PieceContact contact;
    if (!edgeEdgeContact(m_a, ea, m_b, eb, contact) || contact.applicability < -m_settings.epsilonTheta)
      return;
    if (isUsed(contact) || m_buried(true, contact.pointA) || m_buried(false, contact.pointB)) return;
    if (!isTooDeep(contact, contact.pointA, m_b)) addUnilateral(contact);
  }

  /// True if the vertex lies deeper than δ behind every face of the other piece: it is inside, and near none
  /// of them.
  bool isDeep(bool onA, int vertex) const {
    const PlacedPolytope& other = piece(!onA);
    const Vec3& v = piece(onA).vertices[vertex];
    for (std::size_t face = 0; face < other.normals.size(); ++face)
      if (other.normals[face].dot(v) - other.offsets[face] >= -m_settings.feasibleDepth) return false;
    return true;
  }

  /// Pieces that overlap deeper than δ (the linearisation of an earlier step erred) have few near features,
  /// or none. The feature that separates them best is then the only sensible direction: every vertex behind
  /// it, as U.
  void recover() {
    bool suspect = m_foundDeep || (m_result.sets.empty() && !(m_nearA.empty() && m_nearB.empty()));
    for (bool onA : {true, false})
      for (int vertex : near_(onA)) suspect = suspect || isDeep(onA, vertex);
    SeparatingFeature best;
    if (!suspect || separation(m_a, m_b, nullptr, &best) >= -m_settings.feasibleDepth) return;
    if (best.kind == SeparatingFeature::Kind::Edges) {
      PieceContact contact;
      if (edgeEdgeContact(m_a, best.a, m_b, best.b, contact) && !isUsed(contact)) addUnilateral(contact);
      return;
    }
    const bool faceOnA = best.kind == SeparatingFeature::Kind::FaceOfA;
    for (std::size_t vertex = 0; vertex < piece(!faceOnA).vertices.size(); ++vertex) {
      const PieceContact contact = cornerFace(!faceOnA, static_cast<int>(vertex), faceOnA ? best.a : best.b);
      if (contact.psi < 0 && !isUsed(contact) &&
          !m_buried(faceOnA, faceOnA ? contact.pointA : contact.pointB))
        addUnilateral(contact);
    }
  }

  /// ε stays below a third of the shortest edge, or a vertex would lie in several corner sets at once. What
  /// may still arrive within the step from farther away has one plane to respect, that of the best separating
  /// face.
  void approach() {
    SeparatingFeature best;
    const double gap = separation(m_a, m_b, nullptr, &best);
    if (gap > m_settings.reach || best.kind == SeparatingFeature::Kind::Edges) return;
    const bool faceOnA = best.kind == SeparatingFeature::Kind::FaceOfA;
    for (std::size_t vertex = 0; vertex < piece(!faceOnA).vertices.size(); ++vertex) {
      const PieceContact contact = cornerFace(!faceOnA, static_cast<int>(vertex), faceOnA ? best.a : best.b);
      if (contact.psi > m_settings.epsilon && contact.psi <= m_settings.reach && !isUsed(contact))
        addUnilateral(contact);
    }
  }

  const PlacedPolytope &m_a, &m_b;
  const ConstraintSettings& m_settings;
  const Buried& m_buried;
  std::vector<int> m_nearA, m_nearB;
  std::set<Corner> m_corners;                      ///< vertex–vertex pairs that became a set
  std::set<std::pair<int, int>> m_vertexEdges[2];  ///< [vertex on A] vertex, edge of the other piece
  bool m_foundDeep = false;                        ///< a contact near enough is deeper than δ
  PairConstraints m_result;
};

void moveToFront(ConstraintSet& set, std::size_t index) {
  std::rotate(set.contacts.begin(), set.contacts.begin() + static_cast<std::ptrdiff_t>(index),
              set.contacts.begin() + static_cast<std::ptrdiff_t>(index) + 1);
}

}  // namespace

PairConstraints findConstraints(const PlacedPolytope& a, const PlacedPolytope& b,
                                const ConstraintSettings& settings, const Buried& buried) {
  return SetBuilder(a, b, settings, buried).build();
}

void putPrimaryFirst(const std::vector<PieceContact>& contacts, ConstraintSet& set) {
  constexpr double kTouching = -1e-4;  // m; a gap above this counts as not violated
  std::size_t best = set.contacts.size();
  for (std::size_t index = 0; index < set.contacts.size(); ++index) {
    const double psi = contacts[set.contacts[index]].psi;
    if (psi >= kTouching && (best == set.contacts.size() || psi < contacts[set.contacts[best]].psi))
      best = index;
  }
  if (best == set.contacts.size()) {
    putLargestFirst(contacts, set);
  } else {
    moveToFront(set, best);
  }
}

void putLargestFirst(const std::vector<PieceContact>& contacts, ConstraintSet& set) {
  std::size_t best = 0;
  for (std::size_t index = 1; index < set.contacts.size(); ++index)
    if (contacts[set.contacts[index]].psi > contacts[set.contacts[best]].psi) best = index;
  moveToFront(set, best);
}

}  // namespace touchstone
