#include "core/contact/complementarity/rigid_report.h"

#include "core/contact/complementarity/complementarity_model.h"
#include "core/record/replica_note.h"

namespace touchstone {

void addRetries(const RigidReport& report, StepRecord& record) {
  record.solves += report.retries;
  record.unsolved += report.rescued;
}

void noteReplicasWithoutSolution(const std::vector<IslandEnd>& ends, StepRecord& record) {
  for (const IslandEnd& end : ends)
    if (end.replica >= 0 && end.hasNoSolution)
      record.warnings.push_back(
          replicaNote({end.replica, StepStatus::NoSolution}, "the rows contradict each other"));
}

void reportReached(const RigidReport& report, const std::string& solverKey, StepRecord& record) {
  constexpr int kMany = 400;  // from here on the time of a matrix, which grows with their cube, is felt
  record.deliveredBy = report.islands == 0 ? "" : report.deliveredBy.empty() ? solverKey : report.deliveredBy;
  record.iterations = report.iterations;
  record.solverTolerance = report.tolerance;
  record.quantities[Quantity::Residual] = report.residual;
  record.quantities[Quantity::EnergyElastic] = 0;
  record.quantities[Quantity::Traps] = 0;  // unless figures are wanted
  if (report.largestDense > kMany)
    record.warnings.push_back(std::to_string(report.largestDense) +
                              " coupled rows are solved with their dense matrix" +
                              "; pgs, and newton-fb with the linear solver pcr, need none");
}

void tellUnsolved(const RigidReport& report, StepRecord& record) {
  if (report.worst == SolveStatus::NoSolution) {
    raiseStatus(
        StepStatus::NoSolution,
        "the rows contradict each other (" + report.message + "); " +
            (report.softened > 0 ? "a compromise that violates them evenly is used"
                                 : "the best iterate is used; with push_out=split overlaps are undone "
                                   "apart from these rows"),
        record);
    return;
  }
  raiseStatus(StepStatus::NotConverged,
              report.message + "; " +
                  (report.softened == 0                 ? "its best iterate is used"
                   : report.softened == report.unsolved ? "a softened problem's answer is used"
                                                        : "its best iterate or a softened problem's "
                                                          "answer is used"),
              record);
}

}  // namespace touchstone
