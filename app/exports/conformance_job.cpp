#include "app/exports/conformance_job.h"

#include <QDesktopServices>
#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QHeaderView>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QLabel>
#include <QPushButton>
#include <QStandardPaths>
#include <QTableWidget>
#include <QUrl>
#include <QVBoxLayout>

#include "app/cli/conform_command.h"
#include "app/work/program_info.h"
#include "core/conform/phenomenon.h"
#include "core/conform/verdict.h"
#include "core/math/count.h"
#include "widgets/text/qt_text.h"

namespace touchstone {

namespace {

/// Ends the card from within its progress.
struct Cancelled {};

/// The sign that the texts of the card have for the word of a verdict.
QString signOfWord(const QString& word) {
  for (const Verdict verdict : allVerdicts())
    if (word == QLatin1String(wordOf(verdict))) return QString::fromUtf8(signOf(verdict)) + QLatin1Char(' ');
  return {};
}

}  // namespace

ConformanceJob::ConformanceJob(const QString& folder, const QStringList& names, QObject* parent)
    : LongJob(parent), m_folder(folder), m_names(names) {}

ConformanceJob::~ConformanceJob() {
  m_cancelled = true;
  if (m_thread) m_thread->wait();
}

void ConformanceJob::start() {
  m_thread.reset(QThread::create([this] { work(); }));
  m_thread->start();
}

// Runs on the thread; signals arrive queued.
void ConformanceJob::work() {
  cli::ConformOptionsOfCli options;
  for (const QString& name : m_names) options.names.push_back(name.toStdString());
  options.out = m_folder.toStdString();
  options.force = options.quiet = true;
  options.jobs = 1;  // the window goes on
  options.commandLine = "touchstone-cli conform --out " + options.out;
  options.progress = [this](double share) {
    if (m_cancelled) throw Cancelled();
    Q_EMIT progress(static_cast<int>(1000 * share), 1000);
  };
  try {
    cli::conform(options);
    Q_EMIT finished(true, m_folder + QStringLiteral("/card.html"));
  } catch (const Cancelled&) {
    Q_EMIT finished(false,
                    tr("The conformance card was cancelled; the runs that ended stay in %1.").arg(m_folder));
  } catch (const std::exception& error) {
    Q_EMIT finished(false, QString::fromStdString(error.what()));
  }
}

ConformancePanel::ConformancePanel(QWidget* parent)
    : QWidget(parent),
      m_table(new QTableWidget),
      m_run(new QPushButton(tr("Run"))),
      m_page(new QPushButton(tr("Page"))),
      m_files(new QPushButton(tr("Files"))),
      m_count(new QLabel) {
  const QString data = QStandardPaths::writableLocation(QStandardPaths::AppDataLocation);
  m_folder = data + QStringLiteral("/conformance");
  m_table->setAccessibleName(tr("Conformance card"));
  m_table->setEditTriggers(QAbstractItemView::NoEditTriggers);
  m_table->setSelectionBehavior(QAbstractItemView::SelectRows);
  m_table->verticalHeader()->hide();
  auto* everything = new QPushButton(tr("All"));
  auto* none = new QPushButton(tr("None"));
  everything->setToolTip(tr("Choose all rows"));
  none->setToolTip(tr("Choose no row"));
  m_run->setToolTip(tr("Compute the rows with a check mark under all methods"));
  m_page->setToolTip(tr("Open the page with plots and a link to each run, in the browser"));
  m_files->setToolTip(tr("Open the folder with the card, its tables and its runs"));
  auto* top = new QHBoxLayout;
  top->addWidget(everything);
  top->addWidget(none);
  top->addWidget(m_count, 1);
  top->addWidget(m_run);
  top->addWidget(m_page);
  top->addWidget(m_files);
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(4, 4, 4, 4);
  column->addLayout(top);
  column->addWidget(m_table, 1);
  connect(everything, &QPushButton::clicked, this, [this] { check(true); });
  connect(none, &QPushButton::clicked, this, [this] { check(false); });
  connect(m_run, &QPushButton::clicked, this, [this] { Q_EMIT runRequested(m_folder, chosen()); });
  connect(m_page, &QPushButton::clicked, this, [this] {
    QDesktopServices::openUrl(QUrl::fromLocalFile(m_folder + QStringLiteral("/card.html")));
  });
  connect(m_files, &QPushButton::clicked, this,
          [this] { QDesktopServices::openUrl(QUrl::fromLocalFile(m_folder)); });
  connect(m_table, &QTableWidget::itemChanged, this, &ConformancePanel::countChosen);
  countChosen();
}

// Reading the phenomena would delay the window.
void ConformancePanel::showEvent(QShowEvent* event) {
  QWidget::showEvent(event);
  fill();
}

/// Lists the phenomena, with the card that the folder holds, once.
void ConformancePanel::fill() {
  if (m_table->rowCount() > 0) return;
  std::vector<Phenomenon> phenomena;
  try {
    phenomena = loadPhenomena(datasetsFolder() + "/battery");
  } catch (const std::exception& error) {
    m_count->setText(qtText(error.what()));
    return;
  }
  const QSignalBlocker quiet(m_table);
  m_table->setColumnCount(1);
  m_table->setHorizontalHeaderLabels({tr("Phenomenon")});
  for (const Phenomenon& phenomenon : phenomena) {
    const int row = m_table->rowCount();
    m_table->insertRow(row);
    auto* item = new QTableWidgetItem(
        QStringLiteral("%1  %2").arg(qtText(phenomenon.number), qtText(phenomenon.title)));
    item->setFlags(Qt::ItemIsUserCheckable | Qt::ItemIsEnabled | Qt::ItemIsSelectable);
    item->setCheckState(Qt::Checked);
    item->setData(Qt::UserRole, qtText(phenomenon.name));
    item->setToolTip(plainToolTip(qtText(phenomenon.question)));
    m_table->setItem(row, 0, item);
  }
  m_table->resizeColumnToContents(0);
  showCard(m_folder);
  countChosen();
}

void ConformancePanel::showCard(const QString& folder) {
  m_folder = folder;
  QFile file(folder + QStringLiteral("/card.json"));
  const QJsonObject card =
      file.open(QIODevice::ReadOnly) ? QJsonDocument::fromJson(file.readAll()).object() : QJsonObject();
  const QSignalBlocker quiet(m_table);
  const QJsonArray columns = card.value(QLatin1String("columns")).toArray();
  QStringList headings = {tr("Phenomenon")};
  for (const QJsonValue column : columns) headings << column.toString();
  m_table->setColumnCount(1);
  m_table->setColumnCount(countOf(headings));
  m_table->setHorizontalHeaderLabels(headings);
  for (const QJsonValue entry : card.value(QLatin1String("efforts")).toArray()) {
    const QJsonObject effort = entry.toObject(), head = effort.value(QLatin1String("head")).toObject();
    QStringList lines;
    for (const QString& name : head.keys())
      lines << name + QStringLiteral(": ") + head.value(name).toString();
    for (const QJsonValue remark : effort.value(QLatin1String("remarks")).toArray())
      lines << remark.toString();
    const int column = static_cast<int>(headings.indexOf(effort.value(QLatin1String("column")).toString()));
    if (column > 0) m_table->horizontalHeaderItem(column)->setToolTip(plainToolTip(lines.join('\n')));
  }
  for (const QJsonValue entry : card.value(QLatin1String("phenomena")).toArray()) {
    const QJsonObject phenomenon = entry.toObject();
    for (int row = 0; row < m_table->rowCount(); ++row) {
      if (m_table->item(row, 0)->data(Qt::UserRole).toString() !=
          phenomenon.value(QLatin1String("name")).toString())
        continue;
      int column = 0;
      for (const QJsonValue value : phenomenon.value(QLatin1String("cells")).toArray()) {
        const QJsonObject cell = value.toObject();
        const QString reason = cell.value(QLatin1String("reason")).toString();
        auto* item = new QTableWidgetItem(signOfWord(cell.value(QLatin1String("verdict")).toString()) +
                                          cell.value(QLatin1String("text")).toString());
        item->setFlags(Qt::ItemIsEnabled | Qt::ItemIsSelectable);
        item->setToolTip(plainToolTip(cell.value(QLatin1String("verdict")).toString() +
                                      (reason.isEmpty() ? QString() : QStringLiteral(": ") + reason)));
        m_table->setItem(row, ++column, item);
      }
    }
  }
  for (int column = 1; column < m_table->columnCount(); ++column) m_table->resizeColumnToContents(column);
  const bool isThere = !card.isEmpty();
  m_page->setEnabled(isThere);
  m_files->setEnabled(isThere);
}

void ConformancePanel::setRunning(bool running) {
  m_isRunning = running;
  countChosen();
}

QStringList ConformancePanel::chosen() const {
  QStringList names;
  for (int row = 0; row < m_table->rowCount(); ++row)
    if (m_table->item(row, 0)->checkState() == Qt::Checked)
      names << m_table->item(row, 0)->data(Qt::UserRole).toString();
  return names;
}

void ConformancePanel::check(bool isChosen) {
  for (int row = 0; row < m_table->rowCount(); ++row)
    m_table->item(row, 0)->setCheckState(isChosen ? Qt::Checked : Qt::Unchecked);
}

void ConformancePanel::countChosen() {
  const int count = countOf(chosen());
  m_count->setText(tr("%1 of %2 rows").arg(count).arg(m_table->rowCount()));
  m_run->setEnabled(count > 0 && !m_isRunning);
}

}  // namespace touchstone
