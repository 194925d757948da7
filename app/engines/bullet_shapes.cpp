#include "app/engines/bullet_shapes.h"

#include <LinearMath/btGeometryUtil.h>

#include <algorithm>

#include "core/engine/engine_bodies.h"

namespace touchstone {

btCollisionShape* BulletShapes::of(const Shape& shape, const Quaternion& turn) {
  if (shape.kind == Shape::Kind::Plane) return keep<btStaticPlaneShape>(bt(shape.planeNormal), btScalar(0));
  auto* compound = keep<btCompoundShape>();
  const btTransform turned(bt(turn), btVector3(0, 0, 0));
  for (std::size_t index = 0; index < shape.pieces.size(); ++index) {
    const Polytope& piece = shape.pieces[index];
    if (const std::optional<RoundPiece> round = roundOf(shape, index))
      compound->addChildShape(
          turned * btTransform(bt(Quaternion::FromTwoVectors(Vec3::UnitY(), round->axis)), bt(round->centre)),
          shapeOf(*round));
    else if (const std::optional<BoxPiece> box = boxOf(piece))
      compound->addChildShape(turned * btTransform(bt(box->axes), bt(box->centre)),
                              keep<btBoxShape>(bt(box->half)));
    else
      compound->addChildShape(turned, hullOf(piece));
  }
  return compound;
}

/// Round shapes of Bullet are along y, and have their margin inside.
btCollisionShape* BulletShapes::shapeOf(const RoundPiece& round) {
  const auto radius = btScalar(round.radius), length = btScalar(round.length);
  switch (round.kind) {
    case RoundPiece::Kind::Sphere:
      return keep<btSphereShape>(radius);
    case RoundPiece::Kind::Capsule:
      return keep<btCapsuleShape>(radius, length);
    case RoundPiece::Kind::Cylinder:
      break;
  }
  return keep<btCylinderShape>(btVector3(radius, length / 2, radius));
}

/// Bullet's margin lies around a hull: its faces go inwards by as much, so that both together are the piece
/// but for its rounded edges.
btCollisionShape* BulletShapes::hullOf(const Polytope& piece) {
  constexpr double kShare = 0.1;  // of the inside, as Bullet bounds the margin of its boxes
  Vec3 centre = Vec3::Zero();
  for (const Vec3& vertex : piece.vertices) centre += vertex / static_cast<double>(piece.vertices.size());
  double margin = m_margin;
  for (const Polytope::Face& face : piece.faces)
    margin = std::min(margin, kShare * (face.offset - face.normal.dot(centre)));
  btAlignedObjectArray<btVector3> planes, corners;
  for (const Polytope::Face& face : piece.faces) {
    btVector3 plane = bt(face.normal);
    plane[3] = btScalar(margin - face.offset);
    planes.push_back(plane);
  }
  btGeometryUtil::getVerticesFromPlaneEquations(planes, corners);
  auto* hull = keep<btConvexHullShape>();
  for (int corner = 0; corner < corners.size(); ++corner) hull->addPoint(corners[corner]);
  hull->setMargin(btScalar(margin));
  return hull;
}

}  // namespace touchstone
