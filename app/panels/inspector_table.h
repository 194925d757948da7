#pragma once

#include <QAbstractItemModel>
#include <QLabel>
#include <QSortFilterProxyModel>
#include <QTableView>

namespace touchstone {

/// Lays an inspector out: its title above a table of the model, sorted by its Qt::UserRole, with one row to
/// choose.
/// @param columnWidth  of columns without their own [px]
/// @return what sorts; a child of the page
QSortFilterProxyModel* layOutInspector(QWidget* page, QLabel* title, QTableView* view,
                                       QAbstractItemModel* model, int columnWidth);

}  // namespace touchstone
