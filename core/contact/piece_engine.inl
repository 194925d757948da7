#pragma once

#include "core/contact/constraint_sets.inl"
#include "core/contact/penalty_contact.h"
#include "core/contact/piece_broad_phase.inl"
#include "core/contact/piece_engine.h"
#include "core/parallel/copy.h"
#include "core/world/backend_world.inl"

namespace touchstone {

namespace detail {

/// Rooms of many pairs in one array of each kind.
struct PairRooms {
  int capacity, numberCount;  // of one room
  PieceContact* contacts;     // [roomCount × capacity]
  SetRange* sets;             // [roomCount × capacity]
  int* members;               // [roomCount × kMembersPerSet capacity]
  FeatureIds* features;       // [roomCount × 3 capacity]
  int* numbers;               // [roomCount × numberCount]

  static constexpr int kMembersPerSet = 4;
  TS_HD PairRoom operator[](int room) const {
    PairRoom own;
    const long long first = static_cast<long long>(room) * capacity;
    own.contacts.items = contacts + first;
    own.sets.items = sets + first;
    own.members.items = members + kMembersPerSet * first;
    own.corners.items = features + 3 * first;
    own.vertexEdges[0].items = own.corners.items + capacity;
    own.vertexEdges[1].items = own.vertexEdges[0].items + capacity;
    own.contacts.capacity = own.sets.capacity = own.corners.capacity = own.vertexEdges[0].capacity =
        own.vertexEdges[1].capacity = capacity;
    own.members.capacity = kMembersPerSet * capacity;
    own.numbers = numbers + static_cast<long long>(room) * numberCount;
    return own;
  }
};

/// True for points deeper in a sibling of a piece than ε: in an inner corner of two pieces a vertex that has
/// crossed both faces by less has its feet inside the respective other piece, and both faces must still hold
/// it.
struct BuriedInSibling {
  PiecesView pieces;
  int pieceA, pieceB;
  double skin;  // m
  TS_HD bool operator()(bool onA, const Vec3& point) const {
    const int own = onA ? pieceA : pieceB, body = pieces.body[own];
    for (int piece = pieces.bodyFirstPiece[body]; piece < pieces.bodyFirstPiece[body + 1]; ++piece)
      if (piece != own && isInside(pieces[piece], point)) return true;
    return false;
  }
  TS_HD bool isInside(const PolytopeView& piece, const Vec3& point) const {
    for (int face = 0; face < piece.faceCount; ++face)
      if (piece.normals[face].dot(point) - piece.offsets[face] >= -skin) return false;
    return true;
  }
};

struct FindReach {  // one body per index: how near it may come to what stands [m]
  WorldView world;
  const GapRule* rules;  // [copyCount]
  double* out;
  TS_HD void operator()(int body) const {
    const double reach = epsilonOf(world, ruleOf(world, rules, body), body, body) +
                         world.dt * world.nextLinearVelocity[body].norm();
    out[body] = isDynamic(world, body) && reach > 0 ? reach : 0;  // not what is no number
  }
};

struct FindInPair {  // one pair per index
  WorldView world;
  PiecesView pieces;
  const GapRule* rules;  // [copyCount]
  const PiecePair* pairs;
  PairRooms rooms;
  int *contactCounts, *setCounts, *memberCounts, *full;  // out

  TS_HD void operator()(int index) const {
    const PiecePair& pair = pairs[index];
    PairRoom room = rooms[index];
    if (pair.planeBody >= 0) {
      meetPlane(pair, room);
    } else {
      meetPiece(pair, room);
    }
    contactCounts[index] = room.contacts.count;
    setCounts[index] = room.sets.count;
    memberCounts[index] = room.members.count;
    full[index] = room.isFull() ? 1 : 0;
  }

 private:
  TS_HD void meetPiece(const PiecePair& pair, PairRoom& room) const {
    const PolytopeView a = pieces[pair.pieceA], b = pieces[pair.pieceB];
    const double shortestA = pieces.shortestEdge[pair.pieceA], shortestB = pieces.shortestEdge[pair.pieceB];
    const double third = (shortestA < shortestB ? shortestA : shortestB) / 3;
    const int bodyA = pieces.body[pair.pieceA], bodyB = pieces.body[pair.pieceB];
    const GapRule& rule = ruleOf(world, rules, bodyA);
    ConstraintSettings settings = rule.constraints;
    settings.reach = epsilonOf(world, rule, bodyA, bodyB);
    const double most = rule.margin < third ? third : rule.margin;
    settings.epsilon = settings.reach < most ? settings.reach : most;
    const BuriedInSibling buried{pieces, pair.pieceA, pair.pieceB, settings.epsilon};
    SetBuilder<BuriedInSibling>(a, b, settings, buried, room).build();
  }

  /// Every vertex of the piece within ε of the plane, as U.
  TS_HD void meetPlane(const PiecePair& pair, PairRoom& room) const {
    const PolytopeView piece = pieces[pair.pieceA];
    const Vec3 normal = planeNormal(world, pair.planeBody);
    const int body = pieces.body[pair.pieceA];
    const double epsilon = epsilonOf(world, ruleOf(world, rules, body), body, pair.planeBody);
    for (int vertex = 0; vertex < piece.vertexCount; ++vertex) {
      const PieceContact contact =
          planeContact(piece.vertices[vertex], vertex, normal, world.position[pair.planeBody]);
      if (contact.psi > epsilon) continue;
      room.members.push(room.contacts.count);
      room.contacts.push(contact);
      room.sets.push({ConstraintType::U, room.members.count - 1, 1});
    }
  }
};

struct WriteFound {  // one pair per index: its room into the lists of all, behind what is there
  WorldView world;
  const int* pieceBody;
  const GapRule* rules;  // [copyCount]
  const PiecePair* pairs;
  PairRooms rooms;
  const int *contactOffsets, *setOffsets, *memberOffsets;  // [pairCount + 1]
  int contactsBefore, setsBefore, membersBefore;           // of earlier batches
  ModelContact* contacts;
  SetRange* sets;
  int *members, *firstOfPair, *firstSetOfPair;
  TS_HD void operator()(int index) const {
    const PiecePair& pair = pairs[index];
    const PairRoom room = rooms[index];
    const int firstContact = contactsBefore + contactOffsets[index],
              firstSet = setsBefore + setOffsets[index], firstMember = membersBefore + memberOffsets[index];
    firstOfPair[index] = firstContact;
    firstSetOfPair[index] = firstSet;
    const int bodyA = pieceBody[pair.pieceA];
    const int bodyB = pair.planeBody >= 0 ? pair.planeBody : pieceBody[pair.pieceB];
    for (int k = 0; k < contactOffsets[index + 1] - contactOffsets[index]; ++k) {
      ModelContact contact =
          modelContact(world.position, room.contacts.items[k], pair.pieceA, pair.pieceB, bodyA, bodyB);
      contact.rate = rateOf(world, ruleOf(world, rules, bodyA), contact);
      contacts[firstContact + k] = contact;
    }
    for (int k = 0; k < setOffsets[index + 1] - setOffsets[index]; ++k) {
      SetRange set = room.sets.items[k];
      set.first += firstMember;
      sets[firstSet + k] = set;
    }
    for (int k = 0; k < memberOffsets[index + 1] - memberOffsets[index]; ++k)
      members[firstMember + k] = firstContact + room.members.items[k];
  }
};

struct MoveToEnd {  // one body per index: where the step's velocities lead, as integrate() does
  WorldView world;
  Vec3* position;           // [bodyCount] out
  Quaternion* orientation;  // [bodyCount] out
  TS_HD void operator()(int body) const {
    position[body] = world.position[body];
    orientation[body] = world.orientation[body];
    if (!isDynamic(world, body)) return;
    position[body] += world.dt * world.nextLinearVelocity[body];
    orientation[body] = rotated(world.orientation[body], world.nextAngularVelocity[body], world.dt);
  }
};

struct FindEndGap {  // one contact per index
  WorldView world;
  PiecesView pieces;     // at the end of the step
  const Vec3* position;  // [bodyCount] at the end of the step
  const ModelContact* contacts;
  double* gaps;
  TS_HD void operator()(int index) const {
    ModelContact contact = contacts[index];
    reevaluate(world, pieces, pieces.body, position, contact);
    gaps[index] = contact.geometry.psi;
  }
};

struct LineariseContact {  // one contact per index
  WorldView world;
  PiecesView pieces;     // at the end of the step
  const Vec3* position;  // [bodyCount] at the end of the step
  const GapRule* rules;  // [copyCount]
  const ModelContact* contacts;
  ModelContact* out;
  TS_HD void operator()(int index) const {
    ModelContact contact = contacts[index];
    reevaluate(world, pieces, pieces.body, position, contact);
    contact.rate = rateOf(ruleOf(world, rules, contact.bodyA), contact.geometry.psi, world.dt) -
                   rateAlong(contact.jacobian, world.nextLinearVelocity, world.nextAngularVelocity);
    out[index] = contact;
  }
};

}  // namespace detail

template <class Backend>
class PieceEngineOn : public PieceEngine {
 public:
  PieceEngineOn(const World& world, const std::shared_ptr<BackendWorld>& there)
      : m_there(worldOn<Backend>(there)), m_backend(m_there->backend()), m_pieces(m_backend, world) {}

  void setRules(const std::vector<GapRule>& rules) override {
    m_rulesHere = rules;
    m_areRulesSent = false;
  }
  void findPairs(const World& world) override {
    m_view = m_there->view(world);
    if (!m_areRulesSent) m_backend.upload(m_rulesHere.data(), m_rulesHere.size(), m_rules);
    m_areRulesSent = true;
    m_pairCount = m_broadPhase.find(m_backend, m_view, m_pieces.view(), broadMargin());
  }
  std::vector<PiecePair> fetchPairs() const override { return fetched(m_broadPhase.pairs(), m_pairCount); }

  void findContacts(const World& world) override {
    m_view = m_there->view(world);  // where its arrays lie may have changed
    m_contactCount = m_setCount = m_memberCount = 0;
    m_isLinearised = false;
    for (Array<int>* firsts : {&m_firstOfPair, &m_firstSetOfPair})
      firsts->resize(static_cast<std::size_t>(m_pairCount) + 1);
    const PiecesView& pieces = m_pieces.place(m_backend, m_view.position, m_view.orientation);
    m_pieces.measureEdges(m_backend);
    for (int first = 0; first < m_pairCount;) {
      const int count = prepareRooms(m_pairCount - first);
      if (findIn(first, count, pieces)) {
        first += count;
      } else {
        m_capacity *= 2;
      }
    }
    fill(m_backend, m_firstOfPair.data() + m_pairCount, 1, m_contactCount);
    fill(m_backend, m_firstSetOfPair.data() + m_pairCount, 1, m_setCount);
  }

  std::vector<ModelContact> fetchContacts() const override {
    return fetched(m_contacts.data(), m_contactCount);
  }
  FoundSets fetchSets() const override {
    return {fetched(m_sets.data(), m_setCount), fetched(m_members.data(), m_memberCount)};
  }

  void linearise() override {
    const PiecesView& pieces = placeAtEnd();
    m_linearised.resize(static_cast<std::size_t>(m_contactCount));
    m_isLinearised = true;
    forEach(m_backend, m_contactCount,
            detail::LineariseContact{m_view, pieces, m_endPosition.data(), m_rules.data(), m_contacts.data(),
                                     m_linearised.data()});
  }
  std::vector<ModelContact> fetchLinearised() const override {
    return fetched(m_linearised.data(), m_contactCount);
  }
  void findEndGaps() override {
    const PiecesView& pieces = placeAtEnd();
    m_endGaps.resize(static_cast<std::size_t>(m_contactCount));
    forEach(m_backend, m_contactCount,
            detail::FindEndGap{m_view, pieces, m_endPosition.data(), m_contacts.data(), m_endGaps.data()});
  }

  // On the backend, of the last findPairs():

  const PiecePair* pairs() const { return m_broadPhase.pairs(); }
  int pairCount() const { return m_pairCount; }
  const int* pieceBody() const { return m_pieces.view().body; }

  // On the backend, of the last findContacts():

  const ModelContact* found() const { return m_contacts.data(); }
  /// [contactCount()] m, of the last findEndGaps()
  const double* endGaps() const { return m_endGaps.data(); }
  /// As linearise() left them, if it was called since.
  const ModelContact* contacts() const { return m_isLinearised ? m_linearised.data() : m_contacts.data(); }
  const SetRange* sets() const { return m_sets.data(); }
  const int* members() const { return m_members.data(); }  ///< of the sets, into the contacts
  int contactCount() const { return m_contactCount; }
  int setCount() const { return m_setCount; }
  int memberCount() const { return m_memberCount; }
  /// [pairs + 1] the first contact, and the first set, of each pair.
  const int* firstOfPair() const { return m_firstOfPair.data(); }
  const int* firstSetOfPair() const { return m_firstSetOfPair.data(); }

 private:
  template <class T>
  using Array = typename Backend::template Array<T>;

  /// Twice what any body may come nearer within the step [m].
  double broadMargin() {
    double margin = 0;
    for (const GapRule& rule : m_rulesHere) margin = std::max(margin, rule.margin);
    m_reaches.resize(static_cast<std::size_t>(m_view.bodyCount));
    forEach(m_backend, m_view.bodyCount, detail::FindReach{m_view, m_rules.data(), m_reaches.data()});
    const double* reaches = m_reaches.data();
    return 2 * joined(m_backend, reaches, m_view.bodyCount, margin, Larger{});
  }

  /// The pieces where the step's velocities lead.
  const PiecesView& placeAtEnd() {
    m_endPosition.resize(static_cast<std::size_t>(m_view.bodyCount));
    m_endOrientation.resize(m_endPosition.size());
    forEach(m_backend, m_view.bodyCount,
            detail::MoveToEnd{m_view, m_endPosition.data(), m_endOrientation.data()});
    return m_pieces.place(m_backend, m_endPosition.data(), m_endOrientation.data());
  }

  /// Rooms for as many pairs as fit into the memory set aside for them, or all that are left.
  int prepareRooms(int wanted) {
    m_numberCount = roomForNumbers(m_pieces.largest(), m_pieces.largest());
    const std::size_t each = m_capacity * (sizeof(PieceContact) + sizeof(SetRange) + 3 * sizeof(FeatureIds) +
                                           detail::PairRooms::kMembersPerSet * sizeof(int)) +
                             static_cast<std::size_t>(m_numberCount) * sizeof(int);
    const std::size_t count = roomsFor<Backend>(wanted, each);
    const std::size_t items = count * static_cast<std::size_t>(m_capacity);
    m_roomContacts.resize(items);
    m_roomSets.resize(items);
    m_roomMembers.resize(detail::PairRooms::kMembersPerSet * items);
    m_roomFeatures.resize(3 * items);
    m_roomNumbers.resize(count * static_cast<std::size_t>(m_numberCount));
    return static_cast<int>(count);
  }

  /// Finds and appends what a batch of pairs gives. @return false if a room was too small
  bool findIn(int first, int count, const PiecesView& pieces) {
    const detail::PairRooms rooms{m_capacity,          m_numberCount,        m_roomContacts.data(),
                                  m_roomSets.data(),   m_roomMembers.data(), m_roomFeatures.data(),
                                  m_roomNumbers.data()};
    for (Array<int>* counts : {&m_contactOffsets, &m_setOffsets, &m_memberOffsets, &m_full})
      counts->resize(static_cast<std::size_t>(count) + 1);
    const PiecePair* pairs = m_broadPhase.pairs() + first;
    forEach(m_backend, count,
            detail::FindInPair{m_view, pieces, m_rules.data(), pairs, rooms, m_contactOffsets.data(),
                               m_setOffsets.data(), m_memberOffsets.data(), m_full.data()},
            Work::Heavy);
    if (joined(m_backend, static_cast<const int*>(m_full.data()), count, 0, Larger{}) > 0) return false;
    const int contacts = offsetsOf(m_backend, count, m_contactOffsets.data()),
              sets = offsetsOf(m_backend, count, m_setOffsets.data()),
              members = offsetsOf(m_backend, count, m_memberOffsets.data());
    makeRoom(m_contactCount, contacts, m_contacts);
    makeRoom(m_setCount, sets, m_sets);
    makeRoom(m_memberCount, members, m_members);
    forEach(m_backend, count,
            detail::WriteFound{m_view, pieces.body, m_rules.data(), pairs, rooms, m_contactOffsets.data(),
                               m_setOffsets.data(), m_memberOffsets.data(), m_contactCount, m_setCount,
                               m_memberCount, m_contacts.data(), m_sets.data(), m_members.data(),
                               m_firstOfPair.data() + first, m_firstSetOfPair.data() + first});
    m_contactCount += contacts;
    m_setCount += sets;
    m_memberCount += members;
    return true;
  }

  /// For `more` items behind those `before`, which stay.
  template <class T>
  void makeRoom(int before, int more, Array<T>& items) const {
    const std::size_t size = static_cast<std::size_t>(before + more);
    if (size <= items.size()) return;
    if (before == 0) {
      items.resize(size);
      return;
    }
    Array<T> larger;
    larger.resize(size);
    copyWithin(m_backend, static_cast<const T*>(items.data()), before, larger.data());
    std::swap(items, larger);
  }

  template <class T>
  std::vector<T> fetched(const T* items, int count) const {
    return touchstone::fetched(m_backend, items, static_cast<std::size_t>(count));
  }

  std::shared_ptr<BackendWorldOn<Backend>> m_there;
  Backend m_backend;
  PlacedPieces<Backend> m_pieces;
  WorldView m_view;
  std::vector<GapRule> m_rulesHere;  ///< [copyCount]
  bool m_areRulesSent = false;
  Array<GapRule> m_rules;
  PieceBroadPhase<Backend> m_broadPhase;
  int m_pairCount = 0, m_contactCount = 0, m_setCount = 0, m_memberCount = 0;
  int m_capacity = 32;  ///< contacts and sets of one pair; grows where a pair has more
  int m_numberCount = 0;
  Array<double> m_reaches;
  Array<PieceContact> m_roomContacts;
  Array<SetRange> m_roomSets;
  Array<FeatureIds> m_roomFeatures;
  Array<int> m_roomMembers, m_roomNumbers;
  Array<int> m_contactOffsets, m_setOffsets, m_memberOffsets, m_full;
  Array<ModelContact> m_contacts, m_linearised;
  bool m_isLinearised = false;
  Array<SetRange> m_sets;
  Array<int> m_members, m_firstOfPair, m_firstSetOfPair;
  Array<Vec3> m_endPosition;
  Array<Quaternion> m_endOrientation;
  Array<double> m_endGaps;
};

}  // namespace touchstone
