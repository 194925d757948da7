#include "app/session.h"

#include <algorithm>
#include <cmath>

#include "app/session_send.h"
#include "core/run/pane_name.h"

namespace touchstone {

Session::Session(QObject* parent) : QObject(parent), m_worker(new SimulationWorker) {
  qRegisterMetaType<touchstone::ComparisonStatePtr>("touchstone::ComparisonStatePtr");
  qRegisterMetaType<touchstone::FrameBatchPtr>("touchstone::FrameBatchPtr");
  qRegisterMetaType<touchstone::ExplainedPtr>("touchstone::ExplainedPtr");
  qRegisterMetaType<touchstone::Resolved>("touchstone::Resolved");
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
  m_thread.quit();
  m_thread.wait();
}

void Session::connectWorker() {
  connect(m_worker, &SimulationWorker::opened, this, &Session::onOpened);
  connect(m_worker, &SimulationWorker::changed, this, &Session::onChanged);
  connect(m_worker, &SimulationWorker::stepped, this, &Session::onStepped);
  connect(m_worker, &SimulationWorker::failed, this, &Session::failed);
  connect(m_worker, &SimulationWorker::manifestWritten, this, &Session::manifestWritten);
  connect(m_worker, &SimulationWorker::rebuilt, this, &Session::onRebuilt);
  connect(m_worker, &SimulationWorker::wrote, this,
          [this](const QString& path) { Q_EMIT noted(tr("Wrote %1").arg(path)); });
  connect(m_worker, &SimulationWorker::resolved, this, [this](const Resolved& resolved) {
    const bool solved = resolved.result.status == SolveStatus::Solved;
    Q_EMIT noted(tr("%1 with %2: %3 rows, %4 iterations, residual %5 m/s%6")
                     .arg(paneLabel(resolved.pane), QString::fromStdString(resolved.solver))
                     .arg(resolved.rows)
                     .arg(resolved.result.iterations.size())
                     .arg(resolved.result.residual, 0, 'g', 3)
                     .arg(solved ? QString()
                                 : tr(", not solved: ") + QString::fromStdString(resolved.result.message)));
    m_resolved.push_back(resolved);
    Q_EMIT cursorMoved();
  });
  connect(m_worker, &SimulationWorker::explained, this, &Session::explained);
  connect(m_worker, &SimulationWorker::recordingWritten, this, &Session::recordingWritten);
  connect(m_worker, &SimulationWorker::recordingChanged, this, [this](const QString& path) {
    Q_EMIT noted(path.isEmpty() ? tr("Recorded to %1").arg(m_recording) : tr("Recording to %1").arg(path));
    m_recording = path;
    Q_EMIT recordingChanged();
  });
  connect(m_worker, &SimulationWorker::runningChanged, this, [this](bool running) {
    m_running = running;
    Q_EMIT runningChanged();
  });
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
  if (pane >= static_cast<int>(m_state.histories.size())) return nullptr;
  if (const RecordPtr record = m_state.histories[pane].at(m_cursor)) return record;
  const auto frames = m_rebuilt.find(pane);
  if (frames != m_rebuilt.end()) {
    const auto record = frames->second.find(m_cursor);
    if (record != frames->second.end()) return record->second;
  }
  const bool thinned =
      m_cursor > m_state.histories[pane].firstFrame() && m_cursor < m_state.histories[pane].lastFrame();
  if (thinned && m_asked.insert({{pane, m_cursor}, false}).second) {
    const long frame = m_cursor;
    QMetaObject::invokeMethod(
        m_worker, [worker = m_worker, pane, frame] { worker->rebuild(pane, frame); }, Qt::QueuedConnection);
  }
  return nullptr;
}

bool Session::isRebuilding(int pane) const {
  const auto asked = m_asked.find({pane, m_cursor});
  return asked != m_asked.end() && !asked->second;
}

void Session::onRebuilt(int pane, long frame, const std::vector<RecordPtr>& records) {
  constexpr std::size_t kMostRebuilt = 1000;  // frames of a pane
  if (m_rebuilt[pane].size() > kMostRebuilt) m_rebuilt[pane].clear();
  for (const RecordPtr& record : records) m_rebuilt[pane][record->frame] = record;
  if (records.empty()) {
    m_asked[{pane, frame}] = true;  // cannot be had: it is not asked for again
  } else {
    m_asked.erase({pane, frame});
  }
  if (frame == m_cursor) Q_EMIT cursorMoved();
}

double Session::timeAt(long frame) const {
  for (const History& history : m_state.histories)
    if (const RecordPtr record = history.at(frame)) return record->time;
  for (const auto& [pane, frames] : m_rebuilt) {
    const auto record = frames.find(frame);
    if (record != frames.end()) return record->second->time;
  }
  return static_cast<double>(frame) * m_state.dt;
}

namespace {

/// Choices that make another variant of the method, where they are not the standard: "exact", "end".
QString variantOf(const PaneState& pane, const MethodInfo& method) {
  QString variant;
  for (const ParameterSpec& spec : method.parameters) {
    const auto value = pane.values.find(spec.key);
    if ((spec.key != "step" && spec.key != "evaluate") || value == pane.values.end() ||
        value->second == spec.standard)
      continue;
    variant += QStringLiteral(" ") + QString::fromStdString(std::get<std::string>(value->second));
  }
  return variant;
}

/// What of its settings tells a pane from others.
QString nameOf(const PaneState& pane) {
  const MethodInfo* method = findMethod(pane.settings.method);
  QString name = QString::fromStdString(method ? method->shortName : pane.settings.method);
  if (method) name += variantOf(pane, *method);
  const std::string solver = solverName(pane.settings.solver, pane.values);
  return solver.empty() ? name : name + QStringLiteral(" · ") + QString::fromStdString(solver);
}

}  // namespace

QString Session::paneLabel(int pane) const {
  const QString label = nameOf(m_state.panes[pane]);
  int same = 0, before = 0;
  for (int other = 0; other < paneCount(); ++other) {
    if (nameOf(m_state.panes[other]) != label) continue;
    ++same;
    before += other < pane;
  }
  return same > 1 ? label + QStringLiteral(" #%1").arg(before + 1) : label;
}

// What the worker sent

void Session::take(const ComparisonState& state) {
  m_state = state;
  m_rebuilt.clear();
  m_resolved.clear();
  m_asked.clear();
  m_events = findEvents(m_state.histories);
  m_hadContact.assign(m_state.panes.size(), 0);
  for (const TimelineEvent& event : m_events)
    if (event.kind == TimelineEventKind::FirstContact) m_hadContact[event.pane] = 1;
  m_selected = std::max(0, std::min(m_selected, paneCount() - 1));
  if (m_costPane >= paneCount()) m_costPane = -1;
}

void Session::onOpened(const ComparisonStatePtr& state) {
  m_playback.stop();
  m_undo.clear();
  take(*state);
  m_selected = 0;
  m_live = true;
  m_cursor = lastFrame();
  Q_EMIT sceneChanged();
  Q_EMIT panesChanged();
  Q_EMIT historyChanged();
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
  if (m_live || m_cursor > lastFrame()) {
    m_live = true;
    m_cursor = lastFrame();
  }
  Q_EMIT panesChanged();
  if (rewritten) {
    Q_EMIT historyChanged();
  } else {
    Q_EMIT framesAdded();
  }
  Q_EMIT cursorMoved();
  Q_EMIT selectionChanged();
}

void Session::onStepped(const FrameBatchPtr& frames) {
  const std::size_t eventsBefore = m_events.size();
  for (const std::vector<RecordPtr>& records : *frames) {
    for (std::size_t pane = 0; pane < records.size() && pane < m_state.histories.size(); ++pane) {
      History& history = m_state.histories[pane];
      if (history.lastFrame() >= records[pane]->frame) continue;  // came with the state already
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
    pauseAtEvents(eventsBefore);
    pauseAtThresholds(*frames);
  }
  balanceCosts();
  if (timeAt(lastFrame()) > m_until - 0.5 * m_state.dt) {
    m_until = std::numeric_limits<double>::infinity();
    Q_EMIT finished();
  }
  // After the event loop has drawn what changed: the next batch is asked for no sooner than this one is seen.
  QTimer::singleShot(0, this, [this] { send([](SimulationWorker& worker) { worker.acknowledge(); }); });
}

namespace {

constexpr long kCostWindow = 40;  // frames over which a cost is a median

}  // namespace

/// Median time of the last frames without measurement [ms]; NaN before there are enough.
double Session::costOf(int pane) const {
  const std::deque<RecordPtr>& frames = m_state.histories[pane].frames();
  if (static_cast<long>(frames.size()) < kCostWindow) return std::numeric_limits<double>::quiet_NaN();
  std::vector<double> times;
  for (auto record = frames.end() - kCostWindow; record != frames.end(); ++record)
    times.push_back((*record)->quantities[Quantity::TimeStep]);
  std::nth_element(times.begin(), times.begin() + kCostWindow / 2, times.end());
  return times[kCostWindow / 2];
}

void Session::setEqualCost(bool equal) {
  m_costPane = -1;
  m_balancedAt = lastFrame();
  if (equal && paneCount() > 0) {
    m_costPane = 0;
    for (int pane = 1; pane < paneCount(); ++pane)
      if (costOf(pane) > costOf(m_costPane)) m_costPane = pane;
    Q_EMIT noted(tr("Equal cost: the other panes get as many substeps as %1 leaves them time for.")
                     .arg(paneLabel(m_costPane)));
  }
  Q_EMIT panesChanged();
}

// A method's cost per substep changes with the step, so this is done again and again; steps of less than a
// fifth are noise.
void Session::balanceCosts() {
  constexpr double kNoise = 0.2;
  constexpr int kMostSubsteps = 1000;
  if (m_costPane < 0 || m_costPane >= paneCount() || lastFrame() - m_balancedAt < kCostWindow) return;
  m_balancedAt = lastFrame();
  const double target = costOf(m_costPane);
  for (int pane = 0; pane < paneCount(); ++pane) {
    const double cost = costOf(pane);
    if (pane == m_costPane || !(cost > 0) || !(target > 0) || std::abs(target / cost - 1) < kNoise) continue;
    const int before = m_state.panes[pane].settings.substeps;
    const int substeps = std::clamp(static_cast<int>(std::lround(before * target / cost)), 1, kMostSubsteps);
    if (substeps == before) continue;
    m_state.panes[pane].settings.substeps = substeps;
    send([pane, substeps](SimulationWorker& worker) { worker.setSubsteps(pane, substeps); });
  }
}

void Session::pauseAtEvents(std::size_t firstNew) {
  if (!m_running) return;
  for (std::size_t index = firstNew; index < m_events.size(); ++index) {
    const TimelineEvent& event = m_events[index];
    if (!m_pauseOn.count(event.kind)) continue;
    Q_EMIT noted(tr("Paused: %1, %2 at t = %3 s")
                     .arg(paneLabel(event.pane), tr(toString(event.kind)))
                     .arg(event.time, 0, 'f', 3));
    seek(event.frame);
    return;
  }
}

void Session::setThresholds(const std::vector<StopCondition>& thresholds) {
  m_thresholds = thresholds;
  Q_EMIT thresholdsChanged();
}

void Session::pauseAtThresholds(const FrameBatch& frames) {
  if (!m_running) return;
  for (const std::vector<RecordPtr>& records : frames)
    for (std::size_t pane = 0; pane < records.size() && pane < m_state.histories.size(); ++pane) {
      const RecordPtr before = m_state.histories[pane].at(records[pane]->frame - 1);
      for (const StopCondition& condition : m_thresholds) {
        if (!begins(condition, before.get(), *records[pane])) continue;
        Q_EMIT noted(tr("Paused: %1, %2 at t = %3 s")
                         .arg(paneLabel(static_cast<int>(pane)), QString::fromStdString(toString(condition)))
                         .arg(records[pane]->time, 0, 'f', 3));
        seek(records[pane]->frame);
        return;
      }
    }
}

}  // namespace touchstone
