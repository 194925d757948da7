#pragma once

#include "core/geometry/box_tree.inl"
#include "core/world/world_view.h"

namespace touchstone {

namespace detail {

/// Finds planes of an item's replica that the item's box reaches. Counts them if `out` is null, else writes
/// them.
template <class Reaches>
struct MeetsPlanes {
  WorldView world;
  const int* itemBody;  // null: the items are bodies
  const Aabb* boxes;    // [itemCount]
  Reaches reaches;
  int* counts;
  const int* offsets;
  Extent list;
  IndexPair* out;  // item, plane
  TS_HD void operator()(int item) const {
    if (out && !fits(list, offsets[item + 1])) return;
    const int body = itemBody ? itemBody[item] : item, replica = world.bodies[body].replica;
    int count = 0;
    for (int k = world.replicaFirstPlane[replica]; k < world.replicaFirstPlane[replica + 1]; ++k) {
      const int plane = world.planes[k];
      if (!canCollide(world, body, plane) || !reaches(world, boxes[item], plane)) continue;
      if (out) out[offsets[item] + count] = {item, plane};
      ++count;
    }
    if (!out) counts[item] = count;
  }
};

}  // namespace detail

/// True for boxes closer to a plane than `growth` [m]; null: for boxes that reach it.
struct ComesNearPlane {
  const double* growth;  // [1]
  TS_HD bool operator()(const WorldView& world, const Aabb& box, int plane) const {
    const Vec3 normal = planeNormal(world, plane);
    return normal.dot(lowestCorner(box, normal) - world.position[plane]) <= (growth ? *growth : 0);
  }
};

/// Finds pairs of items with boxes (vertices, pieces, bodies) and planes, sorted. Keeps its arrays between
/// calls.
template <class Backend>
class PlanePairs {
 public:
  /// @param itemBody  [count], or null: the items are bodies   @param boxes  [count]
  /// @param reaches  bool(world, box, plane)   @return item, plane
  template <class Reaches>
  const List<Backend, IndexPair>& find(const Backend& backend, const WorldView& world, int count,
                                       const int* itemBody, const Aabb* boxes, const Reaches& reaches) {
    m_offsets.resize(count + 1);
    detail::MeetsPlanes<Reaches> meet{world,   itemBody, boxes,  reaches, m_offsets.data(),
                                      nullptr, Extent(), nullptr};
    forEach(backend, count, meet);
    m_pairs.layOut(backend, count, m_offsets.data());
    meet.offsets = m_offsets.data();
    meet.list = m_pairs.extent();
    meet.out = m_pairs.data();
    if (m_pairs.extent().capacity > 0) forEach(backend, count, meet);
    return m_pairs;
  }

 private:
  typename Backend::template Array<int> m_offsets;
  List<Backend, IndexPair> m_pairs;
};

}  // namespace touchstone
