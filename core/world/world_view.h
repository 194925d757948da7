#pragma once

#include <array>

#include "core/geometry/box_forest.h"
#include "core/math/quaternion.h"
#include "core/parallel/search.h"
#include "core/world/elastic_view.h"

namespace touchstone {

/// Constants of a body that loop bodies need.
struct BodyConstants {
  Mat3 inertia = Mat3::Zero(), inverseInertia = Mat3::Zero();  ///< body frame; 0 for static bodies
  // For freeRotation(): unit principal axes in the body frame, and 1/I of their moments minus that of the
  // middle one.
  Vec3 axisOfSmallest = Vec3::Zero(), axisOfLargest = Vec3::Zero();
  double inverseMiddleInertia = 0;                   ///< 1/I₂ [1/(kg·m²)]; 0 for static bodies
  double excessOfSmallest = 0, excessOfLargest = 0;  ///< 1/I₁ − 1/I₂ ≥ 0, 1/I₃ − 1/I₂ ≤ 0
  Vec3 planeNormal = Vec3::Zero();                   ///< planes: outward, body frame
  double radius = 0;                                 ///< see Shape::radius [m]
  double staticFriction = 0, dynamicFriction = 0;
  double thickness = 0;   ///< see Material [m]
  double speedLimit = 0;  ///< only a diverging run exceeds it, see hasDiverged() [m/s]
  int replica = 0;        ///< bodies of different replicas never meet
  bool isConvex = false;  ///< has convex pieces, see Shape::pieces
  bool isDeformable = false;
  bool touchesItself = false;                ///< its surface collides with itself
  int firstParticle = 0, particleCount = 0;  ///< of one that deforms
};

/// Two bodies, ascending.
struct JoinedBodies {
  int first, second;
  TS_HD bool operator<(const JoinedBodies& o) const {
    return first != o.first ? first < o.first : second < o.second;
  }
};

/// Pointers to the arrays of a World and of its SurfaceTopology, on the host or on a device, for loop bodies.
/// Meaning, shapes and units are those of World and SurfaceTopology.
struct WorldView {
  int bodyCount = 0, carrierCount = 0, replicaCount = 1;
  double dt = 0;
  const BodyConstants* bodies = nullptr;
  Vec3* position = nullptr;
  Quaternion* orientation = nullptr;
  Vec3 *linearVelocity = nullptr, *angularVelocity = nullptr;
  const unsigned char* active = nullptr;
  const double* inverseMass = nullptr;
  Mat3* inverseInertia = nullptr;
  Vec3 *nextLinearVelocity = nullptr, *nextAngularVelocity = nullptr;
  Vec3* predictedPosition = nullptr;
  Quaternion* predictedOrientation = nullptr;
  Vec3 *vertexStart = nullptr, *vertexPredicted = nullptr;
  const int* carrierBody = nullptr;
  const VertexCarriers* vertexCarriers = nullptr;  ///< [vertexCount]; null: no body deforms
  ElasticView elastic;
  bool isElasticityExplicit = false;

  int vertexCount = 0, triangleCount = 0, edgeCount = 0, surfaceCount = 0;
  const int *vertexBody = nullptr, *vertexSurface = nullptr;
  const Vec3* vertexLocal = nullptr;
  const std::array<int, 3>* triangles = nullptr;
  const int *triangleBody = nullptr, *triangleSurface = nullptr;
  const std::array<int, 3>* triangleNeighbours = nullptr;
  const std::array<int, 2>* edges = nullptr;
  const int *edgeBody = nullptr, *edgeSurface = nullptr;
  const unsigned char* edgeSharp = nullptr;
  const int* surfaceBody = nullptr;
  const int *surfaceFirstVertex = nullptr, *surfaceFirstTriangle = nullptr;
  const unsigned char* surfaceClosed = nullptr;
  ForestLayoutView triangleTrees, edgeTrees;
  const int* planes = nullptr;  ///< [planeCount] bodies, those of replica 0 first, then replica 1, …
  const int* replicaFirstPlane = nullptr;  ///< [replicaCount + 1] into `planes`
  int joinedCount = 0;
  const JoinedBodies* joined = nullptr;  ///< pairs of bodies that must not collide, ascending

  TS_HD int particleCount() const { return carrierCount - bodyCount; }
  TS_HD bool isDeformable(int body) const { return bodies[body].isDeformable; }
};

/// True if forces move a carrier: a rigid body or a particle. A body that deforms is none: its particles are.
TS_HD inline bool isDynamic(const WorldView& world, int carrier) { return world.inverseMass[carrier] > 0; }
/// The same; −1, the world's own frame, does not move.
TS_HD inline bool canMove(const WorldView& world, int body) { return body >= 0 && isDynamic(world, body); }

/// True if contact can move a body, or a part of it.
TS_HD inline bool yields(const WorldView& world, int body) {
  return isDynamic(world, body) || (world.isDeformable(body) && world.active[body]);
}

/// True if a joint or the scene keeps two bodies from colliding.
TS_HD inline bool areJoined(const WorldView& world, int a, int b) {
  if (world.joinedCount == 0) return false;
  const JoinedBodies pair{a < b ? a : b, a < b ? b : a};
  const int index = firstNotBefore(world.joinedCount, [&](int entry) { return world.joined[entry] < pair; });
  return index < world.joinedCount && !(pair < world.joined[index]);
}

/// True if a contact between the bodies can have an effect: both active, different or one that touches
/// itself, at least one that yields, and neither a joint nor the scene forbids it.
TS_HD inline bool canCollide(const WorldView& world, int a, int b) {
  return (a != b || world.bodies[a].touchesItself) && world.bodies[a].replica == world.bodies[b].replica &&
         world.active[a] && world.active[b] && (yields(world, a) || yields(world, b)) &&
         !areJoined(world, a, b);
}

/// World position of a point of the body frame at the given pose. All vertex positions use this formula, so
/// that positions at the end of one step are bit-equal to those at the start of the next.
TS_HD inline Vec3 worldPoint(const Vec3& position, const Quaternion& orientation, const Vec3& local) {
  return position + orientation * local;
}

/// World position of a vertex of a surface. @param position  [carrierCount]   @param orientation  [bodyCount]
TS_HD inline Vec3 placedVertex(const WorldView& world, int vertex, const Vec3* position,
                               const Quaternion* orientation) {
  const int body = world.vertexBody[vertex];
  if (!world.vertexCarriers || world.vertexCarriers[vertex].carriers[0] < 0)
    return worldPoint(position[body], orientation[body], world.vertexLocal[vertex]);
  const VertexCarriers& vertexCarriers = world.vertexCarriers[vertex];
  Vec3 sum(0, 0, 0);
  for (int k = 0; k < 4; ++k)
    if (vertexCarriers.carriers[k] >= 0)
      sum += vertexCarriers.weights[k] * position[vertexCarriers.carriers[k]];
  return sum;
}

/// Angular momentum [N·m·s] of a body about its centre of mass, world frame. @param inertia  body frame
TS_HD inline Vec3 angularMomentum(const Mat3& inertia, const Quaternion& orientation,
                                  const Vec3& angularVelocity) {
  const Mat3 rotation = orientation.toRotationMatrix();
  return rotation * (inertia * (rotation.transpose() * angularVelocity));
}

/// Adds the impulse [N·s] at the world point to the step's velocities of the body:
///     v⁺ += m⁻¹ J,   ω⁺ += I⁻¹ ((point − x) × J)
/// with x and I at the start of the step. No effect on static bodies.
TS_HD inline void applyImpulse(const WorldView& world, int body, const Vec3& point, const Vec3& impulse) {
  if (!isDynamic(world, body)) return;
  const Vec3 moment = (point - world.position[body]).cross(impulse);
  world.nextLinearVelocity[body] += world.inverseMass[body] * impulse;
  world.nextAngularVelocity[body] += world.inverseInertia[body] * moment;
}

/// Velocity [m/s] of the material point of a body that is at `point` at the start of the step, from the
/// present values of the step's velocities v⁺, ω⁺.
TS_HD inline Vec3 pointVelocity(const WorldView& world, int body, const Vec3& point) {
  const Vec3 arm = point - world.position[body];
  return world.nextLinearVelocity[body] + world.nextAngularVelocity[body].cross(arm);
}

/// Converts a point of the world to the body's frame at the start of the step, and back.
TS_HD inline Vec3 toLocal(const WorldView& world, int body, const Vec3& point) {
  return world.orientation[body].conjugate() * Vec3(point - world.position[body]);
}
TS_HD inline Vec3 toWorld(const WorldView& world, int body, const Vec3& local) {
  return worldPoint(world.position[body], world.orientation[body], local);
}

/// Outward normal of a plane body, world frame.
TS_HD inline Vec3 planeNormal(const WorldView& world, int plane) {
  return world.orientation[plane] * world.bodies[plane].planeNormal;
}

}  // namespace touchstone
