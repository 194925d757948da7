#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/files/write_lock.h"

namespace touchstone::cli {

inline constexpr char kManifest[] = "manifest.json";

/// A folder for the results of one run, map or study, locked during the lifetime of the object. Earlier
/// results of this program may be replaced with `force`, file by file; other files never are.
class ResultFolder {
 public:
  enum class Earlier { Keep, Replace };
  /// @param files  names of all files that may be written, except manifest.json
  /// @throws std::invalid_argument if it has earlier results that must be kept, or another program's file of
  /// such a name
  /// @throws std::runtime_error if it cannot be created   @throws InUse
  ResultFolder(const std::string& folder, Earlier earlier, const std::vector<std::string>& files);

  std::string path(const std::string& file) const;
  bool hadResults() const { return m_hadResults; }
  /// Removes files of earlier results that were not written again. Call it before the manifest lists the
  /// files.
  void removeOthers(const std::vector<std::string>& written) const;

 private:
  std::string m_folder;
  std::vector<std::string> m_files;
  bool m_hadResults = false;
  std::unique_ptr<WriteLock> m_lock;
};

/// @throws std::invalid_argument if a file of that name exists that this program did not write
void requireReplaceable(const std::string& file);

/// @throws std::runtime_error if the folder does not exist and cannot be created
void createFolder(const std::string& folder);

}  // namespace touchstone::cli
