#pragma once

#include <cuda_runtime_api.h>

#include <stdexcept>
#include <string>

namespace touchstone {

/// What the user can do about it, where the driver's words do not say so.
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

/// Throws with the name of what failed, how many items it was about, the driver's own words and a remedy.
[[noreturn]] inline void throwCuda(cudaError_t error, const char* what, long count) {
  cudaGetLastError();  // errors that do not stick must not be reported again by the next call
  const std::string items = count > 1 ? " (" + std::to_string(count) + " items)" : "";
  throw std::runtime_error(std::string("CUDA: ") + what + items + " failed: " + cudaGetErrorString(error) +
                           remedyFor(error));
}

/// Called once after every launch and copy.
inline void cudaCheck(cudaError_t error, const char* what, long count = 1) {
  if (error != cudaSuccess) throwCuda(error, what, count);
}

}  // namespace touchstone
