#pragma once

#include <QObject>
#include <QPointer>

class QKeyEvent;
class QMainWindow;
class QWidget;

namespace touchstone {

/// Division of the keys between a window and its widgets.
/// A text field keeps its keys if a click, the Tab key or a command led into it. Every other widget leaves
/// Space, letters, ← and → to the commands of the window. There Enter presses a button or opens a list, and
/// ↑ and ↓ choose in lists, sliders and tab bars. A ring shows what the Tab key has reached.
class Keyboard : public QObject {
  Q_OBJECT
 public:
  /// Watches all widgets of the window. It filters events of the application.
  explicit Keyboard(QMainWindow* window);
  ~Keyboard() override;

  bool eventFilter(QObject* watched, QEvent* event) override;
  /// The ring around the widget that the Tab key has reached; hidden after a click.
  QWidget* ring() const { return m_ring; }
  /// False for a widget in a page behind another one, which Qt keeps outside the window.
  static bool isInFront(const QWidget* widget);
  /// The part of a widget that its parents do not cut off, in the frame of its window [px].
  static QRect shownPart(const QWidget* widget);
  /// True for a widget that takes typed text.
  static bool isTextField(const QWidget* widget);

 private:
  /// True in a page outside the window, from where the commands of the window act too.
  bool isFloating(const QWidget* widget) const;
  void onFocusIn(QWidget* widget, Qt::FocusReason reason);
  bool act(QWidget* widget, const QKeyEvent& key) const;
  void leave(const QWidget* page) const;
  void placeRing();

  QMainWindow* m_window;
  QWidget* m_ring;
  QPointer<QWidget> m_reached;  ///< the widget that the Tab key or a command led to
  QPointer<QWidget> m_entered;  ///< the text field that was entered on purpose
  bool m_isRingPlaced = true;   ///< false while a placing is scheduled
};

}  // namespace touchstone
