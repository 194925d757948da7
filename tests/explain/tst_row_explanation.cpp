#include <QtTest>
#include <algorithm>
#include <set>

#include "core/contact/step_detail.h"
#include "core/explain/row_explanation.h"
#include "core/run/pane_name.h"
#include "core/run/simulation.h"
#include "tests/support/scenes.h"

using namespace touchstone;

/// The rows of a step with their names, laws, rates, impulses and residuals.
class RowExplanationTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void rowsOfJointsHoldToTheirSolversTolerance_data();
  void rowsOfJointsHoldToTheirSolversTolerance();
  void sweepsThatEndEarlyLeaveRowsOfJointsApart();
  void rowsOfContactsCarryTheRecordedImpulses_data();
  void rowsOfContactsCarryTheRecordedImpulses();
  void elementsAndAttachmentsAreRowsOfNonsmoothNewton();
  void flipsOfNeoHookeanElementsEndWithoutImpulse();
  void strainsAreMeasuredInMetresOfTheirElement();
  void contactsOfPenaltyMethodsAreNoRows();
};

namespace {

struct Step {
  RecordPtr record;
  std::vector<ExplainedRow> rows;
};

/// The last of some frames.
Step stepOf(const std::shared_ptr<const Scene>& scene, const PaneSettings& pane, int frames) {
  Simulation simulation(scene, pane, scene->dt);
  for (int frame = 1; frame < frames; ++frame) simulation.step();
  StepDetail detail;
  Step step;
  step.record = simulation.step(detail);
  if (detail.rows) step.rows = explainedRows(simulation.world(), *detail.rows);
  return step;
}

std::vector<ExplainedRow> ofKind(const std::vector<ExplainedRow>& rows, int kind) {
  std::vector<ExplainedRow> found;
  std::copy_if(rows.begin(), rows.end(), std::back_inserter(found),
               [kind](const ExplainedRow& row) { return row.block.kind == kind; });
  return found;
}

double largestResidual(const std::vector<ExplainedRow>& rows) {
  double largest = 0;
  for (const ExplainedRow& row : rows) largest = std::max(largest, row.residual);
  return largest;
}

}  // namespace

void RowExplanationTest::rowsOfJointsHoldToTheirSolversTolerance_data() {
  QTest::addColumn<QString>("pane");
  for (const char* pane : {"lcp", "lcp-newton-fb-pcr", "lcp-lemke", "peg", "nsn", "dpf", "cpf"})
    QTest::newRow(pane) << pane;
}

void RowExplanationTest::rowsOfJointsHoldToTheirSolversTolerance() {
  QFETCH(QString, pane);
  PaneSettings settings = paneNamed(pane.toStdString());
  if (pane == "nsn") settings.parameters["max_iterations"] = 60.0;
  const Step step = stepOf(test::shipped("drawer"), settings, 30);
  const std::vector<ExplainedRow> joints = ofKind(step.rows, kJointBlock);
  QVERIFY(!joints.empty());
  std::set<std::string> names;
  for (const ExplainedRow& row : joints) {
    QCOMPARE(QString::fromStdString(row.owner).left(7), QStringLiteral("joint '"));
    names.insert(row.name);
    if (row.law == "w = 0") QVERIFY2(std::abs(row.rate) < 1e-6, row.name.c_str());
  }
  QVERIFY(names.count("point 1") == 1 && names.count("angle 1") == 1);
  QVERIFY(names.count("lower limit") == 1);
  QVERIFY(largestResidual(joints) < 1e-6);
}

void RowExplanationTest::sweepsThatEndEarlyLeaveRowsOfJointsApart() {
  PaneSettings few = paneNamed("lcp-pgs"), many = few;
  few.parameters["max_iterations"] = 5.0;
  many.parameters["max_iterations"] = 500.0;
  const auto scene = test::shipped("loaded-chain");
  const double ofFew = largestResidual(stepOf(scene, few, 3).rows),
               ofMany = largestResidual(stepOf(scene, many, 3).rows);
  QVERIFY(ofFew > 1e-3);
  QVERIFY(ofMany < 0.1 * ofFew);
}

void RowExplanationTest::rowsOfContactsCarryTheRecordedImpulses_data() {
  QTest::addColumn<QString>("pane");
  for (const char* pane : {"lcp", "lcp-pgs", "peg", "nsn"}) QTest::newRow(pane) << pane;
}

void RowExplanationTest::rowsOfContactsCarryTheRecordedImpulses() {
  QFETCH(QString, pane);
  const Step step = stepOf(test::shipped("incline"), paneNamed(pane.toStdString()), 40);
  double recorded = 0, ofRows = 0, friction = 0, ofFrictionRows = 0;
  for (const Contact& contact : step.record->contacts) {
    recorded += contact.normalImpulse;
    friction += contact.frictionImpulse.squaredNorm();
    const BlockKey block = blockOf(contact);
    const auto isOf = [&block](const ExplainedRow& row) {
      return !(row.block < block) && !(block < row.block);
    };
    if (contact.normalImpulse > 0) QVERIFY(std::any_of(step.rows.begin(), step.rows.end(), isOf));
  }
  for (const ExplainedRow& row : step.rows) {
    if (row.name.rfind("normal", 0) == 0) ofRows += row.impulse;
    if (row.name.rfind("friction", 0) == 0) ofFrictionRows += row.impulse * row.impulse;
    QVERIFY(row.owner.find("'block'") != std::string::npos || row.owner.find(" – ") != std::string::npos);
  }
  QVERIFY(recorded > 0 && friction > 0);
  QVERIFY(std::abs(ofRows - recorded) < 1e-9 * recorded);
  QVERIFY(std::abs(ofFrictionRows - friction) < 1e-6 * friction);
}

void RowExplanationTest::elementsAndAttachmentsAreRowsOfNonsmoothNewton() {
  const Step step = stepOf(test::shipped("soft-block"), paneNamed("nsn"), 5);
  const std::vector<ExplainedRow> elements = ofKind(step.rows, kTetrahedronBlock);
  QVERIFY(!elements.empty());
  for (const ExplainedRow& row : elements) {
    QVERIFY(row.owner.rfind("tetrahedron ", 0) == 0 && row.name.rfind("strain ", 0) == 0);
    QCOMPARE(row.law, std::string("w = 0"));
    QCOMPARE(row.impulseUnit, "J·s");
  }
}

/// A row that exists for the matrix alone (kTransient).
void RowExplanationTest::flipsOfNeoHookeanElementsEndWithoutImpulse() {
  const auto scene = test::shipped("material-extension");
  PaneSettings settings = paneNamed("nsn");
  settings.parameters["elastic"] = std::string("six");
  settings.parameters["max_iterations"] = 2.0;  // at the solution they would be 0 in any case
  Simulation simulation(scene, settings, scene->dt);
  StepDetail detail;
  for (int frame = 0; frame < 5; ++frame) simulation.step(detail);
  QVERIFY(detail.rows);
  const RowsDetail& rows = *detail.rows;
  int flips = 0, stretched = 0;
  for (std::size_t row = 0; row < rows.impulses.size(); ++row) {
    if (!(rows.table.rows.rows[row].flags & kTransient)) {
      stretched += rows.impulses[row] != 0;
      continue;
    }
    ++flips;
    QCOMPARE(rows.impulses[row], 0.0);
  }
  QVERIFY(flips > 0 && stretched > 0);
}

/// Row::length of a strain is 1/|J| of its largest gradient, about the height of the element, times its
/// damping.
void RowExplanationTest::strainsAreMeasuredInMetresOfTheirElement() {
  const auto scene = test::shipped("soft-block");
  Simulation simulation(scene, paneNamed("nsn"), scene->dt);
  StepDetail detail;
  simulation.step(detail);
  QVERIFY(detail.rows);
  const RowsDetail& rows = *detail.rows;
  const World& world = simulation.world();
  int strains = 0;
  for (const RowBlock& block : rows.table.rows.blocks) {
    if (block.key.kind != kTetrahedronBlock) continue;
    const TetrahedronElement& element = world.elastic->tetrahedra[block.key.first];
    double longest = 0;
    for (int a = 0; a < 4; ++a)
      for (int b = 0; b < a; ++b)
        longest = std::max(
            longest, (world.position[element.carriers[a]] - world.position[element.carriers[b]]).norm());
    for (int row = block.firstRow; row < block.firstRow + block.rowCount; ++row) {
      if (rows.table.rows.rows[row].flags & kTransient) continue;
      ++strains;
      const auto length = static_cast<double>(rows.table.rows.rows[row].length);
      QVERIFY2(length > 0.05 * longest && length < 2 * longest,
               qPrintable(QString::number(length / longest)));
    }
  }
  QVERIFY(strains > 0);
}

void RowExplanationTest::contactsOfPenaltyMethodsAreNoRows() {
  const auto scene = test::shipped("incline");
  PaneSettings settings = paneNamed("cpf");
  settings.substeps = 10;
  Simulation simulation(scene, settings, scene->dt);
  StepDetail detail;
  RecordPtr record = simulation.step(detail);
  for (int frame = 1; frame < 50 && record->contacts.empty(); ++frame) record = simulation.step(detail);
  QVERIFY(!record->contacts.empty());
  QVERIFY(!detail.rows);
}

QTEST_APPLESS_MAIN(RowExplanationTest)
#include "tst_row_explanation.moc"
