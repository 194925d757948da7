#pragma once

#include <QDir>
#include <QFile>
#include <QTemporaryDir>
#include <string>

#include "core/robot/scene_readers.h"
#include "core/scene/scene.h"

namespace touchstone::test {

/// A folder for the scene files of a test; removed when the test ends.
class SceneFolder {
 public:
  std::string write(const QString& name, const QByteArray& text) {
    const QString path = m_folder.filePath(name);
    QDir().mkpath(QFileInfo(path).absolutePath());
    QFile file(path);
    if (!file.open(QIODevice::WriteOnly) || file.write(text) != text.size())
      qFatal("cannot write %s", qPrintable(path));
    return path.toStdString();
  }
  std::string path(const QString& name) const { return m_folder.filePath(name).toStdString(); }

  /// Loads a scene with the given text for its bodies, and optionally more fields ("\"dt\": 1, "). Required
  /// fields are added.
  std::shared_ptr<const Scene> load(const QByteArray& bodies, const QByteArray& more = {}) {
    return loadScene(write("scene.json", withBodies(bodies, more)));
  }
  static QByteArray withBodies(const QByteArray& bodies, const QByteArray& more = {}) {
    QByteArray head = more;
    if (!more.contains("\"title\"")) head += "\"title\": \"Test\", ";
    if (!more.contains("\"dt\"")) head += "\"dt\": 0.01, ";
    if (!more.contains("\"methods\"")) head += "\"methods\": [\"cpf\"], ";
    return "{\"touchstone\": 1, \"name\": \"test\", " + head + "\"bodies\": [" + bodies + "]}";
  }

 private:
  QTemporaryDir m_folder;
};

/// Unit cube with quadrilateral faces and corners at 0 and 1, as an OBJ file.
inline QByteArray cubeObj() {
  return "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nv 0 0 1\nv 1 0 1\nv 1 1 1\nv 0 1 1\n"
         "f 1 4 3 2\nf 5 6 7 8\nf 1 2 6 5\nf 2 3 7 6\nf 3 4 8 7\nf 4 1 5 8\n";
}

}  // namespace touchstone::test
