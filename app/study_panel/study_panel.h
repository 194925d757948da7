#pragma once

#include <QDialog>
#include <QTemporaryDir>
#include <QWidget>
#include <array>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "app/study_panel/study_job.h"
#include "core/run/pane_settings.h"
#include "core/scene/parameter.h"

class QCheckBox;
class QComboBox;
class QDialogButtonBox;
class QLabel;
class QLineEdit;
class QProgressBar;
class QPushButton;
class QSpinBox;
class QTextBrowser;

namespace touchstone {

class Session;

/// Paints a figure of a study and tells which of its runs is clicked.
class FigureView : public QWidget {
  Q_OBJECT
 public:
  explicit FigureView(QWidget* parent = nullptr);
  /// @param figure  null: none
  void setFigure(const Figure* figure);
  QSize sizeHint() const override { return {420, 320}; }

 Q_SIGNALS:
  void runClicked(long run);

 protected:
  void paintEvent(QPaintEvent* event) override;
  void mouseMoveEvent(QMouseEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;

 private:
  QFont figureFont() const;
  Figure m_figure;
  bool m_isEmpty = true;
};

/// The dock of studies: chooses one, runs it in the background, shows its figures as runs finish, and opens
/// the run of a point or a cell that is clicked.
class StudyPanel : public QWidget {
  Q_OBJECT
 public:
  explicit StudyPanel(QWidget* parent = nullptr);
  ~StudyPanel() override;
  QSize minimumSizeHint() const override;

  /// Shows a study file of the user, with what its folder holds.
  void choose(const QString& file);
  /// Shows a study file in its whole form.
  void chooseWhole(const QString& file);
  bool isRunning() const { return m_isRunning; }
  ShownStudyPtr study() const { return m_shown; }
  FigureView* view() const { return m_view; }

 public Q_SLOTS:
  void run();
  void cancel();

 Q_SIGNALS:
  /// A recording that begins where the clicked run does.
  void openRequested(const QString& recording, const QString& title);
  void problem(const QString& text);
  void started();
  void progressed(int done, int count);
  /// The runs have ended. @param text  where the results are, or why there are none
  void ended(bool done, const QString& text);

 private:
  void fillStudies();
  void load();
  void show(const ShownStudyPtr& study);
  void showFigure();
  void openRun(long run);
  void browse();
  void openFolder();
  QString folder() const;
  void setRunning(bool running);

  QComboBox *m_studies, *m_figures;
  QCheckBox* m_quick;
  QPushButton *m_start, *m_cancel, *m_folder;
  QLabel* m_question;
  QProgressBar* m_progress;
  QTextBrowser* m_verdict;
  FigureView* m_view;
  std::unique_ptr<StudyJob> m_job;
  ShownStudyPtr m_shown;
  bool m_isRunning = false, m_isCancelled = false;
  QTemporaryDir m_starts;
  int m_opened = 0;
};

/// A parameter that a study varies.
struct VariedParameter {
  ParameterSpec spec;  ///< of key "dt": the frame length
  double from = 0, to = 0;
  int steps = 2;
  bool byFactors = false;
};

/// A sweep of one parameter, or a map of two.
struct VaryChoice {
  std::string name, scene;  ///< scene: a shipped one's name, or a path below the folder of the study
  double time = 0, dt = 0;  ///< s
  std::vector<VariedParameter> axes;
  std::vector<std::pair<std::string, PaneSettings>> panes;  ///< by label
  std::string quantity, reduce;                             ///< reduce: "max", "median" or "last"
};
/// Text of the study file.
std::string studyOf(const VaryChoice& choice);

/// Asks which parameter is varied over which range, in which panes, what is measured, and where the study
/// is kept.
class VaryDialog : public QDialog {
  Q_OBJECT
 public:
  /// @param key  of the parameter, or "dt"; empty: the first number of the pane's method
  VaryDialog(const Session& session, int pane, const QString& key, QWidget* parent = nullptr);
  VaryChoice choice() const;
  /// Path of the study file.
  QString file() const;

 private:
  struct Axis {
    QComboBox* parameter;
    QLineEdit *from, *to;
    QSpinBox* steps;
    QComboBox* spacing;
  };
  Axis addAxis(const QString& name);
  void suggestRange(const Axis& axis);
  std::optional<VariedParameter> varied(const Axis& axis) const;
  void check();

  const Session& m_session;
  int m_pane;
  std::vector<ParameterSpec> m_specs;  ///< of the lists of parameters
  std::array<Axis, 2> m_axes;
  std::vector<QCheckBox*> m_panes;  ///< [panes of the session]
  QComboBox *m_quantity, *m_reduce;
  QLineEdit *m_time, *m_file;
  QLabel* m_note;
  QDialogButtonBox* m_buttons;
};

}  // namespace touchstone
