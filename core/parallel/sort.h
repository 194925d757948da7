#pragma once

#include <thrust/sort.h>

namespace touchstone {

/// Stable sort of [first, last): equal elements keep their order, so the result is one and the same on any
/// backend.
template <class Backend, class Iterator, class Less>
void stableSort(const Backend& backend, Iterator first, Iterator last, Less less) {
  thrust::stable_sort(backend.policy(), first, last, less);
}

}  // namespace touchstone
