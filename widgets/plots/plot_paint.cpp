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

QPen penOf(const Curve& curve, double width) {
  QPen pen(curve.colour, width, static_cast<Qt::PenStyle>(curve.dash), Qt::FlatCap, Qt::RoundJoin);
  return pen;
}

/// Paints a part of a curve. A single sample, such as the convergence of a pivoting solver, is drawn as a
/// dot.
void paintPart(QPainter& painter, const PlotState& state, const PlotLayout& layout, std::size_t curve,
               const QPolygonF& part) {
  if (part.size() == 1) {
    painter.setPen(Qt::NoPen);
    painter.setBrush(state.curves[curve].colour);
    painter.drawEllipse(part.front(), 1.8 * state.lineWidth, 1.8 * state.lineWidth);
    painter.setBrush(Qt::NoBrush);
    return;
  }
  if (state.curves[curve].filled && !state.logY) {
    const double zero = toPixels(state, layout, state.x.low, 0).y();
    QColor shade = state.curves[curve].colour;
    shade.setAlpha(60);
    QPolygonF area = part;
    area << QPointF(part.back().x(), zero) << QPointF(part.front().x(), zero);
    painter.setPen(Qt::NoPen);
    painter.setBrush(shade);
    painter.drawPolygon(area);
    painter.setBrush(Qt::NoBrush);
  }
  painter.setPen(penOf(state.curves[curve], state.lineWidth));
  painter.drawPolyline(part);
}

/// Shades the area between low and high of a curve. On a logarithmic axis what is not positive lies at the
/// lower end.
void paintBand(QPainter& painter, const PlotState& state, const PlotLayout& layout, const Curve& curve) {
  QColor shade = curve.colour;
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
  painter.setBrush(curve.colour);
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

void paintLegend(QPainter& painter, const PlotState& state, const PlotLayout& layout,
                 const ThemeColours& colours) {
  for (std::size_t curve = 0; curve < state.curves.size(); ++curve) {
    const QRectF row = layout.legendRows[curve];
    if (row.isEmpty()) continue;
    painter.setOpacity(state.visible[curve] ? 1.0 : 0.35);
    painter.setPen(penOf(state.curves[curve], 1.2 * state.lineWidth));
    const double middle = row.center().y();
    painter.drawLine(QPointF(row.left(), middle), QPointF(row.left() + layout.sampleLength, middle));
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
  paintGrey(painter, state, layout, colours);
  paintGrid(painter, state, layout, colours);
  painter.setRenderHint(QPainter::Antialiasing);
  painter.setClipRect(layout.plot.adjusted(0, -state.lineWidth, 0, state.lineWidth));
  if (std::isfinite(axisY(state, state.reference))) {
    const double y = toPixels(state, layout, state.x.low, state.reference).y();
    painter.setPen(QPen(colours.axis, 1, Qt::DashLine));
    painter.drawLine(QPointF(layout.plot.left(), y), QPointF(layout.plot.right(), y));
  }
  for (std::size_t curve = 0; curve < state.curves.size(); ++curve)
    if (state.visible[curve]) paintBand(painter, state, layout, state.curves[curve]);
  for (std::size_t curve = 0; curve < state.curves.size(); ++curve) {
    if (!state.visible[curve]) continue;
    for (const QPolygonF& part : partsOf(state, layout, state.curves[curve]))
      paintPart(painter, state, layout, curve, part);
    paintMarks(painter, state, layout, state.curves[curve]);
  }
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
  paintGreyLabel(painter, state, layout, colours);
  paintLegend(painter, state, layout, colours);
  paintNote(painter, layout, colours);
  paintHeldChip(painter, state, layout, colours);
  painter.restore();
}

}  // namespace

void paintPlot(QPainter& painter, const PlotState& state, const PlotLayout& layout) {
  paintCurves(painter, state, layout);
  paintTexts(painter, state, layout);
}

}  // namespace touchstone
