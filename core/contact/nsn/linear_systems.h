#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "core/constraints/row_terms.h"
#include "core/math/count.h"
#include "core/parallel/backend_kind.h"
#include "core/solver/linear/linear.h"

namespace touchstone::nsn {

/// A row of a linear system: of a multiplier whose change is unknown.
struct SystemRow {
  double right = 0;    ///< b_i [m/s²]
  double added = 0;    ///< c_i, to the diagonal [1/kg]
  double inverse = 1;  ///< 1 / A_ii, 1 where that is not positive [kg]
  double scale = 1;    ///< of its gradient, in the force too
  int firstTerm = 0, termCount = 0;
  int system = 0;  ///< set by LinearSystems::layOut(), as the next
  int sum = 0;     ///< its place where the terms of a system's inner products lie
};

/// A body of a system, with what the mass matrix H of the system has of it.
struct SystemBody {
  Vec3 inverseMass = Vec3(0, 0, 0);    ///< of H along the axes of the world [1/kg]
  Mat3 inverseInertia = Mat3::Zero();  ///< of H, with geometric stiffness; world frame [1/(kg m²)]
  int firstSide = 0, sideCount = 0;    ///< what the rows do to it, set by LinearSystems::findSides()
  int system = 0;
};

/// The effect of a row on a body.
struct BodySide {
  int row = 0, term = 0;
};

/// Size of a system.
struct SystemSize {
  int rows = 0, bodies = 0, terms = 0;
  bool isReported = false;  ///< its residual after each iteration is wanted
};

/// Places of a system in the lists of all systems.
struct SystemPlace {
  int firstRow = 0, rowCount = 0;
  int firstBody = 0, bodyCount = 0;
  int firstTerm = 0;      ///< sides likewise: each term is one
  int firstSum = 0;       ///< room for the sums of its rows
  int firstResidual = 0;  ///< of LinearAnswers::residuals; −1: not told
  double size = 0;        ///< |b|, > 0 [m/s²]
  double tolerance = 0;   ///< on |b − A x| / |b|
};

/// Linear systems that have nothing in common, one for each island, in lists that a backend takes as they
/// are:
///     A x = b,   A = s J H⁻¹ Jᵀ s + diag(c)
/// with gradients J of rows, scaled by s, and H of bodies. A is never formed.
class LinearSystems {
 public:
  /// Rows above which a system is spread over all threads of a backend; below, one group of threads takes it
  /// from its begin to its end. A larger value leaves processors idle while one of them has a large island;
  /// a smaller one makes more systems wait for each other in every loop.
  static constexpr int kMostRowsOfGroup = 1024;
  static bool isLarge(const SystemSize& size) { return size.rows > kMostRowsOfGroup; }

  /// Makes room. @param sizes  of all systems, those that isLarge() first; each has a row
  /// @param maxIterations  iterations
  void layOut(const std::vector<SystemSize>& sizes, int maxIterations);
  /// Lists the sides of the bodies of a system, by row, once its rows and terms are written.
  void findSides(int system);

  int count() const { return countOf(places); }

  std::vector<SystemPlace> places;
  std::vector<SystemRow> rows;
  std::vector<BodyTerm> terms;  ///< bodies counted over all systems
  std::vector<SystemBody> bodies;
  std::vector<BodySide> sides;
  int largeCount = 0;  ///< systems; the first ones
  int sumCount = 0, residualCount = 0;
};

struct LinearAnswers {
  struct End {
    int iterations = 0;
    double residual = 0;  ///< |b − A x| / |b|
  };
  std::vector<double> x;         ///< [rows] as LinearResult::x
  std::vector<End> ends;         ///< [systems]
  std::vector<float> residuals;  ///< relative, after each iteration of the systems that are reported
};

/// Solves them on a backend by the iterations of core/solver/linear/krylov.inl, all systems at once. Each has
/// inner products of its own and ends on its own, so that no answer depends on what else is solved. Every sum
/// has one order, whatever the backend and its threads. Keeps its arrays; one thread at a time.
class BatchedLinearSystems {
 public:
  virtual ~BatchedLinearSystems() = default;
  /// Then many systems at once are no faster than as many engines beside each other, whose threads keep the
  /// islands in their caches.
  virtual bool isOnHost() const = 0;
  /// @param solver  one that isOnBackend()   @param maxIterations  iterations, as for LinearSystems::layOut()
  virtual void solve(const LinearSystems& systems, LinearSolver solver, int maxIterations,
                     LinearAnswers& answers) = 0;
};

/// @throws std::runtime_error if none is registered for the backend
std::unique_ptr<BatchedLinearSystems> makeBatchedLinearSystems(BackendKind backend);

/// Adds the maker of a backend; gpu/ calls it, because core never includes gpu/.
void registerBatchedLinearSystems(BackendKind backend,
                                  std::function<std::unique_ptr<BatchedLinearSystems>()> factory);

}  // namespace touchstone::nsn
