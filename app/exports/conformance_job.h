#pragma once

#include <QThread>
#include <atomic>
#include <memory>

#include "app/session/long_job.h"

namespace touchstone {

/// Runs the conformance card on a separate thread: all phenomena in the default columns, into a folder.
/// finished() has the path of card.html.
class ConformanceJob : public LongJob {
  Q_OBJECT
 public:
  /// @param names  of phenomena; empty: all
  ConformanceJob(const QString& folder, const QStringList& names, QObject* parent = nullptr);
  ~ConformanceJob() override;
  void start() override;
  void cancel() override { m_cancelled = true; }

 private:
  void work();
  QString m_folder;
  QStringList m_names;
  std::atomic<bool> m_cancelled{false};
  std::unique_ptr<QThread> m_thread;
};

}  // namespace touchstone
