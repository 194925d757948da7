#include "core/contact/piece_engine.inl"
#include "gpu/cuda_backend.h"

namespace touchstone {

template class PieceEngineOn<CudaBackend>;

std::unique_ptr<PieceEngine> makeCudaPieceEngine(const World& world) {
  return std::make_unique<PieceEngineOn<CudaBackend>>(world);
}

}  // namespace touchstone
