#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <string>

namespace touchstone {

/// A file as it was read. Recordings contain it, so that they do not depend on other files.
struct SourceFile {
  std::string hash;  ///< FNV-1a of the bytes, 16 hexadecimal digits
  std::shared_ptr<const std::string> bytes;
};

/// Files by path relative to the folder of the scene file.
using SourceFiles = std::map<std::string, SourceFile>;

/// Largest file that is read. A larger value lets a wrong file fill the memory; a smaller one refuses large
/// meshes.
constexpr std::size_t kMostFileBytes = std::size_t(64) << 20;

/// The content of a regular file of at most kMostFileBytes. Pipes, devices and folders are not opened.
/// @param remedy  advice if the file cannot be read   @throws SceneError
std::string readFile(const std::string& path, const char* remedy);

/// FNV-1a of the bytes, 16 hexadecimal digits.
std::string hashOf(const std::string& bytes);

/// The content of a file with its hash. @throws SceneError
SourceFile readSource(const std::string& path, const char* remedy);

}  // namespace touchstone
