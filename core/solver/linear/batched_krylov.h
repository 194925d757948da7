#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "core/parallel/backend_kind.h"
#include "core/solver/linear/linear.h"

namespace touchstone {

enum class CopyBy { Loop, Driver };

/// Work with one dense matrix on a backend: the linear solvers whose work is matrix times vector (pcr, pcg,
/// jacobi). The matrix is sent to the backend once; every sum is taken in one order, so that all backends
/// give the same bits. Keeps its arrays; one thread at a time.
class BatchedKrylov {
 public:
  virtual ~BatchedKrylov() = default;
  /// Solves like solveLinear(), for Pcr, Pcg and Jacobi.
  virtual LinearResult solve(LinearSolver solver, const Eigen::MatrixXd& S, const Eigen::VectorXd& r,
                             double tolerance, int maxIterations) = 0;
  /// Takes a matrix for multiply() and solveWithin(): Newton's method asks for many products and systems of
  /// one.
  virtual void setMatrix(const Eigen::MatrixXd& A) = 0;
  /// A x.
  virtual Eigen::VectorXd multiply(const Eigen::VectorXd& x) = 0;
  /// Solves like solve(), for the rows and columns `rows` of A with `diagonal` added: S = A(rows, rows) +
  /// diag(d).
  virtual LinearResult solveWithin(LinearSolver solver, const std::vector<int>& rows,
                                   const Eigen::VectorXd& diagonal, const Eigen::VectorXd& right,
                                   double tolerance, int maxIterations) = 0;
  /// Copies an array as large as the last matrix within the backend's memory and waits; for measuring what
  /// the memory can do. @return bytes read and written
  virtual double copyMatrix(CopyBy means) = 0;
  /// Takes a number of iterations of Pcr on the last matrix, without stopping early. @return bytes read of
  /// the matrix, by the product before the first iteration too
  virtual double iteratePcr(int iterations) = 0;
};

/// An engine of a backend for one use, out of a pool. Not one per thread: a thread that waits for its loop
/// may take up another pane's step meanwhile.
class BatchedKrylovLease {
 public:
  /// @throws std::runtime_error if the backend has none
  explicit BatchedKrylovLease(BackendKind backend);
  ~BatchedKrylovLease();
  BatchedKrylovLease(const BatchedKrylovLease&) = delete;
  BatchedKrylovLease& operator=(const BatchedKrylovLease&) = delete;
  BatchedKrylov* operator->() const { return m_engine.get(); }

 private:
  BackendKind m_backend;
  std::unique_ptr<BatchedKrylov> m_engine;
};

/// An engine of one's own, that gives its memory back. @throws std::runtime_error if the backend has none
std::unique_ptr<BatchedKrylov> makeBatchedKrylov(BackendKind backend);

/// Adds the maker of a backend; gpu/ calls it, because core never includes gpu/.
void registerBatchedKrylov(BackendKind backend, std::function<std::unique_ptr<BatchedKrylov>()> factory);

}  // namespace touchstone
