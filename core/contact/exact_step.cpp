#include "core/contact/exact_step.h"

#include <algorithm>

namespace touchstone {

namespace {

constexpr int kMostPasses = 20;

class ExactStep {
 public:
  ExactStep(const World& world, ExactEngine& engine, const ExactSettings& settings)
      : m_world(world), m_engine(engine), m_settings(settings), m_running(settings.copies) {
    m_result.solved.step.free = velocitiesOf(world);
    m_result.outcomes.resize(m_running.size());
  }

  ExactResult run() {
    m_engine.begin(m_world, m_running);
    while (!isEmpty(m_running)) {
      linearise();
      solve();
      finish([](const ExactOutcome& outcome) { return !outcome.solved; });
      if (isEmpty(m_running)) break;
      review();
      finish([](const ExactOutcome& outcome) { return outcome.converged || outcome.passes == kMostPasses; });
    }
    return std::move(m_result);
  }

 private:
  /// Running copies that have come to an end keep their last linearisation and run no more.
  template <class HasEnded>
  void finish(const HasEnded& hasEnded) {
    CopySet ended(m_running.size());
    for (std::size_t copy = 0; copy < ended.size(); ++copy)
      ended[copy] = m_running[copy] && hasEnded(m_result.outcomes[copy]);
    if (isEmpty(ended)) return;
    moveCopies(m_world, m_linear, ended, m_result.solved);
    for (std::size_t copy = 0; copy < ended.size(); ++copy)
      if (ended[copy]) m_running[copy] = 0;
    m_engine.end(ended);
  }

  void linearise() {
    m_engine.linearise();
    m_linear = SolvedStep();
    GapStep& step = m_linear.step;
    step.free = m_result.solved.step.free;
    step.contacts = m_engine.fetchRows();
    for (std::size_t row = 0; row < step.contacts.size(); ++row) {
      const ModelContact& contact = step.contacts[row];
      if (m_running[(*m_world.constants)[contact.bodyA].copy])
        step.sets.push_back({ConstraintType::U, {static_cast<int>(row)}, frictionOf(m_world, contact)});
    }
  }

  void solve() {
    const GapStep& step = m_linear.step;
    const std::vector<std::vector<int>> islands = islandsOf(m_world, step.contacts, step.sets);
    m_linear.answers = solveEach(islands, [&](const std::vector<int>& island) {
      IslandProblem problem =
          assemble(m_world, step.contacts, setsOfIsland(step.sets, island), step.free, m_settings.model);
      Eigen::VectorXd start = Eigen::VectorXd::Zero(problem.problem.b.size());
      if (m_isFirst && m_settings.last) start = m_settings.last->startOf(step, problem, m_settings.model);
      IslandAnswer answer =
          answerOf(std::move(problem), *m_settings.solver, std::move(start), m_settings.solverSettings);
      return m_settings.keepsMatrices ? answer : withoutMatrix(std::move(answer));
    });
    m_isFirst = false;
    for (std::size_t copy = 0; copy < m_running.size(); ++copy)
      if (m_running[copy]) ++m_result.outcomes[copy].passes;
    std::vector<double> impulses(step.contacts.size());
    for (const IslandAnswer& answer : m_linear.answers) {
      ExactOutcome& outcome = m_result.outcomes[answer.island.copy];
      ++outcome.solves;
      outcome.solved = outcome.solved && answer.result.status == SolveStatus::Solved;
      for (std::size_t k = 0; k < answer.island.sets.size(); ++k)
        impulses[answer.island.sets[k].contacts.front()] = answer.result.z[answer.island.first[k]];
    }
    m_engine.takeAnswer(impulses, velocitiesAfter(m_world, m_linear));
  }

  void review() {
    const std::vector<BranchReview> reviews = m_engine.review();
    for (std::size_t copy = 0; copy < m_running.size(); ++copy)
      if (m_running[copy])
        m_result.outcomes[copy].converged = !reviews[copy].isChanged && reviews[copy].deepest <= kExactDepth;
  }

  const World& m_world;
  ExactEngine& m_engine;
  const ExactSettings& m_settings;
  CopySet m_running;
  /// Later linearisations start from zero: from the answer before, redundant rows keep impulses that hold
  /// branches which ought to be left.
  bool m_isFirst = true;
  SolvedStep m_linear;  ///< with the problems of the running copies
  ExactResult m_result;
};

}  // namespace

ExactResult takeExactStep(const World& world, ExactEngine& engine, const ExactSettings& settings) {
  return ExactStep(world, engine, settings).run();
}

}  // namespace touchstone
