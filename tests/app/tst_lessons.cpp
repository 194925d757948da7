#include <QDir>
#include <QLineEdit>
#include <QListWidget>
#include <QSignalSpy>
#include <QTextBrowser>
#include <QtTest>

#include "app/panels/message_bar.h"
#include "app/panels/pane_grid.h"
#include "app/plots/plot_panel.h"
#include "app/session/session.h"
#include "app/window/lesson_actions.h"
#include "app/window/main_window.h"
#include "core/math/count.h"
#include "core/robot/scene_readers.h"
#include "tests/support/gui_main.h"
#include "tests/support/window_driver.h"
#include "widgets/gallery/gallery.h"
#include "widgets/text/text_line.h"

using namespace touchstone;
using namespace touchstone::test;

namespace {

const QString kScenes = QStringLiteral(TS_SOURCE_DIR "/datasets/scenes/");
const QString kBattery = QStringLiteral(TS_SOURCE_DIR "/datasets/battery/scenes/");

}  // namespace

class LessonsTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void everyStepOfEveryShippedLessonCanBeDone_data();
  void everyStepOfEveryShippedLessonCanBeDone();
  void lessonsOfTheBatteryHaveFourParts_data();
  void lessonsOfTheBatteryHaveFourParts();
  void theGalleryHasTheBatteryAsAGroup();
  void clickingAStepDoesIt();
  void brokenStepsSayWhatIsWrong();
  void thePageKeysWalkTheLesson();
  void aStepBackLeavesWhatWasChangedByHand();
  void aPresentationShowsEveryStepWhole();
  void elsewhereAKeyBringsTheStripAndEscTakesIt();
};

void LessonsTest::everyStepOfEveryShippedLessonCanBeDone_data() {
  QTest::addColumn<QString>("file");
  for (const QString& folder : {kScenes, kBattery})
    for (const QString& file : QDir(folder).entryList({"*.json"}))
      QTest::newRow(qPrintable(file)) << folder + file;
}

void LessonsTest::everyStepOfEveryShippedLessonCanBeDone() {
  QFETCH(QString, file);
  const GalleryEntry entry = readGalleryEntry(file);
  const std::vector<LessonStep> steps = stepsOf(entry.lesson);
  QVERIFY2(steps.size() >= 3, "a lesson has steps");
  QCOMPARE(countOf(steps), entry.lesson.count(QStringLiteral("](do:")));
  const auto scene = loadScene(file.toStdString());
  for (const LessonStep& step : steps) {
    const LessonAction& action = step.action;
    QVERIFY2(problemOf(action).isEmpty(), qPrintable(problemOf(action)));
    if (action.verb == QLatin1String("set"))  // methods with which the scene opens
      for (const QString& method : action.arguments[0].split(QLatin1Char(',')))
        QVERIFY2(std::count(scene->methods.begin(), scene->methods.end(), method.toStdString()),
                 qPrintable(method));
  }
}

void LessonsTest::lessonsOfTheBatteryHaveFourParts_data() {
  QTest::addColumn<QString>("file");
  const QStringList files = QDir(kBattery).entryList({"*.json"});
  QVERIFY(files.size() >= 30);
  for (const QString& file : files) QTest::newRow(qPrintable(file)) << kBattery + file;
}

void LessonsTest::lessonsOfTheBatteryHaveFourParts() {
  QFETCH(QString, file);
  const GalleryEntry entry = readGalleryEntry(file);
  int from = 0;
  for (const char* part :
       {"**Question.** ", "**Try.** ", "**Look for.** ", "**What this does not show.** "}) {
    const int at = entry.lesson.indexOf(QLatin1String(part), from);
    QVERIFY2(at >= from, part);
    from = at + 1;
  }
  const QString picture = thumbnailOf(entry);
  QVERIFY2(QFileInfo::exists(picture), qPrintable(picture));
  QCOMPARE(QImage(picture).size(), QSize(192, 144));
  // Curves of quantities that the plots know; loadScene() checks their form only.
  const auto scene = loadScene(file.toStdString());
  for (const AnalyticCurve& curve : scene->analytic)
    QVERIFY2(findQuantity(curve.quantity), curve.quantity.c_str());
}

void LessonsTest::theGalleryHasTheBatteryAsAGroup() {
  MainWindow window(WindowMemory::Forget);
  const QListWidget* list = window.gallery()->list();
  const auto headings = list->findItems(QStringLiteral("The battery"), Qt::MatchExactly);
  QCOMPARE(headings.size(), 1);
  QVERIFY(!(headings[0]->flags() & Qt::ItemIsSelectable));
  for (int row = 0; row < list->count(); ++row) {
    const QString path = list->item(row)->data(Qt::UserRole).toString();
    if (path.isEmpty()) continue;
    QCOMPARE(path.contains(QLatin1String("/battery/")), row > list->row(headings[0]));
    if (path.contains(QLatin1String("/battery/")))
      QVERIFY2(!list->item(row)->icon().isNull(), qPrintable(path));
  }
  window.gallery()->search()->setText(QStringLiteral("pour"));
  QVERIFY(list->findItems(QStringLiteral("The battery"), Qt::MatchExactly).isEmpty());
}

void LessonsTest::clickingAStepDoesIt() {
  MainWindow window(WindowMemory::Forget);
  window.show();
  QVERIFY(QTest::qWaitForWindowExposed(&window));
  window.open(kScenes + QStringLiteral("resting-box.json"));
  Session* session = window.session();
  QTRY_COMPARE_WITH_TIMEOUT(session->paneCount(), 4, kPatience);
  const auto click = [&](const char* link) {
    Q_EMIT window.gallery()->lesson()->anchorClicked(QUrl(QLatin1String(link)));
  };
  click("do:set/dpf,cpf/stiffness/31000");
  click("do:dt/0.004");
  click("do:plot/2/jitter");
  click("do:show/trails");
  click("do:reference/peg");
  click("do:method/lcp/lcp-lemke");
  click("do:add/peg/step/exact");
  QTRY_COMPARE_WITH_TIMEOUT(session->paneCount(), 5, kPatience);
  QCOMPARE(std::get<double>(session->pane(0).values.at("stiffness")), 31000.0);
  QCOMPARE(std::get<double>(session->pane(1).values.at("stiffness")), 31000.0);
  QCOMPARE(std::get<std::string>(session->pane(4).values.at("step")), std::string("exact"));
  QCOMPARE(session->pane(2).settings.solver, std::string("lemke"));
  QCOMPARE(session->dt(), 0.004);
  QCOMPARE(window.plots()->keys()[1], QStringLiteral("jitter"));
  QVERIFY(window.grid()->viewSettings().trails && window.grid()->viewSettings().ghost);
  QCOMPARE(session->referencePane(), 3);
  session->setSpeed(0);
  click("do:run/0.04");
  QTRY_COMPARE_WITH_TIMEOUT(session->lastFrame(), 10L, kPatience);
  QTRY_VERIFY_WITH_TIMEOUT(!session->isRunning(), kPatience);
  click("do:seek/0.02");
  QCOMPARE(session->cursor(), 5L);
  click("do:restart");
  QTRY_COMPARE_WITH_TIMEOUT(session->lastFrame(), 0L, kPatience);
  QVERIFY(window.messages()->text().isEmpty());
}

void LessonsTest::brokenStepsSayWhatIsWrong() {
  QCOMPARE(problemOf(lessonAction(QUrl("do:add/lcp-lemke/friction_facets/4"))), QString());
  for (const char* link :
       {"do:dance", "do:set/cpf/stiffness", "do:set/xyz/stiffness/1", "do:set/cpf/colour/1",
        "do:set/cpf/adopt/never", "do:set/cpf/stiffness/much", "do:plot/1/beauty", "do:show/all",
        "do:colour/red", "do:run/soon", "do:method/lcp/lcp-magic", "do:add/xyz",
        "do:add/lcp-lemke/friction_facets/many", "do:add/lcp-lemke/facets/4"})
    QVERIFY2(!problemOf(lessonAction(QUrl(QLatin1String(link)))).isEmpty(), link);
}

void LessonsTest::thePageKeysWalkTheLesson() {
  WindowDriver hand;
  hand.show();
  hand.open(QStringLiteral("resting-box"));
  hand.key(Qt::Key_F8);
  const LessonStrip* strip = hand.window->lessonStrip();
  QVERIFY(strip->isVisible());
  QVERIFY(hand.window->rect().contains(QRect(strip->mapTo(hand.window.get(), QPoint()), strip->size())));
  QCOMPARE(strip->current(), -1);
  const double step = hand.session()->dt();
  const QStringList plots = hand.window->plots()->keys();
  hand.key(Qt::Key_PageDown);  // "plot the jitter", in the second plot
  QCOMPARE(hand.window->plots()->keys()[1], QStringLiteral("jitter"));
  QCOMPARE(hand.window->plots()->enlarged(), 1);
  QVERIFY(strip->caption()->fittingText().contains(QStringLiteral("Plot the jitter")));
  hand.key(Qt::Key_PageDown);  // "CPF with a step of 0.2 ms"
  QTRY_COMPARE_WITH_TIMEOUT(hand.session()->dt(), 0.0002, kPatience);
  hand.key(Qt::Key_PageDown);  // "DPF judges at the end"
  const auto evaluate = [&hand] {
    return std::get<std::string>(hand.session()->pane(0).values.at("evaluate"));
  };
  QTRY_COMPARE_WITH_TIMEOUT(evaluate(), std::string("end"), kPatience);
  QCOMPARE(hand.session()->selectedPane(), 0);
  QVERIFY(strip->caption()->text().contains(QStringLiteral("DPF: ")));
  QCOMPARE(strip->current(), 2);
  for (int back = 0; back < 5; ++back) hand.key(Qt::Key_PageUp);
  QTRY_COMPARE_WITH_TIMEOUT(hand.session()->dt(), step, kPatience);
  QTRY_VERIFY_WITH_TIMEOUT(evaluate() != "end", kPatience);
  QCOMPARE(hand.window->plots()->keys(), plots);
  QCOMPARE(strip->current(), -1);
  for (std::size_t on = 0; on < strip->steps().size() + 2; ++on) hand.key(Qt::Key_PageDown);
  QCOMPARE(strip->current(), countOf(strip->steps()) - 1);
  QVERIFY(hand.window->messages()->text().isEmpty());
}

void LessonsTest::aStepBackLeavesWhatWasChangedByHand() {
  WindowDriver hand;
  hand.show();
  hand.open(QStringLiteral("resting-box"));
  hand.key(Qt::Key_F8);
  hand.key(Qt::Key_PageDown);
  hand.key(Qt::Key_PageDown);
  QTRY_COMPARE_WITH_TIMEOUT(hand.session()->dt(), 0.0002, kPatience);
  hand.session()->editDt(0.003);
  QTRY_COMPARE_WITH_TIMEOUT(hand.session()->dt(), 0.003, kPatience);
  hand.key(Qt::Key_PageUp);
  QCOMPARE(hand.window->lessonStrip()->current(), 0);
  hand.session()->editSubsteps(0, 2);  // answered after whatever the key asked for
  QTRY_COMPARE_WITH_TIMEOUT(hand.session()->pane(0).settings.substeps, 2, kPatience);
  QCOMPARE(hand.session()->dt(), 0.003);
}

void LessonsTest::aPresentationShowsEveryStepWhole() {
  WindowDriver hand;
  hand.show();
  hand.open(QStringLiteral("resting-box"));
  hand.key(Qt::Key_F5);
  const TextLine* caption = hand.window->lessonStrip()->caption();
  QVERIFY(caption->isVisible());
  QCOMPARE(caption->font().pointSizeF(), 28.0);
  hand.key(Qt::Key_PageDown);  // a plot stands beside the panes
  QVERIFY(caption->fittingText().contains(QStringLiteral("Plot the jitter")));
  QVERIFY(hand.window->plots()->isVisible());  // what the step changes is in sight
  QCoreApplication::sendPostedEvents(nullptr, QEvent::LayoutRequest);
  QVERIFY(caption->height() >= caption->fontMetrics().height());
  for (const QString& folder : {kScenes, kBattery})
    for (const QString& file : QDir(folder).entryList({"*.json"}))
      for (const LessonStep& step : stepsOf(readGalleryEntry(folder + file).lesson))
        QVERIFY2(caption->fontMetrics().horizontalAdvance(step.text) <= caption->width(),
                 qPrintable(file + QStringLiteral(": ") + step.text));
  hand.key(Qt::Key_PageUp);
  QVERIFY(!hand.window->plots()->isVisible());
  hand.key(Qt::Key_Escape);
  QVERIFY(!hand.window->isPresenting());
  QVERIFY(!hand.window->lessonStrip()->isVisible());
}

void LessonsTest::elsewhereAKeyBringsTheStripAndEscTakesIt() {
  WindowDriver hand;
  hand.show();
  hand.open(QStringLiteral("resting-box"));
  const LessonStrip* strip = hand.window->lessonStrip();
  QVERIFY(!strip->isVisible());
  hand.key(Qt::Key_PageDown);
  QVERIFY(strip->isVisible());
  QCOMPARE(strip->current(), -1);
  hand.key(Qt::Key_PageDown);
  QCOMPARE(strip->current(), 0);
  hand.key(Qt::Key_Escape);
  QVERIFY(!strip->isVisible());
}

TS_GUI_TEST_MAIN(LessonsTest)
#include "tst_lessons.moc"
