#pragma once

#include "core/math/host_device.h"

namespace touchstone {

/// A list in memory that someone else has set aside, for loop bodies. What does not fit is left out and
/// noted: the caller provides more room and tries again.
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

}  // namespace touchstone
