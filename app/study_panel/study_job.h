#pragma once

#include <QObject>
#include <QThread>
#include <atomic>
#include <memory>
#include <vector>

#include "app/work/study_work.h"

namespace touchstone {

/// Results of a study so far.
struct ShownStudy {
  StudyResults results;
  std::vector<Figure> figures;
  QString sentences;  ///< of the verdict; empty while runs are missing
};
using ShownStudyPtr = std::shared_ptr<const ShownStudy>;

/// Computes the runs of a study in its folder, on threads of its own. The signals arrive queued.
class StudyJob : public QObject {
  Q_OBJECT
 public:
  /// @throws SceneError, DatabaseError, std::invalid_argument for a study or folder that cannot be used
  StudyJob(const QString& file, bool quick, const QString& folder, QObject* parent = nullptr);
  ~StudyJob() override;
  void start();
  /// Ends after the runs that are being computed have been given back; what is done stays.
  void cancel() { m_cancelled = true; }
  /// The study as it lies in the folder, computing nothing.
  ShownStudyPtr shown();

 Q_SIGNALS:
  void progressed(const QString& text, int done, int count);
  void updated(const ShownStudyPtr& study);
  /// @param problem  empty: the work has ended as it should, or was cancelled
  void finished(const QString& problem);

 private:
  void work();
  StudyWork m_work;
  std::atomic<bool> m_cancelled{false};
  std::unique_ptr<QThread> m_thread;
};

/// Writes a recording that begins at the start of a run of a study, from which the window goes on with that
/// very run.   @throws std::exception with the reason
void writeStartOf(const StudyResults& results, std::size_t run, const QString& file);

}  // namespace touchstone

Q_DECLARE_METATYPE(touchstone::ShownStudyPtr)
