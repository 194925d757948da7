#pragma once

#include <cmath>
#include <vector>

#include "core/math/count.h"
#include "core/math/host_device.h"
#include "core/parallel/copy.h"
#include "core/parallel/device/launch_graph.h"
#include "core/parallel/sum.h"
#include "core/solver/linear/batched_krylov.h"
#include "core/solver/linear/krylov.inl"

namespace touchstone {

namespace detail {

// Columns that one index multiplies: several indices per row keep a device busy that has more threads than
// there are rows.
constexpr int kColumnsPerPart = 32;

/// Some rows of a part. Entries of neighbouring rows are neighbours in memory: neighbouring threads of a
/// device read them together with one row each, a thread of the host reads several rows.
template <int kRows>
struct MultiplyPart {  // index = part · blocks + block
  const double* S;     // [n × n] by columns
  const double* x;
  int n;
  double* partial;  // [partCount × n]
  TS_HD static int blocksOf(int n) { return (n + kRows - 1) / kRows; }
  TS_HD void operator()(int index) const {
    const int blocks = blocksOf(n), part = index / blocks, row = index % blocks * kRows;
    const int first = part * kColumnsPerPart;
    const int end = first + kColumnsPerPart < n ? first + kColumnsPerPart : n;
    double sums[kRows] = {};
    const auto multiply = [&](int rows) {
      for (int column = first; column < end; ++column) {
        const double* entries = S + static_cast<long long>(column) * n + row;
        for (int k = 0; k < rows; ++k) sums[k] += entries[k] * x[column];
      }
      for (int k = 0; k < rows; ++k) partial[static_cast<long long>(part) * n + row + k] = sums[k];
    };
    if (row + kRows <= n) {
      multiply(kRows);  // a number that the compiler knows
    } else {
      multiply(n - row);
    }
  }
};

struct GatherWithin {  // one entry of S = A(rows, rows) + diag(d) per index
  const double* A;     // [n × n] by columns
  const int* rows;     // [size]
  const double* diagonal;
  int n, size;
  double* S;  // out
  TS_HD void operator()(int index) const {
    const int column = index / size, row = index % size;
    const double entry = A[static_cast<long long>(rows[column]) * n + rows[row]];
    S[index] = column == row ? entry + diagonal[row] : entry;
  }
};

/// The rows of one dense system, after the product of S and a vector.
struct DenseRows {
  KrylovVectors u;
  const double* product;
  TS_HD double systemTimes(int, int row, const double*) const { return product[row]; }
};

template <class Row>
struct EachDenseRow {  // one row per index
  DenseRows rows;
  const KrylovState* state;
  const int* isRunning;
  Row row;
  KrylovSums* sums;  // [rows], or null: not wanted
  TS_HD void operator()(int index) const {
    if (!*isRunning) return;
    KrylovSums rowSums;
    row(rows, 0, *state, index, rowSums);
    if (sums) sums[index] = rowSums;
  }
};

struct BeginDenseRow {
  template <class Rows>
  TS_HD void operator()(const Rows& rows, int, const KrylovState&, int row, KrylovSums&) const {
    beginLinear(rows.u, row);
  }
};

template <class Act>
struct ConcludeDense {
  Act act;
  const KrylovSums* sums;
  KrylovState* state;
  int* isRunning;
  TS_HD void operator()(int) const { *isRunning = *isRunning && act(*state, sums->values) ? 1 : 0; }
};

struct RowSum {  // one row per index: Σ_j |S_ij| / S_ii
  const double *S, *inverseDiagonal;
  int n;
  double* out;
  TS_HD void operator()(int row) const {
    double sum = 0;
    for (int column = 0; column < n; ++column) sum += std::fabs(S[static_cast<long long>(column) * n + row]);
    out[row] = sum * inverseDiagonal[row];
  }
};

}  // namespace detail

template <class Backend>
class BatchedKrylovOn : public BatchedKrylov {
 public:
  LinearResult solve(LinearSolver solver, const Eigen::MatrixXd& S, const Eigen::VectorXd& right,
                     double tolerance, int maxIterations) override {
    LinearResult best;
    best.x = Eigen::VectorXd::Zero(right.size());
    const double size = right.norm();
    if (!(size > 0)) return best;
    send(S, right);
    iterate(solver, size, tolerance, maxIterations, best);
    return best;
  }

  void setMatrix(const Eigen::MatrixXd& A) override {
    m_whole = static_cast<int>(A.rows());
    m_wholeDiagonal = A.diagonal();
    m_backend.upload(A.data(), A.size(), m_A);
  }

  Eigen::VectorXd multiply(const Eigen::VectorXd& x) override {
    m_backend.upload(x.data(), m_whole, m_factor);
    m_product.resize(m_whole);
    multiply(m_A, m_whole, static_cast<const double*>(m_factor.data()), m_product);
    Eigen::VectorXd result(m_whole);
    m_backend.download(m_product.data(), m_whole, result.data());
    return result;
  }

  LinearResult solveWithin(LinearSolver solver, const std::vector<int>& rows, const Eigen::VectorXd& diagonal,
                           const Eigen::VectorXd& right, double tolerance, int maxIterations) override {
    LinearResult best;
    best.x = Eigen::VectorXd::Zero(right.size());
    const double size = right.norm();
    if (!(size > 0)) return best;
    const int count = countOf(rows);
    m_backend.upload(rows.data(), rows.size(), m_rows);
    m_backend.upload(diagonal.data(), rows.size(), m_added);
    m_S.resize(rows.size() * rows.size());
    forEach(m_backend, count * count,
            detail::GatherWithin{m_A.data(), m_rows.data(), m_added.data(), m_whole, count, m_S.data()});
    sendRest(m_wholeDiagonal(rows) + diagonal, right);
    iterate(solver, size, tolerance, maxIterations, best);
    return best;
  }

  double copyMatrix(CopyBy means) override {
    const int count = m_n * m_n;  // a bench's: up to 46 340 rows
    m_copy.resize(count);
    const double* matrix = m_S.data();
    if (means == CopyBy::Loop)
      copyWithin(m_backend, matrix, count, m_copy.data());
    else
      m_backend.copyByDriver(matrix, count, m_copy.data());
    m_backend.finish();
    return 2.0 * sizeof(double) * count;
  }

  double iteratePcr(int iterations) override {
    begin(LinearSolver::Pcr, 1, 0, iterations);
    iterateKrylov(System{*this, LinearSolver::Pcr}, vectors(), true, iterations);
    return 1.0 * sizeof(double) * m_n * m_n * (iterations + 1);
  }

 private:
  template <class T>
  using Array = typename Backend::template Array<T>;

  void send(const Eigen::MatrixXd& S, const Eigen::VectorXd& right) {
    m_backend.upload(S.data(), S.size(), m_S);
    sendRest(S.diagonal(), right);
  }
  void sendRest(const Eigen::VectorXd& diagonal, const Eigen::VectorXd& right) {
    m_n = countOf(right);
    const Eigen::VectorXd inverse = diagonal.unaryExpr([](double d) { return d > 0 ? 1 / d : 1.0; });
    m_backend.upload(right.data(), m_n, m_right);
    m_backend.upload(inverse.data(), m_n, m_inverse);
    for (Array<double>* array : {&m_x, &m_r, &m_z, &m_p, &m_Sz, &m_Sp, &m_best, &m_Sx}) array->resize(m_n);
    m_sums.resize(scratchForSum(m_n));
    m_sum.resize(1);
  }

  void multiply(const Array<double>& matrix, int n, const double* x, Array<double>& out) {
    const int parts = (n + detail::kColumnsPerPart - 1) / detail::kColumnsPerPart;
    m_partial.resize(static_cast<std::size_t>(n) * scratchForSum(parts));
    // What an index does is long on the host only where the matrix is large.
    const Work work = n > 64 ? Work::Heavy : Work::Light;
    using Multiply = detail::MultiplyPart<Backend::kOnHost ? 32 : 1>;
    forEach(m_backend, Multiply::blocksOf(n) * parts, Multiply{matrix.data(), x, n, m_partial.data()}, work);
    sumOnDevice(m_backend, m_partial.data(), n, parts, out.data());
  }
  KrylovVectors vectors() {
    return {m_right.data(), m_x.data(),  m_best.data(), m_r.data(),      m_z.data(),
            m_p.data(),     m_Sz.data(), m_Sp.data(),   m_inverse.data()};
  }

  /// The dense system in the arrays, for iterateKrylov() and iterateJacobi().
  struct System {
    BatchedKrylovOn& engine;
    LinearSolver solver;
    void multiply(const double* x) const { engine.multiply(engine.m_S, engine.m_n, x, engine.m_Sx); }
    template <class Row>
    void eachRow(const Row& row) const {
      engine.eachRow(row, nullptr);
    }
    template <class Row>
    void sumRows(const Row& row) const {
      engine.eachRow(row, engine.m_sums.data());
      sumOnDevice(engine.m_backend, engine.m_sums.data(), 1, engine.m_n, engine.m_sum.data());
    }
    template <class Act>
    void conclude(const Act& act) const {
      forEach(engine.m_backend, 1,
              detail::ConcludeDense<Act>{act, engine.m_sum.data(), engine.m_state.data(),
                                         engine.m_isRunning.data()});
    }
    bool goesOn(int) const {
      int isRunning = 0;
      engine.m_backend.download(engine.m_isRunning.data(), 1, &isRunning);
      return isRunning != 0;
    }
    /// A device keeps an iteration from one system to the next of as many rows.
    template <class Sequence>
    void repeat(const Sequence& sequence) const {
      engine.learnStep(solver);
      engine.m_step.run(engine.m_backend, sequence);
    }
  };

  template <class Row>
  void eachRow(const Row& row, KrylovSums* sums) {
    forEach(
        m_backend, m_n,
        detail::EachDenseRow<Row>{{vectors(), m_Sx.data()}, m_state.data(), m_isRunning.data(), row, sums});
  }

  void learnStep(LinearSolver solver) {
    m_step.learnFor({m_S.data(), m_inverse.data(), m_x.data(), m_r.data(), m_z.data(), m_p.data(),
                     m_Sz.data(), m_Sp.data(), m_best.data(), m_Sx.data(), m_partial.data(), m_sums.data(),
                     m_sum.data(), m_state.data(), m_isRunning.data()},
                    {1.0 * m_n, 1.0 * static_cast<int>(solver), 1.0 * m_most});
  }

  /// From x = 0. @param size  |right|   @param maxIterations  iterations   @param damping  of jacobi
  void begin(LinearSolver solver, double size, double tolerance, int maxIterations, double damping = 0) {
    m_most = maxIterations;
    KrylovState state;
    state.size = size;
    state.tolerance = tolerance;
    state.residual = 1;
    state.takesLast = takesLastIterate(solver) ? 1 : 0;
    state.damping = damping;
    const int isRunning = 1;
    m_backend.upload(&state, 1, m_state);
    m_backend.upload(&isRunning, 1, m_isRunning);
    eachRow(detail::BeginDenseRow{}, nullptr);
  }

  /// Solves what lies in the arrays, from x = 0. @param size  |right|
  void iterate(LinearSolver solver, double size, double tolerance, int maxIterations, LinearResult& best) {
    const System system{*this, solver};
    if (solver == LinearSolver::Jacobi) {
      begin(solver, size, tolerance, maxIterations, jacobiDamping());
      iterateJacobi(system, vectors(), maxIterations);
    } else {
      begin(solver, size, tolerance, maxIterations);
      iterateKrylov(system, vectors(), solver == LinearSolver::Pcr, maxIterations);
    }
    KrylovState state;
    m_backend.download(m_state.data(), 1, &state);
    best.residual = state.residual;
    best.iterations = state.iterations;
    if (best.iterations > 0)
      m_backend.download(state.isBetter ? m_x.data() : m_best.data(), m_n, best.x.data());
  }

  /// 1 / max row sum of |D⁻¹ S|: the eigenvalues of D⁻¹ S lie in [0, that], so that no error component grows.
  double jacobiDamping() {
    forEach(m_backend, m_n, detail::RowSum{m_S.data(), m_inverse.data(), m_n, m_z.data()});
    std::vector<double> rowSums(m_n);
    m_backend.download(m_z.data(), m_n, rowSums.data());
    double norm = 0;
    for (const double sum : rowSums) norm = std::fmax(norm, sum);
    return norm > 0 ? 1 / norm : 1;
  }

  Backend m_backend;
  int m_whole = 0;                  ///< rows of m_A
  Eigen::VectorXd m_wholeDiagonal;  ///< of m_A
  Array<double> m_A, m_factor, m_product, m_added;
  int m_n = 0;
  Array<double> m_S, m_copy, m_right, m_inverse;
  Array<double> m_x, m_r, m_z, m_p, m_Sz, m_Sp, m_Sx, m_best;
  Array<double> m_partial;
  Array<KrylovSums> m_sums, m_sum;
  Array<KrylovState> m_state;
  Array<int> m_isRunning;
  int m_most = 0;  ///< iterations
  LaunchGraph<Backend> m_step;
  Array<int> m_rows;  ///< of a part of m_A
};

}  // namespace touchstone
