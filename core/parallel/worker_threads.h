#pragma once

#include <new>
#include <system_error>
#include <thread>
#include <vector>
#include "core/math/count.h"

namespace touchstone {

/// Calls work() on several threads at once, the calling one included, and waits for all of them. A system
/// that makes no more threads gets fewer: work() takes its tasks from a common list.
/// @param work  throws nothing
template <class Work>
void workOnThreads(int threads, const Work& work) {
  std::vector<std::thread> workers;
  try {
    workers.reserve(threads);
    while (countOf(workers) + 1 < threads) workers.emplace_back([&work] { work(); });
  } catch (const std::system_error&) {
  } catch (const std::bad_alloc&) {
  }
  work();
  for (std::thread& worker : workers) worker.join();
}

}  // namespace touchstone
