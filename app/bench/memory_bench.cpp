#include "app/bench/memory_bench.h"

#include <malloc.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "app/work/program_info.h"
#include "core/engine/engine.h"
#include "core/robot/scene_readers.h"
#include "core/run/simulation.h"

namespace touchstone::cli {

namespace {

using nlohmann::json;

/// Resets the high-water mark to the memory in use now.
void resetPeak() {
  malloc_trim(0);
  std::ofstream("/proc/self/clear_refs") << 5;
}

json head(const char* name) {
  return {{"touchstone", 1}, {"name", name},       {"title", name},
          {"dt", 0.001},     {"methods", {"cpf"}}, {"materials", {{{"name", "stone"}, {"friction", 0.5}}}}};
}

std::shared_ptr<const Scene> loaded(const json& scene) {
  const std::filesystem::path file =
      std::filesystem::temp_directory_path() / ("touchstone-" + scene["name"].get<std::string>() + ".json");
  std::ofstream(file) << scene;
  const auto result = loadScene(file.string());
  std::filesystem::remove(file);
  return result;
}

constexpr int kTowers = 1600;
constexpr double kTouching = -1e-4;  // gap [m]

/// Towers of two boxes each on the ground, with gaps below each box [m].
std::shared_ptr<const Scene> fieldOfTowers(double gap) {
  json scene = head("memory-contacts");
  scene["bodies"].push_back({{"name", "ground"}, {"motion", "static"}, {"shape", {{"type", "plane"}}}});
  for (int tower = 0; tower < kTowers; ++tower)
    for (int storey = 0; storey < 2; ++storey)
      scene["bodies"].push_back(
          {{"name", std::to_string(tower) + "/" + std::to_string(storey)},
           {"shape", {{"type", "box"}, {"size", {0.2, 0.2, 0.2}}}},
           {"material", "stone"},
           {"position", {0.5 * (tower % 40), 0.1 + gap + (0.2 + gap) * storey, 0.5 * (tower / 40)}}});
  return loaded(scene);
}

std::shared_ptr<const Scene> fallingSpheres() {
  json scene = head("memory-triangles");
  for (int sphere = 0; sphere < 40; ++sphere)
    scene["bodies"].push_back({{"name", std::to_string(sphere)},
                               {"shape", {{"type", "sphere"}, {"radius", 0.2}, {"subdivisions", 4}}},
                               {"position", {0.5 * (sphere % 8), 1, 0.5 * (sphere / 8)}}});
  return loaded(scene);
}

double trianglesOf(const Scene& scene) {
  std::size_t count = 0;
  for (const Body& body : scene.bodies)
    for (const TriangleMesh& surface : body.shape->surfaces) count += surface.triangles.size();
  return static_cast<double>(count);
}

struct Measured {
  double bytes = 0, contacts = 0;
};

Measured runAndMeasure(const std::shared_ptr<const Scene>& scene, const std::string& method) {
  resetPeak();
  const double before = processMemory("VmRSS");
  PaneSettings settings;
  settings.method = method;
  Simulation simulation(scene, settings, scene->dt);
  for (int step = 0; step < 5; ++step) simulation.step();
  return {processMemory("VmHWM") - before, static_cast<double>(simulation.current()->contacts.size())};
}

}  // namespace

std::vector<MemoryRow> measureMemory() {
  std::vector<MemoryRow> rows;
  if (processMemory("VmHWM") < 0) return rows;
  const auto touching = fieldOfTowers(kTouching), apart = fieldOfTowers(0.1), spheres = fallingSpheres();
  for (const MethodInfo* method : contactMethods()) {
    const Measured with = runAndMeasure(touching, method->key), without = runAndMeasure(apart, method->key);
    rows.push_back({"memory/per contact/" + method->key,
                    (with.bytes - without.bytes) / std::max(1.0, with.contacts - without.contacts)});
  }
  for (const MethodInfo* method : contactMethods())
    rows.push_back({"memory/per surface triangle/" + method->key,
                    runAndMeasure(spheres, method->key).bytes / trianglesOf(*spheres)});
  return rows;
}

std::vector<MemoryRow> measureMemoryOfBoxes() {
  std::vector<MemoryRow> rows;
  if (processMemory("VmHWM") < 0) return rows;
  const auto touching = fieldOfTowers(kTouching);
  for (const MethodInfo* method : contactMethods())
    rows.push_back({"scale/memory of 1000 boxes in contact/" + method->key,
                    1000 * runAndMeasure(touching, method->key).bytes / (2 * kTowers)});
  return rows;
}

}  // namespace touchstone::cli
