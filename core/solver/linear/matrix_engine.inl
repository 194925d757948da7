#pragma once

#include <cmath>
#include <vector>

#include "core/math/host_device.h"
#include "core/parallel/copy.h"
#include "core/parallel/device/launch_graph.h"
#include "core/parallel/sum.h"
#include "core/solver/linear/matrix_engine.h"

namespace touchstone {

namespace detail {

// Columns that one index multiplies: several indices per row keep a device busy that has more threads than
// there are rows.
constexpr int kColumnsPerPart = 32;

/// Some rows of a part. Entries of neighbouring rows lie beside each other: neighbouring threads of a device
/// read them together with one row each, a thread of the host reads several rows.
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

struct DotPart {            // one sum per index: kTermsPerSum of Σ a_i b_i (w_i)
  const double *a, *b, *w;  // w null: 1
  int n;
  double* out;
  TS_HD void operator()(int part) const {
    const int first = part * kTermsPerSum, end = first + kTermsPerSum < n ? first + kTermsPerSum : n;
    double sum = 0;
    for (int row = first; row < end; ++row) sum += a[row] * b[row] * (w ? w[row] : 1);
    out[part] = sum;
  }
};

/// Scalars of an iteration, on the backend: no step waits for the host.
struct Scalars {
  double product;    ///< z·Sz (pcr) or r·z (pcg) of the running direction
  double curvature;  ///< Sp·M Sp (pcr) or p·Sp (pcg)
  double next;       ///< product after the step
  double square;     ///< |r|²
};

struct StepAlong {  // one row per index: x += α p, r −= α Sp, z = M r
  const Scalars* scalars;
  const double *inverseDiagonal, *p, *Sp;
  double *x, *r, *z;
  TS_HD void operator()(int row) const {
    // A direction without curvature is none: the host sees it and stops.
    const double step = scalars->curvature > 0 ? scalars->product / scalars->curvature : 0;
    x[row] += step * p[row];
    r[row] -= step * Sp[row];
    z[row] = inverseDiagonal[row] * r[row];
  }
};

struct NextDirection {  // one row per index: p = z + β p; with Sz also Sp = Sz + β Sp
  const Scalars* scalars;
  const double *z, *Sz;
  double *p, *Sp;
  TS_HD void operator()(int row) const {
    const double beta = scalars->next / scalars->product;
    p[row] = z[row] + beta * p[row];
    if (Sz) Sp[row] = Sz[row] + beta * Sp[row];
  }
};

struct TakeOver {
  Scalars* scalars;
  TS_HD void operator()(int) const { scalars->product = scalars->next; }
};

struct RelaxJacobi {  // one row per index: r = b − S x; x += ω M r, unless only the residual is wanted
  const double *right, *Sx, *inverseDiagonal;
  double damping;
  double *r, *x;
  TS_HD void operator()(int row) const {
    r[row] = right[row] - Sx[row];
    if (x) x[row] += damping * inverseDiagonal[row] * r[row];
  }
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
class MatrixEngineOn : public MatrixEngine {
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
    m_backend.upload(A.data(), static_cast<std::size_t>(A.size()), m_A);
  }

  Eigen::VectorXd multiply(const Eigen::VectorXd& x) override {
    m_backend.upload(x.data(), m_whole, m_factor);
    m_product.resize(static_cast<std::size_t>(m_whole));
    multiply(m_A, m_whole, m_factor, m_product);
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
    const int count = static_cast<int>(rows.size());
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
    m_copy.resize(static_cast<std::size_t>(count));
    const double* from = m_S.data();
    if (means == CopyBy::Loop)
      copyWithin(m_backend, from, count, m_copy.data());
    else
      m_backend.copyByDriver(from, static_cast<std::size_t>(count), m_copy.data());
    m_backend.finish();
    return 2.0 * sizeof(double) * count;
  }

  double iteratePcr(int iterations) override {
    beginKrylov(LinearSolver::Pcr);
    for (int iteration = 0; iteration < iterations; ++iteration) takeLearnedStep(LinearSolver::Pcr);
    return 1.0 * sizeof(double) * m_n * m_n * (iterations + 1);
  }

 private:
  template <class T>
  using Array = typename Backend::template Array<T>;

  void send(const Eigen::MatrixXd& S, const Eigen::VectorXd& right) {
    m_backend.upload(S.data(), static_cast<std::size_t>(S.size()), m_S);
    sendRest(S.diagonal(), right);
  }
  void sendRest(const Eigen::VectorXd& diagonal, const Eigen::VectorXd& right) {
    m_n = static_cast<int>(right.size());
    const Eigen::VectorXd inverse = diagonal.unaryExpr([](double d) { return d > 0 ? 1 / d : 1.0; });
    m_backend.upload(right.data(), m_n, m_right);
    m_backend.upload(inverse.data(), m_n, m_inverse);
    const detail::Scalars zero{};
    m_backend.upload(&zero, 1, m_scalars);
    for (Array<double>* array : {&m_x, &m_r, &m_z, &m_p, &m_Sz, &m_Sp, &m_best})
      array->resize(static_cast<std::size_t>(m_n));
    m_sums.resize(scratchForSum(sumsOf(m_n)));
  }

  void multiply(const Array<double>& x, Array<double>& out) { multiply(m_S, m_n, x, out); }
  void multiply(const Array<double>& matrix, int n, const Array<double>& x, Array<double>& out) {
    const int parts = (n + detail::kColumnsPerPart - 1) / detail::kColumnsPerPart;
    m_partial.resize(static_cast<std::size_t>(n) * scratchForSum(parts));
    // What an index does is long on the host only where the matrix is large.
    const Work work = n > 64 ? Work::Heavy : Work::Light;
    using Multiply = detail::MultiplyPart<Backend::kOnHost ? 32 : 1>;
    forEach(m_backend, Multiply::blocksOf(n) * parts, Multiply{matrix.data(), x.data(), n, m_partial.data()},
            work);
    sumOnDevice(m_backend, m_partial.data(), n, parts, out.data());
  }
  /// Solves what lies in the arrays, from x = 0. @param size  |r|
  void iterate(LinearSolver solver, double size, double tolerance, int most, LinearResult& best) {
    best.residual = 1;
    if (solver == LinearSolver::Jacobi) {
      iterateJacobi(size, tolerance, most, best);
    } else {
      beginKrylov(solver);
      iterateKrylov(solver, size, tolerance, most, best);
    }
    if (best.residual < 1) m_backend.download(m_best.data(), m_n, best.x.data());
  }
  void dot(const Array<double>& a, const Array<double>& b, const double* weights, double* out) {
    const int sums = sumsOf(m_n);
    forEach(m_backend, sums, detail::DotPart{a.data(), b.data(), weights, m_n, m_sums.data()});
    sumOnDevice(m_backend, m_sums.data(), 1, sums, out);
  }

  void beginKrylov(LinearSolver solver) {
    detail::Scalars* scalars = m_scalars.data();
    fill(m_backend, m_x.data(), m_n, 0.0);
    copyWithin(m_backend, static_cast<const double*>(m_right.data()), m_n, m_r.data());
    fill(m_backend, m_p.data(), m_n, 0.0);
    forEach(m_backend, m_n,
            detail::StepAlong{scalars, m_inverse.data(), m_p.data(), m_p.data(), m_x.data(), m_r.data(),
                              m_z.data()});  // no step yet: z = M r
    copyWithin(m_backend, static_cast<const double*>(m_z.data()), m_n, m_p.data());
    if (solver == LinearSolver::Pcr) {
      multiply(m_z, m_Sz);
      copyWithin(m_backend, static_cast<const double*>(m_Sz.data()), m_n, m_Sp.data());
      dot(m_z, m_Sz, nullptr, &scalars->product);
      dot(m_Sp, m_Sp, m_inverse.data(), &scalars->curvature);
    } else {
      multiply(m_p, m_Sp);
      dot(m_r, m_z, nullptr, &scalars->product);
      dot(m_p, m_Sp, nullptr, &scalars->curvature);
    }
  }

  /// One iteration (Saad 2003, algorithms 9.1 and 6.20): along the direction, then the next direction with
  /// its product and curvature.
  void takeStep(LinearSolver solver) {
    detail::Scalars* scalars = m_scalars.data();
    forEach(m_backend, m_n,
            detail::StepAlong{scalars, m_inverse.data(), m_p.data(), m_Sp.data(), m_x.data(), m_r.data(),
                              m_z.data()});
    dot(m_r, m_r, nullptr, &scalars->square);
    if (solver == LinearSolver::Pcr) {
      multiply(m_z, m_Sz);
      dot(m_z, m_Sz, nullptr, &scalars->next);
      forEach(m_backend, m_n,
              detail::NextDirection{scalars, m_z.data(), m_Sz.data(), m_p.data(), m_Sp.data()});
      dot(m_Sp, m_Sp, m_inverse.data(), &scalars->curvature);
    } else {
      dot(m_r, m_z, nullptr, &scalars->next);
      forEach(m_backend, m_n, detail::NextDirection{scalars, m_z.data(), nullptr, m_p.data(), m_Sp.data()});
      multiply(m_p, m_Sp);
      dot(m_p, m_Sp, nullptr, &scalars->curvature);
    }
    forEach(m_backend, 1, detail::TakeOver{scalars});
  }

  /// takeStep(), which a device keeps from one system to the next of as many rows. Waits for it.
  detail::Scalars takeLearnedStep(LinearSolver solver) {
    m_step.learnFor({m_S.data(), m_inverse.data(), m_x.data(), m_r.data(), m_z.data(), m_p.data(),
                     m_Sz.data(), m_Sp.data(), m_partial.data(), m_sums.data(), m_scalars.data()},
                    {1.0 * m_n, 1.0 * static_cast<int>(solver)});
    m_step.run(m_backend, [this, solver] { takeStep(solver); });
    detail::Scalars scalars;
    m_backend.download(m_scalars.data(), 1, &scalars);
    return scalars;
  }

  void iterateKrylov(LinearSolver solver, double size, double tolerance, int most, LinearResult& best) {
    detail::Scalars scalars;
    m_backend.download(m_scalars.data(), 1, &scalars);
    // Without curvature the direction lies in the null space; without product the residual does.
    while (best.iterations < most && scalars.curvature > 0 && scalars.product > 0) {
      scalars = takeLearnedStep(solver);
      ++best.iterations;
      if (keep(std::sqrt(scalars.square), size, tolerance, best)) return;
    }
  }

  /// Damped by ω = 1 / max row sum of |D⁻¹ S|: the eigenvalues of D⁻¹ S lie in [0, that], so that no error
  /// component grows.
  void iterateJacobi(double size, double tolerance, int most, LinearResult& best) {
    detail::Scalars scalars;
    forEach(m_backend, m_n, detail::RowSum{m_S.data(), m_inverse.data(), m_n, m_z.data()});
    std::vector<double> rowSums(static_cast<std::size_t>(m_n));
    m_backend.download(m_z.data(), m_n, rowSums.data());
    double norm = 0;
    for (const double sum : rowSums) norm = std::fmax(norm, sum);
    const double damping = norm > 0 ? 1 / norm : 1;
    fill(m_backend, m_x.data(), m_n, 0.0);
    while (best.iterations < most) {
      multiply(m_x, m_Sp);
      detail::RelaxJacobi relax{m_right.data(), m_Sp.data(), m_inverse.data(), damping, m_r.data(), nullptr};
      forEach(m_backend, m_n, relax);
      dot(m_r, m_r, nullptr, &m_scalars.data()->square);
      m_backend.download(m_scalars.data(), 1, &scalars);
      if (keep(std::sqrt(scalars.square), size, tolerance, best)) return;
      relax.x = m_x.data();
      forEach(m_backend, m_n, relax);
      ++best.iterations;
    }
  }

  /// Keeps the iterate with the smallest residual. @return true when it is small enough
  bool keep(double residual, double size, double tolerance, LinearResult& best) {
    const double relative = residual / size;
    if (relative < best.residual) {
      best.residual = relative;
      copyWithin(m_backend, static_cast<const double*>(m_x.data()), m_n, m_best.data());
    }
    return best.residual <= tolerance;
  }

  Backend m_backend;
  int m_whole = 0;                  ///< rows of m_A
  Eigen::VectorXd m_wholeDiagonal;  ///< of m_A
  Array<double> m_A, m_factor, m_product, m_added;
  int m_n = 0;
  Array<double> m_S, m_copy, m_right, m_inverse;
  Array<double> m_x, m_r, m_z, m_p, m_Sz, m_Sp, m_best;
  Array<double> m_partial, m_sums;
  Array<detail::Scalars> m_scalars;
  LaunchGraph<Backend> m_step;
  Array<int> m_rows;  ///< of a part of m_A
};

}  // namespace touchstone
