#include "core/contact/peg.h"

#include <algorithm>
#include <cmath>

#include "core/contact/exact_step.h"
#include "core/contact/gap_record.h"
#include "core/contact/island_method.h"
#include "core/contact/penalty_contact.h"

namespace touchstone {

namespace {

const std::vector<ParameterSpec>& pegSpecs() {
  static const std::vector<ParameterSpec> list = [] {
    std::vector<ParameterSpec> all = GapMethod::sharedParameters();
    all.push_back(
        {"step",
         "Linearisation",
         "",
         "plain: one linearisation, as published; relinearise: gaps, gradients and primaries anew "
         "at the end state until the velocity stands still (at most 15 times); exact: one separating "
         "feature per pair of pieces, exchanged and re-linearised until nothing overlaps, with the step "
         "halved where that fails. With pgs: plain or relinearise.",
         ParameterKind::Choice,
         std::string("plain"),
         0,
         0,
         false,
         {"plain", "relinearise", "exact"}});
    return all;
  }();
  return list;
}

enum class StepKind { Plain, Relinearise, Exact };

class Peg : public IslandMethod {
 public:
  Peg(const World& world, const ParameterValues& values, const std::string& solver)
      : IslandMethod(world, "peg", solver) {
    setParameters(values);
  }

  bool wantsHalves() const override { return m_wantsHalves; }

 protected:
  const std::vector<ParameterSpec>& specs() const override { return pegSpecs(); }

  void useParameters(const ParameterValues& values) override {
    const std::string step = choiceOf(pegSpecs(), values, "step");
    m_kind = step == "exact"         ? StepKind::Exact
             : step == "relinearise" ? StepKind::Relinearise
                                     : StepKind::Plain;
  }

  /// Only pgs: sets of several contacts make the matrix unsymmetric.
  std::optional<MatrixFreeSolver> solverWithoutMatrix() const override {
    if (m_solverKey != "pgs") return std::nullopt;
    return MatrixFreeSolver::Pgs;
  }
  RowPer rowPer() const override { return RowPer::Set; }
  bool wantsNoMatrix() const override { return true; }
  int linearisations() const override { return m_kind == StepKind::Relinearise ? kMostLinearisations : 1; }

  std::vector<ModelSet> setsOf(const std::vector<ModelContact>&) const override {
    const FoundSets found = m_engine->fetchSets();
    std::vector<ModelSet> sets;
    for (const SetRange& set : found.sets) {
      const int* first = found.members.data() + set.first;
      sets.push_back({set.type, {first, first + set.count}, 0});
    }
    return sets;
  }

  void solveStep(const World& world, GapStep& step, std::vector<IslandAnswer>& answers, StepRecord& record,
                 PhaseClock& clock) override {
    m_wantsHalves = false;
    if (m_kind == StepKind::Exact) {
      solveExactly(world, step, answers, record);
      return;
    }
    IslandMethod::solveStep(world, step, answers, record, clock);
    const auto failed = std::find_if(answers.rbegin(), answers.rend(), [](const IslandAnswer& answer) {
      return answer.notes.failure.has_value();
    });
    if (failed != answers.rend()) {
      helpOut(world, step, answers, failed->notes, record);
    } else if (m_kind == StepKind::Relinearise) {
      relinearise(world, step, answers, record);
    }
  }

  /// Tries the published primaries, then the largest gap as primary, then one U per set: a wrong primary
  /// pushes along the wrong normal, and the last form is the standard model with one contact per corner.
  IslandAnswer solveIsland(const World& world, const GapStep& step,
                           std::vector<ModelSet> sets) const override {
    IslandAnswer answer = solveSets(world, step, std::move(sets));
    if (isSound(step, answer)) return answer;
    const bool solved = answer.result.status == SolveStatus::Solved;
    const SolveStatus failure = answer.result.status;
    const std::string failureText =
        solved ? "its answer gained energy out of nothing" : answer.result.message;
    const auto isSoundWith = [&](const auto& change) {
      std::vector<ModelSet> changed = std::move(answer.island.sets);
      for (ModelSet& set : changed) change(set);
      const int solves = answer.notes.solves;
      answer = solveSets(world, step, std::move(changed));
      answer.notes.solves += solves;
      answer.notes.unsolved = !solved;
      return isSound(step, answer);
    };
    if (isSoundWith([&](ModelSet& set) { putLargestFirst(step, set); })) {
      answer.notes.warnings.push_back(kLargestGapUsed);
    } else if (isSoundWith([](ModelSet& set) {
                 set = {ConstraintType::U, {set.contacts.front()}, set.friction};
               })) {
      answer.notes.warnings.push_back("PEG's problem was not solved; one contact per set was used instead");
    } else {
      answer.notes.failure = failure;
      answer.notes.failureText = failureText;
    }
    return answer;
  }

 private:
  static bool isSound(const GapStep& step, const IslandAnswer& answer) {
    return answer.result.status == SolveStatus::Solved && !gainsEnergy(step, answer);
  }

  /// True if the impulses do more work than undoing the violated sets takes:
  ///     ½ Σ z (Gᵀν⁺ + Gᵀν̃) > Σ p max(0, −max ψ / h)
  /// An impact without restitution cannot; then a primary pushed along the wrong normal while another contact
  /// of its set was the one to satisfy.
  static bool gainsEnergy(const GapStep& step, const IslandAnswer& answer) {
    constexpr double kRelative =
        1e-6;  // of the work's terms: above the solver's tolerance, below anything visible
    const auto along = [](const PairJacobian& jacobian, const Velocities& velocities) {
      return jacobian.bodyA < 0
                 ? 0.0
                 : jacobian.a.dot(velocities[jacobian.bodyA]) + jacobian.b.dot(velocities[jacobian.bodyB]);
    };
    const Eigen::VectorXd& z = answer.result.z;
    // A z = Rᵀ(ν⁺ − ν̃) + E c; the rows of primaries and friction have F = R, their slacks are taken off
    // again.
    double work = 0, size = 0, needed = 0;
    for (std::size_t k = 0; k < answer.island.sets.size(); ++k) {
      const ModelSet& set = answer.island.sets[k];
      const int p = answer.island.first[k], slacks = static_cast<int>(set.contacts.size()) - 1;
      const double change = answer.island.problem.A.row(p).dot(z) - z.segment(p + 1, slacks).sum();
      const double before = along(answer.island.force[p], step.free);
      work += z[p] * (before + 0.5 * change);
      size += std::abs(z[p]) * (std::abs(before) + std::abs(change));
      double largest = -1e300;
      for (int contact : set.contacts) largest = std::max(largest, step.contacts[contact].rate);
      needed += std::max(0.0, z[p]) * std::max(0.0, -largest);
    }
    return work > needed + kRelative * size;
  }

  ExactResult exactResult(const World& world) const {
    ExactSettings settings;
    settings.solver = m_solver.get();
    settings.solverSettings = m_solverSettings;
    settings.model = m_modelSettings;
    const WorldView view = viewOf(world);
    settings.reach = [&](int a, int b) { return epsilonOf(view, ruleOf(view, rules(), a), a, b); };
    settings.friction = [&](int a, int b) {
      return frictionOf((*world.constants)[a], (*world.constants)[b]).dynamicFriction;
    };
    settings.target = [&](int bodyA, double gap) {
      return gap - rateOf(ruleOf(view, rules(), bodyA), gap, world.dt) * world.dt;
    };
    return takeExactStep(world, m_engine->fetchPairs(), settings);
  }

  void solveExactly(const World& world, GapStep& step, std::vector<IslandAnswer>& answers,
                    StepRecord& record) {
    ExactResult result = exactResult(world);
    record.solves += result.solves;
    step = std::move(result.step);
    answers = std::move(result.answers);
    m_wantsHalves = !result.converged;
    if (result.converged) return;
    record.status =
        std::max(record.status, result.solved ? StepStatus::NotConverged : StepStatus::NoSolution);
    record.statusText = "the exact step did not come to an end after " + std::to_string(result.passes) +
                        " linearisations, nor did its halves";
    for (IslandAnswer& answer : answers)
      if (answer.result.status != SolveStatus::Solved) useCompromise(answer);
  }

  /// An island that neither primary nor single contacts could solve: the step of the exact form, or a
  /// compromise. @param failed  of such an island; a copy, for answers are replaced
  void helpOut(const World& world, GapStep& step, std::vector<IslandAnswer>& answers, IslandNotes failed,
               StepRecord& record) {
    ExactResult result = exactResult(world);
    record.solves += result.solves;
    m_wantsHalves = !result.converged;
    if (result.solved) {
      step = std::move(result.step);
      answers = std::move(result.answers);
      record.warnings.push_back("PEG's problem was not solved (" + failed.failureText +
                                "); the step was taken by its exact form");
      return;
    }
    const bool none = failed.failure == SolveStatus::NoSolution;
    record.status = std::max(record.status, none ? StepStatus::NoSolution : StepStatus::NotConverged);
    record.statusText =
        "PEG's problem: " + failed.failureText + "; a compromise with one contact per set is used";
    for (IslandAnswer& answer : answers)
      if (answer.result.status != SolveStatus::Solved) useCompromise(answer);
  }

  /// With ν_k and q_k = q⁺(ν_k): rows ψ(q_k)/h + G_kᵀ(ν − ν_k), forces along G_k, primary the largest ψ(q_k).
  void relinearise(const World& world, GapStep& step, std::vector<IslandAnswer>& answers,
                   StepRecord& record) {
    if (answers.empty()) return;
    const std::vector<std::vector<int>> islands = islandsOf(world, step.contacts, step.sets);
    Velocities last = velocitiesAfter(world, step, answers);
    for (int pass = 1; pass < kMostLinearisations; ++pass) {
      const GapStep moved = movedStep(world, step, last);
      std::vector<IslandAnswer> next = solveEach(islands, [&](const std::vector<int>& island) {
        return withoutMatrix(solveSets(world, moved, setsOfIsland(moved.sets, island)));
      });
      record.solves += static_cast<int>(next.size());
      for (const IslandAnswer& answer : next)
        if (answer.result.status != SolveStatus::Solved) {  // the last solved linearisation stands
          ++record.unsolved;
          return;
        }
      const Velocities now = velocitiesAfter(world, moved, next);
      double change = 0, size = 0;
      for (std::size_t body = 0; body < now.size(); ++body) {
        change = std::max(change, (now[body] - last[body]).norm());
        size = std::max(size, now[body].norm());
      }
      answers = std::move(next);
      step.sets = moved.sets;
      last = now;
      if (change < kVelocityStands * (1 + size)) return;
    }
    record.warnings.push_back(stillMovedText());
  }

  GapStep movedStep(const World& world, const GapStep& step, const Velocities& velocities) const {
    GapStep moved = step;
    const Pose pose = poseAfter(world, velocities);
    const std::vector<PlacedPolytope> placed = placedPieces(world, pose);
    const WorldView view = viewOf(world);
    for (ModelContact& contact : moved.contacts) {
      reevaluate(world, pose, placed, contact);
      contact.rate = rateOf(ruleOf(view, rules(), contact.bodyA), contact.geometry.psi, world.dt) -
                     contact.jacobian.a.dot(velocities[contact.bodyA]) -
                     contact.jacobian.b.dot(velocities[contact.bodyB]);
    }
    for (ModelSet& set : moved.sets) putLargestFirst(moved, set);
    return moved;
  }

  static void putLargestFirst(const GapStep& step, ModelSet& set) {
    std::size_t best = 0;
    for (std::size_t index = 1; index < set.contacts.size(); ++index)
      if (step.contacts[set.contacts[index]].geometry.psi > step.contacts[set.contacts[best]].geometry.psi)
        best = index;
    std::swap(set.contacts[0], set.contacts[best]);
  }

  StepKind m_kind = StepKind::Plain;
  bool m_wantsHalves = false;
};

/// Why a step cannot be taken with a solver, or empty.
std::string pegClash(const ParameterValues& values, const std::string& solver) {
  if (solver != "pgs" || choiceOf(pegSpecs(), values, "step") != "exact") return {};
  return "the step 'exact' leaves no gap above rounding, which the sweeps of pgs do not reach; choose "
         "'relinearise' or 'plain', or another solver";
}

}  // namespace

MethodInfo pegMethod() {
  MethodInfo info;
  info.key = "peg";
  info.name = "Polytopal exact geometry";
  info.shortName = "PEG";
  info.source = "Williams, Lu and Trinkle 2017";
  info.parameters = pegSpecs();
  info.planar = true;
  info.solvers = IslandMethod::solvers();
  info.solvers.push_back("pgs");
  info.staysOnHost = [](const std::string& solver) {
    return solver == "pgs" ? "" : IslandMethod::staysOnHost();
  };
  info.refusal = GapMethod::refusal;
  info.clash = pegClash;
  info.create = [](const World& world, const ParameterValues& values, const std::string& solver) {
    return std::make_unique<Peg>(world, values, solver);
  };
  return info;
}

}  // namespace touchstone
