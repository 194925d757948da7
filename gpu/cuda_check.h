#pragma once

#include <cuda_runtime_api.h>

#include <stdexcept>
#include <string>

namespace touchstone {

/// Advice for the user on errors for which the driver's text gives none.
inline const char* remedyFor(cudaError_t error) {
  switch (error) {
    case cudaErrorNoKernelImageForDevice:
      return "; this program was built for other devices: configure it with "
             "-DCMAKE_CUDA_ARCHITECTURES=native and build it again";
    case cudaErrorUnsupportedPtxVersion:
      return "; update the NVIDIA driver";
    case cudaErrorMemoryAllocation:
      return "; use fewer bodies, panes or worlds, or close other programs that use the device";
    default:
      return "";
  }
}

/// Throws with the name of the failed operation, its number of items, the driver's text and advice.
[[noreturn]] inline void throwCuda(cudaError_t error, const char* what, long count) {
  cudaGetLastError();  // clears errors that are not sticky, so that the next call does not report them
  const std::string items = count > 1 ? " (" + std::to_string(count) + " items)" : "";
  throw std::runtime_error(std::string("CUDA: ") + what + items + " failed: " + cudaGetErrorString(error) +
                           remedyFor(error));
}

/// Called once after every launch and copy.
inline void cudaCheck(cudaError_t error, const char* what, long count = 1) {
  if (error != cudaSuccess) throwCuda(error, what, count);
}

}  // namespace touchstone
