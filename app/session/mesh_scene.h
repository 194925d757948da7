#pragma once

#include <QString>
#include <QStringList>

namespace touchstone {

/// Of surface meshes: OBJ, STL, PLY, glTF; without the dot.
QStringList meshEndings();

/// Whether a file is a surface mesh, by its ending.
bool isMeshFile(const QString& path);

/// Writes a scene into `folder` in which three copies of a mesh fall on the ground, for a mesh that is
/// dropped on the window: its largest edge of the bounding box becomes 0.3 m unless it lies between 5 cm and
/// 2 m.
/// @return the scene file   @throws SceneError naming file, problem and remedy
QString writeMeshScene(const QString& mesh, const QString& folder);

}  // namespace touchstone
