#pragma once

#include <thrust/system/tbb/execution_policy.h>

#include <vector>

namespace touchstone {

/// Runs loops on the CPU through TBB. A method is written against this interface and that of CudaBackend:
/// policy(), Array<T> (device memory of the backend with resize(), size(), data()), upload() and download().
struct HostBackend {
  template <class T>
  using Array = std::vector<T>;
  static auto policy() { return thrust::tbb::par; }
  template <class T>
  static void upload(const std::vector<T>& host, Array<T>& device) {
    device = host;
  }
  template <class T>
  static void download(const Array<T>& device, std::vector<T>& host) {
    host = device;
  }
};

}  // namespace touchstone
