#include "core/contact/lcp/lcp.inl"
#include "gpu/cuda_backend.h"

namespace touchstone {

template std::unique_ptr<Method<WithoutWaiting<CudaBackend>>> lcp::Info::make(
    const WithoutWaiting<CudaBackend>&, const MethodSetup&);

}  // namespace touchstone
