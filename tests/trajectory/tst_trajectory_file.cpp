#include <QtTest>

#include "core/math/count.h"
#include "core/trajectory/trajectory_file.h"
#include "tests/scene/scene_folder.h"
#include "tests/support/near.h"

using namespace touchstone;

/// Trajectory files of other engines: their units, axes and points of reference, and what is refused.
class TrajectoryFileTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void initTestCase();
  void aFileIsReadAsItIs();
  void everyFormOfTheSameMotionGivesTheSameStates_data();
  void everyFormOfTheSameMotionGivesTheSameStates();
  void bodiesBeginLateAndLeave();
  void bodiesWithoutRowsAreLeftOutIfAsked();
  void namesOfOthersAreMapped();
  void aMappedNameWithoutARowIsNamed();
  void forcesTimesIntervalsAreImpulses();
  void contactsAreTurnedSoThatBodiesAscend();
  void badFilesAreRefusedWithLineAndColumn_data();
  void badFilesAreRefusedWithLineAndColumn();
  void badContactsAreRefusedWithLineAndColumn_data();
  void badContactsAreRefusedWithLineAndColumn();
  void badNamesAreRefusedWithLineAndColumn();
  void wrongStartsAreWarnedOfWithTheirCause_data();
  void wrongStartsAreWarnedOfWithTheirCause();
  void velocitiesThatContradictPosesAreWarnedOf();
  void otherScenesAndUnknownHeadersAreWarnedOf();

 private:
  Trajectory read(const QByteArray& text, const TrajectoryOptions& options = {},
                  std::vector<std::string>* warnings = nullptr);
  QString errorOf(const std::function<void()>& read);
  test::SceneFolder m_folder;
  std::shared_ptr<const Scene> m_scene;
};

namespace {

/// A row in the given form: what an engine with these habits would write of a state.
struct Form {
  double length = 1;
  bool isZUp = false, isOfOrigin = false, isOmegaOfBody = false;
  double sign = 1;
};

QByteArray number(double value) { return QByteArray::number(value, 'g', 17); }

QByteArray rowOf(double time, const Body& body, const BodyState& state, const Form& form) {
  const auto axes = [&](const Vec3& v) { return form.isZUp ? Vec3(v.x(), -v.z(), v.y()) : v; };
  Vec3 x = state.position, v = state.linearVelocity, w = state.angularVelocity;
  if (form.isOfOrigin) {
    const Vec3 arm = state.orientation * body.centre;
    x -= arm;
    v -= w.cross(arm);
  }
  if (form.isOmegaOfBody) w = state.orientation.conjugate() * w;
  QByteArray row = number(time) + "," + QByteArray::fromStdString(body.name);
  const auto add = [&row](const Vec3& each) {
    for (int k = 0; k < 3; ++k) row += "," + number(each[k]);
  };
  add(axes(x) / form.length);
  row += "," + number(form.sign * state.orientation.w());
  add(form.sign * axes(state.orientation.vec()));
  add(axes(v) / form.length);
  add(axes(w));
  return row + "\n";
}

constexpr char kColumns[] = "time,body,x,y,z,qw,qx,qy,qz,vx,vy,vz,wx,wy,wz\n";
constexpr char kFirst[] = "# touchstone_trajectory: 1\n";

/// [samples][bodies] of a motion of the scene; the floor is body 0.
std::vector<std::vector<BodyState>> motion(const Scene& scene) {
  std::vector<std::vector<BodyState>> samples(3);
  for (std::size_t k = 0; k < samples.size(); ++k)
    for (std::size_t body = 0; body < scene.bodies.size(); ++body) {
      BodyState state;
      const double s = static_cast<double>(k) + 0.3 * static_cast<double>(body);
      state.position = Vec3(0.1 + s, 2 - 0.3 * s, 0.7 * s);
      state.orientation = Quaternion(1, 0.2 * s, -0.4, 0.3 + s).normalized();
      state.linearVelocity = Vec3(1, -s, 0.25);
      state.angularVelocity = Vec3(0.5, s, -2);
      samples[k].push_back(state);
    }
  return samples;
}

QByteArray textOf(const Scene& scene, const QByteArray& header, const Form& form) {
  const auto samples = motion(scene);
  QByteArray text = kFirst + header + kColumns;
  for (std::size_t k = 0; k < samples.size(); ++k)
    for (std::size_t body = 1; body < scene.bodies.size(); ++body)
      text += rowOf(0.5 * static_cast<double>(k), scene.bodies[body], samples[k][body], form);
  return text;
}

}  // namespace

void TrajectoryFileTest::initTestCase() {
  m_scene = m_folder.load(
      R"({"name": "floor", "motion": "static", "shape": {"type": "plane"}},
         {"name": "puck", "position": [0, 1, 0], "velocity": [1, 0, 0], "shape": {"type": "box", "size": [1, 1, 1]}},
         {"name": "late, one", "position": [5, 2, 1], "orientation": {"axis": [1, 2, 0], "angle_deg": 40},
          "shape": {"type": "pieces", "pieces": [{"type": "box", "size": [1, 1, 1], "position": [2, 0.5, 0]}]}})");
  QVERIFY(m_scene->bodies[2].centre.norm() > 1);
}

Trajectory TrajectoryFileTest::read(const QByteArray& text, const TrajectoryOptions& options,
                                    std::vector<std::string>* warnings) {
  return readTrajectory(m_scene, m_folder.write("t.csv", text), options, warnings);
}

QString TrajectoryFileTest::errorOf(const std::function<void()>& read) {
  try {
    read();
  } catch (const SceneError& error) {
    return QString::fromStdString(error.what());
  }
  return {};
}

void TrajectoryFileTest::aFileIsReadAsItIs() {
  const Trajectory t =
      read(QByteArray(kFirst) +
           "# engine: bullet 3.24 (si10)\n# step: 0.002\n# centre_of_mass: puck 0 0 0\n"
           "time_s,body,x_m,y_m,z_m,qw,qx,qy,qz,vx_m_per_s,vy_m_per_s,vz_m_per_s,wx_rad_per_s,wy,wz\r\n"
           "-0.25,\"late, one\",1,2,3,1,0,0,0,4,5,6,7,8,9\r\n\n"
           "-0.25,puck,+.5, 1e-3 ,-2E2,0.6,0.8,0,0,0,0,0,0,0,0\n"
           "0.1,puck,1,1,1,1,0,0,0,0,0,0,0,0,0\n"
           "0.1,\"late, one\",1,2,3,-1,0,0,0,4,5,6,7,8,1e-400");
  QCOMPARE(t.name, std::string("bullet-3.24-si10"));
  QCOMPARE(t.engine, std::string("bullet 3.24 (si10)"));
  QCOMPARE(t.step, 0.002);
  QCOMPARE(t.times, (std::vector<double>{-0.25, 0.1}));
  QCOMPARE(t.states[0][1].position, Vec3(0.5, 1e-3, -200));
  QCOMPARE(t.states[0][1].orientation.w(), 0.6);
  QCOMPARE(t.states[0][2].linearVelocity, Vec3(4, 5, 6));
  QCOMPARE(t.states[0][2].angularVelocity, Vec3(7, 8, 9));
  QCOMPARE(t.states[1][2].angularVelocity.z(), 0.0);
  QVERIFY(t.states[0][0].active && t.states[0][1].active);
  QCOMPARE(t.given, (std::vector<char>{1, 1, 1}));
  QVERIFY(!t.hasContacts && !t.linearDerived && !t.angularDerived && t.status.empty());
}

void TrajectoryFileTest::everyFormOfTheSameMotionGivesTheSameStates_data() {
  QTest::addColumn<QByteArray>("header");
  QTest::addColumn<double>("length");
  QTest::addColumn<int>("habits");
  QTest::newRow("as ours") << QByteArray("# length: m\n# up: y\n# frame: com\n# omega: world\n") << 1.0 << 0;
  QTest::newRow("mm") << QByteArray("# length: mm\n") << 0.001 << 0;
  QTest::newRow("cm") << QByteArray("# length: cm\n") << 0.01 << 0;
  QTest::newRow("in") << QByteArray("# length: in\n") << 0.0254 << 0;
  QTest::newRow("z up") << QByteArray("# up: z\n") << 1.0 << 1;
  QTest::newRow("origin") << QByteArray("# frame: origin\n") << 1.0 << 2;
  QTest::newRow("omega of the body") << QByteArray("# omega: body\n") << 1.0 << 4;
  QTest::newRow("other sign of q") << QByteArray() << 1.0 << 8;
  QTest::newRow("all at once") << QByteArray("# omega: body\n# frame: origin\n# up: z\n# length: in\n")
                               << 0.0254 << 15;
}

void TrajectoryFileTest::everyFormOfTheSameMotionGivesTheSameStates() {
  QFETCH(QByteArray, header);
  QFETCH(double, length);
  QFETCH(int, habits);
  const Form form{length, (habits & 1) != 0, (habits & 2) != 0, (habits & 4) != 0, habits & 8 ? -1.0 : 1.0};
  QByteArray text = textOf(*m_scene, header, form);
  text.replace("late, one", "\"late, one\"");
  const Trajectory t = read(text);
  const auto expected = motion(*m_scene);
  QCOMPARE(t.times.size(), expected.size());
  for (std::size_t k = 0; k < expected.size(); ++k)
    for (std::size_t body = 1; body < 3; ++body) {
      const BodyState &a = t.states[k][body], &b = expected[k][body];
      QVERIFY_NEAR((a.position - b.position).norm(), 0, 1e-14);
      QVERIFY_NEAR(std::abs(a.orientation.dot(b.orientation)), 1, 1e-15);
      QVERIFY_NEAR((a.linearVelocity - b.linearVelocity).norm(), 0, 1e-14);
      QVERIFY_NEAR((a.angularVelocity - b.angularVelocity).norm(), 0, 1e-14);
    }
}

void TrajectoryFileTest::bodiesBeginLateAndLeave() {
  const Trajectory t = read(QByteArray(kFirst) +
                            "time,body,x,y,z,qw,qx,qy,qz,active\n"
                            "0,puck,0,1,0,1,0,0,0,1\n0,\"late, one\",9,9,9,1,0,0,0,0\n"
                            "1,puck,0,1,0,1,0,0,0,1\n1,\"late, one\",5,2,1,1,0,0,0,1\n"
                            "2,\"late, one\",5,2,1,1,0,0,0,1\n");
  const auto isActive = [&](std::size_t body) {
    return std::vector<bool>{t.states[0][body].active, t.states[1][body].active, t.states[2][body].active};
  };
  QCOMPARE(isActive(1), (std::vector<bool>{true, true, false}));
  QCOMPARE(isActive(2), (std::vector<bool>{false, true, true}));
  QVERIFY(t.linearDerived && t.angularDerived);
}

void TrajectoryFileTest::bodiesWithoutRowsAreLeftOutIfAsked() {
  const QByteArray text = QByteArray(kFirst) + "time,body,x,y,z,qw,qx,qy,qz\n0,puck,0,1,0,1,0,0,0\n";
  QVERIFY2(errorOf([&] { read(text); }).contains(":3:1: ends without a row of 'late, one'; "),
           qPrintable(errorOf([&] { read(text); })));
  TrajectoryOptions options;
  options.missing = TrajectoryOptions::Missing::Skip;
  QCOMPARE(read(text, options).given, (std::vector<char>{1, 1, 0}));
}

void TrajectoryFileTest::namesOfOthersAreMapped() {
  TrajectoryOptions options;
  options.missing = TrajectoryOptions::Missing::Skip;
  options.names = readNames(*m_scene, m_folder.write("names.csv", "theirs,ours\nBody_1,puck\n"));
  const Trajectory t =
      read(QByteArray(kFirst) + "time,body,x,y,z,qw,qx,qy,qz\n0,Body_1,7,1,0,1,0,0,0\n", options);
  QCOMPARE(t.states[0][1].position.x(), 7.0);
}

void TrajectoryFileTest::aMappedNameWithoutARowIsNamed() {
  TrajectoryOptions options;
  options.missing = TrajectoryOptions::Missing::Skip;
  options.names =
      readNames(*m_scene, m_folder.write("names.csv", "theirs,ours\nBody_1,puck\nBody_2,floor\n"));
  const QByteArray text = QByteArray(kFirst) + "time,body,x,y,z,qw,qx,qy,qz\n0,Body_1,7,1,0,1,0,0,0\n";
  std::vector<std::string> warnings;
  readTrajectory(m_scene, m_folder.write("mapped.csv", text), options, &warnings);
  const auto isOfNames = [](const std::string& text) {
    return text.find(": --names: ") != std::string::npos;
  };
  QCOMPARE(std::count_if(warnings.begin(), warnings.end(), isOfNames), 1);
  QVERIFY(std::any_of(warnings.begin(), warnings.end(), [](const std::string& text) {
    return text.find("no row has the body 'Body_2', which is mapped") != std::string::npos;
  }));
  options.names.erase("Body_2");
  warnings.clear();
  readTrajectory(m_scene, m_folder.write("mapped.csv", text), options, &warnings);
  QCOMPARE(std::count_if(warnings.begin(), warnings.end(), isOfNames), 0);
}

constexpr char kTwoTimes[] =
    "# touchstone_trajectory: 1\ntime,body,x,y,z,qw,qx,qy,qz\n0,puck,0,1,0,1,0,0,0\n0.5,puck,0,1,0,1,0,0,0\n";

void TrajectoryFileTest::forcesTimesIntervalsAreImpulses() {
  TrajectoryOptions options;
  options.missing = TrajectoryOptions::Missing::Skip;
  options.contacts = m_folder.write("c.csv",
                                    "# touchstone_contacts: 1\n# kind: force\n# up: z\n# length: mm\n"
                                    "time,body_a,body_b,px,py,pz,nx,ny,nz,jn,jx,jy,jz,gap\n"
                                    "0,floor,puck,0,0,0,0,0,1,9,0,0,0,0\n"
                                    "0.5,floor,puck,1000,2000,3000,0,0,1,8,2,0,4,-1\n");
  const Trajectory t = read(kTwoTimes, options);
  QVERIFY(t.hasContacts && t.contactsComplete);
  QCOMPARE(t.contacts[0].size(), std::size_t(1));
  QCOMPARE(t.contacts[0][0].normalImpulse, 0.0);  // no interval before the first sample
  const Contact& contact = t.contacts[1].at(0);
  QCOMPARE(contact.normalImpulse, 4.0);
  QCOMPARE(contact.frictionImpulse, Vec3(1, 2, 0));
  QCOMPARE(contact.normal, Vec3(0, 1, 0));
  QVERIFY_NEAR((contact.pointA - Vec3(1, 3, -2)).norm(), 0, 1e-15);
  QVERIFY_NEAR(contact.gap, -0.001, 1e-18);
}

void TrajectoryFileTest::contactsAreTurnedSoThatBodiesAscend() {
  TrajectoryOptions options;
  options.missing = TrajectoryOptions::Missing::Skip;
  options.contacts = m_folder.write("c.csv",
                                    "# touchstone_contacts: 1\n# complete: no\n"
                                    "time,body_a,body_b,px,py,pz,nx,ny,nz,jn,jx,jy,jz\n"
                                    "0.5,puck,floor,0,0,0,0,-1,0,3,1,0,0\n");
  const Trajectory t = read(kTwoTimes, options);
  QVERIFY(!t.contactsComplete);
  const Contact& contact = t.contacts[1].at(0);
  QCOMPARE(contact.bodyA, 0);
  QCOMPARE(contact.normal, Vec3(0, 1, 0));
  QCOMPARE(contact.normalImpulse, 3.0);
  QCOMPARE(contact.frictionImpulse, Vec3(-1, 0, 0));
  QVERIFY(std::isnan(contact.gap));
}

void TrajectoryFileTest::badFilesAreRefusedWithLineAndColumn_data() {
  QTest::addColumn<QByteArray>("text");
  QTest::addColumn<QString>("error");
  const QByteArray head = QByteArray(kFirst) + "time,body,x,y,z,qw,qx,qy,qz\n";
  const QByteArray row = "0,puck,0,1,0,1,0,0,0\n", other = "0,\"late, one\",5,2,1,1,0,0,0\n";
  const auto bad = [](const char* name, const QByteArray& text, const char* error) {
    QTest::newRow(name) << text << QString::fromUtf8(error);
  };
  bad("empty", "", ":1:1: is empty; ");
  bad("another file", "time,body\n", ":1:1: is no 'touchstone_trajectory'; ");
  bad("another version", "# touchstone_trajectory: 2\n", ":1:26: has version '2', known is 1; ");
  bad("no columns", kFirst, ":2:1: has no row of column names; ");
  bad("unit", QByteArray(kFirst) + "# length: furlong\n", ":2:11: 'furlong' is no known unit of lengths; ");
  bad("axis", QByteArray(kFirst) + "# up: x\n", ":2:7: 'x' is no up; ");
  bad("frame", QByteArray(kFirst) + "# frame: base\n", ":2:10: 'base' is no frame; ");
  bad("omega", QByteArray(kFirst) + "# omega: local\n", ":2:10: 'local' is no omega; ");
  bad("step", QByteArray(kFirst) + "# step: -1\n", ":2:9: the step is negative; ");
  bad("unknown column", QByteArray(kFirst) + "time,body,x,y,z,qw,qx,qy,qz,vx,vy,vz,colour\n",
      ":2:38: the column 'colour' is not known; ");
  bad("column twice", QByteArray(kFirst) + "time,body,x,x_m,z,qw,qx,qy,qz\n",
      ":2:13: the column 'x_m' is there twice; ");
  bad("missing column", QByteArray(kFirst) + "time,body,x,y,qw,qx,qy,qz\n",
      ":2:1: the column 'z' is missing; ");
  bad("one velocity", QByteArray(kFirst) + "time,body,x,y,z,qw,qx,qy,qz,vx\n",
      ":2:1: the column 'vy' is missing; ");
  bad("unit of a column", QByteArray(kFirst) + "time,body,x_km,y,z,qw,qx,qy,qz\n",
      ":2:11: 'km' is no unit of 'x'; ");
  bad("two units", QByteArray(kFirst) + "# length: m\ntime,body,x_mm,y,z,qw,qx,qy,qz\n",
      ":3:11: 'x_mm' is in mm, but the header says '# length: m'; ");
  bad("no rows", head, ":3:1: has no rows; ");
  bad("too few cells", head + "0,puck,0,1,0,1,0,0\n", ":3:1: has 8 cells, there are 9 columns; ");
  bad("no number", head + "0,puck,0,l,0,1,0,0,0\n", ":3:10: 'l' is not a finite number; ");
  bad("empty number", head + "0,puck,0,,0,1,0,0,0\n", ":3:10: '' is not a finite number; ");
  bad("not finite", head + "0,puck,0,1,nan,1,0,0,0\n", ":3:12: 'nan' is not a finite number; ");
  bad("too large", head + "0,puck,0,1,1e999,1,0,0,0\n", ":3:12: '1e999' is not a finite number; ");
  bad("far away", head + "0,puck,2e9,1,0,1,0,0,0\n", ":3:8: a coordinate is beyond 1e9 m; ");
  bad("quaternion", head + "0,puck,0,1,0,1,0.1,0,0\n", ":3:14: the quaternion has length 1.005; ");
  bad("time backwards", head + row + other + "-1,puck,0,1,0,1,0,0,0\n",
      ":5:1: the time goes backwards, from 0 s; ");
  bad("twice", head + row + other + row, ":5:3: 'puck' is there twice at 0 s; ");
  bad("unknown body", head + "0,pukc,0,1,0,1,0,0,0\n",
      ":3:3: the scene has no body 'pukc'; the nearest names are 'puck', 'floor', 'late, one'");
  bad("hole",
      head + row + other + "1,puck,0,1,0,1,0,0,0\n2,puck,0,1,0,1,0,0,0\n2,\"late, one\",5,2,1,1,0,0,0\n",
      ":7:3: 'late, one' has rows before and here, but none at the time before; ");
  bad("missing body", head + row, ":3:1: ends without a row of 'late, one'; ");
  bad("static body", head + row + other + "1,floor,0,0.1,0,1,0,0,0\n",
      ":5:9: the static body 'floor' is 0.1 m away from where the scene has it; ");
  bad("static body turned", head + row + other + "1,floor,0,0,0,0,1,0,0\n",
      ":5:9: the static body 'floor' is turned against the scene; ");
  bad("comment below", head + row + "# here\n", ":4:1: has a line that begins with # below the table; ");
  bad("open quote", head + row + "0,\"late,5,2,1,1,0,0,0\n", ":4:1: has a quote that is not closed; ");
  bad("quote within", head + "0,pu\"c\"k,0,1,0,1,0,0,0\n", ":3:3: has a quote within a cell; ");
  bad("text behind a quote", head + "0,\"puck\"s,0,1,0,1,0,0,0\n", ":3:3: has text behind a quoted cell; ");
  bad("active", QByteArray(kFirst) + "time,body,x,y,z,qw,qx,qy,qz,active\n0,puck,0,1,0,1,0,0,0,yes\n",
      ":3:22: 'yes' is neither 0 nor 1; ");
  bad("no end of line", QByteArray(kFirst) + QByteArray(3'000'000, 'x'), ":2:1: is longer than 1 MiB; ");
}

void TrajectoryFileTest::badFilesAreRefusedWithLineAndColumn() {
  QFETCH(QByteArray, text);
  QFETCH(QString, error);
  const QString path = QString::fromStdString(m_folder.path("t.csv"));
  const QString found = errorOf([&] { read(text); });
  QVERIFY2(found.startsWith(path + error), qPrintable(found));
}

void TrajectoryFileTest::badContactsAreRefusedWithLineAndColumn_data() {
  QTest::addColumn<QByteArray>("text");
  QTest::addColumn<QString>("error");
  const QByteArray first = "# touchstone_contacts: 1\n";
  const QByteArray head = first + "time,body_a,body_b,px,py,pz,nx,ny,nz,jn,jx,jy,jz\n";
  const auto bad = [](const char* name, const QByteArray& text, const char* error) {
    QTest::newRow(name) << text << QString::fromUtf8(error);
  };
  bad("another file", "time\n", ":1:1: is no 'touchstone_contacts'; ");
  bad("kind", first + "# kind: work\n", ":2:9: 'work' is no kind; ");
  bad("complete", first + "# complete: maybe\n", ":2:13: 'maybe' is no complete; ");
  bad("missing column", first + "time,body_a,body_b,px,py,pz,nx,ny,nz,jn,jx,jy\n",
      ":2:1: the column 'jz' is missing; ");
  bad("unknown body", head + "0,floor,pick,0,0,0,0,1,0,1,0,0,0\n", ":3:9: the scene has no body 'pick'; ");
  bad("one body", head + "0,puck,puck,0,0,0,0,1,0,1,0,0,0\n", ":3:8: a body touches itself; ");
  bad("normal", head + "0,floor,puck,0,0,0,0,2,0,1,0,0,0\n", ":3:20: the normal has length 2; ");
  bad("no number", head + "0,floor,puck,0,0,0,0,1,0,x,0,0,0\n", ":3:26: 'x' is not a finite number; ");
  bad("cells", head + "0,floor,puck\n", ":3:1: has 3 cells, there are 13 columns; ");
  bad("time backwards", head + "0.5,floor,puck,0,0,0,0,1,0,1,0,0,0\n0,floor,puck,0,0,0,0,1,0,1,0,0,0\n",
      ":4:1: the time goes backwards, from 0.5 s; ");
}

void TrajectoryFileTest::badContactsAreRefusedWithLineAndColumn() {
  QFETCH(QByteArray, text);
  QFETCH(QString, error);
  TrajectoryOptions options;
  options.missing = TrajectoryOptions::Missing::Skip;
  options.contacts = m_folder.write("c.csv", text);
  const QString found = errorOf([&] { read(kTwoTimes, options); });
  QVERIFY2(found.startsWith(QString::fromStdString(options.contacts) + error), qPrintable(found));
}

void TrajectoryFileTest::badNamesAreRefusedWithLineAndColumn() {
  const auto error = [&](const QByteArray& text) {
    const std::string path = m_folder.write("names.csv", text);
    return errorOf([&] { readNames(*m_scene, path); }).mid(countOf(path));
  };
  QVERIFY2(error("a,puck\nb\n").startsWith(":2:1: has 1 cells; "), qPrintable(error("a,puck\nb\n")));
  QVERIFY(error("a,pucks\n").startsWith(":1:3: the scene has no body 'pucks'; the nearest names are 'puck'"));
  QVERIFY(error("a,puck\na,floor\n").startsWith(":2:1: 'a' is mapped twice; "));
}

void TrajectoryFileTest::wrongStartsAreWarnedOfWithTheirCause_data() {
  QTest::addColumn<QByteArray>("header");
  QTest::addColumn<int>("habit");
  QTest::addColumn<QString>("cause");
  QTest::newRow("none") << QByteArray() << 0 << QString();
  QTest::newRow("origin") << QByteArray() << 1 << "'# frame: origin'?";
  QTest::newRow("com") << QByteArray("# frame: origin\n") << 0 << "'# frame: com'?";
  QTest::newRow("z up") << QByteArray() << 2 << "'# up: z'?";
  QTest::newRow("y up") << QByteArray("# up: z\n") << 0 << "'# up: y'?";
  QTest::newRow("mm") << QByteArray() << 3 << "'# length: mm'?";
  QTest::newRow("m") << QByteArray("# length: mm\n") << 0 << "'# length: m'?";
  QTest::newRow("in") << QByteArray("# length: cm\n") << 4 << "'# length: in'?";
  QTest::newRow("xyzw") << QByteArray() << 5 << "x, y, z, w?";
  QTest::newRow("conjugate") << QByteArray() << 6 << "(conjugate)?";
  QTest::newRow("no cause") << QByteArray() << 7 << "positions by 0.";
}

void TrajectoryFileTest::wrongStartsAreWarnedOfWithTheirCause() {
  QFETCH(QByteArray, header);
  QFETCH(int, habit);
  QFETCH(QString, cause);
  QByteArray text = kFirst + header + kColumns;
  for (std::size_t index = 1; index < 3; ++index) {
    const Body& body = m_scene->bodies[index];
    BodyState state;
    state.position = body.position + (habit == 7 ? Vec3(0.3, 0.2, 0) : Vec3::Zero());
    state.orientation = body.orientation;
    if (habit == 5) {
      const Quaternion q = state.orientation;
      state.orientation = Quaternion(q.x(), q.y(), q.z(), q.w());
    }
    if (habit == 6) state.orientation = state.orientation.conjugate();
    const double length = habit == 3 ? 0.001 : habit == 4 ? 0.0254 : 1;
    text += rowOf(0, body, state, {length, habit == 2, habit == 1, false, 1});
  }
  text.replace("late, one", "\"late, one\"");
  std::vector<std::string> warnings;
  read(text, {}, &warnings);
  if (cause.isEmpty()) {
    QVERIFY(warnings.empty());
    return;
  }
  QCOMPARE(warnings.size(), std::size_t(1));
  QVERIFY2(QString::fromStdString(warnings[0]).contains(cause), warnings[0].c_str());
}

void TrajectoryFileTest::velocitiesThatContradictPosesAreWarnedOf() {
  // A body with constant velocity and spin about an axis that is not one of its own at the start.
  const auto warningsOf = [&](double lengthOfVelocity, bool isSpinOfBody) {
    QByteArray text = QByteArray(kFirst) + kColumns;
    const Vec3 v(1, 0, 0), w(0, 0, 3);
    for (int k = 0; k < 20; ++k) {
      BodyState state;
      const double t = 0.01 * k, angle = 3 * t;
      state.position = Vec3(0, 1, 0) + t * v;
      state.orientation = Quaternion(std::cos(angle / 2), 0, 0, std::sin(angle / 2)) *
                          Quaternion(std::sqrt(0.5), std::sqrt(0.5), 0, 0);
      state.linearVelocity = v / lengthOfVelocity;
      state.angularVelocity = isSpinOfBody ? Vec3(state.orientation.conjugate() * w) : w;
      text += rowOf(t, m_scene->bodies[1], state, Form());
    }
    TrajectoryOptions options;
    options.missing = TrajectoryOptions::Missing::Skip;
    std::vector<std::string> warnings;
    read(text, options, &warnings);
    QStringList texts;
    for (const std::string& warning : warnings)
      if (QString::fromStdString(warning).contains("contradict")) texts << QString::fromStdString(warning);
    return texts;
  };
  QVERIFY(warningsOf(1, false).isEmpty());
  QCOMPARE(warningsOf(0.001, false).size(), 1);
  QVERIFY(warningsOf(0.001, false)[0].contains("velocities contradict poses"));
  QCOMPARE(warningsOf(1, true).size(), 1);
  QVERIFY2(warningsOf(1, true)[0].contains("'# omega: body'?"), qPrintable(warningsOf(1, true)[0]));
}

void TrajectoryFileTest::otherScenesAndUnknownHeadersAreWarnedOf() {
  TrajectoryOptions options;
  options.missing = TrajectoryOptions::Missing::Skip;
  std::vector<std::string> warnings;
  read(QByteArray(kFirst) +
           "# scene: another\n# scene_sha256: 00\n# purpose: none\ntime,body,x,y,z,qw,qx,qy,qz\n"
           "0,puck,0,1,0,0.99995,0,0,0\n",
       options, &warnings);
  QCOMPARE(warnings.size(), std::size_t(4));
  const char* parts[] = {"line 4: 'purpose' is no known header", "it is of the scene 'another'",
                         "scene_sha256 differs", "1 quaternions were off unit length"};
  for (std::size_t k = 0; k < 4; ++k)
    QVERIFY2(QString::fromStdString(warnings[k]).contains(parts[k]), warnings[k].c_str());
}

QTEST_GUILESS_MAIN(TrajectoryFileTest)
#include "tst_trajectory_file.moc"
