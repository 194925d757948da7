#pragma once

/// Marks a function that runs on the host and, compiled by nvcc, on the device from the same source.
#ifdef __CUDACC__
#define TS_HD __host__ __device__
#else
#define TS_HD
#endif
