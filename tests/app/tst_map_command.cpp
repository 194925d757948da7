#include <QImage>
#include <QTemporaryDir>
#include <QtTest>
#include <nlohmann/json.hpp>

#include "app/cli/map_command.h"
#include "app/work/exit_codes.h"
#include "app/work/figure_files.h"
#include "core/run/backend_table.h"
#include "tests/support/separate_device.h"

using namespace touchstone;

/// `touchstone-cli map` and its files.
class MapCommandTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void initTestCase() { qputenv("TOUCHSTONE_DATASETS", TS_SOURCE_DIR "/datasets"); }
  void writesATableAndWhatItTakesToMakeItAgain();
  void leavesAnEarlierMapAlone();
  void drawsOverlapAndSpeed();
  void drawsOverItsOwnFiguresOnly();
  void stepsAreAnAxisOrAnOption();
  void aDeviceGivesTheSameTable();
  void aDeviceThatCannotBeUsedIsAnErrorOfTheEnvironment();

 private:
  static cli::MapOptions optionsFor(const QTemporaryDir& folder) {
    cli::MapOptions options;
    options.scene = "resting-box";
    options.method = "dpf";
    options.dt = 5e-3;
    options.time = 0.1;
    options.vary = {"stiffness=1e3..1e9/3", "damping=0,50"};
    options.sets = {"dpf.substeps=2"};
    options.out = folder.path().toStdString();
    options.commandLine = "touchstone-cli map …";
    return options;
  }
  static QByteArray contentOf(const QTemporaryDir& folder, const char* name) {
    QFile file(folder.filePath(QLatin1String(name)));
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
  }
};

void MapCommandTest::writesATableAndWhatItTakesToMakeItAgain() {
  const QTemporaryDir folder;
  QCOMPARE(cli::map(optionsFor(folder)), kDone);
  QCOMPARE(contentOf(folder, "map.csv").count('\n'), 7);
  const auto manifest = nlohmann::json::parse(contentOf(folder, "manifest.json").toStdString());
  QCOMPARE(manifest.at("dt_s").get<double>(), 5e-3);
  QCOMPARE(manifest.at("pane").at("substeps").get<int>(), 2);
  QVERIFY(manifest.at("pane").at("parameters").size() > 3);  // all parameters in force
  QVERIFY(!manifest.at("hashes").at("resting-box.json").get<std::string>().empty());
  QCOMPARE(manifest.at("axes").at(1).at("key").get<std::string>(), std::string("damping"));
  QCOMPARE(manifest.at("axes").at(0).at("values").size(), std::size_t(3));
  QVERIFY(manifest.contains("commit") && manifest.contains("command"));
}

void MapCommandTest::leavesAnEarlierMapAlone() {
  const QTemporaryDir folder;
  cli::MapOptions options = optionsFor(folder);
  QCOMPARE(cli::map(options), kDone);
  const QByteArray before = contentOf(folder, "map.csv");
  options.vary = {"stiffness=1e4"};
  QVERIFY_EXCEPTION_THROWN(cli::map(options), std::invalid_argument);
  QCOMPARE(contentOf(folder, "map.csv"), before);
  QVERIFY(QFile::remove(folder.filePath(QStringLiteral("map.csv"))));  // a run writes no such file
  QVERIFY_EXCEPTION_THROWN(cli::map(options), std::invalid_argument);
  options.force = true;
  QCOMPARE(cli::map(options), kDone);
  QCOMPARE(contentOf(folder, "map.csv").count('\n'), 2);
}

void MapCommandTest::drawsOverlapAndSpeed() {
  const QTemporaryDir folder;
  cli::MapOptions options = optionsFor(folder);
  options.dt = 0;
  options.time = 0.5;  // the box has landed
  options.vary = {"stiffness=1e4..1e13/3", "dt=2e-3,5e-3"};
  QCOMPARE(cli::map(options), kDone);
  QCOMPARE(contentOf(folder, "map.csv").count('\n'), 7);
  const auto manifest = nlohmann::json::parse(contentOf(folder, "manifest.json").toStdString());
  QVERIFY(!manifest.contains("dt_s"));  // no single one
  QCOMPARE(manifest.at("axes").at(1).at("values").at(0).get<double>(), 2e-3);
  if (!canDraw()) QSKIP("built without Qt");
  for (const char* figure : {"overlap", "end-speed"}) {
    const QByteArray name = figure;
    QVERIFY(!QImage::fromData(contentOf(folder, (name + ".png").constData())).isNull());
    QVERIFY(contentOf(folder, (name + ".pdf").constData()).startsWith("%PDF"));
    const QByteArray svg = contentOf(folder, (name + ".svg").constData());
    QVERIFY(svg.contains("Stiffness k [N/m]") && svg.contains("Frame length dt [s]"));
    QVERIFY(svg.contains("Grey: diverged."));
  }
}

void MapCommandTest::drawsOverItsOwnFiguresOnly() {
  if (!canDraw()) QSKIP("built without Qt");
  const QTemporaryDir folder;
  cli::MapOptions options = optionsFor(folder);
  options.force = true;
  QCOMPARE(cli::map(options), kDone);
  const QByteArray before = contentOf(folder, "overlap.svg");
  options.vary = {"stiffness=1e4,1e5"};
  QCOMPARE(cli::map(options), kDone);
  QVERIFY(contentOf(folder, "overlap.svg") != before);
  for (const char* name : {"overlap.png", "end-speed.svg", "end-speed.pdf"}) {
    QFile file(folder.filePath(QLatin1String(name)));
    const QByteArray own = contentOf(folder, name);
    QVERIFY(file.open(QIODevice::WriteOnly) && file.write("of another program") > 0);
    file.close();
    QVERIFY_EXCEPTION_THROWN(cli::map(options), std::invalid_argument);
    QCOMPARE(contentOf(folder, name), QByteArray("of another program"));
    QVERIFY(file.open(QIODevice::WriteOnly) && file.write(own) == own.size());
  }
  QCOMPARE(cli::map(options), kDone);
}

void MapCommandTest::stepsAreAnAxisOrAnOption() {
  const QTemporaryDir folder;
  cli::MapOptions options = optionsFor(folder);
  options.vary = {"dt=2e-3,5e-3"};
  QVERIFY_EXCEPTION_THROWN(cli::map(options), std::invalid_argument);  // and --dt
  options.dt = 0;
  options.time = 1e-3;
  QVERIFY_EXCEPTION_THROWN(cli::map(options), std::invalid_argument);  // less than half a frame
  options.time = 0.1;
  options.vary = {"dt=0,5e-3"};
  try {
    cli::map(options);
    QFAIL("taken");
  } catch (const std::invalid_argument& error) {
    QCOMPARE(QString::fromUtf8(error.what()),
             QStringLiteral("--vary dt=0,5e-3: dt must be above 0 and at most 1 s, is 0"));
  }
}

void MapCommandTest::aDeviceGivesTheSameTable() {
  const QTemporaryDir host, device;
  QCOMPARE(cli::map(optionsFor(host)), kDone);
  setCudaState(true, "test device");
  test::useSeparateDevice();
  cli::MapOptions options = optionsFor(device);
  options.backend = "cuda";
  QCOMPARE(cli::map(options), kDone);
  QVERIFY(!contentOf(host, "map.csv").isEmpty());
  QCOMPARE(contentOf(device, "map.csv"), contentOf(host, "map.csv"));
}

void MapCommandTest::aDeviceThatCannotBeUsedIsAnErrorOfTheEnvironment() {
  setCudaState(false, "no driver");
  const QTemporaryDir folder;
  cli::MapOptions options = optionsFor(folder);
  options.backend = "cuda";
  QVERIFY_EXCEPTION_THROWN(cli::map(options), std::runtime_error);
}

QTEST_APPLESS_MAIN(MapCommandTest)
#include "tst_map_command.moc"
