#pragma once

#include <cstddef>
#include <memory>
#include <string>

namespace touchstone {

/// A file as it was read: recordings carry it, so that they stand alone.
struct SourceFile {
  std::string hash;  ///< FNV-1a of the bytes, 16 hexadecimal digits
  std::shared_ptr<const std::string> bytes;
};

constexpr std::size_t kMostFileBytes = std::size_t(64) << 20;

/// Whole contents of a regular file of at most kMostFileBytes; no pipe, device or folder is opened.
/// @param remedy  what to do where it cannot be read   @throws SceneError
std::string readFile(const std::string& path, const char* remedy);

/// FNV-1a of the bytes, 16 hexadecimal digits.
std::string hashOf(const std::string& bytes);

/// The same with its hash. @throws SceneError
SourceFile readSource(const std::string& path, const char* remedy);

}  // namespace touchstone
