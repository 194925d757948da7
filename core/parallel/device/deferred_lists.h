#pragma once

#include <algorithm>
#include <limits>
#include <memory>
#include <stdexcept>
#include <type_traits>
#include <vector>

#include "core/parallel/copy.h"

namespace touchstone {

namespace detail {

/// A list that is too long for its capacity is left empty: half a list would lead the loops behind it astray.
struct ClampToCapacity {
  const int* total;
  int capacity;
  int *count, *need;
  TS_HD void operator()(int) const {
    *count = *total <= capacity ? *total : 0;
    if (*total > *need) *need = *total;
  }
};

}  // namespace detail

/// Where more was needed than there was capacity for: room for half as much again, for contacts build up over
/// many steps, and each time that there are too many a step is taken again. @return true if it grew
inline bool growCapacity(int needed, int& capacity) {
  if (needed <= capacity) return false;
  capacity = needed + std::min(needed / 2, std::numeric_limits<int>::max() - needed);
  return true;
}

/// A device on which a step waits for no length of a list: each list has as much capacity as steps before it
/// needed, its length stays on the device, and loops over it run up to its capacity. A step in which a list
/// got too long is worth nothing; growOverflowed() says so, and the step is taken again. What a step launches
/// is then the same each time, as Device::repeat() needs it. Copies share their plan.
template <class Device>
class DeferredLists : public Device {
 public:
  static constexpr bool kIsPlanned = true;

  explicit DeferredLists(const Device& device = Device()) : Device(device), m_plan(std::make_shared<Plan>()) {
    m_plan->table.resize(2 * kMostLists);
  }

  /// A step begins: forgets what lists needed before.
  void beginStep() const { fill(*this, m_plan->table.data() + kMostLists, kMostLists, 0); }
  /// Starts the way of what the lists needed to the host, for growOverflowed().
  void startReading() const {
    m_plan->needs.start(*this, static_cast<const int*>(m_plan->table.data()) + kMostLists, kMostLists);
  }
  /// Waits for the end of startReading(), where nobody wants to know what was read.
  void awaitReading() const { m_plan->needs.wait(); }
  /// Waits for the end of startReading(). @return true if a list got more capacity, so that the step has to
  /// be taken again
  bool growOverflowed() const {
    const int* needs = m_plan->needs.wait();
    bool wasShort = false;
    for (std::size_t list = 0; list < m_plan->capacities.size(); ++list)
      wasShort |= growCapacity(needs[list], m_plan->capacities[list]);
    return wasShort;
  }

  /// Where the length of a list stays. @param list  its number, −1 at first
  int* countOf(int& list) const {
    if (list < 0) {
      list = static_cast<int>(m_plan->capacities.size());
      if (list == kMostLists) throw std::logic_error("more lists than a plan has lines");
      m_plan->capacities.push_back(kFirstCapacity);
    }
    return m_plan->table.data() + list;
  }
  /// What has to run when `total`, on the device, is known: it gives a list its length.
  detail::ClampToCapacity noteLength(int& list, const int* total) const {
    int* count = countOf(list);
    return {total, m_plan->capacities[static_cast<std::size_t>(list)], count, count + kMostLists};
  }

 private:
  static constexpr int kMostLists = 64, kFirstCapacity = 256;

  struct Plan {
    typename Device::template Array<int> table;  ///< lengths of all lists, then what they needed
    typename Device::template Download<int> needs;
    std::vector<int> capacities;
  };
  std::shared_ptr<Plan> m_plan;
};

/// For loops that wait for no length of a list: on the host they know them at once.
template <class Backend>
using WithoutWaiting = std::conditional_t<Backend::kOnHost, Backend, DeferredLists<Backend>>;

}  // namespace touchstone
