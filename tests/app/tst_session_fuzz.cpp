#include <QtTest>

#include "app/window/session_file.h"
#include "tests/support/fuzz.h"

using namespace touchstone;

/// Randomly changed session files (see tests/fuzz/tst_loaders.cpp).
class SessionFuzz : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void sessions();

 private:
  test::SceneFolder m_folder;
};

void SessionFuzz::sessions() {
  PaneSettings pane;
  pane.method = "cpf";
  SessionFile session;
  session.source = QString::fromStdString(m_folder.path("scene.json"));
  session.sceneName = "pour";
  session.comparison = command::SetAll{0.01, {pane, pane}, {0, 1}};
  session.cameras = {CameraState{Vec3(1, 2, 3), Vec3(0, 0, 0), Vec3(0, 1, 0), 30}, CameraState()};
  session.plots = QStringList{"overlap", "energy_drift"};
  session.layout = "layout";
  const std::string path = m_folder.path("seed.session.json");
  QCOMPARE(writeSession(session, QString::fromStdString(path)), QString());
  QFile file(QString::fromStdString(path));
  QVERIFY(file.open(QIODevice::ReadOnly));
  test::fuzz(m_folder, "fuzz.session.json", {file.readAll()}, test::Content::Text, 1500,
             [](const std::string& changed) {
               isSessionFile(QString::fromStdString(changed));
               readSession(QString::fromStdString(changed));
             });
}

QTEST_GUILESS_MAIN(SessionFuzz)
#include "tst_session_fuzz.moc"
