#include "app/panels/contact_inspector.h"

#include <QItemSelectionModel>
#include <QTabWidget>
#include <QVBoxLayout>

#include "app/panels/inspector_table.h"
#include "app/panels/row_inspector.h"
#include "app/session/session.h"
#include "core/math/count.h"

namespace touchstone {

namespace {

QString kindText(FeaturePairKind kind) {
  return kind == FeaturePairKind::VertexFace ? ContactTable::tr("vertex–face")
         : kind == FeaturePairKind::EdgeEdge ? ContactTable::tr("edge–edge")
                                             : ContactTable::tr("vertex–plane");
}

QString typeText(const Contact& contact) {
  const QString type = contact.type == ConstraintType::Penalty ? ContactTable::tr("penalty")
                       : contact.type == ConstraintType::U     ? QStringLiteral("U")
                       : contact.type == ConstraintType::I     ? QStringLiteral("I")
                                                               : QStringLiteral("X");
  return type + (contact.set >= 0 ? QStringLiteral(" %1").arg(contact.set) : QString()) +
         (contact.trap ? ContactTable::tr(" trap") : QString());
}

QString modeText(ContactMode mode) {
  return mode == ContactMode::Open       ? ContactTable::tr("open")
         : mode == ContactMode::Sticking ? ContactTable::tr("sticking")
                                         : ContactTable::tr("sliding");
}

QString forceText(double impulse, double dt) {
  return dt > 0 ? QString::number(impulse / dt, 'g', 4) : QStringLiteral("–");
}

QString nameOf(const Scene* scene, int body) {
  const bool known = scene && body >= 0 && body < countOf(scene->bodies);
  return known && !scene->bodies[body].name.empty() ? QString::fromStdString(scene->bodies[body].name)
                                                    : QString::number(body);
}

QString vectorText(const Vec3& v) {
  return QStringLiteral("(%1, %2, %3)").arg(v.x(), 0, 'f', 2).arg(v.y(), 0, 'f', 2).arg(v.z(), 0, 'f', 2);
}

// Sort key of a cell: the number if there is one.
QVariant sortKey(const Contact& contact, int column, const QString& text) {
  switch (column) {
    case ContactTable::Gap:
      return contact.gap;
    case ContactTable::NormalForce:
      return contact.normalImpulse;
    case ContactTable::FrictionForce:
      return contact.frictionImpulse.norm();
    case ContactTable::Interval:
      return contact.intervalStart;
    default:
      return text;
  }
}

}  // namespace

void ContactTable::setRecord(RecordPtr record, std::shared_ptr<const Scene> scene) {
  beginResetModel();
  m_record = std::move(record);
  m_scene = std::move(scene);
  endResetModel();
}

int ContactTable::rowCount(const QModelIndex& parent) const {
  return parent.isValid() || !m_record ? 0 : countOf(m_record->contacts);
}

int ContactTable::columnCount(const QModelIndex& parent) const { return parent.isValid() ? 0 : ColumnCount; }

QVariant ContactTable::data(const QModelIndex& index, int role) const {
  if (!m_record || !index.isValid()) return {};
  if (role == Qt::TextAlignmentRole)
    return static_cast<int>(Qt::AlignVCenter | (index.column() >= Gap ? Qt::AlignRight : Qt::AlignLeft));
  if (role != Qt::DisplayRole && role != Qt::UserRole) return {};
  const Contact& contact = m_record->contacts[index.row()];
  const auto text = [&]() -> QString {
    switch (index.column()) {
      case Bodies:
        return nameOf(m_scene.get(), contact.bodyA) + QStringLiteral(" – ") +
               nameOf(m_scene.get(), contact.bodyB);
      case Kind:
        return kindText(contact.kind);
      case Type:
        return typeText(contact);
      case Mode:
        return modeText(contact.mode);
      case Gap:
        return QString::number(1000 * contact.gap, 'g', 4);
      case NormalForce:
        return forceText(contact.normalImpulse, m_record->dt);
      case FrictionForce:
        return forceText(contact.frictionImpulse.norm(), m_record->dt);
      case Normal:
        return vectorText(contact.normal);
      default:
        return contact.intervalEnd > contact.intervalStart ? QStringLiteral("%1 … %2")
                                                                 .arg(contact.intervalStart, 0, 'f', 3)
                                                                 .arg(contact.intervalEnd, 0, 'f', 3)
                                                           : QStringLiteral("–");
    }
  }();
  return role == Qt::UserRole ? sortKey(contact, index.column(), text) : QVariant(text);
}

QVariant ContactTable::headerData(int section, Qt::Orientation orientation, int role) const {
  if (orientation == Qt::Vertical) return role == Qt::DisplayRole ? QVariant(section + 1) : QVariant();
  const char* titles[] = {"bodies A – B", "features",     "type · set",   "mode",       "gap [mm]",
                          "normal [N]",   "friction [N]", "normal A → B", "penetrating"};
  const char* tips[] = {
      "Bodies of the pair, ascending",
      "Kind of feature pair",
      "Penalty, or constraint type U, I, X of a complementarity model with the number of its set",
      "Open, sticking or sliding",
      "The gap that the method works with; negative = overlapping",
      "Normal impulse on B divided by the step",
      "Friction impulse on B divided by the step",
      "Unit normal from body A into body B, world frame",
      "Continuous penalty forces: the part of the step in which the pair penetrates"};
  if (role == Qt::DisplayRole) return tr(titles[section]);
  if (role == Qt::ToolTipRole) return tr(tips[section]);
  return {};
}

ContactInspector::ContactInspector(Session* session, QWidget* parent)
    : QWidget(parent),
      m_session(session),
      m_model(new ContactTable(this)),
      m_view(new QTableView),
      m_title(new QLabel),
      m_tabs(new QTabWidget),
      m_rows(new RowInspector(session)) {
  m_view->setAccessibleName(tr("Contacts of the selected pane"));
  auto* contacts = new QWidget;
  m_sorted = layOutInspector(contacts, m_title, m_view, m_model, 92);
  m_tabs->setDocumentMode(true);
  m_tabs->addTab(contacts, tr("Contacts"));
  m_tabs->addTab(m_rows, tr("Rows of the step"));
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(0, 0, 0, 0);
  column->addWidget(m_tabs);
  m_view->setColumnWidth(ContactTable::Bodies, 150);
  m_view->setColumnWidth(ContactTable::Normal, 130);
  // Not the current row: a table that gets the focus makes its first row current without a choice by the
  // user.
  connect(m_view->selectionModel(), &QItemSelectionModel::selectionChanged, this,
          [this](const QItemSelection& chosen) {
            if (!chosen.isEmpty() && !m_showing)
              Q_EMIT contactChosen(m_session->selectedPane(),
                                   m_sorted->mapToSource(chosen.indexes().front()).row());
          });
  connect(m_session, &Session::viewsShown, this, &ContactInspector::refresh);
  connect(m_session, &Session::selectionChanged, this, &ContactInspector::refresh);
  refresh();
}

void ContactInspector::showRows() { m_tabs->setCurrentWidget(m_rows); }

void ContactInspector::showContact(int contact) {
  refresh();
  if (contact < 0) {
    m_view->clearSelection();
    return;
  }
  const QModelIndex row = m_sorted->mapFromSource(m_model->index(contact, 0));
  m_showing = true;
  m_view->selectRow(row.row());
  m_showing = false;
  m_view->scrollTo(row);
}

void ContactInspector::refresh() {
  m_rows->refresh();
  // Behind another tab a dock counts as visible, because QMainWindow only moves it away.
  if (visibleRegion().isEmpty() && m_session->isRunning()) return;
  const RecordPtr record = m_session->paneCount() ? m_session->shown(m_session->selectedPane()) : nullptr;
  if (!record) {
    m_title->setText(tr("No frame to show."));
  } else if (record->contacts.empty()) {
    m_title->setText(tr("%1, t = %2 s: no contacts")
                         .arg(m_session->paneLabel(m_session->selectedPane()))
                         .arg(record->time, 0, 'f', 3));
  } else {
    m_title->setText(tr("%1, t = %2 s: contacts of the last step (%3 s): %4")
                         .arg(m_session->paneLabel(m_session->selectedPane()))
                         .arg(record->time, 0, 'f', 3)
                         .arg(record->dt, 0, 'g', 3)
                         .arg(record->contacts.size()));
  }
  m_model->setRecord(record, m_session->scene());
}

}  // namespace touchstone
