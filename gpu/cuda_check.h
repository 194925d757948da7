#pragma once

#include <cuda_runtime_api.h>

#include <stdexcept>
#include <string>

namespace touchstone {

/// Throws with the name of what failed, its size and the driver's own words. Called once after every launch
/// and copy.
inline void cudaCheck(cudaError_t error, const char* what, long count) {
  if (error == cudaSuccess) return;
  cudaGetLastError();  // errors that do not stick must not be reported again by the next call
  throw std::runtime_error(std::string("CUDA: ") + what + " over " + std::to_string(count) +
                           " items failed: " + cudaGetErrorString(error));
}

}  // namespace touchstone
