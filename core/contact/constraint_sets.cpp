#include "core/contact/constraint_sets.inl"

namespace touchstone {

PairConstraints findConstraints(const PolytopeView& a, const PolytopeView& b,
                                const ConstraintSettings& settings, const Buried& buried) {
  std::vector<int> numbers(static_cast<std::size_t>(roomForNumbers(a, b)));
  for (std::size_t capacity = 64;; capacity *= 2) {
    std::vector<PieceContact> contacts(capacity);
    std::vector<SetRange> sets(capacity);
    std::vector<int> members(4 * capacity);
    std::vector<FeatureIds> corners(capacity), vertexEdges[2] = {corners, corners};
    PairRoom room;
    const auto lend = [](auto& items, auto& list) {
      list.items = items.data();
      list.capacity = static_cast<int>(items.size());
    };
    lend(contacts, room.contacts);
    lend(sets, room.sets);
    lend(members, room.members);
    lend(corners, room.corners);
    for (int side = 0; side < 2; ++side) lend(vertexEdges[side], room.vertexEdges[side]);
    room.numbers = numbers.data();
    SetBuilder<Buried>(a, b, settings, buried, room).build();
    if (room.isFull()) continue;
    PairConstraints found;
    found.contacts.assign(contacts.begin(), contacts.begin() + room.contacts.count);
    for (int set = 0; set < room.sets.count; ++set) {
      const int* first = members.data() + sets[set].first;
      found.sets.push_back({sets[set].type, {first, first + sets[set].count}});
    }
    return found;
  }
}

}  // namespace touchstone
