#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/contact/complementarity/complementarity_model.h"
#include "core/geometry/polytope_overlap.h"
#include "core/record/step_record.h"

namespace touchstone {

/// Contacts and sets of one step of a complementarity method.
struct ContactSetStep {
  std::vector<ModelContact> contacts;
  std::vector<ModelSet> sets;
  std::vector<CrossSet> crossSets;  ///< of the contacts, that are no rows
  Velocities free;                  ///< ν̃
};

/// What solving a part of a step tells its record.
struct SolveNotes {
  int solves = 0, unsolved = 0;  ///< as in StepRecord
  int brokenCrossSets = 0;       ///< see AnswerReview
  StepStatus status = StepStatus::Ok;
  std::string statusText;
  std::vector<std::string> warnings;
};

/// Keeps the worse status; of two alike, the later. @param to  SolveNotes or StepRecord
template <class Notes>
void raiseStatus(StepStatus status, const std::string& text, Notes& to) {
  if (status == StepStatus::Ok || status < to.status) return;
  to.status = status;
  to.statusText = text;
}

/// @param to  SolveNotes or StepRecord
template <class Notes>
void addNotes(const SolveNotes& notes, Notes& to) {
  to.solves += notes.solves;
  to.unsolved += notes.unsolved;
  to.brokenCrossSets += notes.brokenCrossSets;
  to.warnings.insert(to.warnings.end(), notes.warnings.begin(), notes.warnings.end());
  raiseStatus(notes.status, notes.statusText, to);
}

/// Why no form of an island was solved: how its own form ended.
struct IslandFailure {
  SolveStatus status;
  std::string text;
};

/// Answer of one island, whose sets a retry may have changed.
struct IslandAnswer {
  IslandProblem island;
  Eigen::VectorXd start;  ///< of the solver, [n]
  SolverResult result;
  double tolerance = 0;  ///< of the solver, as a bound on the natural residual [m/s]
  SolveNotes notes;
  std::optional<IslandFailure> failure;
};

/// A step with the answers of its islands.
struct SolvedStep {
  ContactSetStep step;
  std::vector<IslandAnswer> answers;
};

/// Takes the answers of some replicas out of a step and appends them to another one, with the contacts and
/// sets that they refer to, renumbered.
void moveReplicas(const World& world, SolvedStep& from, const ReplicaSet& replicas, SolvedStep& to);

/// Nobody asks for the matrix of an island that is solved, unless someone looks into the step; those of all
/// islands weigh more than all the rest.
IslandAnswer withoutMatrix(IslandAnswer answer);
/// Solves the problem of an island.
/// @param settings  [replicaCount]
IslandAnswer answerOf(IslandProblem island, const ComplementaritySolver& solver, Eigen::VectorXd start,
                      const std::vector<SolverSettings>& settings);
/// One answer for each island, in their order; islands are solved at the same time.
/// @param islands  as islandsOf() gives them
std::vector<IslandAnswer> solveEach(const std::vector<std::vector<int>>& islands,
                                    const std::function<IslandAnswer(const std::vector<int>& island)>& solve);

/// ν̃: those of the running step as they are now.
Velocities velocitiesOf(const World& world);
/// ν̃ + M⁻¹ F z over all islands; multipliers below 0 (a solver's tolerance) do not pull.
Velocities velocitiesAfter(const World& world, const SolvedStep& solved);

/// Re-linearised steps end here even if velocities still move.
inline constexpr int kMostLinearisations = 15;
std::string stillMovedText();

/// Positions and orientations of all bodies.
struct Pose {
  std::vector<Vec3> position;
  std::vector<Quaternion> orientation;
};
/// x + dt v and the free rotation from ω: the pose that integrate() reaches with these velocities, bit for
/// bit.
Pose poseAfter(const World& world, const Velocities& velocities);

const Polytope& pieceOf(const World& world, int piece);
/// All pieces at a pose; empty for pieces of bodies that take no part.
std::vector<PlacedPolytope> placedPieces(const World& world, const Pose& pose);

Vec3 planeNormal(const World& world, int plane);
/// Evaluates gap, normal, points and gradient of a contact again at a pose.
void reevaluate(const World& world, const Pose& pose, const std::vector<PlacedPolytope>& placed,
                ModelContact& contact);

}  // namespace touchstone
