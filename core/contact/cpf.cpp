#include "core/contact/cpf.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "core/contact/cpf_memory.h"
#include "core/contact/pair_engine.h"
#include "core/parallel/parallel_for.h"
#include "core/record/phase_clock.h"

namespace touchstone {

namespace {

const std::vector<ParameterSpec>& specs() {
  static const std::vector<ParameterSpec> list = [] {
    std::vector<ParameterSpec> all = sharedPenaltyParameters();
    all.push_back({"normal",
                   "Normal over the step",
                   "",
                   "closed: n ≈ m / L_k, the degree-6 polynomial of the paper; quadrature: the exact unit "
                   "normal, integrated "
                   "numerically (Tang 2012, eq. 12).",
                   ParameterKind::Choice,
                   std::string("closed"),
                   0,
                   0,
                   false,
                   {"closed", "quadrature"}});
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
    return all;
  }();
  return list;
}

/// The step's pairs with the path that they are run over.
struct PairBatch {
  std::vector<FeaturePair> pairs;
  std::vector<PairInput> inputs;
  std::vector<PairResult> results;
};

constexpr double kSameInstant = 1e-9;  // of the step; entries closer than this are one event

/// An interval in which a vertex penetrates a surface. Sorted with those from memory first, then by time.
struct VertexInterval {
  int vertex, surface;
  double start, end;
  bool entered;
  int triangle, pair, interval;

  bool sameContact(const VertexInterval& o) const { return vertex == o.vertex && surface == o.surface; }
  bool covers(double time) const { return start <= time + kSameInstant && end > time + kSameInstant; }
  bool operator<(const VertexInterval& o) const {
    if (!sameContact(o)) return vertex != o.vertex ? vertex < o.vertex : surface < o.surface;
    if (entered != o.entered) return !entered;
    // Events are sorted by rounded time, so that those of one instant follow each other by triangle.
    const double time = std::floor(start / kSameInstant), otherTime = std::floor(o.start / kSameInstant);
    return time != otherTime ? time < otherTime : triangle < o.triangle;
  }
};

class Cpf : public ContactMethod {
 public:
  Cpf(const World& world, const ParameterValues& values, BackendKind backend)
      : m_scene(world.scene),
        m_trees(buildMeshTrees(world)),
        m_engine(makePairEngine(backend)),
        m_edgeFaceSums(edgeFaceSums(world)) {
    Cpf::setParameters(values);
  }

  CandidateNeeds needs(const World& world) const override {
    CandidateNeeds needs;
    needs.features = needs.vertexSurface = true;
    // The corrected path leaves the predicted one by what contact does in this step. Pairs that only it meets
    // are caught by adoption one step later; the margin catches most of them at once.
    needs.margin = 2e-3 * world.scene->size;
    return needs;
  }

  void setParameters(const ParameterValues& values) override {
    m_stiffness = numberOf(specs(), values, "stiffness");
    m_damping = numberOf(specs(), values, "damping");
    m_quadrature = choiceOf(specs(), values, "normal") == "quadrature";
    m_adoptAlways = choiceOf(specs(), values, "adopt") == "always";
    m_reseat = choiceOf(specs(), values, "sliding") == "reseat";
    m_twoSided = choiceOf(specs(), values, "sides") == "two";
    m_friction = frictionSettings(specs(), values);
  }

  void reset(const World&) override {
    m_memory.clear();
    m_first = true;
  }

  /// Pass 1: impulses from the predicted path. Its end state is discarded.
  void respond(World& world, const Candidates& candidates, StepRecord& record, PhaseClock& clock) override {
    if (m_reseat) reseat(world, m_memory);
    if (m_adoptAlways || m_first) adopt(world, m_trees, candidates, m_memory);
    m_first = false;
    PairBatch batch = prepared(world, candidates, world.vertexPredicted, world.predictedOrientation);
    m_engine->evaluate(batch.inputs, batch.results);
    dropDuplicates(*world.surface, batch);
    clock.endOf(Phase::NarrowPhase);
    std::vector<PenaltyContact> contacts = contactsOf(world, batch, record);
    clock.endOf(Phase::Assemble);
    applyAndRecord(world, m_stiffness, contacts, record);
    warnIfUnstable(world, contacts, m_stiffness, 2, record);
  }

  /// Pass 2: memory from the corrected path, so that it is a function of the true motion. A vertex can go
  /// through a face only there (struck by something else in this step); with memory of the predicted path it
  /// would never be found again.
  void settle(const World& world, const Candidates& candidates) override {
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

  std::string memory() const override {
    ByteWriter writer;
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

  void restoreMemory(const std::string& bytes) override {
    m_memory.clear();
    ByteReader reader(bytes);
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

 private:
  static std::vector<Vec3> edgeFaceSums(const World& world) {
    std::vector<Vec3> sums;
    for (const Body& body : world.scene->bodies)
      for (const TriangleMesh& mesh : body.shape->surfaces)
        for (const TriangleMesh::Edge& edge : mesh.edges)
          sums.push_back(edge.right < 0 ? mesh.normals[edge.left]
                                        : Vec3(mesh.normals[edge.left] + mesh.normals[edge.right]));
    return sums;
  }

  PairBatch prepared(const World& world, const Candidates& candidates, const std::vector<Vec3>& ends,
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

  PairInput inputOf(const World& world, const FeaturePair& pair, const std::vector<Vec3>& ends,
                    const std::vector<Quaternion>& endOrientation) const {
    const SurfaceTopology& surface = *world.surface;
    PairInput input;
    input.kind = pair.kind;
    input.stiffness = m_stiffness;
    input.dt = world.dt;
    input.quadrature = m_quadrature;
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

  /// Entries of a vertex into a surface that are none:
  /// - A vertex that hits a shared edge or corner passes the inside test of several triangles: of entries at
  ///   the same instant the lowest triangle counts.
  /// - A vertex that already penetrates the surface cannot enter it: what has sunk through a thin body and
  ///   comes back meets the far side from outside, and would be held there.
  /// Edge pairs that enter at an end point of an edge at the instant of such a vertex are that contact again.
  static void dropDuplicates(const SurfaceTopology& surface, PairBatch& batch) {
    std::vector<VertexInterval> intervals;
    for (std::size_t pair = 0; pair < batch.pairs.size(); ++pair) {
      const FeaturePair& key = batch.pairs[pair];
      if (key.kind != FeaturePairKind::VertexFace) continue;
      for (int k = 0; k < batch.results[pair].intervalCount; ++k) {
        const PenetrationInterval& each = batch.results[pair].intervals[k];
        intervals.push_back({key.a, surface.triangleSurface[key.b], each.start, each.end, each.entered, key.b,
                             static_cast<int>(pair), k});
      }
    }
    std::sort(intervals.begin(), intervals.end());
    std::vector<std::pair<int, int>> dropped;  // pair, interval
    std::vector<VertexInterval> kept;
    for (std::size_t first = 0, end; first < intervals.size(); first = end) {
      const std::size_t keptBefore = kept.size();
      for (end = first; end < intervals.size() && intervals[end].sameContact(intervals[first]); ++end) {
        const VertexInterval& each = intervals[end];
        const bool repeated =
            each.entered &&
            std::any_of(kept.begin() + static_cast<std::ptrdiff_t>(keptBefore), kept.end(),
                        [&each](const VertexInterval& other) { return other.covers(each.start); });
        if (repeated) {
          dropped.emplace_back(each.pair, each.interval);
        } else {
          kept.push_back(each);
        }
      }
    }
    addRepeatedEdges(surface, batch, kept, dropped);
    std::sort(dropped.rbegin(), dropped.rend());  // later intervals first, so that numbers stay valid
    for (const auto& [pair, interval] : dropped) dropInterval(batch.results[pair], interval);
  }

  static void addRepeatedEdges(const SurfaceTopology& surface, const PairBatch& batch,
                               const std::vector<VertexInterval>& kept,
                               std::vector<std::pair<int, int>>& dropped) {
    constexpr double kAtEnd = 1e-9;
    const auto entersAt = [&kept](int vertex, int id, double time) {
      const VertexInterval key{vertex, id, -1, 0, false, -1, -1, -1};
      for (auto at = std::lower_bound(kept.begin(), kept.end(), key);
           at != kept.end() && at->sameContact(key); ++at)
        if (at->entered && std::abs(at->start - time) <= kSameInstant) return true;
      return false;
    };
    for (std::size_t pair = 0; pair < batch.pairs.size(); ++pair) {
      const FeaturePair& key = batch.pairs[pair];
      if (key.kind != FeaturePairKind::EdgeEdge) continue;
      for (int k = 0; k < batch.results[pair].intervalCount; ++k) {
        const PenetrationInterval& each = batch.results[pair].intervals[k];
        bool repeated = false;
        for (int end = 0; end < 2 && each.entered && !repeated; ++end)
          repeated = (each.weights[end] >= 1 - kAtEnd &&
                      entersAt(surface.edges[key.a][end], surface.edgeSurface[key.b], each.start)) ||
                     (each.weights[2 + end] >= 1 - kAtEnd &&
                      entersAt(surface.edges[key.b][end], surface.edgeSurface[key.a], each.start));
        if (repeated) dropped.emplace_back(static_cast<int>(pair), k);
      }
    }
  }

  static void dropInterval(PairResult& result, int index) {
    if (result.activeAtEnd && index == result.intervalCount - 1) {
      result.activeAtEnd = false;
      result.endDepth = 0;
    }
    for (int k = index; k + 1 < result.intervalCount; ++k) result.intervals[k] = result.intervals[k + 1];
    --result.intervalCount;
  }

  std::vector<PenaltyContact> contactsOf(const World& world, const PairBatch& batch, StepRecord& record) {
    std::vector<PenaltyContact> contacts;
    std::vector<FrictionAnchor> anchors;
    int turned = 0, fellBack = 0;
    for (std::size_t pair = 0; pair < batch.pairs.size(); ++pair) {
      const PairResult& result = batch.results[pair];
      if (result.intervalCount == 0) continue;
      turned += result.turning > 2;
      fellBack += m_quadrature && result.fellBack;
      contacts.push_back(contactOf(world, batch.pairs[pair], result));
      PenaltyContact& contact = contacts.back();
      contact.fresh = result.intervals[0].entered;
      const CpfEntry* entry = contact.fresh ? nullptr : find(m_memory, contact.pair);
      anchors.push_back(entry && entry->anchored ? entry->anchor : entryAnchor(world, contact.pair, result));
    }
    addFriction(world, m_friction, anchors, contacts);
    m_newAnchors.clear();
    for (std::size_t k = 0; k < contacts.size(); ++k) m_newAnchors[contacts[k].pair] = anchors[k];
    if (turned > 0 && !m_quadrature)
      record.warnings.push_back(
          "the normals of some pairs change length more than twofold in the step: the closed form with "
          "constant L_k errs there; use a smaller step or normal = quadrature");
    if (fellBack > 0)
      record.warnings.push_back("some normals nearly vanish in the step: closed form used for them");
    return contacts;
  }

  PenaltyContact contactOf(const World& world, const FeaturePair& pair, const PairResult& result) const {
    PenaltyContact contact;
    contact.pair = pair;
    std::tie(contact.bodyA, contact.bodyB) = bodiesOf(*world.surface, pair);
    double depth = 0;
    const PenetrationInterval* heaviest = &result.intervals[0];
    for (int k = 0; k < result.intervalCount; ++k) {
      const PenetrationInterval& interval = result.intervals[k];
      const Vec3 impulse = m_quadrature ? interval.impulseExact : interval.impulseClosed;
      contact.impulse += withDamping(result.motion, interval, impulse);
      depth = std::max(depth, interval.depthMax);
      if (interval.impulseClosed.squaredNorm() > heaviest->impulseClosed.squaredNorm()) heaviest = &interval;
    }
    contact.gap = -depth;
    const double length = result.motion.m(1).norm();
    if (length > 0) contact.predictedGap = result.intervals[0].side * result.motion.gapEnd / length;
    contact.intervalStart = result.intervals[0].start;
    contact.intervalEnd = result.intervals[result.intervalCount - 1].end;
    placePoints(world, pair, heaviest->meanWeights, contact);
    return contact;
  }

  /// I_d = −c s (g(t_b) − g(t_a)) n̄ along n̄ = s m(t̄) / |m(t̄)|, clamped so that the contact never pulls.
  Vec3 withDamping(const PairMotion& motion, const PenetrationInterval& interval, const Vec3& impulse) const {
    if (m_damping == 0) return impulse;
    const Vec3 m = interval.side * motion.m(interval.meanTime);
    if (!(m.norm() > 0)) return impulse;
    const Vec3 normal = m / m.norm();
    const double change =
        depthAt(motion, interval.side, interval.end) - depthAt(motion, interval.side, interval.start);
    return impulse + std::max(m_damping * change, -impulse.dot(normal)) * normal;
  }

  /// Material points with the weights w̄ of the mean time, at the start of the step, clamped to their
  /// features.
  static void placePoints(const World& world, const FeaturePair& pair, const double mean[4],
                          PenaltyContact& contact) {
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

  static FrictionAnchor entryAnchor(const World& world, const FeaturePair& pair, const PairResult& result) {
    PenaltyContact at;
    std::tie(at.bodyA, at.bodyB) = bodiesOf(*world.surface, pair);
    placePoints(world, pair, result.intervals[0].weights, at);
    return {toLocal(world, at.bodyA, at.pointA), toLocal(world, at.bodyB, at.pointB)};
  }

  std::shared_ptr<const Scene> m_scene;  ///< holds the meshes of the trees
  std::vector<std::shared_ptr<const MeshTree>> m_trees;
  std::unique_ptr<PairEngine> m_engine;
  std::vector<Vec3> m_edgeFaceSums;  ///< [edgeCount] body frame
  CpfMemory m_memory;
  std::map<FeaturePair, FrictionAnchor> m_newAnchors;
  FrictionSettings m_friction;
  double m_stiffness = 0, m_damping = 0;
  bool m_quadrature = false, m_adoptAlways = true, m_reseat = true, m_twoSided = false, m_first = true;
};

}  // namespace

MethodInfo cpfMethod() {
  MethodInfo info;
  info.key = "cpf";
  info.name = "Continuous penalty forces";
  info.shortName = "CPF";
  info.source = "Tang et al. 2012";
  info.parameters = specs();
  info.refusal = [](const Scene&) { return std::string(); };
  info.create = [](const World& world, const ParameterValues& values, const std::string&,
                   BackendKind backend) { return std::make_unique<Cpf>(world, values, backend); };
  return info;
}

}  // namespace touchstone
