#include "core/contact/peg/peg.inl"
#include "gpu/cuda_backend.h"

namespace touchstone {

template std::unique_ptr<Method<WithoutWaiting<CudaBackend>>> peg::Info::make(
    const WithoutWaiting<CudaBackend>&, const MethodSetup&);

}  // namespace touchstone
