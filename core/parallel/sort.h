#pragma once

#include <thrust/sort.h>

#include <algorithm>

#include "core/parallel/for_each.h"

namespace touchstone {

/// Stable sort of data[0 … count): equal elements keep their order, so the result is one and the same on any
/// backend.
template <class Backend, class T, class Less>
void stableSort(const Backend& backend, T* data, int count, Less less) {
  if (count < 2) return;
  if constexpr (Backend::kOnHost) {
    if (count < serialBelow(Work::Light)) {
      std::stable_sort(data, data + count, less);
      return;
    }
  }
  thrust::stable_sort(backend.policy(), data, data + count, less);
  backend.launched("sort", count);
}

}  // namespace touchstone
