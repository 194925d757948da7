#include "app/cli/import_command.h"
#include <CLI/CLI.hpp>

#include <filesystem>
#include <iostream>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "app/cli/checks.h"
#include "app/work/exit_codes.h"
#include "app/work/result_folder.h"
#include "core/files/file_bytes.h"
#include "core/files/json_file.h"
#include "core/files/scene_error.h"
#include "core/files/written_file.h"
#include "core/robot/scene_readers.h"

namespace touchstone::cli {

namespace {

namespace fs = std::filesystem;

RobotOptions robotOptionsOf(const ImportOptions& options) {
  RobotOptions robot = options.robot;
  for (const std::string& package : options.packages) {
    const std::size_t sign = package.find('=');
    if (sign == std::string::npos || sign == 0 || sign + 1 == package.size())
      throw std::invalid_argument("import: --package " + package + " is not NAME=FOLDER");
    robot.packages[package.substr(0, sign)] = package.substr(sign + 1);
  }
  if (options.fixedBase && options.freeBase)
    throw std::invalid_argument("import: give --fixed-base or --free-base, not both");
  if (options.fixedBase) robot.base = RobotOptions::Base::Fixed;
  if (options.freeBase) robot.base = RobotOptions::Base::Free;
  return robot;
}

bool isScene(const std::string& path) {
  try {
    const nlohmann::json json = readJson(path, "");
    return json.is_object() && json.contains("touchstone");
  } catch (const SceneError&) {
    return false;
  }
}

void requireFreeScene(const std::string& path, bool force) {
  std::error_code ignored;
  if (!fs::exists(fs::symlink_status(path, ignored))) return;
  if (!force) throw std::invalid_argument(path + ": exists; choose another name or give --force");
  if (!isScene(path)) throw std::invalid_argument(path + ": is no scene and stays; choose another name");
}

/// The name that a mesh gets in the folder of copies: its path without steps upwards.
std::string copyName(const std::string& file) {
  fs::path name;
  for (const fs::path& part : fs::path(file).lexically_normal())
    if (part != ".." && part != "/") name /= part;
  return name.generic_string();
}

void renameMeshes(nlohmann::ordered_json& json, const std::map<std::string, std::string>& names) {
  for (auto& body : json["bodies"]) {
    if (!body["shape"].contains("pieces")) continue;
    for (auto& piece : body["shape"]["pieces"])
      if (piece.contains("file")) piece["file"] = names.at(piece["file"].get<std::string>());
  }
}

/// Copies the meshes into a folder beside the scene, unless equal ones are there.
/// @return their names in the scene by those in the imported one
std::map<std::string, std::string> copyMeshes(const ImportedRobot& robot, const fs::path& folderOfRobot,
                                              const fs::path& out) {
  const std::string folder = out.stem().string() + "-meshes";
  std::map<std::string, std::string> names, taken;
  for (const std::string& file : robot.meshes) {
    const std::string name = folder + "/" + copyName(file);
    if (!taken.emplace(name, file).second)
      throw std::invalid_argument(name +
                                  ": two meshes would get this name; import with --out in their folder");
    names[file] = name;
    const std::string source = (folderOfRobot / file).string(), target = (out.parent_path() / name).string();
    const std::string bytes = readFile(source, "put it back");
    std::error_code ignored;
    if (fs::exists(fs::symlink_status(target, ignored))) {
      if (fs::is_regular_file(target, ignored) && readFile(target, "remove it") == bytes) continue;
      throw std::invalid_argument(target +
                                  ": exists, differs and stays; choose another --out, or move it away");
    }
    createFolder(fs::path(target).parent_path().string());
    writeNew(target, [&](std::ostream& stream) { stream << bytes; });
  }
  return names;
}

}  // namespace

int importRobotFile(const ImportOptions& options) {
  if (options.file.empty())
    throw std::invalid_argument("import: the file is empty text; give the path of a URDF or MJCF file");
  const fs::path file = fs::weakly_canonical(fs::absolute(options.file));
  const fs::path out = options.out.empty() ? fs::path(fs::path(options.file).stem().string() + ".json")
                                           : fs::path(options.out);
  if (const std::string source = readFile(options.file, "give the path of a URDF or MJCF file");
      !isRobotText(source))
    throw SceneError(options.file, "", "is no robot", "give a URDF or MJCF file; scenes need no import");
  requireFreeScene(out.string(), options.force);
  const ImportedRobot robot = importRobot(options.file, robotOptionsOf(options));

  std::string scene = robot.scene;
  const fs::path outFolder = fs::weakly_canonical(fs::absolute(out)).parent_path();
  const bool areBeside = outFolder == file.parent_path() && robot.meshFolders.empty();
  if (!robot.meshes.empty() && !areBeside) {
    nlohmann::ordered_json json = nlohmann::ordered_json::parse(scene);
    renameMeshes(json, copyMeshes(robot, file.parent_path(), fs::absolute(out)));
    scene = json.dump(1) + "\n";
  }
  writeNew(
      out.string(), [&](std::ostream& stream) { stream << scene; },
      [&](const std::string& path) { return options.force && isScene(path); });
  const auto loaded = loadScene(out.string());
  for (const std::string& note : robot.notes) std::cout << note << "\n";
  std::cout << "Written to " << out.string() << ": " << loaded->bodies.size() << " bodies, "
            << loaded->joints.size() << " joints\n";
  return kDone;
}

Declared declareImport(CLI::App& command, const CommandLine&) {
  const auto options = std::make_shared<ImportOptions>();
  command.add_option("file", options->file, "URDF or MJCF file")->required();
  command.add_option("--out", options->out, "scene file (NAME.json); meshes elsewhere are copied beside it");
  command
      .add_option("--package", options->packages, "folder of package://NAME/…, as NAME=FOLDER; repeatable")
      ->allow_extra_args(false);
  command.add_option("--density", options->robot.density, "of solids without a mass [kg/m³]")
      ->check(positiveNumber());
  command.add_flag("--keep-fixed", options->robot.keepFixed,
                   "fixed joints hold six rows; else their links are one body");
  command.add_flag("--fixed-base", options->fixedBase, "the root is fixed to the world (usual for a URDF)");
  command.add_flag("--free-base", options->freeBase,
                   "the root moves (usual for an MJCF file with a free joint)");
  command.add_flag("--ground", options->robot.ground, "add a plane below the robot");
  command
      .add_option("--stiffness", options->robot.stiffness,
                  "of drives that hold all joints where they start, up to their effort [N m/rad, N/m]")
      ->check(numberFrom(0));
  command.add_option("--damping", options->robot.damping, "of these drives [N m s/rad, N s/m]")
      ->check(numberFrom(0));
  command.add_option("--keyframe", options->robot.keyframe, "MJCF: start in the pose of this key");
  command.add_flag("--force", options->force, "replace an earlier scene; never other files");
  return [options] { return importRobotFile(*options); };
}

}  // namespace touchstone::cli
