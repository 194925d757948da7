#include "core/contact/dpf.h"

#include <algorithm>
#include <map>

#include "core/contact/penalty_common.h"
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
    return all;
  }();
  return list;
}

/// Friction anchors belong to a vertex and a surface, or to two edges: a contact may move over the surface
/// meanwhile.
using AnchorKey = std::tuple<FeaturePairKind, int, int>;

class Dpf : public ContactMethod {
 public:
  Dpf(const World& world, const ParameterValues& values) : m_trees(buildMeshTrees(world)) {
    Dpf::setParameters(values);
  }

  CandidateNeeds needs(const World& world) const override {
    CandidateNeeds needs;
    needs.features = needs.vertexSurface = true;
    needs.margin = penaltyMargin(world);  // edges that have crossed lie apart by their depth
    return needs;
  }

  void setParameters(const ParameterValues& values) override {
    m_stiffness = numberOf(specs(), values, "stiffness");
    m_damping = numberOf(specs(), values, "damping");
    m_atEnd = choiceOf(specs(), values, "evaluate") == "end";
    m_edges = numberOf(specs(), values, "edge_edge") != 0;
    m_friction = frictionSettings(specs(), values);
  }

  void reset(const World&) override { m_anchors.clear(); }

  void respond(World& world, const Candidates& candidates, StepRecord& record, PhaseClock& clock) override {
    std::vector<PenaltyContact> contacts = findContacts(world, candidates);
    clock.endOf(Phase::NarrowPhase);
    std::map<AnchorKey, FrictionAnchor> anchors;
    for (PenaltyContact& contact : contacts) {
      const AnchorKey key{contact.pair.kind, contact.pair.a, anchorFeature(world, contact.pair)};
      const auto kept = m_anchors.find(key);
      FrictionAnchor anchor = kept != m_anchors.end()
                                  ? kept->second
                                  : FrictionAnchor{toLocal(world, contact.bodyA, contact.pointA),
                                                   toLocal(world, contact.bodyB, contact.pointB)};
      addDamping(world, contact);
      addFriction(world, m_friction, anchor, contact);
      anchors[key] = anchor;
    }
    m_anchors = std::move(anchors);
    clock.endOf(Phase::Assemble);
    applyAndRecord(world, contacts, record);
    record.quantities[Quantity::EnergyElastic] = elasticEnergy(contacts);
    warnIfUnstable(world, contacts, m_stiffness, m_atEnd ? 4.0 / 3 : 4, record);
  }

 private:
  int anchorFeature(const World& world, const FeaturePair& pair) const {
    return pair.kind == FeaturePairKind::VertexFace ? world.surface->triangleSurface[pair.b] : pair.b;
  }

  double elasticEnergy(const std::vector<PenaltyContact>& contacts) const {
    double energy = 0;
    for (const PenaltyContact& contact : contacts) energy += 0.5 * m_stiffness * contact.gap * contact.gap;
    return energy;
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
      if (pair.kind == FeaturePairKind::EdgeEdge && m_edges) crossingEdges(world, pair, contact);
    });
    std::vector<PenaltyContact> contacts;
    for (const PenaltyContact& contact : found)
      if (contact.gap < 0) contacts.push_back(contact);
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
    if (!at.inside) return;
    const Vec3 q = worldPoint(bodyPosition(world, body), bodyOrientation(world, body), at.point);
    contact.pair = {FeaturePairKind::VertexFace, vertex, surface.surfaceFirstTriangle[pair.b] + at.triangle};
    contact.bodyA = surface.vertexBody[vertex];
    contact.bodyB = body;
    contact.pointA = world.vertexStart[vertex];
    contact.pointB = toWorld(world, body, at.point);
    contact.impulse = world.dt * m_stiffness * (q - p);
    contact.gap = -std::sqrt(at.squaredDistance);
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
    contact.pair = pair;
    contact.bodyA = surface.edgeBody[pair.a];
    contact.bodyB = surface.edgeBody[pair.b];
    contact.pointA = w[0] * world.vertexStart[a[0]] + w[1] * world.vertexStart[a[1]];
    contact.pointB = w[2] * world.vertexStart[b[0]] + w[3] * world.vertexStart[b[1]];
    contact.impulse = world.dt * m_stiffness * (q - p);
    contact.gap = -(q - p).norm();
  }

  void addDamping(const World& world, PenaltyContact& contact) const {
    const double magnitude = contact.impulse.norm();
    if (m_damping == 0 || !(magnitude > 0)) return;
    const Vec3 normal = contact.impulse / magnitude, point = commonPoint(world, contact);
    const double rate =
        normal.dot(pointVelocity(world, contact.bodyA, point) - pointVelocity(world, contact.bodyB, point));
    contact.impulse = std::max(0.0, magnitude - world.dt * m_damping * rate) * normal;
  }

  std::vector<std::shared_ptr<const MeshTree>> m_trees;
  std::map<AnchorKey, FrictionAnchor> m_anchors;
  FrictionSettings m_friction;
  double m_stiffness = 0, m_damping = 0;
  bool m_atEnd = false, m_edges = true;
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
