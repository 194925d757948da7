#include "core/world/world.h"

#include <Eigen/Eigenvalues>
#include <cmath>
#include <cstring>
#include <numeric>

#include "core/math/count.h"
#include "core/parallel/host_backend.h"
#include "core/scene/scale.h"
#include "core/world/joint_coordinates.h"
#include "core/world/motion.inl"
#include "core/world/particle_weights.h"

namespace touchstone {

namespace {

void release(World& world, int index) {
  const Body& body = world.scene->bodies[index];
  world.active[index] = 1;
  world.inverseMass[index] = body.motion == Motion::Dynamic && !body.deformable ? 1 / body.mass : 0;
  if (!body.deformable) return;
  const ElasticBodies& elastic = *world.elastic;
  for (int particle = elastic.firstParticle[index]; particle < elastic.firstParticle[index + 1]; ++particle) {
    world.inverseMass[world.bodyCount() + particle] =
        elastic.hold[particle] < 0 ? 1 / elastic.particleMass[particle] : 0;
  }
}

/// Moments that differ by less than this share are equal: the difference is rounding of the decomposition. A
/// larger value drops real asymmetry; a smaller one turns symmetric bodies about axes that are noise.
constexpr double kEqualMoments = 1e-13;

void setPrincipalAxes(BodyConstants& body) {
  const Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d> solver(body.inertia);
  const Eigen::Vector3d moments = solver.eigenvalues();  // ascending
  body.axisOfSmallest = solver.eigenvectors().col(0);
  body.axisOfLargest = solver.eigenvectors().col(2);
  body.inverseMiddleInertia = 1 / moments[1];
  const auto excess = [&](int axis) {
    const double difference = 1 / moments[axis] - body.inverseMiddleInertia;
    return std::abs(difference) > kEqualMoments * body.inverseMiddleInertia ? difference : 0.0;
  };
  body.excessOfSmallest = excess(0);
  body.excessOfLargest = excess(2);
}

/// A speed far above anything that a valid run reaches: two hundred scene lengths per step, or a hundred
/// times the fastest start. A 40 m/s impact may rebound at hundreds of m/s if the penalty stiffness is too
/// high, and that result is worth showing.
double speedLimitOf(const Scene& scene) {
  double fastest = 0;
  for (const Body& body : scene.bodies)
    if (body.motion == Motion::Dynamic)
      fastest =
          std::max({fastest, body.linearVelocity.norm(), body.angularVelocity.norm() * body.shape->radius});
  return std::max(2e4 * velocityUnitOf(scene), 100 * fastest);
}

std::vector<BodyConstants> constantsOf(const Scene& scene, const ElasticBodies& elastic) {
  const double speedLimit = speedLimitOf(scene);
  std::vector<BodyConstants> constantsOfBodies;
  for (const Body& body : scene.bodies) {
    BodyConstants constants;
    if (body.deformable) {
      constants.isDeformable = true;
      constants.touchesItself = body.deformable->self;
      constants.firstParticle = elastic.firstParticle[constantsOfBodies.size()];
      constants.particleCount = elastic.firstParticle[constantsOfBodies.size() + 1] - constants.firstParticle;
    } else if (body.motion == Motion::Dynamic) {
      constants.inertia = body.inertia;
      constants.inverseInertia = body.inertia.inverse();
      setPrincipalAxes(constants);
    }
    constants.planeNormal = body.shape->planeNormal;
    constants.radius = body.shape->radius;
    constants.staticFriction = scene.materials[body.material].staticFriction;
    constants.dynamicFriction = scene.materials[body.material].dynamicFriction;
    constants.thickness = scene.materials[body.material].thickness;
    constants.speedLimit = speedLimit;
    constants.replica = body.replica;
    constants.isConvex = !body.shape->pieces.empty();
    constantsOfBodies.push_back(constants);
  }
  return constantsOfBodies;
}

/// Applies FNV-1a steps to words of 64 bits instead of bytes. It folds the upper half down, so that every bit
/// of a word affects every bit of the hash.
struct WordHash {
  unsigned long long value = 14695981039346656037ull;
  void add(unsigned long long word) {
    value = (value ^ word) * 1099511628211ull;
    value ^= value >> 32;
  }
  void add(const double* numbers, int count) {
    for (int k = 0; k < count; ++k) {
      unsigned long long word;
      std::memcpy(&word, numbers + k, sizeof word);
      add(word);
    }
  }
};

}  // namespace

bool isEmpty(const ReplicaSet& replicas) { return !std::count(replicas.begin(), replicas.end(), 1); }

ReplicaSet allReplicas(const Scene& scene) { return ReplicaSet(scene.replicas, 1); }

ReplicaSet otherReplicas(ReplicaSet replicas) {
  for (unsigned char& replica : replicas) replica = !replica;
  return replicas;
}

namespace {

void addParticles(int index, World& world) {
  const Body& body = world.scene->bodies[index];
  for (const Vec3& rest : body.deformable->rest) {
    world.carrierBody.push_back(index);
    world.position.push_back(worldPoint(body.position, body.orientation, rest));
    world.linearVelocity.push_back(body.linearVelocity);
    world.angularVelocity.push_back(Vec3(0, 0, 0));
  }
}

}  // namespace

void takeOut(World& world, const ReplicaSet& replicas) {
  for (std::size_t carrier = 0; carrier < world.position.size(); ++carrier) {
    const std::size_t body = world.carrierBody[carrier];
    if (!replicas[(*world.constants)[body].replica]) continue;
    world.active[body] = 0;
    world.inverseMass[carrier] = 0;
  }
}

World makeWorld(std::shared_ptr<const Scene> scene) {
  World tables;
  tables.scene = scene;
  tables.surface = buildSurfaceTopology(*scene);
  tables.pieces = buildPieceTable(*scene);
  tables.elastic = buildElasticBodies(*scene);
  tables.constants = std::make_shared<const std::vector<BodyConstants>>(constantsOf(*scene, *tables.elastic));
  return atStart(tables);
}

World atStart(const World& world) {
  World start;
  start.scene = world.scene;
  start.surface = world.surface;
  start.pieces = world.pieces;
  start.constants = world.constants;
  start.elastic = world.elastic;
  start.isElasticityExplicit = world.isElasticityExplicit;
  const std::size_t count = world.scene->bodies.size();
  start.active.assign(count, 0);
  for (const Body& body : world.scene->bodies) {
    start.carrierBody.push_back(countOf(start.position));
    start.position.push_back(body.position);
    start.orientation.push_back(body.orientation);
    start.linearVelocity.push_back(body.linearVelocity);
    start.angularVelocity.push_back(body.angularVelocity);
  }
  for (std::size_t index = 0; index < count; ++index)
    if (world.scene->bodies[index].deformable) addParticles(static_cast<int>(index), start);
  start.inverseMass.assign(start.position.size(), 0);
  for (std::size_t index = 0; index < count; ++index)
    if (world.scene->bodies[index].releaseTime <= 0) release(start, static_cast<int>(index));
  start.jointCoordinate.assign(world.scene->joints.size(), 0);
  start.driveTarget = world.driveTarget;
  start.driveTarget.resize(world.scene->joints.size(), std::nan(""));
  updateJointCoordinates(start);
  return start;
}

std::vector<int> firstOfEachBody(const std::vector<int>& itemBody, std::size_t bodyCount) {
  std::vector<int> first(bodyCount + 1, 0);
  for (int body : itemBody) ++first[body + 1];
  std::partial_sum(first.begin(), first.end(), first.begin());
  return first;
}

namespace {

ElasticView elasticViewOf(World& world) {
  const ElasticBodies& elastic = *world.elastic;
  ElasticView view;
  view.tetrahedronCount = countOf(elastic.tetrahedra);
  view.edgeCount = countOf(elastic.edges);
  view.hingeCount = countOf(elastic.hinges);
  view.tetrahedra = elastic.tetrahedra.data();
  view.edges = elastic.edges.data();
  view.hinges = elastic.hinges.data();
  if (world.materials.size() != elastic.materials.size()) world.materials = elastic.materials;
  view.materials = world.materials.data();
  view.firstSlot = elastic.firstSlot.data();
  view.slots = elastic.slots.data();
  view.masses = elastic.particleMass.data();
  view.massDamping = elastic.massDamping.data();
  view.hold = elastic.hold.data();
  world.holdVelocities.resize(elastic.holds.size(), Vec3(0, 0, 0));
  view.holdVelocities = world.holdVelocities.data();
  world.slotForces.resize(4 * static_cast<std::size_t>(view.elementCount()));
  view.slotForces = world.slotForces.data();
  return view;
}

}  // namespace

WorldView viewOf(World& world) {
  const SurfaceTopology& surface = *world.surface;
  const std::size_t bodies = world.orientation.size(), carriers = world.position.size(),
                    vertices = surface.vertexLocal.size();
  world.inverseInertia.resize(carriers, Mat3(Mat3::Zero()));
  for (std::vector<Vec3>* array :
       {&world.nextLinearVelocity, &world.nextAngularVelocity, &world.predictedPosition})
    array->resize(carriers);
  world.predictedOrientation.resize(bodies);
  world.vertexStart.resize(vertices);
  world.vertexPredicted.resize(vertices);

  WorldView view;
  view.bodyCount = static_cast<int>(bodies);
  view.carrierCount = static_cast<int>(carriers);
  view.carrierBody = world.carrierBody.data();
  if (carriers > bodies) view.elastic = elasticViewOf(world);
  if (carriers > bodies) view.vertexCarriers = world.elastic->vertices.data();
  view.isElasticityExplicit = world.isElasticityExplicit;
  view.replicaCount = world.scene->replicas;
  view.dt = world.dt;
  view.bodies = world.constants->data();
  view.position = world.position.data();
  view.orientation = world.orientation.data();
  view.linearVelocity = world.linearVelocity.data();
  view.angularVelocity = world.angularVelocity.data();
  view.active = world.active.data();
  view.inverseMass = world.inverseMass.data();
  view.inverseInertia = world.inverseInertia.data();
  view.nextLinearVelocity = world.nextLinearVelocity.data();
  view.nextAngularVelocity = world.nextAngularVelocity.data();
  view.predictedPosition = world.predictedPosition.data();
  view.predictedOrientation = world.predictedOrientation.data();
  view.vertexStart = world.vertexStart.data();
  view.vertexPredicted = world.vertexPredicted.data();

  view.vertexCount = static_cast<int>(vertices);
  view.triangleCount = countOf(surface.triangles);
  view.edgeCount = countOf(surface.edges);
  view.surfaceCount = countOf(surface.surfaceBody);
  view.vertexBody = surface.vertexBody.data();
  view.vertexSurface = surface.vertexSurface.data();
  view.vertexLocal = surface.vertexLocal.data();
  view.triangles = surface.triangles.data();
  view.triangleBody = surface.triangleBody.data();
  view.triangleSurface = surface.triangleSurface.data();
  view.triangleNeighbours = surface.triangleNeighbours.data();
  view.edges = surface.edges.data();
  view.edgeBody = surface.edgeBody.data();
  view.edgeSurface = surface.edgeSurface.data();
  view.edgeSharp = surface.edgeSharp.data();
  view.surfaceBody = surface.surfaceBody.data();
  view.surfaceFirstVertex = surface.surfaceFirstVertex.data();
  view.surfaceFirstTriangle = surface.surfaceFirstTriangle.data();
  view.surfaceClosed = surface.surfaceClosed.data();
  view.triangleTrees = surface.triangleTrees.view();
  view.edgeTrees = surface.edgeTrees.view();
  view.planes = surface.planes.data();
  view.replicaFirstPlane = surface.replicaFirstPlane.data();
  view.joinedCount = countOf(surface.joined);
  view.joined = surface.joined.data();
  return view;
}

// Loop bodies that only read take the same pointers as those that write.
WorldView viewOf(const World& world) { return viewOf(const_cast<World&>(world)); }

std::string problemOf(const Scene& scene, const Spring& spring) {
  // Of the sum of weights. A larger value lets a point lie beside the surface; a smaller one refuses
  // rounding.
  constexpr double kRounding = 1e-9;
  const std::size_t index = spring.body;
  const std::string number = std::to_string(spring.body);
  if (spring.body < 0 || index >= scene.bodies.size()) return "there is no body " + number + " to pull";
  const Deformable* deformable = scene.bodies[index].deformable.get();
  const SurfacePoint& point = spring.surface;
  const bool isOnSurface =
      std::any_of(point.vertices.begin(), point.vertices.end(), [](int vertex) { return vertex >= 0; });
  if (!deformable)
    return isOnSurface ? "body " + number + " does not deform: it is pulled at a point of its frame" : "";
  if (!isOnSurface) return "body " + number + " deforms: it is pulled at vertices of its surface";
  double sum = 0;
  for (std::size_t k = 0; k < 3; ++k) {
    if (point.vertices[k] < 0) continue;
    if (point.vertices[k] >= countOf(deformable->surface))
      return "the surface of body " + number + " has no vertex " + std::to_string(point.vertices[k]);
    sum += point.weights[k];
  }
  return std::abs(sum - 1) <= kRounding ? "" : "the weights of the vertices of a pull do not add up to 1";
}

bool isPulling(const World& world) {
  if (!world.spring) return false;
  if (!(*world.constants)[world.spring->body].isDeformable) return isDynamic(world, world.spring->body);
  const WorldView view = viewOf(world);
  return particlesOf(view, world.spring->body, world.spring->surface).inverseMass(view) > 0;
}

void applyImpulse(World& world, int body, const Vec3& point, const Vec3& impulse) {
  applyImpulse(viewOf(world), body, point, impulse);
}

Vec3 pointVelocity(const World& world, int body, const Vec3& point) {
  return pointVelocity(viewOf(world), body, point);
}

bool releaseBodies(World& world) {
  const double tolerance = kReleaseTolerance * world.scene->dt;
  bool any = false;
  for (std::size_t index = 0; index < world.active.size(); ++index) {
    const Body& body = world.scene->bodies[index];
    if (world.active[index] || body.releaseTime > world.time + tolerance) continue;
    if (!world.replicaFrozen.empty() && world.replicaFrozen[body.replica]) continue;
    release(world, static_cast<int>(index));
    any = true;
  }
  return any;
}

void setGivenPaths(World& world, double dt) {
  const std::vector<HeldParticles>& holds = world.elastic->holds;
  world.holdVelocities.resize(holds.size());
  for (std::size_t hold = 0; hold < holds.size(); ++hold)
    world.holdVelocities[hold] =
        (holdOffset(holds[hold], world.time + dt) - holdOffset(holds[hold], world.time)) / dt;
  findMaterials(*world.elastic, world.isElasticityExplicit ? world.time : world.time + dt, world.materials);
}

void predict(World& world, double dt) {
  world.dt = dt;
  setGivenPaths(world, dt);
  const Spring spring = world.spring.value_or(Spring());
  predictOn(HostBackend(), viewOf(world), world.scene->gravity, &spring, &world.springAction);
}

void integrate(World& world) {
  const Spring spring = world.spring.value_or(Spring());
  integrateOn(HostBackend(), viewOf(world), &spring, &world.springAction);
  world.time += world.dt;
}

unsigned long long stateHash(const World& world) {
  const int count = countOf(world.position), bodyCount = world.bodyCount();
  std::vector<unsigned long long> ofCarriers(count);
  const auto hashCarrier = [&](int carrier) {
    WordHash hash;
    hash.add(world.position[carrier].data(), 3);
    hash.add(world.linearVelocity[carrier].data(), 3);
    hash.add(world.angularVelocity[carrier].data(), 3);
    if (carrier < bodyCount) hash.add(world.orientation[carrier].coeffs().data(), 4);
    ofCarriers[carrier] = hash.value;
  };
  forEach(HostBackend(), count, hashCarrier);
  WordHash hash;
  hash.add(&world.time, 1);
  for (unsigned long long ofCarrier : ofCarriers) hash.add(ofCarrier);
  return hash.value;
}

}  // namespace touchstone
