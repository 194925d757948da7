#pragma once

#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <thrust/scan.h>

#include <vector>

#include "core/parallel/copy.h"
#include "core/parallel/for_each.h"

namespace touchstone {

namespace detail {

/// The total has no count of its own.
struct CountOrNone {
  const int* counts;
  int count;
  TS_HD int operator()(int index) const { return index < count ? counts[index] : 0; }
};

}  // namespace detail

/// Turns counts[0 … count) into the offsets of their items in one list, in place; counts[count] becomes the
/// total. Integers, so that the order of the sums does not matter.
/// @param counts  [count + 1] on the backend
template <class Backend>
void sumCounts(const Backend& backend, int count, int* counts) {
  if constexpr (Backend::kOnHost) {
    int total = 0;
    for (int index = 0; index < count; ++index) {
      const int own = counts[index];
      counts[index] = total;
      total += own;
    }
    counts[count] = total;
  } else {
    const auto first = thrust::make_transform_iterator(thrust::counting_iterator<int>(0),
                                                       detail::CountOrNone{counts, count});
    backend.call("scan", count + 1, [=](const auto& policy) {
      thrust::exclusive_scan(policy, first, first + count + 1, counts);
    });
  }
}

/// sumCounts(), and waits for the total.
template <class Backend>
int offsetsOf(const Backend& backend, int count, int* counts) {
  sumCounts(backend, count, counts);
  int total = 0;
  backend.download(counts + count, 1, &total);
  return total;
}

namespace detail {

struct AddCounts {
  Extent a, b, c;
  int* to;
  TS_HD void operator()(int) const { *to = a.size() + b.size() + c.size(); }
};

}  // namespace detail

/// A list in the memory of a backend whose length the step finds out. Most backends wait for it and make the
/// list as long; a PlannedBackend does not: there the list has room, and its length stays where it was found.
template <class Backend, class T>
class List {
 public:
  T* data() { return m_items.data(); }
  const T* data() const { return m_items.data(); }
  const Extent& extent() const { return m_extent; }
  /// The number of items, where the host knows it.
  int size() const {
    static_assert(!Backend::kIsPlanned, "the host knows no lengths here");
    return m_extent.room;
  }

  /// Room for the items of which there are counts[k] of index k; turns counts into offsets. Who writes the
  /// items checks hasRoom(). What was in the list is lost.
  /// @param counts  [count + 1] on the backend
  void layOut(const Backend& backend, int count, int* counts) {
    if constexpr (Backend::kIsPlanned) {
      sumCounts(backend, count, counts);
      m_extent = backend.place(m_number, counts + count);
    } else {
      m_extent = {offsetsOf(backend, count, counts), nullptr};
    }
    m_items.resize(static_cast<std::size_t>(m_extent.room));
  }

  /// As many items as these extents have together, whatever becomes of them later. What was in the list is
  /// lost.
  void resizeTo(const Backend& backend, const Extent& a, const Extent& b = Extent(),
                const Extent& c = Extent()) {
    m_extent.room = a.room + b.room + c.room;
    if constexpr (Backend::kIsPlanned) {
      int* count = backend.countOf(m_number);
      forEach(backend, 1, detail::AddCounts{a, b, c, count});
      m_extent.count = count;
    }
    m_items.resize(static_cast<std::size_t>(m_extent.room));
  }

  /// Becomes a copy.
  void copy(const Backend& backend, const List& other) {
    resizeTo(backend, other.extent());
    forEach(backend, other.extent(), detail::CopyItem<T>{other.data(), data()});
  }

  void upload(const Backend& backend, const std::vector<T>& items) {
    backend.upload(items.data(), items.size(), m_items);
    resizeTo(backend, {static_cast<int>(items.size()), nullptr});
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
  int count = extent.room;
  if (extent.count) backend.download(extent.count, 1, &count);
  return count;
}

/// True if a list of List::layOut() has taken all items up to this offset.
TS_HD inline bool hasRoom(const Extent& list, int offset) { return offset <= list.room; }

}  // namespace touchstone
