#include "core/explain/contact_explanation.h"

#include <algorithm>
#include <cmath>

#include "core/contact/complementarity/placed_contacts.h"
#include "core/contact/complementarity/problem_detail.h"
#include "core/contact/penalty/penalty_contact.h"
#include "core/contact/penalty/penalty_detail.h"
#include "core/math/count.h"
#include "core/math/not_a_number.h"

namespace touchstone {

namespace {

/// Samples of a step. A larger value costs time per contact; a smaller one makes curves and the measured
/// intervals coarse.
constexpr int kSamples = 121;

FeaturePair pairOf(const Contact& contact) {
  if (contact.kind == FeaturePairKind::EdgeEdge) return {contact.kind, contact.featureA, contact.featureB};
  return contact.vertexOnA ? FeaturePair{contact.kind, contact.featureA, contact.featureB}
                           : FeaturePair{contact.kind, contact.featureB, contact.featureA};
}

/// True if a contact belongs to a pair. The bodies of a contact ascend; those of a pair need not.
bool isContactOf(const Contact& contact, const PairDetail& detail) {
  if (contact.pieceA < 0) return detail.pieceA < 0 && detail.pair == pairOf(contact);
  const FeaturePair& pair = detail.pair;
  if (pair.kind != contact.kind) return false;
  const bool isEdges = pair.kind == FeaturePairKind::EdgeEdge;
  const auto are = [&](int pieceA, int a, int pieceB, int b, bool vertexOnA) {
    return detail.pieceA == pieceA && pair.a == a && detail.pieceB == pieceB && pair.b == b &&
           (isEdges || vertexOnA);
  };
  return are(contact.pieceA, contact.featureA, contact.pieceB, contact.featureB, contact.vertexOnA) ||
         are(contact.pieceB, contact.featureB, contact.pieceA, contact.featureA, !contact.vertexOnA);
}

Pose between(const Pose& start, const Pose& end, double t) {
  Pose pose = start;
  for (std::size_t carrier = 0; carrier < pose.position.size(); ++carrier)
    pose.position[carrier] += t * (end.position[carrier] - start.position[carrier]);
  for (std::size_t body = 0; body < pose.orientation.size(); ++body)
    pose.orientation[body] = start.orientation[body].slerp(t, end.orientation[body]);
  return pose;
}

}  // namespace

ContactExplainer::ContactExplainer(std::shared_ptr<const Scene> scene)
    : m_world(makeWorld(std::move(scene))) {}

ContactExplanation ContactExplainer::explain(const Contact& contact, const StepDetail& detail,
                                             const std::string& method, const std::string& solver) const {
  ContactExplanation explanation;
  explanation.dt = detail.dt;
  explanation.impulse = contact.normalImpulse;
  explanation.stiffness = contact.stiffness;
  for (int k = 0; k < kSamples; ++k) explanation.fraction.push_back(k / (kSamples - 1.0));
  if (contact.type == ConstraintType::Penalty) {
    explainPenalty(contact, detail, method, explanation);
  } else {
    explainGap(contact, detail, solver, explanation);
  }
  return explanation;
}

std::vector<ExplainedRow> ContactExplainer::rowsIn(const StepDetail& detail) const {
  return detail.rows ? explainedRows(m_world, *detail.rows) : std::vector<ExplainedRow>();
}

void ContactExplainer::rowsAt(const Pose& pose, const FeaturePair& pair, Vec3 rows[4]) const {
  std::vector<Vec3> positions(m_world.surface->vertexLocal.size());
  const WorldView view = viewOf(m_world);
  const auto place = [&](int vertex) {
    positions[vertex] = placedVertex(view, vertex, pose.position.data(), pose.orientation.data());
  };
  const auto placeEdge = [&](int edge) {
    for (int vertex : m_world.surface->edges[edge]) place(vertex);
  };
  if (pair.kind == FeaturePairKind::EdgeEdge) {
    placeEdge(pair.a);
    placeEdge(pair.b);
  } else {
    place(pair.a);
    if (pair.kind == FeaturePairKind::VertexFace)
      for (int vertex : m_world.surface->triangles[pair.b]) place(vertex);
  }
  rowsOf(view, pair, positions.data(), rows);
}

PairMotion ContactExplainer::motionBetween(const FeaturePair& pair, const Pose& start,
                                           const Pose& end) const {
  Vec3 x0[4], x1[4];
  rowsAt(start, pair, x0);
  rowsAt(end, pair, x1);
  if (pair.kind != FeaturePairKind::VertexPlane) return motionOf(pair.kind, x0, x1);
  const Vec3 normal = start.orientation[pair.b] * m_world.scene->bodies[pair.b].shape->planeNormal;
  return planeMotion(x0[0], x1[0], normal, normal.dot(start.position[pair.b]));
}

PairMotion ContactExplainer::takenMotion(const PairDetail& pair, const Contact& contact,
                                         const StepDetail& detail) const {
  if (pair.pieceA < 0) return motionBetween(pair.pair, detail.start, detail.end);
  const PairPath& input = pair.input;
  const bool isFirst = pair.pieceA == contact.pieceA;
  const int bodyA = isFirst ? contact.bodyA : contact.bodyB, bodyB = isFirst ? contact.bodyB : contact.bodyA;
  Vec3 ends[4];
  for (int row = 0; row < 4; ++row) {
    const bool ofFirst = row == 0 || (row == 1 && input.kind == FeaturePairKind::EdgeEdge);
    const int body = ofFirst != pair.isReversed ? bodyA : bodyB;
    const Vec3 local =
        detail.start.orientation[body].conjugate() * Vec3(input.x0[row] - detail.start.position[body]);
    ends[row] = worldPoint(detail.end.position[body], detail.end.orientation[body], local);
  }
  return motionOf(input.kind, input.x0, ends);
}

// The gap polynomial has the pair's own sign. For a closed surface it is positive outside. Edges have no
// outside: the side is that of the step's interval, or the one that gives the recorded gap.
void ContactExplainer::explainPenalty(const Contact& contact, const StepDetail& detail,
                                      const std::string& method, ContactExplanation& explanation) const {
  const PairDetail* pair = nullptr;
  for (const PairDetail& candidate : penaltyDetail(detail).pairs)
    if (isContactOf(contact, candidate)) pair = &candidate;
  if (!pair && contact.pieceA >= 0) return;
  const PairMotion predicted =
      pair ? motionOf(pair->input) : motionBetween(pairOf(contact), detail.start, detail.predicted);
  const PairMotion taken =
      pair ? takenMotion(*pair, contact, detail) : motionBetween(pairOf(contact), detail.start, detail.end);
  int side = pair && pair->pieceA >= 0 ? pair->input.side : 1;
  if (contact.pieceA < 0 && contact.kind == FeaturePairKind::EdgeEdge && predicted.gap(1) * contact.gap < 0)
    side = -1;
  if (pair && pair->result.intervalCount > 0) side = pair->result.intervals[0].side;
  for (int k = 0; pair && k < pair->result.intervalCount; ++k)
    explanation.intervals.push_back({pair->result.intervals[k].start, pair->result.intervals[k].end});
  explanation.hasPolynomial = true;
  for (int k = 0; k < 4; ++k) explanation.polynomial[k] = side * predicted.gap.c[k];
  const auto gapAt = [side](const PairMotion& motion, double t) {
    const double length = motion.kind == FeaturePairKind::VertexPlane ? 1 : motion.m(t).norm();
    return length > 0 ? side * motion.gap(t) / length : kNaN;
  };
  for (double t : explanation.fraction) {
    explanation.predicted.push_back(gapAt(predicted, t));
    explanation.taken.push_back(gapAt(taken, t));
  }
  for (const auto& [start, end] :
       explanation.intervals) {  // depth is smooth inside an interval, and zero at its entry
    // Quadrature parts per interval. A larger value costs time; a smaller one makes the impulse of the depth
    // inaccurate.
    constexpr int kParts = 16;
    const double width = (end - start) / kParts;
    for (int part = 0; part < kParts; ++part) {
      const double t = start + part * width;
      const auto depth = [&](double time) { return std::max(0.0, -gapAt(predicted, time)); };
      explanation.overStep += detail.dt * explanation.stiffness * width / 6 *
                              (depth(t) + 4 * depth(t + 0.5 * width) + depth(t + width));
    }
  }
  explainForces(contact, detail, method, explanation);
  // Without damping the closed form of an impulse and this quadrature differ slightly.
  if (pair && pair->input.damping == 0) explanation.damping = 0;
}

namespace {

/// Mean over the step of equidistant samples, by the trapezoidal rule.
double meanOf(const std::vector<double>& samples) {
  double sum = 0;
  for (std::size_t k = 0; k + 1 < samples.size(); ++k) sum += 0.5 * (samples[k] + samples[k + 1]);
  return sum / static_cast<double>(samples.size() - 1);
}

}  // namespace

// DPF's force is that of one depth during the whole step. CPF's force follows the depth while the pair is
// inside. Its damping is known only per interval and is spread over the time inside, so that the area equals
// the impulse.
void ContactExplainer::explainForces(const Contact& contact, const StepDetail& detail,
                                     const std::string& method, ContactExplanation& explanation) const {
  std::vector<double> spring, inside;
  for (std::size_t k = 0; k < explanation.fraction.size(); ++k) {
    const double t = explanation.fraction[k], depth = std::max(0.0, -explanation.predicted[k]);
    bool isInside = explanation.intervals.empty() && depth > 0;  // for methods that compute no intervals
    for (const auto& interval : explanation.intervals)
      isInside = isInside || (t >= interval[0] && t <= interval[1]);
    inside.push_back(isInside);
    spring.push_back(isInside ? explanation.stiffness * depth : 0);
  }
  explanation.atEnd = detail.dt * explanation.stiffness * std::max(0.0, -explanation.predicted.back());
  if (explanation.intervals.empty()) explanation.overStep = detail.dt * meanOf(spring);
  const double mean = contact.normalImpulse / detail.dt, share = meanOf(inside);
  const MethodInfo* info = findMethod(method);
  if (info && info->penalty && info->penalty->followsDepth) {
    explanation.undampedForce = spring;
    explanation.damping = contact.normalImpulse - explanation.overStep;
    for (std::size_t k = 0; k < spring.size(); ++k)
      explanation.force.push_back(spring[k] + (share > 0 ? inside[k] * (mean - meanOf(spring)) / share : 0));
  } else {
    explanation.undampedForce.assign(spring.size(), explanation.stiffness * std::max(0.0, -contact.gap));
    explanation.damping = contact.normalImpulse - detail.dt * explanation.undampedForce.front();
    explanation.force.assign(spring.size(), mean);
  }
}

void ContactExplainer::explainGap(const Contact& contact, const StepDetail& detail, const std::string& solver,
                                  ContactExplanation& explanation) const {
  const ProblemDetail& inside = problemDetail(detail);
  int found = -1;
  for (std::size_t index = 0; index < inside.contacts.size(); ++index) {
    const ModelContact& model = inside.contacts[index];
    const PieceContact& geometry = model.geometry;
    const bool planeFirst = model.pieceB < 0 && !geometry.vertexOnA;
    if (geometry.kind == contact.kind && model.bodyA == contact.bodyA && model.bodyB == contact.bodyB &&
        geometry.featureA == contact.featureA && geometry.featureB == contact.featureB &&
        geometry.vertexOnA == contact.vertexOnA && (planeFirst ? -1 : model.pieceA) == contact.pieceA)
      found = static_cast<int>(index);
  }
  if (found < 0) return;
  World world = m_world;
  std::fill(world.active.begin(), world.active.end(), 1);
  const auto gapAt = [&](const Pose& to, double t) {
    const Pose pose = between(detail.start, to, t);
    ModelContact moved = inside.contacts[found];
    reevaluate(world, pose, placedPieces(world, pose), moved);
    return moved.geometry.psi;
  };
  for (double t : explanation.fraction) {
    explanation.predicted.push_back(gapAt(detail.predicted, t));
    explanation.taken.push_back(gapAt(detail.end, t));
    explanation.force.push_back(contact.normalImpulse / detail.dt);
  }
  for (const IslandAnswer& answer : inside.problems) {
    const IslandProblem& island = answer.island;
    for (std::size_t k = 0; k < island.sets.size(); ++k) {
      const ModelSet& set = island.sets[k];
      if (std::find(set.contacts.begin(), set.contacts.end(), found) == set.contacts.end()) continue;
      const Eigen::VectorXd& z = answer.result.z;
      explanation.problemRows = countOf(z);
      if (set.contacts.front() != found) continue;
      SolverSettings settings = inside.solverSettings;
      settings.keepIterates = true;
      const auto engine = explanation.problemRows <= kSolvedAgainRows ? makeSolver(solver) : nullptr;
      explanation.solvedAgain = engine != nullptr;
      const SolverResult again =
          engine ? engine->solve(island.problem, answer.start, settings) : SolverResult();
      const Eigen::VectorXd w = island.problem.A * z + island.problem.b;
      explanation.iterations = countOf(again.iterates);
      const Eigen::VectorXd residuals = rowResiduals(island.problem, z, w);
      std::vector<Eigen::VectorXd> iterateResiduals;
      for (const Eigen::VectorXd& iterate : again.iterates)
        iterateResiduals.push_back(
            rowResiduals(island.problem, iterate, island.problem.A * iterate + island.problem.b));
      const int slacks = countOf(set.contacts) - 1;
      const bool disk = inside.modelSettings.friction == FrictionShape::Disk;
      const int tangents = tangentCount(inside.modelSettings);
      for (int row = 0; row < rowsOf(set, inside.modelSettings); ++row) {
        ExplanationRow explanationRow;
        const int unknown = island.first[k] + row;
        if (row == 0) {
          explanationRow.name = "p";
          explanationRow.meaning = "normal impulse; slack: speed of separation";
        } else if (row <= slacks) {
          explanationRow.name = "c" + std::to_string(row + 1);
          explanationRow.meaning = "slack of the set's contact " + std::to_string(row + 1);
        } else if (row <= slacks + tangents) {
          explanationRow.name = "beta" + std::to_string(row - slacks);
          explanationRow.meaning = std::string("friction impulse along ") + (disk ? "tangent " : "facet ") +
                                   std::to_string(row - slacks);
        } else {
          explanationRow.name = "sigma";
          explanationRow.meaning = "slip speed; slack: what the friction cone has left";
        }
        explanationRow.multiplier = z[unknown];
        explanationRow.slack = w[unknown];
        explanationRow.residual = residuals[unknown];
        for (const Eigen::VectorXd& iterateResidual : iterateResiduals)
          explanationRow.residuals.push_back(iterateResidual[unknown]);
        explanation.rows.push_back(explanationRow);
      }
    }
  }
  if (explanation.problemRows == 0) explanation.leftOutRows = inside.leftOutRows;
}

}  // namespace touchstone
