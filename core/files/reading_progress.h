#pragma once

#include <functional>
#include <stdexcept>

namespace touchstone {

/// Told how far a long reading is, often; `all` is 0 while that is not known. @return whether to go on
using ReadingProgress = std::function<bool(long done, long all)>;

/// Where a ReadingProgress says not to go on. What was read so far is forgotten.
class ReadingCancelled : public std::runtime_error {
 public:
  ReadingCancelled() : std::runtime_error("reading was cancelled") {}
};

}  // namespace touchstone
