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
class QTableWidget;

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
  // More tiles are too small to read together.
  static constexpr int kMostTiles = 8;
  /// Sets the number of tiles, 1 to kMostTiles.
  void setTileCount(int count);
  /// Content of the tiles as keys: "penetration_max", "convergence".
  QStringList keys() const;
  /// Makes a tile for each key; no keys change nothing, and an unknown one leaves its tile unchanged.
  void setKeys(const QStringList& keys);
  const PlotOptions& options() const { return m_options; }
  void setOptions(const PlotOptions& options);
  /// Sets marker A (0) or B (1) at a recorded frame; −1 removes it.
  void setMarker(int marker, long frame);
  long marker(int marker) const { return m_markers[marker]; }
  /// Numbers of each pane in the large plot at and between the markers.
  QTableWidget* betweenTable() const { return m_between; }
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
  void markersChanged();

 protected:
  void showEvent(QShowEvent* event) override;
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  enum class Change { None, Cursor, Data };  ///< change that a tile does not show yet
  PlotTile* makeTile(int quantity);
  int indexOf(const PlotTile* tile) const;
  void removeTile(PlotTile* tile);
  void arrange();
  int fittingColumns() const;
  void fitColumns();
  void onSceneChanged();
  void rebuildLegend();
  /// @param labels  names of the curves that it shows or hides
  void addLegendEntry(const Curve& curve, const QStringList& labels);
  void suggestQuantities();
  void schedule(Change change);
  void refreshTile(std::size_t tile);
  void refreshNext();
  void beginRound();
  void endRound();
  Range followedSpan() const;
  void shareSpan();
  bool isRecorded(long frame) const;
  void showMarkers();
  void fillBetween();

  Session* m_session;
  FlowRow* m_legend;
  QScrollArea* m_legendArea;   ///< the legend scrolls where it has many lines
  QStringList m_legendLabels;  ///< labels for which the legend was built
  QSet<QString> m_hidden;      ///< labels
  QScrollArea* m_scroll;       ///< tiles for which there is no room
  QGridLayout* m_grid;
  int m_columns = 0;
  std::vector<PlotTile*> m_tiles;
  QTimer m_refresh;
  std::vector<int> m_suggested;    ///< [tileCount] quantity of a tile unless the user chose one
  std::vector<Change> m_pending;   ///< [tileCount]
  std::vector<PlotTile*> m_round;  ///< tiles that are to show the record up to m_until together
  double m_until = 0;              ///< s
  Range m_heldSpan;                ///< times that the user chose in one of the tiles; NaN: all of them
  PlotOptions m_options;
  long m_markers[2] = {-1, -1};  ///< frames
  QTableWidget* m_between;
  QMenu* m_problemMenu = nullptr;
  bool m_dark = false;
  int m_enlarged = -1;
  ShownEnsemblePtr m_ensemble;
};

}  // namespace touchstone
