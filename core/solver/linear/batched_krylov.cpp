#include "core/solver/linear/batched_krylov.inl"

#include <exception>
#include <map>
#include <mutex>

#include "core/parallel/device/backend_registry.h"
#include "core/parallel/host_backend.h"

namespace touchstone {

namespace {

struct Pool {
  std::mutex guard;
  BackendRegistry<BatchedKrylov> engines{BackendKind::Cpu,
                                         [] { return std::make_unique<BatchedKrylovOn<HostBackend>>(); }};
  std::map<BackendKind, std::vector<std::unique_ptr<BatchedKrylov>>> idle;
};

Pool& pool() {
  static Pool pool;
  return pool;
}

}  // namespace

BatchedKrylovLease::BatchedKrylovLease(BackendKind backend) : m_backend(backend) {
  Pool& engines = pool();
  const std::lock_guard<std::mutex> lock(engines.guard);
  std::vector<std::unique_ptr<BatchedKrylov>>& idle = engines.idle[backend];
  if (!idle.empty()) {
    m_engine = std::move(idle.back());
    idle.pop_back();
    return;
  }
  m_engine = engines.engines.make(backend);
}

BatchedKrylovLease::~BatchedKrylovLease() {
  if (std::uncaught_exceptions() > 0) return;  // what failed once is not used again
  const std::lock_guard<std::mutex> lock(pool().guard);
  pool().idle[m_backend].push_back(std::move(m_engine));
}

std::unique_ptr<BatchedKrylov> makeBatchedKrylov(BackendKind backend) {
  const std::lock_guard<std::mutex> lock(pool().guard);
  return pool().engines.make(backend);
}

void registerBatchedKrylov(BackendKind backend, std::function<std::unique_ptr<BatchedKrylov>()> factory) {
  const std::lock_guard<std::mutex> lock(pool().guard);
  pool().engines.add(backend, std::move(factory));
  pool().idle[backend].clear();
}

}  // namespace touchstone
