#pragma once

#include <memory>

#include "core/parallel/for_each.h"

namespace touchstone {

/// Runs body(context, 0) … body(context, count − 1) on the host's threads. Not inline, so that its callers do
/// not include Thrust or TBB.
void forEachOnHost(int count, const void* context, void (*body)(const void* context, int index), Work work);

/// Runs body(0) … body(count − 1) on the host's threads, in any order. A body writes only its own slots.
/// While a Work::Long body waits for loops of its own, its thread starts no other Long body, which would
/// delay it.
template <class Body>
void parallelFor(int count, const Body& body, Work work = Work::Heavy) {
  forEachOnHost(
      count, &body, [](const void* context, int index) { (*static_cast<const Body*>(context))(index); },
      work);
}

/// Limits the number of host threads during its lifetime. Results do not depend on it.
class ThreadLimit {
 public:
  explicit ThreadLimit(int threads);
  ~ThreadLimit();

 private:
  struct Control;
  std::unique_ptr<Control> m_control;
};

/// Number of threads that the host backend uses now.
int threadCount();

}  // namespace touchstone
