#include "core/referee/overlap_engine.inl"

#include <map>
#include <stdexcept>

#include "core/parallel/host_backend.h"

namespace touchstone {

namespace {

std::map<BackendKind, OverlapEngineFactory>& factories() {
  static std::map<BackendKind, OverlapEngineFactory> table = {
      {BackendKind::Cpu,
       [](const World& world) { return std::make_unique<OverlapEngineOn<HostBackend>>(world); }}};
  return table;
}

}  // namespace

std::unique_ptr<OverlapEngine> makeOverlapEngine(BackendKind backend, const World& world) {
  const auto found = factories().find(backend);
  if (found == factories().end()) throw std::runtime_error("no CUDA device can be used on this machine");
  return found->second(world);
}

void registerOverlapEngine(BackendKind backend, OverlapEngineFactory factory) {
  factories()[backend] = std::move(factory);
}

}  // namespace touchstone
