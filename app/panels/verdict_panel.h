#pragma once

#include <QTimer>
#include <QWidget>
#include <functional>
#include <vector>

#include "app/ensemble/shown_ensemble.h"
#include "core/statistics/summary.h"
#include "core/study/scene_claims.h"

class QComboBox;
class QDoubleSpinBox;
class QLabel;
class QTableWidget;
class QToolButton;

namespace touchstone {

class Session;

/// Dock page: which method did better, and by how much. A table with a column for each pane and a row for
/// each quantity of verdictOf(), over the whole run, over a span, or at the cursor; below it the claims of
/// the scene, with pass or fail and the number.
class VerdictPanel : public QWidget {
  Q_OBJECT
 public:
  enum class Range { WholeRun, Span, Cursor };
  explicit VerdictPanel(Session* session, QWidget* parent = nullptr);

  QTableWidget* table() const { return m_table; }
  QTableWidget* claims() const { return m_claims; }
  /// The numbers of the table.
  const VerdictTable& verdict() const { return m_verdict; }
  const std::vector<SceneClaimResult>& claimResults() const { return m_results; }
  void setRange(Range range);
  /// Sets the span and shows it. @param from, to  times [s]
  void setSpan(double start, double end);
  void setForm(VerdictForm form);
  /// Shows the verdict of an ensemble of the scene too; null: none.
  void setEnsemble(const ShownEnsemblePtr& ensemble);
  /// Updates the table now.
  void refresh();
  /// Writes the verdict on the whole run: .md, .tex, .csv, or text for any other ending, with the claims.
  /// @return the problem, or empty
  QString write(const QString& file);

 Q_SIGNALS:
  /// A row was chosen, whose course the large plot shows.
  void quantityChosen(touchstone::Quantity quantity);

 protected:
  void showEvent(QShowEvent*) override { refresh(); }
  void resizeEvent(QResizeEvent* event) override;

 private:
  void buildControls();
  void copy(std::string (*textOf)(const VerdictTable&));
  void onSceneChanged();
  QString changedPanes() const;
  FrameRange framesOf(int pane) const;
  VerdictTable measure(bool whole) const;
  void measureClaims();
  void fillTable();
  void fillEnsemble();
  void fillClaims();
  void schedule();

  Session* m_session;
  QComboBox *m_range, *m_form;
  QDoubleSpinBox *m_from, *m_to;
  QToolButton* m_copy;
  QLabel* m_note;
  QTableWidget *m_table, *m_claims;
  QTimer m_refresh;
  VerdictTable m_verdict;
  std::vector<SceneClaim> m_sceneClaims;
  std::vector<SceneClaimResult> m_results;
  ShownEnsemblePtr m_ensemble;
};

}  // namespace touchstone
