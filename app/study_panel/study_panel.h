#pragma once

#include <QTemporaryDir>
#include <QWidget>
#include <memory>

#include "app/study_panel/study_job.h"

class QCheckBox;
class QComboBox;
class QLabel;
class QProgressBar;
class QPushButton;
class QTextBrowser;

namespace touchstone {

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
  bool m_isRunning = false;
  QTemporaryDir m_starts;
  int m_opened = 0;
};

}  // namespace touchstone
