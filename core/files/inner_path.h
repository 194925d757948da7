#pragma once

#include <algorithm>
#include <filesystem>

namespace touchstone {

/// True if a path lies in a folder or below it. Links are followed, so that none leads out of the folder.
inline bool liesIn(const std::filesystem::path& folder, const std::filesystem::path& path) {
  namespace fs = std::filesystem;
  std::error_code ofFolder, ofPath;
  const fs::path above = fs::weakly_canonical(fs::absolute(folder.empty() ? "." : folder), ofFolder),
                 below = fs::weakly_canonical(fs::absolute(path), ofPath);
  return !ofFolder && !ofPath &&
         std::mismatch(above.begin(), above.end(), below.begin(), below.end()).first == above.end();
}

/// True if a name that a file gives stays below the folder that it is looked up in, whether it is there or
/// not.
inline bool staysBelow(const std::filesystem::path& name) {
  const std::filesystem::path plain = name.lexically_normal();
  return !plain.empty() && plain.is_relative() && *plain.begin() != "..";
}

}  // namespace touchstone
