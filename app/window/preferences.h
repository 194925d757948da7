#pragma once

#include <QDialog>
#include <cstddef>

class QComboBox;
class QSpinBox;

namespace touchstone {

/// Settings of the user, kept between runs.
struct Preferences {
  enum class Theme { System, Light, Dark };
  Theme theme = Theme::System;
  int historyMiB = 128;      ///< memory for full frames of each pane
  int longRun = 10;          ///< s of running from which the user is asked before data is lost
  int secondsPerFrame = 60;  ///< of the clock, after which a pane is stopped; 0: none
  std::size_t historyBytes() const { return static_cast<std::size_t>(historyMiB) << 20; }
};
Preferences loadPreferences();
void savePreferences(const Preferences& preferences);
/// Applies the colours of the whole program.
void applyTheme(Preferences::Theme theme);

class PreferencesDialog : public QDialog {
  Q_OBJECT
 public:
  explicit PreferencesDialog(const Preferences& preferences, QWidget* parent = nullptr);
  Preferences preferences() const;

 private:
  QComboBox* m_theme;
  QSpinBox *m_history, *m_longRun, *m_secondsPerFrame;
};

}  // namespace touchstone
