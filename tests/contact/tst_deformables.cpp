#include <QtTest>

#include <numeric>

#include "core/parallel/parallel_for.h"
#include "core/record/mouse_spring.h"
#include "core/run/comparison.h"
#include "core/run/pane_name.h"
#include "core/run/pane_settings.h"
#include "core/run/simulation.h"
#include "core/scene/replicate.h"
#include "tests/scene/scene_folder.h"
#include "tests/support/near.h"

using namespace touchstone;

/// Bodies that deform under every method that takes them.
class DeformablesTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void aBlockRests_data();
  void aBlockRests();
  void aSheetHangs_data();
  void aSheetHangs();
  void momentumIsKept_data();
  void momentumIsKept();
  void explicitEnergyStaysBounded_data();
  void explicitEnergyStaysBounded();
  void aBallRestsOnACushion_data();
  void aBallRestsOnACushion();
  void frictionHoldsABlockOnASlope_data();
  void frictionHoldsABlockOnASlope();
  void aStretchedBarNeedsItsFlips();
  void heldEndsPullABar();
  void activationSwellsABlock_data();
  void activationSwellsABlock();
  void theEnergyIsThatOfTheActivationNow_data();
  void theEnergyIsThatOfTheActivationNow();
  void activationActsAtTheTimeOfTheMethod_data();
  void activationActsAtTheTimeOfTheMethod();
  void aSpringLiftsABlock_data();
  void aSpringLiftsABlock();
  void aSpringIsCountedInEveryBalance();
  void aHeldPointIsNotPulled();
  void aSpringAtNoPointIsRefused();
  void anAttachedBlockHangs_data();
  void anAttachedBlockHangs();
  void theDirectSolverAgreesWithIterations_data();
  void theDirectSolverAgreesWithIterations();
  void aStripCurlsOnItsLayer();
  void clothTouchesItself_data();
  void clothTouchesItself();
  void theModelsAtVelocityLevelRefuse_data();
  void theModelsAtVelocityLevelRefuse();
  void tooManySubstepsAreRefused();
  void restoredStepsAreTheSame_data();
  void restoredStepsAreTheSame();
  void strainAndVolumeAreThoseOfTheMap_data();
  void strainAndVolumeAreThoseOfTheMap();
  void volumesOfBodiesDoNotCancel();
  void clothHasStrainAndNoVolume();
  void rigidBodiesHaveNeither();
  void aBarTurnedInsideOutHasDiverged_data();
  void aBarTurnedInsideOutHasDiverged();
  void fewInvertedTetrahedraGoOn_data();
  void fewInvertedTetrahedraGoOn();
  void theOtherPanesGoOn();
  void theOtherReplicasGoOn();

 private:
  test::SceneFolder m_folder;
  std::shared_ptr<const Scene> block(const QByteArray& elasticity, const QByteArray& more = {},
                                     const QByteArray& position = "0, 0.12, 0");
};

namespace {

constexpr double kG = 9.81;

void methods() {
  QTest::addColumn<QString>("method");
  for (const char* name : {"dpf", "dpf-ccd", "cpf", "nsn"}) QTest::newRow(name) << QString::fromLatin1(name);
}
void explicitMethods() {
  QTest::addColumn<QString>("method");
  for (const char* name : {"dpf", "dpf-ccd", "cpf"}) QTest::newRow(name) << QString::fromLatin1(name);
}

const char kGround[] =
    "{\"name\": \"ground\", \"motion\": \"static\", \"material\": \"rubber\", "
    "\"shape\": {\"type\": \"plane\", \"normal\": [0, 1, 0]}}";
const char kMaterials[] =
    "\"dt\": 0.008333333333333333, \"materials\": [{\"name\": \"rubber\", \"density\": 1000, \"friction\": "
    "0.5}, "
    "{\"name\": \"ice\", \"density\": 1000}], ";

std::unique_ptr<Simulation> simulation(const std::shared_ptr<const Scene>& scene, const QString& method,
                                       const ParameterValues& values = {}) {
  PaneSettings settings = suggestedPane(*scene, method.toStdString());
  settings.parameters = values;
  return std::make_unique<Simulation>(scene, settings, scene->dt);
}

/// Mean of the normal force over the last frames [N].
double meanForce(Simulation& run, int frames, int counted) {
  double sum = 0;
  for (int frame = 0; frame < frames; ++frame) {
    const RecordPtr record = run.step();
    if (frame >= frames - counted) sum += record->quantities[Quantity::NormalForce];
  }
  return sum / counted;
}

/// Record of the start with the particles [first, last) at places that `move` gives.
template <class Move>
RecordPtr moved(Simulation& run, std::size_t first, std::size_t last, const Move& move) {
  Snapshot state = run.snapshot();
  for (std::size_t particle = first; particle < std::min(last, state.particles.size()); ++particle)
    state.particles[particle] = move(state.particles[particle]);
  run.restore(state);
  return run.current();
}
constexpr std::size_t kAll = 1000000;

bool tells(const StepRecord& record, const char* text) {
  return std::any_of(record.warnings.begin(), record.warnings.end(),
                     [text](const std::string& warning) { return warning.find(text) != std::string::npos; });
}

}  // namespace

std::shared_ptr<const Scene> DeformablesTest::block(const QByteArray& elasticity, const QByteArray& more,
                                                    const QByteArray& position) {
  return m_folder.load(
      QByteArray(kGround) + ", {\"name\": \"block\", \"material\": \"rubber\", \"position\": [" + position +
          "], \"shape\": {\"type\": \"lattice\", \"size\": [0.2, 0.2, 0.2], \"cells\": [2, 2, 2]}, "
          "\"deformable\": {" +
          elasticity + "}" + more + "}",
      kMaterials);
}

void DeformablesTest::aBlockRests_data() {
  QTest::addColumn<QString>("method");
  QTest::addColumn<QByteArray>("elasticity");
  QTest::addColumn<double>("share");
  for (const char* law : {"neo-hookean", "corotational"}) {
    const QByteArray own = QByteArray("\"model\": \"") + law + "\", \"young\": 1e5, \"poisson\": 0.4";
    for (const char* method : {"dpf", "dpf-ccd", "cpf"})
      QTest::addRow("%s %s", method, law)
          << QString::fromLatin1(method) << own + ", \"damping\": 0.005" << 0.01;
    QTest::addRow("nsn %s", law) << QStringLiteral("nsn") << own << 1e-5;
  }
}

/// 8 kg dropped by 2 cm: in the end the ground carries the weight.
void DeformablesTest::aBlockRests() {
  QFETCH(QString, method);
  QFETCH(QByteArray, elasticity);
  QFETCH(double, share);
  const auto run = simulation(block(elasticity), method);
  const double force = meanForce(*run, 160, 40), weight = 8 * kG;
  QVERIFY2(std::abs(force / weight - 1) < share, qPrintable(QString::number(force / weight - 1)));
  QVERIFY(run->current()->status == StepStatus::Ok);
  QVERIFY(run->current()->quantities[Quantity::EnergyElastic] > 0);
}

void DeformablesTest::aSheetHangs_data() {
  QTest::addColumn<QByteArray>("stiffness");
  QTest::addColumn<double>("longer");
  QTest::newRow("100 N/m") << QByteArray("\"edge_stiffness\": 100") << 2.21e-3;
  QTest::newRow("1000 N/m") << QByteArray("\"edge_stiffness\": 1000") << 0.22e-3;
  QTest::newRow("inextensible") << QByteArray("\"inextensible\": true") << 0.0;
}

/// A sheet of 0.5 m and 0.2 kg/m², held along its upper edge, under NSN.
void DeformablesTest::aSheetHangs() {
  QFETCH(QByteArray, stiffness);
  QFETCH(double, longer);
  const auto scene = m_folder.load(
      "{\"name\": \"sheet\", \"orientation\": {\"axis\": [1, 0, 0], \"angle_deg\": 90}, "
      "\"shape\": {\"type\": \"cloth\", \"size\": [0.5, 0.5], \"cells\": [10, 10], \"grid\": \"right\"}, "
      "\"deformable\": {\"area_density\": 0.2, \"bending\": 1e-6, " +
          stiffness + ", \"held\": [{\"box\": [[-0.3, -0.01, -0.26], [0.3, 0.01, -0.24]]}]}}",
      "\"dt\": 0.008333333333333333, ");
  const auto run = simulation(scene, QStringLiteral("nsn"));
  for (int frame = 0; frame < 180; ++frame) run->step();
  std::vector<double> heights;
  for (const Vec3& particle : run->current()->particles) heights.push_back(particle.y());
  std::sort(heights.begin(), heights.end());
  const double lowest = std::accumulate(heights.begin(), heights.begin() + 11, 0.0) / 11,  // its lower edge
      lengthening = 0.25 - lowest - 0.5;
  QVERIFY2(std::abs(lengthening - longer) < 1e-4, qPrintable(QString::number(lengthening)));
}

void DeformablesTest::momentumIsKept_data() { methods(); }

/// Two soft blocks that meet in free flight.
void DeformablesTest::momentumIsKept() {
  QFETCH(QString, method);
  const auto blockAt = [](const char* name, const char* position, const char* velocity) {
    return QByteArray("{\"name\": \"") + name + "\", \"material\": \"ice\", \"position\": [" + position +
           "], \"velocity\": [" + velocity +
           "], \"shape\": {\"type\": \"lattice\", \"size\": [0.2, 0.2, 0.2], \"cells\": [2, 2, 2]}, "
           "\"deformable\": {\"young\": 1e5, \"poisson\": 0.3}}";
  };
  const auto scene = m_folder.load(
      blockAt("left", "-0.15, 0, 0", "1, 0, 0") + ", " + blockAt("right", "0.15, 0.07, 0.03", "-1, 0, 0.1"),
      QByteArray(kMaterials) + "\"gravity\": [0, 0, 0], ");
  const auto run =
      simulation(scene, method,
                 method == QStringLiteral("nsn")
                     ? ParameterValues{{"max_iterations", 40.0}, {"linear_solver", std::string("direct")}}
                     : ParameterValues{});
  double touched = 0, linear = 0, angular = 0;
  for (int frame = 0; frame < 24; ++frame) {
    const RecordPtr record = run->step();
    touched += record->normalImpulseSum;
    linear = std::max(linear, record->quantities[Quantity::MomentumLinearError]);
    angular = std::max(angular, record->quantities[Quantity::MomentumAngularError]);
  }
  QVERIFY(touched > 0.1);
  const double scale = 2 * 8 * 1.0;  // N·s
  QVERIFY2(linear < 1e-10 * scale, qPrintable(QString::number(linear)));
  if (method != QStringLiteral("nsn"))
    QVERIFY2(angular < 0.02 * scale * 0.1, qPrintable(QString::number(angular)));
}

void DeformablesTest::explicitEnergyStaysBounded_data() { explicitMethods(); }

void DeformablesTest::explicitEnergyStaysBounded() {
  QFETCH(QString, method);
  const auto run = simulation(block("\"young\": 2e4, \"poisson\": 0.4, \"damping\": 0.002"), method);
  double highest = -1e300;
  for (int frame = 0; frame < 240; ++frame)
    highest = std::max(highest, run->step()->quantities[Quantity::EnergyDrift]);
  const double fall = 8 * kG * 0.02;  // J
  QVERIFY2(highest < 0.05 * fall, qPrintable(QString::number(highest / fall)));
}

void DeformablesTest::aBallRestsOnACushion_data() { methods(); }

/// A rigid ball falls on a soft cushion: contact of a rigid surface with one that deforms.
void DeformablesTest::aBallRestsOnACushion() {
  QFETCH(QString, method);
  const auto scene = m_folder.load(
      QByteArray(kGround) +
          ", {\"name\": \"cushion\", \"material\": \"rubber\", \"position\": [0, 0.05, 0], "
          "\"shape\": {\"type\": \"lattice\", \"size\": [0.3, 0.1, 0.3], \"cells\": [6, 2, 6]}, "
          "\"deformable\": {\"young\": 1e5, \"poisson\": 0.3, \"damping\": 0.005}}"
          ", {\"name\": \"ball\", \"material\": \"rubber\", \"position\": [0.01, 0.17, 0.02], "
          "\"shape\": {\"type\": \"sphere\", \"radius\": 0.06, \"subdivisions\": 2}}",
      kMaterials);
  const auto run = simulation(scene, method);
  double height = 0;
  for (int frame = 0; frame < 120; ++frame) height = run->step()->bodies[2].position.y();
  QVERIFY2(height > 0.12 && height < 0.165, qPrintable(QString::number(height)));
  QVERIFY(run->current()->bodies[2].linearVelocity.norm() < 0.1);
  QVERIFY(run->current()->status == StepStatus::Ok);
}

void DeformablesTest::frictionHoldsABlockOnASlope_data() {
  QTest::addColumn<QString>("method");
  QTest::addColumn<double>("share");
  QTest::addColumn<bool>("holds");
  for (const char* method : {"cpf", "nsn"}) {
    QTest::addRow("%s holds", method) << QString::fromLatin1(method) << 0.8 << true;
    QTest::addRow("%s slides", method) << QString::fromLatin1(method) << 1.3 << false;
  }
}

/// Gravity is turned by the angle of a slope.
void DeformablesTest::frictionHoldsABlockOnASlope() {
  QFETCH(QString, method);
  QFETCH(double, share);
  QFETCH(bool, holds);
  const double angle = std::atan(0.5 * share);
  const auto scene = m_folder.load(
      QByteArray(kGround) +
          ", {\"name\": \"block\", \"material\": \"rubber\", \"position\": [0, 0.1, 0], "
          "\"shape\": {\"type\": \"lattice\", \"size\": [0.2, 0.2, 0.2], \"cells\": [2, 2, 2]}, "
          "\"deformable\": {\"young\": 2e5, \"poisson\": 0.3, \"damping\": 0.005}}",
      QByteArray(kMaterials) + "\"gravity\": [" + QByteArray::number(kG * std::sin(angle), 'g', 17) + ", " +
          QByteArray::number(-kG * std::cos(angle), 'g', 17) + ", 0], ");
  const auto run = simulation(scene, method);
  for (int frame = 0; frame < 30; ++frame) run->step();
  const double before = run->current()->bodies[1].position.x();
  for (int frame = 0; frame < 30; ++frame) run->step();
  const double way = run->current()->bodies[1].position.x() - before;
  if (holds)
    QVERIFY2(way < 2e-3, qPrintable(QString::number(way)));
  else
    QVERIFY2(way > 0.05, qPrintable(QString::number(way)));
}

/// The published rows of a Neo-Hookean bar have no shear stiffness at rest: it stalls where six rows
/// converge.
void DeformablesTest::aStretchedBarNeedsItsFlips() {
  const auto scene = block("\"model\": \"neo-hookean\", \"young\": 1e6, \"poisson\": 0.45");
  double residual[2];
  for (const int form : {0, 1}) {
    const auto run = simulation(scene, QStringLiteral("nsn"),
                                {{"elastic", std::string(form == 0 ? "three" : "six")},
                                 {"max_iterations", 20.0},
                                 {"linear_solver", std::string("direct")}});
    for (int frame = 0; frame < 40; ++frame) run->step();
    residual[form] = run->current()->quantities[Quantity::Residual];
  }
  QVERIFY2(residual[1] < 1e-7, qPrintable(QString::number(residual[1])));
  QVERIFY2(residual[0] > 1e3 * residual[1], qPrintable(QString::number(residual[0])));
}

/// A bar whose ends are pulled apart: held particles follow their path, the middle stays in the middle.
void DeformablesTest::heldEndsPullABar() {
  const auto scene = m_folder.load(
      "{\"name\": \"bar\", \"shape\": {\"type\": \"lattice\", \"size\": [0.4, 0.1, 0.1], \"cells\": [8, 2, "
      "2]}, "
      "\"deformable\": {\"young\": 1e5, \"poisson\": 0.45, \"held\": ["
      "{\"box\": [[-0.21, -1, -1], [-0.19, 1, 1]], \"path\": [[0, [0, 0, 0]], [0.5, [-0.1, 0, 0]]]}, "
      "{\"box\": [[0.19, -1, -1], [0.21, 1, 1]], \"path\": [[0, [0, 0, 0]], [0.5, [0.1, 0, 0]]]}]}}",
      "\"dt\": 0.008333333333333333, \"gravity\": [0, 0, 0], ");
  for (const char* method : {"cpf", "nsn"}) {
    const auto run = simulation(scene, QString::fromLatin1(method));
    for (int frame = 0; frame < 120; ++frame) run->step();
    double low = 0, high = 0;
    for (const Vec3& particle : run->current()->particles) {
      low = std::min(low, particle.x());
      high = std::max(high, particle.x());
    }
    QVERIFY(std::abs(low + 0.3) < 1e-9 && std::abs(high - 0.3) < 1e-9);
    QVERIFY(run->current()->bodies[0].position.norm() < 1e-3);
    QVERIFY(run->current()->quantities[Quantity::EnergyElastic] > 1);
  }
}

namespace {

/// A free block, or a held one, whose eigenstrain follows a path.
QByteArray activeBlock(const QByteArray& path, const QByteArray& more = {}) {
  return "{\"name\": \"block\", \"shape\": {\"type\": \"lattice\", \"size\": [0.2, 0.2, 0.2], "
         "\"cells\": [2, 2, 2]}, \"deformable\": {\"model\": \"corotational\", \"young\": 1e5, "
         "\"poisson\": 0.3, \"activation\": {\"eigenstrain\": " +
         path + "}" + more + "}}";
}
const char kNoGravity[] = "\"dt\": 0.008333333333333333, \"gravity\": [0, 0, 0], ";

}  // namespace

void DeformablesTest::activationSwellsABlock_data() { methods(); }

/// Free, it becomes longer by ε* of the time, and stays there without stress.
void DeformablesTest::activationSwellsABlock() {
  QFETCH(QString, method);
  const auto scene = m_folder.load(
      activeBlock("[[0.25, 0], [0.75, 0.1]]", ", \"damping\": 0.005, \"mass_damping\": 2"), kNoGravity);
  const auto run = simulation(scene, method);
  const auto longer = [&] {
    double low = 0, high = 0;
    for (const Vec3& particle : run->current()->particles) {
      low = std::min(low, particle.x());
      high = std::max(high, particle.x());
    }
    return (high - low) / 0.2 - 1;
  };
  const auto runTo = [&](long frame) {
    while (run->current()->frame < frame) run->step();
  };
  runTo(30);
  QVERIFY_NEAR(longer(), 0, 1e-12);
  runTo(60);  // it follows within the time of its damping
  QVERIFY_NEAR(longer(), 0.05, 0.01);
  runTo(360);
  QVERIFY_NEAR(longer(), 0.1, 1e-4);
  QVERIFY(run->current()->quantities[Quantity::EnergyElastic] < 1e-3);  // of 30 J where it began
  QVERIFY(run->current()->status == StepStatus::Ok);
}

void DeformablesTest::theEnergyIsThatOfTheActivationNow_data() { methods(); }

/// All particles are held: U = V (3 μ + 9 λ / 2) ε*².
void DeformablesTest::theEnergyIsThatOfTheActivationNow() {
  QFETCH(QString, method);
  const auto scene = m_folder.load(
      activeBlock("[[0.1, 0.02], [0.3, -0.08]]", ", \"held\": [{\"box\": [[-1, -1, -1], [1, 1, 1]]}]"),
      kNoGravity);
  const double mu = 1e5 / 2.6, lambda = 1e5 * 0.3 / (1.3 * 0.4);
  const auto run = simulation(scene, method);
  for (int frame = 0; frame <= 48; ++frame) {
    const double share = std::clamp((run->current()->time - 0.1) / 0.2, 0.0, 1.0),
                 strain = 0.02 - 0.1 * share, energy = 0.008 * (3 * mu + 4.5 * lambda) * strain * strain;
    QVERIFY_NEAR(run->current()->quantities[Quantity::EnergyElastic], energy, 1e-10);
    QVERIFY(run->step()->status == StepStatus::Ok);
  }
}

void DeformablesTest::activationActsAtTheTimeOfTheMethod_data() { methods(); }

/// The forces of an explicit step are those at its start, where the block rests; the equations of an implicit
/// one are those at its end.
void DeformablesTest::activationActsAtTheTimeOfTheMethod() {
  QFETCH(QString, method);
  const auto scene = m_folder.load(activeBlock("[[0, 0], [1, 0.1]]"), kNoGravity);
  PaneSettings settings = suggestedPane(*scene, method.toStdString());
  const int substeps = settings.substeps;
  settings.substeps = 1;
  Simulation run(scene, settings, scene->dt / substeps);
  const auto speed = [&run] {
    double fastest = 0;
    for (const Vec3& velocity : run.step()->particleVelocities) fastest = std::max(fastest, velocity.norm());
    return fastest;
  };
  constexpr double kMoves = 1e-6;  // m/s; rounding of the rest moves it by 1e-15, ε* of one step by 1e-4
  const double first = speed(), second = speed();
  QCOMPARE(first > kMoves, method == QStringLiteral("nsn"));
  QVERIFY2(second > kMoves, qPrintable(QString::number(second)));
}

void DeformablesTest::aSpringLiftsABlock_data() { methods(); }

/// The mouse lifts a soft block by its upper face and keeps it in the air: in the end it carries the weight.
void DeformablesTest::aSpringLiftsABlock() {
  QFETCH(QString, method);
  const auto scene = block("\"young\": 5e4, \"poisson\": 0.3, \"damping\": 0.01");
  const auto run = simulation(scene, method);
  run->step();
  const double step = scene->dt / run->settings().substeps;
  Spring spring = mouseSpring(*scene, *run->current(), 1, Vec3(0, 0.25, 0), step);
  QVERIFY(heldPoint(spring, *scene, *run->current()).y() > 0.2);
  const double start = spring.target.y();
  double work = 0, highest = -1e300, lowest = 1e300;
  for (int frame = 0; frame < 480; ++frame) {
    spring.target.y() = start + 0.5 * std::min(1.0, frame / 120.0);
    run->pull(spring);
    const RecordPtr record = run->step();
    QVERIFY(record->status == StepStatus::Ok);
    QVERIFY(record->pull && record->pull->body == 1 && record->pull->target == spring.target);
    work += record->pullWork;
    highest = std::max(highest, record->quantities[Quantity::EnergyDrift]);
    lowest = std::min(lowest, record->quantities[Quantity::EnergyDrift]);
  }
  const StepRecord& end = *run->current();
  QVERIFY2(end.bodies[1].position.y() > 0.4, qPrintable(QString::number(end.bodies[1].position.y())));
  QVERIFY2(std::abs(end.pull->force / (8 * kG) - 1) < 0.02, qPrintable(QString::number(end.pull->force)));
  QVERIFY((end.pull->point - heldPoint(spring, *scene, end)).norm() < 1e-3);
  const double lifted = 8 * kG * (end.bodies[1].position.y() - 0.1);  // J
  QVERIFY2(work > 0.9 * lifted, qPrintable(QString::number(work / lifted)));
  // Damping and impact take energy out; uncounted work would show as a rise by `lifted`.
  QVERIFY2(highest < 0.05 * lifted, qPrintable(QString::number(highest / lifted)));
  QVERIFY2(lowest > -0.5 * lifted, qPrintable(QString::number(lowest / lifted)));
}

/// A sphere in cubes, pulled in free flight at a point inside a triangle, whose corners follow four particles
/// each.
void DeformablesTest::aSpringIsCountedInEveryBalance() {
  const auto scene = m_folder.load(
      "{\"name\": \"ball\", \"material\": \"ice\", \"position\": [0.3, 1, 0.2], \"shape\": {\"type\": "
      "\"sphere\", \"radius\": 0.1, \"subdivisions\": 2}, \"deformable\": {\"young\": 2e4, \"poisson\": "
      "0.3, \"cell\": 0.08}}",
      kMaterials);
  double drift[2];
  for (const int finer : {1, 4}) {
    PaneSettings settings = suggestedPane(*scene, "cpf");
    settings.substeps *= finer;
    Simulation run(scene, settings, scene->dt);
    Spring spring =
        mouseSpring(*scene, *run.current(), 0, Vec3(0.36, 1.07, 0.24), scene->dt / settings.substeps);
    spring.stiffness = 300;  // N/m, the same for both
    spring.damping = 2;
    QVERIFY(std::all_of(spring.surface.weights.begin(), spring.surface.weights.end(),
                        [](double weight) { return weight > 0.01; }));
    spring.target += Vec3(0.2, 0.1, -0.1);
    run.pull(spring);
    double work = 0;
    for (int frame = 0; frame < 40; ++frame) work += run.step()->pullWork;
    const QuantityValues& now = run.current()->quantities;
    QVERIFY(now[Quantity::MomentumLinear] > 0.1 && work > 0.1);
    QVERIFY2(now[Quantity::MomentumLinearError] < 1e-12,
             qPrintable(QString::number(now[Quantity::MomentumLinearError])));
    QVERIFY2(now[Quantity::MomentumAngularError] < 1e-12,
             qPrintable(QString::number(now[Quantity::MomentumAngularError])));
    drift[finer > 1] = now[Quantity::EnergyDrift];
    QVERIFY2(std::abs(drift[finer > 1]) < 0.02 * work, qPrintable(QString::number(drift[finer > 1] / work)));
  }
  // The rest is the error of the step itself, at least first order in h.
  QVERIFY2(std::abs(drift[1]) < 0.3 * std::abs(drift[0]), qPrintable(QString::number(drift[1] / drift[0])));
}

/// As a static body: nothing moves, and no record tells of a pull.
void DeformablesTest::aHeldPointIsNotPulled() {
  const auto scene = block("\"young\": 1e5, \"held\": [{\"box\": [[-1, 0.09, -1], [1, 1, 1]]}]");
  const auto run = simulation(scene, QStringLiteral("cpf"));
  Spring spring = mouseSpring(*scene, *run->current(), 1, Vec3(0.02, 0.22, 0.03), scene->dt);
  QVERIFY(spring.stiffness == 0 && spring.damping == 0);
  spring.stiffness = 1000;
  spring.target.y() += 1;
  run->pull(spring);
  const RecordPtr record = run->step();
  QVERIFY(!record->pull && record->pullWork == 0 && record->pullImpulse == Vec3(0, 0, 0));
  Simulation other(scene, run->settings(), scene->dt);
  QCOMPARE(other.step()->stateHash, record->stateHash);
}

void DeformablesTest::aSpringAtNoPointIsRefused() {
  const auto scene = block("\"young\": 1e5");
  const auto run = simulation(scene, QStringLiteral("cpf"));
  Spring good = mouseSpring(*scene, *run->current(), 1, Vec3(0, 0.25, 0), scene->dt);
  const auto refuses = [&](const Spring& spring, const char* says) {
    try {
      run->pull(spring);
    } catch (const std::invalid_argument& error) {
      return std::string(error.what()).find(says) != std::string::npos;
    }
    return false;
  };
  run->pull(good);
  Spring bad = good;
  bad.body = 2;
  QVERIFY(refuses(bad, "no body 2"));
  bad.body = 0;
  QVERIFY(refuses(bad, "does not deform"));
  bad = good;
  bad.surface = {};
  QVERIFY(refuses(bad, "vertices of its surface"));
  bad.surface = {{0, -1, 4000}, {0.5, 0, 0.5}};
  QVERIFY(refuses(bad, "no vertex 4000"));
  bad.surface = {{0, -1, 1}, {0.5, 0, 0.6}};
  QVERIFY(refuses(bad, "add up to 1"));
}

void DeformablesTest::theDirectSolverAgreesWithIterations_data() {
  QTest::addColumn<QByteArray>("deformable");
  QTest::addColumn<QString>("friction");
  const QByteArray
      tets = "\"young\": 1e5, \"poisson\": 0.4",
      rigid = tets +
              ", \"layer\": {\"box\": [[-0.11, -0.11, -0.11], [0.11, -0.09, 0.11]], \"inextensible\": true}";
  QTest::newRow("tetrahedra") << tets << QStringLiteral("split");
  QTest::newRow("with rigid edges") << rigid << QStringLiteral("split");
  QTest::newRow("with slip in the matrix") << tets << QStringLiteral("full");
}

/// Elements are eliminated from the matrix, other rows are not: the step is the same. A block falls on a
/// hinged plate, so that particles, bodies, joints and contacts share an island.
void DeformablesTest::theDirectSolverAgreesWithIterations() {
  QFETCH(QByteArray, deformable);
  QFETCH(QString, friction);
  const auto scene = m_folder.load(
      QByteArray(kGround) +
          ", {\"name\": \"plate\", \"material\": \"rubber\", \"position\": [0, 0.3, 0], \"shape\": "
          "{\"type\": "
          "\"box\", \"size\": [0.6, 0.02, 0.4]}}, {\"name\": \"block\", \"material\": \"rubber\", "
          "\"position\": "
          "[0.05, 0.412, 0], \"shape\": {\"type\": \"lattice\", \"size\": [0.2, 0.2, 0.2], \"cells\": [2, 2, "
          "2]}, "
          "\"deformable\": {" +
          deformable + "}}",
      QByteArray("\"joints\": [{\"name\": \"hinge\", \"type\": \"revolute\", \"body_b\": \"plate\", "
                 "\"position\": [-0.3, 0.3, 0], \"axis\": [0, 0, 1]}], ") +
          kMaterials);
  std::vector<RecordPtr> ends;
  for (const char* solver : {"direct", "pcr"}) {
    ParameterValues values{{"linear_solver", std::string(solver)}, {"linear_iterations", 3000.0}};
    if (std::string(solver) == "direct") values["friction"] = friction.toStdString();
    const auto run = simulation(scene, QStringLiteral("nsn"), values);
    for (int frame = 0; frame < 10; ++frame) ends.push_back(run->step());
  }
  QVERIFY(ends[9]->quantities[Quantity::NormalForce] > 1);
  for (std::size_t frame = 0; frame < 10; ++frame)
    for (std::size_t particle = 0; particle < ends[frame]->particleVelocities.size(); ++particle) {
      const double apart =
          (ends[frame]->particleVelocities[particle] - ends[10 + frame]->particleVelocities[particle]).norm();
      QVERIFY2(apart < 1e-5, qPrintable(QString::number(apart) + " m/s, frame " + QString::number(frame)));
    }
}

/// A solid strip of 100 × 20 × 20 mm that swells by 2 % on a bottom that does not stretch: a beam of strips
/// curls by 1.5 ε L / H = 8.6°, these tetrahedra by 8.5°.
void DeformablesTest::aStripCurlsOnItsLayer() {
  const auto scene = m_folder.load(
      "{\"name\": \"strip\", \"density\": 1200, \"shape\": {\"type\": \"lattice\", \"size\": [0.1, 0.02, "
      "0.02], "
      "\"cells\": [20, 4, 4]}, \"deformable\": {\"model\": \"corotational\", \"young\": 1e7, \"poisson\": "
      "0.47, "
      "\"activation\": {\"eigenstrain\": 0.02}, \"layer\": {\"box\": [[-0.06, -0.011, -0.011], [0.06, "
      "-0.009, 0.011]], "
      "\"edge_stiffness\": 1e7}, \"held\": [{\"box\": [[-0.051, -0.011, -0.011], [-0.049, 0.011, 0.011]]}]}}",
      "\"dt\": 0.02, \"gravity\": [0, 0, 0], ");
  const auto run = simulation(scene, QStringLiteral("nsn"),
                              {{"linear_solver", std::string("direct")},
                               {"geometric", std::string("joints")},
                               {"max_iterations", 20.0}});
  for (int frame = 0; frame < 8; ++frame) run->step();
  const Deformable& own = *scene->bodies[0].deformable;
  const std::vector<Vec3>& now = run->current()->particles;
  Vec3 end(0, 0, 0), before(0, 0, 0);  // means of the last two rows of the bottom
  for (std::size_t particle = 0; particle < own.rest.size(); ++particle) {
    const Vec3& rest = own.rest[particle];
    if (rest.y() > -0.0099) continue;
    if (rest.x() > 0.0499) end += now[particle] / 5;
    if (std::abs(rest.x() - 0.045) < 1e-4) before += now[particle] / 5;
  }
  const double angle = std::atan2(before.y() - end.y(), end.x() - before.x()) * 180 / M_PI;
  QVERIFY2(std::abs(angle - 8.5) < 0.3, qPrintable(QString::number(angle)));
  for (const ClothEdge& edge : own.edges) {
    const double length = (now[edge.particles[1]] - now[edge.particles[0]]).norm();
    QVERIFY2(std::abs(length / edge.length - 1) < 1e-3,
             qPrintable(QString::number(length / edge.length - 1)));
  }
}

/// A soft block whose upper face is part of a rigid plate, which a joint holds: the joint carries both.
void DeformablesTest::anAttachedBlockHangs_data() {
  QTest::addColumn<QString>("method");
  for (const char* name : {"dpf", "cpf", "nsn"}) QTest::newRow(name) << QString::fromLatin1(name);
}
void DeformablesTest::anAttachedBlockHangs() {
  QFETCH(QString, method);
  const auto scene = m_folder.load(
      "{\"name\": \"plate\", \"mass\": 2, \"inertia\": [0.01, 0.01, 0.01], \"position\": [0, 0.11, 0], "
      "\"shape\": {\"type\": \"box\", \"size\": [0.2, 0.02, 0.2]}}, "
      "{\"name\": \"block\", \"shape\": {\"type\": \"lattice\", \"size\": [0.2, 0.2, 0.2], \"cells\": [2, 2, "
      "2]}, "
      "\"deformable\": {\"young\": 1e5, \"poisson\": 0.3, \"mass_damping\": 2, \"attach\": [{\"body\": "
      "\"plate\", "
      "\"box\": [[-1, 0.09, -1], [1, 0.11, 1]]}]}}",
      "\"dt\": 0.008333333333333333, \"joints\": [{\"name\": \"hook\", \"type\": \"fixed\", \"body_b\": "
      "\"plate\", "
      "\"position\": [0, 0.11, 0]}], ");
  const bool isImplicit = method == QStringLiteral("nsn");
  const auto run =
      simulation(scene, method,
                 isImplicit ? ParameterValues{{"linear_solver", std::string("direct")}} : ParameterValues());
  // Explicit elasticity still swings a little: the mean over some periods is the weight.
  const int frames = isImplicit ? 180 : 480, counted = isImplicit ? 1 : 240;
  double force = 0;
  for (int frame = 0; frame < frames; ++frame) {
    const RecordPtr record = run->step();
    if (frame >= frames - counted) force += record->joints[0].force.norm() / counted;
  }
  QVERIFY2(std::abs(force / (10 * kG) - 1) < 1e-3, qPrintable(QString::number(force)));
  QVERIFY(run->current()->bodies[1].position.y() < -1e-4);  // it sags
  const Deformable& own = *scene->bodies[1].deformable;
  QVERIFY(own.attachments.size() == 9);
  for (const ParticleAttachment& attachment : own.attachments) {
    const Vec3 place = run->current()->bodies[0].position + attachment.local;  // the plate does not turn
    QVERIFY_NEAR((run->current()->particles[attachment.particle] - place).norm(), 0, 1e-8);
  }
}

void DeformablesTest::clothTouchesItself_data() {
  QTest::addColumn<QString>("method");
  for (const char* name : {"cpf", "nsn"}) QTest::newRow(name) << QString::fromLatin1(name);
}

/// A strip that stands nearly upright falls and folds onto itself.
void DeformablesTest::clothTouchesItself() {
  QFETCH(QString, method);
  const auto scene = [&](const char* self) {
    return m_folder.load(
        QByteArray(kGround) +
            ", {\"name\": \"strip\", \"material\": \"cloth\", \"position\": [0, 0.21, 0], "
            "\"orientation\": {\"axis\": [1, 0, 0], \"angle_deg\": 88}, "
            "\"shape\": {\"type\": \"cloth\", \"size\": [0.06, 0.4], \"cells\": [3, 20], \"grid\": "
            "\"alternating\"}, \"deformable\": {\"area_density\": 0.5, \"bending\": 1e-5, "
            "\"edge_stiffness\": 200, \"mass_damping\": 1, \"self\": " +
            self + "}}",
        QByteArray("\"dt\": 0.008333333333333333, \"materials\": [{\"name\": \"rubber\", "
                   "\"friction\": 0.5}, {\"name\": \"cloth\", \"friction\": 0.3, \"thickness\": 0.002}], "));
  };
  const auto own = [&](const char* self) {
    const auto run = simulation(scene(self), method);
    int touched = 0;
    for (int frame = 0; frame < 60; ++frame)
      for (const Contact& contact : run->step()->contacts)
        touched += contact.bodyA == contact.bodyB && contact.normalImpulse > 0;
    return touched;
  };
  QVERIFY(own("true") > 0);
  QCOMPARE(own("false"), 0);
}

void DeformablesTest::theModelsAtVelocityLevelRefuse_data() {
  QTest::addColumn<QString>("method");
  for (const char* name : {"lcp", "peg"}) QTest::newRow(name) << QString::fromLatin1(name);
}

void DeformablesTest::theModelsAtVelocityLevelRefuse() {
  QFETCH(QString, method);
  const auto scene = block("\"young\": 1e5");
  const std::string text = refusal(*scene, paneNamed(method.toStdString()));
  QVERIFY2(text.find("'block' deforms") != std::string::npos && text.find("nsn") != std::string::npos,
           text.c_str());
}

void DeformablesTest::tooManySubstepsAreRefused() {
  const auto scene = block("\"young\": 1e12, \"poisson\": 0.3");
  const std::string text = refusal(*scene, paneNamed("cpf"));
  QVERIFY2(text.find("substeps, above 5000") != std::string::npos, text.c_str());
  QVERIFY(refusal(*scene, paneNamed("nsn")).empty());
  const auto soft = block("\"young\": 1e5, \"poisson\": 0.3");
  QVERIFY(suggestedPane(*soft, "cpf").substeps > 1);
  QCOMPARE(suggestedPane(*soft, "nsn").substeps, 1);
  PaneSettings few = suggestedPane(*soft, "cpf");
  const std::string wanted = std::to_string(few.substeps) + " substeps would do";
  few.substeps = 1;
  Simulation run(soft, few, soft->dt);
  const RecordPtr record = run.step();
  const auto tells = [&](const std::string& warning) { return warning.find(wanted) != std::string::npos; };
  QVERIFY(std::any_of(record->warnings.begin(), record->warnings.end(), tells));
}

void DeformablesTest::restoredStepsAreTheSame_data() { methods(); }

/// On any number of threads, with all that acts from outside.
void DeformablesTest::restoredStepsAreTheSame() {
  QFETCH(QString, method);
  const auto scene = block(
      "\"model\": \"corotational\", \"young\": 1e5, \"poisson\": 0.4, \"activation\": "
      "{\"eigenstrain\": [[0.1, 0], [0.2, 0.05]], \"box\": [[-1, -1, -1], [1, 0, 1]]}");
  const auto run = simulation(scene, method);
  for (int frame = 0; frame < 20; ++frame) run->step();
  Spring spring =
      mouseSpring(*scene, *run->current(), 1, Vec3(0.03, 0.25, 0.02), scene->dt / run->settings().substeps);
  spring.target += Vec3(0.1, 0.2, 0);
  run->pull(spring);
  run->step();
  const Checkpoint checkpoint = run->checkpoint();
  for (int frame = 0; frame < 10; ++frame) run->step();
  for (const int threads : {1, 3}) {
    const ThreadLimit limit(threads);
    Simulation again(scene, checkpoint);
    for (int frame = 0; frame < 10; ++frame) again.step();
    QCOMPARE(again.current()->stateHash, run->current()->stateHash);
  }
}

void DeformablesTest::strainAndVolumeAreThoseOfTheMap_data() { methods(); }

void DeformablesTest::strainAndVolumeAreThoseOfTheMap() {
  QFETCH(QString, method);
  const auto run = simulation(block("\"young\": 1e5"), method);
  QVERIFY_NEAR(run->current()->quantities[Quantity::StrainMax], 0, 1e-13);
  QVERIFY_NEAR(run->current()->quantities[Quantity::VolumeError], 0, 1e-13);
  const auto after = [&](double along, double across) {
    return moved(*run, 0, kAll, [&](const Vec3& x) { return Vec3(along * x.x(), across * x.y(), x.z()); })
        ->quantities;
  };
  constexpr double kRounding = 1e-7;  // a stretch is a root
  const QuantityValues pulled = after(1.5, 0.8);
  QVERIFY_NEAR(pulled[Quantity::StrainMax], 0.5, kRounding);
  QVERIFY_NEAR(pulled[Quantity::VolumeError], 0.2, 1e-12);
  const QuantityValues mirrored = after(1 / 1.5, -1 / 0.8);  // the cube again, inside out
  QVERIFY_NEAR(mirrored[Quantity::StrainMax], 2, kRounding);
  QVERIFY_NEAR(mirrored[Quantity::VolumeError], 2, 1e-12);
  moved(*run, 0, kAll, [](const Vec3& x) { return Vec3(x.x(), -1.1 * x.y(), x.z()); });
  QVERIFY(run->step()->quantities[Quantity::StrainMax] > 0);
}

/// One body is longer, the other shorter.
void DeformablesTest::volumesOfBodiesDoNotCancel() {
  const auto scene = block("\"young\": 1e5",
                           "}, {\"name\": \"other\", \"material\": \"rubber\", \"position\": [1, 0.12, 0], "
                           "\"shape\": {\"type\": \"lattice\", \"size\": [0.2, 0.2, 0.2], \"cells\": [2, 2, "
                           "2]}, \"deformable\": {\"young\": 1e5}");
  const auto run = simulation(scene, QStringLiteral("nsn"));
  constexpr std::size_t kEach = 27;
  moved(*run, 0, kEach, [](const Vec3& x) { return Vec3(1.1 * x.x(), x.y(), x.z()); });
  const RecordPtr record =
      moved(*run, kEach, kAll, [](const Vec3& x) { return Vec3(x.x(), 0.7 * x.y(), x.z()); });
  QVERIFY_NEAR(record->quantities[Quantity::VolumeError], 0.3, 1e-12);
  QVERIFY_NEAR(record->quantities[Quantity::StrainMax], 0.3, 1e-7);
}

void DeformablesTest::clothHasStrainAndNoVolume() {
  const auto scene = m_folder.load(
      "{\"name\": \"sheet\", \"shape\": {\"type\": \"cloth\", \"size\": [0.5, 0.5], \"cells\": [4, 4], "
      "\"grid\": \"right\"}, \"deformable\": {\"area_density\": 0.2, \"bending\": 1e-6, "
      "\"inextensible\": true}}",
      "\"dt\": 0.008333333333333333, ");
  const auto run = simulation(scene, QStringLiteral("nsn"));
  const RecordPtr record = moved(*run, 0, kAll, [](const Vec3& x) { return Vec3(0.9 * x); });
  QVERIFY_NEAR(record->quantities[Quantity::StrainMax], 0.1, 1e-12);
  QVERIFY(std::isnan(record->quantities[Quantity::VolumeError]));
}

void DeformablesTest::rigidBodiesHaveNeither() {
  const auto scene = m_folder.load(
      QByteArray(kGround) +
          ", {\"name\": \"box\", \"material\": \"rubber\", \"position\": [0, 0.1, 0], \"shape\": "
          "{\"type\": \"box\", \"size\": [0.2, 0.2, 0.2]}}",
      kMaterials);
  const RecordPtr record = simulation(scene, QStringLiteral("cpf"))->step();
  QVERIFY(std::isnan(record->quantities[Quantity::StrainMax]));
  QVERIFY(std::isnan(record->quantities[Quantity::VolumeError]));
}

void DeformablesTest::aBarTurnedInsideOutHasDiverged_data() { methods(); }

/// The held ends of a bar are carried through each other.
void DeformablesTest::aBarTurnedInsideOutHasDiverged() {
  QFETCH(QString, method);
  const auto scene = m_folder.load(
      "{\"name\": \"bar\", \"shape\": {\"type\": \"lattice\", \"size\": [0.4, 0.1, 0.1], \"cells\": [8, 2, "
      "2]}, "
      "\"deformable\": {\"young\": 1e4, \"poisson\": 0.3, \"held\": ["
      "{\"box\": [[-0.21, -1, -1], [-0.19, 1, 1]], \"path\": [[0, [0, 0, 0]], [0.5, [0.6, 0, 0]]]}, "
      "{\"box\": [[0.19, -1, -1], [0.21, 1, 1]], \"path\": [[0, [0, 0, 0]], [0.5, [-0.6, 0, 0]]]}]}}",
      "\"dt\": 0.008333333333333333, \"gravity\": [0, 0, 0], ");
  const auto run = simulation(scene, method);
  for (int frame = 0; frame < 60 && run->current()->status != StepStatus::Diverged; ++frame) run->step();
  const RecordPtr record = run->current();
  QVERIFY(record->status == StepStatus::Diverged);
  QVERIFY2(record->statusText.find(" of 160 tetrahedra are inverted") != std::string::npos,
           record->statusText.c_str());
  QVERIFY(std::stoi(record->statusText) > 8);
  const RecordPtr later = run->step();
  QVERIFY(later->status == StepStatus::Diverged);
  QCOMPARE(later->frame, record->frame + 1);
  QVERIFY(std::equal(later->particles.begin(), later->particles.end(), record->particles.begin(),
                     [](const Vec3& a, const Vec3& b) { return a == b; }));
}

void DeformablesTest::fewInvertedTetrahedraGoOn_data() { methods(); }

/// A corner of the block is pushed inwards, and comes out again.
void DeformablesTest::fewInvertedTetrahedraGoOn() {
  QFETCH(QString, method);
  const auto scene = m_folder.load(
      "{\"name\": \"block\", \"shape\": {\"type\": \"lattice\", \"size\": [0.4, 0.4, 0.4], \"cells\": [4, 4, "
      "4]}, \"deformable\": {\"young\": 1e5, \"poisson\": 0.3, \"damping\": 0.005}}",
      "\"dt\": 0.008333333333333333, \"gravity\": [0, 0, 0], ");
  const auto run = simulation(scene, method);
  const RecordPtr start = moved(*run, 0, kAll, [](const Vec3& x) {
    return (x - Vec3(0.2, 0.2, 0.2)).norm() < 1e-6 ? Vec3(0.12, 0.12, 0.12) : x;
  });
  QVERIFY(tells(*start, "of 320 tetrahedra are inverted"));
  for (int frame = 0; frame < 20; ++frame) QVERIFY(run->step()->status != StepStatus::Diverged);
}

/// Explicit elasticity with a step that is too long blows up; the implicit pane does not notice.
void DeformablesTest::theOtherPanesGoOn() {
  const auto scene = block("\"young\": 1e5, \"poisson\": 0.3");
  PaneSettings few = suggestedPane(*scene, "cpf");
  few.substeps = 1;
  Comparison comparison(scene, {few, suggestedPane(*scene, "nsn")});
  std::vector<RecordPtr> records;
  for (int frame = 0; frame < 60; ++frame) records = comparison.step(false);
  QVERIFY(records[0]->status == StepStatus::Diverged);
  QVERIFY2(records[0]->statusText.find(" of 40 tetrahedra are inverted") != std::string::npos,
           records[0]->statusText.c_str());
  QVERIFY(records[1]->status == StepStatus::Ok);
  QVERIFY(records[1]->frame == 60 && records[1]->bodies[1].position.y() > 0.08);
}

void DeformablesTest::theOtherReplicasGoOn() {
  const std::shared_ptr<const Scene> scene = replicated(*block("\"young\": 1e3, \"poisson\": 0.3"), 2);
  const auto run = simulation(scene, QStringLiteral("cpf"));
  moved(*run, 27, kAll, [](const Vec3& x) { return Vec3(x.x(), 0.24 - x.y(), x.z()); });
  const RecordPtr first = run->step();
  QVERIFY(first->status != StepStatus::Diverged);
  std::string told;
  for (const std::string& warning : first->warnings) told += warning + "\n";
  QVERIFY2(tells(*first, "replica 1: 40 of 40 tetrahedra are inverted"), told.c_str());
  for (int frame = 0; frame < 3; ++frame) run->step();
  const RecordPtr later = run->current();
  QVERIFY(!tells(*later, "replica 1:"));  // it is told once
  QVERIFY(later->particles[30] == first->particles[30]);
  QVERIFY(later->particles[3] != first->particles[3]);
}

QTEST_APPLESS_MAIN(DeformablesTest)
#include "tst_deformables.moc"
