#pragma once

#include <algorithm>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/math/count.h"
#include "core/parallel/copy.h"
#include "core/parallel/for_each.h"
#include "core/parallel/offsets.h"

namespace touchstone {

namespace detail {

/// Merges two loops over two extents into one, and writes the sum of both lengths.
template <class First, class Second>
struct InTurn {
  Extent first, second;
  First ofFirst;
  Second ofSecond;
  int* length;  // the length of the list, out; or null
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

/// A list in the memory of a backend whose length is computed by the step. Most backends wait for the length
/// and resize the list. A DeferredLists does not wait: the list keeps its capacity, and the length stays in
/// the memory of the backend.
template <class Backend, class T>
class List {
 public:
  T* data() { return m_items.data(); }
  const T* data() const { return m_items.data(); }
  const Extent& extent() const { return m_extent; }
  /// The number of items, on backends where the host knows it.
  int size() const {
    static_assert(!Backend::kIsPlanned, "the host knows no lengths here");
    return m_extent.capacity;
  }

  /// Gives the list capacity for counts[k] items of each index k, and turns counts into offsets. The code
  /// that writes the items has to check fits(). The old items are lost.
  /// @param counts  [count + 1] on the backend
  void layOut(const Backend& backend, int count, int* counts) {
    layOut(backend, count, counts, [](const Extent&, T*) { return detail::NothingMore(); });
  }
  /// Lays the list out and writes the items. @param bodyFor  bodyFor(extent, items) returns the body of a
  /// loop over the offsets, which writes the items
  template <class BodyFor>
  void layOut(const Backend& backend, int count, int* counts, const BodyFor& bodyFor) {
    if constexpr (Backend::kIsPlanned) {
      const auto note = backend.noteLength(m_number, counts + count);
      m_extent = {note.capacity, note.count};
      m_items.resize(m_extent.capacity);
      sumCounts(backend, count, counts, note, bodyFor(m_extent, data()));
    } else {
      m_extent = {offsetsOf(backend, count, counts), nullptr};
      m_items.resize(m_extent.capacity);
      if (m_extent.capacity > 0) forEach(backend, count, bodyFor(m_extent, data()));
    }
  }

  /// Gives the list capacity for the items of both extents together. The old items are lost.
  /// @return where a loop has to write the number of items before the next use of the list; null if the host
  /// knows it
  int* capacityFor(const Backend& backend, const Extent& a, const Extent& b = Extent(),
                   const Extent& c = Extent()) {
    int* length = nullptr;
    if constexpr (Backend::kIsPlanned) length = backend.countOf(m_number);
    m_extent = {a.capacity + b.capacity + c.capacity, length};
    m_items.resize(m_extent.capacity);
    return length;
  }

  /// Makes the list as long as both extents together; later changes of the extents do not affect it. One loop
  /// writes the items.
  /// @param bodiesFor  bodiesFor(items) returns a pair of loop bodies, one over each extent
  template <class BodiesFor>
  void make(const Backend& backend, const Extent& a, const Extent& b, const BodiesFor& bodiesFor) {
    int* length = capacityFor(backend, a, b);
    const auto [ofA, ofB] = bodiesFor(data());
    const detail::InTurn<std::decay_t<decltype(ofA)>, std::decay_t<decltype(ofB)>> body{a, b, ofA, ofB,
                                                                                        length};
    forEach(backend, length ? std::max(1, m_extent.capacity) : m_extent.capacity, body);
  }

  /// Makes the list as long as an extent. @param bodyFor  bodyFor(items) returns the body of a loop that
  /// writes the items
  template <class BodyFor>
  void make(const Backend& backend, const Extent& extent, const BodyFor& bodyFor) {
    make(backend, extent, Extent(),
         [&bodyFor](T* to) { return std::make_pair(bodyFor(to), detail::NothingMore()); });
  }

  /// Copies the items and the length of another list.
  void copy(const Backend& backend, const List& other) {
    make(backend, other.extent(), [&other](T* to) { return detail::CopyItem<T>{other.data(), to}; });
  }

  void upload(const Backend& backend, const std::vector<T>& items) {
    backend.upload(items.data(), items.size(), m_items);
    const int count = countOf(items);
    int* length = capacityFor(backend, {count, nullptr});
    if (length) fill(backend, length, 1, count);
  }
  /// Returns the items. Waits for them.
  std::vector<T> download(const Backend& backend) const {
    std::vector<T> items(lengthOf(backend, m_extent));
    backend.download(m_items.data(), items.size(), items.data());
    return items;
  }

 private:
  typename Backend::template Array<T> m_items;
  Extent m_extent;
  int m_number = -1;  ///< number of the list in the plan of the backend
};

/// Returns the number of items. Waits for it.
template <class Backend>
int lengthOf(const Backend& backend, const Extent& extent) {
  int count = extent.capacity;
  if (extent.count) backend.download(extent.count, 1, &count);
  return count;
}

/// True if a list laid out by List::layOut() has capacity for all items up to this offset.
TS_HD inline bool fits(const Extent& list, int offset) { return offset <= list.capacity; }

}  // namespace touchstone
