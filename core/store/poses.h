#pragma once

#include <string>

#include "core/record/step_record.h"
#include "core/scene/scene.h"

namespace touchstone {

/// The poses of one pane as a trajectory file that other programs can read and this program can check. CSV
/// with one line per frame and released dynamic body: pose of the centre of mass in the world frame, SI
/// units, y up. Header lines begin with #; they also give the centre of mass of each body in the axes of its
/// shape.
/// @param pane  label   @param dt  length of a step [s]
std::string poseHeader(const Scene& scene, const std::string& pane, double dt);
std::string poseLines(const StepRecord& record, const Scene& scene);

}  // namespace touchstone
