#include "app/window/batch_export.h"

#include <QCoreApplication>
#include <QDateTime>
#include <QDir>
#include <QFileInfo>
#include <QTimer>
#include <algorithm>
#include <cmath>
#include <cstdio>

#include "app/exports/movie_export.h"
#include "app/panels/pane_grid.h"
#include "app/panels/verdict_panel.h"
#include "app/session/session.h"
#include "app/window/main_window.h"
#include "app/work/exit_codes.h"
#include "app/work/export_names.h"
#include "core/files/scene_error.h"
#include "core/scene/frame_count.h"

namespace touchstone {

namespace {

void useFolder(BatchOptions& options) {
  const QDir folder(options.demo);
  const auto freeIn = [&folder](const QString& name) { return freePath(folder.filePath(name)); };
  if (options.screenshot.isEmpty()) options.screenshot = freeIn(QStringLiteral("screenshot.png"));
  if (options.movie.isEmpty()) options.movie = freeIn(QStringLiteral("demo.mp4"));
  if (options.plots.isEmpty()) options.plots = folder.filePath(QStringLiteral("plots"));
  if (options.csv.isEmpty()) options.csv = folder.filePath(QStringLiteral("data"));
}

}  // namespace

BatchExport::BatchExport(MainWindow* window, const BatchOptions& options, QObject* parent)
    : QObject(parent), m_window(window), m_options(options) {
  if (!m_options.demo.isEmpty()) useFolder(m_options);
}

void BatchExport::start() {
  // No user is asked here, as a dialog asks, whether a file may be replaced.
  for (const QString& file : {m_options.screenshot, m_options.view, m_options.movie, m_options.verdict}) {
    const QFileInfo info(file);
    if (file.isEmpty() || (!info.exists() && !info.isSymLink())) continue;
    tell(tr("%1: exists and stays; choose another name, or move it away").arg(file), kBadInput);
    return;
  }
  Session* session = m_window->session();
  connect(session, &Session::sceneChanged, this, &BatchExport::onOpened);
  connect(session, &Session::failed, this, &BatchExport::onFailed);
  connect(session, &Session::manifestWritten, this, &BatchExport::wrote);
  connect(m_window, &MainWindow::problemReported, this, &BatchExport::onProblem);
  m_window->open(m_options.scene, m_options.methods);
}

void BatchExport::onFailed(const QString& text) { tell(text, kSimulationFailed); }

void BatchExport::onProblem(const QString& text) { tell(text, kEnvironment); }

void BatchExport::tell(const QString& problem, int code) {
  std::fprintf(stderr, "touchstone: %s\n", printable(problem.toStdString()).c_str());
  m_code = std::max(m_code, m_opened ? code : kBadInput);
  if (!m_opened) end();
}

void BatchExport::onOpened() {
  m_opened = true;
  Session* session = m_window->session();
  if (session->paneCount() == 0) {
    m_code = kBadInput;
    QTimer::singleShot(0, this, &BatchExport::end);  // after the reasons were printed
    return;
  }
  if (m_options.section != Section::Off) {
    ViewSettings settings = m_window->grid()->viewSettings();
    settings.section = m_options.section;
    settings.sectionOffset = m_options.sectionOffset;
    m_window->grid()->setViewSettings(settings);
  }
  const double until = m_options.time > 0 ? m_options.time : session->scene()->duration;
  const std::string problem = frameCountProblem(until, session->dt());
  if (!problem.empty()) {
    tell(QString::fromStdString(problem + "; " + kFrameCountRemedy), kBadInput);
    QTimer::singleShot(0, this, &BatchExport::end);
    return;
  }
  std::printf("running %s for %g s of simulated time\n", session->scene()->name.c_str(), until);
  std::fflush(stdout);
  connect(session, &Session::finished, this, [this, session, until] {
    // A recording may be longer than what was asked for.
    const long frame = std::lround(until / session->dt());
    if (m_options.time > 0 && frame < session->lastFrame()) session->seek(frame);
    connect(session, &Session::cursorMoved, this, &BatchExport::writeWhenShown);
    writeWhenShown();
  });
  session->setSpeed(0);
  session->run(until);
}

void BatchExport::wrote(const QString& path) {
  std::printf("wrote %s\n", printable(QDir::current().absoluteFilePath(path).toStdString()).c_str());
  std::fflush(stdout);
}

/// Long recordings do not keep all frames in memory: what is missing is computed again, and then
/// cursorMoved() is emitted.
void BatchExport::writeWhenShown() {
  Session* session = m_window->session();
  for (int pane = 0; pane < session->paneCount(); ++pane) {
    session->shown(pane);  // asks for a frame that is missing
    if (session->isRebuilding(pane)) return;
  }
  disconnect(session, &Session::cursorMoved, this, &BatchExport::writeWhenShown);
  QTimer::singleShot(0, this, &BatchExport::writeAll);
}

void BatchExport::writeAll() {
  m_window->grid()->refreshNow();  // else some panes still wait for their turn to show the frame
  const auto take = [this](bool done, const QString& path) {
    if (done) wrote(path);
  };
  for (const QString& file : {m_options.screenshot, m_options.view, m_options.movie, m_options.verdict})
    if (!file.isEmpty()) QDir().mkpath(QFileInfo(file).absolutePath());
  if (!m_options.screenshot.isEmpty())
    take(m_window->saveScreenshot(m_options.screenshot), m_options.screenshot);
  if (!m_options.view.isEmpty())
    take(m_window->saveView(0, m_options.view, QSize(1600, 1200), 2.2), m_options.view);
  if (!m_options.verdict.isEmpty()) {
    const QString problem = m_window->verdict()->write(m_options.verdict);
    if (problem.isEmpty())
      wrote(m_options.verdict);
    else
      onProblem(problem);
  }
  if (!m_options.plots.isEmpty())
    take(m_window->savePlots(m_options.plots, {"png", "svg", "pdf", "csv"}), m_options.plots);
  if (!m_options.csv.isEmpty()) {
    QDir().mkpath(m_options.csv);
    const QString scene = QString::fromStdString(m_window->session()->scene()->name);
    const QString file =
        freePath(QDir(m_options.csv)
                     .filePath(exportName(scene, tr("all"), tr("quantities"), QDateTime::currentDateTime(),
                                          QStringLiteral("csv"))));
    take(m_window->saveQuantities(file), file);
  }
  writeMovie();
}

void BatchExport::writeMovie() {
  MovieExport* movie = m_options.movie.isEmpty() ? nullptr : m_window->startMovie(m_options.movie);
  if (!movie) {
    if (!m_options.movie.isEmpty()) onProblem(tr("%1: there is nothing to show").arg(m_options.movie));
    QTimer::singleShot(0, this, &BatchExport::end);
    return;
  }
  connect(movie, &MovieExport::finished, this, [this](bool done, const QString& text) {
    if (done) wrote(text);
    end();
  });
}

void BatchExport::end() { QCoreApplication::exit(m_code); }

}  // namespace touchstone
