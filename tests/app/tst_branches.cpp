#include <QClipboard>
#include <QContextMenuEvent>
#include <QLineEdit>
#include <QUndoStack>

#include "app/branches/branch_pane_widget.h"
#include "app/branches/branch_rows.h"
#include "app/panels/message_bar.h"
#include "app/plots/plot_panel.h"
#include "core/math/count.h"
#include "tests/support/gui_main.h"
#include "tests/support/window_driver.h"
#include "widgets/plots/plot_view.h"

using namespace touchstone;
using namespace touchstone::test;

/// Branches of time are rows of the timeline: named, shown as panes, laid over the plots, deleted.
class BranchesInTheWindowTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void init() { m_hand.show(); }
  void cleanup() { m_hand.window.reset(); }
  void aBranchIsARowWithItsNameAndTimes();
  void aRowIsRenamedInPlaceAndTheNameIsUsedEverywhere();
  void aTakenNameIsRefused();
  void aPaneOfABranchStandsBesideTheOthersUnderOneCursor();
  void framesThatABranchKeepsNoMoreAreComputedAgain();
  void anyPaneOfABranchIsChosenFromItsMenu();
  void curvesOfABranchAreLaidOverThePlots();
  void overlaidCurvesAreRelatedToTheReference();
  void aBranchIsDeletedByKeyAndComesBack();
  void theShownBranchIsDeletedInFavourOfTheOneBefore();
  void aClickOnARowGoesToThatTimeOfTheBranch();
  void enterShowsABranch();
  void entriesThatCannotBeDoneTellWhy();
  void manyBranchesLeaveTheWindowItsSize();

 private:
  Session* session() const { return m_hand.session(); }
  BranchRows* rows() const { return m_hand.window->branchRows(); }
  void forkAt(long frame, long until);
  int rowOf(int branch) const;
  void click(int row, int column, double x = -1) const;
  void check(int row, BranchRows::Column column) const;
  QAction* entry(const QMenu* menu, const QString& text) const;
  QMenu* openMenu(int row) const;
  std::vector<Curve> curvesOf(const QString& begin) const;
  WindowDriver m_hand;
};

/// Forks from the first pane, and runs the new branch.
void BranchesInTheWindowTest::forkAt(long frame, long until) {
  const std::size_t before = session()->branches().size();
  session()->seek(frame);
  m_hand.key(Qt::Key_B);
  QTRY_COMPARE_WITH_TIMEOUT(session()->branches().size(), before + 1, kPatience);
  m_hand.runTo(until);
}

int BranchesInTheWindowTest::rowOf(int branch) const {
  for (int row = 0; row < rows()->rowCount(); ++row)
    if (rows()->branchAt(row) == branch) return row;
  return -1;
}

/// @param x  px of the viewport; −1: the middle of the cell
void BranchesInTheWindowTest::click(int row, int column, double x) const {
  const QRect cell = rows()->visualItemRect(rows()->item(row, column));
  QTest::mouseClick(rows()->viewport(), Qt::LeftButton, {},
                    QPoint(x < 0 ? cell.center().x() : qRound(x), cell.center().y()));
}

void BranchesInTheWindowTest::check(int row, BranchRows::Column column) const {
  const QRect cell = rows()->visualItemRect(rows()->item(row, column));
  QStyleOptionViewItem option;
  option.rect = cell;
  option.features = QStyleOptionViewItem::HasCheckIndicator;
  const QRect box = rows()->style()->subElementRect(QStyle::SE_ItemViewItemCheckIndicator, &option, rows());
  QTest::mouseClick(rows()->viewport(), Qt::LeftButton, {}, box.center());
}

QAction* BranchesInTheWindowTest::entry(const QMenu* menu, const QString& text) const {
  for (QAction* action : menu->actions())
    if (action->text().remove(QLatin1Char('&')).startsWith(text)) return action;
  return nullptr;
}

/// Opens the menu of a row as the menu key does.
QMenu* BranchesInTheWindowTest::openMenu(int row) const {
  rows()->setFocus(Qt::TabFocusReason);
  rows()->setCurrentCell(row, BranchRows::Name);
  const QPoint place = rows()->visualItemRect(rows()->item(row, BranchRows::Name)).center();
  QContextMenuEvent event(QContextMenuEvent::Keyboard, place, rows()->mapToGlobal(place));
  QApplication::sendEvent(rows(), &event);
  return qobject_cast<QMenu*>(QApplication::activePopupWidget());
}

std::vector<Curve> BranchesInTheWindowTest::curvesOf(const QString& begin) const {
  m_hand.window->plots()->refreshNow();
  std::vector<Curve> found;
  for (const Curve& curve : m_hand.window->plots()->tiles().front()->view()->curves())
    if (curve.label.startsWith(begin)) found.push_back(curve);
  return found;
}

void BranchesInTheWindowTest::aBranchIsARowWithItsNameAndTimes() {
  m_hand.open(QStringLiteral("resting-box"), {"dpf", "cpf"});
  m_hand.runTo(40);
  QVERIFY(!rows()->isVisible());
  forkAt(25, 30);
  QTRY_VERIFY_WITH_TIMEOUT(rows()->isVisible(), kPatience);
  QCOMPARE(rows()->rowCount(), 2);
  QCOMPARE(rows()->item(0, BranchRows::Name)->text(), QString("Branch 1"));
  QCOMPARE(rows()->item(0, BranchRows::Times)->text(), QString("0.000 – 0.080 s"));
  QCOMPARE(rows()->item(1, BranchRows::Times)->text(), QString("0.050 – 0.060 s"));
  QVERIFY(rows()->item(1, BranchRows::Name)->font().bold());  // it is shown
  const QString spoken = rows()->item(1, BranchRows::Name)->data(Qt::AccessibleTextRole).toString();
  QVERIFY2(spoken.contains("forked from DPF at 0.050 s") && spoken.contains("is shown"), qPrintable(spoken));
  // The extents lie below the timeline.
  const Timeline* timeline = m_hand.window->transport()->timeline();
  const double x = timeline->mapTo(m_hand.window.get(), QPoint(0, 0)).x() + timeline->scale().xOf(25);
  QCOMPARE(qRound(rows()->viewport()->mapTo(m_hand.window.get(), QPoint(0, 0)).x() + rows()->xOf(0.05)),
           qRound(x));
  m_hand.key(Qt::Key_Z, Qt::ControlModifier);
  QTRY_COMPARE_WITH_TIMEOUT(session()->branch(), 0, kPatience);
  QVERIFY(rows()->item(0, BranchRows::Name)->font().bold());
}

void BranchesInTheWindowTest::aRowIsRenamedInPlaceAndTheNameIsUsedEverywhere() {
  m_hand.open(QStringLiteral("resting-box"), {"dpf", "cpf"});
  m_hand.runTo(40);
  forkAt(25, 30);
  check(rowOf(0), BranchRows::Plots);
  check(rowOf(0), BranchRows::Pane);
  QTRY_COMPARE_WITH_TIMEOUT(m_hand.window->grid()->branchPanes().size(), std::size_t(1), kPatience);
  click(rowOf(0), BranchRows::Times);
  QTest::keyClick(rows(), Qt::Key_F2);
  auto* field = rows()->findChild<QLineEdit*>();
  QVERIFY(field);
  QCoreApplication::processEvents();
  QVERIFY(field->hasFocus());
  const bool ran = session()->isRunning();
  field->selectAll();
  QTest::keyClicks(field, QStringLiteral("soft floor l"));  // keys of the window are letters here
  QCOMPARE(session()->isRunning(), ran);
  QVERIFY(!session()->isLooping());
  QTest::keyClick(field, Qt::Key_Return);
  QTRY_COMPARE_WITH_TIMEOUT(session()->branchName(0), QString("soft floor l"), kPatience);
  QCOMPARE(rows()->item(rowOf(0), BranchRows::Name)->text(), QString("soft floor l"));
  QCOMPARE(m_hand.window->grid()->branchPanes()[0]->accessibleName(), QString("soft floor l · DPF"));
  QVERIFY(!curvesOf(QStringLiteral("soft floor l · CPF")).empty());
  QVERIFY(session()->branchLabel(session()->branches()[0]).startsWith("soft floor l: from the start"));
  session()->undo();
  QCOMPARE(session()->branchName(0), QString("Branch 1"));
  session()->redo();
  QCOMPARE(session()->branchName(0), QString("soft floor l"));
}

void BranchesInTheWindowTest::aTakenNameIsRefused() {
  m_hand.open(QStringLiteral("resting-box"), {"dpf"});
  m_hand.runTo(10);
  forkAt(5, 8);
  QSignalSpy failed(session(), &Session::failed);
  rows()->rename(0);
  auto* field = rows()->findChild<QLineEdit*>();
  QVERIFY(field);
  field->setText(QStringLiteral("Branch 2"));
  QTest::keyClick(field, Qt::Key_Return);
  QTRY_COMPARE_WITH_TIMEOUT(failed.size(), 1, kPatience);
  QCOMPARE(rows()->item(0, BranchRows::Name)->text(), QString("Branch 1"));
}

void BranchesInTheWindowTest::aPaneOfABranchStandsBesideTheOthersUnderOneCursor() {
  m_hand.open(QStringLiteral("resting-box"), {"dpf"});
  m_hand.runTo(40);
  const std::vector<RecordPtr> before = framesOf(*session(), 0);
  forkAt(25, 50);
  check(rowOf(0), BranchRows::Pane);
  const PaneGrid* grid = m_hand.window->grid();
  QTRY_COMPARE_WITH_TIMEOUT(grid->branchPanes().size(), std::size_t(1), kPatience);
  const BranchPaneWidget* pane = grid->branchPanes()[0];
  QCOMPARE(pane->accessibleName(), QString("Branch 1 · DPF"));
  QTRY_VERIFY_WITH_TIMEOUT(!session()->historyOf(pane->pane()).empty(), kPatience);
  for (long frame : {10L, 30L, 40L}) {
    m_hand.scrubTo(frame);
    const long cursor = session()->cursor();
    QVERIFY(pane->noticeText().isEmpty());
    QVERIFY(pane->view()->record() == before[cursor]);
  }
  m_hand.key(Qt::Key_End);
  QCOMPARE(session()->cursor(), 50L);
  QCOMPARE(pane->noticeText(), QString("Branch 1 ends at 0.080 s"));
  // All views have one size, and the camera is one.
  QVERIFY(std::abs(pane->width() - grid->panes()[0]->width()) <= 2);
  m_hand.window->grid()->lookAlong(ViewAxis::PlusX);
  QVERIFY((pane->view()->cameraState().eye - m_hand.view(0)->cameraState().eye).norm() < 1e-12);
  // Shown itself, the branch needs no pane beside it; later it has it again.
  session()->showBranch(0);
  QTRY_COMPARE_WITH_TIMEOUT(session()->branch(), 0, kPatience);
  QTRY_VERIFY_WITH_TIMEOUT(grid->branchPanes().empty(), kPatience);
  session()->undo();
  QTRY_COMPARE_WITH_TIMEOUT(grid->branchPanes().size(), std::size_t(1), kPatience);
  QTest::mouseClick(grid->branchPanes()[0]->closeButton(), Qt::LeftButton);
  QVERIFY(grid->branchPanes().empty());
  QCOMPARE(rows()->item(rowOf(0), BranchRows::Pane)->checkState(), Qt::Unchecked);
}

void BranchesInTheWindowTest::framesThatABranchKeepsNoMoreAreComputedAgain() {
  session()->setHistoryBudget(1 << 15);  // of a few frames
  m_hand.open(QStringLiteral("resting-box"), {"dpf"});
  m_hand.runTo(101);
  long dropped = 50;
  while (session()->histories()[0].at(dropped)) ++dropped;
  QVERIFY(dropped < 90);
  session()->seek(dropped);
  QTRY_VERIFY_WITH_TIMEOUT(session()->shown(0), kPatience);
  const auto hash = session()->shown(0)->stateHash;
  session()->restart();
  QTRY_COMPARE_WITH_TIMEOUT(session()->branches().size(), std::size_t(2), kPatience);
  m_hand.runTo(101);
  session()->showBranchPane(0);
  const BranchPane pane{0, session()->paneId(0)};
  QTRY_VERIFY_WITH_TIMEOUT(!session()->historyOf(pane).empty(), kPatience);
  session()->seek(dropped);
  QTRY_VERIFY_WITH_TIMEOUT(session()->shownOf(pane), kPatience);
  QVERIFY(!session()->historyOf(pane).at(dropped));
  QCOMPARE(session()->shownOf(pane)->frame, dropped);
  QVERIFY(session()->shownOf(pane)->stateHash == hash);
  QTRY_VERIFY_WITH_TIMEOUT(
      m_hand.window->grid()->branchPanes()[0]->view()->record() == session()->shownOf(pane), kPatience);
}

void BranchesInTheWindowTest::anyPaneOfABranchIsChosenFromItsMenu() {
  m_hand.open(QStringLiteral("resting-box"), {"dpf", "cpf"});
  m_hand.runTo(10);
  forkAt(5, 8);
  QMenu* menu = openMenu(rowOf(0));
  QVERIFY(menu);
  QAction* beside = entry(menu, QStringLiteral("Pane beside"));
  QVERIFY(beside && beside->menu());
  QAction* second = entry(beside->menu(), QStringLiteral("CPF"));
  QVERIFY(second && second->isEnabled() && !second->isChecked());
  second->trigger();
  menu->close();
  QCOMPARE(m_hand.window->grid()->branchPanes().size(), std::size_t(1));
  QCOMPARE(m_hand.window->grid()->branchPanes()[0]->accessibleName(), QString("Branch 1 · CPF"));
}

void BranchesInTheWindowTest::curvesOfABranchAreLaidOverThePlots() {
  m_hand.open(QStringLiteral("resting-box"), {"dpf", "cpf"});
  m_hand.runTo(40);
  const std::vector<RecordPtr> before = framesOf(*session(), 1);
  forkAt(25, 30);
  QVERIFY(curvesOf(QStringLiteral("Branch")).empty());
  check(rowOf(0), BranchRows::Plots);
  QTRY_COMPARE_WITH_TIMEOUT(session()->overlaidBranches().size(), std::size_t(1), kPatience);
  QTRY_COMPARE_WITH_TIMEOUT(curvesOf(QStringLiteral("Branch 1 · ")).size(), std::size_t(2), kPatience);
  const Curve curve = curvesOf(QStringLiteral("Branch 1 · CPF"))[0];
  const Curve own = curvesOf(QStringLiteral("CPF"))[0];
  QVERIFY(curve.dash != own.dash && curve.dash > Qt::CustomDashLine);
  QCOMPARE(curve.colour, own.colour);
  // From its last common frame with the shown branch to its end.
  QCOMPARE(curve.x.front(), before[24]->time);
  QCOMPARE(curve.x.back(), before[40]->time);
  const Quantity shown = static_cast<Quantity>(m_hand.window->plots()->tiles()[0]->quantity());
  for (std::size_t sample = 0; sample < curve.x.size(); ++sample)
    QCOMPARE(curve.y[sample], before[24 + sample]->quantities[shown]);
  bool isNamed = false;
  for (const QToolButton* button : m_hand.window->plots()->findChildren<QToolButton*>())
    isNamed = isNamed || button->text() == QStringLiteral("Branch 1");
  QVERIFY(isNamed);
  check(rowOf(0), BranchRows::Plots);
  QVERIFY(curvesOf(QStringLiteral("Branch")).empty());
}

void BranchesInTheWindowTest::overlaidCurvesAreRelatedToTheReference() {
  m_hand.open(QStringLiteral("resting-box"), {"dpf", "cpf"});
  m_hand.runTo(40);
  const std::vector<RecordPtr> before = framesOf(*session(), 1);
  forkAt(25, 35);
  session()->setOverlaid(0, true);
  QTRY_COMPARE_WITH_TIMEOUT(curvesOf(QStringLiteral("Branch 1 · ")).size(), std::size_t(2), kPatience);
  PlotOptions options = m_hand.window->plots()->tiles()[0]->options();
  options.form = CurveForm::Difference;
  m_hand.window->plots()->setOptions(options);
  const Curve curve = curvesOf(QStringLiteral("Branch 1 · CPF"))[0];
  const Quantity shown = static_cast<Quantity>(m_hand.window->plots()->tiles()[0]->quantity());
  const double reference = session()->histories()[0].at(30)->quantities[shown];
  QCOMPARE(curve.y[30 - 24], before[30]->quantities[shown] - reference);
}

void BranchesInTheWindowTest::aBranchIsDeletedByKeyAndComesBack() {
  m_hand.open(QStringLiteral("resting-box"), {"dpf", "cpf"});
  m_hand.runTo(40);
  const std::vector<RecordPtr> before = framesOf(*session(), 1);
  forkAt(25, 30);
  session()->setOverlaid(0, true);
  session()->setLongRun(0);  // however long it ran, no question: it comes back
  rows()->setFocus(Qt::TabFocusReason);
  rows()->setCurrentCell(rowOf(0), BranchRows::Name);
  QTest::keyClick(rows(), Qt::Key_Delete);
  QTRY_COMPARE_WITH_TIMEOUT(session()->branches().size(), std::size_t(1), kPatience);
  QVERIFY(!m_hand.question());
  QVERIFY(!rows()->isVisible());
  QVERIFY(curvesOf(QStringLiteral("Branch")).empty());
  QCOMPARE(session()->branch(), 1);
  m_hand.key(Qt::Key_Z, Qt::ControlModifier);
  QTRY_COMPARE_WITH_TIMEOUT(session()->branches().size(), std::size_t(2), kPatience);
  QTRY_VERIFY_WITH_TIMEOUT(!curvesOf(QStringLiteral("Branch 1")).empty(), kPatience);
  session()->showBranch(0);
  QTRY_COMPARE_WITH_TIMEOUT(session()->lastFrame(), 40L, kPatience);
  QVERIFY(framesOf(*session(), 1) == before);
  session()->setLongRun(1e9);
}

void BranchesInTheWindowTest::theShownBranchIsDeletedInFavourOfTheOneBefore() {
  m_hand.open(QStringLiteral("resting-box"), {"dpf"});
  m_hand.runTo(40);
  forkAt(25, 30);
  const std::vector<RecordPtr> forked = framesOf(*session(), 0);
  QMenu* menu = openMenu(rowOf(1));
  QVERIFY(menu);
  entry(menu, QStringLiteral("Delete"))->trigger();
  menu->close();
  QTRY_COMPARE_WITH_TIMEOUT(session()->branches().size(), std::size_t(1), kPatience);
  QCOMPARE(session()->branch(), 0);
  QCOMPARE(session()->lastFrame(), 40L);
  session()->undo();
  QTRY_COMPARE_WITH_TIMEOUT(session()->branch(), 1, kPatience);
  QVERIFY(framesOf(*session(), 0) == forked);
  m_hand.runTo(33);
}

void BranchesInTheWindowTest::aClickOnARowGoesToThatTimeOfTheBranch() {
  m_hand.open(QStringLiteral("resting-box"), {"dpf"});
  m_hand.runTo(40);
  forkAt(25, 50);
  const int selected = session()->selectedPane();
  click(rowOf(0), BranchRows::Extent, rows()->xOf(0.04));
  QTRY_COMPARE_WITH_TIMEOUT(session()->branch(), 0, kPatience);
  QCOMPARE(session()->cursor(), 20L);
  QCOMPARE(session()->selectedPane(), selected);
  click(rowOf(0), BranchRows::Extent, rows()->xOf(0.06));  // of the shown branch: only the time
  QCOMPARE(session()->cursor(), 30L);
  QCOMPARE(session()->branch(), 0);
  click(rowOf(1), BranchRows::Name);  // a name is only selected
  QCoreApplication::processEvents();
  QCOMPARE(session()->branch(), 0);
}

void BranchesInTheWindowTest::enterShowsABranch() {
  m_hand.open(QStringLiteral("resting-box"), {"dpf"});
  m_hand.runTo(20);
  forkAt(15, 18);
  rows()->setFocus(Qt::TabFocusReason);
  rows()->setCurrentCell(1, BranchRows::Name);
  m_hand.key(Qt::Key_Up);
  QCOMPARE(rows()->currentRow(), 0);
  m_hand.key(Qt::Key_Return);
  QTRY_COMPARE_WITH_TIMEOUT(session()->branch(), 0, kPatience);
  QVERIFY(!session()->isRunning());
  m_hand.key(Qt::Key_Space);  // Space belongs to the run, also here
  QVERIFY(session()->isRunning());
  m_hand.key(Qt::Key_Space);
}

void BranchesInTheWindowTest::entriesThatCannotBeDoneTellWhy() {
  m_hand.open(QStringLiteral("resting-box"), {"dpf", "cpf", "lcp", "peg"});
  QSignalSpy failed(session(), &Session::failed);
  session()->removeBranch(0);
  QCOMPARE(failed.size(), 1);
  m_hand.runTo(10);
  forkAt(5, 8);
  const QTableWidgetItem* own = rows()->item(rowOf(1), BranchRows::Pane);
  QVERIFY(!(own->flags() & Qt::ItemIsEnabled));
  QVERIFY(own->toolTip().contains("its panes are shown already"));
  QVERIFY(own->data(Qt::AccessibleDescriptionRole).toString().contains("shown already"));
  QVERIFY(!(rows()->item(rowOf(1), BranchRows::Plots)->flags() & Qt::ItemIsEnabled));
  session()->showBranchPane(0, session()->paneId(0));
  session()->showBranchPane(0, session()->paneId(1));  // six panes now
  QCOMPARE(m_hand.window->grid()->branchPanes().size(), std::size_t(2));
  QMenu* menu = openMenu(rowOf(0));
  QVERIFY(menu);
  const QMenu* beside = entry(menu, QStringLiteral("Pane beside"))->menu();
  QVERIFY(beside);
  QVERIFY(entry(beside, QStringLiteral("DPF"))->isEnabled());  // it closes its pane
  QVERIFY(!entry(beside, QStringLiteral("LCP"))->isEnabled());
  QVERIFY(entry(beside, QStringLiteral("LCP"))->toolTip().contains("six panes are the most"));
  menu->close();
  failed.clear();
  session()->duplicatePane(0);
  QCOMPARE(failed.size(), 1);
  QCOMPARE(session()->paneCount(), 4);
}

void BranchesInTheWindowTest::manyBranchesLeaveTheWindowItsSize() {
  m_hand.open(QStringLiteral("resting-box"), {"dpf", "cpf", "lcp", "peg"});
  const QSize before(1280, 720);
  for (int branch = 0; branch < 5; ++branch) {
    m_hand.runTo(2);
    session()->restart();
    QTRY_COMPARE_WITH_TIMEOUT(countOf(session()->branches()), branch + 2, kPatience);
    session()->setOverlaid(branch, true);
    QCoreApplication::processEvents();
  }
  session()->showBranchPane(0, session()->paneId(0));
  session()->showBranchPane(1, session()->paneId(0));
  m_hand.runTo(2);
  QCoreApplication::sendPostedEvents(nullptr, QEvent::LayoutRequest);
  m_hand.window->resize(before);
  QCoreApplication::sendPostedEvents(nullptr, QEvent::LayoutRequest);
  QCOMPARE(m_hand.window->size(), before);
  QVERIFY(m_hand.window->minimumSizeHint().width() <= 1280);
  QVERIFY(m_hand.window->minimumSizeHint().height() <= 720);
  QCOMPARE(rows()->height() / rows()->rowHeight(0), 2);
  const QRect shown = rows()->visualItemRect(rows()->item(rowOf(session()->branch()), BranchRows::Name));
  QVERIFY(rows()->viewport()->rect().contains(shown));
  for (PlotTile* tile : m_hand.window->plots()->tiles())
    if (tile->isVisible()) QVERIFY(tile->view()->plotArea().height() >= 119);
  // Every text of the first columns is whole.
  for (int column : {BranchRows::Name, BranchRows::Times, BranchRows::Pane, BranchRows::Plots})
    QVERIFY(rows()->columnWidth(column) >=
            rows()->fontMetrics().horizontalAdvance(rows()->item(0, column)->text()));
}

TS_GUI_TEST_MAIN(BranchesInTheWindowTest)
#include "tst_branches.moc"
