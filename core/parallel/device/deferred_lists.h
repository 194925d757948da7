#pragma once

#include <algorithm>
#include <limits>
#include <memory>
#include <stdexcept>
#include <type_traits>
#include <vector>

#include "core/math/count.h"
#include "core/parallel/copy.h"

namespace touchstone {

namespace detail {

/// Gives a list its length. A list that exceeds its capacity becomes empty: later loops would misread half a
/// list.
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

/// Grows a capacity to 1.5 × `needed` if it is too small. The margin is there because contacts build up over
/// many steps, and each overflow repeats a step. @return true if the capacity grew
inline bool growCapacity(int needed, int& capacity) {
  if (needed <= capacity) return false;
  capacity = needed + std::min(needed / 2, std::numeric_limits<int>::max() - needed);
  return true;
}

/// A device on which a step never waits for the length of a list. The capacity of a list is what earlier
/// steps needed, its length stays on the device, and loops over it run up to the capacity. A step in which a
/// list overflows is invalid: growOverflowed() reports it, and the step is repeated. A step therefore
/// launches the same loops each time, as Device::repeat() requires. Copies of this object share one plan.
template <class Device>
class DeferredLists : public Device {
 public:
  static constexpr bool kIsPlanned = true;

  explicit DeferredLists(const Device& device = Device()) : Device(device), m_plan(std::make_shared<Plan>()) {
    m_plan->table.resize(2 * kMostLists);
  }

  /// Begins a step: clears the recorded needs of the lists.
  void beginStep() const { fill(*this, m_plan->table.data() + kMostLists, kMostLists, 0); }
  /// Starts to copy the needs of the lists to the host, for growOverflowed().
  void startReading() const {
    m_plan->needs.start(*this, static_cast<const int*>(m_plan->table.data()) + kMostLists, kMostLists);
  }
  /// Waits for the end of startReading(), for callers that do not read the needs.
  void awaitReading() const { m_plan->needs.wait(); }
  /// Waits for the end of startReading(). @return true if a list got more capacity: the step has to be
  /// repeated
  bool growOverflowed() const {
    const int* needs = m_plan->needs.wait();
    bool wasShort = false;
    for (std::size_t list = 0; list < m_plan->capacities.size(); ++list)
      wasShort |= growCapacity(needs[list], m_plan->capacities[list]);
    return wasShort;
  }

  /// Place of the length of a list. @param list  number of the list; −1 before its first use
  int* countOf(int& list) const {
    if (list < 0) {
      list = touchstone::countOf(m_plan->capacities);
      if (list == kMostLists) throw std::logic_error("more lists than a plan has lines");
      m_plan->capacities.push_back(kFirstCapacity);
    }
    return m_plan->table.data() + list;
  }
  /// The loop body that sets the length of a list. It has to run when `total`, on the device, is known.
  detail::ClampToCapacity noteLength(int& list, const int* total) const {
    int* count = countOf(list);
    return {total, m_plan->capacities[list], count, count + kMostLists};
  }

 private:
  // kMostLists: a backend with more lists throws; more lines make each step clear and read a longer table.
  // kFirstCapacity: a smaller value repeats more of the first steps; a larger one makes short lists cost
  // memory and loops run over unused items.
  static constexpr int kMostLists = 64, kFirstCapacity = 256;

  struct Plan {
    typename Device::template Array<int> table;  ///< lengths of all lists, then what they needed
    typename Device::template Download<int> needs;
    std::vector<int> capacities;
  };
  std::shared_ptr<Plan> m_plan;
};

/// The backend for loops that do not wait for the length of a list. The host knows lengths at once.
template <class Backend>
using WithoutWaiting = std::conditional_t<Backend::kOnHost, Backend, DeferredLists<Backend>>;

namespace detail {

template <class Backend>
struct WaitingBackend {
  using Type = Backend;
};
template <class Backend>
struct WaitingBackend<DeferredLists<Backend>> {
  using Type = Backend;
};

}  // namespace detail

/// The backend that WithoutWaiting was made from.
template <class Backend>
using WithWaiting = typename detail::WaitingBackend<Backend>::Type;

}  // namespace touchstone
