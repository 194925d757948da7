#pragma once

#include <functional>
#include <memory>

#include "core/parallel/backend_kind.h"
#include "core/solver/linear.h"

namespace touchstone {

/// The iterative linear solvers whose work is matrix times vector, on a backend: pcr, pcg and jacobi. The
/// matrix goes there once per solve and stays; every sum is taken in one order, so that all backends give the
/// same bits. Keeps its arrays; one thread at a time.
class LinearEngine {
 public:
  virtual ~LinearEngine() = default;
  /// As solveLinear(), for Pcr, Pcg and Jacobi.
  virtual LinearResult solve(LinearSolver solver, const Eigen::MatrixXd& S, const Eigen::VectorXd& r,
                             double tolerance, int maxIterations) = 0;
  /// Copies an array as large as the last matrix within the backend's memory and waits; for measuring what
  /// the memory can do. @return bytes read and written
  virtual double copyMatrix() = 0;
  /// Takes the same number of iterations of Pcr on the last matrix, without stopping early. @return bytes
  /// read of the matrix
  virtual double iteratePcr(int iterations) = 0;
};

/// An engine of a backend for one use, out of a pool. Not one per thread: a thread that waits for its loop
/// may take up another pane's step meanwhile.
class LinearEngineLease {
 public:
  /// @throws std::runtime_error if the backend has none
  explicit LinearEngineLease(BackendKind backend);
  ~LinearEngineLease();
  LinearEngineLease(const LinearEngineLease&) = delete;
  LinearEngineLease& operator=(const LinearEngineLease&) = delete;
  LinearEngine* operator->() const { return m_engine.get(); }

 private:
  BackendKind m_backend;
  std::unique_ptr<LinearEngine> m_engine;
};

/// How gpu/ adds its engine: core never includes gpu/.
void registerLinearEngine(BackendKind backend, std::function<std::unique_ptr<LinearEngine>()> factory);

}  // namespace touchstone
