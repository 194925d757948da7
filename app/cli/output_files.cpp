#include "app/cli/output_files.h"

#include <fstream>
#include <stdexcept>

namespace touchstone::cli {

namespace fs = std::filesystem;

void createFolder(const std::string& folder) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (error)
    throw std::runtime_error(folder + ": cannot be created (" + error.message() + "); choose another folder");
}

void prepareResults(const std::string& folder, bool force) {
  if (!force && fs::exists(fs::path(folder) / "manifest.json"))
    throw std::invalid_argument(folder + ": holds an earlier run; choose another folder or give --force");
  createFolder(folder);
}

void writeFile(const fs::path& path, const std::function<void(std::ostream& out)>& write) {
  const fs::path part = path.string() + ".part";
  {
    std::ofstream out(part);
    write(out);
    out.flush();
    if (!out) cannotWrite(path);
  }
  fs::rename(part, path);
}

void cannotWrite(const fs::path& path) {
  throw std::runtime_error(path.string() +
                           ": cannot be written; check the free space and the rights of the folder");
}

}  // namespace touchstone::cli
