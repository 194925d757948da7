#pragma once

#include <QAbstractTableModel>
#include <QWidget>
#include <memory>
#include <vector>

#include "app/session/pane_state.h"
#include "core/explain/contact_explanation.h"

class QLabel;
class QSortFilterProxyModel;
class QTableView;

namespace touchstone {

class Session;

/// The rows of one step as a table, in the order of their blocks.
class RowTable : public QAbstractTableModel {
  Q_OBJECT
 public:
  enum Column { Owner, Name, Law, Rate, Impulse, Residual, Island, ColumnCount };
  using QAbstractTableModel::QAbstractTableModel;

  void setRows(std::vector<ExplainedRow> rows);
  const ExplainedRow& row(int index) const { return m_rows[index]; }
  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role) const override;
  QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

 private:
  std::vector<ExplainedRow> m_rows;
};

/// Page of the contacts' dock: every row of the selected pane's step at the cursor, of contacts, joints,
/// attachments and elements, with its law, rate, impulse and residual. The step is computed again for it,
/// while nothing runs.
class RowInspector : public QWidget {
  Q_OBJECT
 public:
  explicit RowInspector(Session* session, QWidget* parent = nullptr);
  RowTable* table() const { return m_model; }
  QTableView* view() const { return m_view; }

 public Q_SLOTS:
  void refresh();

 Q_SIGNALS:
  /// The user chose a row of a block.
  void blockChosen(int pane, const touchstone::BlockKey& block);

 protected:
  void showEvent(QShowEvent*) override { refresh(); }

 private:
  void onExplained(const ExplainedPtr& explained);
  void showNothing(const QString& why);

  Session* m_session;
  RowTable* m_model;
  QSortFilterProxyModel* m_sorted = nullptr;
  QTableView* m_view;
  QLabel* m_title;
  std::unique_ptr<ContactExplainer> m_explainer;
  int m_pane = -1;  ///< id, of the frame that is shown or asked for
  long m_frame = -1;
};

}  // namespace touchstone
