#pragma once

#include "core/math/count.h"
#include "core/parallel/device/launch_graph.h"
#include "core/solver/rows/row_structure.inl"
#include "core/solver/table/convergence.inl"

namespace touchstone {

// An iteration on the rows of islands is written once, against what WideLoops and IslandLoops have in common:
//   - eachBlock, eachUnit, eachCarrier, eachIsland: loops over places of blocks, of units (RowPlace), over
//     carriers and islands
//   - eachColour(body): a loop over places of blocks for each of their colours. Returns how many
//   - eachBlockInParts(body): body(place), or, where there are more threads than blocks, body.part(place,
//   part)
//     of its kParts parts
//   - reduce(figures, partials): figures of blocks reduced by island, as IslandReduction::reduce(); the same
//   bits
//   - isRunning(), goesOn(count): whether an island is running still, and whether to take iteration `count`
//   - repeat(sequence): an iteration, the same each time
// Loops skip the islands that are not running. What iterates is
//   - start(loops): what comes before the first iteration
//   - advance(loops, count): iteration `count` of this launch, if an island is running. Returns how many
//     passes over units that took, one after the other; 0: none was running
// Nothing else is remembered from one call of advance() to the next than what lies in memory.

/// True for iterations whose loops the host interrupts: a device takes them by loops over all islands, and
/// the host starts threads for thousands of blocks only, since what lies between the loops is short.
template <class Iteration>
constexpr bool kNeedsHost = false;

namespace detail {

/// A loop body of places in a list.
template <class Body>
struct AtListed {
  const GroupedItem* items;
  Body body;
  TS_HD void operator()(int index) const { body(items[index].item); }
};

/// The parts of a loop body's places, which lie in a list if there is one.
template <class Body>
struct InParts {
  const GroupedItem* items;
  Body body;
  TS_HD void operator()(int index) const {
    const int place = index / Body::kParts;
    body.part(items ? items[place].item : place, index % Body::kParts);
  }
};

}  // namespace detail

/// Loops over all islands at once, each spread over everything that the backend has.
template <class Backend>
class WideLoops {
 public:
  /// @param unitCapacity  places of units   @param running  [islands]   @param partials  room of isRunning()
  /// @param blockWork  cost of a block: whether the host starts threads for some hundred of them
  WideLoops(const Backend& backend, const RowStructure<Backend>& structure, int unitCapacity,
            const int* running, typename Backend::template Array<int>& partials,
            LaunchGraph<Backend>& iteration, Work blockWork = Work::Heavy)
      : m_backend(backend),
        m_structure(structure),
        m_unitCapacity(unitCapacity),
        m_running(running),
        m_partials(partials),
        m_iteration(iteration),
        m_blockWork(blockWork) {}

  TS_NO_SPACE_CHECK
  template <class Body>
  TS_HD void eachBlock(const Body& body) const {
    forEach(m_backend, m_structure.blockCount(), body, m_blockWork);
  }
  TS_NO_SPACE_CHECK
  template <class Body>
  TS_HD void eachBlockInParts(const Body& body) const {
    if constexpr (Backend::kOnHost)
      eachBlock(body);
    else
      forEach(m_backend, Body::kParts * m_structure.blockCount(), detail::InParts<Body>{nullptr, body});
  }
  TS_NO_SPACE_CHECK
  template <class Body>
  TS_HD void eachUnit(const Body& body, Work work = Work::Light) const {
    forEach(m_backend, m_unitCapacity, body, work == Work::Light ? work : m_blockWork);
  }
  TS_NO_SPACE_CHECK
  template <class Body>
  TS_HD void eachCarrier(const Body& body) const {
    forEach(m_backend, m_structure.carrierCount(), body);
  }
  TS_NO_SPACE_CHECK
  template <class Body>
  TS_HD void eachIsland(const Body& body) const {
    forEach(m_backend, m_structure.islandCount(), body);
  }
  TS_NO_SPACE_CHECK
  template <class Body>
  TS_HD int eachColour(const Body& body) const {
    const std::vector<int>& first = m_structure.firstOfColour();
    for (std::size_t colour = 0; colour + 1 < first.size(); ++colour)
      forEach(m_backend, first[colour + 1] - first[colour], detail::FromFirst<Body>{first[colour], body},
              Work::Heavy);
    return countOf(first) - 1;
  }
  TS_NO_SPACE_CHECK
  template <class Extremes>
  TS_HD Extremes* reduce(const Extremes* extremes, Extremes* partials) const {
    return m_structure.tree().reduce(m_backend, extremes, partials);
  }
  TS_NO_SPACE_CHECK
  TS_HD bool isRunning() const {
    return reduced(m_backend, m_running, m_structure.islandCount(), 0, Larger{}, m_partials) > 0;
  }
  TS_NO_SPACE_CHECK
  TS_HD bool goesOn(int count) const {
    // How often the host asks a device: islands stop on their own.
    constexpr int kIterationsBetween = Backend::kOnHost ? 1 : 8;
    return count % kIterationsBetween != 0 || isRunning();
  }
  TS_NO_SPACE_CHECK
  template <class Sequence>
  TS_HD void repeat(const Sequence& sequence) const {
    m_iteration.run(m_backend, sequence);
  }

 private:
  const Backend& m_backend;
  const RowStructure<Backend>& m_structure;
  int m_unitCapacity;
  const int* m_running;
  typename Backend::template Array<int>& m_partials;
  LaunchGraph<Backend>& m_iteration;
  Work m_blockWork;
};

namespace detail {

/// Lists of the blocks, units and carriers of each island.
struct IslandLists {
  const GroupedItem* blocks;    // places of RowStructure::order(), by island
  const int* firstBlock;        // [islandCount + 1]
  const GroupedItem* carriers;  // by island
  const int* firstCarrier;      // [islandCount + 1]
  const int* firstUnit;         // [blockCount + 1] of each of `blocks`: its first place of units
  const GroupedItem* order;     // RowStructure::order(), with its colours
  IslandPartials partials;
  const int* isLarge;  // [islandCount] no island for a group of threads
  int* running;        // [islandCount]
};

}  // namespace detail

/// Loops over an island, by the threads of a group.
template <class Group>
class IslandLoops {
 public:
  TS_HD IslandLoops(const Group& group, const detail::IslandLists& lists, int island)
      : m_group(group), m_lists(lists), m_island(island) {}

  TS_NO_SPACE_CHECK
  template <class Body>
  TS_HD void eachBlock(const Body& body) const {
    const int first = m_lists.firstBlock[m_island], end = m_lists.firstBlock[m_island + 1];
    m_group.forEach(end - first, detail::AtListed<Body>{m_lists.blocks + first, body});
  }
  TS_NO_SPACE_CHECK
  template <class Body>
  TS_HD void eachBlockInParts(const Body& body) const {
    const int first = m_lists.firstBlock[m_island], end = m_lists.firstBlock[m_island + 1];
    if constexpr (Group::kIsOneThread)
      eachBlock(body);
    else
      m_group.forEach(Body::kParts * (end - first), detail::InParts<Body>{m_lists.blocks + first, body});
  }
  TS_NO_SPACE_CHECK
  template <class Body>
  TS_HD void eachUnit(const Body& body, Work = Work::Light) const {
    const int first = m_lists.firstUnit[m_lists.firstBlock[m_island]],
              end = m_lists.firstUnit[m_lists.firstBlock[m_island + 1]];
    m_group.forEach(end - first, detail::FromFirst<Body>{first, body});
  }
  TS_NO_SPACE_CHECK
  template <class Body>
  TS_HD void eachCarrier(const Body& body) const {
    const int first = m_lists.firstCarrier[m_island], end = m_lists.firstCarrier[m_island + 1];
    m_group.forEach(end - first, detail::AtListed<Body>{m_lists.carriers + first, body});
  }
  TS_NO_SPACE_CHECK
  template <class Body>
  TS_HD void eachIsland(const Body& body) const {
    m_group.forEach(1, detail::FromFirst<Body>{m_island, body});
  }
  /// The blocks of an island lie by colour.
  TS_NO_SPACE_CHECK
  template <class Body>
  TS_HD int eachColour(const Body& body) const {
    const int end = m_lists.firstBlock[m_island + 1];
    int colours = 0;
    for (int first = m_lists.firstBlock[m_island]; first < end; ++colours) {
      const int colour = colourAt(first);
      const int count =
          firstNotBefore(end - first, [&](int index) { return colourAt(first + index) == colour; });
      m_group.forEach(count, detail::AtListed<Body>{m_lists.blocks + first, body});
      first += count;
    }
    return colours;
  }
  TS_NO_SPACE_CHECK
  template <class Extremes>
  TS_HD Extremes* reduce(const Extremes* extremes, Extremes* partials) const {
    return m_lists.partials.reduce(m_group, m_island, extremes, partials);
  }
  TS_NO_SPACE_CHECK
  TS_HD bool isRunning() const { return m_group.together(m_lists.running[m_island] != 0); }
  TS_HD bool goesOn(int) const { return isRunning(); }
  TS_NO_SPACE_CHECK
  template <class Sequence>
  TS_HD void repeat(const Sequence& sequence) const {
    sequence();
  }

 private:
  TS_HD int colourAt(int listed) const { return m_lists.order[m_lists.blocks[listed].item].group; }

  const Group& m_group;
  const detail::IslandLists& m_lists;
  int m_island;
};

namespace detail {

/// The iterations of each running island that is not large, by a group of threads each, until it has stopped
/// or has taken `maxPasses` passes over rows.
template <class Iteration>
struct EachSmallIsland {
  Iteration iteration;
  IslandLists lists;
  bool isFirst;  // of the launches
  int maxPasses;
  TS_NO_SPACE_CHECK
  template <class Group>
  TS_HD void operator()(const Group& group, int island) const {
    const bool isMeant = lists.running[island] && !lists.isLarge[island];
    if (!group.together(isMeant)) return;
    const IslandLoops<Group> loops(group, lists, island);
    if (isFirst) iteration.start(loops);
    for (int count = 0, total = 0; total < maxPasses; ++count) {
      const int passes = iteration.advance(loops, count);
      if (passes == 0) return;
      total += passes;
    }
  }
};

struct FlagSmall {  // one island per index: a small one that is running
  const int *running, *isLarge;
  int* flags;
  TS_HD void operator()(int island) const { flags[island] = running[island] && !isLarge[island] ? 1 : 0; }
};

struct CountUnitsOfBlock {  // one block by island per index
  const GroupedItem* listed;
  const RowBlock* blocks;
  int* counts;
  TS_HD void operator()(int index) const { counts[index] = blocks[listed[index].item].unitCount; }
};

struct PlaceUnits {  // one block by island per index
  const GroupedItem* listed;
  RowsView table;
  const int* firstUnit;  // [blockCount + 1]
  RowPlace* out;
  TS_HD void operator()(int index) const {
    const RowBlock& block = table.blocks[listed[index].item];
    for (int k = 0; k < block.unitCount; ++k)
      out[firstUnit[index] + k] = {table.units[block.firstUnit + k], block.firstUnit + k, block.island};
  }
};

/// Figures of units, of blocks, and reduced by island.
template <class Extremes>
struct ReducedExtremes {
  Extremes *ofUnits, *ofBlocks, *partials;
  /// @return of the running islands
  template <class Loops>
  TS_HD const Extremes* reduce(const Loops& loops, const RowBlock* blocks, const int* running) const {
    loops.eachBlock(ReduceUnits<Extremes>{blocks, running, ofUnits, ofBlocks});
    return loops.reduce(static_cast<const Extremes*>(ofBlocks), partials);
  }
};

/// Judgement of an iterate: its islands keep it if it is their best, and stop where it is good enough.
struct Judgement {
  ReducedExtremes<RowExtremes> extremes;
  const RowBlock* blocks;
  const RowPlace* places;
  const IslandRows* reported;
  IslandCurve* islands;
  int* running;
  RowExtremes* history;
  const double* z;
  double* best;
  /// @param loops  after those that have set extremes.ofUnits to the residuals of all units
  template <class Loops>
  TS_HD void judge(const Loops& loops) const {
    const RowExtremes* largest = extremes.reduce(loops, blocks, running);
    loops.eachIsland(JudgeIsland{largest, reported, islands, running, history});
    loops.eachUnit(KeepImpulses{places, islands, z, best});
  }
};

}  // namespace detail

}  // namespace touchstone
