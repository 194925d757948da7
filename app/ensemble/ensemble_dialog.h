#pragma once

#include <QDialog>

#include "app/ensemble/ensemble_job.h"

class QComboBox;
class QDoubleSpinBox;
class QLabel;
class QSpinBox;

namespace touchstone {

/// Asks for the number of copies of the scene, their distance at the start, and the time to run.
class EnsembleDialog : public QDialog {
  Q_OBJECT
 public:
  /// @param panes  number of panes, each of which runs all copies
  EnsembleDialog(const EnsembleChoice& choice, int panes, QWidget* parent = nullptr);
  EnsembleChoice choice() const;

 private:
  void describe();

  int m_panes;
  QSpinBox *m_copies, *m_seed;
  QComboBox* m_size;
  QDoubleSpinBox* m_time;
  QLabel* m_note;
};

}  // namespace touchstone
