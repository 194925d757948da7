#include "core/contact/nsn/nsn.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <set>

#include "core/constraints/joint_step.h"
#include "core/contact/complementarity/complementarity_method.h"
#include "core/contact/complementarity/contact_record.h"
#include "core/contact/complementarity/contact_rows.inl"
#include "core/contact/complementarity/problem_detail.h"
#include "core/contact/contact_sums.h"
#include "core/contact/nsn/linear_systems.h"
#include "core/contact/nsn/nonsmooth_newton.h"
#include "core/contact/nsn/nsn_parameters.h"
#include "core/contact/nsn/step_islands.h"
#include "core/detect/feature_particles.h"
#include "core/math/count.h"
#include "core/record/bytes.h"
#include "core/record/phase_clock.h"
#include "core/scene/scale.h"
#include "core/world/body_pose.h"

namespace touchstone {

namespace {

/// Turn of a body in a step beyond which the step is halved [rad]. Gaps are exact, and contacts are those of
/// the start: a body that has turned by π stands on the same corners, with the others behind the wall.
/// Larger: corners without a row come down within a step; smaller: what rolls takes more steps.
constexpr double kMostTurn = 0.5;

/// Share of the radius of a body by which an answer that is none may leave it within another one; beyond, the
/// step is halved. Larger: the body comes out on the other side; smaller: steps that stall take halves.
constexpr double kMostEntered = 0.1;

class Nsn : public HostMethod {
 public:
  explicit Nsn(const MethodSetup& setup)
      : m_scene(setup.world.scene), m_velocityUnit(velocityUnitOf(*m_scene)) {
    if (!setup.world.elastic->isEmpty())
      m_surfaceContacts = std::make_unique<nsn::SurfaceContacts>(setup.world);
    setParameters(setup.ofReplicas);
  }

  void useBackend(BackendKind backend, const World& world,
                  const std::shared_ptr<DeviceWorld>& deviceWorld) override {
    m_deviceWorld = deviceWorld;
    m_isOnHost = backend == BackendKind::Cpu;
    m_engine = makeNarrowPhase(backend, world, deviceWorld);
    m_engine->setRules(m_rules);
    m_linear = nsn::makeBatchedLinearSystems(backend);
  }
  void begin(const World& world) override { m_engine->begin(world); }
  void await(PhaseTimes& times) override { m_engine->await(times); }

  void respond(World& world, StepRecord& record, PhaseClock& clock) override {
    m_deviceWorld->downloadStep(world);
    nsn::StepContacts contacts{separatingContacts(), {}};
    if (m_surfaceContacts) contacts.surfaces = m_surfaceContacts->find(world, m_isOnHost);
    std::vector<nsn::Part> parts = nsn::partsOf(
        {world, contacts, m_rules, m_values.front().isWarm ? &m_forces : nullptr, m_velocityUnit});
    clock.endOf(Phase::Assemble);
    std::vector<nsn::Answer> answers = answersOf(parts);
    record.solves += countOf(parts);
    judge(world, parts, answers, record);
    if (m_detail) explain(world, contacts.pieces, parts, answers);
    applySolution(world, contacts, parts, answers);
    m_deviceWorld->takeVelocities(world);
    clock.endOf(Phase::Solve);
    tell(world, contacts, parts, answers, record);
    clock.endOf(Phase::Assemble);
  }

  void setMayBisect(bool on) override { m_mayBisect = on; }
  ReplicaSet wantsBisection() const override { return m_wantsBisection; }
  void setRecorded(RecordedContacts recorded) override { m_recorded = recorded; }
  void addContacts(StepRecord&) override {}  // respond() has
  void setStatesOnly(bool on) override { m_statesOnly = on; }

  void setParameters(const std::vector<ParameterValues>& ofReplicas) override {
    m_values.clear();
    m_rules.clear();
    for (const ParameterValues& parameters : ofReplicas) {
      m_values.push_back(nsn::valuesOf(parameters, *m_scene));
      m_rules.push_back(nsn::rulesOf(parameters, *m_scene));
    }
    if (m_engine) m_engine->setRules(m_rules);
    if (!m_values.front().isWarm) reset();
  }

  void reset() override { m_forces = {}; }
  void sendMemory() override { m_sent = memory(); }
  void keepMemory() override { m_kept = m_sent; }
  std::string keptMemory() override { return m_kept; }
  void restoreMemory(const std::string& bytes) override {
    reset();
    if (bytes.empty()) return;
    ByteReader reader(bytes);
    int elements = 0;
    reader.get(elements);
    for (int k = 0; k < elements; ++k) {
      int element;
      reader.get(element);
      for (double& component : m_forces.elements[element]) reader.get(component);
    }
    while (!reader.atEnd()) {
      nsn::ContactKey key;
      for (int& part : key) reader.get(part);
      reader.get(m_forces.contacts[key]);
    }
  }

 private:
  /// The contact with the largest gap of each constraint set (Williams 2017): the one that separates. Rows of
  /// all members, as `lcp` has them, may contradict each other, and Newton's method has no answer to that.
  std::vector<ModelContact> separatingContacts() const {
    const std::vector<ModelContact> contacts = m_engine->fetchContacts();
    const FoundSets found = m_engine->fetchSets();
    std::vector<char> isChosen(contacts.size(), 0);
    for (const SetRange& set : found.sets) {
      const int* const members = found.members.data() + set.first;
      const auto isBetter = [&contacts](int b, int a) { return isBetterPrimary(contacts[a], contacts[b]); };
      isChosen[*std::max_element(members, members + set.count, isBetter)] = 1;
    }
    leaveOutThoseBehind(contacts, isChosen);
    std::vector<ModelContact> chosen;
    for (std::size_t contact = 0; contact < contacts.size(); ++contact)
      if (isChosen[contact]) chosen.push_back(contacts[contact]);
    return chosen;
  }

  /// A contact that isBehind asks for a way out where nothing has come in: where tips pass each other, beyond
  /// the reach of their common set, it would throw them apart. It stays where its pair has no other one.
  static void leaveOutThoseBehind(const std::vector<ModelContact>& contacts, std::vector<char>& isChosen) {
    std::set<std::array<int, 2>> separated;
    const auto piecesOf = [](const ModelContact& contact) {
      return std::array<int, 2>{contact.pieceA, contact.pieceB};
    };
    for (std::size_t contact = 0; contact < contacts.size(); ++contact)
      if (isChosen[contact] && !contacts[contact].isBehind) separated.insert(piecesOf(contacts[contact]));
    for (std::size_t contact = 0; contact < contacts.size(); ++contact)
      if (contacts[contact].isBehind && separated.count(piecesOf(contacts[contact]))) isChosen[contact] = 0;
  }

  std::string memory() const {
    if (m_forces.contacts.empty() && m_forces.elements.empty()) return {};
    ByteWriter writer;
    writer.put(countOf(m_forces.elements));
    for (const auto& [element, force] : m_forces.elements) {
      writer.put(element);
      for (const double component : force) writer.put(component);
    }
    for (const auto& [key, force] : m_forces.contacts) {
      for (const int part : key) writer.put(part);
      writer.put(force);
    }
    return writer.take();
  }

  const nsn::Settings& settingsOf(int replica) const {
    return m_values[m_values.size() == 1 ? 0 : replica].settings;
  }

  std::vector<nsn::Answer> answersOf(const std::vector<nsn::Part>& parts) const {
    std::vector<nsn::IslandTask> tasks;
    for (const nsn::Part& part : parts) tasks.push_back({&part.island, &settingsOf(part.replica), false});
    if (!tasks.empty()) tasks[largestOf(parts)].isReported = true;
    return nsn::solveTogether(tasks, *m_linear);
  }

  /// The angle by which the step turns a body that its contacts push, or its joints change the turn of one,
  /// at most [rad].
  double turnOf(const nsn::Part& part, const nsn::Answer& answer, double h) const {
    constexpr double kPushes = 1e-6;  // of the unit of velocities: far above what iterations leave over
    std::vector<char> isPushed(part.bodies.size(), 0);
    for (std::size_t k = 0; k < part.contacts.size(); ++k)
      for (const int body : {part.island.contacts[k].a, part.island.contacts[k].b}) {
        if (body < 0) continue;
        const double change = h * answer.contacts[k].norm() * part.island.bodies[body].inverseMass;
        if (change > kPushes * m_velocityUnit) isPushed[body] = 1;
      }
    double maximum = 0;
    for (std::size_t bodyIndex = 0; bodyIndex < isPushed.size(); ++bodyIndex) {
      const nsn::IslandBody& body = part.island.bodies[bodyIndex];
      if (body.isParticle) continue;
      const Vec3 turn =
          isPushed[bodyIndex] ? answer.angular[bodyIndex] : Vec3(answer.angular[bodyIndex] - body.angular);
      maximum = std::fmax(maximum, h * turn.norm());
    }
    return maximum;
  }

  /// True if an answer that is none leaves a rigid body far within another one.
  static bool isEntered(const nsn::Part& part, const nsn::Answer& answer) {
    if (answer.isSolved) return false;
    for (std::size_t k = 0; k < part.contacts.size(); ++k) {
      const nsn::IslandContact& contact = part.island.contacts[k];
      double radius = HUGE_VAL;
      for (const int body : {contact.a, contact.b})
        if (body >= 0) radius = std::fmin(radius, part.island.bodies[body].constants.radius);
      if (answer.gaps[k] < -kMostEntered * radius) return true;
    }
    return false;
  }

  /// Replicas that had better take the step in halves are left out, if they may.
  void judge(const World& world, std::vector<nsn::Part>& parts, std::vector<nsn::Answer>& answers,
             StepRecord& record) {
    ReplicaSet halved(m_scene->replicas, 0);
    double maximum = 0;
    for (std::size_t part = 0; part < parts.size(); ++part) {
      const double turn = turnOf(parts[part], answers[part], world.dt);
      maximum = std::fmax(maximum, turn);
      if (turn > kMostTurn || isEntered(parts[part], answers[part])) halved[parts[part].replica] = 1;
    }
    m_wantsBisection.clear();
    if (isEmpty(halved)) return;
    if (!m_mayBisect) {
      if (maximum > kMostTurn)
        raiseStatus(
            StepStatus::NotConverged,
            "a body turns by " + numberText(maximum) +
                " rad in the shortest part of a step, and its contacts are those of the start; take a "
                "shorter step",
            record);
      return;
    }
    m_wantsBisection = halved;
    std::size_t kept = 0;
    for (std::size_t part = 0; part < parts.size(); ++part) {
      if (halved[parts[part].replica]) continue;
      if (kept != part) {
        parts[kept] = std::move(parts[part]);
        answers[kept] = std::move(answers[part]);
      }
      ++kept;
    }
    parts.resize(kept);
    answers.resize(kept);
  }

  /// A body of a contact, by its key.
  static int bodyOf(const World& world, const nsn::ContactKey& key) {
    if (key[0] >= 0) return world.pieces->body[key[0]];
    const std::vector<int>& bodies = static_cast<FeaturePairKind>(key[2]) == FeaturePairKind::EdgeEdge
                                         ? world.surface->edgeBody
                                         : world.surface->vertexBody;
    return bodies[key[3]];
  }

  /// The part whose iterations are reported.
  static std::size_t largestOf(const std::vector<nsn::Part>& parts) {
    const auto rowsOf = [](const nsn::Part& part) {
      return 3 * part.contacts.size() + 6 * (part.joints.size() + part.elements.size());
    };
    const auto largest =
        std::max_element(parts.begin(), parts.end(),
                         [&](const nsn::Part& a, const nsn::Part& b) { return rowsOf(a) < rowsOf(b); });
    return largest - parts.begin();
  }

  void applySolution(World& world, const nsn::StepContacts& contacts, const std::vector<nsn::Part>& parts,
                     const std::vector<nsn::Answer>& answers) {
    std::map<nsn::ContactKey, Vec3> forces;
    // Frozen bodies keep their forces: they may be waiting for replicas that are being bisected.
    for (const auto& [key, force] : m_forces.contacts) {
      const std::size_t body = bodyOf(world, key);
      const std::size_t replica = (*world.constants)[body].replica;
      if (!world.active[body] || (!m_wantsBisection.empty() && m_wantsBisection[replica]))
        forces[key] = force;
    }
    for (std::size_t part = 0; part < parts.size(); ++part) {
      for (std::size_t k = 0; k < parts[part].bodies.size(); ++k) {
        const std::size_t body = parts[part].bodies[k];
        world.nextLinearVelocity[body] = answers[part].linear[k];
        world.nextAngularVelocity[body] = answers[part].angular[k];
      }
      for (std::size_t k = 0; k < parts[part].contacts.size() && m_values.front().isWarm; ++k)
        forces.emplace(contacts.keyOf(parts[part].contacts[k]), answers[part].contacts[k]);
      for (std::size_t k = 0; k < parts[part].elements.size() && m_values.front().isWarm; ++k)
        m_forces.elements[parts[part].elements[k]] = answers[part].elements[k];
    }
    m_forces.contacts = std::move(forces);
  }

  /// Forces of the joints for the record, and those on bodies that do not move, which the Referee expects.
  static JointTotals totalsOf(const World& world, const nsn::Part& part, const nsn::Answer& answer) {
    JointTotals totals;
    const auto poseOfEnd = [&](int place, const BodyPose& fixed) {
      if (place < 0) return fixed;
      const nsn::IslandBody& body = part.island.bodies[place];
      return poseAfter(body.pose, body.constants, answer.linear[place], answer.angular[place], world.dt);
    };
    const auto poseOfStart = [&world](int body) { return poseOf(world, body); };
    for (std::size_t k = 0; k < part.joints.size(); ++k) {
      const nsn::IslandJoint& joint = part.island.joints[k];
      const nsn::JointForces& forces = answer.joints[k];
      totals.addWrench(world, part.joints[k], poseOfEnd(joint.a, joint.fixedA),
                       poseOfEnd(joint.b, joint.fixedB), forces.wrench.scaled(world.dt));
      totals.addGround(world, part.joints[k], forces.wrench.scaled(world.dt), poseOfStart);
      if (joint.mimicked >= 0)
        totals.addGround(world, joint.joint->mimic.joint, forces.led.scaled(world.dt), poseOfStart);
      for (int slot = 0; slot < JointConstraint::SlotCount; ++slot)
        totals.addSlot(world, part.joints[k], slot, world.dt * forces.rows[slot]);
    }
    return totals;
  }

  /// (λ_n, λ_f) as the contact of a record, with what is applied: none pulls.
  Contact recordOfContact(const WorldView& view, const ModelContact& found, const nsn::IslandContact& contact,
                          const nsn::ContactAxes& axes, const Vec3& force) const {
    Contact record = recordOf(view, found);
    const double h = view.dt;
    record.normal = axes.normal;
    record.normalImpulse = h * std::max(0.0, force[0]);
    record.frictionImpulse = h * (force[1] * axes.first + force[2] * axes.second);
    record.primary = true;
    const Vec3 slip =
        pointVelocity(view, found.bodyB, record.pointB) - pointVelocity(view, found.bodyA, record.pointA);
    const double speed = (slip - record.normal.dot(slip) * record.normal).norm() / m_velocityUnit;
    record.mode = modeWithinCone(record.normalImpulse, contact.friction * record.normalImpulse,
                                 record.frictionImpulse.norm(), speed);
    return record;
  }

  /// The same of surfaces, of which those that are open are recorded without impulse.
  Contact recordOfSurfaces(const WorldView& view, const nsn::SurfaceContact& found,
                           const nsn::IslandContact& contact, const Vec3& force) const {
    Contact record;
    const bool ascending = found.bodyA < found.bodyB;
    record.kind = found.pair.kind;
    record.bodyA = ascending ? found.bodyA : found.bodyB;
    record.bodyB = ascending ? found.bodyB : found.bodyA;
    record.featureA = ascending ? found.pair.a : found.pair.b;
    record.featureB = ascending ? found.pair.b : found.pair.a;
    record.vertexOnA = ascending;
    record.pointA = ascending ? found.pointA : found.pointB;
    record.pointB = ascending ? found.pointB : found.pointA;
    record.gap = found.gap;
    const double h = view.dt, sign = ascending ? 1 : -1;
    Vec3 t1, t2;
    contactTangents(found.normal, m_scene->planar, t1, t2);
    record.normal = sign * found.normal;
    record.normalImpulse = h * std::max(0.0, force[0]);
    record.frictionImpulse = sign * h * (force[1] * t1 + force[2] * t2);
    record.type = ConstraintType::U;
    record.primary = true;
    const auto velocityOf = [&](bool isA) {
      const int body = isA ? found.bodyA : found.bodyB;
      if (!view.isDeformable(body)) return pointVelocity(view, body, isA ? found.pointA : found.pointB);
      return particlesOf(view, found.pair, isA, found.weights).of(view.nextLinearVelocity);
    };
    const Vec3 slip = velocityOf(false) - velocityOf(true);
    const double speed = (slip - record.normal.dot(slip) * record.normal).norm() / m_velocityUnit;
    record.mode = modeWithinCone(record.normalImpulse, contact.friction * record.normalImpulse,
                                 record.frictionImpulse.norm(), speed);
    return record;
  }

  void tell(const World& world, const nsn::StepContacts& contacts, const std::vector<nsn::Part>& parts,
            const std::vector<nsn::Answer>& answers, StepRecord& record) const {
    const WorldView view = viewOf(world);
    record.deliveredBy = parts.empty() ? "" : m_values.front().name;
    record.quantities[Quantity::EnergyElastic] = 0;
    double residual = 0, depth = 0;
    for (const ModelContact& contact : contacts.pieces) depth = std::max(depth, -contact.geometry.psi);
    for (const nsn::SurfaceContact& contact : contacts.surfaces) depth = std::max(depth, -contact.gap);
    const std::size_t largest = largestOf(parts);
    int missed = 0;
    for (std::size_t part = 0; part < parts.size(); ++part) {
      const nsn::Answer& answer = answers[part];
      residual = answer.residual <= residual ? residual : answer.residual;  // and not a number
      if (!answer.isSolved) ++missed;
      totalsOf(world, parts[part], answer).addTo(record);
      for (std::size_t k = 0; k < parts[part].attachments.size(); ++k) {
        const nsn::IslandAttachment& attachment = parts[part].island.attachments[k];
        if (attachment.body >= 0) continue;
        const Vec3 impulse = world.dt * answer.attachments[k];
        record.groundImpulse += impulse;
        record.groundAngularImpulse += attachment.point.cross(impulse);
      }
      for (std::size_t k = 0; k < parts[part].contacts.size(); ++k) {
        const int index = parts[part].contacts[k];
        const nsn::IslandContact& contact = parts[part].island.contacts[k];
        record.contacts.push_back(
            contacts.isOfPieces(index)
                ? recordOfContact(view, contacts.piece(index), contact, answer.axes[k], answer.contacts[k])
                : recordOfSurfaces(view, contacts.surface(index), contact, answer.contacts[k]));
        record.contacts.back().set = countOf(record.contacts) - 1;
      }
    }
    if (!parts.empty())
      for (const nsn::Iterate& iterate : answers[largest].iterates)
        record.iterations.push_back({iterate.residuals.total(world.dt), iterate.merit,
                                     iterate.linearIterations, iterate.linearResidual, iterate.stepSize,
                                     iterate.residuals.normal, iterate.residuals.friction,
                                     iterate.residuals.joints, iterate.residuals.momentum, iterate.linear});
    record.solverTolerance = settingsOf(0).tolerance;
    if (!parts.empty()) record.limitingAccuracy = answers[largest].limitingAccuracy;
    record.quantities[Quantity::Residual] = residual;
    record.quantities[Quantity::MethodDepth] = depth;
    addSumsOfContacts(world, record);
    if (m_recorded == RecordedContacts::None || m_statesOnly) record.contacts.clear();
    record.unsolved += missed;
    if (m_values.front().isPublishedCounts)
      record.warnings.push_back(
          "the published counts lose " +
          numberText(100 * std::pow(1 - nsn::kUsualShare, settingsOf(0).iterations)) +
          " % of every velocity in each step: their Newton steps are all damped, from rest");
    if (missed == 0 || residual <= m_values.front().poor * world.dt) return;
    raiseStatus(StepStatus::NotConverged,
                "Newton's method ended after its " + std::to_string(settingsOf(0).iterations) +
                    " iterations with a residual of " + numberText(residual) + " m/s",
                record);
  }
  static std::string numberText(double number) {
    char text[32];
    std::snprintf(text, sizeof text, "%.2g", number);
    return text;
  }

  /// For the inspector: contacts, and the velocity-level problem of each island at the start of the step,
  /// with the impulses of the answer. Contacts of this method are evaluated again at every iterate.
  void explain(const World& world, const std::vector<ModelContact>& contacts,
               const std::vector<nsn::Part>& parts, const std::vector<nsn::Answer>& answers) {
    ProblemDetail& inside = problemDetail(*m_detail);
    const WorldView view = viewOf(world);
    m_detail->pieces = m_engine->fetchPairs();
    inside.contacts = contacts;
    inside.modelSettings = ModelSettings();
    inside.modelSettings.planar = m_scene->planar;
    inside.modelSettings.velocityUnit = m_velocityUnit;
    inside.solverSettings = SolverSettings();
    for (std::size_t part = 0; part < parts.size(); ++part) {
      HostTable table = hostTable(world);
      IslandAnswer answer;
      std::vector<int> units;
      std::vector<double> start, impulses;
      for (int k = 0; k < countOf(parts[part].contacts); ++k) {
        const int index = parts[part].contacts[k];
        if (index >= countOf(contacts)) continue;  // of surfaces that deform
        const ModelContact& contact = contacts[index];
        const auto& contactRow = parts[part].island.contacts[k];
        addContactBlock(view, contact, (contact.geometry.psi - contactRow.thickness) / world.dt,
                        contactRow.friction, m_scene->planar, table.rows);
        units.push_back(countOf(units));
        for (int row = 0; row < table.rows.units.back().rowCount; ++row) {
          start.push_back(world.dt * contactRow.force[row]);
          impulses.push_back(world.dt * answers[part].contacts[k][row]);
        }
        answer.island.sets.push_back({ConstraintType::U, {index}, contactRow.friction});
      }
      if (units.empty() || !inside.takesProblemOf(unknownCount(table.view(), units, inside.modelSettings)))
        continue;
      static_cast<DenseProblem&>(answer.island) =
          denseProblem(table.view(), table.metric(), table.velocities(), units, inside.modelSettings);
      answer.island.replica = parts[part].replica;
      answer.start = unknownsOf(table.view(), answer.island, start.data());
      answer.result.z = unknownsOf(table.view(), answer.island, impulses.data());
      answer.result.residual = naturalResidual(answer.island.problem, answer.result.z);
      answer.result.deliveredBy = m_values.front().name;
      answer.result.status = answers[part].isSolved ? SolveStatus::Solved : SolveStatus::NotConverged;
      inside.problems.push_back(std::move(answer));
    }
  }

  std::shared_ptr<const Scene> m_scene;
  double m_velocityUnit;
  std::shared_ptr<DeviceWorld> m_deviceWorld;
  std::unique_ptr<NarrowPhase> m_engine;
  std::unique_ptr<nsn::BatchedLinearSystems> m_linear;
  std::vector<nsn::Values> m_values;  ///< [replicaCount]
  std::vector<RowRules> m_rules;      ///< [replicaCount]
  nsn::WarmForces m_forces;
  std::unique_ptr<nsn::SurfaceContacts> m_surfaceContacts;  ///< null: nothing deforms
  std::string m_sent, m_kept;
  RecordedContacts m_recorded = RecordedContacts::All;
  bool m_statesOnly = false, m_isOnHost = true, m_mayBisect = false;
  ReplicaSet m_wantsBisection;
};

}  // namespace

std::unique_ptr<HostMethod> nsn::Info::makeHostMethod(const MethodSetup& setup) {
  return std::make_unique<Nsn>(setup);
}

MethodInfo nsn::Info::describe() {
  MethodInfo info;
  info.key = "nsn";
  info.name = "Non-smooth Newton";
  info.shortName = "NSN";
  info.source = "Macklin et al. 2019";
  info.colour = 0xCC79A7;  // reddish purple
  info.dash = LineDash::DashDotDot;
  info.parameters = parameters();
  info.planar = true;
  info.joints = true;
  info.deformables = Deformables::Rows;
  info.balances = false;
  info.refusal = ComplementarityMethod::refusal;
  info.clash = clash;
  info.staysOnHost = [](const std::string&) {
    return std::string(
        "gaps, gradients and residuals of the iterates; linear systems of direct, gauss-seidel and 'full'");
  };
  return info;
}

}  // namespace touchstone
