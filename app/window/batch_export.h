#pragma once

#include <QObject>
#include <QString>
#include <QStringList>

#include "widgets/views/view_settings.h"

namespace touchstone {

class MainWindow;

/// Output of a run without user interaction; empty fields: not written.
struct BatchOptions {
  QString scene;
  QStringList methods;
  QString screenshot, view, movie;  ///< files
  QString verdict;                  ///< file
  QString plots, csv;               ///< folders
  QString demo;                     ///< folder for all outputs
  Section section = Section::Off;   ///< of the views; Off: as the session has it
  double sectionOffset = 0;         ///< see ViewSettings
  double time = 0;                  ///< simulated time [s]; 0: that of the scene
  bool any() const {
    return !(screenshot.isEmpty() && view.isEmpty() && movie.isEmpty() && plots.isEmpty() && csv.isEmpty() &&
             verdict.isEmpty() && demo.isEmpty());
  }
};

/// Opens the scene in the window, runs it, writes the requested output, and ends the program with an exit
/// code: 0 success, 1 a simulation failed, 2 the scene was refused, 3 a file could not be written.
class BatchExport : public QObject {
  Q_OBJECT
 public:
  BatchExport(MainWindow* window, const BatchOptions& options, QObject* parent = nullptr);
  void start();

 private:
  void onOpened();
  void onFailed(const QString& text);
  void onProblem(const QString& text);
  /// @param code  exit code for this problem, unless nothing has been opened yet
  void tell(const QString& problem, int code);
  void writeWhenShown();
  void writeAll();
  void writeMovie();
  void wrote(const QString& path);
  void end();

  MainWindow* m_window;
  BatchOptions m_options;
  bool m_opened = false;
  int m_code = 0;  ///< largest code so far
};

}  // namespace touchstone
