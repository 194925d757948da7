#pragma once

#include <functional>
#include <map>
#include <memory>
#include <stdexcept>

#include "core/parallel/backend_kind.h"

namespace touchstone {

/// The factories of an engine, one per backend. core/ registers the host's factory and gpu/ registers its
/// own, because core/ never includes gpu/.
template <class Engine, class... Arguments>
class BackendRegistry {
 public:
  using Factory = std::function<std::unique_ptr<Engine>(Arguments...)>;

  BackendRegistry() = default;
  BackendRegistry(BackendKind backend, Factory factory) { add(backend, std::move(factory)); }
  void add(BackendKind backend, Factory factory) { m_factories[backend] = std::move(factory); }
  bool has(BackendKind backend) const { return m_factories.count(backend) > 0; }
  /// @throws std::runtime_error if the backend has no factory
  std::unique_ptr<Engine> make(BackendKind backend, Arguments... arguments) const {
    const auto found = m_factories.find(backend);
    if (found == m_factories.end()) throw std::runtime_error("no CUDA device can be used on this machine");
    return found->second(arguments...);
  }

 private:
  std::map<BackendKind, Factory> m_factories;
};

}  // namespace touchstone
