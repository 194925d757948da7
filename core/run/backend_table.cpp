#include "core/run/backend_table.h"

#include "core/parallel/parallel_for.h"

namespace touchstone {

namespace {
BackendInfo& cuda() {
  static BackendInfo info{BackendKind::Cuda, "cuda", false, "not built with CUDA; runs on the CPU"};
  return info;
}
}  // namespace

std::vector<BackendInfo> backendTable() {
  return {{BackendKind::Cpu, "cpu", true, std::to_string(threadCount()) + " threads"}, cuda()};
}

void setCudaState(bool usable, const std::string& state) {
  cuda().usable = usable;
  cuda().state = state;
}

}  // namespace touchstone
