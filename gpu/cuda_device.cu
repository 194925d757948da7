#include "gpu/cuda_device.h"

#include <cuda_runtime_api.h>

#include <cstdlib>
#include <memory>
#include <string>

#include "core/contact/cpf/batched_pairs.h"
#include "core/referee/motion_measurement.h"
#include "core/referee/overlap_measurement.h"
#include "core/run/backend_table.h"
#include "core/run/stepper.h"
#include "core/solver/linear/batched_krylov.h"

namespace touchstone {

using DeviceWorldPtr = std::shared_ptr<DeviceWorld>;
std::unique_ptr<DeviceWorld> makeCudaWorld(const World& world);  // world/device_world.cu
std::unique_ptr<BatchedPairs> makeCudaBatchedPairs();            // methods/batched_pairs.cu
std::unique_ptr<OverlapMeasurement> makeCudaOverlapMeasurement(const World&,
                                                               const DeviceWorldPtr&);  // referee/
std::unique_ptr<MotionMeasurement> makeCudaMotionMeasurement(const World&,
                                                             const DeviceWorldPtr&);  // referee/
std::unique_ptr<BatchedKrylov> makeCudaBatchedKrylov();  // solver/batched_krylov.cu
std::unique_ptr<Stepper> makeCudaStepper(const MethodChoice&, const World&, const DeviceWorldPtr&);  // run/
void registerCudaMethods();                                                                          // run/

namespace {

/// 12040 → "12.4".
std::string versionText(int version) {
  return std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
}

}  // namespace

void registerCuda() {
  // Must be set before a context exists. Streams share as many queues as there are connections, eight by
  // default, and wait for each other in a queue. A pane has six streams.
  setenv("CUDA_DEVICE_MAX_CONNECTIONS", "32", 0);
  int driver = 0, count = 0;
  cudaDriverGetVersion(&driver);
  if (driver == 0) {
    setCudaState(false, "built with CUDA, but there is no NVIDIA driver; runs on the CPU");
    return;
  }
  const cudaError_t error = cudaGetDeviceCount(&count);
  if (error == cudaErrorInsufficientDriver) {
    setCudaState(false, "the NVIDIA driver is for CUDA " + versionText(driver) + ", this program needs " +
                            versionText(CUDART_VERSION) + ": update the driver; runs on the CPU");
    return;
  }
  if (error != cudaSuccess || count == 0) {
    setCudaState(false, std::string("built with CUDA, but no device can be used (") +
                            (error != cudaSuccess ? cudaGetErrorString(error) : "none found") +
                            "); runs on the CPU");
    return;
  }
  // Panes that wait for the device yield their processors to others. If the driver does not support it, they
  // spin.
  if (cudaSetDeviceFlags(cudaDeviceScheduleYield) != cudaSuccess) cudaGetLastError();
  cudaDeviceProp properties;
  if (cudaGetDeviceProperties(&properties, 0) != cudaSuccess) {
    setCudaState(false, "the CUDA device does not answer; runs on the CPU");
    return;
  }
  // Oldest compute capability for which the binary has code. A smaller value accepts devices on which every
  // launch fails; a larger one refuses usable devices.
  constexpr int kOldest = 75;
  const int architecture = 10 * properties.major + properties.minor;
  if (architecture < kOldest) {
    setCudaState(false, std::string(properties.name) + " is of compute capability " +
                            std::to_string(properties.major) + "." + std::to_string(properties.minor) +
                            ", 7.5 or newer is needed; runs on the CPU");
    return;
  }
  setCudaState(true, std::string(properties.name) + ", " + std::to_string(properties.totalGlobalMem >> 30) +
                         " GiB, driver for CUDA " + versionText(driver));
  registerDeviceWorld(BackendKind::Cuda, makeCudaWorld);
  registerBatchedPairs(BackendKind::Cuda, makeCudaBatchedPairs);
  registerOverlapMeasurement(BackendKind::Cuda, makeCudaOverlapMeasurement);
  registerMotionMeasurement(BackendKind::Cuda, makeCudaMotionMeasurement);
  registerCudaMethods();
  registerStepper(BackendKind::Cuda, makeCudaStepper);
  registerBatchedKrylov(BackendKind::Cuda, makeCudaBatchedKrylov);
}

}  // namespace touchstone
