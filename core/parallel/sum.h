#pragma once

#include <cstddef>

#include "core/parallel/for_each.h"
#include "core/parallel/thread_group.h"

namespace touchstone {

/// Number of terms that one index adds. A larger value makes each index of a device wait for more loads in
/// sequence; a smaller one costs more launches. Any change alters the order of sums, and with it the last
/// bits of results.
constexpr int kTermsPerSum = 32;
constexpr int sumsOf(int terms) { return (terms + kTermsPerSum - 1) / kTermsPerSum; }

namespace detail {

template <class T>
struct SumTerms {  // index = sum · rows + row
  const T* terms;  // [count × rows]
  int rows, count;
  T* out;  // [sumsOf(count) × rows]
  TS_HD void operator()(int index) const {
    const int row = index % rows, first = index / rows * kTermsPerSum;
    const int end = first + kTermsPerSum < count ? first + kTermsPerSum : count;
    T sum = terms[static_cast<long long>(first) * rows + row];
    for (int term = first + 1; term < end; ++term) sum += terms[static_cast<long long>(term) * rows + row];
    out[index] = sum;
  }
};

/// Repeats SumTerms in one group until one sum is left.
template <class T>
struct SumTermsTogether {
  T* terms;
  int rows, count;
  T* out;
  TS_NO_SPACE_CHECK
  template <class Group>
  TS_HD void operator()(const Group& group, int) const {
    T* source = terms;
    int remaining = count;
    while (remaining > kTermsPerSum) {
      T* sums = source + static_cast<long long>(remaining) * rows;
      group.forEach(rows * sumsOf(remaining), SumTerms<T>{source, rows, remaining, sums});
      source = sums;
      remaining = sumsOf(remaining);
    }
    group.forEach(rows * sumsOf(remaining), SumTerms<T>{source, rows, remaining, out});
  }
};

}  // namespace detail

/// Number of scratch items per row that sumOnDevice() needs, including the `count` terms.
constexpr std::size_t scratchForSum(int count) {
  return static_cast<std::size_t>(count) + 2 * static_cast<std::size_t>(sumsOf(count));
}

/// Adds `count` terms of each row: kTermsPerSum terms at a time, then these sums, until one is left. The
/// order depends only on the count, so that all backends give the same bits.
/// @param terms  [scratchForSum(count) × rows], the first term of all rows, then the second, …
/// @param out  [rows]; not written if count is 0
template <class Backend, class T>
void sumOnDevice(const Backend& backend, T* terms, int rows, int count, T* out) {
  while (count > kTermsPerSum) {
    if constexpr (!Backend::kOnHost) {
      if (static_cast<long long>(rows) * count <= kMostOfOneGroup) {
        backend.runGroups(1, rows * sumsOf(count), detail::SumTermsTogether<T>{terms, rows, count, out});
        return;
      }
    }
    T* sums = terms + static_cast<long long>(count) * rows;
    forEach(backend, rows * sumsOf(count), detail::SumTerms<T>{terms, rows, count, sums});
    terms = sums;
    count = sumsOf(count);
  }
  forEach(backend, rows * sumsOf(count), detail::SumTerms<T>{terms, rows, count, out});
}

}  // namespace touchstone
