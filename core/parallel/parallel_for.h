#pragma once

#include <memory>

#include "core/parallel/for_each.h"

namespace touchstone {

/// Runs body(context, 0) … body(context, count − 1) on the host's threads. Out of line so that its users need
/// not include Thrust or TBB.
void forEachOnHost(int count, const void* context, void (*body)(const void* context, int index), Work work);

/// body(0) … body(count − 1) on the host's threads, in any order. A body writes only its own slots. While a
/// long body waits for loops of its own, its thread takes up no other of the long ones, which would keep it.
template <class Body>
void parallelFor(int count, const Body& body, Work work = Work::Heavy) {
  forEachOnHost(
      count, &body, [](const void* context, int index) { (*static_cast<const Body*>(context))(index); },
      work);
}

/// Limits the host's threads while it lives. Results never depend on it.
class ThreadLimit {
 public:
  explicit ThreadLimit(int threads);
  ~ThreadLimit();

 private:
  struct Control;
  std::unique_ptr<Control> m_control;
};

/// Threads that the host backend uses now.
int threadCount();

}  // namespace touchstone
