#include "app/panels/inspector_table.h"

#include <QHeaderView>
#include <QVBoxLayout>

namespace touchstone {

QSortFilterProxyModel* layOutInspector(QWidget* page, QLabel* title, QTableView* view,
                                       QAbstractItemModel* model, int columnWidth) {
  auto* column = new QVBoxLayout(page);
  column->setContentsMargins(6, 6, 6, 6);
  column->addWidget(title);
  column->addWidget(view, 1);
  auto* sorted = new QSortFilterProxyModel(page);
  sorted->setSourceModel(model);
  sorted->setSortRole(Qt::UserRole);
  view->setModel(sorted);
  view->setSortingEnabled(true);
  view->sortByColumn(-1, Qt::AscendingOrder);
  view->setSelectionBehavior(QAbstractItemView::SelectRows);
  view->setSelectionMode(QAbstractItemView::SingleSelection);
  view->setAlternatingRowColors(true);
  view->verticalHeader()->setDefaultSectionSize(view->fontMetrics().height() + 6);
  view->horizontalHeader()->setDefaultSectionSize(columnWidth);
  return sorted;
}

}  // namespace touchstone
