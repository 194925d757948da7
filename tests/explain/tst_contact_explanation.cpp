#include <QTemporaryDir>
#include <QtTest>

#include "core/contact/complementarity/problem_detail.h"
#include "core/explain/contact_explanation.h"
#include "core/files/scene_error.h"
#include "core/record/contact_features.h"
#include "core/run/comparison.h"
#include "core/run/pane_name.h"
#include "core/store/step_problem.h"
#include "tests/contact/method_run.h"
#include "tests/support/near.h"
#include "tests/support/scenes.h"

using namespace touchstone;

class ContactExplanationTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void cpfShowsTheIntervalAndTheAreaThatIsTheImpulse();
  void forcesOfDampedContactsHaveTheAreaOfTheImpulse_data();
  void forcesOfDampedContactsHaveTheAreaOfTheImpulse();
  void discreteImpulseIsThatOfTheDepthAtTheEnd();
  void complementarityRowsAreTheSolutionAndEndAtIt_data();
  void complementarityRowsAreTheSolutionAndEndAtIt();
  void theStepsProblemIsSolvedAgainFromItsFile();
  void setsThatSweepsTakeAsOneRowAreKeptInTheFile();
  void featuresLieWhereTheContactIs_data();
  void featuresLieWhereTheContactIs();
};

static PaneSettings pane(const std::string& method) {
  PaneSettings settings;
  settings.method = method;
  return settings;
}

static std::shared_ptr<Scene> fallingBox() {
  Body box = test::box("box", Vec3(0.2, 0.1, 0.3), 1, Vec3(0, 0.0505, 0));
  box.linearVelocity = Vec3(0.3, -1, 0);
  auto scene = test::scene({test::ground(), box}, 0.4);
  scene->dt = 2e-3;
  return scene;
}

/// Steps until a contact has an impulse; returns its record and detail.
static RecordPtr firstImpact(Comparison& comparison, StepDetail& detail, int& contact) {
  for (int frame = 0; frame < 200; ++frame) {
    const RecordPtr record = comparison.step(false)[0];
    for (std::size_t index = 0; index < record->contacts.size(); ++index)
      if (record->contacts[index].normalImpulse > 0) {
        contact = static_cast<int>(index);
        return comparison.explain(0, record->frame, detail) ? record : nullptr;
      }
  }
  return nullptr;
}

void ContactExplanationTest::cpfShowsTheIntervalAndTheAreaThatIsTheImpulse() {
  PaneSettings settings = pane("cpf");
  settings.parameters["damping"] = 0.0;
  Comparison comparison(fallingBox(), {settings});
  StepDetail detail;
  int index = -1;
  const RecordPtr record = firstImpact(comparison, detail, index);
  QVERIFY(record != nullptr);
  const Contact& contact = record->contacts[index];
  const ContactExplanation explanation =
      ContactExplainer(comparison.scenePtr()).explain(contact, detail, "cpf", "");
  QCOMPARE(explanation.intervals.size(), std::size_t(1));
  QCOMPARE(explanation.intervals[0][0], contact.intervalStart);
  QVERIFY(explanation.intervals[0][0] > 0 && explanation.intervals[0][1] == 1);
  QVERIFY(explanation.predicted.front() > 0 && explanation.predicted.back() < 0);
  // A vertex and a plane: G is the gap, linear in time, and the impulse is h k ∫ δ exactly.
  QVERIFY_NEAR(explanation.overStep, contact.normalImpulse, 1e-9 * contact.normalImpulse);
  QCOMPARE(explanation.damping, 0.0);
  const double exact =
      0.5 * detail.dt * explanation.stiffness * -explanation.predicted.back() * (1 - contact.intervalStart);
  QVERIFY_NEAR(contact.normalImpulse, exact, 1e-9 * exact);
  QVERIFY(explanation.atEnd > explanation.impulse);  // the impulse of a discrete method
  QVERIFY_NEAR(explanation.taken.back(), record->bodies[1].position.y() - 0.05, 1e-3);
}

void ContactExplanationTest::forcesOfDampedContactsHaveTheAreaOfTheImpulse_data() {
  QTest::addColumn<QString>("method");
  for (const char* method : {"dpf", "dpf-ccd", "cpf"}) QTest::newRow(method) << method;
}
void ContactExplanationTest::forcesOfDampedContactsHaveTheAreaOfTheImpulse() {
  QFETCH(QString, method);
  PaneSettings settings = pane(method.toStdString());
  settings.parameters["damping"] = 20.0;
  Comparison comparison(fallingBox(), {settings});
  StepDetail detail;
  int index = -1;
  const RecordPtr record = firstImpact(comparison, detail, index);
  QVERIFY(record != nullptr);
  const Contact& contact = record->contacts[index];
  const ContactExplanation explanation =
      ContactExplainer(comparison.scenePtr()).explain(contact, detail, method.toStdString(), "");
  double area = 0, spring = 0;
  for (std::size_t k = 0; k + 1 < explanation.force.size(); ++k) {
    const double width = detail.dt * (explanation.fraction[k + 1] - explanation.fraction[k]);
    area += 0.5 * width * (explanation.force[k] + explanation.force[k + 1]);
    spring += 0.5 * width * (explanation.undampedForce[k] + explanation.undampedForce[k + 1]);
  }
  QVERIFY_NEAR(area, contact.normalImpulse, 1e-12 * contact.normalImpulse);
  QVERIFY(explanation.damping > 0);  // the bodies approach
  QVERIFY_NEAR(spring + explanation.damping, contact.normalImpulse,
               0.01 * contact.normalImpulse);  // 121 samples
}

void ContactExplanationTest::discreteImpulseIsThatOfTheDepthAtTheEnd() {
  PaneSettings settings = pane("dpf");
  settings.parameters["evaluate"] = std::string("end");
  settings.parameters["damping"] = 0.0;
  Comparison comparison(fallingBox(), {settings});
  StepDetail detail;
  int index = -1;
  const RecordPtr record = firstImpact(comparison, detail, index);
  QVERIFY(record != nullptr);
  const ContactExplanation explanation =
      ContactExplainer(comparison.scenePtr()).explain(record->contacts[index], detail, "dpf", "");
  QVERIFY_NEAR(explanation.atEnd, explanation.impulse, 1e-9 * explanation.impulse);
}

void ContactExplanationTest::complementarityRowsAreTheSolutionAndEndAtIt_data() {
  QTest::addColumn<QString>("method");
  for (const char* method : {"lcp", "peg"}) QTest::newRow(method) << method;
}
void ContactExplanationTest::complementarityRowsAreTheSolutionAndEndAtIt() {
  QFETCH(QString, method);
  Comparison comparison(fallingBox(), {pane(method.toStdString())});
  StepDetail detail;
  int index = -1;
  const RecordPtr record = firstImpact(comparison, detail, index);
  QVERIFY(record != nullptr);
  const Contact& contact = record->contacts[index];
  const ContactExplanation explanation =
      ContactExplainer(comparison.scenePtr()).explain(contact, detail, method.toStdString(), "auto");
  QCOMPARE(explanation.rows.size(), std::size_t(3));  // p and two tangents
  QCOMPARE(explanation.rows[0].multiplier, contact.normalImpulse);
  for (const ExplanationRow& row : explanation.rows) {
    QVERIFY(row.residual <= record->quantities[Quantity::Residual] + 1e-15);
    QVERIFY(!row.residuals.empty());
    QVERIFY_NEAR(row.residuals.back(), row.residual, 1e-9);
  }
  QVERIFY_NEAR(explanation.predicted.front(), contact.gap, 1e-12);
  QVERIFY(explanation.predicted.back() < explanation.taken.back());  // the impulse stopped the vertex
}

void ContactExplanationTest::theStepsProblemIsSolvedAgainFromItsFile() {
  PaneSettings settings = pane("peg");
  settings.solver = "lemke";  // all solvers take its pyramid
  Comparison comparison(fallingBox(), {settings});
  StepDetail detail;
  int index = -1;
  const RecordPtr record = firstImpact(comparison, detail, index);
  QVERIFY(record != nullptr);
  QTemporaryDir folder;
  QFile file(folder.filePath(QStringLiteral("problem.json")));
  QVERIFY(file.open(QIODevice::WriteOnly));
  file.write(QByteArray::fromStdString(problemText(detail, comparison.scene(), "peg-lemke")));
  file.close();
  const StoredProblems stored = readProblems(file.fileName().toStdString());
  QCOMPARE(stored.islands.size(), problemDetail(detail).problems.size());
  QVERIFY(stored.islands[0].problem.A == problemDetail(detail).problems[0].island.problem.A);  // full digits
  QVERIFY(stored.islands[0].problem.b == problemDetail(detail).problems[0].island.problem.b);
  for (const char* key : {"auto", "lemke", "newton-fb"}) {
    const SolverResult again =
        makeSolver(key)->solve(stored.islands[0].problem, stored.islands[0].start, stored.settings);
    QVERIFY(again.status == SolveStatus::Solved);
    QVERIFY(naturalResidual(stored.islands[0].problem, again.z) < 1e-9);
  }
  QVERIFY(file.open(QIODevice::WriteOnly));
  file.write("{\"touchstone_problem\": 1}");
  file.close();
  QVERIFY_EXCEPTION_THROWN(readProblems(file.fileName().toStdString()), SceneError);
}

void ContactExplanationTest::setsThatSweepsTakeAsOneRowAreKeptInTheFile() {
  PaneSettings settings = pane("peg");
  settings.solver = "pgs";
  Comparison comparison(test::edgeBesideACorner(), {settings});
  StepDetail detail;
  int index = -1;
  const RecordPtr record = firstImpact(comparison, detail, index);
  QVERIFY(record != nullptr);
  const auto& maxima = problemDetail(detail).problems.at(0).island.problem.maxima;
  QVERIFY(!maxima.empty());
  QTemporaryDir folder;
  const std::string path = folder.filePath(QStringLiteral("problem.json")).toStdString();
  const auto write = [&path](const QByteArray& text) {
    QFile file(QString::fromStdString(path));
    if (file.open(QIODevice::WriteOnly)) file.write(text);
  };
  const QByteArray text =
      QByteArray::fromStdString(problemText(detail, comparison.scene(), paneName(settings)));
  write(text);
  const StoredProblem stored = readProblems(path).islands.at(0);
  QCOMPARE(stored.problem.maxima.size(), maxima.size());
  for (std::size_t k = 0; k < maxima.size(); ++k) {
    QCOMPARE(stored.problem.maxima[k].row, maxima[k].row);
    QCOMPARE(stored.problem.maxima[k].slacks, maxima[k].slacks);
  }
  const SolverResult again =
      makeSolver("pgs")->solve(stored.problem, stored.start, problemDetail(detail).solverSettings);
  QVERIFY2(again.status == SolveStatus::Solved, again.message.c_str());
  // As plain rows for a solver that knows no sets.
  QVERIFY(makeSolver("lemke")->solve(stored.problem, {}, problemDetail(detail).solverSettings).status ==
          SolveStatus::Solved);

  const ContactExplanation explanation =
      ContactExplainer(comparison.scenePtr()).explain(record->contacts[index], detail, "peg", "pgs");
  QCOMPARE(explanation.rows.at(0).multiplier, record->contacts[index].normalImpulse);
  QVERIFY(explanation.rows.at(1).meaning.find("slack") != std::string::npos);
  for (const ExplanationRow& row : explanation.rows) QVERIFY(row.residual <= record->solverTolerance);

  write(QByteArray(text).replace("\"slacks\": 1", "\"slacks\": 9999"));
  QVERIFY_EXCEPTION_THROWN(readProblems(path), SceneError);
}

void ContactExplanationTest::featuresLieWhereTheContactIs_data() {
  QTest::addColumn<QString>("method");
  for (const MethodInfo& method : methodTable())
    QTest::newRow(method.key.c_str()) << QString::fromStdString(method.key);
}
void ContactExplanationTest::featuresLieWhereTheContactIs() {
  QFETCH(QString, method);
  Body upper = test::box("upper", Vec3(0.2, 0.2, 0.2), 1, Vec3(0.05, 0.3, 0.03));
  upper.linearVelocity = Vec3(0, -1, 0);
  auto scene =
      test::scene({test::box("lower", Vec3(0.3, 0.2, 0.3), 5, Vec3(0, 0.1, 0)), upper, test::ground(0)});
  scene->dt = 1e-3;
  Comparison comparison(scene, {pane(method.toStdString())});
  const ContactFeatures features(comparison.scenePtr());
  int checked = 0;
  for (int frame = 0; frame < 40; ++frame) {
    const std::vector<BodyState> before = comparison.pane(0).current()->bodies;
    const RecordPtr record = comparison.step(false)[0];
    for (const Contact& contact : record->contacts) {
      const std::vector<BodyFeature> found = features.of(contact);
      for (const BodyFeature& feature : found) {
        QVERIFY(feature.body == contact.bodyA || feature.body == contact.bodyB);
        const Vec3& point = feature.body == contact.bodyA ? contact.pointA : contact.pointB;
        const std::vector<Vec3> points = placed(feature, before[feature.body]);
        Vec3 low = points[0], high = points[0];
        for (const Vec3& each : points) {
          low = low.cwiseMin(each);
          high = high.cwiseMax(each);
        }
        for (int axis = 0; axis < 3; ++axis)
          QVERIFY(point[axis] > low[axis] - 0.03 && point[axis] < high[axis] + 0.03);
        ++checked;
      }
    }
  }
  QVERIFY(checked > 20);
}

QTEST_APPLESS_MAIN(ContactExplanationTest)
#include "tst_contact_explanation.moc"
