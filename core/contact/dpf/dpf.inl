#pragma once

#include "core/contact/dpf/dpf.h"
#include "core/contact/penalty/penalty_method.inl"
#include "core/contact/penalty/step_limit.h"
#include "core/detect/candidates.h"
#include "core/detect/surface_tables.h"
#include "core/math/count.h"
#include "core/world/surface_trees.inl"

namespace touchstone {

namespace detail {

/// Friction anchors belong to a vertex and a surface, or to two edges: a contact may move over the surface
/// meanwhile.
struct AnchorEntry {
  FeaturePair key;
  FrictionAnchor anchor;
  double allowance = 0;  ///< see allowedNext() [m]
};
template <class Visit>
void eachNumber(const Visit& visit, AnchorEntry& entry) {
  visit(entry.key);
  visit(entry.anchor);
  visit(entry.allowance);
}

TS_HD inline FeaturePair anchorKey(const WorldView& world, const FeaturePair& pair) {
  if (pair.kind != FeaturePairKind::VertexFace) return pair;
  return {pair.kind, pair.a, world.triangleSurface[pair.b]};
}

/// n · (v_A − v_B) without contact [m/s].
TS_HD inline double openingSpeed(const WorldView& world, const PenaltyContact& contact) {
  return contact.impulse.normalized().dot(relativeVelocity(world, contact, commonPoint(world, contact)));
}

/// Tests candidates at one configuration, one of all per index.
struct FindDepth {
  WorldView world;
  PenaltyTables tables;
  CandidateView candidates;
  const PenaltyNumbers* numbers;
  const Vec3* vertices;  // [vertexCount] where the depth is taken
  PoseView pose;         // likewise
  bool atEnd, edges;

  TS_HD bool operator()(int index) const {
    PenaltyContact contact;
    return find(index, contact);
  }

  /// @return true if they overlap
  TS_HD bool find(int index, PenaltyContact& contact) const {
    if (const FeaturePair* pair = candidates.vertexSurfaceAt(index)) {
      vertexInSurface(*pair, contact);
    } else if (const FeaturePair* pair = candidates.featureAt(index)) {
      if (pair->kind == FeaturePairKind::VertexPlane) vertexBelowPlane(*pair, contact);
      if (pair->kind == FeaturePairKind::EdgeEdge && edges) {
        if (world.surfaceClosed[world.edgeSurface[pair->a]] &&
            world.surfaceClosed[world.edgeSurface[pair->b]])
          crossingEdges(*pair, contact);
        else
          edgesWithinShell(*pair, contact);
      }
    }
    return contact.gap < 0;
  }

  TS_HD const PenaltyNumbers& numbersOf(int body) const { return numbers[world.bodies[body].replica]; }

  TS_HD void vertexInSurface(const FeaturePair& pair, PenaltyContact& contact) const {
    const int vertex = pair.a, body = world.surfaceBody[pair.b];
    const PenaltyNumbers& penaltyNumbers = numbersOf(body);
    const Vec3& p = vertices[vertex];
    const PlacedSurfacePoint placed =
        closestOn(tables.trees[pair.b], pose.position[body], pose.orientation[body], p);
    const ClosestPoint& closest = placed.closest;
    const bool shell = !world.surfaceClosed[pair.b];
    if (!shell && !closest.inside) return;
    const double distance = std::sqrt(closest.squaredDistance);
    if (shell && !(distance > 0 && distance < penaltyNumbers.thickness)) return;
    const Vec3& q = placed.point;
    contact.pair = {FeaturePairKind::VertexFace, vertex,
                    world.surfaceFirstTriangle[pair.b] + closest.triangle};
    contact.bodyA = world.vertexBody[vertex];
    contact.bodyB = body;
    contact.pointA = world.vertexStart[vertex];
    for (int k = 0; k < 3; ++k) contact.weights[k] = closest.weights[k];
    contact.pointB = startOf(body, closest, contact.pair.b);
    pushBy(shell ? shellOverlap(p, q, penaltyNumbers.thickness) : Vec3(q - p), contact);
    contact.gap = shell ? distance - penaltyNumbers.thickness : -distance;
  }

  /// Position of a point of a surface at the start of the step.
  TS_HD Vec3 startOf(int body, const ClosestPoint& closest, int triangle) const {
    if (!world.isDeformable(body)) return toWorld(world, body, closest.point);
    const auto& corners = world.triangles[triangle];
    return closest.weights[0] * world.vertexStart[corners[0]] +
           closest.weights[1] * world.vertexStart[corners[1]] +
           closest.weights[2] * world.vertexStart[corners[2]];
  }

  /// Impulse h F of the penalty force F = k δ n (Tang 2012, eq. 3). @param overlap  δ n [m]
  TS_HD void pushBy(const Vec3& overlap, PenaltyContact& contact) const {
    contact.stiffness = stiffnessOf(world, numbersOf(contact.bodyA), springPair(world, contact));
    contact.impulse = world.dt * contact.stiffness * overlap;
  }

  /// (T − d) n with d = |p − q| and n = (p − q) / d: overlap [m] of a point with the shell about q.
  TS_HD static Vec3 shellOverlap(const Vec3& p, const Vec3& q, double thickness) {
    const double distance = (p - q).norm();
    return (thickness / distance - 1) * (p - q);
  }

  TS_HD void vertexBelowPlane(const FeaturePair& pair, PenaltyContact& contact) const {
    const int vertex = pair.a, plane = pair.b;
    const Vec3 normal = planeNormal(world, plane);
    const double gap = normal.dot(vertices[vertex] - world.position[plane]);
    contact.pair = pair;
    contact.bodyA = world.vertexBody[vertex];
    contact.bodyB = plane;
    contact.pointA = world.vertexStart[vertex];
    contact.pointB = contact.pointA - normal.dot(contact.pointA - world.position[plane]) * normal;
    pushBy(std::fmax(0.0, -gap) * normal, contact);
    contact.gap = gap;
  }

  TS_HD void crossingEdges(const FeaturePair& pair, PenaltyContact& contact) const {
    Vec3 rows[4];
    rowsOf(world, pair, vertices, rows);
    double w[4];
    if (!edgesCross(world, tables, pair, rows, pose, w)) return;
    const Vec3 p = w[0] * rows[0] + w[1] * rows[1], q = w[2] * rows[2] + w[3] * rows[3];
    fillEdges(pair, w, contact);
    pushBy(q - p, contact);
    contact.gap = -(q - p).norm();
  }

  /// Edges of which one belongs to an open surface: closest points inside both, closer than the shell is
  /// thick.
  TS_HD void edgesWithinShell(const FeaturePair& pair, PenaltyContact& contact) const {
    Vec3 rows[4];
    rowsOf(world, pair, vertices, rows);
    double w[4];
    if (!weightsAt(motionOf(FeaturePairKind::EdgeEdge, rows, rows), 0, w) || !areInside(pair.kind, w, 0))
      return;
    const Vec3 p = w[0] * rows[0] + w[1] * rows[1], q = w[2] * rows[2] + w[3] * rows[3];
    const double distance = (p - q).norm();
    const PenaltyNumbers& penaltyNumbers = numbersOf(world.edgeBody[pair.a]);
    if (!(distance > 0 && distance < penaltyNumbers.thickness)) return;
    fillEdges(pair, w, contact);
    pushBy(shellOverlap(p, q, penaltyNumbers.thickness), contact);
    contact.gap = distance - penaltyNumbers.thickness;
  }

  TS_HD void fillEdges(const FeaturePair& pair, const double w[4], PenaltyContact& contact) const {
    Vec3 start[4];
    rowsOf(world, pair, world.vertexStart, start);
    contact.pair = pair;
    contact.bodyA = world.edgeBody[pair.a];
    contact.bodyB = world.edgeBody[pair.b];
    for (int k = 0; k < 4; ++k) contact.weights[k] = w[k];
    contact.pointA = w[0] * start[0] + w[1] * start[1];
    contact.pointB = w[2] * start[2] + w[3] * start[3];
  }
};

struct WriteDepthContact {  // one overlap per index
  FindDepth find;
  const int* indices;
  const AnchorEntry* anchors;  // sorted by key
  Extent anchorExtent;
  PenaltyContact* out;
  TS_HD void operator()(int index) const {
    PenaltyContact contact;
    find.find(indices[index], contact);
    const WorldView& world = find.world;
    const double rate = openingSpeed(world, contact);
    contact.predictedGap = contact.gap + (find.atEnd ? 0 : world.dt * rate);
    const double magnitude = contact.impulse.norm(),
                 damping = dampingOf(world, find.numbersOf(contact.bodyA), springPair(world, contact),
                                     contact.stiffness);
    contact.spring = contact.impulse;
    contact.damping = damping;
    contact.damper = -world.dt * damping * rate;
    if (damping != 0 && magnitude > 0)
      contact.impulse *= std::fmax(0.0, 1 - world.dt * damping * rate / magnitude);
    const FeaturePair key = anchorKey(world, contact.pair);
    const int anchorCount = anchorExtent.size();
    const int anchorIndex =
        firstNotBefore(anchorCount, [&](int anchor) { return anchors[anchor].key < key; });
    contact.fresh = !(anchorIndex < anchorCount && anchors[anchorIndex].key == key);
    contact.anchor = contact.fresh ? anchorAt(world, contact) : anchors[anchorIndex].anchor;
    const PenaltyNumbers& penaltyNumbers = find.numbersOf(contact.bodyA);
    const double depth = -contact.gap;
    if (!contact.fresh) {
      contact.allowance = allowedNext(penaltyNumbers, world.dt, anchors[anchorIndex].allowance);
    } else if (depth > 1.5 * world.dt * std::fmax(0.0, -rate)) {  // deeper than its motion explains
      contact.allowance = allowedAtFirst(world, penaltyNumbers, springPair(world, contact), depth);
    }
    contact.impulse = afterAllowance(contact.impulse, contact.stiffness, world.dt, contact.allowance, 1);
    contact.spring = afterAllowance(contact.spring, contact.stiffness, world.dt, contact.allowance, 1);
    contact.predictedGap += contact.allowance;
    out[index] = contact;
  }
};

struct KeepAnchor {
  WorldView world;
  const PenaltyContact* contacts;
  AnchorEntry* out;
  TS_HD void operator()(int index) const {
    out[index].key = anchorKey(world, contacts[index].pair);
    out[index].anchor = contacts[index].anchor;
    out[index].allowance = contacts[index].allowance;
  }
};

/// A corner of faces at one instant: the force −k G m / |m|² of its depth there, over the whole step.
struct DepthOfCorner {
  bool atEnd = false;
  TS_HD bool operator()(const PairPath& input, double /*from*/, PairImpulse& result,
                        PairAction& action) const {
    result.clear();
    const PairMotion motion = motionOf(input);
    const double t = atEnd ? 1 : 0;
    const Vec3 m = motion.m(t);
    const double square = m.squaredNorm();
    action.depth = depthAt(motion, input.side, t);
    if (!(square > 0) || !(action.depth > 0)) return false;
    action.impulse = -(input.stiffness * input.dt * motion.gap(t) / square) * m;
    const Vec3 normal = input.side / std::sqrt(square) * m;
    const double rate = depthAt(motion, input.side, 1) - depthAt(motion, input.side, 0);
    action.spring = action.impulse;
    action.damper = input.damping * rate;
    action.impulse += std::fmax(action.damper, -action.impulse.dot(normal)) * normal;
    return true;
  }
};

struct VertexTravel {
  WorldView world;
  double* out;  // [vertexCount] of each in the step [m]
  TS_HD void operator()(int vertex) const {
    const double way = (world.vertexPredicted[vertex] - world.vertexStart[vertex]).norm();
    out[vertex] = way > 0 ? way : 0;
  }
};

struct RadiusOfSurface {
  WorldView world;
  double* out;  // [surfaceCount] of its body, 0 if that does not move [m]
  TS_HD void operator()(int surface) const {
    const int body = world.surfaceBody[surface];
    out[surface] = isDynamic(world, body) ? world.bodies[body].radius : 0;
  }
};

/// The smaller of the radii above 0.
struct SmallerRadius {
  TS_HD double operator()(double a, double b) const { return !(b > 0) || (a > 0 && a < b) ? a : b; }
};

/// Edges that overlap by δ are δ apart, and so are their boxes, unless the overlap began in this very step:
/// the margin covers the deepest overlap of edges in the last step and the motion of one step. Beyond a tenth
/// of the radius two edges are hardly a contact of edges, and candidates would abound.
TS_HD inline double marginFor(double deepestEdges, double maxTravel, double smallestRadius, double shell) {
  return std::fmax(std::fmin(1.5 * deepestEdges + maxTravel, 0.1 * smallestRadius), shell);
}

struct MarginOfReplica {                // one replica per index; its bodies and surfaces follow each other
  const int *firstBody, *firstSurface;  // [replicaCount + 1]
  const double* deepestEdges;           // [bodyCount]
  const int* surfaceFirstVertex;
  const double* ways;    // [vertexCount]
  const double* radii;   // [surfaceCount]
  const double* shells;  // [replicaCount]
  double* out;
  TS_HD void operator()(int replica) const {
    const int begin = firstSurface[replica], end = firstSurface[replica + 1];
    double deepest = 0;
    for (int body = firstBody[replica]; body < firstBody[replica + 1]; ++body)
      deepest = std::fmax(deepest, deepestEdges[body]);
    double longest = 0, smallest = 0;
    for (int vertex = surfaceFirstVertex[begin]; vertex < surfaceFirstVertex[end]; ++vertex)
      longest = Larger()(longest, ways[vertex]);
    for (int surface = begin; surface < end; ++surface) smallest = SmallerRadius()(smallest, radii[surface]);
    out[replica] = marginFor(deepest, longest, smallest, shells[replica]);
  }
};

struct MarginOfAll {  // of a scene without replicas: one index would take too long over all its bodies
  const double *deepestEdges, *maxTravel, *smallestRadius;  // [1] each; the last two null without surfaces
  double shell;
  double* out;
  TS_HD void operator()(int) const {
    *out = marginFor(*deepestEdges, maxTravel ? *maxTravel : 0, smallestRadius ? *smallestRadius : 0, shell);
  }
};

}  // namespace detail

/// Discrete penalty forces on a backend (dpf.h).
template <class Backend>
class Dpf : public PenaltyMethod<Backend> {
 public:
  Dpf(const Backend& backend, const MethodSetup& setup) : Dpf(backend, setup.world) {
    setParameters(setup.ofReplicas);
  }
  Dpf(const Backend& backend, const World& world)
      : PenaltyMethod<Backend>(backend, world),
        m_tables(backend, world),
        m_bodyCount(world.scene->bodies.size()),
        m_size(world.scene->size),
        m_shells(world.scene->replicas, 0.0) {
    for (const unsigned char closed : world.surface->surfaceClosed) m_hasOpen = m_hasOpen || !closed;
    std::vector<int> firstBody, firstSurface;
    const auto countUpTo = [&](int replica, int body, int surface) {
      while (countOf(firstBody) <= replica) {
        firstBody.push_back(body);
        firstSurface.push_back(surface);
      }
    };
    int surfaces = 0;
    for (std::size_t body = 0; body < world.scene->bodies.size(); ++body) {
      countUpTo(world.scene->bodies[body].replica, static_cast<int>(body), surfaces);
      surfaces += countOf(world.scene->bodies[body].shape->surfaces);
    }
    countUpTo(world.scene->replicas, countOf(world.scene->bodies), surfaces);
    backend.upload(firstBody.data(), firstBody.size(), m_firstBody);
    backend.upload(firstSurface.data(), firstSurface.size(), m_firstSurface);
  }

  void prepare(const Backend& backend, const World& world) override {
    PenaltyMethod<Backend>::prepare(backend, world);
    if (m_shellsHere != m_shells) {
      m_shellsHere = m_shells;
      backend.upload(m_shells.data(), m_shells.size(), m_shellsOnDevice);
    }
    m_deepestEdges.fit(backend, m_bodyCount);
  }

  void setParameters(const std::vector<ParameterValues>& values) override {
    const std::vector<ParameterSpec>& specs = dpfParameters();
    this->setNumbers(specs, values);
    for (std::size_t replica = 0; replica < values.size(); ++replica) {
      const double thickness = numberOf(specs, values[replica], "thickness");
      this->m_settings[replica].numbers.thickness = thickness == 0 ? 1e-3 * m_size : thickness;
      m_shells[replica] = m_hasOpen ? this->m_settings[replica].numbers.thickness : 0;
    }
    const ParameterValues& choices = values.front();
    m_atEnd = choiceOf(specs, choices, "evaluate") == "end";
    this->m_stabilityLimit = stabilityLimitAt(m_atEnd ? 1 : 0);
    m_edges = numberOf(specs, choices, "edge_edge") != 0;
  }

  ReplicaSet respond(const Backend& backend, const MethodStep& step) override {
    const WorldView& world = step.view;
    const CandidateView& candidates = step.candidates;
    const PenaltyNumbers* numbers = this->numbers();
    const PoseView pose = m_atEnd ? PoseView{world.predictedPosition, world.predictedOrientation}
                                  : PoseView{world.position, world.orientation};
    m_tables.refit(backend, m_atEnd ? world.vertexPredicted : world.vertexStart);
    const detail::FindDepth find{
        world, m_tables.view(), candidates, numbers, m_atEnd ? world.vertexPredicted : world.vertexStart,
        pose,  m_atEnd,         m_edges};
    // Sorted by pair, as both lists of candidates are and triangles are numbered by surface.
    const List<Backend, int>& overlapping =
        m_overlapping.select(backend, candidates.all(), find, Work::Heavy);
    const Extent& features = overlapping.extent();
    FacePairs<Backend>& faces = this->m_faces;
    faces.find(backend, world, numbers, m_atEnd ? detail::PairPose::End : detail::PairPose::Start, true);
    const detail::DepthOfCorner law{m_atEnd};
    if (step.detail) faces.explain(backend, law, false, *step.detail);
    step.clock.endOf(Phase::NarrowPhase);
    this->m_contacts.make(backend, features, faces.corners(), [&](PenaltyContact* to) {
      return std::make_pair(detail::WriteDepthContact{find, overlapping.data(), m_anchors.list().data(),
                                                      m_anchors.list().extent(), to},
                            faces.writeContacts(law, false, false, features, to));
    });
    PenaltyContact* contacts = this->m_contacts.data();
    const Extent& extent = this->m_contacts.extent();
    this->addFriction(backend, world, contacts, extent);
    m_anchors.list().make(backend, features, [&](detail::AnchorEntry* to) {
      return detail::KeepAnchor{world, contacts, to};
    });
    step.clock.endOf(Phase::Assemble);
    this->normalise(backend, world, contacts, extent);
    this->m_impulses.findDeepestEdges(backend, world, m_deepestEdges.data());
    this->applyContacts(backend, world, features);
    faces.keep(backend, contacts, features);
    return {};
  }

  void eachMemoryArray(const std::function<void(MemoryArray<Backend>&)>& visit) override {
    PenaltyMethod<Backend>::eachMemoryArray(visit);
    visit(m_deepestEdges);
    visit(m_anchors);
  }

 protected:
  /// The depth of a vertex is taken from the surface, and no triangle is asked.
  FeatureNeeds featureNeeds() const override {
    FeatureNeeds needs = PenaltyMethod<Backend>::featureNeeds();
    needs.triangles = false;
    needs.openSurfaces = m_hasOpen;
    return needs;
  }

  const double* marginsOf(const Backend& backend, const WorldView& world) override {
    m_ways.resize(world.vertexCount);
    m_radii.resize(world.surfaceCount);
    forEach(backend, world.vertexCount, detail::VertexTravel{world, m_ways.data()});
    forEach(backend, world.surfaceCount, detail::RadiusOfSurface{world, m_radii.data()});
    m_margins.resize(world.replicaCount);
    const double* deepest = m_deepestEdges.data();
    if (world.replicaCount == 1) {
      m_depths.resize(m_bodyCount);
      copyWithin(backend, deepest, world.bodyCount, m_depths.data());
      const double* deepestOfAll = reducedOnDevice(backend, m_depths.data(), world.bodyCount, Larger{});
      const double *longest = nullptr, *smallest = nullptr;
      if (world.surfaceCount > 0) {
        longest = reducedOnDevice(backend, m_ways.data(), world.vertexCount, Larger{});
        smallest = reducedOnDevice(backend, m_radii.data(), world.surfaceCount, detail::SmallerRadius{});
      }
      forEach(backend, 1,
              detail::MarginOfAll{deepestOfAll, longest, smallest, m_shells[0], m_margins.data()});
    } else {
      forEach(backend, world.replicaCount,
              detail::MarginOfReplica{m_firstBody.data(), m_firstSurface.data(), deepest,
                                      world.surfaceFirstVertex, m_ways.data(), m_radii.data(),
                                      m_shellsOnDevice.data(), m_margins.data()});
    }
    return m_margins.data();
  }

 private:
  template <class T>
  using Array = typename Backend::template Array<T>;

  PenaltyTablesOn<Backend> m_tables;
  std::size_t m_bodyCount;
  double m_size;                 ///< of the scene [m]
  std::vector<double> m_shells;  ///< [replicaCount] thickness about open surfaces, 0 where there are none [m]
  std::vector<double> m_shellsHere;  ///< those that the backend has
  Array<double> m_shellsOnDevice, m_margins, m_depths;
  MemoryItems<Backend, double> m_deepestEdges;  ///< [bodyCount] overlap of edges in the last step [m]
  Array<int> m_firstBody, m_firstSurface;       ///< [replicaCount + 1]
  Array<double> m_ways;                         ///< [vertexCount]
  Array<double> m_radii;                        ///< [surfaceCount]
  MemoryList<Backend, detail::AnchorEntry> m_anchors;
  Selection<Backend> m_overlapping;
  bool m_atEnd = false, m_edges = true, m_hasOpen = false;
};

template <class Backend>
std::unique_ptr<Method<Backend>> dpf::Info::make(const Backend& backend, const MethodSetup& setup) {
  return std::make_unique<Dpf<Backend>>(backend, setup);
}

}  // namespace touchstone
