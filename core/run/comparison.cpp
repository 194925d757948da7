#include "core/run/comparison.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "core/engine/engine.h"
#include "core/parallel/parallel_for.h"

namespace touchstone {

Comparison::Comparison(std::shared_ptr<const Scene> scene, const std::vector<PaneSettings>& panes,
                       std::size_t historyBudget)
    : m_scene(std::move(scene)), m_historyBudget(historyBudget) {
  m_now.dt = m_scene->dt;
  checkSuggestions(*m_scene);
  for (const PaneSettings& settings : panes)
    m_now.panes.push_back(begun(m_nextId++, std::make_unique<Simulation>(m_scene, settings, m_now.dt)));
  m_now.start = settings();
}

command::SetAll Comparison::settings() const {
  command::SetAll configuration{m_now.dt, {}, {}};
  for (const ComparedPane& pane : m_now.panes) {
    configuration.panes.push_back(pane.simulation->settings());
    configuration.ids.push_back(pane.id);
  }
  return configuration;
}

void Comparison::changed(long firstFrame) const {
  if (m_observer) m_observer->changed(*this, firstFrame);
}

void Comparison::logToPanes(const Command& command) {
  for (std::vector<ComparedPane>* panes : {&m_now.panes, &m_now.removed})
    for (ComparedPane& pane : *panes) pane.keyframes.log(frame(), command);
}

void Comparison::log(const Command& command) {
  const LoggedCommand logged{frame(), command};
  m_now.log.push_back(logged);
}

double Comparison::time() const {
  return m_now.panes.empty() ? 0 : m_now.panes.front().simulation->current()->time;
}
long Comparison::frame() const {
  return m_now.panes.empty() ? 0 : m_now.panes.front().simulation->current()->frame;
}

std::vector<RecordPtr> Comparison::step(bool concurrently) {
  std::vector<RecordPtr> records(m_now.panes.size());
  std::vector<BackendKind> wanted;
  for (const ComparedPane& pane : m_now.panes) wanted.push_back(pane.simulation->settings().backend);
  for (ComparedPane& pane : m_now.panes) pane.simulation->setSecondsPerFrame(m_secondsPerFrame);
  for (const auto& [id, seconds] : m_nextFrames)
    if (const int pane = indexOf(id); pane >= 0) m_now.panes[pane].simulation->setSecondsPerFrame(seconds);
  m_nextFrames.clear();
  const auto stepPane = [&](int pane) { records[pane] = m_now.panes[pane].simulation->step(); };
  if (concurrently) {
    parallelFor(paneCount(), stepPane, Work::Long);
  } else {
    for (int pane = 0; pane < paneCount(); ++pane) stepPane(pane);
  }
  for (int pane = 0; pane < paneCount(); ++pane) {
    ComparedPane& stepped = m_now.panes[pane];
    const bool wasFrozen = isFrozen(stepped.history.frames().back()->status);
    stepped.history.append(records[pane]);
    if (m_historyBudget == History::kNewestOnly) continue;
    if (stepped.simulation->isEndedByClock() && !wasFrozen)
      stepped.keyframes.begin(*stepped.simulation,
                              records[pane]->frame);  // no step leads to this frame again
    else
      stepped.keyframes.stepped(*stepped.simulation, records[pane]->frame);
  }
  if (m_observer) m_observer->stepped(*this);
  for (int pane = 0; pane < paneCount(); ++pane)
    if (wanted[pane] != m_now.panes[pane].simulation->settings().backend) noteFallBack(pane);
  return records;
}

// The frame that was taken again is one from which frames are rebuilt: what led to it is lost.
void Comparison::noteFallBack(int index) {
  ComparedPane& pane = m_now.panes[index];
  pane.keyframes.begin(*pane.simulation, pane.simulation->current()->frame);
  m_now.log.push_back({frame() - 1, command::SetPane{index, pane.simulation->settings()}});
  changed(frame() + 1);
}

void Comparison::recordAllContacts() {
  for (ComparedPane& pane : m_now.panes) pane.simulation->recordAllContacts();
}

void Comparison::setDt(double dt) {
  for (ComparedPane& pane : m_now.panes) pane.simulation->setDt(dt);
  m_now.dt = dt;
  logToPanes(command::SetDt{dt});
  log(command::SetDt{dt});
  changed(frame() + 1);
}

void Comparison::setParameter(int pane, const std::string& key, const ParameterValue& value) {
  m_now.panes.at(pane).simulation->setParameter(key, value);
  m_now.panes[pane].keyframes.log(frame(), command::SetParameter{pane, key, value});
  log(command::SetParameter{pane, key, value});
  changed(frame() + 1);
}

void Comparison::setSubsteps(int pane, int substeps) {
  m_now.panes.at(pane).simulation->setSubsteps(substeps);
  m_now.panes[pane].keyframes.log(frame(), command::SetSubsteps{pane, substeps});
  log(command::SetSubsteps{pane, substeps});
  changed(frame() + 1);
}

void Comparison::setPane(int index, const PaneSettings& settings) {
  ComparedPane& pane = m_now.panes.at(index);
  pane.simulation = swapped(m_scene, *pane.simulation, settings);
  const command::SetPane command{index, pane.simulation->settings()};
  pane.keyframes.log(frame(), command);
  log(command);
  changed(frame() + 1);
}

int Comparison::takeId(int id) {
  if (id < 0) id = m_nextId;
  m_nextId = std::max(m_nextId, id + 1);
  return id;
}

int Comparison::indexOf(int id) const {
  for (int index = 0; index < paneCount(); ++index)
    if (m_now.panes[index].id == id) return index;
  return -1;
}

void Comparison::cameIn(int pane) {
  if (m_observer) m_observer->cameIn(*this, pane);
}

ComparedPane Comparison::begun(int id, std::unique_ptr<Simulation> simulation) const {
  ComparedPane pane{id, std::move(simulation), History(m_historyBudget), Keyframes(checkpointBudget())};
  const RecordPtr first = pane.simulation->current();
  pane.history.append(first, true);
  pane.keyframes.begin(*pane.simulation, first->frame);
  return pane;
}

void Comparison::addPlayed(const PaneSettings& settings, int id, int source) {
  const long now = frame();
  ComparedPane pane = begun(id, std::make_unique<Simulation>(m_scene, settings, m_now.dt));
  while (pane.simulation->current()->frame < now) {
    const RecordPtr record = pane.simulation->step();
    pane.history.append(record);
    pane.keyframes.stepped(*pane.simulation, record->frame);
  }
  m_now.panes.push_back(std::move(pane));
  log(command::AddPane{m_now.panes.back().simulation->settings(), id, source});
  cameIn(paneCount() - 1);
  changed(now + 1);
}

void Comparison::addPane(const PaneSettings& settings, int id, int source) {
  const EngineInfo* engine = findEngine(settings.method);
  // A motion that is given has states at all times; those of other step lengths are not at the frames' times.
  const double time = static_cast<double>(frame()) * m_now.dt;
  if (engine && engine->isPlayed && !m_now.panes.empty() && std::abs(this->time() - time) < 1e-6 * m_now.dt) {
    addPlayed(settings, takeId(id), source);
    return;
  }
  auto simulation = std::make_unique<Simulation>(m_scene, settings, m_now.dt);
  if (!m_now.panes.empty()) {
    const Simulation& other = *m_now.panes[std::max(0, indexOf(source))].simulation;
    const RefereeHistory measured = other.measured();
    simulation->restore(other.snapshot(), &measured);
  }
  simulation->pull(m_spring);
  id = takeId(id);
  m_now.panes.push_back(begun(id, std::move(simulation)));
  log(command::AddPane{m_now.panes.back().simulation->settings(), id, source});
  changed(frame());
}

std::vector<ComparedPane>::iterator Comparison::placeOf(int pane) {
  if (pane < 0 || pane >= paneCount()) throw std::out_of_range("no such pane");
  return m_now.panes.begin() + pane;
}

void Comparison::duplicatePane(int index, int id) { duplicate(m_now.panes.at(index), id); }

void Comparison::duplicate(const ComparedPane& source, int id) {
  ComparedPane pane = resting(source);
  wake(pane);
  pane.origins.push_back({pane.id, frame()});
  pane.id = takeId(id);
  log(command::DuplicatePane{source.id, pane.id});
  m_now.panes.push_back(std::move(pane));
  cameIn(paneCount() - 1);
  changed(frame() + 1);
}

void Comparison::removePane(int index) {
  const auto place = placeOf(index);
  log(command::RemovePane{index});
  rest(*place);
  m_now.removed.push_back(std::move(*place));
  m_now.panes.erase(place);
  if (m_now.removed.size() > kMostRemoved) m_now.removed.erase(m_now.removed.begin());
  boundResting();
  changed(frame() + 1);
}

std::vector<ComparedPane>::iterator Comparison::removed(int id) {
  const auto found = std::find_if(m_now.removed.begin(), m_now.removed.end(),
                                  [id](const ComparedPane& pane) { return pane.id == id; });
  if (found == m_now.removed.end())
    throw std::invalid_argument("pane " + std::to_string(id) + " was not removed, or is no longer kept");
  return found;
}

long Comparison::missedBy(int id) { return frame() - removed(id)->history.lastFrame(); }

const ComparedPane& Comparison::caughtUp(int id) {
  const int index = indexOf(id);
  if (index >= 0) return m_now.panes[index];
  while (catchUp(id)) {
  }
  return *removed(id);
}

bool Comparison::catchUp(int id) {
  ComparedPane& pane = *removed(id);
  if (missedBy(id) <= 0) return false;
  wake(pane);
  pane.keyframes.giveCommands(m_scene, pane.simulation);
  const RecordPtr record = pane.simulation->step();
  pane.history.append(record);
  pane.keyframes.stepped(*pane.simulation, record->frame);
  return true;
}

// The commands after the last frame that it computed are those of the frame at which it comes back.
void Comparison::restorePane(int id, int to) {
  while (catchUp(id)) {
  }
  const auto place = removed(id);
  wake(*place);
  ComparedPane pane = std::move(*place);
  m_now.removed.erase(place);
  pane.keyframes.giveCommands(m_scene, pane.simulation);
  const int index = std::clamp(to, 0, paneCount());
  m_now.panes.insert(m_now.panes.begin() + index, std::move(pane));
  log(command::RestorePane{id, index});
  cameIn(index);
  changed(frame() + 1);
}

void Comparison::movePane(int pane, int to) {
  const auto source = placeOf(pane), target = placeOf(to);
  if (pane < to) {
    std::rotate(source, source + 1, target + 1);
  } else {
    std::rotate(target, source, source + 1);
  }
  log(command::MovePane{pane, to});
  changed(frame() + 1);
}

void Comparison::pull(const std::optional<Spring>& spring) {
  for (ComparedPane& pane : m_now.panes) pane.simulation->pull(spring);
  m_spring = spring;
  const command::Pull command{spring.value_or(Spring())};
  logToPanes(command);
  log(command);
  changed(frame() + 1);
}

std::vector<RecordPtr> Comparison::rebuilt(int pane, long first, long last) const {
  return rebuilt(m_now, m_now.panes.at(pane), first, std::min(last, frame()));
}

std::vector<RecordPtr> Comparison::rebuiltOf(int branch, int id, long first, long last) const {
  const Branch* resting = restingBranch(branch);
  if (branch != m_now.info.id && !resting) return {};
  const Branch& owner = resting ? *resting : m_now;
  for (const ComparedPane& pane : owner.panes)
    if (pane.id == id) return rebuilt(owner, pane, first, std::min(last, pane.history.lastFrame()));
  return {};
}

std::vector<RecordPtr> Comparison::rebuilt(const Branch& branch, const ComparedPane& pane, long first,
                                           long last) const {
  std::vector<RecordPtr> records;
  if (first > last) return records;
  if (m_archive)
    for (long frame = first; frame <= std::min(last, branch.archiveEnd); ++frame)
      if (const RecordPtr record = m_archive(frame, pane.id)) records.push_back(record);
  return records.empty() ? pane.keyframes.rebuilt(m_scene, first, last) : records;
}

bool Comparison::explain(int pane, long frame, StepDetail& detail) const {
  return m_now.panes.at(pane).keyframes.explain(m_scene, frame, detail);
}

void Comparison::setArchive(Archive archive) {
  m_archive = std::move(archive);
  m_now.archiveEnd = frame();
}

// By id: which panes there were in between does not matter. New panes come first, as they copy a state. No
// step leads here: contact memory is lost.
void Comparison::setAll(const command::SetAll& configuration) {
  setDt(configuration.dt);
  for (std::size_t pane = 0; pane < configuration.panes.size(); ++pane) {
    const int index = indexOf(configuration.ids[pane]);
    if (index < 0) {
      addPane(configuration.panes[pane], configuration.ids[pane]);
    } else {
      setPane(index, configuration.panes[pane]);
    }
    ComparedPane& changed = m_now.panes[indexOf(configuration.ids[pane])];
    const RefereeHistory measured = changed.simulation->measured();
    changed.simulation->restore(changed.simulation->snapshot(), configuration.counts ? &measured : nullptr);
    changed.simulation->pull(m_spring);
    // A state that no step led to is measured under these settings: energies are those of the steps' length.
    if (!(changed.history.frames().back()->quantities[Quantity::StepParts] > 0)) {
      changed.history.truncateAfter(frame() - 1);
      changed.history.append(changed.simulation->current(), true);
    }
    changed.keyframes.begin(*changed.simulation, frame());
  }
  for (int index = paneCount() - 1; index >= 0; --index)
    if (!std::count(configuration.ids.begin(), configuration.ids.end(), m_now.panes[index].id))
      removePane(index);
  for (std::size_t pane = 0; pane < configuration.ids.size(); ++pane)
    std::swap(m_now.panes[pane], m_now.panes[indexOf(configuration.ids[pane])]);
}

/// Calls the function of the comparison that a command names.
struct Applier {
  Comparison& comparison;
  void operator()(const command::SetDt& c) const { comparison.setDt(c.dt); }
  void operator()(const command::SetParameter& c) const { comparison.setParameter(c.pane, c.key, c.value); }
  void operator()(const command::SetSubsteps& c) const { comparison.setSubsteps(c.pane, c.substeps); }
  void operator()(const command::SetPane& c) const { comparison.setPane(c.pane, c.settings); }
  void operator()(const command::AddPane& c) const { comparison.addPane(c.settings, c.id, c.source); }
  void operator()(const command::DuplicatePane& c) const {
    comparison.duplicate(comparison.caughtUp(c.source), c.id);
  }
  void operator()(const command::RemovePane& c) const { comparison.removePane(c.pane); }
  void operator()(const command::RestorePane& c) const { comparison.restorePane(c.id, c.to); }
  void operator()(const command::MovePane& c) const { comparison.movePane(c.pane, c.to); }
  void operator()(const command::Fork& c) const { comparison.fork(c); }
  void operator()(const command::Pull& c) const { comparison.pull(asOptional(c.spring)); }
  void operator()(const command::SetAll& c) const { comparison.setAll(c); }
};

void Comparison::apply(const Command& command) { std::visit(Applier{*this}, command); }

std::unique_ptr<Comparison> Comparison::resumed(std::shared_ptr<const Scene> scene,
                                                const command::SetAll& start, std::vector<LoggedCommand> log,
                                                const command::SetAll& now, std::vector<History> histories) {
  auto comparison = std::make_unique<Comparison>(std::move(scene), std::vector<PaneSettings>());
  comparison->setAll(now);
  for (std::size_t index = 0; index < histories.size(); ++index) {
    ComparedPane& pane = comparison->m_now.panes.at(index);
    if (histories[index].empty()) continue;
    const StepRecord& last = *histories[index].frames().back();
    pane.simulation->restore(snapshotOf(last));
    pane.history = std::move(histories[index]);
    pane.keyframes = Keyframes(comparison->checkpointBudget());
    pane.keyframes.begin(*pane.simulation, last.frame);
  }
  comparison->m_now.start = start;
  comparison->m_now.log = std::move(log);
  if (comparison->frame() == 0) return comparison;
  comparison->log(now);  // contact memory starts empty and the spring is gone: a replay must do so too
  comparison->log(command::Pull{});
  return comparison;
}

}  // namespace touchstone
