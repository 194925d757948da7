#pragma once

#include <utility>

#include "core/parallel/search.h"
#include "core/parallel/select.h"

namespace touchstone {

/// Sorted pairs without duplicates.
template <class Pair>
struct SortedPairs {
  const Pair* pairs;
  Extent extent;
  /// Number of pairs below `pair`.
  TS_HD int countBelow(const Pair& pair) const {
    return firstNotBefore(extent.size(), [&](int index) { return pairs[index] < pair; });
  }
  TS_HD bool has(const Pair& pair) const {
    const int index = countBelow(pair);
    return index < extent.size() && !(pair < pairs[index]);
  }
};

/// Remembered entries of pairs, sorted by Entry::pair, at most one per pair.
template <class Entry>
struct SortedEntries {
  const Entry* entries = nullptr;
  Extent extent;

  /// The first entry that is not below the pair.
  template <class Pair>
  TS_HD int lowerBound(const Pair& pair) const {
    return firstNotBefore(extent.size(), [&](int index) { return entries[index].pair < pair; });
  }
  /// Entry of a pair, or null.
  template <class Pair>
  TS_HD const Entry* find(const Pair& pair) const {
    const int index = lowerBound(pair);
    return index < extent.size() && !(pair < entries[index].pair) ? entries + index : nullptr;
  }
};

namespace detail {

template <class Entry, class Pair>
struct IsMissing {
  SortedEntries<Entry> memory;
  SortedPairs<Pair> pairs;
  TS_HD bool operator()(int entry) const { return !pairs.has(memory.entries[entry].pair); }
};

template <class Entry, class Pair>
struct ReplicaPairs {
  SortedEntries<Entry> memory;
  const int* indices;
  Pair* out;
  TS_HD void operator()(int index) const { out[index] = memory.entries[indices[index]].pair; }
};

template <class Pair>
struct MergeInto {  // one pair per index finds its place in the merged list
  const Pair* pairs;
  SortedPairs<Pair> others;
  Pair* out;
  TS_HD void operator()(int index) const { out[index + others.countBelow(pairs[index])] = pairs[index]; }
};

}  // namespace detail

/// The pairs of a step, sorted: those that the broad phase found, and the remembered ones that it did not
/// find. Keeps its arrays between steps.
template <class Backend, class Pair>
class JoinedPairs {
 public:
  template <class Entry>
  const List<Backend, Pair>& join(const Backend& backend, const SortedPairs<Pair>& found,
                                  const SortedEntries<Entry>& memory) {
    const List<Backend, int>& missing =
        m_missing.select(backend, memory.extent, detail::IsMissing<Entry, Pair>{memory, found});
    m_extras.resize(missing.extent().capacity);
    const SortedPairs<Pair> extras{m_extras.data(), missing.extent()};
    forEach(backend, extras.extent,
            detail::ReplicaPairs<Entry, Pair>{memory, missing.data(), m_extras.data()});
    m_all.make(backend, found.extent, extras.extent, [&](Pair* to) {
      return std::make_pair(detail::MergeInto<Pair>{found.pairs, extras, to},
                            detail::MergeInto<Pair>{extras.pairs, found, to});
    });
    return m_all;
  }
  const List<Backend, Pair>& all() const { return m_all; }

 private:
  Selection<Backend> m_missing;
  List<Backend, Pair> m_all;
  typename Backend::template Array<Pair> m_extras;
};

}  // namespace touchstone
