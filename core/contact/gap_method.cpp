#include "core/contact/gap_method.h"

#include <algorithm>
#include <cmath>

#include "core/contact/penalty_common.h"
#include "core/parallel/parallel_for.h"
#include "core/record/phase_clock.h"

namespace touchstone {

namespace {

const Polytope& pieceOf(const World& world, int piece) {
  return world.scene->bodies[world.pieces->body[piece]].shape->pieces[world.pieces->index[piece]];
}

/// All active pieces at a pose of the bodies; empty for pieces of bodies that take no part.
std::vector<PlacedPolytope> placedPieces(const World& world, const std::vector<Vec3>& position,
                                         const std::vector<Quaternion>& orientation) {
  std::vector<PlacedPolytope> pieces(world.pieces->body.size());
  parallelFor(static_cast<int>(pieces.size()), [&](int piece) {
    const int body = world.pieces->body[piece];
    if (world.active[body]) pieces[piece] = placed(pieceOf(world, piece), position[body], orientation[body]);
  });
  return pieces;
}

bool deeperInside(const PlacedPolytope& piece, const Vec3& point, double skin) {
  for (std::size_t face = 0; face < piece.normals.size(); ++face)
    if (piece.normals[face].dot(point) - piece.offsets[face] >= -skin) return false;
  return true;
}

Vec3 planeNormal(const World& world, int plane) {
  return world.orientation[plane] * world.scene->bodies[plane].shape->planeNormal;
}

PieceContact planeContact(const Vec3& vertex, int index, const Vec3& normal, const Vec3& origin) {
  PieceContact contact;
  contact.kind = FeaturePairKind::VertexPlane;
  contact.featureA = index;
  contact.featureB = 0;
  contact.psi = normal.dot(vertex - origin);
  contact.normal = -normal;
  contact.pointA = vertex;
  contact.pointB = vertex - contact.psi * normal;
  contact.applicability = 1;
  return contact;
}

/// The same contact with A and B exchanged.
PieceContact flipped(PieceContact contact) {
  std::swap(contact.pointA, contact.pointB);
  std::swap(contact.featureA, contact.featureB);
  contact.normal = -contact.normal;
  contact.vertexOnA = !contact.vertexOnA;
  return contact;
}

/// The solver's relative tolerance on the equilibrated residual as a bound on the natural residual [m/s].
double toleranceOf(const ComplementarityProblem& problem, double tolerance) {
  double offset = 0, largest = 0;
  for (int row = 0; row < problem.b.size(); ++row) {
    const double diagonal = problem.A(row, row), s = diagonal > 0 ? std::sqrt(diagonal) : 1;
    offset = std::max(offset, std::abs(problem.b[row] / s));
    largest = std::max(largest, s);
  }
  return tolerance * (1 + offset) * largest;
}

}  // namespace

GapMethod::GapMethod(const World&, const std::string& solver)
    : m_solverKey(solver), m_solver(makeSolver(solver)) {}

std::vector<ParameterSpec> GapMethod::sharedParameters() {
  std::vector<ParameterSpec> specs(7);
  specs[0] = {"eps_theta",
              "Applicability ε_θ",
              "",
              "A contact takes part if its applicability (a sine) is ≥ −ε_θ; 2 switches the test off "
              "(Williams 2017).",
              ParameterKind::Number,
              0.4,
              0,
              2,
              false,
              {}};
  specs[1] = {"margin",
              "Margin of ε",
              "m",
              "Features closer than ε = dt (|v_rel| + |ω|R) + 2 g dt² + margin take part. Too small misses "
              "contacts in fast "
              "motion; beyond a third of the shortest edge a vertex lies in several corner sets at once.",
              ParameterKind::Number,
              5e-3,
              0,
              1,
              false,
              {}};
  specs[2] = {"stabilisation",
              "Stabilisation β",
              "",
              "Share of a negative gap that one step undoes; 1 is published.",
              ParameterKind::Number,
              1.0,
              0,
              1,
              false,
              {}};
  specs[3] = {"correction_cap",
              "Cap on correction",
              "m/s",
              "Largest speed that undoes a negative gap; 0: none (published).",
              ParameterKind::Number,
              0.0,
              0,
              100,
              false,
              {}};
  specs[4] = {"friction_facets",
              "Friction facets",
              "",
              "Edges of the pyramid that replaces the friction cone (Stewart and Trinkle 1996), even.",
              ParameterKind::Integer,
              4.0,
              4,
              32,
              false,
              {}};
  specs[5] = {"tolerance",
              "Solver tolerance",
              "",
              "On the equilibrated natural residual, relative to 1 + max|b|.",
              ParameterKind::Number,
              1e-10,
              1e-15,
              1e-2,
              true,
              {}};
  specs[6] = {"max_iterations",
              "Solver iterations",
              "",
              "At most; Lemke pivots at most 50 times the size.",
              ParameterKind::Integer,
              100.0,
              1,
              10000,
              true,
              {}};
  return specs;
}

std::string GapMethod::refusal(const Scene& scene) {
  for (std::size_t body = 0; body < scene.bodies.size(); ++body) {
    const Shape& shape = *scene.bodies[body].shape;
    if (shape.kind != Shape::Kind::Plane && shape.pieces.empty())
      return "bodies[" + std::to_string(body) + "] '" + scene.bodies[body].name +
             "' has no convex pieces; give it pieces in the scene file, or choose dpf or cpf";
  }
  return {};
}

void GapMethod::setParameters(const ParameterValues& values) {
  m_constraints.epsilonTheta = numberOf(specs(), values, "eps_theta");
  m_margin = numberOf(specs(), values, "margin");
  m_stabilisation = numberOf(specs(), values, "stabilisation");
  m_correctionCap = numberOf(specs(), values, "correction_cap");
  m_modelSettings.facets = 2 * (static_cast<int>(numberOf(specs(), values, "friction_facets")) / 2);
  m_solverSettings.tolerance = numberOf(specs(), values, "tolerance");
  m_solverSettings.maxIterations = static_cast<int>(numberOf(specs(), values, "max_iterations"));
}

void GapMethod::reset(const World&) { m_warm.clear(); }

/// ε = h (|v_rel| + |ω_A| R_A + |ω_B| R_B) + 2 g h² + margin (the paper only says that it is small), at most
/// the radius of the smaller body: after a failed step a body may be so fast that every feature would be near
/// every other.
double GapMethod::epsilonOf(const World& world, int bodyA, int bodyB) const {
  const auto radius = [&world](int body) { return world.scene->bodies[body].shape->radius; };
  const double speed = (world.nextLinearVelocity[bodyA] - world.nextLinearVelocity[bodyB]).norm() +
                       world.nextAngularVelocity[bodyA].norm() * radius(bodyA) +
                       world.nextAngularVelocity[bodyB].norm() * radius(bodyB);
  double smaller = 1e300;
  for (int body : {bodyA, bodyB})
    if (isDynamic(world, body)) smaller = std::min(smaller, radius(body));
  const double epsilon = world.dt * speed + 2 * world.scene->gravity.norm() * world.dt * world.dt + m_margin;
  return std::min(epsilon, std::max(m_margin, smaller));
}

CandidateNeeds GapMethod::needs(const World& world) const {
  CandidateNeeds needs;
  needs.pieces = true;
  double largest = m_margin;
  for (std::size_t body = 0; body < world.position.size(); ++body)
    if (isDynamic(world, static_cast<int>(body)))
      largest = std::max(largest, epsilonOf(world, static_cast<int>(body), static_cast<int>(body)) +
                                      world.dt * world.nextLinearVelocity[body].norm());
  needs.margin = 2 * largest;
  return needs;
}

double GapMethod::rateOf(double psi, double dt) const {
  if (psi >= 0) return psi / dt;
  const double rate = m_stabilisation * psi / dt;
  return m_correctionCap > 0 ? std::max(rate, -m_correctionCap) : rate;
}

void GapMethod::addContact(const World& world, const PieceContact& geometry, int bodyA, int bodyB, int pieceA,
                           int pieceB, bool flip, Step& step) const {
  ModelContact contact;
  contact.geometry = flip ? flipped(geometry) : geometry;
  contact.bodyA = flip ? bodyB : bodyA;
  contact.bodyB = flip ? bodyA : bodyB;
  contact.pieceA = pieceA;
  contact.pieceB = pieceB;
  contact.jacobian = pairJacobian(contact.bodyA, contact.bodyB, contact.geometry.normal,
                                  contact.geometry.pointA - world.position[contact.bodyA],
                                  contact.geometry.pointB - world.position[contact.bodyB]);
  contact.rate = rateOf(geometry.psi, world.dt);
  step.contacts.push_back(contact);
}

void GapMethod::addPiecePair(const World& world, const PiecePair& pair,
                             const std::vector<PlacedPolytope>& placed, Step& step) const {
  const int bodyA = world.pieces->body[pair.pieceA], bodyB = world.pieces->body[pair.pieceB];
  ConstraintSettings settings = m_constraints;
  settings.epsilon = epsilonOf(world, bodyA, bodyB);
  // Deeper than ε: in an inner corner of two pieces a vertex that has crossed both faces by less has its feet
  // inside the respective other piece, and both faces must still hold it.
  const Buried buried = [&](bool onA, const Vec3& point) {
    const int own = onA ? pair.pieceA : pair.pieceB, body = world.pieces->body[own];
    if (world.scene->bodies[body].shape->pieces.size() == 1) return false;
    for (std::size_t piece = 0; piece < placed.size(); ++piece)
      if (static_cast<int>(piece) != own && world.pieces->body[piece] == body &&
          deeperInside(placed[piece], point, settings.epsilon))
        return true;
    return false;
  };
  const PairConstraints found = findConstraints(placed[pair.pieceA], placed[pair.pieceB], settings, buried);
  const int first = static_cast<int>(step.contacts.size());
  for (const PieceContact& contact : found.contacts)
    addContact(world, contact, bodyA, bodyB, pair.pieceA, pair.pieceB, false, step);
  toSets(found, first, frictionOf(*world.scene, bodyA, bodyB).dynamicFriction, step.sets);
}

/// Every vertex of the piece within ε of the plane, as U.
void GapMethod::addPlanePair(const World& world, const PiecePair& pair,
                             const std::vector<PlacedPolytope>& placed, Step& step) const {
  const int body = world.pieces->body[pair.pieceA], plane = pair.planeBody;
  const Vec3 normal = planeNormal(world, plane);
  const double epsilon = epsilonOf(world, body, plane),
               friction = frictionOf(*world.scene, body, plane).dynamicFriction;
  for (std::size_t vertex = 0; vertex < placed[pair.pieceA].vertices.size(); ++vertex) {
    const PieceContact contact = planeContact(placed[pair.pieceA].vertices[vertex], static_cast<int>(vertex),
                                              normal, world.position[plane]);
    if (contact.psi > epsilon) continue;
    addContact(world, contact, body, plane, pair.pieceA, -1, body > plane, step);
    step.sets.push_back({ConstraintType::U, {static_cast<int>(step.contacts.size()) - 1}, friction});
  }
}

GapMethod::Step GapMethod::find(const World& world, const Candidates& candidates) const {
  const std::vector<PlacedPolytope> placed = placedPieces(world, world.position, world.orientation);
  // Pairs are independent: found concurrently, joined in their own order.
  std::vector<Step> parts(candidates.pieces.size());
  parallelFor(static_cast<int>(parts.size()), [&](int index) {
    const PiecePair& pair = candidates.pieces[index];
    if (pair.planeBody >= 0) {
      addPlanePair(world, pair, placed, parts[index]);
    } else {
      addPiecePair(world, pair, placed, parts[index]);
    }
  });
  Step step;
  for (const Step& part : parts) {
    const int offset = static_cast<int>(step.contacts.size());
    step.contacts.insert(step.contacts.end(), part.contacts.begin(), part.contacts.end());
    for (ModelSet set : part.sets) {
      for (int& contact : set.contacts) contact += offset;
      step.sets.push_back(set);
    }
  }
  for (std::size_t body = 0; body < world.position.size(); ++body) {
    Vec6 velocity;
    velocity << world.nextLinearVelocity[body], world.nextAngularVelocity[body];
    step.free.push_back(velocity);
  }
  return step;
}

GapMethod::SetKey GapMethod::keyOf(const Step& step, const ModelSet& set) {
  const ModelContact& primary = step.contacts[set.contacts.front()];
  return {primary.pieceA,
          primary.pieceB < 0 ? -1 - primary.bodyB : primary.pieceB,
          static_cast<int>(primary.geometry.kind),
          primary.geometry.featureA,
          primary.geometry.featureB,
          100 * static_cast<int>(set.type) + static_cast<int>(set.contacts.size())};
}

Eigen::VectorXd GapMethod::warmStart(const Step& step, const std::vector<ModelSet>& sets,
                                     const IslandProblem& island) const {
  Eigen::VectorXd start = Eigen::VectorXd::Zero(island.problem.b.size());
  for (std::size_t k = 0; k < island.sets.size(); ++k) {
    const ModelSet& set = sets[island.sets[k]];
    const auto kept = m_warm.find(keyOf(step, set));
    const int rows = rowsOf(set, m_modelSettings);
    if (kept != m_warm.end() && kept->second.size() == rows)
      start.segment(island.first[k], rows) = kept->second;
  }
  return start;
}

void GapMethod::remember(const Step& step, const std::vector<Answer>& answers) {
  m_warm.clear();
  for (const Answer& answer : answers)
    for (std::size_t k = 0; k < answer.island.sets.size(); ++k) {
      const ModelSet& set = answer.sets[answer.island.sets[k]];
      m_warm[keyOf(step, set)] =
          answer.result.z.segment(answer.island.first[k], rowsOf(set, m_modelSettings));
    }
}

GapMethod::Answer GapMethod::solveSets(const World& world, const Step& step, std::vector<ModelSet> sets,
                                       const std::vector<int>& island) const {
  Answer answer;
  answer.island = assemble(world, step.contacts, sets, island, step.free, m_modelSettings);
  answer.result =
      m_solver->solve(answer.island.problem, warmStart(step, sets, answer.island), m_solverSettings);
  answer.sets = std::move(sets);
  return answer;
}

void GapMethod::useCompromise(Answer& answer) const {
  // 0.1 % of each row's own response: soft enough to stay finite where rows contradict each other, hard
  // enough that rows which do not are met to 0.1 %.
  constexpr double kSoftness = 1e-3;
  ComplementarityProblem soft = answer.island.problem;
  soft.A.diagonal() += kSoftness * soft.A.diagonal().cwiseMax(0);
  const SolverResult result = makeSolver("auto")->solve(soft, answer.result.z, m_solverSettings);
  if (result.status != SolveStatus::Solved) return;
  answer.result.z = result.z;
  answer.result.residual = naturalResidual(answer.island.problem, result.z);
}

Velocities GapMethod::velocitiesAfter(const World& world, const Step& step,
                                      const std::vector<Answer>& answers) const {
  Velocities velocities = step.free;
  for (const Answer& answer : answers)
    addImpulses(world, answer.island, answer.result.z.cwiseMax(0), velocities);
  return velocities;
}

std::vector<PieceContact> GapMethod::movedGeometry(const World& world, const Step& step,
                                                   const Velocities& velocities,
                                                   std::vector<Vec3>* positions) const {
  std::vector<Vec3> position = world.position;
  std::vector<Quaternion> orientation = world.orientation;
  for (std::size_t body = 0; body < position.size(); ++body) {
    if (!isDynamic(world, static_cast<int>(body))) continue;
    position[body] += world.dt * Vec3(velocities[body].head<3>());
    orientation[body] = rotated(orientation[body], velocities[body].tail<3>(), world.dt);
  }
  const std::vector<PlacedPolytope> placed = placedPieces(world, position, orientation);
  std::vector<PieceContact> moved;
  for (const ModelContact& contact : step.contacts) {
    PieceContact geometry = contact.geometry;
    if (geometry.kind == FeaturePairKind::VertexPlane) {
      const int body = world.pieces->body[contact.pieceA];
      const bool flip = contact.bodyA != body;
      const int plane = flip ? contact.bodyA : contact.bodyB,
                vertex = flip ? geometry.featureB : geometry.featureA;
      geometry = planeContact(placed[contact.pieceA].vertices[vertex], vertex, planeNormal(world, plane),
                              position[plane]);
      if (flip) geometry = flipped(geometry);
    } else {
      reevaluate(placed[contact.pieceA], placed[contact.pieceB], geometry);
    }
    moved.push_back(geometry);
  }
  if (positions) *positions = std::move(position);
  return moved;
}

void GapMethod::respond(World& world, const Candidates& candidates, StepRecord& record, PhaseClock& clock) {
  Step step = find(world, candidates);
  clock.endOf(Phase::NarrowPhase);
  const std::vector<std::vector<int>> islands = islandsOf(world, step.contacts, step.sets);
  clock.endOf(Phase::Assemble);
  std::vector<Answer> answers;
  for (const std::vector<int>& island : islands) answers.push_back(solveIsland(world, step, island, record));
  refine(world, step, answers, record);
  const Velocities velocities = velocitiesAfter(world, step, answers);
  for (std::size_t body = 0; body < velocities.size(); ++body) {
    if (!isDynamic(world, static_cast<int>(body))) continue;
    world.nextLinearVelocity[body] = velocities[body].head<3>();
    world.nextAngularVelocity[body] = velocities[body].tail<3>();
  }
  remember(step, answers);
  clock.endOf(Phase::Solve);
  writeRecord(world, step, answers, record);
  clock.endOf(Phase::Assemble);
}

void GapMethod::writeRecord(const World& world, const Step& step, const std::vector<Answer>& answers,
                            StepRecord& record) const {
  const std::vector<PieceContact> ends = movedGeometry(world, step, velocitiesAfter(world, step, answers));
  double residual = 0, depth = 0;
  int setNumber = 0, traps = 0, counts[4] = {0, 0, 0, 0};
  std::size_t largest = 0;
  record.deliveredBy = answers.empty() ? "" : m_solverKey;
  for (const ModelContact& contact : step.contacts) depth = std::max(depth, -contact.geometry.psi);
  for (const Answer& answer : answers) {
    residual = std::max(residual, answer.result.residual);
    if (answer.island.problem.b.size() > static_cast<Eigen::Index>(largest)) {
      largest = static_cast<std::size_t>(answer.island.problem.b.size());
      record.iterations = answer.result.iterations;
      record.deliveredBy = answer.result.deliveredBy;
      record.solverTolerance = toleranceOf(answer.island.problem, m_solverSettings.tolerance);
    }
    for (std::size_t k = 0; k < answer.island.sets.size(); ++k) {
      const ModelSet& set = answer.sets[answer.island.sets[k]];
      ++counts[static_cast<int>(set.type)];
      // A set whose end state is free though one of its rows is violated: the standard model would have
      // forbidden it (Williams 2017), judged on the true geometry at the end of the step.
      constexpr double kFree = -1e-6;  // m
      double most = -1e300, least = 1e300;
      for (int contact : set.contacts) {
        most = std::max(most, ends[contact].psi);
        least = std::min(least, ends[contact].psi);
      }
      const bool trap = set.contacts.size() > 1 && most >= kFree && least < kFree;
      traps += trap;
      for (std::size_t place = 0; place < set.contacts.size(); ++place) {
        const ModelContact& model = step.contacts[set.contacts[place]];
        const int p = answer.island.first[k];
        Contact contact;
        contact.kind = model.geometry.kind;
        contact.bodyA = model.bodyA;
        contact.bodyB = model.bodyB;
        contact.featureA = model.geometry.featureA;
        contact.featureB = model.geometry.featureB;
        contact.pointA = model.geometry.pointA;
        contact.pointB = model.geometry.pointB;
        contact.normal = model.geometry.normal;
        contact.gap = model.geometry.psi;
        contact.type = set.type;
        contact.set = setNumber;
        contact.primary = place == 0;
        contact.trap = trap;
        if (place == 0) {
          contact.normalImpulse = std::max(0.0, answer.result.z[p]);
          contact.mode = contact.normalImpulse > 0 ? ContactMode::Sliding : ContactMode::Open;
          if (set.friction > 0) {
            const int beta = p + static_cast<int>(set.contacts.size());
            const std::vector<Vec3> directions =
                frictionDirections(model.geometry.normal, m_modelSettings.facets);
            for (std::size_t d = 0; d < directions.size(); ++d)
              contact.frictionImpulse +=
                  std::max(0.0, answer.result.z[beta + static_cast<int>(d)]) * directions[d];
            const double slip =
                answer.result.z[beta + m_modelSettings.facets];  // σ: the slip speed where it is positive
            if (contact.normalImpulse > 0 && slip <= 1e-9) contact.mode = ContactMode::Sticking;
          }
        }
        record.contacts.push_back(contact);
      }
      ++setNumber;
    }
  }
  record.quantities[Quantity::Residual] = residual;
  record.quantities[Quantity::MethodDepth] = depth;
  record.quantities[Quantity::EnergyElastic] = 0;
  record.quantities[Quantity::Traps] = traps;
  record.quantities[Quantity::UnilateralSets] = counts[static_cast<int>(ConstraintType::U)];
  record.quantities[Quantity::InequalitySets] = counts[static_cast<int>(ConstraintType::I)];
  record.quantities[Quantity::CrossSets] = counts[static_cast<int>(ConstraintType::X)];
}

}  // namespace touchstone
