#include "core/contact/sweep_engine.inl"
#include "gpu/cuda_backend.h"

namespace touchstone {

template class SweepEngineOn<CudaBackend>;

std::unique_ptr<SweepEngine> makeCudaSweepEngine(const World& world,
                                                 const std::shared_ptr<BackendWorld>& there,
                                                 const PieceEngine& pieces) {
  return std::make_unique<SweepEngineOn<CudaBackend>>(world, there, pieces);
}

}  // namespace touchstone
