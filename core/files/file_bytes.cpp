#include "core/files/file_bytes.h"

#include <cstdio>
#include <filesystem>
#include <fstream>

#include "core/files/scene_error.h"

namespace touchstone {

// The size is checked while reading: some system files report no size and never end.
std::string readFile(const std::string& path, const char* remedy) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error))
    throw SceneError(path, "", "is no file that can be read", remedy);
  std::ifstream in(path, std::ios::binary);
  if (!in.is_open()) throw SceneError(path, "", "cannot be read", remedy);
  std::string bytes;
  // Bytes per read. A larger value only takes more memory; a smaller one makes reading slower.
  constexpr std::size_t kChunk = std::size_t(1) << 16;
  for (std::size_t read = kChunk; read == kChunk && bytes.size() <= kMostFileBytes;) {
    const std::size_t before = bytes.size();
    bytes.resize(before + kChunk);
    in.read(&bytes[before], kChunk);
    read = in.gcount();
    bytes.resize(before + read);
  }
  if (bytes.size() > kMostFileBytes)
    throw SceneError(path, "", "is larger than 64 MiB", "use a smaller file; simplify the mesh");
  if (in.bad()) throw SceneError(path, "", "cannot be read", remedy);
  return bytes;
}

std::string hashOf(const std::string& bytes) {
  unsigned long long hash = 14695981039346656037ull;
  for (unsigned char byte : bytes) hash = (hash ^ byte) * 1099511628211ull;
  char text[17];
  std::snprintf(text, sizeof text, "%016llx", hash);
  return text;
}

SourceFile readSource(const std::string& path, const char* remedy) {
  SourceFile source;
  source.bytes = std::make_shared<const std::string>(readFile(path, remedy));
  source.hash = hashOf(*source.bytes);
  return source;
}

}  // namespace touchstone
