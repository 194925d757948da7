#include "core/contact/dpf.h"

#include <algorithm>
#include <map>

#include "core/contact/penalty_common.h"
#include "core/geometry/pair_motion.h"
#include "core/parallel/parallel_for.h"
#include "core/record/phase_clock.h"

namespace touchstone {

namespace {

const std::vector<ParameterSpec>& specs() {
  static const std::vector<ParameterSpec> list = [] {
    std::vector<ParameterSpec> all = sharedPenaltyParameters();
    all.push_back({"evaluate",
                   "Depth taken at",
                   "",
                   "start: positions at the start of the step (symplectic Euler, Tang 2012 section 3.6); "
                   "end: predicted "
                   "positions, which damps strongly. The two differ more than DPF and CPF do.",
                   ParameterKind::Choice,
                   std::string("start"),
                   0,
                   0,
                   false,
                   {"start", "end"}});
    all.push_back({"edge_edge",
                   "Edge–edge contacts",
                   "",
                   "Edges that cross through each other's body are pushed apart.",
                   ParameterKind::Switch,
                   1.0,
                   0,
                   1,
                   false,
                   {}});
    all.push_back(
        {"thickness",
         "Shell of open meshes T",
         "m",
         "An open mesh has no inside: it pushes what is closer than T to either of its sides, with δ = T − "
         "distance. 0 takes a thousandth of the scene's size. What passes its middle in one step is "
         "pushed out on the far side.",
         ParameterKind::Number,
         0.0,
         0,
         10,
         false,
         {}});
    return all;
  }();
  return list;
}

/// Friction anchors belong to a vertex and a surface, or to two edges: a contact may move over the surface
/// meanwhile.
using AnchorKey = FeaturePair;

class Dpf : public ContactMethod {
 public:
  Dpf(const World& world, const ParameterValues& values)
      : m_scene(world.scene), m_trees(buildMeshTrees(world)) {
    for (const unsigned char closed : world.surface->surfaceClosed) m_hasOpen = m_hasOpen || !closed;
    Dpf::setParameters(values);
  }

  /// Edges that overlap by δ are δ apart, and so are their boxes, unless the overlap began in this very step.
  /// The margin covers the deepest overlap of edges in the last step and the motion of one step.
  CandidateNeeds needs(const World& world) const override {
    CandidateNeeds needs;
    needs.features = needs.vertexSurface = true;
    double step = 0, radius = 0;  // longest way of a vertex in the step; smallest dynamic body [m]
    for (std::size_t vertex = 0; vertex < world.vertexStart.size(); ++vertex)
      step = std::max(step, (world.vertexPredicted[vertex] - world.vertexStart[vertex]).norm());
    for (std::size_t body = 0; body < world.position.size(); ++body) {
      const double own = isDynamic(world, static_cast<int>(body)) ? m_scene->bodies[body].shape->radius : 0;
      if (own > 0 && (radius == 0 || own < radius)) radius = own;
    }
    // Beyond a tenth of the radius two edges are hardly a contact of edges, and candidates would abound.
    needs.margin = std::min(1.5 * m_deepestEdges + step, 0.1 * radius);
    if (m_hasOpen) needs.margin = std::max(needs.margin, m_thickness);
    needs.openSurfaces = m_hasOpen;
    return needs;
  }

  void setParameters(const ParameterValues& values) override {
    m_stiffnessOverTime = stiffnessSettings(specs(), values);
    m_damping = numberOf(specs(), values, "damping");
    m_atEnd = choiceOf(specs(), values, "evaluate") == "end";
    m_edges = numberOf(specs(), values, "edge_edge") != 0;
    m_normalise = choiceOf(specs(), values, "normalise") == "pairs";
    m_friction = frictionSettings(specs(), values);
    m_thickness = numberOf(specs(), values, "thickness");
    if (m_thickness == 0) m_thickness = 1e-3 * m_scene->size;
  }

  void reset(const World&) override {
    m_anchors.clear();
    m_deepestEdges = 0;
  }

  void respond(World& world, const Candidates& candidates, StepRecord& record, PhaseClock& clock) override {
    m_stiffness = m_stiffnessOverTime.at(world.time);
    std::vector<PenaltyContact> contacts = findContacts(world, candidates);
    m_deepestEdges = 0;
    for (const PenaltyContact& contact : contacts)
      if (contact.pair.kind == FeaturePairKind::EdgeEdge)
        m_deepestEdges = std::max(m_deepestEdges, -contact.gap);
    clock.endOf(Phase::NarrowPhase);
    std::vector<FrictionAnchor> anchors;
    for (PenaltyContact& contact : contacts) {
      addDamping(world, contact);
      const auto kept = m_anchors.find(anchorKey(world, contact.pair));
      contact.fresh = kept == m_anchors.end();
      anchors.push_back(contact.fresh ? FrictionAnchor{toLocal(world, contact.bodyA, contact.pointA),
                                                       toLocal(world, contact.bodyB, contact.pointB)}
                                      : kept->second);
    }
    addFriction(world, m_friction, anchors, contacts);
    m_anchors.clear();
    for (std::size_t k = 0; k < contacts.size(); ++k)
      m_anchors[anchorKey(world, contacts[k].pair)] = anchors[k];
    clock.endOf(Phase::Assemble);
    if (m_normalise) normalisePairs(contacts);
    applyAndRecord(world, m_stiffness, contacts, record);
    warnIfUnstable(world, contacts, m_stiffness, m_atEnd ? 4.0 / 3 : 4, record);
  }

  std::string memory() const override {
    MemoryWriter writer;
    writer.put(m_deepestEdges);
    for (const auto& [key, anchor] : m_anchors) {
      writer.put(key);
      writer.put(anchor);
    }
    return writer.take();
  }

  void restoreMemory(const std::string& bytes) override {
    m_anchors.clear();
    m_deepestEdges = 0;
    MemoryReader reader(bytes);
    if (!reader.atEnd()) reader.get(m_deepestEdges);
    while (!reader.atEnd()) {
      AnchorKey key;
      reader.get(key);
      reader.get(m_anchors[key]);
    }
  }

 private:
  static AnchorKey anchorKey(const World& world, const FeaturePair& pair) {
    if (pair.kind != FeaturePairKind::VertexFace) return pair;
    return {pair.kind, pair.a, world.surface->triangleSurface[pair.b]};
  }

  std::vector<PenaltyContact> findContacts(const World& world, const Candidates& candidates) const {
    std::vector<PenaltyContact> found(candidates.vertexSurface.size() + candidates.features.size());
    const int vertexCount = static_cast<int>(candidates.vertexSurface.size());
    parallelFor(static_cast<int>(found.size()), [&](int index) {
      PenaltyContact& contact = found[index];
      if (index < vertexCount) {
        vertexInSurface(world, candidates.vertexSurface[index], contact);
        return;
      }
      const FeaturePair& pair = candidates.features[index - vertexCount];
      if (pair.kind == FeaturePairKind::VertexPlane) vertexBelowPlane(world, pair, contact);
      if (pair.kind != FeaturePairKind::EdgeEdge || !m_edges) return;
      if (ofOpenSurface(*world.surface, pair))
        edgesWithinShell(world, pair, contact);
      else
        crossingEdges(world, pair, contact);
    });
    std::vector<PenaltyContact> contacts;
    for (PenaltyContact& contact : found) {
      if (!(contact.gap < 0)) continue;
      contact.predictedGap = contact.gap + (m_atEnd ? 0 : world.dt * openingSpeed(world, contact));
      contacts.push_back(contact);
    }
    std::sort(contacts.begin(), contacts.end(), [](const auto& a, const auto& b) { return a.pair < b.pair; });
    return contacts;
  }

  const std::vector<Vec3>& positions(const World& world) const {
    return m_atEnd ? world.vertexPredicted : world.vertexStart;
  }
  const Vec3& bodyPosition(const World& world, int body) const {
    return m_atEnd ? world.predictedPosition[body] : world.position[body];
  }
  const Quaternion& bodyOrientation(const World& world, int body) const {
    return m_atEnd ? world.predictedOrientation[body] : world.orientation[body];
  }

  SurfacePoint closest(const World& world, int surface, const Vec3& point) const {
    const int body = world.surface->surfaceBody[surface];
    return m_trees[surface]->closest(bodyOrientation(world, body).conjugate() *
                                     Vec3(point - bodyPosition(world, body)));
  }

  void vertexInSurface(const World& world, const FeaturePair& pair, PenaltyContact& contact) const {
    const SurfaceTopology& surface = *world.surface;
    const int vertex = pair.a, body = surface.surfaceBody[pair.b];
    const Vec3& p = positions(world)[vertex];
    const SurfacePoint at = closest(world, pair.b, p);
    const bool shell = !surface.surfaceClosed[pair.b];
    if (!shell && !at.inside) return;
    const double distance = std::sqrt(at.squaredDistance);
    if (shell && !(distance > 0 && distance < m_thickness)) return;
    const Vec3 q = worldPoint(bodyPosition(world, body), bodyOrientation(world, body), at.point);
    contact.pair = {FeaturePairKind::VertexFace, vertex, surface.surfaceFirstTriangle[pair.b] + at.triangle};
    contact.bodyA = surface.vertexBody[vertex];
    contact.bodyB = body;
    contact.pointA = world.vertexStart[vertex];
    contact.pointB = toWorld(world, body, at.point);
    contact.impulse = world.dt * m_stiffness * (shell ? shellOverlap(p, q) : Vec3(q - p));
    contact.gap = shell ? distance - m_thickness : -distance;
  }

  static bool ofOpenSurface(const SurfaceTopology& surface, const FeaturePair& edges) {
    return !surface.surfaceClosed[surface.edgeSurface[edges.a]] ||
           !surface.surfaceClosed[surface.edgeSurface[edges.b]];
  }

  /// (T − d) n with d = |p − q| and n = (p − q) / d: overlap [m] of a point with the shell about q.
  Vec3 shellOverlap(const Vec3& p, const Vec3& q) const {
    const double distance = (p - q).norm();
    return (m_thickness / distance - 1) * (p - q);
  }

  void vertexBelowPlane(const World& world, const FeaturePair& pair, PenaltyContact& contact) const {
    const int vertex = pair.a, plane = pair.b;
    const Vec3 normal = world.orientation[plane] * world.scene->bodies[plane].shape->planeNormal;
    const double gap = normal.dot(positions(world)[vertex] - world.position[plane]);
    contact.pair = pair;
    contact.bodyA = world.surface->vertexBody[vertex];
    contact.bodyB = plane;
    contact.pointA = world.vertexStart[vertex];
    contact.pointB = contact.pointA - normal.dot(contact.pointA - world.position[plane]) * normal;
    contact.impulse = world.dt * m_stiffness * std::max(0.0, -gap) * normal;
    contact.gap = gap;
  }

  void crossingEdges(const World& world, const FeaturePair& pair, PenaltyContact& contact) const {
    const SurfaceTopology& surface = *world.surface;
    const std::vector<Vec3>& x = positions(world);
    const auto &a = surface.edges[pair.a], &b = surface.edges[pair.b];
    const Vec3 rows[4] = {x[a[0]], x[a[1]], x[b[0]], x[b[1]]};
    double w[4];
    if (!edgesCross(world, m_trees, pair, rows, m_atEnd ? world.predictedPosition : world.position,
                    m_atEnd ? world.predictedOrientation : world.orientation, w))
      return;
    const Vec3 p = w[0] * rows[0] + w[1] * rows[1], q = w[2] * rows[2] + w[3] * rows[3];
    fillEdges(world, pair, w, contact);
    contact.impulse = world.dt * m_stiffness * (q - p);
    contact.gap = -(q - p).norm();
  }

  /// Edges of which one belongs to an open surface: closest points inside both, closer than the shell is
  /// thick.
  void edgesWithinShell(const World& world, const FeaturePair& pair, PenaltyContact& contact) const {
    const SurfaceTopology& surface = *world.surface;
    const std::vector<Vec3>& x = positions(world);
    const auto &a = surface.edges[pair.a], &b = surface.edges[pair.b];
    const Vec3 rows[4] = {x[a[0]], x[a[1]], x[b[0]], x[b[1]]};
    double w[4];
    if (!weightsAt(motionOf(FeaturePairKind::EdgeEdge, rows, rows), 0, w) || !areInside(pair.kind, w, 0))
      return;
    const Vec3 p = w[0] * rows[0] + w[1] * rows[1], q = w[2] * rows[2] + w[3] * rows[3];
    const double distance = (p - q).norm();
    if (!(distance > 0 && distance < m_thickness)) return;
    fillEdges(world, pair, w, contact);
    contact.impulse = world.dt * m_stiffness * shellOverlap(p, q);
    contact.gap = distance - m_thickness;
  }

  static void fillEdges(const World& world, const FeaturePair& pair, const double w[4],
                        PenaltyContact& contact) {
    const SurfaceTopology& surface = *world.surface;
    const auto &a = surface.edges[pair.a], &b = surface.edges[pair.b];
    contact.pair = pair;
    contact.bodyA = surface.edgeBody[pair.a];
    contact.bodyB = surface.edgeBody[pair.b];
    contact.pointA = w[0] * world.vertexStart[a[0]] + w[1] * world.vertexStart[a[1]];
    contact.pointB = w[2] * world.vertexStart[b[0]] + w[3] * world.vertexStart[b[1]];
  }

  /// n · (v_A − v_B) without contact [m/s].
  static double openingSpeed(const World& world, const PenaltyContact& contact) {
    const Vec3 point = commonPoint(world, contact);
    return contact.impulse.normalized().dot(pointVelocity(world, contact.bodyA, point) -
                                            pointVelocity(world, contact.bodyB, point));
  }

  void addDamping(const World& world, PenaltyContact& contact) const {
    const double magnitude = contact.impulse.norm();
    if (m_damping == 0 || !(magnitude > 0)) return;
    const double rate = openingSpeed(world, contact);
    contact.impulse *= std::max(0.0, 1 - world.dt * m_damping * rate / magnitude);
  }

  std::shared_ptr<const Scene> m_scene;  ///< holds the meshes of the trees
  std::vector<std::shared_ptr<const MeshTree>> m_trees;
  std::map<AnchorKey, FrictionAnchor> m_anchors;
  StiffnessSettings m_stiffnessOverTime;
  FrictionSettings m_friction;
  double m_stiffness = 0, m_damping = 0;
  double m_thickness = 0;     ///< of the shell about open surfaces [m]
  double m_deepestEdges = 0;  ///< overlap of edges in the last step [m]
  bool m_atEnd = false, m_edges = true, m_normalise = false, m_hasOpen = false;
};

}  // namespace

MethodInfo dpfMethod() {
  MethodInfo info;
  info.key = "dpf";
  info.name = "Discrete penalty forces";
  info.shortName = "DPF";
  info.source = "Tang et al. 2012, section 3.1";
  info.parameters = specs();
  info.refusal = [](const Scene&) { return std::string(); };
  info.create = [](const World& world, const ParameterValues& values, const std::string&, BackendKind) {
    return std::make_unique<Dpf>(world, values);
  };
  return info;
}

}  // namespace touchstone
