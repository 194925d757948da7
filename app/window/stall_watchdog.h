#pragma once

#include <QObject>
#include <atomic>
#include <mutex>
#include <thread>
#include <vector>

namespace touchstone {

/// Measures how long the event loop of the window's thread does not respond. Its own thread sends requests
/// repeatedly and records the time of each answer. A user notices answers above about 50 ms as stutter.
class StallWatchdog : public QObject {
  Q_OBJECT
 public:
  explicit StallWatchdog(QObject* parent = nullptr);
  ~StallWatchdog() override;
  void start();
  void stop();

  int answers() const;
  double longest() const;             ///< ms
  double share(double above) const;   ///< share of answers that took longer than `above` [ms]
  double percentile(double p) const;  ///< ms; p in 0 … 1

 private:
  void watch();
  std::thread m_thread;
  std::atomic<bool> m_running{false};
  mutable std::mutex m_mutex;
  std::vector<double> m_answers;  ///< ms
};

}  // namespace touchstone
