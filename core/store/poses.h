#pragma once

#include <string>

#include "core/record/step_record.h"
#include "core/scene/scene.h"

namespace touchstone {

/// The poses of one pane as a trajectory file: CSV with a line for each released dynamic body and frame, of
/// its centre of mass in the world frame, SI units, y up, as other programs read it and this one can judge
/// it. The header says so in lines that begin with #, with the centre of mass of each body in the axes of its
/// shape.
/// @param pane  label   @param dt  length of a step [s]
std::string poseHeader(const Scene& scene, const std::string& pane, double dt);
std::string poseLines(const StepRecord& record, const Scene& scene);

}  // namespace touchstone
