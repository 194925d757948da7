#pragma once

#include <QThread>
#include <atomic>
#include <memory>

#include "app/ensemble/shown_ensemble.h"
#include "app/work/long_job.h"

namespace touchstone {

class Session;

/// The user's choices for an ensemble.
struct EnsembleChoice {
  Perturbation start = {16, 1e-9, 1};
  double time = 0;  ///< s
};

/// Computes copies of a session's scene under its panes on a separate thread. The session goes on meanwhile,
/// and what it runs then is not part of the ensemble.
class EnsembleJob : public LongJob {
  Q_OBJECT
 public:
  EnsembleJob(const Session& session, const EnsembleChoice& choice, QObject* parent = nullptr);
  ~EnsembleJob() override;
  void start() override;
  void cancel() override { m_cancelled = true; }
  /// After finished(true, …).
  ShownEnsemblePtr result() const { return m_result; }

 private:
  void work();
  std::shared_ptr<const Scene> m_scene;
  double m_dt, m_time;  ///< s
  std::shared_ptr<ShownEnsemble> m_result;
  std::atomic<bool> m_cancelled{false};
  std::unique_ptr<QThread> m_thread;
};

}  // namespace touchstone
