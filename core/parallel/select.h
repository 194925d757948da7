#pragma once

#include <thrust/scan.h>

#include "core/math/host_device.h"
#include "core/parallel/for_each.h"

namespace touchstone {

/// Turns counts[0 … count) into the offsets of their items in one list, in place; counts[count] becomes the
/// total. Integers, so that the order of the sums does not matter.
/// @param counts  [count + 1] on the backend   @return the total
template <class Backend>
int offsetsOf(const Backend& backend, int count, int* counts) {
  if constexpr (Backend::kOnHost) {
    int total = 0;
    for (int index = 0; index < count; ++index) {
      const int own = counts[index];
      counts[index] = total;
      total += own;
    }
    counts[count] = total;
    return total;
  } else {
    thrust::exclusive_scan(backend.policy(), counts, counts + count + 1, counts);
    backend.launched("scan", count + 1);
    int total = 0;
    backend.download(counts + count, 1, &total);
    return total;
  }
}

namespace detail {

template <class Test>
struct FlagWhere {
  Test test;
  int* flags;  // [count], out
  TS_HD void operator()(int index) const { flags[index] = test(index) ? 1 : 0; }
};

struct KeepIndex {
  const int* offsets;  // [count + 1] of the flags
  int* kept;           // out
  TS_HD void operator()(int index) const {
    if (offsets[index + 1] > offsets[index]) kept[offsets[index]] = index;
  }
};

}  // namespace detail

/// The indices of [0, count) for which test(index), ascending.
template <class Backend>
class Selection {
 public:
  template <class Test>
  int select(const Backend& backend, int count, const Test& test, Work work = Work::Light) {
    m_offsets.resize(static_cast<std::size_t>(count) + 1);
    forEach(backend, count, detail::FlagWhere<Test>{test, m_offsets.data()}, work);
    m_count = offsetsOf(backend, count, m_offsets.data());
    m_indices.resize(static_cast<std::size_t>(m_count));
    if (m_count > 0) forEach(backend, count, detail::KeepIndex{m_offsets.data(), m_indices.data()});
    return m_count;
  }
  int count() const { return m_count; }
  const int* indices() const { return m_indices.data(); }

 private:
  int m_count = 0;
  typename Backend::template Array<int> m_offsets, m_indices;
};

}  // namespace touchstone
