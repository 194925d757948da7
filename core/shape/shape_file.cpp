#include "core/shape/shape_file.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <optional>
#include <set>

#include "core/files/file_bytes.h"
#include "core/files/text_forms.h"
#include "core/geometry/convex_hull.h"
#include "core/geometry/polytope_overlap.h"
#include "core/shape/mesh_file.h"
#include "core/shape/primitives.h"

namespace touchstone {

namespace {

namespace fs = std::filesystem;

// Larger values accept bodies that load and collide too slowly; smaller ones refuse usable ones.
constexpr std::size_t kMaxHullPoints = 10'000;
constexpr std::size_t kMaxPieces = 10'000;

Polytope hullOf(const std::vector<Vec3>& points, const JsonView& json) {
  Polytope hull;
  const std::string problem = convexHull(points, hull);
  if (!problem.empty()) json.fail(problem, "give points that span a volume");
  return hull;
}

/// The scene's folder, the folder "datasets" above it, or one of the further folders. A scene must not read
/// files outside.
bool insideAllowedFolder(const fs::path& mesh, const fs::path& sceneFile, const MeshPlaces& places) {
  const auto below = [&mesh](const fs::path& folder) {
    const fs::path relative = mesh.lexically_relative(folder);
    return !relative.empty() && *relative.begin() != "..";
  };
  const fs::path scene = fs::weakly_canonical(fs::absolute(sceneFile));
  if (below(scene.parent_path())) return true;
  for (const std::string& folder : places.further)
    if (below(folder)) return true;
  for (fs::path folder = scene.parent_path(); folder.has_relative_path(); folder = folder.parent_path())
    if (folder.filename() == "datasets") return below(folder);
  return false;
}

}  // namespace

fs::path meshPathOf(const JsonView& file, const MeshPlaces& places) {
  const fs::path folder = fs::weakly_canonical(fs::absolute(file.file()).parent_path());
  std::error_code error;  // for example a name that is too long for the system
  const fs::path path = fs::weakly_canonical(folder / file.text(), error);
  if (error || fs::path(file.text()).is_absolute() || !insideAllowedFolder(path, file.file(), places))
    file.fail("leads outside the folder of the scene",
              "put the mesh beside the scene file or into the datasets folder");
  return path;
}

void addSources(const std::vector<std::string>& files, const JsonView& json, const MeshPlaces& places) {
  const fs::path folder = fs::weakly_canonical(fs::absolute(json.file()).parent_path());
  for (const std::string& file : files)
    places.sources[fs::path(file).lexically_relative(folder).generic_string()] =
        readSource(file, "check the mesh");
}

namespace {

/// The corners of the hull of a mesh file.
std::vector<Vec3> cornersOf(const JsonView& json, const MeshPlaces& places) {
  json.allowOnly({"type", "file", "scale", "position", "orientation"});
  Vec3 scale(1, 1, 1);
  if (json.has("scale")) {
    const JsonView factors = json.at("scale");
    scale = factors.json().is_array() ? factors.vector() : Vec3(Vec3::Constant(factors.positive()));
    if (!(scale.cwiseAbs().minCoeff() > 0))
      factors.fail("flattens the mesh", "give three factors other than 0");
  }
  std::vector<std::string> files;
  std::vector<Vec3> corners = loadMeshCorners(meshPathOf(json.at("file"), places).string(), files);
  addSources(files, json, places);
  for (Vec3& corner : corners) corner = corner.cwiseProduct(scale);
  Polytope hull;
  const std::string problem = hullOfCorners(std::move(corners), hull);
  if (!problem.empty()) json.fail(problem, "give a mesh that spans a volume");
  return hull.vertices;
}

std::vector<Vec3> pointsOf(const JsonView& json, const MeshPlaces& places) {
  const std::string type = json.at("type").text();
  if (type == "box") {
    json.allowOnly({"type", "size", "position", "orientation"});
    const Vec3 size = json.at("size").vector();
    if (!(size.minCoeff() > 0))
      json.at("size").fail("must have three positive lengths", "give edge lengths in m");
    return boxPoints(size);
  }
  if (type == "sphere") {
    json.allowOnly({"type", "radius", "subdivisions", "position", "orientation"});
    return spherePoints(json.at("radius").positive(),
                        json.has("subdivisions") ? json.at("subdivisions").integer(0, 4) : 2);
  }
  if (type == "cylinder") {
    json.allowOnly({"type", "radius", "height", "segments", "position", "orientation"});
    return cylinderPoints(json.at("radius").positive(), json.at("height").positive(),
                          json.has("segments") ? json.at("segments").integer(3, 256) : 24);
  }
  if (type == "capsule") {
    json.allowOnly({"type", "radius", "length", "subdivisions", "position", "orientation"});
    return capsulePoints(json.at("radius").positive(), json.at("length").positive(),
                         json.has("subdivisions") ? json.at("subdivisions").integer(0, 4) : 2);
  }
  if (type == "polyhedron") {
    json.allowOnly({"type", "name", "radius", "position", "orientation"});
    std::vector<Vec3> points = platonicPoints(json.at("name").text(), json.at("radius").positive());
    if (points.empty())
      json.at("name").fail("is no known polyhedron",
                           "use tetrahedron, cube, octahedron, dodecahedron or icosahedron");
    return points;
  }
  if (type == "hull" && json.has("file")) return cornersOf(json, places);
  if (type == "hull") {
    json.allowOnly({"type", "points", "position", "orientation"});
    std::vector<Vec3> points;
    for (const JsonView& point : json.at("points").items(kMaxHullPoints)) points.push_back(point.vector());
    return points;
  }
  json.at("type").fail(
      "'" + type + "' is no known shape",
      "use plane, box, sphere, cylinder, capsule, polyhedron, hull, polygon, pieces, mesh or none");
}

/// The primitive that the piece is meant to be. @return none for what has flat faces
std::optional<RoundPiece> roundPieceOf(const JsonView& json) {
  // Cylinders of fewer sides are prisms on purpose. A larger value gives engines prisms where wheels are
  // meant; a smaller one gives them wheels where nuts are.
  constexpr int kRoundFrom = 12;
  const std::string type = json.at("type").text();
  RoundPiece round;
  if (type == "sphere") {
    round.kind = RoundPiece::Kind::Sphere;
  } else if (type == "capsule") {
    round.kind = RoundPiece::Kind::Capsule;
    round.length = json.at("length").positive();
  } else if (type == "cylinder" &&
             (!json.has("segments") || json.at("segments").integer(3, 256) >= kRoundFrom)) {
    round.kind = RoundPiece::Kind::Cylinder;
    round.length = json.at("height").positive();
  } else {
    return std::nullopt;
  }
  round.radius = json.at("radius").positive();
  round.centre = json.vectorOr("position", Vec3::Zero());
  round.axis = json.rotationOr("orientation") * round.axis;
  return round;
}

/// A polygon in the plane z = 0, given by points or regular, moved within the plane.
Polytope polygonOf(const JsonView& json) {
  json.allowOnly({"type", "points", "sides", "radius", "size", "thickness", "position", "orientation"});
  const char* const given = json.has("points") ? "points" : json.has("size") ? "size" : "sides";
  for (const char* other : {"points", "size", "sides", "radius"}) {
    const bool isOfGiven =
        std::string(other) == given || (std::string(given) == "sides" && !json.has("points"));
    if (json.has(other) && !isOfGiven)
      json.at(other).fail(std::string("is given with ") + given, "give points, size, or sides with radius");
  }
  std::vector<Vec3> points;
  if (json.has("points")) {
    for (const JsonView& point : json.at("points").items(kMaxHullPoints)) {
      const auto pair = point.items(2);
      if (pair.size() != 2) point.fail("is no point of the plane", "write [x, y]");
      points.emplace_back(pair[0].number(), pair[1].number(), 0);
    }
  } else if (json.has("size")) {
    const auto size = json.at("size").items(2);
    if (size.size() != 2) json.at("size").fail("must have two lengths", "write [width, height] in m");
    const double x = 0.5 * size[0].positive(), y = 0.5 * size[1].positive();
    points = {{-x, -y, 0}, {x, -y, 0}, {x, y, 0}, {-x, y, 0}};
  } else {
    const int sides = json.at("sides").integer(3, 256);
    const double radius = json.at("radius").positive();
    for (int k = 0; k < sides; ++k)
      points.emplace_back(radius * std::cos(2 * M_PI * k / sides), radius * std::sin(2 * M_PI * k / sides),
                          0);
  }
  const Vec3 position = json.vectorOr("position", Vec3::Zero());
  if (position.z() != 0) json.at("position").fail("leaves the plane", "give 0 as its third coordinate");
  const Quaternion orientation = json.rotationOr("orientation");
  if (orientation.x() != 0 || orientation.y() != 0)
    json.at("orientation").fail("turns the polygon out of its plane", "turn about [0, 0, 1]");
  double size = 0;
  for (Vec3& point : points) {
    point = position + orientation * point;
    size = std::max(size, (point - position).norm());
  }
  Polytope polygon;
  const std::string problem =
      convexPolygon(points, json.has("thickness") ? json.at("thickness").positive() : 0.1 * size, polygon);
  if (!problem.empty()) json.fail(problem, "give three or more points that span an area");
  return polygon;
}

Polytope pieceOf(const JsonView& json, const MeshPlaces& places) {
  if (json.at("type").text() == "polygon") return polygonOf(json);
  std::vector<Vec3> points = pointsOf(json, places);
  const Vec3 position = json.vectorOr("position", Vec3::Zero());
  const Quaternion orientation = json.rotationOr("orientation");
  for (Vec3& point : points) point = position + orientation * point;
  return hullOf(points, json);
}

bool boxesOverlap(const Polytope& a, const Polytope& b) {
  for (int axis = 0; axis < 3; ++axis) {
    const auto range = [axis](const Polytope& p) {
      const auto ends =
          std::minmax_element(p.vertices.begin(), p.vertices.end(),
                              [axis](const Vec3& u, const Vec3& w) { return u[axis] < w[axis]; });
      return std::make_pair((*ends.first)[axis], (*ends.second)[axis]);
    };
    const auto ra = range(a), rb = range(b);
    const double shared = std::min(ra.second, rb.second) - std::max(ra.first, rb.first);
    if (shared <= 1e-9 * (ra.second - ra.first)) return false;
  }
  return true;
}

/// Pieces overlap if no face or pair of edges separates them by more than rounding. The test is exact, but
/// its cost is the product of the edge counts. For very fine pieces an overlap of their boxes counts instead.
bool piecesOverlap(const Polytope& a, const Polytope& b) {
  // Limit of the exact test. A larger value makes loading of fine pieces slow; a smaller one reports overlaps
  // of fine pieces that only their boxes have.
  constexpr std::size_t kMostEdgePairs = 40'000;
  // Relative to the extent: rounding of pieces that touch. A larger value misses thin overlaps; a smaller one
  // reports rounding as overlap.
  constexpr double kTouching = 1e-9;
  if (!boxesOverlap(a, b)) return false;
  if (a.edges.size() * b.edges.size() > kMostEdgePairs) return true;
  const double extent = (a.vertices.front() - a.vertices.back()).norm();
  const Quaternion upright(1, 0, 0, 0);
  return separation(placed(a, Vec3::Zero(), upright), placed(b, Vec3::Zero(), upright)) < -kTouching * extent;
}

void addPiece(const Polytope& piece, const JsonView& json, LoadedShape& loaded) {
  if (!loaded.shape.pieces.empty() && loaded.shape.pieces.front().planar() != piece.planar())
    json.fail("mixes polygons and solids in one body", "use one or the other for the whole scene");
  for (const Polytope& other : loaded.shape.pieces)
    loaded.overlappingPieces = loaded.overlappingPieces || piecesOverlap(piece, other);
  loaded.shape.pieces.push_back(piece);
  loaded.shape.rounds.push_back(roundPieceOf(json));
  loaded.shape.surfaces.push_back(triangulated(piece));
  MassProperties solid = massProperties(loaded.shape.surfaces.back());
  if (piece.planar()) {  // per area: the thickness is for drawing only
    solid.volume /= piece.thickness;
    solid.inertia /= piece.thickness;
    // The body must lie exactly in the plane and turn about z: rounding here would tip it over.
    solid.centre.z() = 0;
    for (int axis : {0, 1}) solid.inertia(axis, 2) = solid.inertia(2, axis) = 0;
  }
  loaded.solid = loaded.shape.pieces.size() == 1 ? solid : combined(loaded.solid, solid);
}

/// Depth of a point below the surface of a convex solid [m].
double depthIn(const Polytope& solid, const Vec3& point) {
  double depth = HUGE_VAL;
  for (const Polytope::Face& face : solid.faces)
    depth = std::min(depth, face.offset - face.normal.dot(point));
  return depth;
}

/// True if the surface of a closed mesh lies on its hull and fills it, up to the rounding of its coordinates:
/// a corner and the hull there may each be off by half of that along each axis. The hull is then the body's
/// piece.
bool isConvex(const TriangleMesh& mesh, double volume, double precision, Polytope& hull) {
  // A larger value makes pieces that are slow to collide; a smaller one treats more convex meshes as not
  // convex.
  constexpr std::size_t kMostTriangles = 5000;
  if (!mesh.closed || mesh.triangles.size() > kMostTriangles || !convexHull(mesh.vertices, hull).empty())
    return false;
  const double deepest = std::sqrt(3) * precision;
  for (const TriangleMesh::Edge& edge : mesh.edges) {  // a fold is deepest within an edge
    const Vec3 &tail = mesh.vertices[edge.tail], &head = mesh.vertices[edge.head];
    for (const Vec3& point : {tail, Vec3(0.5 * (tail + head))})
      if (depthIn(hull, point) > deepest) return false;
  }
  double area = 0;
  for (const auto& t : mesh.triangles)
    area +=
        0.5 *
        (mesh.vertices[t[1]] - mesh.vertices[t[0]]).cross(mesh.vertices[t[2]] - mesh.vertices[t[0]]).norm();
  return massProperties(triangulated(hull)).volume - volume <= area * deepest;
}

/// One line for the user about the assumed size and mass of a mesh; mesh files give neither unit nor mass.
std::string descriptionOf(const std::string& name, const MeshFile& file, double volume,
                          std::size_t pieceCount) {
  Vec3 low = file.mesh.vertices.front(), high = low;
  for (const Vec3& vertex : file.mesh.vertices) {
    low = low.cwiseMin(vertex);
    high = high.cwiseMax(vertex);
  }
  const Vec3 size = high - low;
  std::string line = "mesh '" + name + "', " + fourDigits(size.x()) + " × " + fourDigits(size.y()) + " × " +
                     fourDigits(size.z()) + " m, ";
  line += file.mesh.closed ? fourDigits(volume) + " m³, " : "open, ";
  line += pieceCount == 0   ? "not convex"
          : pieceCount == 1 ? "convex"
                            : std::to_string(pieceCount) + " convex pieces";
  if (file.withoutArea > 0)
    line += "; " + std::to_string(file.withoutArea) + " of " + std::to_string(file.triangles) +
            " triangles have no area and are left out";
  if (file.joined > 0)
    line += "; " + std::to_string(file.joined) + " corners within " + fourDigits(file.precision) +
            " m of others are joined with them";
  return line;
}

void readMesh(const JsonView& json, LoadedShape& loaded, const MeshPlaces& places) {
  json.allowOnly({"type", "file", "scale", "pieces"});
  const JsonView file = json.at("file");
  const fs::path path = meshPathOf(file, places);
  const double scale = json.has("scale") ? json.at("scale").positive() : 1;
  MeshFile read = loadMesh(path.string(), scale);
  TriangleMesh& mesh = read.mesh;
  addSources(read.files, json, places);
  if (mesh.closed) loaded.solid = massProperties(mesh);  // else the file gives the mass, about its own origin
  if (mesh.closed && !(loaded.solid.volume > 0))
    file.fail("is turned inside out: its triangles are clockwise seen from outside",
              "flip the orientation of its faces");
  loaded.shape.kind = Shape::Kind::Mesh;
  if (json.has("pieces")) {
    for (const JsonView& piece : json.at("pieces").items(kMaxPieces)) {
      loaded.shape.pieces.push_back(pieceOf(piece, places));
      loaded.shape.rounds.push_back(roundPieceOf(piece));
      if (loaded.shape.pieces.back().planar())
        piece.fail("is a polygon, which fills no mesh", "give convex solids");
    }
  } else if (Polytope hull; isConvex(mesh, loaded.solid.volume, read.precision, hull)) {
    loaded.shape.pieces.push_back(std::move(hull));
  }
  loaded.description = descriptionOf(file.text(), read, loaded.solid.volume, loaded.shape.pieces.size());
  loaded.shape.surfaces.push_back(std::move(mesh));
}

void readPlane(const JsonView& json, LoadedShape& loaded) {
  json.allowOnly({"type", "normal"});
  loaded.shape.kind = Shape::Kind::Plane;
  const Vec3 normal = json.vectorOr("normal", Vec3(0, 1, 0));
  if (!(normal.norm() > 0))
    json.at("normal").fail("has no length", "give the direction that points out of the ground");
  loaded.shape.planeNormal = normal / normal.norm();
}

}  // namespace

std::string hullOfCorners(std::vector<Vec3> corners, Polytope& hull) {
  std::string problem = convexHull(corners, hull);
  const std::vector<Vec3> directions = spherePoints(1, 3);
  if (!problem.empty() || hull.vertices.size() <= directions.size()) return problem;
  std::set<std::size_t> furthest;
  for (const Vec3& direction : directions) {
    std::size_t best = 0;
    for (std::size_t corner = 1; corner < hull.vertices.size(); ++corner)
      if (hull.vertices[corner].dot(direction) > hull.vertices[best].dot(direction)) best = corner;
    furthest.insert(best);
  }
  corners.clear();
  for (std::size_t corner : furthest) corners.push_back(hull.vertices[corner]);
  return convexHull(corners, hull);
}

LoadedShape readShape(const JsonView& json, const MeshPlaces& places) {
  LoadedShape loaded;
  const std::string type = json.at("type").text();
  if (type == "plane") {
    readPlane(json, loaded);
  } else if (type == "mesh") {
    readMesh(json, loaded, places);
  } else if (type == "none") {
    json.allowOnly({"type"});
  } else if (type == "pieces") {
    json.allowOnly({"type", "pieces"});
    const auto pieces = json.at("pieces").items(kMaxPieces);
    if (pieces.empty()) json.at("pieces").fail("is empty", "give at least one convex piece");
    for (const JsonView& piece : pieces) addPiece(pieceOf(piece, places), piece, loaded);
  } else {
    if (json.has("position") || json.has("orientation"))
      json.at(json.has("position") ? "position" : "orientation")
          .fail("belongs to the body, or to a piece of a union", "move it out of the shape");
    addPiece(pieceOf(json, places), json, loaded);
  }
  return loaded;
}

void recentre(Shape& shape, const Vec3& centre) {
  shape.radius = 0;
  for (TriangleMesh& surface : shape.surfaces)
    for (Vec3& vertex : surface.vertices) {
      vertex -= centre;
      shape.radius = std::max(shape.radius, vertex.norm());
    }
  for (Polytope& piece : shape.pieces) {
    for (Vec3& vertex : piece.vertices) vertex -= centre;
    for (Polytope::Face& face : piece.faces) face.offset -= face.normal.dot(centre);
  }
  for (std::optional<RoundPiece>& round : shape.rounds)
    if (round) round->centre -= centre;
}

}  // namespace touchstone
