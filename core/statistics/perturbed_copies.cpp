#include "core/statistics/perturbed_copies.h"

#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "core/files/scene_error.h"
#include "core/files/text_forms.h"
#include "core/math/counter_random.h"
#include "core/scene/replicate.h"

namespace touchstone {

namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

/// Path of a mesh of the scene relative to a scene file of one copy: never above it.
std::string placeBeside(const std::string& source, const std::string& folder) {
  fs::path place = folder;
  for (const fs::path& part : fs::path(source)) place /= part == ".." ? fs::path("up") : part;
  return place.generic_string();
}

/// Names the meshes by their new places. @param sceneFolder  of the original scene file, canonical
void renameMeshes(Json& json, const fs::path& sceneFolder, const Scene& scene, const std::string& folder) {
  if (json.is_object() && json.contains("file") && json["file"].is_string()) {
    const fs::path mesh = fs::weakly_canonical(sceneFolder / json["file"].get<std::string>());
    const std::string source = mesh.lexically_relative(sceneFolder).generic_string();
    if (scene.sources.count(source)) json["file"] = placeBeside(source, folder);
  }
  if (json.is_structured())
    for (Json& child : json) renameMeshes(child, sceneFolder, scene, folder);
}

}  // namespace

Vec3 offsetOf(const Perturbation& perturbation, int copy, int body, bool planar) {
  if (copy == 0) return Vec3::Zero();
  Vec3 offset = Vec3::Zero();
  for (std::uint32_t axis = 0; axis < (planar ? 2u : 3u); ++axis)
    offset[axis] = perturbation.size *
                   normalOf({static_cast<std::uint32_t>(copy), static_cast<std::uint32_t>(body), axis, 0},
                            {perturbation.seed, 0});
  return offset;
}

std::shared_ptr<const Scene> perturbedCopies(const Scene& scene, const Perturbation& perturbation) {
  if (perturbation.copies < 1 || perturbation.copies > kMostCopies)
    throw std::invalid_argument("an ensemble has 1 to " + std::to_string(kMostCopies) + " copies, not " +
                                std::to_string(perturbation.copies));
  if (!(perturbation.size >= 0 && std::isfinite(perturbation.size)))
    throw std::invalid_argument("the copies differ by a length of at least 0 m, not " +
                                csvNumber(perturbation.size));
  return replicated(scene, perturbation.copies, [&](int copy) {
    ReplicaVariation variation;
    variation.change = [&scene, &perturbation, copy, index = 0](Body& body) mutable {
      const int number = index++;  // bodies come in the order of the scene
      if (body.motion == Motion::Dynamic) body.position += offsetOf(perturbation, copy, number, scene.planar);
    };
    return variation;
  });
}

CopyFiles copyFiles(const Scene& scene, const Perturbation& perturbation, int copy) {
  const std::string main = fs::path(scene.file).filename().string();
  const auto source = scene.sources.find(main);
  if (source == scene.sources.end())
    throw SceneError(scene.file, "", "has no text of its own", "save the scene as a file first");
  Json json = Json::parse(*source->second.bytes);
  Json& bodies = json["bodies"];
  if (json.contains("copies") || bodies.size() != scene.bodies.size())
    throw SceneError(scene.file, "copies", "stand for bodies that have no place of their own in the file",
                     "write these bodies out, or leave out --scenes");
  for (std::size_t body = 0; body < scene.bodies.size(); ++body) {
    if (copy == 0 || scene.bodies[body].motion == Motion::Static) continue;
    const Vec3 offset = offsetOf(perturbation, copy, static_cast<int>(body), scene.planar);
    Vec3 position = Vec3::Zero();
    if (bodies[body].contains("position"))
      for (int axis = 0; axis < 3; ++axis) position[axis] = bodies[body]["position"][axis].get<double>();
    position += offset;
    bodies[body]["position"] = {position.x(), position.y(), position.z()};
  }
  CopyFiles files;
  const std::string folder = scene.name + "-meshes";
  renameMeshes(json, fs::weakly_canonical(fs::absolute(scene.file)).parent_path(), scene, folder);
  for (const auto& [name, file] : scene.sources)
    if (name != main) files.meshes.push_back({placeBeside(name, folder), *file.bytes});
  files.scene = json.dump(1) + "\n";
  return files;
}

}  // namespace touchstone
