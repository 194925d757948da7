#pragma once

#include <QSet>
#include <QStringList>
#include <QTimer>
#include <QWidget>
#include <vector>

#include "core/record/quantity.h"
#include "widgets/plots/curve.h"
#include "widgets/plots/figure.h"

class QComboBox;
class QGridLayout;
class QHBoxLayout;
class QMenu;
class QToolButton;

namespace touchstone {

class PlotView;
class Session;
struct PaneSpan;

/// One plot and the choice of its content: a quantity over time, or the solver's convergence at the cursor.
class PlotTile : public QWidget {
  Q_OBJECT
 public:
  static constexpr int kConvergence = -1;  ///< in place of a quantity
  /// Numbers of the chosen joint, in place of a quantity.
  static constexpr int kJointCoordinate = -2, kJointForce = -3, kJointTorque = -4, kJointDrive = -5,
                       kJointError = -6;

  PlotTile(Session* session, int quantity, QWidget* parent = nullptr);

  PlotView* view() const { return m_view; }
  int quantity() const;
  void setQuantity(int quantity);
  /// Key for file names: "penetration_max", "convergence".
  QString key() const;
  QString title() const;
  void refreshData();
  void refreshCursor();
  void setDark(bool dark);
  /// Writes a file of the type given by its ending (png, svg, pdf, csv), in light colours with the title.
  bool exportTo(const QString& file, const FigureStyle& style);
  QImage figure(const FigureStyle& style);
  QImage picture(const QSize& size, const QFont& font);
  /// Sets the menu for this step's problem, which is part of the convergence plot's menu.
  void setProblemMenu(QMenu* menu) { m_problemMenu = menu; }

 Q_SIGNALS:
  void enlargeRequested();
  void readOut(const QString& text);
  void figureRequested();
  void pointPicked(int pane);  ///< of that pane's curve; the cursor is already at that time

 private:
  void refreshConvergence();
  void refreshJoint();
  void showTitles(bool withTitle);
  void showMenu(const QPoint& position);
  QMenu* levelsMenu();

  Session* m_session;
  QComboBox* m_choice;
  QToolButton *m_parts, *m_log;
  ConvergenceLevels m_levels;
  PlotView* m_view;
  QMenu* m_problemMenu = nullptr;
  std::vector<int> m_curvePanes;  ///< panes of the first curves
  bool m_planar = false;          ///< the units are those of a planar scene
};

/// Plots as tiles. While frames arrive, tiles are updated in turn, each a few times a second; otherwise at
/// once.
class PlotPanel : public QWidget {
  Q_OBJECT
 public:
  explicit PlotPanel(Session* session, QWidget* parent = nullptr);

  const std::vector<PlotTile*>& tiles() const { return m_tiles; }
  void setDark(bool dark);
  void setProblemMenu(QMenu* menu);
  /// Content of the tiles as keys: "penetration_max", "convergence". Unknown keys leave a tile unchanged.
  QStringList keys() const;
  void setKeys(const QStringList& keys);
  /// Updates data and cursor of all tiles now.
  void refreshNow();
  /// Shows one tile alone, or all. −1: all.
  void toggleEnlarged(int tile);
  int enlarged() const { return m_enlarged; }

 Q_SIGNALS:
  void readOut(const QString& text);
  void figureRequested(int tile);
  void pointPicked(int pane);

 protected:
  void showEvent(QShowEvent* event) override;

 private:
  enum class Change { None, Cursor, Data };  ///< change that a tile does not show yet
  void arrange();
  void onSceneChanged();
  void rebuildLegend();
  void addLegendEntry(const PaneSpan& span);
  void suggestQuantities();
  void schedule(Change change);
  void refreshTile(std::size_t tile);
  void refreshNext();

  Session* m_session;
  QHBoxLayout* m_legend;
  QStringList m_legendLabels;  ///< labels for which the legend was built
  QSet<QString> m_hidden;      ///< labels
  QGridLayout* m_grid;
  std::vector<PlotTile*> m_tiles;
  QTimer m_refresh;
  std::vector<int> m_suggested;   ///< [tileCount] quantity of a tile unless the user chose one
  std::vector<Change> m_pending;  ///< [tileCount]
  std::size_t m_next = 0;         ///< the tile to update next
  int m_enlarged = -1;
};

}  // namespace touchstone
