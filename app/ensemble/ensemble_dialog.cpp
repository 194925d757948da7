#include "app/ensemble/ensemble_dialog.h"

#include <QComboBox>
#include <QDialogButtonBox>
#include <QDoubleSpinBox>
#include <QFormLayout>
#include <QLabel>
#include <QPushButton>
#include <QSpinBox>

#include "core/scene/variation.h"

namespace touchstone {

EnsembleDialog::EnsembleDialog(const EnsembleChoice& choice, int panes, QWidget* parent)
    : QDialog(parent),
      m_panes(panes),
      m_copies(new QSpinBox),
      m_seed(new QSpinBox),
      m_size(new QComboBox),
      m_time(new QDoubleSpinBox),
      m_note(new QLabel) {
  setWindowTitle(tr("Ensemble"));
  m_copies->setRange(2, kMostCopies);
  m_copies->setValue(choice.start.copies);
  m_copies->setToolTip(tr("The first is the scene as it is; verdicts need at least %1").arg(kFewestCopies));
  m_seed->setRange(0, kMostSeed);
  m_seed->setValue(static_cast<int>(choice.start.seed));
  for (const double size : {1e-12, 1e-9, 1e-6, 1e-3}) m_size->addItem(tr("%1 m").arg(size), size);
  if (m_size->findData(choice.start.size) < 0)
    m_size->addItem(tr("%1 m").arg(choice.start.size), choice.start.size);
  m_size->setCurrentIndex(m_size->findData(choice.start.size));
  m_size->setToolTip(tr("Each moving body of a copy starts by about so much elsewhere along each axis"));
  m_time->setRange(0.01, 1000);
  m_time->setDecimals(2);
  m_time->setSuffix(tr(" s"));
  m_time->setValue(choice.time);
  m_note->setWordWrap(true);
  auto* form = new QFormLayout(this);
  form->addRow(tr("Copies"), m_copies);
  form->addRow(tr("Differences at the start"), m_size);
  form->addRow(tr("Time"), m_time);
  form->addRow(tr("Seed"), m_seed);
  form->addRow(m_note);
  auto* buttons = new QDialogButtonBox(QDialogButtonBox::Ok | QDialogButtonBox::Cancel);
  buttons->button(QDialogButtonBox::Ok)->setText(tr("Compute"));
  form->addRow(buttons);
  connect(buttons, &QDialogButtonBox::accepted, this, &QDialog::accept);
  connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
  connect(m_copies, QOverload<int>::of(&QSpinBox::valueChanged), this, &EnsembleDialog::describe);
  describe();
}

EnsembleChoice EnsembleDialog::choice() const {
  EnsembleChoice choice;
  choice.start.copies = m_copies->value();
  choice.start.size = m_size->currentData().toDouble();
  choice.start.seed = static_cast<std::uint32_t>(m_seed->value());
  choice.time = m_time->value();
  return choice;
}

void EnsembleDialog::describe() {
  m_note->setText(
      tr("%1 copies under each of %2 panes, in the background. The plots then show the median and "
         "the range of 90 % of the copies; time after the copies have parted is grey.")
          .arg(m_copies->value())
          .arg(m_panes));
}

}  // namespace touchstone
