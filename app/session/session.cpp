#include "app/session/session.h"

#include <algorithm>
#include <cmath>

#include "app/session/session_send.h"
#include "core/math/quantile.h"

namespace touchstone {

Session::Session(QObject* parent) : QObject(parent), m_worker(new SimulationWorker) {
  qRegisterMetaType<touchstone::ComparisonStatePtr>("touchstone::ComparisonStatePtr");
  qRegisterMetaType<touchstone::FrameBatchPtr>("touchstone::FrameBatchPtr");
  qRegisterMetaType<touchstone::ExplainedPtr>("touchstone::ExplainedPtr");
  qRegisterMetaType<touchstone::Resolved>("touchstone::Resolved");
  qRegisterMetaType<touchstone::BranchPane>("touchstone::BranchPane");
  qRegisterMetaType<std::vector<touchstone::RecordPtr>>("std::vector<touchstone::RecordPtr>");
  m_worker->moveToThread(&m_thread);
  connect(&m_thread, &QThread::finished, m_worker, &QObject::deleteLater);
  connectWorker();
  connect(&m_playback, &QTimer::timeout, this, &Session::onPlaybackTick);
  m_thread.setObjectName(QStringLiteral("simulation"));
  m_thread.start();
  send([](SimulationWorker& worker) { worker.yieldToWindow(); });
}

Session::~Session() {
  m_worker->cancelOpening();
  m_thread.quit();
  m_thread.wait();
}

void Session::connectWorker() {
  connect(m_worker, &SimulationWorker::opened, this, &Session::onOpened);
  connect(m_worker, &SimulationWorker::opening, this, &Session::opening);
  connect(m_worker, &SimulationWorker::openingCancelled, this, &Session::openingCancelled);
  connect(m_worker, &SimulationWorker::changed, this, &Session::onChanged);
  connect(m_worker, &SimulationWorker::branchTried, this, [this](int branch) {
    if (m_goingTo && m_goingTo->branch == branch) m_goingTo->tried = true;
  });
  connect(m_worker, &SimulationWorker::stepped, this, &Session::onStepped);
  connect(m_worker, &SimulationWorker::failed, this, &Session::failed);
  connect(m_worker, &SimulationWorker::manifestWritten, this, &Session::manifestWritten);
  connect(m_worker, &SimulationWorker::rebuilt, this, &Session::onRebuilt);
  connect(m_worker, &SimulationWorker::catchingUp, this, [this](int, long frames) {
    Q_EMIT noted(tr("The pane comes back once it has computed the %1 frames that it has missed").arg(frames));
  });
  connect(m_worker, &SimulationWorker::wrote, this,
          [this](const QString& path) { Q_EMIT noted(tr("Wrote %1").arg(path)); });
  connect(m_worker, &SimulationWorker::resolved, this, &Session::onResolved);
  connect(m_worker, &SimulationWorker::explained, this, &Session::explained);
  connect(m_worker, &SimulationWorker::recordingWritten, this, &Session::onRecordingWritten);
  connect(m_worker, &SimulationWorker::branchesWritten, this, [this](bool done) {
    m_saving.clear();
    Q_EMIT branchesSaved(done);
  });
  connect(m_worker, &SimulationWorker::recordingChanged, this, &Session::onRecording);
  connect(m_worker, &SimulationWorker::runningChanged, this, &Session::onRunning);
}

int Session::indexOf(int id) const {
  for (int index = 0; index < paneCount(); ++index)
    if (paneId(index) == id) return index;
  return -1;
}

std::vector<const History*> Session::historyPointers() const {
  std::vector<const History*> pointers;
  for (const History& history : m_state.histories) pointers.push_back(&history);
  return pointers;
}

long Session::firstFrame() const {
  long first = 0;
  bool any = false;
  for (const History& history : m_state.histories) {
    if (history.empty()) continue;
    first = any ? std::min(first, history.firstFrame()) : history.firstFrame();
    any = true;
  }
  return first;
}

long Session::lastFrame() const {
  long last = 0;
  for (const History& history : m_state.histories) last = std::max(last, history.lastFrame());
  return last;
}

RecordPtr Session::shown(int pane) const {
  return pane < 0 || pane >= paneCount() ? nullptr : shown(BranchPane{branch(), paneId(pane)}, m_cursor);
}

RecordPtr Session::shown(const BranchPane& pane, long frame) const {
  const History& history = historyOf(pane);
  if (const RecordPtr record = history.at(frame)) return record;
  const auto frames = m_rebuilt.find(pane);
  if (frames != m_rebuilt.end()) {
    const auto record = frames->second.find(frame);
    if (record != frames->second.end()) return record->second;
  }
  const bool thinned = frame > history.firstFrame() && frame < history.lastFrame();
  if (thinned && m_asked.insert({{pane, frame}, false}).second)
    QMetaObject::invokeMethod(
        m_worker, [worker = m_worker, pane, frame] { worker->rebuild(pane, frame); }, Qt::QueuedConnection);
  return nullptr;
}

bool Session::isRebuilding(const BranchPane& pane, long frame) const {
  const auto asked = m_asked.find({pane, frame});
  return asked != m_asked.end() && !asked->second;
}

bool Session::isRebuildingAny() const {
  for (int pane = 0; pane < paneCount(); ++pane)
    if (!shown(pane) && isRebuilding(pane)) return true;
  for (const BranchPane& pane : branchPanes())
    if (!shownOf(pane) && isRebuildingOf(pane)) return true;
  return false;
}

void Session::onRebuilt(const BranchPane& pane, long frame, const std::vector<RecordPtr>& records) {
  // [frames per pane] A larger value takes more memory; a smaller one computes frames again more often.
  constexpr std::size_t kMostRebuilt = 1000;
  if (m_rebuilt[pane].size() > kMostRebuilt) m_rebuilt[pane].clear();
  for (const RecordPtr& record : records) m_rebuilt[pane][record->frame] = record;
  if (records.empty()) {
    m_asked[{pane, frame}] = true;  // not available: do not ask again
  } else {
    m_asked.erase({pane, frame});
  }
  if (frame == m_cursor || pane.branch != branch()) Q_EMIT cursorMoved();
}

// Between two kept frames the frame length is assumed to be constant.
double Session::timeAt(long frame) const {
  for (const History& history : m_state.histories) {
    const auto& frames = history.frames();
    const auto after =
        std::lower_bound(frames.begin(), frames.end(), frame,
                         [](const RecordPtr& record, long wanted) { return record->frame < wanted; });
    if (after == frames.end()) continue;
    if ((*after)->frame == frame) return (*after)->time;
    if (after == frames.begin()) continue;
    const StepRecord &next = **after, &last = **(after - 1);
    return last.time + (next.time - last.time) * static_cast<double>(frame - last.frame) /
                           static_cast<double>(next.frame - last.frame);
  }
  return static_cast<double>(frame) * m_state.dt;
}

// Messages from the worker

void Session::take(const ComparisonState& state) {
  const int selected = paneCount() > 0 ? paneId(m_selected) : -1;
  m_state = state;
  m_rebuilt.clear();
  m_resolved.clear();
  m_asked.clear();
  m_events = findEvents(m_state.histories);
  m_hadContact.assign(m_state.panes.size(), 0);
  for (const TimelineEvent& event : m_events)
    if (event.kind == TimelineEventKind::FirstContact) m_hadContact[event.pane] = 1;
  const int selectedIndex = indexOf(selected);
  m_selected = selectedIndex >= 0 ? selectedIndex : std::max(0, std::min(m_selected, paneCount() - 1));
  for (const PaneState& pane : m_state.panes) m_nextPane = std::max(m_nextPane, pane.id + 1);
  m_spans = paneSpans(*m_state.scene, m_state.panes, m_state.histories);
  m_restingSpans.clear();
  for (const RestingBranch& resting : m_state.resting)
    m_restingSpans[resting.id] = paneSpans(*m_state.scene, resting.panes, resting.histories);
}

void Session::onOpened(const ComparisonStatePtr& state) {
  m_playback.stop();
  m_undo.clear();
  m_unsaved.clear();
  m_changedBranches.clear();
  m_goingTo.reset();
  m_nextPane = 0;
  m_nextBranch = 1;
  m_branchNames.clear();
  m_branchPanes.clear();
  m_overlaid.clear();
  m_watching.clear();
  m_loop = false;
  m_costPane = -1;
  take(*state);
  m_selected = 0;
  m_selectedJoint = 0;
  m_reference = paneCount() > 0 ? paneId(0) : 0;
  m_live = true;
  m_cursor = lastFrame();
  Q_EMIT sceneChanged();
  Q_EMIT panesChanged();
  Q_EMIT branchesChanged();
  Q_EMIT historyChanged();
  Q_EMIT runningChanged();
  Q_EMIT cursorMoved();
  Q_EMIT selectionChanged();
}

void Session::onChanged(const ComparisonStatePtr& state) {
  const bool rewritten = state->histories.size() != m_state.histories.size() || [&] {
    for (std::size_t pane = 0; pane < state->histories.size(); ++pane)
      if (state->histories[pane].frames().front() != m_state.histories[pane].frames().front() ||
          state->histories[pane].lastFrame() < m_state.histories[pane].lastFrame() ||
          state->histories[pane].at(m_state.histories[pane].lastFrame()) !=
              m_state.histories[pane].frames().back())
        return true;
    return false;
  }();
  take(*state);
  if (m_goingTo && m_goingTo->tried) {
    if (m_goingTo->branch == state->branch) {
      m_cursor = m_goingTo->frame < 0 ? lastFrame() : m_goingTo->frame;
      m_live = false;
    }
    m_goingTo.reset();
  }
  if (m_live) m_cursor = lastFrame();
  m_cursor = std::clamp(m_cursor, firstFrame(), lastFrame());
  m_live = m_live || m_cursor == lastFrame();
  Q_EMIT panesChanged();
  Q_EMIT branchesChanged();
  if (rewritten) {
    Q_EMIT historyChanged();
  } else {
    Q_EMIT framesAdded();
  }
  Q_EMIT cursorMoved();
  Q_EMIT selectionChanged();
}

void Session::onRunning(bool running) {
  m_starting = false;
  if (running && !m_running) m_ranSince.start();
  if (!running && m_running) m_unsaved[branch()] = unsavedSeconds(branch());
  m_running = running;
  Q_EMIT runningChanged();
}

// A recording begins with the data that its branch already has. After its end, new data is unsaved.
void Session::onRecording(const QString& path) {
  if (!m_recording.isEmpty()) Q_EMIT noted(tr("Recorded to %1").arg(m_recording));
  if (!path.isEmpty()) {
    Q_EMIT noted(tr("Recording to %1").arg(path));
    m_unsaved.erase(branchNow());
  }
  m_ranSince.start();
  m_recording = path;
  Q_EMIT recordingChanged();
}

void Session::onRecordingWritten(const QString& path) {
  const auto saved = m_saving.find(path);
  if (saved != m_saving.end()) {
    m_unsaved.erase(saved->second);
    m_saving.erase(saved);
    Q_EMIT noted(tr("Wrote %1").arg(path));
  }
  Q_EMIT recordingWritten(path);
}

void Session::onResolved(const Resolved& resolved) {
  const bool solved = resolved.result.status == SolveStatus::Solved;
  const int pane = indexOf(resolved.pane);
  if (pane < 0) return;
  Q_EMIT noted(
      tr("%1 with %2: %3 rows, %4 iterations, residual %5 m/s%6")
          .arg(spanAt(pane, resolved.frame).label, QString::fromStdString(resolved.solver))
          .arg(resolved.rows)
          .arg(resolved.result.iterations.size())
          .arg(resolved.result.residual, 0, 'g', 3)
          .arg(solved ? QString() : tr(", not solved: ") + QString::fromStdString(resolved.result.message)));
  m_resolved.push_back(resolved);
  Q_EMIT cursorMoved();
}

const PaneSpan& Session::spanAt(int pane, long frame) const {
  const std::vector<PaneSpan>& spansOfPane = spans(pane);
  std::size_t found = 0;
  while (found + 1 < spansOfPane.size() && spansOfPane[found + 1].first <= frame) ++found;
  return spansOfPane[found];
}

double Session::unsavedSeconds(int branch) const {
  const auto found = m_unsaved.find(branch);
  double seconds = found == m_unsaved.end() ? 0 : found->second;
  // A run ends before its branch is left: the requested branch is not the one that ran.
  if (m_running && m_recording.isEmpty() && branch == this->branch())
    seconds += 1e-9 * static_cast<double>(m_ranSince.nsecsElapsed());
  return seconds;
}

double Session::unsavedSeconds() const {
  double seconds = 0;
  for (const BranchInfo& branch : branches()) seconds += unsavedSeconds(branch.id);
  return seconds;
}

void Session::tellEnd() {
  if (scene() && std::abs(timeAt(m_cursor) - scene()->duration) < dt())
    Q_EMIT noted(tr("The end of the scene: Space goes on"));
  Q_EMIT finished();
}

double Session::irreplaceableSeconds() const {
  double seconds = 0;
  for (const BranchInfo& branch : branches())
    if (!isRepeatable(branch.id)) seconds += unsavedSeconds(branch.id);
  return seconds;
}

/// A change at the very start is part of how the scene was opened.
void Session::noteChange() {
  if (lastFrame() > 0) m_changedBranches.insert(branchNow());
}

void Session::onStepped(const FrameBatchPtr& frames) {
  const long before = lastFrame();
  for (const std::vector<RecordPtr>& records : *frames) {
    for (std::size_t pane = 0; pane < records.size() && pane < m_state.histories.size(); ++pane) {
      History& history = m_state.histories[pane];
      if (history.lastFrame() >= records[pane]->frame) continue;  // already part of the state
      bool hadContact = m_hadContact[pane] != 0;
      const StepRecord* before = history.empty() ? nullptr : history.frames().back().get();
      appendEvents(before, *records[pane], static_cast<int>(pane), hadContact, m_events);
      m_hadContact[pane] = hadContact;
      history.append(records[pane]);
    }
  }
  Q_EMIT framesAdded();
  if (m_live) {
    m_cursor = lastFrame();
    Q_EMIT cursorMoved();
    if (m_running)
      if (const long stop = firstStop(before, lastFrame()); stop >= 0) seek(stop);
  }
  balanceCosts();
  if (timeAt(lastFrame()) > m_until - 0.5 * m_state.dt) {
    m_until = std::numeric_limits<double>::infinity();
    tellEnd();
  }
  // After the event loop has drawn the change: the next batch is requested only when this one is visible.
  QTimer::singleShot(0, this, [this] { send([](SimulationWorker& worker) { worker.acknowledge(); }); });
}

namespace {

// [frames] Length of the median of a cost. A larger value reacts late; a smaller one follows noise.
constexpr long kCostWindow = 40;

}  // namespace

/// Median time of the last frames without measurement [ms]; NaN until there are enough.
double Session::costOf(int pane) const {
  const std::deque<RecordPtr>& frames = m_state.histories[pane].frames();
  if (static_cast<long>(frames.size()) < kCostWindow) return std::numeric_limits<double>::quiet_NaN();
  std::vector<double> times;
  for (auto record = frames.end() - kCostWindow; record != frames.end(); ++record)
    times.push_back((*record)->quantities[Quantity::TimeStep]);
  return median(std::move(times));
}

void Session::setEqualCost(bool equal) {
  m_costPane = -1;
  m_balancedAt = lastFrame();
  if (equal && paneCount() > 0) {
    int slowest = 0;
    for (int pane = 1; pane < paneCount(); ++pane)
      if (costOf(pane) > costOf(slowest)) slowest = pane;
    m_costPane = paneId(slowest);
    Q_EMIT noted(tr("Equal cost: the other panes get as many substeps as %1 leaves them time for.")
                     .arg(paneLabel(slowest)));
  }
  Q_EMIT panesChanged();
}

// A method's cost per substep changes with the step, so that this is repeated. Changes below a fifth are
// noise.
void Session::balanceCosts() {
  // kNoise: a larger value leaves costs unequal; a smaller one makes substeps change all the time.
  // kMostSubsteps: a larger value lets a frame block for very long; a smaller one leaves costs unequal.
  constexpr double kNoise = 0.2;
  constexpr int kMostSubsteps = 1000;
  const int costPane = this->costPane();
  if (costPane < 0 || lastFrame() - m_balancedAt < kCostWindow) return;
  m_balancedAt = lastFrame();
  const double target = costOf(costPane);
  for (int pane = 0; pane < paneCount(); ++pane) {
    const double cost = costOf(pane);
    if (pane == costPane || !(cost > 0) || !(target > 0) || std::abs(target / cost - 1) < kNoise) continue;
    const int before = m_state.panes[pane].settings.substeps;
    const int substeps = std::clamp(static_cast<int>(std::lround(before * target / cost)), 1, kMostSubsteps);
    if (substeps == before) continue;
    m_state.panes[pane].settings.substeps = substeps;
    send([id = paneId(pane), substeps](SimulationWorker& worker) { worker.setSubsteps(id, substeps); });
  }
}

/// The first frame after `start` up to `end` at which a run pauses, with the reason; −1: none.
long Session::firstStop(long start, long end) {
  long stop = -1;
  QString why;
  for (const TimelineEvent& event : m_events) {
    if (event.frame <= start || event.frame > end || !m_pauseOn.count(event.kind)) continue;
    if (stop >= 0 && event.frame >= stop) continue;
    stop = event.frame;
    why = paneLabel(event.pane) + QStringLiteral(", ") + tr(toString(event.kind));
  }
  for (int pane = 0; pane < paneCount() && !m_thresholds.empty(); ++pane)
    for (long frame = start + 1; frame <= (stop < 0 ? end : stop - 1); ++frame) {
      const RecordPtr record = m_state.histories[pane].at(frame);
      const RecordPtr before = m_state.histories[pane].at(frame - 1);
      for (const StopCondition& condition : m_thresholds) {
        if (!record || !begins(condition, before.get(), *record)) continue;
        stop = frame;
        why = paneLabel(pane) + QStringLiteral(", ") + QString::fromStdString(toString(condition));
      }
    }
  if (stop >= 0) Q_EMIT noted(tr("Paused: %1 at t = %2 s").arg(why).arg(timeAt(stop), 0, 'f', 3));
  return stop;
}

void Session::setThresholds(const std::vector<StopCondition>& thresholds) {
  m_thresholds = thresholds;
  Q_EMIT thresholdsChanged();
}

}  // namespace touchstone
