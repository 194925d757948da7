#pragma once

#include <thrust/device_vector.h>
#include <thrust/system/cuda/execution_policy.h>

#include <vector>

#include "gpu/cuda_check.h"

namespace touchstone {

/// Runs loops on the current CUDA device. Same interface as HostBackend. Only .cu files include this.
struct CudaBackend {
  /// Device memory that only grows, so that a run allocates in its first steps and not later.
  template <class T>
  class Array {
   public:
    void resize(std::size_t size) {
      if (size > m_storage.size()) m_storage.resize(size + size / 2);
      m_size = size;
    }
    std::size_t size() const { return m_size; }
    T* data() { return thrust::raw_pointer_cast(m_storage.data()); }
    const T* data() const { return thrust::raw_pointer_cast(m_storage.data()); }

   private:
    thrust::device_vector<T> m_storage;
    std::size_t m_size = 0;
  };
  static auto policy() { return thrust::cuda::par; }
  template <class T>
  static void upload(const std::vector<T>& host, Array<T>& device) {
    device.resize(host.size());
    cudaCheck(cudaMemcpy(device.data(), host.data(), host.size() * sizeof(T), cudaMemcpyHostToDevice),
              "upload", static_cast<long>(host.size()));
  }
  template <class T>
  static void download(const Array<T>& device, std::vector<T>& host) {
    host.resize(device.size());
    cudaCheck(cudaMemcpy(host.data(), device.data(), host.size() * sizeof(T), cudaMemcpyDeviceToHost),
              "download", static_cast<long>(host.size()));
  }
};

}  // namespace touchstone
