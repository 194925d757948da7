#include "app/panels/parameter_sheet.h"

#include <QClipboard>
#include <QDialogButtonBox>
#include <QEvent>
#include <QFileDialog>
#include <QGuiApplication>
#include <QHeaderView>
#include <QLabel>
#include <QPushButton>
#include <QTableWidget>
#include <QVBoxLayout>
#include <ostream>

#include "app/session/session.h"
#include "core/contact/method.h"
#include "core/files/written_file.h"
#include "widgets/palette.h"
#include "widgets/text/qt_text.h"

namespace touchstone {

namespace {

struct Value {
  QString shown, source, tip;
};

/// The source of a value: user before scene before default. For a default, whether it is the published value.
QString sourceOf(const Scene& scene, const PaneSettings& settings, const ParameterSpec& spec) {
  if (settings.parameters.count(spec.key)) return ParameterSheet::tr("user");
  const auto suggested = scene.parameters.find(settings.method);
  if (suggested != scene.parameters.end() && suggested->second.count(spec.key))
    return ParameterSheet::tr("scene");
  return spec.published.empty() ? ParameterSheet::tr("our default") : qtText(spec.published);
}

QString sourceOfSuggested(const Scene& scene, const PaneSettings& settings, const char* key, bool standard) {
  const auto suggested = scene.parameters.find(settings.method);
  if (suggested != scene.parameters.end() && suggested->second.count(key)) return ParameterSheet::tr("scene");
  return standard ? ParameterSheet::tr("our default") : ParameterSheet::tr("user");
}

Value valueOf(const Session& session, int pane, const std::string& key) {
  const PaneState& state = session.pane(pane);
  const MethodInfo* method = findMethod(state.settings.method);
  if (!method) return {};
  for (const ParameterSpec& spec : method->parameters) {
    if (spec.key != key) continue;
    const auto value = state.values.find(key);
    const QString unit = spec.unit.empty() ? QString() : QLatin1Char(' ') + qtText(spec.unit);
    return {
        (value == state.values.end() ? qtText(toString(spec.standard)) : qtText(toString(value->second))) +
            unit,
        sourceOf(*session.scene(), state.settings, spec), qtText(spec.help)};
  }
  return {QStringLiteral("–"), QString(), ParameterSheet::tr("This method has no such parameter.")};
}

QColor colourOf(const QString& source, const ThemeColours& theme) {
  if (source == ParameterSheet::tr("user")) return theme.warm;
  if (source == ParameterSheet::tr("scene")) return theme.cool;
  return {};
}

}  // namespace

ParameterSheet::ParameterSheet(Session* session, QWidget* parent)
    : QDialog(parent), m_session(session), m_note(new QLabel), m_table(new QTableWidget) {
  setWindowTitle(tr("Parameter sheet"));
  auto* column = new QVBoxLayout(this);
  m_note->setWordWrap(true);
  column->addWidget(m_note);
  m_table->setEditTriggers(QAbstractItemView::NoEditTriggers);
  m_table->setAlternatingRowColors(true);
  m_table->setAccessibleName(tr("Parameters of all panes"));
  m_table->verticalHeader()->setDefaultSectionSize(fontMetrics().height() + 8);
  column->addWidget(m_table, 1);
  auto* buttons = new QDialogButtonBox(QDialogButtonBox::Close);
  QPushButton* copy = buttons->addButton(tr("Copy as CSV"), QDialogButtonBox::ActionRole);
  QPushButton* saveButton = buttons->addButton(tr("Save as CSV…"), QDialogButtonBox::ActionRole);
  column->addWidget(buttons);
  connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::close);
  connect(copy, &QPushButton::clicked, this, [this] { QGuiApplication::clipboard()->setText(csv()); });
  connect(saveButton, &QPushButton::clicked, this, &ParameterSheet::save);
  connect(session, &Session::panesChanged, this, &ParameterSheet::refill);
  refill();
  resize(900, 620);
}

void ParameterSheet::addRow(const QString& name, const QStringList& values, const QStringList& sources,
                            const QStringList& tips) {
  const int row = m_table->rowCount();
  m_table->insertRow(row);
  m_table->setVerticalHeaderItem(row, new QTableWidgetItem(name));
  const ThemeColours& theme = themeColours(isDark(palette()));
  for (int pane = 0; pane < values.size(); ++pane) {
    auto* value = new QTableWidgetItem(values[pane]);
    auto* source = new QTableWidgetItem(sources[pane]);
    for (QTableWidgetItem* item : {value, source}) {
      item->setToolTip(tips.value(pane));
      if (const QColor colour = colourOf(sources[pane], theme); colour.isValid()) item->setForeground(colour);
    }
    m_table->setItem(row, 2 * pane, value);
    m_table->setItem(row, 2 * pane + 1, source);
  }
}

void ParameterSheet::changeEvent(QEvent* event) {
  QDialog::changeEvent(event);
  if (event->type() == QEvent::PaletteChange) refill();
}

void ParameterSheet::refill() {
  const ThemeColours& theme = themeColours(isDark(palette()));
  m_note->setText(tr("Every value in force with its source: <span style='color:%1'>user</span>, "
                     "<span style='color:%2'>scene</span>, the paper where the default is the published "
                     "one, or our default. Tooltips hold the equation behind each.")
                      .arg(theme.warm.name(), theme.cool.name()));
  m_table->setRowCount(0);
  m_table->setColumnCount(2 * m_session->paneCount());
  if (m_session->paneCount() == 0) return;
  QStringList titles;
  std::vector<std::string> keys;  // of all methods, in the order of their tables
  for (int pane = 0; pane < m_session->paneCount(); ++pane) {
    titles << m_session->paneLabel(pane) << tr("source");
    if (const MethodInfo* method = findMethod(m_session->pane(pane).settings.method))
      for (const ParameterSpec& spec : method->parameters)
        if (!std::count(keys.begin(), keys.end(), spec.key)) keys.push_back(spec.key);
  }
  m_table->setHorizontalHeaderLabels(titles);
  QStringList steps, stepSources, substeps, substepSources, solvers, solverSources, none;
  const Scene& scene = *m_session->scene();
  for (int pane = 0; pane < m_session->paneCount(); ++pane) {
    const PaneSettings& settings = m_session->pane(pane).settings;
    steps << tr("%1 s").arg(m_session->dt() / settings.substeps);
    stepSources << (m_session->dt() == scene.dt ? tr("scene") : tr("user"));
    substeps << QString::number(settings.substeps);
    substepSources << sourceOfSuggested(scene, settings, "substeps", settings.substeps == 1);
    solvers << (settings.solver.empty() ? QStringLiteral("–") : qtText(settings.solver));
    const MethodInfo* method = findMethod(settings.method);
    const bool standard = !method || method->solvers.empty() || settings.solver == method->solvers.front();
    solverSources << (settings.solver.empty() ? QString()
                                              : sourceOfSuggested(scene, settings, "solver", standard));
    none << QString();
  }
  addRow(tr("step"), steps, stepSources, none);
  addRow(tr("substeps"), substeps, substepSources, none);
  addRow(tr("solver"), solvers, solverSources, none);
  for (const std::string& key : keys) {
    QStringList values, sources, tips;
    for (int pane = 0; pane < m_session->paneCount(); ++pane) {
      const Value value = valueOf(*m_session, pane, key);
      values << value.shown;
      sources << value.source;
      tips << value.tip;
    }
    addRow(qtText(key), values, sources, tips);
  }
  m_table->resizeColumnsToContents();
}

QString ParameterSheet::csv() const {
  QString out = QStringLiteral("parameter");
  for (int column = 0; column < m_table->columnCount(); ++column)
    out += QLatin1Char(',') + m_table->horizontalHeaderItem(column)->text();
  out += QLatin1Char('\n');
  for (int row = 0; row < m_table->rowCount(); ++row) {
    out += m_table->verticalHeaderItem(row)->text();
    for (int column = 0; column < m_table->columnCount(); ++column) {
      QString cell = m_table->item(row, column)->text();
      if (cell.contains(QLatin1Char(','))) cell = QLatin1Char('"') + cell + QLatin1Char('"');
      out += QLatin1Char(',') + cell;
    }
    out += QLatin1Char('\n');
  }
  return out;
}

void ParameterSheet::save() {
  const QString path = QFileDialog::getSaveFileName(this, tr("Save parameter sheet"), tr("parameters.csv"),
                                                    tr("CSV table (*.csv)"));
  if (path.isEmpty()) return;
  try {
    writeWhole(path.toStdString(), [this](std::ostream& out) { out << csv().toStdString(); });
  } catch (const std::runtime_error& error) {
    Q_EMIT m_session->failed(QString::fromStdString(error.what()));
  }
}

}  // namespace touchstone
