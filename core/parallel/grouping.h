#pragma once

#include "core/parallel/search.h"
#include "core/parallel/sort.h"

namespace touchstone {

struct GroupedItem {
  int group, item;
};

namespace detail {

struct ByGroup {
  TS_HD bool operator()(const GroupedItem& a, const GroupedItem& b) const { return a.group < b.group; }
};

template <class GroupOf>
struct WriteGroup {  // one item per index
  GroupOf groupOf;
  int groupCount;
  GroupedItem* out;
  TS_HD void operator()(int item) const {
    const int group = groupOf(item);
    out[item] = {group < 0 ? groupCount : group, item};
  }
};

struct FindGroup {  // one group per index, and the end of the last
  const GroupedItem* items;
  int count;
  int* first;
  TS_HD void operator()(int group) const {
    first[group] = firstNotBefore(count, [&](int item) { return items[item].group < group; });
  }
};

}  // namespace detail

/// Lists the items 0 … itemCount − 1 by group, ascending within each. Keeps its arrays between calls.
template <class Backend>
class Grouping {
 public:
  /// @param groupOf  groupOf(item) is 0 … groupCount − 1, or −1 for an item in no group
  template <class GroupOf>
  void make(const Backend& backend, int itemCount, int groupCount, const GroupOf& groupOf) {
    m_items.resize(itemCount);
    m_first.resize(groupCount + 1);
    forEach(backend, itemCount, detail::WriteGroup<GroupOf>{groupOf, groupCount, m_items.data()});
    stableSort(backend, m_items.data(), itemCount, detail::ByGroup{});
    forEach(backend, groupCount + 1, detail::FindGroup{m_items.data(), itemCount, m_first.data()});
  }
  const GroupedItem* items() const { return m_items.data(); }
  /// [groupCount + 1] start of each group in items(). Items in no group are at the end.
  const int* first() const { return m_first.data(); }

 private:
  typename Backend::template Array<GroupedItem> m_items;
  typename Backend::template Array<int> m_first;
};

}  // namespace touchstone
