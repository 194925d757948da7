#include "core/contact/peg/exact_outcome.h"

#include <algorithm>
#include <string>

#include "core/contact/complementarity/complementarity_model.h"
#include "core/math/count.h"
#include "core/record/replica_note.h"

namespace touchstone {

namespace {

bool isIn(const ReplicaSet& replicas, int replica) { return !replicas.empty() && replicas[replica]; }

void tell(const ExactOutcome& outcome, StepRecord& record) {
  const std::string passes = std::to_string(outcome.passes);
  if (!outcome.solved)
    raiseStatus(outcome.hasNone ? StepStatus::NoSolution : StepStatus::NotConverged,
                "linearisation " + passes +
                    " of the exact step was not solved, nor were its halves; a compromise is used",
                record);
  else if (outcome.isOfStart)
    record.warnings.push_back(
        "the exact step brought in energy, and so did its halves: one linearisation where it starts takes "
        "its place, which leaves what the bodies turn by as an overlap");
  else if (!outcome.converged && !outcome.isAtEnd)
    raiseStatus(
        StepStatus::NotConverged,
        "the exact step did not come to an end after " + passes + " linearisations, nor did its halves",
        record);
  if (outcome.passesCorner)
    record.warnings.push_back(
        "a body passes a corner within the exact step, whose impulses are those of its end: they may gain "
        "energy, or act across a gap; a shorter step shows the way round");
}

}  // namespace

ReplicaSet wantBisection(const std::vector<ExactOutcome>& outcomes) {
  ReplicaSet halves;
  for (const ExactOutcome& outcome : outcomes) halves.push_back(!outcome.converged);
  return isEmpty(halves) ? ReplicaSet() : halves;
}

RigidReport tellOutcomes(RigidReport report, const std::vector<double>& residuals,
                         const std::vector<ExactOutcome>& outcomes, const ReplicaSet& bisected,
                         StepRecord& record) {
  report.islands = 0;  // of all linearisations
  report.residual = 0;
  for (int replica = 0; replica < countOf(outcomes); ++replica) {
    report.islands += outcomes[replica].solves;
    record.solves += outcomes[replica].solves;
    if (isIn(bisected, replica)) continue;
    tell(outcomes[replica], record);
    if (outcomes.size() > 1 && !outcomes[replica].solved && outcomes[replica].hasNone)
      record.warnings.push_back(
          replicaNote({replica, StepStatus::NoSolution}, "the rows of the exact step contradict each other"));
    report.residual = std::max(report.residual, residuals[replica]);
  }
  return report;
}

}  // namespace touchstone
