#pragma once

#include <thrust/copy.h>
#include <thrust/for_each.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/system/tbb/execution_policy.h>

#include <chrono>
#include <vector>

#include "core/parallel/for_each.h"
#include "core/parallel/launches.h"
#include "core/parallel/thread_group.h"

namespace touchstone {

/// Runs loops on the CPU through TBB. A method is written against this interface and that of CudaBackend:
/// run(), runGroups(), mostPasses(), call(), Array<T> (memory of the backend with resize(), size(), data()),
/// upload() and download().
class HostBackend {
 public:
  static constexpr bool kOnHost = true;
  static constexpr bool kIsPlanned = false;  ///< see DeferredLists
  template <class T>
  using Array = std::vector<T>;

  static auto policy() { return thrust::tbb::par; }
  /// body(0) … body(count − 1) on the host's threads.
  template <class Body>
  void run(int count, const Body& body, Work) const {
    thrust::for_each_n(policy(), thrust::counting_iterator<int>(0), count, body);
  }
  /// Runs program(group, 0) … program(group, count − 1), each in one thread: see thread_group.h.
  template <class Program>
  void runGroups(int count, int, const Program& program, Threads = Threads::AsFit) const {
    const auto one = [program](int index) { program(SerialGroup(), index); };
    forEach(*this, count, one, Work::Long);
  }
  /// Number of passes that a program may make over its items before it ends.
  int mostPasses() const { return kAllPasses; }
  /// Runs a Thrust algorithm over `count` items: algorithm(policy), taken by value because it may run again.
  template <class Algorithm>
  void call(const char*, long, const Algorithm& algorithm) const {
    algorithm(policy());
  }
  /// Copies host memory to the backend. The host's memory may change after the call returns.
  template <class T>
  void upload(const T* host, std::size_t count, Array<T>& device) const {
    device.assign(host, host + count);
  }
  /// Copies the first `count` elements into host memory.
  template <class T>
  void download(const T* device, std::size_t count, T* host) const {
    std::copy(device, device + count, host);
  }
  /// Does what copyWithin() does, with the copy function of a device's driver.
  template <class T>
  void copyByDriver(const T* source, std::size_t count, T* target) const {
    call("copy", static_cast<long>(count),
         [=](const auto& policy) { thrust::copy(policy, source, source + count, target); });
  }
  // The interface of DeferredLists. It does nothing here: the host knows lengths at once (WithoutWaiting).
  void beginStep() const {}
  void startReading() const {}
  void awaitReading() const {}
  bool growOverflowed() const { return false; }
  /// A sequence of loops over the same arrays that runs many times. A device may record it and replay it.
  struct Repetition {};
  template <class Sequence>
  void repeat(Repetition&, const Sequence& sequence) const {
    sequence();
  }
  /// While it is on, repeat() launches each loop separately, in this object and in all its copies.
  void launchOneByOne(bool) const {}
  /// A download to the host that runs concurrently with later loops. These must not write the downloaded
  /// items until wait() returns, for this download or a later one: downloads complete in order.
  template <class T>
  class Download {
   public:
    void start(const HostBackend&, const T* items, std::size_t) { m_items = items; }
    /// Downloads the items as they were when the backend's last download started.
    void startBehindLast(const HostBackend&, const T* items, std::size_t) { m_items = items; }
    /// Returns the items when they have arrived; valid until the next start().
    const T* wait() const { return m_items; }

   private:
    const T* m_items = nullptr;
  };
  /// Measures times between points of a sequence of loops.
  class Stamps {
   public:
    /// Marks the begin of the sequence.
    void begin(const HostBackend&) {
      m_marks.clear();
      mark(HostBackend(), -1);
    }
    /// Marks the end of a phase of the sequence.
    void mark(const HostBackend&, int phase) { m_marks.push_back({phase, Clock::now()}); }
    /// Adds the time of each phase to times[phase] [ms]. Call it after the sequence has run.
    template <class Times>
    void addTo(Times& times) const {
      for (std::size_t k = 1; k < m_marks.size(); ++k)
        times[m_marks[k].phase] +=
            std::chrono::duration<double, std::milli>(m_marks[k].time - m_marks[k - 1].time).count();
    }

   private:
    using Clock = std::chrono::steady_clock;
    struct Mark {
      int phase;
      Clock::time_point time;
    };
    std::vector<Mark> m_marks;
  };
  /// Waits until everything launched has run.
  void finish() const {}
  /// Called after each launch with its name and item count. CUDA checks for errors and counts here.
  void launched(const char*, long) const {}
  Launches launches() const { return {}; }
};

}  // namespace touchstone
