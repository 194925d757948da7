#pragma once

#include <chrono>

namespace touchstone {

/// Thrown where a frame ends before its steps are taken. It is no std::exception: nobody on the way takes it
/// for a step that failed.
struct FrameEnded {
  bool isByClock;  ///< else by endFrames()
};

/// Time that the calling thread may take for a frame, and the threads of its loops with it. While it lives,
/// checkFrameClock() ends the frame that has taken longer. Results do not depend on it until then.
class FrameClock {
 public:
  /// @param seconds  0: without end
  explicit FrameClock(double seconds);
  ~FrameClock();
  FrameClock(const FrameClock&) = delete;
  FrameClock& operator=(const FrameClock&) = delete;

  bool hasEnd() const { return m_seconds > 0; }
  /// Seconds that are left, below zero once it is over; only of a clock with an end.
  double secondsLeft() const;
  /// The clock of the calling thread, or null.
  static const FrameClock* current();

 private:
  std::chrono::steady_clock::time_point m_start;
  double m_seconds;
  const FrameClock* m_before;
};

/// Ends the frame if its time is up. Steps call it between their parts, solvers between their iterations. It
/// does nothing outside frames, nor while an exception is on its way.   @throws FrameEnded
void checkFrameClock();
/// Makes every checkFrameClock() within a frame end it, from now on, in the whole program. It calls only what
/// a signal may call.
void endFrames();

/// Gives the calling thread the clock of another one, for a part of its work.
class LentFrameClock {
 public:
  explicit LentFrameClock(const FrameClock* clock);
  ~LentFrameClock();
  LentFrameClock(const LentFrameClock&) = delete;
  LentFrameClock& operator=(const LentFrameClock&) = delete;

 private:
  const FrameClock* m_before;
};

}  // namespace touchstone
