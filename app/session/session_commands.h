#pragma once

#include <QElapsedTimer>
#include <QUndoCommand>
#include <functional>
#include <utility>

namespace touchstone {

/// One undoable change. Consecutive changes of one value within kMergeWindow, as from a dragged slider, are
/// merged.
class SessionCommand : public QUndoCommand {
 public:
  // [ms] A larger value merges separate changes into one undo; a smaller one splits a drag into many.
  static constexpr qint64 kMergeWindow = 800;
  using Action = std::function<void()>;

  /// Changes a value: `apply` is called with the new value on redo and with the old one on undo.
  /// @param id  identifies the value for merging; −1: never merged
  template <class Value, class Apply>
  SessionCommand(const QString& text, int id, const Value& before, const Value& after, const Apply& apply)
      : SessionCommand(
            text, id, [apply, after] { apply(after); }, [apply, before] { apply(before); }, {}) {}
  /// Changes the structure. @param again  used for a redo if it differs from the first time
  SessionCommand(const QString& text, const Action& first, const Action& undo, const Action& again = {})
      : SessionCommand(text, -1, first, undo, again) {}

  int id() const override { return m_id; }
  void undo() override { m_undo(); }
  void redo() override {
    m_redo();
    if (m_again) m_redo = std::exchange(m_again, nullptr);
  }
  bool mergeWith(const QUndoCommand* next) override {
    const auto* later = dynamic_cast<const SessionCommand*>(next);
    if (!later || m_age.elapsed() > kMergeWindow) return false;
    m_redo = later->m_redo;
    m_age.restart();
    return true;
  }

 private:
  SessionCommand(const QString& text, int id, const Action& first, const Action& undo, const Action& again)
      : QUndoCommand(text), m_id(id), m_undo(undo), m_redo(first), m_again(again) {
    m_age.start();
  }

  int m_id;
  Action m_undo, m_redo, m_again;
  QElapsedTimer m_age;
};

}  // namespace touchstone
