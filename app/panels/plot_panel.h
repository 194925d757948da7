#pragma once

#include <QSet>
#include <QStringList>
#include <QTimer>
#include <QWidget>
#include <vector>

#include "core/record/quantity.h"
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

/// One plot with the choice of what it shows: a quantity over time, or the solver's convergence at the
/// cursor.
class PlotTile : public QWidget {
  Q_OBJECT
 public:
  static constexpr int kConvergence = -1;  ///< instead of a quantity

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
  /// Writes by the file's ending (png, svg, pdf, csv), in light colours with the title on it.
  bool exportTo(const QString& file, const FigureStyle& style);
  QImage figure(const FigureStyle& style);
  QImage picture(const QSize& size, const QFont& font);
  /// What can be done with this step's problem; part of the convergence plot's menu.
  void setProblemMenu(QMenu* menu) { m_problemMenu = menu; }

 Q_SIGNALS:
  void enlargeRequested();
  void readOut(const QString& text);
  void figureRequested();
  void pointPicked(int pane);  ///< of that pane's curve; the cursor is there already

 private:
  void refreshConvergence();
  void showTitles(bool withTitle);
  void showMenu(const QPoint& position);

  Session* m_session;
  QComboBox* m_choice;
  QToolButton* m_log;
  PlotView* m_view;
  QMenu* m_problemMenu = nullptr;
  std::vector<int> m_curvePanes;  ///< whose the first curves are
  bool m_planar = false;          ///< the units shown are those of a planar scene
};

/// Plots as tiles. While frames arrive they are refreshed in turn, a few times a second each; at once
/// otherwise.
class PlotPanel : public QWidget {
  Q_OBJECT
 public:
  explicit PlotPanel(Session* session, QWidget* parent = nullptr);

  const std::vector<PlotTile*>& tiles() const { return m_tiles; }
  void setDark(bool dark);
  void setProblemMenu(QMenu* menu);
  /// What the tiles show, as keys: "penetration_max", "convergence". Unknown keys leave a tile as it is.
  QStringList keys() const;
  void setKeys(const QStringList& keys);
  /// Brings data and cursor of all tiles up to date now.
  void refreshNow();
  /// Shows one tile alone, or all again. −1: all.
  void toggleEnlarged(int tile);
  int enlarged() const { return m_enlarged; }

 Q_SIGNALS:
  void readOut(const QString& text);
  void figureRequested(int tile);
  void pointPicked(int pane);

 protected:
  void showEvent(QShowEvent* event) override;

 private:
  enum class Change { None, Cursor, Data };  ///< what a tile does not show yet
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
  QStringList m_legendLabels;  ///< what the legend was built for
  QSet<QString> m_hidden;      ///< labels
  QGridLayout* m_grid;
  std::vector<PlotTile*> m_tiles;
  QTimer m_refresh;
  std::vector<int> m_suggested;   ///< [tileCount] quantity that a tile shows unless the user chose another
  std::vector<Change> m_pending;  ///< [tileCount]
  std::size_t m_next = 0;         ///< the tile whose turn it is
  int m_enlarged = -1;
};

}  // namespace touchstone
