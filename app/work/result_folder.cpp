#include "app/work/result_folder.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>

#include "core/files/file_bytes.h"
#include "core/files/json_file.h"
#include "core/files/scene_error.h"
#include "core/files/sha256.h"
#include "core/files/written_file.h"
#include "core/store/recorder.h"

namespace touchstone {

namespace {

namespace fs = std::filesystem;

bool isThere(const fs::path& path) {
  std::error_code ignored;
  return fs::exists(fs::symlink_status(path, ignored));
}

/// Members of which every manifest of this program has one.
constexpr const char* kManifestKinds[] = {"touchstone_manifest",      "touchstone_map",
                                          "touchstone_motion",        "touchstone_judge",
                                          "touchstone_ensemble",      "touchstone_study_manifest",
                                          "touchstone_card_manifest", "touchstone_cost_manifest",
                                          "touchstone_kit",           "touchstone_files"};

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
  head.resize(in.gcount());
  std::string wide;
  for (char letter : name) wide += std::string(1, '\0') + letter;
  return head.find(name) != std::string::npos || head.find(wide) != std::string::npos;
}

/// True if a file begins like the files of this program: tables with their columns, texts with their first
/// words.
bool beginsLikeOurs(const fs::path& path) {
  std::error_code ignored;
  if (!fs::is_regular_file(fs::symlink_status(path, ignored))) return false;
  if (isOurPicture(path) || mayBeReplaced(path.string())) return true;
  char bytes[4096] = {};  // more than a header of many axes
  std::ifstream(path, std::ios::binary).read(bytes, sizeof bytes - 1);
  const std::string head = bytes, line = head.substr(0, head.find('\n'));
  for (const char* with :
       {"time_s,frame,", "time_s,a,b,", "time_s,pane,", "pane,body_a,", "pane,dt_s,seed,", "toss,pane,",
        "Motion ", "# touchstone_", "Scene ", "Conformance card", "phenomenon,measure,", "% Touchstone, ",
        "time_s,method,", "method,copy,", "quantity,a,b,", "span,thrown,", "<!-- Written by Touchstone"})
    if (head.rfind(with, 0) == 0) return true;
  if (line.rfind("pane,", 0) == 0)  // tables of a study
    for (const char* column : {",frames,failed_at_s,", ",quantity,x,y", ",step_time_ms"})
      if (line.find(column) != std::string::npos) return true;
  return line.find("diverged_at_s,depth_max_m") != std::string::npos ||
         line.find("_median,kept_aside_median") != std::string::npos ||
         head.find("\"Starts as toss ") != std::string::npos ||
         head.find("\"touchstone_card\"") != std::string::npos ||
         head.find("\"touchstone_study_verdict\"") != std::string::npos ||
         head.find("<title>Conformance card") != std::string::npos;
}

[[noreturn]] void refuse(const std::string& path, const std::string& problem) {
  throw std::invalid_argument(path + ": " + problem + "; choose another place, or move it away");
}

/// A manifest without its hash.
std::string hashOfManifest(FileLedger::Json manifest, const std::string& name) {
  manifest["files"].erase(name);
  return sha256(manifest.dump(2, ' ', false, FileLedger::Json::error_handler_t::replace));
}

}  // namespace

bool isExported(const std::string& file) {
  char bytes[400] = {};
  std::ifstream(file, std::ios::binary).read(bytes, sizeof bytes - 1);
  const std::string head = bytes;
  const bool isPoses = head.rfind("# touchstone_trajectory", 0) == 0;
  return head.rfind("<!-- Written by Touchstone", 0) == 0 || head.rfind("# touchstone_world", 0) == 0 ||
         (isPoses && head.find("\n# engine: touchstone ") != std::string::npos);
}

FileLedger::FileLedger(const std::string& folder, const std::string& manifest)
    : m_folder(folder), m_manifest(manifest) {
  if (!isThere(path(manifest))) return;
  Json json;
  try {
    const std::string text = readFile(path(manifest), "");
    parseJson(text, path(manifest));  // refuses what the parser would accept
    json = Json::parse(text);
  } catch (const SceneError&) {
  }
  const bool isManifest =
      json.is_object() && std::any_of(std::begin(kManifestKinds), std::end(kManifestKinds),
                                      [&](const char* key) { return json.contains(key); });
  if (!isManifest) refuse(path(manifest), "was not written by touchstone-cli and stays");
  m_exists = true;
  const auto files = json.find("files"), writing = json.find("writing");
  if (files != json.end() && files->is_object()) {
    m_hasHashes = true;
    for (const auto& [file, hash] : files->items())
      if (hash.is_string()) m_hashes[file] = hash.get<std::string>();
    const auto manifestHash = m_hashes.find(manifest);
    m_isChanged = manifestHash != m_hashes.end() && manifestHash->second != hashOfManifest(json, manifest);
    m_hashes.erase(manifest);
  }
  if (writing != json.end() && writing->is_array())
    for (const Json& file : *writing)
      if (file.is_string()) m_writing.insert(file.get<std::string>());
}

std::string FileLedger::path(const std::string& file) const { return (fs::path(m_folder) / file).string(); }

/// False for a name that leads out of the folder, as a manifest of another author may have.
bool FileLedger::isInside(const std::string& file) const {
  const fs::path name = fs::path(file).lexically_normal();
  if (name.empty() || name.is_absolute() || *name.begin() == "..") return false;
  fs::path folder = m_folder;
  std::error_code ignored;
  for (const fs::path& part : name.parent_path())
    if (fs::is_symlink(fs::symlink_status(folder /= part, ignored))) return false;
  return true;
}

bool FileLedger::isOurs(const std::string& file) const {
  std::error_code ignored;
  if (!isInside(file) || !fs::is_regular_file(fs::symlink_status(path(file), ignored))) return false;
  const auto hash = m_hashes.find(file);
  if (hash != m_hashes.end() && sha256OfFile(path(file)) == hash->second) return true;
  return m_writing.count(file) > 0 && beginsLikeOurs(path(file));
}

void FileLedger::requireOurs(const std::string& file) const {
  if (!isThere(path(file)) || isOurs(file)) return;
  if (m_hashes.count(file)) refuse(path(file), "has been changed since it was written, and stays");
  if (m_exists && !m_hasHashes && m_writing.empty())
    refuse(path(file), "lies beside a manifest of an earlier version, which has no hash of it, and stays");
  refuse(path(file), "was not written by touchstone-cli and stays");
}

void FileLedger::requireUnchanged() const {
  if (m_isChanged) refuse(path(m_manifest), "has been changed since it was written, and stays");
  for (const auto& [file, hash] : m_hashes)
    if (isInside(file)) requireOurs(file);
}

std::vector<std::string> FileLedger::files() const {
  std::vector<std::string> files;
  for (const auto& [file, hash] : m_hashes) files.push_back(file);
  for (const std::string& file : m_writing)
    if (!m_hashes.count(file)) files.push_back(file);
  return files;
}

void FileLedger::announce(Json manifest, const std::vector<std::string>& writing) const {
  if (!m_hashes.empty()) manifest["files"] = m_hashes;
  manifest["writing"] = writing;
  write(manifest);
}

void FileLedger::record(Json manifest, const std::vector<std::string>& written) const {
  manifest["files"] = Json::object();
  for (const std::string& file : written)
    if (isThere(path(file))) manifest["files"][file] = sha256OfFile(path(file));
  const std::string hash = hashOfManifest(manifest, m_manifest);
  manifest["files"][m_manifest] = hash;
  write(manifest);
}

void FileLedger::write(const Json& manifest) const {
  writeWhole(path(m_manifest), [&](std::ostream& out) {
    out << manifest.dump(2, ' ', false, Json::error_handler_t::replace) << '\n';
  });
}

void createFolder(const std::string& folder) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (error)
    throw std::runtime_error(folder + ": cannot be created (" + error.message() + "); choose another folder");
}

ResultFolder::ResultFolder(const std::string& folder, Earlier earlier, const std::vector<std::string>& files,
                           const std::string& manifest)
    : m_folder(folder), m_files(files) {
  createFolder(folder);
  m_lock = std::make_unique<WriteLock>(folder);
  m_ledger = std::make_unique<FileLedger>(folder, manifest);
  if (m_ledger->exists() && earlier == Earlier::Keep)
    throw std::invalid_argument(folder + ": holds an earlier run; choose another folder or give --force");
  m_ledger->requireUnchanged();
  for (const std::string& file : files) m_ledger->requireOurs(file);
}

std::string ResultFolder::path(const std::string& file) const { return (fs::path(m_folder) / file).string(); }

void ResultFolder::announce(const nlohmann::ordered_json& manifest) const {
  m_ledger->announce(manifest, m_files);
}

void ResultFolder::finish(const nlohmann::ordered_json& manifest,
                          const std::vector<std::string>& written) const {
  removeOthers(written);
  m_ledger->record(manifest, written);
}

void ResultFolder::removeOthers(const std::vector<std::string>& written) const {
  std::error_code ignored;
  for (const std::string& file : m_ledger->files()) {
    if (!std::count(written.begin(), written.end(), file) && m_ledger->isOurs(file)) {
      fs::remove(path(file), ignored);
      for (fs::path below = fs::path(file).parent_path(); !below.empty(); below = below.parent_path())
        fs::remove(path(below.string()), ignored);  // fails if it is not empty
    }
    // A killed run leaves parts.
    for (int number = 1; beginsLikeOurs(partName(path(file), number)); ++number)
      fs::remove(partName(path(file), number), ignored);
  }
}

}  // namespace touchstone
