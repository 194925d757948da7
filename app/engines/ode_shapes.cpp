#include "app/engines/ode_shapes.h"

#include "core/engine/engine_bodies.h"
#include "core/geometry/topology.h"
#include "core/math/count.h"

namespace touchstone {

void OdeShapes::clear() {
  for (const Mesh& mesh : m_meshes) dGeomTriMeshDataDestroy(mesh.data);
  m_meshes.clear();
}

dGeomID OdeShapes::meshOf(const Polytope& piece, dSpaceID space) {
  const TriangleMesh surface = triangulated(piece);
  Mesh& mesh = m_meshes.emplace_back();
  for (const Vec3& vertex : surface.vertices)
    mesh.vertices.insert(mesh.vertices.end(), {vertex.x(), vertex.y(), vertex.z()});
  for (const auto& triangle : surface.triangles)
    for (const int corner : triangle) mesh.triangles.push_back(static_cast<dTriIndex>(corner));
  mesh.data = dGeomTriMeshDataCreate();
  dGeomTriMeshDataBuildDouble(mesh.data, mesh.vertices.data(), 3 * sizeof(double), countOf(surface.vertices),
                              mesh.triangles.data(), countOf(mesh.triangles), 3 * sizeof(dTriIndex));
  return dCreateTriMesh(space, mesh.data, nullptr, nullptr, nullptr);
}

/// Round geometries of ODE are along z.
static dGeomID geomOf(const RoundPiece& round, dSpaceID space) {
  switch (round.kind) {
    case RoundPiece::Kind::Sphere:
      return dCreateSphere(space, round.radius);
    case RoundPiece::Kind::Capsule:
      return dCreateCapsule(space, round.radius, round.length);
    case RoundPiece::Kind::Cylinder:
      break;
  }
  return dCreateCylinder(space, round.radius, round.length);
}

void OdeShapes::add(const Shape& shape, const Vec3& position, const Quaternion& orientation, dBodyID body,
                    int index, dSpaceID space) {
  const auto tag = [index](dGeomID geom) {
    dGeomSetData(geom, reinterpret_cast<void*>(static_cast<std::intptr_t>(index)));
  };
  if (shape.kind == Shape::Kind::Plane) {
    const Vec3 normal = orientation * shape.planeNormal;
    tag(dCreatePlane(space, normal.x(), normal.y(), normal.z(), normal.dot(position)));
  }
  for (std::size_t number = 0; number < shape.pieces.size(); ++number) {
    const Polytope& piece = shape.pieces[number];
    const std::optional<RoundPiece> round = roundOf(shape, number);
    const std::optional<BoxPiece> box = round ? std::nullopt : boxOf(piece);
    dGeomID geom = round ? geomOf(*round, space)
                   : box ? dCreateBox(space, 2 * box->half.x(), 2 * box->half.y(), 2 * box->half.z())
                         : meshOf(piece, space);
    tag(geom);
    const Vec3 centre = round ? round->centre : box ? box->centre : Vec3(Vec3::Zero());
    const Quaternion axes = round ? Quaternion(Quaternion::FromTwoVectors(Vec3::UnitZ(), round->axis))
                            : box ? box->axes
                                  : Quaternion(Quaternion::Identity());
    if (body) {
      dGeomSetBody(geom, body);
      dGeomSetOffsetPosition(geom, centre.x(), centre.y(), centre.z());
      dGeomSetOffsetQuaternion(geom, OdeQuaternion(axes).q);
    } else {
      const Vec3 worldCentre = position + orientation * centre;
      dGeomSetPosition(geom, worldCentre.x(), worldCentre.y(), worldCentre.z());
      dGeomSetQuaternion(geom, OdeQuaternion(product(orientation, axes)).q);
    }
  }
}

}  // namespace touchstone
