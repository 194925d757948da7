#pragma once

#include <QAbstractTableModel>
#include <QWidget>

#include "core/record/step_record.h"
#include "core/scene/scene.h"

class QLabel;
class QTabWidget;
class QSortFilterProxyModel;
class QTableView;

namespace touchstone {

class RowInspector;
class Session;

/// The contacts of one record as a table, in recorded order.
class ContactTable : public QAbstractTableModel {
  Q_OBJECT
 public:
  enum Column { Bodies, Kind, Type, Mode, Gap, NormalForce, FrictionForce, Normal, Interval, ColumnCount };
  using QAbstractTableModel::QAbstractTableModel;

  void setRecord(RecordPtr record, std::shared_ptr<const Scene> scene);
  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role) const override;
  QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

 private:
  RecordPtr m_record;
  std::shared_ptr<const Scene> m_scene;
};

/// Dock page: the contacts of the selected pane at the cursor, sortable, and behind a tab the rows of its
/// step.
class ContactInspector : public QWidget {
  Q_OBJECT
 public:
  explicit ContactInspector(Session* session, QWidget* parent = nullptr);
  RowInspector* rows() const { return m_rows; }
  /// Brings the rows of the step to the front.
  void showRows();

 public Q_SLOTS:
  void refresh();
  /// Marks the row of a contact of the selected pane; −1: no row.
  void showContact(int contact);

 Q_SIGNALS:
  /// The user chose a row.
  void contactChosen(int pane, int contact);

 protected:
  void showEvent(QShowEvent*) override { refresh(); }

 private:
  Session* m_session;
  ContactTable* m_model;
  QSortFilterProxyModel* m_sorted = nullptr;
  QTableView* m_view;
  QLabel* m_title;
  QTabWidget* m_tabs;
  RowInspector* m_rows;
  bool m_showing = false;  ///< the program marks a row, not the user
};

}  // namespace touchstone
