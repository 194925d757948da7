#include "core/contact/complementarity/piece_engine.inl"
#include "gpu/cuda_backend.h"

namespace touchstone {

template class PieceEngineOn<CudaBackend>;

std::unique_ptr<PieceEngine> makeCudaPieceEngine(const World& world,
                                                 const std::shared_ptr<BackendWorld>& there) {
  return std::make_unique<PieceEngineOn<CudaBackend>>(world, there);
}

}  // namespace touchstone
