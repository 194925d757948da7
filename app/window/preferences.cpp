#include "app/window/preferences.h"

#include <QApplication>
#include <QComboBox>
#include <QDialogButtonBox>
#include <QFormLayout>
#include <QLabel>
#include <QSettings>
#include <QSpinBox>
#include <QStyle>

namespace touchstone {

namespace {

// [MiB] A larger maximum lets panes exhaust the memory; a smaller minimum keeps hardly any whole frame.
constexpr int kLeastHistory = 16, kMostHistory = 16384;
// [s] With a larger value a run of hours may be lost without a question; a smaller one limits the user's
// choice.
constexpr int kMostLongRun = 3600;
// [s] Likewise of a frame that does not end.
constexpr int kMostSecondsPerFrame = 86400;

QPalette lightPalette() {
  QPalette palette(QColor(0xEF, 0xEF, 0xEF));
  palette.setColor(QPalette::Base, Qt::white);
  palette.setColor(QPalette::Highlight, QColor(0x30, 0x8C, 0xC6));
  palette.setColor(QPalette::HighlightedText, Qt::white);
  return palette;
}

QPalette darkPalette() {
  const QColor window(0x2B, 0x2D, 0x30), base(0x1F, 0x20, 0x23), text(0xE4, 0xE6, 0xE8),
      faint(0x80, 0x84, 0x88);
  QPalette palette(window);
  palette.setColor(QPalette::Window, window);
  palette.setColor(QPalette::Base, base);
  palette.setColor(QPalette::AlternateBase, QColor(0x26, 0x28, 0x2B));
  palette.setColor(QPalette::Button, QColor(0x37, 0x3A, 0x3E));
  palette.setColor(QPalette::ToolTipBase, QColor(0x37, 0x3A, 0x3E));
  for (QPalette::ColorRole role :
       {QPalette::WindowText, QPalette::Text, QPalette::ButtonText, QPalette::ToolTipText}) {
    palette.setColor(role, text);
    palette.setColor(QPalette::Disabled, role, faint);
  }
  palette.setColor(QPalette::PlaceholderText, faint);
  palette.setColor(QPalette::Link, QColor(0x6C, 0xB4, 0xEE));
  palette.setColor(QPalette::Highlight, QColor(0x2F, 0x78, 0xB7));
  palette.setColor(QPalette::HighlightedText, Qt::white);
  return palette;
}

}  // namespace

Preferences loadPreferences() {
  const QSettings settings;
  Preferences preferences;
  preferences.theme = static_cast<Preferences::Theme>(
      qBound(0, settings.value(QStringLiteral("preferences/theme"), 0).toInt(),
             static_cast<int>(Preferences::Theme::Dark)));
  preferences.historyMiB =
      qBound(kLeastHistory,
             settings.value(QStringLiteral("preferences/history_mib"), preferences.historyMiB).toInt(),
             kMostHistory);
  preferences.longRun = qBound(
      0, settings.value(QStringLiteral("preferences/long_run_s"), preferences.longRun).toInt(), kMostLongRun);
  preferences.secondsPerFrame = qBound(
      0, settings.value(QStringLiteral("preferences/seconds_per_frame"), preferences.secondsPerFrame).toInt(),
      kMostSecondsPerFrame);
  return preferences;
}

void savePreferences(const Preferences& preferences) {
  QSettings settings;
  settings.setValue(QStringLiteral("preferences/theme"), static_cast<int>(preferences.theme));
  settings.setValue(QStringLiteral("preferences/history_mib"), preferences.historyMiB);
  settings.setValue(QStringLiteral("preferences/long_run_s"), preferences.longRun);
  settings.setValue(QStringLiteral("preferences/seconds_per_frame"), preferences.secondsPerFrame);
}

void applyTheme(Preferences::Theme theme) {
  static const QPalette system = QApplication::palette();  // before any change by the program
  QApplication::setPalette(theme == Preferences::Theme::Light  ? lightPalette()
                           : theme == Preferences::Theme::Dark ? darkPalette()
                                                               : system);
}

PreferencesDialog::PreferencesDialog(const Preferences& preferences, QWidget* parent)
    : QDialog(parent),
      m_theme(new QComboBox),
      m_history(new QSpinBox),
      m_longRun(new QSpinBox),
      m_secondsPerFrame(new QSpinBox) {
  setWindowTitle(tr("Preferences"));
  m_theme->addItem(tr("as the system"), static_cast<int>(Preferences::Theme::System));
  m_theme->addItem(tr("light"), static_cast<int>(Preferences::Theme::Light));
  m_theme->addItem(tr("dark"), static_cast<int>(Preferences::Theme::Dark));
  m_theme->setCurrentIndex(m_theme->findData(static_cast<int>(preferences.theme)));
  m_history->setRange(kLeastHistory, kMostHistory);
  m_history->setSuffix(tr(" MiB a pane"));
  m_history->setValue(preferences.historyMiB);
  m_history->setToolTip(
      tr("Memory for whole frames. Older frames are kept at a spacing and computed again when you look at "
         "them. Takes effect with the next scene."));
  m_longRun->setRange(0, kMostLongRun);
  m_longRun->setSuffix(tr(" s of running"));
  m_longRun->setValue(preferences.longRun);
  m_longRun->setToolTip(
      tr("Before so much that no recording holds is lost (quit, another scene) a question is asked"));
  m_secondsPerFrame->setRange(0, kMostSecondsPerFrame);
  m_secondsPerFrame->setSuffix(tr(" s of the clock"));
  m_secondsPerFrame->setSpecialValueText(tr("never"));
  m_secondsPerFrame->setValue(preferences.secondsPerFrame);
  m_secondsPerFrame->setToolTip(
      tr("A pane whose frame takes longer is stopped with the reason; the other panes go on"));
  auto* form = new QFormLayout(this);
  form->addRow(tr("Colours"), m_theme);
  form->addRow(tr("History"), m_history);
  form->addRow(tr("Ask before losing"), m_longRun);
  form->addRow(tr("Stop a frame after"), m_secondsPerFrame);
  auto* note = new QLabel(tr("Exports are light whatever the colours of the window."));
  form->addRow(note);
  auto* buttons = new QDialogButtonBox(QDialogButtonBox::Ok | QDialogButtonBox::Cancel);
  form->addRow(buttons);
  connect(buttons, &QDialogButtonBox::accepted, this, &QDialog::accept);
  connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
}

Preferences PreferencesDialog::preferences() const {
  Preferences preferences;
  preferences.theme = static_cast<Preferences::Theme>(m_theme->currentData().toInt());
  preferences.historyMiB = m_history->value();
  preferences.longRun = m_longRun->value();
  preferences.secondsPerFrame = m_secondsPerFrame->value();
  return preferences;
}

}  // namespace touchstone
