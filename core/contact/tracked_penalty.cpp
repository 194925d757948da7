#include "core/contact/tracked_penalty.h"

#include <algorithm>
#include <cmath>

#include "core/contact/repeated_entries.h"
#include "core/contact/step_detail.h"
#include "core/parallel/parallel_for.h"
#include "core/record/phase_clock.h"

namespace touchstone {

namespace {

std::vector<Vec3> edgeFaceSums(const World& world) {
  std::vector<Vec3> sums;
  for (const Body& body : world.scene->bodies)
    for (const TriangleMesh& mesh : body.shape->surfaces)
      for (const TriangleMesh::Edge& edge : mesh.edges)
        sums.push_back(edge.right < 0 ? mesh.normals[edge.left]
                                      : Vec3(mesh.normals[edge.left] + mesh.normals[edge.right]));
  return sums;
}

/// Material points with the weights w̄ of the mean time, at the start of the step, clamped to their
/// features.
void placePoints(const World& world, const FeaturePair& pair, const double mean[4], PenaltyContact& contact) {
  Vec3 rows[4];
  rowsOf(*world.surface, pair, world.vertexStart, rows);
  const auto clamped = [](double w) { return std::min(1.0, std::max(0.0, w)); };
  contact.pointA = contact.pointB = rows[0];
  if (pair.kind == FeaturePairKind::VertexFace) {
    double w[3] = {clamped(mean[0]), clamped(mean[1]), clamped(mean[2])};
    const double sum = w[0] + w[1] + w[2];
    contact.pointB = (w[0] * rows[1] + w[1] * rows[2] + w[2] * rows[3]) / sum;
  } else if (pair.kind == FeaturePairKind::EdgeEdge) {
    const double a = clamped(mean[1]), b = clamped(mean[3]);
    contact.pointA = (1 - a) * rows[0] + a * rows[1];
    contact.pointB = (1 - b) * rows[2] + b * rows[3];
  } else {
    const Vec3 normal = world.orientation[pair.b] * world.scene->bodies[pair.b].shape->planeNormal;
    contact.pointB = rows[0] - normal.dot(rows[0] - world.position[pair.b]) * normal;
  }
}

FrictionAnchor entryAnchor(const World& world, const FeaturePair& pair, const PairResult& result) {
  PenaltyContact at;
  std::tie(at.bodyA, at.bodyB) = bodiesOf(*world.surface, pair);
  placePoints(world, pair, result.intervals[0].weights, at);
  return {toLocal(world, at.bodyA, at.pointA), toLocal(world, at.bodyB, at.pointB)};
}

}  // namespace

Vec3 withDamping(const PairMotion& motion, const PenetrationInterval& interval, double damping,
                 const Vec3& impulse) {
  if (damping == 0) return impulse;
  const Vec3 m = interval.side * motion.m(interval.meanTime);
  if (!(m.norm() > 0)) return impulse;
  const Vec3 normal = m / m.norm();
  const double change =
      depthAt(motion, interval.side, interval.end) - depthAt(motion, interval.side, interval.start);
  return impulse + std::max(damping * change, -impulse.dot(normal)) * normal;
}

std::vector<ParameterSpec> TrackedPenalty::trackedParameters() {
  std::vector<ParameterSpec> all = sharedPenaltyParameters();
  all.push_back({"adopt",
                 "Adopt untracked penetration",
                 "",
                 "always: vertices found inside a body without a tracked pair get one, each step; load: "
                 "only at the start.",
                 ParameterKind::Choice,
                 std::string("always"),
                 0,
                 0,
                 false,
                 {"always", "load"}});
  all.push_back({"sliding",
                 "Sliding off a triangle",
                 "",
                 "reseat: the pair moves on to the neighbouring triangle or is dropped; sticky: it is kept "
                 "until its depth is "
                 "zero, as published, and can act as a ghost wall.",
                 ParameterKind::Choice,
                 std::string("reseat"),
                 0,
                 0,
                 false,
                 {"reseat", "sticky"}});
  all.push_back(
      {"sides",
       "Sides of closed meshes",
       "",
       "auto: contacts with a closed mesh begin only from outside; two: from both sides, as published.",
       ParameterKind::Choice,
       std::string("auto"),
       0,
       0,
       false,
       {"auto", "two"}});
  all.push_back(
      {"point",
       "Where the impulse acts",
       "",
       "current: one common point of both bodies at the mean time of the contact, which keeps the angular "
       "momentum "
       "to rounding; entry: at the weights of the entry, on each body its own (Tang 2012, eqs. 13 and 17), "
       "which leaves a couple (p − q) × I while the pair slides.",
       ParameterKind::Choice,
       std::string("current"),
       0,
       0,
       false,
       {"current", "entry"}});
  return all;
}

TrackedPenalty::TrackedPenalty(const World& world, BackendKind backend)
    : m_scene(world.scene),
      m_trees(buildMeshTrees(world)),
      m_engine(makePairEngine(backend)),
      m_edgeFaceSums(edgeFaceSums(world)) {}

CandidateNeeds TrackedPenalty::needs(const World& world) const {
  CandidateNeeds needs;
  needs.features = needs.vertexSurface = true;
  // The corrected path leaves the predicted one by what contact does in this step. Pairs that only it meets
  // are caught by adoption one step later; the margin catches most of them at once.
  needs.margin = 2e-3 * world.scene->size;
  return needs;
}

void TrackedPenalty::setParameters(const ParameterValues& values) {
  m_stiffnessOverTime = stiffnessSettings(specs(), values);
  m_damping = numberOf(specs(), values, "damping");
  m_adoptAlways = choiceOf(specs(), values, "adopt") == "always";
  m_reseat = choiceOf(specs(), values, "sliding") == "reseat";
  m_twoSided = choiceOf(specs(), values, "sides") == "two";
  m_entryPoint = choiceOf(specs(), values, "point") == "entry";
  m_normalise = choiceOf(specs(), values, "normalise") == "pairs";
  m_friction = frictionSettings(specs(), values);
}

void TrackedPenalty::reset(const World&) {
  m_memory.clear();
  m_first = true;
}

/// Pass 1: impulses from the predicted path. Its end state is discarded.
void TrackedPenalty::respond(World& world, const Candidates& candidates, StepRecord& record,
                             PhaseClock& clock) {
  m_stiffness = m_stiffnessOverTime.at(world.time);
  if (m_reseat) reseat(world, m_memory);
  if (m_adoptAlways || m_first) adopt(world, m_trees, candidates, m_memory);
  m_first = false;
  PairBatch batch = prepared(world, candidates, world.vertexPredicted, world.predictedOrientation);
  m_engine->evaluate(batch.inputs, batch.results);
  dropDuplicates(*world.surface, batch);
  if (m_detail)
    for (std::size_t pair = 0; pair < batch.pairs.size(); ++pair)
      m_detail->pairs.push_back({batch.pairs[pair], batch.inputs[pair], batch.results[pair]});
  clock.endOf(Phase::NarrowPhase);
  std::vector<PenaltyContact> contacts = contactsOf(world, batch, record);
  clock.endOf(Phase::Assemble);
  if (m_normalise) normalisePairs(contacts);
  applyAndRecord(world, m_stiffness, contacts, record);
  warnIfUnstable(world, contacts, m_stiffness, stabilityLimit(), record);
}

/// Pass 2: memory from the corrected path, so that it is a function of the true motion. A vertex can go
/// through a face only there (struck by something else in this step); with memory of the predicted path it
/// would never be found again.
void TrackedPenalty::settle(const World& world, const Candidates& candidates) {
  const SurfaceTopology& surface = *world.surface;
  std::vector<Vec3> corrected(surface.vertexLocal.size());
  parallelFor(static_cast<int>(corrected.size()), [&](int vertex) {
    const int body = surface.vertexBody[vertex];
    corrected[vertex] =
        worldPoint(world.position[body], world.orientation[body], surface.vertexLocal[vertex]);
  });
  PairBatch batch = prepared(world, candidates, corrected, world.orientation);
  m_engine->evaluate(batch.inputs, batch.results);
  dropDuplicates(surface, batch);
  CpfMemory memory;
  for (std::size_t pair = 0; pair < batch.pairs.size(); ++pair) {
    const PairResult& result = batch.results[pair];
    if (!result.activeAtEnd) continue;
    CpfEntry entry;
    if (const CpfEntry* kept = find(m_memory, batch.pairs[pair])) entry = *kept;
    entry.pair = batch.pairs[pair];
    entry.side = result.endSide;
    std::copy(result.endWeights, result.endWeights + 4, entry.weights);
    const auto anchor = m_newAnchors.find(entry.pair);
    if (anchor != m_newAnchors.end()) {
      entry.anchor = anchor->second;
      entry.anchored = true;
    }
    memory.push_back(entry);
  }
  m_memory = std::move(memory);
}

std::string TrackedPenalty::memory() const {
  MemoryWriter writer;
  writer.put(static_cast<int>(m_first));
  for (const CpfEntry& entry : m_memory) {
    writer.put(entry.pair);
    writer.put(entry.side);
    for (double weight : entry.weights) writer.put(weight);
    writer.put(entry.anchor);
    writer.put(static_cast<int>(entry.anchored));
  }
  return writer.take();
}

void TrackedPenalty::restoreMemory(const std::string& bytes) {
  m_memory.clear();
  MemoryReader reader(bytes);
  int flag = 1;
  if (!reader.atEnd()) reader.get(flag);
  m_first = flag != 0;
  while (!reader.atEnd()) {
    CpfEntry entry;
    reader.get(entry.pair);
    reader.get(entry.side);
    for (double& weight : entry.weights) reader.get(weight);
    reader.get(entry.anchor);
    reader.get(flag);
    entry.anchored = flag != 0;
    m_memory.push_back(entry);
  }
}

PairBatch TrackedPenalty::prepared(const World& world, const Candidates& candidates,
                                   const std::vector<Vec3>& ends,
                                   const std::vector<Quaternion>& endOrientation) const {
  PairBatch batch;
  batch.pairs = candidates.features;
  for (const CpfEntry& entry : m_memory) batch.pairs.push_back(entry.pair);
  std::sort(batch.pairs.begin(), batch.pairs.end());
  batch.pairs.erase(std::unique(batch.pairs.begin(), batch.pairs.end()), batch.pairs.end());
  batch.inputs.resize(batch.pairs.size());
  parallelFor(static_cast<int>(batch.pairs.size()), [&](int pair) {
    batch.inputs[pair] = inputOf(world, batch.pairs[pair], ends, endOrientation);
  });
  return batch;
}

PairInput TrackedPenalty::inputOf(const World& world, const FeaturePair& pair, const std::vector<Vec3>& ends,
                                  const std::vector<Quaternion>& endOrientation) const {
  const SurfaceTopology& surface = *world.surface;
  PairInput input;
  input.kind = pair.kind;
  input.stiffness = m_stiffness;
  input.dt = world.dt;
  input.quadrature = wantsQuadrature();
  rowsOf(surface, pair, world.vertexStart, input.x0);
  rowsOf(surface, pair, ends, input.x1);
  if (pair.kind == FeaturePairKind::VertexPlane) {
    input.planeNormal = world.orientation[pair.b] * world.scene->bodies[pair.b].shape->planeNormal;
    input.planeOffset = input.planeNormal.dot(world.position[pair.b]);
  } else if (pair.kind == FeaturePairKind::VertexFace) {
    input.oneSided = !m_twoSided && surface.surfaceClosed[surface.triangleSurface[pair.b]];
  } else {
    input.oneSided = false;
    input.testFaces = !m_twoSided && surface.surfaceClosed[surface.edgeSurface[pair.a]] &&
                      surface.surfaceClosed[surface.edgeSurface[pair.b]];
    // The normals at the root lie between those at both ends; their sum keeps the sign that the test asks
    // for.
    const int bodyA = surface.edgeBody[pair.a], bodyB = surface.edgeBody[pair.b];
    input.faceSumA =
        world.orientation[bodyA] * m_edgeFaceSums[pair.a] + endOrientation[bodyA] * m_edgeFaceSums[pair.a];
    input.faceSumB =
        world.orientation[bodyB] * m_edgeFaceSums[pair.b] + endOrientation[bodyB] * m_edgeFaceSums[pair.b];
  }
  if (const CpfEntry* entry = find(m_memory, pair)) {
    input.tracked = true;
    input.side = entry->side;
    std::copy(entry->weights, entry->weights + 4, input.weights);
  }
  return input;
}

std::vector<PenaltyContact> TrackedPenalty::contactsOf(const World& world, const PairBatch& batch,
                                                       StepRecord& record) {
  std::vector<PenaltyContact> contacts;
  std::vector<FrictionAnchor> anchors;
  int turned = 0, fellBack = 0;
  for (std::size_t pair = 0; pair < batch.pairs.size(); ++pair) {
    const PairResult& result = batch.results[pair];
    PairAction action;
    if (result.intervalCount == 0 || !actionOf(batch.inputs[pair], result, action)) continue;
    turned += result.turning > 2;
    fellBack += wantsQuadrature() && result.fellBack;
    contacts.push_back(contactOf(world, batch.pairs[pair], result, action));
    PenaltyContact& contact = contacts.back();
    contact.fresh = result.intervals[0].entered;
    const CpfEntry* entry = contact.fresh ? nullptr : find(m_memory, contact.pair);
    anchors.push_back(entry && entry->anchored ? entry->anchor : entryAnchor(world, contact.pair, result));
  }
  addFriction(world, m_friction, anchors, contacts);
  m_newAnchors.clear();
  for (std::size_t k = 0; k < contacts.size(); ++k) m_newAnchors[contacts[k].pair] = anchors[k];
  if (turned > 0 && !wantsQuadrature())
    record.warnings.push_back(
        "the normals of some pairs change length more than twofold in the step: the closed form with "
        "constant L_k errs "
        "there; use a smaller step or normal = quadrature");
  if (fellBack > 0)
    record.warnings.push_back("some normals nearly vanish in the step: closed form used for them");
  return contacts;
}

PenaltyContact TrackedPenalty::contactOf(const World& world, const FeaturePair& pair,
                                         const PairResult& result, const PairAction& action) const {
  PenaltyContact contact;
  contact.pair = pair;
  std::tie(contact.bodyA, contact.bodyB) = bodiesOf(*world.surface, pair);
  contact.impulse = action.impulse;
  contact.gap = -action.depth;
  const double length = result.motion.m(1).norm();
  if (length > 0) contact.predictedGap = result.intervals[0].side * result.motion.gapEnd / length;
  contact.intervalStart = result.intervals[0].start;
  contact.intervalEnd = result.intervals[result.intervalCount - 1].end;
  // The published point is that of the entry, on either body its own: the pair then exerts a couple (p − q) ×
  // I.
  contact.ownPoints = m_entryPoint;
  placePoints(world, pair, m_entryPoint ? result.intervals[0].weights : action.weights, contact);
  return contact;
}

}  // namespace touchstone
