#pragma once

#include <QThread>
#include <atomic>
#include <memory>

#include "app/work/long_job.h"

namespace touchstone {

/// Writes a recording for ParaView on a separate thread.
class ParaviewJob : public LongJob {
  Q_OBJECT
 public:
  /// @param temporary  the recording was made for this job and is removed at the end
  ParaviewJob(const QString& recording, bool temporary, const QString& folder, QObject* parent = nullptr);
  ~ParaviewJob() override;
  void start() override;
  void cancel() override { m_cancelled = true; }

 private:
  void work();
  QString m_recording, m_folder;
  bool m_temporary;
  std::atomic<bool> m_cancelled{false};
  std::unique_ptr<QThread> m_thread;
};

}  // namespace touchstone
