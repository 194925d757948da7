#pragma once

#include <functional>

#include "core/parallel/for_each.h"
#include "core/parallel/parallel_for.h"
#include "core/world/world.h"

namespace touchstone {

namespace detail {

struct BodyStates {
  Vec3 *position, *linearVelocity, *angularVelocity;
  Quaternion* orientation;
};

inline BodyStates statesOf(const WorldView& view) {
  return {view.position, view.linearVelocity, view.angularVelocity, view.orientation};
}

/// The state of a body, packed for a download or for rollBack().
struct PackedState {
  Vec3 position, linearVelocity, angularVelocity;
  Quaternion orientation;
};

struct PackState {  // one carrier per index
  BodyStates source;
  int bodyCount;
  PackedState* out;
  TS_HD void operator()(int body) const {
    out[body].position = source.position[body];
    if (body < bodyCount) out[body].orientation = source.orientation[body];
    out[body].linearVelocity = source.linearVelocity[body];
    out[body].angularVelocity = source.angularVelocity[body];
  }
};

struct UnpackState {  // one carrier per index
  const PackedState* source;
  const BodyConstants* bodies;
  const int* carrierBody;
  int bodyCount;
  int replica;  // −1: all replicas
  BodyStates target;
  TS_HD void operator()(int body) const {
    if (replica >= 0 && bodies[carrierBody[body]].replica != replica) return;
    target.position[body] = source[body].position;
    if (body < bodyCount) target.orientation[body] = source[body].orientation;
    target.linearVelocity[body] = source[body].linearVelocity;
    target.angularVelocity[body] = source[body].angularVelocity;
  }
};

}  // namespace detail

/// The arrays of a World in a backend's memory. Tables are sent once. The state is sent when the host changes
/// it, and returns when the host asks for it.
template <class Backend>
class DeviceArrays {
 public:
  DeviceArrays(const Backend& backend, const World& world) : m_view(touchstone::viewOf(world)) {
    const WorldView host = m_view;
    const auto send = [&backend](const auto* items, std::size_t count, auto& array, auto& pointer) {
      backend.upload(items, count, array);
      pointer = array.data();
    };
    const std::size_t bodies = host.bodyCount, carriers = host.carrierCount, vertices = host.vertexCount,
                      surfaces = host.surfaceCount;
    send(host.carrierBody, carriers, m_carrierBody, m_view.carrierBody);
    if (host.particleCount() > 0) sendElastic(backend, world, send);
    send(host.bodies, bodies, m_bodies, m_view.bodies);
    send(host.vertexBody, vertices, m_vertexBody, m_view.vertexBody);
    send(host.vertexSurface, vertices, m_vertexSurface, m_view.vertexSurface);
    send(host.vertexLocal, vertices, m_vertexLocal, m_view.vertexLocal);
    send(host.triangles, host.triangleCount, m_triangles, m_view.triangles);
    send(host.triangleBody, host.triangleCount, m_triangleBody, m_view.triangleBody);
    send(host.triangleSurface, host.triangleCount, m_triangleSurface, m_view.triangleSurface);
    send(host.triangleNeighbours, host.triangleCount, m_triangleNeighbours, m_view.triangleNeighbours);
    send(host.edges, host.edgeCount, m_edges, m_view.edges);
    send(host.edgeBody, host.edgeCount, m_edgeBody, m_view.edgeBody);
    send(host.edgeSurface, host.edgeCount, m_edgeSurface, m_view.edgeSurface);
    send(host.edgeSharp, host.edgeCount, m_edgeSharp, m_view.edgeSharp);
    send(host.surfaceBody, surfaces, m_surfaceBody, m_view.surfaceBody);
    send(host.surfaceFirstVertex, surfaces + 1, m_surfaceFirstVertex, m_view.surfaceFirstVertex);
    send(host.surfaceFirstTriangle, surfaces + 1, m_surfaceFirstTriangle, m_view.surfaceFirstTriangle);
    send(host.surfaceClosed, surfaces, m_surfaceClosed, m_view.surfaceClosed);
    const auto sendTrees = [&](const ForestLayoutView& trees, TreeArrays& arrays, ForestLayoutView& view) {
      send(trees.leafItem, trees.leafCount, arrays.leafItem, view.leafItem);
      send(trees.firstLeaf, surfaces, arrays.firstLeaf, view.firstLeaf);
      send(trees.treeHeight, surfaces, arrays.treeHeight, view.treeHeight);
    };
    sendTrees(host.triangleTrees, m_triangleTrees, m_view.triangleTrees);
    sendTrees(host.edgeTrees, m_edgeTrees, m_view.edgeTrees);
    send(host.planes, world.surface->planes.size(), m_planes, m_view.planes);
    send(host.replicaFirstPlane, host.replicaCount + 1, m_replicaFirstPlane, m_view.replicaFirstPlane);
    send(host.joined, host.joinedCount, m_joined, m_view.joined);

    const auto make = [](std::size_t count, auto& array, auto& pointer) {
      array.resize(count);
      pointer = array.data();
    };
    make(carriers, m_inverseInertia, m_view.inverseInertia);
    make(carriers, m_nextLinearVelocity, m_view.nextLinearVelocity);
    make(carriers, m_nextAngularVelocity, m_view.nextAngularVelocity);
    make(carriers, m_predictedPosition, m_view.predictedPosition);
    if (host.particleCount() > 0)
      make(4 * static_cast<std::size_t>(host.elastic.elementCount()), m_slotForces,
           m_view.elastic.slotForces);
    make(bodies, m_predictedOrientation, m_view.predictedOrientation);
    make(vertices, m_vertexStart, m_view.vertexStart);
    make(vertices, m_vertexPredicted, m_view.vertexPredicted);
    m_last.resize(carriers);
    m_packed.resize(carriers);
    upload(backend, world);
  }

  void upload(const Backend& backend, const World& world) {
    backend.upload(world.position.data(), world.position.size(), m_position);
    backend.upload(world.orientation.data(), world.orientation.size(), m_orientation);
    backend.upload(world.linearVelocity.data(), world.linearVelocity.size(), m_linearVelocity);
    backend.upload(world.angularVelocity.data(), world.angularVelocity.size(), m_angularVelocity);
    backend.upload(world.active.data(), world.active.size(), m_active);
    backend.upload(world.inverseMass.data(), world.inverseMass.size(), m_inverseMass);
    m_view.position = m_position.data();
    m_view.orientation = m_orientation.data();
    m_view.linearVelocity = m_linearVelocity.data();
    m_view.angularVelocity = m_angularVelocity.data();
    m_view.active = m_active.data();
    m_view.inverseMass = m_inverseMass.data();
  }

  /// Sends the velocities of the running step.
  void uploadVelocities(const Backend& backend, const World& world) {
    backend.upload(world.nextLinearVelocity.data(), world.nextLinearVelocity.size(), m_nextLinearVelocity);
    backend.upload(world.nextAngularVelocity.data(), world.nextAngularVelocity.size(), m_nextAngularVelocity);
  }

  /// See setGivenPaths().
  void uploadGivenPaths(const Backend& backend, const World& world) {
    if (!world.elastic->isDriven) return;
    backend.upload(world.holdVelocities.data(), world.holdVelocities.size(), m_holdVelocities);
    m_view.elastic.holdVelocities = m_holdVelocities.data();
    backend.upload(world.materials.data(), world.materials.size(), m_materials);
    m_view.elastic.materials = m_materials.data();
  }

  /// @param meanwhile  called, unless it is empty, during the download; what it launches must not change the
  /// state
  void download(const Backend& backend, World& world, const std::function<void()>& meanwhile = {}) {
    forEach(backend, m_view.carrierCount,
            detail::PackState{detail::statesOf(m_view), m_view.bodyCount, m_packed.data()});
    m_statesHere.start(backend, static_cast<const detail::PackedState*>(m_packed.data()), m_packed.size());
    if (meanwhile) meanwhile();
    const detail::BodyStates hostStates{world.position.data(), world.linearVelocity.data(),
                                        world.angularVelocity.data(), world.orientation.data()};
    parallelFor(m_view.carrierCount,
                detail::UnpackState{m_statesHere.wait(), world.constants->data(), world.carrierBody.data(),
                                    m_view.bodyCount, -1, hostStates},
                Work::Light);
  }

  /// Stores the state, so that rollBack() can restore it for a replica.
  void remember(const Backend& backend) {
    forEach(backend, m_view.carrierCount,
            detail::PackState{detail::statesOf(m_view), m_view.bodyCount, m_last.data()});
  }
  void rollBack(const Backend& backend, int replica) {
    forEach(backend, m_view.carrierCount,
            detail::UnpackState{m_last.data(), m_view.bodies, m_view.carrierBody, m_view.bodyCount, replica,
                                detail::statesOf(m_view)});
  }

  /// Length of the running or the last step [s].
  double dt() const { return m_view.dt; }
  /// @param dt  length of the running step [s]
  const WorldView& view(double dt) {
    m_view.dt = dt;
    return m_view;
  }

 private:
  template <class T>
  using Array = typename Backend::template Array<T>;

  struct TreeArrays {
    Array<int> leafItem, firstLeaf, treeHeight;
  };

  template <class Send>
  void sendElastic(const Backend& backend, const World& world, const Send& send) {
    const ElasticBodies& elastic = *world.elastic;
    ElasticView& view = m_view.elastic;
    send(elastic.vertices.data(), elastic.vertices.size(), m_vertexCarriers, m_view.vertexCarriers);
    send(elastic.tetrahedra.data(), elastic.tetrahedra.size(), m_tetrahedra, view.tetrahedra);
    send(elastic.edges.data(), elastic.edges.size(), m_clothEdges, view.edges);
    send(elastic.hinges.data(), elastic.hinges.size(), m_hinges, view.hinges);
    send(world.materials.data(), world.materials.size(), m_materials, view.materials);
    send(elastic.firstSlot.data(), elastic.firstSlot.size(), m_firstSlot, view.firstSlot);
    send(elastic.slots.data(), elastic.slots.size(), m_slots, view.slots);
    send(elastic.particleMass.data(), elastic.particleMass.size(), m_masses, view.masses);
    send(elastic.massDamping.data(), elastic.massDamping.size(), m_massDamping, view.massDamping);
    send(elastic.hold.data(), elastic.hold.size(), m_hold, view.hold);
    uploadGivenPaths(backend, world);
  }

  WorldView m_view;
  Array<BodyConstants> m_bodies;
  Array<Vec3> m_position, m_linearVelocity, m_angularVelocity;
  Array<Quaternion> m_orientation;
  Array<unsigned char> m_active;
  Array<double> m_inverseMass;
  Array<Mat3> m_inverseInertia;
  Array<Vec3> m_nextLinearVelocity, m_nextAngularVelocity, m_predictedPosition;
  Array<Quaternion> m_predictedOrientation;
  Array<Vec3> m_vertexStart, m_vertexPredicted;
  Array<detail::PackedState> m_last, m_packed;
  typename Backend::template Download<detail::PackedState> m_statesHere;
  Array<int> m_vertexBody, m_vertexSurface;
  Array<Vec3> m_vertexLocal;
  Array<std::array<int, 3>> m_triangles, m_triangleNeighbours;
  Array<int> m_triangleBody, m_triangleSurface;
  Array<std::array<int, 2>> m_edges;
  Array<int> m_edgeBody, m_edgeSurface;
  Array<unsigned char> m_edgeSharp, m_surfaceClosed;
  Array<int> m_surfaceBody, m_surfaceFirstVertex, m_surfaceFirstTriangle;
  TreeArrays m_triangleTrees, m_edgeTrees;
  Array<int> m_planes, m_replicaFirstPlane;
  Array<JoinedBodies> m_joined;
  Array<int> m_carrierBody;
  // Of bodies that deform.
  Array<VertexCarriers> m_vertexCarriers;
  Array<TetrahedronElement> m_tetrahedra;
  Array<EdgeElement> m_clothEdges;
  Array<HingeElement> m_hinges;
  Array<ElasticMaterial> m_materials;
  Array<int> m_firstSlot, m_slots, m_hold;
  Array<double> m_masses, m_massDamping;
  Array<Vec3> m_holdVelocities, m_slotForces;
};

}  // namespace touchstone
