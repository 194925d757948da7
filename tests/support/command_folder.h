#pragma once

#include <QCoreApplication>
#include <QProcess>
#include <QTemporaryDir>
#include <QtTest>

namespace touchstone::test {

/// A folder in which a test runs touchstone-cli; gone when the test ends.
class CommandFolder {
 public:
  QString path() const { return m_folder.path(); }
  QString at(const QString& name) const { return m_folder.filePath(name); }
  /// Of a file; empty if it is not there.
  QByteArray content(const QString& name) const {
    QFile file(at(name));
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
  }
  void write(const QString& name, const QByteArray& text) const {
    QFile file(at(name));
    QVERIFY(file.open(QIODevice::WriteOnly) && file.write(text) == text.size());
  }

  static QString program() { return QCoreApplication::applicationDirPath() + "/../app/touchstone-cli"; }
  /// The program, running in the folder.
  std::unique_ptr<QProcess> started(const QStringList& arguments) const {
    auto process = std::make_unique<QProcess>();
    process->setWorkingDirectory(path());
    process->start(program(), arguments);
    return process;
  }

 private:
  QTemporaryDir m_folder;
};

/// Exit code once it has ended; -1 where it was killed or takes longer than the limit [ms].
inline int endOf(QProcess& process, int limit) {
  return process.waitForFinished(limit) && process.exitStatus() == QProcess::NormalExit ? process.exitCode()
                                                                                        : -1;
}

}  // namespace touchstone::test
