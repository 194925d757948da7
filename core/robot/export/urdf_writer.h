#pragma once

#include <string>
#include <vector>

#include "core/scene/scene.h"

namespace touchstone {

/// A file of an export.
struct ExportedFile {
  std::string name;  ///< within the folder
  std::string text;
};

/// A scene as a folder for engines that read URDF: NAME.urdf per body, OBJ files of its meshes, and world.csv
/// with what URDF has no words for.
///
/// - The link's frame is that of Body; static bodies have mass 0 and need a fixed base.
/// - Boxes have full sizes. A plane is a box, kPlaneSizes times as wide as the scene and as thick as the
///   scene, whose upper face is the plane.
/// - world.csv begins with lines of gravity [m/s²], step and duration [s]. It has one row per body: file,
///   motion, mass [kg], friction μ and its root √μ (an engine that multiplies the coefficients of a pair gets
///   the geometric mean of this program from the roots), pose and velocities in the world frame, y up.
/// - no_contact.csv, if there are any, lists the pairs of bodies that pass through each other.
///
/// Numbers read back to the same doubles.
/// @throws SceneError for what such engines have not, see requireExportable()
std::vector<ExportedFile> urdfFiles(const Scene& scene);

/// Width of the box for a plane, in sizes of the scene. A larger value costs engines digits; with a smaller
/// one bodies reach its end.
constexpr double kPlaneSizes = 100;

}  // namespace touchstone
