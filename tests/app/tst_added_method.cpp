#include <QtTest>
#include <iostream>
#include <sstream>

#include "app/cli/list_command.h"
#include "app/panels/help_browser.h"
#include "app/work/exit_codes.h"
#include "core/parallel/host_backend.h"
#include "tests/support/gui_main.h"
#include "tests/support/half_space.inl"
#include "widgets/palette.h"

using namespace touchstone;

/// What the program shows of a method comes from its description alone.
class AddedMethodTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void initTestCase() { registerMethods<HostBackend>(MethodList<test::HalfSpace>()); }
  void curvesHaveItsColourAndDash();
  void theGuideHasAPageWithoutAFile();
  void theCommandLineListsIt();
};

void AddedMethodTest::curvesHaveItsColourAndDash() {
  const QString key = QStringLiteral("half-space");
  QCOMPARE(methodColour(key), QColor(0x12, 0x34, 0x56));
  QCOMPARE(methodDash(key), static_cast<int>(Qt::DashDotDotLine));
  QCOMPARE(methodColour(QStringLiteral("unknown")), QColor(0x80, 0x80, 0x80));
  QCOMPARE(methodColour(QStringLiteral("cpf")), QColor(0x00, 0x72, 0xB2));
  QCOMPARE(methodDash(QStringLiteral("dpf-ccd")), static_cast<int>(Qt::DotLine));
}

void AddedMethodTest::theGuideHasAPageWithoutAFile() {
  bool isListed = false;
  for (const auto& [name, title] : helpPages()) isListed = isListed || name == "half-space";
  QVERIFY(isListed);
  HelpWindow help;
  help.showPage(QStringLiteral("half-space"));
  const QString text = help.pages()->toPlainText();
  for (const char* part : {"Elastic half-space", "the tests", "stiffness", "Force per depth of a centre."})
    QVERIFY2(text.contains(QLatin1String(part)), qPrintable(text));
}

void AddedMethodTest::theCommandLineListsIt() {
  std::ostringstream text;
  std::streambuf* const screen = std::cout.rdbuf(text.rdbuf());
  const int code = cli::list();
  std::cout.rdbuf(screen);
  QCOMPARE(code, kDone);
  QVERIFY(text.str().find("half-space  Elastic half-space (the tests)") != std::string::npos);
}

TS_GUI_TEST_MAIN(AddedMethodTest)
#include "tst_added_method.moc"
