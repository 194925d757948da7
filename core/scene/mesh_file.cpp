#include "core/scene/mesh_file.h"

#include <assimp/scene.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <array>
#include <assimp/IOStream.hpp>
#include <assimp/IOSystem.hpp>
#include <assimp/Importer.hpp>
#include <cctype>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <stdexcept>

#include "core/scene/file_bytes.h"
#include "core/scene/scene_error.h"

namespace touchstone {

namespace {

namespace fs = std::filesystem;

constexpr unsigned kMaxCorners = 1000;      // of one polygon: cutting ears costs the cube of it
constexpr double kLargestCoordinate = 1e9;  // m

/// A file in memory. Some of the library's readers turn in a circle when a file ends early (a PLY header
/// without end, for one): after more calls than any reader needs, the next one throws, and the library
/// reports a bad file.
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

/// Opens regular files inside one folder, for reading, and remembers them.
class FolderOnly : public Assimp::IOSystem {
 public:
  explicit FolderOnly(fs::path folder) : m_folder(std::move(folder)) {}

  bool Exists(const char* name) const override { return allowed(resolved(name)); }
  char getOsSeparator() const override { return '/'; }
  void Close(Assimp::IOStream* stream) override { delete stream; }
  Assimp::IOStream* Open(const char* name, const char* mode) override {
    const fs::path path = resolved(name);
    if (!allowed(path) || std::string(mode).find_first_of("wa+") != std::string::npos) return nullptr;
    if (std::find(m_opened.begin(), m_opened.end(), path) == m_opened.end()) m_opened.push_back(path);
    return new GuardedStream(readFile(path.string(), "check the mesh"));
  }
  const std::vector<fs::path>& opened() const { return m_opened; }

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
  std::vector<fs::path> m_opened;
};

/// Collects triangles and joins vertices that are equal bit for bit; the library's own joining has a
/// tolerance and would close narrow slits.
class Collector {
 public:
  Collector(const std::string& path, double scale, TriangleMesh& mesh)
      : m_path(path), m_scale(scale), m_mesh(mesh) {}

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
      if (polygon.mNumIndices < 3) continue;  // points and lines carry no surface
      if (polygon.mNumIndices > kMaxCorners) fail("is part of a polygon of more than 1000 corners");
      if (m_mesh.triangles.size() + polygon.mNumIndices - 2 > kMostTriangles)
        throw SceneError(m_path, "", "has more than 2 million triangles", "simplify the mesh");
      std::vector<int> corners;
      for (unsigned corner = 0; corner < polygon.mNumIndices; ++corner) {
        if (polygon.mIndices[corner] >= part.mNumVertices) fail("names a vertex that does not exist");
        corners.push_back(number(transform * part.mVertices[polygon.mIndices[corner]]));
      }
      cutIntoTriangles(corners);
    }
  }

  /// Cuts off one ear after the other: a corner that is convex about the polygon's normal and whose triangle
  /// holds no other corner. The library's own step stops the program on some malformed files.
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

  /// Whether the corner after `first` is an ear.
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
    if (!(point.cwiseAbs().maxCoeff() <= kLargestCoordinate))
      fail("has a corner that is not finite or beyond 1e9 m");
    const auto inserted = m_numbers.insert({key, static_cast<int>(m_mesh.vertices.size())});
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

/// The library reserves what a PLY file announces before it reads on: entries of an element, and corners of a
/// face. Both are checked against the size of the file first.
class PlyCounts {
 public:
  PlyCounts(const std::string& path, const std::string& bytes)
      : m_path(path), m_bytes(bytes), m_lines(bytes) {}

  void check() {
    std::string line;
    while (std::getline(m_lines, line) && line.compare(0, 10, "end_header") != 0) readHeader(line);
    if (m_isText) checkLists();
  }

 private:
  struct Element {
    std::string name;
    double count = 0;
    bool startsWithList = false, isEmpty = true;
  };

  [[noreturn]] void fail(const std::string& element, const std::string& problem) const {
    throw SceneError(m_path, "element " + element, problem, "export it anew, for example as OBJ");
  }

  /// A count as the file has it, which no more than its bytes can follow.
  double checkedCount(const std::string& element, const std::string& text) const {
    char* end = nullptr;
    const double number = std::strtod(text.c_str(), &end);
    if (end == text.c_str() || *end != '\0' || !(number >= 0) || number > static_cast<double>(m_bytes.size()))
      fail(element, "announces '" + text.substr(0, 40) + "' entries in a file of " +
                        std::to_string(m_bytes.size()) + " bytes");
    return number;
  }

  void readHeader(const std::string& line) {
    std::istringstream words(line);
    std::string keyword, first, second;
    words >> keyword >> first >> second;
    if (keyword == "format") m_isText = first == "ascii";
    if (keyword == "element") m_elements.push_back({first, checkedCount(first, second)});
    if (keyword != "property" || m_elements.empty()) return;
    Element& element = m_elements.back();
    if (element.isEmpty) element.startsWithList = first == "list";
    element.isEmpty = false;
    const bool isLong = second != "uchar" && second != "uint8" && second != "char" && second != "int8" &&
                        second != "ushort" && second != "uint16" && second != "short" && second != "int16";
    if (!m_isText && first == "list" && isLong)
      fail(element.name,
           "counts the corners of its faces as '" + second.substr(0, 40) + "'; uchar is the custom");
  }

  void checkLists() {
    std::string line, count;
    for (const Element& element : m_elements)
      for (double entry = 0; entry < element.count && std::getline(m_lines, line); ++entry)
        if (element.startsWithList && std::istringstream(line) >> count) checkedCount(element.name, count);
  }

  const std::string &m_path, &m_bytes;
  std::istringstream m_lines;
  std::vector<Element> m_elements;
  bool m_isText = true;
};

}  // namespace

TriangleMesh loadMesh(const std::string& path, double scale, std::vector<std::string>* files) {
  const std::string bytes = readFile(path, "check the path; meshes are found relative to the scene file");
  std::string extension = fs::path(path).extension().string();
  std::transform(extension.begin(), extension.end(), extension.begin(),
                 [](unsigned char letter) { return static_cast<char>(std::tolower(letter)); });
  static const std::array<const char*, 5> kKnown = {".obj", ".stl", ".ply", ".gltf", ".glb"};
  if (std::none_of(kKnown.begin(), kKnown.end(), [&](const char* known) { return extension == known; }))
    throw SceneError(path, "", "has an unknown mesh format",
                     "use OBJ, STL, PLY or glTF (.obj, .stl, .ply, .gltf, .glb)");

  if (extension == ".ply") PlyCounts(path, bytes).check();

  const fs::path canonical = fs::weakly_canonical(fs::absolute(path));
  Assimp::Importer importer;
  auto* opener = new FolderOnly(canonical.parent_path());
  importer.SetIOHandler(opener);  // takes ownership
  const aiScene* scene = nullptr;
  std::string reason;
  try {
    scene = importer.ReadFile(canonical.string(), 0);
    reason = importer.GetErrorString();
  } catch (const std::exception& error) {
    reason = error.what();
  }
  if (!scene || !scene->mRootNode)
    throw SceneError(path, "", "cannot be understood as a mesh (" + reason.substr(0, reason.find('\n')) + ")",
                     "export it anew, for example as OBJ");

  TriangleMesh mesh;
  Collector(path, scale, mesh).add(*scene, *scene->mRootNode, aiMatrix4x4());
  if (mesh.triangles.empty())
    throw SceneError(path, "", "has no triangles", "export the surface, not points or lines");
  const std::string problem = buildTopology(mesh);
  if (!problem.empty()) throw SceneError(path, "", problem, "repair the mesh, for example in a mesh editor");
  for (const fs::path& opened : opener->opened())
    if (files && opened.extension() != ".mtl") files->push_back(opened.string());
  return mesh;
}

}  // namespace touchstone
