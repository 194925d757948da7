#pragma once

#include <QWidget>

namespace touchstone {

/// The list of keys over the whole window; any click or Esc closes it.
class ShortcutsOverlay : public QWidget {
  Q_OBJECT
 public:
  explicit ShortcutsOverlay(QWidget* parent);

 protected:
  void paintEvent(QPaintEvent* event) override;
  void mousePressEvent(QMouseEvent*) override { close(); }
};

}  // namespace touchstone
