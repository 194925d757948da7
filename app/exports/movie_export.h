#pragma once

#include <QImage>
#include <QTimer>
#include <functional>
#include <memory>

#include "app/exports/comparison_picture.h"
#include "app/exports/movie_writer.h"
#include "app/work/long_job.h"

namespace touchstone {

class Session;

struct MovieOptions {
  PictureOptions picture;
  double framesPerSecond = 30;
  double speed = 1;  ///< simulated seconds per second of the movie
};

/// Steps through the recorded time, one picture per turn of the event loop so that the window stays
/// responsive, and writes the images of `draw`. A picture shows the last recorded frame that is not later
/// than its time.
class MovieExport : public LongJob {
  Q_OBJECT
 public:
  MovieExport(Session* session, const QString& file, const MovieOptions& options,
              std::function<QImage()> draw, QObject* parent = nullptr);
  void start() override;
  void cancel() override;
  QString result() const { return m_writer.result(); }

 private:
  void next();
  void end(bool done, const QString& text);
  bool isComplete() const;

  Session* m_session;
  std::function<QImage()> m_draw;
  MovieOptions m_options;
  MovieWriter m_writer;
  QTimer m_tick;
  long m_frame, m_last, m_picture = 0, m_pictures;
  double m_start;
  bool m_ended = false;
};

}  // namespace touchstone
