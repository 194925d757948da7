#include "app/window/keyboard.h"

#include <QAbstractButton>
#include <QAbstractItemView>
#include <QAbstractSpinBox>
#include <QApplication>
#include <QComboBox>
#include <QDockWidget>
#include <QKeyEvent>
#include <QLineEdit>
#include <QMainWindow>
#include <QPainter>
#include <QPlainTextEdit>
#include <QScrollArea>
#include <QTabBar>
#include <QTextEdit>
#include <QTimer>

namespace touchstone {

namespace {

// Width of the ring [px]. A larger value covers neighbours; a smaller one is not seen from a distance.
constexpr int kRing = 2;

/// Frame around a widget, above all others; the mouse passes through it.
class FocusRing : public QWidget {
 public:
  explicit FocusRing(QWidget* window) : QWidget(window) {
    setObjectName(QStringLiteral("focusRing"));
    setAttribute(Qt::WA_TransparentForMouseEvents);
    setFocusPolicy(Qt::NoFocus);
    hide();
  }

 protected:
  void paintEvent(QPaintEvent*) override { QPainter(this).fillRect(rect(), palette().highlight()); }
};

}  // namespace

Keyboard::Keyboard(QMainWindow* window) : QObject(window), m_window(window), m_ring(new FocusRing(window)) {
  qApp->installEventFilter(this);
}

Keyboard::~Keyboard() { qApp->removeEventFilter(this); }

namespace {

/// True for the text field of a cell, which opens only at a request.
bool isEditorOfCell(const QWidget* widget) {
  const QWidget* viewport = widget->parentWidget();
  const auto* view = qobject_cast<const QAbstractItemView*>(viewport ? viewport->parentWidget() : nullptr);
  return view && view->viewport() == viewport;
}

}  // namespace

bool Keyboard::isTextField(const QWidget* widget) {
  if (const auto* line = qobject_cast<const QLineEdit*>(widget)) return !line->isReadOnly();
  if (const auto* text = qobject_cast<const QTextEdit*>(widget)) return !text->isReadOnly();
  if (const auto* text = qobject_cast<const QPlainTextEdit*>(widget)) return !text->isReadOnly();
  if (const auto* box = qobject_cast<const QComboBox*>(widget)) return box->isEditable();
  return qobject_cast<const QAbstractSpinBox*>(widget);
}

QRect Keyboard::shownPart(const QWidget* widget) {
  QRect part = widget->rect();
  for (; !widget->isWindow(); widget = widget->parentWidget())
    part = part.translated(widget->pos()).intersected(widget->parentWidget()->rect());
  return part;
}

bool Keyboard::isInFront(const QWidget* widget) {
  for (; widget && !widget->isWindow(); widget = widget->parentWidget())
    if (qobject_cast<const QDockWidget*>(widget) && shownPart(widget).isEmpty()) return false;
  return true;
}

bool Keyboard::isFloating(const QWidget* widget) const {
  return qobject_cast<const QDockWidget*>(widget->window()) && widget->window()->parentWidget() == m_window;
}

bool Keyboard::eventFilter(QObject* watched, QEvent* event) {
  if (!watched->isWidgetType()) return false;
  auto* widget = static_cast<QWidget*>(watched);
  switch (event->type()) {
    case QEvent::FocusIn:
      if (widget->window() == m_window) onFocusIn(widget, static_cast<QFocusEvent*>(event)->reason());
      break;
    case QEvent::Move:
      // Qt moves a page behind others out of the window, and hides nothing.
      if (qobject_cast<QDockWidget*>(widget) && widget->window() == m_window && !isInFront(widget))
        leave(widget);
      [[fallthrough]];
    case QEvent::FocusOut:
    case QEvent::Resize:
    case QEvent::Show:
      if (m_reached && m_isRingPlaced && widget != m_ring && widget->window() == m_window) {
        m_isRingPlaced = false;
        QTimer::singleShot(0, this, &Keyboard::placeRing);
      }
      break;
    case QEvent::Hide:
      // Before Qt gives the focus of a hidden page to the next widget, which may be a text field.
      if (widget->window() == m_window) leave(widget);
      break;
    case QEvent::ShortcutOverride:
      if (isTextField(widget) && widget->window() == m_window && m_entered != widget) {
        event->ignore();
        return true;
      }
      break;
    case QEvent::KeyPress:
      if ((widget->window() == m_window || isFloating(widget)) && widget->hasFocus())
        return act(widget, *static_cast<QKeyEvent*>(event));
      break;
    default:
      break;
  }
  return false;
}

void Keyboard::onFocusIn(QWidget* widget, Qt::FocusReason reason) {
  const bool isReturn = reason == Qt::ActiveWindowFocusReason || reason == Qt::PopupFocusReason ||
                        reason == Qt::MenuBarFocusReason;
  const bool isByKeys =
      reason == Qt::TabFocusReason || reason == Qt::BacktabFocusReason || reason == Qt::ShortcutFocusReason;
  if (!isReturn || m_reached != widget) m_reached = isByKeys ? widget : nullptr;
  if (!isReturn || m_entered != widget)
    m_entered = isByKeys || reason == Qt::MouseFocusReason || isEditorOfCell(widget) ? widget : nullptr;
  if (isTextField(widget) && m_entered != widget)
    QTimer::singleShot(0, widget, [this, widget] {
      if (widget->hasFocus() && m_entered != widget) widget->clearFocus();
    });
  // The Tab key leaves every widget.
  if (auto* view = qobject_cast<QAbstractItemView*>(widget)) view->setTabKeyNavigation(false);
  if (auto* text = qobject_cast<QPlainTextEdit*>(widget)) text->setTabChangesFocus(true);
  if (auto* text = qobject_cast<QTextEdit*>(widget)) text->setTabChangesFocus(true);
  if (isByKeys)
    for (QWidget* area = widget->parentWidget(); area && !area->isWindow(); area = area->parentWidget())
      if (auto* scroll = qobject_cast<QScrollArea*>(area)) scroll->ensureWidgetVisible(widget);
  m_isRingPlaced = false;
  QTimer::singleShot(0, this, &Keyboard::placeRing);
}

/// Does what Enter, ↑ and ↓ do to a widget that leaves Space and the other arrows to the window.
bool Keyboard::act(QWidget* widget, const QKeyEvent& key) const {
  if (key.modifiers() & ~Qt::KeypadModifier) return false;
  const bool isEnter = key.key() == Qt::Key_Return || key.key() == Qt::Key_Enter;
  if (auto* button = qobject_cast<QAbstractButton*>(widget); button && isEnter) {
    button->click();
    return true;
  }
  if (auto* box = qobject_cast<QComboBox*>(widget); box && isEnter && !box->isEditable()) {
    box->showPopup();
    return true;
  }
  if (auto* view = qobject_cast<QAbstractItemView*>(widget); view && isEnter) {
    const QModelIndex item = view->currentIndex();
    const QVariant check = item.data(Qt::CheckStateRole);
    if (!check.isValid()) return false;
    view->model()->setData(item, check.toInt() == Qt::Checked ? Qt::Unchecked : Qt::Checked,
                           Qt::CheckStateRole);
    return true;
  }
  if (auto* tabs = qobject_cast<QTabBar*>(widget); tabs && tabs->count() > 0) {
    const int step = key.key() == Qt::Key_Down ? 1 : key.key() == Qt::Key_Up ? -1 : 0;
    if (step == 0) return false;
    tabs->setCurrentIndex((tabs->currentIndex() + step + tabs->count()) % tabs->count());
    return true;
  }
  return false;
}

/// Takes the focus from a page that goes out of sight.
void Keyboard::leave(const QWidget* page) const {
  QWidget* focus = m_window->focusWidget();
  if (focus && (focus == page || page->isAncestorOf(focus))) focus->clearFocus();
}

void Keyboard::placeRing() {
  m_isRingPlaced = true;
  const QWidget* widget = m_reached;
  if (!widget || !widget->hasFocus() || !widget->isVisible() || !isInFront(widget)) {
    m_ring->hide();
    return;
  }
  const QRect outer = shownPart(widget).adjusted(-kRing, -kRing, kRing, kRing).intersected(m_window->rect());
  m_ring->setGeometry(outer);
  m_ring->setMask(QRegion(m_ring->rect()) - QRegion(m_ring->rect().adjusted(kRing, kRing, -kRing, -kRing)));
  m_ring->show();
  m_ring->raise();
}

}  // namespace touchstone
