#include <QtTest>
#include <cmath>

#include "core/math/count.h"
#include "core/parallel/parallel_for.h"
#include "tests/contact/method_run.h"
#include "tests/support/near.h"
#include "tests/support/scenes.h"

using namespace touchstone;

namespace {

constexpr double kGravity = 9.81;

/// One world under one penalty method.
class Pane {
 public:
  Pane(std::shared_ptr<const Scene> scene, const std::string& method, const ParameterValues& values,
       double dt)
      : m_run(std::move(scene), *findMethod(method), values), m_dt(dt) {}
  StepRecord step() {
    m_run.step(m_dt);
    return m_run.record;
  }
  StepRecord run(double time) {
    StepRecord record;
    for (long k = std::lround(time / m_dt); k > 0; --k) record = step();
    return record;
  }
  World& world() { return m_run.world; }
  std::string memory() { return m_run.memory(); }
  void restoreMemory(const std::string& bytes) { m_run.restoreMemory(bytes); }

 private:
  test::MethodRun m_run;
  double m_dt;
};

double normalForce(const StepRecord& record, double dt) {
  double sum = 0;
  for (const Contact& contact : record.contacts) sum += contact.normalImpulse / dt;
  return sum;
}

ParameterValues with(double stiffness, const std::string& key = {}, const std::string& value = {}) {
  ParameterValues values{{"stiffness", stiffness}};
  if (!key.empty()) values[key] = value;
  return values;
}

/// Cube of 1 kg with large inertia, which moves like a particle: four corners, total stiffness 4 k.
Body particle(double height) {
  Body body = test::box("particle", Vec3(0.1, 0.1, 0.1), 1, Vec3(0, height + 0.05, 0));
  body.inertia = 1e6 * Mat3::Identity();
  return body;
}

Vec3 angularMomentum(const World& world) {
  Vec3 sum = Vec3::Zero();
  for (std::size_t k = 0; k < world.position.size(); ++k) {
    const Body& body = world.scene->bodies[k];
    if (body.motion != Motion::Dynamic) continue;
    const Mat3 rotation = world.orientation[k].toRotationMatrix();
    sum += body.mass * world.position[k].cross(world.linearVelocity[k]) +
           rotation * body.inertia * rotation.transpose() * world.angularVelocity[k];
  }
  return sum;
}

Vec3 linearMomentum(const World& world) {
  Vec3 sum = Vec3::Zero();
  for (std::size_t k = 0; k < world.position.size(); ++k)
    sum += world.scene->bodies[k].mass * world.linearVelocity[k];
  return sum;
}

Body fixed(Body body) {
  body.motion = Motion::Static;
  return body;
}

}  // namespace

class PenaltyRestAndImpactTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void restsAtTheDepthOfItsMethod_data();
  void restsAtTheDepthOfItsMethod();
  void restitutionFollowsTheTable_data();
  void restitutionFollowsTheTable();
  void boxRestsOnFourPairsOfAPlate();
  void crossedPlanksRestOnTheirEdges();
  void thinPlateStopsAFastBox_data();
  void thinPlateStopsAFastBox();
  void fallsBeyondTheEdgeOfAPlate_data();
  void fallsBeyondTheEdgeOfAPlate();
  void collisionKeepsMomentum_data();
  void collisionKeepsMomentum();
  void sticksBelowTheFrictionAngle_data();
  void sticksBelowTheFrictionAngle();
  void slidesAsCoulombSays_data();
  void slidesAsCoulombSays();
  void withoutFrictionNothingActsAlongThePlane();
  void bitsDoNotDependOnThreads_data();
  void bitsDoNotDependOnThreads();
  void continuesExactlyFromItsMemory_data();
  void continuesExactlyFromItsMemory();
  void warnsAboveTheStabilityLimit();
  void adoptsWhatOverlapsAtTheStart_data();
  void adoptsWhatOverlapsAtTheStart();
  void partsNoFasterThanItMay_data();
  void partsNoFasterThanItMay();
  void dampingNeverPulls_data();
  void dampingNeverPulls();
};

static void methodRows() {
  QTest::addColumn<QString>("method");
  QTest::addColumn<QString>("evaluate");
  QTest::newRow("dpf start") << "dpf"
                             << "start";
  QTest::newRow("dpf end") << "dpf"
                           << "end";
  QTest::newRow("cpf") << "cpf"
                       << "";
}

static ParameterValues valuesOf(const QString& method, const QString& evaluate, double stiffness) {
  return method == "dpf" ? with(stiffness, "evaluate", evaluate.toStdString()) : with(stiffness);
}

/// (1 − θσ) m g / k with θ = 0, 1, ½ and σ = h² k/m, k the sum of four pairs; the force is m g at any step.
void PenaltyRestAndImpactTest::restsAtTheDepthOfItsMethod_data() {
  QTest::addColumn<QString>("method");
  QTest::addColumn<QString>("evaluate");
  QTest::addColumn<double>("theta");
  QTest::addColumn<double>("sigma");
  for (double sigma : {0.04, 0.64}) {
    const QByteArray text = QByteArray::number(sigma);
    QTest::newRow("dpf start " + text) << "dpf"
                                       << "start" << 0.0 << sigma;
    QTest::newRow("dpf end " + text) << "dpf"
                                     << "end" << 1.0 << sigma;
    QTest::newRow("cpf " + text) << "cpf"
                                 << "" << 0.5 << sigma;
  }
}

void PenaltyRestAndImpactTest::restsAtTheDepthOfItsMethod() {
  QFETCH(QString, method);
  QFETCH(QString, evaluate);
  QFETCH(double, theta);
  QFETCH(double, sigma);
  const double dt = 2e-3, total = sigma / (dt * dt), depth = (1 - theta * sigma) * kGravity / total;
  // SE has no damping: it stays at rest only if it starts at rest.
  Pane pane(test::scene({test::ground(), particle(-depth)}), method.toStdString(),
            valuesOf(method, evaluate, total / 4), dt);
  const StepRecord record = pane.run(2);
  QVERIFY_NEAR(normalForce(record, dt), kGravity, 1e-6);
  QVERIFY_NEAR(0.05 - pane.world().position[1].y(), depth, 1e-6 * depth);
  QCOMPARE(countOf(record.contacts), 4);
  const Contact& contact = record.contacts[0];
  QVERIFY(contact.bodyA == 0 && contact.bodyB == 1 && contact.gap < 0);
  QVERIFY_NEAR((contact.normal - Vec3(0, 1, 0)).norm(), 0, 1e-15);
  QVERIFY_NEAR(record.quantities[Quantity::EnergyElastic], 0.5 * total * depth * depth,
               1e-5 * 0.5 * total * depth * depth);
}

/// Free impact, minimum and maximum over the phase of arrival in the step.
void PenaltyRestAndImpactTest::restitutionFollowsTheTable_data() {
  QTest::addColumn<QString>("method");
  QTest::addColumn<QString>("evaluate");
  QTest::addColumn<double>("sigma");
  QTest::addColumn<double>("least");
  QTest::addColumn<double>("most");
  const auto row = [](const char* name, const char* method, const char* evaluate, double sigma, double least,
                      double most) { QTest::newRow(name) << method << evaluate << sigma << least << most; };
  row("SE 0.04", "dpf", "start", 0.04, 0.996, 1.004);
  row("SE 0.5", "dpf", "start", 0.5, 0.941, 1.062);
  row("SE 1.5", "dpf", "start", 1.5, 0.800, 1.250);
  row("CPF 0.04", "cpf", "", 0.04, 0.854, 0.854);
  row("CPF 0.5", "cpf", "", 0.5, 0.544, 0.553);
  row("CPF 1.5", "cpf", "", 1.5, 0.201, 0.350);
  row("end 0.04", "dpf", "end", 0.04, 0.724, 0.731);
  row("end 0.5", "dpf", "end", 0.5, 0.250, 0.250);
  row("end 1.5", "dpf", "end", 1.5, -0.006, 0.500);
}

void PenaltyRestAndImpactTest::restitutionFollowsTheTable() {
  QFETCH(QString, method);
  QFETCH(QString, evaluate);
  QFETCH(double, sigma);
  QFETCH(double, least);
  QFETCH(double, most);
  constexpr int kPhases = 100;
  const double dt = 1e-3, stiffness = sigma / (dt * dt);
  double lowest = 10, highest = -10;
  for (int phase = 0; phase < kPhases; ++phase) {
    auto scene = test::scene({test::ground(), particle(dt * (1 + (phase + 0.5) / kPhases))});
    scene->gravity = Vec3::Zero();
    scene->bodies[1].linearVelocity = Vec3(0, -1, 0);
    Pane pane(scene, method.toStdString(), valuesOf(method, evaluate, stiffness / 4), dt);
    bool touched = false;
    for (int step = 0, free = 0; step < 400 && free < 50; ++step) {  // a slow rebound may touch again
      const bool now = !pane.step().contacts.empty();
      touched = touched || now;
      free = touched && !now ? free + 1 : 0;
    }
    lowest = std::min(lowest, pane.world().linearVelocity[1].y());
    highest = std::max(highest, pane.world().linearVelocity[1].y());
  }
  // The table has three digits and 2000 phases; 100 phases miss the extremes by about a hundredth of the
  // range.
  const double tolerance = 0.005 + 0.01 * (most - least);
  QVERIFY_NEAR(lowest, least, tolerance);
  QVERIFY_NEAR(highest, most, tolerance);
}

/// Box of 1 kg on a closed plate with two triangles per side: four vertex–face pairs, no edges, depth (1 −
/// σ/2) m g / 4k.
void PenaltyRestAndImpactTest::boxRestsOnFourPairsOfAPlate() {
  const double k = 5e3, dt = 4e-3, sigma = 4 * k * dt * dt;
  for (double tilt : {0.0, 0.3, 0.8}) {
    Body box = test::box("box", Vec3(0.2, 0.1, 0.3), 1, Vec3(0.02, 0.3, -0.03));
    box.orientation = Quaternion(Eigen::AngleAxisd(tilt, Eigen::Vector3d(1, 0.2, 0.7).normalized()));
    auto scene = test::scene({fixed(test::box("plate", Vec3(2, 0.1, 2), 0, Vec3(0, -0.05, 0))), box});
    Pane pane(scene, "cpf", with(k), dt);
    const StepRecord record = pane.run(tilt > 0 ? 8 : 4);
    int count = 0;
    for (const Contact& contact : record.contacts) count += contact.kind == FeaturePairKind::VertexFace;
    QCOMPARE(countOf(record.contacts), 4);
    QCOMPARE(count, 4);
    QVERIFY_NEAR(normalForce(record, dt), kGravity, 1e-4);
    double lowest = 1;
    for (int vertex = 8; vertex < 16; ++vertex)
      lowest = std::min(lowest, worldPoint(pane.world().position[1], pane.world().orientation[1],
                                           pane.world().surface->vertexLocal[vertex])
                                    .y());
    QVERIFY_NEAR(-lowest, (1 - sigma / 2) * kGravity / (4 * k), 1e-6);
  }
}

void PenaltyRestAndImpactTest::crossedPlanksRestOnTheirEdges() {
  const double k = 5e3, dt = 4e-3;
  Body plank = test::box("plank", Vec3(0.6, 0.1, 0.1), 1, Vec3(0, 0.06, 0));
  plank.orientation = Quaternion(Eigen::AngleAxisd(0.17, Eigen::Vector3d::UnitY()));
  auto scene = test::scene({fixed(test::box("plate", Vec3(0.1, 0.1, 2), 0, Vec3(0, -0.05, 0))), plank});
  for (const char* method : {"cpf", "dpf"}) {
    Pane pane(scene, method, with(k, method == std::string("dpf") ? "evaluate" : "", "end"), dt);
    const StepRecord record = pane.run(3);
    QCOMPARE(countOf(record.contacts), 4);
    for (const Contact& contact : record.contacts) QVERIFY(contact.kind == FeaturePairKind::EdgeEdge);
    QVERIFY_NEAR(normalForce(record, dt), kGravity, 0.05);
  }
}

/// Plate of 5 mm, box of 0.1 m obliquely at 25 m/s. CCD and memory bring it back from far below; DPF knows
/// only the present places of vertices, and the box passes.
void PenaltyRestAndImpactTest::thinPlateStopsAFastBox_data() {
  QTest::addColumn<QString>("method");
  QTest::addColumn<bool>("stops");
  QTest::newRow("dpf passes") << "dpf" << false;
  QTest::newRow("cpf stops") << "cpf" << true;
}

void PenaltyRestAndImpactTest::thinPlateStopsAFastBox() {
  QFETCH(QString, method);
  QFETCH(bool, stops);
  Body box = test::box("box", Vec3(0.1, 0.1, 0.1), 1, Vec3(-0.1, 0.2, 0.07));
  box.orientation = Quaternion(Eigen::AngleAxisd(0.4, Eigen::Vector3d(1, 0.2, 0.7).normalized()));
  box.linearVelocity = Vec3(3, -25, 2);
  auto scene = test::scene({fixed(test::box("plate", Vec3(4, 0.005, 4), 0, Vec3::Zero())), box});
  Pane pane(scene, method.toStdString(), with(method == "cpf" ? 1000 : 300), 1e-3);
  pane.run(0.3);
  QCOMPARE(pane.world().linearVelocity[1].y() > 0, stops);
  QCOMPARE(pane.world().position[1].y() > 0, stops);
}

/// Sliding off the end of a plate: `sticky` stays on the infinite plane, `reseat` falls.
void PenaltyRestAndImpactTest::fallsBeyondTheEdgeOfAPlate_data() {
  QTest::addColumn<QString>("contacts");
  QTest::addColumn<QString>("sliding");
  QTest::addColumn<bool>("falls");
  QTest::newRow("reseat") << "features"
                          << "reseat" << true;
  QTest::newRow("sticky") << "features"
                          << "sticky" << false;
  QTest::newRow("by faces") << "faces"
                            << "reseat" << true;
}

void PenaltyRestAndImpactTest::fallsBeyondTheEdgeOfAPlate() {
  QFETCH(QString, contacts);
  QFETCH(QString, sliding);
  QFETCH(bool, falls);
  Body box = test::box("box", Vec3(0.1, 0.1, 0.1), 1, Vec3(0.3, 0.05, 0));
  box.linearVelocity = Vec3(1, 0, 0);
  auto scene = test::scene({fixed(test::box("plate", Vec3(1, 0.1, 1), 0, Vec3(0, -0.05, 0))), box});
  ParameterValues values = with(5e3, "sliding", sliding.toStdString());
  values["contacts"] = contacts.toStdString();
  if (!falls)
    values["adopt"] = std::string("load");  // as in the paper: adopted edge pairs would lift the box
  Pane pane(scene, "cpf", values, 2e-3);
  pane.run(0.8);
  QVERIFY(pane.world().position[1].x() > 0.9);
  QCOMPARE(pane.world().position[1].y() < -0.2, falls);
}

void PenaltyRestAndImpactTest::collisionKeepsMomentum_data() { methodRows(); }

void PenaltyRestAndImpactTest::collisionKeepsMomentum() {
  QFETCH(QString, method);
  QFETCH(QString, evaluate);
  Body plate = test::box("plate", Vec3(0.6, 0.05, 0.6), 1, Vec3::Zero());
  Body box = test::box("box", Vec3(0.1, 0.12, 0.08), 0.3, Vec3(-0.2, 0.12, 0.1));
  box.linearVelocity = Vec3(3, -1, 0.4);
  box.angularVelocity = Vec3(2, -3, 1);
  box.orientation = Quaternion(Eigen::AngleAxisd(0.5, Eigen::Vector3d(0.3, 1, 0.5).normalized()));
  auto scene = test::scene({plate, box}, 0.4);
  scene->gravity = Vec3::Zero();
  Pane pane(scene, method.toStdString(), valuesOf(method, evaluate, 2e3), 1e-3);
  const Vec3 linear = linearMomentum(pane.world()), angular = angularMomentum(pane.world());
  bool touched = false;
  for (int step = 0; step < 200; ++step) touched = !pane.step().contacts.empty() || touched;
  QVERIFY(touched);
  // Rounding of 200 steps over N·s and N·m·s of order one.
  QVERIFY_NEAR((linearMomentum(pane.world()) - linear).norm(), 0, 1e-13);
  QVERIFY_NEAR((angularMomentum(pane.world()) - angular).norm(), 0, 1e-13);
}

/// Gravity rotated by the angle α instead of the plane: tan α = ratio · μ.
static std::shared_ptr<Scene> incline(double friction, double ratio, double depth) {
  auto scene = test::scene({test::ground(), particle(-depth)}, friction);
  const double angle = std::atan(ratio * friction);
  scene->gravity = kGravity * Vec3(std::sin(angle), -std::cos(angle), 0);
  return scene;
}

static ParameterValues stiffFriction(const QString& method, double stiffness) {
  ParameterValues values = valuesOf(method, "start", stiffness);
  values["friction_weighting"] = 1e4;
  values["friction_damping"] = 250.0;  // 1000 N·s/m of four contacts
  values["friction_reset"] = std::string("return-map");
  return values;
}

void PenaltyRestAndImpactTest::sticksBelowTheFrictionAngle_data() {
  QTest::addColumn<QString>("method");
  QTest::newRow("dpf") << "dpf";
  QTest::newRow("cpf") << "cpf";
}

void PenaltyRestAndImpactTest::sticksBelowTheFrictionAngle() {
  QFETCH(QString, method);
  const double k = 1e4, normal = kGravity * std::cos(std::atan(0.5 * 0.9));
  Pane pane(incline(0.5, 0.9, (method == "cpf" ? 1 - 0.02 : 1) * normal / (4 * k)), method.toStdString(),
            stiffFriction(method, k), 1e-3);
  const StepRecord record = pane.run(2);
  QVERIFY_NEAR(pane.world().position[1].x(), 0, 1e-3);
  for (const Contact& contact : record.contacts) QVERIFY(contact.mode == ContactMode::Sticking);
}

void PenaltyRestAndImpactTest::slidesAsCoulombSays_data() { sticksBelowTheFrictionAngle_data(); }

void PenaltyRestAndImpactTest::slidesAsCoulombSays() {
  QFETCH(QString, method);
  const double k = 1e4, mu = 0.5, angle = std::atan(1.3 * mu), normal = kGravity * std::cos(angle);
  Pane pane(incline(mu, 1.3, (method == "cpf" ? 1 - 0.02 : 1) * normal / (4 * k)), method.toStdString(),
            stiffFriction(method, k), 1e-3);
  const StepRecord record = pane.run(2);
  const double speed = 2 * kGravity * (std::sin(angle) - mu * std::cos(angle));
  QVERIFY_NEAR(pane.world().linearVelocity[1].x(), speed, 0.01 * speed);
  for (const Contact& contact : record.contacts) QVERIFY(contact.mode == ContactMode::Sliding);
}

void PenaltyRestAndImpactTest::withoutFrictionNothingActsAlongThePlane() {
  for (const char* method : {"dpf", "cpf"}) {
    auto scene = test::scene({test::ground(), particle(1e-3)});
    scene->bodies[1].linearVelocity = Vec3(0.7, 0, 0);
    Pane pane(scene, method, with(1e4), 1e-3);
    pane.run(1);
    QCOMPARE(pane.world().linearVelocity[1].x(), 0.7);
  }
}

/// Boxes in a heap, on a plate and a plane, with friction: every kind of pair.
static std::shared_ptr<Scene> heap() {
  auto scene = test::scene(
      {test::ground(-0.3), fixed(test::box("plate", Vec3(0.4, 0.1, 0.4), 0, Vec3(0, -0.05, 0)))}, 0.3);
  for (int k = 0; k < 6; ++k) {
    Body body = test::box("box", Vec3(0.1, 0.08, 0.12), 0.5, Vec3(0.03 * k, 0.08 + 0.11 * k, 0.02 * (k % 3)));
    body.orientation = Quaternion(Eigen::AngleAxisd(0.3 * k, Eigen::Vector3d(1, 0.5 * k, 0.3).normalized()));
    scene->bodies.push_back(body);
  }
  return scene;
}

void PenaltyRestAndImpactTest::bitsDoNotDependOnThreads_data() { methodRows(); }

void PenaltyRestAndImpactTest::bitsDoNotDependOnThreads() {
  QFETCH(QString, method);
  QFETCH(QString, evaluate);
  unsigned long long hashes[2];
  std::string memories[2];
  for (int run = 0; run < 2; ++run) {
    std::unique_ptr<ThreadLimit> one;
    if (run == 0) one = std::make_unique<ThreadLimit>(1);
    Pane pane(heap(), method.toStdString(), valuesOf(method, evaluate, 5e3), 1e-3);
    pane.run(0.6);
    hashes[run] = stateHash(pane.world());
    memories[run] = pane.memory();
  }
  QCOMPARE(hashes[0], hashes[1]);
  QVERIFY(memories[0] == memories[1]);
}

void PenaltyRestAndImpactTest::continuesExactlyFromItsMemory_data() { methodRows(); }

void PenaltyRestAndImpactTest::continuesExactlyFromItsMemory() {
  QFETCH(QString, method);
  QFETCH(QString, evaluate);
  const auto scene = heap();
  Pane pane(scene, method.toStdString(), valuesOf(method, evaluate, 5e3), 1e-3);
  pane.run(0.4);
  const World world = pane.world();
  const std::string memory = pane.memory();
  QVERIFY(!memory.empty());
  pane.run(0.1);
  Pane other(scene, method.toStdString(), valuesOf(method, evaluate, 5e3), 1e-3);
  other.world() = world;
  other.restoreMemory(memory);
  QVERIFY(other.memory() == memory);
  other.run(0.1);
  QCOMPARE(stateHash(pane.world()), stateHash(other.world()));
}

/// One body on four corners: heave alone has σ = 4 k h²/m; the warning uses the bound of a particle.
void PenaltyRestAndImpactTest::warnsAboveTheStabilityLimit() {
  const double dt = 1e-3;
  const auto warned = [dt](const char* method, double sigma) {
    Pane pane(test::scene({test::ground(), particle(-1e-4)}), method, with(sigma / (4 * dt * dt)), dt);
    for (const std::string& warning : pane.step().warnings)
      if (warning.find("stability number") == 0) return true;
    return false;
  };
  QVERIFY(!warned("cpf", 1.99) && warned("cpf", 2.01));
  QVERIFY(!warned("dpf", 3.99) && warned("dpf", 4.01));
}

void PenaltyRestAndImpactTest::adoptsWhatOverlapsAtTheStart_data() {
  QTest::addColumn<bool>("plane");
  QTest::newRow("below a plane") << true;
  QTest::newRow("inside a plate") << false;
}

void PenaltyRestAndImpactTest::adoptsWhatOverlapsAtTheStart() {
  QFETCH(bool, plane);
  const Body below = plane ? test::ground() : fixed(test::box("plate", Vec3(2, 0.2, 2), 0, Vec3(0, -0.1, 0)));
  auto scene = test::scene({below, particle(-0.01)});
  scene->gravity = Vec3::Zero();
  for (const char* method : {"dpf", "cpf"}) {
    ParameterValues values = with(1e3);
    values["max_depenetration_speed"] = 0.0;  // as published: the whole depth at once
    Pane pane(scene, method, values, 1e-3);
    const StepRecord record = pane.step();
    QCOMPARE(countOf(record.contacts), 4);
    // Four springs of 1e3 N/m, 10 mm, one step of 1 ms; the particle does not move on the predicted path.
    QVERIFY_NEAR(pane.world().linearVelocity[1].y(), 4 * 1e3 * 0.01 * 1e-3, 1e-12);
    QVERIFY_NEAR(record.quantities[Quantity::MethodDepth], 0.01, 1e-12);
  }
}

void PenaltyRestAndImpactTest::partsNoFasterThanItMay_data() {
  QTest::addColumn<QString>("method");
  QTest::addColumn<bool>("plane");
  QTest::addColumn<QString>("contacts");
  for (const char* method : {"dpf", "cpf"}) {
    QTest::addRow("%s, below a plane", method) << method << true << "faces";
    QTest::addRow("%s, inside a plate", method) << method << false << "faces";
    QTest::addRow("%s, inside a plate, by features", method) << method << false << "features";
  }
}

/// Starts at depths whose springs alone would separate it at a tenth to ten times the parting speed.
void PenaltyRestAndImpactTest::partsNoFasterThanItMay() {
  QFETCH(QString, method);
  QFETCH(bool, plane);
  QFETCH(QString, contacts);
  constexpr double kStiffness = 1e4, kSpeed = 0.1;  // m/s
  const Body below = plane ? test::ground() : fixed(test::box("plate", Vec3(2, 0.2, 2), 0, Vec3(0, -0.1, 0)));
  for (double share : {0.1, 0.9, 1.1, 3.0, 10.0}) {
    auto scene = test::scene({below, particle(-share * kSpeed / std::sqrt(4 * kStiffness))});
    scene->gravity = Vec3::Zero();
    ParameterValues values = with(kStiffness, "contacts", contacts.toStdString());
    values["max_depenetration_speed"] = kSpeed;
    Pane pane(scene, method.toStdString(), values, 1e-4);
    double fastest = 0;
    for (int step = 0; step < 4000; ++step) {
      pane.step();
      fastest = std::max(fastest, pane.world().linearVelocity[1].y());
    }
    QVERIFY2(fastest < 1.02 * kSpeed, qPrintable(QStringLiteral("%1: %2 m/s").arg(share).arg(fastest)));
    QVERIFY(pane.world().position[1].y() > 0.05);  // and they separate
  }
}

void PenaltyRestAndImpactTest::dampingNeverPulls_data() { methodRows(); }

void PenaltyRestAndImpactTest::dampingNeverPulls() {
  QFETCH(QString, method);
  QFETCH(QString, evaluate);
  auto scene = test::scene({test::ground(), particle(0.02)});
  ParameterValues values = valuesOf(method, evaluate, 1e4);
  values["damping"] = 20.0;
  Pane pane(scene, method.toStdString(), values, 1e-3);
  double highest = 0;
  bool touched = false;
  for (int step = 0; step < 2000; ++step) {
    for (const Contact& contact : pane.step().contacts) {
      QVERIFY(contact.normal.y() > 0);
      touched = true;
    }
    if (touched) highest = std::max(highest, pane.world().position[1].y() - 0.05);
  }
  QVERIFY(touched && highest < 0.01);  // well below the drop of 20 mm
  QVERIFY_NEAR(pane.world().linearVelocity[1].norm(), 0, 1e-6);
}

QTEST_APPLESS_MAIN(PenaltyRestAndImpactTest)
#include "tst_penalty_rest_and_impact.moc"
