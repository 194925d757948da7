#include "app/ensemble/ensemble_job.h"

#include "app/session/session.h"
#include "core/math/count.h"

namespace touchstone {

namespace {

struct EnsembleCancelled {};

}  // namespace

EnsembleJob::EnsembleJob(const Session& session, const EnsembleChoice& choice, QObject* parent)
    : LongJob(parent),
      m_scene(session.scene()),
      m_dt(session.dt()),
      m_time(choice.time),
      m_result(std::make_shared<ShownEnsemble>()) {
  m_result->scene = QString::fromStdString(m_scene->name);
  m_result->ensemble.perturbation = choice.start;
  m_result->ensemble.quantities = quantitiesOfCopies(*m_scene);
  for (int pane = 0; pane < session.paneCount(); ++pane) {
    m_result->panes.push_back(session.spans(pane).back());
    m_result->panes.back().settings = session.pane(pane).settings;
  }
}

EnsembleJob::~EnsembleJob() {
  m_cancelled = true;
  if (m_thread) m_thread->wait();
}

void EnsembleJob::start() {
  m_thread.reset(QThread::create([this] { work(); }));
  m_thread->start();
}

// Runs on the thread; signals arrive queued.
void EnsembleJob::work() {
  constexpr int kSteps = 1000;
  const int panes = countOf(m_result->panes);
  try {
    for (int pane = 0; pane < panes; ++pane) {
      EnsembleProgress watch;
      watch.share = [this, pane, panes](double share) {
        Q_EMIT progress(static_cast<int>(kSteps * (pane + share) / panes), kSteps);
        if (m_cancelled) throw EnsembleCancelled();
      };
      Ensemble& ensemble = m_result->ensemble;
      const PaneSpan& span = m_result->panes[pane];
      ensemble.members.push_back(runEnsemble(m_scene, span.settings, ensemble.quantities,
                                             ensemble.perturbation, m_dt, m_time, watch));
      ensemble.members.back().label = span.label.toStdString();
    }
    m_result->verdicts = verdictsOf(m_result->ensemble);
    const QString copies =
        tr("%1 copies under %2 panes into the plots").arg(m_result->ensemble.perturbation.copies).arg(panes);
    Q_EMIT finished(true, copies);
  } catch (const EnsembleCancelled&) {
    Q_EMIT finished(false, tr("The ensemble was cancelled; the plots stay as they were."));
  } catch (const std::bad_alloc&) {
    Q_EMIT finished(false, tr("There is too little memory for the ensemble; take fewer copies."));
  } catch (const std::exception& error) {
    Q_EMIT finished(false, QString::fromStdString(error.what()));
  }
}

}  // namespace touchstone
