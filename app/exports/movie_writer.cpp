#include "app/exports/movie_writer.h"

#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QObject>
#include <QStandardPaths>

#include "app/work/export_names.h"
#include "core/files/written_file.h"

namespace touchstone {

namespace {

// [ms] A larger timeout blocks longer if ffmpeg hangs; a smaller one aborts on a slow machine. Likewise the
// two below.
constexpr int kStartTimeout = 10000;
constexpr int kWriteTimeout = 60000;    // ms for one frame
constexpr int kFinishTimeout = 300000;  // ms

}  // namespace

MovieWriter::MovieWriter(const QString& file, double framesPerSecond)
    : m_file(QFileInfo(file).absoluteFilePath()), m_result(m_file), m_rate(framesPerSecond) {}

MovieWriter::~MovieWriter() {
  if (m_process.state() != QProcess::NotRunning) cancel();
}

QStringList MovieWriter::arguments() const {
  QStringList list = {"-loglevel",
                      "error",
                      "-y",
                      "-f",
                      "rawvideo",
                      "-pix_fmt",
                      "rgb24",
                      "-s",
                      QStringLiteral("%1x%2").arg(m_size.width()).arg(m_size.height()),
                      "-r",
                      QString::number(m_rate, 'f', 4),
                      "-i",
                      "-",
                      "-an"};
  if (m_file.endsWith(QLatin1String(".webm"), Qt::CaseInsensitive)) {
    list << "-c:v"
         << "libvpx-vp9"
         << "-b:v"
         << "0"
         << "-crf"
         << "30"
         << "-f"
         << "webm";
  } else {
    list << "-c:v"
         << "libx264"
         << "-crf"
         << "18"
         << "-preset"
         << "fast"
         << "-pix_fmt"
         << "yuv420p"
         << "-movflags"
         << "+faststart"
         << "-f"
         << "mp4";
  }
  // With a protocol, no name is taken for an option or for a protocol that opens a connection.
  return list << QStringLiteral("file:") + m_part;
}

bool MovieWriter::start(const QSize& size) {
  m_size = QSize(size.width() & ~1, size.height() & ~1);  // H.264 with 4:2:0 colour needs even sizes
  const QString program = QStandardPaths::findExecutable(QStringLiteral("ffmpeg"));
  m_pipe = !program.isEmpty();
  if (!m_pipe) {
    m_result = freePath(m_file + QStringLiteral("_frames"));
    if (QDir().mkpath(m_result)) return true;
    m_error = QObject::tr("%1: cannot be created; choose another folder").arg(m_result);
    return false;
  }
  try {
    m_part = QString::fromStdString(newPart(m_file.toStdString()));
  } catch (const std::runtime_error& error) {
    m_error = QString::fromStdString(error.what());
    return false;
  }
  m_process.setProcessChannelMode(QProcess::MergedChannels);
  m_process.start(program, arguments());
  if (m_process.waitForStarted(kStartTimeout)) return true;
  m_error = QObject::tr("ffmpeg cannot be started (%1)").arg(m_process.errorString());
  return false;
}

bool MovieWriter::add(const QImage& frame) {
  if (!m_error.isEmpty() || frame.isNull()) return false;
  if (m_frames == 0 && !start(frame.size())) return false;
  const QImage fitted = frame.width() >= m_size.width() && frame.height() >= m_size.height()
                            ? frame.copy(QRect(QPoint(0, 0), m_size))
                            : frame.scaled(m_size, Qt::IgnoreAspectRatio, Qt::SmoothTransformation);
  ++m_frames;
  if (m_pipe) return addToProcess(fitted);
  const QString name = QStringLiteral("%1/frame_%2.png").arg(m_result).arg(m_frames, 5, 10, QLatin1Char('0'));
  if (fitted.save(name)) return true;
  m_error = QObject::tr("%1: cannot be written; is the disk full?").arg(name);
  return false;
}

bool MovieWriter::addToProcess(const QImage& frame) {
  const QImage rgb = frame.convertToFormat(QImage::Format_RGB888);
  for (int line = 0; line < rgb.height(); ++line)  // scan lines are padded, the pipe must not be
    m_process.write(reinterpret_cast<const char*>(rgb.constScanLine(line)), 3 * rgb.width());
  while (m_process.bytesToWrite() > 0) {
    if (m_process.waitForBytesWritten(kWriteTimeout)) continue;
    m_error = QObject::tr("ffmpeg stopped: %1").arg(QString::fromUtf8(m_process.readAll()).trimmed());
    return false;
  }
  return true;
}

bool MovieWriter::finish() {
  if (!m_error.isEmpty()) {
    cancel();
    return false;
  }
  if (m_frames == 0) {
    m_error = QObject::tr("there are no frames to write");
    return false;
  }
  if (!m_pipe) return true;
  m_process.closeWriteChannel();
  const bool ended = m_process.waitForFinished(kFinishTimeout);
  if (!ended || m_process.exitStatus() != QProcess::NormalExit || m_process.exitCode() != 0) {
    m_error = QObject::tr("ffmpeg failed: %1").arg(QString::fromUtf8(m_process.readAll()).trimmed());
    QFile::remove(m_part);
    return false;
  }
  try {  // the user agreed to replace an earlier file
    waitForDisk(m_part.toStdString());
    putInPlace(m_part.toStdString(), m_file.toStdString());
    return true;
  } catch (const std::runtime_error& error) {
    m_error = QString::fromStdString(error.what());
    return false;
  }
}

void MovieWriter::cancel() {
  if (m_process.state() != QProcess::NotRunning) {
    m_process.kill();
    m_process.waitForFinished(kStartTimeout);
  }
  if (m_pipe) {
    QFile::remove(m_part);
  } else {
    QDir(m_result).removeRecursively();
  }
}

}  // namespace touchstone
