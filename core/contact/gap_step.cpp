#include "core/contact/gap_step.h"

#include "core/parallel/parallel_for.h"

namespace touchstone {

namespace {

void updateGradient(const Pose& pose, ModelContact& contact) {
  contact.armA = contact.geometry.pointA - pose.position[contact.bodyA];
  contact.armB = contact.geometry.pointB - pose.position[contact.bodyB];
  contact.jacobian =
      pairJacobian(contact.bodyA, contact.bodyB, contact.geometry.normal, contact.armA, contact.armB);
}

}  // namespace

Velocities velocitiesAfter(const World& world, const GapStep& step,
                           const std::vector<IslandAnswer>& answers) {
  Velocities velocities = step.free;
  for (const IslandAnswer& answer : answers)
    addImpulses(world, answer.island, answer.result.z.cwiseMax(0), velocities);
  return velocities;
}

Pose poseAfter(const World& world, const Velocities& velocities) {
  Pose pose{world.position, world.orientation};
  for (std::size_t body = 0; body < pose.position.size(); ++body) {
    if (!isDynamic(world, static_cast<int>(body))) continue;
    pose.position[body] += world.dt * Vec3(velocities[body].head<3>());
    pose.orientation[body] = rotated(pose.orientation[body], velocities[body].tail<3>(), world.dt);
  }
  return pose;
}

const Polytope& pieceOf(const World& world, int piece) {
  return world.scene->bodies[world.pieces->body[piece]].shape->pieces[world.pieces->index[piece]];
}

std::vector<PlacedPolytope> placedPieces(const World& world, const Pose& pose) {
  std::vector<PlacedPolytope> pieces(world.pieces->body.size());
  parallelFor(static_cast<int>(pieces.size()), [&](int piece) {
    const int body = world.pieces->body[piece];
    if (world.active[body])
      pieces[piece] = placed(pieceOf(world, piece), pose.position[body], pose.orientation[body]);
  });
  return pieces;
}

Vec3 planeNormal(const World& world, int plane) {
  return world.orientation[plane] * world.scene->bodies[plane].shape->planeNormal;
}

PieceContact planeContact(const Vec3& vertex, int index, const Vec3& normal, const Vec3& origin) {
  PieceContact contact;
  contact.kind = FeaturePairKind::VertexPlane;
  contact.featureA = index;
  contact.featureB = 0;
  contact.psi = normal.dot(vertex - origin);
  contact.normal = -normal;
  contact.pointA = vertex;
  contact.pointB = vertex - contact.psi * normal;
  contact.applicability = 1;
  return contact;
}

PieceContact flipped(PieceContact contact) {
  std::swap(contact.pointA, contact.pointB);
  std::swap(contact.featureA, contact.featureB);
  contact.normal = -contact.normal;
  contact.vertexOnA = !contact.vertexOnA;
  return contact;
}

ModelContact modelContact(const World& world, const Pose& pose, const PieceContact& geometry, int pieceA,
                          int pieceB, int planeBody) {
  const int bodyA = world.pieces->body[pieceA], bodyB = pieceB >= 0 ? world.pieces->body[pieceB] : planeBody;
  const bool flip = bodyA > bodyB;
  ModelContact contact;
  contact.geometry = flip ? flipped(geometry) : geometry;
  contact.bodyA = flip ? bodyB : bodyA;
  contact.bodyB = flip ? bodyA : bodyB;
  contact.pieceA = pieceA;
  contact.pieceB = pieceB;
  updateGradient(pose, contact);
  return contact;
}

void reevaluate(const World& world, const Pose& pose, const std::vector<PlacedPolytope>& placed,
                ModelContact& contact) {
  PieceContact& geometry = contact.geometry;
  if (geometry.kind == FeaturePairKind::VertexPlane) {
    const bool flip = contact.bodyA != world.pieces->body[contact.pieceA];
    const int plane = flip ? contact.bodyA : contact.bodyB,
              vertex = flip ? geometry.featureB : geometry.featureA;
    geometry = planeContact(placed[contact.pieceA].vertices[vertex], vertex, planeNormal(world, plane),
                            pose.position[plane]);
    if (flip) geometry = flipped(geometry);
  } else {
    reevaluate(placed[contact.pieceA], placed[contact.pieceB], geometry);
  }
  updateGradient(pose, contact);
}

}  // namespace touchstone
