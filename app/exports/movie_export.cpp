#include "app/exports/movie_export.h"

#include <algorithm>
#include <cmath>

#include "app/session/session.h"

namespace touchstone {

namespace {

// [ms] Pause between two pictures, in which the window responds. A larger value makes the export slower; 0
// would leave less time for input.
constexpr int kTick = 1;

}  // namespace

MovieExport::MovieExport(Session* session, const QString& file, const MovieOptions& options,
                         std::function<QImage()> draw, QObject* parent)
    : LongJob(parent),
      m_session(session),
      m_draw(std::move(draw)),
      m_options(options),
      m_writer(file, options.framesPerSecond),
      m_frame(session->firstFrame()),
      m_last(session->lastFrame()),
      m_start(session->timeAt(session->firstFrame())) {
  const double length = (session->timeAt(m_last) - m_start) / options.speed;
  m_pictures = std::lround(length * options.framesPerSecond) + 1;
  connect(&m_tick, &QTimer::timeout, this, &MovieExport::next);
}

void MovieExport::start() {
  m_session->pause();
  m_tick.start(kTick);
}

void MovieExport::cancel() {
  if (m_ended) return;
  m_writer.cancel();
  end(false, tr("The movie was cancelled; nothing was written."));
}

/// Dropped frames are computed again first.
bool MovieExport::isComplete() const { return !m_session->isRebuildingAny(); }

void MovieExport::next() {
  // s. A larger value shows a frame before its time; a smaller one lets rounding skip a frame.
  constexpr double kRounding = 1e-9;
  if (m_picture >= m_pictures) {
    const bool done = m_writer.finish();
    end(done, done ? m_writer.result() : m_writer.error());
    return;
  }
  const double time = m_start + static_cast<double>(m_picture) * m_options.speed / m_options.framesPerSecond;
  while (m_frame < m_last && m_session->timeAt(m_frame + 1) <= time + kRounding) ++m_frame;
  if (m_session->cursor() != m_frame) m_session->seek(m_frame);
  if (!isComplete()) return;
  if (!m_writer.add(m_draw())) {
    const QString problem = m_writer.error();
    m_writer.cancel();
    end(false, problem);
    return;
  }
  ++m_picture;
  Q_EMIT progress(static_cast<int>(m_picture), static_cast<int>(m_pictures));
}

void MovieExport::end(bool done, const QString& text) {
  if (m_ended) return;
  m_ended = true;
  m_tick.stop();
  m_session->goLive();
  Q_EMIT finished(done, text);
}

}  // namespace touchstone
