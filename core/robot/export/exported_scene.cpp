#include "core/robot/export/exported_scene.h"

#include <algorithm>
#include <cmath>
#include <variant>

#include "core/files/scene_error.h"
#include "core/files/text_forms.h"

namespace touchstone {

namespace {

/// Rounding of corners relative to the size of a box. A larger value turns nearly rectangular pieces into
/// boxes; a smaller one writes boxes that were moved to their centre of mass as meshes.
constexpr double kCornerRounding = 1e-12;

bool isBox(const Polytope& piece, Vec3& centre, Vec3& halfSize) {
  if (piece.vertices.size() != 8) return false;
  Vec3 low = piece.vertices.front(), high = low;
  for (const Vec3& corner : piece.vertices) {
    low = low.cwiseMin(corner);
    high = high.cwiseMax(corner);
  }
  centre = 0.5 * (low + high);
  halfSize = 0.5 * (high - low);
  const double rounding = kCornerRounding * (halfSize.norm() + centre.norm());
  // Eight different corners, each of them at a corner of the box, are all of its corners.
  return std::all_of(piece.vertices.begin(), piece.vertices.end(), [&](const Vec3& corner) {
    return ((corner - centre).cwiseAbs() - halfSize).cwiseAbs().maxCoeff() <= rounding;
  });
}

std::string fieldOf(std::size_t body, const char* field) {
  return "bodies[" + std::to_string(body) + "]." + field;
}

void requireBody(const Scene& scene, std::size_t index) {
  const Body& body = scene.bodies[index];
  const std::string who = " ('" + body.name + "')";
  if (body.deformable)
    throw SceneError(scene.file, fieldOf(index, "deformable"),
                     "is a body that deforms" + who + "; only rigid bodies are exported",
                     "make it rigid, or remove it");
  if (body.shape->kind != Shape::Kind::Plane && !body.shape->surfaces.empty() && body.shape->pieces.empty())
    throw SceneError(scene.file, fieldOf(index, "shape"),
                     "is a mesh that is not convex and has no convex pieces" + who,
                     "give its pieces, which other engines need for contacts");
}

}  // namespace

std::vector<ExportedSolid> exportedSolids(const Body& body) {
  std::vector<ExportedSolid> solids;
  if (body.shape->kind == Shape::Kind::Plane) {
    solids.emplace_back();
    solids.back().kind = ExportedSolid::Kind::Plane;
    solids.back().normal = body.shape->planeNormal;
  }
  for (std::size_t index = 0; index < body.shape->pieces.size(); ++index) {
    const Polytope& piece = body.shape->pieces[index];
    ExportedSolid solid;
    solid.piece = &piece;
    if (const std::optional<RoundPiece> round = roundOf(*body.shape, index)) {
      solid.kind = ExportedSolid::Kind::Round;
      solid.round = *round;
    } else if (isBox(piece, solid.centre, solid.halfSize)) {
      solid.kind = ExportedSolid::Kind::Box;
    }
    solids.push_back(solid);
  }
  return solids;
}

void requireExportable(const Scene& scene) {
  if (scene.planar)
    throw SceneError(scene.file, "bodies", "are polygons; other engines have no planar scenes",
                     "use a scene of solids");
  if (!scene.joints.empty())
    throw SceneError(scene.file, "joints[0]",
                     "is the joint '" + scene.joints.front().name + "'; joints are not exported",
                     "remove the joints, or use a scene of free bodies");
  for (std::size_t body = 0; body < scene.bodies.size(); ++body) requireBody(scene, body);
}

std::vector<std::string> exportWarnings(const Scene& scene) {
  std::vector<std::string> warnings;
  for (std::size_t index = 0; index < scene.materials.size(); ++index) {
    const Material& material = scene.materials[index];
    if (material.staticFriction != material.dynamicFriction)
      warnings.push_back("material '" + material.name + "': static friction " +
                         fourDigits(material.staticFriction) + " is left out; the dynamic one, " +
                         fourDigits(material.dynamicFriction) + ", is written");
  }
  const auto isLate = [](const Body& body) { return body.releaseTime > 0; };
  const auto late = std::count_if(scene.bodies.begin(), scene.bodies.end(), isLate);
  if (late > 0)
    warnings.push_back(
        std::to_string(late) + (late == 1 ? " body is" : " bodies are") +
        " released later: keep each out of the world until its release_time, which is written");
  for (const auto& [method, values] : scene.parameters) {
    const auto found = values.find("restitution");
    const double* number = found == values.end() ? nullptr : std::get_if<double>(&found->second);
    if (number && *number != 0)
      warnings.push_back("parameters." + method + ".restitution " + fourDigits(*number) +
                         " is left out: set that of the other engine");
  }
  return warnings;
}

double exportedFriction(const Scene& scene, const Body& a, const Body& b) {
  const auto frictionOf = [&](const Body& body) { return scene.materials[body.material].dynamicFriction; };
  return std::sqrt(frictionOf(a) * frictionOf(b));
}

std::string spaced(const Vec3& v) {
  return csvNumber(v.x()) + " " + csvNumber(v.y()) + " " + csvNumber(v.z());
}

std::string spaced(const Quaternion& q) { return csvNumber(q.w()) + " " + spaced(Vec3(q.vec())); }

}  // namespace touchstone
