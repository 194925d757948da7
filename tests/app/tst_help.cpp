#include <QTextBlock>
#include <QTextDocument>
#include <QtTest>

#include "app/panels/help_browser.h"
#include "core/contact/method_info.h"
#include "core/record/quantity.h"
#include "tests/support/gui_main.h"

using namespace touchstone;

class HelpTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void everyPageHasText();
  void everyLinkLeadsToAPage();
  void everyMethodExplainsAllItsParameters();
  void everyQuantityIsExplained();
};

void HelpTest::everyPageHasText() {
  HelpWindow help;
  for (const auto& [name, title] : helpPages()) {
    help.showPage(name);
    QVERIFY2(help.pages()->toPlainText().size() > 300, qPrintable(name + ": " + title));
  }
}

void HelpTest::everyLinkLeadsToAPage() {
  HelpWindow help;
  QStringList names;
  for (const auto& [name, title] : helpPages()) names << name + ".md";
  for (const auto& [name, title] : helpPages()) {
    help.showPage(name);
    for (QTextBlock block = help.pages()->document()->begin(); block.isValid(); block = block.next())
      for (auto part = block.begin(); !part.atEnd(); ++part) {
        const QString link = part.fragment().charFormat().anchorHref();
        if (!link.isEmpty() && !link.contains("://"))
          QVERIFY2(names.contains(link), qPrintable(name + " → " + link));
      }
  }
}

void HelpTest::everyMethodExplainsAllItsParameters() {
  HelpWindow help;
  for (const MethodInfo& method : methodTable()) {
    help.showPage(QString::fromStdString(method.key));
    const QString text = help.pages()->toPlainText();
    for (const ParameterSpec& spec : method.parameters)
      QVERIFY2(text.contains(QString::fromStdString(spec.key)), qPrintable(QString::fromStdString(spec.key)));
  }
}

void HelpTest::everyQuantityIsExplained() {
  const QString page = quantitiesPage();
  for (const QuantityInfo& info : quantityTable())
    QVERIFY(page.contains(QString::fromStdString(info.column)));
}

TS_GUI_TEST_MAIN(HelpTest)
#include "tst_help.moc"
