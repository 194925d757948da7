#include "core/world/backend_world.inl"
#include "gpu/cuda_backend.h"

namespace touchstone {

template class BackendWorldOn<CudaBackend>;

std::unique_ptr<BackendWorld> makeCudaWorld(const World& world) {
  return std::make_unique<BackendWorldOn<CudaBackend>>(world);
}

}  // namespace touchstone
