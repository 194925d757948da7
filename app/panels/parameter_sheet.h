#pragma once

#include <QDialog>

class QLabel;
class QTableWidget;

namespace touchstone {

class Session;

/// Every value of every pane with its source: paper, scene, our default, user. Follows changes.
class ParameterSheet : public QDialog {
  Q_OBJECT
 public:
  explicit ParameterSheet(Session* session, QWidget* parent = nullptr);
  QTableWidget* table() const { return m_table; }
  QString csv() const;

 protected:
  void changeEvent(QEvent* event) override;

 private:
  void refill();
  void addRow(const QString& name, const QStringList& values, const QStringList& sources,
              const QStringList& tips);
  void save();

  Session* m_session;
  QLabel* m_note;
  QTableWidget* m_table;
};

}  // namespace touchstone
