#include <QLineEdit>
#include <QSignalSpy>
#include <QSlider>
#include <QToolButton>
#include <QtTest>

#include "tests/support/gui_main.h"
#include "tests/support/near.h"
#include "widgets/gallery/gallery.h"
#include "widgets/parameters/parameter_form.h"
#include "widgets/parameters/slider_scale.h"

using namespace touchstone;

namespace {

ParameterSpec number(double minimum, double maximum, bool logarithmic) {
  ParameterSpec spec;
  spec.key = "stiffness";
  spec.label = "Stiffness";
  spec.unit = "N/m";
  spec.standard = minimum;
  spec.minimum = minimum;
  spec.maximum = maximum;
  spec.logarithmic = logarithmic;
  return spec;
}

}  // namespace

class ParametersTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void logarithmicSliderHasTheGeometricMeanInTheMiddle();
  void linearSliderHasTheMeanInTheMiddle();
  void endsAreExact();
  void logarithmicSliderFromZeroReachesZero();
  void positionsAndValuesAgree();
  void draggedValuesHaveThreeDigits();
  void typedValueIsSentOnce();
  void refusedValueIsMarkedAndNotSent();
  void textThatIsNoNumberIsNotSent();
  void whatAutomaticStandsForDisturbsNoTypingWhereItIsToldAgain();
  void resetGivesTheStandard();
  void shownValueIsNotSent();
  void choiceAndSwitchAreSent();
  void gallerySearchNeedsAllWords();
};

void ParametersTest::logarithmicSliderHasTheGeometricMeanInTheMiddle() {
  const SliderScale scale(number(1, 1e6, true));
  QVERIFY_NEAR(scale.valueAt(scale.steps / 2), 1e3, 1e-9);
}

void ParametersTest::linearSliderHasTheMeanInTheMiddle() {
  const SliderScale scale(number(-1, 3, false));
  QVERIFY_NEAR(scale.valueAt(scale.steps / 2), 1.0, 1e-12);
}

void ParametersTest::endsAreExact() {
  const SliderScale scale(number(0.123456789, 98765.4321, true));
  QCOMPARE(scale.valueAt(0), 0.123456789);
  QCOMPARE(scale.valueAt(scale.steps), 98765.4321);
}

void ParametersTest::logarithmicSliderFromZeroReachesZero() {
  const SliderScale scale(number(0, 1, true));
  QCOMPARE(scale.valueAt(0), 0.0);
  QCOMPARE(scale.positionOf(0), 0);
  QVERIFY(scale.valueAt(1) > 0);
}

void ParametersTest::positionsAndValuesAgree() {
  // 300 positions over six decades are 4.7 % apart, more than what rounding to three digits moves a value.
  const SliderScale scale(number(1, 1e6, true));
  for (int position = 0; position <= scale.steps; ++position)
    QCOMPARE(scale.positionOf(scale.valueAt(position)), position);
}

void ParametersTest::draggedValuesHaveThreeDigits() {
  QVERIFY_NEAR(roundedTo(12345.678, 3), 12300, 1e-9);
  QVERIFY_NEAR(roundedTo(-0.00098765, 3), -0.000988, 1e-15);
  QCOMPARE(roundedTo(0, 3), 0.0);
}

void ParametersTest::typedValueIsSentOnce() {
  ParameterEditor editor(number(1, 1e6, true), 10.0);
  QSignalSpy sent(&editor, &ParameterEditor::edited);
  auto* field = editor.findChild<QLineEdit*>();
  field->setFocus();
  field->selectAll();
  QTest::keyClicks(field, "2e4");
  QTest::keyClick(field, Qt::Key_Return);
  QCOMPARE(sent.count(), 1);
  QCOMPARE(std::get<double>(editor.value()), 2e4);
}

void ParametersTest::refusedValueIsMarkedAndNotSent() {
  ParameterEditor editor(number(1, 1e6, true), 10.0);
  QSignalSpy sent(&editor, &ParameterEditor::edited);
  auto* field = editor.findChild<QLineEdit*>();
  field->selectAll();
  QTest::keyClicks(field, "-3");
  QTest::keyClick(field, Qt::Key_Return);
  QCOMPARE(sent.count(), 0);
  QVERIFY(editor.problem().contains("-3"));
  QCOMPARE(std::get<double>(editor.value()), 10.0);
  QCOMPARE(field->text(), QString("10"));
  editor.setValue(10.0);  // an unchanged value keeps the reason readable
  QVERIFY(!editor.problem().isEmpty());
  editor.setValue(20.0);
  QVERIFY(editor.problem().isEmpty());
}

void ParametersTest::textThatIsNoNumberIsNotSent() {
  ParameterEditor editor(number(1, 1e6, true), 10.0);
  QSignalSpy sent(&editor, &ParameterEditor::edited);
  auto* field = editor.findChild<QLineEdit*>();
  field->selectAll();
  QTest::keyClicks(field, "stiff");
  QTest::keyClick(field, Qt::Key_Return);
  QCOMPARE(sent.count(), 0);
  QVERIFY(editor.problem().contains("stiff"));
  QCOMPARE(field->text(), QString("10"));
}

void ParametersTest::whatAutomaticStandsForDisturbsNoTypingWhereItIsToldAgain() {
  ParameterSpec spec = number(1, 1e6, true);
  spec.mayBeAutomatic = true;
  ParameterEditor editor(spec, std::string(kAutomatic));
  const auto tell = [&editor](double value) {
    editor.setAutomatic(value, QString::number(value), QStringLiteral("m / (12 h²)"));
  };
  auto* field = editor.findChild<QLineEdit*>();
  tell(500);
  QCOMPARE(field->text(), QString("500"));
  field->selectAll();
  QTest::keyClicks(field, "12");
  tell(500);
  QCOMPARE(field->text(), QString("12"));
  field->selectAll();
  QTest::keyClicks(field, "-3");
  QTest::keyClick(field, Qt::Key_Return);
  QCOMPARE(field->text(), QString("500"));
  tell(500);
  QVERIFY(editor.problem().contains("-3"));
  tell(2000);  // for another frame length
  QCOMPARE(field->text(), QString("2000"));
  QCOMPARE(toString(editor.value()), std::string(kAutomatic));
}

void ParametersTest::resetGivesTheStandard() {
  ParameterEditor editor(number(1, 1e6, true), 10.0);
  editor.setValue(500.0);
  QSignalSpy sent(&editor, &ParameterEditor::edited);
  auto* reset = editor.findChild<QToolButton*>();
  QVERIFY(reset->isEnabled());
  reset->click();
  QCOMPARE(std::get<double>(editor.value()), 10.0);
  QCOMPARE(sent.count(), 1);
  QVERIFY(!reset->isEnabled());
}

void ParametersTest::shownValueIsNotSent() {
  ParameterEditor editor(number(1, 1e6, true), 10.0);
  QSignalSpy sent(&editor, &ParameterEditor::edited);
  editor.setValue(1e6);
  QCOMPARE(sent.count(), 0);
  auto* slider = editor.findChild<QSlider*>();
  QCOMPARE(slider->value(), slider->maximum());
}

void ParametersTest::choiceAndSwitchAreSent() {
  ParameterSpec choice;
  choice.key = "point";
  choice.kind = ParameterKind::Choice;
  choice.choices = {"current", "predicted"};
  choice.standard = std::string("current");
  ParameterSpec toggle;
  toggle.key = "warm_start";
  toggle.kind = ParameterKind::Switch;
  toggle.standard = 1.0;
  toggle.maximum = 1;
  ParameterForm form({choice, toggle}, {{"warm_start", 0.0}});
  QCOMPARE(std::get<double>(form.editor("warm_start")->value()), 0.0);
  form.setValues({{"point", std::string("predicted")}});
  QCOMPARE(std::get<std::string>(form.editor("point")->value()), std::string("predicted"));
  QVERIFY(!form.editor("nothing"));
}

void ParametersTest::gallerySearchNeedsAllWords() {
  const GalleryEntry entry{"pour.json", "pour", "Two hundred polyhedra", "Watch the **energy** of the pile",
                           "Heaps"};
  QVERIFY(matches(entry, "heaps pile"));
  QVERIFY(matches(entry, ""));
  QVERIFY(matches(entry, "POLY energy"));
  QVERIFY(!matches(entry, "polyhedra stack"));
}

TS_GUI_TEST_MAIN(ParametersTest)
#include "tst_parameters.moc"
