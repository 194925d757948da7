#include "tests/support/command_folder.h"

/// Options that have no effect beside others are refused, before anything runs.
class IdleOptionsTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void initTestCase();
  void idleOptionsAreRefused_data();
  void idleOptionsAreRefused();
  void namesOfPhenomenaChooseWhatIsListed();

 private:
  touchstone::test::CommandFolder m_folder;
};

void IdleOptionsTest::initTestCase() {
  m_folder.write("a.json", R"({"touchstone": 1, "name": "a", "title": "A", "dt": 0.01, "duration": 0.05,
    "methods": ["cpf"], "bodies": [{"name": "box", "shape": {"type": "box", "size": [1, 1, 1]}}]})");
  auto process = m_folder.started({"run", "a.json", "--time", "0.02", "--poses", "--out", "o"});
  QCOMPARE(touchstone::test::endOf(*process, 60000), 0);
}

void IdleOptionsTest::idleOptionsAreRefused_data() {
  QTest::addColumn<QString>("command");
  QTest::addColumn<QString>("option");
  const auto row = [](const char* command, const char* option) {
    QTest::newRow(command) << command << option;
  };
  row("run --from o/manifest.json --methods lcp", "--methods");
  row("run --from o/manifest.json --set cpf.stiffness=3", "--set");
  row("run --from o/manifest.json --backend cpu", "--backend");
  row("run --from o/manifest.json --substeps 3", "--substeps");
  row("run a.json --contacts", "--contacts");
  row("run a.json --all-contacts", "--all-contacts");
  row("run a.json --contacts --all-contacts --out p", "--contacts");
  row("run a.json --poses", "--poses");
  row("run a.json --force", "--force");
  row("run a.json --motion m.csv --seed 3", "--seed");
  row("conform --list --methods cpf", "--methods");
  row("conform --list --expect c.csv", "--expect");
  row("conform --list --jobs 2", "--jobs");
  row("conform bounce --force", "--force");
  row("study --list cpf-rest", "study");
  row("study --all cpf-rest", "study");
  row("study --list --all", "--all");
  row("study --list --jobs 2", "--jobs");
  row("study --jobs 2 merge cpf-rest", "--jobs");
  row("map a.json --method cpf --vary stiffness=1,2 --force", "--force");
  row("judge a.json o/poses.csv --force", "--force");
  row("judge a.json --ensemble k=o --missing error", "--missing");
  row("judge a.json k=o/poses.csv --reference k", "--reference");
  row("judge a.json k=o/poses.csv --shift k=1", "--shift");
  row("ensemble a.json --quantity mean_height --force", "--force");
  row("ensemble a.json --quantity mean_height --engine k=o --dt 0.1", "--dt");
  row("ensemble a.json --quantity mean_height --engine k=o --copies 9", "--copies");
  row("claims --force", "--force");
  row("profile p.dat --force", "--force");
  row("verify --ccd-queries q --scenes a.json", "--scenes");
  row("verify --ccd-queries q --backend cpu", "--backend");
}

void IdleOptionsTest::idleOptionsAreRefused() {
  QFETCH(QString, command);
  QFETCH(QString, option);
  auto process = m_folder.started(command.split(' '));
  QCOMPARE(touchstone::test::endOf(*process, 60000), 2);
  const QString said = QString::fromUtf8(process->readAllStandardError());
  QVERIFY2(said.contains(option) && said.contains("no effect") && said.contains("; "), qPrintable(said));
  QCOMPARE(said.count('\n'), 1);
}

void IdleOptionsTest::namesOfPhenomenaChooseWhatIsListed() {
  auto process = m_folder.started({"conform", "--list", "bounce"});
  QCOMPARE(touchstone::test::endOf(*process, 60000), 0);
  const QString said = QString::fromUtf8(process->readAllStandardOutput());
  QVERIFY2(said.contains("bounce: ") && !said.contains("painleve: "), qPrintable(said));
}

QTEST_GUILESS_MAIN(IdleOptionsTest)
#include "tst_idle_options.moc"
