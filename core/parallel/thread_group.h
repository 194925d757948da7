#pragma once

#include "core/math/host_device.h"

namespace touchstone {

// Threads that take the loops of a program together, one loop after the other:
//     group.forEach(count, body)   body(0) … body(count − 1), in any order and concurrently; returns when all
//                                  are done and every thread of the group sees what they wrote
//     group.together(flag)         the flag, which is the same for all of them, read by all before any goes
//     on
// Every thread of a group comes to the same calls. A program is program(group, index), with a group for each
// index: backend.runGroups(count, program).

/// A thread of the host by itself.
struct SerialGroup {
  template <class Body>
  [[gnu::noinline, gnu::flatten]] void forEach(int count, const Body& body) const {
    for (int index = 0; index < count; ++index) body(index);
  }
  bool together(bool flag) const { return flag; }
};

}  // namespace touchstone
