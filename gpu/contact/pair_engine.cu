#include "core/contact/cpf/pair_engine.inl"
#include "gpu/cuda_backend.h"

namespace touchstone {

template class PairEngineOn<CudaBackend>;

std::unique_ptr<PairEngine> makeCudaPairEngine() { return std::make_unique<PairEngineOn<CudaBackend>>(); }

}  // namespace touchstone
