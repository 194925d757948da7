#include "core/solver/rows/host_islands.h"

#include "core/math/count.h"
#include "core/parallel/host_backend.h"
#include "core/solver/rows/block_islands.inl"

namespace touchstone {

std::vector<std::vector<int>> islandsOfPairs(const std::vector<IndexPair>& moving, int bodyCount) {
  const HostBackend backend;
  const int count = countOf(moving);
  std::vector<RowBlock> blocks(count, RowBlock{});
  std::vector<int> carriers, blockOfSide;
  for (int pair = 0; pair < count; ++pair) {
    blocks[pair].firstCarrier = countOf(carriers);
    for (const int body : {moving[pair].first, moving[pair].second})
      if (body >= 0) {
        carriers.push_back(body);
        blockOfSide.push_back(pair);
      }
    blocks[pair].carrierCount = countOf(carriers) - blocks[pair].firstCarrier;
  }
  thread_local Grouping<HostBackend> sides;  // both keep their arrays from step to step
  thread_local BlockIslands<HostBackend> found;
  sides.make(backend, countOf(carriers), bodyCount, detail::CarrierOfSide{carriers.data()});
  const detail::CarrierIncidence incidence{blocks.data(), carriers.data(), blockOfSide.data(), sides.items(),
                                           sides.first()};
  found.find(backend, incidence, bodyCount, count);
  std::vector<std::vector<int>> islands(found.count());
  for (int pair = 0; pair < count; ++pair) islands[found.ofCarriers()[incidence.anyOf(pair)]].push_back(pair);
  return islands;
}

IslandBodies bodiesOfIslands(const std::vector<std::vector<int>>& islands,
                             const std::vector<IndexPair>& moving, int bodyCount) {
  IslandBodies result;
  result.place.assign(bodyCount, -1);
  for (const std::vector<int>& pairs : islands) {
    std::vector<int>& bodies = result.ofIsland.emplace_back();
    for (const int pair : pairs)
      for (const int body : {moving[pair].first, moving[pair].second}) {
        if (body < 0 || result.place[body] >= 0) continue;
        result.place[body] = countOf(bodies);
        bodies.push_back(body);
      }
  }
  return result;
}

}  // namespace touchstone
