#include "widgets/parameters/parameter_editor.h"

#include <QCheckBox>
#include <QComboBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QSignalBlocker>
#include <QSlider>
#include <QToolButton>
#include <QVBoxLayout>
#include <cmath>

#include "widgets/palette.h"
#include "widgets/parameters/slider_scale.h"

namespace touchstone {

namespace {

double numberIn(const ParameterValue& value) {
  const double* number = std::get_if<double>(&value);
  return number ? *number : 0;
}

QString choiceIn(const ParameterValue& value) {
  const std::string* choice = std::get_if<std::string>(&value);
  return choice ? QString::fromStdString(*choice) : QString();
}

}  // namespace

QString shownNumber(double value) {
  const double size = std::abs(value);
  if (value != 0 && (size >= 1e6 || size < 1e-3)) {
    QString text = QString::number(value, 'g', 6);
    return text.replace(QStringLiteral("e+0"), QStringLiteral("e"))
        .replace(QStringLiteral("e-0"), QStringLiteral("e-"))
        .replace(QStringLiteral("e+"), QStringLiteral("e"));
  }
  return QString::number(value, 'g', 6);
}

ParameterEditor::ParameterEditor(const ParameterSpec& spec, const ParameterValue& standard, QWidget* parent)
    : QWidget(parent),
      m_spec(spec),
      m_standard(standard),
      m_value(standard),
      m_row(new QHBoxLayout),
      m_reason(new QLabel) {
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(2);
  column->addLayout(m_row);
  column->addWidget(m_reason);
  m_row->setSpacing(6);
  m_reason->setWordWrap(true);
  m_reason->setVisible(false);
  if (spec.kind == ParameterKind::Choice) {
    buildChoice();
  } else if (spec.kind == ParameterKind::Switch) {
    buildSwitch();
  } else if (spec.kind == ParameterKind::File) {
    buildFile();
  } else {
    buildNumber();
  }
  buildReset();
  refresh();
}

void ParameterEditor::buildNumber() {
  const SliderScale scale(m_spec);
  m_slider = new QSlider(Qt::Horizontal);
  m_slider->setRange(0, scale.steps);
  m_slider->setMinimumWidth(24);
  m_slider->setAccessibleName(QString::fromStdString(m_spec.label));
  m_field = new QLineEdit;
  m_field->setFixedWidth(fontMetrics().horizontalAdvance(QStringLiteral("-0.000000e-00")));
  m_field->setAlignment(Qt::AlignRight);
  m_field->setAccessibleName(QString::fromStdString(m_spec.label));
  auto* unit = new QLabel(QString::fromStdString(m_spec.unit));
  unit->setFixedWidth(fontMetrics().horizontalAdvance(QStringLiteral("N·s/m²")));
  m_row->addWidget(m_slider);
  m_row->addWidget(m_field);
  m_row->addWidget(unit);
  if (m_spec.mayBeAutomatic) buildAutomatic();
  connect(m_slider, &QSlider::valueChanged, this, [this](int position) {
    double value = SliderScale(m_spec).valueAt(position);
    if (m_spec.kind == ParameterKind::Integer) value = std::round(value);
    m_sliding = true;  // the handle stays where the user put it, even between two representable values
    accept(value);
    m_sliding = false;
  });
  connect(m_field, &QLineEdit::textEdited, m_reason, &QWidget::hide);
  connect(m_field, &QLineEdit::editingFinished, this, &ParameterEditor::readField);
  connect(m_field, &QLineEdit::returnPressed, m_field, &QWidget::clearFocus);  // frees the keyboard
}

void ParameterEditor::buildAutomatic() {
  m_automatic = new QToolButton;
  m_automatic->setText(tr("auto"));
  m_automatic->setCheckable(true);
  m_automatic->setAutoRaise(true);
  m_automatic->setAccessibleName(tr("%1 automatic").arg(QString::fromStdString(m_spec.label)));
  m_row->addWidget(m_automatic);
  connect(m_automatic, &QToolButton::clicked, this, [this](bool on) {
    if (on)
      accept(std::string(kAutomatic));
    else
      accept(m_automaticNumber ? *m_automaticNumber : SliderScale(m_spec).valueAt(m_slider->value()));
  });
}

void ParameterEditor::setAutomatic(std::optional<double> number, const QString& text, const QString& reason) {
  // Called with each change of the session. Text that is being typed and the reason of a refusal must stay.
  if (number == m_automaticNumber && text == m_automaticText && reason == m_automaticReason) return;
  m_automaticNumber = number;
  m_automaticText = text;
  m_automaticReason = reason;
  refresh();
}

bool ParameterEditor::isAutomatic() const {
  const std::string* name = std::get_if<std::string>(&m_value);
  return m_spec.mayBeAutomatic && name && *name == kAutomatic;
}

void ParameterEditor::buildChoice() {
  m_choice = new QComboBox;
  for (const std::string& choice : m_spec.choices) m_choice->addItem(QString::fromStdString(choice));
  m_choice->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
  m_choice->setAccessibleName(QString::fromStdString(m_spec.label));
  m_row->addWidget(m_choice);
  connect(m_choice, QOverload<int>::of(&QComboBox::activated), this,
          [this] { accept(m_choice->currentText().toStdString()); });
}

void ParameterEditor::buildSwitch() {
  m_switch = new QCheckBox(tr("on"));
  m_switch->setAccessibleName(QString::fromStdString(m_spec.label));
  m_row->addWidget(m_switch);
  m_row->addStretch(1);
  connect(m_switch, &QCheckBox::clicked, this, [this](bool on) { accept(on ? 1.0 : 0.0); });
}

void ParameterEditor::buildFile() {
  m_file = new QLineEdit;
  m_file->setAccessibleName(QString::fromStdString(m_spec.label));
  m_row->addWidget(m_file);
  connect(m_file, &QLineEdit::editingFinished, this, [this] { accept(m_file->text().toStdString()); });
  connect(m_file, &QLineEdit::returnPressed, m_file, &QWidget::clearFocus);  // frees the keyboard
}

void ParameterEditor::buildReset() {
  m_reset = new QToolButton;
  m_reset->setText(QStringLiteral("↺"));
  m_reset->setAutoRaise(true);
  m_reset->setToolTip(tr("Reset to %1").arg(QString::fromStdString(toString(m_standard))));
  m_reset->setAccessibleName(tr("Reset %1").arg(QString::fromStdString(m_spec.label)));
  m_row->addWidget(m_reset);
  connect(m_reset, &QToolButton::clicked, this, [this] { accept(m_standard); });
}

void ParameterEditor::readField() {
  if (!m_field->isModified()) return;  // leaving the field changes nothing
  m_field->setModified(false);
  if (m_spec.mayBeAutomatic && QString::fromLatin1(kAutomatic).startsWith(m_field->text().trimmed()) &&
      !m_field->text().trimmed().isEmpty()) {
    accept(std::string(kAutomatic));
    return;
  }
  bool isNumber = false;
  const double value = m_field->text().trimmed().toDouble(&isNumber);
  if (isNumber) {
    accept(value);
    return;
  }
  refuse(tr("“%1” is not a number; write for example 0.01 or 1e4").arg(m_field->text()));
}

void ParameterEditor::refuse(const QString& problem) {
  refresh();
  m_problem = problem;
  m_reason->setText(tr("%1. %2 stays.").arg(problem, QString::fromStdString(toString(m_value))));
  m_reason->setStyleSheet(QStringLiteral("color: %1;").arg(themeColours(isDark(palette())).alarm.name()));
  m_reason->setVisible(true);
}

void ParameterEditor::accept(const ParameterValue& value) {
  const std::string problem = refusal(m_spec, value);
  if (!problem.empty()) {
    refuse(QString::fromStdString(m_spec.label + " " + problem));
    return;
  }
  const bool isNew = value != m_value;
  m_value = value;
  refresh();
  if (isNew) Q_EMIT edited(m_value);
}

void ParameterEditor::setValue(const ParameterValue& value) {
  if (value == m_value) return;
  if (m_slider && m_slider->isSliderDown()) return;  // an earlier position of the same drag
  m_value = value;
  refresh();
}

void ParameterEditor::refresh() {
  m_problem.clear();
  m_reason->setVisible(false);
  if (m_field) {
    const QSignalBlocker quiet(m_slider);
    const bool automatic = isAutomatic();
    const double number = automatic ? m_automaticNumber.value_or(m_spec.minimum) : numberIn(m_value);
    m_field->setText(!automatic                  ? shownNumber(number)
                     : m_automaticText.isEmpty() ? QString::fromLatin1(kAutomatic)
                                                 : m_automaticText);
    QFont font = m_field->font();
    font.setItalic(automatic);
    m_field->setFont(font);
    QString tip = tr("%1 to %2 %3")
                      .arg(shownNumber(m_spec.minimum), shownNumber(m_spec.maximum),
                           QString::fromStdString(m_spec.unit));
    if (m_spec.mayBeAutomatic) tip += tr(", or automatic");
    if (automatic && !m_automaticReason.isEmpty()) tip = tr("automatic: %1").arg(m_automaticReason);
    m_field->setToolTip(tip);
    if (m_automatic) {
      const QSignalBlocker quietToo(m_automatic);
      m_automatic->setChecked(automatic);
      m_automatic->setToolTip(m_automaticReason.isEmpty()
                                  ? tr("The method chooses the number")
                                  : tr("The method chooses: %1").arg(m_automaticReason));
    }
    if (!m_sliding) m_slider->setValue(SliderScale(m_spec).positionOf(number));
  }
  if (m_file) {
    m_file->setText(choiceIn(m_value));
    m_file->setToolTip(m_file->text());  // it may be longer than the field
  }
  if (m_choice) m_choice->setCurrentText(choiceIn(m_value));
  if (m_switch) m_switch->setChecked(numberIn(m_value) != 0);
  m_reset->setEnabled(m_value != m_standard);
}

}  // namespace touchstone
