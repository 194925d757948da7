#include "core/contact/peg/exact_step.h"

namespace touchstone {

SolveNotes notesOf(const ExactOutcome& outcome) {
  SolveNotes notes;
  notes.solves = outcome.solves;
  const std::string passes = std::to_string(outcome.passes);
  if (!outcome.solved)
    raiseStatus(outcome.hasNone ? StepStatus::NoSolution : StepStatus::NotConverged,
                "linearisation " + passes +
                    " of the exact step was not solved, nor were its halves; a compromise is used",
                notes);
  else if (!outcome.converged)
    raiseStatus(
        StepStatus::NotConverged,
        "the exact step did not come to an end after " + passes + " linearisations, nor did its halves",
        notes);
  if (outcome.passesCorner)
    notes.warnings.push_back(
        "a body passes a corner within the exact step, whose impulses are those of its end: they may gain "
        "energy, or "
        "act across a gap; a shorter step shows the way round");
  return notes;
}

ReplicaSet wantBisection(const std::vector<ExactOutcome>& outcomes) {
  ReplicaSet halves;
  for (const ExactOutcome& outcome : outcomes) halves.push_back(!outcome.converged);
  return isEmpty(halves) ? ReplicaSet() : halves;
}

std::vector<ExactOutcome> takeExactStep(const World& world, BranchEngine& engine, const ReplicaSet& replicas,
                                        ExactProblems& problems) {
  constexpr int kMostPasses = 20;
  ReplicaSet running = replicas;
  std::vector<ExactOutcome> outcomes(replicas.size());
  const auto finish = [&](const auto& hasEnded) {
    ReplicaSet ended(running.size());
    for (std::size_t replica = 0; replica < ended.size(); ++replica)
      ended[replica] = running[replica] && hasEnded(outcomes[replica]);
    if (isEmpty(ended)) return;
    for (std::size_t replica = 0; replica < ended.size(); ++replica)
      if (ended[replica]) running[replica] = 0;
    problems.end(ended);
    engine.end(ended);
  };
  engine.begin(world, replicas);
  while (!isEmpty(running)) {
    engine.linearise();
    problems.solve(running, outcomes);
    for (std::size_t replica = 0; replica < running.size(); ++replica)
      outcomes[replica].passes += running[replica];
    finish([](const ExactOutcome& outcome) { return !outcome.solved; });
    if (isEmpty(running)) break;
    const std::vector<BranchReview> reviews = engine.review();
    for (std::size_t replica = 0; replica < running.size(); ++replica)
      if (running[replica]) {
        outcomes[replica].converged = !reviews[replica].isChanged && reviews[replica].deepest <= 1;
        outcomes[replica].passesCorner = reviews[replica].passesCorner != 0;
      }
    finish([](const ExactOutcome& outcome) { return outcome.converged || outcome.passes == kMostPasses; });
  }
  return outcomes;
}

DenseExactProblems::DenseExactProblems(const World& world, BranchEngine& engine, const Settings& settings)
    : m_world(world), m_engine(engine), m_settings(settings) {
  m_solved.step.free = velocitiesOf(world);
}

void DenseExactProblems::linearise(const ReplicaSet& running) {
  m_linear = SolvedStep();
  ContactSetStep& step = m_linear.step;
  step.free = m_solved.step.free;
  step.contacts = m_engine.fetchRows();
  for (std::size_t row = 0; row < step.contacts.size(); ++row) {
    const ModelContact& contact = step.contacts[row];
    if (running[(*m_world.constants)[contact.bodyA].replica])
      step.sets.push_back({ConstraintType::U,
                           {static_cast<int>(row)},
                           frictionOf(m_world, contact, m_settings.model.velocityUnit)});
  }
}

void DenseExactProblems::solve(const ReplicaSet& running, std::vector<ExactOutcome>& outcomes) {
  linearise(running);
  const ContactSetStep& step = m_linear.step;
  const std::vector<std::vector<int>> islands = islandsOf(m_world, step.contacts, step.sets);
  m_linear.answers = solveEach(islands, [&](const std::vector<int>& island) {
    IslandProblem problem =
        assemble(m_world, step.contacts, setsOfIsland(step.sets, island), step.free, m_settings.model);
    // Later linearisations start from nothing: from the answer before, redundant rows keep impulses that hold
    // branches which ought to be left.
    Eigen::VectorXd start = Eigen::VectorXd::Zero(problem.problem.b.size());
    if (m_isFirst && m_settings.last) start = m_settings.last->startOf(step, problem, m_settings.model);
    IslandAnswer answer =
        answerOf(std::move(problem), *m_settings.solver, std::move(start), m_settings.solverSettings);
    return m_settings.keepsMatrices ? answer : withoutMatrix(std::move(answer));
  });
  m_isFirst = false;
  std::vector<double> impulses(step.contacts.size());
  for (const IslandAnswer& answer : m_linear.answers) {
    ExactOutcome& outcome = outcomes[answer.island.replica];
    ++outcome.solves;
    outcome.solved = outcome.solved && answer.result.status == SolveStatus::Solved;
    outcome.hasNone = outcome.hasNone || answer.result.status == SolveStatus::NoSolution;
    for (std::size_t k = 0; k < answer.island.sets.size(); ++k)
      impulses[answer.island.sets[k].contacts.front()] = answer.result.z[answer.island.first[k]];
  }
  m_engine.takeAnswer(impulses, velocitiesAfter(m_world, m_linear));
}

}  // namespace touchstone
