#pragma once

#include <QFrame>

class QLabel;

namespace touchstone {

/// A line above the panes for what went wrong; stays until it is closed or something succeeds. Several
/// messages stack up to kMostLines, the newest first.
class MessageBar : public QFrame {
  Q_OBJECT
 public:
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
