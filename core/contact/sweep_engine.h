#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "core/contact/piece_engine.h"
#include "core/contact/sweep_plan.h"
#include "core/record/step_record.h"

namespace touchstone {

struct SweepSettings {
  double tolerance = 1e-10;  ///< on the equilibrated natural residual of each island, relative to 1 + max|b|
  int maxSweeps = 100;
};

/// How the sweeps of a step ended. Residuals as in core/solver/problem.h.
struct SweepReport {
  int islands = 0, unsolved = 0;
  double residual = 0;   ///< largest natural residual of the answers [m/s]
  double tolerance = 0;  ///< of the largest island, as a bound on its natural residual [m/s]
  std::vector<SolverIteration> iterations;  ///< of the largest island; the first is the start
};

/// Projected Gauss–Seidel over the contacts of a step, without a matrix: velocities follow every change of an
/// impulse at once. With ν = ν̃ + M⁻¹ F z and w = rates + Jᵀν, per contact in turn
///
///     p ← max(0, p − w_n / A_nn),   β ← proj(β − w_t / r) onto |β| ≤ μ p
///
/// (complementarity.md, section 7; Macklin 2019 for the disk). Pairs of bodies of one colour are swept at
/// once (SweepPlan), contacts of a pair one after the other. Islands stop on their own and keep their best
/// iterate. All on a backend but the plan. Warm-started by the features of the last step. One per pane.
class SweepEngine {
 public:
  virtual ~SweepEngine() = default;
  /// Rows and start of the contacts that the PieceEngine found last, in the same world.
  /// @param pairs  of that search
  virtual void begin(const World& world, const std::vector<PiecePair>& pairs,
                     const SweepSettings& settings) = 0;
  /// Sweeps; leaves the answer's velocities as those of the running step on the backend.
  virtual SweepReport solve() = 0;
  /// Of each contact (p, β1, β2) [N·s], β along frictionDirections() of the disk.
  virtual std::vector<Vec3> impulses() const = 0;
  /// Of each contact the speed along its tangents with the answer's velocities [m/s]; before integration.
  virtual std::vector<double> slips() = 0;
  /// What the next solve() starts from; between begin() and solve().
  virtual std::vector<Vec3> start() const = 0;
  /// Contacts by place in the sweeps: ascending numbers of contacts of one plan of the last begin().
  virtual std::vector<int> contactOrder() const = 0;

  /// Forgets the last step.
  virtual void reset() = 0;
  /// Begins to copy to the host what the next step starts from.
  virtual void sendMemory() = 0;
  /// Waits for it.
  virtual std::string sentMemory() = 0;
  virtual void restoreMemory(const std::string& bytes) = 0;
};

/// @param pieces  where the contacts are found, on the same backend
/// @throws std::runtime_error if none is registered for the backend
std::unique_ptr<SweepEngine> makeSweepEngine(BackendKind backend, const World& world,
                                             const std::shared_ptr<BackendWorld>& there,
                                             const PieceEngine& pieces);

/// How gpu/ adds its engine: core never includes gpu/.
using SweepEngineFactory = std::function<std::unique_ptr<SweepEngine>(
    const World& world, const std::shared_ptr<BackendWorld>& there, const PieceEngine& pieces)>;
void registerSweepEngine(BackendKind backend, SweepEngineFactory factory);

}  // namespace touchstone
