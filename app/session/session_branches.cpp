#include <algorithm>
#include <cmath>

#include "app/session/session_commands.h"
#include "app/session/session_send.h"
#include "core/math/count.h"
#include "core/run/pane_name.h"

// Branches of time: what begins and shows one, and what is shown with it.

namespace touchstone {

void Session::goTo(int branch, long frame) {
  pause();
  m_goingTo = Place{branch, frame};
  send([branch](SimulationWorker& worker) { worker.showBranch(branch); });
  Q_EMIT noted(tr("%1 is shown").arg(branchName(branch)));
}

void Session::restart() {
  if (paneCount() == 0 || isGuarded()) return;
  if (lastFrame() == 0 && !isComputing()) {
    Q_EMIT noted(tr("The panes stand at t = 0 already"));
    return;
  }
  withSpaceForBranch([this] { restartNow(); });
}

/// A new branch may replace an old one.
void Session::withSpaceForBranch(const std::function<void()>& begin) {
  m_loop = false;
  pause();
  if (nextToGo() >= 0 && !isRepeatable(nextToGo()) && unsavedSeconds(nextToGo()) >= m_longRun) {
    Q_EMIT forgetting(nextToGo(), begin);
  } else {
    begin();
  }
}

void Session::restartNow() {
  const int source = branchNow(), branch = m_nextBranch++;
  const long frame = m_cursor;
  const auto first = [this, branch] {
    m_goingTo = Place{branch, -1};
    send([branch](SimulationWorker& worker) { worker.restart(branch); });
  };
  m_undo.push(new SessionCommand(
      tr("restart"), first, [this, source, frame] { goTo(source, frame); },
      [this, branch] { goTo(branch, -1); }));
  Q_EMIT noted(tr("Restarted at t = 0; what was recorded stays as %1").arg(nameWithin(source)));
}

void Session::fork(int pane) {
  if (pane < 0 || pane >= paneCount() || isGuarded()) return;
  if (!shown(pane) && !isRebuilding(pane)) {
    Q_EMIT failed(tr("%1 has no frame at this time; select a pane that has one, and fork from it.")
                      .arg(paneLabel(pane)));
    return;
  }
  if (const RecordPtr record = shown(pane); record && !hasData(*record)) {
    Q_EMIT failed(tr("%1 has no data at this time; select a pane that has some, and fork from it.")
                      .arg(paneLabel(pane)));
    return;
  }
  withSpaceForBranch([this, id = paneId(pane), frame = m_cursor] { forkNow(id, frame); });
}

void Session::forkNow(int id, long frame) {
  const int pane = indexOf(id), origin = branchNow(), branch = m_nextBranch++;
  if (pane < 0) return;
  m_changedBranches.insert(branch);
  const QString source = spanAt(pane, frame).label;
  const auto first = [this, id, frame, branch] {
    m_goingTo = Place{branch, -1};
    send([id, frame, branch](SimulationWorker& worker) { worker.fork(id, frame, branch); });
  };
  m_undo.push(new SessionCommand(
      tr("fork from %1").arg(source), first, [this, origin, frame] { goTo(origin, frame); },
      [this, branch] { goTo(branch, -1); }));
  Q_EMIT noted(tr("Forked: all panes go on from the state of %1 at t = %2 s; what came after it stays as "
                  "%3")
                   .arg(source)
                   .arg(timeAt(frame), 0, 'f', 3)
                   .arg(nameWithin(origin)));
}

void Session::showBranch(int branch, long frame) {
  if (branch == branchNow() || isGuarded()) return;
  const int origin = branchNow();
  const long cursor = m_cursor;
  m_undo.push(new SessionCommand(
      tr("branch"), [this, branch, frame] { goTo(branch, frame); },
      [this, origin, cursor] { goTo(origin, cursor); }));
}

QString Session::branchLabel(const BranchInfo& branch) const {
  const auto given = m_branchNames.find(branch.id);
  QString text = QStringLiteral("%1: ").arg(given == m_branchNames.end() ? QString::number(branch.id + 1)
                                                                         : given->second);
  if (branch.source.empty()) {
    text += tr("from the start");
  } else {
    text += tr("forked from %1 at %2 s")
                .arg(shortName(*scene(), paneNamed(branch.source)))
                .arg(branch.fromTime, 0, 'f', 3);
  }
  const bool isShown = branch.id == this->branch();
  return text + tr(", to %1 s").arg(isShown ? timeAt(lastFrame()) : branch.lastTime, 0, 'f', 3);
}

// Names

QString Session::branchName(int branch) const {
  const auto given = m_branchNames.find(branch);
  return given == m_branchNames.end() ? tr("Branch %1").arg(branch + 1) : given->second;
}

/// The name within a sentence.
QString Session::nameWithin(int branch) const {
  const auto given = m_branchNames.find(branch);
  return given == m_branchNames.end() ? tr("branch %1").arg(branch + 1) : given->second;
}

void Session::setBranchName(int branch, const QString& name) {
  if (name.isEmpty()) {
    m_branchNames.erase(branch);
  } else {
    m_branchNames[branch] = name;
  }
  Q_EMIT branchesChanged();
}

void Session::renameBranch(int branch, const QString& name) {
  constexpr int kLongest = 40;  // letters: more would push the curves' names out of the legend
  QString wanted = name.simplified().left(kLongest);
  if (wanted == tr("Branch %1").arg(branch + 1)) wanted.clear();
  const auto given = m_branchNames.find(branch);
  const QString before = given == m_branchNames.end() ? QString() : given->second;
  if (wanted == before) return;
  for (const BranchInfo& other : branches())
    if (other.id != branch && branchName(other.id) == wanted) {
      Q_EMIT failed(tr("Another branch has the name %1; choose another one.").arg(wanted));
      Q_EMIT branchesChanged();
      return;
    }
  m_undo.push(new SessionCommand(tr("name of a branch"), -1, before, wanted,
                                 [this, branch](const QString& next) { setBranchName(branch, next); }));
}

// Removal

QString Session::whyNoRemoval() const {
  return branches().size() > 1 ? QString() : tr("the only branch stays");
}

void Session::removeBranch(int branch) {
  if (isGuarded()) return;
  if (!whyNoRemoval().isEmpty()) {
    Q_EMIT failed(tr("The only branch stays; a fork or a restart makes another one."));
    return;
  }
  const auto remove = [this, branch] {
    send([branch](SimulationWorker& worker) { worker.removeBranch(branch); });
  };
  const auto restore = [this, branch] {
    send([branch](SimulationWorker& worker) { worker.restoreBranch(branch); });
  };
  const QString text = tr("remove %1").arg(nameWithin(branch));
  const QString note = tr("%1 is removed; Ctrl+Z brings it back").arg(branchName(branch));
  if (branch != branchNow()) {
    m_undo.push(new SessionCommand(text, remove, restore));
  } else {
    int other = -1;  // the one before, else the first
    for (const BranchInfo& info : branches())
      if (info.id != branch && (other < 0 || info.id < branch)) other = info.id;
    m_undo.push(new SessionCommand(
        text,
        [this, other, remove] {
          goTo(other, -1);
          remove();
        },
        [this, branch, restore, frame = m_cursor] {
          restore();
          goTo(branch, frame);
        }));
  }
  Q_EMIT noted(note);
}

// Panes and curves beside the shown branch

const RestingBranch* Session::restingBranch(int branch) const {
  for (const RestingBranch& resting : m_state.resting)
    if (resting.id == branch) return &resting;
  return nullptr;
}

namespace {

/// Place of a pane in a branch, -1: it has none.
int placeIn(const RestingBranch* branch, int pane) {
  if (!branch) return -1;
  for (std::size_t place = 0; place < branch->panes.size(); ++place)
    if (branch->panes[place].id == pane) return static_cast<int>(place);
  return -1;
}

}  // namespace

std::vector<BranchPane> Session::branchPanes() const {
  std::vector<BranchPane> panes;
  for (const BranchPane& wanted : m_branchPanes)
    if (placeIn(restingBranch(wanted.branch), wanted.pane) >= 0 && paneCount() + countOf(panes) < kMostPanes)
      panes.push_back(wanted);
  return panes;
}

bool Session::hasBranchPane(int branch) const {
  return std::any_of(m_branchPanes.begin(), m_branchPanes.end(),
                     [branch](const BranchPane& pane) { return pane.branch == branch; });
}

std::vector<int> Session::overlaidBranches() const {
  std::vector<int> overlaid;
  for (int branch : m_overlaid)
    if (restingBranch(branch)) overlaid.push_back(branch);
  return overlaid;
}

QString Session::whyNoPane(int branch) const {
  if (branch == this->branch()) return tr("its panes are shown already");
  const RestingBranch* resting = restingBranch(branch);
  if (!resting || resting->panes.empty()) return tr("it has no panes");
  return paneCount() + countOf(branchPanes()) < kMostPanes ? QString()
                                                           : tr("six panes are the most; remove one first");
}

QString Session::whyNoOverlay(int branch) const {
  return branch == this->branch() ? tr("its curves are shown already") : QString();
}

void Session::watch() {
  std::set<int> wanted = m_overlaid;
  for (const BranchPane& pane : m_branchPanes) wanted.insert(pane.branch);
  if (wanted != m_watching) {
    m_watching = wanted;
    send([wanted](SimulationWorker& worker) { worker.watchBranches(wanted); });
  }
  Q_EMIT branchesChanged();
}

void Session::showBranchPane(int branch, int pane) {
  const RestingBranch* resting = restingBranch(branch);
  if (const QString why = whyNoPane(branch); !why.isEmpty()) {
    Q_EMIT failed(tr("%1 gets no pane: %2.").arg(branchName(branch), why));
    return;
  }
  if (pane < 0) pane = paneCount() > 0 ? paneId(m_selected) : -1;
  if (placeIn(resting, pane) < 0) pane = resting->panes.front().id;
  const BranchPane wanted{branch, pane};
  if (std::count(m_branchPanes.begin(), m_branchPanes.end(), wanted)) return;
  m_branchPanes.push_back(wanted);
  watch();
}

void Session::hideBranchPane(int branch, int pane) {
  m_branchPanes.erase(std::remove_if(m_branchPanes.begin(), m_branchPanes.end(),
                                     [branch, pane](const BranchPane& shown) {
                                       return shown.branch == branch && (pane < 0 || shown.pane == pane);
                                     }),
                      m_branchPanes.end());
  watch();
}

void Session::setOverlaid(int branch, bool overlaid) {
  if (overlaid) {
    m_overlaid.insert(branch);
  } else {
    m_overlaid.erase(branch);
  }
  watch();
}

const std::vector<PaneSpan>& Session::spansOf(const BranchPane& pane) const {
  return m_restingSpans.at(pane.branch).at(placeIn(restingBranch(pane.branch), pane.pane));
}

QString Session::labelOf(const BranchPane& pane) const {
  return QStringLiteral("%1 · %2").arg(branchName(pane.branch), spansOf(pane).back().label);
}

const History& Session::historyOf(const BranchPane& pane) const {
  static const History kNone;
  if (pane.branch == branch()) {
    const int index = indexOf(pane.pane);
    return index < 0 ? kNone : m_state.histories[index];
  }
  const RestingBranch* resting = restingBranch(pane.branch);
  const int place = placeIn(resting, pane.pane);
  return place < 0 ? kNone : resting->histories[place];
}

/// The frame of a pane at a time; -1 outside its history. Between two kept frames the frame length is assumed
/// to be constant.
long Session::frameOf(const BranchPane& pane, double time) const {
  const auto& frames = historyOf(pane).frames();
  const double tolerance = 0.5 * dt();
  if (frames.empty() || time < frames.front()->time - tolerance || time > frames.back()->time + tolerance)
    return -1;
  const auto after =
      std::lower_bound(frames.begin(), frames.end(), time,
                       [](const RecordPtr& record, double wanted) { return record->time < wanted; });
  if (after == frames.end()) return frames.back()->frame;
  if (after == frames.begin()) return frames.front()->frame;
  const StepRecord &next = **after, &last = **(after - 1);
  return last.frame + std::lround((time - last.time) / (next.time - last.time) *
                                  static_cast<double>(next.frame - last.frame));
}

RecordPtr Session::shownOf(const BranchPane& pane) const {
  const long frame = frameOf(pane, timeAt(m_cursor));
  return frame < 0 ? nullptr : shown(pane, frame);
}

bool Session::isRebuildingOf(const BranchPane& pane) const {
  return isRebuilding(pane, frameOf(pane, timeAt(m_cursor)));
}

}  // namespace touchstone
