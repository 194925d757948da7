#include <Eigen/LU>
#include <QtTest>
#include <random>

#include "core/contact/nsn/linear_systems.h"
#include "core/math/count.h"
#include "core/parallel/parallel_for.h"
#include "core/run/simulation.h"
#include "tests/support/near.h"
#include "tests/support/scenes.h"
#include "tests/support/separate_backend.h"
#include "tests/support/separate_device.h"

using namespace touchstone;
using namespace touchstone::nsn;

namespace {

/// A system as plain matrices, and what LinearSystems needs of it.
struct Plain {
  std::vector<SystemRow> rows;  // without their places
  std::vector<RowTerms> terms;  // of each row
  std::vector<SystemBody> bodies;
  Eigen::MatrixXd A;
  Eigen::VectorXd b;
};

/// Rows between random bodies, some between one and nothing and some between four.
Plain randomSystem(int rowCount, int bodyCount, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> number(-1, 1);
  const auto vector = [&] { return Vec3(number(random), number(random), number(random)); };
  Plain plain;
  Eigen::MatrixXd J = Eigen::MatrixXd::Zero(rowCount, 6 * bodyCount),
                  H = Eigen::MatrixXd::Zero(6 * bodyCount, 6 * bodyCount);  // its inverse
  for (int body = 0; body < bodyCount; ++body) {
    SystemBody own;
    own.inverseMass = Vec3(1.5 + number(random), 1.5 + number(random), 1.5 + number(random));
    Mat3 root;
    root << vector(), vector(), vector();
    own.inverseInertia = root * root.transpose();
    H.block<3, 3>(6 * body, 6 * body).diagonal() = own.inverseMass;
    H.block<3, 3>(6 * body + 3, 6 * body + 3) = own.inverseInertia;
    plain.bodies.push_back(own);
  }
  plain.b.resize(rowCount);
  Eigen::VectorXd added(rowCount);
  for (int row = 0; row < rowCount; ++row) {
    SystemRow own;
    RowTerms terms;
    const int count = row % 7 == 0 ? 1 : row % 11 == 0 ? 4 : 2;
    own.scale = row % 3 == 0 ? 0.5 : 1;
    for (int k = 0; k < count; ++k) terms.add(static_cast<int>(random() % bodyCount), vector(), vector());
    for (const BodyTerm& term : terms) {
      J.block<1, 3>(row, 6 * term.body) = own.scale * term.linear.transpose();
      J.block<1, 3>(row, 6 * term.body + 3) = own.scale * term.angular.transpose();
    }
    own.right = plain.b[row] = number(random);
    own.added = added[row] = 0.5 * (1.1 + number(random));
    plain.rows.push_back(own);
    plain.terms.push_back(terms);
  }
  plain.A = J * H * J.transpose();
  plain.A.diagonal() += added;
  for (int row = 0; row < rowCount; ++row) plain.rows[row].inverse = 1 / plain.A(row, row);
  return plain;
}

LinearSystems listsOf(const std::vector<Plain>& plain, int most) {
  LinearSystems all;
  std::vector<SystemSize> sizes;
  for (const Plain& each : plain) {
    int terms = 0;
    for (const RowTerms& row : each.terms) terms += row.count();
    sizes.push_back({countOf(each.rows), countOf(each.bodies), terms, true});
  }
  all.layOut(sizes, most);
  for (int system = 0; system < all.count(); ++system) {
    const Plain& own = plain[system];
    SystemPlace& place = all.places[system];
    place.size = own.b.norm();
    place.tolerance = 1e-13;
    std::copy(own.bodies.begin(), own.bodies.end(), all.bodies.begin() + place.firstBody);
    int term = place.firstTerm;
    for (std::size_t row = 0; row < own.rows.size(); ++row) {
      SystemRow& to = all.rows[static_cast<std::size_t>(place.firstRow) + row];
      to = own.rows[row];
      to.firstTerm = term;
      to.termCount = own.terms[row].count();
      for (BodyTerm each : own.terms[row]) {
        each.body += place.firstBody;
        all.terms[term++] = each;
      }
    }
    all.findSides(system);
  }
  return all;
}

LinearAnswers answersOf(const std::vector<Plain>& plain, LinearSolver solver, int most, BackendKind backend) {
  LinearAnswers answers;
  makeBatchedLinearSystems(backend)->solve(listsOf(plain, most), solver, most, answers);
  return answers;
}

constexpr LinearSolver kSolvers[] = {LinearSolver::Pcr, LinearSolver::Pcg, LinearSolver::Jacobi};

/// A lid on 144 boxes: one island of more rows than a group of threads takes. A box by itself is another.
std::shared_ptr<Scene> lid() {
  const auto scene = test::pile(12, 1);
  scene->bodies.push_back(test::box("lid", Vec3(1.3, 0.02, 1.3), 5, Vec3(0.561, 0.1103, 0.561)));
  scene->bodies.push_back(test::box("apart", Vec3(0.1, 0.1, 0.1), 1, Vec3(3, 0.0501, 0)));
  return scene;
}

}  // namespace

/// Non-smooth Newton where an engine of a backend solves its linear systems.
class NsnOnADeviceTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void initTestCase() { test::useSeparateDevice(); }
  void solvesAsADenseMatrixDoes();
  void aSystemIsSolvedAsItWouldBeAlone();
  void anyLaunchLengthGivesTheSameBits();
  void aDeviceGivesTheSameBits_data();
  void aDeviceGivesTheSameBits();
  void directSystemsAreSolvedOnTheHost();
};

/// Systems of 1 to 1100 rows: the sums of the smallest have one level, those of the largest three, and loops
/// over all threads.
void NsnOnADeviceTest::solvesAsADenseMatrixDoes() {
  const std::vector<Plain> plain = {randomSystem(1100, 300, 1), randomSystem(200, 60, 2),
                                    randomSystem(33, 40, 3), randomSystem(12, 1, 4), randomSystem(1, 2, 5)};
  constexpr int kMost = 200;
  const LinearSystems lists = listsOf(plain, kMost);
  QCOMPARE(lists.largeCount, 1);
  for (const LinearSolver solver : kSolvers) {
    const LinearAnswers host = answersOf(plain, solver, kMost, BackendKind::Cpu),
                        device = answersOf(plain, solver, kMost, BackendKind::Cuda);
    QVERIFY(host.x == device.x);
    for (int system = 0; system < lists.count(); ++system) {
      const std::size_t at = system;
      const SystemPlace& place = lists.places[at];
      const LinearAnswers::End& end = host.ends[at];
      QCOMPARE(end.iterations, device.ends[at].iterations);
      QVERIFY(end.iterations > 0 && end.iterations <= kMost);
      for (int k = 0; k < end.iterations; ++k)
        QVERIFY(host.residuals[place.firstResidual + k] == device.residuals[place.firstResidual + k]);
      const Eigen::Map<const Eigen::VectorXd> x(host.x.data() + place.firstRow, place.rowCount);
      const double residual = (plain[at].A * x - plain[at].b).norm() / plain[at].b.norm();
      // The residual of the iteration is that of the matrix but for rounding of some hundred iterations.
      QVERIFY_NEAR(end.residual, residual, 1e-12);
      if (solver == LinearSolver::Jacobi) {
        QVERIFY(residual < 0.9);  // it is slow
        continue;
      }
      QVERIFY(host.residuals[place.firstResidual + end.iterations - 1] == static_cast<float>(end.residual));
      QVERIFY_NEAR(residual, 0, 1e-10);
      const Eigen::VectorXd exact = plain[at].A.partialPivLu().solve(plain[at].b);
      QVERIFY_NEAR((x - exact).norm() / exact.norm(), 0, 1e-9);
    }
  }
}

/// No inner product is shared.
void NsnOnADeviceTest::aSystemIsSolvedAsItWouldBeAlone() {
  const std::vector<Plain> plain = {randomSystem(1100, 300, 1), randomSystem(1030, 200, 6),
                                    randomSystem(200, 60, 2), randomSystem(33, 40, 3)};
  constexpr int kMost = 9;
  const LinearSystems lists = listsOf(plain, kMost);
  QCOMPARE(lists.largeCount, 2);
  for (const BackendKind backend : {BackendKind::Cpu, BackendKind::Cuda})
    for (const LinearSolver solver : kSolvers) {
      const LinearAnswers together = answersOf(plain, solver, kMost, backend);
      for (std::size_t system = 0; system < plain.size(); ++system) {
        const LinearAnswers alone = answersOf({plain[system]}, solver, kMost, backend);
        QVERIFY(
            std::equal(alone.x.begin(), alone.x.end(), together.x.begin() + lists.places[system].firstRow));
        QCOMPARE(alone.ends.front().iterations, together.ends[system].iterations);
      }
    }
}

/// A launch of a device may end before its systems have.
void NsnOnADeviceTest::anyLaunchLengthGivesTheSameBits() {
  const std::vector<Plain> plain = {randomSystem(200, 60, 2), randomSystem(33, 40, 3)};
  const int before = test::SeparateBackend::passesOfProgram();
  for (const LinearSolver solver : kSolvers) {
    const LinearAnswers host = answersOf(plain, solver, 20, BackendKind::Cpu);
    for (const int passes : {1, 7, kAllPasses}) {
      test::SeparateBackend::passesOfProgram() = passes;
      QVERIFY(answersOf(plain, solver, 20, BackendKind::Cuda).x == host.x);
    }
  }
  test::SeparateBackend::passesOfProgram() = before;
}

void NsnOnADeviceTest::aDeviceGivesTheSameBits_data() {
  QTest::addColumn<QString>("scene");
  QTest::addColumn<QString>("solver");
  for (const char* scene : {"arch", "tilted-stack", "jointed-chain", "drawer", "humanoid", "lid"})
    for (const LinearSolver solver : kSolvers)
      QTest::newRow(qPrintable(QStringLiteral("%1 %2").arg(scene, toString(solver))))
          << QString(scene) << QString(toString(solver));
}

/// Also with one thread and with several.
void NsnOnADeviceTest::aDeviceGivesTheSameBits() {
  QFETCH(QString, scene);
  QFETCH(QString, solver);
  const bool isLid = scene == QLatin1String("lid");
  const std::shared_ptr<const Scene> own = isLid ? lid() : test::shipped(scene.toStdString());
  std::vector<std::uint64_t> hashes[3];
  std::vector<SolverIteration> iterations[3];
  for (int run = 0; run < 3; ++run) {
    std::unique_ptr<ThreadLimit> one;
    if (run == 0) one = std::make_unique<ThreadLimit>(1);
    PaneSettings settings = test::pane("nsn", run == 2 ? BackendKind::Cuda : BackendKind::Cpu);
    settings.parameters["linear_solver"] = solver.toStdString();
    settings.parameters["max_iterations"] = isLid ? 4.0 : 8.0;
    settings.parameters["linear_iterations"] = isLid ? 8.0 : 20.0;
    Simulation simulation(own, settings, own->dt);
    std::size_t most = 0;
    for (int frame = 0; frame < (isLid ? 3 : 12); ++frame) {
      const RecordPtr record = simulation.step();
      hashes[run].push_back(record->stateHash);
      most = std::max(most, record->contacts.size());
    }
    QVERIFY(simulation.backend() == settings.backend);
    if (isLid) QVERIFY(most > static_cast<std::size_t>(LinearSystems::kMostRowsOfGroup));
    iterations[run] = simulation.current()->iterations;
  }
  QVERIFY(hashes[0] == hashes[1]);
  QVERIFY(hashes[0] == hashes[2]);
  QVERIFY(iterations[0].size() > 1);
  QCOMPARE(iterations[0].size(), iterations[2].size());
  for (std::size_t k = 0; k < iterations[0].size(); ++k)
    QVERIFY(iterations[0][k].linear == iterations[2][k].linear);
}

void NsnOnADeviceTest::directSystemsAreSolvedOnTheHost() {
  const auto scene = test::shipped("drawer");
  for (const char* solver : {"direct", "gauss-seidel"}) {
    std::uint64_t hashes[2];
    for (int run = 0; run < 2; ++run) {
      PaneSettings settings = test::pane("nsn", run == 1 ? BackendKind::Cuda : BackendKind::Cpu);
      settings.parameters["linear_solver"] = std::string(solver);
      Simulation simulation(scene, settings, scene->dt);
      for (int frame = 0; frame < 5; ++frame) hashes[run] = simulation.step()->stateHash;
      QVERIFY(simulation.backend() == settings.backend);
    }
    QVERIFY(hashes[0] == hashes[1]);
  }
}

QTEST_APPLESS_MAIN(NsnOnADeviceTest)
#include "tst_nsn_on_a_device.moc"
