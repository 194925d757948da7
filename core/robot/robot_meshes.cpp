#include "core/robot/robot_meshes.h"

#include <algorithm>
#include <filesystem>
#include <stdexcept>

#include "core/files/scene_error.h"
#include "core/files/text_forms.h"
#include "core/shape/mesh_file.h"
#include "core/shape/shape_file.h"

namespace touchstone {

namespace {

namespace fs = std::filesystem;

fs::path canonicalFolder(const fs::path& path) {
  std::error_code error;
  const fs::path found = fs::weakly_canonical(fs::absolute(path), error);
  return error ? path : found;
}

bool liesBelow(const fs::path& path, const fs::path& folder) {
  const fs::path relative = path.lexically_relative(folder);
  return !relative.empty() && *relative.begin() != "..";
}

bool goesUp(const fs::path& path) {
  return std::any_of(path.begin(), path.end(), [](const fs::path& part) { return part == ".."; });
}

/// The package that the robot's file belongs to: the folder with package.xml at most two levels up.
fs::path ownPackage(const fs::path& folder) {
  std::error_code error;
  fs::path above = folder;
  for (int level = 0; level < 3 && above.has_relative_path(); ++level, above = above.parent_path())
    if (fs::is_regular_file(above / "package.xml", error)) return above;
  return {};
}

}  // namespace

RobotMeshes::RobotMeshes(const std::string& robotFile, const RobotOptions& options)
    : m_folder(canonicalFolder(robotFile).parent_path().string()) {
  for (const auto& [name, folder] : options.packages) {
    std::error_code error;
    if (!fs::is_directory(folder, error))
      throw SceneError(robotFile, "", "the folder '" + folder + "' of package '" + name + "' does not exist",
                       "give NAME=FOLDER with the folder that holds the files of package://NAME/…");
    m_packages[name] = canonicalFolder(folder).string();
    m_folders.push_back(m_packages[name]);
  }
  if (const fs::path package = ownPackage(m_folder); !package.empty() && package != m_folder)
    m_folders.push_back(package.string());
}

/// The folder of a package: as given, or the robot's folder or the one above it or below it if that has the
/// package's name, or the folder with the package.xml that it belongs to. A wider search would let a file
/// choose any folder of the machine.
std::string RobotMeshes::packageFolder(const XmlView& element, const std::string& name) const {
  if (const auto given = m_packages.find(name); given != m_packages.end()) return given->second;
  const fs::path folder = m_folder;
  std::error_code error;
  for (const fs::path& near : {folder, folder.parent_path(), ownPackage(folder)})
    if (!near.empty() && near.filename() == name) return near.string();
  if (name != "." && name != ".." && fs::is_directory(folder / name, error)) return (folder / name).string();
  element.fail("is in the package '" + name + "', whose folder is not known",
               "say where it is: touchstone-cli import --package " + name +
                   "=FOLDER, or put the robot's file into it");
}

std::string RobotMeshes::checked(const XmlView& element, const std::string& path,
                                 const std::string& name) const {
  std::error_code error;
  const fs::path canonical = fs::weakly_canonical(path, error);
  bool isInside = !error && liesBelow(canonical, m_folder);
  for (const std::string& folder : m_folders) isInside = isInside || (!error && liesBelow(canonical, folder));
  for (const auto& [package, folder] : m_packages)
    isInside = isInside || (!error && liesBelow(canonical, folder));
  if (!isInside)
    element.fail("names '" + name + "', which leads outside the folder of the robot",
                 "put the file into that folder, or name its package with --package");
  return canonical.string();
}

std::string RobotMeshes::fileOf(const XmlView& element, const std::string& name) const {
  const std::size_t scheme = name.find("://");
  if (scheme == std::string::npos) {
    if (fs::path(name).is_absolute())
      element.fail("names the absolute path '" + name + "'", "give a path relative to the robot's file");
    return checked(element, (fs::path(m_folder) / name).string(), name);
  }
  const std::string kind = name.substr(0, scheme), rest = name.substr(scheme + 3);
  if (kind != "package" && kind != "model")
    element.fail("names '" + name + "', which is read from the folder of the robot only",
                 "give a path relative to the robot's file, or package://NAME/PATH");
  const std::size_t slash = rest.find('/');
  if (slash == 0 || slash == std::string::npos || slash + 1 == rest.size())
    element.fail("names '" + name + "', which has no package and path", "write package://NAME/PATH");
  const fs::path below = rest.substr(slash + 1);
  if (below.is_absolute() || goesUp(below))
    element.fail("names '" + name + "', which leads outside the folder of the package", "remove the ..");
  const std::string folder = packageFolder(element, rest.substr(0, slash));
  std::error_code error;
  const fs::path path = fs::weakly_canonical(fs::path(folder) / below, error);
  if (error || !liesBelow(path, canonicalFolder(folder)))
    element.fail("names '" + name + "', which leads outside the folder of the package",
                 "put the file into it");
  return path.string();
}

std::string RobotMeshes::fileIn(const XmlView& element, const std::string& folder,
                                const std::string& name) const {
  if (fs::path(folder).is_absolute() || fs::path(name).is_absolute())
    element.fail("names the absolute path '" + name + "' in '" + folder + "'",
                 "give paths relative to the robot's file");
  return checked(element, (fs::path(m_folder) / folder / name).string(), name);
}

const Polytope& RobotMeshes::hull(const XmlView& element, const std::string& file, const Vec3& scale) {
  const std::string key = file + csvVector(scale);
  if (const auto found = m_hulls.find(key); found != m_hulls.end()) return found->second;
  Polytope hull;
  std::string problem;
  try {
    auto known = m_corners.find(file);
    if (known == m_corners.end()) {
      std::vector<std::string> files;
      known = m_corners.emplace(file, loadMeshCorners(file, files)).first;
      m_files.insert(files.begin(), files.end());
    }
    std::vector<Vec3> corners = known->second;
    for (Vec3& corner : corners) corner = corner.cwiseProduct(scale);
    problem = hullOfCorners(std::move(corners), hull);
  } catch (const SceneError& error) {
    element.fail(std::string("has a mesh that cannot be used (") + error.what() + ")",
                 "repair or replace the mesh");
  }
  if (!problem.empty())
    element.fail("has the mesh '" + fs::path(file).filename().string() + "', which " + problem,
                 "give a mesh that spans a volume");
  return m_hulls.emplace(key, std::move(hull)).first->second;
}

std::string RobotMeshes::nameInScene(const std::string& file) const {
  return fs::path(file).lexically_relative(m_folder).generic_string();
}

std::vector<std::string> RobotMeshes::files() const {
  std::vector<std::string> names;
  for (const std::string& file : m_files) names.push_back(nameInScene(file));
  return names;
}

std::vector<std::string> RobotMeshes::folders() const {
  std::vector<std::string> found = m_folders;
  const fs::path above = fs::path(m_folder).parent_path();  // perhaps the package
  const auto isFromThere = [&](const std::string& file) {
    return liesBelow(file, above) && !liesBelow(file, m_folder);
  };
  if (std::any_of(m_files.begin(), m_files.end(), isFromThere)) found.push_back(above.string());
  return found;
}

}  // namespace touchstone
