#include "core/scene/scene_file.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>
#include <set>

#include "core/files/file_bytes.h"
#include "core/files/json_file.h"
#include "core/files/text_forms.h"
#include "core/geometry/aabb.h"
#include "core/scene/attachment.h"
#include "core/scene/deformable_file.h"
#include "core/scene/frame_count.h"
#include "core/scene/joint_file.h"
#include "core/scene/scene_copies.h"
#include "core/shape/mesh_file.h"
#include "core/shape/shape_file.h"

namespace touchstone {

namespace {

namespace fs = std::filesystem;

/// A larger value only lets a damaged file take more time; a smaller one refuses scenes with many panes.
constexpr std::size_t kMostMethods = 100, kMostNotes = 1000, kMostPairs = 100'000;
/// If it is smaller, the inverse inertia of a small body nears the largest double; if it is larger, scenes of
/// very small bodies are refused.
constexpr double kSmallestMass = 1e-12;  // kg

Material readMaterial(const JsonView& view) {
  view.allowOnly({"name", "density", "friction", "static_friction", "dynamic_friction", "thickness"});
  Material material;
  material.name = view.at("name").text();
  if (view.has("density")) material.density = view.at("density").positive();
  if (view.has("friction"))
    material.staticFriction = material.dynamicFriction = view.at("friction").nonNegative();
  if (view.has("friction") && (view.has("static_friction") || view.has("dynamic_friction")))
    view.at("friction").fail("stands beside static_friction or dynamic_friction", "give it or those two");
  if (view.has("static_friction")) material.staticFriction = view.at("static_friction").nonNegative();
  if (view.has("dynamic_friction")) material.dynamicFriction = view.at("dynamic_friction").nonNegative();
  if (view.has("thickness")) material.thickness = view.at("thickness").nonNegative();
  if (material.dynamicFriction > material.staticFriction)
    view.at("dynamic_friction")
        .fail("is above static_friction", "give a static coefficient that is at least as large");
  return material;
}

int materialIndex(const JsonView& view, const Scene& scene) {
  const std::string name = view.text();
  for (std::size_t index = 0; index < scene.materials.size(); ++index)
    if (scene.materials[index].name == name) return static_cast<int>(index);
  std::vector<std::string> known;
  for (const Material& material : scene.materials) known.push_back(material.name);
  const std::string nearest = nearestName(name, known);
  view.fail("names the material '" + name + "', which is not in materials",
            nearest.empty() ? "add it there or correct the name" : "did you mean '" + nearest + "'?");
}

Mat3 readInertia(const JsonView& view) {
  Mat3 inertia = Mat3::Zero();
  const auto rows = view.items(3);
  if (rows.size() != 3)
    view.fail("must have three entries", "write [Ixx, Iyy, Izz] or three rows of three numbers, in kg·m²");
  for (int row = 0; row < 3; ++row) {
    if (rows[row].json().is_array()) {
      inertia.row(row) = rows[row].vector();
    } else {
      inertia(row, row) = rows[row].positive();
    }
  }
  const bool symmetric = (inertia - inertia.transpose()).norm() <= 1e-9 * inertia.norm();
  const bool positive =
      inertia(0, 0) > 0 && inertia.topLeftCorner<2, 2>().determinant() > 0 && inertia.determinant() > 0;
  if (!symmetric || !positive)
    view.fail("is not symmetric positive definite", "give the inertia about the centre of mass");
  // For a real body ½ tr(I) 1 − I = ∫ x xᵀ dm is positive; the factor 1 + 1e-6 allows flat bodies with
  // rounded digits.
  const Mat3 moment = 0.5 * inertia.trace() * (1 + 1e-6) * Mat3::Identity() - inertia;
  if (!(moment(0, 0) >= 0 && moment.topLeftCorner<2, 2>().determinant() >= 0 && moment.determinant() >= 0))
    view.fail("has a principal moment above the sum of the other two, which no body has",
              "check its entries");
  return inertia;
}

/// Without an inertia of its own the body is a solid whose mass lies within the shape, and so its centre.
/// @param shape  relative to the centre of mass
void checkCentre(const JsonView& view, const Shape& shape) {
  if (view.has("inertia")) return;
  Aabb box;
  for (const TriangleMesh& surface : shape.surfaces)
    for (const Vec3& vertex : surface.vertices) box.add(vertex);
  const bool isInside = isSome(box) && (box.low.array() <= 0).all() && (box.high.array() >= 0).all();
  if (!isInside)
    view.at("centre_of_mass")
        .fail("lies outside the box around the shape, where no solid has its centre of mass",
              "give a point inside, in m in the frame of the shape, or add mass and inertia");
}

void setMass(const JsonView& view, const LoadedShape& loaded, double density, Body& body) {
  const bool closed = std::all_of(loaded.shape.surfaces.begin(), loaded.shape.surfaces.end(),
                                  [](const TriangleMesh& surface) { return surface.closed; });
  const bool whole = view.has("mass") && view.has("inertia");
  if (loaded.shape.surfaces.empty() && !whole)
    view.at("shape").fail("is none, which has no mass", "give mass and inertia of the body");
  if (!closed && !whole)
    view.at("shape").fail("is an open mesh, whose mass cannot be computed",
                          "close the mesh, or give mass and inertia");
  if (loaded.overlappingPieces && !whole)
    view.at("shape").fail("has pieces that overlap, so that their masses cannot be added",
                          "give mass and inertia of the body");
  if (view.has("inertia") && !whole) view.at("inertia").fail("needs mass beside it", "add mass in kg");
  const double massOfDensity = density * loaded.solid.volume;
  body.mass = view.has("mass") ? view.at("mass").positive() : massOfDensity;
  body.inertia = view.has("inertia") ? readInertia(view.at("inertia"))
                                     : Mat3(loaded.solid.inertia * (body.mass / loaded.solid.volume));
  if (!(body.mass >= kSmallestMass) || !std::isfinite(body.mass))
    view.fail("has no mass, or less than 1e-12 kg", "give mass in kg, or a shape with volume");
}

/// Shapes of one scene by their JSON text and motion: equal ones are built once and shared.
struct ShapeCache {
  struct Entry {
    LoadedShape loaded;                  ///< relative to the origin of the file
    std::shared_ptr<const Shape> shape;  ///< relative to the centre of mass; for static bodies to the origin
    bool isListed = false;               ///< already listed in the notes of the scene
  };
  std::map<std::string, Entry> entries;
  std::size_t triangles = 0;

  /// @param centre  of mass [m] instead of that of the solid, about which its inertia is then; or null
  Entry& get(const JsonView& view, Motion motion, const Vec3* centre, const MeshPlaces& meshes) {
    std::string key = (motion == Motion::Static ? "s" : "d") + view.json().dump();
    if (centre) key += csvVector(*centre);
    auto place = entries.find(key);
    if (place == entries.end()) {
      Entry entry{readShape(view, meshes), nullptr};
      if (centre) entry.loaded.solid = about(entry.loaded.solid, *centre);
      Shape shape = entry.loaded.shape;
      recentre(shape, motion == Motion::Static ? Vec3(Vec3::Zero()) : entry.loaded.solid.centre);
      entry.shape = std::make_shared<const Shape>(std::move(shape));
      place = entries.emplace(key, std::move(entry)).first;
    }
    count(*place->second.shape, view);
    return place->second;
  }

  void count(const Shape& shape, const JsonView& view) {
    for (const TriangleMesh& surface : shape.surfaces) triangles += surface.triangles.size();
    if (triangles > kMostTriangles)
      view.fail("brings the scene above 2 million triangles", "use fewer bodies or simpler meshes");
  }
};

/// Shapes that bodies of a scene share while they are read.
struct SharedShapes {
  const MeshPlaces& meshes;
  ShapeCache rigid;
  DeformableBodies deformable;
};

/// Fields that are the same for rigid bodies and those that deform.
Body readMotion(const JsonView& view, const Scene& scene) {
  Body body;
  body.name = view.at("name").text();
  if (body.name.empty()) view.at("name").fail("is empty", "give each body a name");
  const std::string motion = view.textOr("motion", "dynamic");
  if (motion != "dynamic" && motion != "static")
    view.at("motion").fail("'" + motion + "' is unknown", "use dynamic or static");
  body.motion = motion == "static" ? Motion::Static : Motion::Dynamic;
  if (view.has("material")) body.material = materialIndex(view.at("material"), scene);
  body.orientation = view.rotationOr("orientation");
  body.position = view.vectorOr("position", Vec3::Zero());
  body.linearVelocity = view.vectorOr("velocity", Vec3::Zero());
  body.angularVelocity = view.vectorOr("angular_velocity", Vec3::Zero());
  if (view.has("release_time")) body.releaseTime = view.at("release_time").nonNegative();
  if (view.has("visible")) body.visible = view.at("visible").boolean();
  return body;
}

void readRigid(const JsonView& view, Scene& scene, SharedShapes& shapes, Body& body) {
  requireRigidShape(view.at("shape"));
  const Vec3 centre = view.vectorOr("centre_of_mass", Vec3::Zero());
  const bool hasCentre = view.has("centre_of_mass");
  ShapeCache::Entry& entry =
      shapes.rigid.get(view.at("shape"), body.motion, hasCentre ? &centre : nullptr, shapes.meshes);
  const LoadedShape& loaded = entry.loaded;
  body.volume = loaded.solid.volume;
  if (view.has("density") && view.has("mass"))
    view.at("density").fail("is given beside mass", "give one of the two");

  if (body.motion == Motion::Dynamic) {
    if (loaded.shape.kind == Shape::Kind::Plane)
      view.at("shape").fail("is a plane, which has no end and no mass",
                            "add \"motion\": \"static\" to the body");
    const double density =
        view.has("density") ? view.at("density").positive() : scene.materials[body.material].density;
    if (hasCentre) checkCentre(view, *entry.shape);
    setMass(view, loaded, density, body);
    body.centre = loaded.solid.centre;
    body.position += body.orientation * body.centre;
  } else {
    for (const char* key : {"mass", "inertia", "centre_of_mass", "density", "velocity", "angular_velocity"})
      if (view.has(key))
        view.at(key).fail("is given for a static body, which never moves",
                          "remove it, or make the body dynamic");
  }
  body.shape = entry.shape;
  if (!loaded.description.empty() && !entry.isListed) {
    entry.isListed = true;
    const bool weighs = body.motion == Motion::Dynamic;
    scene.notes.push_back("'" + body.name + "': " + loaded.description +
                          (weighs ? "; " + fourDigits(body.mass) + " kg" : "; static"));
  }
}

void readDeforming(const JsonView& view, Scene& scene, SharedShapes& shapes, Body& body) {
  if (body.motion == Motion::Static)
    view.at("motion").fail("is static, and the body deforms",
                           "remove it; to fix a part of the body, use held in deformable");
  if (view.has("density") && view.has("mass"))
    view.at("density").fail("is given beside mass", "give one of the two");
  bool isNew = false;
  const LoadedDeformable& loaded =
      shapes.deformable.get(view, scene.materials[body.material], shapes.meshes, isNew);
  shapes.rigid.count(*loaded.shape, view.at("shape"));
  body.shape = loaded.shape;
  body.deformable = loaded.deformable;
  body.mass = loaded.mass;
  body.inertia = loaded.inertia;
  body.volume = loaded.volume;
  body.centre = loaded.centre;
  body.position += body.orientation * body.centre;
  if (!isNew) return;
  for (const std::string& note : loaded.notes) scene.notes.push_back("'" + body.name + "': " + note);
}

Body readBody(const JsonView& view, Scene& scene, SharedShapes& shapes) {
  view.allowOnly({"name", "shape", "deformable", "motion", "material", "density", "mass", "inertia",
                  "centre_of_mass", "position", "orientation", "velocity", "angular_velocity", "release_time",
                  "visible"});
  Body body = readMotion(view, scene);
  if (view.has("deformable"))
    readDeforming(view, scene, shapes, body);
  else
    readRigid(view, scene, shapes, body);
  return body;
}

bool isPolygon(const Body& body) {
  return !body.shape->pieces.empty() && body.shape->pieces.front().planar();
}

/// A body of a planar scene moves in the plane z = 0 and turns about z.
void requirePlanar(const JsonView& view, const Body& body) {
  if (body.deformable)
    view.at("deformable").fail("is in a scene of polygons", "use solids only, or leave the body rigid");
  if (body.shape->kind == Shape::Kind::Plane) {
    if ((body.orientation * body.shape->planeNormal).z() != 0)
      view.at("shape").fail("cuts the plane of the polygons at an angle",
                            "give a normal with third coordinate 0");
    return;
  }
  if (!isPolygon(body))
    view.at("shape").fail("is a solid in a scene of polygons", "use polygons only, or solids only");
  const auto require = [&view](bool met, const char* field) {
    if (!met)
      view.at(field).fail("leaves the plane of the polygons", "stay in the plane z = 0, turn about z");
  };
  if (view.has("centre_of_mass")) require(body.centre.z() == 0, "centre_of_mass");
  require(body.position.z() == 0, "position");
  require(body.orientation.x() == 0 && body.orientation.y() == 0, "orientation");
  require(body.linearVelocity.z() == 0, "velocity");
  require(body.angularVelocity.x() == 0 && body.angularVelocity.y() == 0, "angular_velocity");
}

void checkPlanar(const JsonView& root, Scene& scene) {
  scene.planar = std::any_of(scene.bodies.begin(), scene.bodies.end(), isPolygon);
  if (!scene.planar) return;
  if (scene.gravity.z() != 0)
    root.at("gravity").fail("leaves the plane of the polygons", "give 0 as its third entry");
  const auto views = root.at("bodies").items(kMaxBodies);
  for (std::size_t body = 0; body < views.size(); ++body) requirePlanar(views[body], scene.bodies[body]);
}

/// Computes the size of the scene, and a camera that shows all of it unless the file gives one.
void measureSize(Scene& scene, bool hasView) {
  Aabb box;
  for (const Body& body : scene.bodies)
    for (const TriangleMesh& surface : body.shape->surfaces)
      for (const Vec3& vertex : surface.vertices) box.add(Vec3(body.position + body.orientation * vertex));
  const bool bounded = isSome(box);
  scene.size = bounded ? (box.high - box.low).norm() : 1;
  if (hasView) return;
  scene.view.target = bounded ? Vec3(0.5 * (box.low + box.high)) : Vec3::Zero();
  scene.view.eye = scene.view.target + scene.size * (scene.planar ? Vec3(0, 0, 1.5) : Vec3(0.8, 0.6, 1.2));
}

std::string readLesson(const JsonView& view) {
  if (view.json().is_string()) return view.text();
  std::string lesson;
  for (const JsonView& paragraph : view.items(1000)) lesson += paragraph.text() + "\n\n";
  return lesson;
}

AnalyticCurve readAnalytic(const JsonView& view) {
  // A larger value lets files define steep polynomials that lose digits; a smaller one refuses valid curves.
  constexpr std::size_t kMostCoefficients = 16;
  view.allowOnly({"quantity", "formula", "coefficients"});
  AnalyticCurve curve{view.at("quantity").text(), view.at("formula").text(), {}};
  for (const JsonView& coefficient : view.at("coefficients").items(kMostCoefficients))
    curve.coefficients.push_back(coefficient.number());
  if (curve.coefficients.empty())
    view.at("coefficients").fail("is empty", "give the coefficients of 1, t, t², …");
  return curve;
}

void readNoContact(const JsonView& root, Scene& scene) {
  if (!root.has("no_contact")) return;
  std::map<std::string, int> bodies;
  for (std::size_t body = 0; body < scene.bodies.size(); ++body)
    bodies[scene.bodies[body].name] = static_cast<int>(body);
  for (const JsonView& pair : root.at("no_contact").items(kMostPairs)) {
    const std::vector<JsonView> names = pair.items(2);
    if (names.size() != 2) pair.fail("is no pair", "give the names of two bodies");
    std::array<int, 2> bodyPair;
    for (std::size_t side : {0, 1}) {
      const auto found = bodies.find(names[side].text());
      if (found == bodies.end())
        names[side].fail("names the body '" + names[side].text() + "', which is not in bodies",
                         "add it there or correct the name");
      bodyPair[side] = found->second;
    }
    if (bodyPair[0] == bodyPair[1]) pair.fail("names one body twice", "give the names of two bodies");
    scene.noContact.push_back(bodyPair);
  }
}

void readHeader(const JsonView& root, Scene& scene) {
  root.requireObject();
  if (!root.has("touchstone"))
    throw SceneError(root.file(), "touchstone", "is missing: this is no scene of this program",
                     "begin it with \"touchstone\": 1 (datasets/README.md); scenes of other programs are not "
                     "read");
  root.allowOnly({"$schema",    "touchstone", "name",         "title",         "lesson", "gravity",
                  "dt",         "duration",   "length_scale", "materials",     "bodies", "joints",
                  "assemble",   "methods",    "parameters",   "analytic",      "view",   "copies",
                  "no_contact", "notes",      "claims",       "recorded_width"});
  root.at("touchstone").integer(1, 1);
  scene.name = root.at("name").text();
  if (!isPlainName(scene.name))
    root.at("name").fail("must be 1 to 100 letters, digits, - and _",
                         "it becomes part of file names, for example resting-box");
  scene.title = root.at("title").text();
  if (root.has("lesson")) scene.lesson = readLesson(root.at("lesson"));
  scene.gravity = root.vectorOr("gravity", Vec3(0, -9.81, 0));
  scene.dt = root.at("dt").positive();
  if (scene.dt > kLongestStep)
    root.at("dt").fail("is longer than 1 s", "give the step in seconds, for example 0.01");
  if (root.has("duration")) scene.duration = root.at("duration").positive();
  const std::string problem = frameCountProblem(scene.duration, scene.dt);
  if (!problem.empty()) throw SceneError(scene.file, "duration", problem, kFrameCountRemedy);
  if (root.has("length_scale")) scene.length = root.at("length_scale").positive();
  // Checked here; who compares a recording reads it, see recordedWidthOf().
  if (root.has("recorded_width")) root.at("recorded_width").positive();
  for (const JsonView& method : root.at("methods").items(6)) scene.methods.push_back(method.text());
  if (root.has("view")) {
    const JsonView view = root.at("view");
    view.allowOnly({"eye", "target"});
    scene.view = {view.at("eye").vector(), view.at("target").vector()};
    if (scene.view.eye == scene.view.target) view.at("eye").fail("is at the target", "move the eye away");
  }
  if (root.has("notes"))
    for (const JsonView& note : root.at("notes").items(kMostNotes)) scene.notes.push_back(note.text());
  if (root.has("analytic"))
    for (const JsonView& curve : root.at("analytic").items(100))
      scene.analytic.push_back(readAnalytic(curve));
  if (root.has("parameters"))
    for (const auto& [method, values] : root.at("parameters").members(kMostMethods)) {
      scene.parameters[method] = parametersOf(values);
      for (const auto& [key, value] : values.json().items())
        if (const std::string note = formerKeyNote(key); !note.empty())
          scene.notes.push_back("parameters." + method + ": " + note);
    }
}

}  // namespace

std::shared_ptr<const Scene> readScene(const std::string& path, const SourceFile& source,
                                       const std::vector<std::string>& meshFolders) {
  auto scene = std::make_shared<Scene>();
  scene->file = path;
  const nlohmann::json document = parseJson(*source.bytes, path);
  const JsonView root(document, path, "add it; datasets/README.md describes the format");
  readHeader(root, *scene);
  scene->sources[fs::path(path).filename().string()] = source;
  scene->materials.push_back(Material());
  if (root.has("materials")) {
    std::set<std::string> names;
    for (const JsonView& material : root.at("materials").items(kMaxBodies)) {
      const Material read = readMaterial(material);
      if (!names.insert(read.name).second) material.at("name").fail("is used twice", "rename one");
      // The file's own `default` is also that of bodies that name no material.
      if (read.name == scene->materials.front().name)
        scene->materials.front() = read;
      else
        scene->materials.push_back(read);
    }
  }
  std::set<std::string> names;
  const MeshPlaces meshes{scene->sources, meshFolders};
  SharedShapes shapes{meshes, {}, {}};
  for (const JsonView& body : root.at("bodies").items(kMaxBodies)) {
    scene->bodies.push_back(readBody(body, *scene, shapes));
    if (!names.insert(scene->bodies.back().name).second)
      body.at("name").fail("is used twice", "rename one of the bodies");
  }
  if (scene->bodies.empty()) root.at("bodies").fail("is empty", "add at least one body");
  checkPlanar(root, *scene);
  readJoints(root, *scene);
  readAttachments(root, *scene);
  readNoContact(root, *scene);
  readCopies(root, *scene);
  measureSize(*scene, root.has("view"));
  return scene;
}

}  // namespace touchstone
