#include <QCryptographicHash>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QProcess>
#include <QtTest>
#include <cmath>

#include "core/conform/card_texts.h"
#include "tests/support/command_folder.h"

using namespace touchstone;

/// The head of each column of the card: its steps, iterations, precision and time, and what contradicts.
class EffortTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void init();
  void ourColumnsTellTheirEffort();
  void whatAFileTellsIsInItsHead();
  void whatAFileDoesNotTellIsNotTold();
  void stepsFourTimesAsLongAreToldInTheHead();
  void samplesFourTimesAsFarApartAreToldInTheHead();
  void stepsAsAskedAreNoRemark();
  void frozenPosesAreToldInTheHead();
  void filesHaveTheirHashEverywhere();
  void processorTimeIsNotCompared();
  void expectedCardsHaveNoProcessorTime();
  void iterationsOfAllFramesAreKnown();
  void enginesTellPrecisionAndIterations();
  void headersThatAreNoneAreRefused_data();
  void headersThatAreNoneAreRefused();

 private:
  using Result = test::CommandFolder::Result;
  void writeFall(const QString& column, const QByteArray& header, int every, double share = 1) const;
  Result card(const QStringList& methods, const QStringList& files) const;
  QJsonObject effortOfColumn(const QString& column) const;
  QString remarks(const QString& column) const;
  std::unique_ptr<test::CommandFolder> m_folder;
};

void EffortTest::init() {
  m_folder = std::make_unique<test::CommandFolder>();
  m_folder->write("fall.scene.json",
                  R"({"touchstone": 1, "name": "fall", "title": "F", "dt": 0.01, "duration": 0.48,
 "methods": ["cpf"], "bodies": [{"name": "ball", "position": [0, 0, 0],
 "shape": {"type": "box", "size": [1, 1, 1]}}]})");
  m_folder->write("fall.json",
                  R"({"touchstone_phenomenon": 1, "name": "fall", "title": "A fall", "primary": "v",
 "runs": [{"id": "std", "scene": "fall.scene.json"}],
 "measures": [{"id": "v", "run": "std", "quantity": "velocity", "body": "ball", "axis": [0, 1, 0],
  "exact": -4.7088, "tolerance": {"absolute": 1e-6}}]})");
}

/// A free fall. @param every  frames of 10 ms between samples   @param share  of the way that its poses tell
void EffortTest::writeFall(const QString& column, const QByteArray& header, int every, double share) const {
  QVERIFY(QDir().mkpath(m_folder->at(column)));
  QByteArray text =
      "# touchstone_trajectory: 1\n" + header + "time,body,x,y,z,qw,qx,qy,qz,vx,vy,vz,wx,wy,wz\n";
  for (int frame = 0; frame <= 48; frame += every) {
    const double t = frame * 0.01;
    text += QByteArray::number(t, 'g', 17) + ",ball,0," +
            QByteArray::number(-share * 0.5 * 9.81 * t * t, 'g', 17) + ",0,1,0,0,0,0," +
            QByteArray::number(-9.81 * t, 'g', 17) + ",0,0,0,0\n";
  }
  m_folder->write(column + "/fall.scene.csv", text);
}

EffortTest::Result EffortTest::card(const QStringList& methods, const QStringList& files) const {
  QStringList words = {"conform", "fall.json", "--methods", methods.join(','), "--out", "card", "--force"};
  for (const QString& file : files) words << "--trajectory" << file + "=" + file;
  return m_folder->run(words);
}

QJsonObject EffortTest::effortOfColumn(const QString& column) const {
  const QJsonArray efforts =
      QJsonDocument::fromJson(m_folder->content("card/card.json")).object()["efforts"].toArray();
  for (const QJsonValue& effort : efforts)
    if (effort.toObject()["column"] == column) return effort.toObject();
  return {};
}

QString EffortTest::remarks(const QString& column) const {
  QStringList texts;
  for (const QJsonValue& remark : effortOfColumn(column)["remarks"].toArray()) texts << remark.toString();
  return texts.join("; ");
}

void EffortTest::ourColumnsTellTheirEffort() {
  const Result result = card({"lcp", "cpf:substeps=5"}, {});
  QVERIFY2(result.code == 0, result.error);
  const QJsonObject lcp = effortOfColumn("lcp")["head"].toObject(),
                    cpf = effortOfColumn("cpf:substeps=5")["head"].toObject();
  QCOMPARE(lcp["step"].toString(), QString("10 ms"));
  QCOMPARE(lcp["step / frame"].toString(), QString("1"));
  QCOMPARE(cpf["step"].toString(), QString("2 ms"));
  QCOMPARE(cpf["step / frame"].toString(), QString("1/5"));
  QCOMPARE(cpf["substeps"].toString(), QString("5"));
  QCOMPARE(cpf["precision"].toString(), QString("double"));
  QVERIFY(cpf["processor"].toString().endsWith(" s"));
  const QJsonObject one = effortOfColumn("cpf:substeps=5")["runs"].toArray().first().toObject();
  QCOMPARE(one["run"].toString(), QString("std"));
  QCOMPARE(one["step_s"].toDouble(), 0.002);
  QVERIFY(one["processor_s"].toDouble() > 0);
  // The same lines stand above the card, in the page, in the table for papers and in the manifest.
  for (const QByteArray& text : {result.out, m_folder->content("card/card.html"),
                                 m_folder->content("card/card.tex"), m_folder->content("card/manifest.json")})
    for (const char* word : {"substeps", "iterations", "precision", "processor", "1/5", "double"})
      QVERIFY2(text.contains(word), word);
  QVERIFY(result.out.indexOf("step / frame") < result.out.indexOf("fall  "));
  for (const char letter : m_folder->content("card/card.tex"))
    QVERIFY(static_cast<unsigned char>(letter) < 128);
}

void EffortTest::whatAFileTellsIsInItsHead() {
  writeFall("theirs",
            "# step: 0.0025\n# precision: single\n# iterations: 50\n# processor_time: 12.5\n"
            "# revision: 7\n",
            1);
  QCOMPARE(card({"lcp"}, {"theirs"}).code, 0);
  const QJsonObject head = effortOfColumn("theirs")["head"].toObject();
  QCOMPARE(head["step"].toString(), QString("2.5 ms"));
  QCOMPARE(head["step / frame"].toString(), QString("1/4"));
  QCOMPARE(head["substeps"].toString(), QString("4"));
  QCOMPARE(head["iterations"].toString(), QString("≤ 50"));
  QCOMPARE(head["precision"].toString(), QString("single"));
  QCOMPARE(head["processor"].toString(), QString("12 s"));
  QCOMPARE(remarks("theirs"), QString());
}

void EffortTest::whatAFileDoesNotTellIsNotTold() {
  writeFall("theirs", "", 1);
  QCOMPARE(card({"lcp"}, {"theirs"}).code, 0);
  const QJsonObject head = effortOfColumn("theirs")["head"].toObject();
  for (const QString& line : head.keys()) QCOMPARE(head[line].toString(), QString("not told"));
  QCOMPARE(head.size(), 6);
}

void EffortTest::stepsFourTimesAsLongAreToldInTheHead() {
  writeFall("slow", "# step: 0.04\n", 4);
  const Result result = card({"lcp"}, {"slow"});
  QCOMPARE(result.code, 0);
  const QByteArray told = "steps 4 times those asked in 1 run";
  QCOMPARE(remarks("slow"), QString(told));
  QCOMPARE(effortOfColumn("slow")["head"].toObject()["step / frame"].toString(), QString("4"));
  QCOMPARE(remarks("lcp"), QString());
  for (const QByteArray& text : {result.out, m_folder->content("card/card.html"),
                                 m_folder->content("card/card.tex"), m_folder->content("card/manifest.json")})
    QVERIFY2(text.contains(told), text);
  QVERIFY(result.out.indexOf(told) < result.out.indexOf("fall  "));  // in the head, above the cells
}

void EffortTest::samplesFourTimesAsFarApartAreToldInTheHead() {
  writeFall("silent", "", 4);
  writeFall("fine", "# step: 0.001\n", 4);
  QCOMPARE(card({"lcp"}, {"silent", "fine"}).code, 0);
  for (const char* column : {"silent", "fine"})
    QCOMPARE(remarks(column), QString("samples 4 times as far apart as asked in 1 run"));
}

void EffortTest::stepsAsAskedAreNoRemark() {
  writeFall("same", "# step: 0.010000001\n", 1);
  QCOMPARE(card({"lcp"}, {"same"}).code, 0);
  QCOMPARE(remarks("same"), QString());
}

void EffortTest::frozenPosesAreToldInTheHead() {
  writeFall("frozen", "", 1, 0);
  const Result result = card({"lcp"}, {"frozen"});
  QCOMPARE(result.code, 0);
  QCOMPARE(remarks("frozen"), QString("velocities contradict poses in 1 file"));
  QVERIFY(result.out.contains("velocities contradict poses in 1 file"));
}

void EffortTest::filesHaveTheirHashEverywhere() {
  writeFall("theirs", "", 1);
  m_folder->write("theirs/fall.scene.contacts.csv",
                  "# touchstone_contacts: 1\ntime,body_a,body_b,px,py,pz,nx,ny,nz,jn,jx,jy,jz\n");
  const Result result = card({"lcp"}, {"theirs"});
  QVERIFY2(result.code == 0, result.error);
  for (const char* name : {"theirs/fall.scene.csv", "theirs/fall.scene.contacts.csv"}) {
    const QByteArray hash =
        QCryptographicHash::hash(m_folder->content(name), QCryptographicHash::Sha256).toHex();
    for (const char* file :
         {"card/card.txt", "card/card.csv", "card/card.json", "card/manifest.json", "card/card.html"})
      QVERIFY2(m_folder->content(file).contains(hash), file);
  }
}

void EffortTest::processorTimeIsNotCompared() {
  QCOMPARE(card({"lcp"}, {}).code, 0);
  QByteArrayList lines = m_folder->content("card/card.csv").trimmed().split('\n');
  QVERIFY(lines.first().endsWith(",processor"));
  QByteArrayList without = lines;
  for (QByteArray& line : lines) line = line.left(line.lastIndexOf(',')) + ",99";
  for (QByteArray& line : without) line = line.left(line.lastIndexOf(','));
  lines.first().replace(",99", ",processor");
  QCOMPARE(card({"lcp"}, {}).code, 0);  // again: all the rest is the same
  QByteArrayList again = m_folder->content("card/card.csv").trimmed().split('\n');
  for (QByteArray& line : again) line = line.left(line.lastIndexOf(','));
  QCOMPARE(again, without);
  m_folder->write("other.csv", lines.join('\n'));
  m_folder->write("without.csv", without.join('\n'));
  for (const char* file : {"other.csv", "without.csv"}) {
    const Result result = m_folder->run({"conform", "fall.json", "--methods", "lcp", "--expect", file});
    QVERIFY2(result.code == 0 && result.out.contains("1 numbers compared"), result.error);
  }
}

void EffortTest::expectedCardsHaveNoProcessorTime() {
  for (const char* name : {"expected.csv", "expected-published.csv"}) {
    QFile file(QStringLiteral(TS_SOURCE_DIR "/datasets/battery/") + name);
    QVERIFY(file.open(QIODevice::ReadOnly));
    QVERIFY2(!file.readLine().contains("processor"), name);
  }
}

void EffortTest::iterationsOfAllFramesAreKnown() {
  // A body that rests: every step has a problem to solve.
  m_folder->write("fall.scene.json",
                  R"({"touchstone": 1, "name": "fall", "title": "F", "dt": 0.01, "duration": 0.1,
 "methods": ["lcp"], "materials": [{"name": "m", "friction": 0.5}], "bodies": [
 {"name": "ground", "motion": "static", "material": "m", "shape": {"type": "plane"}},
 {"name": "ball", "position": [0, 0.5, 0], "material": "m", "shape": {"type": "box", "size": [1, 1, 1]}}]})");
  const Result result = card({"lcp", "cpf"}, {});
  QVERIFY2(result.code == 0, result.error);
  const QJsonObject lcp = effortOfColumn("lcp")["runs"].toArray().first().toObject();
  QVERIFY(lcp["iterations"].toInt() >= 1);
  QVERIFY(lcp["iteration_sum"].toInt() >= 10);
  QVERIFY(effortOfColumn("lcp")["head"].toObject()["iterations"].toString().startsWith("≤ "));
  QCOMPARE(effortOfColumn("cpf")["head"].toObject()["iterations"].toString(), QString("none"));
  const QByteArray tex = m_folder->content("card/card.tex");  // plain LaTeX reads it
  QVERIFY2(tex.contains("iterations $\\leq$ ") && !tex.contains("≤"), tex);
}

void EffortTest::enginesTellPrecisionAndIterations() {
  if (!m_folder->run({"list"}).out.contains("bullet")) QSKIP("built without Bullet");
  QCOMPARE(card({"bullet:iterations=17,substeps=2"}, {}).code, 0);
  const QJsonObject head = effortOfColumn("bullet:iterations=17,substeps=2")["head"].toObject();
  QCOMPARE(head["iterations"].toString(), QString("≤ 17"));
  QCOMPARE(head["step / frame"].toString(), QString("1/2"));
  const QString precision = head["precision"].toString();
  QVERIFY2(precision == "double" || precision == "single", qPrintable(precision));
}

void EffortTest::headersThatAreNoneAreRefused_data() {
  QTest::addColumn<QByteArray>("header");
  QTest::addColumn<QByteArray>("told");
  QTest::newRow("precision") << QByteArray("# precision: half\n") << QByteArray("'half' is no precision");
  QTest::newRow("time") << QByteArray("# processor_time: -1\n")
                        << QByteArray("the processor_time is negative; give the seconds");
  QTest::newRow("share") << QByteArray("# iterations: 1.5\n")
                         << QByteArray("'1.5' is no number of iterations; give a whole number");
  QTest::newRow("typing error") << QByteArray("# procesor_time: 1\n")
                                << QByteArray("did you mean 'processor_time'?");
}

void EffortTest::headersThatAreNoneAreRefused() {
  QFETCH(QByteArray, header);
  QFETCH(QByteArray, told);
  writeFall("theirs", header, 1);
  const Result result = card({"lcp"}, {"theirs"});
  QCOMPARE(result.code, 0);
  QVERIFY2(result.out.contains(told), result.out);
}

QTEST_GUILESS_MAIN(EffortTest)
#include "tst_effort.moc"
