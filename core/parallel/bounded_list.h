#pragma once

#include <algorithm>

#include "core/math/host_device.h"

namespace touchstone {

/// A list in memory that someone else has set aside, for loop bodies. What does not fit is left out and
/// noted: the caller provides more capacity and tries again.
template <class T>
struct BoundedList {
  T* items = nullptr;
  int capacity = 0, count = 0;
  bool isFull = false;
  TS_HD void push(const T& item) {
    if (count < capacity) {
      items[count++] = item;
    } else {
      isFull = true;
    }
  }
  TS_HD T& operator[](int index) const { return items[index]; }
  TS_HD void clear() { count = 0; }
};

/// How many rooms of this many bytes a loop gets at once: all that are wanted, or what fits into the memory
/// set aside for them. On the host little, since few threads share it.
template <class Backend>
std::size_t scratchFor(int wanted, std::size_t bytes) {
  constexpr std::size_t kMost = Backend::kOnHost ? 4u << 20 : 256u << 20;  // bytes
  return std::min(static_cast<std::size_t>(wanted), std::max<std::size_t>(1, kMost / bytes));
}

}  // namespace touchstone
