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
#include <algorithm>
#include <ostream>

#include "app/session/session.h"
#include "core/files/written_file.h"
#include "core/run/resolved_values.h"
#include "widgets/palette.h"
#include "widgets/text/qt_text.h"

namespace touchstone {

namespace {

struct Value {
  QString shown, source, tip;
};

/// The source as the sheet shows it.
QString shownSource(const ResolvedValue& value) {
  switch (value.source) {
    case ValueSource::User:
      return ParameterSheet::tr("user");
    case ValueSource::Scene:
      return ParameterSheet::tr("scene");
    case ValueSource::Paper:
      return qtText(value.paper);
    case ValueSource::Default:
      return ParameterSheet::tr("our default");
  }
  return {};
}

Value valueOf(const std::vector<ResolvedValue>& table, const std::string& key) {
  for (const ResolvedValue& value : table) {
    if (value.key != key) continue;
    QString tip = qtText(value.help);
    if (value.isAutomatic() && value.automatic) tip += QLatin1Char('\n') + qtText(value.automatic->reason);
    return {qtText(valueText(value)), shownSource(value), tip};
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
  std::vector<std::string> keys;  // of all panes, in the order of their tables
  std::vector<std::vector<ResolvedValue>> tables;
  for (int pane = 0; pane < m_session->paneCount(); ++pane) {
    titles << m_session->paneLabel(pane) << tr("source");
    tables.push_back(resolvedValues(*m_session->scene(), m_session->pane(pane).settings, m_session->dt()));
    for (const ResolvedValue& value : tables.back())
      if (!std::count(keys.begin(), keys.end(), value.key)) keys.push_back(value.key);
  }
  m_table->setHorizontalHeaderLabels(titles);
  for (const std::string& key : keys) {
    QStringList values, sources, tips;
    for (const std::vector<ResolvedValue>& table : tables) {
      const Value value = valueOf(table, key);
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
