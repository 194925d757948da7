#pragma once

#include <algorithm>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/parallel/copy.h"
#include "core/parallel/for_each.h"
#include "core/parallel/offsets.h"

namespace touchstone {

namespace detail {

/// One loop over what would be a loop each for two extents, and the length of both into a list's place.
template <class First, class Second>
struct InTurn {
  Extent first, second;
  First ofFirst;
  Second ofSecond;
  int* length;  // or null
  TS_HD void operator()(int index) const {
    const int size = first.size();
    if (index == 0 && length) *length = size + second.size();
    if (index < first.capacity) {
      if (index < size) ofFirst(index);
    } else if (index - first.capacity < second.size()) {
      ofSecond(index - first.capacity);
    }
  }
};

}  // namespace detail

/// A list in the memory of a backend whose length the step finds out. Most backends wait for it and make the
/// list as long; a DeferredLists does not: there the list has capacity, and its length stays where it was
/// found.
template <class Backend, class T>
class List {
 public:
  T* data() { return m_items.data(); }
  const T* data() const { return m_items.data(); }
  const Extent& extent() const { return m_extent; }
  /// The number of items, where the host knows it.
  int size() const {
    static_assert(!Backend::kIsPlanned, "the host knows no lengths here");
    return m_extent.capacity;
  }

  /// Capacity for the items of which there are counts[k] of index k; turns counts into offsets. Who writes
  /// the items checks fits(). What was in the list is lost.
  /// @param counts  [count + 1] on the backend
  void layOut(const Backend& backend, int count, int* counts) {
    layOut(backend, count, counts, [](const Extent&, T*) { return detail::NothingMore(); });
  }
  /// And writes them. @param bodyFor  for the list and where its items go, the body of a loop over the
  /// offsets
  template <class BodyFor>
  void layOut(const Backend& backend, int count, int* counts, const BodyFor& bodyFor) {
    if constexpr (Backend::kIsPlanned) {
      const auto note = backend.noteLength(m_number, counts + count);
      m_extent = {note.capacity, note.count};
      m_items.resize(static_cast<std::size_t>(m_extent.capacity));
      sumCounts(backend, count, counts, note, bodyFor(m_extent, data()));
    } else {
      m_extent = {offsetsOf(backend, count, counts), nullptr};
      m_items.resize(static_cast<std::size_t>(m_extent.capacity));
      if (m_extent.capacity > 0) forEach(backend, count, bodyFor(m_extent, data()));
    }
  }

  /// Capacity for as many items as these extents have together. What was in the list is lost.
  /// @return where a loop before the next use of the list has to write their number; null: the host knows it
  int* capacityFor(const Backend& backend, const Extent& a, const Extent& b = Extent(),
                   const Extent& c = Extent()) {
    int* length = nullptr;
    if constexpr (Backend::kIsPlanned) length = backend.countOf(m_number);
    m_extent = {a.capacity + b.capacity + c.capacity, length};
    m_items.resize(static_cast<std::size_t>(m_extent.capacity));
    return length;
  }

  /// Becomes as long as both extents together, whatever becomes of them later. One loop writes the items.
  /// @param bodiesFor  for where the items go, a pair of loop bodies, one over each extent
  template <class BodiesFor>
  void make(const Backend& backend, const Extent& a, const Extent& b, const BodiesFor& bodiesFor) {
    int* length = capacityFor(backend, a, b);
    const auto [ofA, ofB] = bodiesFor(data());
    const detail::InTurn<std::decay_t<decltype(ofA)>, std::decay_t<decltype(ofB)>> body{a, b, ofA, ofB,
                                                                                        length};
    forEach(backend, length ? std::max(1, m_extent.capacity) : m_extent.capacity, body);
  }

  /// Becomes as long as an extent. @param bodyFor  for where the items go, the body of a loop that writes
  /// them
  template <class BodyFor>
  void make(const Backend& backend, const Extent& extent, const BodyFor& bodyFor) {
    make(backend, extent, Extent(),
         [&bodyFor](T* to) { return std::make_pair(bodyFor(to), detail::NothingMore()); });
  }

  /// Becomes a copy.
  void copy(const Backend& backend, const List& other) {
    make(backend, other.extent(), [&other](T* to) { return detail::CopyItem<T>{other.data(), to}; });
  }

  void upload(const Backend& backend, const std::vector<T>& items) {
    backend.upload(items.data(), items.size(), m_items);
    const int count = static_cast<int>(items.size());
    int* length = capacityFor(backend, {count, nullptr});
    if (length) fill(backend, length, 1, count);
  }
  /// Waits for the items.
  std::vector<T> download(const Backend& backend) const {
    std::vector<T> items(static_cast<std::size_t>(lengthOf(backend, m_extent)));
    backend.download(m_items.data(), items.size(), items.data());
    return items;
  }

 private:
  typename Backend::template Array<T> m_items;
  Extent m_extent;
  int m_number = -1;  ///< in the plan of the backend
};

/// Waits for the number of items.
template <class Backend>
int lengthOf(const Backend& backend, const Extent& extent) {
  int count = extent.capacity;
  if (extent.count) backend.download(extent.count, 1, &count);
  return count;
}

/// True if a list of List::layOut() has taken all items up to this offset.
TS_HD inline bool fits(const Extent& list, int offset) { return offset <= list.capacity; }

}  // namespace touchstone
