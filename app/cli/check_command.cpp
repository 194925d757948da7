#include "app/cli/check_command.h"
#include <CLI/CLI.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <iostream>
#include <map>
#include <memory>
#include <stdexcept>
#include <utility>

#include "app/cli/checks.h"
#include "app/cli/pane_options.h"
#include "app/work/exit_codes.h"
#include "app/work/program_info.h"
#include "core/engine/engine.h"
#include "core/files/text_columns.h"
#include "core/files/text_forms.h"
#include "core/geometry/aabb.h"
#include "core/robot/scene_readers.h"
#include "core/run/pane_name.h"
#include "core/run/pane_settings.h"
#include "core/run/resolved_values.h"
#include "core/run/simulation.h"
#include "core/scene/frame_count.h"
#include "core/scene/scale.h"

namespace touchstone::cli {

namespace {

using Rows = std::vector<std::vector<std::string>>;

std::string counted(std::size_t count, const std::string& one, const std::string& several) {
  return std::to_string(count) + " " + (count == 1 ? one : several);
}

std::string shapeOf(const Body& body) {
  if (body.deformable) return "deforms";
  if (body.shape->kind == Shape::Kind::Plane) return "plane";
  const std::size_t pieces = body.shape->pieces.size();
  if (pieces == 0) return body.shape->surfaces.empty() ? "none" : "mesh";
  const std::string word = body.shape->pieces.front().planar() ? "polygon" : "convex";
  return pieces == 1 ? word : std::to_string(pieces) + " " + word + " pieces";
}

/// Edges of the box around a body along the axes of its frame [m].
std::string sizeOf(const Body& body) {
  Aabb box;
  for (const TriangleMesh& surface : body.shape->surfaces)
    for (const Vec3& vertex : surface.vertices) box.add(vertex);
  if (!isSome(box)) return "-";
  const Vec3 size = box.high - box.low;
  const std::string flat = fourDigits(size.x()) + " x " + fourDigits(size.y());
  const bool isPolygon = !body.shape->pieces.empty() && body.shape->pieces.front().planar();
  return isPolygon ? flat : flat + " x " + fourDigits(size.z());
}

void printScene(const Scene& scene, double dt) {
  std::cout << "Scene " << scene.name << ": " << scene.title << "\n";
  const std::size_t dynamic = std::count_if(scene.bodies.begin(), scene.bodies.end(),
                                            [](const Body& body) { return body.motion == Motion::Dynamic; });
  Rows rows{{"file", scene.file},
            {"frame length",
             csvNumber(dt) + " s" + (dt == scene.dt ? "" : ", the scene's is " + csvNumber(scene.dt) + " s")},
            {"duration",
             csvNumber(scene.duration) + " s, " + std::to_string(frameCount(scene.duration, dt)) + " frames"},
            {"gravity", "(" + fourDigits(scene.gravity.x()) + ", " + fourDigits(scene.gravity.y()) + ", " +
                            fourDigits(scene.gravity.z()) + ") m/s^2"},
            {"length", fourDigits(lengthOf(scene)) + " m, which tolerances are relative to"},
            {"bodies", counted(scene.bodies.size(), "body", "bodies") + ", " + std::to_string(dynamic) +
                           " of them dynamic"}};
  if (!scene.joints.empty()) rows.push_back({"joints", std::to_string(scene.joints.size())});
  if (!scene.noContact.empty())
    rows.push_back({"no contact", counted(scene.noContact.size(), "pair", "pairs")});
  std::cout << inColumns(rows, 2);
  for (const std::string& note : scene.notes) std::cout << "  note: " << note << "\n";
}

void printBodies(const Scene& scene) {
  Rows rows{{"body", "motion", "shape", "size [m]", scene.planar ? "area [m^2]" : "volume [m^3]", "mass [kg]",
             "material"}};
  for (const Body& body : scene.bodies) {
    const bool isDynamic = body.motion == Motion::Dynamic;
    rows.push_back({body.name, isDynamic ? "dynamic" : "static", shapeOf(body), sizeOf(body),
                    body.volume > 0 ? fourDigits(body.volume) : "-", isDynamic ? fourDigits(body.mass) : "-",
                    scene.materials[body.material].name});
  }
  std::cout << "Bodies\n" << inColumns(rows, 2);
}

void printMaterials(const Scene& scene) {
  std::vector<char> isUsed(scene.materials.size(), 0);
  for (const Body& body : scene.bodies) isUsed[body.material] = 1;
  Rows rows{{"material", scene.planar ? "density [kg/m^2]" : "density [kg/m^3]", "static friction",
             "dynamic friction", "thickness [m]", ""}};
  for (std::size_t index = 0; index < scene.materials.size(); ++index) {
    const Material& material = scene.materials[index];
    if (index == 0 && !isUsed[index]) continue;  // nobody asked for `default`
    rows.push_back({material.name, fourDigits(material.density), fourDigits(material.staticFriction),
                    fourDigits(material.dynamicFriction), fourDigits(material.thickness),
                    isUsed[index] ? "" : "of no body"});
  }
  std::cout << "Materials\n" << inColumns(rows, 2);
}

void printPane(const Scene& scene, const PaneSettings& pane, const std::string& label, double dt) {
  std::cout << "Pane " << label << ": " << findMethod(pane.method)->name << "\n";
  Rows rows{{"value", "in force", "source"}};
  for (const ResolvedValue& value : resolvedValues(scene, pane, dt)) {
    rows.push_back({value.key, valueText(value), sourceText(value)});
    if (value.isAutomatic() && value.automatic) rows.back().back() += ": " + value.automatic->reason;
  }
  std::cout << inColumns(rows, 2);
}

/// Prints whether each contact method runs the scene, or why it does not.
void printMethods(const Scene& scene) {
  Rows rows{{"method", "says"}};
  for (const MethodInfo* method : contactMethods()) {
    const std::string problem = refusal(scene, suggestedPane(scene, method->key));
    rows.push_back({method->key, problem.empty() ? "runs" : "does not run: " + problem});
  }
  std::cout << "Methods\n" << inColumns(rows, 2);
}

void printOverlaps(const Scene& scene, const StepRecord& start) {
  Rows rows{{"overlap at the start", "depth [m]", scene.planar ? "area [m^2]" : "volume [m^3]"}};
  for (const Overlap& overlap : start.overlaps)
    rows.push_back({scene.bodies[overlap.bodyA].name + " - " + scene.bodies[overlap.bodyB].name,
                    fourDigits(overlap.depth), overlap.volume > 0 ? fourDigits(overlap.volume) : "-"});
  if (rows.size() == 1)
    std::cout << "  no bodies overlap\n";
  else
    std::cout << inColumns(rows, 2);
}

/// @param record  of the first step, which nobody keeps
void printContacts(const Scene& scene, const StepRecord& record) {
  std::map<std::array<int, 2>, std::pair<int, double>> pairs;  // contacts and the least gap
  for (const Contact& contact : record.contacts) {
    auto& [count, gap] = pairs.try_emplace({contact.bodyA, contact.bodyB}, 0, HUGE_VAL).first->second;
    ++count;
    gap = std::min(gap, contact.gap);
  }
  if (pairs.empty()) {
    std::cout << "  no contacts are found\n";
    return;
  }
  Rows rows{{"contacts of the first step", "contacts", "least gap [m]"}};
  for (const auto& [bodies, found] : pairs)
    rows.push_back({scene.bodies[bodies[0]].name + " - " + scene.bodies[bodies[1]].name,
                    std::to_string(found.first), fourDigits(found.second)});
  std::cout << inColumns(rows, 2);
}

/// Overlaps where the scene starts, and the contacts that a method finds there: in a step of a simulation
/// that is thrown away, by the first pane with a row for each contact, else by the first.
void printStart(const std::shared_ptr<const Scene>& scene, const std::vector<PaneSettings>& panes,
                double dt) {
  const auto hasRows = [](const PaneSettings& pane) { return !findMethod(pane.method)->penalty; };
  const auto chosen = std::find_if(panes.begin(), panes.end(), hasRows);
  PaneSettings pane = chosen == panes.end() ? panes.front() : *chosen;
  pane.backend = BackendKind::Cpu;
  Simulation simulation(scene, pane, dt);
  std::cout << "Start\n";
  printOverlaps(*scene, *simulation.current());
  try {
    printContacts(*scene, *simulation.step());
  } catch (const std::length_error& error) {
    std::cout << "  contacts: " << error.what() << "\n";
  }
}

}  // namespace

int check(const CheckOptions& options) {
  const auto scene = loadScene(resolveScene(options.scene));
  const std::vector<PaneSettings> panes =
      panesOf({options.methods, options.sets, options.backend, options.substeps}, *scene);
  const double dt = options.dt > 0 ? options.dt : scene->dt;
  frameCount(scene->duration, dt);  // refuses what is no run
  printScene(*scene, dt);
  printBodies(*scene);
  printMaterials(*scene);
  printMethods(*scene);
  printStart(scene, panes, dt);
  const std::vector<std::string> labels = paneLabels(*scene, panes);
  for (std::size_t pane = 0; pane < panes.size(); ++pane) printPane(*scene, panes[pane], labels[pane], dt);
  return kDone;
}

Declared declareCheck(CLI::App& command, const CommandLine&) {
  const auto options = std::make_shared<CheckOptions>();
  command.add_option("scene", options->scene, "scene file, or the name of a shipped scene")->required();
  command.add_option("--methods", options->methods, "methods, as for run")->delimiter(',');
  command.add_option("--backend", options->backend, "cpu or cuda")->check(CLI::IsMember({"cpu", "cuda"}));
  command.add_option("--dt", options->dt, "frame length [s]")->check(frameLength());
  command.add_option("--substeps", options->substeps, "steps per frame, all panes")
      ->check(CLI::Range(1, touchstone::kMostSubsteps));
  command.add_option("--set", options->sets, "method.key=value; repeatable");
  return [options] { return check(*options); };
}

}  // namespace touchstone::cli
