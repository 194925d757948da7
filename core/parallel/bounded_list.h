#pragma once

#include <algorithm>

#include "core/math/host_device.h"

namespace touchstone {

/// A list for loop bodies, in memory that the caller provides. push() drops an item that does not fit and
/// sets isFull: the caller then provides more capacity and tries again.
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

/// Number of scratch blocks of `bytes` bytes that a loop gets at once: `wanted`, or fewer if they do not fit
/// into kMost bytes.
template <class Backend>
std::size_t scratchFor(int wanted, std::size_t bytes) {
  // [bytes] A larger value takes more memory. A smaller one makes a loop run in more passes, each over fewer
  // items. The host needs little, since few threads share it.
  constexpr std::size_t kMost = Backend::kOnHost ? 4u << 20 : 256u << 20;
  return std::min(static_cast<std::size_t>(wanted), std::max<std::size_t>(1, kMost / bytes));
}

}  // namespace touchstone
