#pragma once

#include <QObject>
#include <QString>
#include <QStringList>

namespace touchstone {

class MainWindow;

/// What a run without hands writes. Empty: not.
struct BatchOptions {
  QString scene;
  QStringList methods;
  QString screenshot, view, movie;  ///< files
  QString plots, csv;               ///< folders
  QString demo;                     ///< folder for all of them
  double time = 0;                  ///< simulated time to run [s]; 0: as the scene suggests
  bool any() const {
    return !(screenshot.isEmpty() && view.isEmpty() && movie.isEmpty() && plots.isEmpty() && csv.isEmpty() &&
             demo.isEmpty());
  }
};

/// Opens the scene in the window, runs it, writes what was asked for, and ends the program with an exit code:
/// 0 done, 1 something could not be simulated, 2 the scene was refused, 3 something could not be written.
class BatchExport : public QObject {
  Q_OBJECT
 public:
  BatchExport(MainWindow* window, const BatchOptions& options, QObject* parent = nullptr);
  void start();

 private:
  void onOpened();
  void onFailed(const QString& text);
  void onProblem(const QString& text);
  /// @param code  what it means for the program, unless nothing has been opened yet
  void tell(const QString& problem, int code);
  void writeAll();
  void writeMovie();
  void wrote(const QString& path);
  void end();

  MainWindow* m_window;
  BatchOptions m_options;
  bool m_opened = false;
  int m_code = 0;  ///< the worst so far
};

}  // namespace touchstone
