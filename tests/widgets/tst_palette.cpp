#include <QtTest>
#include <algorithm>
#include <cmath>

#include "core/contact/method_info.h"
#include "widgets/palette.h"

using namespace touchstone;

class PaletteTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void shortTextsAreLegibleInBothThemes_data();
  void shortTextsAreLegibleInBothThemes();
  void contrastIsThatOfTheStandard();
  void curvesAreSeenInEveryThemeAndVariant_data();
  void curvesAreSeenInEveryThemeAndVariant();
  void textsOfBadgesAreLegible();
  void coolToWarmIsNeutralInTheMiddle();
};

/// Black on white has 21:1, and #767676 is the lightest grey with 4.5:1 on white (WCAG 2.1).
void PaletteTest::contrastIsThatOfTheStandard() {
  QVERIFY(std::abs(contrastOf(Qt::black, Qt::white) - 21) < 1e-9);
  QVERIFY(contrastOf(QColor(0x76, 0x76, 0x76), Qt::white) >= 4.5);
  QVERIFY(contrastOf(QColor(0x77, 0x77, 0x77), Qt::white) < 4.5);
}

void PaletteTest::curvesAreSeenInEveryThemeAndVariant_data() {
  QTest::addColumn<QString>("method");
  QTest::addColumn<bool>("dark");
  for (const bool dark : {false, true}) {
    for (const MethodInfo& method : methodTable())
      QTest::newRow((method.key + (dark ? ", dark" : ", light")).c_str())
          << QString::fromStdString(method.key) << dark;
    QTest::newRow(dark ? "unknown, dark" : "unknown, light") << QStringLiteral("unknown") << dark;
  }
}

void PaletteTest::curvesAreSeenInEveryThemeAndVariant() {
  QFETCH(QString, method);
  QFETCH(bool, dark);
  const QColor window = dark ? QColor(0x2D, 0x2F, 0x32) : QColor(0xEF, 0xEF, 0xEF);
  for (int variant = 0; variant < 6; ++variant)
    for (const QColor& ground : {themeColours(dark).background, window}) {
      const QColor colour = variantColour(method, variant), ink = legibleOn(colour, ground);
      QVERIFY2(contrastOf(ink, ground) >= 3, qPrintable(ink.name() + " on " + ground.name()));
      // What is legible stays as it is.
      if (contrastOf(colour, ground) >= 3) QCOMPARE(ink.name(), colour.name());
    }
}

void PaletteTest::textsOfBadgesAreLegible() {
  for (const StepStatus status : {StepStatus::Ok, StepStatus::Energy, StepStatus::NotConverged,
                                  StepStatus::NoSolution, StepStatus::Diverged, StepStatus::Stopped})
    QVERIFY2(contrastOf(Qt::white, statusColour(status)) >= 4.5, toString(status));
}

void PaletteTest::shortTextsAreLegibleInBothThemes_data() {
  QTest::addColumn<bool>("dark");
  QTest::newRow("light") << false;
  QTest::newRow("dark") << true;
}
void PaletteTest::shortTextsAreLegibleInBothThemes() {
  QFETCH(bool, dark);
  const ThemeColours& theme = themeColours(dark);
  const QColor window = dark ? QColor(0x2D, 0x2F, 0x32) : QColor(0xEF, 0xEF, 0xEF);
  QPalette palette;
  palette.setColor(QPalette::Window, window);
  QCOMPARE(isDark(palette), dark);
  constexpr double kLeast = 4.5;  // WCAG 2.1 AA
  for (const QColor& text : {theme.text, theme.warm, theme.cool, theme.alarm})
    for (const QColor& behind : {theme.background, window})
      QVERIFY2(contrastOf(text, behind) >= kLeast, qPrintable(text.name() + " on " + behind.name()));
}

void PaletteTest::coolToWarmIsNeutralInTheMiddle() {
  const auto middle = coolToWarm(0), cold = coolToWarm(-1), hot = coolToWarm(1);
  QVERIFY(middle[0] == middle[1] && middle[1] == middle[2] && middle[0] > 0.8);
  QVERIFY(cold[2] > cold[0] + 0.4 && hot[0] > hot[2] + 0.4);
  QVERIFY(coolToWarm(-7) == cold && coolToWarm(7) == hot);
  for (int k = 1; k <= 20; ++k) {
    const auto below = coolToWarm(-k / 20.0), above = coolToWarm(k / 20.0);
    QVERIFY(below[2] > below[0] && above[0] > above[2]);
  }
  QVERIFY(coolToWarm(std::nan("")) != middle);
}

QTEST_GUILESS_MAIN(PaletteTest)
#include "tst_palette.moc"
