#include <csignal>

#include <QProcess>
#include <QStandardPaths>
#include <QTemporaryDir>
#include <QtTest>

/// A display that goes away while the window is on it.
class DisplayGoneTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void theProgramEndsWithOneLine_data();
  void theProgramEndsWithOneLine();
  void aSignalEndsTheWindow_data();
  void aSignalEndsTheWindow();
};

namespace {

constexpr int kPatience = 60000;  // ms, on a busy machine

/// A server of its own, on a display that it chooses.
class Server {
 public:
  Server() {
    m_process.start(QStringLiteral("Xvfb"),
                    {"-displayfd", "1", "-screen", "0", "1280x900x24", "-noreset", "-nolisten", "tcp"});
    while (m_process.state() != QProcess::NotRunning && !m_number.endsWith('\n') &&
           m_process.waitForReadyRead(kPatience))
      m_number += m_process.readAllStandardOutput();
  }
  ~Server() { end(SIGKILL); }
  QString display() const { return ":" + QString::fromLatin1(m_number.trimmed()); }
  bool runs() const { return !m_number.trimmed().isEmpty(); }
  void end(int signal) {
    if (m_process.state() == QProcess::NotRunning) return;
    ::kill(static_cast<pid_t>(m_process.processId()), signal);
    m_process.waitForFinished(kPatience);
  }

 private:
  QProcess m_process;
  QByteArray m_number;
};

}  // namespace

/// A window that computes, on the display of a server.
static void startWindow(const Server& server, const QTemporaryDir& folder, QProcess& window) {
  window.setWorkingDirectory(folder.path());
  QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
  for (const auto& [name, value] :
       std::initializer_list<std::pair<const char*, QString>>{{"DISPLAY", server.display()},
                                                              {"QT_QPA_PLATFORM", "xcb"},
                                                              {"LIBGL_ALWAYS_SOFTWARE", "1"},
                                                              {"HOME", folder.path()},
                                                              {"XDG_RUNTIME_DIR", folder.path()}})
    environment.insert(name, value);
  environment.remove("WAYLAND_DISPLAY");
  window.setProcessEnvironment(environment);
  window.start(QCoreApplication::applicationDirPath() + "/../app/touchstone",
               {"particle", "--time", "1000", "--csv", "data"});
  QByteArray said;
  while (!said.contains("running") && window.waitForReadyRead(kPatience))
    said += window.readAllStandardOutput();
  QVERIFY2(said.contains("running"), said + window.readAllStandardError());
}

void DisplayGoneTest::theProgramEndsWithOneLine_data() {
  QTest::addColumn<int>("signal");
  QTest::newRow("killed") << SIGKILL;
  QTest::newRow("ended") << SIGTERM;
}

void DisplayGoneTest::theProgramEndsWithOneLine() {
  QFETCH(int, signal);
  if (QStandardPaths::findExecutable(QStringLiteral("Xvfb")).isEmpty()) QSKIP("Xvfb is not installed");
  Server server;
  QVERIFY(server.runs());
  QTemporaryDir folder;
  QProcess window;
  startWindow(server, folder, window);
  server.end(signal);
  QVERIFY(window.waitForFinished(kPatience));
  const QByteArray problem = window.readAllStandardError();
  QCOMPARE(window.exitStatus(), QProcess::NormalExit);
  QVERIFY2(window.exitCode() == 3, problem);
  QCOMPARE(problem.count('\n'), 1);
  QVERIFY2(problem.startsWith("touchstone: the display is gone"), problem);
}

void DisplayGoneTest::aSignalEndsTheWindow_data() {
  QTest::addColumn<int>("signal");
  QTest::newRow("SIGINT") << SIGINT;
  QTest::newRow("SIGTERM") << SIGTERM;
}

void DisplayGoneTest::aSignalEndsTheWindow() {
  QFETCH(int, signal);
  if (QStandardPaths::findExecutable(QStringLiteral("Xvfb")).isEmpty()) QSKIP("Xvfb is not installed");
  const Server server;
  QVERIFY(server.runs());
  const QTemporaryDir folder;
  QProcess window;
  startWindow(server, folder, window);
  ::kill(static_cast<pid_t>(window.processId()), signal);
  QVERIFY(window.waitForFinished(kPatience));
  QCOMPARE(window.exitStatus(), QProcess::CrashExit);  // by the signal itself
}

QTEST_GUILESS_MAIN(DisplayGoneTest)
#include "tst_display_gone.moc"
