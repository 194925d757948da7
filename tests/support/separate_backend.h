#pragma once

#include <algorithm>
#include <cstring>
#include <functional>
#include <memory>
#include <stdexcept>
#include <utility>
#include <vector>

#include "core/parallel/device/graph_captures.h"
#include "core/parallel/host_backend.h"
#include "tests/support/device_memory.h"

namespace touchstone::test {

namespace detail {

/// A permutation of 0 … count − 1 that puts neighbours far apart.
inline int scattered(int index, int count) {
  constexpr long kStride = 7919;  // a prime
  return count % kStride == 0 ? count - 1 - index : static_cast<int>(index * kStride % count);
}

/// Runs the items that a group's threads would run concurrently, in a scattered order.
struct ScatteredGroup {
  static constexpr bool kIsOneThread = false;
  template <class Body>
  void forEach(int count, const Body& body) const {
    for (int index = 0; index < count; ++index) body(scattered(index, count));
  }
  bool together(bool flag) const { return flag; }
};

template <class Body>
struct Scattered {
  Body body;
  int count;
  bool isReversed;
  void operator()(int index) const { body(scattered(isReversed ? count - 1 - index : index, count)); }
};

}  // namespace detail

/// The host in the role of a device. It takes the code paths of a device (separate copies of the state,
/// Thrust for every sort, scan and reduction), in separate memory (device_memory.h). Where a device makes no
/// guarantee, it behaves in the least convenient way: loops run their items in scattered order, downloads are
/// performed only when they are waited for, and their source must not have changed by then, new memory is
/// filled with rubbish. Repeated sequences become recordings, in the role of CUDA graphs: a recording holds
/// sizes, addresses and parameters of the time when it was made, and nothing else of the code that made it.
class SeparateBackend : public HostBackend {
 public:
  static constexpr bool kOnHost = false;

  /// As on a device, growing loses the content.
  template <class T>
  class Array {
   public:
    Array() = default;
    Array(Array&& other) noexcept { *this = std::move(other); }
    Array& operator=(Array&& other) noexcept {
      std::swap(m_items, other.m_items);
      std::swap(m_size, other.m_size);
      std::swap(m_capacity, other.m_capacity);
      return *this;
    }
    ~Array() { releaseOnDevice(m_items, m_capacity * sizeof(T)); }
    void resize(std::size_t size) {
      m_size = size;
      if (size <= m_capacity) return;
      answer();
      if (isRecording()) throw std::runtime_error("memory was asked for in a recording");
      releaseOnDevice(m_items, m_capacity * sizeof(T));
      m_items = static_cast<T*>(allocateOnDevice(size * sizeof(T)));
      m_capacity = size;
    }
    std::size_t size() const { return m_size; }
    T* data() { return m_items; }
    const T* data() const { return m_items; }

   private:
    T* m_items = nullptr;
    std::size_t m_size = 0, m_capacity = 0;
  };

  /// A download that has been started and not waited for.
  class OnItsWay {
   public:
    virtual ~OnItsWay() = default;
    virtual void arrive() = 0;
  };

  template <class T>
  class Download : public OnItsWay {
   public:
    Download() = default;
    Download(const Download&) = delete;
    Download& operator=(const Download&) = delete;
    ~Download() override {
      if (m_from) m_way->erase(std::find(m_way->begin(), m_way->end(), this));
    }

    void start(const SeparateBackend& backend, const T* items, std::size_t count) {
      refuseInRecording();
      wait();
      answer();
      if (count == 0) return;
      m_from = items;
      m_count = count;
      m_way = backend.m_way;
      m_way->push_back(this);
      const ReachOfBoth reach("download");
      m_then.resize(count * sizeof(T));
      copyBytes(reinterpret_cast<const char*>(items), m_then.size(), m_then.data());
    }
    void startBehindLast(const SeparateBackend& backend, const T* items, std::size_t count) {
      start(backend, items, count);
    }
    const T* wait() {
      if (m_from) answer();
      while (m_from) {
        OnItsWay* first = m_way->front();
        m_way->erase(m_way->begin());
        first->arrive();
      }
      return m_items.data();
    }
    void arrive() override {
      m_items.clear();  // rubbish behind the items of a list must not be moved as T
      m_items.resize(m_count);
      const ReachOfBoth reach("download");
      if (std::memcmp(m_from, m_then.data(), m_then.size()) != 0)
        endWith("a loop wrote what was on its way to the host\n");
      copyBytes(m_from, m_count, m_items.data());
      bytesHome() += m_count * sizeof(T);
      m_from = nullptr;
    }

   private:
    const T* m_from = nullptr;  ///< source of the running download
    std::size_t m_count = 0;
    std::vector<T> m_items;
    std::vector<char> m_then;  ///< content of the source at the start
    std::shared_ptr<std::vector<OnItsWay*>> m_way;
  };

  class Repetition {
   public:
    Repetition() = default;
    Repetition(const Repetition&) = delete;
    Repetition& operator=(const Repetition&) = delete;

   private:
    friend class SeparateBackend;
    std::vector<std::function<void()>> m_launches;
    int m_runs = 0;
    bool m_isPlain = false;
  };
  /// Behaviour of recording: a driver may refuse a capture in the middle, or at the end.
  enum class Recorder { Works, FailsInTheMiddle, FailsAtTheEnd };
  static Recorder& recorder() {
    static Recorder recorder = Recorder::Works;
    return recorder;
  }
  template <class Sequence>
  void repeat(Repetition& repetition, const Sequence& sequence) const {
    constexpr int kRunsBefore = 2;
    if (*m_isOneByOne) {
      sequence();
      return;
    }
    const bool isDue = ++repetition.m_runs > kRunsBefore && !repetition.m_isPlain;
    if (isDue && repetition.m_launches.empty()) repetition.m_isPlain = !record(repetition, sequence);
    if (repetition.m_launches.empty()) {
      sequence();
      return;
    }
    answer();
    for (const auto& launch : repetition.m_launches) launch();
  }
  void launchOneByOne(bool on) const { *m_isOneByOne = on; }
  /// Bytes downloaded to the host so far.
  static std::size_t& bytesHome() {
    static thread_local std::size_t count = 0;
    return count;
  }
  /// Number of answers before the device is lost; negative: unlimited.
  static long& answersLeft() {
    static long count = -1;
    return count;
  }
  int mostPasses() const { return passesOfProgram(); }
  /// The result of mostPasses().
  static int& passesOfProgram() {
    static int count = 3;
    return count;
  }
  /// Number of calls of runGroups() so far.
  static long& groupLaunches() {
    static long count = 0;
    return count;
  }

  template <class Body>
  void run(int count, const Body& body, Work work) const {
    launch([count, body, work] {
      if (isReachWatched()) {
        runWatched(count, body);
      } else {
        thread_local bool isReversed = false;  // or of two clashing items the same would always be last
        isReversed = !isReversed;
        HostBackend().run(count, detail::Scattered<Body>{body, count, isReversed}, work);
      }
    });
  }
  template <class Program>
  void runGroups(int count, int, const Program& program, Threads = Threads::AsFit) const {
    ++groupLaunches();
    if (count > 0)
      run(
          count, [program](int index) { program(detail::ScatteredGroup(), index); }, Work::Long);
  }
  template <class Algorithm>
  void call(const char* what, long, const Algorithm& algorithm) const {
    launch([what, algorithm] {
      const ReachOfBoth reach(what);
      algorithm(policy());
    });
  }
  template <class T>
  void upload(const T* host, std::size_t count, Array<T>& device) const {
    refuseInRecording();
    answer();
    device.resize(count);
    const ReachOfBoth reach("upload");
    copyBytes(host, count, device.data());
  }
  template <class T>
  void download(const T* device, std::size_t count, T* host) const {
    refuseInRecording();
    answer();
    const ReachOfBoth reach("download");
    copyBytes(device, count, host);
    bytesHome() += count * sizeof(T);
  }

 private:
  static void answer() {
    if (answersLeft() == 0) throw std::runtime_error("CUDA: the device is lost");
    if (answersLeft() > 0) --answersLeft();
  }
  /// Copies as a device does: no constructors, no assignments.
  template <class T>
  static void copyBytes(const T* from, std::size_t count, T* to) {
    if (count > 0) std::memcpy(static_cast<void*>(to), from, count * sizeof(T));
  }
  /// The body is on the stack, like the arguments of a kernel.
  template <class Body>
  static void runWatched(int count, const Body& body) {
    const Body argument = body;
    setReach(Reach::Device, __PRETTY_FUNCTION__);
    for (int index = 0; index < count; ++index) argument(detail::scattered(index, count));
    setReach(Reach::Host, __PRETTY_FUNCTION__);
  }

  using Launches = std::vector<std::function<void()>>;
  /// The present target of launches; null: they run.
  static Launches*& recording() {
    static thread_local Launches* launches = nullptr;
    return launches;
  }
  static bool isRecording() { return recording() != nullptr; }
  struct Refused {};
  template <class Sequence>
  static bool record(Repetition& repetition, const Sequence& sequence) {
    recording() = &repetition.m_launches;
    try {
      sequence();
    } catch (const Refused&) {
    }
    recording() = nullptr;
    if (recorder() == Recorder::Works) {
      noteGraphCapture();
      return true;
    }
    repetition.m_launches.clear();
    noteRefusedGraphCapture("the driver of the tests");
    return false;
  }
  static void refuseInRecording() {
    if (isRecording()) throw std::runtime_error("something was copied in a recording");
  }
  template <class Launch>
  void launch(const Launch& launch) const {
    if (isRecording()) {
      if (recorder() == Recorder::FailsInTheMiddle && recording()->size() == 3) throw Refused();
      recording()->push_back(launch);
    } else {
      answer();
      launch();
    }
  }

  std::shared_ptr<bool> m_isOneByOne = std::make_shared<bool>(false);
  std::shared_ptr<std::vector<OnItsWay*>> m_way = std::make_shared<std::vector<OnItsWay*>>();
};

}  // namespace touchstone::test
