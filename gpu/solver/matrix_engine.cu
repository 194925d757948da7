#include "core/solver/linear/matrix_engine.inl"
#include "gpu/cuda_backend.h"

namespace touchstone {

template class MatrixEngineOn<CudaBackend>;

std::unique_ptr<MatrixEngine> makeCudaMatrixEngine() {
  return std::make_unique<MatrixEngineOn<CudaBackend>>();
}

}  // namespace touchstone
