#pragma once

#include <QAbstractTableModel>
#include <QWidget>

#include "core/record/step_record.h"
#include "core/scene/scene.h"

class QLabel;
class QSortFilterProxyModel;
class QTableView;

namespace touchstone {

class Session;

/// The joints of one record as a table, in the order of the scene.
class JointTable : public QAbstractTableModel {
  Q_OBJECT
 public:
  enum Column { Name, Kind, Coordinate, Error, Angle, Force, Torque, Drive, Friction, State, ColumnCount };
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

/// Dock page: the joints of the selected pane at the cursor, sortable. The chosen one is the session's, which
/// the plots of joints show.
class JointInspector : public QWidget {
  Q_OBJECT
 public:
  explicit JointInspector(Session* session, QWidget* parent = nullptr);
  JointTable* table() const { return m_model; }

 public Q_SLOTS:
  void refresh();

 protected:
  void showEvent(QShowEvent*) override { refresh(); }

 private:
  Session* m_session;
  JointTable* m_model;
  QSortFilterProxyModel* m_sorted = nullptr;
  QTableView* m_view;
  QLabel* m_title;
};

}  // namespace touchstone
