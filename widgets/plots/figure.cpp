#include "widgets/plots/figure.h"

#include <QBuffer>
#include <QFile>
#include <QPageSize>
#include <QPainter>
#include <QPdfWriter>
#include <QSvgGenerator>

#include "widgets/plots/plot_state.h"

namespace touchstone {

namespace {

/// Replaces what XML cannot hold in the texts of a figure: control characters, U+FFFE and U+FFFF. Qt escapes
/// drawn texts, but keeps these.
QByteArray wellFormed(QByteArray svg) {
  for (char& c : svg)
    if (static_cast<unsigned char>(c) < ' ' && c != '\t' && c != '\n' && c != '\r') c = ' ';
  return svg.replace("\xEF\xBF\xBE", " ").replace("\xEF\xBF\xBF", " ");
}

/// The name of the maker in a picture; `--force` knows its pictures by it.
constexpr char kMaker[] = "Touchstone";

constexpr double kPointsPerInch = 72, kMillimetresPerInch = 25.4;

FigurePainting paintingOf(const PlotState& state, const FigureStyle& style) {
  return [&state, &style](QPainter& painter) {
    const QSizeF size = sizeInPoints(style);
    painter.fillRect(QRectF(QPointF(), size), Qt::white);
    paintPlot(painter, state, layoutPlot(state, size, figureFont(style.fontPt)));
  };
}

}  // namespace

QSizeF sizeInPoints(const FigureStyle& style) {
  return QSizeF(style.widthMm, style.heightMm) * (kPointsPerInch / kMillimetresPerInch);
}

QFont figureFont(double points) {
  QFont font(QStringLiteral("DejaVu Sans"));
  font.setPixelSize(qRound(points));
  font.setHintingPreference(QFont::PreferNoHinting);
  return font;
}

QImage paintedImage(const FigurePainting& paint, const FigureStyle& style) {
  const double scale = style.dpi / kPointsPerInch;
  QImage image((sizeInPoints(style) * scale).toSize(), QImage::Format_RGB32);
  image.setDotsPerMeterX(qRound(style.dpi / kMillimetresPerInch * 1000));
  image.setDotsPerMeterY(image.dotsPerMeterX());
  image.setText(QStringLiteral("Software"), QLatin1String(kMaker));
  image.fill(Qt::white);
  QPainter painter(&image);
  painter.scale(scale, scale);
  paint(painter);
  return image;
}

bool writePaintedSvg(const FigurePainting& paint, const FigureStyle& style, const QString& title,
                     const QString& file) {
  // Qt writes a title as it is, or escapes it, as its version has it: the real one takes the place of a word.
  const QByteArray place = "<title>title-of-figure</title>";
  QBuffer buffer;
  QSvgGenerator generator;
  const QSizeF size = sizeInPoints(style);
  generator.setOutputDevice(&buffer);
  generator.setResolution(static_cast<int>(kPointsPerInch));
  generator.setSize(size.toSize());
  generator.setViewBox(QRectF(QPointF(), size));
  generator.setTitle(QStringLiteral("title-of-figure"));
  generator.setDescription(QLatin1String(kMaker));
  QPainter painter;
  if (!painter.begin(&generator)) return false;
  paint(painter);
  if (!painter.end()) return false;
  QByteArray svg = buffer.data();
  const auto begin = svg.indexOf(place);
  if (begin >= 0) svg.replace(begin, place.size(), "<title>" + title.toHtmlEscaped().toUtf8() + "</title>");
  svg = wellFormed(svg);
  QFile out(file);
  return out.open(QIODevice::WriteOnly) && out.write(svg) == svg.size() && out.flush();
}

bool writePaintedPdf(const FigurePainting& paint, const FigureStyle& style, const QString& title,
                     const QString& file) {
  // Resolution of vector files [dpi]. A larger value makes larger files; a smaller one makes curves visibly
  // stepped.
  constexpr int kResolution = 1200;
  QFile out(file);
  if (!out.open(QIODevice::WriteOnly)) return false;
  QPdfWriter writer(&out);
  writer.setPageSize(QPageSize(QSizeF(style.widthMm, style.heightMm), QPageSize::Millimeter, QString(),
                               QPageSize::ExactMatch));
  writer.setPageMargins(QMarginsF());
  writer.setResolution(kResolution);
  writer.setTitle(title);
  writer.setCreator(QLatin1String(kMaker));
  QPainter painter;
  if (!painter.begin(&writer)) return false;
  painter.scale(kResolution / kPointsPerInch, kResolution / kPointsPerInch);
  paint(painter);
  return painter.end() && out.error() == QFile::NoError;
}

QImage figureImage(const PlotState& state, const FigureStyle& style) {
  return paintedImage(paintingOf(state, style), style);
}
bool writeSvg(const PlotState& state, const FigureStyle& style, const QString& file) {
  return writePaintedSvg(paintingOf(state, style), style, state.title, file);
}
bool writePdf(const PlotState& state, const FigureStyle& style, const QString& file) {
  return writePaintedPdf(paintingOf(state, style), style, state.title, file);
}

}  // namespace touchstone
