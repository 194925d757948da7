#include "core/run/backend_table.h"
#include "gpu/cuda_device.h"

namespace touchstone {

void registerCuda() { setCudaState(false, "not built with CUDA" TS_NO_CUDA "; runs on the CPU"); }

}  // namespace touchstone
