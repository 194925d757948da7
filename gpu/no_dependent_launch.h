#pragma once

// Must be the first header in every .cu file (gpu/CMakeLists.txt). CUB's merge sort lets a kernel start
// before the preceding kernel has ended ("programmatic dependent launch", compute capability 9.0 and newer).
// Up to CUDA 13.0 it then reads data before it waits for the kernel that writes it (NVIDIA/cccl, pull request
// 5456): the device would be lost now and then, and with it all panes. Without this feature a sort takes some
// microseconds more. Later toolkits read the first macro, older ones define the other one themselves.
#define CCCL_DISABLE_PDL
#if __has_include(<cuda/std/__cccl/cuda_capabilities.h>)
#include <cuda/std/__cccl/cuda_capabilities.h>
#if _CCCL_HAS_PDL
#undef _CCCL_HAS_PDL
#define _CCCL_HAS_PDL 0
#endif
#endif
