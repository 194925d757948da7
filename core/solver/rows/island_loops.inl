#pragma once

#include "core/math/count.h"
#include "core/parallel/device/launch_graph.h"
#include "core/solver/rows/row_loops.inl"
#include "core/solver/rows/sweep_plan.inl"

namespace touchstone {

// An iteration on the rows of islands is written once, against what WideLoops and IslandLoops have in common:
//   - eachPair, eachRow, eachBody, eachIsland: loops over places of pairs, of rows (RowPlace), over bodies
//     and islands
//   - eachColour(body): a loop over places of pairs for each of their colours. Returns how many
//   - eachPairInParts(body): body(place), or, where there are more threads than pairs, body.part(place, part)
//     of its kParts parts
//   - reduce(figures, partials): figures of pairs reduced by island, as IslandReduction::reduce(); the same
//   bits
//   - isRunning(), goesOn(count): whether an island is running still, and whether to take iteration `count`
//   - repeat(sequence): an iteration, the same each time
// Loops skip the islands that are not running. What iterates is
//   - start(loops): what comes before the first iteration
//   - advance(loops, count): iteration `count` of this launch, if an island is running. Returns how many
//     passes over rows that took, one after the other; 0: none was running
// Nothing else is remembered from one call of advance() to the next than what lies in memory.

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
  /// @param rowCapacity  places of rows   @param running  [islands]   @param partials  room of isRunning()
  WideLoops(const Backend& backend, const SweepPlan<Backend>& plan, int rowCapacity, int bodyCount,
            const int* running, typename Backend::template Array<int>& partials,
            LaunchGraph<Backend>& iteration)
      : m_backend(backend),
        m_plan(plan),
        m_rowCapacity(rowCapacity),
        m_bodyCount(bodyCount),
        m_running(running),
        m_partials(partials),
        m_iteration(iteration) {}

  TS_NO_SPACE_CHECK
  template <class Body>
  TS_HD void eachPair(const Body& body) const {
    forEach(m_backend, m_plan.pairCount(), body, Work::Heavy);
  }
  TS_NO_SPACE_CHECK
  template <class Body>
  TS_HD void eachPairInParts(const Body& body) const {
    if constexpr (Backend::kOnHost)
      eachPair(body);
    else
      forEach(m_backend, Body::kParts * m_plan.pairCount(), detail::InParts<Body>{nullptr, body});
  }
  TS_NO_SPACE_CHECK
  template <class Body>
  TS_HD void eachRow(const Body& body, Work work = Work::Light) const {
    forEach(m_backend, m_rowCapacity, body, work);
  }
  TS_NO_SPACE_CHECK
  template <class Body>
  TS_HD void eachBody(const Body& body) const {
    forEach(m_backend, m_bodyCount, body);
  }
  TS_NO_SPACE_CHECK
  template <class Body>
  TS_HD void eachIsland(const Body& body) const {
    forEach(m_backend, m_plan.islandCount(), body);
  }
  TS_NO_SPACE_CHECK
  template <class Body>
  TS_HD int eachColour(const Body& body) const {
    const std::vector<int>& first = m_plan.firstOfColour();
    for (std::size_t colour = 0; colour + 1 < first.size(); ++colour)
      forEach(m_backend, first[colour + 1] - first[colour], detail::FromFirst<Body>{first[colour], body},
              Work::Heavy);
    return countOf(first) - 1;
  }
  TS_NO_SPACE_CHECK
  template <class Extremes>
  TS_HD Extremes* reduce(const Extremes* extremes, Extremes* partials) const {
    return m_plan.tree().reduce(m_backend, extremes, partials);
  }
  TS_NO_SPACE_CHECK
  TS_HD bool isRunning() const {
    return reduced(m_backend, m_running, m_plan.islandCount(), 0, Larger{}, m_partials) > 0;
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
  const SweepPlan<Backend>& m_plan;
  int m_rowCapacity, m_bodyCount;
  const int* m_running;
  typename Backend::template Array<int>& m_partials;
  LaunchGraph<Backend>& m_iteration;
};

namespace detail {

/// Lists of the pairs, rows and bodies of each island.
struct IslandLists {
  const GroupedItem* pairs;   // places of SweepPlan::order(), by island
  const int* firstPair;       // [islandCount + 1]
  const GroupedItem* bodies;  // by island
  const int* firstBody;       // [islandCount + 1]
  const int* firstRow;        // [pairCount + 1] of each of `pairs`: its first place of rows
  const GroupedItem* order;   // SweepPlan::order(), with its colours
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
  TS_HD void eachPair(const Body& body) const {
    const int first = m_lists.firstPair[m_island], end = m_lists.firstPair[m_island + 1];
    m_group.forEach(end - first, detail::AtListed<Body>{m_lists.pairs + first, body});
  }
  TS_NO_SPACE_CHECK
  template <class Body>
  TS_HD void eachPairInParts(const Body& body) const {
    const int first = m_lists.firstPair[m_island], end = m_lists.firstPair[m_island + 1];
    if constexpr (Group::kIsOneThread)
      eachPair(body);
    else
      m_group.forEach(Body::kParts * (end - first), detail::InParts<Body>{m_lists.pairs + first, body});
  }
  TS_NO_SPACE_CHECK
  template <class Body>
  TS_HD void eachRow(const Body& body, Work = Work::Light) const {
    const int first = m_lists.firstRow[m_lists.firstPair[m_island]],
              end = m_lists.firstRow[m_lists.firstPair[m_island + 1]];
    m_group.forEach(end - first, detail::FromFirst<Body>{first, body});
  }
  TS_NO_SPACE_CHECK
  template <class Body>
  TS_HD void eachBody(const Body& body) const {
    const int first = m_lists.firstBody[m_island], end = m_lists.firstBody[m_island + 1];
    m_group.forEach(end - first, detail::AtListed<Body>{m_lists.bodies + first, body});
  }
  TS_NO_SPACE_CHECK
  template <class Body>
  TS_HD void eachIsland(const Body& body) const {
    m_group.forEach(1, detail::FromFirst<Body>{m_island, body});
  }
  /// The pairs of an island lie by colour.
  TS_NO_SPACE_CHECK
  template <class Body>
  TS_HD int eachColour(const Body& body) const {
    const int end = m_lists.firstPair[m_island + 1];
    int colours = 0;
    for (int first = m_lists.firstPair[m_island]; first < end; ++colours) {
      const int colour = colourAt(first);
      const int count =
          firstNotBefore(end - first, [&](int index) { return colourAt(first + index) == colour; });
      m_group.forEach(count, detail::AtListed<Body>{m_lists.pairs + first, body});
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
  TS_HD int colourAt(int listed) const { return m_lists.order[m_lists.pairs[listed].item].group; }

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

struct CountRowsOfPair {  // one pair by island per index
  const GroupedItem* listed;
  const RowPair* pairs;
  int* counts;
  TS_HD void operator()(int index) const { counts[index] = pairs[listed[index].item].count; }
};

struct PlaceRows {  // one pair by island per index
  const GroupedItem* listed;
  const RowPair* pairs;
  const int* firstRow;  // [pairCount + 1]
  RowPlace* out;
  TS_HD void operator()(int index) const {
    const RowPair& pair = pairs[listed[index].item];
    for (int k = 0; k < pair.count; ++k)
      out[firstRow[index] + k] = {pair.first + k, pair.bodyA, pair.bodyB, pair.island};
  }
};

/// Figures of rows, of pairs, and reduced by island.
template <class Extremes>
struct ReducedExtremes {
  Extremes *ofRows, *ofPairs, *partials;
  /// @return of the running islands
  template <class Loops>
  TS_HD const Extremes* reduce(const Loops& loops, const RowPair* pairs, const int* running) const {
    loops.eachPair(ReduceRows<Extremes>{pairs, running, ofRows, ofPairs});
    return loops.reduce(static_cast<const Extremes*>(ofPairs), partials);
  }
};

/// Judgement of an iterate: its islands keep it if it is their best, and stop where it is good enough.
struct Judgement {
  ReducedExtremes<RowExtremes> extremes;
  const RowPair* pairs;
  const RowPlace* places;
  const IslandRows* reported;
  IslandCurve* islands;
  int* running;
  RowExtremes* history;
  const Vec3* z;
  Vec3* best;
  /// @param loops  after those that have set figures.ofRows to the residuals of all rows
  template <class Loops>
  TS_HD void judge(const Loops& loops) const {
    const RowExtremes* largest = extremes.reduce(loops, pairs, running);
    loops.eachIsland(JudgeIsland{largest, reported, islands, running, history});
    loops.eachRow(KeepImpulses{places, islands, z, best});
  }
};

}  // namespace detail

}  // namespace touchstone
