#include "core/run/comparison.h"

#include <algorithm>
#include <stdexcept>

#include "core/parallel/parallel_for.h"

namespace touchstone {

Comparison::Comparison(std::shared_ptr<const Scene> scene, const std::vector<PaneSettings>& panes,
                       std::size_t historyBudget)
    : m_scene(std::move(scene)), m_dt(m_scene->dt), m_historyBudget(historyBudget) {
  checkSuggestions(*m_scene);
  for (const PaneSettings& settings : panes) {
    m_panes.push_back(
        {std::make_unique<Simulation>(m_scene, settings, m_dt), History(m_historyBudget), m_nextId++});
    m_panes.back().history.append(m_panes.back().simulation->current(), true);
    m_panes.back().keyframes.begin(*m_panes.back().simulation, 0);
  }
  m_start = settings();
}

command::SetAll Comparison::settings() const {
  command::SetAll all{m_dt, {}, {}};
  for (const Pane& pane : m_panes) {
    all.panes.push_back(pane.simulation->settings());
    all.ids.push_back(pane.id);
  }
  return all;
}

void Comparison::changed(long from) const {
  if (m_observer) m_observer->changed(*this, from);
}

void Comparison::logToPanes(const Command& command) {
  for (Pane& pane : m_panes) pane.keyframes.log(frame(), command);
}

void Comparison::log(const Command& command) {
  const LoggedCommand logged{frame(), command};
  m_log.push_back(logged);
}

double Comparison::time() const { return m_panes.empty() ? 0 : m_panes.front().simulation->current()->time; }
long Comparison::frame() const { return m_panes.empty() ? 0 : m_panes.front().simulation->current()->frame; }

std::vector<RecordPtr> Comparison::step(bool concurrently) {
  std::vector<RecordPtr> records(m_panes.size());
  std::vector<BackendKind> wanted;
  for (const Pane& pane : m_panes) wanted.push_back(pane.simulation->settings().backend);
  const auto stepPane = [&](int pane) { records[pane] = m_panes[pane].simulation->step(); };
  if (concurrently) {
    parallelFor(paneCount(), stepPane, Work::Long);
  } else {
    for (int pane = 0; pane < paneCount(); ++pane) stepPane(pane);
  }
  for (int pane = 0; pane < paneCount(); ++pane) {
    m_panes[pane].history.append(records[pane]);
    if (m_historyBudget != History::kNewestOnly)
      m_panes[pane].keyframes.stepped(*m_panes[pane].simulation, records[pane]->frame);
  }
  if (m_observer) m_observer->stepped(*this);
  for (int pane = 0; pane < paneCount(); ++pane)
    if (wanted[pane] != m_panes[pane].simulation->settings().backend) noteFallBack(pane);
  return records;
}

// The frame that was taken again is one from which frames are rebuilt: what led to it is lost.
void Comparison::noteFallBack(int index) {
  Pane& pane = m_panes[index];
  pane.keyframes.begin(*pane.simulation, pane.simulation->current()->frame);
  m_log.push_back({frame() - 1, command::SetPane{index, pane.simulation->settings()}});
  changed(frame() + 1);
}

void Comparison::rewindLog(long frame) {
  while (!m_log.empty() && m_log.back().frame >= frame) m_log.pop_back();
  m_log.push_back({frame, settings()});
}

void Comparison::recordAllContacts() {
  for (Pane& pane : m_panes) pane.simulation->recordAllContacts();
}

void Comparison::restart() {
  m_spring.reset();
  for (Pane& pane : m_panes) {
    pane.simulation = std::make_unique<Simulation>(m_scene, pane.simulation->settings(), m_dt);
    pane.history.clear();
    pane.history.append(pane.simulation->current(), true);
    pane.keyframes = Keyframes();
    pane.keyframes.begin(*pane.simulation, 0);
  }
  m_archiveEnd = -1;
  m_start = settings();
  m_log.clear();
  changed(0);
}

void Comparison::setDt(double dt) {
  for (Pane& pane : m_panes) pane.simulation->setDt(dt);
  m_dt = dt;
  logToPanes(command::SetDt{dt});
  log(command::SetDt{dt});
  changed(frame() + 1);
}

void Comparison::setParameter(int pane, const std::string& key, const ParameterValue& value) {
  m_panes.at(pane).simulation->setParameter(key, value);
  m_panes[pane].keyframes.log(frame(), command::SetParameter{pane, key, value});
  log(command::SetParameter{pane, key, value});
  changed(frame() + 1);
}

void Comparison::setSubsteps(int pane, int substeps) {
  m_panes.at(pane).simulation->setSubsteps(substeps);
  m_panes[pane].keyframes.log(frame(), command::SetSubsteps{pane, substeps});
  log(command::SetSubsteps{pane, substeps});
  changed(frame() + 1);
}

void Comparison::setPane(int index, const PaneSettings& settings) {
  Pane& pane = m_panes.at(index);
  pane.simulation = swapped(m_scene, *pane.simulation, settings);
  pane.keyframes.log(frame(), command::SetPane{index, settings});
  log(command::SetPane{index, settings});
  changed(frame() + 1);
}

void Comparison::addPane(const PaneSettings& settings, int id) {
  auto simulation = std::make_unique<Simulation>(m_scene, settings, m_dt);
  if (!m_panes.empty()) simulation->restore(m_panes.front().simulation->snapshot());
  simulation->pull(m_spring);
  if (id < 0) id = m_nextId;
  m_nextId = std::max(m_nextId, id + 1);
  m_panes.push_back({std::move(simulation), History(m_historyBudget), id});
  m_panes.back().history.append(m_panes.back().simulation->current(), true);
  m_panes.back().keyframes.begin(*m_panes.back().simulation, m_panes.back().simulation->current()->frame);
  log(command::AddPane{settings, id});
  changed(frame());
}

std::vector<Comparison::Pane>::iterator Comparison::placeOf(int pane) {
  if (pane < 0 || pane >= paneCount()) throw std::out_of_range("no such pane");
  return m_panes.begin() + pane;
}

void Comparison::removePane(int pane) {
  const auto place = placeOf(pane);
  log(command::RemovePane{pane});
  m_panes.erase(place);
  changed(frame() + 1);
}

void Comparison::movePane(int pane, int to) {
  const auto from = placeOf(pane), target = placeOf(to);
  if (pane < to) {
    std::rotate(from, from + 1, target + 1);
  } else {
    std::rotate(target, from, from + 1);
  }
  log(command::MovePane{pane, to});
  changed(frame() + 1);
}

void Comparison::pull(const std::optional<Spring>& spring) {
  for (Pane& pane : m_panes) pane.simulation->pull(spring);
  m_spring = spring;
  const command::Pull command{spring.value_or(Spring())};
  logToPanes(command);
  log(command);
  changed(frame() + 1);
}

bool Comparison::fork(int source, long frame) {
  RecordPtr record = m_panes.at(source).history.at(frame);
  if (!record)
    for (const RecordPtr& each : rebuilt(source, frame, frame)) record = each;
  if (!record) return false;
  m_archiveEnd = std::min(m_archiveEnd, frame - 1);
  if (frame < this->frame()) rewindLog(frame);
  m_spring.reset();
  const Snapshot snapshot{record->time, record->frame, record->bodies};
  for (Pane& pane : m_panes) {
    pane.simulation->restore(snapshot);
    pane.history.truncateAfter(frame - 1);
    pane.history.append(pane.simulation->current(), true);
    pane.keyframes.begin(*pane.simulation, frame);
  }
  log(command::Fork{source, frame});
  changed(frame);
  return true;
}

std::vector<RecordPtr> Comparison::rebuilt(int pane, long first, long last) const {
  std::vector<RecordPtr> records;
  last = std::min(last, frame());
  if (first > last) return records;
  if (m_archive)
    for (long frame = first; frame <= std::min(last, m_archiveEnd); ++frame)
      if (const RecordPtr record = m_archive(frame, m_panes.at(pane).id)) records.push_back(record);
  return records.empty() ? m_panes.at(pane).keyframes.rebuilt(m_scene, first, last) : records;
}

bool Comparison::explain(int pane, long frame, StepDetail& detail) const {
  return m_panes.at(pane).keyframes.explain(m_scene, frame, detail);
}

void Comparison::setArchive(Archive archive) {
  m_archive = std::move(archive);
  m_archiveEnd = frame();
}

// By id: which panes there were in between does not matter. New panes come first, as they copy a state.
void Comparison::setAll(const command::SetAll& all) {
  setDt(all.dt);
  const auto indexOf = [this](int id) {
    for (int index = 0; index < paneCount(); ++index)
      if (m_panes[index].id == id) return index;
    return -1;
  };
  for (std::size_t pane = 0; pane < all.panes.size(); ++pane) {
    const int index = indexOf(all.ids[pane]);
    if (index < 0) {
      addPane(all.panes[pane], all.ids[pane]);
    } else {
      setPane(index, all.panes[pane]);
    }
  }
  for (int index = paneCount() - 1; index >= 0; --index)
    if (!std::count(all.ids.begin(), all.ids.end(), m_panes[index].id)) removePane(index);
  for (int pane = 0; pane < static_cast<int>(all.ids.size()); ++pane)
    if (const int index = indexOf(all.ids[pane]); index != pane) movePane(index, pane);
}

namespace {

/// Calls the function of the comparison that a command stands for.
struct Applier {
  Comparison& comparison;
  void operator()(const command::SetDt& c) const { comparison.setDt(c.dt); }
  void operator()(const command::SetParameter& c) const { comparison.setParameter(c.pane, c.key, c.value); }
  void operator()(const command::SetSubsteps& c) const { comparison.setSubsteps(c.pane, c.substeps); }
  void operator()(const command::SetPane& c) const { comparison.setPane(c.pane, c.settings); }
  void operator()(const command::AddPane& c) const { comparison.addPane(c.settings, c.id); }
  void operator()(const command::RemovePane& c) const { comparison.removePane(c.pane); }
  void operator()(const command::MovePane& c) const { comparison.movePane(c.pane, c.to); }
  void operator()(const command::Fork& c) const {
    if (!comparison.fork(c.pane, c.frame))
      throw std::invalid_argument("frame " + std::to_string(c.frame) + " is no longer kept");
  }
  void operator()(const command::Pull& c) const { comparison.pull(asOptional(c.spring)); }
  void operator()(const command::SetAll& c) const { comparison.setAll(c); }
};

}  // namespace

void Comparison::apply(const Command& command) { std::visit(Applier{*this}, command); }

std::unique_ptr<Comparison> Comparison::resumed(std::shared_ptr<const Scene> scene,
                                                const command::SetAll& start, std::vector<LoggedCommand> log,
                                                const command::SetAll& now, std::vector<History> histories) {
  auto comparison = std::make_unique<Comparison>(std::move(scene), std::vector<PaneSettings>());
  comparison->setAll(now);
  for (std::size_t index = 0; index < histories.size(); ++index) {
    Pane& pane = comparison->m_panes.at(index);
    if (histories[index].empty()) continue;
    const StepRecord& last = *histories[index].frames().back();
    pane.simulation->restore({last.time, last.frame, last.bodies});
    pane.history = std::move(histories[index]);
    pane.keyframes = Keyframes();
    pane.keyframes.begin(*pane.simulation, last.frame);
  }
  comparison->m_start = start;
  comparison->m_log = std::move(log);
  if (comparison->frame() == 0) return comparison;
  comparison->log(now);  // contact memory starts anew and the spring is gone: a replay must do so too
  comparison->log(command::Pull{});
  return comparison;
}

}  // namespace touchstone
