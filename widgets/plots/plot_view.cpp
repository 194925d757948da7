#include "widgets/plots/plot_view.h"

#include <vtkAxis.h>
#include <vtkBrush.h>
#include <vtkChartLegend.h>
#include <vtkChartXY.h>
#include <vtkContextScene.h>
#include <vtkContextView.h>
#include <vtkDoubleArray.h>
#include <vtkGL2PSExporter.h>
#include <vtkGenericOpenGLRenderWindow.h>
#include <vtkPen.h>
#include <vtkPlotLine.h>
#include <vtkRenderer.h>
#include <vtkSmartPointer.h>
#include <vtkStringArray.h>
#include <vtkTable.h>
#include <vtkTextProperty.h>

#include <QFile>
#include <QFileInfo>
#include <QMouseEvent>
#include <QStandardPaths>
#include <QTextStream>
#include <algorithm>
#include <cmath>
#include <limits>

#include "widgets/palette.h"

namespace touchstone {

namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr int kLegendFrom = 480;      // px, width from which a plot shows its own legend
constexpr int kLegendRow = 18;        // px, height of a legend entry at 96 dpi
constexpr int kLegendWidth = 110;     // px
constexpr int kClickSlop = 4;         // px, a press and release closer than this is a click

/// Table of one line; x ascending.
vtkSmartPointer<vtkTable> tableOf(const std::vector<double>& x, const std::vector<double>& y) {
  vtkSmartPointer<vtkTable> table = vtkSmartPointer<vtkTable>::New();
  for (const char* name : {"x", "y"}) {
    vtkNew<vtkDoubleArray> column;
    column->SetName(name);
    const std::vector<double>& values = name[0] == 'x' ? x : y;
    column->SetNumberOfValues(static_cast<vtkIdType>(values.size()));
    std::copy(values.begin(), values.end(), column->GetPointer(0));
    table->AddColumn(column);
  }
  return table;
}

/// VTK's own fonts have no Greek letters and few superscripts; DejaVu, which the set-up installs, has all of them.
void useFullFont(vtkTextProperty* text) {
  static const QByteArray file =
      QStandardPaths::locate(QStandardPaths::FontsLocation, "truetype/dejavu/DejaVuSans.ttf").toUtf8();
  if (file.isEmpty()) return;
  text->SetFontFamily(VTK_FONT_FILE);
  text->SetFontFile(file.constData());
}

void setColour(vtkTextProperty* text, const QColor& colour) { text->SetColor(colour.redF(), colour.greenF(), colour.blueF()); }
void setColour(vtkPen* pen, const QColor& colour) { pen->SetColor(colour.red(), colour.green(), colour.blue(), 255); }

}  // namespace

class PlotView::Private {
 public:
  vtkNew<vtkGenericOpenGLRenderWindow> window;
  vtkNew<vtkContextView> view;
  vtkNew<vtkChartXY> chart;
  QString title, xLabel, yLabel, referenceLabel;
  std::vector<Curve> curves;
  std::vector<bool> visible;
  double cursor = kNaN, reference = kNaN;
  bool logarithmic = false, following = true, dark = false;
  Range x, y;
  QPoint pressed;
  int pressedButton = 0;
  bool dragged = false, built = false;
  Range pressedX, pressedY;

  std::vector<Curve> shown() const {
    std::vector<Curve> list;
    std::vector<Curve> all;
    for (std::size_t k = 0; k < curves.size(); ++k)
      if (visible[k]) all.push_back(curves[k]);
    const double floor = smallestPositive(all, 1e-18);
    for (const Curve& curve : all) list.push_back(logarithmic ? onLogAxis(curve, floor) : curve);
    return list;
  }

  void fitRanges() {
    double lowX = 1e300, highX = -1e300, lowY = 1e300, highY = -1e300;
    for (const Curve& curve : shown())
      for (std::size_t k = 0; k < curve.x.size(); ++k) {
        if (!std::isfinite(curve.y[k])) continue;
        lowX = std::min(lowX, curve.x[k]);
        highX = std::max(highX, curve.x[k]);
        lowY = std::min(lowY, curve.y[k]);
        highY = std::max(highY, curve.y[k]);
      }
    if (std::isfinite(reference) && (!logarithmic || reference > 0)) {
      lowY = std::min(lowY, reference);
      highY = std::max(highY, reference);
    }
    x = lowX < highX ? Range{lowX, highX} : Range{lowX > 1e299 ? 0 : lowX - 0.5, lowX > 1e299 ? 1 : lowX + 0.5};
    y = niceRange(lowY, highY, logarithmic);
  }

  void styleAxis(int which, const QString& label, const Range& range, bool logScale) {
    const ThemeColours& theme = themeColours(dark);
    vtkAxis* axis = chart->GetAxis(which);
    axis->SetTitle(label.toUtf8().constData());
    axis->SetBehavior(vtkAxis::CUSTOM);
    const bool vertical = which == vtkAxis::LEFT;
    const int most = std::max(2, vertical ? view->GetRenderWindow()->GetSize()[1] / 45 : view->GetRenderWindow()->GetSize()[0] / 80);
    std::vector<double> ticks = tickPositions(range, logScale, most);
    const std::vector<QString> labels = tickLabels(ticks, logScale);
    vtkNew<vtkDoubleArray> positions;
    vtkNew<vtkStringArray> texts;
    for (std::size_t k = 0; k < ticks.size(); ++k) {
      positions->InsertNextValue(logScale ? std::log10(ticks[k]) : ticks[k]);
      texts->InsertNextValue(labels[k].toUtf8().constData());
    }
    axis->SetCustomTickPositions(positions, texts);
    const auto shownEnd = [logScale](double value) { return logScale ? std::log10(value) : value; };
    axis->SetUnscaledRange(shownEnd(range.low), shownEnd(range.high));
    axis->SetRange(shownEnd(range.low), shownEnd(range.high));
    useFullFont(axis->GetTitleProperties());
    useFullFont(axis->GetLabelProperties());
    axis->GetTitleProperties()->SetBold(0);
    axis->GetTitleProperties()->SetFontSize(13);
    axis->GetLabelProperties()->SetFontSize(12);
    setColour(axis->GetTitleProperties(), theme.text);
    setColour(axis->GetLabelProperties(), theme.text);
    setColour(axis->GetPen(), theme.axis);
    setColour(axis->GetGridPen(), theme.grid);
  }

  /// The logarithm is taken here, with ticks to match: the chart's own logarithmic axis drops zeros and negatives badly.
  std::vector<double> mapped(const std::vector<double>& values) const {
    if (!logarithmic) return values;
    std::vector<double> result;
    for (double value : values) result.push_back(value > 0 ? std::log10(value) : kNaN);
    return result;
  }

  void addLine(const std::vector<double>& lineX, const std::vector<double>& lineY, const QColor& colour, int dash, double width,
               const QString& label) {
    // A gap (NaN) ends a line: the rest becomes a line of its own without a legend entry.
    std::size_t begin = 0;
    bool first = true;
    while (begin < lineX.size()) {
      while (begin < lineX.size() && !std::isfinite(lineY[begin])) ++begin;
      std::size_t end = begin;
      while (end < lineX.size() && std::isfinite(lineY[end])) ++end;
      if (end > begin + 1) {
        auto* line = vtkPlotLine::SafeDownCast(chart->AddPlot(vtkChart::LINE));
        line->SetInputData(tableOf({lineX.begin() + static_cast<std::ptrdiff_t>(begin), lineX.begin() + static_cast<std::ptrdiff_t>(end)},
                                   {lineY.begin() + static_cast<std::ptrdiff_t>(begin), lineY.begin() + static_cast<std::ptrdiff_t>(end)}),
                           "x", "y");
        line->SetColor(static_cast<unsigned char>(colour.red()), static_cast<unsigned char>(colour.green()),
                       static_cast<unsigned char>(colour.blue()), 255);
        line->SetWidth(static_cast<float>(width));
        line->GetPen()->SetLineType(dash);
        line->SetLabel(first ? label.toUtf8().constData() : "");
        if (!first || label.isEmpty()) line->LegendVisibilityOff();
        first = false;
      }
      begin = end;
    }
  }

  void rebuild() {
    const ThemeColours& theme = themeColours(dark);
    if (following) fitRanges();
    chart->ClearPlots();
    for (const Curve& curve : shown()) addLine(curve.x, mapped(curve.y), curve.colour, curve.dash, 2, curve.label);
    const double low = logarithmic ? std::log10(y.low) : y.low, high = logarithmic ? std::log10(y.high) : y.high;
    if (std::isfinite(reference) && (!logarithmic || reference > 0)) {
      const double level = logarithmic ? std::log10(reference) : reference;
      addLine({x.low, x.high}, {level, level}, theme.axis, Qt::DashLine, 1, referenceLabel);
    }
    if (std::isfinite(cursor)) addLine({cursor, cursor}, {low, high}, theme.text, Qt::SolidLine, 1, QString());
    chart->SetTitle(title.toUtf8().constData());
    useFullFont(chart->GetTitleProperties());
    chart->GetTitleProperties()->SetFontSize(14);
    chart->GetTitleProperties()->SetBold(0);
    setColour(chart->GetTitleProperties(), theme.text);
    // Small tiles have no room for a legend over their data; the panel around them shows one for all.
    chart->SetShowLegend(!curves.empty() && view->GetRenderWindow()->GetSize()[0] >= kLegendFrom);
    vtkChartLegend* legend = chart->GetLegend();
    legend->SetHorizontalAlignment(vtkChartLegend::LEFT);
    legend->SetVerticalAlignment(vtkChartLegend::TOP);
    legend->SetInline(true);
    useFullFont(legend->GetLabelProperties());
    legend->GetLabelProperties()->SetFontSize(12);
    setColour(legend->GetLabelProperties(), theme.text);
    legend->GetBrush()->SetColor(theme.background.red(), theme.background.green(), theme.background.blue(), 200);
    legend->GetPen()->SetLineType(vtkPen::NO_PEN);
    view->GetRenderer()->SetBackground(theme.background.redF(), theme.background.greenF(), theme.background.blueF());
    styleAxis(vtkAxis::BOTTOM, xLabel, x, false);
    styleAxis(vtkAxis::LEFT, yLabel, y, logarithmic);
  }

  Range pixelsX() const { return {static_cast<double>(chart->GetPoint1()[0]), static_cast<double>(chart->GetPoint2()[0])}; }
  Range pixelsY() const { return {static_cast<double>(chart->GetPoint1()[1]), static_cast<double>(chart->GetPoint2()[1])}; }

  double shareX(double pixel) const { return (pixel - pixelsX().low) / std::max(1.0, pixelsX().high - pixelsX().low); }
  double shareY(double pixel) const { return (pixel - pixelsY().low) / std::max(1.0, pixelsY().high - pixelsY().low); }
  static double at(const Range& range, double share, bool logScale) {
    return logScale ? range.low * std::pow(range.high / range.low, share) : range.low + share * (range.high - range.low);
  }
};

PlotView::PlotView(QWidget* parent) : QVTKOpenGLNativeWidget(parent), d(std::make_unique<Private>()) {
  setRenderWindow(d->window.Get());
  d->window->SetMultiSamples(0);
  d->view->SetRenderWindow(d->window);
  d->view->SetInteractor(interactor());
  d->view->GetScene()->AddItem(d->chart);
  d->chart->SetInteractive(false);  // the plot habits are ours: see the mouse events below
  setMouseTracking(true);
  setMinimumSize(160, 120);
  d->rebuild();
}

PlotView::~PlotView() = default;

void PlotView::setTitles(const QString& title, const QString& xLabel, const QString& yLabel) {
  d->title = title;
  d->xLabel = xLabel;
  d->yLabel = yLabel;
  d->rebuild();
  update();
}

void PlotView::setCurves(const std::vector<Curve>& curves) {
  std::vector<bool> visible(curves.size(), true);
  for (std::size_t k = 0; k < curves.size(); ++k)
    for (std::size_t old = 0; old < d->curves.size(); ++old)
      if (d->curves[old].label == curves[k].label) visible[k] = d->visible[old];
  d->curves = curves;
  d->visible = visible;
  d->rebuild();
  renderWindow()->Render();
}

const std::vector<Curve>& PlotView::curves() const { return d->curves; }

void PlotView::setTimeCursor(double x) {
  d->cursor = x;
  d->rebuild();
  renderWindow()->Render();
}

void PlotView::setLogY(bool logarithmic) {
  d->logarithmic = logarithmic;
  d->following = true;
  d->rebuild();
  renderWindow()->Render();
}

bool PlotView::logY() const { return d->logarithmic; }

void PlotView::setReferenceLine(double y, const QString& label) {
  d->reference = y;
  d->referenceLabel = label;
  d->rebuild();
}

void PlotView::resetZoom() {
  const bool before = d->following;
  d->following = true;
  d->rebuild();
  renderWindow()->Render();
  if (!before) Q_EMIT followingChanged(true);
}

bool PlotView::following() const { return d->following; }
Range PlotView::xRange() const { return d->x; }
Range PlotView::yRange() const { return d->y; }

void PlotView::setCurveVisible(int curve, bool visible) {
  d->visible.at(curve) = visible;
  d->rebuild();
  renderWindow()->Render();
}

bool PlotView::curveVisible(int curve) const { return d->visible.at(curve); }

void PlotView::setDark(bool dark) {
  d->dark = dark;
  d->rebuild();
  update();
}

QImage PlotView::renderToImage(const QSize& size) {
  const bool dark = d->dark;
  d->dark = false;
  vtkNew<vtkContextView> view;  // off screen, so that the size is free
  view->GetRenderWindow()->SetOffScreenRendering(1);
  view->GetRenderWindow()->SetMultiSamples(0);
  view->GetRenderWindow()->SetSize(size.width(), size.height());
  d->view->GetScene()->RemoveItem(d->chart);
  view->GetScene()->AddItem(d->chart);
  d->rebuild();
  d->chart->SetShowLegend(true);
  view->GetRenderer()->SetBackground(1, 1, 1);
  view->GetRenderWindow()->Render();
  QImage image(size, QImage::Format_RGB888);
  unsigned char* pixels = view->GetRenderWindow()->GetPixelData(0, 0, size.width() - 1, size.height() - 1, 1);
  for (int row = 0; row < size.height(); ++row)
    std::copy(pixels + 3 * size.width() * row, pixels + 3 * size.width() * (row + 1), image.scanLine(size.height() - 1 - row));
  delete[] pixels;
  view->GetScene()->RemoveItem(d->chart);
  d->view->GetScene()->AddItem(d->chart);
  d->dark = dark;
  d->rebuild();
  return image;
}

bool PlotView::exportImage(const QString& file, const QSize& size) { return renderToImage(size).save(file, "PNG"); }

bool PlotView::exportVector(const QString& file) {
  const bool dark = d->dark, svg = file.endsWith(".svg", Qt::CaseInsensitive);
  if (!svg && !file.endsWith(".pdf", Qt::CaseInsensitive)) return false;
  d->dark = false;
  d->rebuild();
  d->chart->SetShowLegend(true);
  renderWindow()->Render();
  vtkNew<vtkGL2PSExporter> exporter;
  exporter->SetRenderWindow(renderWindow());
  exporter->SetFileFormat(svg ? vtkGL2PSExporter::SVG_FILE : vtkGL2PSExporter::PDF_FILE);
  exporter->CompressOff();
  exporter->DrawBackgroundOn();
  exporter->TextAsPathOff();
  const QFileInfo info(file);
  exporter->SetFilePrefix((info.path() + "/" + info.completeBaseName()).toUtf8().constData());  // it adds the ending
  exporter->Write();
  d->dark = dark;
  d->rebuild();
  renderWindow()->Render();
  return QFileInfo(file).size() > 0;
}

bool PlotView::exportCsv(const QString& file) const {
  QFile out(file);
  if (!out.open(QIODevice::WriteOnly)) return false;
  QTextStream text(&out);
  text.setRealNumberPrecision(17);
  text << "curve,x,y\n";
  for (std::size_t k = 0; k < d->curves.size(); ++k) {
    if (!d->visible[k]) continue;
    const Curve& curve = d->curves[k];
    for (std::size_t sample = 0; sample < curve.x.size(); ++sample) {
      text << curve.label << ',' << curve.x[sample] << ',';
      if (!std::isnan(curve.y[sample])) text << curve.y[sample];
      text << '\n';
    }
  }
  text.flush();
  return out.error() == QFile::NoError;
}

bool PlotView::event(QEvent* event) {
  // Keys belong to the window: the interactor's own character keys would end the program on `e` and `q`.
  if (event->type() == QEvent::KeyPress || event->type() == QEvent::KeyRelease) return QOpenGLWidget::event(event);
  return QVTKOpenGLNativeWidget::event(event);
}

void PlotView::resizeEvent(QResizeEvent* event) {
  QVTKOpenGLNativeWidget::resizeEvent(event);
  d->rebuild();
}

void PlotView::mousePressEvent(QMouseEvent* event) {
  d->pressed = event->pos();
  d->pressedButton = event->button() == Qt::MiddleButton || (event->modifiers() & Qt::ControlModifier) ? 2 : 1;
  d->dragged = false;
  d->pressedX = d->x;
  d->pressedY = d->y;
}

void PlotView::mouseMoveEvent(QMouseEvent* event) {
  const QPoint pos = event->pos();
  if (d->pressedButton == 0) {
    const double x = Private::at(d->x, d->shareX(pos.x()), false);
    QStringList parts;
    for (std::size_t k = 0; k < d->curves.size(); ++k)
      if (d->visible[k]) parts << d->curves[k].label + " " + shortNumber(nearestValue(d->curves[k], x));
    Q_EMIT readOut(parts.isEmpty() ? QString() : shortNumber(x) + ":  " + parts.join("   "));
    return;
  }
  d->dragged = d->dragged || (pos - d->pressed).manhattanLength() > kClickSlop;
  if (d->pressedButton != 2 || !d->dragged) return;
  const double dx = d->shareX(d->pressed.x()) - d->shareX(pos.x());
  const double dy = d->shareY(height() - d->pressed.y()) - d->shareY(height() - pos.y());
  d->x = {Private::at(d->pressedX, dx, false), Private::at(d->pressedX, 1 + dx, false)};
  d->y = {Private::at(d->pressedY, dy, d->logarithmic), Private::at(d->pressedY, 1 + dy, d->logarithmic)};
  if (d->following) Q_EMIT followingChanged(d->following = false);
  d->rebuild();
  renderWindow()->Render();
}

void PlotView::mouseReleaseEvent(QMouseEvent* event) {
  const QPoint pos = event->pos();
  if (d->pressedButton == 1 && !d->dragged) {
    const int row = (pos.y() - static_cast<int>(height() - d->pixelsY().high)) / kLegendRow;
    const bool inLegend = d->chart->GetShowLegend() && pos.x() > d->pixelsX().low && pos.x() < d->pixelsX().low + kLegendWidth && row >= 0 &&
                          row < static_cast<int>(d->curves.size()) && pos.y() > height() - d->pixelsY().high;
    if (inLegend) {
      setCurveVisible(row, !d->visible[row]);
    } else {
      Q_EMIT timePicked(Private::at(d->x, d->shareX(pos.x()), false));
    }
  } else if (d->pressedButton == 1 && std::abs(pos.x() - d->pressed.x()) > 2 * kClickSlop) {
    const double a = d->shareX(std::min(pos.x(), d->pressed.x())), b = d->shareX(std::max(pos.x(), d->pressed.x()));
    const double low = d->shareY(height() - std::max(pos.y(), d->pressed.y()));
    const double high = d->shareY(height() - std::min(pos.y(), d->pressed.y()));
    const Range x = d->x, y = d->y;
    d->x = {Private::at(x, a, false), Private::at(x, b, false)};
    if (high - low > 0.03) d->y = {Private::at(y, low, d->logarithmic), Private::at(y, high, d->logarithmic)};
    if (d->following) Q_EMIT followingChanged(d->following = false);
    d->rebuild();
    renderWindow()->Render();
  }
  d->pressedButton = 0;
}

void PlotView::mouseDoubleClickEvent(QMouseEvent*) { resetZoom(); }

void PlotView::wheelEvent(QWheelEvent* event) {
  const double factor = std::pow(0.85, event->angleDelta().y() / 120.0);
  const QPointF pos = event->position();
  const double sx = d->shareX(pos.x()), sy = d->shareY(height() - pos.y());
  const Range x = d->x, y = d->y;
  d->x = {Private::at(x, sx - factor * sx, false), Private::at(x, sx + factor * (1 - sx), false)};
  d->y = {Private::at(y, sy - factor * sy, d->logarithmic), Private::at(y, sy + factor * (1 - sy), d->logarithmic)};
  if (d->following) Q_EMIT followingChanged(d->following = false);
  d->rebuild();
  renderWindow()->Render();
  event->accept();
}

void PlotView::leaveEvent(QEvent* event) {
  Q_EMIT readOut(QString());
  QVTKOpenGLNativeWidget::leaveEvent(event);
}

}  // namespace touchstone
