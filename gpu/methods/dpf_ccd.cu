#include "core/contact/cpf/dpf_ccd.inl"
#include "core/parallel/device/deferred_lists.h"
#include "gpu/cuda_backend.h"

namespace touchstone {

template std::unique_ptr<Method<WithoutWaiting<CudaBackend>>> dpf_ccd::Info::make(
    const WithoutWaiting<CudaBackend>&, const MethodSetup&);

}  // namespace touchstone
