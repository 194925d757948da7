#include "core/contact/pair_engine.inl"

#include <map>
#include <stdexcept>

#include "core/parallel/host_backend.h"

namespace touchstone {

template class PairEngineOn<HostBackend>;

namespace {

using Factory = std::function<std::unique_ptr<PairEngine>()>;

std::map<BackendKind, Factory>& factories() {
  static std::map<BackendKind, Factory> table = {
      {BackendKind::Cpu, [] { return std::make_unique<PairEngineOn<HostBackend>>(); }}};
  return table;
}

}  // namespace

std::unique_ptr<PairEngine> makePairEngine(BackendKind backend) {
  const auto found = factories().find(backend);
  if (found == factories().end())
    throw std::runtime_error("the CUDA backend is not available on this machine; use the CPU backend");
  return found->second();
}

void registerPairEngine(BackendKind backend, Factory factory) { factories()[backend] = std::move(factory); }

}  // namespace touchstone
