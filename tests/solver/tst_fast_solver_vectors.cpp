#include <QtTest>
#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>

#include "tests/support/near.h"
#include "tests/support/row_solves.h"

using namespace touchstone;
using namespace touchstone::test;
using nlohmann::json;

namespace {

/// A contact as a file has it.
struct StoredContact {
  int a, b;  ///< bodies; −1: none that moves
  Vec3 normal, first, second, armA, armB, w0;
  double friction;
};

struct StoredProblem {
  Model model{0};
  std::vector<StoredContact> contacts;
  double velocityUnit = 1;
  bool isSolvable = true;
};

Vec3 vec(const json& values) {
  return {values[0].get<double>(), values[1].get<double>(), values[2].get<double>()};
}

StoredContact contactOf(const json& from) {
  StoredContact contact;
  contact.a = from["a"];
  contact.b = from["b"];
  contact.normal = vec(from["n"]);
  const Vec3 axis = std::fabs(contact.normal.x()) < 0.6 ? Vec3(1, 0, 0) : Vec3(0, 1, 0);
  contact.first = (axis - contact.normal.dot(axis) * contact.normal).normalized();
  contact.second = contact.normal.cross(contact.first);
  contact.armA = vec(from["ra"]);
  contact.armB = vec(from["rb"]);
  contact.w0 = vec(from["w0"]);
  contact.friction = from["mu"];
  return contact;
}

/// Rows of the contacts, by pairs of bodies.
void addRows(StoredProblem& problem) {
  std::stable_sort(problem.contacts.begin(), problem.contacts.end(),
                   [](const StoredContact& one, const StoredContact& other) {
                     return std::make_pair(one.a, one.b) < std::make_pair(other.a, other.b);
                   });
  RowBuffer& table = problem.model.table;
  const StoredContact* last = nullptr;
  for (const StoredContact& contact : problem.contacts) {
    std::vector<int> on;
    for (const int body : {std::min(contact.a, contact.b), std::max(contact.a, contact.b)})
      if (body >= 0) on.push_back(body);
    if (!last || last->a != contact.a || last->b != contact.b)
      table.addBlock({kPieceBlock, contact.a + 1, contact.b + 1}, RowForm::Point, on);
    last = &contact;
    Row rows[3]{};
    for (int row = 0; row < 3; ++row) {
      rows[row].constant = contact.w0[row];
      rows[row].length = 1;
      rows[row].leader = static_cast<short>(row);
      rows[row].law = row == 0 ? RowLaw::Unilateral : RowLaw::Disk;
      rows[row].bound = row == 0 ? 0 : contact.friction;
    }
    PointTerm* points = table.addGroup(contact.normal, contact.first, rows, 3);
    for (std::size_t k = 0; k < on.size(); ++k)
      points[k] = on[k] == contact.a ? PointTerm{-1, contact.armA} : PointTerm{1, contact.armB};
  }
}

StoredProblem problemOf(const QString& path) {
  std::ifstream file(path.toStdString());
  const json from = json::parse(file);
  StoredProblem problem;
  problem.velocityUnit = from["velocity_unit"];
  problem.isSolvable = from["answer"]["solvable"];
  Model& model = problem.model;
  for (const json& body : from["bodies"]) {
    model.inverseMass.push_back(Vec3::Constant(body["inverse_mass"].get<double>()));
    Mat3 inertia;
    for (int entry = 0; entry < 9; ++entry) inertia(entry / 3, entry % 3) = body["inverse_inertia"][entry];
    model.inverseInertia.push_back(inertia);
    model.position.push_back(Vec3(0, 0, 0));
  }
  model.free = Motion(countOf(model.position));
  for (const json& contact : from["contacts"]) problem.contacts.push_back(contactOf(contact));
  addRows(problem);
  return problem;
}

/// The relative residual of an answer, by the definition of the file and without any code of the program:
/// impulses make velocities, these make rates, and the law fails by so much.
/// @param z  of the contacts in their order
double residualOf(const StoredProblem& problem, const std::vector<double>& z) {
  Motion velocities(problem.model.carrierCount());
  const auto push = [&](int body, const Vec3& arm, const Vec3& impulse) {
    if (body < 0) return;
    velocities.linear[body] += problem.model.inverseMass[body].cwiseProduct(impulse);
    velocities.angular[body] += problem.model.inverseInertia[body] * arm.cross(impulse);
  };
  const auto velocityOf = [&](int body, const Vec3& arm) {
    if (body < 0) return Vec3(0, 0, 0);
    return Vec3(velocities.linear[body] + velocities.angular[body].cross(arm));
  };
  for (int index = 0; index < countOf(problem.contacts); ++index) {
    const StoredContact& contact = problem.contacts[index];
    const Vec3 impulse =
        z[3 * index] * contact.normal + z[3 * index + 1] * contact.first + z[3 * index + 2] * contact.second;
    push(contact.a, contact.armA, -impulse);
    push(contact.b, contact.armB, impulse);
  }
  double worst = 0, largest = 0, offset = 0;
  for (int index = 0; index < countOf(problem.contacts); ++index) {
    const StoredContact& contact = problem.contacts[index];
    Mat3 W = Mat3::Zero(), frame;
    frame << contact.normal, contact.first, contact.second;
    for (const bool isA : {true, false}) {
      const int body = isA ? contact.a : contact.b;
      if (body < 0) continue;
      Mat3 arms;
      for (int axis = 0; axis < 3; ++axis)
        arms.col(axis) = (isA ? contact.armA : contact.armB).cross(Vec3(frame.col(axis)));
      W += problem.model.inverseMass[body].x() * frame.transpose() * frame +
           arms.transpose() * problem.model.inverseInertia[body] * arms;
    }
    const double half = 0.5 * (W(1, 1) - W(2, 2)),
                 r = 0.5 * (W(1, 1) + W(2, 2)) + std::sqrt(half * half + W(1, 2) * W(1, 2));
    const Vec3 slip = frame.transpose() *
                      (velocityOf(contact.b, contact.armB) - velocityOf(contact.a, contact.armA)),
               w = contact.w0 + slip;
    const double p = z[3 * index];
    worst = std::max(worst, std::fabs(std::min(W(0, 0) * p, w[0])) / std::sqrt(W(0, 0)));
    const Eigen::Vector2d beta(z[3 * index + 1], z[3 * index + 2]);
    Eigen::Vector2d y = beta - w.tail<2>() / r;
    const double limit = contact.friction * std::max(0.0, p);
    if (y.norm() > limit) y *= limit / y.norm();
    worst = std::max(worst, r * (beta - y).norm() / std::sqrt(r));
    largest = std::max({largest, std::sqrt(W(0, 0)), std::sqrt(r)});
    offset = std::max({offset, std::fabs(contact.w0[0]) / std::sqrt(W(0, 0)),
                       std::fabs(contact.w0[1]) / std::sqrt(r), std::fabs(contact.w0[2]) / std::sqrt(r)});
  }
  return worst / (problem.velocityUnit / largest + offset);
}

}  // namespace

/// Problems of piles, stacks and arches with friction, from files: of the project, and of the folder
/// fast-solver of TOUCHSTONE_VECTORS.
class FastSolverVectorsTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void newtonOfCarriersSolvesWhatHasASolution_data() { addFiles(); }
  void newtonOfCarriersSolvesWhatHasASolution();
  void theStagesOfAutoReachTheirToleranceToo_data() { addFiles(); }
  void theStagesOfAutoReachTheirToleranceToo();
  void conjugateDirectionsLeaveLessThanPlainSweeps_data() { addFiles(); }
  void conjugateDirectionsLeaveLessThanPlainSweeps();

 private:
  static void addFiles() {
    QTest::addColumn<QString>("path");
    QStringList folders = {QStringLiteral(TS_SOURCE_DIR "/tests/vectors/fast-solver")};
    const QString more = qEnvironmentVariable("TOUCHSTONE_VECTORS");
    if (!more.isEmpty()) folders << more + "/fast-solver";
    for (const QString& folder : folders)
      for (const QString& name : QDir(folder).entryList({"*.json"}, QDir::Files, QDir::Name))
        QTest::newRow(qPrintable(name + (folder == folders.front() ? "" : " (given)")))
            << folder + "/" + name;
  }
};

void FastSolverVectorsTest::newtonOfCarriersSolvesWhatHasASolution() {
  QFETCH(QString, path);
  const StoredProblem problem = problemOf(path);
  const SolverChoice choice{"newton-carrier", RowSolverKind::NewtonCarrier, LinearSolver::Direct, 300};
  RowSolve solve(problem.model, choice, choice.iterations, 1e-6, problem.velocityUnit);
  const RowAnswer answer = solve.solve();
  const RowSolverReport report = solve.solver->report();
  const double residual = residualOf(problem, answer.z);
  if (!problem.isSolvable) {
    QVERIFY(report.unsolved > 0);
    QVERIFY(report.worst == SolveStatus::NoSolution);
    QVERIFY2(QByteArray::fromStdString(report.message).contains("no solution"), report.message.c_str());
    return;
  }
  QVERIFY2(residual <= 1e-6, qPrintable(QString::number(residual)));
  QCOMPARE(report.unsolved, 0);
}

void FastSolverVectorsTest::theStagesOfAutoReachTheirToleranceToo() {
  QFETCH(QString, path);
  const StoredProblem problem = problemOf(path);
  if (!problem.isSolvable) return;
  for (const SolverChoice& choice :
       {SolverChoice{"auto direct", RowSolverKind::AutoOnHost, LinearSolver::Direct, 100},
        SolverChoice{"auto pcr", RowSolverKind::Auto, LinearSolver::Pcr, 100}}) {
    RowSolve solve(problem.model, choice, choice.iterations, 1e-6, problem.velocityUnit);
    const RowAnswer answer = solve.solve();
    const RowSolverReport report = solve.solver->report();
    const double residual = residualOf(problem, answer.z);
    // Within the tolerance; or ended by its budget, which is said; or from nothing not in the budget of a
    // pile.
    const double largest = report.unsolved > 0 ? HUGE_VAL : report.endedByBudget > 0 ? 1e-4 : 1e-6;
    QVERIFY2(residual <= largest, qPrintable(QStringLiteral("%1 %2").arg(choice.name).arg(residual)));
    if (problem.model.carrierCount() <= 40) QCOMPARE(report.unsolved, 0);
  }
}

void FastSolverVectorsTest::conjugateDirectionsLeaveLessThanPlainSweeps() {
  QFETCH(QString, path);
  const StoredProblem problem = problemOf(path);
  if (!problem.isSolvable) return;
  double residuals[2];
  for (const bool isConjugate : {false, true}) {
    const SolverChoice choice{"", isConjugate ? RowSolverKind::PgsConjugate : RowSolverKind::Pgs,
                              LinearSolver::Direct, 60};
    RowSolve solve(problem.model, choice, choice.iterations, 1e-12, problem.velocityUnit);
    const RowAnswer answer = solve.solve();
    residuals[isConjugate] = residualOf(problem, answer.z);
  }
  // One of the files converges as fast without them.
  QVERIFY2(residuals[1] < 1.01 * residuals[0],
           qPrintable(QStringLiteral("%1 plain, %2 conjugate").arg(residuals[0]).arg(residuals[1])));
}

QTEST_GUILESS_MAIN(FastSolverVectorsTest)
#include "tst_fast_solver_vectors.moc"
