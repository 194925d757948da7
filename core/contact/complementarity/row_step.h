#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "core/constraints/joint_totals.h"
#include "core/contact/complementarity/complementarity_model.h"
#include "core/contact/complementarity/linearised_rows.h"
#include "core/contact/complementarity/narrow_phase.h"
#include "core/record/step_record.h"
#include "core/solver/row_solver.h"

namespace touchstone {

/// Unit that a step has a row for: lcp each contact, peg each constraint set.
enum class RowPer { Contact, Set };

/// Result of a step.
struct RowStepReport : RowSolverReport {
  int withLargestGap = 0;  ///< islands whose primaries are not the published ones
  int retries = 0;         ///< of these, in this solve, since their answer with those was refused …
  int rescued = 0;         ///< … or there was none, where there is one now
  int softened = 0;        ///< of the unsolved: answered by a problem with kSoftness
};

/// Result of solve() for an island.
struct IslandEnd {
  int replica;
  int isSolved, hasNoSolution;
  double residual;  ///< natural [m/s]
  int gains;        ///< its impulses bring in energy, 2: much; of constraint sets, and of an exact step
};

/// A step's contacts as rows of a RowSolver, from the contacts that narrow phase
/// has found to the answer in the record, all on a backend. Decides what a solver does not know: which
/// contact of a set carries its force, which islands are solved again with other primaries since their answer
/// gains energy (FindWork) or is none, and which are softened. Warm-started by the features of the last step.
/// One per pane.
class RowStep {
 public:
  virtual ~RowStep() = default;
  /// Sets the model of the dense problems: those that are solved, if the solver takes them, and those of
  /// problems().
  virtual void setModel(const ModelSettings& model) = 0;
  /// Rows and start of the contacts that the NarrowPhase has found for the running step of this world.
  /// @param settings  [replicaCount], alike but for tolerance and maxIterations (sweeps of pgs); linear: one
  /// that isOnBackend(), for the Newton solvers
  virtual void begin(const World& world, const std::vector<SolverSettings>& settings) = 0;
  /// Leaves the answer's velocities as those of the running step on the backend.
  virtual RowStepReport solve() = 0;
  /// begin() once more after solve(), with RowPer::Set: contacts as NarrowPhase::linearise() has left them,
  /// the largest gap of each set as its primary, from the velocities without contact and the last answer's
  /// impulses. Islands are frozen that movingIslands() has not counted.
  virtual void beginAgain() = 0;
  /// Islands whose velocities the last solve() has moved since beginAgain() by more than kVelocityConverged.
  virtual int movingIslands() = 0;
  /// begin() for a linearisation of an exact step, with RowPer::Contact: its rows, from the velocities
  /// without contact; with the last step's impulses at the first, without any at the others. What has ended
  /// keeps impulses and velocities, and solve() leaves it alone. Not with pgs.
  virtual void beginPass(const World& world, const std::vector<SolverSettings>& settings,
                         LinearisedRows& rows, bool isFirst) = 0;
  /// Ends of the islands of the last solve(), before any other replica of an exact step has ended.
  virtual std::vector<IslandEnd> islandEnds() = 0;
  /// Ends of the islands whose impulses add energy. Most often none does, and only that is downloaded.
  virtual std::vector<IslandEnd> gainingIslands() = 0;
  /// After the last pass: remembers what the step has come to, and counts it in figures. Replicas of the
  /// scene that will take it in halves keep what they remember, and do not count.
  virtual void endPasses(const ReplicaSet& bisected) = 0;
  /// The answer's normal impulses of all contacts, in the backend's memory [contacts]; not in an exact step.
  virtual const double* contactImpulses() = 0;
  /// After solve(): gives these replicas the velocities without contact again, and leaves them out
  /// of figures and contacts. With RowPer::Set.
  virtual void refuse(const ReplicaSet& replicas) = 0;
  /// Adds to a record what the answer comes to: sums of impulses, the method's depth, traps and counts of
  /// sets. Before integration; if there are sets, after NarrowPhase::findEndGaps().
  virtual void addQuantities(StepRecord& record) = 0;
  /// Sums over the joints of the last answer. @param without  replicas that do not count, or empty
  virtual JointTotals jointTotals(const World& world, const ReplicaSet& without) const = 0;
  /// Starts the way of its contacts to the host; after addQuantities().
  virtual void sendContacts() = 0;
  /// Adds them, also after integration; starts their way now if that was not done.
  virtual void addContacts(StepRecord& record) = 0;
  /// Impulses of all rows that the next solve() starts from; between begin(), or beginAgain(), and solve().
  virtual std::vector<double> start() const = 0;
  /// The problems of the islands as they were solved, with sets that refer to the contacts of the step.
  /// @param start  of the last solve()   @param takes  whether a problem of so many unknowns is wanted
  virtual std::vector<IslandAnswer> problems(const std::vector<double>& start,
                                             const std::function<bool(int unknowns)>& takes) const = 0;

  /// Forgets the last step.
  virtual void reset() = 0;
  /// Begins to copy to the host what the next step starts from.
  virtual void sendMemory() = 0;
  /// Waits for it; it is what is kept from then on.
  virtual void keepMemory() = 0;
  /// Last saved memory. Does not touch the device, which may be lost.
  virtual std::string keptMemory() = 0;
  virtual void restoreMemory(const std::string& bytes) = 0;
};

/// @param pieces  where the contacts are found, on the same backend
/// @throws std::runtime_error if none is registered for the backend
std::unique_ptr<RowStep> makeRowStep(BackendKind backend, RowSolverKind solver, RowPer rows,
                                     const World& world, const std::shared_ptr<DeviceWorld>& deviceWorld,
                                     const NarrowPhase& pieces);

/// Maker of a backend; gpu/ registers its own, because core never includes gpu/.
using RowStepFactory = std::function<std::unique_ptr<RowStep>(
    RowSolverKind solver, RowPer rows, const World& world, const std::shared_ptr<DeviceWorld>& deviceWorld,
    const NarrowPhase& pieces)>;
void registerRowStep(BackendKind backend, RowStepFactory factory);

}  // namespace touchstone
