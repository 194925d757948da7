#pragma once

namespace touchstone {

/// Counts of what the host has launched on a device.
struct Launches {
  long sent = 0;     ///< by the host: loops, calls of a library, graphs
  long kernels = 0;  ///< all kernels of each graph; a library's call outside of graphs counts as one
};

inline Launches operator-(const Launches& a, const Launches& b) {
  return {a.sent - b.sent, a.kernels - b.kernels};
}

}  // namespace touchstone
