#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/files/write_lock.h"

namespace touchstone::cli {

inline constexpr char kManifest[] = "manifest.json";

/// A folder for the results of one run, map or study, claimed for as long as it lives. What a program of this
/// kind wrote there earlier may be replaced if `force` says so, file by file; a foreign file never is.
class ResultFolder {
 public:
  enum class Earlier { Keep, Replace };
  /// @param files  all that may be written, without manifest.json
  /// @throws std::invalid_argument if it holds earlier results that are to be kept, or a foreign file of such
  /// a name
  /// @throws std::runtime_error if it cannot be made   @throws InUse
  ResultFolder(const std::string& folder, Earlier earlier, const std::vector<std::string>& files);

  std::string path(const std::string& file) const;
  bool hadResults() const { return m_hadResults; }
  /// Removes what earlier results had and these have not, before a manifest says what is there.
  void removeOthers(const std::vector<std::string>& written) const;

 private:
  std::string m_folder;
  std::vector<std::string> m_files;
  bool m_hadResults = false;
  std::unique_ptr<WriteLock> m_lock;
};

/// @throws std::invalid_argument if there is a file of that name that no program of this kind wrote
void requireReplaceable(const std::string& file);

/// @throws std::runtime_error if the folder neither is there nor can be made
void createFolder(const std::string& folder);

}  // namespace touchstone::cli
