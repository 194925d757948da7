#pragma once

#include <QCoreApplication>
#include <QProcess>
#include <QTemporaryDir>
#include <QtTest>
#include <memory>

namespace touchstone::test {

/// Waits for the end. @return exit code; -1 if the process was killed or takes longer than the limit [ms]
inline int endOf(QProcess& process, int limit) {
  return process.waitForFinished(limit) && process.exitStatus() == QProcess::NormalExit ? process.exitCode()
                                                                                        : -1;
}

/// A folder in which a test runs touchstone-cli; removed when the test ends.
class CommandFolder {
 public:
  QString path() const { return m_folder.path(); }
  QString at(const QString& name) const { return m_folder.filePath(name); }
  /// Content of a file; empty if it does not exist.
  QByteArray content(const QString& name) const {
    QFile file(at(name));
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
  }
  void write(const QString& name, const QByteArray& text) const {
    QFile file(at(name));
    QVERIFY(file.open(QIODevice::WriteOnly) && file.write(text) == text.size());
  }

  static QString program() { return QCoreApplication::applicationDirPath() + "/../app/touchstone-cli"; }
  /// Starts the program in the folder.
  std::unique_ptr<QProcess> started(const QStringList& arguments) const {
    auto process = std::make_unique<QProcess>();
    process->setWorkingDirectory(path());
    process->start(program(), arguments);
    return process;
  }

  struct Result {
    int code;  ///< of endOf()
    QByteArray out, error;
  };
  /// Runs the program in the folder to its end.   @param limit  [ms]
  Result run(const QStringList& arguments, int limit = 240'000) const {
    const auto process = started(arguments);
    const int code = endOf(*process, limit);
    return {code, process->readAllStandardOutput(), process->readAllStandardError()};
  }

 private:
  QTemporaryDir m_folder;
};

}  // namespace touchstone::test
