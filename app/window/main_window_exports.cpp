#include <QClipboard>
#include <QCoreApplication>
#include <QDesktopServices>
#include <QDir>
#include <QDockWidget>
#include <QFileDialog>
#include <QFileInfo>
#include <QFontMetricsF>
#include <QGuiApplication>
#include <QLabel>
#include <QPainter>
#include <QPlainTextEdit>
#include <QProgressBar>
#include <QTemporaryFile>
#include <QToolButton>
#include <QUrl>
#include <cmath>
#include <fstream>

#include "app/ensemble/ensemble_dialog.h"
#include "app/exports/conformance_job.h"
#include "app/exports/figure_dialog.h"
#include "app/exports/movie_dialog.h"
#include "app/exports/paraview_job.h"
#include "app/panels/message_bar.h"
#include "app/panels/pane_grid.h"
#include "app/panels/pane_widget.h"
#include "app/panels/verdict_panel.h"
#include "app/plots/plot_panel.h"
#include "app/session/session.h"
#include "app/study_panel/study_panel.h"
#include "app/window/main_window.h"
#include "app/work/export_names.h"
#include "core/files/written_file.h"
#include "core/math/count.h"
#include "core/run/pane_name.h"
#include "core/statistics/ensemble_tables.h"
#include "core/store/csv.h"
#include "widgets/palette.h"
#include "widgets/text/qt_text.h"
#include "widgets/views/scene_view.h"

namespace touchstone {

namespace {

QString withEnding(const QString& file, const QString& filter) {
  if (file.isEmpty() || !QFileInfo(file).suffix().isEmpty()) return file;
  const int star = filter.indexOf(QLatin1String("*."));
  return star < 0 ? file : file + filter.mid(star + 1, filter.indexOf(QLatin1Char(')'), star) - star - 1);
}

bool isSaved(const QImage& image, const QString& file) {
  return isWrittenBeside(file.toStdString(), [&](const std::string& part) {
    return image.save(QString::fromStdString(part), "PNG");
  });
}

/// A view with the legend below it, which takes its height from the view.
QImage withLegend(const PaneGrid& grid, int pane, const QSize& size, double textScale) {
  const SceneView& view = *grid.panes().at(pane)->view();
  QFont font = QGuiApplication::font();
  constexpr double kTextSize = 13;  // [px] of texts in views
  font.setPixelSize(static_cast<int>(std::lround(kTextSize * textScale)));
  const int strip =
      grid.viewSettings().scalarBar ? static_cast<int>(std::lround(2 * QFontMetricsF(font).height())) : 0;
  QImage image(size, QImage::Format_RGB32);
  image.fill(themeColours(view.isDark()).background);
  QPainter painter(&image);
  painter.setFont(font);
  painter.drawImage(0, 0, grid.panes()[pane]->view()->renderToImage(size - QSize(0, strip), textScale));
  if (strip > 0)
    paintLegend(painter, QRect(0, size.height() - strip, size.width(), strip), grid.legend(),
                themeColours(view.isDark()).text);
  return image;
}

QString askForFile(QWidget* parent, const QString& title, const QString& suggested, const QString& filters) {
  QString chosen;
  const QString file = QFileDialog::getSaveFileName(parent, title, suggested, filters, &chosen);
  return withEnding(file, chosen);
}

void openFile(const QString& path) { QDesktopServices::openUrl(QUrl::fromLocalFile(path)); }

/// A study that runs in its panel, as an entry among the other long jobs.
class StudyEntry : public LongJob {
 public:
  StudyEntry(StudyPanel* panel, QObject* parent) : LongJob(parent), m_panel(panel) {
    connect(panel, &StudyPanel::progressed, this, &LongJob::progress);
    connect(panel, &StudyPanel::ended, this, &LongJob::finished);
  }
  void start() override {}
  void cancel() override { m_panel->cancel(); }

 private:
  StudyPanel* m_panel;
};

}  // namespace

QString MainWindow::suggestedFile(const QString& method, const QString& quantity,
                                  const QString& ending) const {
  const QString scene = m_session->scene() ? QString::fromStdString(m_session->scene()->name) : tr("scene");
  return QDir::current().filePath(exportName(scene, method, quantity, QDateTime::currentDateTime(), ending));
}

bool MainWindow::report(bool done, const QString& file, const QString& problem) {
  if (done) {
    note(tr("Wrote %1").arg(file));
  } else {
    m_messages->showProblem(problem);
    note(tr("Problem: %1").arg(problem));
    Q_EMIT problemReported(problem);
  }
  return done;
}

void MainWindow::exportView(int pane) {
  if (pane < 0 || pane >= countOf(m_grid->panes())) return;
  const QString method = QString::fromStdString(m_session->pane(pane).settings.method);
  const QString file = askForFile(this, tr("Save view"), suggestedFile(method, QStringLiteral("view"), "png"),
                                  tr("PNG image (*.png)"));
  if (!file.isEmpty()) saveView(pane, file, QSize(1920, 1200));
}

bool MainWindow::saveView(int pane, const QString& file, const QSize& size, double textScale) {
  const QImage image = withLegend(*m_grid, pane, size, textScale);
  return report(isSaved(image, file), file, tr("%1: cannot be written; choose another folder").arg(file));
}

void MainWindow::exportPlot(int tile) {
  for (PlotTile* tile : m_plots->tiles()) tile->refreshData();
  FigureDialog dialog(m_plots->tiles(), std::max(0, tile), m_figureStyle, this);
  connect(&dialog, &FigureDialog::copyRequested, this, [this, &dialog] {
    QGuiApplication::clipboard()->setImage(dialog.tile()->figure(dialog.style()));
    note(tr("Copied %1").arg(dialog.tile()->title()));
  });
  connect(&dialog, &FigureDialog::saveRequested, this, [this, &dialog] {
    const QString file =
        askForFile(&dialog, tr("Save figure"), suggestedFile(tr("all"), dialog.tile()->key(), "pdf"),
                   tr("PDF document (*.pdf);;SVG drawing (*.svg);;PNG image (*.png);;Data as CSV (*.csv)"));
    if (!file.isEmpty())
      report(dialog.tile()->exportTo(file, dialog.style()), file,
             tr("%1: cannot be written; choose another folder").arg(file));
  });
  dialog.exec();
  m_figureStyle = dialog.style();
}

bool MainWindow::savePlots(const QString& folder, const QStringList& endings) {
  if (!QDir().mkpath(folder))
    return report(false, folder, tr("%1: cannot be created; choose another folder").arg(folder));
  const QString scene = m_session->scene() ? QString::fromStdString(m_session->scene()->name) : QString();
  const QDateTime now = QDateTime::currentDateTime();
  for (PlotTile* tile : m_plots->tiles()) {
    tile->refreshData();
    for (const QString& ending : endings) {
      const QString file =
          freePath(QDir(folder).filePath(exportName(scene, tr("all"), tile->key(), now, ending)));
      if (!report(tile->exportTo(file, FigureStyle()), file, tr("%1: cannot be written").arg(file)))
        return false;
    }
  }
  return true;
}

bool MainWindow::saveQuantities(const QString& file) {
  std::vector<PaneSettings> panes;
  for (int pane = 0; pane < m_session->paneCount(); ++pane) panes.push_back(m_session->pane(pane).settings);
  const bool done = isWrittenBeside(file.toStdString(), [&](const std::string& part) {
    std::ofstream out(part, std::ios::binary);
    writeQuantities(out, paneLabels(*m_session->scene(), panes), m_session->historyPointers());
    out.close();
    return static_cast<bool>(out);
  });
  if (!report(done, file, tr("%1: cannot be written; choose another folder").arg(file))) return false;
  for (const History* history : m_session->historyPointers())
    if (history->spacing() > 1) {
      note(tr("Wrote %1; frames older than the history holds are there every %2th only. A recording (Ctrl+R) "
              "keeps all.")
               .arg(file)
               .arg(history->spacing()));
      break;
    }
  const QFileInfo info(file);
  const QString manifest =
      freePath(info.dir().filePath(info.completeBaseName() + QStringLiteral(".manifest.json")));
  m_session->writeManifest(manifest, QCoreApplication::arguments().join(QLatin1Char(' ')));
  return true;
}

void MainWindow::exportQuantities() {
  const QString file = askForFile(this, tr("Save all quantities"),
                                  suggestedFile(tr("all"), tr("quantities"), "csv"), tr("CSV table (*.csv)"));
  if (!file.isEmpty()) saveQuantities(file);
}

bool MainWindow::saveScreenshot(const QString& file) {
  m_plots->refreshNow();
  m_grid->refreshNow();
  return report(isSaved(grab().toImage(), file), file,
                tr("%1: cannot be written; choose another folder").arg(file));
}

void MainWindow::exportScreenshot() {
  const QString suggested = suggestedFile(tr("all"), tr("window"), "png");
  const QString file = askForFile(this, tr("Save window"), suggested, tr("PNG image (*.png)"));
  if (!file.isEmpty()) saveScreenshot(file);
}

MovieExport* MainWindow::startMovie(const QString& file, const MovieOptions& options) {
  if (m_job || m_session->paneCount() == 0) return nullptr;
  auto* movie = new MovieExport(
      m_session, file, options,
      [this, picture = options.picture] { return comparisonPicture(*m_session, *m_grid, *m_plots, picture); },
      this);
  m_session->guardRecord(tr("A movie of what is recorded is being written; wait for it, or cancel it."));
  startJob(movie, tr("The movie %1").arg(QFileInfo(file).fileName()), openFile);
  return movie;
}

void MainWindow::tellProgress(const QString& name, int done, int total) {
  m_progress->setMaximum(total);
  m_progress->setValue(std::min(done, total));
  const double seconds = 1e-3 * static_cast<double>(m_jobClock.elapsed());
  const QString remaining =
      done > 0 ? tr(", %1 s left").arg(std::ceil(seconds * (total - done) / done)) : QString();
  const QString share = total > 0 ? tr(" %1 %").arg(std::floor(100.0 * done / total)) : QString();
  m_progress->setFormat(name + share + remaining);
  m_progress->setToolTip(plainToolTip(name + share + remaining));
}

void MainWindow::startJob(LongJob* job, const QString& name,
                          const std::function<void(const QString& result)>& show) {
  m_job = job;
  m_result->hide();
  m_jobName = name;
  m_progress->setMaximum(0);
  m_progress->show();
  m_cancel->show();
  m_jobCancelled = false;
  m_progress->setToolTip(plainToolTip(name));
  m_progress->setFormat(name);
  m_jobClock.start();
  connect(job, &LongJob::progress, this,
          [this](int done, int total) { tellProgress(m_jobName, done, total); });
  connect(job, &LongJob::finished, this, [this, job, show](bool done, const QString& text) {
    m_progress->hide();
    m_cancel->hide();
    // An answer to the user's own wish is no problem.
    if (m_jobCancelled && !done)
      note(text);
    else
      report(done, text, text);
    if (done && show) offerResult(m_jobName, [show, text] { show(text); });
    job->deleteLater();
    m_job = nullptr;
    m_session->guardRecord({});
    if (!done) m_afterKeeping = nullptr;  // what should be kept is not written
    goOnWhenKept();
  });
  job->start();
}

void MainWindow::offerResult(const QString& text, const std::function<void()>& show) {
  m_showResult = show;
  const QString name = tr("%1: show the result").arg(text);
  m_result->setText(tr("Show result"));
  m_result->setAccessibleName(name);
  m_result->setToolTip(plainToolTip(name));
  m_result->show();
}

// While another job has the entry, the study has its bar in its own page only.
void MainWindow::joinStudy() {
  if (m_job) return;
  startJob(new StudyEntry(m_studies, this), tr("The study"),
           [this](const QString&) { raiseLarge(m_studyDock); });
}

void MainWindow::chooseEnsemble() {
  if (m_session->paneCount() == 0) {
    note(tr("Open a scene first; the copies run under its panes."));
    return;
  }
  if (m_job) {
    note(tr("%1 is being computed; wait for it, or cancel it.").arg(m_jobName));
    return;
  }
  if (!(m_ensembleChoice.time > 0)) m_ensembleChoice.time = m_session->scene()->duration;
  EnsembleDialog dialog(m_ensembleChoice, m_session->paneCount(), this);
  if (dialog.exec() != QDialog::Accepted) return;
  m_ensembleChoice = dialog.choice();
  startEnsemble(m_ensembleChoice);
}

void MainWindow::startEnsemble(const EnsembleChoice& choice) {
  if (m_job || m_session->paneCount() == 0) return;
  auto* job = new EnsembleJob(*m_session, choice, this);
  const std::shared_ptr<const Scene> scene = m_session->scene();
  connect(job, &LongJob::finished, this, [this, job, scene](bool done) {
    if (!done || scene != m_session->scene()) return;
    m_plots->setEnsemble(job->result());
    m_verdict->setEnsemble(job->result());
    const Ensemble& ensemble = job->result()->ensemble;
    const double end = ensemble.members.front().times.back();
    m_log->appendPlainText(
        QString::fromStdString(ensembleSummary(ensemble, job->result()->verdicts, scene->name, end)));
  });
  startJob(job, tr("The ensemble"), [this](const QString&) {
    raise(m_plotDock);
    raise(m_verdictDock);
  });
}

// The kept history; a running recording is not affected.
void MainWindow::exportParaview() {
  if (m_job || m_session->paneCount() == 0) return;
  const QString folder =
      QFileDialog::getExistingDirectory(this, tr("Folder for the ParaView files"), QDir::currentPath());
  if (!folder.isEmpty()) startParaview(folder);
}

void MainWindow::startParaview(const QString& folder) {
  QTemporaryFile name(QDir::tempPath() + QStringLiteral("/touchstone-XXXXXX.touchstone"));
  if (!name.open()) {
    report(false, folder, tr("%1: no temporary file can be made; free some space").arg(QDir::tempPath()));
    return;
  }
  const QString recording = name.fileName();
  name.remove();
  auto written = std::make_shared<QMetaObject::Connection>();
  *written = connect(
      m_session, &Session::recordingWritten, this, [this, folder, recording, written](const QString& path) {
        if (path != recording) return;
        disconnect(*written);
        startJob(new ParaviewJob(recording, true, folder, this), tr("The export to %1").arg(folder),
                 [folder](const QString&) { openFile(folder); });
      });
  m_session->writeRecording(recording);
}

void MainWindow::startConformance(const QString& folder, const QStringList& phenomena) {
  if (m_job) {
    note(tr("%1 is being computed; wait for it, or cancel it.").arg(m_jobName));
    return;
  }
  auto* job = new ConformanceJob(folder, phenomena, this);
  m_conformance->setRunning(true);
  connect(job, &LongJob::finished, m_conformance, [this, folder](bool done) {
    m_conformance->setRunning(false);
    if (done) m_conformance->showCard(folder);
  });
  startJob(job, tr("The conformance card"), [this](const QString&) { raiseLarge(m_conformanceDock); });
}

void MainWindow::varyParameter(int pane, const QString& key) {
  VaryDialog dialog(*m_session, pane, key, this);
  if (dialog.exec() != QDialog::Accepted) return;
  const QString file = dialog.file();
  const bool done = QDir().mkpath(QFileInfo(file).path()) &&
                    isWrittenBeside(file.toStdString(), [&](const std::string& part) {
                      std::ofstream out(part, std::ios::binary);
                      out << studyOf(dialog.choice());
                      out.close();
                      return static_cast<bool>(out);
                    });
  if (!report(done, file, tr("%1: cannot be written; choose another folder").arg(file))) return;
  raiseLarge(m_studyDock);
  m_studies->chooseWhole(file);
  m_studies->run();
}

void MainWindow::exportProblem() {
  const int pane = paneWithProblem();
  if (pane < 0) {
    note(tr("No pane solves a complementarity problem in this step; step to a frame with contacts."));
    return;
  }
  const QString method = QString::fromStdString(m_session->pane(pane).settings.method);
  const QString file =
      askForFile(this, tr("Export this step's problem"),
                 suggestedFile(method, QStringLiteral("problem"), "json"), tr("JSON (*.json)"));
  if (!file.isEmpty()) m_session->exportProblem(pane, file);
}

void MainWindow::exportMovie() {
  if (m_session->paneCount() == 0) {
    note(tr("Open a scene first; its panes become the movie."));
    return;
  }
  MovieDialog dialog(m_movieOptions,
                     m_session->timeAt(m_session->lastFrame()) - m_session->timeAt(m_session->firstFrame()),
                     this);
  if (dialog.exec() != QDialog::Accepted) return;
  m_movieOptions = dialog.options();
  const QString file = askForFile(this, tr("Export movie"), suggestedFile(tr("all"), tr("movie"), "mp4"),
                                  tr("MP4, H.264 (*.mp4);;WebM, VP9 (*.webm)"));
  if (!file.isEmpty()) startMovie(file, m_movieOptions);
}

}  // namespace touchstone
