#include "widgets/text/text_line.h"

#include <QPainter>

namespace touchstone {

TextLine::TextLine(Qt::Alignment alignment, QWidget* parent) : QWidget(parent), m_alignment(alignment) {
  setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Fixed);
}

void TextLine::setText(const QString& text) { setForms({text}); }

void TextLine::setForms(const QStringList& forms) {
  const QString text = forms.value(0);
  if (text == m_text && forms.mid(1) == m_shorter) return;
  m_text = text;
  m_shorter = forms.mid(1);
  setAccessibleName(text);
  update();
}

QString TextLine::fittingText() const {
  if (fontMetrics().horizontalAdvance(m_text) <= contentsRect().width() || m_shorter.isEmpty()) return m_text;
  for (const QString& form : m_shorter)
    if (fontMetrics().horizontalAdvance(form) <= contentsRect().width()) return form;
  return m_shorter.last();
}

void TextLine::setSample(const QString& sample) {
  if (sample == m_sample) return;
  m_sample = sample;
  updateGeometry();
}

QSize TextLine::sizeHint() const {
  const QMargins margins = contentsMargins();
  return {fontMetrics().horizontalAdvance(m_sample) + 4 + margins.left() + margins.right(),
          fontMetrics().height() + 4};
}

QSize TextLine::minimumSizeHint() const { return {0, sizeHint().height()}; }

void TextLine::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  painter.setPen(palette().color(isEnabled() ? QPalette::Active : QPalette::Disabled, QPalette::WindowText));
  painter.drawText(contentsRect(), static_cast<int>(m_alignment),
                   fontMetrics().elidedText(fittingText(), Qt::ElideRight, contentsRect().width()));
}

}  // namespace touchstone
