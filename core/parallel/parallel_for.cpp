#include "core/parallel/parallel_for.h"

#include <tbb/global_control.h>
#include <tbb/task_arena.h>

#include "core/parallel/for_each.h"
#include "core/parallel/host_backend.h"

namespace touchstone {

void forEachOnHost(int count, const void* context, void (*body)(const void*, int), Work work) {
  if (work == Work::Long) {
    const auto alone = [context, body](int index) {
      tbb::this_task_arena::isolate([=] { body(context, index); });
    };
    forEach(HostBackend(), count, alone, work);
  } else {
    forEach(
        HostBackend(), count, [context, body](int index) { body(context, index); }, work);
  }
}

struct ThreadLimit::Control {
  tbb::global_control control;
};

ThreadLimit::ThreadLimit(int threads)
    : m_control(
          new Control{{tbb::global_control::max_allowed_parallelism, static_cast<std::size_t>(threads)}}) {}
ThreadLimit::~ThreadLimit() = default;

int threadCount() {
  return static_cast<int>(tbb::global_control::active_value(tbb::global_control::max_allowed_parallelism));
}

}  // namespace touchstone
