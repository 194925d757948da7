#include <QtTest>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "app/cli/problems_command.h"
#include "app/cli/run_command.h"
#include "app/cli/solve_command.h"
#include "app/work/exit_codes.h"
#include "core/store/friction_problem.h"
#include "core/store/step_problem.h"
#include "tests/support/near.h"

using namespace touchstone;

/// harvest, profile and solve on files.
class ProblemsCommandTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void harvestsEveryStepOfARecording();
  void profilesSolvers();
  void writesAProblemAsText();

 private:
  std::string at(const char* name) const { return m_folder.filePath(QString::fromUtf8(name)).toStdString(); }
  std::vector<std::string> harvested() const {
    std::vector<std::string> files;
    for (const auto& entry : std::filesystem::directory_iterator(at("problems")))
      files.push_back(entry.path());
    std::sort(files.begin(), files.end());
    return files;
  }
  QTemporaryDir m_folder;
};

void ProblemsCommandTest::harvestsEveryStepOfARecording() {
  cli::RunOptions options;
  options.scene = TS_SOURCE_DIR "/datasets/scenes/incline.json";
  options.methods = {"lcp", "nsn"};
  options.time = 0.01;
  options.record = at("incline.touchstone");
  QCOMPARE(cli::run(options), kDone);
  QCOMPARE(cli::harvest(options.record, at("problems")), kDone);
  const std::vector<std::string> files = harvested();
  QCOMPARE(files.size(), std::size_t(20));  // 10 steps under two methods
  const StoredProblems problems = readProblems(files.front());
  QVERIFY(!problems.islands.empty() && !problems.islands.front().problem.disks.empty());
}

void ProblemsCommandTest::profilesSolvers() {
  QCOMPARE(cli::profile(harvested(), {"newton-fb", "pgs"}, at("profile.csv"), at("profile.svg")), kDone);
  std::ifstream file(at("profile.csv"));
  std::string line;
  int lines = 0;
  std::getline(file, line);
  QCOMPARE(line, std::string("problem,rows,solver,status,iterations,time_s,residual_m_per_s"));
  while (std::getline(file, line)) ++lines;
  QVERIFY(lines >= 40);
  std::ifstream figure(at("profile.svg"));
  std::stringstream drawn;
  drawn << figure.rdbuf();
  QVERIFY(drawn.str().find("newton-fb") != std::string::npos &&
          drawn.str().find("</svg>") != std::string::npos);
  QVERIFY_EXCEPTION_THROWN(cli::profile(harvested(), {"guess"}, {}, {}), std::invalid_argument);
}

void ProblemsCommandTest::writesAProblemAsText() {
  const std::string source = harvested().front();
  QCOMPARE(cli::solve(source, {"newton-fb"}, at("problem.dat")), kDone);
  const StoredProblems original = readProblems(source);
  QCOMPARE(original.islands.size(), std::size_t(2));
  for (int island = 0; island < 2; ++island) {
    const std::string path = at(island == 0 ? "problem-1.dat" : "problem-2.dat");
    const ComplementarityProblem written = readFrictionProblem(path), &own = original.islands[island].problem;
    QVERIFY(written.A == own.A && written.b == own.b);
    QCOMPARE(cli::solve(path, {"newton-fb"}), kDone);
  }
}

QTEST_GUILESS_MAIN(ProblemsCommandTest)
#include "tst_problems_command.moc"
