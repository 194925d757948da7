#include "core/contact/peg/peg.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "core/contact/complementarity/complementarity_method.h"
#include "core/contact/complementarity/gap_record.h"
#include "core/contact/peg/exact_step.h"
#include "core/contact/penalty/penalty_contact.h"
#include "core/contact/step_detail.h"
#include "core/scene/scale.h"

namespace touchstone {

namespace {

const std::vector<ParameterSpec>& pegSpecs() {
  static const std::vector<ParameterSpec> list = [] {
    std::vector<ParameterSpec> all = ComplementarityMethod::sharedParameters();
    all.push_back(ParameterSpec{
        "step",
        "Linearisation",
        "",
        "plain: one linearisation, as published; relinearise: gaps, gradients and primaries are taken "
        "again at the end state until the velocity no longer changes (at most 15 times); exact: one "
        "separating "
        "feature per pair of pieces, exchanged and re-linearised until nothing overlaps, with the step "
        "bisected where that fails. With pgs: plain or relinearise; with newton-fb and gauss-seidel: exact.",
        ParameterKind::Choice,
        std::string("plain"),
        0,
        0,
        false,
        {"plain", "relinearise",
         "exact"}}.publishedIn("Williams 2017"));
    all.push_back(
        {"x_sets",
         "X sets",
         "",
         "published: no force belongs to a cross-contact set; the answer is checked, and a set that it "
         "violates is "
         "counted. impulse: a multiplier of its own along its first contact, as in the authors' program. "
         "off: neither "
         "built nor checked, the older LNC model (Williams 2017, figure 6). The exact step has none.",
         ParameterKind::Choice,
         std::string("published"),
         0,
         0,
         false,
         {"published", "impulse", "off"}});
    return all;
  }();
  return list;
}

enum class StepKind { Plain, Relinearise, Exact };

/// Said where an answer that solves the problem was not used.
constexpr char kFalseTouch[] = "its answer pushed bodies that do not touch at the end of the step";
std::string takenExactly(const std::string& failure) {
  return "PEG's published form failed: " + failure + "; the step was taken by its exact form";
}

class Peg : public ComplementarityMethod {
 public:
  explicit Peg(const MethodSetup& setup) : ComplementarityMethod(setup.world, setup.solver) {
    setParameters(setup.ofReplicas);
  }

  void useBackend(BackendKind backend, const World& world,
                  const std::shared_ptr<DeviceWorld>& deviceWorld) override {
    m_exact.reset();
    m_rescue.reset();
    ComplementarityMethod::useBackend(backend, world, deviceWorld);
  }

 protected:
  const std::vector<ParameterSpec>& specs() const override { return pegSpecs(); }

  void useParameters(const ParameterValues& values) override {
    const std::string step = choiceOf(pegSpecs(), values, "step");
    m_kind = step == "exact"         ? StepKind::Exact
             : step == "relinearise" ? StepKind::Relinearise
                                     : StepKind::Plain;
  }

  RowRules ruleWith(const ParameterValues& values) const override {
    RowRules rule = ComplementarityMethod::ruleWith(values);
    const std::string crossSets = choiceOf(pegSpecs(), values, "x_sets");
    rule.constraints.crossSets = crossSets == "impulse" ? CrossSets::Impulse
                                 : crossSets == "off"   ? CrossSets::Off
                                                        : CrossSets::Published;
    return rule;
  }

  bool needsContacts() const override { return m_kind != StepKind::Exact; }
  bool reviewsAnswers() const override { return m_kind != StepKind::Exact; }
  RowPer rowPer() const override { return m_kind == StepKind::Exact ? RowPer::Contact : RowPer::Set; }
  std::vector<RowPer> rowKinds() const override { return {RowPer::Set, RowPer::Contact}; }
  int linearisations() const override { return m_kind == StepKind::Relinearise ? kMostLinearisations : 1; }

  ReplicaSet respondWithoutMatrix(World& world, MatrixFreeStep& step, const MatrixFreeStep::Input& input,
                                  StepRecord& record, PhaseClock& clock) override {
    if (m_kind == StepKind::Exact)
      return step.respondExactly(world, input, allReplicas(*world.scene), branchEngine(world), record, clock);
    const ReplicaSet refused = step.respond(world, input, record, clock);
    if (refused.empty()) return {};
    record.warnings.push_back(takenExactly(kFalseTouch));
    if (!m_rescue)
      m_rescue = std::make_unique<MatrixFreeStep>(MatrixFreeSolver::NewtonFb, RowPer::Contact, m_backend,
                                                  world, m_deviceWorld, *m_engine);
    std::vector<SolverSettings> settings = input.settings;
    for (SolverSettings& each : settings) each.linear = LinearSolver::Pcr;
    if (input.detail) input.detail->problems.clear();
    const MatrixFreeStep::Input again{input.model,          settings,        "newton-fb-pcr",
                                      input.linearisations, input.recorded,  input.statesOnly,
                                      input.detail,         input.mayBisect, input.isReviewed};
    const QuantityValues others = record.quantities;
    const ReplicaSet wantsBisection =
        m_rescue->respondExactly(world, again, refused, branchEngine(world), record, clock);
    addOfOtherReplicas(others, record);
    return wantsBisection;
  }

  std::vector<ModelSet> setsOf(const std::vector<ModelContact>&,
                               std::vector<CrossSet>& crossSets) const override {
    const FoundSets found = m_engine->fetchSets();
    crossSets = found.crossSets;
    std::vector<ModelSet> sets;
    for (const SetRange& set : found.sets) {
      const int* first = found.members.data() + set.first;
      sets.push_back({set.type, {first, first + set.count}, 0});
    }
    return sets;
  }

  bool amend(World& world, Outcome& outcome) override {
    SolvedStep& solved = outcome.solved;
    if (m_kind == StepKind::Exact || solved.step.contacts.empty()) return false;
    std::vector<double> impulses(static_cast<std::size_t>(m_engine->contactCount()));
    const std::vector<std::size_t> places = placesInEngine(world, outcome.helped);
    for (const IslandAnswer& answer : solved.answers) {
      if (wasHelped(outcome, answer.island.replica)) continue;
      const Eigen::VectorXd z = appliedImpulses(answer.island.problem, answer.result.z);
      for (std::size_t k = 0; k < answer.island.sets.size(); ++k)
        impulses[places[static_cast<std::size_t>(answer.island.sets[k].contacts.front())]] +=
            z[answer.island.first[k]];
    }
    const std::vector<AnswerReview> reviews = m_engine->review(impulses);
    Failures failures;
    for (std::size_t replica = 0; replica < reviews.size(); ++replica) {
      if (wasHelped(outcome, static_cast<int>(replica))) continue;
      outcome.notes[replica].brokenCrossSets += reviews[replica].brokenCrossSets;
      if (reviews[replica].falseTouches > 0)
        failures[static_cast<int>(replica)] = {SolveStatus::NotConverged, kFalseTouch};
    }
    if (failures.empty()) return false;
    takeVelocities(world, solved.step.free);
    helpOut(world, failures, outcome);
    return true;
  }

  Outcome solveStep(const World& world, PhaseClock& clock) override {
    if (m_kind == StepKind::Exact) return solveExactly(world);
    Outcome outcome = ComplementarityMethod::solveStep(world, clock);
    Failures failures;
    for (const IslandAnswer& answer : outcome.solved.answers)
      if (answer.failure) failures[answer.island.replica] = *answer.failure;
    if (m_kind == StepKind::Relinearise) relinearise(world, failures, outcome);
    if (!failures.empty()) helpOut(world, failures, outcome);
    return outcome;
  }

  /// Tries the published primaries, then the largest gap as primary, then one U per set: a wrong primary
  /// pushes along the wrong normal, and the last form is the standard model with one contact per corner.
  IslandAnswer solveIsland(const World& world, const ContactSetStep& step,
                           std::vector<ModelSet> sets) const override {
    IslandAnswer answer = solveSets(world, step, std::move(sets), m_last);
    if (isSound(step, answer)) return answer;
    const bool solved = answer.result.status == SolveStatus::Solved;
    const SolveStatus failure = answer.result.status;
    const std::string failureText =
        solved ? "its answer gained energy out of nothing" : answer.result.message;
    const auto isSoundWith = [&](const auto& change) {
      std::vector<ModelSet> changed = std::move(answer.island.sets);
      for (ModelSet& set : changed) change(set);
      const int solves = answer.notes.solves;
      answer = solveSets(world, step, std::move(changed), m_last);
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
      answer.failure = {failure, failureText};
    }
    return answer;
  }

 private:
  static bool isSound(const ContactSetStep& step, const IslandAnswer& answer) {
    return answer.result.status == SolveStatus::Solved && !gainsEnergy(step, answer);
  }

  /// True if the impulses do more work than undoing the violated sets takes:
  ///     ½ Σ z (Gᵀν⁺ + Gᵀν̃) > Σ p min(max(0, −max ψ / h), mostLift)
  /// An impact without restitution cannot; then a primary pushed along the wrong normal while another contact
  /// of its set was the one to satisfy.
  static bool gainsEnergy(const ContactSetStep& step, const IslandAnswer& answer) {
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
      needed += std::max(0.0, z[p]) *
                std::min(std::max(0.0, -largest), step.contacts[set.contacts.front()].mostLift);
    }
    return work > needed + kRelative * size;
  }

  static bool wasHelped(const Outcome& outcome, int replica) {
    return !outcome.helped.empty() && outcome.helped[static_cast<std::size_t>(replica)];
  }
  /// Where the contacts of an outcome that come first are in the engine: those of the replicas that were
  /// not helped, in the same order.
  std::vector<std::size_t> placesInEngine(const World& world, const ReplicaSet& helped) const {
    std::vector<std::size_t> places;
    if (helped.empty()) {
      places.resize(static_cast<std::size_t>(m_engine->contactCount()));
      std::iota(places.begin(), places.end(), std::size_t(0));
      return places;
    }
    const std::vector<ModelContact> all = m_engine->fetchContacts();
    for (std::size_t contact = 0; contact < all.size(); ++contact)
      if (!helped[static_cast<std::size_t>((*world.constants)[all[contact].bodyA].replica)])
        places.push_back(contact);
    return places;
  }

  using Failures = std::map<int, IslandFailure>;  ///< by replica, of its last island that failed

  BranchEngine& branchEngine(const World& world) {
    if (!m_exact) m_exact = makeBranchEngine(m_backend, world, m_deviceWorld, *m_engine);
    return *m_exact;
  }

  /// How an exact step with matrices came out.
  struct Exact {
    SolvedStep solved;
    std::vector<ExactOutcome> outcomes;  ///< [replicaCount]
  };
  Exact exactStep(const World& world, const ReplicaSet& replicas) {
    DenseExactProblems problems(
        world, branchEngine(world),
        {m_solver.get(), m_solverSettings, m_modelSettings, &m_last, keepsMatrices()});
    Exact exact;
    exact.outcomes = takeExactStep(world, branchEngine(world), replicas, problems);
    exact.solved = std::move(problems.solved());
    return exact;
  }

  Outcome solveExactly(const World& world) {
    Exact exact = exactStep(world, allReplicas(*world.scene));
    Outcome outcome;
    outcome.solved = std::move(exact.solved);
    outcome.wantsBisection = wantBisection(exact.outcomes);
    for (const ExactOutcome& own : exact.outcomes) outcome.notes.push_back(notesOf(own));
    for (IslandAnswer& answer : outcome.solved.answers)
      if (answer.result.status != SolveStatus::Solved) useCompromise(answer);
    return outcome;
  }

  /// Replicas with an island that neither primary nor single contacts could solve take the step of the exact
  /// form, or a compromise.
  void helpOut(const World& world, const Failures& failures, Outcome& outcome) {
    const std::size_t replicas = outcome.notes.size();
    ReplicaSet failed(replicas), taken(replicas);
    for (const auto& [replica, failure] : failures) failed[replica] = 1;
    Exact exact = exactStep(world, failed);
    outcome.wantsBisection.resize(replicas);
    outcome.helped.resize(replicas);
    for (const auto& [replica, failure] : failures) {
      const ExactOutcome& own = exact.outcomes[replica];
      SolveNotes& notes = outcome.notes[replica];
      notes.solves += own.solves;
      outcome.wantsBisection[replica] = !own.converged;
      taken[replica] = own.solved;
      outcome.helped[replica] = outcome.helped[replica] || own.solved;
      if (own.solved)
        notes.warnings.push_back(takenExactly(failure.text));
      else
        raiseStatus(
            failure.status == SolveStatus::NoSolution ? StepStatus::NoSolution : StepStatus::NotConverged,
            "PEG's problem: " + failure.text + "; a compromise with one contact per set is used", notes);
    }
    for (IslandAnswer& answer : outcome.solved.answers) {
      const int replica = answer.island.replica;
      if (failed[replica] && !taken[replica] && answer.result.status != SolveStatus::Solved)
        useCompromise(answer);
    }
    SolvedStep merged;
    merged.step.free = outcome.solved.step.free;
    moveReplicas(world, outcome.solved, otherReplicas(taken), merged);
    moveReplicas(world, exact.solved, taken, merged);
    outcome.solved = std::move(merged);
  }

  /// With ν_k and q_k = q⁺(ν_k): rows ψ(q_k)/h + G_kᵀ(ν − ν_k), forces along G_k, primary the largest ψ(q_k).
  /// Each replica goes on until its velocities no longer change, or an island of it is not solved: then
  /// its last solved linearisation is used.
  void relinearise(const World& world, const Failures& failures, Outcome& outcome) const {
    ContactSetStep& step = outcome.solved.step;
    std::vector<SolveNotes>& notes = outcome.notes;
    const std::vector<std::vector<int>> islands = islandsOf(world, step.contacts, step.sets);
    std::vector<int> replicas;  // of the islands
    ReplicaSet running(notes.size());
    for (const IslandAnswer& answer : outcome.solved.answers) {
      replicas.push_back(answer.island.replica);
      running[replicas.back()] = !failures.count(replicas.back());
    }
    Velocities last = velocitiesAfter(world, outcome.solved);
    for (int pass = 1; pass < kMostLinearisations && !isEmpty(running); ++pass) {
      SolvedStep moved{movedStep(world, step, last), {}};
      std::vector<std::size_t> places;  // of the islands to solve
      std::vector<std::vector<int>> again;
      for (std::size_t island = 0; island < islands.size(); ++island) {
        if (!running[replicas[island]]) continue;
        places.push_back(island);
        again.push_back(islands[island]);
      }
      moved.answers = solveEach(again, [&](const std::vector<int>& island) {
        return kept(solveSets(world, moved.step, setsOfIsland(moved.step.sets, island), m_last));
      });
      ReplicaSet failed(running.size());
      for (std::size_t k = 0; k < places.size(); ++k) {
        ++notes[replicas[places[k]]].solves;
        if (moved.answers[k].result.status != SolveStatus::Solved) failed[replicas[places[k]]] = 1;
      }
      const Velocities now = velocitiesAfter(world, moved);
      const ReplicaSet moving = stillMoving(world, last, now);
      last = now;
      for (std::size_t k = 0; k < places.size(); ++k) {
        if (failed[replicas[places[k]]]) continue;
        outcome.solved.answers[places[k]] = std::move(moved.answers[k]);
        for (int set : islands[places[k]]) {
          step.sets[set] = moved.step.sets[set];
          for (const int contact : step.sets[set].contacts)
            keepLinearised(moved.step.contacts[contact], step.contacts[contact]);
        }
      }
      for (std::size_t replica = 0; replica < running.size(); ++replica) {
        notes[replica].unsolved += failed[replica];
        running[replica] = running[replica] && !failed[replica] && moving[replica];
      }
    }
    for (std::size_t replica = 0; replica < running.size(); ++replica)
      if (running[replica]) notes[replica].warnings.push_back(stillMovedText());
  }

  /// Impulses act as the last linearisation has it; gaps are those of the start.
  static void keepLinearised(const ModelContact& moved, ModelContact& contact) {
    const double psi = contact.geometry.psi;
    contact = moved;
    contact.geometry.psi = psi;
  }

  /// Replicas whose velocities changed by more than kVelocityConverged.
  static ReplicaSet stillMoving(const World& world, const Velocities& last, const Velocities& now) {
    const double velocityUnit = velocityUnitOf(*world.scene);
    ReplicaSet moving = allReplicas(*world.scene);
    std::vector<double> change(moving.size()), size(moving.size());
    for (std::size_t body = 0; body < now.size(); ++body) {
      const int replica = (*world.constants)[body].replica;
      change[replica] = std::max(change[replica], (now[body] - last[body]).norm());
      size[replica] = std::max(size[replica], now[body].norm());
    }
    for (std::size_t replica = 0; replica < moving.size(); ++replica)
      moving[replica] = !(change[replica] < kVelocityConverged * (velocityUnit + size[replica]));
    return moving;
  }

  ContactSetStep movedStep(const World& world, const ContactSetStep& step,
                           const Velocities& velocities) const {
    ContactSetStep moved = step;
    const Pose pose = poseAfter(world, velocities);
    const std::vector<PlacedPolytope> placed = placedPieces(world, pose);
    const WorldView view = viewOf(world);
    std::vector<Vec3> angular;
    for (const Vec6& velocity : velocities) angular.push_back(velocity.tail<3>());
    for (ModelContact& contact : moved.contacts) {
      contact.gapLeft = gapLeft(ruleOf(view, rules(), contact.bodyA), contact.geometry.psi, world.dt);
      reevaluate(world, pose, placed, contact);
      setArmsAtEnd(view, {pose.position.data(), angular.data()}, contact);
      contact.rate = rateAgain(contact,
                               contact.jacobian.a.dot(velocities[contact.bodyA]) +
                                   contact.jacobian.b.dot(velocities[contact.bodyB]),
                               world.dt);
      contact.mostLift = HUGE_VAL;  // an end without overlap takes what the path bends by
    }
    for (ModelSet& set : moved.sets) putLargestFirst(moved, set);
    return moved;
  }

  static void putLargestFirst(const ContactSetStep& step, ModelSet& set) {
    std::size_t best = 0;
    for (std::size_t index = 1; index < set.contacts.size(); ++index)
      if (isRatherPrimary(step.contacts[set.contacts[index]], step.contacts[set.contacts[best]]))
        best = index;
    std::swap(set.contacts[0], set.contacts[best]);
  }

  StepKind m_kind = StepKind::Plain;
  std::unique_ptr<BranchEngine> m_exact;     ///< of the backend, once a step has needed it
  std::unique_ptr<MatrixFreeStep> m_rescue;  ///< likewise: takes refused steps exactly
};

/// Why a step cannot be taken with a solver, or empty.
std::string pegClash(const ParameterValues& values, const std::string& solver) {
  const bool exact = choiceOf(pegSpecs(), values, "step") == "exact";
  if (solver == "pgs" && exact)
    return "the step 'exact' leaves no gap above rounding, which the sweeps of pgs do not reach; choose "
           "'relinearise' or 'plain', or another solver";
  if (solver == "newton-fb" && !exact && choiceOf(pegSpecs(), values, "linear_solver") == "gauss-seidel")
    return "the linear solver 'gauss-seidel' needs a symmetric problem, which only the step 'exact' has; "
           "choose "
           "it, or the linear solver 'pcr'";
  return {};
}

}  // namespace

std::unique_ptr<HostMethod> peg::Info::makeHostMethod(const MethodSetup& setup) {
  return std::make_unique<Peg>(setup);
}

MethodInfo peg::Info::describe() {
  MethodInfo info;
  info.key = "peg";
  info.name = "Polytopal exact geometry";
  info.shortName = "PEG";
  info.source = "Williams, Lu and Trinkle 2017";
  info.colour = 0x009E73;  // bluish green
  info.dash = LineDash::Solid;
  info.parameters = pegSpecs();
  info.planar = true;
  info.solvers = ComplementarityMethod::solvers();
  info.solvers.push_back("pgs");
  info.staysOnHost = ComplementarityMethod::staysOnHost;
  info.refusal = ComplementarityMethod::refusal;
  info.clash = pegClash;
  return info;
}

}  // namespace touchstone
