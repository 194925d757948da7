#pragma once

#include "core/contact/manifold/flush_faces.inl"
#include "core/contact/manifold/pair_scratch.inl"
#include "core/detect/first_contact.h"
#include "core/geometry/aabb.h"

namespace touchstone {

/// Finds the sets of one pair; see findConstraints(). "onA" helpers take the vertex from A or from B.
/// @tparam Surroundings  what else there is of both bodies: isBuried(bool onA, const Vec3& point), see
/// Buried; isExposed(const PieceContact&): its features are surface of the bodies, not of the piece alone;
/// separation(numbers, patch room, feature): largest gap of such a feature; separateByFaces(): the same of
/// faces alone; tolerance(): of patches [m];
/// meets(feature): first contact within the step of pieces that a feature separates by more than ε
template <class Surroundings>
class SetBuilder {
 public:
  /// @param wasFlush  isFlush() of the pair in the last step
  TS_HD SetBuilder(const PolytopeView& a, const PolytopeView& b, const ConstraintSettings& settings,
                   const Surroundings& surroundings, PairScratch& scratch, bool wasFlush = false)
      : m_a(a),
        m_b(b),
        m_settings(settings),
        m_surroundings(surroundings),
        m_scratch(scratch),
        m_wasFlush(wasFlush) {
    int* next = scratch.numbers;
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
    m_separationScratch = next;
  }

  TS_HD void build() {
    const bool isFace = m_surroundings.separateByFaces(m_separationScratch, m_scratch.patch, &m_best, &m_gap);
    m_overlap = m_gap < 0 ? -m_gap : 0;
    // Two faces that lie upon each other separate better than any pair of edges, but for rounding.
    m_isFlush = isFace && !m_a.planar() && faceOnFace();
    if (m_isFlush) return;
    if (!isFace || (m_gap <= 0 && !m_a.planar())) {
      m_gap = m_surroundings.separation(m_separationScratch, m_scratch.patch, &m_best);
      m_overlap = m_gap < 0 ? -m_gap : 0;
      m_isFlush = !isFace && !m_a.planar() && faceOnFace();
      if (m_isFlush) return;
    }
    if (m_gap <= m_settings.epsilon) findNearFeatures();
    if (m_settings.reach > m_settings.epsilon) approach();
    for (int set = 0; set < m_scratch.sets.count; ++set) putPrimaryFirst(m_scratch.sets.items[set]);
  }

  // After build():

  /// Two faces lie upon each other, and their corners are the only contacts.
  TS_HD bool isFlush() const { return m_isFlush; }
  /// The feature that separates the pieces best.
  TS_HD const SeparatingFeature& best() const { return m_best; }

 private:
  // Rounding allowed in "strictly applicable": parallel faces measure exactly 0.
  static constexpr double kStrict = 1e-9;
  static constexpr double kFlatEdge = 0.995;  // η1·η2 above this: the edge is no corner, one U represents it
  static constexpr double kAcross = 1e-6;     // |e·O|/|e| below this: the edge leans to neither side
  static constexpr double kBeyond = 1;        // lengths of an edge beyond its ends that a foot may lie

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
    for (int index = 0; index < m_scratch.contacts.count; ++index)
      if (m_scratch.contacts.items[index].sameFeatures(contact)) return index;
    return -1;
  }
  TS_HD bool isUsed(const PieceContact& contact) const { return indexOf(contact) >= 0; }
  /// The contact's index; 0 where the scratch memory is full, which is noted.
  TS_HD int add(const PieceContact& contact) {
    const int known = indexOf(contact);
    if (known >= 0) return known;
    PieceContact newContact = contact;
    newContact.overlap = m_overlap;
    m_scratch.contacts.push(newContact);
    return m_scratch.contacts.count > 0 ? m_scratch.contacts.count - 1 : 0;
  }
  TS_HD void addSet(ConstraintType type, int first) {
    m_scratch.sets.push({type, first, m_scratch.members.count - first});
  }
  TS_HD void addUnilateral(const PieceContact& contact) { addUnilateral(add(contact)); }
  TS_HD void addUnilateral(int contact) {
    m_scratch.members.push(contact);
    addSet(ConstraintType::U, m_scratch.members.count - 1);
  }

  TS_HD static bool has(const BoundedList<FeatureIds>& list, int first, int second) {
    for (int k = 0; k < list.count; ++k)
      if (list.items[k].first == first && list.items[k].second == second) return true;
    return false;
  }
  /// True if a vertex (of A if onA) and one of the other piece became a set.
  TS_HD bool isCorner(bool onA, int vertex, int other) const {
    return onA ? has(m_scratch.corners, vertex, other) : has(m_scratch.corners, other, vertex);
  }

  /// Contacts of features within ε of each other.
  TS_HD void findNearFeatures() {
    findSlab();
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
  }

  /// The layer across the best axis outside of which nothing of either piece is within ε of the other.
  TS_HD void findSlab() {
    m_axis = Vec3(0, 0, 0);
    if (m_best.kind == SeparatingFeature::Kind::Edges)
      edgePairAxis(m_a, m_best.a, m_b, m_best.b, m_axis);
    else if (!m_best.isNone())
      m_axis = m_best.kind == SeparatingFeature::Kind::FaceOfA ? m_a.normals[m_best.a]
                                                               : Vec3(-m_b.normals[m_best.b]);
    const double beside = m_settings.epsilon + m_surroundings.tolerance();
    m_lowest = m_axis.dot(m_b.vertices[detail::lowestVertex(m_b, m_axis)]) - beside;
    m_highest = m_axis.dot(m_a.vertices[detail::lowestVertex(m_a, -m_axis)]) + beside;
  }
  TS_HD bool isInSlab(bool onA, int vertex) const {
    const double height = m_axis.dot(piece(onA).vertices[vertex]);
    return onA ? height >= m_lowest : height <= m_highest;
  }

  TS_HD void findNearVertices(bool onA) {
    const PolytopeView &vertexPiece = piece(onA), &other = piece(!onA);
    for (int vertex = 0; vertex < vertexPiece.vertexCount; ++vertex) {
      bool near = isInSlab(onA, vertex);
      for (int face = 0; face < other.faceCount && near; ++face)
        near =
            other.normals[face].dot(vertexPiece.vertices[vertex]) - other.offsets[face] <= m_settings.epsilon;
      if (near && !m_surroundings.isBuried(onA, vertexPiece.vertices[vertex]))
        m_near[onA][m_nearCount[onA]++] = vertex;
    }
  }

  /// Two corners within ε of each other: one set over all strictly applicable contacts, in place of the I and
  /// X sets of Williams 2017, eq. 38.
  TS_HD void vertexVertex() {
    for (int i = 0; i < m_nearCount[true]; ++i)
      for (int k = 0; k < m_nearCount[false]; ++k) {
        const int va = m_near[true][i], vb = m_near[false][k];
        if ((m_a.vertices[va] - m_b.vertices[vb]).norm() > m_settings.epsilon) continue;
        const int first = m_scratch.members.count;
        for (int face : m_b.vertexFaces[vb]) addIfStrict(vertexFaceContact(m_a, va, m_b, face));
        for (int face : m_a.vertexFaces[va]) addIfStrict(faceVertexContact(m_a, face, m_b, vb));
        for (int ea : m_a.vertexEdges[va])
          for (int eb : m_b.vertexEdges[vb]) {
            PieceContact contact;
            if (edgesMeet(ea, eb, contact)) addIfStrict(contact);
          }
        const int count = m_scratch.members.count - first;
        if (count == 0) continue;
        addSet(count == 1 ? ConstraintType::U : ConstraintType::I, first);
        m_scratch.corners.push({va, vb});
      }
  }
  TS_HD void addIfStrict(const PieceContact& contact) {
    if (contact.applicability >= -kStrict && m_surroundings.isExposed(contact))
      m_scratch.members.push(add(contact));
  }

  /// Two corners of polygons: passing on one side keeps C1 and C3, on the other C2 and C4.
  TS_HD void planarVertexVertex() {
    for (int i = 0; i < m_nearCount[true]; ++i)
      for (int k = 0; k < m_nearCount[false]; ++k) {
        const int va = m_near[true][i], vb = m_near[false][k];
        if ((m_a.vertices[va] - m_b.vertices[vb]).norm() > m_settings.epsilon) continue;
        const int intoA = (va + m_a.vertexCount - 1) % m_a.vertexCount,
                  intoB = (vb + m_b.vertexCount - 1) % m_b.vertexCount;
        beginSides();
        addToSide(0, cornerFace(true, va, vb));  // edge k runs from vertex k: out of it
        addToSide(0, cornerFace(false, vb, va));
        addToSide(1, cornerFace(true, va, intoB));
        addToSide(1, cornerFace(false, vb, intoA));
        if (addProduct()) m_scratch.corners.push({va, vb});
      }
  }

  /// True if the contact's face is the back of the piece, unless that has sunk in as deep: then recover()
  /// finds out.
  TS_HD bool isTooDeep(const PieceContact& contact) {
    if (contact.psi >= -m_settings.feasibleDepth) return false;
    m_foundDeep = true;
    return true;
  }

  /// The point of a segment that is closest to v.
  TS_HD static Vec3 footOn(const Vec3& tail, const Vec3& along, const Vec3& v) {
    const double share = along.dot(v - tail) / along.squaredNorm();
    return tail + (share > 0 ? (share < 1 ? share : 1.0) : 0.0) * along;
  }

  /// Vertex v of one polygon (of A if onA) near an edge of the other: U.
  TS_HD void planarVertexEdge(bool onA) {
    const PolytopeView &vertexPiece = piece(onA), &other = piece(!onA);
    for (int i = 0; i < m_nearCount[onA]; ++i)
      for (int edge = 0; edge < other.vertexCount; ++edge) {
        const int vertex = m_near[onA][i], head = (edge + 1) % other.vertexCount;
        if (isCorner(onA, vertex, edge) || isCorner(onA, vertex, head)) continue;
        const Vec3 &v = vertexPiece.vertices[vertex], &tail = other.vertices[edge];
        const Vec3 foot = footOn(tail, other.vertices[head] - tail, v);
        const PieceContact contact = cornerFace(onA, vertex, edge);
        if ((v - foot).norm() > m_settings.epsilon || contact.applicability < -m_settings.epsilonTheta ||
            isTooDeep(contact) || isUsed(contact) || !m_surroundings.isExposed(contact) ||
            m_surroundings.isBuried(!onA, foot))
          continue;
        addUnilateral(contact);
      }
  }

  /// Vertex v of one piece (of A if onA) near an edge of the other.
  TS_HD void vertexEdge(bool onA) {
    const PolytopeView &vertexPiece = piece(onA), &other = piece(!onA);
    for (int i = 0; i < m_nearCount[onA]; ++i)
      for (int edge = 0; edge < other.edgeCount; ++edge) {
        const int vertex = m_near[onA][i];
        const Polytope::Edge& e = other.edges[edge];
        if (isCorner(onA, vertex, e.tail) || isCorner(onA, vertex, e.head)) continue;
        const Vec3& v = vertexPiece.vertices[vertex];
        const Vec3 foot = footOn(other.vertices[e.tail], other.along(edge), v);
        if ((v - foot).norm() > m_settings.epsilon || m_surroundings.isBuried(!onA, foot)) continue;
        addVertexEdge(onA, vertex, edge);
        m_scratch.vertexEdges[onA].push({vertex, edge});
      }
  }

  /// A vertex at an edge (Williams 2017, eq. 36): the planar case, seen along the edge. Its two faces and the
  /// edges of the vertex that lean across it make I and X sets.
  TS_HD void addVertexEdge(bool onA, int vertex, int edge) {
    const PolytopeView& other = piece(!onA);
    const Polytope::Edge& e = other.edges[edge];
    if (other.normals[e.left].dot(other.normals[e.right]) > kFlatEdge) {
      const PieceContact contact = cornerFace(onA, vertex, e.left);
      if (m_surroundings.isExposed(contact)) addUnilateral(contact);
      return;
    }
    beginSides();
    addToSide(0, cornerFace(onA, vertex, e.left));
    addLeaning(0, onA, vertex, edge);
    addToSide(1, cornerFace(onA, vertex, e.right));
    addLeaning(1, onA, vertex, edge);
    addProduct();
  }

  /// Edges of the vertex that lean to the left face block passing on the right together with face f2, and the
  /// other way round.
  TS_HD void addLeaning(int side, bool onA, int vertex, int edge) {
    const PolytopeView& vertexPiece = piece(onA);
    const Vec3 across = edgeCross(piece(!onA), edge);
    for (int ownEdge : vertexPiece.vertexEdges[vertex]) {
      const Polytope::Edge& o = vertexPiece.edges[ownEdge];
      const Vec3 away =
          vertexPiece.vertices[o.tail == vertex ? o.head : o.tail] - vertexPiece.vertices[vertex];
      const double lean = away.dot(across);
      PieceContact contact;
      if (std::abs(lean) > kAcross * away.norm() && (lean < 0 ? 0 : 1) == side &&
          edgesMeet(onA ? ownEdge : edge, onA ? edge : ownEdge, contact))
        addToSide(side, contact);
    }
  }

  TS_HD void beginSides() {
    m_sideCount[0] = m_sideCount[1] = 0;
    m_firstOfSides = m_scratch.contacts.count;
  }
  /// Inapplicable contacts are dropped.
  TS_HD void addToSide(int side, const PieceContact& contact) {
    if (contact.applicability >= -m_settings.epsilonTheta && m_surroundings.isExposed(contact))
      m_sides[side][m_sideCount[side]++] = add(contact);
  }

  /// A set for every pair out of both sides: I if both are of one vertex, else X. Where one side is empty,
  /// those contacts of the other that are feasible, as U.
  /// @return false if no contact was applicable
  TS_HD bool addProduct() {
    const int members = m_scratch.members.count, crossSets = m_scratch.crossSets.count;
    const bool isAny = addProductOfSides();
    forgetUnused(m_firstOfSides, members, crossSets);
    return isAny;
  }
  TS_HD bool addProductOfSides() {
    if (m_sideCount[0] == 0 || m_sideCount[1] == 0) {
      const int side = m_sideCount[0] == 0 ? 1 : 0;
      for (int k = 0; k < m_sideCount[side]; ++k)
        if (isFeasible(m_scratch.contacts.items[m_sides[side][k]])) addUnilateral(m_sides[side][k]);
      return m_sideCount[side] > 0;
    }
    for (int i = 0; i < m_sideCount[0]; ++i)
      for (int k = 0; k < m_sideCount[1]; ++k) addAlternative(m_sides[0][i], m_sides[1][k]);
    return true;
  }

  /// Contacts of one holder are those of one vertex with the faces of the other piece, or those of edges.
  TS_HD bool haveOneHolder(int one, int other) const {
    const PieceContact &c1 = m_scratch.contacts.items[one], &c2 = m_scratch.contacts.items[other];
    return c1.kind == c2.kind && (c1.kind == FeaturePairKind::EdgeEdge || c1.vertexOnA == c2.vertexOnA);
  }
  /// True if a contact has one of the same holder on the opposite side, and with it a set of its holder
  /// alone.
  /// @param side  opposite to that of the contact
  TS_HD bool hasPartner(int contact, int side) const {
    for (int k = 0; k < m_sideCount[side]; ++k)
      if (haveOneHolder(contact, m_sides[side][k])) return true;
    return false;
  }
  /// Contacts of one vertex are an I set (Williams 2017, eq. 35), with its force. A vertex, or an edge, that
  /// the filter has left no pair of contacts has its force in the sets with those of the others: they are I
  /// sets then.
  /// @param one, other  of the first and of the second side
  TS_HD void addAlternative(int one, int other) {
    const PieceContact& c1 = m_scratch.contacts.items[one];
    const bool isSame = haveOneHolder(one, other);
    ConstraintType type =
        isSame && c1.kind == FeaturePairKind::VertexFace ? ConstraintType::I : ConstraintType::X;
    if (type == ConstraintType::X && m_settings.crossSets != CrossSets::Impulse) {
      if (m_settings.crossSets == CrossSets::Off) return;
      const bool carries = isSame || !hasPartner(one, 1) || !hasPartner(other, 0);
      if (!carries ||
          !(isFeasible(m_scratch.contacts.items[one]) || isFeasible(m_scratch.contacts.items[other]))) {
        m_scratch.crossSets.push({{one, other}});
        return;
      }
      type = ConstraintType::I;
    }
    const int first = m_scratch.members.count;
    m_scratch.members.push(one);
    m_scratch.members.push(other);
    addSet(type, first);
  }

  /// Contacts from `first` on that no set has taken up since; these are members and X sets from the others
  /// on.
  TS_HD void forgetUnused(int first, int members, int crossSets) {
    const auto eachUse = [&](const auto& visit) {
      for (int k = members; k < m_scratch.members.count; ++k) visit(m_scratch.members.items[k]);
      for (int k = crossSets; k < m_scratch.crossSets.count; ++k)
        for (int& contact : m_scratch.crossSets.items[k].contacts) visit(contact);
    };
    for (int contact = m_scratch.contacts.count - 1; contact >= first; --contact) {
      bool isUsedNow = false;
      eachUse([&](int& use) { isUsedNow = isUsedNow || use == contact; });
      if (isUsedNow) continue;
      for (int k = contact; k + 1 < m_scratch.contacts.count; ++k)
        m_scratch.contacts.items[k] = m_scratch.contacts.items[k + 1];
      --m_scratch.contacts.count;
      eachUse([&](int& use) { use -= use > contact ? 1 : 0; });
    }
  }

  /// Feasibility of a contact (Williams 2017): near, and not so deep behind a face, or so far to the back of
  /// its outline, that it touches another one.
  TS_HD bool isFeasible(const PieceContact& contact) const {
    constexpr double kSineOfPhi = 0.3894183423086505;  // φ = 0.4 rad
    if (contact.kind == FeaturePairKind::EdgeEdge) {
      const Polytope::Edge &a = m_a.edges[contact.featureA], &b = m_b.edges[contact.featureB];
      double s, t;
      return contact.psi >= -m_settings.feasibleDepth &&
             segmentDistance(m_a.vertices[a.tail], m_a.vertices[a.head], m_b.vertices[b.tail],
                             m_b.vertices[b.head], s, t) <= m_settings.epsilon;
    }
    const bool onA = contact.vertexOnA;
    const PolytopeView& other = piece(!onA);
    const Vec3& v = piece(onA).vertices[onA ? contact.featureA : contact.featureB];
    const Vec3& foot = onA ? contact.pointB : contact.pointA;
    const double distance = distanceToFace(other, onA ? contact.featureB : contact.featureA, v, foot);
    if (distance > m_settings.epsilon) return false;
    const double beside = distance * distance - contact.psi * contact.psi;
    const bool isOver = beside <= m_settings.touching * m_settings.touching;
    return contact.psi >= (isOver ? -m_settings.feasibleDepth : -kSineOfPhi * distance);
  }
  /// @param foot  of v on the plane of the face
  TS_HD double distanceToFace(const PolytopeView& p, int face, const Vec3& v, const Vec3& foot) const {
    if (p.planar()) {
      const Vec3& tail = p.vertices[face];
      return (v - footOn(tail, p.vertices[(face + 1) % p.vertexCount] - tail, v)).norm();
    }
    if (isInsideFace(p, face, foot)) return (v - foot).norm();
    double nearest = HUGE_VAL;
    const IndexRange loop = p.faceVertices[face];
    for (int k = 0; k < loop.size(); ++k) {
      const Vec3& tail = p.vertices[loop[k]];
      nearest =
          std::fmin(nearest, (v - footOn(tail, p.vertices[loop[(k + 1) % loop.size()]] - tail, v)).norm());
    }
    return nearest;
  }

  /// True if the vertex was taken as a corner or as near an edge of this face.
  TS_HD bool isHandled(bool onA, int vertex, int face) const {
    const PolytopeView& other = piece(!onA);
    for (int end : other.faceVertices[face])
      if (isCorner(onA, vertex, end)) return true;
    const BoundedList<FeatureIds>& taken = m_scratch.vertexEdges[onA];
    for (int k = 0; k < taken.count; ++k) {
      const Polytope::Edge& e = other.edges[taken.items[k].second];
      if (taken.items[k].first == vertex && (e.left == face || e.right == face)) return true;
    }
    return false;
  }

  TS_HD void vertexFace(bool onA) {
    const PolytopeView& other = piece(!onA);
    for (int i = 0; i < m_nearCount[onA]; ++i)
      for (int face = 0; face < other.faceCount; ++face) {
        const int vertex = m_near[onA][i];
        const PieceContact contact = cornerFace(onA, vertex, face);
        if (std::abs(contact.psi) > m_settings.epsilon || contact.applicability < -m_settings.epsilonTheta)
          continue;
        if (isTooDeep(contact)) continue;
        if (isHandled(onA, vertex, face) || isUsed(contact)) continue;
        const Vec3& foot = onA ? contact.pointB : contact.pointA;
        if (isInsideFace(other, face, foot) && m_surroundings.isExposed(contact) &&
            !m_surroundings.isBuried(!onA, foot))
          addUnilateral(contact);
      }
  }

  TS_HD static bool isInsideFace(const PolytopeView& p, int face, const Vec3& foot) {
    const IndexRange loop = p.faceVertices[face];
    for (int k = 0; k < loop.size(); ++k) {
      const Vec3& tail = p.vertices[loop[k]];
      const Vec3 along = p.vertices[loop[(k + 1) % loop.size()]] - tail;
      if (p.normals[face].cross(along).dot(foot - tail) < 0) return false;
    }
    return true;
  }

  /// @return the number of edges whose boxes the other piece approaches
  TS_HD int findNearEdges(bool onA) {
    const PolytopeView &polytope = piece(onA), &other = piece(!onA);
    Aabb box = boxOf(other);
    box.grow(m_settings.epsilon);
    int count = 0;
    for (int edge = 0; edge < polytope.edgeCount; ++edge) {
      const Polytope::Edge& ends = polytope.edges[edge];
      if (!isInSlab(onA, ends.tail) && !isInSlab(onA, ends.head)) continue;
      Aabb ownBox;
      ownBox.add(polytope.vertices[ends.tail]);
      ownBox.add(polytope.vertices[ends.head]);
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
      if (has(m_scratch.vertexEdges[true], va, eb) || isCorner(true, va, b.tail) ||
          isCorner(true, va, b.head) || has(m_scratch.vertexEdges[false], vb, ea))
        return;
    }
    PieceContact contact;
    if (!edgeEdgeContact(m_a, ea, m_b, eb, contact) || contact.applicability < -m_settings.epsilonTheta)
      return;
    if (isUsed(contact) || m_surroundings.isBuried(true, contact.pointA) ||
        m_surroundings.isBuried(false, contact.pointB) || !m_surroundings.isExposed(contact))
      return;
    if (!isTooDeep(contact)) addUnilateral(contact);
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

  TS_HD bool isUnilateral(const PieceContact& contact) const {
    const int index = indexOf(contact);
    for (int k = 0; index >= 0 && k < m_scratch.sets.count; ++k) {
      const SetRange& set = m_scratch.sets.items[k];
      if (set.count == 1 && m_scratch.members.items[set.first] == index) return true;
    }
    return false;
  }
  /// True if some set is violated by half of the overlap at least, so that the step parts the pieces.
  TS_HD bool isHeld() const {
    for (int k = 0; k < m_scratch.sets.count; ++k) {
      const SetRange& set = m_scratch.sets.items[k];
      double largest = -HUGE_VAL;
      for (int member = set.first; member < set.first + set.count; ++member)
        largest = std::fmax(largest, m_scratch.contacts.items[m_scratch.members.items[member]].psi);
      if (largest <= -0.5 * m_overlap) return true;
    }
    return false;
  }

  /// Pieces that overlap deeper than δ (the linearisation of an earlier step erred), or whose faces and edges
  /// have passed each other by more than ε, have few near features, or none. The feature that separates them
  /// best is then the only sensible direction: every vertex behind it, as U.
  TS_HD void recover() {
    bool suspect = m_overlap > m_settings.touching && !isHeld();
    if (!suspect && m_overlap > m_settings.feasibleDepth) {
      suspect = m_foundDeep;
      for (int side = 0; side < 2 && !suspect; ++side)
        for (int k = 0; k < m_nearCount[side] && !suspect; ++k) suspect = isDeep(side == 1, m_near[side][k]);
    }
    if (!suspect) return;
    const SeparatingFeature& best = m_best;
    if (best.kind == SeparatingFeature::Kind::Edges) {
      PieceContact contact;
      if (edgeEdgeContact(m_a, best.a, m_b, best.b, contact) && !isUnilateral(contact))
        addUnilateral(contact);
      return;
    }
    const bool faceOnA = best.kind == SeparatingFeature::Kind::FaceOfA;
    for (int vertex = 0; vertex < piece(!faceOnA).vertexCount; ++vertex) {
      const PieceContact contact = cornerFace(!faceOnA, vertex, faceOnA ? best.a : best.b);
      if (contact.psi < 0 && !isUnilateral(contact) &&
          !m_surroundings.isBuried(faceOnA, faceOnA ? contact.pointA : contact.pointB))
        addUnilateral(contact);
    }
  }

  /// The corners of faces that lie upon each other, as U; nothing else is asked of the pair. Without this two
  /// flush boxes have 16 contacts and eight corner sets that say the same.
  TS_HD bool faceOnFace() {
    if (m_gap > m_settings.epsilon || m_gap < -m_settings.feasibleDepth) return false;
    FlushFaces faces(m_a, m_b, m_scratch.patch);
    if (!faces.find(m_best, m_wasFlush, m_surroundings.tolerance())) return false;
    faces.eachContact([this](const PieceContact& contact) {
      if (m_surroundings.isExposed(contact)) addUnilateral(contact);
    });
    return m_scratch.contacts.count > 0;  // else others cover all of it
  }
  /// ε stays below a third of the shortest edge, or a vertex would lie in several corner sets at once. What
  /// may still arrive within the step from farther away has one plane to respect, that of the best separating
  /// face. What comes from so far away that it may miss that face is looked for where it meets first.
  TS_HD void approach() {
    SeparatingFeature best = m_best;
    if (m_gap > m_settings.reach) return;
    if (m_gap > m_settings.nearby) {
      const FirstContact first = m_surroundings.meets(best);
      if (!first.meets()) return;
      best = first.feature;
    }
    if (best.kind == SeparatingFeature::Kind::Edges) {
      PieceContact contact;
      if (m_gap > m_settings.nearby && edgeEdgeContact(m_a, best.a, m_b, best.b, contact) && contact.psi > 0)
        addUnilateral(contact);
      return;
    }
    const bool faceOnA = best.kind == SeparatingFeature::Kind::FaceOfA;
    for (int vertex = 0; vertex < piece(!faceOnA).vertexCount; ++vertex) {
      const PieceContact contact = cornerFace(!faceOnA, vertex, faceOnA ? best.a : best.b);
      if (contact.psi > m_settings.epsilon && contact.psi <= m_settings.reach && !isUsed(contact))
        addUnilateral(contact);
    }
  }

  /// The primary: the smallest ψ that counts as not violated, else the largest ψ.
  TS_HD void putPrimaryFirst(const SetRange& set) {
    int* members = m_scratch.members.items + set.first;
    const auto psi = [&](int k) { return m_scratch.contacts.items[members[k]].psi; };
    int best = -1, largest = 0;
    for (int k = 0; k < set.count; ++k) {
      if (psi(k) >= -m_settings.touching && (best < 0 || psi(k) < psi(best))) best = k;
      if (psi(k) > psi(largest)) largest = k;
    }
    moveToFront(members, best >= 0 ? best : largest);
  }

  const PolytopeView &m_a, &m_b;
  const ConstraintSettings& m_settings;
  const Surroundings& m_surroundings;
  PairScratch& m_scratch;
  bool m_wasFlush, m_isFlush = false;
  SeparatingFeature m_best;
  double m_gap = 0;                    ///< of m_best [m]
  Vec3 m_axis;                         ///< of m_best, from A into B; zero: none
  double m_lowest = 0, m_highest = 0;  ///< see findSlab() [m]
  int* m_near[2];                      ///< [on A] vertices near the other piece
  int m_nearCount[2] = {0, 0};
  int* m_nearEdges[2];
  int* m_sides[2];  ///< contacts of the side of an edge
  int m_sideCount[2] = {0, 0};
  int m_firstOfSides = 0;  ///< the first contact that they may have added
  int* m_separationScratch;
  double m_overlap = 0;      ///< PieceContact::overlap of all contacts
  bool m_foundDeep = false;  ///< a contact near enough is deeper than δ
};

}  // namespace touchstone
