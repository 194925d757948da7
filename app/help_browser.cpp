#include "app/help_browser.h"

#include <QFile>
#include <QHBoxLayout>
#include <QKeyEvent>
#include <QListWidget>
#include <QShortcut>
#include <QSignalBlocker>

#include "core/record/quantity.h"

// A resource of a static library has to be asked for by name, outside any namespace.
static void initialiseHelpResources() { Q_INIT_RESOURCE(help); }

namespace touchstone {

namespace {

QString text(const std::string& s) { return QString::fromStdString(s); }

}  // namespace

std::vector<std::pair<QString, QString>> helpPages() {
  return {{QStringLiteral("start"), HelpPages::tr("Start here")},
          {QStringLiteral("panes"), HelpPages::tr("Panes and views")},
          {QStringLiteral("plots"), HelpPages::tr("Plots and exports")},
          {QStringLiteral("timeline"), HelpPages::tr("Timeline and forks")},
          {QStringLiteral("keyboard"), HelpPages::tr("Keyboard and mouse")},
          {QStringLiteral("dpf"), HelpPages::tr("DPF: discrete penalty forces")},
          {QStringLiteral("cpf"), HelpPages::tr("CPF: continuous penalty forces")},
          {QStringLiteral("lcp"), HelpPages::tr("LCP: the standard model")},
          {QStringLiteral("peg"), HelpPages::tr("PEG: piecewise geometry")},
          {QStringLiteral("quantities"), HelpPages::tr("Quantities")}};
}

QString quantitiesPage() {
  QString page = HelpPages::tr(
      "# Quantities\n\nMeasured by the same code for every method, unless marked *method*: those are what the "
      "method believes of itself. SI units.\n\n");
  for (const QuantityInfo& info : quantityTable()) {
    page += QStringLiteral("**%1**").arg(text(info.label));
    if (!info.symbol.empty()) page += QStringLiteral(" %1").arg(text(info.symbol));
    if (!info.unit.empty()) page += QStringLiteral(" [%1]").arg(text(info.unit));
    if (info.ofMethod) page += HelpPages::tr(" — *method*");
    page += QStringLiteral(" · `%1`\n\n%2\n\n").arg(text(info.column), text(info.help));
  }
  return page;
}

QVariant HelpPages::loadResource(int type, const QUrl& name) {
  const QString page = name.fileName();
  if (page == QLatin1String("quantities.md")) return quantitiesPage().toUtf8();
  QFile file(QStringLiteral(":/help/") + page);
  if (page.endsWith(QLatin1String(".md")) && file.open(QIODevice::ReadOnly)) return file.readAll();
  return QTextBrowser::loadResource(type, name);
}

HelpWindow::HelpWindow(QWidget* parent)
    : QWidget(parent, Qt::Window), m_list(new QListWidget), m_pages(new HelpPages) {
  initialiseHelpResources();
  setWindowTitle(tr("Touchstone: guide"));
  resize(980, 700);
  auto* row = new QHBoxLayout(this);
  row->setContentsMargins(8, 8, 8, 8);
  for (const auto& [name, title] : helpPages()) {
    auto* item = new QListWidgetItem(title, m_list);
    item->setData(Qt::UserRole, name);
  }
  m_list->setFixedWidth(240);
  m_list->setAccessibleName(tr("Pages of the guide"));
  m_pages->setOpenExternalLinks(true);
  m_pages->document()->setDocumentMargin(16);
  QFont font = m_pages->font();
  font.setPointSizeF(font.pointSizeF() * 1.1);
  m_pages->setFont(font);
  row->addWidget(m_list);
  row->addWidget(m_pages, 1);
  connect(m_list, &QListWidget::currentRowChanged, this,
          [this](int line) { showPage(m_list->item(line)->data(Qt::UserRole).toString()); });
  connect(m_pages, &QTextBrowser::sourceChanged, this, [this](const QUrl& url) {
    const QSignalBlocker quiet(m_list);
    for (int line = 0; line < m_list->count(); ++line)
      if (m_list->item(line)->data(Qt::UserRole).toString() + QLatin1String(".md") == url.fileName())
        m_list->setCurrentRow(line);
  });
  connect(new QShortcut(QKeySequence(Qt::Key_Escape), this), &QShortcut::activated, this, &QWidget::hide);
  showPage(QStringLiteral("start"));
}

void HelpWindow::showPage(const QString& page) {
  m_pages->setSource(QUrl(QStringLiteral("qrc:/help/%1.md").arg(page)), QTextDocument::MarkdownResource);
}

}  // namespace touchstone
