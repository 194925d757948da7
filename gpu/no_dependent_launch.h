#pragma once

// Comes before all else in every .cu file (gpu/CMakeLists.txt). CUB's merge sort lets a kernel begin before
// the one in front of it has ended ("programmatic dependent launch", compute capability 9.0 and newer), and
// up to CUDA 13.0 it reads where it merges before it waits for who writes that (NVIDIA/cccl, pull request
// 5456): a device would be lost now and then, and with it all panes. Without, a sort takes some microseconds
// more. Later toolkits ask for the first macro, older ones have the other for themselves.
#define CCCL_DISABLE_PDL
#if __has_include(<cuda/std/__cccl/cuda_capabilities.h>)
#include <cuda/std/__cccl/cuda_capabilities.h>
#if _CCCL_HAS_PDL
#undef _CCCL_HAS_PDL
#define _CCCL_HAS_PDL 0
#endif
#endif
