#pragma once

#include <string>

namespace touchstone {

/// Stages of the solver `auto`, in their order. Polish is Newton once more, for tolerances that only it
/// reaches.
enum class Stage { Newton, Sweeps, Carriers, Polish, Lemke };

/// Features of an island that decide about its stages.
struct IslandFlags {
  int isJointed = 0;  ///< joints, or rows of registered kinds
  int isUneven = 0;   ///< bodies touch whose masses differ by more than kUnevenMasses: sweeps hardly help
};

constexpr double kUnevenMasses = 20;
constexpr int kSmallIsland = 40, kMediumIsland = 200;  ///< bodies
/// Tolerance of small islands at most, and the goal that they and joints go on to within their budget: sets
/// of PEG and grasps need it, and there it costs little.
constexpr double kSmallTolerance = 1e-6, kGoal = 1e-9;
/// Goal of Newton's first stage: where it converges one more iteration costs little.
constexpr double kNewtonGoal = 1e-10;
/// The loosest tolerance with which that holds: who asks for less gets less.
constexpr double kLoosestTolerance = 1e-4;
/// A tolerance below asks for accuracy: more sweeps, and Newton in body space for medium islands.
constexpr double kAccurateTolerance = 1e-5;
/// An answer that its budget has ended is used as one up to this many times the tolerance.
constexpr double kAnswered = 100;
/// A residual of sweeps above it makes medium islands factor even without accuracy.
constexpr double kFarOff = 1e-2;
/// A start is left where its residual is more than as many times that of no impulses.
constexpr double kWorseThanNone = 4;
/// Share of A's diagonal that is added to it for a compromise between rows that contradict each other.
constexpr double kCompromise = 1e-3;
/// Iterates of all stages but those of Newton in body space.
constexpr int kRoomOfStages = 80;

/// Budgets of the stages of one island. They depend on numbers of bodies and iterations alone, never on time,
/// so that an answer has the same bits on any machine.
struct IslandStages {
  double tolerance;                            ///< that the answer is judged by
  double goal;                                 ///< that stages stop at
  int newton, sweeps, factorisations, polish;  ///< −1: the island does not take this stage
  /// Goal of the first stage of Newton's method.
  double newtonGoal() const { return goal <= kGoal && goal > kNewtonGoal ? kNewtonGoal : goal; }
  bool isMediumInteractive;  ///< factors only after sweeps that are far off

  int iterationsOf(Stage stage, double residual) const {
    switch (stage) {
      case Stage::Newton:
        return newton;
      case Stage::Sweeps:
        return sweeps;
      case Stage::Carriers:
        return isMediumInteractive && residual <= kFarOff ? -1 : factorisations;
      case Stage::Polish:
        return polish;
      case Stage::Lemke:
        break;
    }
    return -1;
  }
};

/// @param bodies  of the island   @param mostIterations  bound of each stage
IslandStages stagesOf(int bodies, const IslandFlags& flags, double tolerance, int mostIterations);
/// Key of the solver that a stage is. @param makesMatrix  of Newton's: with the matrix of the island
std::string keyOfStage(Stage stage, bool makesMatrix);

}  // namespace touchstone
