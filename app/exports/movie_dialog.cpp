#include "app/exports/movie_dialog.h"

#include <QCheckBox>
#include <QComboBox>
#include <QDialogButtonBox>
#include <QFormLayout>
#include <QLabel>
#include <QPushButton>
#include <cmath>

namespace touchstone {

namespace {

void choose(QComboBox* box, double value) {
  for (int index = 0; index < box->count(); ++index)
    if (qFuzzyCompare(box->itemData(index).toDouble(), value)) box->setCurrentIndex(index);
}

}  // namespace

MovieDialog::MovieDialog(const MovieOptions& options, double duration, QWidget* parent)
    : QDialog(parent),
      m_duration(duration),
      m_size(new QComboBox),
      m_rate(new QComboBox),
      m_speed(new QComboBox),
      m_plots(new QCheckBox(tr("Plots beside the panes"))),
      m_note(new QLabel) {
  setWindowTitle(tr("Export movie"));
  for (const QSize& size :
       {QSize(1280, 720), QSize(1920, 1080), QSize(2560, 1440), QSize(3840, 2160), QSize(1080, 1080)})
    m_size->addItem(tr("%1 × %2").arg(size.width()).arg(size.height()), size);
  m_size->setCurrentIndex(std::max(0, m_size->findData(options.picture.size)));
  for (double rate : {24.0, 25.0, 30.0, 50.0, 60.0})
    m_rate->addItem(tr("%1 frames a second").arg(rate), rate);
  choose(m_rate, options.framesPerSecond);
  for (const auto& [label, speed] : {std::pair<QString, double>{tr("a hundredth"), 0.01},
                                     {tr("a tenth"), 0.1},
                                     {tr("a quarter"), 0.25},
                                     {tr("half"), 0.5},
                                     {tr("real time"), 1.0},
                                     {tr("double"), 2.0}})
    m_speed->addItem(label, speed);
  choose(m_speed, options.speed);
  m_plots->setChecked(options.picture.plots);
  auto* form = new QFormLayout(this);
  form->addRow(tr("Size"), m_size);
  form->addRow(tr("Rate"), m_rate);
  form->addRow(tr("Speed"), m_speed);
  form->addRow(QString(), m_plots);
  form->addRow(m_note);
  auto* buttons = new QDialogButtonBox(QDialogButtonBox::Ok | QDialogButtonBox::Cancel);
  buttons->button(QDialogButtonBox::Ok)->setText(tr("Choose file…"));
  form->addRow(buttons);
  connect(buttons, &QDialogButtonBox::accepted, this, &QDialog::accept);
  connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
  for (QComboBox* box : {m_size, m_rate, m_speed})
    connect(box, QOverload<int>::of(&QComboBox::currentIndexChanged), this, &MovieDialog::describe);
  describe();
}

MovieOptions MovieDialog::options() const {
  MovieOptions options;
  options.picture.size = m_size->currentData().toSize();
  options.picture.plots = m_plots->isChecked();
  options.framesPerSecond = m_rate->currentData().toDouble();
  options.speed = m_speed->currentData().toDouble();
  return options;
}

void MovieDialog::describe() {
  const double length = m_duration / options().speed;
  m_note->setText(tr("%1 s of simulated time become a movie of %2 s, %3 frames. The window stays usable; its "
                     "views follow "
                     "the movie.")
                      .arg(m_duration, 0, 'f', 2)
                      .arg(length, 0, 'f', 1)
                      .arg(std::lround(length * options().framesPerSecond) + 1));
  m_note->setWordWrap(true);
}

}  // namespace touchstone
