#pragma once

#include <filesystem>
#include <functional>
#include <iosfwd>
#include <string>

namespace touchstone::cli {

/// @throws std::runtime_error if the folder neither is there nor can be made
void createFolder(const std::string& folder);
/// A folder for results with their manifest.json.
/// @throws std::invalid_argument if it holds earlier ones and `force` is not given
void prepareResults(const std::string& folder, bool force);
/// Writes to `<name>.part` and renames, so that a killed program leaves no half file under a final name.
/// @throws std::runtime_error if it cannot be written
void writeFile(const std::filesystem::path& path, const std::function<void(std::ostream& out)>& write);
/// What all of these say of a file. @throws std::runtime_error
[[noreturn]] void cannotWrite(const std::filesystem::path& path);

}  // namespace touchstone::cli
