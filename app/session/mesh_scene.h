#pragma once

#include <QString>
#include <QStringList>

namespace touchstone {

/// Endings of surface mesh files: OBJ, STL, PLY, glTF; without the dot.
QStringList meshEndings();

/// True if a file is a surface mesh, judged by its ending.
bool isMeshFile(const QString& path);

/// Writes a scene for a mesh that the user dropped on the window: in `folder`, with three of these bodies
/// that fall on the ground. The largest edge of the mesh's bounding box is scaled to 0.3 m unless it is
/// between 5 cm and 2 m.
/// @return the scene file   @throws SceneError with file, problem and remedy
QString writeMeshScene(const QString& mesh, const QString& folder);

}  // namespace touchstone
