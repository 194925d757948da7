#pragma once

#include <QScrollArea>

namespace touchstone {

/// A page that scrolls where it is given less room than it needs.
inline QScrollArea* scrolled(QWidget* page) {
  auto* scroll = new QScrollArea;
  scroll->setWidget(page);
  scroll->setWidgetResizable(true);
  scroll->setFrameShape(QFrame::NoFrame);
  return scroll;
}

}  // namespace touchstone
