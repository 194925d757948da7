#pragma once

#include <string>

#include "core/record/step_record.h"
#include "core/scene/scene.h"

namespace touchstone {

/// The poses of one pane as a trajectory file that other programs can read and this program can check. CSV
/// with one line per frame and released dynamic body: pose of the centre of mass in the world frame, SI
/// units, y up. Header lines begin with #; they also give the centre of mass of each body in the axes of its
/// shape.
/// @param pane  label   @param dt  length of a step [s]; 0 for a motion that nothing integrates
std::string poseHeader(const Scene& scene, const std::string& pane, double dt);
std::string poseLines(const StepRecord& record, const Scene& scene);

/// The contacts of one pane as the file that goes with its trajectory: point p, normal from A into B, normal
/// impulse and friction impulse on B [N·s]. The point is that of the body which moves against a static one,
/// else the middle of both.
/// @param complete  the contacts of all steps of each frame, which records with earlierContacts, or of one
/// step, have
std::string poseContactHeader(const Scene& scene, const std::string& pane, bool complete);
std::string poseContactLines(const StepRecord& record, const Scene& scene);

}  // namespace touchstone
