#include "app/movie_export.h"

#include <algorithm>
#include <cmath>

#include "app/session.h"

namespace touchstone {

int MovieExport::stride(double dt) {
  return dt > 0 ? std::max(1, static_cast<int>(std::ceil(1 / (kMostFramesPerSecond * dt) - 1e-9))) : 1;
}

MovieExport::MovieExport(Session* session, const QString& file, std::function<QImage()> grab, QObject* parent)
    : LongJob(parent),
      m_session(session),
      m_grab(std::move(grab)),
      m_stride(stride(session->dt())),
      m_writer(file, std::clamp(1 / (m_stride * std::max(session->dt(), 1e-9)), 1.0, kMostFramesPerSecond)),
      m_frame(session->firstFrame()),
      m_last(session->lastFrame()),
      m_first(session->firstFrame()) {
  connect(&m_tick, &QTimer::timeout, this, &MovieExport::next);
}

void MovieExport::start() {
  m_session->pause();
  m_tick.start(0);
}

void MovieExport::cancel() {
  if (m_ended) return;
  m_writer.cancel();
  end(false, tr("The movie was cancelled; nothing was written."));
}

void MovieExport::next() {
  if (m_frame > m_last) {
    const bool done = m_writer.finish();
    end(done, done ? m_writer.result() : m_writer.error());
    return;
  }
  m_session->seek(m_frame);
  if (!m_writer.add(m_grab())) {
    const QString problem = m_writer.error();
    m_writer.cancel();
    end(false, problem);
    return;
  }
  m_frame += m_stride;
  Q_EMIT progress(static_cast<int>(m_frame - m_first), static_cast<int>(m_last - m_first + 1));
}

void MovieExport::end(bool done, const QString& text) {
  if (m_ended) return;
  m_ended = true;
  m_tick.stop();
  m_session->goLive();
  Q_EMIT finished(done, text);
}

}  // namespace touchstone
