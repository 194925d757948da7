#pragma once

#include <thrust/copy.h>
#include <thrust/for_each.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/system/tbb/execution_policy.h>

#include <chrono>
#include <vector>

#include "core/parallel/device/launches.h"
#include "core/parallel/device/thread_group.h"
#include "core/parallel/for_each.h"

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
  /// program(group, 0) … program(group, count − 1), each by one thread: see thread_group.h.
  template <class Program>
  void runGroups(int count, int, const Program& program, Threads = Threads::AsFit) const {
    const auto one = [program](int index) { program(SerialGroup(), index); };
    forEach(*this, count, one, Work::Long);
  }
  /// How often a program may go over its items before it ends.
  int mostPasses() const { return kAllPasses; }
  /// An algorithm of Thrust over `count` items: algorithm(policy), by value, for it may run again.
  template <class Algorithm>
  void call(const char*, long, const Algorithm& algorithm) const {
    algorithm(policy());
  }
  /// Has read the host's memory when it returns.
  template <class T>
  void upload(const T* host, std::size_t count, Array<T>& device) const {
    device.assign(host, host + count);
  }
  /// The first `count` elements into host memory.
  template <class T>
  void download(const T* device, std::size_t count, T* host) const {
    std::copy(device, device + count, host);
  }
  /// As copyWithin(), by what a device's driver has for it.
  template <class T>
  void copyByDriver(const T* from, std::size_t count, T* to) const {
    call("copy", static_cast<long>(count),
         [=](const auto& policy) { thrust::copy(policy, from, from + count, to); });
  }
  // What a DeferredLists does about the lengths of lists: the host knows them at once (WithoutWaiting).
  void beginStep() const {}
  void startReading() const {}
  void awaitReading() const {}
  bool growOverflowed() const { return false; }
  /// A sequence of loops over the same arrays that runs many times: a device may learn it by heart.
  struct Repetition {};
  template <class Sequence>
  void repeat(Repetition&, const Sequence& sequence) const {
    sequence();
  }
  /// While it is on, repeat() launches each loop by itself, here and in all copies.
  void launchOneByOne(bool) const {}
  /// A copy to the host beside the loops that follow, which must not write what is copied until wait(), here
  /// or of a copy that was started later: they arrive one after the other.
  template <class T>
  class Download {
   public:
    void start(const HostBackend&, const T* items, std::size_t) { m_items = items; }
    /// Of items that were there when the last copy of the backend was started.
    void startBehindLast(const HostBackend&, const T* items, std::size_t) { m_items = items; }
    /// The items, when they have arrived; valid until the next start().
    const T* wait() const { return m_items; }

   private:
    const T* m_items = nullptr;
  };
  /// Times between points of a sequence of loops.
  class Stamps {
   public:
    /// The sequence begins.
    void begin(const HostBackend&) {
      m_marks.clear();
      mark(HostBackend(), -1);
    }
    /// The end of a phase of it.
    void mark(const HostBackend&, int phase) { m_marks.push_back({phase, Clock::now()}); }
    /// Adds what each phase took to times[phase] [ms]. After the sequence has run.
    template <class Times>
    void addTo(Times& times) const {
      for (std::size_t k = 1; k < m_marks.size(); ++k)
        times[static_cast<std::size_t>(m_marks[k].phase)] +=
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
  /// Waits for what was launched.
  void finish() const {}
  /// Called after each launch, with what ran and over how many items; CUDA checks and counts here.
  void launched(const char*, long) const {}
  Launches launches() const { return {}; }
};

}  // namespace touchstone
