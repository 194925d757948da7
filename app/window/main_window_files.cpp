#include <QCryptographicHash>
#include <QDateTime>
#include <QDir>
#include <QDockWidget>
#include <QFileDialog>
#include <QFileInfo>
#include <QMenu>
#include <QProgressBar>
#include <QSettings>
#include <QStandardPaths>
#include <QThread>
#include <QToolButton>
#include <atomic>

#include "app/panels/message_bar.h"
#include "app/panels/pane_grid.h"
#include "app/panels/transport_bar.h"
#include "app/plots/plot_panel.h"
#include "app/session/mesh_scene.h"
#include "app/session/session.h"
#include "app/window/main_window.h"
#include "app/window/problem_window.h"
#include "app/work/export_names.h"
#include "app/work/long_job.h"
#include "app/work/program_info.h"
#include "core/engine/trajectory_engine.h"
#include "core/files/scene_error.h"
#include "core/files/text_forms.h"
#include "core/files/written_file.h"
#include "core/math/count.h"
#include "core/store/friction_problem.h"
#include "core/store/poses.h"
#include "core/store/recording.h"
#include "widgets/text/qt_text.h"
#include "widgets/views/scene_view.h"

namespace touchstone {

namespace {

/// A larger value makes the menu long; a smaller one loses files that are still in use.
constexpr int kRecentFiles = 8;
const char* const kRecentKey = "recent";

/// Path of the shipped scene of a name; the file does not exist if there is none.
QString shippedScene(const QString& name) {
  QString path;
  for (const std::string& folder : sceneFolders()) {
    path = QStringLiteral("%1/%2.json").arg(QString::fromStdString(folder), name);
    if (QFileInfo::exists(path)) break;
  }
  return path;
}

/// Error of a job that the user ends.
struct PosesCancelled {};

/// Writes the motion of each pane of a recording as a trajectory file, on a thread of its own.
class PosesJob : public LongJob {
 public:
  /// @param files  receives the paths before finished() is emitted
  PosesJob(const QString& recording, const QString& folder, std::shared_ptr<QStringList> files,
           QObject* parent)
      : LongJob(parent), m_recording(recording), m_folder(folder), m_files(std::move(files)) {}
  ~PosesJob() override {
    m_cancelled = true;
    if (m_thread) m_thread->wait();
  }
  void start() override {
    m_thread.reset(QThread::create([this] { work(); }));
    m_thread->start();
  }
  void cancel() override { m_cancelled = true; }

 private:
  void work() {
    const auto goOn = [this](long long, long long) { return !m_cancelled; };
    try {
      const Recording recording(m_recording.toStdString(), goOn);
      const std::vector<RecordedPane> panes = recording.panes();
      for (std::size_t pane = 0; pane < panes.size(); ++pane) write(recording, panes, pane);
      Q_EMIT finished(true, m_recording);
    } catch (const PosesCancelled&) {
      Q_EMIT finished(false, tr("Opening %1 was cancelled").arg(m_recording));
    } catch (const ReadingCancelled&) {
      Q_EMIT finished(false, tr("Opening %1 was cancelled").arg(m_recording));
    } catch (const std::exception& error) {
      Q_EMIT finished(false, QString::fromStdString(error.what()));
    }
  }

  void write(const Recording& recording, const std::vector<RecordedPane>& panes, std::size_t index) {
    const RecordedPane& pane = panes[index];
    const QString name = QStringLiteral("%1-%2.csv")
                             .arg(QFileInfo(m_recording).completeBaseName(), qtText(plainName(pane.label)));
    const QString path = QDir(m_folder).filePath(
        m_files->contains(QDir(m_folder).filePath(name)) ? QString::number(index + 1) + name : name);
    const int total = static_cast<int>(recording.rows().size() * panes.size());
    int done = static_cast<int>(recording.rows().size() * index);
    writeWhole(path.toStdString(), [&](std::ostream& out) {
      bool hasBegun = false;
      for (const RecordedRow& row : recording.rows()) {
        if (m_cancelled) throw PosesCancelled();
        if (++done % 64 == 0) Q_EMIT progress(done, total);
        if (row.pane != pane.id) continue;
        const RecordPtr record = recording.record(row.frame, row.pane);
        if (!record) continue;
        if (!hasBegun) out << poseHeader(*recording.scene(), pane.label, record->dt);
        hasBegun = true;
        out << poseLines(*record, *recording.scene());
      }
    });
    *m_files << path;
  }

  QString m_recording, m_folder;
  std::shared_ptr<QStringList> m_files;
  std::atomic<bool> m_cancelled{false};
  std::unique_ptr<QThread> m_thread;
};

}  // namespace

void MainWindow::chooseFile() {
  const QString start = m_source.isEmpty() || isRecording(m_source.toStdString())
                            ? datasetsPath() + QStringLiteral("/scenes")
                            : QFileInfo(m_source).absolutePath();
  const QString meshes = QStringLiteral("*.") + meshEndings().join(QStringLiteral(" *."));
  const QString file =
      QFileDialog::getOpenFileName(this, tr("Open"), start,
                                   tr("All that opens (*.json *.touchstone *.urdf *.xml *.dat *.hdf5 *.h5 "
                                      "*.csv %1);;Scenes, sessions (*.json);;"
                                      "Robots (*.urdf *.xml);;Recordings (*.touchstone);;Trajectories "
                                      "(*.csv);;Friction problems (*.dat *.hdf5 *.h5);;"
                                      "Meshes (%1);;All files (*)")
                                       .arg(meshes));
  if (!file.isEmpty()) open(file);
}

void MainWindow::chooseProblems() {
  const QStringList files = QFileDialog::getOpenFileNames(
      this, tr("Open problems"), QString(), tr("Problems (*.json *.dat *.hdf5 *.h5);;All files (*)"));
  if (!files.isEmpty()) showProblems(files);
}

ProblemWindow* MainWindow::showProblems(const QStringList& files) {
  if (!m_problems) {
    m_problems = new ProblemWindow(this);
    connect(m_problems, &ProblemWindow::failed, this,
            [this](const QString& text) { report(false, QString(), text); });
  }
  m_problems->show();
  m_problems->raise();
  m_problems->open(files);
  return m_problems;
}

void MainWindow::chooseTrajectory() {
  const QString file = QFileDialog::getOpenFileName(this, tr("Add trajectory"), QString(),
                                                    tr("Trajectories (*.csv);;All files (*)"));
  if (!file.isEmpty()) addTrajectory(file);
}

void MainWindow::addTrajectory(const QString& path) {
  if (!m_session->scene()) {
    report(false, path, tr("%1 is a trajectory; open the scene whose bodies it moves first").arg(path));
    return;
  }
  const QString whole = QFileInfo(path).absoluteFilePath();
  std::vector<std::string> warnings;
  try {
    trajectoryForPane(m_session->scene(), whole.toStdString(), warnings);
  } catch (const std::runtime_error& error) {
    report(false, path, QString::fromStdString(error.what()));
    return;
  }
  for (const std::string& warning : warnings) note(qtText(warning));
  PaneSettings settings;
  settings.method = kTrajectoryKey;
  settings.parameters[kTrajectoryFile] = whole.toStdString();
  m_session->addPane(settings);
}

void MainWindow::chooseRecordingToAdd() {
  const QString file = QFileDialog::getOpenFileName(this, tr("Add the panes of a recording"), QString(),
                                                    tr("Recordings (*.touchstone);;All files (*)"));
  if (!file.isEmpty()) addRecording(file);
}

// The files stay, so that a session which is saved finds them again.
void MainWindow::addRecording(const QString& path) {
  if (!m_session->scene()) {
    report(false, path, tr("%1 is a recording; open the scene beside which it is shown first").arg(path));
    return;
  }
  if (m_job) {
    note(tr("%1 is being computed; wait for it, or cancel it.").arg(m_jobName));
    return;
  }
  const QFileInfo info(path);
  const QString key = info.absoluteFilePath() + info.lastModified().toString(Qt::ISODateWithMs);
  const QString folder =
      QStringLiteral("%1/poses/%2")
          .arg(QStandardPaths::writableLocation(QStandardPaths::AppDataLocation),
               QString::fromLatin1(
                   QCryptographicHash::hash(key.toUtf8(), QCryptographicHash::Sha256).toHex().left(16)));
  if (!QDir().mkpath(folder)) {
    report(false, folder, tr("%1: cannot be created; free some space").arg(folder));
    return;
  }
  auto files = std::make_shared<QStringList>();
  auto* job = new PosesJob(info.absoluteFilePath(), folder, files, this);
  const std::shared_ptr<const Scene> scene = m_session->scene();
  connect(job, &LongJob::finished, this, [this, files, scene, path](bool done) {
    if (!done || scene != m_session->scene()) return;
    const int room = Session::kMostPanes - m_session->paneCount();
    for (int file = 0; file < std::min<int>(room, files->size()); ++file) addTrajectory(files->at(file));
    if (room < files->size())
      report(false, path,
             tr("%1: has %2 panes, and the window has room for %3; remove panes and add it again")
                 .arg(path)
                 .arg(files->size())
                 .arg(room));
  });
  startJob(job, tr("Opening %1").arg(info.fileName()), {});
}

// Of a recording: its frames are there without the file.
void MainWindow::tellMissingTrajectories() {
  for (int pane = 0; pane < m_session->paneCount(); ++pane) {
    const PaneSettings& settings = m_session->pane(pane).settings;
    const auto file = settings.parameters.find(kTrajectoryFile);
    if (settings.method != kTrajectoryKey || file == settings.parameters.end()) continue;
    const QString path = qtText(toString(file->second));
    if (!QFileInfo::exists(path))
      report(
          false, path,
          tr("%1: the file of %2 is gone; its recorded frames stay, but it cannot go on. Put the file back, "
             "or remove the pane")
              .arg(path, m_session->paneLabel(pane)));
  }
}

void MainWindow::open(const QString& path, const QStringList& methods) {
  if (path.endsWith(QLatin1String(".csv"), Qt::CaseInsensitive)) {  // the scene stays
    addTrajectory(path);
    return;
  }
  if (isFrictionProblem(path.toStdString())) {  // the scene stays
    showProblems({path});
    return;
  }
  unlessLost(tr("Open %1?").arg(QFileInfo(path).fileName()), tr("Open"),
             [this, path, methods] { openNow(path, methods); });
}

void MainWindow::openNow(const QString& path, const QStringList& methods) {
  note(tr("Opening %1").arg(path));
  m_opening.reset();
  m_openingPath = path;
  if (isSessionFile(path)) {
    openSession(path);
    return;
  }
  m_openingSource = path;
  m_grid->setOpening(QFileInfo(path).fileName());
  m_session->open(path, methods);
}

// A running export keeps the progress bar.
void MainWindow::showOpening(int done, int total) {
  if (m_job) return;
  if (m_progress->isHidden()) m_jobClock.start();
  tellProgress(tr("Opening %1").arg(QFileInfo(m_openingPath).fileName()), done, total);
  m_progress->show();
  m_cancel->show();
}

void MainWindow::endOpening() {
  if (m_job) return;
  m_progress->hide();
  m_cancel->hide();
}

void MainWindow::openSession(const QString& path) {
  try {
    m_opening = readSession(path);
  } catch (const SceneError& error) {
    report(false, path, QString::fromStdString(error.what()));
    return;
  }
  m_openingSource = m_opening->source;
  if (!QFileInfo::exists(m_openingSource) && !m_opening->sceneName.isEmpty())
    m_openingSource = shippedScene(m_opening->sceneName);
  if (!QFileInfo::exists(m_openingSource)) {
    report(false, path,
           tr("%1: source: %2 does not exist; put it back, or correct the path in the session file")
               .arg(path, m_opening->source));
    m_opening.reset();
    return;
  }
  m_grid->setOpening(QFileInfo(path).fileName());
  if (m_opening->comparison && !isRecording(m_openingSource.toStdString())) {
    m_session->openAs(m_openingSource, *m_opening->comparison);
  } else {
    m_session->open(m_openingSource);
  }
}

// Called when the panes of a session exist.
void MainWindow::applySession(const SessionFile& session) {
  if (session.comparison && isRecording(m_openingSource.toStdString()))
    note(tr("The panes are those of the recording, not those in the session."));
  m_grid->setCamerasLinked(session.camerasLinked);
  const int panes = std::min(m_session->paneCount(), countOf(session.cameras));
  for (int pane = 0; pane < panes; ++pane) m_grid->setCamera(pane, session.cameras[pane]);
  m_grid->setViewSettings(session.view);
  if (m_session->indexOf(session.reference) >= 0) m_session->setReference(session.reference);
  m_plots->setKeys(session.plots);
  m_plots->setOptions(session.plotOptions);
  for (const int marker : {0, 1}) m_plots->setMarker(marker, session.markers[marker]);
  m_transport->setSpeed(session.speed);
  if (const auto arrangement = arrangementOf(session.arrangement)) arrange(*arrangement);
  if (m_plots->enlarged() != session.largePlot && session.largePlot < countOf(m_plots->tiles()))
    m_plots->toggleEnlarged(session.largePlot);
  if (!session.layout.isEmpty()) restoreState(session.layout);
}

SessionFile MainWindow::currentSession() const {
  SessionFile session;
  session.source = QFileInfo(m_source).absoluteFilePath();
  const QFileInfo shipped(shippedScene(QFileInfo(m_source).completeBaseName()));
  if (shipped.canonicalFilePath() == QFileInfo(m_source).canonicalFilePath())
    session.sceneName = shipped.completeBaseName();
  command::SetAll comparison{m_session->dt(), {}, {}};
  for (int pane = 0; pane < m_session->paneCount(); ++pane) {
    comparison.panes.push_back(m_session->pane(pane).settings);
    comparison.ids.push_back(m_session->paneId(pane));
    session.cameras.push_back(m_grid->camera(pane));
  }
  if (!isRecording(m_source.toStdString())) session.comparison = comparison;  // a recording has its own panes
  session.camerasLinked = m_grid->camerasLinked();
  session.view = m_grid->viewSettings();
  if (m_session->paneCount() > 0) session.reference = m_session->paneId(m_session->referencePane());
  session.plots = m_plots->keys();
  session.largePlot = m_plots->enlarged();
  session.plotOptions = m_plots->options();
  for (const int marker : {0, 1}) session.markers[marker] = m_plots->marker(marker);
  session.speed = m_session->speed();
  session.arrangement = toString(m_arrangement);
  session.layout = saveState();
  return session;
}

bool MainWindow::saveSession(const QString& file) {
  const QString problem = writeSession(currentSession(), file);
  if (problem.isEmpty()) rememberRecent(file);
  return report(problem.isEmpty(), file, problem);
}

void MainWindow::chooseSession() {
  if (!m_session->scene()) {
    note(tr("Open a scene first; a session is made of it."));
    return;
  }
  const QString scene = QString::fromStdString(m_session->scene()->name);
  const QString file = QFileDialog::getSaveFileName(
      this, tr("Save session"), QDir::current().filePath(scene + QStringLiteral(".session.json")),
      tr("Sessions (*.session.json)"));
  if (!file.isEmpty())
    saveSession(file.endsWith(QLatin1String(".json")) ? file : file + QStringLiteral(".session.json"));
}

// Recordings

void MainWindow::toggleRecording() {
  if (!m_session->recordingFile().isEmpty()) {
    m_session->stopRecording();
    return;
  }
  if (!m_session->scene()) {
    note(tr("Open a scene first; then its panes can be recorded."));
    return;
  }
  const QString file = chooseRecording(tr("Record to"));
  if (!file.isEmpty()) m_session->record(file);
}

/// A file name for a recording that can be written; empty: the user chose none.
QString MainWindow::chooseRecording(const QString& title) {
  const QString file = QFileDialog::getSaveFileName(
      this, title, suggestedFile(tr("all"), tr("recording"), QStringLiteral("touchstone")),
      tr("Recordings (*.touchstone)"));
  if (file.isEmpty()) return {};
  const QString named =
      file.endsWith(QLatin1String(".touchstone")) ? file : file + QStringLiteral(".touchstone");
  return named;  // the dialog has asked whether to replace an existing file
}

void MainWindow::showRecording() {
  const QString file = m_session->recordingFile();
  m_recordButton->setVisible(!file.isEmpty());
  m_recordAction->setText(file.isEmpty() ? tr("Record…") : tr("Stop recording"));
  if (file.isEmpty()) return;
  // [px] A larger value takes the room of the read-out; a smaller one cuts usual names.
  constexpr int kNameWidth = 160;
  m_recordButton->setText(QStringLiteral("● ") +
                          fontMetrics().elidedText(QFileInfo(file).fileName(), Qt::ElideMiddle, kNameWidth));
  m_recordButton->setToolTip(plainToolTip(
      tr("Every frame is written to %1.\nClick to stop. Open the file here again to scrub, plot and fork.")
          .arg(file)));
  rememberRecent(file);
}

// Recent files

void MainWindow::rememberRecent(const QString& path) {
  if (m_memory == WindowMemory::Forget) return;
  QSettings settings;
  QStringList recent = settings.value(QLatin1String(kRecentKey)).toStringList();
  const QString absolute = QFileInfo(path).absoluteFilePath();
  recent.removeAll(absolute);
  recent.prepend(absolute);
  while (recent.size() > kRecentFiles) recent.removeLast();
  settings.setValue(QLatin1String(kRecentKey), recent);
}

void MainWindow::fillRecent() {
  m_recent->clear();
  const QStringList recent = m_memory == WindowMemory::Remember
                                 ? QSettings().value(QLatin1String(kRecentKey)).toStringList()
                                 : QStringList();
  for (const QString& path : recent) {
    QAction* action = m_recent->addAction(QFileInfo(path).fileName(), this, [this, path] { open(path); });
    action->setToolTip(plainToolTip(path));
    action->setEnabled(QFileInfo::exists(path));
  }
  if (recent.isEmpty()) {
    m_recent->addAction(tr("none yet"))->setEnabled(false);
    return;
  }
  m_recent->addSeparator();
  m_recent->addAction(tr("Forget these"), this, [] { QSettings().remove(QLatin1String(kRecentKey)); });
}

}  // namespace touchstone
