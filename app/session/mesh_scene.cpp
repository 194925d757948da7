#include "app/session/mesh_scene.h"

#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QRegularExpression>
#include <nlohmann/json.hpp>

#include "core/files/scene_error.h"
#include "core/shape/mesh_file.h"
#include "core/shape/mesh_readers.h"

namespace touchstone {

namespace {

using Json = nlohmann::ordered_json;

// [m] Sizes from kSmallest to kLargest are kept, others become kUsual. A wider range keeps files in
// millimetres at the wrong size; a narrower one scales meshes that are right.
constexpr double kSmallest = 0.05, kLargest = 2, kUsual = 0.3;
constexpr int kReplicas = 3;

struct Box {
  Vec3 low, high;
};

Box boxOf(const TriangleMesh& mesh) {
  Box box{mesh.vertices.at(0), mesh.vertices.at(0)};
  for (const Vec3& vertex : mesh.vertices) {
    box.low = box.low.cwiseMin(vertex);
    box.high = box.high.cwiseMax(vertex);
  }
  return box;
}

// A scene reads meshes only below its own folder, so that it and its recordings can be passed on.
void copyBeside(const QDir& source, const QString& file, const QDir& target) {
  const QString copy = target.filePath(source.relativeFilePath(file));
  QFile::remove(copy);
  if (!QFileInfo(copy).dir().mkpath(QStringLiteral(".")) || !QFile::copy(file, copy))
    throw SceneError(copy.toStdString(), "", "cannot be written", "free some space for temporary files");
}

}  // namespace

QStringList meshEndings() {
  QStringList endings;
  for (const MeshReader& reader : meshReaders())
    if (reader.readPolygons)
      for (const std::string& extension : reader.extensions)
        endings << QString::fromStdString(extension.substr(1));
  return endings;
}

bool isMeshFile(const QString& path) { return meshEndings().contains(QFileInfo(path).suffix().toLower()); }

QString writeMeshScene(const QString& mesh, const QString& folder) {
  const QFileInfo info(mesh);
  const MeshFile loaded = loadMesh(mesh.toStdString(), 1);
  const TriangleMesh& surface = loaded.mesh;
  if (!surface.closed)
    throw SceneError(mesh.toStdString(), "", "is not closed: it has no inside and no mass",
                     "close its holes, or write a scene file that gives it a mass (datasets/README.md)");
  const Box box = boxOf(surface);
  const double extent = (box.high - box.low).maxCoeff();
  const double scale = extent < kSmallest || extent > kLargest ? kUsual / extent : 1;
  const double size = scale * extent;
  const QFileInfo real(info.canonicalFilePath());  // resolved like the paths of the mesh
  for (const std::string& file : loaded.files) copyBeside(real.dir(), QString::fromStdString(file), folder);
  QString name = info.completeBaseName();
  name.replace(QRegularExpression(QStringLiteral("[^A-Za-z0-9_-]")), QStringLiteral("-"));
  Json scene;
  scene["touchstone"] = 1;
  scene["name"] = name.toStdString();
  scene["title"] = "Three of " + info.fileName().toStdString();
  scene["lesson"] = {
      "A mesh that was dropped on the window, scaled by " + std::to_string(scale) +
      ". Save a scene file of your own to change materials and positions: datasets/README.md."};
  scene["dt"] = 0.002;
  scene["duration"] = 3;
  scene["view"] = {{"eye", {4 * size, 3.5 * size, 8 * size}}, {"target", {0.1 * size, size, 0.0}}};
  scene["methods"] = {"dpf", "cpf"};
  scene["parameters"] = {{"dpf", {{"stiffness", 20000}, {"substeps", 2}}},
                         {"cpf", {{"stiffness", 20000}, {"substeps", 2}}}};
  // The mass of a box of water. A light body on a stiff spring would need tiny steps.
  scene["materials"] = {
      {{"name", "solid"}, {"density", 500}, {"static_friction", 0.4}, {"dynamic_friction", 0.3}}};
  scene["bodies"] = {
      {{"name", "ground"}, {"motion", "static"}, {"material", "solid"}, {"shape", {{"type", "plane"}}}}};
  for (int index = 0; index < kReplicas; ++index)
    scene["bodies"].push_back(
        {{"name", "body " + std::to_string(index + 1)},
         {"material", "solid"},
         {"position", {0.1 * size * index, size * (0.9 + 1.4 * index), 0.07 * size * index}},
         {"orientation", {{"axis", {0.3, 1, 0.2 * index}}, {"angle_deg", 25 + 40 * index}}},
         {"shape", {{"type", "mesh"}, {"file", real.fileName().toStdString()}, {"scale", scale}}}});
  const QString path = QDir(folder).filePath(name + QStringLiteral(".json"));
  QFile out(path);
  const QByteArray text = QByteArray::fromStdString(scene.dump(1));
  if (!out.open(QIODevice::WriteOnly) || out.write(text) != text.size())
    throw SceneError(path.toStdString(), "", "cannot be written", "free some space for temporary files");
  return path;
}

}  // namespace touchstone
