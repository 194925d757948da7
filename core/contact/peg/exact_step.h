#pragma once

#include "core/contact/complementarity/set_memory.h"
#include "core/contact/peg/branch_engine.h"

namespace touchstone {

/// How one replica came out of an exact step.
struct ExactOutcome {
  bool converged = false;     ///< no switch left and no pair deeper than rounding
  bool solved = true;         ///< every problem was
  bool hasNone = false;       ///< one that was not has no solution
  bool passesCorner = false;  ///< see BranchReview
  int passes = 0, solves = 0;
};

/// For the record.
SolveNotes notesOf(const ExactOutcome& outcome);
/// Replicas that did not come to an end; empty if all did.
ReplicaSet wantBisection(const std::vector<ExactOutcome>& outcomes);

/// The problems of an exact step's linearisations.
class ExactProblems {
 public:
  virtual ~ExactProblems() = default;
  /// Solves those of the rows as BranchEngine::linearise() has left them, and hands the answer to the engine.
  /// @param running  replicas   @param outcomes  [replicaCount] takes solves, and what had no
  /// solution
  virtual void solve(const ReplicaSet& running, std::vector<ExactOutcome>& outcomes) = 0;
  /// For these replicas the last problems were the last ones.
  virtual void end(const ReplicaSet& replicas) = 0;
};

/// One step with exact non-penetration at its end: a disjunctive quadratic programme, min ½|ν − ν̃|²_M so that
/// every pair of convex pieces is apart at q⁺(ν), by sequential linearisation.
///
/// Each pair keeps one branch, the feature (face of either piece, or pair of edges) whose plane separates the
/// pieces; initially the one with the largest gap at the start, among equals always the same. Its rows are
/// the vertices of the other piece within reach, as U, linearised at q_k with the exact derivative of q⁺: the
/// symmetric standard problem, which is feasible whenever the start is free. At q_k a branch is left if
///   (i) it carries impulse though another one separates by more than 1e-9 m more (at most kMostBetter times
///   per pair), or (ii) its plane does not separate and another one's does better (at most kMostViolated
///   times); (iii) pairs that overlap and were not in the list join it.
/// Ends when nothing switches and no pair is deeper than RowRules::exactDepth, for each replica by
/// itself.
/// @param engine  of the world's backend, after NarrowPhase::await()   @param replicas  that take the step
/// @return [replicaCount]
std::vector<ExactOutcome> takeExactStep(const World& world, BranchEngine& engine, const ReplicaSet& replicas,
                                        ExactProblems& problems);

/// With matrices, on the host.
class DenseExactProblems : public ExactProblems {
 public:
  struct Settings {
    const ComplementaritySolver* solver = nullptr;
    std::vector<SolverSettings> solverSettings;  ///< [replicaCount]
    ModelSettings model;
    const SetMemory* last = nullptr;  ///< what the first linearisation starts from, or none
    bool keepsMatrices = true;        ///< also of islands that are solved
  };
  DenseExactProblems(const World& world, BranchEngine& engine, const Settings& settings);
  void solve(const ReplicaSet& running, std::vector<ExactOutcome>& outcomes) override;
  void end(const ReplicaSet& replicas) override { moveReplicas(m_world, m_linear, replicas, m_solved); }
  /// Contacts of each replica's last linearisation, as U sets.
  SolvedStep& solved() { return m_solved; }

 private:
  void linearise(const ReplicaSet& running);

  const World& m_world;
  BranchEngine& m_engine;
  const Settings m_settings;
  bool m_isFirst = true;
  SolvedStep m_linear;  ///< with the problems of the running replicas
  SolvedStep m_solved;
};

}  // namespace touchstone
