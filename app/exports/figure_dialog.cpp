#include "app/exports/figure_dialog.h"

#include <QComboBox>
#include <QDialogButtonBox>
#include <QFormLayout>
#include <QLabel>
#include <QPushButton>
#include <QSignalBlocker>
#include <QSpinBox>

#include "app/plots/plot_panel.h"
#include "widgets/plots/plot_view.h"

namespace touchstone {

namespace {

struct Preset {
  const char* name;
  FigureStyle style;
};

constexpr Preset kPresets[] = {
    {QT_TRANSLATE_NOOP("FigureDialog", "One column (85 mm)"), {85, 60, 8, 1.1, 600}},
    {QT_TRANSLATE_NOOP("FigureDialog", "One and a half columns (120 mm)"), {120, 80, 9, 1.3, 600}},
    {QT_TRANSLATE_NOOP("FigureDialog", "Two columns (175 mm)"), {175, 90, 9, 1.3, 600}},
    {QT_TRANSLATE_NOOP("FigureDialog", "Slide (250 mm)"), {250, 140, 18, 3, 150}},
};

QDoubleSpinBox* spin(double low, double high, double step, const QString& unit) {
  auto* box = new QDoubleSpinBox;
  box->setRange(low, high);
  box->setDecimals(1);
  box->setSingleStep(step);
  box->setSuffix(unit);
  return box;
}

}  // namespace

FigureDialog::FigureDialog(const std::vector<PlotTile*>& tiles, int chosen, const FigureStyle& style,
                           QWidget* parent)
    : QDialog(parent),
      m_tiles(tiles),
      m_plot(new QComboBox),
      m_preset(new QComboBox),
      m_width(spin(30, 500, 5, tr(" mm"))),
      m_height(spin(20, 400, 5, tr(" mm"))),
      m_font(spin(5, 40, 1, tr(" pt"))),
      m_line(spin(0.3, 8, 0.1, tr(" pt"))),
      m_dpi(new QSpinBox),
      m_preview(new QLabel) {
  setWindowTitle(tr("Figure"));
  for (const PlotTile* tile : tiles) m_plot->addItem(tile->title());
  m_plot->setCurrentIndex(chosen);
  m_preset->addItem(tr("Own"));
  for (const Preset& preset : kPresets) m_preset->addItem(tr(preset.name));
  m_dpi->setRange(72, 1200);
  m_dpi->setSuffix(tr(" dpi"));
  m_dpi->setToolTip(tr("Resolution of PNG images"));
  m_width->setValue(style.widthMm);
  m_height->setValue(style.heightMm);
  m_font->setValue(style.fontPt);
  m_font->setDecimals(0);
  m_line->setValue(style.linePt);
  m_dpi->setValue(style.dpi);

  auto* form = new QFormLayout;
  form->addRow(tr("&Plot"), m_plot);
  form->addRow(tr("P&reset"), m_preset);
  form->addRow(tr("&Width"), m_width);
  form->addRow(tr("&Height"), m_height);
  form->addRow(tr("&Type size"), m_font);
  form->addRow(tr("&Line width"), m_line);
  form->addRow(tr("Resol&ution"), m_dpi);
  auto* buttons = new QDialogButtonBox(QDialogButtonBox::Save | QDialogButtonBox::Close);
  QPushButton* copy = buttons->addButton(tr("&Copy"), QDialogButtonBox::ActionRole);
  copy->setToolTip(tr("The figure to the clipboard, as an image"));
  buttons->button(QDialogButtonBox::Save)->setText(tr("&Save…"));
  auto* column = new QVBoxLayout;
  column->addLayout(form);
  column->addStretch(1);
  column->addWidget(buttons);
  auto* row = new QHBoxLayout(this);
  row->addLayout(column);
  m_preview->setFixedSize(620, 420);
  m_preview->setAlignment(Qt::AlignCenter);
  m_preview->setAccessibleName(tr("Preview"));
  m_preview->setFrameShape(QFrame::StyledPanel);
  row->addWidget(m_preview);

  connect(buttons, &QDialogButtonBox::accepted, this, &FigureDialog::saveRequested);
  connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
  connect(copy, &QPushButton::clicked, this, &FigureDialog::copyRequested);
  connect(m_plot, QOverload<int>::of(&QComboBox::currentIndexChanged), this, &FigureDialog::refreshPreview);
  connect(m_preset, QOverload<int>::of(&QComboBox::activated), this, &FigureDialog::applyPreset);
  for (QDoubleSpinBox* box : {m_width, m_height, m_font, m_line})
    connect(box, QOverload<double>::of(&QDoubleSpinBox::valueChanged), this, [this] {
      m_preset->setCurrentIndex(0);
      refreshPreview();
    });
  refreshPreview();
}

PlotTile* FigureDialog::tile() const { return m_tiles[m_plot->currentIndex()]; }

FigureStyle FigureDialog::style() const {
  return {m_width->value(), m_height->value(), m_font->value(), m_line->value(), m_dpi->value()};
}

void FigureDialog::applyPreset(int preset) {
  if (preset == 0) return;
  const FigureStyle& style = kPresets[preset - 1].style;
  for (QDoubleSpinBox* box : {m_width, m_height, m_font, m_line}) box->blockSignals(true);
  m_width->setValue(style.widthMm);
  m_height->setValue(style.heightMm);
  m_font->setValue(style.fontPt);
  m_line->setValue(style.linePt);
  m_dpi->setValue(style.dpi);
  for (QDoubleSpinBox* box : {m_width, m_height, m_font, m_line}) box->blockSignals(false);
  refreshPreview();
}

/// Previews at the resolution at which the figure just fits, so that type and lines have their true
/// proportions.
void FigureDialog::refreshPreview() {
  FigureStyle style = this->style();
  const QSizeF inches(style.widthMm / 25.4, style.heightMm / 25.4);
  const double fits =
      std::min((m_preview->width() - 12) / inches.width(), (m_preview->height() - 12) / inches.height());
  style.dpi = static_cast<int>(fits * devicePixelRatioF());
  QPixmap pixmap = QPixmap::fromImage(tile()->figure(style));
  pixmap.setDevicePixelRatio(devicePixelRatioF());
  m_preview->setPixmap(pixmap);
}

}  // namespace touchstone
