#pragma once

#include <functional>
#include <stdexcept>

namespace touchstone {

/// Called often during a long read; `all` is 0 while the total is unknown. @return false to cancel
using ReadingProgress = std::function<bool(long done, long all)>;

/// Thrown if a ReadingProgress cancels. Data read so far is dropped.
class ReadingCancelled : public std::runtime_error {
 public:
  ReadingCancelled() : std::runtime_error("reading was cancelled") {}
};

}  // namespace touchstone
