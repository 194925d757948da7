#pragma once

#include <QWidget>
#include <optional>

#include "core/scene/parameter.h"

class QCheckBox;
class QComboBox;
class QHBoxLayout;
class QLabel;
class QLineEdit;
class QSlider;
class QToolButton;

namespace touchstone {

/// Edits one parameter: slider and field with unit, check box, list or path of a file, depending on the kind,
/// and a reset button. An invalid value is not sent. The present value returns to the field, and a line below
/// shows the refused value and the reason until the next value.
class ParameterEditor : public QWidget {
  Q_OBJECT
 public:
  /// @param standard  value of the reset button (the scene's suggestion, or the default of `spec`)
  ParameterEditor(const ParameterSpec& spec, const ParameterValue& standard, QWidget* parent = nullptr);

  const ParameterSpec& spec() const { return m_spec; }
  ParameterValue value() const { return m_value; }
  /// Shows a value; sends nothing.
  void setValue(const ParameterValue& value);
  /// Why the last value was refused; empty if it was accepted.
  QString problem() const { return m_problem; }
  /// Sets the value that kAutomatic means now, for a parameter that may be automatic. @param number  shown by
  /// the slider
  /// @param text  shown by the field   @param reason  the formula, shown in tooltips
  void setAutomatic(std::optional<double> number, const QString& text, const QString& reason);

 Q_SIGNALS:
  /// The user chose a new valid value.
  void edited(const touchstone::ParameterValue& value);

 private:
  void buildNumber();
  void buildAutomatic();
  bool isAutomatic() const;
  void buildChoice();
  void buildSwitch();
  void buildFile();
  void buildReset();
  void accept(const ParameterValue& value);
  void readField();
  void refuse(const QString& problem);
  void refresh();

  ParameterSpec m_spec;
  ParameterValue m_standard, m_value;
  QString m_problem;
  std::optional<double> m_automaticNumber;
  QString m_automaticText, m_automaticReason;
  bool m_sliding = false;
  QHBoxLayout* m_row;
  QLabel* m_reason;
  QSlider* m_slider = nullptr;
  QLineEdit* m_field = nullptr;
  QLineEdit* m_file = nullptr;
  QComboBox* m_choice = nullptr;
  QCheckBox* m_switch = nullptr;
  QToolButton *m_automatic = nullptr, *m_reset = nullptr;
};

/// A number as a field shows it: up to six significant digits, no trailing zeros.
QString shownNumber(double value);

}  // namespace touchstone
