#pragma once

#include <QTimer>
#include <QWidget>
#include <vector>

#include "core/record/quantity.h"

class QComboBox;
class QGridLayout;
class QHBoxLayout;
class QToolButton;

namespace touchstone {

class PlotView;
class Session;

/// One plot with the choice of what it shows: a quantity over time, or the solver's convergence at the cursor.
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
  bool exportTo(const QString& file, const QSize& size);

 Q_SIGNALS:
  void enlargeRequested();
  void readOut(const QString& text);

 private:
  void showTitles(bool withTitle);

  Session* m_session;
  QComboBox* m_choice;
  QToolButton* m_log;
  PlotView* m_view;
};

/// Plots as tiles. Refreshed a few times a second while frames arrive, at once otherwise.
class PlotPanel : public QWidget {
  Q_OBJECT
 public:
  explicit PlotPanel(Session* session, QWidget* parent = nullptr);

  const std::vector<PlotTile*>& tiles() const { return m_tiles; }
  void setDark(bool dark);
  /// Brings data and cursor of all tiles up to date now.
  void refreshNow();
  /// Shows one tile alone, or all again. −1: all.
  void toggleEnlarged(int tile);
  int enlarged() const { return m_enlarged; }

 Q_SIGNALS:
  void readOut(const QString& text);

 protected:
  void showEvent(QShowEvent* event) override;

 private:
  void arrange();
  void rebuildLegend();
  void schedule(bool data);

  Session* m_session;
  QHBoxLayout* m_legend;
  QGridLayout* m_grid;
  std::vector<PlotTile*> m_tiles;
  QTimer m_refresh;
  bool m_dataChanged = true;
  int m_enlarged = -1;
};

}  // namespace touchstone
