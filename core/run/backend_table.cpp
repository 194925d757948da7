#include "core/run/backend_table.h"

#include <fstream>

#include "core/parallel/parallel_for.h"

namespace touchstone {

namespace {
/// "Name, " where the system tells.
std::string processorName() {
  std::ifstream info("/proc/cpuinfo");
  for (std::string line; std::getline(info, line);)
    if (line.rfind("model name", 0) == 0) {
      const std::size_t colon = line.find(": ");
      if (colon != std::string::npos) return line.substr(colon + 2) + ", ";
    }
  return {};
}

BackendInfo& cuda() {
  static BackendInfo info{BackendKind::Cuda, "cuda", false, "not built with CUDA; runs on the CPU"};
  return info;
}
}  // namespace

std::vector<BackendInfo> backendTable() {
  static const std::string processor = processorName();
  return {{BackendKind::Cpu, "cpu", true, processor + std::to_string(threadCount()) + " threads"}, cuda()};
}

void setCudaState(bool usable, const std::string& state) {
  cuda().usable = usable;
  cuda().state = state;
}

}  // namespace touchstone
