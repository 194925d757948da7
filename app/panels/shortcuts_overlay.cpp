#include "app/panels/shortcuts_overlay.h"
#include "core/math/count.h"

#include <QPainter>
#include <utility>
#include <vector>

namespace touchstone {

namespace {

std::vector<std::pair<QString, QString>> shortcuts() {
  using O = ShortcutsOverlay;
  return {{O::tr("Space"), O::tr("play the record, at its end run on; pause")},
          {O::tr("→  or  ."), O::tr("one frame on; computes only at the end")},
          {O::tr("←  or  ,"), O::tr("one frame back")},
          {O::tr("Shift+→  Shift+←"), O::tr("ten frames")},
          {O::tr("Home  End"), O::tr("first recorded frame, newest frame")},
          {O::tr("R"), O::tr("restart at t = 0, as a new branch")},
          {O::tr("B"), O::tr("fork: all panes from the selected one, here")},
          {O::tr("+  −"), O::tr("faster, slower")},
          {O::tr("L"), O::tr("play the record again and again, or stop")},
          {O::tr("Shift+A  Shift+B  D"), O::tr("plots: markers; values, difference, ratio")},
          {O::tr("F"), O::tr("frame the bodies that move")},
          {O::tr("V  U"), O::tr("the scene's view; upright camera")},
          {O::tr("1 – 6"), O::tr("enlarge a pane, or all again")},
          {O::tr("Ctrl+drag"), O::tr("pull a body, in all panes")},
          {O::tr("Ctrl+O"), O::tr("open a scene, session or recording")},
          {O::tr("Ctrl+S  Ctrl+R"), O::tr("save the session; record, stop")},
          {O::tr("Ctrl+E"), O::tr("export a movie")},
          {O::tr("Ctrl+Shift+E  Ctrl+P"), O::tr("save quantities as CSV, window as PNG")},
          {O::tr("Ctrl+T"), O::tr("parameter sheet")},
          {O::tr("Ctrl+Z  Ctrl+Shift+Z"), O::tr("undo, redo; also panes, forks, restarts")},
          {O::tr("F1"), O::tr("guide")},
          {O::tr("F5  F11"), O::tr("presentation, full screen")},
          {O::tr("F6  F7  F8  F9"), O::tr("explore, compare, lecture, figure")},
          {O::tr("Esc"), O::tr("leave a mode")}};
}

}  // namespace

ShortcutsOverlay::ShortcutsOverlay(QWidget* parent) : QWidget(parent) {
  setAttribute(Qt::WA_DeleteOnClose);
  setGeometry(parent->rect());
  setAccessibleName(tr("Keyboard shortcuts"));
}

void ShortcutsOverlay::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  painter.setRenderHint(QPainter::Antialiasing);
  painter.fillRect(rect(), QColor(0, 0, 0, 140));
  const auto lines = shortcuts();
  const int lineHeight = std::min(fontMetrics().height() + 8, (height() - 24) / (countOf(lines) + 2) - 1);
  QRect card(0, 0, std::min(560, width() - 40), lineHeight * static_cast<int>(lines.size() + 2) + 24);
  card.moveCenter(rect().center());
  painter.setPen(Qt::NoPen);
  painter.setBrush(palette().color(QPalette::Base));
  painter.drawRoundedRect(card, 8, 8);
  painter.setPen(palette().color(QPalette::Text));
  QFont bold = font();
  bold.setBold(true);
  int y = card.top() + 12;
  painter.setFont(bold);
  painter.drawText(QRect(card.left() + 24, y, card.width() - 48, lineHeight), Qt::AlignVCenter,
                   tr("Keyboard"));
  y += lineHeight + 4;
  for (const auto& [keys, meaning] : lines) {
    painter.setFont(bold);
    painter.drawText(QRect(card.left() + 24, y, 190, lineHeight), Qt::AlignVCenter, keys);
    painter.setFont(font());
    painter.drawText(QRect(card.left() + 220, y, card.width() - 240, lineHeight), Qt::AlignVCenter, meaning);
    y += lineHeight;
  }
}

}  // namespace touchstone
