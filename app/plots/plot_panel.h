#pragma once

#include <QSet>
#include <QStringList>
#include <QTimer>
#include <QWidget>
#include <vector>

#include "app/plots/plot_tile.h"

class QGridLayout;
class QMenu;
class QScrollArea;

namespace touchstone {

class FlowRow;
class Session;
struct PaneSpan;

/// Plots as tiles. While frames arrive, tiles are updated in turn, each a few times a second; otherwise at
/// once.
class PlotPanel : public QWidget {
  Q_OBJECT
 public:
  explicit PlotPanel(Session* session, QWidget* parent = nullptr);

  const std::vector<PlotTile*>& tiles() const { return m_tiles; }
  void setDark(bool dark);
  void setProblemMenu(QMenu* menu);
  /// Bands of copies of the present scene in all tiles; null: none. They go with the scene.
  void setEnsemble(const ShownEnsemblePtr& ensemble);
  const ShownEnsemblePtr& ensemble() const { return m_ensemble; }
  /// Content of the tiles as keys: "penetration_max", "convergence". Unknown keys leave a tile unchanged.
  QStringList keys() const;
  void setKeys(const QStringList& keys);
  /// Updates data and cursor of all tiles now.
  void refreshNow();
  /// Shows one tile alone, or all. −1: all.
  void toggleEnlarged(int tile);
  int enlarged() const { return m_enlarged; }
  /// Shows a quantity alone: in the tile that has it, else in the first; Count shows all tiles.
  void showLarge(Quantity quantity);

 Q_SIGNALS:
  void readOut(const QString& text);
  void figureRequested(int tile);
  void pointPicked(int pane);

 protected:
  void showEvent(QShowEvent* event) override;
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  enum class Change { None, Cursor, Data };  ///< change that a tile does not show yet
  void arrange();
  int fittingColumns() const;
  void fitColumns();
  void onSceneChanged();
  void rebuildLegend();
  void addLegendEntry(const PaneSpan& span);
  void suggestQuantities();
  void schedule(Change change);
  void refreshTile(std::size_t tile);
  void refreshNext();

  Session* m_session;
  FlowRow* m_legend;
  QStringList m_legendLabels;  ///< labels for which the legend was built
  QSet<QString> m_hidden;      ///< labels
  QScrollArea* m_scroll;  ///< tiles for which there is no room
  QGridLayout* m_grid;
  int m_columns = 0;
  std::vector<PlotTile*> m_tiles;
  QTimer m_refresh;
  std::vector<int> m_suggested;   ///< [tileCount] quantity of a tile unless the user chose one
  std::vector<Change> m_pending;  ///< [tileCount]
  std::size_t m_next = 0;         ///< the tile to update next
  int m_enlarged = -1;
  ShownEnsemblePtr m_ensemble;
};

}  // namespace touchstone
