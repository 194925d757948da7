#include <QtTest>
#include <sstream>

#include "app/window/session_file.h"
#include "tests/files/member_walk.h"

using namespace touchstone;
using Json = nlohmann::json;

/// Each member of a session has an effect; what is misspelt or of a wrong type is refused.
class SessionMembersTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void everyMemberHasAnEffect();
  void unknownMembersAreRefused();
  void misspeltMembersAreRefused();
  void membersOfWrongTypesAreRefused();
  void plotsThatNoTileCanShowAreRefused();

 private:
  test::MemberWalk walk();
  test::SceneFolder m_folder;
};

namespace {

const char kSession[] =
    R"({"touchstone_session": 1, "source": "a.json", "scene_name": "pour",
  "comparison": {"do": "all", "dt_s": 0.02, "ids": [6, 7], "counts": true,
    "panes": [{"method": "cpf", "solver": "", "substeps": 3, "backend": "cpu", "parameters": {"stiffness": 5}},
              {"method": "lcp", "solver": "pgs", "substeps": 1, "backend": "cuda"}]},
  "cameras": [{"eye_m": [1, 2, 3], "target_m": [0, 0.5, 0], "up": [0, 1, 0], "angle_deg": 40}],
  "cameras_linked": false, "reference": 7, "plots": ["overlap", "convergence"],
  "large_plot": 1, "plot_form": "ratio", "cut_peaks": false, "marker_a_frame": 3,
  "marker_b_frame": 5, "speed": 2, "layout": "aGk=",
  "view": {"contacts": false, "forces": true, "normals": true, "overlaps": false, "grid": false,
    "wireframe": true, "scalar_bar": false, "ghost": true, "log_arrows": false, "trails": true,
    "joints": false, "joint_forces": true, "depth_scale_m": 0.1, "body_colour": "difference",
    "deformation_colour": "strain", "section": "y", "section_offset": 0.5}})";

std::string textOf(const std::string& path, const test::SceneFolder& folder) {
  const SessionFile session = readSession(QString::fromStdString(path));
  QFile file(QString::fromStdString(folder.path("again.json")));
  file.remove();
  if (const QString problem = writeSession(session, file.fileName()); !problem.isEmpty())
    qFatal("%s", qPrintable(problem));
  return file.open(QIODevice::ReadOnly) ? file.readAll().toStdString() : std::string();
}

}  // namespace

test::MemberWalk SessionMembersTest::walk() {
  // All switches differ from their defaults.
  Json sample = Json::parse(kSession);
  SessionFile none;
  const std::string path = m_folder.path("none.json");
  QFile::remove(QString::fromStdString(path));
  none.source = QString::fromStdString(m_folder.path("a.json"));
  if (!writeSession(none, QString::fromStdString(path)).isEmpty()) qFatal("cannot write");
  QFile file(QString::fromStdString(path));
  if (!file.open(QIODevice::ReadOnly)) qFatal("cannot read");
  const Json standard = Json::parse(file.readAll().toStdString());
  for (auto& [name, value] : sample["view"].items())
    if (value.is_boolean()) value = !standard["view"][name].get<bool>();
  return test::MemberWalk(m_folder, "sample.session.json", sample,
                          [this](const std::string& read) { return textOf(read, m_folder); },
                          {"/comparison/panes/*/parameters"});
}

void SessionMembersTest::everyMemberHasAnEffect() {
  const QStringList idle = walk().idle();
  QVERIFY2(idle.isEmpty(), qPrintable(idle.join(", ")));
}

void SessionMembersTest::unknownMembersAreRefused() {
  const QStringList places = walk().withUnknownMembers();
  QVERIFY2(places.isEmpty(), qPrintable(places.join(", ")));
}

void SessionMembersTest::misspeltMembersAreRefused() {
  const QStringList places = walk().misspelt();
  QVERIFY2(places.isEmpty(), qPrintable(places.join(", ")));
}

void SessionMembersTest::membersOfWrongTypesAreRefused() {
  QStringList places = walk().ofWrongTypes();
  places.removeAll(
      "/comparison/panes/0/parameters/stiffness");  // the method refuses it when the session opens
  QVERIFY2(places.isEmpty(), qPrintable(places.join(", ")));
}

void SessionMembersTest::plotsThatNoTileCanShowAreRefused() {
  for (
      const char* plots :
      {R"(["overlaps"])", R"(["overlap", ""])",
       R"(["overlap", "overlap", "overlap", "overlap", "overlap", "overlap", "overlap", "overlap", "overlap"])"}) {
    Json session = Json::parse(kSession);
    session["plots"] = Json::parse(plots);
    try {
      readSession(QString::fromStdString(
          m_folder.write("plots.session.json", QByteArray::fromStdString(session.dump()))));
    } catch (const SceneError& error) {
      QVERIFY2(QByteArray(error.what()).contains("plots"), error.what());
      continue;
    }
    QFAIL(plots);
  }
}

QTEST_GUILESS_MAIN(SessionMembersTest)
#include "tst_session_members.moc"
