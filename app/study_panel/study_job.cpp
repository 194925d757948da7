#include "app/study_panel/study_job.h"

#include <QElapsedTimer>
#include <cmath>

#include "core/parallel/parallel_for.h"
#include "core/scene/variation.h"
#include "core/store/recorder.h"

namespace touchstone {

namespace {

QString spanText(double seconds) {
  if (seconds < 0) return {};
  if (seconds < 90) return StudyJob::tr(", about %1 s left").arg(std::lround(seconds));
  if (seconds < 5400) return StudyJob::tr(", about %1 min left").arg(std::lround(seconds / 60));
  return StudyJob::tr(", about %1 h left").arg(std::lround(seconds / 3600));
}

}  // namespace

StudyJob::StudyJob(const QString& file, bool quick, const QString& folder, QObject* parent)
    : QObject(parent), m_work(loadStudy(file.toStdString(), quick), folder.toStdString(), true) {
  qRegisterMetaType<ShownStudyPtr>("ShownStudyPtr");
}

StudyJob::~StudyJob() {
  m_cancelled = true;
  if (m_thread) m_thread->wait();
}

void StudyJob::start() {
  m_thread.reset(QThread::create([this] { work(); }));
  m_thread->start();
}

ShownStudyPtr StudyJob::shown() {
  auto study = std::make_shared<ShownStudy>();
  study->results = m_work.results();
  const bool isWhole = study->results.doneCount() == study->results.tasks.size();
  const StudyVerdict verdict = isWhole ? verdictOf(study->results) : StudyVerdict();
  study->figures = figuresOf(study->results, verdict, &m_work.published());
  for (Figure& figure : study->figures) figure.caption.clear();  // the panel shows it once
  if (isWhole) study->sentences = QString::fromStdString(sentencesOf(verdict));
  return study;
}

// Runs on the thread; signals arrive queued.
void StudyJob::work() {
  QElapsedTimer clock;
  clock.start();
  qint64 next = 0;
  const auto tell = [&](const StudyWork::Progress& progress) {
    QString text = tr("%1 of %2 runs").arg(progress.done).arg(progress.count);
    text += progress.waitingFor.empty() ? spanText(progress.secondsLeft)
                                        : QStringLiteral(", ") + QString::fromStdString(progress.waitingFor);
    Q_EMIT progressed(text, static_cast<int>(progress.done), static_cast<int>(progress.count));
    const qint64 now = clock.elapsed();
    if (now < next) return;
    Q_EMIT updated(shown());
    // Drawing takes a twentieth of the time at most.
    next = clock.elapsed() + std::max<qint64>(500, 20 * (clock.elapsed() - now));
  };
  try {
    const ThreadLimit limit(1);  // concurrent runs use cores better than one run with all cores
    const int jobs = std::max(1, QThread::idealThreadCount() - 1);  // one is left for the window
    m_work.go(
        jobs, [this] { return !m_cancelled; }, tell);
    m_work.write(m_work.results(), "touchstone");
    Q_EMIT updated(shown());
    Q_EMIT finished({});
  } catch (const std::bad_alloc&) {
    Q_EMIT finished(tr("There is too little memory for this study."));
  } catch (const std::exception& error) {
    Q_EMIT finished(QString::fromStdString(error.what()));
  }
}

void writeStartOf(const StudyResults& results, std::size_t run, const QString& file) {
  const StudyTask& task = results.tasks.at(run);
  if (!task.scene) throw std::invalid_argument("this study runs no scene that the window could open");
  Comparison comparison(varied(*task.scene, results.study.variation, task.seed), {task.settings});
  if (comparison.dt() != task.dt) comparison.setDt(task.dt);
  Recorder recorder(file.toStdString(), comparison, "touchstone", Earlier::Replace);
  recorder.finish();
}

}  // namespace touchstone
