#include <QCryptographicHash>
#include <QRegularExpression>
#include <QStandardPaths>
#include <QtTest>
#include <nlohmann/json.hpp>

#include "core/files/json_file.h"
#include "core/math/count.h"
#include "tests/scene/scene_folder.h"
#include "tests/support/command_folder.h"
#include "tests/support/near.h"

using namespace touchstone;

/// `touchstone-cli judge`: motions of panes, of formulas and of an engine in the guide.
class JudgeCommandTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void initTestCase();
  void posesOfPanesGiveTheNumbersOfThePanes();
  void contactsOfOneSubstepOfSeveralAreSamples();
  void badInputLeavesNoResults();
  void anotherFormOfTheSameFileGivesTheSameNumbers();
  void analyticMotionsComeApartWhereTheFormulaSays();
  void firstContactsAreAligned();
  void methodsRunBesideFiles();
  void derivedVelocitiesAreMarked();
  void onlyADeclaredIntegratorShiftsTheHeight();
  void whatPassesBetweenSamplesIsAFinding();
  void velocitiesAreComparedWithPoses();
  void theManifestHasTheHashOfEveryInput();
  void bodiesWithoutRowsAreNamedAndLeftOut();
  void scenesThatDeformAreRefused();
  void badInputIsRefused_data();
  void badInputIsRefused();
  void theExampleOfTheGuideIsAccepted();
  void anEnsembleOfFilesSaysWhatIsKnownOfThem();
  void copiesOfOtherTimesAreRefused();
  void numbersThatAreNoneAreRefused();

 private:
  using Result = test::CommandFolder::Result;
  /// Rows of a table by column name.
  using Table = std::vector<QMap<QString, QString>>;
  Table table(const QString& name) const;
  test::CommandFolder m_folder;
};

namespace {

QByteArray number(double value) { return QByteArray::number(value, 'g', 17); }

/// A box above a floor whose start has the height 2 m.
constexpr char kBox[] =
    R"({"name": "floor", "motion": "static", "shape": {"type": "plane"}},
       {"name": "box", "position": [0, 2, 0], "shape": {"type": "box", "size": [1, 1, 1]}})";

/// A fall from 2 m that begins late [s] and ends, without an impact, on the floor.
QByteArray fall(double late, double step, bool hasVelocities) {
  QByteArray text = "# touchstone_trajectory: 1\n# step: " + number(step) + "\ntime,body,x,y,z,qw,qx,qy,qz";
  text += hasVelocities ? ",vx,vy,vz,wx,wy,wz\n" : "\n";
  for (int k = 0; k * step <= 0.8 + 1e-9; ++k) {
    const double t = k * step, since = std::max(0.0, t - late);
    const double height = 2 - 0.5 * 9.81 * since * since;
    const bool isDown = height <= 0.5;
    text += number(t) + ",box,0," + number(std::max(0.5, height)) + ",0,1,0,0,0";
    text += hasVelocities ? ",0," + number(isDown ? 0 : -9.81 * since) + ",0,0,0,0\n" : QByteArray("\n");
  }
  return text;
}

double valueOf(const QString& cell) { return cell.isEmpty() ? NAN : cell.toDouble(); }

}  // namespace

void JudgeCommandTest::initTestCase() {
  m_folder.write("box.json", test::SceneFolder::withBodies(kBox, R"("methods": ["lcp"], "duration": 0.8, )"));
}

JudgeCommandTest::Table JudgeCommandTest::table(const QString& name) const {
  Table rows;
  QStringList columns;
  for (const QString& line : QString::fromUtf8(m_folder.content(name)).split('\n', Qt::SkipEmptyParts)) {
    const QStringList cells = line.split(',');  // these have no quotes
    if (columns.isEmpty()) {
      columns = cells;
      continue;
    }
    QMap<QString, QString> row;
    for (int k = 0; k < columns.size(); ++k) row[columns[k]] = cells.value(k);
    rows.push_back(row);
  }
  return rows;
}

void JudgeCommandTest::posesOfPanesGiveTheNumbersOfThePanes() {
  const Result ran =
      m_folder.run({"run", "pour", "--methods", "lcp,cpf", "--substeps", "1", "--time", "0.7",
                    // poses do not say what a displacement of push-out moved
                    "--set", "lcp.push_out=published", "--poses", "--contacts", "--out", "ran"});
  QVERIFY2(ran.code == 0, ran.error);
  const Result judged = m_folder.run({"judge", "pour", "a=ran/poses-lcp-auto.csv", "b=ran/poses-cpf.csv",
                                      "--contacts", "a=ran/pose-contacts-lcp-auto.csv", "--contacts",
                                      "b=ran/pose-contacts-cpf.csv", "--out", "judged"});
  QVERIFY2(judged.code == 0, judged.error);
  QVERIFY2(!judged.out.contains("Warning"), judged.out);
  const QStringList exact = {"penetration_max_m", "penetration_mean_m", "overlap_m3"};
  const QStringList near = {"normal_force_N",       "friction_force_N",
                            "energy_kinetic_J",     "energy_potential_J",
                            "momentum_linear_Ns",   "momentum_linear_error_Ns",
                            "momentum_angular_Nms", "momentum_angular_error_Nms",
                            "jitter_m_per_s",       "contacts"};
  std::map<std::pair<QString, QString>, QMap<QString, QString>> panes;  // method, frame
  for (const auto& row : table("ran/quantities.csv")) panes[{row["method"], row["frame"]}] = row;
  double force = 0, depth = 0;
  int rows = 0;
  for (const auto& row : table("judged/quantities.csv")) {
    const auto pane = panes.find({row["method"] == "a" ? "lcp" : "cpf", row["frame"]});
    QVERIFY(pane != panes.end());
    ++rows;
    for (const QString& column : exact) QCOMPARE(row[column], pane->second[column]);
    for (const QString& column : near) {
      const double expected = valueOf(pane->second[column]);
      QVERIFY_NEAR(valueOf(row[column]), expected, 1e-12 * std::max(1.0, std::abs(expected)));
    }
    const double elastic = valueOf(pane->second["energy_elastic_J"]);
    QVERIFY(row["energy_elastic_J"].isEmpty());
    QVERIFY_NEAR(valueOf(row["energy_drift_J"]), valueOf(pane->second["energy_drift_J"]) - elastic, 1e-11);
    QVERIFY(row["time_step_ms"].isEmpty() && row["method_depth_m"].isEmpty());
    force = std::max(force, valueOf(row["normal_force_N"]));
    depth = std::max(depth, valueOf(row["penetration_max_m"]));
  }
  QCOMPARE(rows, countOf(panes));
  QVERIFY(force > 0 && depth > 0);
  // Momentum of each body is what the contacts gave: both methods apply equal and opposite impulses.
  for (const auto& row : table("judged/laws.csv"))
    if (!row["newton_Ns"].isEmpty()) QVERIFY_NEAR(valueOf(row["newton_Ns"]), 0, 1e-9);
}

void JudgeCommandTest::contactsOfOneSubstepOfSeveralAreSamples() {
  m_folder.write("low.json", test::SceneFolder::withBodies(
                                 R"({"name": "floor", "motion": "static", "shape": {"type": "plane"}},
             {"name": "box", "position": [0, 0.51, 0], "velocity": [1, 0, 0], "shape": {"type": "box", "size": [1, 1, 1]}})",
                                 R"("methods": ["lcp"], "duration": 0.3, )"));
  const auto judged = [&](const QString& contacts) {
    const QString folder = contacts.mid(2);
    const Result ran =
        m_folder.run({"run", "low.json", "--substeps", "2", "--poses", contacts, "--out", "ran" + folder});
    const Result judged = m_folder.run({"judge", "low.json", "x=ran" + folder + "/poses.csv", "--contacts",
                                        "x=ran" + folder + "/pose-contacts.csv", "--out", "judged" + folder});
    return ran.code == 0 && judged.code == 0 ? judged.out : ran.error + judged.error;
  };
  const QByteArray samples = judged("--contacts"), all = judged("--all-contacts");
  QVERIFY2(samples.contains("samples: forces, errors of momenta and residuals of laws are not known"),
           samples);
  QVERIFY2(all.contains("Newton, Euler residual"), all);
  QVERIFY(m_folder.content("rancontacts/pose-contacts.csv").contains("# complete: no\n"));
  QVERIFY(m_folder.content("ranall-contacts/pose-contacts.csv").contains("# complete: yes\n"));
  const Table panes = table("ranall-contacts/quantities.csv"),
              whole = table("judgedall-contacts/quantities.csv"),
              part = table("judgedcontacts/quantities.csv");
  QCOMPARE(panes.size(), whole.size());
  double force = 0;
  for (std::size_t k = 0; k < panes.size(); ++k) {
    QVERIFY_NEAR(valueOf(whole[k]["normal_force_N"]), valueOf(panes[k]["normal_force_N"]), 1e-8);
    QVERIFY_NEAR(valueOf(whole[k]["momentum_linear_error_Ns"]), valueOf(panes[k]["momentum_linear_error_Ns"]),
                 1e-9);
    QVERIFY(whole[k]["momentum_angular_error_Nms"].isEmpty() || k == 0);
    QVERIFY(part[k]["normal_force_N"].isEmpty() && !part[k]["contacts"].isEmpty());
    force = std::max(force, valueOf(panes[k]["normal_force_N"]));
  }
  QVERIFY(force > 0);
}

void JudgeCommandTest::badInputLeavesNoResults() {
  m_folder.write("bad.csv",
                 "# touchstone_trajectory: 1\ntime,body,x,y,z,qw,qx,qy,qz\n0,box,0,2,0,1,0,0,0\n"
                 "1,box,0,2,0,1,0,0,0\n2,box,0,nothing,0,1,0,0,0\n");
  QCOMPARE(m_folder.run({"judge", "box.json", "bad.csv", "--out", "again"}).code, 2);
  QVERIFY(QDir(m_folder.at("again")).entryList({"*.csv*", "*.json", "*.txt"}).isEmpty());
  m_folder.write("good.csv", fall(0, 0.01, true));
  QCOMPARE(m_folder.run({"judge", "box.json", "good.csv", "--out", "again"}).code, 0);
  QCOMPARE(m_folder.run({"judge", "box.json", "good.csv", "--out", "again"}).code,
           2);  // earlier results stay
  QCOMPARE(m_folder.run({"judge", "box.json", "good.csv", "--out", "again", "--force"}).code, 0);
  QCOMPARE(QDir(m_folder.at("again")).entryList({"*.csv*", "*.json", "*.txt"}).size(), 6);
}

void JudgeCommandTest::anotherFormOfTheSameFileGivesTheSameNumbers() {
  QCOMPARE(m_folder
               .run({"run", "pour", "--methods", "lcp", "--substeps", "1", "--time", "0.6", "--poses",
                     "--out", "one"})
               .code,
           0);
  // Columns and bodies the other way round, z up, millimetres, the other sign of q.
  QByteArray text = "# touchstone_trajectory: 1\n# up: z\n# length: mm\n";
  QByteArray rows;
  QByteArray time;
  for (const QByteArray& line : m_folder.content("one/poses.csv").split('\n')) {
    if (line.startsWith("# step") || line.startsWith("# integrator")) text += line + "\n";
    if (line.startsWith('#') || line.startsWith("time") || line.isEmpty()) continue;
    const QList<QByteArray> cells = line.split(',');
    const auto cell = [&](int k, double scale) { return "," + number(scale * cells[k].toDouble()); };
    const QByteArray row = cells[1] + cell(5, -1) + cell(6, -1) + cell(8, 1) + cell(7, -1) + cell(9, 1000) +
                           cell(11, -1000) + cell(10, 1000) + cell(12, 1) + cell(14, -1) + cell(13, 1) +
                           cell(2, 1000) + cell(4, -1000) + cell(3, 1000) + "," + cells[0] + "\n";
    if (cells[0] != time) {
      text += rows;
      rows.clear();
    }
    time = cells[0];
    rows.prepend(row);
  }
  text += rows;
  text.insert(text.indexOf("# step"), "# engine: other\n");
  text.insert(text.indexOf('\n', text.indexOf("# integrator")) + 1,
              "body,qw,qx,qy,qz,vx,vy,vz,wx,wy,wz,x,y,z,time\n");
  m_folder.write("other.csv", text);
  const Result judged = m_folder.run({"judge", "pour", "one=one/poses.csv", "other.csv", "--out", "both"});
  QVERIFY2(judged.code == 0, judged.error);
  std::map<QString, QMap<QString, QString>> first;
  int compared = 0;
  for (const auto& row : table("both/quantities.csv")) {
    if (row["method"] == "one") {
      first[row["frame"]] = row;
      continue;
    }
    QCOMPARE(row["method"], QString("other"));
    const auto& expected = first[row["frame"]];
    for (auto cell = row.begin(); cell != row.end(); ++cell) {
      if (QStringList{"method", "pane", "solver", "status"}.contains(cell.key())) continue;
      const double a = valueOf(cell.value()), b = valueOf(expected[cell.key()]);
      QVERIFY2((std::isnan(a) && std::isnan(b)) || std::abs(a - b) <= 1e-12 * std::max(1.0, std::abs(b)),
               qPrintable(cell.key() + " " + cell.value() + " " + expected[cell.key()]));
    }
    ++compared;
  }
  QCOMPARE(compared, countOf(first));
  QVERIFY(compared > 10);
  for (const auto& row : table("both/divergence.csv")) QVERIFY_NEAR(valueOf(row["D_m"]), 0, 1e-12);
}

void JudgeCommandTest::analyticMotionsComeApartWhereTheFormulaSays() {
  m_folder.write("now.csv", fall(0, 0.004, true));
  m_folder.write("late.csv", fall(0.1, 0.003, true));
  const Result judged = m_folder.run({"judge", "box.json", "now=now.csv", "late=late.csv", "--out", "fall"});
  QVERIFY2(judged.code == 0, judged.error);
  double at = 0;
  int rows = 0;
  for (const auto& row : table("fall/divergence.csv")) {
    const double t = row["time_s"].toDouble(), late = std::max(0.0, t - 0.1);
    QCOMPARE(row["worst_body"], t > 0 ? QString("box") : row["worst_body"]);
    if (std::abs(t - 0.1) < 0.005 || t > 0.545)
      continue;  // within the sample of the start, and of the landing
    const double apart = 0.5 * 9.81 * (t * t - late * late);
    QVERIFY_NEAR(row["D_m"].toDouble(), apart, 1e-12);
    QVERIFY_NEAR(row["D_over_L"].toDouble(), apart / std::sqrt(3.0), 1e-12);
    QVERIFY_NEAR(row["A_rad"].toDouble(), 0, 1e-12);
    if (at == 0 && apart > 0.1 * std::sqrt(3.0)) at = t;
    ++rows;
  }
  QVERIFY(rows > 40);
  QVERIFY2(judged.out.contains("1e-1 L at 0.01, 0.02, " + QByteArray::number(at) + " s"), judged.out);
  QVERIFY2(!judged.out.contains("first contact differs"), judged.out);  // they part in the air
}

void JudgeCommandTest::firstContactsAreAligned() {
  m_folder.write("now.csv", fall(0, 0.005, true));
  m_folder.write("late.csv", fall(0.1, 0.005, true));
  const Result judged =
      m_folder.run({"judge", "box.json", "now=now.csv", "late=late.csv", "--shift", "first-contact"});
  QVERIFY2(judged.code == 0, judged.error);
  QVERIFY2(judged.out.contains("shifted by -0.1") || judged.out.contains("shifted by -0.0999999"),
           judged.out);
  const Result given =
      m_folder.run({"judge", "box.json", "now=now.csv", "late=late.csv", "--shift", "late=-0.1"});
  QVERIFY2(given.out.contains("D > 1e-6, 1e-3, 1e-1 L at -, -, - s"), given.out);
}

void JudgeCommandTest::methodsRunBesideFiles() {
  m_folder.write("now.csv", fall(0, 0.01, true));
  const Result judged = m_folder.run({"judge", "box.json", "formula=now.csv", "--methods", "lcp,cpf",
                                      "--reference", "lcp", "--out", "beside"});
  QVERIFY2(judged.code == 0, judged.error);
  QStringList keys;
  int frames = 0;
  for (const auto& row : table("beside/quantities.csv")) {
    if (!keys.contains(row["pane"])) keys << row["pane"];
    frames += row["pane"] == "lcp";
  }
  QCOMPARE(keys, QStringList({"formula", "lcp", "cpf"}));
  QCOMPARE(frames, 81);
  QVERIFY2(judged.out.contains("Apart from lcp"), judged.out);
  QVERIFY2(judged.out.contains("Newton, Euler residual"), judged.out);
}

void JudgeCommandTest::derivedVelocitiesAreMarked() {
  m_folder.write("poses.csv", fall(0, 0.01, false));
  const Result judged = m_folder.run({"judge", "box.json", "poses.csv", "--out", "derived"});
  QVERIFY2(judged.code == 0, judged.error);
  QVERIFY2(
      judged.out.contains("\nposes ~: poses.csv\n") && judged.out.contains("~ velocities are differences"),
      judged.out);
  for (const auto& row : table("derived/quantities.csv")) {
    QCOMPARE(row["pane"], QString("poses ~"));
    QVERIFY(row["normal_force_N"].isEmpty() && row["friction_force_N"].isEmpty() &&
            row["contacts"].isEmpty());
    const double t = row["time_s"].toDouble();
    if (t < 0.005 || t > 0.54) continue;  // one-sided at the start
    QVERIFY_NEAR(row["energy_kinetic_J"].toDouble(), 0.5 * 1000 * 9.81 * 9.81 * t * t, 1e-7);
    QVERIFY_NEAR(row["energy_total_J"].toDouble(), 1000 * 9.81 * 2, 1e-7);
  }
}

/// Right velocities at the time of the sample keep their energy, whatever step the file tells. Of symplectic
/// Euler, v = −g t and x = x₀ − ½ g t (t + h), they do where the file declares it.
void JudgeCommandTest::onlyADeclaredIntegratorShiftsTheHeight() {
  constexpr double kStep = 0.01;
  QByteArray declared =
      "# touchstone_trajectory: 1\n# step: 0.01\n# integrator: semi-implicit-euler\n"
      "time,body,x,y,z,qw,qx,qy,qz,vx,vy,vz,wx,wy,wz\n";
  for (int k = 0; k <= 50; ++k) {
    const double t = k * kStep;
    declared += number(t) + ",box,0," + number(2 - 0.5 * 9.81 * t * (t + kStep)) + ",0,1,0,0,0,0," +
                number(-9.81 * t) + ",0,0,0,0\n";
  }
  m_folder.write("declared.csv", declared);
  m_folder.write("silent.csv", QByteArray(declared).replace("# integrator: semi-implicit-euler\n", ""));
  m_folder.write("exact.csv", fall(0, kStep, true));
  const Result judged =
      m_folder.run({"judge", "box.json", "declared.csv", "silent.csv", "exact.csv", "--out", "shift"});
  QVERIFY2(judged.code == 0, judged.error);
  double silent = 0;
  int rows = 0;
  for (const auto& row : table("shift/quantities.csv")) {
    if (row["time_s"].toDouble() > 0.501) continue;
    const double drift = row["energy_total_J"].toDouble() - 1000 * 9.81 * 2;
    if (row["pane"] == "silent")
      silent = std::max(silent, std::abs(drift));
    else
      QVERIFY_NEAR(drift, 0, 1e-8);
    ++rows;
  }
  QVERIFY(rows > 150);
  QVERIFY_NEAR(silent, 0.5 * 1000 * 9.81 * 9.81 * 0.5 * kStep, 1e-6);  // ½ m g² t h
}

void JudgeCommandTest::whatPassesBetweenSamplesIsAFinding() {
  m_folder.write("wall.json",
                 test::SceneFolder::withBodies(
                     R"({"name": "wall", "motion": "static", "shape": {"type": "box", "size": [4, 0.01, 4]}},
       {"name": "cube", "position": [0, 1, 0], "shape": {"type": "box", "size": [0.1, 0.1, 0.1]}})"));
  const QByteArray head = "# touchstone_trajectory: 1\ntime,body,x,y,z,qw,qx,qy,qz\n";
  m_folder.write("through.csv", head + "0,cube,0,1,0,1,0,0,0\n0.1,cube,0,-1,0,1,0,0,0\n");
  m_folder.write("beside.csv", head + "0,cube,0,1,0,1,0,0,0\n0.1,cube,0,0.1,0,1,0,0,0\n");
  const Result ran =
      m_folder.run({"judge", "wall.json", "through=through.csv", "beside=beside.csv", "--out", "passed"});
  QVERIFY2(ran.code == 0, ran.error);
  QVERIFY2(ran.out.contains("'wall' and 'cube' until 0.1 s"), ran.out);
  QCOMPARE(ran.out.count("until 0.1 s"), 1);
  const auto manifest = nlohmann::json::parse(m_folder.content("passed/manifest.json").toStdString());
  QCOMPARE(manifest["motions"][0]["passed_through"].size(), std::size_t(1));
  QCOMPARE(manifest["motions"][0]["passed_through"][0]["b"].get<std::string>(), std::string("cube"));
  QVERIFY(manifest["motions"][1]["passed_through"].empty());
}

void JudgeCommandTest::velocitiesAreComparedWithPoses() {
  const auto drift = [](double speed) {
    QByteArray text = "# touchstone_trajectory: 1\ntime,body,x,y,z,qw,qx,qy,qz,vx,vy,vz,wx,wy,wz\n";
    for (int k = 0; k < 20; ++k)
      text += number(0.01 * k) + ",box," + number(0.01 * k * speed) + ",2,0,1,0,0,0,3,0,0,0,0,0\n";
    return text;
  };
  m_folder.write("true.csv", drift(3));
  m_folder.write("false.csv", drift(0));
  const Result ran =
      m_folder.run({"judge", "box.json", "true=true.csv", "false=false.csv", "--out", "drift"});
  QVERIFY2(ran.code == 0, ran.error);
  QCOMPARE(ran.out.count("velocities from poses, which contradict them"), 1);
  QVERIFY2(ran.out.contains("20 of 20"), ran.out);
  // The energy is that of the poses.
  double energy = -1;
  for (const auto& row : table("drift/quantities.csv"))
    if (row["pane"] == "false") energy = std::max(energy, valueOf(row["energy_kinetic_J"]));
  QCOMPARE(energy, 0.0);
}

void JudgeCommandTest::theManifestHasTheHashOfEveryInput() {
  m_folder.write("now.csv", fall(0, 0.01, true));
  m_folder.write("contacts.csv",
                 "# touchstone_contacts: 1\n# complete: no\n"
                 "time,body_a,body_b,px,py,pz,nx,ny,nz,jn,jx,jy,jz\n0.8,floor,box,0,0,0,0,1,0,0.1,0,0,0\n");
  m_folder.write("names.csv", "theirs,ours\nThe box,box\n");
  const Result judged = m_folder.run({"judge", "box.json", "x=now.csv", "--contacts", "x=contacts.csv",
                                      "--names", "names.csv", "--out", "hashed"});
  QVERIFY2(judged.code == 0, judged.error);
  const auto json = parseJson(m_folder.content("hashed/manifest.json").toStdString(), "manifest");
  const auto hash = [&](const QString& file) {
    return QCryptographicHash::hash(m_folder.content(file), QCryptographicHash::Sha256).toHex().toStdString();
  };
  const auto& motion = json.at("motions").at(0);
  QCOMPARE(motion.at("sha256").get<std::string>(), hash("now.csv"));
  QCOMPARE(motion.at("contacts").at("sha256").get<std::string>(), hash("contacts.csv"));
  QCOMPARE(motion.at("contacts").at("complete").get<bool>(), false);
  QCOMPARE(json.at("names").at("sha256").get<std::string>(), hash("names.csv"));
  QCOMPARE(motion.at("header").at("step_s").get<double>(), 0.01);
  QVERIFY(json.at("hashes").contains("box.json"));
}

void JudgeCommandTest::bodiesWithoutRowsAreNamedAndLeftOut() {
  m_folder.write(
      "two.json",
      test::SceneFolder::withBodies(
          QByteArray(kBox) +
          R"(, {"name": "other", "position": [5, 2, 0], "shape": {"type": "box", "size": [1, 1, 1]}},
                        {"name": "late", "release_time": 9, "position": [9, 2, 0], "shape": {"type": "box", "size": [1, 1, 1]}})"));
  QByteArray text = fall(0, 0.01, true);
  text.replace(",box,", ",Body 1,");
  m_folder.write("part.csv", text);
  m_folder.write("part-names.csv", "Body 1,box\n");
  const QStringList arguments = {"judge",          "two.json", "part.csv", "--names",
                                 "part-names.csv", "--out",    "part"};
  const Result refused = m_folder.run(arguments);
  QCOMPARE(refused.code, 2);
  QVERIFY2(refused.error.contains("ends without a row of 'other'; ") && !refused.error.contains("late"),
           refused.error);
  const Result judged = m_folder.run(arguments + QStringList{"--missing", "skip"});
  QVERIFY2(judged.code == 0, judged.error);
  QVERIFY2(QString::fromUtf8(judged.out).contains(QRegularExpression("left out of all sums +'other'\n")),
           judged.out);
  const auto json = parseJson(m_folder.content("part/manifest.json").toStdString(), "manifest");
  QCOMPARE(json.at("motions").at(0).at("left_out").get<std::vector<std::string>>(),
           std::vector<std::string>{"other"});
  // The energy is that of the one body.
  QVERIFY_NEAR(table("part/quantities.csv")[0]["energy_potential_J"].toDouble(), 1000 * 9.81 * 2, 1e-9);
}

void JudgeCommandTest::scenesThatDeformAreRefused() {
  m_folder.write("now.csv", fall(0, 0.01, true));
  const Result judged = m_folder.run({"judge", "cantilever", "now.csv"});
  QCOMPARE(judged.code, 2);
  QVERIFY2(judged.error.contains("deforms; trajectories are of rigid bodies"), judged.error);
}

void JudgeCommandTest::badInputIsRefused_data() {
  QTest::addColumn<QStringList>("arguments");
  QTest::addColumn<QString>("error");
  const auto bad = [](const char* name, const QStringList& arguments, const char* error) {
    QTest::newRow(name) << QStringList({"judge", "box.json"}) + arguments << QString::fromUtf8(error);
  };
  bad("no file", {"none.csv"}, "none.csv: is no file that can be read; ");
  bad("two of one key", {"a=now.csv", "a=later.csv"}, "two motions have the key 'a'");
  bad("contacts of nobody", {"a=now.csv", "--contacts", "b=c.csv"},
      "--contacts b: is no key here; the keys are a");
  bad("contacts without key", {"a=now.csv", "--contacts", "c.csv"},
      "--contacts c.csv: is not of the form KEY=FILE");
  bad("reference", {"a=now.csv", "--reference", "b"}, "--reference b: is no key here; the keys are a");
  bad("shift", {"a=now.csv", "--shift", "a=soon"}, "--shift a=soon: is not of the form KEY=SECONDS");
  bad("no common time", {"a=now.csv", "b=later.csv"},
      "later.csv: has no frame of the scene in common with 'a' (0 to 0.8 s); ");
  bad("no contact", {"a=short.csv", "b=now.csv", "--shift", "first-contact"},
      "nothing touches in 'a'; give --shift KEY=SECONDS");
  bad("method", {"a=now.csv", "--methods", "lcq"}, "lcq");
  bad("line", {"a=now.csv", "b=bad.csv"}, "bad.csv:3:7: 'two' is not a finite number; ");
}

void JudgeCommandTest::badInputIsRefused() {
  QFETCH(QStringList, arguments);
  QFETCH(QString, error);
  const QByteArray head = "# touchstone_trajectory: 1\ntime,body,x,y,z,qw,qx,qy,qz\n";
  m_folder.write("now.csv", fall(0, 0.01, true));
  m_folder.write("later.csv", head + "7,box,0,2,0,1,0,0,0\n8,box,0,2,0,1,0,0,0\n");
  m_folder.write("short.csv", head + "0,box,0,2,0,1,0,0,0\n0.1,box,0,2,0,1,0,0,0\n");
  m_folder.write("bad.csv", head + "0,box,two,2,0,1,0,0,0\n");
  const Result judged = m_folder.run(arguments);
  QCOMPARE(judged.code, 2);
  QVERIFY2(QString::fromUtf8(judged.error).contains(error), judged.error);
}

/// A program of the guide makes a file as other engines would, and the file is taken as it is.
void JudgeCommandTest::theExampleOfTheGuideIsAccepted() {
  QFile guide(QStringLiteral(TS_SOURCE_DIR "/app/help/trajectories.md"));
  QVERIFY(guide.open(QIODevice::ReadOnly));
  const QRegularExpression example(QStringLiteral("```python\n(# made_up_engine\\.py.*?)```"),
                                   QRegularExpression::DotMatchesEverythingOption);
  const QString program = example.match(QString::fromUtf8(guide.readAll())).captured(1);
  QVERIFY(!program.isEmpty());
  QVERIFY(program.count('\n') < 60);
  const QString python = QStandardPaths::findExecutable("python3");
  if (python.isEmpty()) QSKIP("needs python3");
  m_folder.write("made_up_engine.py", program.toUtf8());
  QProcess process;
  process.setWorkingDirectory(m_folder.path());
  process.start(python, {"made_up_engine.py", "made.csv", "box", "0", "2", "0"});
  QCOMPARE(test::endOf(process, 60000), 0);
  const Result judged = m_folder.run({"judge", "box.json", "made.csv", "--methods", "lcp", "--out", "made"});
  QVERIFY2(judged.code == 0, judged.error);
  QVERIFY2(judged.out.contains("\nmade-up-1: made.csv\n") && !judged.out.contains("Warning"), judged.out);
  const Table rows = table("made/quantities.csv");
  for (const auto& row : rows)
    if (row["pane"] == "made-up-1" && row["time_s"].toDouble() < 0.54)
      QVERIFY_NEAR(row["energy_drift_J"].toDouble(), 0, 1e-8);
}

void JudgeCommandTest::anEnsembleOfFilesSaysWhatIsKnownOfThem() {
  QVERIFY(QDir(m_folder.path()).mkpath("files"));
  for (const char* file : {"files/1.csv", "files/2.csv", "files/3.csv"})
    m_folder.write(file, fall(0, 0.01, true));
  const Result result =
      m_folder.run({"judge", "box.json", "--ensemble", "x=files", "--quantity", "mean_height"});
  QVERIFY2(result.code == 0, result.error);
  QVERIFY2(result.out.contains("how their starts differ is not known") && result.out.contains("x: 3 files"),
           result.out);
  QVERIFY2(!result.out.contains("copies; all but") && !result.out.contains("seed"), result.out);
}

void JudgeCommandTest::copiesOfOtherTimesAreRefused() {
  QVERIFY(QDir(m_folder.path()).mkpath("uneven"));
  const QByteArray whole = fall(0, 0.01, true);
  m_folder.write("uneven/1.csv", whole);
  const QByteArray shorter = whole.left(whole.lastIndexOf('\n', -2) + 1);
  const QByteArray later = QByteArray(whole).replace("\n0.1", "\n0.105");
  QVERIFY(shorter.size() < whole.size() && later != whole);
  for (const QByteArray& other : {shorter, later}) {
    m_folder.write("uneven/2.csv", other);
    const Result result =
        m_folder.run({"judge", "box.json", "--ensemble", "x=uneven", "--quantity", "mean_height"});
    QVERIFY2(result.code == 2, result.out);
    QVERIFY2(result.error.contains("uneven/2.csv"), result.error);
  }
}

void JudgeCommandTest::numbersThatAreNoneAreRefused() {
  const QStringList ensemble = {"ensemble", "box.json", "--methods", "cpf",        "--copies",
                                "2",        "--time",   "0.02",      "--quantity", "mean_height"},
                    map = {"map", "box.json", "--method", "nsn", "--vary"};
  for (const QStringList& option : {QStringList{"--alpha", "nan"}, QStringList{"--alpha", "0.5"},
                                    QStringList{"--perturb", "nan"}, QStringList{"--perturb", "inf"}})
    QCOMPARE(m_folder.run(ensemble + option).code, 2);
  for (const char* axis : {"dt=0.001...0.002/3", "max_iterations=1.5..3/2", "max_iterations=1.5"})
    QCOMPARE(m_folder.run(QStringList(map) << axis).code, 2);
}

QTEST_GUILESS_MAIN(JudgeCommandTest)
#include "tst_judge_command.moc"
