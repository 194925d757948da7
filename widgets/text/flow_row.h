#pragma once

#include <QResizeEvent>
#include <QWidget>
#include <algorithm>
#include <vector>

namespace touchstone {

/// Widgets beside each other, in as many lines as its width asks for. It requests no width.
class FlowRow : public QWidget {
 public:
  explicit FlowRow(QWidget* parent = nullptr) : QWidget(parent) {
    setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Fixed);
  }
  void add(QWidget* part) {
    part->setParent(this);
    part->show();
    m_parts.push_back(part);
    place();
  }
  void clear() {
    for (QWidget* part : m_parts) {
      part->hide();
      part->deleteLater();
    }
    m_parts.clear();
    place();
  }

 protected:
  void resizeEvent(QResizeEvent* event) override {
    QWidget::resizeEvent(event);
    place();
  }

 private:
  void place() {
    int x = 0, y = 0, line = 0;
    for (QWidget* part : m_parts) {
      const QSize size = part->sizeHint();
      if (x > 0 && x + size.width() > width()) {
        x = 0;
        y += line;
        line = 0;
      }
      part->setGeometry(x, y, std::min(size.width(), width()), size.height());
      x += size.width();
      line = std::max(line, size.height());
    }
    setFixedHeight(y + line);
  }

  std::vector<QWidget*> m_parts;
};

}  // namespace touchstone
