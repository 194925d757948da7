#include "core/contact/nsn/nonsmooth_newton.h"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "core/contact/nsn/newton_equations.h"
#include "core/contact/nsn/newton_system.h"
#include "core/math/count.h"
#include "core/parallel/frame_clock.h"
#include "core/parallel/parallel_for.h"

namespace touchstone::nsn {

namespace {

/// At rest, with the forces that the contacts come with.
Unknowns startOf(const Island& island) {
  Unknowns start{Motions(island.bodies.size()), {}, std::vector<JointForces>(island.joints.size()), {}, {}};
  for (const IslandContact& contact : island.contacts) start.contacts.push_back(contact.force);
  for (const IslandElement& element : island.elements) start.elements.push_back(element.force);
  for (const IslandAttachment& attachment : island.attachments) start.attachments.push_back(attachment.force);
  return start;
}

/// Newton's method for one island, which waits wherever an engine solves its linear system.
class IslandNewton {
 public:
  explicit IslandNewton(const IslandTask& task)
      : m_island(*task.island),
        m_settings(*task.settings),
        m_isTold(task.isReported),
        m_now(m_island, m_settings, startOf(m_island)),
        m_wasWhole(!m_settings.lastStepIsWhole) {
    m_answer.iterates.push_back(m_now.iterate());
    m_now.write(m_answer);
    goOn();
  }

  /// Null: it has ended.
  const NewtonSystem* system() const { return m_system ? &*m_system : nullptr; }
  SystemSize size() const {
    SystemSize size = m_system->size();
    size.isReported = m_isTold;
    return size;
  }
  const Settings& settings() const { return m_settings; }
  /// The step that the engine's answer leads to, and on to the next system.
  void takeAnswer(const LinearAnswers& answers, const SystemPlace& place, int system) {
    take(m_system->stepOf(answers, place, system));
    goOn();
  }
  Answer answer() {
    m_answer.isSolved = m_answer.residual <= m_settings.tolerance;
    return std::move(m_answer);
  }

 private:
  void goOn() {
    for (m_system.reset(); beginIteration();) {
      checkFrameClock();
      m_system.emplace(m_now, m_island, m_settings);
      if (m_system->isForEngine()) return;
      take(m_system->solve());
      m_system.reset();
    }
  }

  bool beginIteration() {
    if (m_hasEnded || m_count == m_settings.iterations) return false;
    // An iterate within the tolerance is followed by one whole step, which brings momentum to rounding.
    const bool isWithin = m_now.total() <= m_settings.tolerance;
    if (m_now.total() == 0 || (isWithin && m_wasWhole)) return false;
    ++m_count;
    m_isLast = isWithin || m_count == m_settings.iterations;
    m_wasWhole = m_wasWhole || m_isLast;
    return true;
  }

  void take(const NewtonStep& step) {
    m_answer.iterates.push_back(advance(step));
    if (m_settings.usesBest && !(m_now.total() <= m_best)) return;
    m_best = m_now.total();
    m_now.write(m_answer);
    m_hasEnded = !std::isfinite(m_answer.iterates.back().merit);
  }

  /// The iterate after a step.
  Iterate advance(const NewtonStep& step) {
    const bool isWhole = m_isLast && m_settings.lastStepIsWhole, isAutomatic = m_settings.damping == 0;
    double share = isWhole || isAutomatic ? 1 : m_settings.damping;
    Equations next = m_now.after(step, share);
    if (isAutomatic && !m_isLast && !(next.total() < m_now.total())) {
      share = kUsualShare;
      next = m_now.after(step, share);
    }
    m_now = std::move(next);
    Iterate iterate = m_now.iterate();
    for (std::size_t body = 0; body < step.u.linear.size(); ++body)
      for (const Vec3& change : {step.u.linear[body], step.u.angular[body]})
        iterate.stepSize = std::fmax(iterate.stepSize, share * change.cwiseAbs().maxCoeff());
    iterate.linearIterations = step.linearIterations;
    iterate.linearResidual = step.linearResidual;
    iterate.linear = step.linear;
    return iterate;
  }

  const Island& m_island;
  const Settings& m_settings;
  bool m_isTold;
  Equations m_now;
  std::optional<NewtonSystem> m_system;  ///< of m_now
  Answer m_answer;
  double m_best = HUGE_VAL;  ///< residual of the iterates after the start, which is at rest
  int m_count = 0;           ///< of iterations
  bool m_wasWhole, m_isLast = false, m_hasEnded = false;
};

/// Lets an engine solve the systems that islands wait with, all of one solver and as many iterations.
void solveWaiting(std::vector<IslandNewton*>& islands, BatchedLinearSystems& engine, LinearSystems& systems,
                  LinearAnswers& answers) {
  std::stable_partition(islands.begin(), islands.end(),
                        [](const IslandNewton* island) { return LinearSystems::isLarge(island->size()); });
  std::vector<SystemSize> sizes;
  for (const IslandNewton* island : islands) sizes.push_back(island->size());
  const Settings& settings = islands.front()->settings();
  const int count = countOf(islands);
  systems.layOut(sizes, settings.linearIterations);
  parallelFor(
      count, [&](int k) { islands[k]->system()->write(systems, k); }, Work::Long);
  engine.solve(systems, settings.linear, settings.linearIterations, answers);
  parallelFor(
      count, [&](int k) { islands[k]->takeAnswer(answers, systems.places[k], k); }, Work::Long);
}

/// All islands go from one linear system to the next together.
std::vector<Answer> solveInStep(const std::vector<IslandTask>& tasks, BatchedLinearSystems& engine) {
  const int count = countOf(tasks);
  std::vector<std::optional<IslandNewton>> islands(tasks.size());
  const auto islandOf = [&](int k) -> std::optional<IslandNewton>& { return islands[k]; };
  parallelFor(
      count, [&](int k) { islandOf(k).emplace(tasks[k]); }, Work::Long);
  LinearSystems systems;
  LinearAnswers answers;
  for (;;) {
    std::map<std::pair<LinearSolver, int>, std::vector<IslandNewton*>> waiting;
    for (std::optional<IslandNewton>& island : islands)
      if (island->system())
        waiting[{island->settings().linear, island->settings().linearIterations}].push_back(&*island);
    if (waiting.empty()) break;
    for (auto& [linear, waitingIslands] : waiting) solveWaiting(waitingIslands, engine, systems, answers);
  }
  std::vector<Answer> result;
  for (std::optional<IslandNewton>& island : islands) result.push_back(island->answer());
  return result;
}

}  // namespace

Answer solve(const Island& island, const Settings& settings) {
  const std::unique_ptr<BatchedLinearSystems> engine = makeBatchedLinearSystems(BackendKind::Cpu);
  return std::move(solveInStep({{&island, &settings, true}}, *engine).front());
}

std::vector<Answer> solveTogether(const std::vector<IslandTask>& tasks, BatchedLinearSystems& engine) {
  if (!engine.isOnHost()) return solveInStep(tasks, engine);
  std::vector<Answer> results(tasks.size());
  parallelFor(
      countOf(tasks), [&](int k) { results[k] = solve(*tasks[k].island, *tasks[k].settings); }, Work::Long);
  return results;
}

}  // namespace touchstone::nsn
