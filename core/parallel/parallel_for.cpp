#include "core/parallel/parallel_for.h"

#include <tbb/global_control.h>
#include <tbb/task_arena.h>

#include <atomic>
#include <exception>

#include "core/parallel/for_each.h"
#include "core/parallel/frame_clock.h"
#include "core/parallel/host_backend.h"

namespace touchstone {

namespace {

thread_local const FrameClock* t_frameClock = nullptr;
std::atomic<bool> g_framesEnd{false};
static_assert(std::atomic<bool>::is_always_lock_free, "a signal sets it");

}  // namespace

FrameClock::FrameClock(double seconds)
    : m_start(std::chrono::steady_clock::now()), m_seconds(seconds), m_before(t_frameClock) {
  t_frameClock = this;
}
FrameClock::~FrameClock() { t_frameClock = m_before; }

double FrameClock::secondsLeft() const {
  return m_seconds - std::chrono::duration<double>(std::chrono::steady_clock::now() - m_start).count();
}

const FrameClock* FrameClock::current() { return t_frameClock; }

LentFrameClock::LentFrameClock(const FrameClock* clock) : m_before(t_frameClock) { t_frameClock = clock; }
LentFrameClock::~LentFrameClock() { t_frameClock = m_before; }

void checkFrameClock() {
  const FrameClock* clock = t_frameClock;
  if (!clock || std::uncaught_exceptions() > 0) return;
  if (g_framesEnd.load(std::memory_order_relaxed)) throw FrameEnded{false};
  if (clock->hasEnd() && clock->secondsLeft() < 0) throw FrameEnded{true};
}

void endFrames() { g_framesEnd.store(true, std::memory_order_relaxed); }

void forEachOnHost(int count, const void* context, void (*body)(const void*, int), Work work) {
  const FrameClock* clock = t_frameClock;
  checkFrameClock();
  if (work == Work::Long) {
    const auto alone = [context, body, clock](int index) {
      tbb::this_task_arena::isolate([=] {
        const LentFrameClock lent(clock);
        body(context, index);
      });
    };
    forEach(HostBackend(), count, alone, work);
  } else if (work == Work::Heavy && clock) {  // a light body ends before anyone would look at a clock
    const auto clocked = [context, body, clock](int index) {
      const LentFrameClock lent(clock);
      body(context, index);
    };
    forEach(HostBackend(), count, clocked, work);
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
