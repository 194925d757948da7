#pragma once

#include <cuda_runtime_api.h>

#include <stdexcept>
#include <string>

namespace touchstone {

/// Throws with the name of what failed, how many items it was about and the driver's own words.
[[noreturn]] inline void throwCuda(cudaError_t error, const char* what, long count) {
  cudaGetLastError();  // errors that do not stick must not be reported again by the next call
  const std::string items = count > 1 ? " (" + std::to_string(count) + " items)" : "";
  throw std::runtime_error(std::string("CUDA: ") + what + items + " failed: " + cudaGetErrorString(error));
}

/// Called once after every launch and copy.
inline void cudaCheck(cudaError_t error, const char* what, long count = 1) {
  if (error != cudaSuccess) throwCuda(error, what, count);
}

}  // namespace touchstone
