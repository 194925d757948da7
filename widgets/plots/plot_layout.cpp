#include <QFontMetricsF>
#include <algorithm>
#include <cmath>

#include "widgets/plots/plot_state.h"

namespace touchstone {

namespace {

/// Distance between neighbouring items, relative to the type size so that figures keep their proportions
/// [logical pixels].
double gapOf(const QFontMetricsF& metrics) { return 0.4 * metrics.height(); }

double widest(const QFontMetricsF& metrics, const std::vector<QString>& texts) {
  double width = 0;
  for (const QString& text : texts) width = std::max(width, metrics.horizontalAdvance(text));
  return width;
}

/// Places the legend in one or more rows above the plot, right of the title if there is enough width, so that
/// it never covers data.
/// @return its height below `top`
double layoutLegend(PlotLayout& layout, const PlotState& state, double startX, double endX, double top) {
  const QFontMetricsF metrics(layout.font);
  const double height = metrics.height() + 2;
  double x = startX, y = top;
  bool any = false;
  for (const Curve& curve : state.curves) {
    if (!state.fullLegend && !curve.ownLegend) {
      layout.legendRows.emplace_back();
      continue;
    }
    any = true;
    const double width =
        1.2 * layout.sampleLength + metrics.horizontalAdvance(curve.label) + 2 * gapOf(metrics);
    if (x > startX && x + width > endX) {
      x = startX;
      y += height;
    }
    layout.legendRows.emplace_back(x, y, width, height);
    x += width;
  }
  if (!any) return 0;
  layout.legend = QRectF(startX, top, endX - startX, y + height - top);
  return layout.legend.height();
}

double log10OrNaN(double y) { return y > 0 ? std::log10(y) : std::numeric_limits<double>::quiet_NaN(); }

/// @return true if a visible curve has a value that the axis can show
bool hasValue(const PlotState& state, bool logY) {
  if (!state.map.values.empty()) return true;
  for (std::size_t curve = 0; curve < state.curves.size(); ++curve)
    if (state.visible[curve])
      for (double y : state.curves[curve].y)
        if (std::isfinite(y) && (!logY || y > 0)) return true;
  return false;
}

/// The range without the hundredth of the values that lies highest, and the one that lies lowest.
Range bulkOf(std::vector<double>& values) {
  // A larger share cuts what a curve does most of the time; a smaller one keeps the peaks.
  constexpr double kOutside = 0.01;
  const auto outside = static_cast<std::ptrdiff_t>(kOutside * static_cast<double>(values.size()));
  const auto low = values.begin() + outside, high = values.end() - 1 - outside;
  std::nth_element(values.begin(), low, values.end());
  const double least = *low;
  std::nth_element(values.begin(), high, values.end());
  return {least, *high};
}

/// Ticks of an axis: positions in data units, labels in the shown unit.
void placeTicks(Range range, const ShownUnit& unit, bool logarithmic, int count, std::vector<double>& ticks,
                std::vector<QString>& labels) {
  ticks = tickPositions({range.low / unit.size, range.high / unit.size}, logarithmic, count);
  labels = tickLabels(ticks, logarithmic);
  for (double& tick : ticks) tick *= unit.size;
}

double largestOf(Range range) { return std::max(std::abs(range.low), std::abs(range.high)); }

/// If the labels of a low plot would overlap, keeps only those of both ends, or the lower one.
void dropCrowdedLabels(PlotLayout& layout, const PlotState& state, double line) {
  const std::size_t count = layout.yTicks.size();
  if (count < 2) return;
  const double span = axisY(state, state.y.high) - axisY(state, state.y.low);
  const auto apart = [&](std::size_t a, std::size_t b) {
    return (axisY(state, layout.yTicks[b]) - axisY(state, layout.yTicks[a])) / span * layout.plot.height();
  };
  for (std::size_t tick = 1; tick < count; ++tick) {
    if (apart(tick - 1, tick) >= 0.9 * line) continue;
    for (std::size_t inner = 1; inner + 1 < count; ++inner) layout.yLabels[inner].clear();
    if (apart(0, count - 1) < 0.9 * line) layout.yLabels.back().clear();
    return;
  }
}

}  // namespace

double axisX(const PlotAxes& axes, double x) { return axes.logX ? log10OrNaN(x) : x; }
double axisY(const PlotAxes& axes, double y) { return axes.logY ? log10OrNaN(y) : y; }
double dataY(const PlotAxes& axes, double axis) { return axes.logY ? std::pow(10.0, axis) : axis; }

QString noteOf(const PlotState& state) {
  if (hasValue(state, state.logY)) return QString();
  if (!state.visible.empty() && std::count(state.visible.begin(), state.visible.end(), 1) == 0)
    return QStringLiteral("all curves are hidden");
  return hasValue(state, false) ? QStringLiteral("no positive values") : state.emptyNote;
}

void fitRanges(PlotState& state) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  const bool isSpan = std::isfinite(state.span.low) && std::isfinite(state.span.high);
  double xLow = kInfinity, xHigh = -kInfinity, yLow = kInfinity, yHigh = -kInfinity;
  Range bulk{kInfinity, -kInfinity};
  std::vector<double> values;
  for (std::size_t curve = 0; curve < state.curves.size(); ++curve) {
    if (!state.visible[curve]) continue;
    const Curve& c = state.curves[curve];
    values.clear();
    for (std::size_t sample = 0; sample < c.x.size(); ++sample) {
      if (isSpan && (c.x[sample] < state.span.low || c.x[sample] > state.span.high)) continue;
      if (!state.logX || c.x[sample] > 0) {
        xLow = std::min(xLow, c.x[sample]);
        xHigh = std::max(xHigh, c.x[sample]);
      }
      const auto include = [&](double y) {
        if (!std::isfinite(y) || (state.logY && y <= 0)) return false;
        yLow = std::min(yLow, y);
        yHigh = std::max(yHigh, y);
        return true;
      };
      if (include(c.y[sample])) values.push_back(c.y[sample]);
      if (c.low.empty()) continue;
      for (const double end : {c.low[sample], c.high[sample]})
        if (include(end)) bulk = {std::min(bulk.low, end), std::max(bulk.high, end)};
    }
    if (state.cutsPeaks && !values.empty()) {
      const Range part = bulkOf(values);
      bulk = {std::min(bulk.low, part.low), std::max(bulk.high, part.high)};
    }
    if (!c.filled || state.logY || !(yLow <= yHigh)) continue;
    yLow = std::min(yLow, 0.0);  // an area shows a size only if it begins at zero
    yHigh = std::max(yHigh, 0.0);
  }
  // A smaller factor cuts curves for little; a larger one lets peaks flatten the rest.
  constexpr double kWorth = 1.5;
  state.isCut = state.cutsPeaks && !state.logY && bulk.high > bulk.low &&
                yHigh - yLow > kWorth * (bulk.high - bulk.low);
  if (state.isCut) {
    yLow = bulk.low;
    yHigh = bulk.high;
  }
  if (state.reference > 0 && yLow <= yHigh) {
    yLow = std::min(yLow, state.reference);
    yHigh = std::max(yHigh, state.reference);
  }
  for (const PlotBand& band : state.bands) {
    double &low = band.ofX ? xLow : yLow, &high = band.ofX ? xHigh : yHigh;
    if (!(low <= high) || ((band.ofX ? state.logX : state.logY) && band.low <= 0)) continue;
    low = std::min(low, band.low);
    high = std::max(high, band.high);
  }
  state.y = niceRange(yLow, yHigh, state.logY);
  // Markers at the ends must not be cut in half.
  const bool hasMarkers = std::any_of(state.curves.begin(), state.curves.end(),
                                      [](const Curve& curve) { return curve.marker >= 0 && !curve.sparse; });
  state.x = xHigh > xLow && !hasMarkers ? Range{xLow, xHigh} : niceRange(xLow, xHigh, state.logX);
  if (isSpan && state.span.high > state.span.low) state.x = state.span;
  if (!state.xNames.empty()) state.x = {-0.5, static_cast<double>(state.xNames.size()) - 0.5};
  if (!state.map.values.empty()) {
    const std::vector<double> x = cellEdges(state.map.x, state.logX), y = cellEdges(state.map.y, state.logY);
    state.x = {x.front(), x.back()};
    state.y = {y.front(), y.back()};
  }
}

Range mapRange(const FigureMap& map) {
  double low = std::numeric_limits<double>::infinity(), high = -low;
  for (double value : map.values) {
    if (!std::isfinite(value) || (map.logarithmic && value <= 0)) continue;
    low = std::min(low, value);
    high = std::max(high, value);
  }
  return niceRange(low, high, map.logarithmic);
}

std::vector<double> cellEdges(const std::vector<double>& centres, bool logarithmic) {
  std::vector<double> positions;
  for (double centre : centres) positions.push_back(logarithmic ? std::log10(centre) : centre);
  std::vector<double> edges;
  const std::size_t count = positions.size();
  const double single = count == 1 ? (positions[0] != 0 ? 0.1 * std::abs(positions[0]) : 0.5) : 0;
  edges.push_back(count > 1 ? positions[0] - (positions[1] - positions[0]) / 2 : positions[0] - single);
  for (std::size_t k = 1; k < count; ++k) edges.push_back((positions[k - 1] + positions[k]) / 2);
  edges.push_back(count > 1 ? positions[count - 1] + (positions[count - 1] - positions[count - 2]) / 2
                            : positions[0] + single);
  if (logarithmic)
    for (double& edge : edges) edge = std::pow(10.0, edge);
  return edges;
}

PlotLayout layoutPlot(const PlotState& state, const QSizeF& size, const QFont& font) {
  PlotLayout layout;
  layout.font = layout.titleFont = font;
  layout.titleFont.setBold(true);
  const QFontMetricsF metrics(layout.font), titleMetrics(layout.titleFont);
  const double line = metrics.height();

  const double gap = gapOf(metrics);
  layout.sampleLength = 2 * line;
  double top = gap;
  layout.xUnit = {1, unitOf(state.xLabel)};
  layout.yUnit = {1, unitOf(state.yLabel)};
  layout.note = noteOf(state);
  if (state.fitsUnits) {
    layout.xUnit = shownUnit(layout.xUnit.text, largestOf(state.x));
    if (layout.note.isEmpty()) layout.yUnit = shownUnit(layout.yUnit.text, largestOf(state.y));
  }
  layout.xTitleText = withUnit(state.xLabel, layout.xUnit.text);
  const QString yLabel = state.hasReadings ? QString() : withUnit(state.yLabel, layout.yUnit.text);
  if (state.hasReadings) {
    layout.readings = QRectF(gap, top, size.width() - 2 * gap, titleMetrics.height());
    top += titleMetrics.height();
  } else if (!state.title.isEmpty() && !state.titleIsElsewhere) {
    layout.title = QRectF(gap, top, size.width() - 2 * gap, titleMetrics.height());
    top += titleMetrics.height();
  }
  top += layoutLegend(layout, state, gap + 2, size.width() - gap, top) + gap;
  double names = line;  // height of the tick labels
  double before = 0;    // width that the first of them takes to the left of its tick
  std::vector<QString> xNames = state.xNames;
  if (!xNames.empty()) {
    layout.turnedNames = widest(metrics, xNames) * static_cast<double>(xNames.size()) > 0.8 * size.width();
    if (layout.turnedNames) {  // by 35°
      const double maxWidth = std::min(0.4 * size.height() / 0.6, 0.3 * size.width() / 0.82);
      for (QString& name : xNames) name = metrics.elidedText(name, Qt::ElideMiddle, maxWidth);
      names = 0.6 * widest(metrics, xNames) + line;
      before = 0.82 * metrics.horizontalAdvance(xNames.front());
    }
  }
  const double bottom = size.height() - gap - (state.xLabel.isEmpty() ? 0 : line + 2) - names - 4;

  const int yMost = std::max(2, static_cast<int>((bottom - top) / (2.4 * line)));
  if (layout.note.isEmpty())
    placeTicks(state.y, layout.yUnit, state.logY, yMost, layout.yTicks, layout.yLabels);
  const double yTitleWidth = yLabel.isEmpty() ? 0 : line + 4;
  double plotLeft =
      gap + yTitleWidth + std::max(widest(metrics, layout.yLabels), 3 * metrics.averageCharWidth()) + 8;
  double right = size.width() - 2.5 * gap;
  if (before > 0)
    plotLeft = std::max(
        plotLeft, gap + yTitleWidth + before - (right - plotLeft) / (2 * static_cast<double>(xNames.size())));
  if (!state.map.values.empty()) {
    layout.barTicks = tickPositions(mapRange(state.map), state.map.logarithmic, yMost);
    layout.barLabels = tickLabels(layout.barTicks, state.map.logarithmic);
    right -= widest(metrics, layout.barLabels) + 2.8 * line;
    layout.colourBar = QRectF(right + 0.5 * line, top, 0.7 * line, std::max(1.0, bottom - top));
  }
  layout.plot =
      QRectF(QPointF(plotLeft, top), QPointF(std::max(right, plotLeft + 1), std::max(bottom, top + 1)));
  if (state.equalScales && state.y.high > state.y.low && state.x.high > state.x.low) {
    const double side = std::min(layout.plot.width() / (state.x.high - state.x.low),
                                 layout.plot.height() / (state.y.high - state.y.low));
    layout.plot.setWidth(side * (state.x.high - state.x.low));
    layout.plot.setTop(layout.plot.bottom() - side * (state.y.high - state.y.low));
  }
  dropCrowdedLabels(layout, state, line);

  const int xMost = std::max(2, static_cast<int>(layout.plot.width() / (5.5 * line)));
  if (layout.note.isEmpty() || !state.curves.empty())
    placeTicks(state.x, layout.xUnit, state.logX, xMost, layout.xTicks, layout.xLabels);
  if (state.wholeX) {
    layout.xTicks.erase(std::remove_if(layout.xTicks.begin(), layout.xTicks.end(),
                                       [](double tick) { return tick != std::round(tick); }),
                        layout.xTicks.end());
    layout.xLabels = tickLabels(layout.xTicks, state.logX);
  }
  if (!state.xNames.empty()) {
    layout.xTicks.clear();
    layout.xLabels = xNames;
    for (std::size_t name = 0; name < xNames.size(); ++name)
      layout.xTicks.push_back(static_cast<double>(name));
  }
  layout.xTitle = QRectF(plotLeft, size.height() - gap - line, layout.plot.width(), line);
  // Next to the axis if it fits, else over the whole height; if that is too short, only the unit.
  const double titleLength = metrics.horizontalAdvance(yLabel);
  layout.yTitleText = yLabel;
  const double above = layout.legend.isEmpty() && layout.title.isEmpty() ? gap : layout.plot.top();
  layout.yTitle = titleLength <= layout.plot.height()
                      ? QRectF(-layout.plot.bottom(), gap, layout.plot.height(), line)
                      : QRectF(-(size.height() - gap), gap, size.height() - gap - above, line);
  if (titleLength > layout.yTitle.width()) {
    const int unit = yLabel.lastIndexOf(QLatin1Char('['));
    layout.yTitleText = unit < 0 ? QString() : yLabel.mid(unit);
  }
  return layout;
}

QPointF toPixels(const PlotAxes& axes, const PlotLayout& layout, double x, double y) {
  const double low = axisY(axes, axes.y.low), high = axisY(axes, axes.y.high);
  const double lowX = axisX(axes, axes.x.low), highX = axisX(axes, axes.x.high);
  return {layout.plot.left() + (axisX(axes, x) - lowX) / (highX - lowX) * layout.plot.width(),
          layout.plot.bottom() - (axisY(axes, y) - low) / (high - low) * layout.plot.height()};
}

double xAt(const PlotAxes& axes, const PlotLayout& layout, double pixelX) {
  const double lowX = axisX(axes, axes.x.low), highX = axisX(axes, axes.x.high);
  const double position = lowX + (pixelX - layout.plot.left()) / layout.plot.width() * (highX - lowX);
  return axes.logX ? std::pow(10.0, position) : position;
}

double yAt(const PlotAxes& axes, const PlotLayout& layout, double pixelY) {
  const double low = axisY(axes, axes.y.low), high = axisY(axes, axes.y.high);
  return dataY(axes, low + (layout.plot.bottom() - pixelY) / layout.plot.height() * (high - low));
}

}  // namespace touchstone
