#include "core/solver/rows/host_islands.h"

#include "core/parallel/host_backend.h"
#include "core/solver/rows/pair_islands.inl"

namespace touchstone {

std::vector<std::vector<int>> islandsOfPairs(const std::vector<IndexPair>& moving, int bodyCount) {
  const HostBackend backend;
  const int count = static_cast<int>(moving.size());
  thread_local Grouping<HostBackend> sides;  // both keep their arrays from step to step
  thread_local PairIslands<HostBackend> found;
  sides.make(backend, 2 * count, bodyCount, detail::BodyOfSide{moving.data()});
  found.find(backend, {moving.data(), sides.items(), sides.first()}, bodyCount, count);
  std::vector<std::vector<int>> islands(static_cast<std::size_t>(found.count()));
  for (int pair = 0; pair < count; ++pair)
    islands[static_cast<std::size_t>(
                found.ofBodies()[detail::anyBodyOf(moving[static_cast<std::size_t>(pair)])])]
        .push_back(pair);
  return islands;
}

IslandBodies bodiesOfIslands(const std::vector<std::vector<int>>& islands,
                             const std::vector<IndexPair>& moving, int bodyCount) {
  IslandBodies all;
  all.place.assign(static_cast<std::size_t>(bodyCount), -1);
  for (const std::vector<int>& pairs : islands) {
    std::vector<int>& bodies = all.ofIsland.emplace_back();
    for (const int pair : pairs)
      for (const int body :
           {moving[static_cast<std::size_t>(pair)].first, moving[static_cast<std::size_t>(pair)].second}) {
        if (body < 0 || all.place[static_cast<std::size_t>(body)] >= 0) continue;
        all.place[static_cast<std::size_t>(body)] = static_cast<int>(bodies.size());
        bodies.push_back(body);
      }
  }
  return all;
}

}  // namespace touchstone
