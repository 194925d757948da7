#include "core/contact/manifold/narrow_phase_loops.inl"
#include "gpu/cuda_backend.h"

namespace touchstone {

template class NarrowPhase<CudaBackend>;

}  // namespace touchstone
