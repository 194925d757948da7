#include <assimp/scene.h>

#include <algorithm>
#include <assimp/IOStream.hpp>
#include <assimp/IOSystem.hpp>
#include <assimp/Importer.hpp>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <map>
#include <new>
#include <sstream>
#include <stdexcept>

#include "core/files/file_bytes.h"
#include "core/files/scene_error.h"
#include "core/files/text_forms.h"
#include "core/shape/mesh_bytes.h"
#include "core/shape/mesh_readers.h"
#include "core/shape/polygon_collector.h"

namespace touchstone {

namespace {

namespace fs = std::filesystem;

/// A file in memory. Some of the library's readers loop forever if a file ends early. After more calls than
/// any reader needs, the next call throws, and the library reports a bad file.
class GuardedStream : public Assimp::IOStream {
 public:
  explicit GuardedStream(std::string bytes) : m_bytes(std::move(bytes)) {}

  std::size_t Read(void* target, std::size_t size, std::size_t count) override {
    countCall();
    if (size == 0) return 0;
    const std::size_t read = std::min(count, (m_bytes.size() - m_place) / size);
    std::memcpy(target, m_bytes.data() + m_place, read * size);
    m_place += read * size;
    return read;
  }
  aiReturn Seek(std::size_t offset, aiOrigin origin) override {
    countCall();
    const std::size_t base = origin == aiOrigin_SET ? 0 : origin == aiOrigin_CUR ? m_place : m_bytes.size();
    if (offset > m_bytes.size() - base) return aiReturn_FAILURE;
    m_place = base + offset;
    return aiReturn_SUCCESS;
  }
  std::size_t Tell() const override { return m_place; }
  std::size_t FileSize() const override { return m_bytes.size(); }
  std::size_t Write(const void*, std::size_t, std::size_t) override { return 0; }
  void Flush() override {}

 private:
  void countCall() {
    if (++m_calls > 100'000 + m_bytes.size()) throw std::runtime_error("the file ends too early");
  }

  std::string m_bytes;
  std::size_t m_place = 0, m_calls = 0;
};

/// Opens regular files inside one folder for reading, and records their names.
class FolderOnly : public Assimp::IOSystem {
 public:
  /// @param prepared  contents that replace files, by path
  FolderOnly(fs::path folder, const std::map<std::string, std::string>& prepared)
      : m_folder(std::move(folder)), m_prepared(prepared) {}

  bool Exists(const char* name) const override {
    const fs::path path = resolved(name);
    return m_prepared.count(path.string()) > 0 || allowed(path);
  }
  char getOsSeparator() const override { return '/'; }
  void Close(Assimp::IOStream* stream) override { delete stream; }
  Assimp::IOStream* Open(const char* name, const char* mode) override {
    const fs::path path = resolved(name);
    if (std::string(mode).find_first_of("wa+") != std::string::npos) return nullptr;
    if (const auto ready = m_prepared.find(path.string()); ready != m_prepared.end())
      return new GuardedStream(ready->second);
    if (!allowed(path)) return nullptr;
    if (std::find(m_opened.begin(), m_opened.end(), path.string()) == m_opened.end())
      m_opened.push_back(path.string());
    return new GuardedStream(readFile(path.string(), "check the mesh"));
  }
  /// Names of the opened files.
  const std::vector<std::string>& opened() const { return m_opened; }

 private:
  fs::path resolved(const char* name) const {
    std::error_code error;
    const fs::path path =
        fs::weakly_canonical(m_folder / name, error);  // an absolute name replaces the folder
    return error ? fs::path() : path;
  }
  bool allowed(const fs::path& path) const {
    std::error_code error;
    const auto place = std::mismatch(m_folder.begin(), m_folder.end(), path.begin(), path.end());
    return place.first == m_folder.end() && fs::is_regular_file(path, error) &&
           fs::file_size(path, error) <= kMostFileBytes;
  }

  fs::path m_folder;
  const std::map<std::string, std::string>& m_prepared;
  std::vector<std::string> m_opened;
};

void addPolygons(const aiMesh& part, const aiMatrix4x4& transform, PolygonCollector& polygons) {
  for (unsigned face = 0; face < part.mNumFaces; ++face) {
    const aiFace& polygon = part.mFaces[face];
    polygons.add(polygon.mNumIndices, [&](std::size_t corner) -> PolygonCorner {
      if (polygon.mIndices[corner] >= part.mNumVertices) polygons.failMissingVertex();
      const aiVector3D point = transform * part.mVertices[polygon.mIndices[corner]];
      return {point.x, point.y, point.z};
    });
  }
}

void addPolygons(const aiScene& scene, const aiNode& node, const aiMatrix4x4& parent,
                 PolygonCollector& polygons) {
  const aiMatrix4x4 transform = parent * node.mTransformation;
  for (unsigned index = 0; index < node.mNumMeshes; ++index)
    addPolygons(*scene.mMeshes[node.mMeshes[index]], transform, polygons);
  for (unsigned child = 0; child < node.mNumChildren; ++child)
    addPolygons(scene, *node.mChildren[child], transform, polygons);
}

/// A mesh file for the library: contents that it reads instead of files, by file name.
struct PreparedMesh {
  std::map<std::string, std::string> files;
  std::string main;
};

/// A file that the library reads from `bytes`. The library chooses its importer by the extension.
PreparedMesh preparedMesh(const fs::path& canonical, const char* extension, std::string bytes) {
  std::string name = canonical.string();
  if (lowerExtensionOf(name) != extension) name += extension;
  return {{{name, std::move(bytes)}}, name};
}

/// @param files  out: names of further files that were opened are appended
void readWithLibrary(const std::string& path, const fs::path& canonical, const PreparedMesh& prepared,
                     PolygonCollector& polygons, std::vector<std::string>& files) {
  Assimp::Importer importer;
  auto* opener = new FolderOnly(canonical.parent_path(), prepared.files);
  importer.SetIOHandler(opener);  // takes ownership
  const aiScene* scene = nullptr;
  std::string reason;
  try {
    scene = importer.ReadFile(prepared.main, 0);
    reason = importer.GetErrorString();
  } catch (const std::exception& error) {
    reason = error.what();
  }
  if (reason.find("bad_alloc") != std::string::npos) throw std::bad_alloc();
  if (!scene || !scene->mRootNode)
    throw SceneError(path, "", "cannot be understood as a mesh (" + reason.substr(0, reason.find('\n')) + ")",
                     kExportRemedy);
  addPolygons(*scene, *scene->mRootNode, aiMatrix4x4(), polygons);
  files.insert(files.end(), opener->opened().begin(), opener->opened().end());
}

fs::path canonicalPath(const std::string& path) { return fs::weakly_canonical(fs::absolute(path)); }

void readObj(const std::string& bytes, const std::string& path, PolygonCollector& polygons,
             std::vector<std::string>& files) {
  const fs::path canonical = canonicalPath(path);
  readWithLibrary(path, canonical, preparedMesh(canonical, ".obj", objGeometry(bytes)), polygons, files);
}

void readStl(const std::string& bytes, const std::string& path, PolygonCollector& polygons,
             std::vector<std::string>& files) {
  const fs::path canonical = canonicalPath(path);
  readWithLibrary(path, canonical, preparedMesh(canonical, ".stl", bytes), polygons, files);
}

void readGltf(const std::string& bytes, const std::string& path, PolygonCollector& polygons,
              std::vector<std::string>& files) {
  const fs::path canonical = canonicalPath(path);
  readWithLibrary(path, canonical, preparedMesh(canonical, ".gltf", gltfGeometry(bytes, path, "")), polygons,
                  files);
}

void readGlb(const std::string& bytes, const std::string& path, PolygonCollector& polygons,
             std::vector<std::string>& files) {
  const fs::path canonical = canonicalPath(path);
  const GlbParts parts = partsOfGlb(bytes, path);
  const std::string document = canonical.string() + ".gltf", buffer = canonical.string() + ".bin";
  const PreparedMesh prepared{
      {{document, gltfGeometry(parts.document, path, fs::path(buffer).filename().string())},
       {buffer, parts.buffer}},
      document};
  readWithLibrary(path, canonical, prepared, polygons, files);
}

bool isText(const std::string& bytes) { return bytes.find('\0') == std::string::npos; }

/// True if a text has a line with a corner and one with a face.
bool isObj(const std::string& bytes) {
  if (!isText(bytes)) return false;
  bool hasCorner = false, hasFace = false;
  std::istringstream lines(bytes);
  for (std::string line; !(hasCorner && hasFace) && std::getline(lines, line);) {
    std::istringstream words(line);
    std::string keyword;
    double x = 0, y = 0, z = 0;
    words >> keyword;
    hasCorner = hasCorner || (keyword == "v" && words >> x >> y >> z);
    hasFace = hasFace || (keyword == "f" && words >> x);
  }
  return hasCorner && hasFace;
}

/// True for the text form, and for a binary form whose size is that of its triangles.
bool isStl(const std::string& bytes) {
  constexpr std::size_t kHeader = 80, kStart = kHeader + 4, kTriangle = 50;
  if (bytes.size() > kStart) {
    std::uint32_t triangles = 0;
    for (std::size_t byte = 0; byte < 4; ++byte)
      triangles |= std::uint32_t(static_cast<unsigned char>(bytes[kHeader + byte])) << 8 * byte;
    if (bytes.size() - kStart == kTriangle * triangles) return true;
  }
  const std::size_t first = std::min(bytes.find_first_not_of(" \t\r\n"), bytes.size());
  return bytes.compare(first, 5, "solid") == 0 && isText(bytes) && bytes.find("facet") != std::string::npos;
}

bool isGltf(const std::string& bytes) {
  const std::size_t first = std::min(bytes.find_first_not_of(" \t\r\n"), bytes.size());
  return bytes.compare(first, 1, "{") == 0 && bytes.find("\"asset\"") != std::string::npos;
}

bool isGlb(const std::string& bytes) { return bytes.compare(0, 4, "glTF") == 0; }

}  // namespace

MeshReader objReader() { return {"OBJ", {".obj"}, isObj, readObj, nullptr}; }

MeshReader stlReader() { return {"STL", {".stl"}, isStl, readStl, nullptr}; }

MeshReader gltfReader() { return {"glTF", {".gltf"}, isGltf, readGltf, nullptr}; }

MeshReader glbReader() { return {"glTF", {".glb"}, isGlb, readGlb, nullptr}; }

}  // namespace touchstone
