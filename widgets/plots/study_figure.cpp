#include "widgets/plots/study_figure.h"

#include <QFontMetricsF>
#include <QPainter>
#include <algorithm>
#include <cmath>

#include "core/math/count.h"
#include "widgets/palette.h"
#include "widgets/plots/plot_lines.h"
#include "widgets/plots/plot_state.h"

namespace touchstone {

namespace {

QColor colourOf(const FigureCurve& curve, bool dark) {
  if (curve.method.empty()) return dark ? QColor(0xB0, 0xB0, 0xB0) : QColor(0x70, 0x70, 0x70);
  return variantColour(QString::fromStdString(curve.method), curve.variant);
}

int dashOf(const FigureCurve& curve) {
  constexpr int kDashes[] = {Qt::SolidLine, Qt::DashLine, Qt::DotLine, Qt::DashDotLine};
  if (curve.style == FigureCurve::Style::Theory) return Qt::DotLine;
  return kDashes[(curve.variant + curve.variant / 4) % 4];
}

Curve plotCurve(const FigureCurve& source, bool overMap, bool dark) {
  Curve curve;
  curve.label = QString::fromStdString(source.label);
  curve.colour = overMap ? QColor(Qt::white) : colourOf(source, dark);
  curve.dash = dashOf(source);
  curve.x = source.x;
  curve.y = source.y;
  curve.low = source.low;
  curve.high = source.high;
  curve.crosses = source.crosses;
  curve.hasLine = source.style != FigureCurve::Style::Points;
  const bool hasMarkers =
      source.style == FigureCurve::Style::Points || source.style == FigureCurve::Style::LineAndPoints;
  // Methods differ by their colour and their first marker, variants of one by the next markers.
  const int first = methodDash(QString::fromStdString(source.method));
  curve.marker = hasMarkers ? (first + source.variant) % 4 : -1;
  return curve;
}

PlotState plotOf(const FigurePanel& panel, bool dark, double lineWidth) {
  PlotState state;
  state.title = QString::fromStdString(panel.title);
  state.xLabel = QString::fromStdString(panel.xLabel);
  state.yLabel = QString::fromStdString(panel.yLabel);
  state.logX = panel.xLog;
  state.logY = panel.yLog;
  state.equalScales = panel.equalScales;
  state.map = panel.map;
  state.dark = dark;
  state.lineWidth = lineWidth;
  state.samplesPerPixel = 4;
  state.fullLegend = false;
  state.emptyNote = QStringLiteral("no run has a value yet");
  for (const std::string& name : panel.xNames) state.xNames.push_back(QString::fromStdString(name));
  for (const FigureBand& band : panel.bands)
    state.bands.push_back({band.low, band.high, band.ofX, QString::fromStdString(band.label)});
  for (const FigureCurve& curve : panel.curves) {
    state.curves.push_back(plotCurve(curve, !panel.map.values.empty(), dark));
    state.visible.push_back(1);
  }
  // Theory and formulas do not widen the axes beyond what was measured.
  PlotState measured = state;
  for (std::size_t curve = 0; curve < panel.curves.size(); ++curve)
    if (panel.curves[curve].style == FigureCurve::Style::Theory) measured.visible[curve] = 0;
  if (std::count(measured.visible.begin(), measured.visible.end(), 1) == 0 && panel.map.values.empty())
    measured.visible = state.visible;
  fitRanges(measured);
  state.x = measured.x;
  state.y = measured.y;
  return state;
}

/// Positions of the parts of a figure.
struct Layout {
  QRectF title, caption;
  std::vector<QRectF> legend, panels;
  std::vector<Curve> entries;  ///< of the legend
};

double lineWidthOf(const QFont& font) { return font.pixelSize() / 7.0; }

Layout layoutOf(const Figure& figure, const QSizeF& size, const QFont& font, bool dark) {
  Layout layout;
  QFont bold = font;
  bold.setBold(true);
  const QFontMetricsF metrics(font), titleMetrics(bold);
  const double line = metrics.height(), gap = 0.4 * line, width = size.width() - 2 * gap;
  double top = gap;
  if (!figure.title.empty()) {
    const double height =
        titleMetrics
            .boundingRect(QRectF(0, 0, width, 1e4), Qt::TextWordWrap, QString::fromStdString(figure.title))
            .height();
    layout.title = QRectF(gap, top, width, height);
    top += height + gap;
  }
  for (const FigurePanel& panel : figure.panels)
    for (const FigureCurve& curve : panel.curves) {
      // A curve whose name stands below its point needs no legend.
      if (std::count(panel.xNames.begin(), panel.xNames.end(), curve.label) > 0) continue;
      const Curve entry = plotCurve(curve, false, dark);
      const bool isThere = std::any_of(layout.entries.begin(), layout.entries.end(),
                                       [&](const Curve& other) { return other.label == entry.label; });
      if (!isThere) layout.entries.push_back(entry);
    }
  double x = gap;
  for (const Curve& entry : layout.entries) {
    const double needed = 2.4 * line + metrics.horizontalAdvance(entry.label) + 2 * gap;
    if (x > gap && x + needed > size.width() - gap) {
      x = gap;
      top += line + 2;
    }
    layout.legend.emplace_back(x, top, needed, line + 2);
    x += needed;
  }
  if (!layout.entries.empty()) top += line + 2;
  double bottom = size.height() - gap;
  if (!figure.caption.empty()) {
    const double wide = width - 2 * gap;
    const double height =
        metrics
            .boundingRect(QRectF(0, 0, wide, 1e4), Qt::TextWordWrap, QString::fromStdString(figure.caption))
            .height();
    layout.caption = QRectF(gap, bottom - height, wide, height);
    bottom -= height + gap;
  }
  const int columns = std::max(1, figure.columns);
  const int rows = (countOf(figure.panels) + columns - 1) / columns;
  for (std::size_t panel = 0; panel < figure.panels.size(); ++panel) {
    const int row = static_cast<int>(panel) / columns, column = static_cast<int>(panel) % columns;
    const double high = std::max(1.0, bottom - top) / rows, wide = size.width() / columns;
    layout.panels.emplace_back(column * wide, top + row * high, wide, high);
  }
  return layout;
}

void paintLegend(QPainter& painter, const Layout& layout, const QFont& font, bool dark) {
  const double line = QFontMetricsF(font).height();
  PlotState state;
  state.dark = dark;
  state.lineWidth = lineWidthOf(font);
  for (std::size_t entry = 0; entry < layout.entries.size(); ++entry) {
    const QRectF& row = layout.legend[entry];
    paintSample(painter, state, layout.entries[entry], QPointF(row.left(), row.center().y()), 2 * line);
    painter.setPen(themeColours(dark).text);
    painter.drawText(row.adjusted(2.4 * line, 0, 0, 0), Qt::AlignLeft | Qt::AlignVCenter,
                     layout.entries[entry].label);
  }
}

FigurePainting paintingOf(const Figure& figure, const FigureStyle& style) {
  return [&figure, &style](QPainter& painter) {
    painter.fillRect(QRectF(QPointF(), sizeInPoints(style)), Qt::white);
    paintFigure(painter, figure, sizeInPoints(style), figureFont(style.fontPt));
  };
}

}  // namespace

FigureStyle styleOf(const Figure& figure, double widthMm) {
  constexpr double kMillimetresPerPoint = 25.4 / 72;
  FigureStyle style;
  style.widthMm = widthMm;
  style.fontPt = 8;
  style.dpi = 150;
  const int columns = std::max(1, figure.columns);
  const int rows = std::max(1, (countOf(figure.panels) + columns - 1) / columns);
  const bool isSquare = !figure.panels.empty() && figure.panels.front().equalScales;
  const double panel = columns == 1 ? (isSquare ? 120 : 85) : columns == 2 ? 62 : 55;
  // What title, legend and caption take.
  style.heightMm = 1000;
  const QSizeF size = sizeInPoints(style);
  const Layout layout = layoutOf(figure, size, figureFont(style.fontPt), false);
  const double panels =
      layout.panels.empty() ? 0 : layout.panels.back().bottom() - layout.panels.front().top();
  style.heightMm = rows * panel + (size.height() - panels) * kMillimetresPerPoint;
  return style;
}

void paintFigure(QPainter& painter, const Figure& figure, const QSizeF& size, const QFont& font, bool dark) {
  const Layout layout = layoutOf(figure, size, font, dark);
  const ThemeColours& colours = themeColours(dark);
  painter.save();
  painter.setRenderHint(QPainter::Antialiasing);
  QFont bold = font;
  bold.setBold(true);
  painter.setFont(bold);
  painter.setPen(colours.text);
  painter.drawText(layout.title, Qt::TextWordWrap, QString::fromStdString(figure.title));
  painter.setFont(font);
  paintLegend(painter, layout, font, dark);
  for (std::size_t panel = 0; panel < figure.panels.size(); ++panel) {
    const PlotState state = plotOf(figure.panels[panel], dark, lineWidthOf(font));
    painter.save();
    painter.translate(layout.panels[panel].topLeft());
    paintPlot(painter, state, layoutPlot(state, layout.panels[panel].size(), font));
    painter.restore();
  }
  painter.setPen(colours.text);
  painter.drawText(layout.caption, Qt::TextWordWrap, QString::fromStdString(figure.caption));
  painter.restore();
}

QImage studyFigureImage(const Figure& figure, const FigureStyle& style) {
  return paintedImage(paintingOf(figure, style), style);
}
bool writeStudySvg(const Figure& figure, const FigureStyle& style, const QString& file) {
  return writePaintedSvg(paintingOf(figure, style), style, QString::fromStdString(figure.title), file);
}
bool writeStudyPdf(const Figure& figure, const FigureStyle& style, const QString& file) {
  return writePaintedPdf(paintingOf(figure, style), style, QString::fromStdString(figure.title), file);
}

std::optional<long> runAt(const Figure& figure, const QSizeF& size, const QFont& font, const QPointF& place) {
  const Layout layout = layoutOf(figure, size, font, false);
  const double reach = font.pixelSize();  // a point is hit from about its own size away
  for (std::size_t index = 0; index < figure.panels.size(); ++index) {
    if (!layout.panels[index].contains(place)) continue;
    const FigurePanel& panel = figure.panels[index];
    const PlotState state = plotOf(panel, false, lineWidthOf(font));
    const PlotLayout plot = layoutPlot(state, layout.panels[index].size(), font);
    const QPointF positionInPanel = place - layout.panels[index].topLeft();
    double nearest = reach;
    std::optional<long> run;
    for (const FigureCurve& curve : panel.curves)
      for (std::size_t k = 0; k < curve.runs.size(); ++k) {
        const QPointF offset = toPixels(state, plot, curve.x[k], curve.y[k]) - positionInPanel;
        const double distance = std::hypot(offset.x(), offset.y());
        if (!(distance < nearest) || curve.runs[k] < 0) continue;
        nearest = distance;
        run = curve.runs[k];
      }
    if (run || panel.map.runs.empty() || !plot.plot.contains(positionInPanel)) return run;
    const auto cellAt = [](const std::vector<double>& edges, double value) {
      const auto above = std::upper_bound(edges.begin(), edges.end(), value);
      return static_cast<std::ptrdiff_t>(above - edges.begin()) - 1;
    };
    const auto x = cellAt(cellEdges(panel.map.x, panel.xLog), xAt(state, plot, positionInPanel.x()));
    const auto y = cellAt(cellEdges(panel.map.y, panel.yLog), yAt(state, plot, positionInPanel.y()));
    const auto across = static_cast<std::ptrdiff_t>(panel.map.x.size());
    if (x < 0 || x >= across || y < 0 || y >= static_cast<std::ptrdiff_t>(panel.map.y.size())) return {};
    const long cell = panel.map.runs[y * across + x];
    return cell < 0 ? std::nullopt : std::optional<long>(cell);
  }
  return {};
}

}  // namespace touchstone
