#pragma once

#include <atomic>
#include <cstddef>
#include <exception>
#include <mutex>

#include "core/parallel/worker_threads.h"

namespace touchstone {

/// Runs body(0) … body(count − 1) on several threads; the first exception ends them and is thrown again.
template <class Body>
void onThreads(std::size_t count, int jobs, const Body& body) {
  std::atomic<std::size_t> next{0};
  std::exception_ptr failure;
  std::mutex mutex;
  const auto work = [&] {
    for (std::size_t index = next++; index < count; index = next++) try {
        body(index);
      } catch (...) {
        const std::lock_guard<std::mutex> lock(mutex);
        if (!failure) failure = std::current_exception();
        next = count;
      }
  };
  workOnThreads(jobs, work);
  if (failure) std::rethrow_exception(failure);
}

}  // namespace touchstone
