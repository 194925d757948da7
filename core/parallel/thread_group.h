#pragma once

#include <limits>

#include "core/math/host_device.h"

namespace touchstone {

// A group is a set of threads that run the loops of a program together, one loop after the other:
//     group.forEach(count, body)   body(0) … body(count − 1), in any order and concurrently; returns when all
//                                  are done and every thread of the group sees what they wrote
//     group.together(flag)         returns the flag, which is the same for all threads, when all have read it
//     Group::kIsOneThread          whether the group has only one thread
// Every thread of a group makes the same calls. A program is program(group, index), with one group per index:
// backend.runGroups(count, width, program). A group has at most as many threads as its loops have items:
// about `width`, and fewer if the device cannot run all groups at once with that many (Threads). A program of
// many passes over its items ends after backend.mostPasses() of them and is run again for the rest, because
// drivers abort a kernel that blocks the display for seconds.

/// Number of threads of a group if the device cannot run all groups at once with a thread per item.
enum class Threads {
  AsFit,  ///< fewer: most threads would wait for others, as along a colour
  All     ///< a thread per item: each has work in most loops. Fewer groups then run at once, and the data
          ///< that they read again in each pass stays in caches
};

/// Largest number of items that one group takes through several loops in a single launch, instead of one
/// launch per loop. If it is larger, one multiprocessor has to load items that the whole device would load
/// faster; if it is smaller, short sequences cost more launches.
constexpr int kMostOfOneGroup = 2048;
/// True if one group takes that many items.
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

/// Number of threads that a device gives each of `count` groups, in whole warps: about as many as their loops
/// have items, but no more than lets all groups run at once. Every thread takes registers, including those
/// that wait while others go along a colour, and a group that does not fit waits until another ends.
/// @param maximum  largest number of threads per group
/// @param placesFor  placesFor(threads): number of groups of that size that run at once
template <class PlacesFor>
int threadsOfGroup(int count, int width, int maximum, const PlacesFor& placesFor) {
  // Threads per warp of CUDA hardware. A multiple of it wastes threads in small groups; a smaller value
  // leaves lanes of the last warp unused.
  constexpr int kWarp = 32;
  const auto inWarps = [](int threads) { return (threads + kWarp - 1) / kWarp * kWarp; };
  int threads = width < 1 ? kWarp : width < maximum ? inWarps(width) : maximum;
  while (threads > kWarp && placesFor(threads) < count) threads = inWarps(threads / 2);
  return threads;
}

/// One thread of the host. Each loop is compiled separately with everything that it calls; otherwise a
/// program of many loops is too long for the compiler to inline anything.
struct SerialGroup {
  static constexpr bool kIsOneThread = true;
  template <class Body>
  [[gnu::noinline, gnu::flatten]] void forEach(int count, const Body& body) const {
    for (int index = 0; index < count; ++index) body(index);
  }
  bool together(bool flag) const { return flag; }
};

}  // namespace touchstone
