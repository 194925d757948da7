#include "core/solver/auto/stages.h"

#include <algorithm>

#include "core/solver/solver_traits.h"

namespace touchstone {

IslandStages stagesOf(int bodies, const IslandFlags& flags, double tolerance, int mostIterations) {
  IslandStages stages{};
  stages.newton = stages.sweeps = stages.factorisations = stages.polish = -1;
  const bool isSmall = bodies <= kSmallIsland, isAccurate = tolerance < kAccurateTolerance;
  const bool goesOn = tolerance <= kLoosestTolerance;
  stages.tolerance = isSmall && goesOn ? std::min(tolerance, kSmallTolerance) : tolerance;
  stages.goal = (isSmall || flags.isJointed) && goesOn ? std::min(stages.tolerance, kGoal) : stages.tolerance;
  if (isSmall) {
    stages.newton = 10;
    stages.sweeps = flags.isUneven ? 5 : 30;
    stages.factorisations = 60;
    if (stages.tolerance < kGoal) stages.polish = mostIterations;
  } else if (bodies <= kMediumIsland || flags.isJointed) {
    stages.sweeps = isAccurate ? 60 : 30;
    stages.factorisations = 100;
    stages.isMediumInteractive = !isAccurate && !flags.isJointed;
  } else {
    stages.sweeps = isAccurate ? 200 : 30;
  }
  stages.newton = std::min(stages.newton, mostIterations);
  stages.sweeps = std::min(stages.sweeps, mostIterations);
  stages.factorisations = std::min(stages.factorisations, mostIterations);
  return stages;
}

std::string keyOfStage(Stage stage, bool makesMatrix) {
  switch (stage) {
    case Stage::Newton:
    case Stage::Polish:
      break;
    case Stage::Sweeps:
      return "pgs-conjugate";
    case Stage::Carriers:
      return "newton-carrier";
    case Stage::Lemke:
      return "lemke";
  }
  return keyOfForm(makesMatrix);
}

}  // namespace touchstone
