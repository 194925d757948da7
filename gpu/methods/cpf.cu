#include "core/contact/cpf/cpf.inl"
#include "core/parallel/device/deferred_lists.h"
#include "gpu/cuda_backend.h"

namespace touchstone {

template std::unique_ptr<Method<WithoutWaiting<CudaBackend>>> cpf::Info::make(
    const WithoutWaiting<CudaBackend>&, const MethodSetup&);

}  // namespace touchstone
