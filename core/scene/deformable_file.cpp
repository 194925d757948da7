#include "core/scene/deformable_file.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "core/elasticity/tetrahedron.inl"
#include "core/files/text_forms.h"
#include "core/files/time_path_file.h"
#include "core/scene/deformable/cloth_grid.h"
#include "core/scene/deformable/msh_file.h"
#include "core/scene/deformable/tet_lattice.h"

namespace touchstone {

namespace {

// A larger value only lets a damaged file take more time; a smaller one refuses usable scenes.
constexpr std::size_t kMostHolds = 1000, kMostPathPoints = 100'000, kMostActivations = 100'000;
/// Smallest mass, as of rigid bodies: smaller masses near the smallest doubles in products.
constexpr double kSmallestDeformable = 1e-12;  // kg
/// Above it linear tetrahedra lock: they are much too stiff (a bar of 4 cells across by 17 % at ν = 0.45).
constexpr double kLockingPoisson = 0.47;
/// Smallest V / l³ of a tetrahedron with the longest edge l: as of tetrahedra from files.
constexpr double kFlatCell = 1e-12;

const char* kRigidOnly[] = {"inertia", "centre_of_mass", "angular_velocity"};

bool isMshFile(const JsonView& shape) {
  if (!shape.has("file")) return false;
  return lowerExtensionOf(shape.at("file").text()) == ".msh";
}

/// Tetrahedra with the surface that follows them, in the frame of the file.
struct TetrahedralBody {
  LatticeMesh mesh;
  TriangleMesh surface;
  std::vector<EmbeddedVertex> embedded;  ///< [vertices of the surface]
  double volume = 0;                     ///< that the surface encloses [m³]
  /// Every tetrahedron is congruent to one of this many, the first ones.
  std::size_t distinct = 0;
  std::vector<std::string> notes;
};

TetrahedralBody boxBody(const JsonView& shape) {
  shape.allowOnly({"type", "size", "cells"});
  const Vec3 size = shape.at("size").vector();
  if (!(size.minCoeff() > 0))
    shape.at("size").fail("must have three positive lengths", "give edge lengths in m");
  const std::vector<JsonView> counts = shape.at("cells").items(3);
  if (counts.size() != 3) shape.at("cells").fail("must have three counts", "write [nx, ny, nz]");
  std::array<int, 3> cells{};
  double tetrahedra = 5;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    cells[axis] = counts[axis].integer(1, static_cast<int>(kMostTetrahedra));
    tetrahedra *= cells[axis];
  }
  if (tetrahedra > static_cast<double>(kMostTetrahedra))
    shape.at("cells").fail("make more than 2 million tetrahedra", "give fewer cells");
  TetrahedralBody body;
  body.mesh = std::move(boxLattice(size, cells).mesh);
  const double edge = longestEdge(body.mesh, 0);
  if (!(tetrahedronVolume(body.mesh, 0) > kFlatCell * edge * edge * edge))
    shape.at("size").fail("makes cells that are flat", "give cells of about equal edges");
  int crowded = -1;
  std::vector<BoundaryFace> faces = boundaryFaces(body.mesh, crowded);
  numberBoundaryFirst(body.mesh, faces);
  body.surface = surfaceOf(body.mesh, faces);
  buildTopology(body.surface);
  body.volume = size.prod();
  body.distinct = 5;
  body.embedded = tiedOneToOne(body.surface.vertices.size());
  return body;
}

TetrahedralBody mshBody(const JsonView& shape, const MeshPlaces& places) {
  shape.allowOnly({"type", "file", "scale"});
  const std::string path = meshPathOf(shape.at("file"), places);
  const double scale = shape.has("scale") ? shape.at("scale").positive() : 1;
  const SourceFile source = readSource(path, "check the path; meshes are found relative to the scene file");
  addSources({path}, shape, places);
  MshFile file = readMsh(*source.bytes, path, scale);
  TetrahedralBody body;
  body.mesh = std::move(file.mesh);
  body.surface = std::move(file.surface);
  body.notes = std::move(file.notes);
  body.volume = latticeVolume(body.mesh);
  body.distinct = body.mesh.tetrahedra.size();
  body.embedded = tiedOneToOne(body.surface.vertices.size());
  return body;
}

/// The one closed surface of a shape.
LoadedShape closedSurface(const JsonView& shape, const MeshPlaces& places) {
  LoadedShape loaded = readShape(shape, places);
  if (loaded.shape.kind == Shape::Kind::Plane || loaded.shape.surfaces.empty())
    shape.fail("has no surface that could deform", "use a solid, a lattice, cloth, or a mesh");
  if (!loaded.shape.pieces.empty() && loaded.shape.pieces.front().planar())
    shape.fail("is a polygon, which cannot deform", "use a solid, or leave it rigid");
  if (loaded.shape.surfaces.size() > 1)
    shape.fail("is a union of pieces, whose surfaces are not one", "give a mesh of the whole surface");
  if (shape.at("type").text() == "mesh" && shape.has("pieces"))
    shape.at("pieces").fail("belong to a rigid body", "remove them");
  if (!loaded.shape.surfaces.front().closed)
    shape.fail("is an open mesh, which encloses no tetrahedra", "close the mesh, or use cloth");
  return loaded;
}

TetrahedralBody embeddedBody(const JsonView& shape, const JsonView& fields, const MeshPlaces& places) {
  if (!fields.has("cell"))
    fields.fail("says not how large the tetrahedra are",
                "add cell, the edge of the cubes around the surface in m");
  const double cell = fields.at("cell").positive();
  LoadedShape loaded = closedSurface(shape, places);
  TetrahedralBody body;
  body.surface = std::move(loaded.shape.surfaces.front());
  const std::array<double, 3> cubes = cubesAround(body.surface, cell);
  if (cubes[0] * cubes[1] * cubes[2] > static_cast<double>(kMostTetrahedra))
    fields.at("cell").fail("makes more than 2 million cubes around the surface", "give a larger one");
  const CellLattice lattice = latticeAround(body.surface, cell);
  if (lattice.mesh.tetrahedra.size() > kMostTetrahedra)
    fields.at("cell").fail(
        "makes " + std::to_string(lattice.mesh.tetrahedra.size()) + " tetrahedra, more than 2 million",
        "give a larger one");
  const int outside = embed(lattice, body.surface.vertices, body.embedded);
  if (outside >= 0)
    fields.at("cell").fail("leaves vertex " + std::to_string(outside) + " of the surface outside its cubes",
                           "give another one");
  body.mesh = lattice.mesh;
  body.volume = loaded.solid.volume;
  body.distinct = 5;
  if (!loaded.description.empty()) body.notes.push_back(loaded.description);
  const double filled = body.volume / latticeVolume(body.mesh);
  if (filled < 0.5)
    body.notes.push_back(
        "fills " + fourDigits(100 * filled) +
        " % of its cubes, whose elasticity is that of full ones: thin parts are too stiff; a "
        "smaller cell fits better");
  return body;
}

ElasticMaterial readElasticity(const JsonView& fields, std::vector<std::string>& notes) {
  ElasticMaterial material;
  if (fields.has("model") && fields.at("model").oneOf({"corotational", "neo-hookean"}) == "corotational")
    material.model = ElasticModel::Corotational;
  material.young = fields.at("young").positive();
  if (fields.has("poisson")) material.poisson = fields.at("poisson").nonNegative();
  if (material.poisson > 0.49)
    fields.at("poisson").fail("is above 0.49, where these elements lock", "give 0 to 0.49");
  if (material.poisson > kLockingPoisson)
    notes.push_back("poisson is above 0.47: its elements are much too stiff in bending");
  if (fields.has("damping")) material.dampingTime = fields.at("damping").nonNegative();
  return material;
}

double readEigenstrain(const JsonView& json) {
  const double strain = json.number();
  if (!(std::abs(strain) <= 1)) json.fail("is above 1, twice the length", "give a strain from -1 to 1");
  return strain;
}

/// Which tetrahedra swell, and when: those with their middle in the box.
void readActivation(const JsonView& fields, const LatticeMesh& mesh, Deformable& deformable) {
  if (!fields.has("activation")) return;
  const JsonView json = fields.at("activation");
  json.allowOnly({"eigenstrain", "box"});
  if (deformable.material.model != ElasticModel::Corotational)
    json.fail("belongs to the linear law", "add \"model\": \"corotational\", or remove it");
  const JsonView eigenstrain = json.at("eigenstrain");
  if (eigenstrain.json().is_array())
    deformable.eigenstrain = readTimePath<double>(eigenstrain, kMostActivations, "a strain",
                                                  "[time in s, strain]", readEigenstrain);
  else
    deformable.material.eigenstrain = readEigenstrain(eigenstrain);
  if (!json.has("box")) return;
  const Aabb box = readBox(json.at("box"));
  bool isAny = false;
  for (const std::array<int, 4>& tet : mesh.tetrahedra) {
    Vec3 middle = Vec3::Zero();
    for (int particle : tet) middle += 0.25 * mesh.particles[particle];
    const bool isIn = (middle.array() >= box.low.array() && middle.array() <= box.high.array()).all();
    deformable.activation.push_back(isIn ? 1 : 0);
    isAny = isAny || isIn;
  }
  if (!isAny)
    json.at("box").fail("has the middle of no tetrahedron in it", "give corners in the frame of the shape");
}

/// Longest stable step [s], and the tetrahedron that asks for it.
std::pair<double, std::size_t> tetrahedraStepLimit(const TetrahedralBody& body,
                                                   const ElasticMaterial& material, double density) {
  double largest = 0;
  std::size_t worst = 0;
  for (std::size_t index = 0; index < body.distinct; ++index) {
    Vec3 corners[4];
    for (std::size_t corner = 0; corner < 4; ++corner)
      corners[corner] = body.mesh.particles[body.mesh.tetrahedra[index][corner]];
    const double squared = frequencyBound(material, restOf(corners), density);
    if (!(squared <= largest)) {
      largest = squared;
      worst = index;
    }
  }
  return {2 / std::sqrt(largest), worst};
}

/// Moves particles and surface to the centre of mass; sets mass, centre and inertia.
void finish(Deformable& deformable, TriangleMesh surface, LoadedDeformable& loaded) {
  for (std::size_t particle = 0; particle < deformable.rest.size(); ++particle) {
    loaded.mass += deformable.mass[particle];
    loaded.centre += deformable.mass[particle] * deformable.rest[particle];
  }
  loaded.centre /= loaded.mass;
  for (std::size_t particle = 0; particle < deformable.rest.size(); ++particle) {
    Vec3& x = deformable.rest[particle];
    x -= loaded.centre;
    loaded.inertia += deformable.mass[particle] * (x.squaredNorm() * Mat3::Identity() - x * x.transpose());
  }
  auto shape = std::make_shared<Shape>();
  shape->kind = Shape::Kind::Mesh;
  shape->surfaces.push_back(std::move(surface));
  recentre(*shape, loaded.centre);
  loaded.shape = std::move(shape);
}

void readHeld(const JsonView& fields, const Vec3& centre, Deformable& deformable) {
  if (!fields.has("held")) return;
  std::vector<bool> isHeld(deformable.rest.size(), false);
  for (const JsonView& json : fields.at("held").items(kMostHolds)) {
    json.allowOnly({"box", "path"});
    HeldParticles held;
    held.particles = particlesIn(json.at("box"), deformable, centre);
    for (int particle : held.particles) {
      if (isHeld[particle])
        json.at("box").fail("has a particle in it that another box holds", "give boxes that do not overlap");
      isHeld[particle] = true;
    }
    if (json.has("path"))
      held.path =
          readTimePath<Vec3>(json.at("path"), kMostPathPoints, "an offset", "[t, [dx, dy, dz]] in s and m",
                             [](const JsonView& offset) { return offset.vector(); });
    deformable.held.push_back(std::move(held));
  }
}

/// Fields that tetrahedra and cloth share.
void readShared(const JsonView& fields, const Vec3& centre, Deformable& deformable) {
  if (fields.has("mass_damping")) deformable.massDamping = fields.at("mass_damping").nonNegative();
  if (fields.has("self")) deformable.self = fields.at("self").boolean();
  readHeld(fields, centre, deformable);
}

void requireMass(const JsonView& body, double mass) {
  if (!(mass >= kSmallestDeformable) || !std::isfinite(mass))
    body.fail("has no mass, or less than 1e-12 kg", "give a larger density, or a larger shape");
}

TetrahedralBody readTetrahedra(const JsonView& body, const MeshPlaces& places) {
  const JsonView shape = body.at("shape"), fields = body.at("deformable");
  const bool isBox = shape.at("type").text() == "lattice", isMsh = isMshFile(shape);
  std::vector<std::string> keys = {"model", "young",      "poisson", "damping", "mass_damping",
                                   "held",  "activation", "attach",  "self",    "layer"};
  if (!isBox && !isMsh) keys.push_back("cell");
  fields.allowOnly(keys);
  if (isBox) return boxBody(shape);
  return isMsh ? mshBody(shape, places) : embeddedBody(shape, fields, places);
}

std::string stepNote(const Deformable& body) {
  return body.stepLimit > 0
             ? "explicit elasticity takes steps of at most " + fourDigits(explicitStepLimit(body)) + " s"
             : "its inextensible edges allow no explicit step";
}

/// k of edges [N/m]; HUGE_VAL: inextensible.
double readEdgeStiffness(const JsonView& fields) {
  const bool isInextensible = fields.has("inextensible") && fields.at("inextensible").boolean();
  if (isInextensible && fields.has("edge_stiffness"))
    fields.at("edge_stiffness").fail("is given beside inextensible", "give one of the two");
  return isInextensible ? HUGE_VAL : fields.at("edge_stiffness").positive();
}

/// Springs, or rigid rods, along the edges of tetrahedra that have both ends in the box.
void readLayer(const JsonView& fields, const Vec3& centre, Deformable& deformable) {
  if (!fields.has("layer")) return;
  const JsonView json = fields.at("layer");
  json.allowOnly({"box", "edge_stiffness", "inextensible"});
  const double stiffness = readEdgeStiffness(json);
  std::vector<bool> isIn(deformable.rest.size(), false);
  for (int particle : particlesIn(json.at("box"), deformable, centre)) isIn[particle] = true;
  std::set<std::array<int, 2>> pairs;
  for (const std::array<int, 4>& tet : deformable.tetrahedra)
    for (int a : tet)
      for (int b : tet)
        if (a < b && isIn[a] && isIn[b]) pairs.insert({a, b});
  if (pairs.empty())
    json.at("box").fail("has no edge of a tetrahedron in it", "make it larger, so that neighbours are in it");
  const auto restAt = [&deformable](int particle) { return deformable.rest[particle]; };
  for (const std::array<int, 2>& pair : pairs)
    deformable.edges.push_back({pair, (restAt(pair[1]) - restAt(pair[0])).norm(), stiffness});
  const double ofEdges = clothStepLimit(deformable);
  deformable.stepLimit = ofEdges > 0 ? 1 / std::hypot(1 / deformable.stepLimit, 1 / ofEdges) : 0;
}

LoadedDeformable loadTetrahedra(const JsonView& body, const Material& material, const MeshPlaces& places) {
  const JsonView fields = body.at("deformable");
  TetrahedralBody tets = readTetrahedra(body, places);
  LoadedDeformable loaded;
  Deformable deformable;
  deformable.material = readElasticity(fields, tets.notes);
  const double wanted = body.has("mass") ? body.at("mass").positive()
                                         : tets.volume * (body.has("density") ? body.at("density").positive()
                                                                              : material.density);
  requireMass(body, wanted);
  const double density = wanted / latticeVolume(tets.mesh);  // of the tetrahedra
  readActivation(fields, tets.mesh, deformable);
  const auto [limit, worst] = tetrahedraStepLimit(tets, deformable.material, density);
  deformable.stepLimit = limit;
  if (!(deformable.stepLimit > 0) || !std::isfinite(deformable.stepLimit))
    fields.at("young").fail("makes steps that no number holds", "give young, density and size in SI units");
  deformable.mass = lumpedMasses(tets.mesh, density);
  deformable.rest = std::move(tets.mesh.particles);
  deformable.tetrahedra = std::move(tets.mesh.tetrahedra);
  deformable.surface = std::move(tets.embedded);
  finish(deformable, std::move(tets.surface), loaded);
  readLayer(fields, loaded.centre, deformable);
  loaded.volume = tets.volume;
  readShared(fields, loaded.centre, deformable);
  loaded.notes = std::move(tets.notes);
  loaded.notes.push_back(std::to_string(deformable.tetrahedra.size()) + " tetrahedra, " +
                         std::to_string(deformable.rest.size()) + " particles, " + fourDigits(loaded.mass) +
                         " kg; " + stepNote(deformable) +
                         (deformable.stepLimit > 0 ? " (tetrahedron " + std::to_string(worst) + ")" : ""));
  loaded.deformable = std::make_shared<const Deformable>(std::move(deformable));
  return loaded;
}

TriangleMesh readSheet(const JsonView& shape, std::vector<std::string>& notes) {
  shape.allowOnly({"type", "size", "cells", "grid"});
  const std::vector<JsonView> lengths = shape.at("size").items(2), counts = shape.at("cells").items(2);
  if (lengths.size() != 2) shape.at("size").fail("must have two lengths", "write [along x, along z] in m");
  if (counts.size() != 2) shape.at("cells").fail("must have two counts", "write [along x, along z]");
  const std::array<double, 2> size = {lengths[0].positive(), lengths[1].positive()};
  const int maxCells = static_cast<int>(kMostTetrahedra);
  const std::array<int, 2> cells = {counts[0].integer(1, maxCells), counts[1].integer(1, maxCells)};
  if (2.0 * (cells[0] + 1.0) * cells[1] > static_cast<double>(kMostTetrahedra))
    shape.at("cells").fail("make more than 2 million triangles", "give fewer cells");
  ClothCut cut = ClothCut::Right;
  if (shape.has("grid")) {
    const std::string grid = shape.at("grid").oneOf({"right", "alternating", "equilateral"});
    if (grid != "right") cut = grid == "alternating" ? ClothCut::Alternating : ClothCut::Equilateral;
  }
  TriangleMesh sheet = clothGrid(size, cells, cut);
  if (sheet.edges.empty())
    shape.at("size").fail("makes triangles without area", "give cells of about equal edges");
  const double wanted = std::sqrt(0.75) * size[0] / cells[0], is = size[1] / cells[1];
  if (cut == ClothCut::Equilateral && std::abs(is / wanted - 1) > 0.05)
    notes.push_back("has triangles that are not equilateral, and bends more easily one way: " +
                    fourDigits(std::max(1.0, std::round(size[1] / wanted))) +
                    " cells along z would make them so");
  return sheet;
}

ClothStiffness readClothStiffness(const JsonView& fields) {
  ClothStiffness stiffness;
  stiffness.areaDensity = fields.at("area_density").positive();
  stiffness.edge = readEdgeStiffness(fields);
  if (fields.has("bending")) stiffness.bending = fields.at("bending").nonNegative();
  return stiffness;
}

LoadedDeformable loadCloth(const JsonView& body, const Material& material) {
  const JsonView fields = body.at("deformable");
  fields.allowOnly({"area_density", "edge_stiffness", "inextensible", "bending", "mass_damping", "held",
                    "attach", "self"});
  for (const char* key : {"density", "mass"})
    if (body.has(key))
      body.at(key).fail("is given for cloth", "remove it, and give area_density in deformable");
  LoadedDeformable loaded;
  TriangleMesh sheet = readSheet(body.at("shape"), loaded.notes);
  const double shortest = shortestEdge(sheet);
  if (material.thickness > 0.5 * shortest)
    body.at("material")
        .fail("has a thickness of " + fourDigits(material.thickness) +
                  " m, more than half of the shortest edge of the cloth, " + fourDigits(shortest) + " m",
              "give a smaller thickness, or larger cells");
  Deformable cloth = clothOf(sheet, readClothStiffness(fields));
  cloth.stepLimit = clothStepLimit(cloth);
  finish(cloth, std::move(sheet), loaded);
  requireMass(body, loaded.mass);
  readShared(fields, loaded.centre, cloth);
  loaded.notes.push_back(std::to_string(loaded.shape->surfaces.front().triangles.size()) + " triangles, " +
                         std::to_string(cloth.rest.size()) + " particles, " + fourDigits(loaded.mass) +
                         " kg; " + stepNote(cloth));
  if (fields.has("inextensible") && fields.at("inextensible").boolean() &&
      loaded.shape->surfaces.front().triangles.size() > 2)
    loaded.notes.push_back(
        "inextensible edges make each triangle rigid: the cloth folds along edges of the mesh only, and "
        "hangs "
        "about 1 % too high, more with finer cells; where it must drape, stiff edges (edge_stiffness) are "
        "nearer to cloth");
  loaded.deformable = std::make_shared<const Deformable>(std::move(cloth));
  return loaded;
}

}  // namespace

const LoadedDeformable& DeformableBodies::get(const JsonView& body, const Material& material,
                                              const MeshPlaces& meshes, bool& isNew) {
  for (const char* key : kRigidOnly)
    if (body.has(key)) body.at(key).fail("is given for a body that deforms", "remove it");
  body.at("deformable").requireObject();
  std::string text = material.name;
  for (const char* key : {"shape", "deformable", "density", "mass"})
    text += '\n' + (body.has(key) ? body.at(key).json().dump() : std::string());
  const bool isCloth = body.at("shape").at("type").text() == "cloth";
  auto place = m_entries.find(text);
  isNew = place == m_entries.end();
  if (isNew)
    place =
        m_entries.emplace(text, isCloth ? loadCloth(body, material) : loadTetrahedra(body, material, meshes))
            .first;
  m_particles += place->second.deformable->rest.size();
  m_tetrahedra += place->second.deformable->tetrahedra.size();
  if (std::max(m_particles, m_tetrahedra) > kMostTetrahedra)
    body.at("shape").fail("brings the scene above 2 million particles or tetrahedra",
                          "use fewer bodies, or larger cells");
  return place->second;
}

void requireRigidShape(const JsonView& shape) {
  shape.requireObject();
  const std::string type = shape.at("type").text();
  if (type == "lattice" || type == "cloth" || (type == "mesh" && isMshFile(shape)))
    shape.fail("belongs to a body that deforms", "add deformable to the body, or use another shape");
}

Aabb readBox(const JsonView& json) {
  const std::vector<JsonView> corners = json.items(2);
  if (corners.size() != 2)
    json.fail("must have two corners", "write [[x, y, z], [x, y, z]], the lower first");
  const Aabb box{corners[0].vector(), corners[1].vector()};
  if (!isSome(box)) json.fail("has no inside", "give the lower corner first");
  return box;
}

std::vector<int> particlesIn(const JsonView& json, const Deformable& body, const Vec3& centre) {
  // Of the body's size: a larger value takes particles beside the box, a smaller one leaves out those that
  // rounding puts there.
  constexpr double kRounding = 1e-9;
  Aabb box = readBox(json), extent;
  for (const Vec3& particle : body.rest) extent.add(Vec3(particle + centre));
  box.grow(kRounding * (extent.high - extent.low).norm());
  std::vector<int> found;
  for (std::size_t particle = 0; particle < body.rest.size(); ++particle) {
    const Vec3 place = body.rest[particle] + centre;
    if ((place.array() >= box.low.array() && place.array() <= box.high.array()).all())
      found.push_back(static_cast<int>(particle));
  }
  if (!found.empty()) return found;
  const auto text = [](const Vec3& p) {
    return fourDigits(p.x()) + " " + fourDigits(p.y()) + " " + fourDigits(p.z());
  };
  json.fail("has no particle of the body in it",
            "give corners in the frame of the shape, where the particles lie from " + text(extent.low) +
                " to " + text(extent.high) + " m");
}

}  // namespace touchstone
