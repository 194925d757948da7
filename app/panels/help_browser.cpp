#include "app/panels/help_browser.h"

#include <QFile>
#include <QHBoxLayout>
#include <QImage>
#include <QKeyEvent>
#include <QListWidget>
#include <QShortcut>
#include <QSignalBlocker>

#include "core/contact/method_info.h"
#include "core/record/quantity.h"
#include "core/solver/dense/problem.h"
#include "core/solver/solver_traits.h"
#include "widgets/parameters/parameter_editor.h"
#include "widgets/text/qt_text.h"

// Resources of a static library must be initialised by name, outside any namespace.
static void initialiseHelpResources() {
  Q_INIT_RESOURCE(help);
  Q_INIT_RESOURCE(figures);
}

namespace touchstone {

namespace {

QString rangeText(const ParameterSpec& spec) {
  const QString standard = QStringLiteral("`%1`").arg(qtText(toString(spec.standard)));
  if (spec.kind == ParameterKind::Switch)
    return spec.standard == ParameterValue(0.0) ? HelpPages::tr("off by default")
                                                : HelpPages::tr("on by default");
  if (spec.kind == ParameterKind::File) return HelpPages::tr("a file");
  if (spec.kind == ParameterKind::Choice) {
    QStringList choices;
    for (const std::string& choice : spec.choices) choices << QStringLiteral("`%1`").arg(qtText(choice));
    return HelpPages::tr("one of %1; default %2").arg(choices.join(QStringLiteral(", ")), standard);
  }
  return HelpPages::tr("%1 to %2 %3; default %4")
      .arg(shownNumber(spec.minimum), shownNumber(spec.maximum), qtText(spec.unit), standard);
}

// Of a method that has no page of its own.
QString titleText(const std::string& key) {
  const MethodInfo& method = *findMethod(key);
  return QStringLiteral("# %1: %2\n\n%3\n")
      .arg(qtText(method.shortName), qtText(method.name), qtText(method.source));
}

// Solvers and parameters of the method with this key, from its own table, so that the guide cannot disagree.
QString parametersText(const std::string& key) {
  const MethodInfo* method = findMethod(key);
  if (!method) return {};
  QString page = HelpPages::tr("\n## Parameters\n\n");
  for (const ParameterSpec& spec : method->parameters)
    page += QStringLiteral("**%1** `%2` (%3)\n\n%4\n\n")
                .arg(qtText(spec.label), qtText(spec.key), rangeText(spec), qtText(spec.help));
  if (method->solvers.empty()) return page;
  page += HelpPages::tr("## Solvers\n\n");
  for (const std::string& solver : method->solvers)
    for (const SolverTraits& info : solverTable())
      if (info.key == solver)
        page += QStringLiteral("**%1** `%2`\n\n%3\n\n")
                    .arg(qtText(info.name), qtText(info.key), qtText(info.help));
  return page;
}

}  // namespace

std::vector<std::pair<QString, QString>> helpPages() {
  std::vector<std::pair<QString, QString>> pages = {
      {QStringLiteral("start"), HelpPages::tr("Start here")},
      {QStringLiteral("scenes"), HelpPages::tr("Scenes")},
      {QStringLiteral("panes"), HelpPages::tr("Panes and views")},
      {QStringLiteral("plots"), HelpPages::tr("Plots and exports")},
      {QStringLiteral("timeline"), HelpPages::tr("Timeline, forks, branches")},
      {QStringLiteral("inside-step"), HelpPages::tr("Inside a step; compare; pull")},
      {QStringLiteral("recordings"), HelpPages::tr("Recordings and sessions")},
      {QStringLiteral("trajectories"), HelpPages::tr("Trajectories of other engines")},
      {QStringLiteral("reality"), HelpPages::tr("Recorded motion")},
      {QStringLiteral("teaching"), HelpPages::tr("Teaching, fair comparisons")},
      {QStringLiteral("conformance"), HelpPages::tr("Conformance card")},
      {QStringLiteral("for-authors"), HelpPages::tr("For authors of engines and methods")},
      {QStringLiteral("backends"), HelpPages::tr("CPU and CUDA")},
      {QStringLiteral("keyboard"), HelpPages::tr("Keyboard and mouse")},
      {QStringLiteral("command-line"), HelpPages::tr("Command line")},
      {QStringLiteral("installing"), HelpPages::tr("Installing")},
      {QStringLiteral("trust"), HelpPages::tr("What is tested")},
      {QStringLiteral("developing"), HelpPages::tr("Developing")},
      {QStringLiteral("limits"), HelpPages::tr("Limits of this version")}};
  for (const MethodInfo& method : methodTable())
    pages.emplace_back(qtText(method.key),
                       QStringLiteral("%1: %2").arg(qtText(method.shortName), qtText(method.name)));
  pages.emplace_back(QStringLiteral("rows"), HelpPages::tr("Rows of contacts and joints"));
  pages.emplace_back(QStringLiteral("joints"), HelpPages::tr("Joints"));
  pages.emplace_back(QStringLiteral("deformables"), HelpPages::tr("Bodies that deform"));
  pages.emplace_back(QStringLiteral("published-figures"), HelpPages::tr("Published figures"));
  pages.emplace_back(QStringLiteral("writing-studies"), HelpPages::tr("Writing a study"));
  pages.emplace_back(QStringLiteral("many-machines"), HelpPages::tr("Studies on many machines"));
  pages.emplace_back(QStringLiteral("pour-study"), HelpPages::tr("Study: pours"));
  pages.emplace_back(QStringLiteral("ensembles"), HelpPages::tr("Ensembles and verdicts"));
  pages.emplace_back(QStringLiteral("quantities"), HelpPages::tr("Quantities"));
  return pages;
}

QString quantitiesPage() {
  QString page = HelpPages::tr(
      "# Quantities\n\nMeasured by the same code for every method, unless marked *method*: those are what "
      "the "
      "method believes of itself. SI units.\n\n");
  for (const QuantityInfo& info : quantityTable()) {
    page += QStringLiteral("**%1**").arg(qtText(info.label));
    if (!info.symbol.empty()) page += QStringLiteral(" %1").arg(qtText(info.symbol));
    if (!info.unit.empty()) page += QStringLiteral(" [%1]").arg(qtText(info.unit));
    if (info.ofMethod) page += HelpPages::tr(" — *method*");
    page += QStringLiteral(" · `%1`\n\n%2\n\n").arg(qtText(info.column), qtText(info.help));
  }
  return page;
}

QVariant HelpPages::loadResource(int type, const QUrl& name) {
  const QString page = name.fileName();
  if (page.endsWith(QLatin1String(".png"))) {  // "cpf-rest/energy.png"
    const QString path = name.path();
    QImage image(QStringLiteral(":/help/figures/") + path.section(QLatin1Char('/'), -2));
    if (!image.isNull()) return image;
  }
  if (page == QLatin1String("quantities.md")) return quantitiesPage().toUtf8();
  QFile file(QStringLiteral(":/help/") + page);
  if (page.endsWith(QLatin1String(".md"))) {
    const std::string key = page.chopped(3).toStdString();
    if (file.open(QIODevice::ReadOnly)) return file.readAll() + parametersText(key).toUtf8();
    if (findMethod(key)) return (titleText(key) + parametersText(key)).toUtf8();
  }
  return QTextBrowser::loadResource(type, name);
}

HelpWindow::HelpWindow(QWidget* parent)
    : QWidget(parent, Qt::Window), m_list(new QListWidget), m_pages(new HelpPages) {
  initialiseHelpResources();
  setWindowTitle(tr("Touchstone: guide"));
  resize(1140, 720);  // pictures of the guide fit without a scroll bar
  auto* row = new QHBoxLayout(this);
  row->setContentsMargins(8, 8, 8, 8);
  for (const auto& [name, title] : helpPages()) {
    auto* item = new QListWidgetItem(title, m_list);
    item->setData(Qt::UserRole, name);
  }
  m_list->setStyleSheet(QStringLiteral("QListWidget::item { padding: 4px; }"));
  m_list->setFixedWidth(290);
  m_list->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
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
