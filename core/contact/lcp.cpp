#include "core/contact/lcp.h"

#include <algorithm>

#include "core/contact/island_method.h"
#include "core/contact/matrix_free_lcp.h"
#include "core/contact/penalty_contact.h"
#include "core/record/bytes.h"
#include "core/record/phase_clock.h"

namespace touchstone {

namespace {

/// True if two bodies of the scene can rub against each other.
bool hasFriction(const World& world) {
  const auto rubs = [&world](std::size_t body) { return (*world.constants)[body].dynamicFriction > 0; };
  int rubbing = 0, moving = 0;
  for (std::size_t body = 0; body < world.constants->size(); ++body) {
    rubbing += rubs(body);
    moving += rubs(body) && world.scene->bodies[body].motion == Motion::Dynamic;
  }
  return rubbing > 1 && moving > 0;
}

/// By islands with their matrices, or without (MatrixFreeLcp): pgs always, the Newton solvers with an
/// iterative linear solver where there is no friction, whose pyramid would make the matrix unsymmetric.
class Lcp : public IslandMethod {
 public:
  Lcp(const World& world, const ParameterValues& values, const std::string& solver)
      : IslandMethod(world, solver), m_hasFriction(hasFriction(world)) {
    if (solver == "pgs") m_modelSettings.friction = FrictionShape::Disk;
    Lcp::setParameters(values);
  }

  void setParameters(const ParameterValues& values) override {
    const bool before = needsNoMatrix();
    IslandMethod::setParameters(values);
    m_rule.restitution = numberOf(lcpParameters(), values, "restitution");
    if (m_free && before != needsNoMatrix()) forget();
  }

  void useBackend(BackendKind backend, const World& world,
                  const std::shared_ptr<BackendWorld>& there) override {
    m_free.reset();
    IslandMethod::useBackend(backend, world, there);
    // Whichever linear solver is chosen later on.
    const auto solver = matrixFreeSolverOf(m_solverKey, LinearSolver::Pcr);
    if (solver && (!m_hasFriction || solver == MatrixFreeSolver::Pgs))
      m_free = std::make_unique<MatrixFreeLcp>(*solver, backend, world, there, *m_engine);
  }

  void setStatesOnly(bool on) override { m_statesOnly = on; }
  void reset(const World&) override { forget(); }

  void sendMemory() override {
    m_sentWithoutMatrix = needsNoMatrix();
    if (m_sentWithoutMatrix)
      m_free->engine().sendMemory();
    else
      IslandMethod::sendMemory();
  }

  std::string sentMemory() override {
    ByteWriter writer;
    writer.put(static_cast<int>(m_sentWithoutMatrix));
    return writer.take() + (m_sentWithoutMatrix ? m_free->engine().sentMemory() : IslandMethod::sentMemory());
  }

  /// What another way of solving has left starts nothing.
  void restoreMemory(const std::string& bytes) override {
    forget();
    if (bytes.empty()) return;
    int withoutMatrix = 0;
    ByteReader(bytes).get(withoutMatrix);
    if (needsNoMatrix() != (withoutMatrix != 0)) return;
    const std::string rest = bytes.substr(sizeof withoutMatrix);
    if (withoutMatrix)
      m_free->engine().restoreMemory(rest);
    else
      IslandMethod::restoreMemory(rest);
  }

  void respond(World& world, const Candidates& candidates, StepRecord& record, PhaseClock& clock) override {
    if (!needsNoMatrix()) {
      IslandMethod::respond(world, candidates, record, clock);
      return;
    }
    findPairs(world);
    clock.endOf(Phase::BroadPhase);
    m_free->respond(
        world, {m_pairs, m_rule, m_modelSettings, m_solverSettings, m_solverKey, !m_statesOnly, m_detail},
        record, clock);
  }

 protected:
  const std::vector<ParameterSpec>& specs() const override { return lcpParameters(); }

  std::vector<ModelSet> setsOf(const std::vector<ModelContact>& contacts) const override {
    std::vector<ModelSet> sets;
    for (std::size_t contact = 0; contact < contacts.size(); ++contact)
      sets.push_back({ConstraintType::U, {static_cast<int>(contact)}, 0});
    return sets;
  }

  /// No retry: where the rows contradict each other the model has no solution, and that is its result.
  IslandAnswer solveIsland(const World& world, const GapStep& step, const std::vector<int>& island,
                           StepRecord& record) override {
    IslandAnswer answer = solveSets(world, step, step.sets, island);
    adviseSweeps(answer.island.problem.b.size(), record);
    if (answer.result.status == SolveStatus::NoSolution) {
      record.status = std::max(record.status, StepStatus::NoSolution);
      record.statusText = "the rows of the standard model contradict each other (" + answer.result.message +
                          "); a compromise that violates them evenly is used";
      useCompromise(answer);
    } else if (answer.result.status == SolveStatus::NotConverged) {
      record.status = std::max(record.status, StepStatus::NotConverged);
      record.statusText = answer.result.message + "; a softened problem's answer is used";
      useCompromise(answer);
    }
    return answer;
  }

 private:
  bool needsNoMatrix() const { return m_free && matrixFreeSolverOf(m_solverKey, m_solverSettings.linear); }

  void forget() {
    IslandMethod::forgetWarmStart();
    if (m_free) m_free->engine().reset();
  }

  /// Time grows with the cube of the rows: from here on it is felt.
  static void adviseSweeps(Eigen::Index rows, StepRecord& record) {
    constexpr Eigen::Index kMany = 400;
    if (rows <= kMany) return;
    const std::string advice = " coupled rows are solved with their dense matrix; the solver pgs needs none";
    for (const std::string& warning : record.warnings)
      if (warning.find(advice) != std::string::npos) return;
    record.warnings.push_back(std::to_string(rows) + advice);
  }

  bool m_hasFriction;
  bool m_statesOnly = false;
  bool m_sentWithoutMatrix = false;
  std::unique_ptr<MatrixFreeLcp> m_free;  ///< of solvers that can do without a matrix in this scene
};

std::string lcpStaysOnHost(const std::string& solver) {
  const std::string plan = "the plan of islands and colours of touching pairs";
  if (solver == "pgs") return plan;
  if (!matrixFreeSolverOf(solver, LinearSolver::Pcr)) return IslandMethod::staysOnHost();
  return "with pcr, pcg or jacobi " + plan + "; with other linear solvers " + IslandMethod::staysOnHost();
}

}  // namespace

const std::vector<ParameterSpec>& lcpParameters() {
  static const std::vector<ParameterSpec> list = [] {
    std::vector<ParameterSpec> all = GapMethod::sharedParameters();
    all.push_back(
        {"restitution",
         "Restitution e",
         "",
         "Newton's: a contact that closes faster than 2 g dt leaves with e times its speed of approach, "
         "Gᵀν⁺ ≥ −e Gᵀν. 0: plastic, as published.",
         ParameterKind::Number,
         0.0,
         0,
         1,
         false,
         {}});
    return all;
  }();
  return list;
}

MethodInfo lcpMethod() {
  MethodInfo info;
  info.key = "lcp";
  info.name = "Standard complementarity model";
  info.shortName = "LCP";
  info.source = "Stewart and Trinkle 1996";
  info.parameters = lcpParameters();
  info.planar = true;
  info.solvers = IslandMethod::solvers();
  // Not for PEG: its slack rows have no diagonal, and newton-min cycles on its coupled sets (peg.md, section
  // 11).
  for (const char* solver : {"pgs", "newton-min"}) info.solvers.push_back(solver);
  info.staysOnHost = lcpStaysOnHost;
  info.refusal = GapMethod::refusal;
  info.create = [](const World& world, const ParameterValues& values,
                   const std::string& solver) -> std::unique_ptr<ContactMethod> {
    return std::make_unique<Lcp>(world, values, solver);
  };
  return info;
}

}  // namespace touchstone
