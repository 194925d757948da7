#pragma once

#include "core/record/bytes.h"

namespace touchstone {

/// One array of contact memory on its backend, with what a step and a keyframe do to it.
template <class Backend>
class MemoryArray {
 public:
  virtual ~MemoryArray() = default;
  /// Keeps it as a step finds it, for rollBack(); where a step may have to be taken again.
  virtual void remember(const Backend&) = 0;
  virtual void rollBack(const Backend&) = 0;
  /// Restores the state before the first step.
  virtual void reset(const Backend&) = 0;
  /// Starts its way to the host, while more is launched. What is kept stays.
  virtual void send(const Backend&) = 0;
  /// Waits for it, before what is launched next.
  virtual void await() = 0;
  /// Keeps the memory that was sent and waited for.
  virtual void keep() = 0;
  /// Writes the last saved memory. Does not touch the device, which may be lost. @param isLast  nothing
  /// follows: the end of the bytes is the end of the array
  virtual void put(ByteWriter&, bool isLast) = 0;
  /// @throws std::runtime_error where the bytes are damaged
  virtual void restore(const Backend&, ByteReader&, bool isLast) = 0;
};

}  // namespace touchstone
