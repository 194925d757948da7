#include <QPainter>
#include <QPainterPath>
#include <algorithm>
#include <cmath>

#include "widgets/palette.h"
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

/// Points of one column of pixels. Only the first, lowest, highest and last of them are visible.
struct Column {
  QPointF first, low, high, last;
  void start(const QPointF& point) { first = low = high = last = point; }
  void add(const QPointF& point) {
    if (point.y() < high.y()) high = point;
    if (point.y() > low.y()) low = point;
    last = point;
  }
  void appendTo(QPolygonF& part) const {
    part.append(first);
    const bool lowFirst = low.x() <= high.x();
    for (const QPointF& point : {lowFirst ? low : high, lowFirst ? high : low, last})
      if (point != part.back()) part.append(point);
  }
};

/// Vertices of a curve in pixels, thinned by columns. A gap starts a new part.
std::vector<QPolygonF> partsOf(const PlotState& state, const PlotLayout& layout, const Curve& curve) {
  std::vector<QPolygonF> parts(1);
  Column column;
  double columnAt = 0;
  bool open = false;
  const auto close = [&] {
    if (open) column.appendTo(parts.back());
    open = false;
  };
  for (std::size_t sample = 0; sample < curve.x.size(); ++sample) {
    const QPointF point = toPixels(state, layout, curve.x[sample], curve.y[sample]);
    if (!std::isfinite(point.x()) || !std::isfinite(point.y())) {
      close();
      if (!parts.back().isEmpty()) parts.emplace_back();
      continue;
    }
    const double at = std::floor(point.x() * state.samplesPerPixel);
    if (open && at == columnAt) {
      column.add(point);
      continue;
    }
    close();
    column.start(point);
    columnAt = at;
    open = true;
  }
  close();
  return parts;
}

/// Colour of a curve on the ground of the plot.
QColor inkOf(const Curve& curve, const PlotState& state) {
  return state.map.values.empty() ? legibleOn(curve.colour, themeColours(state.dark).background)
                                  : curve.colour;
}

QPen penOf(const Curve& curve, const PlotState& state, double width) {
  QPen pen(inkOf(curve, state), width, static_cast<Qt::PenStyle>(curve.dash), Qt::FlatCap, Qt::RoundJoin);
  return pen;
}

/// Paints a part of a curve. A single sample, such as the convergence of a pivoting solver, is drawn as a
/// dot.
void paintPart(QPainter& painter, const PlotState& state, const PlotLayout& layout, std::size_t curve,
               const QPolygonF& part) {
  if (part.size() == 1 && state.curves[curve].marker >= 0) return;
  if (part.size() == 1) {
    painter.setPen(Qt::NoPen);
    painter.setBrush(inkOf(state.curves[curve], state));
    painter.drawEllipse(part.front(), 1.8 * state.lineWidth, 1.8 * state.lineWidth);
    painter.setBrush(Qt::NoBrush);
    return;
  }
  if (state.curves[curve].filled && !state.logY) {
    const double zero = toPixels(state, layout, state.x.low, 0).y();
    QColor shade = inkOf(state.curves[curve], state);
    shade.setAlpha(60);
    QPolygonF area = part;
    area << QPointF(part.back().x(), zero) << QPointF(part.front().x(), zero);
    painter.setPen(Qt::NoPen);
    painter.setBrush(shade);
    painter.drawPolygon(area);
    painter.setBrush(Qt::NoBrush);
  }
  if (!state.map.values.empty()) {  // an edge by which the line is seen on every colour
    painter.setPen(QPen(Qt::black, 2.2 * state.lineWidth));
    painter.drawPolyline(part);
  }
  painter.setPen(penOf(state.curves[curve], state, state.lineWidth));
  painter.drawPolyline(part);
}

/// Shades the area between low and high of a curve. On a logarithmic axis what is not positive lies at the
/// lower end.
void paintBand(QPainter& painter, const PlotState& state, const PlotLayout& layout, const Curve& curve) {
  QColor shade = inkOf(curve, state);
  shade.setAlpha(50);
  painter.setPen(Qt::NoPen);
  painter.setBrush(shade);
  QPolygonF above, below;
  const auto paint = [&] {
    std::reverse(below.begin(), below.end());
    if (above.size() > 1) painter.drawPolygon(above + below);
    above.clear();
    below.clear();
  };
  const auto shown = [&state](double y) { return state.logY && y <= 0 ? state.y.low : y; };
  for (std::size_t sample = 0; sample < curve.low.size(); ++sample) {
    if (!std::isfinite(curve.low[sample]) || !std::isfinite(curve.high[sample])) {
      paint();
      continue;
    }
    const QPointF high = toPixels(state, layout, curve.x[sample], shown(curve.high[sample]));
    const bool isDense = !above.isEmpty() && sample + 1 < curve.low.size() &&
                         high.x() - above.back().x() < 1 / state.samplesPerPixel;
    if (isDense) continue;
    above << high;
    below << toPixels(state, layout, curve.x[sample], shown(curve.low[sample]));
  }
  paint();
  painter.setBrush(Qt::NoBrush);
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

/// Draws diamonds where the settings of a curve changed, at the next sample.
void paintMarks(QPainter& painter, const PlotState& state, const PlotLayout& layout, const Curve& curve) {
  const double size = 2.4 * state.lineWidth;
  painter.setPen(QPen(themeColours(state.dark).background, 1));
  painter.setBrush(inkOf(curve, state));
  for (double mark : curve.marks) {
    const auto at = std::lower_bound(curve.x.begin(), curve.x.end(), mark);
    std::size_t sample = static_cast<std::size_t>(at - curve.x.begin());
    while (sample < curve.x.size() && !std::isfinite(curve.y[sample])) ++sample;
    if (sample == curve.x.size()) continue;
    const QPointF centre = toPixels(state, layout, curve.x[sample], curve.y[sample]);
    if (!std::isfinite(centre.y())) continue;
    painter.drawPolygon(QPolygonF({centre + QPointF(0, -size), centre + QPointF(size, 0),
                                   centre + QPointF(0, size), centre + QPointF(-size, 0)}));
  }
  painter.setBrush(Qt::NoBrush);
}

double markerSize(const PlotState& state) { return 1.8 * state.lineWidth; }

void paintMarkers(QPainter& painter, const PlotState& state, const PlotLayout& layout, const Curve& curve) {
  if (curve.marker < 0) return;
  painter.setPen(QPen(themeColours(state.dark).background, 0.5));
  painter.setBrush(inkOf(curve, state));
  for (std::size_t sample = 0; sample < curve.x.size(); ++sample) {
    const QPointF at = toPixels(state, layout, curve.x[sample], curve.y[sample]);
    if (std::isfinite(at.x()) && std::isfinite(at.y()))
      paintMarker(painter, curve.marker, at, markerSize(state));
  }
  painter.setBrush(Qt::NoBrush);
}

/// Crosses of failed runs, one row for each curve that has some.
void paintCrosses(QPainter& painter, const PlotState& state, const PlotLayout& layout) {
  const double size = 1.6 * state.lineWidth;
  double y = layout.plot.top() + 1.5 * size;
  for (std::size_t curve = 0; curve < state.curves.size(); ++curve) {
    const Curve& of = state.curves[curve];
    if (!state.visible[curve] || of.crosses.empty()) continue;
    painter.setPen(QPen(inkOf(of, state), 0.8 * state.lineWidth));
    for (double x : of.crosses) {
      const double at = toPixels(state, layout, x, state.y.high).x();
      if (!std::isfinite(at)) continue;
      painter.drawLine(QPointF(at - size, y - size), QPointF(at + size, y + size));
      painter.drawLine(QPointF(at - size, y + size), QPointF(at + size, y - size));
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
    const QPointF at =
        toPixels(state, layout, band.ofX ? band.high : state.x.low, band.ofX ? state.y.high : band.high);
    if (!layout.plot.adjusted(-1, -1, 1, 1).contains(at)) continue;
    if (!band.ofX) {
      const double y = at.y() - line < layout.plot.top() ? at.y() + 1 : at.y() - line;
      paintOnGround(painter, state, QRectF(layout.plot.left() + 4, y, layout.plot.width() - 8, line),
                    band.label);
      continue;
    }
    painter.save();
    painter.translate(at.x() + 1, layout.plot.bottom() - 4);
    painter.rotate(-90);
    paintOnGround(painter, state, QRectF(0, 0, layout.plot.height() - 8, line), band.label);
    painter.restore();
  }
}

QColor colourOf(const FigureMap& map, Range range, double value) {
  const auto at = [&map](double x) { return map.logarithmic ? std::log10(x) : x; };
  const double t = (at(std::max(value, map.logarithmic ? range.low : value)) - at(range.low)) /
                   (at(range.high) - at(range.low));
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
  const auto at = [&](double value) { return state.map.logarithmic ? std::log10(value) : value; };
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
    const double y = bar.bottom() - bar.height() * (at(layout.barTicks[tick]) - at(range.low)) /
                                        (at(range.high) - at(range.low));
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
    painter.setPen(penOf(state.curves[curve], state, 1.2 * state.lineWidth));
    const double middle = row.center().y();
    if (state.curves[curve].hasLine)
      painter.drawLine(QPointF(row.left(), middle), QPointF(row.left() + layout.sampleLength, middle));
    if (state.curves[curve].marker >= 0) {
      painter.setBrush(inkOf(state.curves[curve], state));
      painter.setPen(Qt::NoPen);
      paintMarker(painter, state.curves[curve].marker, QPointF(row.left() + layout.sampleLength / 2, middle),
                  markerSize(state));
      painter.setBrush(Qt::NoBrush);
    }
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

/// What the grey ground means, at its upper end, over a ground of its own since curves may be there.
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
  if (state.following || size.width() > layout.plot.width()) return;
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
  for (std::size_t curve = 0; curve < state.curves.size(); ++curve)
    if (state.visible[curve]) paintBand(painter, state, layout, state.curves[curve]);
  for (std::size_t curve = 0; curve < state.curves.size(); ++curve) {
    if (!state.visible[curve]) continue;
    if (state.curves[curve].hasLine)
      for (const QPolygonF& part : partsOf(state, layout, state.curves[curve]))
        paintPart(painter, state, layout, curve, part);
    paintMarkers(painter, state, layout, state.curves[curve]);
    paintMarks(painter, state, layout, state.curves[curve]);
  }
  paintCrosses(painter, state, layout);
  if (std::isfinite(state.cursor)) {
    const double x = toPixels(state, layout, state.cursor, state.y.low).x();
    painter.setPen(QPen(colours.text, 1));
    painter.drawLine(QPointF(x, layout.plot.top()), QPointF(x, layout.plot.bottom()));
  }
  painter.setClipping(false);
  painter.setPen(QPen(colours.axis, 1));
  painter.drawLine(layout.plot.bottomLeft(), layout.plot.bottomRight());
  painter.drawLine(layout.plot.bottomLeft(), layout.plot.topLeft());
  painter.restore();
}

void paintTexts(QPainter& painter, const PlotState& state, const PlotLayout& layout) {
  const ThemeColours& colours = themeColours(state.dark);
  painter.save();
  painter.setPen(colours.text);
  painter.setFont(layout.titleFont);
  painter.drawText(layout.title, Qt::AlignLeft | Qt::AlignVCenter, state.title);
  painter.setFont(layout.font);
  painter.drawText(layout.xTitle, Qt::AlignCenter, state.xLabel);
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

void paintMarker(QPainter& painter, int marker, const QPointF& at, double size) {
  switch (marker % 4) {
    case 0:
      painter.drawEllipse(at, size, size);
      return;
    case 1:
      painter.drawRect(QRectF(at - QPointF(0.9 * size, 0.9 * size), QSizeF(1.8 * size, 1.8 * size)));
      return;
    case 2:
      painter.drawPolygon(QPolygonF({at + QPointF(0, -1.2 * size), at + QPointF(1.1 * size, 0.8 * size),
                                     at + QPointF(-1.1 * size, 0.8 * size)}));
      return;
    default:
      painter.drawPolygon(QPolygonF({at + QPointF(0, -1.3 * size), at + QPointF(1.3 * size, 0),
                                     at + QPointF(0, 1.3 * size), at + QPointF(-1.3 * size, 0)}));
  }
}

void paintPlot(QPainter& painter, const PlotState& state, const PlotLayout& layout) {
  paintCurves(painter, state, layout);
  paintTexts(painter, state, layout);
}

}  // namespace touchstone
