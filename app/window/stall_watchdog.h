#pragma once

#include <QObject>
#include <atomic>
#include <mutex>
#include <thread>
#include <vector>

namespace touchstone {

/// Measures how long the event loop of the window's thread is deaf: a thread of its own asks it for an
/// answer, again and again, and notes how long each answer takes. What a user feels as stutter is an answer
/// above some 50 ms.
class StallWatchdog : public QObject {
  Q_OBJECT
 public:
  explicit StallWatchdog(QObject* parent = nullptr);
  ~StallWatchdog() override;
  void start();
  void stop();

  int answers() const;
  double longest() const;             ///< ms
  double share(double above) const;   ///< of answers that took longer than `above` [ms]
  double percentile(double p) const;  ///< ms; p in 0 … 1

 private:
  void watch();
  std::thread m_thread;
  std::atomic<bool> m_running{false};
  mutable std::mutex m_mutex;
  std::vector<double> m_answers;  ///< ms
};

}  // namespace touchstone
