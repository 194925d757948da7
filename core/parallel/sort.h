#pragma once

#include <thrust/sort.h>

#include <algorithm>

#include "core/parallel/for_each.h"

namespace touchstone {

/// Stable sort of data[0 … count): equal elements keep their order, so that all backends give the same
/// result.
template <class Backend, class T, class Less>
void stableSort(const Backend& backend, T* data, int count, Less less) {
  if (count < 2) return;
  if constexpr (Backend::kOnHost) {
    if (count < serialBelow(Work::Light)) {
      std::stable_sort(data, data + count, less);
      return;
    }
  }
  backend.call("sort", count,
               [=](const auto& policy) { thrust::stable_sort(policy, data, data + count, less); });
}

namespace detail {

template <class T, class Less>
struct PutLastBehind {
  T* data;
  const int* count;
  TS_HD void operator()(int index) const {
    if (index >= *count) data[index] = Less::last();
  }
};

}  // namespace detail

/// Stable sort of the first extent.size() elements. The elements between them and the capacity are
/// overwritten. Less::last() is an element that sorts behind all others.
template <class Backend, class T, class Less>
void stableSort(const Backend& backend, T* data, const Extent& extent, Less less) {
  if constexpr (Backend::kIsPlanned) {
    if (extent.count) forEach(backend, extent.capacity, detail::PutLastBehind<T, Less>{data, extent.count});
  }
  stableSort(backend, data, extent.capacity, less);
}

}  // namespace touchstone
