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
    if (!json.is_object()) return false;
    for (const char* key : {"touchstone_manifest", "touchstone_map", "touchstone_motion", "touchstone_judge",
                            "touchstone_ensemble", "touchstone_study_manifest", "touchstone_card_manifest"})
      if (json.contains(key)) return true;
    return false;
  } catch (const SceneError&) {
    return false;
  }
}

/// True if a picture says that this program drew it: PDF has texts in UTF-16.
bool isOurPicture(const fs::path& path) {
  const std::string name = "Touchstone", kind = path.extension().string();
  if (kind != ".png" && kind != ".svg" && kind != ".pdf") return false;
  // Bytes in which pictures name their maker, after their title. More are slower to read; fewer miss it
  // behind a long title.
  constexpr std::size_t kHead = 4096;
  std::string head(kHead, '\0');
  std::ifstream in(path, std::ios::binary);
  in.read(head.data(), static_cast<std::streamsize>(head.size()));
  head.resize(static_cast<std::size_t>(in.gcount()));
  std::string wide;
  for (char letter : name) wide += std::string(1, '\0') + letter;
  return head.find(name) != std::string::npos || head.find(wide) != std::string::npos;
}

/// True if a file begins like the files of this program: tables with their columns, texts with their first
/// words.
bool isOurs(const fs::path& path) {
  std::error_code ignored;
  if (!fs::is_regular_file(path, ignored)) return false;
  if (isOurPicture(path)) return true;
  char bytes[200] = {};
  std::ifstream(path, std::ios::binary).read(bytes, sizeof bytes - 1);
  const std::string head = bytes, line = head.substr(0, head.find('\n'));
  for (const char* with :
       {"time_s,frame,", "time_s,a,b,", "time_s,pane,", "pane,body_a,", "pane,dt_s,seed,", "toss,pane,",
        "Motion ", "# touchstone_", "Scene ", "Conformance card", "phenomenon,measure,", "% Touchstone, ",
        "time_s,method,", "method,copy,", "quantity,a,b,", "<!-- Written by Touchstone"})
    if (head.rfind(with, 0) == 0) return true;
  return line.find("diverged_at_s,depth_max_m") != std::string::npos ||
         line.find("_median,kept_aside_median") != std::string::npos ||
         head.find("\"Starts as toss ") != std::string::npos ||
         head.find("\"touchstone_card\"") != std::string::npos ||
         head.find("<title>Conformance card") != std::string::npos;
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
  for (const auto& entry : fs::directory_iterator(m_folder, ignored)) {  // of panes with other names
    const std::string name = entry.path().filename().string();
    if (name.rfind("poses", 0) != 0 && name.rfind("pose-contacts", 0) != 0) continue;
    files.push_back(name);
    if (!entry.is_directory(ignored)) continue;
    for (const auto& inside : fs::directory_iterator(entry.path(), ignored))  // of copies
      files.push_back(name + "/" + inside.path().filename().string());
  }
  for (const std::string& file : files) {
    if (!std::count(written.begin(), written.end(), file) && isOurs(path(file)))
      fs::remove(path(file), ignored);
    for (int number = 1; isOurs(partName(path(file), number)); ++number)  // of a killed run
      fs::remove(partName(path(file), number), ignored);
  }
}

}  // namespace touchstone::cli
