#include <QProcess>
#include <QtTest>
#include <cmath>
#include <map>

#include "core/conform/phenomenon.h"
#include "core/conform/verdict.h"
#include "core/files/csv_reader.h"
#include "tests/support/command_folder.h"

using namespace touchstone;

/// `touchstone-cli conform`: the card of short phenomena, its files, what it is compared with.
class ConformCommandTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void init() { m_folder = std::make_unique<test::CommandFolder>(); }
  void theCardIsThatOfThisVersion();
  void enginesHaveTheirCard_data();
  void enginesHaveTheirCard();
  void aColumnThatTakesTooLongIsFailed_data();
  void aColumnThatTakesTooLongIsFailed();
  void everyFileNamesTheVersionOfTheBattery();
  void theBatteryTurnsUnderItsControls();
  void reasonsTellTheNumbersOfTheirColumn();
  void everyCellOpensItsRunWhichRepeats();
  void aChangeIsNamed();
  void whatIsNotComparedIsNotAsExpected_data();
  void whatIsNotComparedIsNotAsExpected();
  void textsOfAPhenomenonAreShownLetterByLetter();
  void controlsTurnTheirVerdicts();
  void aControlThatDoesNotTurnIsAFailure();
  void aDeviationHasTheReasonOfItsColumn();
  void columnsDifferInAParameterOnly();
  void aRefusedSceneIsNotApplicableAndTheRestGoesOn();
  void posesOfOurOwnGiveTheSameNumbers();
  void whatIsExactHasTheOrderAndNoConstant();
  void whoMeetsTheGroundALaterStepIsAskedThen();
  void aFurtherPhenomenonIsOneFileAndOneScene();
  void aDeclaredModelIsJudgedByItsNumberAlone();
  void velocitiesThatContradictPosesAreNotBelieved();
  void whatCannotBeRunIsToldBeforeAnythingRuns_data();
  void whatCannotBeRunIsToldBeforeAnythingRuns();
  void thePageIsWellFormed();

 private:
  using Result = test::CommandFolder::Result;
  using Line = std::map<std::string, std::string>;
  std::vector<Line> card(const QString& folder) const;
  static const Line& of(const std::vector<Line>& card, const std::string& measure, const std::string& column);
  void writeFalls();
  void writeFall(const QString& column, const QByteArray& header, double share);
  std::unique_ptr<test::CommandFolder> m_folder;
};

std::vector<ConformCommandTest::Line> ConformCommandTest::card(const QString& folder) const {
  std::vector<Line> lines;
  std::vector<std::string> header;
  CsvReader reader(m_folder->at(folder + "/card.csv").toStdString(), "");
  while (reader.next()) {
    if (header.empty()) {
      for (const CsvReader::Cell& cell : reader.cells()) header.emplace_back(cell.text);
      continue;
    }
    lines.emplace_back();
    for (std::size_t cell = 0; cell < header.size(); ++cell)
      lines.back()[header[cell]] = std::string(reader.cells()[cell].text);
  }
  return lines;
}

const ConformCommandTest::Line& ConformCommandTest::of(const std::vector<Line>& card,
                                                       const std::string& measure,
                                                       const std::string& column) {
  for (const Line& line : card)
    if (line.at("measure") == measure && line.at("column") == column) return line;
  static const Line none = {{"verdict", "no such line"}, {"value", ""}, {"reason", ""}};
  return none;
}

void ConformCommandTest::theCardIsThatOfThisVersion() {
  const Result result = m_folder->run({"conform", "isotropy", "tripod", "tipping", "cradle", "crossed-edges",
                                       "ladder", "painleve", "thin-wall", "traps", "free-spin", "order",
                                       "--expect", TS_SOURCE_DIR "/datasets/battery/expected.csv"});
  QVERIFY2(result.code == 0, result.error);
  QVERIFY(result.out.contains("As expected by"));
}

void ConformCommandTest::enginesHaveTheirCard_data() {
  QTest::addColumn<QString>("engine");
  for (const char* engine : {"bullet", "ode", "mujoco"}) QTest::newRow(engine) << engine;
}

/// The card of the version that made the file; another version is told and not compared.
void ConformCommandTest::enginesHaveTheirCard() {
  QFETCH(QString, engine);
  if (!m_folder->run({"list"}).out.contains("\n  " + engine.toUtf8() + " "))
    QSKIP("this build has no such engine");
  const QString file = TS_SOURCE_DIR "/datasets/battery/expected-" + engine + ".csv";
  const QStringList phenomena = {"stick-slip", "isotropy",  "tipping", "cradle",
                                 "thin-wall",  "free-spin", "order"};
  const Result same =
      m_folder->run(QStringList{"conform"} + phenomena + QStringList{"--methods", engine, "--expect", file});
  QVERIFY2(same.code == 0, same.error);
  QFile shipped(file);
  QVERIFY(shipped.open(QIODevice::ReadOnly));
  QByteArray text = shipped.readAll();
  const QByteArray head = "# engine of " + engine.toUtf8() + " = ";
  QVERIFY2(text.startsWith(head), text.left(80));
  text.insert(head.size(), "an older ");
  text.replace(",agrees,", ",deviates,");
  m_folder->write("older.csv", text);
  const Result older = m_folder->run({"conform", "order", "--methods", engine, "--expect", "older.csv"});
  QVERIFY2(older.code == 0, older.error);
  QVERIFY2(older.error.contains(engine.toUtf8() + ": was made with an older "), older.error);
  // A column of another file is compared all the same.
  const Result both =
      m_folder->run({"conform", "order", "--methods", engine + ",lcp", "--expect", "older.csv"});
  QCOMPARE(both.code, 1);
}

void ConformCommandTest::everyFileNamesTheVersionOfTheBattery() {
  const QByteArray version = kBatteryVersion;
  QCOMPARE(m_folder->run({"conform", "traps", "--methods", "cpf", "--out", "card"}).code, 0);
  for (const char* file : {"card/card.txt", "card/card.tex"})
    QVERIFY2(m_folder->content(file).contains("battery, version " + version), file);
  QVERIFY(m_folder->content("card/card.html").contains("The battery, version <strong>" + version));
  for (const char* file : {"card/card.json", "card/manifest.json"})
    QVERIFY2(m_folder->content(file).contains("\"battery_version\": \"" + version + "\""), file);
  for (const Line& line : card("card")) QCOMPARE(line.at("battery"), version.toStdString());
  QVERIFY(m_folder->run({"conform", "--list"}).out.startsWith("The battery, version " + version));
  for (const char* page : {"README.md", "app/help/conformance.md"}) {
    QFile file(QStringLiteral(TS_SOURCE_DIR "/") + page);
    QVERIFY(file.open(QIODevice::ReadOnly));
    QVERIFY2(file.readAll().contains("The battery, version " + version), page);
  }
}

void ConformCommandTest::aColumnThatTakesTooLongIsFailed_data() {
  QTest::addColumn<QString>("option");
  QTest::newRow("frame") << "--seconds-per-frame";
  QTest::newRow("column") << "--seconds-per-column";
}

/// 10⁵ substeps a frame take longer than any test may; the other column is as without a limit.
void ConformCommandTest::aColumnThatTakesTooLongIsFailed() {
  QFETCH(QString, option);
  const Result result =
      m_folder->run({"conform", "isotropy", "cradle", "--methods", "lcp,peg:substeps=100000", option,
                     option.endsWith("column") ? "20" : "2", "--out", "card"});
  QVERIFY2(result.code == 0, result.error);
  bool hasFailed = false;
  for (const Line& line : card("card")) {
    if (line.at("column") == "lcp") {
      QVERIFY2(line.at("verdict") != wordOf(Verdict::Failed), line.at("reason").c_str());
    } else if (line.at("verdict") == wordOf(Verdict::Failed)) {
      hasFailed = true;
      QVERIFY2(line.at("reason").find("the clock ended the ") == 0, line.at("reason").c_str());
      QVERIFY2(line.at("reason").find(option.toStdString() + " 0") != std::string::npos,
               line.at("reason").c_str());
    }
  }
  QVERIFY(hasFailed);
}

void ConformCommandTest::theBatteryTurnsUnderItsControls() {
  const Result result =
      m_folder->run({"conform", "drag", "slide-spin", "zeno", "rocking", "oblique", "--methods", "lcp",
                     "--controls", "--expect", TS_SOURCE_DIR "/datasets/battery/expected.csv"});
  QVERIFY2(result.code == 0, result.out + result.error);
  QVERIFY(result.out.contains("turned their verdict"));
}

void ConformCommandTest::reasonsTellTheNumbersOfTheirColumn() {
  QCOMPARE(m_folder->run({"conform", "rocking", "--methods", "cpf,lcp", "--out", "card"}).code, 0);
  const auto lines = card("card");
  QCOMPARE(of(lines, "rate", "cpf").at("verdict"), std::string("deviates"));
  const QString share = QString::number(std::stod(of(lines, "edge", "cpf").at("value")), 'g', 4);
  const QString reason = QString::fromStdString(of(lines, "rate", "cpf").at("reason"));
  QVERIFY2(reason.contains("strikes " + share + " of its speed"), qPrintable(reason));
  QCOMPARE(of(lines, "rate", "lcp").at("verdict"), std::string("agrees"));
}

void ConformCommandTest::everyCellOpensItsRunWhichRepeats() {
  QCOMPARE(m_folder->run({"conform", "traps", "--methods", "cpf,peg", "--out", "card"}).code, 0);
  for (const char* file : {"card.txt", "card.csv", "card.json", "card.html", "card.tex", "manifest.json"})
    QVERIFY2(!m_folder->content(QString("card/") + file).isEmpty(), file);
  const Line line = of(card("card"), "vy", "peg");
  QCOMPARE(line.at("run_folder"), std::string("runs/traps.a"));
  const QString folder = "card/" + QString::fromStdString(line.at("run_folder"));
  for (const char* file : {"manifest.json", "quantities.csv", "contacts.csv", "recording.touchstone"})
    QVERIFY2(!m_folder->content(folder + "/" + file).isEmpty(), file);
  QCOMPARE(m_folder->run({"replay", folder + "/recording.touchstone"}).code, 0);
  const Result again =
      m_folder->run({"run", "--from", folder + "/manifest.json", "--contacts", "--out", "again"});
  QVERIFY2(again.code == 0, again.error);
  QCOMPARE(m_folder->content("again/contacts.csv"), m_folder->content(folder + "/contacts.csv"));
  // An earlier card is replaced only if asked.
  QCOMPARE(m_folder->run({"conform", "traps", "--methods", "cpf", "--out", "card"}).code, 2);
  QCOMPARE(m_folder->run({"conform", "traps", "--methods", "cpf", "--out", "card", "--force"}).code, 0);
}

void ConformCommandTest::aChangeIsNamed() {
  QCOMPARE(m_folder->run({"conform", "free-spin", "--methods", "cpf", "--out", "card"}).code, 0);
  const QByteArray csv = m_folder->content("card/card.csv");
  QCOMPARE(m_folder->run({"conform", "free-spin", "--methods", "cpf", "--expect", "card/card.csv"}).code, 0);
  m_folder->write("verdict.csv", QByteArray(csv).replace(",agrees,", ",deviates,"));
  const Result verdict =
      m_folder->run({"conform", "free-spin", "--methods", "cpf", "--expect", "verdict.csv"});
  QCOMPARE(verdict.code, 1);
  QVERIFY2(verdict.error.contains("free-spin first (cpf): deviates before, agrees now"), verdict.error);
  QByteArray moved = csv;
  const std::string value = of(card("card"), "first", "cpf").at("value");
  m_folder->write("number.csv", moved.replace(("," + value + ",").c_str(), ",1.5,"));
  const Result number = m_folder->run({"conform", "free-spin", "--methods", "cpf", "--expect", "number.csv"});
  QCOMPARE(number.code, 1);
  QVERIFY2(number.error.contains("free-spin first (cpf): 1.5 before"), number.error);
}

void ConformCommandTest::whatIsNotComparedIsNotAsExpected_data() {
  QTest::addColumn<QString>("from");  // a regular expression, in the rows below the header
  QTest::addColumn<QString>("to");
  QTest::addColumn<int>("code");
  QTest::addColumn<QByteArray>("told");
  const auto row = [](const char* name, const char* from, const char* to, int code, const char* told) {
    QTest::newRow(name) << from << to << code << QByteArray(told);
  };
  row("the card itself", "nothing", "", 0, "4 numbers compared");
  row("header only", "^.*$", "", 1, "nothing is compared");
  row("another phenomenon", "^free-spin", "creep", 1, "nothing is compared");
  row("another column", ",cpf,", ",dpf,", 1, "has no row in the file");
  row("another version of the battery", "^((?:[^,]*,){15})[^,]*", "\\g<1>0", 1,
      "it is a card of version 0 of the battery");
  row("a row is gone", "^free-spin,first,.*$", "", 1, "free-spin first (cpf): is new");
  row("a further row", "^(free-spin),first(,.*)$", "\\1,first\\2\n\\1,third\\2", 1,
      "free-spin third (cpf): is gone");
  row("a row twice", "^(free-spin,first,.*)$", "\\1\n\\1", 2, "is there twice");
  row("no value", "^(free-spin,first,[^,]*,cpf,)[^,]*", "\\1", 2, "has a verdict and no value");
  row("no such verdict", ",agrees,", ",fine,", 2, "has the verdict 'fine'");
  row("wide tolerance", "^(free-spin,first(?:,[^,]*){6},)[^,]*", "\\g<1>1e308", 1, "tolerance 1e+308 before");
  row("no tolerance", "^(free-spin,first(?:,[^,]*){6},)[^,]*", "\\1", 1, "tolerance none before");
  row("negative tolerance", "^(free-spin,first(?:,[^,]*){6},)", "\\1-", 2, "tolerance that is not above 0");
}

void ConformCommandTest::whatIsNotComparedIsNotAsExpected() {
  QFETCH(QString, from);
  QFETCH(QString, to);
  QFETCH(int, code);
  QFETCH(QByteArray, told);
  QCOMPARE(m_folder->run({"conform", "free-spin", "--methods", "cpf", "--out", "card"}).code, 0);
  QString csv = QString::fromUtf8(m_folder->content("card/card.csv"));
  const QString header = csv.section('\n', 0, 0);
  QString rows = csv.section('\n', 1);
  const QRegularExpression pattern(from, QRegularExpression::MultilineOption);
  rows.replace(pattern, to.replace("\\g<1>", "\\1"));
  rows.replace(QRegularExpression("\n+"), "\n");
  m_folder->write("e.csv", (header + '\n' + rows).toUtf8());
  const Result result = m_folder->run({"conform", "free-spin", "--methods", "cpf", "--expect", "e.csv"});
  QVERIFY2(result.code == code, result.out + result.error);
  QVERIFY2((result.out + result.error).contains(told), result.out + result.error);
}

void ConformCommandTest::textsOfAPhenomenonAreShownLetterByLetter() {
  QFile file(TS_SOURCE_DIR "/datasets/battery/free-spin.json");
  QVERIFY(file.open(QIODevice::ReadOnly));
  QJsonObject json = QJsonDocument::fromJson(file.readAll()).object();
  QVERIFY(QFile::copy(TS_SOURCE_DIR "/datasets/battery/scenes/free-spin.json", m_folder->at("scene.json")));
  const QString text = QStringLiteral("\\input{x}^^5c~#$%&_ \u001b[31m\u0007\u009b1m<script>");
  json["number"] = text;
  json["title"] = text;
  QJsonArray runs = json["runs"].toArray(), measures = json["measures"].toArray();
  for (int k = 0; k < runs.size(); ++k) {
    QJsonObject one = runs[k].toObject();
    one["scene"] = "scene.json";
    runs[k] = one;
  }
  for (int k = 0; k < measures.size(); ++k) {
    QJsonObject one = measures[k].toObject();
    one["unit"] = text;
    measures[k] = one;
  }
  json["runs"] = runs;
  json["measures"] = measures;
  m_folder->write("p.json", QJsonDocument(json).toJson());
  const Result result = m_folder->run({"conform", "p.json", "--methods", "cpf", "--out", "card"});
  QVERIFY2(result.code == 0, result.error);
  for (const QByteArray& shown : {result.out, result.error, m_folder->content("card/card.txt")})
    QVERIFY(!shown.contains('\x1b') && !shown.contains('\x07'));
  QVERIFY(!result.out.contains("\xc2\x9b"));  // U+009B begins a sequence as escape [ does
  const QByteArray tex = m_folder->content("card/card.tex");
  QVERIFY2(!tex.contains("\\input") && !tex.contains("^^") && !tex.contains("\x1b"), tex);
  QVERIFY2(tex.contains("\\textbackslash{}input\\{x\\}\\textasciicircum{}"), tex);
  QVERIFY(!m_folder->content("card/card.html").contains("<script>"));
}

void ConformCommandTest::controlsTurnTheirVerdicts() {
  const Result result = m_folder->run({"conform", "order", "traps", "painleve", "thin-wall", "cradle",
                                       "bounce", "--methods", "cpf,lcp,peg", "--controls"});
  QVERIFY2(result.code == 0, result.out + result.error);
  QVERIFY(result.out.contains("turned their verdict"));
}

void ConformCommandTest::aControlThatDoesNotTurnIsAFailure() {
  QByteArray text;
  QFile file(TS_SOURCE_DIR "/datasets/battery/free-spin.json");
  QVERIFY(file.open(QIODevice::ReadOnly));
  text = file.readAll();
  QVERIFY(text.contains("0.12"));
  QVERIFY(QFile::copy(TS_SOURCE_DIR "/datasets/battery/scenes/free-spin.json", m_folder->at("scene.json")));
  m_folder->write("weak.json", text.replace("0.12", "0.1").replace("\"free-spin.json\"", "\"scene.json\""));
  const Result result = m_folder->run({"conform", "weak.json", "--methods", "cpf", "--controls"});
  QCOMPARE(result.code, 1);
  QVERIFY2(result.error.contains("a control does not turn"), result.error);
}

void ConformCommandTest::aDeviationHasTheReasonOfItsColumn() {
  m_folder->write("fall.json", R"({"touchstone": 1, "name": "fall", "title": "F", "dt": 0.01, "duration": 0.1,
 "methods": ["cpf"], "bodies": [{"name": "ground", "motion": "static", "shape": {"type": "plane"}},
  {"name": "box", "position": [0, 1, 0], "shape": {"type": "box", "size": [0.1, 0.1, 0.1]}}]})");
  m_folder->write("p.json", R"({"touchstone_phenomenon": 1, "name": "p", "title": "P", "primary": "wrong",
 "runs": [{"id": "std", "scene": "fall.json"}],
 "measures": [{"id": "far", "run": "std", "quantity": "position", "body": "box", "axis": [0, 1, 0], "exact": 9,
   "tolerance": {"absolute": 0.1}, "because": {"cpf": "springs", "lcp-pgs": "sweeps"}},
  {"id": "near", "run": "std", "quantity": "position", "body": "box", "axis": [0, 1, 0], "exact": 0.95,
   "tolerance": {"absolute": 0.1}, "because": {"cpf": "springs"}}]})");
  QCOMPARE(m_folder->run({"conform", "p.json", "--methods", "cpf,lcp,lcp-pgs", "--out", "card"}).code, 0);
  const std::vector<Line> lines = card("card");
  const std::pair<const char*, const char*> reasons[] = {
      {"cpf", "springs"}, {"lcp", ""}, {"lcp-pgs", "sweeps"}};
  for (const auto& [column, reason] : reasons) {
    QCOMPARE(of(lines, "far", column).at("verdict"), std::string("deviates"));
    QCOMPARE(of(lines, "far", column).at("reason"), std::string(reason));
    QCOMPARE(of(lines, "near", column).at("verdict"), std::string("agrees"));
    QCOMPARE(of(lines, "near", column).at("reason"), std::string());
  }
}

void ConformCommandTest::columnsDifferInAParameterOnly() {
  const Result result = m_folder->run(
      {"conform", "isotropy", "--methods",
       "lcp-lemke:friction_facets=4,tolerance=1e-9,lcp-lemke:friction_facets=16,lcp-pgs", "--out", "card"});
  QVERIFY2(result.code == 0, result.error);
  const auto lines = card("card");
  QCOMPARE(of(lines, "45", "lcp-lemke:friction_facets=4,tolerance=1e-9").at("verdict"),
           std::string("as its theory"));
  QVERIFY(std::abs(std::stod(of(lines, "45", "lcp-lemke:friction_facets=4,tolerance=1e-9").at("value")) -
                   1.411) < 2e-3);
  QCOMPARE(of(lines, "45", "lcp-lemke:friction_facets=16").at("verdict"), std::string("agrees"));
  QCOMPARE(of(lines, "45", "lcp-pgs").at("verdict"), std::string("agrees"));
  // The same words name panes of a run.
  const Result panes = m_folder->run({"run", "isotropy", "--methods",
                                      "peg:step=exact,friction_facets=4,peg:step=exact,friction_facets=8",
                                      "--time", "0.01", "--out", "run"});
  QVERIFY2(panes.code == 0, panes.error);
  QVERIFY(m_folder->content("run/quantities.csv").contains("friction_facets=4"));
  QVERIFY(m_folder->content("run/quantities.csv").contains("friction_facets=8"));
}

void ConformCommandTest::aRefusedSceneIsNotApplicableAndTheRestGoesOn() {
  QCOMPARE(m_folder->run({"conform", "traps", "--methods", "cpf,peg:step=exact", "--out", "card"}).code, 0);
  const auto lines = card("card");
  QCOMPARE(of(lines, "energy", "cpf").at("verdict"), std::string("n/a"));
  QVERIFY(of(lines, "energy", "cpf").at("reason").find("polygons") != std::string::npos);
  QCOMPARE(of(lines, "energy", "peg:step=exact").at("verdict"), std::string("agrees"));
  QCOMPARE(of(lines, "vy", "cpf").at("verdict"), std::string("agrees"));
}

void ConformCommandTest::posesOfOurOwnGiveTheSameNumbers() {
  const QString scene = TS_SOURCE_DIR "/datasets/battery/scenes/painleve-16.json";
  QCOMPARE(m_folder->run({"run", scene, "--methods", "lcp", "--poses", "--out", "poses/run"}).code, 0);
  QVERIFY(QFile::copy(m_folder->at("poses/run/poses.csv"), m_folder->at("poses/painleve-16.csv")));
  const Result result = m_folder->run(
      {"conform", "painleve", "--methods", "lcp", "--trajectory", "own=poses", "--out", "card"});
  QVERIFY2(result.code == 0, result.error);
  const auto lines = card("card");
  for (const char* measure : {"vx", "vy", "spin"}) {
    const double ours = std::stod(of(lines, measure, "lcp").at("value"));
    const std::string theirs = of(lines, measure, "own").at("value");
    QVERIFY2(!theirs.empty() && std::abs(std::stod(theirs) - ours) <= 1e-12, measure);
  }
  QCOMPARE(of(lines, "peak", "own").at("verdict"), std::string("n/a"));
  QVERIFY(of(lines, "peak", "own").at("reason").find("contacts") != std::string::npos);
  QCOMPARE(of(lines, "force", "own").at("verdict"), std::string("n/a"));  // there is no painleve-12.csv
}

void ConformCommandTest::whatIsExactHasTheOrderAndNoConstant() {
  constexpr double kBrake = 0.3 * 9.81, kEnd = 0.512;
  // The path of the puck of `order`, with so many times the error ½ μ g t h of semi-implicit Euler.
  const auto writeColumn = [&](const char* name, double errors, double power, const QByteArray& header) {
    QVERIFY(QDir().mkpath(m_folder->at(name)));
    for (const int step : {8, 4, 2, 1}) {
      const double h = step * 1e-3;
      QByteArray text =
          "# touchstone_trajectory: 1\n" + header + "time,body,x,y,z,qw,qx,qy,qz,vx,vy,vz,wx,wy,wz\n";
      for (int frame = 0; frame * h <= kEnd + 1e-9; ++frame) {
        const double t = frame * h;
        const double error = errors * 0.5 * kBrake * t * 1e-3 * std::pow(step, power);
        text += QByteArray::number(t, 'g', 17) + ",puck," +
                QByteArray::number(2 * t - 0.5 * kBrake * t * t - error, 'g', 17) + ",0.025,0,1,0,0,0," +
                QByteArray::number(2 - kBrake * t, 'g', 17) + ",0,0,0,0,0\n";
      }
      m_folder->write(QStringLiteral("%1/order.%2ms.csv").arg(name).arg(step), text);
    }
  };
  const QByteArray declared = "# integrator: semi-implicit-euler\n";
  writeColumn("exact", 0, 1, "");
  writeColumn("second", 0.1, 2, "");
  writeColumn("euler", 1, 1, declared);
  writeColumn("undeclared", -1, 1, "");  // the other sign, as of explicit Euler
  writeColumn("untrue", 0, 1, declared);
  writeColumn("coarse", 2, 1, "");
  const Result result =
      m_folder->run({"conform", "order", "--methods", "lcp", "--trajectory", "exact=exact", "--trajectory",
                     "second=second", "--trajectory", "euler=euler", "--trajectory", "undeclared=undeclared",
                     "--trajectory", "untrue=untrue", "--trajectory", "coarse=coarse", "--out", "card"});
  QVERIFY2(result.code == 0, result.error);
  const auto lines = card("card");
  struct Row {
    const char *column, *error, *order, *constant;
    double p;
  };
  for (const Row& row :
       {Row{"exact", "agrees", "agrees", "n/a", 30}, Row{"second", "agrees", "agrees", "n/a", 2},
        Row{"euler", "agrees", "agrees", "agrees", 1}, Row{"undeclared", "agrees", "agrees", "n/a", 1},
        Row{"untrue", "agrees", "agrees", "deviates", 30}, Row{"coarse", "deviates", "agrees", "n/a", 1},
        Row{"lcp", "agrees", "agrees", "agrees", 1}}) {
    QVERIFY2(of(lines, "error", row.column).at("verdict") == row.error, row.column);
    QVERIFY2(of(lines, "order", row.column).at("verdict") == row.order, row.column);
    QVERIFY2(of(lines, "constant", row.column).at("verdict") == row.constant, row.column);
    QVERIFY2(std::abs(std::stod(of(lines, "order", row.column).at("value")) - row.p) < 1e-3, row.column);
  }
  QVERIFY(of(lines, "constant", "exact").at("reason").find("does not declare") != std::string::npos);
}

void ConformCommandTest::whoMeetsTheGroundALaterStepIsAskedThen() {
  // The rod of Painlevé: falls freely for some frames of 1 ms, then its foot stops in one.
  for (const int late : {1, 2, 4}) {
    QByteArray text = "# touchstone_trajectory: 1\ntime,body,x,y,z,qw,qx,qy,qz,vx,vy,vz,wx,wy,wz\n";
    double x = 0, y = 0.4472135954999579, angle = 0;
    for (int frame = 0; frame <= 60; ++frame) {
      const bool isFree = frame < late;
      const double t = frame * 1e-3, vx = isFree ? -1 : -0.6, vy = (isFree ? 0 : 0.3) - 9.81 * t;
      const double spin = isFree ? 0 : 1.3416407864998738;
      if (frame > 0) x += 1e-3 * vx, y += 1e-3 * vy, angle += 1e-3 * spin;
      text += QByteArray::number(t, 'g', 17) + ",rod";
      for (const double number :
           {x, y, 0.0, std::cos(angle / 2), 0.0, 0.0, std::sin(angle / 2), vx, vy, 0.0, 0.0, 0.0, spin})
        text += "," + QByteArray::number(number, 'g', 17);
      text += "\n";
    }
    QVERIFY(QDir().mkpath(m_folder->at(QStringLiteral("late%1").arg(late))));
    m_folder->write(QStringLiteral("late%1/painleve-16.csv").arg(late), text);
  }
  const Result result =
      m_folder->run({"conform", "painleve", "--methods", "lcp", "--trajectory", "late1=late1", "--trajectory",
                     "late2=late2", "--trajectory", "late4=late4", "--out", "card"});
  QVERIFY2(result.code == 0, result.error);
  const auto lines = card("card");
  for (const char* column : {"lcp", "late1", "late2", "late4"})
    for (const char* measure : {"vx", "vy", "spin"})
      QVERIFY2(of(lines, measure, column).at("verdict") == "agrees",
               qPrintable(QString("%1 %2 %3")
                              .arg(column, measure,
                                   QString::fromStdString(of(lines, measure, column).at("value")))));
}

void ConformCommandTest::writeFalls() {
  m_folder->write("fall.scene.json",
                  R"({"touchstone": 1, "name": "fall", "title": "F", "dt": 0.01, "duration": 0.5,
   "methods": ["cpf"], "bodies": [{"name": "ball", "position": [0, 0, 0],
   "shape": {"type": "box", "size": [1, 1, 1]}}]})");
  m_folder->write("fall.json",
                  R"({"touchstone_phenomenon": 1, "name": "fall", "title": "A fall", "primary": "v",
   "runs": [{"id": "std", "scene": "fall.scene.json"}],
   "measures": [{"id": "v", "run": "std", "quantity": "velocity", "body": "ball", "axis": [0, 1, 0], "exact": -4.905,
     "tolerance": {"absolute": 1e-9}},
    {"id": "wrong", "run": "std", "quantity": "velocity", "body": "ball", "axis": [0, 1, 0], "exact": -5,
     "tolerance": {"absolute": 0.01}, "models": {"box": -4.905, "pyramid6": -4.8}}]})");
}

/// A column of a free fall. @param share  of the way that its poses tell
void ConformCommandTest::writeFall(const QString& column, const QByteArray& header, double share) {
  QVERIFY(QDir().mkpath(m_folder->at(column)));
  QByteArray text =
      "# touchstone_trajectory: 1\n" + header + "time,body,x,y,z,qw,qx,qy,qz,vx,vy,vz,wx,wy,wz\n";
  for (int frame = 0; frame <= 50; ++frame) {
    const double t = frame * 0.01;
    text += QByteArray::number(t, 'g', 17) + ",ball,0," +
            QByteArray::number(-share * 0.5 * 9.81 * t * t, 'g', 17) + ",0,1,0,0,0,0," +
            QByteArray::number(-9.81 * t, 'g', 17) + ",0,0,0,0\n";
  }
  m_folder->write(column + "/fall.scene.csv", text);
}

void ConformCommandTest::aDeclaredModelIsJudgedByItsNumberAlone() {
  writeFalls();
  writeFall("silent", "", 1);
  writeFall("box", "# model: plastic, box\n", 1);
  writeFall("pyramid", "# model: pyramid6\n", 1);  // whose number is another one
  writeFall("typo", "# model: bocks\n", 1);
  writeFall("half", "# model: newton\n", 1);
  const Result result =
      m_folder->run({"conform", "fall.json", "--methods", "lcp", "--trajectory", "silent=silent",
                     "--trajectory", "box=box", "--trajectory", "pyramid=pyramid", "--trajectory",
                     "typo=typo", "--trajectory", "half=half", "--out", "card"});
  const auto lines = card("card");
  QVERIFY(of(lines, "wrong", "half").at("reason").find("newton=E") != std::string::npos);
  QCOMPARE(of(lines, "wrong", "silent").at("verdict"), std::string("deviates"));
  QCOMPARE(of(lines, "wrong", "box").at("verdict"), std::string("as its theory"));
  QVERIFY(of(lines, "wrong", "box").at("reason").find("as it declares: plastic, box") != std::string::npos);
  QCOMPARE(of(lines, "wrong", "pyramid").at("verdict"), std::string("deviates"));
  QCOMPARE(of(lines, "wrong", "typo").at("verdict"), std::string("failed"));
  QVERIFY(of(lines, "wrong", "typo").at("reason").find("'bocks' is not known; use cone") !=
          std::string::npos);
  for (const char* column : {"silent", "box", "pyramid"})
    QCOMPARE(of(lines, "v", column).at("verdict"), std::string("agrees"));
}

void ConformCommandTest::velocitiesThatContradictPosesAreNotBelieved() {
  writeFalls();
  writeFall("true", "", 1);
  writeFall("frozen", "", 0);
  writeFall("millimetres", "", 1e-3);
  const Result result =
      m_folder->run({"conform", "fall.json", "--methods", "lcp", "--trajectory", "true=true", "--trajectory",
                     "frozen=frozen", "--trajectory", "millimetres=millimetres", "--out", "card"});
  QVERIFY2(result.code == 0, result.error);
  const auto lines = card("card");
  QCOMPARE(of(lines, "v", "true").at("verdict"), std::string("agrees"));
  for (const char* column : {"frozen", "millimetres"}) {
    QCOMPARE(of(lines, "v", column).at("verdict"), std::string("deviates"));
    QVERIFY(of(lines, "v", column).at("reason").find("contradict") != std::string::npos);
  }
}

void ConformCommandTest::aFurtherPhenomenonIsOneFileAndOneScene() {
  m_folder->write("drop.scene.json",
                  R"({"touchstone": 1, "name": "drop", "title": "D", "dt": 0.01, "duration": 0.5,
   "methods": ["cpf"], "bodies": [{"name": "ball", "position": [0, 0, 0], "shape": {"type": "box", "size": [1, 1, 1]}}]})");
  m_folder->write("drop.json",
                  R"({"touchstone_phenomenon": 1, "name": "drop", "title": "A fall", "primary": "v",
   "runs": [{"id": "std", "scene": "drop.scene.json"}],
   "measures": [{"id": "v", "run": "std", "quantity": "velocity", "body": "ball", "axis": [0, 1, 0], "exact": -4.905,
     "tolerance": {"absolute": 1e-12}},
    {"id": "wrong", "run": "std", "quantity": "velocity", "body": "ball", "axis": [0, 1, 0], "exact": -5,
     "tolerance": {"absolute": 0.01}, "models": {"elastic": -4.905}}]})");
  const Result result = m_folder->run({"conform", "drop.json", "--methods", "cpf,lcp", "--out", "card"});
  QVERIFY2(result.code == 0, result.error);
  const auto lines = card("card");
  QCOMPARE(of(lines, "v", "lcp").at("verdict"), std::string("agrees"));
  QCOMPARE(of(lines, "wrong", "cpf").at("verdict"), std::string("as its theory"));
  QCOMPARE(of(lines, "wrong", "lcp").at("verdict"), std::string("deviates"));
}

void ConformCommandTest::whatCannotBeRunIsToldBeforeAnythingRuns_data() {
  QTest::addColumn<QStringList>("arguments");
  QTest::addColumn<QByteArray>("told");
  const auto row = [](const char* name, const QStringList& arguments, const char* told) {
    QTest::newRow(name) << arguments << QByteArray(told);
  };
  row("phenomenon", {"isotrpy"}, "did you mean 'isotropy'?");
  row("method", {"isotropy", "--methods", "abc"}, "'abc' is no method");
  row("parameter", {"isotropy", "--methods", "cpf:stifness=2e5"}, "did you mean 'stiffness'?");
  row("value of a parameter", {"isotropy", "--methods", "cpf:stiffness=true"}, "stiffness");
  row("substeps", {"isotropy", "--methods", "cpf:substeps=1.5"}, "substeps");
  row("solver", {"isotropy", "--methods", "lcp-gauss"}, "'gauss' is no solver of lcp");
  row("two columns", {"isotropy", "--methods", "cpf,cpf"}, "two columns are named 'cpf'");
  row("folder", {"isotropy", "--trajectory", "a=nowhere"}, "there is no folder nowhere");
  row("key", {"isotropy", "--trajectory", "a b=."}, "is not of the form KEY=FOLDER");
  row("expected", {"order", "--methods", "cpf", "--expect", "none.csv"}, "none.csv");
  row("settings", {"order", "--settings", "best"}, "settings");
}

void ConformCommandTest::whatCannotBeRunIsToldBeforeAnythingRuns() {
  QFETCH(QStringList, arguments);
  QFETCH(QByteArray, told);
  const Result result = m_folder->run(QStringList{"conform"} + arguments);
  QCOMPARE(result.code, 2);
  QVERIFY2((result.error + result.out).contains(told), result.error + result.out);
}

void ConformCommandTest::thePageIsWellFormed() {
  QCOMPARE(m_folder
               ->run({"conform", "traps", "order", "--methods", "cpf,lcp-lemke:friction_facets=4,peg",
                      "--out", "card"})
               .code,
           0);
  const QByteArray page = m_folder->content("card/card.html");
  QVERIFY(page.size() < 1024 * 1024);
  QVERIFY(!page.contains("<script") && !page.contains("http://") && !page.contains("https://"));
  for (const char* word : {"agrees", "as its theory", "<svg",
                           "touchstone-cli run --from runs/traps.a/manifest.json", "size:A4 landscape"})
    QVERIFY2(page.contains(word), word);
  // All but the void elements of HTML is XML here; a browser needs no repair.
  QByteArray xml = page;
  xml.replace("<!DOCTYPE html>", "").replace("<meta charset=\"utf-8\">", "").replace("<br>", "<br/>");
  QXmlStreamReader reader(xml);
  while (!reader.atEnd()) reader.readNext();
  QVERIFY2(!reader.hasError(),
           qPrintable(reader.errorString() + QString(" line %1").arg(reader.lineNumber())));
}

QTEST_GUILESS_MAIN(ConformCommandTest)
#include "tst_conform_command.moc"
