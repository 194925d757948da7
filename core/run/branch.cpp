#include "core/run/branch.h"

#include <algorithm>
#include <stdexcept>
#include <unordered_set>

#include "core/math/count.h"
#include "core/run/comparison.h"
#include "core/run/pane_name.h"
#include "core/run/settings_spans.h"

// What a Comparison does between its branches.

namespace touchstone {

ComparedPane Comparison::resting(const ComparedPane& pane) const {
  return {pane.id,
          nullptr,
          pane.history,
          pane.keyframes,
          pane.simulation ? pane.simulation->checkpoint() : pane.end,
          pane.origins};
}

void Comparison::rest(ComparedPane& pane) const {
  if (!pane.simulation) return;
  pane.end = pane.simulation->checkpoint();
  pane.simulation.reset();
}

void Comparison::wake(ComparedPane& pane) const {
  if (pane.simulation) return;
  pane.simulation = std::make_unique<Simulation>(m_scene, pane.end);
  pane.end = Checkpoint();
  pane.history.setBudget(m_historyBudget);
  pane.keyframes.setBudget(checkpointBudget());
}

namespace {

/// Sums memory, and takes nothing twice.
class Sum {
 public:
  std::size_t bytes = 0;
  void add(const std::vector<ComparedPane>& panes) {
    for (const ComparedPane& pane : panes) {
      for (const RecordPtr& record : pane.history.frames())
        if (m_seen.insert(record.get()).second) bytes += bytesOf(*record);
      for (const std::shared_ptr<const Checkpoint>& checkpoint : pane.keyframes.checkpoints())
        if (m_seen.insert(checkpoint.get()).second) bytes += bytesOf(*checkpoint);
    }
  }

 private:
  std::unordered_set<const void*> m_seen;
};

}  // namespace

std::size_t Comparison::restingBytes() const {
  Sum sum;
  sum.add(m_now.panes);
  const std::size_t shown = sum.bytes;
  sum.add(m_now.removed);
  for (const std::vector<Branch>* branches : {&m_gone, &m_kept})
    for (const Branch& branch : *branches) {
      sum.add(branch.panes);
      sum.add(branch.removed);
    }
  return sum.bytes - shown;
}

// The oldest first, the panes that can be brought back to what is shown last.
void Comparison::boundResting() {
  const std::size_t budget = (m_historyBudget + checkpointBudget()) * std::max(1, paneCount());
  std::vector<std::vector<ComparedPane>*> resting;
  for (std::vector<Branch>* branches : {&m_gone, &m_kept})
    for (Branch& branch : *branches) {
      resting.push_back(&branch.removed);
      resting.push_back(&branch.panes);
    }
  resting.push_back(&m_now.removed);
  for (std::vector<ComparedPane>* panes : resting) {
    if (restingBytes() <= budget) return;
    for (ComparedPane& pane : *panes) {
      pane.history.setBudget(m_historyBudget / kRestingShare);
      pane.keyframes.setBudget(checkpointBudget() / kRestingShare);
    }
  }
}

BranchInfo Comparison::infoNow() const {
  BranchInfo info = m_now.info;
  info.last = frame();
  info.lastTime = time();
  return info;
}

std::vector<BranchInfo> Comparison::branches() const {
  std::vector<BranchInfo> infos{infoNow()};
  for (const Branch& kept : m_kept) infos.push_back(kept.info);
  std::sort(infos.begin(), infos.end(), [](const BranchInfo& a, const BranchInfo& b) { return a.id < b.id; });
  return infos;
}

int Comparison::nextToGo() const { return countOf(m_kept) + 1 < kMostBranches ? -1 : m_kept.front().info.id; }

void Comparison::leaveBranch(int branch, long frame, double time, const std::string& source) {
  Branch previous;
  previous.info = infoNow();
  previous.dt = m_now.dt;
  for (const ComparedPane& pane : m_now.panes) previous.panes.push_back(resting(pane));
  previous.removed = std::move(m_now.removed);
  previous.start = m_now.start;
  previous.log = m_now.log;
  previous.archiveEnd = m_now.archiveEnd;
  if (nextToGo() >= 0) m_kept.erase(m_kept.begin());
  m_kept.push_back(std::move(previous));
  m_now.removed.clear();
  if (branch < 0) branch = m_nextBranch;
  m_nextBranch = std::max(m_nextBranch, branch + 1);
  m_now.info = {branch, frame, time, source};
}

void Comparison::restart(int branch) {
  leaveBranch(branch, 0, 0, {});
  m_spring.reset();
  for (ComparedPane& pane : m_now.panes) {
    pane.simulation = std::make_unique<Simulation>(m_scene, pane.simulation->settings(), m_now.dt);
    pane.history.clear();
    pane.history.append(pane.simulation->current(), true);
    pane.keyframes = Keyframes(checkpointBudget());
    pane.keyframes.begin(*pane.simulation, 0);
    pane.origins.clear();
  }
  m_now.archiveEnd = -1;
  m_now.start = settings();
  m_now.log.clear();
  boundResting();
  changed(0);
}

namespace {

/// Id of the pane that computed a frame, or one before it, of this pane.
int computedBy(const ComparedPane& pane, long frame) {
  int id = pane.id;
  for (auto origin = pane.origins.rbegin(); origin != pane.origins.rend(); ++origin)
    if (frame <= origin->last) id = origin->id;
  return id;
}

}  // namespace

bool Comparison::fork(int source, long frame, int branch) {
  const ComparedPane& pane = m_now.panes.at(source);
  RecordPtr record = pane.history.at(frame);
  if (!record)
    for (const RecordPtr& rebuiltRecord : rebuilt(source, frame, frame)) record = rebuiltRecord;
  if (!record) return false;
  forkTo(*record, computedBy(pane, frame), measuredAt(pane, frame), branch);
  return true;
}

std::optional<RefereeHistory> Comparison::measuredAt(const ComparedPane& pane, long frame) const {
  if (frame == this->frame()) return pane.simulation ? pane.simulation->measured() : pane.end.history;
  return pane.keyframes.measuredAt(m_scene, frame);
}

// As a log has it: the panes are at that frame.
void Comparison::fork(const command::Fork& fork) {
  const ComparedPane& pane = fork.id < 0 ? m_now.panes.at(fork.pane) : caughtUp(fork.id);
  const RecordPtr record = pane.history.at(fork.frame);
  if (!record) throw std::invalid_argument("frame " + std::to_string(fork.frame) + " is no longer kept");
  forkTo(*record, pane.id, fork.counted ? measuredAt(pane, fork.frame) : std::nullopt, -1);
}

// What led to the frame stays in the log, with all commands after the frame itself: some of them may have
// made the pane whose state this is. Panes that were duplicated or came back only later have frames from
// before all the same, and do so here.
void Comparison::forkTo(const StepRecord& record, int source, const std::optional<RefereeHistory>& measured,
                        int branch) {
  const long frame = record.frame;
  leaveBranch(branch, frame, record.time, paneName(record.method, record.solver));
  m_now.archiveEnd = std::min(m_now.archiveEnd, frame - 1);
  const bool isPast = frame < this->frame();
  while (!m_now.log.empty() && m_now.log.back().frame > frame) m_now.log.pop_back();
  m_spring.reset();
  Snapshot snapshot = snapshotOf(record);
  snapshot.frame = frame;
  for (ComparedPane& pane : m_now.panes) {
    pane.simulation->restore(snapshot, measured ? &*measured : nullptr);
    pane.history.truncateAfter(frame - 1);
    pane.history.append(pane.simulation->current(), true);
    pane.keyframes.begin(*pane.simulation, frame);
    for (ComparedPane::Origin& origin : pane.origins) origin.last = std::min(origin.last, frame - 1);
  }
  std::vector<int> currentIds = paneIds(m_now.start, m_now.log);
  const auto known = settingsSpans(m_now.start, m_now.log);
  for (const ComparedPane& pane : m_now.panes) {
    const bool isThere = std::count(currentIds.begin(), currentIds.end(), pane.id) > 0,
               isKnown = known.count(pane.id) > 0;
    if (isThere || (!isKnown && pane.origins.empty())) continue;
    if (isKnown) {
      log(command::RestorePane{pane.id, countOf(currentIds)});
    } else {
      log(command::DuplicatePane{computedBy(pane, frame - 1), pane.id});
    }
    currentIds.push_back(pane.id);
  }
  log(command::Fork{std::max(0, indexOf(source)), frame, source, measured.has_value()});
  command::SetAll configuration = settings();
  configuration.counts = measured.has_value();
  if (isPast) log(configuration);
  boundResting();
  changed(frame);
}

namespace {

template <class Branches>
auto branchIn(Branches& branches, int id) {
  return std::find_if(branches.begin(), branches.end(),
                      [id](const Branch& branch) { return branch.info.id == id; });
}

}  // namespace

const Branch* Comparison::restingBranch(int branch) const {
  const auto found = branchIn(m_kept, branch);
  return found == m_kept.end() ? nullptr : &*found;
}

void Comparison::removeBranch(int branch) {
  const auto found = branchIn(m_kept, branch);
  if (found == m_kept.end())
    throw std::invalid_argument("branch " + std::to_string(branch + 1) +
                                " is shown or no longer kept; show another branch first");
  m_gone.push_back(std::move(*found));
  m_kept.erase(found);
  if (m_gone.size() > kMostGone) m_gone.erase(m_gone.begin());
  boundResting();
}

void Comparison::restoreBranch(int branch) {
  const auto found = branchIn(m_gone, branch);
  if (found == m_gone.end())
    throw std::invalid_argument("branch " + std::to_string(branch + 1) + " is no longer kept");
  if (nextToGo() >= 0)
    throw std::invalid_argument("branch " + std::to_string(branch + 1) + " has no space: " +
                                std::to_string(kMostBranches) + " are kept; remove another branch first");
  m_kept.push_back(std::move(*found));
  m_gone.erase(found);
  boundResting();
}

// The other is whole before this one goes to rest: what fails in between changes nothing.
void Comparison::showBranch(int branch) {
  if (branch == m_now.info.id) return;
  const auto found = branchIn(m_kept, branch);
  if (found == m_kept.end())
    throw std::invalid_argument("branch " + std::to_string(branch) + " is no longer kept");
  for (ComparedPane& pane : found->panes) wake(pane);
  m_now.info = infoNow();
  for (ComparedPane& pane : m_now.panes) rest(pane);
  std::swap(m_now, *found);
  std::rotate(found, found + 1, m_kept.end());
  boundResting();
  m_spring.reset();
  pull(std::nullopt);
  changed(0);
}

}  // namespace touchstone
