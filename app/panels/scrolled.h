#pragma once

#include <QScrollArea>

namespace touchstone {

/// A page that scrolls if it gets less space than it needs.
inline QScrollArea* scrolled(QWidget* page) {
  auto* scroll = new QScrollArea;
  scroll->setWidget(page);
  scroll->setWidgetResizable(true);
  scroll->setFrameShape(QFrame::NoFrame);
  return scroll;
}

}  // namespace touchstone
