#include "core/parallel/device/graph_captures.h"

#include <mutex>

namespace touchstone {

namespace {
std::mutex mutex;
GraphCaptures& all() {
  static GraphCaptures recordings;
  return recordings;
}
}  // namespace

GraphCaptures graphCaptures() {
  const std::lock_guard lock(mutex);
  return all();
}

void noteGraphCapture() {
  const std::lock_guard lock(mutex);
  ++all().taken;
}

void noteRefusedGraphCapture(const std::string& reason) {
  const std::lock_guard lock(mutex);
  if (all().refused++ == 0) all().reason = reason;
}

}  // namespace touchstone
