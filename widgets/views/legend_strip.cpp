#include "widgets/views/legend_strip.h"

#include <QFontMetricsF>
#include <QLinearGradient>
#include <QPainter>
#include <QRadialGradient>
#include <algorithm>
#include <cmath>

#include "widgets/text/qt_text.h"
#include "widgets/views/depth_colours.h"

namespace touchstone {

bool LegendContent::Ramp::operator==(const Ramp& other) const {
  return title == other.title && colours == other.colours && low == other.low && high == other.high &&
         hasThreshold == other.hasThreshold;
}
bool LegendContent::Mark::operator==(const Mark& other) const {
  return glyph == other.glyph && colour == other.colour && text == other.text;
}
bool LegendContent::Method::operator==(const Method& other) const {
  return colour == other.colour && shortName == other.shortName && name == other.name;
}
bool LegendContent::operator==(const LegendContent& other) const {
  return ramps == other.ramps && arrow == other.arrow && marks == other.marks && methods == other.methods &&
         notes == other.notes;
}

QString textOf(const LegendContent& content) {
  QStringList lines;
  for (const LegendContent::Ramp& ramp : content.ramps)
    lines << (ramp.hasThreshold
                  ? LegendStrip::tr("%1: the body's own colour up to %2, then logarithmic to %3")
                        .arg(ramp.title, ramp.low, ramp.high)
                  : LegendStrip::tr("%1: %2 to %3").arg(ramp.title, ramp.low, ramp.high));
  if (!content.arrow.isEmpty()) lines << LegendStrip::tr("longest arrow: %1").arg(content.arrow);
  for (const LegendContent::Mark& mark : content.marks)
    if (!mark.text.isEmpty()) lines << mark.text;
  for (const LegendContent::Method& method : content.methods)
    lines << QStringLiteral("%1: %2").arg(method.shortName, method.name);
  return (lines + content.notes).join(QLatin1Char('\n'));
}

namespace {

/// Lays the parts of a legend along a line; without a painter it measures.
class LegendPen {
 public:
  LegendPen(QPainter* painter, const QFontMetricsF& metrics, const QRectF& line, const QColor& text)
      : m_painter(painter), m_metrics(metrics), m_line(line), m_text(text), m_unit(metrics.height()) {}

  double width() const { return m_x; }

  void gap(double units) { m_x += units * m_unit; }

  void text(const QString& words) {
    const double width = m_metrics.horizontalAdvance(words);
    if (m_painter) {
      m_painter->setPen(m_text);
      m_painter->drawText(QRectF(m_line.left() + m_x, m_line.top(), width + 1, m_line.height()),
                          Qt::AlignLeft | Qt::AlignVCenter, words);
    }
    m_x += width;
  }

  void ramp(const LegendContent::Ramp& ramp, double units) {
    text(ramp.title);
    gap(0.4);
    text(ramp.low);
    gap(0.3);
    // Share of the ramp below its threshold.
    constexpr double kBelow = 0.15;
    const QRectF bar = box(units, 0.62);
    const double begin = ramp.hasThreshold ? kBelow : 0;
    if (m_painter) {
      QLinearGradient colours(bar.topLeft(), bar.topRight());
      const std::size_t last = ramp.colours.size() - 1;
      for (std::size_t k = 0; k <= last; ++k)
        colours.setColorAt(begin + (1 - begin) * static_cast<double>(k) / static_cast<double>(last),
                           ramp.colours[k]);
      m_painter->fillRect(bar, colours);
      if (ramp.hasThreshold) {
        const double x = bar.left() + begin * bar.width(), reach = 0.15 * m_unit;
        m_painter->setPen(QPen(m_text, 0.09 * m_unit));
        m_painter->drawLine(QPointF(x, bar.top() - reach), QPointF(x, bar.bottom() + reach));
      }
    }
    gap(0.3);
    text(ramp.high);
  }

  void arrow() {
    const QRectF place = box(1.6, 0.5);
    if (!m_painter) return;
    m_painter->setPen(QPen(kArrowColour, 0.13 * m_unit));
    m_painter->drawLine(QPointF(place.left(), place.center().y()),
                        QPointF(place.right() - 0.4 * m_unit, place.center().y()));
    m_painter->setPen(Qt::NoPen);
    m_painter->setBrush(kArrowColour);
    const QPointF tip(place.right(), place.center().y());
    const QPointF head[] = {tip, tip + QPointF(-0.55, 0.28) * m_unit, tip + QPointF(-0.55, -0.28) * m_unit};
    m_painter->drawPolygon(head, 3);
  }

  void mark(const LegendContent::Mark& mark) {
    const QRectF place = box(0.62, 0.62);
    if (m_painter) draw(mark, place);
    gap(0.3);
    text(mark.text);
  }

  void chip(const QColor& colour) {
    const QRectF place = box(0.4, 0.8);
    if (m_painter) m_painter->fillRect(place, colour);
    gap(0.3);
  }

 private:
  QRectF box(double wide, double high) {
    const QRectF place(m_line.left() + m_x, m_line.center().y() - 0.5 * high * m_unit, wide * m_unit,
                       high * m_unit);
    m_x += wide * m_unit;
    return place;
  }

  void draw(const LegendContent::Mark& mark, const QRectF& place) {
    const double thin = 0.07 * m_unit;
    m_painter->setPen(QPen(m_text, thin));
    m_painter->setBrush(mark.colour);
    switch (mark.glyph) {
      case LegendContent::Glyph::Ball:
        m_painter->drawEllipse(place.adjusted(thin, thin, -thin, -thin));
        break;
      case LegendContent::Glyph::Disk:
        m_painter->setPen(Qt::NoPen);
        m_painter->drawEllipse(place);
        break;
      case LegendContent::Glyph::Diamond: {
        m_painter->setPen(Qt::NoPen);
        const QPointF centre = place.center(), across(0.5 * place.width(), 0), up(0, 0.5 * place.height());
        const QPointF corners[] = {centre - up, centre + across, centre + up, centre - across};
        m_painter->drawPolygon(corners, 4);
        break;
      }
      case LegendContent::Glyph::Outline:
        m_painter->setBrush(Qt::NoBrush);
        m_painter->setPen(QPen(mark.colour, 0.13 * m_unit));
        m_painter->drawRect(place.adjusted(thin, thin, -thin, -thin));
        break;
      case LegendContent::Glyph::Spot: {
        QRadialGradient fading(place.center(), 0.5 * place.width());
        QColor end = mark.colour;
        end.setAlpha(0);
        fading.setColorAt(0, mark.colour);
        fading.setColorAt(0.5, mark.colour);
        fading.setColorAt(1, end);
        m_painter->setPen(Qt::NoPen);
        m_painter->setBrush(fading);
        m_painter->drawEllipse(place);
        break;
      }
    }
  }

  QPainter* m_painter;
  QFontMetricsF m_metrics;
  QRectF m_line;
  QColor m_text;
  double m_unit, m_x = 0;
};

/// A choice of the parts of a legend that are shown.
struct LegendPlan {
  bool fullNames, hasMethods, hasMarks;
  double ramp;   ///< length of a ramp, in heights of the text
  double type;   ///< size of the text, relative to that of the painter
  double apart;  ///< gap between two parts, in heights of the text
};

void lay(LegendPen& pen, const LegendContent& content, const LegendPlan& plan) {
  const auto begin = [&pen, &plan] {
    if (pen.width() > 0) pen.gap(plan.apart);
  };
  for (const LegendContent::Ramp& ramp : content.ramps) {
    begin();
    pen.ramp(ramp, plan.ramp);
  }
  if (!content.arrow.isEmpty()) {
    begin();
    pen.arrow();
    pen.gap(0.4);
    pen.text(content.arrow);
  }
  if (plan.hasMarks) {
    bool goesOn = false;  // two glyphs of one meaning
    for (const LegendContent::Mark& mark : content.marks) {
      if (!goesOn) begin();
      pen.mark(mark);
      goesOn = mark.text.isEmpty();
    }
  }
  for (const QString& note : content.notes) {
    begin();
    pen.text(note);
  }
  if (plan.hasMethods)
    for (const LegendContent::Method& method : content.methods) {
      begin();
      pen.chip(method.colour);
      pen.text(plan.fullNames ? method.name : method.shortName);
    }
}

}  // namespace

void paintLegend(QPainter& painter, const QRectF& line, const LegendContent& content, const QColor& text) {
  // A smaller type than this is not legible on a projector.
  constexpr double kSmall = 0.84;
  static const LegendPlan kPlans[] = {
      {true, true, true, 10, 1, 0.9},       {false, true, true, 10, 1, 0.9},
      {false, true, true, 5, 1, 0.9},       {false, true, true, 4, kSmall, 0.9},
      {false, true, true, 3, kSmall, 0.5},  {false, false, true, 5, 1, 0.9},
      {false, false, true, 3, kSmall, 0.5}, {false, false, false, 5, 1, 0.9}};
  painter.save();
  painter.setRenderHint(QPainter::Antialiasing);
  painter.setClipRect(line);
  const QFont whole = painter.font();
  const double margin = 0.4 * QFontMetricsF(whole).height();
  const QRectF inner = line.adjusted(margin, 0, -margin, 0);
  for (const LegendPlan& plan : kPlans) {
    QFont font = whole;
    if (font.pixelSize() > 0)
      font.setPixelSize(std::max(1, static_cast<int>(std::lround(plan.type * font.pixelSize()))));
    else
      font.setPointSizeF(plan.type * font.pointSizeF());
    painter.setFont(font);
    const QFontMetricsF metrics(font, painter.device());
    LegendPen measured(nullptr, metrics, inner, text);
    lay(measured, content, plan);
    if (measured.width() > inner.width() && &plan != std::end(kPlans) - 1) continue;
    LegendPen pen(&painter, metrics, inner, text);
    lay(pen, content, plan);
    break;
  }
  painter.restore();
}

LegendStrip::LegendStrip(QWidget* parent) : QWidget(parent) {
  setAccessibleName(tr("Legend of the views"));
  setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Fixed);
}

void LegendStrip::setContent(const LegendContent& content) {
  if (content == m_content) return;
  m_content = content;
  const QString words = textOf(content);
  setToolTip(plainToolTip(words));
  setAccessibleDescription(words);
  update();
}

QSize LegendStrip::sizeHint() const { return {0, static_cast<int>(1.5 * QFontMetricsF(font()).height())}; }

void LegendStrip::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  paintLegend(painter, rect(), m_content, palette().color(QPalette::WindowText));
}

}  // namespace touchstone
