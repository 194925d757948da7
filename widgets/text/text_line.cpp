#include "widgets/text/text_line.h"

#include <QPainter>

namespace touchstone {

TextLine::TextLine(Qt::Alignment alignment, QWidget* parent) : QWidget(parent), m_alignment(alignment) {
  setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Fixed);
}

void TextLine::setText(const QString& text) {
  if (text == m_text) return;
  m_text = text;
  setAccessibleName(text);
  update();
}

void TextLine::setSample(const QString& sample) {
  m_sample = sample;
  updateGeometry();
}

QSize TextLine::sizeHint() const {
  return {fontMetrics().horizontalAdvance(m_sample) + 4, fontMetrics().height() + 4};
}

QSize TextLine::minimumSizeHint() const { return {0, sizeHint().height()}; }

void TextLine::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  painter.setPen(palette().color(isEnabled() ? QPalette::Active : QPalette::Disabled, QPalette::WindowText));
  painter.drawText(rect(), static_cast<int>(m_alignment),
                   fontMetrics().elidedText(m_text, Qt::ElideRight, width()));
}

}  // namespace touchstone
