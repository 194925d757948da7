#include <QProcess>
#include <QTemporaryDir>
#include <QtTest>
#include <cstring>

#include "core/record/record_bytes.h"
#include "core/store/database.h"
#include "core/store/recorder.h"
#include "core/store/replay.h"
#include "tests/scene/scene_folder.h"

using namespace touchstone;

/// A recording from an untrusted source can only be refused: all of its data is checked against its scene
/// first, and a missing part is named.
class DamagedRecordingsTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void initTestCase();
  void refusesWhatDoesNotFitTheScene_data();
  void refusesWhatDoesNotFitTheScene();
  void refusesRecordsThatDoNotFitTheScene_data();
  void refusesRecordsThatDoNotFitTheScene();
  void executesNothing_data();
  void executesNothing();
  void replayNamesWhatIsMissing_data();
  void replayNamesWhatIsMissing();
  void aJournalThatNamesAFurtherFileIsNotUsed();
  void anyNameOpensWhereNothingCanBeWritten_data();
  void anyNameOpensWhereNothingCanBeWritten();
  void recordingsOfTheFirstVersionOpen();
  void aVersionWithFewerQuantitiesOpens();
  void whatAKilledFirstVersionLeftInItsLogIsThere();

 private:
  std::string file(const QString& name) const { return m_folder.filePath(name).toStdString(); }
  /// A changed copy of the valid recording.
  std::string changed(const QByteArray& sql);
  std::string changed(const std::function<void(StepRecord& record)>& change);
  test::SceneFolder m_scenes;
  QTemporaryDir m_folder;
};

static PaneSettings pane(const char* method) {
  PaneSettings settings;
  settings.method = method;
  return settings;
}

/// A box that sinks into a plane and lies on another one: contacts and overlaps of every kind.
void DamagedRecordingsTest::initTestCase() {
  const auto scene = m_scenes.load(
      R"({"name": "floor", "motion": "static", "shape": {"type": "plane"}},
         {"name": "table", "motion": "static", "position": [0, 0.5, 0], "shape": {"type": "box", "size": [1, 1, 1]}},
         {"name": "box", "position": [0.1, 1.52, 0], "orientation": {"axis": [1, 0, 0.3], "angle_deg": 5}, "shape": {"type": "box", "size": [1, 1, 1]}})");
  Comparison comparison(scene, {pane("cpf"), pane("peg")});
  Recorder recorder(file("good.touchstone"), comparison, "test");
  for (int frame = 0; frame < 8; ++frame) comparison.step(false);
  const StepRecord &cpf = *comparison.pane(0).current(), &peg = *comparison.pane(1).current();
  QVERIFY(!cpf.contacts.empty() && !cpf.overlaps.empty() && !cpf.overlaps.front().triangles.empty());
  QVERIFY(!peg.contacts.empty() && peg.contacts.front().pieceB >= 0);
  QVERIFY(replay(Recording(file("good.touchstone"))).missing.empty());
}

std::string DamagedRecordingsTest::changed(const QByteArray& sql) {
  const std::string path = file("changed.touchstone");
  removeRecording(path);
  if (!QFile::copy(m_folder.filePath("good.touchstone"), m_folder.filePath("changed.touchstone")))
    qFatal("cannot copy");
  Database(path, Database::Open::Own).run(sql.toStdString());
  return path;
}

std::string DamagedRecordingsTest::changed(const std::function<void(StepRecord& record)>& change) {
  const std::string path = changed(QByteArray("SELECT 1"));
  Database database(path, Database::Open::Own);
  for (long pane : {0L, 1L}) {
    StepRecord record;
    {
      Statement row(database, "SELECT bodies, detail FROM frames WHERE frame = 8 AND pane = ?");
      if (!row.bind(pane).step()) qFatal("no row");
      record.bodies = bodiesOf(row.bytes(0, 1 << 20));
      readDetail(row.bytes(1, 1 << 20), record);
    }
    change(record);
    Statement(database, "UPDATE frames SET bodies = ?, detail = ? WHERE frame = 8 AND pane = ?")
        .bindBytes(bodyBytes(record.bodies))
        .bindBytes(detailBytes(record))
        .bind(pane)
        .finish();
  }
  return path;
}

/// Opens it and reads all rows. @return the refusal, or empty
static QString refusalOf(const std::string& path) {
  try {
    const Recording recording(path);
    for (const RecordedRow& row : recording.rows()) recording.record(row.frame, row.pane);
    return {};
  } catch (const DatabaseError& error) {
    if (error.fault() != DatabaseError::Fault::Input)
      return QStringLiteral("blames the machine: ") + error.what();
    return QString::fromStdString(error.what());
  }
}

void DamagedRecordingsTest::refusesWhatDoesNotFitTheScene_data() {
  QTest::addColumn<QByteArray>("sql");
  QTest::addColumn<QString>("said");
  const auto start = [](const char* from, const char* to) {
    return QByteArray("UPDATE meta SET value = replace(value, '") + from + "', '" + to +
           "') WHERE key = 'start'";
  };
  const auto command = [](const char* text, const char* frame = "3") {
    return QByteArray("INSERT INTO commands VALUES (0, ") + frame + ", '" + text + "')";
  };
  QTest::newRow("ids twice") << start("\"ids\":[0,1]", "\"ids\":[0,0]") << "second time";
  QTest::newRow("ids negative") << start("\"ids\":[0,1]", "\"ids\":[0,-1]") << "ids[1]";
  QTest::newRow("substeps") << start("\"substeps\":1", "\"substeps\":2000000000") << "substeps";
  QTest::newRow("substeps 0") << start("\"substeps\":1", "\"substeps\":0") << "substeps";
  QTest::newRow("method") << start("\"cpf\"", "\"cfp\"") << "no method";
  QTest::newRow("a method for another scene")
      << start("\"cpf\"", "\"lcp\"") + ";" + start("\"solver\":\"\"", "\"solver\":\"none\"")
      << "cannot solve";
  QTest::newRow("frame length") << start("\"dt_s\":0.01", "\"dt_s\":-1") << "dt_s";
  QTest::newRow("start is another command")
      << QByteArray("UPDATE meta SET value = '{\"do\":\"dt\",\"dt_s\":1}' WHERE key = 'start'")
      << "another command";
  QTest::newRow("no start") << QByteArray("DELETE FROM meta WHERE key = 'start'") << "start";
  QTest::newRow("scene is not there")
      << QByteArray("UPDATE meta SET value = 'x.json' WHERE key = 'scene'") << "scene is not among";
  QTest::newRow("scene is damaged") << QByteArray("UPDATE files SET content = '{'") << "no valid JSON";
  QTest::newRow("file outside") << QByteArray("INSERT INTO files VALUES ('/etc/x', 'x')")
                                << "a path that no scene has";
  QTest::newRow("file far up")
      << QByteArray(
             "INSERT INTO files VALUES ('../../../../../../../../../../../../../../../../"
             "../../../../../../../../../../../../../../../../../x', 'x')")
      << "a path that no scene has";
  QTest::newRow("file in a file") << QByteArray("INSERT INTO files VALUES ('scene.json/x', 'x')")
                                  << "lies in another";
  QTest::newRow("command text") << command("remove it") << "no valid JSON";
  QTest::newRow("command of no pane") << command("{\"do\":\"remove\",\"pane\":9}") << "no pane 9";
  QTest::newRow("command moves nowhere") << command("{\"do\":\"move\",\"pane\":0,\"to\":5}") << "no pane 5";
  QTest::newRow("command pulls no body")
      << command(
             "{\"do\":\"pull\",\"spring\":{\"body\":9,\"local_m\":[0,0,0],\"target_m\":[0,0,0],"
             "\"stiffness_N_per_m\":1,\"damping_Ns_per_m\":1}}")
      << "no body 9";
  QTest::newRow("command pulls a surface that does not deform")
      << command(
             "{\"do\":\"pull\",\"spring\":{\"body\":2,\"local_m\":[0,0,0],\"target_m\":[0,0,0],"
             "\"stiffness_N_per_m\":1,\"damping_Ns_per_m\":1,\"vertices\":[0,1,2],\"weights\":[1,0,0]}}")
      << "does not deform";
  QTest::newRow("command pulls at two vertices")
      << command(
             "{\"do\":\"pull\",\"spring\":{\"body\":2,\"local_m\":[0,0,0],\"target_m\":[0,0,0],"
             "\"stiffness_N_per_m\":1,\"damping_Ns_per_m\":1,\"vertices\":[0,1],\"weights\":[1,0,0]}}")
      << "three entries";
  QTest::newRow("command forks to the future")
      << command("{\"do\":\"fork\",\"pane\":0,\"frame\":5}") << "not come yet";
  QTest::newRow("command after the end")
      << command("{\"do\":\"fork\",\"pane\":0,\"frame\":0}", "99") << "after the end";
  QTest::newRow("command at no frame")
      << command("{\"do\":\"fork\",\"pane\":0,\"frame\":0}", "'x'") << "frame";
  QTest::newRow("command removes a pane of the end")
      << command("{\"do\":\"remove\",\"pane\":1}") << "do not lead to the panes";
  QTest::newRow("command sets a bad value")
      << command("{\"do\":\"parameter\",\"pane\":0,\"key\":\"stiffness\",\"value\":-5}") << "stiffness";
  QTest::newRow("no panes") << QByteArray("DELETE FROM panes") << "panes are not those";
  QTest::newRow("no frames") << QByteArray("DELETE FROM frames") << "no frames";
  QTest::newRow("frame 2^62") << QByteArray("UPDATE frames SET frame = 4611686018427387904 WHERE frame = 8")
                              << "frame";
  QTest::newRow("frame negative") << QByteArray("UPDATE frames SET frame = -1 WHERE frame = 8") << "frame";
  QTest::newRow("frame is a text") << QByteArray("UPDATE frames SET frame = 'x' WHERE frame = 8") << "frame";
  QTest::newRow("pane is no number") << QByteArray(
                                            "UPDATE frames SET pane = NULL WHERE frame = 8 AND pane = 0")
                                     << "pane";
  QTest::newRow("time") << QByteArray("UPDATE frames SET time_s = 9e999 WHERE frame = 8") << "time";
  QTest::newRow("time is a text") << QByteArray("UPDATE frames SET time_s = 'x' WHERE frame = 8") << "time_s";
  QTest::newRow("method of a frame") << QByteArray("UPDATE frames SET method = 'x' WHERE frame = 8")
                                     << "no method";
  QTest::newRow("status") << QByteArray("UPDATE frames SET status = 'fine' WHERE frame = 8") << "no status";
  QTest::newRow("hash") << QByteArray("UPDATE frames SET state_hash = '12x' WHERE frame = 8") << "no hash";
  QTest::newRow("bodies cut off") << QByteArray(
                                         "UPDATE frames SET bodies = substr(bodies, 1, 112) WHERE frame = 8")
                                  << "not all bodies";
  QTest::newRow("bodies too long")
      << QByteArray("UPDATE frames SET bodies = CAST(bodies || bodies AS BLOB) WHERE frame = 8") << "bytes";
  QTest::newRow("detail cut off") << QByteArray(
                                         "UPDATE frames SET detail = substr(detail, 1, 300) WHERE frame = 8")
                                  << "damaged";
  QTest::newRow("detail of another version")
      << QByteArray("UPDATE frames SET detail = x'00000000' WHERE frame = 8") << "version";
  QTest::newRow("no detail") << QByteArray("UPDATE frames SET detail = NULL WHERE frame = 8") << "damaged";
}

void DamagedRecordingsTest::refusesWhatDoesNotFitTheScene() {
  QFETCH(QByteArray, sql);
  QFETCH(QString, said);
  const QString refusal = refusalOf(changed(sql));
  QVERIFY2(refusal.startsWith(m_folder.filePath("changed.touchstone")) && refusal.contains(said) &&
               refusal.contains("; "),
           qPrintable(refusal));
}

using Change = std::function<void(StepRecord&)>;
Q_DECLARE_METATYPE(Change)

void DamagedRecordingsTest::refusesRecordsThatDoNotFitTheScene_data() {
  QTest::addColumn<Change>("change");
  const double nan = std::nan(""), infinite = HUGE_VAL;
  const auto contact = [](const auto& change) {
    return Change([change](StepRecord& record) { change(record.contacts.front()); });
  };
  const auto overlap = [](const auto& change) {
    return Change([change](StepRecord& record) {
      if (!record.overlaps.empty()) change(record.overlaps.front());  // PEG has no overlaps
    });
  };
  for (int body : {-2, -1, 3, 1'000'000}) {
    QTest::addRow("overlap of body %d", body) << overlap([body](Overlap& o) { o.bodyA = body; });
    QTest::addRow("contact of body %d", body) << contact([body](Contact& c) { c.bodyB = body; });
  }
  QTest::newRow("contact with itself") << contact([](Contact& c) { c.bodyA = c.bodyB; });
  QTest::newRow("contact of descending bodies") << contact([](Contact& c) { std::swap(c.bodyA, c.bodyB); });
  for (int piece : {-2, 2, 1'000'000})
    QTest::addRow("contact of piece %d", piece) << contact([piece](Contact& c) { c.pieceB = piece; });
  for (int feature : {-1, 1'000'000})
    QTest::addRow("contact of feature %d", feature)
        << contact([feature](Contact& c) { c.featureB = feature; });
  QTest::newRow("contact kind") << contact([](Contact& c) { c.kind = static_cast<FeaturePairKind>(7); });
  QTest::newRow("contact mode") << contact([](Contact& c) { c.mode = static_cast<ContactMode>(-1); });
  QTest::newRow("contact type") << contact([](Contact& c) { c.type = static_cast<ConstraintType>(4); });
  QTest::newRow("contact point") << contact([nan](Contact& c) { c.pointB.y() = nan; });
  QTest::newRow("contact impulse") << contact([infinite](Contact& c) { c.normalImpulse = infinite; });
  QTest::newRow("contact set") << contact([](Contact& c) { c.set = -7; });
  QTest::newRow("overlap depth") << overlap([nan](Overlap& o) { o.depth = nan; });
  QTest::newRow("overlap corner") << overlap([](Overlap& o) { o.triangles.front()[1] = 1'000'000; });
  QTest::newRow("overlap corner -1") << overlap([](Overlap& o) { o.triangles.front()[1] = -1; });
  QTest::newRow("overlap vertex") << overlap([nan](Overlap& o) { o.vertices.front().x() = nan; });
  QTest::newRow("position") << Change([nan](StepRecord& r) { r.bodies[2].position.x() = nan; });
  QTest::newRow("orientation") << Change([](StepRecord& r) { r.bodies[2].orientation.coeffs().setZero(); });
  QTest::newRow("velocity") << Change(
      [infinite](StepRecord& r) { r.bodies[2].linearVelocity.x() = infinite; });
  QTest::newRow("pull") << Change([](StepRecord& r) {
    r.pull = PullRecord{77, Vec3::Zero(), Vec3::Zero(), 1};
  });
  QTest::newRow("step length") << Change([](StepRecord& r) { r.dt = 0; });
  QTest::newRow("substeps") << Change([](StepRecord& r) { r.substeps = 0; });
  QTest::newRow("particles of rigid bodies") << Change([](StepRecord& r) { r.particles = {Vec3(0, 0, 0)}; });
  QTest::newRow("more bodies") << Change([](StepRecord& r) { r.bodies.push_back(r.bodies.back()); });
}

void DamagedRecordingsTest::refusesRecordsThatDoNotFitTheScene() {
  QFETCH(Change, change);
  const QString refusal = refusalOf(changed(change));
  QVERIFY2(refusal.contains("frame 8") && refusal.contains("damaged"), qPrintable(refusal));
}

void DamagedRecordingsTest::executesNothing_data() {
  QTest::addColumn<QByteArray>("sql");
  const QByteArray endless = "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT ";
  QTest::newRow("meta is a view") << "ALTER TABLE meta RENAME TO m; CREATE VIEW meta AS " + endless +
                                         "'format' AS key, CAST(x AS TEXT) AS value FROM n WHERE x < 0";
  QTest::newRow("files is a view") << "ALTER TABLE files RENAME TO f; CREATE VIEW files AS " + endless +
                                          "CAST(x AS TEXT) AS path, zeroblob(1000000) AS content FROM n";
  QTest::newRow("a view beside") << QByteArray("CREATE VIEW v AS SELECT 1");
  QTest::newRow("a trigger") << QByteArray(
      "CREATE TRIGGER t AFTER INSERT ON meta BEGIN DELETE FROM frames; END");
  QTest::newRow("an index of an expression") << QByteArray("CREATE INDEX i ON meta (hex(value))");
  QTest::newRow("a virtual table") << QByteArray("CREATE VIRTUAL TABLE v USING fts4(a)");
  QTest::newRow("a column that is computed")
      << QByteArray("ALTER TABLE panes ADD COLUMN bad TEXT GENERATED ALWAYS AS (hex(label))");
}

void DamagedRecordingsTest::executesNothing() {
  QFETCH(QByteArray, sql);
  QVERIFY2(refusalOf(changed(sql)).contains("damaged"), qPrintable(refusalOf(changed(sql))));
}

void DamagedRecordingsTest::replayNamesWhatIsMissing_data() {
  QTest::addColumn<QByteArray>("sql");
  QTest::addColumn<QString>("missing");
  QTest::addColumn<QString>("differs");
  QTest::newRow("frames") << QByteArray("DELETE FROM frames WHERE frame BETWEEN 3 AND 5")
                          << "frame 3 of pane cpf"
                          << "";
  QTest::newRow("the first frame") << QByteArray("DELETE FROM frames WHERE frame = 0")
                                   << "frame 0 of pane cpf"
                                   << "";
  QTest::newRow("a pane") << QByteArray("DELETE FROM frames WHERE pane = 1") << "frame 0 of pane peg-auto"
                          << "";
  QTest::newRow("a pane at the end") << QByteArray("DELETE FROM frames WHERE pane = 1 AND frame = 8")
                                     << "frame 8 of pane peg-auto"
                                     << "";
  QTest::newRow("the commands make no such pane")
      << QByteArray(
             "UPDATE meta SET value = replace(value, '\"ids\":[0,1]', '\"ids\":[0,2]') WHERE key IN "
             "('start', "
             "'now'); UPDATE panes SET id = 2 WHERE id = 1")
      << "frame 0 of pane peg-auto"
      << "";
  QTest::newRow("a frame far away") << QByteArray("UPDATE frames SET frame = 900000000 WHERE frame = 8")
                                    << "frame 8 of pane cpf"
                                    << "";
  QTest::newRow("a quantity") << QByteArray(
                                     "UPDATE frames SET energy_total_J = 12345 WHERE frame = 4 AND pane = 1")
                              << ""
                              << "quantity energy_total";
  QTest::newRow("a quantity that is nowhere")
      << QByteArray("UPDATE frames SET energy_kinetic_J = NULL WHERE frame = 4 AND pane = 1") << ""
      << "quantity energy_kinetic";
  QTest::newRow("a status") << QByteArray("UPDATE frames SET status = 'no solution' WHERE frame = 4") << ""
                            << "status";
  QTest::newRow("a time") << QByteArray("UPDATE frames SET time_s = time_s + 1e-9 WHERE frame = 4") << ""
                          << "time";
  QTest::newRow("a clock time, which may differ") << QByteArray("UPDATE frames SET time_step_ms = 5") << ""
                                                  << "";
}

void DamagedRecordingsTest::replayNamesWhatIsMissing() {
  QFETCH(QByteArray, sql);
  QFETCH(QString, missing);
  QFETCH(QString, differs);
  const ReplayResult result = replay(Recording(changed(sql)));
  QVERIFY2(QString::fromStdString(result.missing).startsWith(missing) &&
               result.missing.empty() == missing.isEmpty(),
           result.missing.c_str());
  QCOMPARE(result.first ? QString::fromStdString(result.first->array) : QString(), differs);
}

// SQLite would delete the named file.
void DamagedRecordingsTest::aJournalThatNamesAFurtherFileIsNotUsed() {
  const std::string path = changed(QByteArray("SELECT 1"));
  const QString precious = m_folder.filePath("precious.txt"),
                journal = QString::fromStdString(path) + "-journal";
  QFile thesis(precious);
  QVERIFY(thesis.open(QIODevice::WriteOnly) && thesis.write("thesis") == 6);
  thesis.close();
  const QByteArray name = precious.toUtf8();
  QByteArray bytes("\xd9\xd5\x05\xf9\x20\xa1\x63\xd7",
                   8);  // a journal without pages, then the name of another file
  const auto number = [](quint32 value) {
    QByteArray big(4, 0);
    for (int byte = 0; byte < 4; ++byte) big[byte] = static_cast<char>(value >> (24 - 8 * byte));
    return big;
  };
  const quint32 pages = static_cast<quint32>(QFileInfo(QString::fromStdString(path)).size() / 4096);
  bytes += number(0) + number(0) + number(pages) + number(512) + number(4096);
  bytes += QByteArray(512 - bytes.size(), 0);
  quint32 sum = 0;
  for (char c : name) sum += static_cast<quint32>(c);
  bytes += number((1 << 30) / 4096 + 1) + name + number(static_cast<quint32>(name.size())) + number(sum) +
           QByteArray("\xd9\xd5\x05\xf9\x20\xa1\x63\xd7", 8);
  QFile out(journal);
  QVERIFY(out.open(QIODevice::WriteOnly) && out.write(bytes) == bytes.size());
  out.close();
  QVERIFY(refusalOf(path).contains("names a further file"));
  QVERIFY(QFileInfo::exists(precious));
}

void DamagedRecordingsTest::anyNameOpensWhereNothingCanBeWritten_data() {
  QTest::addColumn<QString>("name");
  for (const char* name : {"a b", "a?b", "a#b", "a%41b", "a&b=c", "-y", "a:b", "ä", "a'b\"c", "a\nb"})
    QTest::newRow(name) << QString::fromUtf8(name);
}

void DamagedRecordingsTest::anyNameOpensWhereNothingCanBeWritten() {
  QFETCH(QString, name);
  const QString path = m_folder.filePath(name + ".touchstone");
  QVERIFY(QFile::copy(m_folder.filePath("good.touchstone"), path));
  QVERIFY(QFile::setPermissions(path, QFile::ReadOwner | QFile::ReadOther));
  QCOMPARE(refusalOf(path.toStdString()), QString());
}

static QString shipped(const char* name) {
  return QStringLiteral(TS_SOURCE_DIR "/tests/store/recordings/") + QLatin1String(name);
}

void DamagedRecordingsTest::recordingsOfTheFirstVersionOpen() {
  const QString path = m_folder.filePath("old.touchstone");
  QVERIFY(QFile::copy(shipped("version-0.1.0.touchstone"), path));
  QCOMPARE(refusalOf(path.toStdString()), QString());
  const auto recording = std::make_shared<Recording>(path.toStdString());
  QCOMPARE(recording->lastFrame(), 5L);
  QCOMPARE(recording->rows().size(), std::size_t(12));
  const std::unique_ptr<Comparison> comparison = Recording::resume(recording);
  QCOMPARE(comparison->frame(), 5L);
  comparison->step(false);
  QCOMPARE(comparison->frame(), 6L);
  QVERIFY(mayBeReplaced(path.toStdString()));
}

void DamagedRecordingsTest::aVersionWithFewerQuantitiesOpens() {
  const std::string path = changed(
      "ALTER TABLE frames DROP COLUMN strain_max; ALTER TABLE frames DROP COLUMN volume_error; "
      "ALTER TABLE frames DROP COLUMN energy_kinetic_J");
  QCOMPARE(refusalOf(path), QString());
  const RecordPtr whole = Recording(file("good.touchstone")).record(8, 0),
                  record = Recording(path).record(8, 0);
  QVERIFY(whole->quantities[Quantity::EnergyKinetic] > 0);
  for (const QuantityInfo& info : quantityTable()) {
    const double found = record->quantities[info.quantity], wanted = whole->quantities[info.quantity];
    const bool isDropped = info.quantity == Quantity::EnergyKinetic;
    QVERIFY2(std::isnan(found) ? isDropped || std::isnan(wanted) : found == wanted, info.key.c_str());
  }
}

void DamagedRecordingsTest::whatAKilledFirstVersionLeftInItsLogIsThere() {
  const QString path = m_folder.filePath("killed.touchstone");
  QVERIFY(QFile::copy(shipped("killed-0.1.0.touchstone"), path));
  QCOMPARE(Recording(path.toStdString()).lastFrame(), 4L);  // without the log: what was merged
  QVERIFY(QFile::remove(path));
  QVERIFY(QFile::copy(shipped("killed-0.1.0.touchstone"), path));
  QVERIFY(QFile::copy(shipped("killed-0.1.0.touchstone-wal"), path + "-wal"));
  QCOMPARE(Recording(path.toStdString()).lastFrame(), 5L);
}

QTEST_GUILESS_MAIN(DamagedRecordingsTest)
#include "tst_damaged_recordings.moc"
