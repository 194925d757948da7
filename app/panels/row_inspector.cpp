#include "app/panels/row_inspector.h"

#include <QItemSelectionModel>

#include "app/panels/inspector_table.h"
#include "app/session/session.h"
#include "core/math/count.h"
#include "widgets/text/qt_text.h"

namespace touchstone {

namespace {

QString withUnit(double number, const char* unit) {
  return QStringLiteral("%1 %2").arg(QString::number(number, 'g', 4), QString::fromUtf8(unit));
}

}  // namespace

void RowTable::setRows(std::vector<ExplainedRow> rows) {
  beginResetModel();
  m_rows = std::move(rows);
  endResetModel();
}

int RowTable::rowCount(const QModelIndex& parent) const { return parent.isValid() ? 0 : countOf(m_rows); }

int RowTable::columnCount(const QModelIndex& parent) const { return parent.isValid() ? 0 : ColumnCount; }

QVariant RowTable::data(const QModelIndex& index, int role) const {
  if (!index.isValid()) return {};
  if (role == Qt::TextAlignmentRole)
    return static_cast<int>(Qt::AlignVCenter | (index.column() >= Rate ? Qt::AlignRight : Qt::AlignLeft));
  if (role != Qt::DisplayRole && role != Qt::UserRole) return {};
  const ExplainedRow& row = m_rows[index.row()];
  const bool isKey = role == Qt::UserRole;  // numbers are sorted as such
  switch (index.column()) {
    case Owner:
      return qtText(row.owner);
    case Name:
      return qtText(row.name);
    case Law:
      return qtText(row.law);
    case Rate:
      return isKey ? QVariant(row.rate) : QVariant(withUnit(row.rate, row.rateUnit));
    case Impulse:
      return isKey ? QVariant(row.impulse) : QVariant(withUnit(row.impulse, row.impulseUnit));
    case Residual:
      return isKey ? QVariant(row.residual) : QVariant(withUnit(row.residual, "m/s"));
    default:
      return row.island;
  }
}

QVariant RowTable::headerData(int section, Qt::Orientation orientation, int role) const {
  if (orientation == Qt::Vertical) return role == Qt::DisplayRole ? QVariant(section + 1) : QVariant();
  const char* titles[] = {"of", "row", "law", "rate w", "impulse z", "residual", "island"};
  const char* tips[] = {"The contact, joint, attachment or element that the row belongs to",
                        "What it asks about",
                        "How impulse z and rate w are related; β: friction, p: the normal impulse",
                        "w = constant + J ν + C z with the answer: 0 where the row has what it asks for",
                        "z: the impulse that the row has got",
                        "r |z − proj(z − w/r)| with r = A_ii, in metres per second; 0 where the law holds",
                        "Rows of one island are coupled and solved together"};
  if (role == Qt::DisplayRole) return tr(titles[section]);
  if (role == Qt::ToolTipRole) return tr(tips[section]);
  return {};
}

RowInspector::RowInspector(Session* session, QWidget* parent)
    : QWidget(parent),
      m_session(session),
      m_model(new RowTable(this)),
      m_view(new QTableView),
      m_title(new QLabel) {
  m_title->setWordWrap(true);
  m_view->setAccessibleName(tr("Rows of the step of the selected pane"));
  m_sorted = layOutInspector(this, m_title, m_view, m_model, 84);
  m_view->setColumnWidth(RowTable::Owner, 130);
  m_view->setColumnWidth(RowTable::Law, 104);
  for (const int column : {RowTable::Rate, RowTable::Impulse, RowTable::Residual})
    m_view->setColumnWidth(column, 112);
  m_view->setColumnWidth(RowTable::Island, 54);
  connect(m_view->selectionModel(), &QItemSelectionModel::selectionChanged, this,
          [this](const QItemSelection& chosen) {
            if (!chosen.isEmpty())
              Q_EMIT blockChosen(m_session->indexOf(m_pane),
                                 m_model->row(m_sorted->mapToSource(chosen.indexes().front()).row()).block);
          });
  connect(m_session, &Session::viewsShown, this, &RowInspector::refresh);
  connect(m_session, &Session::selectionChanged, this, &RowInspector::refresh);
  connect(m_session, &Session::explained, this, &RowInspector::onExplained);
  connect(m_session, &Session::sceneChanged, this, [this] {
    m_frame = -1;
    m_explainer.reset();
  });
  showNothing(tr("No frame to show."));
}

void RowInspector::showNothing(const QString& why) {
  m_title->setText(why);
  m_model->setRows({});
}

void RowInspector::refresh() {
  if (visibleRegion().isEmpty()) return;
  if (m_session->isRunning()) {
    m_frame = -1;
    return showNothing(tr("Pause: the rows of the step at the cursor are shown here."));
  }
  const RecordPtr record = m_session->paneCount() ? m_session->shown(m_session->selectedPane()) : nullptr;
  if (!record) {
    m_frame = -1;
    return showNothing(tr("No frame to show."));
  }
  const int pane = m_session->paneId(m_session->selectedPane());
  if (pane == m_pane && record->frame == m_frame) return;
  m_pane = pane;
  m_frame = record->frame;
  m_session->explain(m_session->selectedPane());
}

void RowInspector::onExplained(const ExplainedPtr& explained) {
  if (explained->pane != m_pane || explained->frame != m_frame) return;
  const QString label = m_session->paneLabel(m_session->indexOf(m_pane));
  if (!(explained->detail.dt > 0))
    return showNothing(tr("No step led to this frame (it is a start or a fork): take one step."));
  if (!explained->detail.rows)
    return showNothing(
        tr("%1: no rows. Contacts of penalty methods are forces; only joints are rows there.").arg(label));
  if (!m_explainer) m_explainer = std::make_unique<ContactExplainer>(m_session->scene());
  std::vector<ExplainedRow> rows = m_explainer->rowsIn(explained->detail);
  m_title->setText(
      tr("%1, step of %2 s that ends at t = %3 s: %4 rows. A chosen one is opened in the page Step.")
          .arg(label)
          .arg(explained->detail.dt, 0, 'g', 3)
          .arg(explained->detail.time + explained->detail.dt, 0, 'f', 3)
          .arg(rows.size()));
  m_model->setRows(std::move(rows));
}

}  // namespace touchstone
