#include "core/scene/mesh_file.h"

#include <assimp/config.h>
#include <assimp/postprocess.h>
#include <assimp/scene.h>

#include <algorithm>
#include <array>
#include <assimp/Importer.hpp>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <map>

#include "core/scene/scene_error.h"

namespace touchstone {

namespace {

constexpr std::size_t kMaxBytes = std::size_t(64) << 20;
constexpr std::size_t kMaxTriangles = 2'000'000;

void append(const aiScene& scene, const aiNode& node, const aiMatrix4x4& parent, double scale,
            std::map<std::array<double, 3>, int>& numbers, TriangleMesh& mesh, const std::string& path) {
  const aiMatrix4x4 transform = parent * node.mTransformation;
  for (unsigned index = 0; index < node.mNumMeshes; ++index) {
    const aiMesh& part = *scene.mMeshes[node.mMeshes[index]];
    std::vector<int> vertexOf(part.mNumVertices);
    for (unsigned vertex = 0; vertex < part.mNumVertices; ++vertex) {
      const aiVector3D p = transform * part.mVertices[vertex];
      const std::array<double, 3> key = {scale * p.x, scale * p.y, scale * p.z};
      const Vec3 point(key[0], key[1], key[2]);
      if (!point.allFinite())
        throw SceneError(path, "vertices[" + std::to_string(vertex) + "]", "is not finite",
                         "repair the mesh");
      const auto inserted = numbers.insert({key, static_cast<int>(mesh.vertices.size())});
      if (inserted.second) mesh.vertices.push_back(point);
      vertexOf[vertex] = inserted.first->second;
    }
    for (unsigned face = 0; face < part.mNumFaces; ++face) {
      const aiFace& polygon = part.mFaces[face];
      if (polygon.mNumIndices != 3) continue;  // points and lines carry no surface
      mesh.triangles.push_back(
          {vertexOf[polygon.mIndices[0]], vertexOf[polygon.mIndices[1]], vertexOf[polygon.mIndices[2]]});
    }
  }
  for (unsigned child = 0; child < node.mNumChildren; ++child)
    append(scene, *node.mChildren[child], transform, scale, numbers, mesh, path);
}

}  // namespace

std::string readFile(const std::string& path, const char* remedy) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error))
    throw SceneError(path, "", "is no file that can be read", remedy);
  if (std::filesystem::file_size(path, error) > kMaxBytes)
    throw SceneError(path, "", "is larger than 64 MiB", "use a smaller file; simplify the mesh");
  std::ifstream in(path, std::ios::binary);
  std::string bytes((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
  if (in.bad() || !in.is_open()) throw SceneError(path, "", "cannot be read", remedy);
  return bytes;
}

std::string fileHash(const std::string& path) {
  unsigned long long hash = 14695981039346656037ull;
  for (unsigned char byte : readFile(path, "check the path")) hash = (hash ^ byte) * 1099511628211ull;
  char text[17];
  std::snprintf(text, sizeof text, "%016llx", hash);
  return text;
}

TriangleMesh loadMesh(const std::string& path, double scale) {
  readFile(path, "check the path; meshes are found relative to the scene file");
  const std::string extension = std::filesystem::path(path).extension().string();
  static const std::array<const char*, 5> kKnown = {".obj", ".stl", ".ply", ".gltf", ".glb"};
  if (std::none_of(kKnown.begin(), kKnown.end(), [&](const char* known) { return extension == known; }))
    throw SceneError(path, "", "has an unknown mesh format",
                     "use OBJ, STL, PLY or glTF (.obj, .stl, .ply, .gltf, .glb)");

  Assimp::Importer importer;
  importer.SetPropertyInteger(AI_CONFIG_PP_RVC_FLAGS, aiComponent_NORMALS | aiComponent_TEXCOORDS |
                                                          aiComponent_COLORS | aiComponent_MATERIALS |
                                                          aiComponent_TANGENTS_AND_BITANGENTS);
  const aiScene* scene = nullptr;
  std::string reason;
  try {
    scene = importer.ReadFile(
        path, aiProcess_RemoveComponent | aiProcess_JoinIdenticalVertices | aiProcess_Triangulate);
    reason = importer.GetErrorString();
  } catch (const std::exception& error) {
    reason = error.what();
  }
  if (!scene || !scene->mRootNode)
    throw SceneError(path, "", "cannot be understood as a mesh (" + reason + ")",
                     "export it anew, for example as OBJ");

  TriangleMesh mesh;
  std::map<std::array<double, 3>, int> numbers;
  append(*scene, *scene->mRootNode, aiMatrix4x4(), scale, numbers, mesh, path);
  if (mesh.triangles.empty())
    throw SceneError(path, "", "has no triangles", "export the surface, not points or lines");
  if (mesh.triangles.size() > kMaxTriangles)
    throw SceneError(path, "", "has more than 2 million triangles", "simplify the mesh");
  const std::string problem = buildTopology(mesh);
  if (!problem.empty()) throw SceneError(path, "", problem, "repair the mesh, for example in a mesh editor");
  return mesh;
}

}  // namespace touchstone
