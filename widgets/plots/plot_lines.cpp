#include "widgets/plots/plot_lines.h"

#include <QPainter>
#include <algorithm>
#include <cmath>

#include "widgets/palette.h"

namespace touchstone {

namespace {

// Dashes of branches follow those of Qt, which methods have.
constexpr int kFirstBranchDash = Qt::CustomDashLine + 1, kBranchDashes = 4;

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
    const double pixelColumn = std::floor(point.x() * state.samplesPerPixel);
    if (open && pixelColumn == columnAt) {
      column.add(point);
      continue;
    }
    close();
    column.start(point);
    columnAt = pixelColumn;
    open = true;
  }
  close();
  return parts;
}

/// Paints a part of a curve. A single sample, such as the convergence of a pivoting solver, is drawn as a
/// dot.
void paintPart(QPainter& painter, const PlotState& state, const PlotLayout& layout, std::size_t curve,
               const QPolygonF& part) {
  if (part.size() == 1 && state.curves[curve].marker >= 0 && !state.curves[curve].sparse) return;
  if (part.size() == 1) {
    painter.setPen(Qt::NoPen);
    painter.setBrush(inkOf(state.curves[curve].colour, state));
    painter.drawEllipse(part.front(), 1.8 * state.lineWidth, 1.8 * state.lineWidth);
    painter.setBrush(Qt::NoBrush);
    return;
  }
  if (state.curves[curve].filled && !state.logY) {
    const double zero = toPixels(state, layout, state.x.low, 0).y();
    QColor shade = inkOf(state.curves[curve].colour, state);
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
  const Curve& shown = state.curves[curve];
  painter.setPen(penOf(shown.colour, shown.dash, state, shown.width * state.lineWidth));
  painter.drawPolyline(part);
}

/// Shades the area between low and high of a curve. On a logarithmic axis what is not positive lies at the
/// lower end.
void paintBand(QPainter& painter, const PlotState& state, const PlotLayout& layout, const Curve& curve) {
  QColor shade = inkOf(curve.colour, state);
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

/// Draws diamonds where the settings of a curve changed, at the next sample.
void paintMarks(QPainter& painter, const PlotState& state, const PlotLayout& layout, const Curve& curve) {
  const double size = 2.4 * state.lineWidth;
  painter.setPen(QPen(themeColours(state.dark).background, 1));
  painter.setBrush(inkOf(curve.colour, state));
  for (double mark : curve.marks) {
    const auto firstAfter = std::lower_bound(curve.x.begin(), curve.x.end(), mark);
    std::size_t sample = firstAfter - curve.x.begin();
    while (sample < curve.x.size() && !std::isfinite(curve.y[sample])) ++sample;
    if (sample == curve.x.size()) continue;
    const QPointF centre = toPixels(state, layout, curve.x[sample], curve.y[sample]);
    if (!std::isfinite(centre.y())) continue;
    painter.drawPolygon(QPolygonF({centre + QPointF(0, -size), centre + QPointF(size, 0),
                                   centre + QPointF(0, size), centre + QPointF(-size, 0)}));
  }
  painter.setBrush(Qt::NoBrush);
}

void paintMarkers(QPainter& painter, const PlotState& state, const PlotLayout& layout, const Curve& curve) {
  if (curve.marker < 0 || curve.sparse) return;
  painter.setPen(QPen(themeColours(state.dark).background, 0.5));
  painter.setBrush(inkOf(curve.colour, state));
  for (std::size_t sample = 0; sample < curve.x.size(); ++sample) {
    const QPointF point = toPixels(state, layout, curve.x[sample], curve.y[sample]);
    if (std::isfinite(point.x()) && std::isfinite(point.y()))
      paintMarker(painter, curve.marker, point, markerSize(state));
  }
  painter.setBrush(Qt::NoBrush);
}

/// Markers along a line, at a distance, each curve at other places than the one before.
void paintSparseMarkers(QPainter& painter, const PlotState& state, const Curve& curve, std::size_t index,
                        const std::vector<QPolygonF>& parts) {
  if (curve.marker < 0 || !curve.sparse) return;
  // In line widths. Larger distances leave short curves without a marker; smaller ones hide the line.
  constexpr double kApart = 50, kShift = 11;
  painter.setPen(QPen(themeColours(state.dark).background, 0.5));
  painter.setBrush(inkOf(curve.colour, state));
  double next = -HUGE_VAL;
  for (const QPolygonF& part : parts)
    for (const QPointF& vertex : part) {
      if (next == -HUGE_VAL)
        next = vertex.x() + (0.5 + static_cast<double>(index % 5)) * kShift * state.lineWidth;
      if (vertex.x() < next) continue;
      paintMarker(painter, curve.marker, vertex, markerSize(state));
      next = vertex.x() + kApart * state.lineWidth;
    }
  painter.setBrush(Qt::NoBrush);
}

/// Samples of a curve that share a few columns of pixels.
struct Bin {
  double low = HUGE_VAL, high = -HUGE_VAL, sum = 0;  // pixels, downwards
  int count = 0;
};

/// A dense curve: outlines of the area between its extremes, and its mean.
struct Envelope {
  std::vector<QPolygonF> bands, lines;
};

// Width in line widths. Wider bins smear peaks over time; narrower ones leave the mean as jagged as the
// curve.
double binWidth(const PlotState& state) { return 1.6 * state.lineWidth; }

/// True for a curve with more samples in the visible span than the plot has pixels.
bool isDense(const PlotState& state, const PlotLayout& layout, const Curve& curve) {
  if (!curve.hasLine || curve.filled || !curve.low.empty() || !state.map.values.empty()) return false;
  if (curve.marker >= 0 && !curve.sparse) return false;
  const auto begin = std::lower_bound(curve.x.begin(), curve.x.end(), state.x.low);
  const auto end = std::upper_bound(begin, curve.x.end(), state.x.high);
  return static_cast<double>(end - begin) > layout.plot.width() * state.samplesPerPixel;
}

Envelope envelopeOf(const PlotState& state, const PlotLayout& layout, const Curve& curve) {
  Envelope envelope;
  QPolygonF upper, lower, mean;
  Bin bin;
  double binAt = 0;
  const double width = binWidth(state);
  const auto closeBin = [&] {
    if (bin.count == 0) return;
    const double x = (binAt + 0.5) * width;
    upper << QPointF(x, bin.low);
    lower << QPointF(x, bin.high);
    mean << QPointF(x, bin.sum / bin.count);
    bin = Bin();
  };
  const auto closePart = [&] {
    closeBin();
    std::reverse(lower.begin(), lower.end());
    if (!mean.isEmpty()) {
      envelope.bands.push_back(upper + lower);
      envelope.lines.push_back(mean);
    }
    upper = lower = mean = QPolygonF();
  };
  for (std::size_t sample = 0; sample < curve.x.size(); ++sample) {
    const QPointF point = toPixels(state, layout, curve.x[sample], curve.y[sample]);
    if (!std::isfinite(point.x()) || !std::isfinite(point.y())) {
      closePart();
      continue;
    }
    const double place = std::floor(point.x() / width);
    if (bin.count > 0 && place != binAt) closeBin();
    binAt = place;
    bin.low = std::min(bin.low, point.y());
    bin.high = std::max(bin.high, point.y());
    bin.sum += point.y();
    ++bin.count;
  }
  closePart();
  return envelope;
}

/// Triangles at the ends of the y axis where a curve goes on beyond them.
void paintCuts(QPainter& painter, const PlotState& state, const PlotLayout& layout) {
  if (!state.isCut) return;
  const double size = 2.2 * state.lineWidth;
  painter.setPen(QPen(themeColours(state.dark).background, 0.5));
  for (std::size_t curve = 0; curve < state.curves.size(); ++curve) {
    const Curve& shown = state.curves[curve];
    if (!state.visible[curve]) continue;
    painter.setBrush(inkOf(shown.colour, state));
    double last[2] = {-HUGE_VAL, -HUGE_VAL};  // pixels: of the last triangle below, above
    for (std::size_t sample = 0; sample < shown.x.size(); ++sample) {
      const bool isAbove = shown.y[sample] > state.y.high;
      if (!isAbove && !(shown.y[sample] < state.y.low)) continue;
      const double x = toPixels(state, layout, shown.x[sample], state.y.low).x();
      if (x < layout.plot.left() || x > layout.plot.right() || x - last[isAbove] < 3 * size) continue;
      last[isAbove] = x;
      const double tip = isAbove ? layout.plot.top() : layout.plot.bottom(), base = isAbove ? 2 : -2;
      painter.drawPolygon(QPolygonF(
          {QPointF(x, tip), QPointF(x - size, tip + base * size), QPointF(x + size, tip + base * size)}));
    }
  }
  painter.setBrush(Qt::NoBrush);
}

/// Indices of the visible curves from the bottom to the top: solid lines first, then those with more and more
/// gaps.
std::vector<std::size_t> orderOf(const PlotState& state) {
  std::vector<std::size_t> order;
  for (std::size_t curve = 0; curve < state.curves.size(); ++curve)
    if (state.visible[curve]) order.push_back(curve);
  const auto gaps = [&state](std::size_t curve) {
    switch (state.curves[curve].dash) {
      case Qt::DashLine:
        return 1;
      case Qt::DashDotLine:
        return 2;
      case Qt::DashDotDotLine:
        return 3;
      case Qt::DotLine:
        return 4;
      case Qt::SolidLine:
        return 0;
      default:
        return 5;  // of other branches
    }
  };
  std::stable_sort(order.begin(), order.end(),
                   [&gaps](std::size_t a, std::size_t b) { return gaps(a) < gaps(b); });
  return order;
}

}  // namespace

QColor inkOf(const QColor& colour, const PlotState& state) {
  return state.map.values.empty() ? legibleOn(colour, themeColours(state.dark).background) : colour;
}

int branchDash(int branch) { return kFirstBranchDash + branch % kBranchDashes; }

QPen penOf(const QColor& colour, int dash, const PlotState& state, double width) {
  // Lengths of strokes and gaps in widths of the line.
  static const QVector<qreal> kDashes[kBranchDashes] = {
      {7, 3}, {7, 3, 1, 3}, {7, 3, 3, 3}, {7, 3, 1, 3, 1, 3}};
  const bool isOfBranch = dash >= kFirstBranchDash;
  QPen pen(inkOf(colour, state), width, isOfBranch ? Qt::CustomDashLine : static_cast<Qt::PenStyle>(dash),
           Qt::FlatCap, Qt::RoundJoin);
  if (isOfBranch) pen.setDashPattern(kDashes[(dash - kFirstBranchDash) % kBranchDashes]);
  return pen;
}

double markerSize(const PlotState& state) { return 1.8 * state.lineWidth; }

void paintSample(QPainter& painter, const PlotState& state, const Curve& curve, const QPointF& start,
                 double length) {
  painter.setPen(penOf(curve.colour, curve.dash, state, 1.2 * curve.width * state.lineWidth));
  if (curve.hasLine) painter.drawLine(start, start + QPointF(length, 0));
  if (curve.marker < 0) return;
  painter.setBrush(inkOf(curve.colour, state));
  painter.setPen(Qt::NoPen);
  paintMarker(painter, curve.marker, start + QPointF(length / 2, 0), markerSize(state));
  painter.setBrush(Qt::NoBrush);
}

void paintLines(QPainter& painter, const PlotState& state, const PlotLayout& layout) {
  const std::vector<std::size_t> order = orderOf(state);
  std::vector<std::vector<QPolygonF>> lines(state.curves.size());
  for (const std::size_t index : order) {
    const Curve& curve = state.curves[index];
    paintBand(painter, state, layout, curve);
    if (!isDense(state, layout, curve)) {
      if (curve.hasLine) lines[index] = partsOf(state, layout, curve);
      continue;
    }
    Envelope envelope = envelopeOf(state, layout, curve);
    QColor shade = inkOf(curve.colour, state);
    shade.setAlpha(70);
    // The edge shows bands that are narrower than a pixel.
    painter.setPen(QPen(shade, 1));
    painter.setBrush(shade);
    for (const QPolygonF& band : envelope.bands) painter.drawPolygon(band);
    painter.setBrush(Qt::NoBrush);
    lines[index] = std::move(envelope.lines);
  }
  for (const std::size_t index : order) {
    const Curve& curve = state.curves[index];
    for (const QPolygonF& part : lines[index]) paintPart(painter, state, layout, index, part);
    paintSparseMarkers(painter, state, curve, index, lines[index]);
    paintMarkers(painter, state, layout, curve);
    paintMarks(painter, state, layout, curve);
  }
  paintCuts(painter, state, layout);
}

}  // namespace touchstone
