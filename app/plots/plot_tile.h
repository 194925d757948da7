#pragma once

#include <QWidget>
#include <limits>
#include <vector>

#include "app/ensemble/shown_ensemble.h"
#include "app/plots/session_curves.h"
#include "core/record/quantity.h"
#include "widgets/plots/curve.h"
#include "widgets/plots/figure.h"

class QComboBox;
class QMenu;
class QToolButton;

namespace touchstone {

class PlotView;
class Session;

/// Choices that all tiles share.
struct PlotOptions {
  CurveForm form = CurveForm::Values;
  bool cutsPeaks = true;
};

/// One plot and the choice of its content: a quantity over time, or the solver's convergence at the cursor.
class PlotTile : public QWidget {
  Q_OBJECT
 public:
  static constexpr int kConvergence = -1;  ///< in place of a quantity
  /// Numbers of the chosen joint, in place of a quantity.
  static constexpr int kJointCoordinate = -2, kJointForce = -3, kJointTorque = -4, kJointDrive = -5,
                       kJointError = -6;

  /// True for the keys of what a tile can show.
  static bool isKey(const QString& key);

  PlotTile(Session* session, int quantity, QWidget* parent = nullptr);

  /// Least height of the area between the axes. A larger value shows fewer plots at a time; a smaller one
  /// leaves no room for two curves and their axis.
  static constexpr int kLeastPlot = 120;  // px

  PlotView* view() const { return m_view; }
  QComboBox* quantityBox() const { return m_choice; }
  /// Width that the title needs beside the buttons that cannot move into a menu.
  int leastWidth() const;
  int quantity() const;
  void setQuantity(int quantity);
  /// The quantity of a key(); another key changes nothing.
  void setKey(const QString& key);
  /// Key for file names: "penetration_max", "convergence".
  QString key() const;
  QString title() const;
  /// True for a tile whose x axis is time.
  bool isOverTime() const { return quantity() != kConvergence; }
  void setOptions(const PlotOptions& options);
  const PlotOptions& options() const { return m_options; }
  /// @param until  samples after this time are left out [s]
  void refreshData(double until = std::numeric_limits<double>::infinity());
  void refreshCursor();
  /// The curves of the panes without those of copies, in the unit of the data.
  std::vector<Curve> paneCurves() const;
  /// Bands of copies to show with the curves of the panes; null: none.
  void setEnsemble(const ShownEnsemblePtr& ensemble);
  void setDark(bool dark);
  /// Writes a file of the type given by its ending (png, svg, pdf, csv), in light colours with the title.
  bool exportTo(const QString& file, const FigureStyle& style);
  QImage figure(const FigureStyle& style);
  QImage picture(const QSize& size, const QFont& font);
  /// Sets the menu for this step's problem, which is part of the convergence plot's menu.
  void setProblemMenu(QMenu* menu) { m_problemMenu = menu; }
  /// Goes to the time at a place of the plot, and picks the pane of the curve there. A click changes the time
  /// only; this is an entry of the menu.
  void pick(const QPoint& position);

 Q_SIGNALS:
  void leastWidthChanged();
  void enlargeRequested();
  void optionsChosen(const touchstone::PlotOptions& options);
  void addRequested();
  void removeRequested();
  void markerChosen(int marker, double time);  ///< 0: A, 1: B, at a time; −1: remove both
  void readOut(const QString& text);
  void figureRequested();
  void pointPicked(int pane);  ///< of that pane's curve; the cursor is already at that time

 protected:
  void resizeEvent(QResizeEvent* event) override;

 private:
  void refreshConvergence();
  void nameJoint();
  QString emptyNote() const;
  ValueOfRecord valueOf() const;
  std::vector<Curve> relatedCurvesOfPanes();
  void addOptions(QMenu* menu);
  void refreshHorizon();
  void showTitles();
  int paneUnder(const QPoint& position) const;
  void showMenu(const QPoint& position);
  QMenu* levelsMenu();
  void buildMore();
  void fitHeader();

  Session* m_session;
  QComboBox* m_choice;
  QToolButton *m_parts, *m_log, *m_fit, *m_enlarge;
  QToolButton* m_more;  ///< has the buttons for which the header has no room
  ConvergenceLevels m_levels;
  PlotOptions m_options;
  PlotView* m_view;
  QMenu* m_problemMenu = nullptr;
  ShownEnsemblePtr m_ensemble;
  std::vector<int> m_curvePanes;  ///< panes of the first curves
};

}  // namespace touchstone
