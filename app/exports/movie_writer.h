#pragma once

#include <QImage>
#include <QProcess>
#include <QString>

namespace touchstone {

/// Writes a movie by piping raw RGB frames to the program `ffmpeg`: MP4/H.264, or WebM/VP9 for a file name
/// that ends in .webm. Without ffmpeg it writes PNG files to a folder `<file>_frames`. The file is named
/// `.part` until it is complete.
class MovieWriter {
 public:
  /// @param framesPerSecond  rate of the movie, > 0
  MovieWriter(const QString& file, double framesPerSecond);
  ~MovieWriter();

  /// All frames get the size of the first one. @return false on an error, see error()
  bool add(const QImage& frame);
  /// Completes the movie. @return false on an error
  bool finish();
  /// Deletes what was written so far.
  void cancel();
  QString error() const { return m_error; }
  /// Path of the movie: the file, or the folder of frames.
  QString result() const { return m_result; }
  int frameCount() const { return m_frames; }

 private:
  bool start(const QSize& size);
  bool addToProcess(const QImage& frame);
  QStringList arguments() const;

  QString m_file, m_part, m_result, m_error;
  double m_rate;
  QSize m_size;
  QProcess m_process;
  bool m_pipe = true;
  int m_frames = 0;
};

}  // namespace touchstone
