#pragma once

#include "core/parallel/extent.h"

namespace touchstone {

/// Cost of one item of a loop. On the host a loop runs in the calling thread if it would end before other
/// threads start; a device spreads few heavy items over many processors.
enum class Work { Light, Heavy, Long };  // some ten nanoseconds, some hundred, many microseconds
/// Item count below which a host loop runs in the calling thread. A larger value leaves threads idle; a
/// smaller one starts threads for loops that end sooner than the threads start.
constexpr int serialBelow(Work work) { return work == Work::Light ? 4096 : work == Work::Heavy ? 128 : 2; }

/// body(0) … body(count − 1), in any order and concurrently. A body writes only its own slots, so that
/// results do not depend on the number of threads.
template <class Backend, class Body>
void forEach(const Backend& backend, int count, const Body& body, Work work = Work::Light) {
  if (count <= 0) return;
  if constexpr (Backend::kOnHost) {
    if (count < serialBelow(work)) {
      for (int index = 0; index < count; ++index) body(index);
      return;
    }
  }
  backend.run(count, body, work);
  backend.launched("loop", count);
}

namespace detail {

/// A loop body that does nothing, for an optional loop.
struct NothingMore {
  TS_HD void operator()(int) const {}
};

}  // namespace detail

/// An optional loop that is absent: launches nothing.
template <class Backend>
void forEach(const Backend&, int, const detail::NothingMore&, Work = Work::Light) {}

namespace detail {

/// The loop body `body`, with indices that start at `first`.
template <class Body>
struct FromFirst {
  int first;
  Body body;
  TS_HD void operator()(int index) const { body(first + index); }
};

template <class Body>
struct WithinCount {
  const int* count;
  Body body;
  TS_HD void operator()(int index) const {
    if (index < *count) body(index);
  }
};

}  // namespace detail

/// Runs one body per item of the extent.
template <class Backend, class Body>
void forEach(const Backend& backend, const Extent& extent, const Body& body, Work work = Work::Light) {
  if constexpr (Backend::kIsPlanned) {
    if (extent.count) {
      forEach(backend, extent.capacity, detail::WithinCount<Body>{extent.count, body}, work);
      return;
    }
  }
  forEach(backend, extent.capacity, body, work);
}

}  // namespace touchstone
