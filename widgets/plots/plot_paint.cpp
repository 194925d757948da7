#include <QPainter>
#include <algorithm>
#include <cmath>

#include "core/math/count.h"
#include "widgets/palette.h"
#include "widgets/plots/plot_lines.h"
#include "widgets/plots/plot_state.h"

namespace touchstone {

namespace {

void paintGrid(QPainter& painter, const PlotState& state, const PlotLayout& layout,
               const ThemeColours& colours) {
  painter.setPen(QPen(colours.grid, 1));
  for (double tick : layout.xTicks) {
    const double x = toPixels(state, layout, tick, state.y.low).x();
    painter.drawLine(QPointF(x, layout.plot.top()), QPointF(x, layout.plot.bottom()));
  }
  for (double tick : layout.yTicks) {
    const double y = toPixels(state, layout, state.x.low, tick).y();
    painter.drawLine(QPointF(layout.plot.left(), y), QPointF(layout.plot.right(), y));
  }
}

/// Greys the ground from PlotState::greyFrom on.
void paintGrey(QPainter& painter, const PlotState& state, const PlotLayout& layout,
               const ThemeColours& colours) {
  if (!std::isfinite(state.greyFrom) || state.greyFrom >= state.x.high) return;
  const double x = std::max(layout.plot.left(), toPixels(state, layout, state.greyFrom, state.y.low).x());
  QColor shade = colours.axis;
  shade.setAlpha(50);
  painter.fillRect(QRectF(QPointF(x, layout.plot.top()), layout.plot.bottomRight()), shade);
}

/// Crosses of failed runs, one row for each curve that has some.
void paintCrosses(QPainter& painter, const PlotState& state, const PlotLayout& layout) {
  const double size = 1.6 * state.lineWidth;
  double y = layout.plot.top() + 1.5 * size;
  for (std::size_t curve = 0; curve < state.curves.size(); ++curve) {
    const Curve& shown = state.curves[curve];
    if (!state.visible[curve] || shown.crosses.empty()) continue;
    painter.setPen(QPen(inkOf(shown.colour, state), 0.8 * state.lineWidth));
    for (double x : shown.crosses) {
      const double crossX = toPixels(state, layout, x, state.y.high).x();
      if (!std::isfinite(crossX)) continue;
      painter.drawLine(QPointF(crossX - size, y - size), QPointF(crossX + size, y + size));
      painter.drawLine(QPointF(crossX - size, y + size), QPointF(crossX + size, y - size));
    }
    y += 2.6 * size;
  }
}

/// Published values: a grey line, or a grey area between two.
void paintBands(QPainter& painter, const PlotState& state, const PlotLayout& layout,
                const ThemeColours& colours) {
  for (const PlotBand& band : state.bands) {
    const QPointF low =
        toPixels(state, layout, band.ofX ? band.low : state.x.low, band.ofX ? state.y.low : band.low);
    const QPointF high =
        toPixels(state, layout, band.ofX ? band.high : state.x.high, band.ofX ? state.y.high : band.high);
    if (!std::isfinite(low.x() + low.y() + high.x() + high.y())) continue;
    const QRectF area =
        QRectF(band.ofX ? QPointF(low.x(), layout.plot.bottom()) : QPointF(layout.plot.left(), low.y()),
               band.ofX ? QPointF(high.x(), layout.plot.top()) : QPointF(layout.plot.right(), high.y()))
            .normalized();
    if (band.low == band.high) {
      painter.setPen(QPen(colours.axis, 1.2 * state.lineWidth, Qt::DashLine));
      painter.drawLine(area.bottomLeft(), band.ofX ? area.topLeft() : area.bottomRight());
    } else {
      QColor shade = colours.axis;
      shade.setAlpha(70);
      painter.fillRect(area, shade);
    }
  }
}

/// A label over a pale ground of its own, since curves may be there.
void paintOnGround(QPainter& painter, const PlotState& state, const QRectF& place, const QString& text) {
  QColor ground = themeColours(state.dark).background;
  ground.setAlpha(200);
  painter.fillRect(
      QRectF(place.topLeft(), QSizeF(painter.fontMetrics().horizontalAdvance(text) + 2, place.height())),
      ground);
  painter.drawText(place, Qt::AlignLeft | Qt::AlignVCenter, text);
}

/// The labels of published values: at the left end of a line across, upwards beside a line up.
void paintBandLabels(QPainter& painter, const PlotState& state, const PlotLayout& layout) {
  const double line = QFontMetricsF(layout.font).height();
  for (const PlotBand& band : state.bands) {
    const QPointF corner =
        toPixels(state, layout, band.ofX ? band.high : state.x.low, band.ofX ? state.y.high : band.high);
    if (!layout.plot.adjusted(-1, -1, 1, 1).contains(corner)) continue;
    if (!band.ofX) {
      const double y = corner.y() - line < layout.plot.top() ? corner.y() + 1 : corner.y() - line;
      paintOnGround(painter, state, QRectF(layout.plot.left() + 4, y, layout.plot.width() - 8, line),
                    band.label);
      continue;
    }
    painter.save();
    painter.translate(corner.x() + 1, layout.plot.bottom() - 4);
    painter.rotate(-90);
    paintOnGround(painter, state, QRectF(0, 0, layout.plot.height() - 8, line), band.label);
    painter.restore();
  }
}

QColor colourOf(const FigureMap& map, Range range, double value) {
  const auto onScale = [&map](double x) { return map.logarithmic ? std::log10(x) : x; };
  const double t = (onScale(std::max(value, map.logarithmic ? range.low : value)) - onScale(range.low)) /
                   (onScale(range.high) - onScale(range.low));
  const auto [red, green, blue] = viridis(t);
  return QColor::fromRgbF(red, green, blue);
}

/// Cells of a map. Cells without a value are grey; a line parts failed cells from others.
void paintMap(QPainter& painter, const PlotState& state, const PlotLayout& layout) {
  const FigureMap& map = state.map;
  if (map.values.empty()) return;
  const Range range = mapRange(map);
  const std::vector<double> xs = cellEdges(map.x, state.logX), ys = cellEdges(map.y, state.logY);
  const std::size_t across = map.x.size();
  const auto corner = [&](std::size_t x, std::size_t y) { return toPixels(state, layout, xs[x], ys[y]); };
  painter.setRenderHint(QPainter::Antialiasing, false);
  for (std::size_t y = 0; y < map.y.size(); ++y)
    for (std::size_t x = 0; x < across; ++x) {
      const double value = map.values[y * across + x];
      const QRectF cell = QRectF(corner(x, y), corner(x + 1, y + 1)).normalized();
      painter.fillRect(cell.adjusted(0, 0, 0.3, 0.3),
                       std::isfinite(value) ? colourOf(map, range, value) : QColor(0xB0, 0xB0, 0xB0));
    }
  painter.setRenderHint(QPainter::Antialiasing);
  if (map.failed.empty()) return;
  const auto isFailed = [&](std::size_t x, std::size_t y) { return map.failed[y * across + x] != 0; };
  painter.setPen(QPen(QColor(0xD5, 0x5E, 0x00), 1.4 * state.lineWidth));
  for (std::size_t y = 0; y < map.y.size(); ++y)
    for (std::size_t x = 0; x < across; ++x) {
      if (x > 0 && isFailed(x, y) != isFailed(x - 1, y)) painter.drawLine(corner(x, y), corner(x, y + 1));
      if (y > 0 && isFailed(x, y) != isFailed(x, y - 1)) painter.drawLine(corner(x, y), corner(x + 1, y));
    }
}

void paintColourBar(QPainter& painter, const PlotState& state, const PlotLayout& layout,
                    const ThemeColours& colours) {
  if (layout.colourBar.isEmpty()) return;
  constexpr int kSteps = 64;  // more make larger files, fewer visible steps
  const QRectF& bar = layout.colourBar;
  const double line = QFontMetricsF(layout.font).height();
  const Range range = mapRange(state.map);
  const auto onScale = [&](double value) { return state.map.logarithmic ? std::log10(value) : value; };
  for (int step = 0; step < kSteps; ++step) {
    const auto [red, green, blue] = viridis((step + 0.5) / kSteps);
    painter.fillRect(QRectF(bar.left(), bar.bottom() - bar.height() * (step + 1) / kSteps, bar.width(),
                            bar.height() / kSteps + 0.3),
                     QColor::fromRgbF(red, green, blue));
  }
  painter.setPen(QPen(colours.axis, 1));
  painter.drawRect(bar);
  painter.setPen(colours.text);
  double widest = 0;
  for (std::size_t tick = 0; tick < layout.barTicks.size(); ++tick) {
    const double y = bar.bottom() - bar.height() * (onScale(layout.barTicks[tick]) - onScale(range.low)) /
                                        (onScale(range.high) - onScale(range.low));
    widest = std::max(widest, QFontMetricsF(layout.font).horizontalAdvance(layout.barLabels[tick]));
    painter.drawText(QRectF(bar.right() + 0.3 * line, y - line / 2, 10 * line, line),
                     Qt::AlignLeft | Qt::AlignVCenter, layout.barLabels[tick]);
  }
  painter.save();
  painter.rotate(-90);
  painter.drawText(QRectF(-bar.bottom(), bar.right() + 0.5 * line + widest, bar.height(), line),
                   Qt::AlignCenter,
                   QFontMetricsF(layout.font)
                       .elidedText(QString::fromStdString(state.map.label), Qt::ElideRight, bar.height()));
  painter.restore();
}

void paintLegend(QPainter& painter, const PlotState& state, const PlotLayout& layout,
                 const ThemeColours& colours) {
  for (std::size_t curve = 0; curve < state.curves.size(); ++curve) {
    const QRectF row = layout.legendRows[curve];
    if (row.isEmpty()) continue;
    painter.setOpacity(state.visible[curve] ? 1.0 : 0.35);
    paintSample(painter, state, state.curves[curve], QPointF(row.left(), row.center().y()),
                layout.sampleLength);
    painter.setPen(colours.text);
    painter.drawText(row.adjusted(1.2 * layout.sampleLength, 0, 0, 0), Qt::AlignLeft | Qt::AlignVCenter,
                     state.curves[curve].label);
  }
  painter.setOpacity(1);
}

void paintTickLabels(QPainter& painter, const PlotState& state, const PlotLayout& layout) {
  const double line = QFontMetricsF(layout.font).height();
  for (std::size_t tick = 0; tick < layout.xTicks.size(); ++tick) {
    const double x = toPixels(state, layout, layout.xTicks[tick], state.y.low).x();
    if (layout.turnedNames) {
      painter.save();
      painter.translate(x, layout.plot.bottom() + 0.4 * line);
      painter.rotate(-35);
      painter.drawText(QRectF(-300, -line / 2, 300, line), Qt::AlignRight | Qt::AlignVCenter,
                       layout.xLabels[tick]);
      painter.restore();
      continue;
    }
    painter.drawText(QRectF(x - 60, layout.plot.bottom() + 4, 120, line), Qt::AlignHCenter | Qt::AlignTop,
                     layout.xLabels[tick]);
  }
  for (std::size_t tick = 0; tick < layout.yTicks.size(); ++tick) {
    const double y = toPixels(state, layout, state.x.low, layout.yTicks[tick]).y();
    painter.drawText(QRectF(layout.plot.left() - 158, y - line / 2, 150, line),
                     Qt::AlignRight | Qt::AlignVCenter, layout.yLabels[tick]);
  }
}

void paintReferenceLabel(QPainter& painter, const PlotState& state, const PlotLayout& layout) {
  if (state.referenceLabel.isEmpty() || !std::isfinite(axisY(state, state.reference))) return;
  const double y = toPixels(state, layout, state.x.low, state.reference).y();
  if (y < layout.plot.top() || y > layout.plot.bottom()) return;
  const double line = QFontMetricsF(layout.font).height();
  const double above = y - line - 1 < layout.plot.top() ? y + 1 : y - line - 1;
  painter.drawText(QRectF(layout.plot.left(), above, layout.plot.width() - 4, line), Qt::AlignRight,
                   state.referenceLabel);
}

/// The meaning of the grey ground, at its upper end. It has a ground of its own since curves may be there.
void paintGreyLabel(QPainter& painter, const PlotState& state, const PlotLayout& layout,
                    const ThemeColours& colours) {
  if (!std::isfinite(state.greyFrom) || state.greyFrom >= state.x.high || state.greyLabel.isEmpty()) return;
  const QFontMetricsF metrics(layout.font);
  const double x = std::max(layout.plot.left(), toPixels(state, layout, state.greyFrom, state.y.low).x());
  const QRectF place(x + 2, layout.plot.top() + 2,
                     metrics.horizontalAdvance(state.greyLabel) + 0.5 * metrics.height(), metrics.height());
  // A label that is wider hides data of a small plot.
  if (place.right() > layout.plot.right() || 6 * place.height() > layout.plot.height()) return;
  QColor ground = colours.background;
  ground.setAlpha(190);
  painter.fillRect(place, ground);
  painter.drawText(place, Qt::AlignCenter, state.greyLabel);
}

void paintNote(QPainter& painter, const PlotLayout& layout, const ThemeColours& colours) {
  painter.setPen(colours.axis);
  painter.drawText(layout.plot.adjusted(4, 0, -4, 0), Qt::AlignCenter | Qt::TextWordWrap, layout.note);
}

/// Draws a chip which says that the axes no longer follow the data, and how to undo that.
void paintHeldChip(QPainter& painter, const PlotState& state, const PlotLayout& layout,
                   const ThemeColours& colours) {
  const QString text = QStringLiteral("held · double-click follows");
  const QFontMetricsF metrics(layout.font);
  const QSizeF size(metrics.horizontalAdvance(text) + metrics.height(), 1.3 * metrics.height());
  if (!state.isHeld || size.width() > layout.plot.width()) return;
  const QRectF chip(QPointF(layout.plot.right() - size.width() - 3, layout.plot.top() + 3), size);
  QColor ground = colours.background;
  ground.setAlpha(220);
  painter.setRenderHint(QPainter::Antialiasing);
  painter.setBrush(ground);
  painter.setPen(QPen(colours.axis, 1));
  painter.drawRoundedRect(chip, size.height() / 2, size.height() / 2);
  painter.setPen(colours.text);
  painter.drawText(chip, Qt::AlignCenter, text);
}

/// Markers A and B: a broken line, its name at the upper end.
void paintMarkerLines(QPainter& painter, const PlotState& state, const PlotLayout& layout,
                      const ThemeColours& colours) {
  const double line = QFontMetricsF(layout.font).height();
  painter.setFont(layout.titleFont);
  for (const PlotMarker& marker : state.markers) {
    const double x = toPixels(state, layout, marker.x, state.y.low).x();
    if (!(x >= layout.plot.left() - 1 && x <= layout.plot.right() + 1)) continue;
    painter.setPen(QPen(colours.warm, 1.5, Qt::DashLine));
    painter.drawLine(QPointF(x, layout.plot.top()), QPointF(x, layout.plot.bottom()));
    const double nameX = x + 2 + line > layout.plot.right() ? x - 2 - line : x + 2;
    const QRectF place(nameX, layout.plot.top() + 1, line, line);
    painter.fillRect(place, colours.background);
    painter.drawText(place, Qt::AlignCenter, marker.name);
  }
}

void paintCurves(QPainter& painter, const PlotState& state, const PlotLayout& layout) {
  const ThemeColours& colours = themeColours(state.dark);
  painter.save();
  paintMap(painter, state, layout);
  paintGrey(painter, state, layout, colours);
  if (state.map.values.empty()) paintGrid(painter, state, layout, colours);
  painter.setRenderHint(QPainter::Antialiasing);
  painter.setClipRect(layout.plot.adjusted(0, -state.lineWidth, 0, state.lineWidth));
  if (std::isfinite(axisY(state, state.reference))) {
    const double y = toPixels(state, layout, state.x.low, state.reference).y();
    painter.setPen(QPen(colours.axis, 1, Qt::DashLine));
    painter.drawLine(QPointF(layout.plot.left(), y), QPointF(layout.plot.right(), y));
  }
  paintBands(painter, state, layout, colours);
  paintLines(painter, state, layout);
  paintCrosses(painter, state, layout);
  paintMarkerLines(painter, state, layout, colours);
  painter.setClipping(false);
  painter.setPen(QPen(colours.axis, 1));
  painter.drawLine(layout.plot.bottomLeft(), layout.plot.bottomRight());
  painter.drawLine(layout.plot.bottomLeft(), layout.plot.topLeft());
  painter.restore();
}

/// The line over the plot in one of its forms.
enum class ReadingNames { Whole, Short, None };
struct ReadingLine {
  QString head;
  ReadingNames names = ReadingNames::Whole;
  double width = 0;
};

QString readingText(const PlotReading& reading, const PlotLayout& layout, ReadingNames names) {
  const QString value = shortNumber(reading.value / layout.yUnit.size, 3);
  if (names == ReadingNames::None) return value;
  return (names == ReadingNames::Whole ? reading.label : reading.shortLabel) + QLatin1Char(' ') + value;
}

QString headOf(const PlotState& state, const PlotLayout& layout, bool hasTitle) {
  if (!hasTitle || state.title.isEmpty()) return layout.yUnit.text;
  return layout.yUnit.text.isEmpty() ? state.title : state.title + QStringLiteral(", ") + layout.yUnit.text;
}

double sampleOf(const PlotLayout& layout, ReadingNames names) {
  return (names == ReadingNames::None ? 0.3 : 0.6) * layout.sampleLength;
}

/// The longest form of the line that has room: without the title where a widget shows it, then without the
/// names, which the samples stand for.
ReadingLine readingLineOf(const PlotState& state, const PlotLayout& layout) {
  const QFontMetricsF metrics(layout.font), bold(layout.titleFont);
  const double gap = 0.4 * metrics.height();
  ReadingLine line;
  using N = ReadingNames;
  const std::pair<bool, N> forms[] = {
      {true, N::Whole}, {true, N::Short}, {false, N::Whole}, {false, N::Short}, {false, N::None}};
  for (const auto& [hasTitle, names] : forms) {
    line.head = headOf(state, layout, !state.titleIsElsewhere || hasTitle);
    line.names = names;
    line.width = line.head.isEmpty() ? 0 : bold.horizontalAdvance(line.head) + 2 * gap;
    for (const PlotReading& reading : state.readings)
      line.width += sampleOf(layout, line.names) +
                    metrics.horizontalAdvance(readingText(reading, layout, line.names)) + 2 * gap;
    if (line.width <= layout.readings.width()) break;
  }
  return line;
}

void paintReadings(QPainter& painter, const PlotState& state, const PlotLayout& layout) {
  if (layout.readings.isEmpty()) return;
  const ThemeColours& colours = themeColours(state.dark);
  const QFontMetricsF metrics(layout.font), bold(layout.titleFont);
  const double gap = 0.4 * metrics.height(), middle = layout.readings.center().y();
  const ReadingLine line = readingLineOf(state, layout);
  painter.save();
  painter.setClipRect(layout.readings);
  painter.setRenderHint(QPainter::Antialiasing);
  double x = layout.readings.left();
  const auto write = [&](const QString& text, double width) {
    painter.setPen(colours.text);
    painter.drawText(QRectF(x, layout.readings.top(), width + 1, layout.readings.height()),
                     Qt::AlignLeft | Qt::AlignVCenter, text);
    x += width;
  };
  if (!line.head.isEmpty()) {
    painter.setFont(layout.titleFont);
    write(line.head, bold.horizontalAdvance(line.head));
    x += gap;
    painter.setPen(QPen(colours.axis, 1));
    painter.drawLine(QPointF(x, middle - gap), QPointF(x, middle + gap));
    x += gap;
  }
  painter.setFont(layout.font);
  // A number is written whole or not at all: a part of it is another number.
  const QString more = QStringLiteral("…");
  const double end = layout.readings.right();
  for (int index = 0; index < countOf(state.readings); ++index) {
    const PlotReading& reading = state.readings[index];
    const bool isLast = index + 1 == countOf(state.readings);
    const double width = sampleOf(layout, line.names) + 0.7 * gap +
                         metrics.horizontalAdvance(readingText(reading, layout, line.names));
    if (x + width > (isLast ? end : end - 1.3 * gap - metrics.horizontalAdvance(more))) {
      write(more, metrics.horizontalAdvance(more));
      break;
    }
    Curve sample;
    sample.colour = reading.colour;
    sample.dash = reading.dash;
    sample.marker = reading.marker;
    paintSample(painter, state, sample, QPointF(x, middle), sampleOf(layout, line.names));
    x += sampleOf(layout, line.names) + 0.7 * gap;
    const QString text = readingText(reading, layout, line.names);
    write(text, metrics.horizontalAdvance(text));
    x += 1.3 * gap;
  }
  painter.restore();
}

void paintTexts(QPainter& painter, const PlotState& state, const PlotLayout& layout) {
  const ThemeColours& colours = themeColours(state.dark);
  painter.save();
  painter.setPen(colours.text);
  painter.setFont(layout.titleFont);
  if (!layout.title.isEmpty()) painter.drawText(layout.title, Qt::AlignLeft | Qt::AlignVCenter, state.title);
  painter.setFont(layout.font);
  painter.drawText(layout.xTitle, Qt::AlignCenter, layout.xTitleText);
  painter.save();
  painter.rotate(-90);
  painter.drawText(layout.yTitle, Qt::AlignCenter, layout.yTitleText);
  painter.restore();
  paintTickLabels(painter, state, layout);
  paintReferenceLabel(painter, state, layout);
  paintBandLabels(painter, state, layout);
  paintColourBar(painter, state, layout, colours);
  paintGreyLabel(painter, state, layout, colours);
  paintLegend(painter, state, layout, colours);
  paintNote(painter, layout, colours);
  paintHeldChip(painter, state, layout, colours);
  painter.restore();
}

}  // namespace

void paintMarker(QPainter& painter, int marker, const QPointF& centre, double size) {
  switch (marker % 4) {
    case 0:
      painter.drawEllipse(centre, size, size);
      return;
    case 1:
      painter.drawRect(QRectF(centre - QPointF(0.9 * size, 0.9 * size), QSizeF(1.8 * size, 1.8 * size)));
      return;
    case 2:
      painter.drawPolygon(
          QPolygonF({centre + QPointF(0, -1.2 * size), centre + QPointF(1.1 * size, 0.8 * size),
                     centre + QPointF(-1.1 * size, 0.8 * size)}));
      return;
    default:
      painter.drawPolygon(QPolygonF({centre + QPointF(0, -1.3 * size), centre + QPointF(1.3 * size, 0),
                                     centre + QPointF(0, 1.3 * size), centre + QPointF(-1.3 * size, 0)}));
  }
}

QString readingsText(const PlotState& state, const PlotLayout& layout) {
  QStringList values;
  for (const PlotReading& reading : state.readings)
    values << readingText(reading, layout, ReadingNames::Whole);
  const QString head = headOf(state, layout, true);
  return head.isEmpty() ? values.join(QStringLiteral("  "))
                        : head + QStringLiteral(" | ") + values.join(QStringLiteral("  "));
}

void paintCursor(QPainter& painter, const PlotState& state, const PlotAxes& axes, const PlotLayout& layout) {
  if (!std::isfinite(state.cursor)) return;
  const ThemeColours& colours = themeColours(state.dark);
  painter.save();
  painter.setClipRect(layout.plot.adjusted(-1, -1, 1, 1));
  const double x = toPixels(axes, layout, state.cursor, axes.y.low).x();
  painter.setPen(QPen(colours.text, 1));
  painter.drawLine(QPointF(x, layout.plot.top()), QPointF(x, layout.plot.bottom()));
  painter.setRenderHint(QPainter::Antialiasing);
  painter.setPen(QPen(colours.background, 1));
  for (const PlotReading& reading : state.readings) {
    const QPointF centre = toPixels(axes, layout, state.cursor, reading.value);
    if (!std::isfinite(centre.y())) continue;
    painter.setBrush(inkOf(reading.colour, state));
    painter.drawEllipse(centre, 1.6 * state.lineWidth, 1.6 * state.lineWidth);
  }
  painter.restore();
  paintReadings(painter, state, layout);
}

void paintPlot(QPainter& painter, const PlotState& state, const PlotLayout& layout) {
  paintCurves(painter, state, layout);
  paintTexts(painter, state, layout);
  paintCursor(painter, state, state, layout);
}

}  // namespace touchstone
