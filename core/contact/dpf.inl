#pragma once

#include "core/contact/dpf.h"
#include "core/contact/penalty_response.inl"

namespace touchstone {

namespace detail {

/// Friction anchors belong to a vertex and a surface, or to two edges: a contact may move over the surface
/// meanwhile.
struct AnchorEntry {
  FeaturePair key;
  FrictionAnchor anchor;
};

TS_HD inline FeaturePair anchorKey(const WorldView& world, const FeaturePair& pair) {
  if (pair.kind != FeaturePairKind::VertexFace) return pair;
  return {pair.kind, pair.a, world.triangleSurface[pair.b]};
}

/// n · (v_A − v_B) without contact [m/s].
TS_HD inline double openingSpeed(const WorldView& world, const PenaltyContact& contact) {
  return contact.impulse.normalized().dot(relativeVelocity(world, contact, commonPoint(world, contact)));
}

/// Tests candidates at one configuration: those of vertices and surfaces first, then features.
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
    if (index < candidates.vertexSurfaceCount) {
      vertexInSurface(candidates.vertexSurface[index], contact);
    } else {
      const FeaturePair& pair = candidates.features[index - candidates.vertexSurfaceCount];
      if (pair.kind == FeaturePairKind::VertexPlane) vertexBelowPlane(pair, contact);
      if (pair.kind == FeaturePairKind::EdgeEdge && edges) {
        if (world.surfaceClosed[world.edgeSurface[pair.a]] && world.surfaceClosed[world.edgeSurface[pair.b]])
          crossingEdges(pair, contact);
        else
          edgesWithinShell(pair, contact);
      }
    }
    return contact.gap < 0;
  }

  TS_HD const PenaltyNumbers& numbersOf(int body) const { return numbers[world.bodies[body].copy]; }

  TS_HD void vertexInSurface(const FeaturePair& pair, PenaltyContact& contact) const {
    const int vertex = pair.a, body = world.surfaceBody[pair.b];
    const PenaltyNumbers& own = numbersOf(body);
    const Vec3& p = vertices[vertex];
    const SurfacePoint at =
        tables.trees[pair.b].closest(pose.orientation[body].conjugate() * Vec3(p - pose.position[body]));
    const bool shell = !world.surfaceClosed[pair.b];
    if (!shell && !at.inside) return;
    const double distance = std::sqrt(at.squaredDistance);
    if (shell && !(distance > 0 && distance < own.thickness)) return;
    const Vec3 q = worldPoint(pose.position[body], pose.orientation[body], at.point);
    contact.pair = {FeaturePairKind::VertexFace, vertex, world.surfaceFirstTriangle[pair.b] + at.triangle};
    contact.bodyA = world.vertexBody[vertex];
    contact.bodyB = body;
    contact.pointA = world.vertexStart[vertex];
    contact.pointB = toWorld(world, body, at.point);
    const Vec3 push = shell ? shellOverlap(p, q, own.thickness) : Vec3(q - p);
    contact.impulse = world.dt * own.stiffness * push;
    contact.gap = shell ? distance - own.thickness : -distance;
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
    contact.impulse = world.dt * numbersOf(plane).stiffness * std::fmax(0.0, -gap) * normal;
    contact.gap = gap;
  }

  TS_HD void crossingEdges(const FeaturePair& pair, PenaltyContact& contact) const {
    Vec3 rows[4];
    rowsOf(world, pair, vertices, rows);
    double w[4];
    if (!edgesCross(world, tables, pair, rows, pose, w)) return;
    const Vec3 p = w[0] * rows[0] + w[1] * rows[1], q = w[2] * rows[2] + w[3] * rows[3];
    fillEdges(pair, w, contact);
    contact.impulse = world.dt * numbersOf(contact.bodyA).stiffness * (q - p);
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
    const PenaltyNumbers& own = numbersOf(world.edgeBody[pair.a]);
    if (!(distance > 0 && distance < own.thickness)) return;
    fillEdges(pair, w, contact);
    contact.impulse = world.dt * own.stiffness * shellOverlap(p, q, own.thickness);
    contact.gap = distance - own.thickness;
  }

  TS_HD void fillEdges(const FeaturePair& pair, const double w[4], PenaltyContact& contact) const {
    Vec3 start[4];
    rowsOf(world, pair, world.vertexStart, start);
    contact.pair = pair;
    contact.bodyA = world.edgeBody[pair.a];
    contact.bodyB = world.edgeBody[pair.b];
    contact.pointA = w[0] * start[0] + w[1] * start[1];
    contact.pointB = w[2] * start[2] + w[3] * start[3];
  }
};

struct WriteDepthContact {  // one overlap per index
  FindDepth find;
  const int* indices;
  const AnchorEntry* anchors;  // [anchorCount] sorted by key
  int anchorCount;
  PenaltyContact* out;
  TS_HD void operator()(int index) const {
    PenaltyContact contact;
    find.find(indices[index], contact);
    const WorldView& world = find.world;
    const double rate = openingSpeed(world, contact);
    contact.predictedGap = contact.gap + (find.atEnd ? 0 : world.dt * rate);
    const double magnitude = contact.impulse.norm(), damping = find.numbersOf(contact.bodyA).damping;
    if (damping != 0 && magnitude > 0)
      contact.impulse *= std::fmax(0.0, 1 - world.dt * damping * rate / magnitude);
    const FeaturePair key = anchorKey(world, contact.pair);
    int low = 0, high = anchorCount;
    while (low < high) {
      const int middle = (low + high) / 2;
      if (anchors[middle].key < key) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    contact.fresh = !(low < anchorCount && anchors[low].key == key);
    contact.anchor = contact.fresh ? anchorAt(world, contact) : anchors[low].anchor;
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
  }
};

/// Longest way of a vertex of the body in the step, and its radius if it is dynamic [m].
struct BodyReach {
  double step, radius;
};
struct ReachOfSurface {  // one surface per index
  WorldView world;
  BodyReach* out;  // [surfaceCount]
  TS_HD void operator()(int surface) const {
    const int body = world.surfaceBody[surface];
    double step = 0;
    for (int vertex = world.surfaceFirstVertex[surface]; vertex < world.surfaceFirstVertex[surface + 1];
         ++vertex)
      step = std::fmax(step, (world.vertexPredicted[vertex] - world.vertexStart[vertex]).norm());
    out[surface] = {step, isDynamic(world, body) ? world.bodies[body].radius : 0};
  }
};

}  // namespace detail

/// Discrete penalty forces on a backend (dpf.h).
template <class Backend>
class Dpf : public PenaltyResponse<Backend> {
 public:
  Dpf(const Backend& backend, const World& world)
      : m_tables(backend, world), m_size(world.scene->size), m_deepestEdges(world.scene->copies, 0) {
    for (int body : world.surface->surfaceBody) m_surfaceCopy.push_back(world.scene->bodies[body].copy);
    for (const unsigned char closed : world.surface->surfaceClosed) m_hasOpen = m_hasOpen || !closed;
  }

  bool openSurfaces() const override { return m_hasOpen; }

  /// Edges that overlap by δ are δ apart, and so are their boxes, unless the overlap began in this very step.
  /// The margin covers the deepest overlap of edges in the last step and the motion of one step.
  const double* margins(const Backend& backend, const WorldView& world) override {
    m_reach.resize(static_cast<std::size_t>(world.surfaceCount));
    forEach(backend, world.surfaceCount, detail::ReachOfSurface{world, m_reach.data()});
    std::vector<detail::BodyReach> reach(m_surfaceCopy.size());
    backend.download(m_reach.data(), reach.size(), reach.data());
    std::vector<double> step(m_deepestEdges.size(), 0), radius(m_deepestEdges.size(), 0);
    for (std::size_t surface = 0; surface < reach.size(); ++surface) {
      const int copy = m_surfaceCopy[surface];
      step[copy] = std::max(step[copy], reach[surface].step);
      const double own = reach[surface].radius;
      if (own > 0 && (radius[copy] == 0 || own < radius[copy])) radius[copy] = own;
    }
    std::vector<double> margins;
    for (std::size_t copy = 0; copy < step.size(); ++copy) {
      // Beyond a tenth of the radius two edges are hardly a contact of edges, and candidates would abound.
      margins.push_back(std::min(1.5 * m_deepestEdges[copy] + step[copy], 0.1 * radius[copy]));
      if (m_hasOpen) margins.back() = std::max(margins.back(), this->m_settings[copy].numbers.thickness);
    }
    backend.upload(margins.data(), margins.size(), m_margins);
    return m_margins.data();
  }

  void setParameters(const std::vector<ParameterValues>& values) override {
    const std::vector<ParameterSpec>& specs = dpfParameters();
    this->setNumbers(specs, values);
    for (std::size_t copy = 0; copy < values.size(); ++copy) {
      const double own = numberOf(specs, values[copy], "thickness");
      this->m_settings[copy].numbers.thickness = own == 0 ? 1e-3 * m_size : own;
    }
    const ParameterValues& choices = values.front();
    m_atEnd = choiceOf(specs, choices, "evaluate") == "end";
    m_edges = numberOf(specs, choices, "edge_edge") != 0;
    m_normalise = choiceOf(specs, choices, "normalise") == "pairs";
  }

  void reset() override {
    m_anchors = Array<detail::AnchorEntry>();
    std::fill(m_deepestEdges.begin(), m_deepestEdges.end(), 0.0);
  }

  void respond(const Backend& backend, const WorldView& world, const CandidateView& candidates, double time,
               StepRecord& record, PhaseClock& clock, StepDetail*) override {
    const PenaltyNumbers* numbers = this->numbersAt(backend, time);
    const PoseView pose = m_atEnd ? PoseView{world.predictedPosition, world.predictedOrientation}
                                  : PoseView{world.position, world.orientation};
    const detail::FindDepth find{
        world, m_tables.view(), candidates, numbers, m_atEnd ? world.vertexPredicted : world.vertexStart,
        pose,  m_atEnd,         m_edges};
    // Sorted by pair, as both lists of candidates are and triangles are numbered by surface.
    const int count = m_selection.select(backend, candidates.vertexSurfaceCount + candidates.featureCount,
                                         find, Work::Heavy);
    clock.endOf(Phase::NarrowPhase);
    this->m_contacts.resize(static_cast<std::size_t>(count));
    PenaltyContact* contacts = this->m_contacts.data();
    forEach(backend, count,
            detail::WriteDepthContact{find, m_selection.indices(), m_anchors.data(),
                                      static_cast<int>(m_anchors.size()), contacts});
    this->m_impulses.addFriction(backend, world, numbers, contacts, count);
    m_anchors.resize(static_cast<std::size_t>(count));
    forEach(backend, count, detail::KeepAnchor{world, contacts, m_anchors.data()});
    clock.endOf(Phase::Assemble);
    if (m_normalise) this->m_impulses.normalisePairs(backend, world, contacts, count);
    this->m_impulses.applyAndRecord(backend, world, numbers, contacts, count, record);
    noteDeepestEdges();
    this->warnIfUnstable(this->m_impulses.stabilityNumber(backend, world, numbers, contacts),
                         m_atEnd ? 4.0 / 3 : 4, record);
  }

  std::string memory(const Backend& backend) const override {
    std::vector<detail::AnchorEntry> anchors(m_anchors.size());
    backend.download(m_anchors.data(), anchors.size(), anchors.data());
    MemoryWriter writer;
    for (const double deepest : m_deepestEdges) writer.put(deepest);
    for (const detail::AnchorEntry& entry : anchors) {
      writer.put(entry.key);
      writer.put(entry.anchor);
    }
    return writer.take();
  }

  void restoreMemory(const Backend& backend, const std::string& bytes) override {
    reset();
    std::vector<detail::AnchorEntry> anchors;
    MemoryReader reader(bytes);
    if (!reader.atEnd())
      for (double& deepest : m_deepestEdges) reader.get(deepest);
    while (!reader.atEnd()) {
      detail::AnchorEntry entry;
      reader.get(entry.key);
      reader.get(entry.anchor);
      anchors.push_back(entry);
    }
    backend.upload(anchors.data(), anchors.size(), m_anchors);
  }

 private:
  template <class T>
  using Array = typename Backend::template Array<T>;

  void noteDeepestEdges() {
    std::fill(m_deepestEdges.begin(), m_deepestEdges.end(), 0.0);
    for (const detail::RecordedPenalty& each : this->m_impulses.recorded())
      if (each.kind == FeaturePairKind::EdgeEdge)
        m_deepestEdges[each.copy] = std::max(m_deepestEdges[each.copy], each.depth);
  }

  PenaltyTablesOn<Backend> m_tables;
  double m_size;                       ///< of the scene [m]
  std::vector<double> m_deepestEdges;  ///< [copyCount] overlap of edges in the last step [m]
  std::vector<int> m_surfaceCopy;      ///< [surfaceCount]
  Array<detail::BodyReach> m_reach;
  Array<double> m_margins;
  Array<detail::AnchorEntry> m_anchors;
  Selection<Backend> m_selection;
  bool m_atEnd = false, m_edges = true, m_normalise = false, m_hasOpen = false;
};

}  // namespace touchstone
