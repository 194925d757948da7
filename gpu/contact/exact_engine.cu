#include "core/contact/peg/exact_engine.inl"
#include "gpu/cuda_backend.h"

namespace touchstone {

template class ExactEngineOn<CudaBackend>;

std::unique_ptr<ExactEngine> makeCudaExactEngine(const World& world,
                                                 const std::shared_ptr<BackendWorld>& there,
                                                 const PieceEngine& pieces) {
  return std::make_unique<ExactEngineOn<CudaBackend>>(world, there, pieces);
}

}  // namespace touchstone
