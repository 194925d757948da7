#pragma once

#include <QDialog>
#include <QStringList>
#include <QThread>
#include <atomic>
#include <memory>
#include <vector>

#include "core/math/count.h"
#include "core/statistics/performance_profile.h"

class QCheckBox;
class QLabel;
class QProgressBar;
class QPushButton;
class QTableWidget;

namespace touchstone {

class PlotView;

/// Published friction problems and exported steps: solved by any solvers, with their convergence, performance
/// profiles over all of them, and both written to files.
class ProblemWindow : public QDialog {
  Q_OBJECT
 public:
  explicit ProblemWindow(QWidget* parent = nullptr);
  ~ProblemWindow() override;

  /// Reads files of problems, which take the place of what was there. One that cannot be read is reported and
  /// left out.
  void open(const QStringList& files);
  int problemCount() const { return countOf(m_problems); }
  QTableWidget* table() const { return m_table; }
  PlotView* convergence() const { return m_convergence; }
  PlotView* profilePlot() const { return m_profilePlot; }
  bool isSolving() const { return m_thread != nullptr; }
  /// Writes a table (.csv) or the figure of the profiles (.svg).
  bool writeTo(const QString& file);

 public Q_SLOTS:
  /// Solves all problems by the solvers that are checked, on a thread of its own.
  void solve();
  void cancel() { m_isCancelled = true; }

 Q_SIGNALS:
  void solved();
  void failed(const QString& text);

 protected:
  void changeEvent(QEvent* event) override;

 private:
  struct Problem {
    QString name;
    StoredProblem stored;
    SolverSettings settings;
  };

  void work(std::vector<std::string> solvers);
  void take(int problem, std::vector<ProblemOutcome> outcomes);
  void finish();
  void refill();
  void showProblem();
  void showProfile();
  void saveProblem();
  void save();
  void updateTheme();

  std::vector<Problem> m_problems;
  std::vector<std::string> m_solvers;                   ///< of the outcomes
  std::vector<std::vector<ProblemOutcome>> m_outcomes;  ///< [problems][solvers], as far as they have come
  std::vector<QCheckBox*> m_choices;
  QLabel* m_note;
  QTableWidget* m_table;
  PlotView *m_convergence, *m_profilePlot;
  QProgressBar* m_progress;
  QPushButton *m_solve, *m_cancel, *m_saveProblem, *m_save;
  std::atomic<bool> m_isCancelled{false};
  std::unique_ptr<QThread> m_thread;
};

}  // namespace touchstone
