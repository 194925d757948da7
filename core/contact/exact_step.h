#pragma once

#include "core/contact/exact_engine.h"
#include "core/contact/set_memory.h"

namespace touchstone {

struct ExactSettings {
  const ComplementaritySolver* solver = nullptr;
  std::vector<SolverSettings> solverSettings;  ///< [copyCount]
  ModelSettings model;
  const SetMemory* last = nullptr;  ///< what the first linearisation starts from, or none
  CopySet copies;                   ///< that take the step
  bool keepsMatrices = true;        ///< also of islands that are solved
};

/// How one copy of the scene came out of it.
struct ExactOutcome {
  bool converged = false;  ///< no switch left and no pair deeper than rounding
  bool solved = true;      ///< every problem had a solution
  int passes = 0, solves = 0;
};

struct ExactResult {
  SolvedStep solved;                   ///< contacts of each copy's last linearisation, as U sets
  std::vector<ExactOutcome> outcomes;  ///< [copyCount]
};

/// One step with exact non-penetration at its end: a disjunctive quadratic programme, min ½|ν − ν̃|²_M so that
/// every pair of convex pieces is apart at q⁺(ν), by sequential linearisation.
///
/// Each pair keeps one branch, the feature (face of either piece, or pair of edges) whose plane separates the
/// pieces; initially the one with the largest gap at the start. Its rows are the vertices of the other piece
/// within reach, as U, linearised at q_k with the exact derivative of q⁺: the symmetric standard problem,
/// which is feasible whenever the start is free. At q_k a branch is left if
///   (i) it carries impulse though another one separates by more than 1e-9 m more (at most kMostBetter times
///   per pair), or (ii) its plane does not separate and another one's does better (at most kMostViolated
///   times); (iii) pairs that overlap and were not in the list join it.
/// Ends when nothing switches and no pair is deeper than kExactDepth, for each copy of the scene by itself.
/// @param engine  of the world's backend, after PieceEngine::await()
ExactResult takeExactStep(const World& world, ExactEngine& engine, const ExactSettings& settings);

}  // namespace touchstone
