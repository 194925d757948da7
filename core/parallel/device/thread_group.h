#pragma once

#include <limits>

#include "core/math/host_device.h"

namespace touchstone {

// Threads that take the loops of a program together, one loop after the other:
//     group.forEach(count, body)   body(0) … body(count − 1), in any order and concurrently; returns when all
//                                  are done and every thread of the group sees what they wrote
//     group.together(flag)         the flag, which is the same for all; returns when all have read it
//     Group::kIsOneThread          whether that is all there is of it
// Every thread of a group comes to the same calls. A program is program(group, index), with a group for each
// index: backend.runGroups(count, width, program). A group has no more threads than its loops have items:
// about `width`, and fewer where a device has no capacity for that many of all groups (Threads). A program of
// many passes over its items ends after backend.mostPasses() of them and is run again for the rest: drivers
// end what keeps a device from its display for seconds.

/// How many threads a group gets where not all groups find room with as many as they have items.
enum class Threads {
  AsFit,  ///< fewer: most of them would wait for others, as along a colour
  All     ///< as many: each has work in most loops. The groups that run at once are fewer then, and what
          ///< they come back to in each pass stays in caches
};

/// Items that one group takes through several loops in one launch, rather than each loop in a launch of its
/// own. One multiprocessor has to bring all of them from memory: more are faster with all of a device.
constexpr int kMostOfOneGroup = 2048;
/// Whether one group takes them.
constexpr bool fitOneGroup(int count, int other = 0) {
  return count <= kMostOfOneGroup && other <= kMostOfOneGroup;
}

/// Lets a device take several loops over few items in one launch, by one group of threads.
/// @param launch  launch(backend) runs that group   @return false: the caller runs the loops one after the
/// other
template <class Backend, class Launch>
bool runAsOneGroup(const Backend& backend, int count, int other, const Launch& launch) {
  if constexpr (Backend::kOnHost) {
    return false;
  } else {
    if (!fitOneGroup(count, other)) return false;
    launch(backend);
    return true;
  }
}

/// mostPasses() of a backend that ends nothing.
constexpr int kAllPasses = std::numeric_limits<int>::max();

/// How many threads a device gives each of `count` groups, in whole warps: about as many as their loops have
/// items, but no more than lets all groups run at once. Registers are taken for every thread, also for those
/// that wait while others go along a colour, and a group that finds no place waits for the end of another.
/// @param most  threads that a group may have
/// @param placesFor  placesFor(threads): how many groups of that many run at once
template <class PlacesFor>
int threadsOfGroup(int count, int width, int most, const PlacesFor& placesFor) {
  constexpr int kWarp = 32;
  const auto inWarps = [](int threads) { return (threads + kWarp - 1) / kWarp * kWarp; };
  int threads = width < 1 ? kWarp : width < most ? inWarps(width) : most;
  while (threads > kWarp && placesFor(threads) < count) threads = inWarps(threads / 2);
  return threads;
}

/// A thread of the host by itself. Each loop is compiled by itself with all that it calls, or a program of
/// many would be too long to have anything inlined.
struct SerialGroup {
  static constexpr bool kIsOneThread = true;
  template <class Body>
  [[gnu::noinline, gnu::flatten]] void forEach(int count, const Body& body) const {
    for (int index = 0; index < count; ++index) body(index);
  }
  bool together(bool flag) const { return flag; }
};

}  // namespace touchstone
