#include "app/exports/paraview_job.h"

#include "app/work/paraview_export.h"
#include "core/store/recorder.h"
#include "core/store/recording.h"

namespace touchstone {

ParaviewJob::ParaviewJob(const QString& recording, bool temporary, const QString& folder, QObject* parent)
    : LongJob(parent), m_recording(recording), m_folder(folder), m_temporary(temporary) {}

ParaviewJob::~ParaviewJob() {
  m_cancelled = true;
  if (m_thread) m_thread->wait();
  if (m_temporary) removeRecording(m_recording.toStdString());
}

void ParaviewJob::start() {
  m_thread.reset(QThread::create([this] { work(); }));
  m_thread->start();
}

// Runs on the thread; signals arrive queued.
void ParaviewJob::work() {
  try {
    const Recording recording(m_recording.toStdString());
    const bool done = exportForParaview(recording, m_folder.toStdString(), [this](double share) {
      Q_EMIT progress(static_cast<int>(1000 * share), 1000);
      return !m_cancelled;
    });
    Q_EMIT finished(done,
                    done ? m_folder : tr("The export was cancelled; what was written has been removed."));
  } catch (const std::exception& error) {
    Q_EMIT finished(false, QString::fromStdString(error.what()));
  }
}

}  // namespace touchstone
