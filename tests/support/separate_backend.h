#pragma once

#include <functional>
#include <memory>
#include <stdexcept>
#include <vector>

#include "core/parallel/host_backend.h"

namespace touchstone::test {

/// The host as a device: the paths that a device takes (its own copies of the state, Thrust for every loop,
/// sort, scan and reduction), in memory that a test can read. Sequences that repeat become recordings, as
/// they become CUDA graphs: a recording knows sizes, addresses and parameters of the time when it was made,
/// and nothing else of the code that made it.
class SeparateBackend : public HostBackend {
 public:
  static constexpr bool kOnHost = false;

  /// As on a device, what was in it is lost when it grows.
  template <class T>
  class Array {
   public:
    Array() = default;
    Array(Array&&) noexcept = default;
    Array& operator=(Array&&) noexcept = default;
    void resize(std::size_t size) {
      m_size = size;
      if (size <= m_items.size()) return;
      if (isRecording()) throw std::runtime_error("memory was asked for in a recording");
      m_items = std::vector<T>(size);
    }
    std::size_t size() const { return m_size; }
    T* data() { return m_items.data(); }
    const T* data() const { return m_items.data(); }

   private:
    std::vector<T> m_items;
    std::size_t m_size = 0;
  };

  template <class T>
  class Download {
   public:
    void start(const SeparateBackend&, const T* items, std::size_t count) {
      refuseInRecording();
      m_items.assign(items, items + count);
    }
    void startBehindLast(const SeparateBackend& backend, const T* items, std::size_t count) {
      start(backend, items, count);
    }
    const T* wait() const { return m_items.data(); }

   private:
    std::vector<T> m_items;
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
  };
  template <class Sequence>
  void repeat(Repetition& repetition, const Sequence& sequence) const {
    constexpr int kRunsBefore = 2;
    if (++repetition.m_runs <= kRunsBefore) {
      sequence();
      return;
    }
    if (repetition.m_launches.empty()) {
      recording() = &repetition.m_launches;
      sequence();
      recording() = nullptr;
      ++recordings();
    }
    for (const auto& launch : repetition.m_launches) launch();
  }
  /// How many sequences have become recordings so far.
  static long& recordings() {
    static long count = 0;
    return count;
  }

  template <class Body>
  void run(int count, const Body& body, Work work) const {
    launch([count, body, work] { HostBackend().run(count, body, work); });
  }
  template <class Algorithm>
  void call(const char*, long, const Algorithm& algorithm) const {
    launch([algorithm] { algorithm(policy()); });
  }
  template <class T>
  void upload(const T* host, std::size_t count, Array<T>& device) const {
    refuseInRecording();
    device.resize(count);
    std::copy(host, host + count, device.data());
  }
  template <class T>
  void download(const T* device, std::size_t count, T* host) const {
    refuseInRecording();
    HostBackend::download(device, count, host);
  }

 private:
  using Launches = std::vector<std::function<void()>>;
  /// Where launches go now, or null: they run.
  static Launches*& recording() {
    static thread_local Launches* launches = nullptr;
    return launches;
  }
  static bool isRecording() { return recording() != nullptr; }
  static void refuseInRecording() {
    if (isRecording()) throw std::runtime_error("something was copied in a recording");
  }
  template <class Launch>
  void launch(const Launch& launch) const {
    if (isRecording()) {
      recording()->push_back(launch);
    } else {
      launch();
    }
  }
};

}  // namespace touchstone::test
