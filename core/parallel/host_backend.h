#pragma once

#include <thrust/for_each.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/system/tbb/execution_policy.h>

#include <vector>

#include "core/parallel/for_each.h"

namespace touchstone {

/// Runs loops on the CPU through TBB. A method is written against this interface and that of CudaBackend:
/// run(), policy(), Array<T> (memory of the backend with resize(), size(), data()), upload() and download().
class HostBackend {
 public:
  static constexpr bool kOnHost = true;
  template <class T>
  using Array = std::vector<T>;

  static auto policy() { return thrust::tbb::par; }
  /// body(0) … body(count − 1) on the host's threads.
  template <class Body>
  void run(int count, const Body& body, Work) const {
    thrust::for_each_n(policy(), thrust::counting_iterator<int>(0), count, body);
  }
  template <class T>
  void upload(const T* host, std::size_t count, Array<T>& device) const {
    device.assign(host, host + count);
  }
  /// The first `count` elements into host memory.
  template <class T>
  void download(const T* device, std::size_t count, T* host) const {
    std::copy(device, device + count, host);
  }
  /// A sequence of loops over the same arrays that runs many times: a device may learn it by heart.
  struct Repetition {};
  template <class Sequence>
  void repeat(Repetition&, const Sequence& sequence) const {
    sequence();
  }
  /// A copy to the host beside the loops that follow, which must not write what is copied until wait().
  template <class T>
  class Download {
   public:
    void start(const HostBackend&, const T* items, std::size_t) { m_items = items; }
    /// The items, when they have arrived; valid until the next start().
    const T* wait() const { return m_items; }

   private:
    const T* m_items = nullptr;
  };
  /// Waits for what was launched.
  void finish() const {}
  /// Called after each launch, with what ran and over how many items; CUDA checks and counts here.
  void launched(const char*, long) const {}
  long launches() const { return 0; }
};

}  // namespace touchstone
