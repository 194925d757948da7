#include <QtTest>
#include <algorithm>
#include <cmath>

#include "widgets/palette.h"

using namespace touchstone;

namespace {

/// Relative luminance of sRGB (WCAG 2.1).
double luminance(const QColor& colour) {
  const auto linear = [](double c) { return c <= 0.03928 ? c / 12.92 : std::pow((c + 0.055) / 1.055, 2.4); };
  return 0.2126 * linear(colour.redF()) + 0.7152 * linear(colour.greenF()) + 0.0722 * linear(colour.blueF());
}

double contrast(const QColor& one, const QColor& other) {
  const double a = luminance(one), b = luminance(other);
  return (std::max(a, b) + 0.05) / (std::min(a, b) + 0.05);
}

}  // namespace

class PaletteTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void shortTextsAreLegibleInBothThemes_data();
  void shortTextsAreLegibleInBothThemes();
  void coolToWarmIsNeutralInTheMiddle();
};

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
      QVERIFY2(contrast(text, behind) >= kLeast, qPrintable(text.name() + " on " + behind.name()));
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
