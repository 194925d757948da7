#pragma once

#include <QImage>
#include <QProcess>
#include <QString>

namespace touchstone {

/// Writes a movie by piping raw RGB frames to the program `ffmpeg`: MP4/H.264, or WebM/VP9 for a file that
/// ends in .webm. Without ffmpeg: a folder `<file>_frames` of PNG files. The file is called `.part` until it
/// is whole.
class MovieWriter {
 public:
  /// @param framesPerSecond  of the finished movie, > 0
  MovieWriter(const QString& file, double framesPerSecond);
  ~MovieWriter();

  /// All frames get the size of the first. @return false on an error, see error()
  bool add(const QImage& frame);
  /// Ends the movie. @return false on an error
  bool finish();
  /// Drops what was written so far.
  void cancel();
  QString error() const { return m_error; }
  /// Where the movie is, or will be: the file, or the folder of frames.
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
