#include <QTemporaryDir>
#include <QtTest>
#include <nlohmann/json.hpp>

#include "app/cli/ensemble_command.h"
#include "app/cli/judge_command.h"
#include "app/work/exit_codes.h"
#include "core/robot/scene_readers.h"
#include "core/scene/scene.h"
#include "core/statistics/perturbed_copies.h"
#include "tests/support/near.h"

using namespace touchstone;

/// `touchstone-cli ensemble` and its files.
class EnsembleCommandTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void initTestCase() { qputenv("TOUCHSTONE_DATASETS", TS_SOURCE_DIR "/datasets"); }
  void writesTablesAndWhatItTakesToMakeThemAgain();
  void isTheSameEachTime();
  void writesTrajectoriesAndScenesOfTheCopies();
  void trajectoriesOfAnEngineAreAMember();
  void judgeComparesEnsemblesOfEngines();
  void leavesAnEarlierEnsembleAlone();
  void fewerCopiesLeaveNoTrajectoriesBehind();
  void badOptionsNameTheOption_data();
  void badOptionsNameTheOption();

 private:
  static cli::EnsembleOptions optionsFor(const QTemporaryDir& folder) {
    cli::EnsembleOptions options;
    options.scene = "resting-box";
    options.methods = {"dpf", "lcp"};
    options.copies = 8;
    options.dt = 5e-3;
    options.time = 0.05;
    options.quantities = {"penetration_max@max", "body_height:box"};
    options.margins = {"body_height:box=2%"};
    options.out = folder.path().toStdString();
    options.commandLine = "touchstone-cli ensemble …";
    return options;
  }
  static QByteArray contentOf(const QTemporaryDir& folder, const QString& name) {
    QFile file(folder.filePath(name));
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
  }
};

void EnsembleCommandTest::writesTablesAndWhatItTakesToMakeThemAgain() {
  const QTemporaryDir folder;
  QCOMPARE(cli::ensemble(optionsFor(folder)), kDone);
  QCOMPARE(contentOf(folder, "ensemble.csv").count('\n'), 1 + 2 * 11);
  QCOMPARE(contentOf(folder, "copies.csv").count('\n'), 1 + 2 * 8);
  QCOMPARE(contentOf(folder, "verdicts.csv").count('\n'), 1 + 2);
  QVERIFY(contentOf(folder, "summary.txt").startsWith("Scene resting-box"));
  const auto manifest = nlohmann::json::parse(contentOf(folder, "manifest.json").toStdString());
  QCOMPARE(manifest.at("copies").get<int>(), 8);
  QCOMPARE(manifest.at("perturb_m").get<double>(), 1e-9);
  QCOMPARE(manifest.at("panes").size(), std::size_t(2));
  QVERIFY(manifest.at("panes").at(0).at("settings").at("parameters").size() > 3);
  QCOMPARE(manifest.at("margins").at("body_height:box").get<std::string>(), std::string("2%"));
  QVERIFY(manifest.contains("commit") && manifest.contains("hashes"));
}

void EnsembleCommandTest::isTheSameEachTime() {
  const QTemporaryDir one, other, seeded;
  QCOMPARE(cli::ensemble(optionsFor(one)), kDone);
  QCOMPARE(cli::ensemble(optionsFor(other)), kDone);
  cli::EnsembleOptions options = optionsFor(seeded);
  options.seed = 2;
  QCOMPARE(cli::ensemble(options), kDone);
  for (const char* file : {"ensemble.csv", "copies.csv", "verdicts.csv"})
    QCOMPARE(contentOf(one, file), contentOf(other, file));
  QVERIFY(contentOf(one, "copies.csv") != contentOf(seeded, "copies.csv"));
}

void EnsembleCommandTest::writesTrajectoriesAndScenesOfTheCopies() {
  const QTemporaryDir folder, scenes;
  cli::EnsembleOptions options = optionsFor(folder);
  options.poses = true;
  options.scenes = scenes.path().toStdString();
  options.perturb = 1e-4;
  QCOMPARE(cli::ensemble(options), kDone);
  for (const char* method : {"dpf", "lcp"})
    for (int copy = 0; copy < 8; ++copy) {
      const QByteArray poses =
          contentOf(folder, QStringLiteral("poses-%1/copy-%2.csv").arg(method).arg(copy));
      QVERIFY(poses.startsWith("# touchstone_trajectory: 1"));
      QVERIFY(poses.contains("\n0,box,"));
    }
  const auto original = loadScene(TS_SOURCE_DIR "/datasets/scenes/resting-box.json");
  const auto copy = loadScene(scenes.filePath("resting-box-3.json").toStdString());
  for (std::size_t body = 0; body < original->bodies.size(); ++body)
    if (original->bodies[body].motion == Motion::Dynamic)
      QVERIFY_NEAR((copy->bodies[body].position - original->bodies[body].position -
                    offsetOf({8, 1e-4, 1}, 3, static_cast<int>(body), original->planar))
                       .norm(),
                   0, 1e-15);
}

// What our panes have written comes back with the numbers of the panes.
void EnsembleCommandTest::trajectoriesOfAnEngineAreAMember() {
  const QTemporaryDir ours, theirs;
  cli::EnsembleOptions options = optionsFor(ours);
  options.poses = true;
  QCOMPARE(cli::ensemble(options), kDone);
  options = optionsFor(theirs);
  options.methods = {"lcp"};
  for (const char* method : {"dpf", "lcp"})
    options.engines.push_back(std::string(method) + "-again=" +
                              ours.filePath(QStringLiteral("poses-%1").arg(method)).toStdString());
  QCOMPARE(cli::ensemble(options), kDone);
  const auto numbersOf = [](const QByteArray& csv, const QByteArray& label) {
    QList<QByteArray> lines;
    for (const QByteArray& line : csv.split('\n'))
      if (line.startsWith(label + ',')) lines << line.mid(label.size());
    return lines;
  };
  const QByteArray before = contentOf(ours, "copies.csv"), after = contentOf(theirs, "copies.csv");
  QCOMPARE(numbersOf(before, "dpf").size(), 8);
  QCOMPARE(numbersOf(after, "dpf-again"), numbersOf(before, "dpf"));
  QCOMPARE(numbersOf(after, "lcp-again"), numbersOf(before, "lcp"));
  QCOMPARE(numbersOf(after, "lcp"), numbersOf(before, "lcp"));
  const auto manifest = nlohmann::json::parse(contentOf(theirs, "manifest.json").toStdString());
  QCOMPARE(manifest.at("engines").at("dpf-again").at("hashes").size(), std::size_t(8));
  options.out.clear();
  for (const char* bad : {"lcp=.", "nowhere", "a b=.", "empty=/nowhere"}) {
    options.engines = {bad};
    QVERIFY_EXCEPTION_THROWN(cli::ensemble(options), std::invalid_argument);
  }
}

void EnsembleCommandTest::judgeComparesEnsemblesOfEngines() {
  const QTemporaryDir ours, theirs, judged;
  cli::EnsembleOptions options = optionsFor(ours);
  options.poses = true;
  QCOMPARE(cli::ensemble(options), kDone);
  cli::JudgeOptions judge;
  judge.scene = "resting-box";
  for (const char* method : {"dpf", "lcp"})
    judge.ensembles.push_back(std::string(method) + "=" +
                              ours.filePath(QStringLiteral("poses-%1").arg(method)).toStdString());
  judge.quantities = options.quantities;
  judge.margins = options.margins;
  judge.out = judged.path().toStdString();
  QCOMPARE(cli::judge(judge), kDone);
  QVERIFY(!contentOf(ours, "copies.csv").isEmpty());
  for (const char* file : {"copies.csv", "verdicts.csv", "ensemble.csv"})
    QCOMPARE(contentOf(judged, file), contentOf(ours, file));
  // Of our copies the summary tells how they were moved; of files that is not known.
  const QByteArray ofOurs = contentOf(ours, "summary.txt"), ofFiles = contentOf(judged, "summary.txt");
  QVERIFY(ofOurs.contains("moved by 1e-09 m") && ofOurs.contains("seed 1") && !ofOurs.contains("not known"));
  QVERIFY2(!ofFiles.contains("moved by") && !ofFiles.contains("seed"), ofFiles.constData());
  QVERIFY(ofFiles.contains("how their starts differ is not known"));
  QVERIFY(ofFiles.contains("scatter ") && ofFiles.contains("against"));
  judge.out.clear();
  judge.reference = "dpf";
  QVERIFY_EXCEPTION_THROWN(cli::judge(judge), std::invalid_argument);
  judge.ensembles.clear();
  QVERIFY_EXCEPTION_THROWN(cli::judge(judge), std::invalid_argument);
}

void EnsembleCommandTest::leavesAnEarlierEnsembleAlone() {
  const QTemporaryDir folder;
  cli::EnsembleOptions options = optionsFor(folder);
  QCOMPARE(cli::ensemble(options), kDone);
  const QByteArray before = contentOf(folder, "copies.csv");
  options.seed = 2;
  QVERIFY_EXCEPTION_THROWN(cli::ensemble(options), std::invalid_argument);
  QCOMPARE(contentOf(folder, "copies.csv"), before);
  options.force = true;
  QCOMPARE(cli::ensemble(options), kDone);
  QVERIFY(contentOf(folder, "copies.csv") != before);
}

void EnsembleCommandTest::fewerCopiesLeaveNoTrajectoriesBehind() {
  const QTemporaryDir folder;
  cli::EnsembleOptions options = optionsFor(folder);
  options.poses = options.force = true;
  QCOMPARE(cli::ensemble(options), kDone);
  QVERIFY(!contentOf(folder, "poses-lcp/copy-7.csv").isEmpty());
  options.copies = 3;
  options.methods = {"lcp"};
  QCOMPARE(cli::ensemble(options), kDone);
  QVERIFY(!contentOf(folder, "poses-lcp/copy-2.csv").isEmpty());
  QVERIFY(contentOf(folder, "poses-lcp/copy-7.csv").isEmpty());
  QVERIFY(contentOf(folder, "poses-dpf/copy-2.csv").isEmpty());
}

void EnsembleCommandTest::badOptionsNameTheOption_data() {
  QTest::addColumn<QString>("quantity");
  QTest::addColumn<QString>("margin");
  QTest::addColumn<bool>("poses");
  QTest::addColumn<QString>("says");
  QTest::newRow("quantity") << "hight"
                            << "" << false << "--quantity hight";
  QTest::newRow("margin") << "overlap"
                          << "jitter=2%" << false << "--margin jitter=2%";
  QTest::newRow("poses") << "overlap"
                         << "" << true << "--poses: writes files; give --out";
}

void EnsembleCommandTest::badOptionsNameTheOption() {
  QFETCH(QString, quantity);
  QFETCH(QString, margin);
  QFETCH(bool, poses);
  QFETCH(QString, says);
  cli::EnsembleOptions options;
  options.scene = "resting-box";
  options.methods = {"lcp"};
  options.quantities = {quantity.toStdString()};
  if (!margin.isEmpty()) options.margins = {margin.toStdString()};
  options.poses = poses;
  try {
    cli::ensemble(options);
    QFAIL("taken");
  } catch (const std::invalid_argument& error) {
    QVERIFY2(QString::fromUtf8(error.what()).contains(says), error.what());
  }
}

QTEST_APPLESS_MAIN(EnsembleCommandTest)
#include "tst_ensemble_command.moc"
