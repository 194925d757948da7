#include "app/panels/parameter_panel.h"

#include <QGroupBox>
#include <QLabel>
#include <QLocale>
#include <QMenu>
#include <QPainter>
#include <QPixmap>
#include <QSignalBlocker>
#include <QTabBar>
#include <QTabWidget>
#include <QVBoxLayout>
#include <cmath>
#include <set>

#include "app/panels/scrolled.h"
#include "app/session/session.h"
#include "core/engine/engine.h"
#include "core/math/count.h"
#include "core/run/resolved_values.h"
#include "widgets/palette.h"
#include "widgets/parameters/parameter_form.h"
#include "widgets/text/qt_text.h"

namespace touchstone {

namespace {

const char* const kSubsteps = "substeps";
const char* const kFrameLength = "dt";

ParameterSpec frameLengthSpec() {
  ParameterSpec spec;
  spec.key = kFrameLength;
  spec.label = "Frame length";
  spec.unit = "s";
  spec.help =
      "Simulated time between two frames, for all panes. A pane divides it by its substeps. Takes effect at "
      "the next "
      "frame.";
  spec.standard = 0.01;
  spec.minimum = 1e-5;
  spec.maximum = 0.1;
  spec.logarithmic = true;
  return spec;
}

ParameterSpec substepsSpec() {
  ParameterSpec spec;
  spec.key = kSubsteps;
  spec.label = "Substeps";
  spec.help = "Steps of this pane per frame; each is frame length / substeps long.";
  spec.kind = ParameterKind::Integer;
  spec.standard = 1.0;
  spec.minimum = 1;
  spec.maximum = 1000;
  spec.logarithmic = true;
  return spec;
}

QIcon stripeIcon(const QColor& colour) {
  QPixmap pixmap(12, 12);
  pixmap.fill(colour);
  return QIcon(pixmap);
}

}  // namespace

ParameterPanel::ParameterPanel(Session* session, QWidget* parent)
    : QWidget(parent),
      m_session(session),
      m_sceneForm(new ParameterForm({frameLengthSpec()}, {})),
      m_drives(new QGroupBox(tr("Drives, in all panes"))),
      m_tabs(new QTabWidget) {
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(6, 6, 6, 6);
  column->addWidget(m_sceneForm);
  column->addWidget(m_drives);
  auto* drives = new QVBoxLayout(m_drives);
  drives->setContentsMargins(4, 4, 4, 4);
  m_drives->hide();
  column->addWidget(m_tabs, 1);
  m_sceneForm->setEnabled(false);  // until a scene is open
  m_tabs->setDocumentMode(true);
  m_tabs->setUsesScrollButtons(true);
  m_tabs->tabBar()->setElideMode(Qt::ElideNone);
  connect(m_tabs, &QTabWidget::currentChanged, m_session, &Session::selectPane);
  connect(m_session, &Session::panesChanged, this, &ParameterPanel::refresh);
  connect(m_session, &Session::selectionChanged, this,
          [this] { m_tabs->setCurrentIndex(m_session->selectedPane()); });
  connect(m_session, &Session::viewsShown, this, [this] {
    if (!m_session->isRunning()) refreshDrives();
  });
}

ParameterForm* ParameterPanel::paneForm(int pane) const {
  return pane >= 0 && pane < countOf(m_forms) ? m_forms[pane] : nullptr;
}

std::vector<std::string> ParameterPanel::signature() const {
  std::vector<std::string> signature;
  if (m_session->scene()) signature.push_back(m_session->scene()->file);
  for (int pane = 0; pane < m_session->paneCount(); ++pane)
    signature.push_back(m_session->pane(pane).settings.method + "/" + m_session->pane(pane).settings.solver);
  return signature;
}

void ParameterPanel::rebuild() {
  const QSignalBlocker quiet(m_tabs);
  m_forms.clear();
  while (m_tabs->count() > 0) {
    QWidget* page = m_tabs->widget(0);
    m_tabs->removeTab(0);
    page->deleteLater();
  }
  for (int pane = 0; pane < m_session->paneCount(); ++pane) addPaneTab(pane);
  m_tabs->setCurrentIndex(m_session->selectedPane());

  auto* form = new ParameterForm({frameLengthSpec()}, {{kFrameLength, m_session->scene()->dt}});
  connect(form, &ParameterForm::edited, this, [this](const std::string&, const ParameterValue& value) {
    m_session->editDt(std::get<double>(value));
  });
  offerVariation(form, -1);
  delete layout()->replaceWidget(m_sceneForm, form);
  m_sceneForm->deleteLater();
  m_sceneForm = form;
  rebuildDrives();
}

// The frame length has no pane of its own; that of the selected one stands for it.
void ParameterPanel::offerVariation(ParameterForm* form, int pane) {
  connect(form, &ParameterForm::menuRequested, this,
          [this, pane](const std::string& key, const QPoint& globalPosition) {
            if (key == kSubsteps) return;
            auto* menu = new QMenu(this);
            menu->setAttribute(Qt::WA_DeleteOnClose);
            // Queued: the dialog that follows begins when the menu is gone.
            connect(
                menu->addAction(tr("Vary this…")), &QAction::triggered, this,
                [this, pane, key] {
                  Q_EMIT varyRequested(pane < 0 ? m_session->selectedPane() : pane,
                                       QString::fromStdString(key));
                },
                Qt::QueuedConnection);
            menu->popup(globalPosition);
          });
}

/// A slider over the limits of each drive's joint, or over ± 1 turn or ± 1 m.
void ParameterPanel::rebuildDrives() {
  while (QLayoutItem* item = m_drives->layout()->takeAt(0)) {
    item->widget()->deleteLater();
    delete item;
  }
  m_driveForm = nullptr;
  std::vector<ParameterSpec> specs;
  std::set<std::string> known;  // replicas have drives of one name
  for (const Joint& joint : m_session->scene()->joints) {
    if (!joint.drive.isOn() || !known.insert(joint.name).second) continue;
    const bool isAngle = joint.kind == JointKind::Revolute;
    ParameterSpec spec;
    spec.key = joint.name;
    spec.label = joint.name;
    spec.unit = isAngle ? "rad" : "m";
    spec.help = "Target of the drive. Automatic: as the scene has it, which may follow a script.";
    spec.standard = std::string(kAutomatic);
    spec.mayBeAutomatic = true;
    const double farthest = isAngle ? 6.2832 : 1;
    spec.minimum = std::max(joint.lower, -farthest);
    spec.maximum = std::min(joint.upper, farthest);
    specs.push_back(spec);
  }
  m_drives->setVisible(!specs.empty());
  if (specs.empty()) return;
  m_driveForm = new ParameterForm(specs, {});
  connect(m_driveForm, &ParameterForm::edited, m_session, &Session::editDrive);
  auto* page = scrolled(m_driveForm);
  constexpr int kFewestShown = 2, kMostShown = 5;  // more leave no room for the parameters
  const int row = m_driveForm->sizeHint().height() / countOf(specs);
  page->setMinimumHeight(row * std::min(kFewestShown, countOf(specs)) + 4);
  page->setMaximumHeight(row * std::min(kMostShown, countOf(specs)) + 4);
  m_drives->layout()->addWidget(page);
}

void ParameterPanel::addPaneTab(int pane) {
  const PaneSettings& settings = m_session->pane(pane).settings;
  const MethodInfo* method = findMethod(settings.method);
  std::vector<ParameterSpec> specs = {substepsSpec()};
  if (method) specs.insert(specs.end(), method->parameters.begin(), method->parameters.end());
  ParameterValues standards;
  const auto suggested = m_session->scene()->parameters.find(settings.method);
  if (suggested != m_session->scene()->parameters.end()) standards = suggested->second;

  auto* form = new ParameterForm(specs, standards);
  connect(form, &ParameterForm::edited, this,
          [this, pane](const std::string& key, const ParameterValue& value) {
            if (key == kSubsteps) {
              m_session->editSubsteps(pane, static_cast<int>(std::lround(std::get<double>(value))));
            } else {
              m_session->editParameter(pane, key, value);
            }
          });
  offerVariation(form, pane);
  const EngineInfo* engine = findEngine(settings.method);
  if (engine && engine->isPlayed) {
    form->setEnabled(false);
  }
  m_forms.push_back(form);
  auto* page = new QWidget;
  auto* column = new QVBoxLayout(page);
  column->setContentsMargins(4, 6, 4, 6);
  if (!form->isEnabled()) {
    auto* reason =
        new QLabel(tr("The motion is that of a file: nothing changes it. Add a pane for another file."));
    reason->setWordWrap(true);
    column->addWidget(reason);
  }
  column->addWidget(form);
  column->addStretch(1);
  m_tabs->addTab(scrolled(page), stripeIcon(methodColour(QString::fromStdString(settings.method))),
                 m_session->paneLabel(pane));
}

void ParameterPanel::refresh() {
  if (!m_session->scene()) return;
  const std::vector<std::string> wanted = signature();
  if (wanted != m_built) {
    m_built = wanted;
    rebuild();
  }
  m_sceneForm->setValues({{kFrameLength, m_session->dt()}});
  refreshDrives();
  for (int pane = 0; pane < m_session->paneCount(); ++pane) {
    ParameterValues values = m_session->pane(pane).values;
    values[kSubsteps] = static_cast<double>(m_session->pane(pane).settings.substeps);
    m_forms[pane]->setValues(values);
    m_tabs->setTabText(pane, m_session->paneLabel(pane));
    showAutomatic(pane);
  }
}

/// Targets that the user has given, and of the others those of the scene at the cursor.
void ParameterPanel::refreshDrives() {
  if (!m_driveForm || m_session->paneCount() == 0) return;
  ParameterValues targets;
  for (const auto& [key, value] : m_session->pane(0).settings.parameters)
    if (key.rfind(kDriveKey, 0) == 0) targets[key.substr(sizeof kDriveKey - 1)] = value;
  m_driveForm->setValues(targets);
  const double time = m_session->timeAt(m_session->cursor());
  for (const Joint& joint : m_session->scene()->joints) {
    ParameterEditor* editor = m_driveForm->editor(joint.name);
    if (!editor) continue;
    const double target = joint.drive.aimAt(time).target;
    editor->setAutomatic(target, shownNumber(target), tr("the scene's"));
  }
}

/// Shows the values of automatic parameters for the step and the substeps of a pane.
void ParameterPanel::showAutomatic(int pane) {
  for (const ResolvedValue& row :
       resolvedValues(*m_session->scene(), m_session->pane(pane).settings, m_session->dt())) {
    ParameterEditor* editor = row.mayBeAutomatic ? m_forms[pane]->editor(row.key) : nullptr;
    if (!editor) continue;
    const std::optional<AutomaticValue>& value = row.automatic;
    if (!value) {
      editor->setAutomatic({}, QString(), tr("for each contact"));
      continue;
    }
    const QString smallest = shownNumber(value->least), largest = shownNumber(value->most);
    const QString text = smallest == largest ? smallest : tr("%1 … %2").arg(smallest, largest);
    editor->setAutomatic(value->most,
                         smallest == largest
                             ? smallest
                             : QLocale::c().toString(value->least, 'g', 2) + QStringLiteral("…") +
                                   QLocale::c().toString(value->most, 'g', 2),
                         tr("%1 %2 = %3").arg(text, qtText(row.unit), qtText(value->reason)));
  }
}

}  // namespace touchstone
