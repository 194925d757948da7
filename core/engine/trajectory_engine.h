#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/trajectory/trajectory.h"

namespace touchstone {

/// Key of the engine that plays a trajectory file (app/help/trajectories.md), and of the parameter that names
/// the file.
inline constexpr char kTrajectoryKey[] = "trajectory", kTrajectoryFile[] = "file";

/// Adds the engine to the table. A pane of it has the states of the file at its times; between two samples
/// those of stateAt(), and outside the file no bodies and no values. A file that cannot be read (any more)
/// stops the pane with the reason, and the frames that it has stay.
void addTrajectoryEngine();

/// The trajectory of a file, for the pane that is about to show it. @param warnings  out
/// @throws SceneError with file, line and column
std::shared_ptr<const Trajectory> trajectoryForPane(const std::shared_ptr<const Scene>& scene,
                                                    const std::string& path,
                                                    std::vector<std::string>& warnings);

}  // namespace touchstone
