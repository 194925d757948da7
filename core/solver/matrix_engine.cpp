#include "core/solver/matrix_engine.inl"

#include <exception>
#include <map>
#include <mutex>
#include <stdexcept>

#include "core/parallel/host_backend.h"

namespace touchstone {

namespace {

using Factory = std::function<std::unique_ptr<MatrixEngine>()>;

struct Pool {
  std::mutex guard;
  std::map<BackendKind, Factory> factories = {
      {BackendKind::Cpu, [] { return std::make_unique<MatrixEngineOn<HostBackend>>(); }}};
  std::map<BackendKind, std::vector<std::unique_ptr<MatrixEngine>>> idle;
};

Pool& pool() {
  static Pool pool;
  return pool;
}

}  // namespace

MatrixEngineLease::MatrixEngineLease(BackendKind backend) : m_backend(backend) {
  Pool& all = pool();
  const std::lock_guard<std::mutex> lock(all.guard);
  std::vector<std::unique_ptr<MatrixEngine>>& idle = all.idle[backend];
  if (!idle.empty()) {
    m_engine = std::move(idle.back());
    idle.pop_back();
    return;
  }
  const auto found = all.factories.find(backend);
  if (found == all.factories.end()) throw std::runtime_error("no CUDA device can be used on this machine");
  m_engine = found->second();
}

MatrixEngineLease::~MatrixEngineLease() {
  if (std::uncaught_exceptions() > 0) return;  // what failed once is not used again
  const std::lock_guard<std::mutex> lock(pool().guard);
  pool().idle[m_backend].push_back(std::move(m_engine));
}

void registerMatrixEngine(BackendKind backend, Factory factory) {
  const std::lock_guard<std::mutex> lock(pool().guard);
  pool().factories[backend] = std::move(factory);
  pool().idle[backend].clear();
}

}  // namespace touchstone
