#include "app/cli/result_folder.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <stdexcept>

#include "core/files/json_file.h"
#include "core/files/scene_error.h"
#include "core/files/written_file.h"

namespace touchstone::cli {

namespace {

namespace fs = std::filesystem;

bool isThere(const fs::path& path) {
  std::error_code ignored;
  return fs::exists(fs::symlink_status(path, ignored));
}

/// True if a manifest says that this program wrote the folder.
bool isManifest(const fs::path& path) {
  try {
    const nlohmann::json json = readJson(path.string(), "");
    return json.is_object() && (json.contains("touchstone_manifest") || json.contains("touchstone_map") ||
                                json.contains("touchstone_study_manifest") || json.contains("touchstone_card_manifest"));
  } catch (const SceneError&) {
    return false;
  }
}

/// True if a file begins like the files of this program: tables with their columns, texts with their first
/// words.
bool isOurs(const fs::path& path) {
  std::error_code ignored;
  if (!fs::is_regular_file(path, ignored)) return false;
  char bytes[200] = {};
  std::ifstream(path, std::ios::binary).read(bytes, sizeof bytes - 1);
  const std::string head = bytes, line = head.substr(0, head.find('\n'));
  const auto begins = [&head](const char* with) { return head.rfind(with, 0) == 0; };
  return begins("time_s,frame,") || begins("time_s,a,b,") || begins("# touchstone_") || begins("Scene ") ||
         begins("Conformance card") || begins("phenomenon,measure,") || begins("% Touchstone, ") ||
         head.find("\"touchstone_card\"") != std::string::npos ||
         head.find("<title>Conformance card") != std::string::npos || begins("pane,dt_s,seed,") || line.find("diverged_at_s,depth_max_m") != std::string::npos;
}

[[noreturn]] void refuse(const fs::path& path, const std::string& problem) {
  throw std::invalid_argument(path.string() + ": " + problem + "; choose another place, or move it away");
}

}  // namespace

void requireReplaceable(const std::string& file) {
  if (isThere(file) && !isOurs(file)) refuse(file, "was not written by touchstone-cli and stays");
}

void createFolder(const std::string& folder) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (error)
    throw std::runtime_error(folder + ": cannot be created (" + error.message() + "); choose another folder");
}

ResultFolder::ResultFolder(const std::string& folder, Earlier earlier, const std::vector<std::string>& files)
    : m_folder(folder), m_files(files) {
  createFolder(folder);
  m_lock = std::make_unique<WriteLock>(folder);
  const fs::path manifest = path(kManifest);
  m_hadResults = isThere(manifest);
  if (m_hadResults && !isManifest(manifest)) refuse(manifest, "was not written by touchstone-cli and stays");
  if (m_hadResults && earlier == Earlier::Keep)
    throw std::invalid_argument(folder + ": holds an earlier run; choose another folder or give --force");
  for (const std::string& file : files)
    if (isThere(path(file)) && !(m_hadResults && isOurs(path(file))))
      refuse(path(file), "was not written by touchstone-cli and stays");
}

std::string ResultFolder::path(const std::string& file) const { return (fs::path(m_folder) / file).string(); }

void ResultFolder::removeOthers(const std::vector<std::string>& written) const {
  std::error_code ignored;
  std::vector<std::string> files = m_files;
  for (const auto& entry : fs::directory_iterator(m_folder, ignored))  // of panes with other names
    if (entry.path().filename().string().rfind("poses", 0) == 0)
      files.push_back(entry.path().filename().string());
  for (const std::string& file : files) {
    if (!std::count(written.begin(), written.end(), file) && isOurs(path(file)))
      fs::remove(path(file), ignored);
    for (int number = 1; isOurs(partName(path(file), number)); ++number)  // of a killed run
      fs::remove(partName(path(file), number), ignored);
  }
}

}  // namespace touchstone::cli
