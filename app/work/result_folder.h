#pragma once

#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "core/files/write_lock.h"

namespace touchstone {

inline constexpr char kManifest[] = "manifest.json";

/// Record of the files that this program wrote into a folder, kept in a manifest: the member `files` gives
/// the SHA-256 of each file by name. While they are being written, `writing` names them. A file is ours if
/// its bytes have that hash. After a kill it is also ours if `writing` names it and it begins like a file of
/// this program. All other files belong to the user, whatever their names and contents.
class FileLedger {
 public:
  using Json = nlohmann::ordered_json;
  /// @param manifest  name of the manifest in the folder, which may not exist
  /// @throws std::invalid_argument if it is the file of another program
  explicit FileLedger(const std::string& folder, const std::string& manifest = kManifest);

  bool exists() const { return m_exists; }
  /// True while a program writes files, or after a kill.
  bool isWriting() const { return !m_writing.empty(); }
  bool isOurs(const std::string& file) const;
  /// @throws std::invalid_argument if the file exists and is not ours
  void requireOurs(const std::string& file) const;
  /// @throws std::invalid_argument naming a file of the manifest that has been changed since
  void requireUnchanged() const;
  /// Names in the manifest.
  std::vector<std::string> files() const;
  /// Writes the manifest, in which `writing` names these files.
  void announce(Json manifest, const std::vector<std::string>& writing) const;
  /// Writes the manifest with the hashes of these files.
  void record(Json manifest, const std::vector<std::string>& written) const;

 private:
  std::string path(const std::string& file) const;
  bool isInside(const std::string& file) const;
  void write(const Json& manifest) const;
  std::string m_folder, m_manifest;
  bool m_exists = false, m_isChanged = false, m_hasHashes = false;
  std::map<std::string, std::string> m_hashes;
  std::set<std::string> m_writing;
};

/// A folder for the results of one run, map or study, locked during the lifetime of the object. Earlier
/// results of this program may be replaced with `force`, file by file; other files never are.
class ResultFolder {
 public:
  enum class Earlier { Keep, Replace };
  /// @param files  names of all files that may be written, except the manifest
  /// @throws std::invalid_argument if it has earlier results that must be kept, or a file that is not ours
  /// @throws std::runtime_error if it cannot be created   @throws InUse
  ResultFolder(const std::string& folder, Earlier earlier, const std::vector<std::string>& files,
               const std::string& manifest = kManifest);

  std::string path(const std::string& file) const;
  bool hadResults() const { return m_ledger->exists(); }
  /// Writes an unfinished manifest. Call it before the first file gets its name.
  void announce(const nlohmann::ordered_json& manifest) const;
  /// Removes files of earlier results that were not written again, and writes the manifest.
  void finish(const nlohmann::ordered_json& manifest, const std::vector<std::string>& written) const;

 private:
  void removeOthers(const std::vector<std::string>& written) const;
  std::string m_folder;
  std::vector<std::string> m_files;
  std::unique_ptr<WriteLock> m_lock;
  std::unique_ptr<FileLedger> m_ledger;
};

/// True if a file begins like a file that this program exports: its heading or its mark.
bool isExported(const std::string& file);

/// @throws std::runtime_error if the folder does not exist and cannot be created
void createFolder(const std::string& folder);

}  // namespace touchstone
