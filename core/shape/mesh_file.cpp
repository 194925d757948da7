#include "core/shape/mesh_file.h"

#include <filesystem>

#include "core/files/file_bytes.h"
#include "core/files/scene_error.h"
#include "core/shape/mesh_readers.h"
#include "core/shape/mesh_repair.h"
#include "core/shape/polygon_collector.h"

namespace touchstone {

namespace {

std::vector<Vec3> unscaled(std::vector<Vec3> vertices, double scale) {
  for (Vec3& vertex : vertices) vertex /= scale;
  return vertices;
}

/// Drops triangles without area and builds the topology. @return the fault, or empty
std::string complete(MeshFile& file) {
  file.withoutArea = dropTrianglesWithoutArea(file.mesh);
  return file.mesh.triangles.empty() ? "has no triangle with an area" : buildTopology(file.mesh);
}

/// A mesh file in memory, and the reader of its kind.
struct OpenedMesh {
  std::string bytes;
  const MeshReader& reader;
};

/// @param files  out: the file is appended
OpenedMesh openMesh(const std::string& path, MeshPurpose purpose, std::vector<std::string>& files) {
  std::string bytes = readFile(path, "check the path; meshes are found relative to the scene file");
  const MeshReader& reader = meshReaderOf(path, bytes, purpose);
  files.push_back(std::filesystem::weakly_canonical(std::filesystem::absolute(path)).string());
  return {std::move(bytes), reader};
}

/// @param files  out: those that the mesh refers to are appended
void readTriangles(const OpenedMesh& opened, const std::string& path, double scale, TriangleMesh& mesh,
                   std::vector<std::string>& files) {
  PolygonCollector polygons(path, scale, mesh);
  opened.reader.readPolygons(opened.bytes, path, polygons, files);
  if (mesh.triangles.empty())
    throw SceneError(path, "", "has no triangles", "export the surface, not points or lines");
}

}  // namespace

std::vector<Vec3> loadMeshCorners(const std::string& path, std::vector<std::string>& files) {
  const OpenedMesh opened = openMesh(path, MeshPurpose::Hull, files);
  if (!opened.reader.readPolygons) return opened.reader.readCorners(opened.bytes, path);
  TriangleMesh mesh;
  readTriangles(opened, path, 1, mesh, files);
  return mesh.vertices;
}

MeshFile loadMesh(const std::string& path, double scale) {
  MeshFile exact;
  readTriangles(openMesh(path, MeshPurpose::Surface, exact.files), path, scale, exact.mesh, exact.files);
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
