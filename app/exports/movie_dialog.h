#pragma once

#include <QDialog>

#include "app/exports/movie_export.h"

class QCheckBox;
class QComboBox;
class QLabel;

namespace touchstone {

/// Asks for size, rate, speed and content of a movie, and shows its length.
class MovieDialog : public QDialog {
  Q_OBJECT
 public:
  /// @param duration  recorded time [s]
  MovieDialog(const MovieOptions& options, double duration, QWidget* parent = nullptr);
  MovieOptions options() const;

 private:
  void describe();
  double m_duration;
  QComboBox *m_size, *m_rate, *m_speed;
  QCheckBox* m_plots;
  QLabel* m_note;
};

}  // namespace touchstone
