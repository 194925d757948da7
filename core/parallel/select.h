#pragma once

#include "core/parallel/list.h"

namespace touchstone {

namespace detail {

template <class Test>
struct FlagWhere {
  Test test;
  Extent extent;
  int* flags;  // [extent.capacity], out
  TS_HD void operator()(int index) const { flags[index] = index < extent.size() && test(index) ? 1 : 0; }
};

struct KeepIndex {
  const int* offsets;  // [capacity + 1] of the flags
  Extent list;
  int* kept;  // out
  TS_HD void operator()(int index) const {
    if (offsets[index + 1] > offsets[index] && fits(list, offsets[index + 1])) kept[offsets[index]] = index;
  }
};

}  // namespace detail

/// Lists the indices of an extent for which test(index) is true, ascending.
template <class Backend>
class Selection {
 public:
  template <class Test>
  const List<Backend, int>& select(const Backend& backend, const Extent& extent, const Test& test,
                                   Work work = Work::Light) {
    m_offsets.resize(extent.capacity + 1);
    forEach(backend, extent.capacity, detail::FlagWhere<Test>{test, extent, m_offsets.data()}, work);
    m_indices.layOut(backend, extent.capacity, m_offsets.data(), [this](const Extent& list, int* kept) {
      return detail::KeepIndex{m_offsets.data(), list, kept};
    });
    return m_indices;
  }

 private:
  typename Backend::template Array<int> m_offsets;
  List<Backend, int> m_indices;
};

}  // namespace touchstone
