#include "core/contact/penalty_common.h"

#include "core/geometry/pair_motion.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>

namespace touchstone {

std::vector<std::shared_ptr<const MeshTree>> buildMeshTrees(const World& world) {
  std::vector<std::shared_ptr<const MeshTree>> trees;
  for (const Body& body : world.scene->bodies)
    for (const TriangleMesh& mesh : body.shape->surfaces)
      trees.push_back(std::make_shared<const MeshTree>(mesh));
  return trees;
}

Vec3 toLocal(const World& world, int body, const Vec3& point) {
  return world.orientation[body].conjugate() * Vec3(point - world.position[body]);
}

Vec3 toWorld(const World& world, int body, const Vec3& local) {
  return worldPoint(world.position[body], world.orientation[body], local);
}

bool edgesCross(const World& world, const std::vector<std::shared_ptr<const MeshTree>>& trees,
                const FeaturePair& pair, const Vec3 rows[4], const std::vector<Vec3>& position,
                const std::vector<Quaternion>& orientation, double weights[4]) {
  const SurfaceTopology& surface = *world.surface;
  const int surfaceA = surface.edgeSurface[pair.a], surfaceB = surface.edgeSurface[pair.b];
  if (!surface.surfaceClosed[surfaceA] || !surface.surfaceClosed[surfaceB]) return false;
  constexpr double kInterior = -1e-12;  // end points belong to vertex–face contacts
  if (!weightsAt(motionOf(FeaturePairKind::EdgeEdge, rows, rows), 0, weights) ||
      !areInside(pair.kind, weights, kInterior))
    return false;
  const Vec3 p = weights[0] * rows[0] + weights[1] * rows[1], q = weights[2] * rows[2] + weights[3] * rows[3];
  // Where edges of boxes cross, p lies exactly on a side face beside the other edge: only rounding would say
  // on which side. So it is moved inwards, against the normals at that edge, by a small part of the depth.
  constexpr double kNudge = 1e-3;
  const double nudge = kNudge * (p - q).norm();
  const auto isInside = [&](int id, int edgeId, const Vec3& point) {
    const int body = surface.surfaceBody[id];
    const TriangleMesh& mesh = trees[id]->mesh();
    const TriangleMesh::Edge& edge = mesh.edges[edgeId - surface.surfaceFirstEdge[id]];
    const Vec3 outward = (mesh.normals[edge.left] + mesh.normals[edge.right]).normalized();
    const Vec3 local = orientation[body].conjugate() * Vec3(point - position[body]);
    return trees[id]->closest(local - nudge * outward).inside;
  };
  return isInside(surfaceB, pair.b, p) && isInside(surfaceA, pair.a, q);
}

std::vector<ParameterSpec> sharedPenaltyParameters() {
  std::vector<ParameterSpec> specs(9);
  specs[0] = {"stiffness",
              "Stiffness k",
              "N/m",
              "Force per depth of each feature pair, F = k δ (Tang 2012, eq. 3).",
              ParameterKind::Number,
              1e4,
              1,
              1e9,
              true,
              {}};
  specs[1] = {
      "damping",
      "Damping c",
      "N·s/m",
      "Force against the gap's rate, −c dg/dt; never makes a contact pull. Not in the paper; 0 is published.",
      ParameterKind::Number,
      0.0,
      0,
      1e6,
      false,
      {}};
  specs[2] = {"friction_damping",
              "Friction damping k_FD",
              "N·s/m",
              "Damper of the sticking spring (Yamane and Nakamura 2006). Negative: min(2 √(k m), m / (2 dt)) "
              "of the contact.",
              ParameterKind::Number,
              -1.0,
              -1,
              1e6,
              false,
              {}};
  specs[3] = {"friction_weighting",
              "Friction weighting k_ω",
              "s/m",
              "Dynamic friction is weighted by ω(v) = 1 − exp(−k_ω v) (Yamane and Nakamura 2006).",
              ParameterKind::Number,
              1e3,
              1,
              1e6,
              true,
              {}};
  specs[4] = {"friction_reset",
              "Friction after a slip",
              "",
              "paper: the spring restarts from zero after each slip and averages below μ Fn; return-map: it "
              "keeps its force.",
              ParameterKind::Choice,
              std::string("paper"),
              0,
              0,
              false,
              {"paper", "return-map"}};
  specs[5] = {"friction_stiffness",
              "Friction stiffness k_FP",
              "N/m",
              "Spring between the reference points of a sticking contact (Yamane and Nakamura 2006). "
              "Negative: the stiffness k.",
              ParameterKind::Number,
              -1.0,
              -1,
              1e9,
              false,
              {}};
  specs[6] = {"normalise",
              "Divide the stiffness",
              "",
              "off: each feature pair has the stiffness k, as published, so that more pairs are stiffer; "
              "pairs: k is divided "
              "by the number of contacts between the two bodies.",
              ParameterKind::Choice,
              std::string("off"),
              0,
              0,
              false,
              {"off", "pairs"}};
  specs[7] = {"stiffness_perturbation",
              "Perturbation e of k",
              "",
              "k(τ) = k (1 + e sin ω τ) with the simulated time τ, taken at the start of each step: the "
              "particle experiment "
              "(Tang 2012, section 3.6).",
              ParameterKind::Number,
              0.0,
              0,
              1,
              false,
              {}};
  specs[8] = {"stiffness_frequency",
              "Frequency ω of k",
              "rad/s",
              "Of the perturbation; √(k/m) in the particle experiment.",
              ParameterKind::Number,
              100.0,
              0,
              1e5,
              false,
              {}};
  return specs;
}

StiffnessSettings stiffnessSettings(const std::vector<ParameterSpec>& specs, const ParameterValues& values) {
  return {numberOf(specs, values, "stiffness"), numberOf(specs, values, "stiffness_perturbation"),
          numberOf(specs, values, "stiffness_frequency")};
}

FrictionSettings frictionSettings(const std::vector<ParameterSpec>& specs, const ParameterValues& values) {
  FrictionSettings settings;
  const double own = numberOf(specs, values, "friction_stiffness");
  settings.springStiffness = own >= 0 ? own : numberOf(specs, values, "stiffness");
  settings.springDamping = numberOf(specs, values, "friction_damping");
  settings.weighting = numberOf(specs, values, "friction_weighting");
  settings.returnMap = choiceOf(specs, values, "friction_reset") == "return-map";
  return settings;
}

FrictionPair frictionOf(const Scene& scene, int bodyA, int bodyB) {
  const Material &a = scene.materials[scene.bodies[bodyA].material],
                 &b = scene.materials[scene.bodies[bodyB].material];
  return {std::sqrt(a.staticFriction * b.staticFriction), std::sqrt(a.dynamicFriction * b.dynamicFriction)};
}

Vec3 commonPoint(const World& world, const PenaltyContact& contact) {
  const double a = world.inverseMass[contact.bodyA], b = world.inverseMass[contact.bodyB];
  // Exact ends: a static body's side must not shift the point by rounding.
  if (b == 0) return contact.pointA;
  if (a == 0) return contact.pointB;
  const double share = a / (a + b);
  return share * contact.pointA + (1 - share) * contact.pointB;
}

namespace {

/// The part of one body.
double inverseMassOf(const World& world, int body, const Vec3& point, const Vec3& direction) {
  if (!isDynamic(world, body)) return 0;
  const Vec3 arm = (point - world.position[body]).cross(direction);
  return world.inverseMass[body] + arm.dot(world.inverseInertia[body] * arm);
}

Vec3 relativeVelocity(const World& world, const PenaltyContact& contact, const Vec3& point) {
  return pointVelocity(world, contact.bodyA, point) - pointVelocity(world, contact.bodyB, point);
}

}  // namespace

double effectiveInverseMass(const World& world, const PenaltyContact& contact, const Vec3& direction) {
  const Vec3 point = commonPoint(world, contact);
  return inverseMassOf(world, contact.bodyA, point, direction) +
         inverseMassOf(world, contact.bodyB, point, direction);
}

namespace {

/// @param shares  [bodyCount] contacts with friction
void addFriction(const World& world, const FrictionSettings& settings, const std::vector<int>& shares,
                 FrictionAnchor& anchor, PenaltyContact& contact) {
  const FrictionPair friction = frictionOf(*world.scene, contact.bodyA, contact.bodyB);
  const double magnitude = contact.impulse.norm();
  contact.mode = magnitude > 0 ? ContactMode::Sliding : ContactMode::Open;
  if (!(friction.staticFriction > 0) || !(magnitude > 0)) return;
  FrictionInput input;
  input.normal = contact.impulse / magnitude;
  input.normalForce = magnitude / world.dt;
  input.staticFriction = friction.staticFriction;
  input.dynamicFriction = friction.dynamicFriction;
  input.dt = world.dt;
  // Anchors of a contact that begins within the step meet then, not yet at the start of the step.
  input.anchorOffset =
      contact.fresh
          ? Vec3(Vec3::Zero())
          : Vec3(toWorld(world, contact.bodyB, anchor.onB) - toWorld(world, contact.bodyA, anchor.onA));
  const Vec3 point = commonPoint(world, contact);
  input.slipVelocity = relativeVelocity(world, contact, point);
  Vec3 direction = input.slipVelocity - input.normal.dot(input.slipVelocity) * input.normal;
  Vec3 other;
  if (direction.norm() > 0) {
    direction /= direction.norm();
  } else {
    tangentBasis(input.normal, direction, other);
  }
  input.inverseMass = shares[contact.bodyA] * inverseMassOf(world, contact.bodyA, point, direction) +
                      shares[contact.bodyB] * inverseMassOf(world, contact.bodyB, point, direction);
  const FrictionResult result = yamaneFriction(input, settings);
  contact.friction = result.impulse;
  contact.mode = result.mode;
  if (!result.resetAnchors) return;
  anchor.onA = toLocal(world, contact.bodyA, contact.pointA);
  anchor.onB = toLocal(world, contact.bodyB, contact.pointA + result.anchorOffset);
}

}  // namespace

void addFriction(const World& world, const FrictionSettings& settings, std::vector<FrictionAnchor>& anchors,
                 std::vector<PenaltyContact>& contacts) {
  std::vector<int> shares(world.position.size(), 0);
  for (const PenaltyContact& contact : contacts)
    if (frictionOf(*world.scene, contact.bodyA, contact.bodyB).staticFriction > 0) {
      ++shares[contact.bodyA];
      ++shares[contact.bodyB];
    }
  for (std::size_t k = 0; k < contacts.size(); ++k)
    addFriction(world, settings, shares, anchors[k], contacts[k]);
}

void normalisePairs(std::vector<PenaltyContact>& contacts) {
  std::map<std::pair<int, int>, int> counts;
  const auto key = [](const PenaltyContact& contact) { return std::minmax(contact.bodyA, contact.bodyB); };
  for (const PenaltyContact& contact : contacts) ++counts[key(contact)];
  for (PenaltyContact& contact : contacts) {
    contact.share = 1.0 / counts[key(contact)];
    contact.impulse *= contact.share;
    contact.friction *= contact.share;
  }
}

void applyAndRecord(World& world, double stiffness, const std::vector<PenaltyContact>& contacts,
                    StepRecord& record) {
  std::vector<double> endGap;  // to be completed by the change of velocity
  for (const PenaltyContact& contact : contacts) {
    const Vec3 normal = contact.impulse.normalized(), point = commonPoint(world, contact);
    endGap.push_back(contact.predictedGap - world.dt * normal.dot(relativeVelocity(world, contact, point)));
  }
  for (const PenaltyContact& contact : contacts) {
    const Vec3 point = commonPoint(world, contact), total = contact.impulse + contact.friction;
    applyImpulse(world, contact.bodyA, contact.ownPoints ? contact.pointA : point, total);
    applyImpulse(world, contact.bodyB, contact.ownPoints ? contact.pointB : point, -total);
  }
  double depth = 0, energy = 0;
  for (std::size_t index = 0; index < contacts.size(); ++index) {
    const PenaltyContact& contact = contacts[index];
    const Vec3 point = commonPoint(world, contact);
    depth = std::max(depth, -contact.gap);
    if (!(contact.impulse.norm() > 0)) continue;  // damping has taken all of it
    const double gap =
        endGap[index] + world.dt * contact.impulse.normalized().dot(relativeVelocity(world, contact, point));
    if (gap < 0) energy += 0.5 * contact.share * stiffness * gap * gap;

    const bool ascending = contact.bodyA < contact.bodyB;
    const double sign = ascending ? -1 : 1;  // recorded: on the body with the higher id
    Contact out;
    out.kind = contact.pair.kind;
    out.bodyA = ascending ? contact.bodyA : contact.bodyB;
    out.bodyB = ascending ? contact.bodyB : contact.bodyA;
    out.featureA = ascending ? contact.pair.a : contact.pair.b;
    out.featureB = ascending ? contact.pair.b : contact.pair.a;
    out.vertexOnA = ascending;
    out.normalImpulse = contact.impulse.norm();
    if (out.normalImpulse > 0) out.normal = sign * contact.impulse / out.normalImpulse;
    out.frictionImpulse = sign * contact.friction;
    out.pointA = out.pointB = point;
    out.gap = contact.gap;
    out.mode = contact.mode;
    out.intervalStart = contact.intervalStart;
    out.intervalEnd = contact.intervalEnd;
    record.contacts.push_back(out);
  }
  record.quantities[Quantity::MethodDepth] = depth;
  record.quantities[Quantity::EnergyElastic] = energy;
}

double stabilityNumber(const World& world, const std::vector<PenaltyContact>& contacts, double stiffness) {
  std::vector<double> sums(world.position.size(), 0);
  for (const PenaltyContact& contact : contacts) {
    const double magnitude = contact.impulse.norm();
    if (!(magnitude > 0)) continue;
    const double inverse = effectiveInverseMass(world, contact, contact.impulse / magnitude);
    for (int body : {contact.bodyA, contact.bodyB})
      if (isDynamic(world, body)) sums[body] += contact.share * inverse;
  }
  const double largest = sums.empty() ? 0 : *std::max_element(sums.begin(), sums.end());
  return world.dt * world.dt * stiffness * largest;
}

void warnIfUnstable(const World& world, const std::vector<PenaltyContact>& contacts, double stiffness,
                    double limit, StepRecord& record) {
  const double number = stabilityNumber(world, contacts, stiffness);
  if (number <= limit) return;
  char text[160];
  std::snprintf(text, sizeof text,
                "stability number up to %.2g, safe below %.2g: use a smaller step or a lower stiffness",
                number, limit);
  record.warnings.push_back(text);
}

}  // namespace touchstone
