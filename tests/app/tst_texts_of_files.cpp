#include <QLabel>
#include <QListWidget>
#include <QStatusBar>
#include <QTextDocument>
#include <QtTest>

#include "app/panels/message_bar.h"
#include "app/session/session.h"
#include "app/window/main_window.h"
#include "tests/scene/scene_folder.h"
#include "tests/support/gui_main.h"

#include "widgets/text/text_line.h"

using namespace touchstone;

/// Titles, names and paths from files are shown literally. None is interpreted as HTML, which could show the
/// picture of another file.
class TextsOfFilesTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void aTitleIsText();
  void anErrorIsText();

 private:
  test::SceneFolder m_files;
};

constexpr int kPatience = 60000;  // ms; a limit for a hanging program, not a waiting time
static const QString kTitle = QStringLiteral("<img src='/etc/hostname'><h1>BIG</h1> text");

/// Labels that show a text, and those of them that would interpret it as HTML.
static int labelsWith(const QWidget& window, const QString& text) {
  int count = 0;
  for (const QLabel* label : window.findChildren<QLabel*>()) {
    if (!label->text().contains(text)) continue;
    ++count;
    if (label->textFormat() != Qt::PlainText) return -1;
  }
  for (const TextLine* line : window.findChildren<TextLine*>())  // which knows plain text only
    count += line->text().contains(text);
  return count;
}

void TextsOfFilesTest::aTitleIsText() {
  const QByteArray body = R"({"name": "box", "shape": {"type": "box", "size": [1, 1, 1]}})";
  const std::string path = m_files.write(
      "titled.json", test::SceneFolder::withBodies(body, "\"title\": \"" + kTitle.toUtf8() + "\", "));
  MainWindow window(WindowMemory::Forget);
  window.show();
  window.open(QString::fromStdString(path));
  QTRY_VERIFY_WITH_TIMEOUT(window.session()->scene() != nullptr, kPatience);
  QVERIFY(labelsWith(window, kTitle) > 0);
}

void TextsOfFilesTest::anErrorIsText() {
  const std::string path =
      m_files.write("bad.json", test::SceneFolder::withBodies(R"({"name": "<b>x</b>", "motion": "<h1>no</h1>",
                                                    "shape": {"type": "box", "size": [1, 1, 1]}})"));
  MainWindow window(WindowMemory::Forget);
  window.show();
  window.open(QString::fromStdString(path));
  QTRY_VERIFY_WITH_TIMEOUT(window.messages()->text().contains("<h1>no</h1>"), kPatience);
  QVERIFY(labelsWith(window, "<h1>no</h1>") > 0);
  QVERIFY(!Qt::mightBeRichText(window.statusBar()->toolTip()) ||
          window.statusBar()->toolTip().contains("&lt;h1&gt;"));
}

TS_GUI_TEST_MAIN(TextsOfFilesTest)
#include "tst_texts_of_files.moc"
