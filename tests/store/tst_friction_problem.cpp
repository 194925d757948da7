#include <QtTest>
#include <fstream>

#include "core/files/scene_error.h"
#include "core/store/friction_problem.h"
#include "tests/support/near.h"

using namespace touchstone;

class FrictionProblemTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void readsAndWritesTheTextForm();
  void everySolverOfConesSolvesIt();
  void damagedFilesAreRefused_data();
  void damagedFilesAreRefused();

 private:
  std::string written(const QByteArray& text, const char* name = "problem.dat");
  QTemporaryDir m_folder;
};

/// Two contacts; the matrix is given column by column and is not symmetric in its last digits.
static const char kText[] =
    "3\n2\n0\n6\n6\n6 6\n"
    "2 0 0 0.5 0 0\n0 2 0 0 0.5 0\n0 0 2 0 0 0.5\n0.50001 0 0 2 0 0\n0 0.5 0 0 2 0\n0 0 0.5 0 0 2\n"
    "-1 0.3 0 -1 0 0.9\n0.5 0.25\n";

std::string FrictionProblemTest::written(const QByteArray& text, const char* name) {
  const std::string path = m_folder.filePath(QString::fromUtf8(name)).toStdString();
  std::ofstream(path) << text.toStdString();
  return path;
}

void FrictionProblemTest::readsAndWritesTheTextForm() {
  const ComplementarityProblem problem = readFrictionProblem(written(kText));
  QCOMPARE(problem.b.size(), Eigen::Index(6));
  QVERIFY(problem.A(0, 3) == 0.50001 && problem.A(3, 0) == 0.5 && problem.b[5] == 0.9);
  QCOMPARE(problem.disks.size(), std::size_t(2));
  QVERIFY(problem.disks[1].normal == 3 && problem.disks[1].first == 4 && problem.disks[1].count == 2 &&
          problem.disks[1].friction == 0.25);
  const ComplementarityProblem again =
      readFrictionProblem(written(QByteArray::fromStdString(frictionProblemText(problem)), "again.dat"));
  QVERIFY(again.A == problem.A && again.b == problem.b && again.disks[0].friction == 0.5);
}

void FrictionProblemTest::everySolverOfConesSolvesIt() {
  const ComplementarityProblem problem = readFrictionProblem(written(kText));
  SolverSettings settings;
  settings.tolerance = 1e-10;
  settings.maxIterations = 5000;
  for (const char* key : {"newton-fb", "newton-min", "pgs", "auto"}) {
    const SolverResult result = makeSolver(key)->solve(problem, {}, settings);
    QVERIFY2(result.status == SolveStatus::Solved, key);
    QVERIFY(naturalResidual(problem, result.z) < 1e-9);
  }
}

void FrictionProblemTest::damagedFilesAreRefused_data() {
  QTest::addColumn<QByteArray>("text");
  QTest::addColumn<QString>("says");
  const auto row = [](const char* name, const QByteArray& text, const char* says) {
    QTest::newRow(name) << text << QString::fromUtf8(says);
  };
  row("cut", QByteArray(kText).left(60), "ends early");
  row("words", "3\nmany\n", "no number");
  row("four dimensions", QByteArray(kText).replace(0, 1, "4"), "dimension");
  row("blocks", QByteArray(kText).replace("3\n2\n0\n", "3\n2\n1\n"), "blocks");
  row("not square", QByteArray(kText).replace("6\n6\n6 6", "6\n5\n6 5"), "square");
  row("too many contacts", QByteArray(kText).replace("3\n2\n0", "3\n4\n0"), "contacts");
  row("negative friction", QByteArray(kText).replace("0.5 0.25\n", "0.5 -0.25\n"), "negative");
  row("not finite", QByteArray(kText).replace("0.9\n", "nan\n"), "");
  row("huge", "3\n100000\n0\n300000\n300000\n300000 300000\n", "contacts");
}

void FrictionProblemTest::damagedFilesAreRefused() {
  QFETCH(QByteArray, text);
  QFETCH(QString, says);
  try {
    readFrictionProblem(written(text));
  } catch (const SceneError& error) {
    const QString message = QString::fromUtf8(error.what());
    QVERIFY2(message.contains(says) && message.contains(QStringLiteral("problem.dat")), qPrintable(message));
    return;
  }
  QFAIL("was accepted");
}

QTEST_APPLESS_MAIN(FrictionProblemTest)
#include "tst_friction_problem.moc"
