#include "core/contact/manifold/narrow_phase_loops.inl"
#include "core/parallel/host_backend.h"

namespace touchstone {

template class NarrowPhase<HostBackend>;

}  // namespace touchstone
