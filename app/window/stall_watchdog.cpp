#include "app/window/stall_watchdog.h"

#include <QCoreApplication>
#include <QMetaObject>
#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <memory>

#include "core/math/count.h"
#include "core/math/quantile.h"

namespace touchstone {

namespace {

using Clock = std::chrono::steady_clock;
/// Pause between two requests. A larger value misses short stalls; a smaller one loads the event loop.
constexpr auto kPause = std::chrono::milliseconds(2);

struct Question {
  std::mutex mutex;
  std::condition_variable answered;
  bool done = false;
};

}  // namespace

StallWatchdog::StallWatchdog(QObject* parent) : QObject(parent) {}
StallWatchdog::~StallWatchdog() { stop(); }

void StallWatchdog::start() {
  if (m_running.exchange(true)) return;
  m_answers.clear();
  try {
    m_thread = std::thread([this] { watch(); });
  } catch (const std::system_error&) {  // the program runs without: it only measures
    m_running = false;
  }
}

void StallWatchdog::stop() {
  m_running = false;
  if (m_thread.joinable()) m_thread.join();
}

void StallWatchdog::watch() {
  while (m_running) {
    const auto question = std::make_shared<Question>();
    const auto asked = Clock::now();
    QMetaObject::invokeMethod(
        this,
        [question] {
          const std::lock_guard<std::mutex> lock(question->mutex);
          question->done = true;
          question->answered.notify_one();
        },
        Qt::QueuedConnection);
    std::unique_lock<std::mutex> lock(question->mutex);
    // stop() is called by the thread that should answer.
    while (!question->done && m_running) question->answered.wait_for(lock, std::chrono::milliseconds(20));
    if (!question->done) return;
    lock.unlock();
    {
      const std::lock_guard<std::mutex> answersLock(m_mutex);
      m_answers.push_back(std::chrono::duration<double, std::milli>(Clock::now() - asked).count());
    }
    std::this_thread::sleep_for(kPause);
  }
}

int StallWatchdog::answers() const {
  const std::lock_guard<std::mutex> lock(m_mutex);
  return countOf(m_answers);
}

double StallWatchdog::longest() const { return percentile(1); }

double StallWatchdog::share(double above) const {
  const std::lock_guard<std::mutex> lock(m_mutex);
  if (m_answers.empty()) return 0;
  const auto count =
      std::count_if(m_answers.begin(), m_answers.end(), [above](double ms) { return ms > above; });
  return static_cast<double>(count) / static_cast<double>(m_answers.size());
}

double StallWatchdog::percentile(double p) const {
  const std::lock_guard<std::mutex> lock(m_mutex);
  if (m_answers.empty()) return 0;
  return interpolatedQuantile(m_answers, p);
}

}  // namespace touchstone
