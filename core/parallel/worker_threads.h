#pragma once

#include <new>
#include <system_error>
#include <thread>
#include <vector>

namespace touchstone {

/// Calls work() on several threads at once, the calling one included, and waits for all of them. A system
/// that makes no more threads gets fewer: work() takes its tasks from a common list.
/// @param work  throws nothing
template <class Work>
void workOnThreads(int threads, const Work& work) {
  std::vector<std::thread> workers;
  try {
    workers.reserve(static_cast<std::size_t>(threads));
    while (static_cast<int>(workers.size()) + 1 < threads) workers.emplace_back([&work] { work(); });
  } catch (const std::system_error&) {
  } catch (const std::bad_alloc&) {
  }
  work();
  for (std::thread& worker : workers) worker.join();
}

}  // namespace touchstone
