#include "core/shape/mesh_file.h"

#include <assimp/scene.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <array>
#include <assimp/IOStream.hpp>
#include <assimp/IOSystem.hpp>
#include <assimp/Importer.hpp>
#include <cctype>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <map>
#include <new>
#include <stdexcept>

#include "core/files/file_bytes.h"
#include "core/files/scene_error.h"
#include "core/math/count.h"
#include "core/shape/mesh_bytes.h"
#include "core/shape/mesh_repair.h"

namespace touchstone {

namespace {

namespace fs = std::filesystem;

// Of one polygon. The cost of cutting ears is cubic in it: a larger value makes loading slow, a smaller one
// refuses more files.
constexpr unsigned kMaxCorners = 1000;
// [m] As kLargestComponent of JsonView: products of larger coordinates lose all digits; a smaller value
// refuses large scenes.
constexpr double kLargestCoordinate = 1e9;

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

/// Collects triangles and joins vertices that are bitwise equal. The library's own joining has a tolerance
/// and would close narrow slits.
class Collector {
 public:
  Collector(const std::string& path, double scale, TriangleMesh& mesh)
      : m_path(path), m_scale(scale), m_mesh(mesh) {}

  void add(const PlyMesh& ply) {
    for (const std::vector<double>& face : ply.faces) {
      if (face.size() < 3) continue;
      requireCapacity(face.size());
      std::vector<int> corners;
      for (double vertex : face) {
        if (!(vertex >= 0 && vertex < static_cast<double>(ply.vertices.size()) &&
              vertex == std::floor(vertex)))
          fail("names a vertex that does not exist");
        const auto& [x, y, z] = ply.vertices[vertex];
        corners.push_back(
            number(aiVector3D(static_cast<float>(x), static_cast<float>(y), static_cast<float>(z))));
      }
      cutIntoTriangles(corners);
    }
  }

  void add(const aiScene& scene, const aiNode& node, const aiMatrix4x4& parent) {
    const aiMatrix4x4 transform = parent * node.mTransformation;
    for (unsigned index = 0; index < node.mNumMeshes; ++index)
      add(*scene.mMeshes[node.mMeshes[index]], transform);
    for (unsigned child = 0; child < node.mNumChildren; ++child)
      add(scene, *node.mChildren[child], transform);
  }

 private:
  void add(const aiMesh& part, const aiMatrix4x4& transform) {
    for (unsigned face = 0; face < part.mNumFaces; ++face) {
      const aiFace& polygon = part.mFaces[face];
      if (polygon.mNumIndices < 3) continue;  // points and lines have no area
      requireCapacity(polygon.mNumIndices);
      std::vector<int> corners;
      for (unsigned corner = 0; corner < polygon.mNumIndices; ++corner) {
        if (polygon.mIndices[corner] >= part.mNumVertices) fail("names a vertex that does not exist");
        corners.push_back(number(transform * part.mVertices[polygon.mIndices[corner]]));
      }
      cutIntoTriangles(corners);
    }
  }

  void requireCapacity(std::size_t corners) const {
    if (corners > kMaxCorners) fail("is part of a polygon of more than 1000 corners");
    if (m_mesh.triangles.size() + corners - 2 > kMostTriangles)
      throw SceneError(m_path, "", "has more than 2 million triangles", "simplify the mesh");
  }

  /// Cuts a polygon into triangles, one ear after the other. An ear is a corner that is convex about the
  /// polygon's normal and whose triangle contains no other corner. The library's own triangulation crashes on
  /// some malformed files.
  void cutIntoTriangles(std::vector<int> corners) {
    Vec3 normal = Vec3::Zero();
    for (std::size_t k = 1; k + 1 < corners.size(); ++k)
      normal += (at(corners[k]) - at(corners[0])).cross(at(corners[k + 1]) - at(corners[0]));
    while (corners.size() > 3) {
      const std::size_t count = corners.size();
      std::size_t ear = 0;
      while (ear < count && !isEar(corners, ear, normal)) ++ear;
      if (ear == count) fail("is part of a polygon that crosses itself or has no area");
      m_mesh.triangles.push_back({corners[ear], corners[(ear + 1) % count], corners[(ear + 2) % count]});
      corners.erase(corners.begin() + static_cast<std::ptrdiff_t>((ear + 1) % count));
    }
    m_mesh.triangles.push_back({corners[0], corners[1], corners[2]});
  }

  /// True if the corner after `first` is an ear.
  bool isEar(const std::vector<int>& corners, std::size_t first, const Vec3& normal) const {
    const std::size_t count = corners.size();
    const int a = corners[first], b = corners[(first + 1) % count], c = corners[(first + 2) % count];
    const auto side = [&](int tail, int head, int point) {
      return (at(head) - at(tail)).cross(at(point) - at(tail)).dot(normal);
    };
    if (!(side(a, b, c) > 0)) return false;
    return std::none_of(corners.begin(), corners.end(), [&](int corner) {
      return corner != a && corner != b && corner != c && side(a, b, corner) >= 0 &&
             side(b, c, corner) >= 0 && side(c, a, corner) >= 0;
    });
  }

  const Vec3& at(int vertex) const { return m_mesh.vertices[vertex]; }

  int number(const aiVector3D& p) {
    // Adding zero turns −0 into 0, so that both are one vertex.
    const std::array<double, 3> key = {m_scale * p.x + 0.0, m_scale * p.y + 0.0, m_scale * p.z + 0.0};
    const Vec3 point(key[0], key[1], key[2]);
    if (!isWithin(point, kLargestCoordinate)) fail("has a corner that is not finite or beyond 1e9 m");
    const auto inserted = m_numbers.insert({key, countOf(m_mesh.vertices)});
    if (inserted.second) m_mesh.vertices.push_back(point);
    return inserted.first->second;
  }

  [[noreturn]] void fail(const std::string& problem) const {
    throw SceneError(m_path, "triangles[" + std::to_string(m_mesh.triangles.size()) + "]", problem,
                     "repair the mesh");
  }

  const std::string& m_path;
  double m_scale;
  TriangleMesh& m_mesh;
  std::map<std::array<double, 3>, int> m_numbers;
};

std::vector<Vec3> unscaled(std::vector<Vec3> vertices, double scale) {
  for (Vec3& vertex : vertices) vertex /= scale;
  return vertices;
}

/// Contents that the library reads instead of files, by file name.
struct Prepared {
  std::map<std::string, std::string> files;
  std::string main;
};

Prepared prepared(const std::string& name, const std::string& extension, std::string bytes,
                  const std::string& path) {
  if (extension == ".obj") bytes = objGeometry(bytes);
  if (extension == ".gltf") bytes = gltfGeometry(bytes, path, "");
  if (extension != ".glb") return {{{name, bytes}}, name};
  const GlbParts parts = partsOfGlb(bytes, path);
  const std::string document = name + ".gltf", buffer = name + ".bin";
  return {{{document, gltfGeometry(parts.document, path, fs::path(buffer).filename().string())},
           {buffer, parts.buffer}},
          document};
}

std::string anyLowerExtension(const std::string& path) {
  std::string extension = fs::path(path).extension().string();
  std::transform(extension.begin(), extension.end(), extension.begin(),
                 [](unsigned char letter) { return static_cast<char>(std::tolower(letter)); });
  return extension;
}

std::string lowerExtension(const std::string& path) {
  const std::string extension = anyLowerExtension(path);
  static const std::array<const char*, 5> kKnown = {".obj", ".stl", ".ply", ".gltf", ".glb"};
  if (std::none_of(kKnown.begin(), kKnown.end(), [&](const char* known) { return extension == known; }))
    throw SceneError(path, "", "has an unknown mesh format",
                     "use OBJ, STL, PLY or glTF (.obj, .stl, .ply, .gltf, .glb)");
  return extension;
}

/// @param files  out: names of further files that were opened are appended
void readWithLibrary(const std::string& path, const std::string& extension, const std::string& bytes,
                     Collector& collector, std::vector<std::string>& files) {
  const fs::path canonical = fs::weakly_canonical(fs::absolute(path));
  const Prepared ready = prepared(canonical.string(), extension, bytes, path);
  Assimp::Importer importer;
  auto* opener = new FolderOnly(canonical.parent_path(), ready.files);
  importer.SetIOHandler(opener);  // takes ownership
  const aiScene* scene = nullptr;
  std::string reason;
  try {
    scene = importer.ReadFile(ready.main, 0);
    reason = importer.GetErrorString();
  } catch (const std::exception& error) {
    reason = error.what();
  }
  if (reason.find("bad_alloc") != std::string::npos) throw std::bad_alloc();
  if (!scene || !scene->mRootNode)
    throw SceneError(path, "", "cannot be understood as a mesh (" + reason.substr(0, reason.find('\n')) + ")",
                     "export it again, for example as OBJ");
  collector.add(*scene, *scene->mRootNode, aiMatrix4x4());
  files.insert(files.end(), opener->opened().begin(), opener->opened().end());
}

/// Drops triangles without area and builds the topology. @return the fault, or empty
std::string complete(MeshFile& file) {
  file.withoutArea = dropTrianglesWithoutArea(file.mesh);
  return file.mesh.triangles.empty() ? "has no triangle with an area" : buildTopology(file.mesh);
}

/// @param files  out: the file and those that it refers to are appended
void readTriangles(const std::string& path, const std::string& extension, double scale, TriangleMesh& mesh,
                   std::vector<std::string>& files) {
  const std::string bytes = readFile(path, "check the path; meshes are found relative to the scene file");
  files.push_back(fs::weakly_canonical(fs::absolute(path)).string());
  Collector collector(path, scale, mesh);
  if (extension == ".ply")
    collector.add(readPly(bytes, path));
  else
    readWithLibrary(path, extension, bytes, collector, files);
  if (mesh.triangles.empty())
    throw SceneError(path, "", "has no triangles", "export the surface, not points or lines");
}

}  // namespace

std::vector<Vec3> loadMeshCorners(const std::string& path, std::vector<std::string>& files) {
  if (anyLowerExtension(path) == ".dae") {
    const std::string bytes = readFile(path, "check the path; meshes are found relative to the scene file");
    files.push_back(fs::weakly_canonical(fs::absolute(path)).string());
    return cornersOfCollada(bytes, path);
  }
  TriangleMesh mesh;
  readTriangles(path, lowerExtension(path), 1, mesh, files);
  return mesh.vertices;
}

MeshFile loadMesh(const std::string& path, double scale) {
  MeshFile exact;
  readTriangles(path, lowerExtension(path), scale, exact.mesh, exact.files);
  exact.triangles = exact.mesh.triangles.size();
  exact.precision = scale * precisionOf(unscaled(exact.mesh.vertices, scale));
  MeshFile joined = exact;
  const std::string problem = complete(exact);
  if (problem.empty() && exact.mesh.closed) return exact;
  joined.joined = joinOpenCorners(joined.mesh, joined.precision);
  if (joined.joined > 0 && complete(joined).empty() && joined.mesh.closed) return joined;
  if (!problem.empty()) throw SceneError(path, "", problem, "repair the mesh, for example in a mesh editor");
  return exact;
}

}  // namespace touchstone
