#include "core/parallel/device/graph_captures.h"

#include <mutex>

namespace touchstone {

namespace {
std::mutex mutex;
Recordings& all() {
  static Recordings recordings;
  return recordings;
}
}  // namespace

Recordings recordings() {
  const std::lock_guard lock(mutex);
  return all();
}

void noteRecording() {
  const std::lock_guard lock(mutex);
  ++all().taken;
}

void noteRefusedRecording(const std::string& reason) {
  const std::lock_guard lock(mutex);
  if (all().refused++ == 0) all().reason = reason;
}

}  // namespace touchstone
