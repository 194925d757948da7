#include "app/panels/message_bar.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QToolButton>

#include "widgets/text/qt_text.h"

namespace touchstone {

MessageBar::MessageBar(QWidget* parent) : QFrame(parent), m_label(new QLabel) {
  setObjectName(QStringLiteral("messageBar"));
  // Fixed colours on purpose: an error must look the same on a light and a dark desktop.
  setStyleSheet(
      QStringLiteral("#messageBar { background: #fdecea; border: 1px solid #d9534f; border-radius: 4px; "
                     "margin: 4px 4px 0px 4px; }"
                     "#messageBar QLabel, #messageBar QToolButton { color: #6b1512; }"));
  auto* row = new QHBoxLayout(this);
  row->setContentsMargins(10, 4, 4, 4);
  m_label->setWordWrap(true);
  m_label->setTextFormat(Qt::PlainText);  // the text contains names of files and bodies
  m_label->setTextInteractionFlags(Qt::TextSelectableByMouse);
  m_label->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Minimum);  // a long path asks for no width
  auto* close = new QToolButton;
  close->setText(QStringLiteral("✕"));
  close->setAutoRaise(true);
  close->setToolTip(tr("Close this message"));
  close->setAccessibleName(tr("Close message"));
  row->addWidget(m_label, 1);
  row->addWidget(close, 0, Qt::AlignTop);
  connect(close, &QToolButton::clicked, this, &MessageBar::clear);
  hide();
}

void MessageBar::showProblem(const QString& text) {
  m_lines.removeAll(text);
  m_lines.prepend(text);
  while (m_lines.size() > kMostLines) m_lines.removeLast();
  m_label->setText(m_lines.join(QLatin1Char('\n')));
  m_label->setToolTip(plainToolTip(m_label->text()));
  show();
}

void MessageBar::clear() {
  m_lines.clear();
  hide();
}

QString MessageBar::text() const { return m_label->text(); }

}  // namespace touchstone
