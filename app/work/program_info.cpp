#include "app/work/program_info.h"

#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "core/files/scene_error.h"

namespace touchstone {

namespace fs = std::filesystem;

void printProgress(double share) {
  static const bool terminal = isatty(STDERR_FILENO) != 0;
  static int shown = -1;
  const int percent = static_cast<int>(100 * share);
  if (!terminal || percent == shown) return;
  shown = percent;
  std::fprintf(stderr, "\r%d %%%s", percent, percent >= 100 ? "\n" : "");
}

double processMemory(const std::string& key) {
  std::ifstream status("/proc/self/status");
  std::string word;
  while (status >> word)
    if (word == key + ":") {
      double kibibytes = 0;
      status >> kibibytes;
      return 1024 * kibibytes;
    }
  return -1;
}

fs::path programFolder() {
  std::error_code ignored;
  return fs::read_symlink("/proc/self/exe", ignored).parent_path();
}

std::string datasetsFolder() {
  if (const char* folder = std::getenv("TOUCHSTONE_DATASETS")) return folder;
  std::error_code ignored;
  const fs::path installed = programFolder() / ".." / "share" / "touchstone" / "datasets";
  if (fs::exists(installed / "scenes", ignored)) return installed.lexically_normal().string();
  return TS_DATASETS_DIR;
}

std::vector<std::string> sceneFolders() {
  return {datasetsFolder() + "/scenes", datasetsFolder() + "/battery/scenes"};
}

std::string resolveScene(const std::string& nameOrPath) {
  std::error_code ignored;  // for invalid names, which are not files
  if (fs::is_regular_file(nameOrPath, ignored)) return nameOrPath;
  for (const std::string& folder : sceneFolders()) {
    const fs::path shipped = fs::path(folder) / (nameOrPath + ".json");
    if (fs::is_regular_file(shipped, ignored)) return shipped.string();
  }
  throw SceneError(nameOrPath, "", "is neither a file nor a shipped scene",
                   "give a path, or one of the names that `touchstone-cli list` prints");
}

}  // namespace touchstone
