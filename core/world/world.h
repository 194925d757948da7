#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/geometry/box_forest.h"
#include "core/math/count.h"
#include "core/math/quaternion.h"
#include "core/scene/scene.h"
#include "core/world/elastic_bodies.h"
#include "core/world/spring.h"
#include "core/world/world_view.h"

namespace touchstone {

/// All surface features of all bodies in one numbering: vertices, triangles and edges of body 0, surface 0
/// first, then surface 1, … then body 1. Penalty contacts refer to these ids. Built once per scene, shared,
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
  std::vector<JoinedBodies>
      joined;  ///< pairs of bodies that joints or the scene keep from colliding, ascending
};
std::shared_ptr<const SurfaceTopology> buildSurfaceTopology(const Scene& scene);

/// Convex pieces of all bodies in one numbering, for complementarity methods and exact overlap.
struct PieceTable {
  std::vector<int> body;   ///< [pieceCount]
  std::vector<int> index;  ///< [pieceCount] into Shape::pieces
  /// [pieceCount] the pieces that always touch the piece: others of its body, and for a static body those of
  /// other static bodies. The parts of its surface that they cover make no contact.
  IndexLists neighbours;
};
std::shared_ptr<const PieceTable> buildPieceTable(const Scene& scene);

/// [bodyCount + 1] where the items of each body begin, for items sorted by body.
std::vector<int> firstOfEachBody(const std::vector<int>& itemBody, std::size_t bodyCount);

/// Names the problem of a spring that pulls, as a sentence; empty if its point is one of the scene.
std::string problemOf(const Scene& scene, const Spring& spring);

/// A set of replicas, [replicaCount]: 1 for each member.
using ReplicaSet = std::vector<unsigned char>;
bool isEmpty(const ReplicaSet& replicas);
ReplicaSet allReplicas(const Scene& scene);
/// The complement of a set.
ReplicaSet otherReplicas(ReplicaSet replicas);

/// State of one simulation as structure of arrays, [bodyCount] each unless said otherwise. World frame, SI
/// units. Between steps only the first group is valid.
///
/// What has a velocity is a carrier: carriers 0 … bodyCount − 1 are the bodies of the scene, the rest are the
/// particles of those that deform. Static and unreleased bodies, held particles, and bodies that deform have
/// inverseMass 0; the latter follow the centre of mass of their particles.
struct World {
  std::shared_ptr<const Scene> scene;
  std::shared_ptr<const SurfaceTopology> surface;
  std::shared_ptr<const PieceTable> pieces;
  std::shared_ptr<const std::vector<BodyConstants>> constants;  ///< [bodyCount]
  std::shared_ptr<const ElasticBodies> elastic;
  /// Forces of elements are part of v*; else a method has rows for them, or they do not act.
  bool isElasticityExplicit = false;
  double time = 0;

  std::vector<Vec3> position;  ///< [carrierCount] centre of mass
  std::vector<Quaternion> orientation;
  std::vector<Vec3> linearVelocity;   ///< [carrierCount]
  std::vector<Vec3> angularVelocity;  ///< [carrierCount] 0 of particles
  std::vector<unsigned char> active;  ///< released: moves (if dynamic), collides, is drawn
  std::vector<double> inverseMass;    ///< [carrierCount] 1/kg
  std::vector<int> carrierBody;       ///< [carrierCount] a body itself, or that of a particle
  /// [joints] of the scene, where the bodies are: with the turns of a twist, which poses do not tell [m,
  /// rad].
  std::vector<double> jointCoordinate;
  /// [joints] targets of drives in the place of the scene's [m, rad]; not a number: the scene's.
  std::vector<double> driveTarget;
  ReplicaSet replicaFrozen;  ///< replicas that are no longer active, or empty

  std::optional<Spring> spring;  ///< the mouse spring; acts while it is set

  // Quantities of the running step; predict() fills them.
  double dt = 0;
  SpringAction springAction;
  std::vector<Mat3> inverseInertia;  ///< world frame, at the start of the step; 0 if inverseMass is 0
  /// Velocities v*, ω* with all forces but contact; respond() turns them into v⁺, ω⁺ by adding M⁻¹ Σ
  /// impulses. [carrierCount]
  std::vector<Vec3> nextLinearVelocity, nextAngularVelocity;
  std::vector<Vec3> predictedPosition;           ///< [carrierCount] x + dt v*, before any contact impulse
  std::vector<Quaternion> predictedOrientation;  ///< likewise, see predict()
  std::vector<Vec3> vertexStart;                 ///< [vertexCount] of `surface`, start of the step
  std::vector<Vec3> vertexPredicted;             ///< [vertexCount] at the predicted pose
  std::vector<Vec3> holdVelocities;              ///< of ElasticBodies::holds [m/s]
  std::vector<Vec3> slotForces;                  ///< see ElasticView
  std::vector<ElasticMaterial> materials;        ///< of ElasticBodies::materials, see setGivenPaths()

  int bodyCount() const { return countOf(orientation); }
};

/// The world of a scene at time 0.
World makeWorld(std::shared_ptr<const Scene> scene);
/// The world of the same scene at time 0, with the tables that do not change in a run.
World atStart(const World& world);

/// Pointers to the arrays of the world, with those of the running step at full size. Valid until an array is
/// resized.
WorldView viewOf(World& world);
/// The same for loop bodies that only read.
WorldView viewOf(const World& world);

/// Takes the bodies of these replicas out of the run: they become inactive, and nothing moves them.
void takeOut(World& world, const ReplicaSet& replicas);

/// See isDynamic(const WorldView&, …).
inline bool isDynamic(const World& world, int carrier) { return world.inverseMass[carrier] > 0; }
/// The same; −1, the world's own frame, does not move.
inline bool canMove(const World& world, int body) { return body >= 0 && isDynamic(world, body); }

/// See canCollide(const WorldView&, …).
inline bool canCollide(const World& world, int a, int b) { return canCollide(viewOf(world), a, b); }

/// True if the spring moves something: a dynamic body, or particles that are not held.
bool isPulling(const World& world);

/// See applyImpulse(const WorldView&, …).
void applyImpulse(World& world, int body, const Vec3& point, const Vec3& impulse);
Vec3 pointVelocity(const World& world, int body, const Vec3& point);

/// Relative to the scene's step, because frame times are sums and miss a release time by rounding. A larger
/// value releases bodies early; with a smaller one rounding releases them a frame late.
inline constexpr double kReleaseTolerance = 1e-7;
/// Releases bodies whose release time has come. Called at the start of a frame, so that all panes release at
/// the same time. @return true if a body was released
bool releaseBodies(World& world);

/// Starts a step of length dt [s]: fills the arrays of the running step.
/// v* = v + dt (g + F/m) with the force F of the mouse spring at the start of the step, which also changes
/// ω*; without it ω* = ω. The gyroscopic torque is not part of ω*: it acts in freeRotation(). The predicted
/// pose is the pose that integrate() would reach with v*, ω*.
void predict(World& world, double dt);

/// Ends the step: x⁺ = x + dt v⁺; q⁺ and ω result from the free rotation that starts with q, ω⁺
/// (freeRotation()).
void integrate(World& world);

/// Sets the values that follow a path in time, for a step from time to time + dt [s]: velocities of held
/// particles, and eigenstrains. These are those at the start of the step where elasticity is explicit, else
/// those at its end: the equations of an implicit step are those of q⁺.
void setGivenPaths(World& world, double dt);

/// 64-bit hash of everything that the next step depends on (positions, orientations, velocities, time). It
/// differs if one bit differs.
unsigned long long stateHash(const World& world);

}  // namespace touchstone
