#include "widgets/plots/plot_view.h"

#include <QFile>
#include <QMouseEvent>
#include <QPainter>
#include <QTextStream>
#include <algorithm>
#include <cmath>

#include "core/files/written_file.h"
#include "core/math/count.h"
#include "core/math/not_a_number.h"
#include "widgets/palette.h"

namespace touchstone {

namespace {

// [px] Narrower plots leave the legend to their panel. A larger value removes the legend from plots with
// enough width; a smaller one covers small plots.
constexpr int kLegendFrom = 480;
// [px] A press and release closer than this is a click. A larger value turns short drags into clicks; a
// smaller one turns unsteady clicks into drags.
constexpr int kClickSlop = 4;

/// The part of `range` between two shares of it, on a linear or logarithmic axis.
Range partOf(const Range& range, double first, double last, bool logarithmic) {
  const auto valueAt = [&](double share) {
    return logarithmic ? range.low * std::pow(range.high / range.low, share)
                       : range.low + share * (range.high - range.low);
  };
  return {valueAt(first), valueAt(last)};
}

}  // namespace

PlotView::PlotView(QWidget* parent) : QWidget(parent), m_hovered(kNaN) {
  setMouseTracking(true);
  setMinimumSize(160, 120);
  changed();
}

void PlotView::changed() {
  if (m_state.following) fitRanges(m_state);
  m_state.isHeld = !m_state.following || m_isSpanHeld;
  m_state.fullLegend = width() >= kLegendFrom && !m_state.hasReadings;
  m_layout = layoutPlot(m_state, size(), font());
  m_next = QPixmap();
  if (!m_staged) update();
  if (m_leastPlot <= 0) return;
  constexpr int kAmple = 1000;  // px: no legend or label takes so much
  const PlotLayout ample = layoutPlot(m_state, QSizeF(width(), kAmple), font());
  const int needed = m_leastPlot + static_cast<int>(std::ceil(kAmple - ample.plot.height()));
  if (needed != minimumHeight()) setMinimumHeight(needed);
}

void PlotView::setLeastPlotHeight(int height) {
  m_leastPlot = height;
  changed();
}

void PlotView::setTitles(const QString& title, const QString& xLabel, const QString& yLabel) {
  if (title == m_state.title && xLabel == m_state.xLabel && yLabel == m_state.yLabel) return;
  m_state.title = title;
  m_state.xLabel = xLabel;
  m_state.yLabel = yLabel;
  changed();
}

void PlotView::setCurves(const std::vector<Curve>& curves) {
  m_state.curves = curves;
  showHidden();
}

void PlotView::showHidden() {
  m_state.visible.clear();
  for (const Curve& curve : m_state.curves) m_state.visible.push_back(!m_hidden.contains(curve.label));
  changed();
}

void PlotView::setFittingUnits(bool fitting) {
  m_state.fitsUnits = fitting;
  changed();
}

void PlotView::setTitleElsewhere(bool elsewhere) {
  m_state.titleIsElsewhere = elsewhere;
  changed();
}

void PlotView::setHasReadings(bool hasReadings) {
  if (hasReadings == m_state.hasReadings) return;
  m_state.hasReadings = hasReadings;
  changed();
}

void PlotView::setReadings(const std::vector<PlotReading>& readings) {
  m_state.readings = readings;
  update();
}

void PlotView::setMarkers(const std::vector<PlotMarker>& markers) {
  const auto isSame = [](const PlotMarker& a, const PlotMarker& b) { return a.name == b.name && a.x == b.x; };
  const std::vector<PlotMarker>& present = m_state.markers;
  if (std::equal(markers.begin(), markers.end(), present.begin(), present.end(), isSame)) return;
  m_state.markers = markers;
  changed();
}

void PlotView::setCutsPeaks(bool cuts) {
  if (cuts == m_state.cutsPeaks) return;
  m_state.cutsPeaks = cuts;
  changed();
}

void PlotView::setSpan(Range span, bool isHeld) {
  const auto isSame = [](double a, double b) { return a == b || (std::isnan(a) && std::isnan(b)); };
  if (isHeld == m_isSpanHeld && isSame(span.low, m_state.span.low) && isSame(span.high, m_state.span.high))
    return;
  m_state.span = span;
  m_isSpanHeld = isHeld;
  if (!m_state.following && std::isfinite(span.low)) m_state.x = span;
  changed();
}

void PlotView::setHovered(double x) {
  m_hovered = x;
  update();
}

void PlotView::setStaged(bool staged) {
  if (staged == m_staged) return;
  m_staged = staged;
  if (!staged) update();
}

void PlotView::setWholeX(bool whole) {
  m_state.wholeX = whole;
  changed();
}

void PlotView::setTimeCursor(double x) {
  m_state.cursor = x;
  update();
}

void PlotView::setLogY(bool logarithmic) {
  m_state.logY = logarithmic;
  m_state.following = true;
  changed();
}

void PlotView::setReferenceLine(double y, const QString& label) {
  const bool isSame = y == m_state.reference || (std::isnan(y) && std::isnan(m_state.reference));
  if (isSame && label == m_state.referenceLabel) return;
  m_state.reference = y;
  m_state.referenceLabel = label;
  changed();
}

void PlotView::setGreyFrom(double x, const QString& label) {
  const bool isSame = x == m_state.greyFrom || (std::isnan(x) && std::isnan(m_state.greyFrom));
  if (isSame && label == m_state.greyLabel) return;
  m_state.greyFrom = x;
  m_state.greyLabel = label;
  changed();
}

void PlotView::setEmptyNote(const QString& note) {
  if (note == m_state.emptyNote) return;
  m_state.emptyNote = note;
  changed();
}

void PlotView::resetZoom() {
  const bool before = m_state.following;
  m_state.following = true;
  m_staged = false;
  if (m_isSpanHeld) {
    m_isSpanHeld = false;
    m_state.span = {kNaN, kNaN};
    Q_EMIT spanReleased();
  }
  changed();
  if (!before) Q_EMIT followingChanged(true);
}

void PlotView::hold(const Range& x, const Range& y) {
  const bool before = m_state.following;
  m_state.following = false;
  m_state.x = x;
  m_state.y = y;
  m_state.isCut = false;
  m_isSpanHeld = true;
  m_staged = false;
  changed();
  if (before) Q_EMIT followingChanged(false);
  Q_EMIT spanChosen(x.low, x.high);
}

void PlotView::setCurveVisible(int curve, bool visible) {
  setLabelVisible(m_state.curves.at(curve).label, visible);
}

void PlotView::setLabelVisible(const QString& label, bool visible) {
  if (visible) {
    m_hidden.remove(label);
  } else {
    m_hidden.insert(label);
  }
  showHidden();
}

void PlotView::isolateCurve(int curve) {
  const std::size_t kept = curve;
  const bool alone =
      m_state.visible.at(kept) && std::count(m_state.visible.begin(), m_state.visible.end(), 1) == 1;
  m_hidden.clear();
  for (std::size_t index = 0; index < m_state.curves.size() && !alone; ++index)
    if (index != kept) m_hidden.insert(m_state.curves[index].label);
  showHidden();
}

void PlotView::showAllCurves() {
  m_hidden.clear();
  showHidden();
}

void PlotView::setDark(bool dark) {
  m_state.dark = dark;
  changed();
}

PlotState PlotView::forFigure(const FigureStyle& style) const {
  PlotState state = m_state;
  state.dark = false;
  state.cursor = kNaN;
  state.isHeld = false;
  state.titleIsElsewhere = state.hasReadings = false;
  state.readings.clear();
  state.markers.clear();
  state.fullLegend = true;
  state.lineWidth = style.linePt;
  state.samplesPerPixel = 8;
  // A figure has no hidden curves: its legend names exactly the drawn ones.
  state.emptyNote = noteOf(m_state);
  for (std::size_t curve = state.curves.size(); curve-- > 0;)
    if (!state.visible[curve]) {
      state.curves.erase(state.curves.begin() + static_cast<std::ptrdiff_t>(curve));
      state.visible.erase(state.visible.begin() + static_cast<std::ptrdiff_t>(curve));
    }
  return state;
}

QImage PlotView::figure(const FigureStyle& style) const { return figureImage(forFigure(style), style); }

bool PlotView::exportTo(const QString& file, const FigureStyle& style) const {
  const auto ends = [&file](const char* ending) {
    return file.endsWith(QLatin1String(ending), Qt::CaseInsensitive);
  };
  return isWrittenBeside(file.toStdString(), [&](const std::string& place) {
    const QString part = QString::fromStdString(place);
    if (ends(".svg")) return writeSvg(forFigure(style), style, part);
    if (ends(".pdf")) return writePdf(forFigure(style), style, part);
    if (ends(".png")) return figure(style).save(part, "PNG");
    QFile out(part);
    const QByteArray text = csv().toUtf8();
    return ends(".csv") && out.open(QIODevice::WriteOnly) && out.write(text) == text.size() && out.flush();
  });
}

QImage PlotView::picture(const QSize& size, const QFont& font) const {
  PlotState state = m_state;
  state.dark = false;
  state.titleIsElsewhere = false;
  state.fullLegend = false;
  state.lineWidth = font.pixelSize() > 0 ? font.pixelSize() / 8.0 : state.lineWidth;
  QImage image(size, QImage::Format_RGB32);
  image.fill(Qt::white);
  QPainter painter(&image);
  paintPlot(painter, state, layoutPlot(state, size, font));
  return image;
}

QString PlotView::csv() const {
  QString result;
  QTextStream text(&result);
  text.setRealNumberPrecision(17);
  text << "curve,x,y\n";
  const auto write = [&text](const QString& label, const std::vector<double>& x,
                             const std::vector<double>& y) {
    for (std::size_t sample = 0; sample < x.size(); ++sample) {
      text << '"' << label << "\"," << x[sample] << ',';
      if (!std::isnan(y[sample])) text << y[sample];
      text << '\n';
    }
  };
  for (std::size_t k = 0; k < m_state.curves.size(); ++k) {
    if (!m_state.visible[k]) continue;
    const Curve& curve = m_state.curves[k];
    write(curve.label, curve.x, curve.y);
    if (curve.low.empty()) continue;
    write(curve.label + tr(", low"), curve.x, curve.low);
    write(curve.label + tr(", high"), curve.x, curve.high);
  }
  text.flush();
  return result;
}

void PlotView::prepare() {
  if (!m_next.isNull()) return;
  m_next = QPixmap(size() * devicePixelRatioF());
  m_next.setDevicePixelRatio(devicePixelRatioF());
  m_next.fill(themeColours(m_state.dark).background);
  QPainter painter(&m_next);
  const double cursor = std::exchange(m_state.cursor, kNaN);
  m_state.samplesPerPixel = devicePixelRatioF();
  paintPlot(painter, m_state, m_layout);
  m_state.cursor = cursor;
}

void PlotView::showNext() {
  prepare();
  m_picture = m_next;
  m_shownAxes = m_state;
  m_shownLayout = m_layout;
}

void PlotView::paintEvent(QPaintEvent*) {
  const ThemeColours& colours = themeColours(m_state.dark);
  const bool fits = m_picture.size() == size() * devicePixelRatioF();
  if (!m_staged || !fits) showNext();
  QPainter painter(this);
  painter.drawPixmap(0, 0, m_picture);
  paintCursor(painter, m_state, m_shownAxes, m_shownLayout);
  painter.setClipRect(m_shownLayout.plot);
  painter.setRenderHint(QPainter::Antialiasing);
  if (std::isfinite(m_hovered)) {
    const double x = toPixels(m_shownAxes, m_shownLayout, m_hovered, m_shownAxes.y.low).x();
    painter.setPen(QPen(colours.axis, 1, Qt::DotLine));
    painter.drawLine(QPointF(x, m_shownLayout.plot.top()), QPointF(x, m_shownLayout.plot.bottom()));
    for (std::size_t curve = 0; curve < m_state.curves.size(); ++curve) {
      const double y = m_state.visible[curve] ? nearestValue(m_state.curves[curve], m_hovered) : kNaN;
      const QPointF point = toPixels(m_shownAxes, m_shownLayout, m_hovered, y);
      if (!std::isfinite(point.y())) continue;
      painter.setPen(QPen(colours.background, 1));
      painter.setBrush(legibleOn(m_state.curves[curve].colour, colours.background));
      painter.drawEllipse(point, 3.5, 3.5);
    }
  }
  if (m_drag == Drag::Box && m_dragged) {
    QColor fill = palette().color(QPalette::Highlight);
    painter.setPen(QPen(fill, 1));
    fill.setAlpha(50);
    painter.setBrush(fill);
    painter.drawRect(QRectF(m_pressed, m_mouse).normalized());
  }
}

void PlotView::resizeEvent(QResizeEvent* event) {
  QWidget::resizeEvent(event);
  changed();
}

void PlotView::changeEvent(QEvent* event) {
  QWidget::changeEvent(event);
  if (event->type() == QEvent::FontChange) changed();
}

int PlotView::legendAt(const QPointF& position) const {
  for (std::size_t curve = 0; curve < m_layout.legendRows.size(); ++curve)
    if (m_layout.legendRows[curve].contains(position)) return static_cast<int>(curve);
  return -1;
}

/// The nearest visible curve within a few pixels; −1: none. For steep parts the samples near the position
/// decide.
int PlotView::curveAt(const QPointF& position) const {
  // [px] A larger value picks curves far from the pointer; a smaller one makes thin curves hard to pick.
  constexpr double kReach = 7;
  int found = -1;
  double nearest = kReach;
  for (std::size_t curve = 0; curve < m_state.curves.size(); ++curve) {
    if (!m_state.visible[curve]) continue;
    for (double offset = -kReach; offset <= kReach; ++offset) {
      const double x = xAt(m_state, m_layout, position.x() + offset);
      const QPointF point = toPixels(m_state, m_layout, x, nearestValue(m_state.curves[curve], x));
      const double distance = std::hypot(point.x() - position.x(), point.y() - position.y());
      if (!(distance < nearest)) continue;
      nearest = distance;
      found = static_cast<int>(curve);
    }
  }
  return found;
}

// The clicked item is determined now, because the axes may have changed when no second click can follow.
void PlotView::click(const QPointF& position) {
  const int entry = legendAt(position);
  if (entry >= 0) {
    m_click.click([this, entry] {
      if (entry < countOf(m_state.curves)) setCurveVisible(entry, !curveVisible(entry));
    });
    return;
  }
  const double x = xAt(m_state, m_layout, position.x());
  m_click.click([this, x] { Q_EMIT timePicked(x); });
}

int PlotView::curveUnder(const QPoint& position) const {
  return m_layout.plot.contains(position) ? curveAt(position) : -1;
}

double PlotView::xUnder(const QPoint& position) const { return xAt(m_state, m_layout, position.x()); }

void PlotView::mousePressEvent(QMouseEvent* event) {
  m_pressed = m_mouse = event->pos();
  const bool pan = event->button() == Qt::MiddleButton || (event->modifiers() & Qt::ControlModifier);
  m_drag = pan ? Drag::Pan : event->button() == Qt::LeftButton ? Drag::Box : Drag::None;
  m_dragged = false;
  m_pressedState.x = m_state.x;
  m_pressedState.y = m_state.y;
}

void PlotView::showReadOut(double pixelX) {
  m_hovered = xAt(m_state, m_layout, pixelX);
  Q_EMIT hovered(m_hovered);
  const ShownUnit &xUnit = m_layout.xUnit, &yUnit = m_layout.yUnit;
  const auto number = [](double value, const ShownUnit& unit) {
    const QString text = shortNumber(value / unit.size);
    return unit.text.isEmpty() ? text : text + QLatin1Char(' ') + unit.text;
  };
  QStringList parts;
  for (std::size_t curve = 0; curve < m_state.curves.size(); ++curve)
    if (m_state.visible[curve])
      parts << m_state.curves[curve].label + QLatin1Char(' ') +
                   number(nearestValue(m_state.curves[curve], m_hovered), yUnit);
  Q_EMIT readOut(parts.isEmpty()
                     ? QString()
                     : number(m_hovered, xUnit) + QStringLiteral(":  ") + parts.join(QStringLiteral("   ")));
  update();
}

void PlotView::mouseMoveEvent(QMouseEvent* event) {
  m_mouse = event->pos();
  if (m_drag == Drag::None) {
    showReadOut(m_mouse.x());
    return;
  }
  m_dragged = m_dragged || (m_mouse - m_pressed).manhattanLength() > kClickSlop;
  if (m_drag == Drag::Box) {
    update();
    return;
  }
  const double dx = (m_pressed.x() - m_mouse.x()) / m_layout.plot.width();
  const double dy = (m_mouse.y() - m_pressed.y()) / m_layout.plot.height();
  if (m_dragged)
    hold(partOf(m_pressedState.x, dx, 1 + dx, m_state.logX),
         partOf(m_pressedState.y, dy, 1 + dy, m_state.logY));
}

void PlotView::mouseReleaseEvent(QMouseEvent*) {
  const Drag drag = std::exchange(m_drag, Drag::None);
  if (drag != Drag::Box) return;
  const QRectF box = QRectF(m_pressed, m_mouse).normalized().intersected(m_layout.plot);
  if (!m_dragged) {
    click(m_pressed);
  } else if (box.width() > 2 * kClickSlop) {
    const Range x{xAt(m_state, m_layout, box.left()), xAt(m_state, m_layout, box.right())};
    // A flat box selects only a span of time.
    const bool flat = box.height() < 2 * kClickSlop;
    hold(x,
         flat ? m_state.y : Range{yAt(m_state, m_layout, box.bottom()), yAt(m_state, m_layout, box.top())});
  }
  update();
}

void PlotView::mouseDoubleClickEvent(QMouseEvent* event) {
  m_click.doubleClick();
  const int entry = legendAt(event->pos());
  if (entry >= 0)
    isolateCurve(entry);
  else
    resetZoom();
}

void PlotView::wheelEvent(QWheelEvent* event) {
  const double factor = std::pow(0.85, event->angleDelta().y() / 120.0);
  const double sx = (event->position().x() - m_layout.plot.left()) / m_layout.plot.width();
  const double sy = (m_layout.plot.bottom() - event->position().y()) / m_layout.plot.height();
  hold(partOf(m_state.x, sx - factor * sx, sx + factor * (1 - sx), m_state.logX),
       partOf(m_state.y, sy - factor * sy, sy + factor * (1 - sy), m_state.logY));
  event->accept();
}

void PlotView::leaveEvent(QEvent* event) {
  m_hovered = kNaN;
  Q_EMIT hovered(kNaN);
  Q_EMIT readOut(QString());
  update();
  QWidget::leaveEvent(event);
}

}  // namespace touchstone
