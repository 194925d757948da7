#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "core/geometry/box_forest.h"
#include "core/math/quaternion.h"
#include "core/scene/scene.h"
#include "core/world/world_view.h"

namespace touchstone {

/// All surface features of all bodies in one numbering: vertices, triangles and edges of body 0, surface 0
/// first, then surface 1, … then body 1. Ids of penalty contacts refer to it. Built once per scene, shared,
/// immutable.
struct SurfaceTopology {
  std::vector<int> vertexBody, vertexSurface;          ///< [vertexCount]
  std::vector<Vec3> vertexLocal;                       ///< [vertexCount] m, body frame
  std::vector<std::array<int, 3>> triangles;           ///< [triangleCount] global vertex ids
  std::vector<int> triangleBody, triangleSurface;      ///< [triangleCount]
  std::vector<std::array<int, 3>> triangleNeighbours;  ///< [triangleCount] global ids, −1 none
  std::vector<std::array<int, 2>> edges;               ///< [edgeCount] global vertex ids
  std::vector<int> edgeBody, edgeSurface;              ///< [edgeCount]
  /// [edgeCount] 1 for edges that edge–edge contact uses: convex and bent, or on a boundary (Tang 2012,
  /// section 3).
  std::vector<unsigned char> edgeSharp;
  std::vector<int> surfaceBody;                               ///< [surfaceCount]
  std::vector<int> surfaceFirstVertex, surfaceFirstTriangle;  ///< [surfaceCount + 1]
  std::vector<unsigned char> surfaceClosed;                   ///< [surfaceCount]
  ForestLayout triangleTrees, edgeTrees;                      ///< of each surface; of its sharp edges
  std::vector<int> planes;                                    ///< bodies that are planes, by replica
  std::vector<int> replicaFirstPlane;                         ///< [replicaCount + 1] into `planes`
};
std::shared_ptr<const SurfaceTopology> buildSurfaceTopology(const Scene& scene);

/// Convex pieces of all bodies in one numbering, for complementarity methods and exact overlap.
struct PieceTable {
  std::vector<int> body;   ///< [pieceCount]
  std::vector<int> index;  ///< [pieceCount] into Shape::pieces
  /// [pieceCount] the pieces that it touches for good: others of its body, and of a static body those of
  /// other static ones. What of its surface they cover is no surface.
  IndexLists neighbours;
};
std::shared_ptr<const PieceTable> buildPieceTable(const Scene& scene);

/// [bodyCount + 1] where the items of each body begin, of items that are in the order of their bodies.
std::vector<int> firstOfEachBody(const std::vector<int>& itemBody, std::size_t bodyCount);

/// A spring and damper between a material point of a body and a point in space, as the mouse pulls:
///     F = k (target − p) − c v_p    on the body at p [N]
struct Spring {
  int body = -1;
  Vec3 local = Vec3::Zero();   ///< the point p in the frame of the body [m]
  Vec3 target = Vec3::Zero();  ///< world [m]
  double stiffness = 0;        ///< k [N/m]
  double damping = 0;          ///< c [N·s/m]
};

/// What the spring did in one step. Momentum and energy balances count it.
struct SpringAction {
  Vec3 impulse = Vec3::Zero();  ///< on the body [N·s]
  Vec3 point = Vec3::Zero();    ///< where, at the start of the step, world [m]
  double work = 0;              ///< change of kinetic energy by the impulse alone [J]
};

/// Some of the replicas, [replicaCount]: 1 for each of them.
using ReplicaSet = std::vector<unsigned char>;
bool isEmpty(const ReplicaSet& replicas);
ReplicaSet allReplicas(const Scene& scene);
/// All others.
ReplicaSet otherReplicas(ReplicaSet replicas);

/// State of one simulation as structure of arrays, [bodyCount] each unless said otherwise. World frame, SI
/// units. Between steps only the first group means anything. Static and unreleased bodies have inverseMass 0.
struct World {
  std::shared_ptr<const Scene> scene;
  std::shared_ptr<const SurfaceTopology> surface;
  std::shared_ptr<const PieceTable> pieces;
  std::shared_ptr<const std::vector<BodyConstants>> constants;  ///< [bodyCount]
  double time = 0;

  std::vector<Vec3> position;  ///< centre of mass
  std::vector<Quaternion> orientation;
  std::vector<Vec3> linearVelocity;
  std::vector<Vec3> angularVelocity;
  std::vector<unsigned char> active;  ///< released: moves (if dynamic), collides, is drawn
  std::vector<double> inverseMass;    ///< 1/kg
  ReplicaSet replicaFrozen;           ///< or empty: those that take no part any more

  std::optional<Spring> spring;  ///< the mouse's; acts while it is set

  // Of the running step; filled by predict().
  double dt = 0;
  SpringAction springAction;
  std::vector<Mat3> inverseInertia;  ///< world frame, at the start of the step; 0 if inverseMass is 0
  /// Velocities v*, ω* with all forces but contact; respond() turns them into v⁺, ω⁺ by adding M⁻¹ Σ
  /// impulses.
  std::vector<Vec3> nextLinearVelocity, nextAngularVelocity;
  std::vector<Vec3> predictedPosition;           ///< x + dt v*, before any contact impulse
  std::vector<Quaternion> predictedOrientation;  ///< likewise, see predict()
  std::vector<Vec3> vertexStart;                 ///< [vertexCount] of `surface`, start of the step
  std::vector<Vec3> vertexPredicted;             ///< [vertexCount] at the predicted pose
};

/// World of a scene at time 0.
World makeWorld(std::shared_ptr<const Scene> scene);
/// The world of the same scene at time 0, with the tables that do not change in a run.
World atStart(const World& world);

/// The arrays of the world, those of the running step at their full size. Valid until an array is resized.
WorldView viewOf(World& world);
/// For loop bodies that read only.
WorldView viewOf(const World& world);

/// Bodies of these replicas take no part from now on: they are not active, and nothing moves them.
void takeOut(World& world, const ReplicaSet& replicas);

/// True if the body moves under forces now: dynamic and released.
inline bool isDynamic(const World& world, int body) { return world.inverseMass[body] > 0; }

/// True if a contact between the bodies can do anything: both active, different, and at least one dynamic.
inline bool canCollide(const World& world, int a, int b) {
  return a != b && (*world.constants)[a].replica == (*world.constants)[b].replica && world.active[a] &&
         world.active[b] && (isDynamic(world, a) || isDynamic(world, b));
}

/// As for a WorldView.
void applyImpulse(World& world, int body, const Vec3& point, const Vec3& impulse);
Vec3 pointVelocity(const World& world, int body, const Vec3& point);

/// Of the scene's step: frame times are sums and miss a release time by rounding.
inline constexpr double kReleaseTolerance = 1e-7;
/// Releases bodies whose time has come. Called at the start of a frame, so that all panes release at the same
/// time. @return true if any was
bool releaseBodies(World& world);

/// Starts a step of length dt [s]: fills the arrays of the running step.
/// v* = v + dt (g + F/m) with F of the mouse spring at the start of the step, which turns ω* too; else ω* =
/// ω. The gyroscopic torque is not part of ω*: it acts in freeRotation(). The predicted pose is the one that
/// integrate() would reach with v*, ω*.
void predict(World& world, double dt);

/// Ends the step: x⁺ = x + dt v⁺, and q⁺, ω of the free rotation that begins with q, ω⁺ (freeRotation()).
void integrate(World& world);

/// 64-bit hash of everything that the next step depends on (positions, orientations, velocities, time), bit
/// for bit.
unsigned long long stateHash(const World& world);

}  // namespace touchstone
