#pragma once

#include <QFrame>

class QLabel;

namespace touchstone {

/// A line above the panes for errors. It stays until it is closed or a command succeeds. Up to kMostLines
/// messages are stacked, the newest first.
class MessageBar : public QFrame {
  Q_OBJECT
 public:
  // A larger value takes space from the panes; a smaller one hides messages before they are read.
  static constexpr int kMostLines = 3;
  explicit MessageBar(QWidget* parent = nullptr);
  void showProblem(const QString& text);
  void clear();
  QString text() const;

 private:
  QStringList m_lines;
  QLabel* m_label;
};

}  // namespace touchstone
