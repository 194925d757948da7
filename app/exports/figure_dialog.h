#pragma once

#include <QDialog>
#include <vector>

#include "widgets/plots/figure.h"

class QComboBox;
class QDoubleSpinBox;
class QLabel;
class QSpinBox;

namespace touchstone {

class PlotTile;

/// Settings of a plot for print: size, type and line width, with a preview in true proportions. Saves or
/// copies it.
class FigureDialog : public QDialog {
  Q_OBJECT
 public:
  FigureDialog(const std::vector<PlotTile*>& tiles, int chosen, const FigureStyle& style,
               QWidget* parent = nullptr);

  PlotTile* tile() const;
  FigureStyle style() const;

 Q_SIGNALS:
  void saveRequested();
  void copyRequested();

 private:
  void applyPreset(int preset);
  void refreshPreview();

  std::vector<PlotTile*> m_tiles;
  QComboBox *m_plot, *m_preset;
  QDoubleSpinBox *m_width, *m_height, *m_font, *m_line;
  QSpinBox* m_dpi;
  QLabel* m_preview;
};

}  // namespace touchstone
