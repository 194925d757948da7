#pragma once

#include "core/math/host_device.h"

namespace touchstone {

/// Two items of a list.
struct IndexPair {
  int first, second;
  TS_HD bool operator==(const IndexPair& o) const { return first == o.first && second == o.second; }
};

}  // namespace touchstone
