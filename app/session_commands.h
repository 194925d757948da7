#pragma once

#include <QElapsedTimer>
#include <QUndoCommand>
#include <functional>

namespace touchstone {

/// One change of a value, undoable: sends the new value on redo and the old one on undo. Changes of the same
/// value that follow each other within kMergeWindow, as from a dragged slider, become one.
class SessionCommand : public QUndoCommand {
 public:
  static constexpr qint64 kMergeWindow = 800;  // ms

  /// @param id  of the value, for merging; −1: never merged
  template <class Value, class Apply>
  SessionCommand(const QString& text, int id, const Value& before, const Value& after, const Apply& apply)
      : QUndoCommand(text),
        m_id(id),
        m_undo([apply, before] { apply(before); }),
        m_redo([apply, after] { apply(after); }) {
    m_age.start();
  }

  int id() const override { return m_id; }
  void undo() override { m_undo(); }
  void redo() override { m_redo(); }
  bool mergeWith(const QUndoCommand* next) override {
    const auto* later = dynamic_cast<const SessionCommand*>(next);
    if (!later || m_age.elapsed() > kMergeWindow) return false;
    m_redo = later->m_redo;
    m_age.restart();
    return true;
  }

 private:
  int m_id;
  std::function<void()> m_undo, m_redo;
  QElapsedTimer m_age;
};

}  // namespace touchstone
