#pragma once

#include <QAbstractButton>
#include <QAbstractScrollArea>
#include <QComboBox>
#include <QLabel>
#include <QStyle>
#include <QStyleOptionComboBox>
#include <QTabBar>
#include <QTextDocument>
#include <QtTest>
#include <cmath>
#include <vector>

#include "app/panels/pane_grid.h"
#include "app/panels/pane_widget.h"
#include "app/plots/plot_panel.h"
#include "app/window/main_window.h"
#include "widgets/plots/plot_view.h"

namespace touchstone::test {

/// Text beside which a control has no room; empty: it is whole.
inline QString elidedText(const QWidget& control) {
  const auto advance = [&control](const QString& text) {
    return control.fontMetrics().horizontalAdvance(QString(text).remove(QLatin1Char('&')));
  };
  if (const auto* button = qobject_cast<const QAbstractButton*>(&control)) {
    const int icon = button->icon().isNull() ? 0 : button->iconSize().width();
    return advance(button->text()) + icon > button->width() ? button->text() : QString();
  }
  if (const auto* box = qobject_cast<const QComboBox*>(&control)) {
    QStyleOptionComboBox option;
    option.initFrom(box);
    const int room =
        box->style()->subControlRect(QStyle::CC_ComboBox, &option, QStyle::SC_ComboBoxEditField, box).width();
    return advance(box->currentText()) > room ? box->currentText() : QString();
  }
  if (const auto* tabs = qobject_cast<const QTabBar*>(&control)) {
    for (int tab = 0; tab < tabs->count(); ++tab) {
      if (tabs->elideMode() == Qt::ElideNone) continue;
      const int icon = tabs->tabIcon(tab).isNull() ? 0 : tabs->iconSize().width();
      if (advance(tabs->tabText(tab)) + icon > tabs->tabRect(tab).width()) return tabs->tabText(tab);
    }
    return {};
  }
  if (const auto* label = qobject_cast<const QLabel*>(&control)) {
    if (label->wordWrap() || label->textFormat() == Qt::RichText || Qt::mightBeRichText(label->text()))
      return {};
    return advance(label->text()) > label->contentsRect().width() ? label->text() : QString();
  }
  return {};
}

inline bool isControl(const QWidget& widget) {
  if (widget.objectName().startsWith(QLatin1String("qt_")) || widget.inherits("QScrollBar")) return false;
  for (const QWidget* parent = widget.parentWidget(); parent; parent = parent->parentWidget())
    if (parent->inherits("QTextBrowser") || parent->inherits("QTabBar") || parent->inherits("QHeaderView") ||
        parent->inherits("QAbstractItemView") || parent->inherits("QComboBox") ||
        parent->inherits("QLineEdit"))
      return false;
  for (const char* kind :
       {"QAbstractButton", "QComboBox", "QTabBar", "QLabel", "QLineEdit", "QAbstractSlider", "QTextBrowser"})
    if (widget.inherits(kind)) return true;
  return false;
}

/// Controls that leave the window or the page in which they scroll, or whose texts are cut.
inline QStringList misfits(const MainWindow& window) {
  QStringList found;
  for (const QWidget* widget : window.findChildren<QWidget*>()) {
    if (!widget->isVisible() || widget->window() != &window || !isControl(*widget)) continue;
    const QRect place(widget->mapTo(&window, QPoint()), widget->size());
    if (place.right() < 0 || place.bottom() < 0) continue;  // a page behind another
    QRect room = window.rect();
    for (const QWidget* parent = widget->parentWidget(); parent && parent != &window;
         parent = parent->parentWidget())
      if (const auto* area = qobject_cast<const QAbstractScrollArea*>(parent)) {  // it may scroll up and down
        const QPoint corner = area->viewport()->mapTo(&window, QPoint());
        room = QRect(corner.x(), -10000000, area->viewport()->width(), 20000000);
        break;
      }
    const QString name = QStringLiteral("%1 “%2”").arg(
        QLatin1String(widget->metaObject()->className()),
        widget->property("text").toString() + widget->property("currentText").toString());
    if (!room.contains(place)) found << name + QStringLiteral(" leaves its window");
    if (place.width() < 8 || place.height() < 8) found << name + QStringLiteral(" has no size");
    const QString cut = elidedText(*widget);
    if (!cut.isEmpty()) found << QStringLiteral("%1 is cut: %2, %3 px").arg(name, cut).arg(place.width());
  }
  found.removeDuplicates();
  return found;
}

/// Largest difference of the widths of two panes in one row [px].
inline int widthDifference(const PaneGrid& grid) {
  int most = 0;
  for (const PaneWidget* a : grid.panes())
    for (const PaneWidget* b : grid.panes())
      if (a->y() == b->y()) most = std::max(most, std::abs(a->width() - b->width()));
  return most;
}

inline std::vector<int> widths(const PaneGrid& grid) {
  std::vector<int> all;
  for (const PaneWidget* pane : grid.panes()) all.push_back(pane->width());
  return all;
}

/// Share of the area of the grid that panes cover, with the legend below them.
inline double coveredShare(const PaneGrid& grid) {
  const LegendStrip& legend = *grid.legendStrip();
  double area = legend.isVisible() ? static_cast<double>(legend.width()) * legend.height() : 0;
  for (const PaneWidget* pane : grid.panes()) area += static_cast<double>(pane->width()) * pane->height();
  return area / (static_cast<double>(grid.width()) * grid.height());
}

/// Gives a window a size, and checks that all of it fits into that.
inline void checkFit(MainWindow& window, const QSize& size, const QString& what) {
  window.resize(size);
  for (int turn = 0; turn < 3; ++turn)
    QCoreApplication::processEvents();  // what fits is chosen after a layout
  const QByteArray text = what.toUtf8();
  QVERIFY2(window.width() <= size.width() && window.height() <= size.height(),
           qPrintable(QStringLiteral("%1: %2 × %3").arg(what).arg(window.width()).arg(window.height())));
  QVERIFY2(widthDifference(*window.grid()) <= 2, text);
  QVERIFY2(coveredShare(*window.grid()) > 0.93, text);
  const QStringList wrong = misfits(window);
  QVERIFY2(wrong.isEmpty(), qPrintable(what + QLatin1String(": ") + wrong.join(QStringLiteral("; "))));
  for (const PlotTile* tile : window.plots()->tiles())
    if (tile->isVisible())
      QVERIFY2(tile->view()->plotArea().height() >= PlotTile::kLeastPlot, qPrintable(what + tile->title()));
}

}  // namespace touchstone::test
