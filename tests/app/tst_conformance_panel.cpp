#include <QAction>
#include <QDockWidget>
#include <QStandardPaths>
#include <QTableWidget>
#include <QTemporaryDir>

#include "app/exports/conformance_job.h"
#include "tests/support/gui_main.h"
#include "tests/support/window_driver.h"

using namespace touchstone;
using namespace touchstone::test;

/// The card inside the window: rows are chosen, run, and shown with their results.
class ConformancePanelTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void initTestCase() { QStandardPaths::setTestModeEnabled(true); }
  void chosenRowsAreRunAndShown();
};

void ConformancePanelTest::chosenRowsAreRunAndShown() {
  WindowDriver hand;
  hand.show();
  ConformancePanel* page = hand.window->conformance();
  QTemporaryDir folder;
  page->setFolder(folder.filePath(QStringLiteral("card")));
  for (QAction* action : hand.window->actions())
    if (action->text().startsWith(QStringLiteral("Conformance card"))) action->trigger();
  QVERIFY(page->isVisible());
  QTableWidget* table = page->table();
  QVERIFY(table->rowCount() >= 26);
  QCOMPARE(page->chosen().size(), table->rowCount());
  const auto button = [page](const char* text) -> QPushButton* {
    for (QPushButton* each : page->findChildren<QPushButton*>())
      if (each->text() == QLatin1String(text)) return each;
    return nullptr;
  };
  QTest::mouseClick(button("None"), Qt::LeftButton);
  QVERIFY(!page->runButton()->isEnabled());
  int row = -1;
  for (int candidate = 0; candidate < table->rowCount(); ++candidate)
    if (table->item(candidate, 0)->data(Qt::UserRole) == QLatin1String("crossed-edges")) row = candidate;
  QVERIFY(row >= 0);
  table->scrollToItem(table->item(row, 0));
  const QRect cell = table->visualItemRect(table->item(row, 0));
  QTest::mouseClick(table->viewport(), Qt::LeftButton, {}, QPoint(cell.left() + 10, cell.center().y()));
  const QStringList onlyThis(QStringLiteral("crossed-edges"));
  QCOMPARE(page->chosen(), onlyThis);
  // Space is a command of the window, from a page outside it too; Enter is the key of the check mark.
  const QPoint title(cell.right() - 10, cell.center().y());
  QTest::mouseClick(table->viewport(), Qt::LeftButton, {}, title);  // a click on the mark leads to no row
  for (const bool outside : {true, false}) {
    qobject_cast<QDockWidget*>(page->parentWidget())->setFloating(outside);
    QTRY_VERIFY_WITH_TIMEOUT(table->isVisible(), kPatience);
    QApplication::setActiveWindow(table->window());
    table->setFocus(Qt::TabFocusReason);
    QTRY_VERIFY_WITH_TIMEOUT(table->hasFocus(), kPatience);
    QTest::keyClick(table, Qt::Key_Space);
    QCOMPARE(page->chosen(), onlyThis);
    QTest::keyClick(table, Qt::Key_Return);
    QVERIFY(page->chosen().isEmpty());
    QTest::keyClick(table, Qt::Key_Return);
    QCOMPARE(page->chosen(), onlyThis);
  }
  QTest::mouseClick(page->runButton(), Qt::LeftButton);
  QVERIFY(!page->runButton()->isEnabled());
  QTRY_VERIFY_WITH_TIMEOUT(page->runButton()->isEnabled(), 120000);
  QVERIFY(table->columnCount() > 4);
  for (int column = 1; column < table->columnCount(); ++column) {
    QVERIFY(table->item(row, column));
    QVERIFY(!table->item(row, column)->text().isEmpty());
    QVERIFY(!table->item(row == 0 ? 1 : 0, column));
    const QString effort = table->horizontalHeaderItem(column)->toolTip();
    for (const char* line : {"step: ", "substeps: ", "precision: double", "processor: "})
      QVERIFY2(effort.contains(QLatin1String(line)), qPrintable(effort));
  }
  QVERIFY(QFileInfo::exists(folder.filePath(QStringLiteral("card/card.html"))));
  // The entry of the job leads to the result.
  qobject_cast<QDockWidget*>(page->parentWidget())->hide();
  QToolButton* link = nullptr;
  for (QToolButton* each : hand.window->findChildren<QToolButton*>())
    if (each->text() == QLatin1String("Show result") && each->isVisible()) link = each;
  QVERIFY(link);
  QTest::mouseClick(link, Qt::LeftButton);
  QVERIFY(page->isVisible());
}

TS_GUI_TEST_MAIN(ConformancePanelTest)
#include "tst_conformance_panel.moc"
