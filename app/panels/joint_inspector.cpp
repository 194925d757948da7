#include "app/panels/joint_inspector.h"

#include <QItemSelectionModel>
#include <algorithm>
#include <cmath>

#include "app/panels/inspector_table.h"
#include "app/session/session.h"
#include "widgets/text/qt_text.h"

namespace touchstone {

namespace {

QString kindText(JointKind kind) {
  switch (kind) {
    case JointKind::Ball:
      return JointTable::tr("ball");
    case JointKind::Revolute:
      return JointTable::tr("revolute");
    case JointKind::Prismatic:
      return JointTable::tr("prismatic");
    case JointKind::Fixed:
      return JointTable::tr("fixed");
    case JointKind::Beam:
      return JointTable::tr("beam");
    case JointKind::Distance:
      return JointTable::tr("distance");
    default:
      return JointTable::tr("rope");
  }
}

QString stateText(const Joint& joint, const JointState& state) {
  QStringList words;
  if (joint.kind == JointKind::Rope && state.limit != 0) words << JointTable::tr("taut");
  if (joint.hasCoordinate() && state.limit < 0) words << JointTable::tr("at its lower limit");
  if (joint.hasCoordinate() && state.limit > 0) words << JointTable::tr("at its upper limit");
  if (state.isLargest) words << JointTable::tr("drive at its largest force");
  return words.join(QStringLiteral(", "));
}

/// The key by which a cell is sorted: a number, or not a number where there is none.
double numberOf(const Joint& joint, const JointState& state, int column) {
  switch (column) {
    case JointTable::Coordinate:
      return state.coordinate;
    case JointTable::Error:
      return 1000 * state.error;
    case JointTable::Angle:
      return 1000 * state.angle;
    case JointTable::Force:
      return state.force.norm();
    case JointTable::Torque:
      return state.torque.norm();
    case JointTable::Drive:
      return joint.drive.isOn() || joint.drive.hasForce() ? state.drive : std::nan("");
    case JointTable::Friction:
      return joint.dryFriction > 0 ? state.friction : std::nan("");
    default:
      return std::nan("");
  }
}

QString wrenchText(const Vec3& v) {
  return QStringLiteral("(%1, %2, %3)").arg(v.x(), 0, 'g', 4).arg(v.y(), 0, 'g', 4).arg(v.z(), 0, 'g', 4);
}

}  // namespace

void JointTable::setRecord(RecordPtr record, std::shared_ptr<const Scene> scene) {
  const bool isSame =
      m_record && record && m_scene == scene && m_record->joints.size() == record->joints.size();
  if (!isSame) beginResetModel();
  m_record = std::move(record);
  m_scene = std::move(scene);
  if (!isSame)
    endResetModel();
  else if (rowCount() > 0)  // the chosen row stays
    Q_EMIT dataChanged(index(0, 0), index(rowCount() - 1, ColumnCount - 1));
}

int JointTable::rowCount(const QModelIndex& parent) const {
  if (parent.isValid() || !m_record || !m_scene) return 0;
  return static_cast<int>(std::min(m_record->joints.size(), m_scene->joints.size()));
}

int JointTable::columnCount(const QModelIndex& parent) const { return parent.isValid() ? 0 : ColumnCount; }

QVariant JointTable::data(const QModelIndex& index, int role) const {
  if (!index.isValid() || index.row() >= rowCount()) return {};
  const bool isNumber = index.column() >= Coordinate && index.column() <= Friction;
  if (role == Qt::TextAlignmentRole)
    return static_cast<int>(Qt::AlignVCenter | (isNumber ? Qt::AlignRight : Qt::AlignLeft));
  const Joint& joint = m_scene->joints[index.row()];
  const JointState& state = m_record->joints[index.row()];
  if (role == Qt::ToolTipRole && index.column() == Force)
    return tr("On the second body along the axes of the joint's frame in the first: %1 N")
        .arg(wrenchText(state.force));
  if (role == Qt::ToolTipRole && index.column() == Torque)
    return tr("On the second body about its anchor, along the axes of the joint's frame in the first: %1 N·m")
        .arg(wrenchText(state.torque));
  if (role != Qt::DisplayRole && role != Qt::UserRole) return {};
  if (isNumber) {
    const double number = numberOf(joint, state, index.column());
    if (role == Qt::UserRole) return number;
    return std::isnan(number) ? QStringLiteral("–") : QString::number(number, 'g', 4);
  }
  if (index.column() == Name) return QString::fromStdString(joint.name);
  return index.column() == Kind ? kindText(joint.kind) : stateText(joint, state);
}

QVariant JointTable::headerData(int section, Qt::Orientation orientation, int role) const {
  if (orientation == Qt::Vertical) return role == Qt::DisplayRole ? QVariant(section + 1) : QVariant();
  const char* titles[] = {"joint",     "type",         "coordinate",     "error [mm]",        "error [mrad]",
                          "force [N]", "torque [N·m]", "drive [N, N·m]", "friction [N, N·m]", "state"};
  const char* tips[] = {
      "Its name in the scene",
      "Ball, revolute, prismatic, fixed, beam, distance or rope",
      "Twist with its turns [rad], or slide [m]",
      "Largest distance by which it is apart",
      "Largest angle by which it is apart",
      "Of all its rows, drives and limits included, on the second body; mean over the frame",
      "The same, about the anchor of the second body",
      "Force of its drive along the coordinate, given forces included",
      "Force of its dry friction along the coordinate",
      "Limits that carry force, drives at their largest force"};
  if (role == Qt::DisplayRole) return tr(titles[section]);
  if (role == Qt::ToolTipRole) return tr(tips[section]);
  return {};
}

JointInspector::JointInspector(Session* session, QWidget* parent)
    : QWidget(parent),
      m_session(session),
      m_model(new JointTable(this)),
      m_view(new QTableView),
      m_title(new QLabel) {
  m_title->setWordWrap(true);
  m_view->setAccessibleName(tr("Joints of the selected pane"));
  m_sorted = layOutInspector(this, m_title, m_view, m_model, 88);
  m_view->setColumnWidth(JointTable::Name, 130);
  connect(m_view->selectionModel(), &QItemSelectionModel::selectionChanged, this,
          [this](const QItemSelection& chosen) {
            if (!chosen.isEmpty())
              m_session->selectJoint(m_sorted->mapToSource(chosen.indexes().front()).row());
          });
  connect(m_session, &Session::viewsShown, this, &JointInspector::refresh);
  connect(m_session, &Session::selectionChanged, this, &JointInspector::refresh);
  refresh();
}

void JointInspector::refresh() {
  if (visibleRegion().isEmpty() && m_session->isRunning()) return;
  const RecordPtr record = m_session->paneCount() ? m_session->shown(m_session->selectedPane()) : nullptr;
  const auto scene = m_session->scene();
  if (!record)
    m_title->setText(tr("No frame to show."));
  else if (!scene || scene->joints.empty())
    m_title->setText(tr("The bodies of this scene are not joined."));
  else
    m_title->setText(tr("%1, t = %2 s. Plots of a joint show the chosen row.")
                         .arg(m_session->paneLabel(m_session->selectedPane()))
                         .arg(record->time, 0, 'f', 3));
  m_model->setRecord(record, scene);
}

}  // namespace touchstone
