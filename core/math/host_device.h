#pragma once

/// Marks a function that runs on the host and, compiled by nvcc, on the device from the same source.
#ifdef __CUDACC__
#define TS_HD __host__ __device__
#else
#define TS_HD
#endif

/// Put before a TS_HD template whose arguments decide where it runs; it suppresses nvcc's warnings about
/// calls.
#ifdef __CUDACC__
#define TS_NO_SPACE_CHECK _Pragma("nv_exec_check_disable")
#else
#define TS_NO_SPACE_CHECK
#endif
