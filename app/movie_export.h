#pragma once

#include <QImage>
#include <QTimer>
#include <functional>
#include <memory>

#include "app/long_job.h"
#include "app/movie_writer.h"

namespace touchstone {

class Session;

/// Goes through the recorded frames, one per turn of the event loop so that the window lives on, and writes
/// what `grab` returns. The movie plays at the speed of simulated time, at most kMostFramesPerSecond.
class MovieExport : public LongJob {
  Q_OBJECT
 public:
  static constexpr double kMostFramesPerSecond = 50;

  MovieExport(Session* session, const QString& file, std::function<QImage()> grab, QObject* parent = nullptr);
  void start() override;
  void cancel() override;
  QString result() const { return m_writer.result(); }
  /// Every how many recorded frames one is written, for frames of length `dt` [s].
  static int stride(double dt);

 private:
  void next();
  void end(bool done, const QString& text);

  Session* m_session;
  std::function<QImage()> m_grab;
  int m_stride;
  MovieWriter m_writer;
  QTimer m_tick;
  long m_frame, m_last, m_first;
  bool m_ended = false;
};

}  // namespace touchstone
