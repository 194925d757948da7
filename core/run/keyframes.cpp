#include "core/run/keyframes.h"

#include "core/contact/step_detail.h"
#include "core/world/world.h"

namespace touchstone {

namespace {

constexpr long kWidest = 4096;  // frames: what a rebuild may have to compute again

/// A command as it concerns one pane.
struct PaneApplier {
  const std::shared_ptr<const Scene>& scene;
  std::unique_ptr<Simulation>& simulation;
  void operator()(const command::SetDt& c) const { simulation->setDt(c.dt); }
  void operator()(const command::SetParameter& c) const { simulation->setParameter(c.key, c.value); }
  void operator()(const command::SetSubsteps& c) const { simulation->setSubsteps(c.substeps); }
  void operator()(const command::SetPane& c) const { simulation = swapped(scene, *simulation, c.settings); }
  void operator()(const command::Pull& c) const { simulation->pull(asOptional(c.spring)); }
  template <class Other>
  void operator()(const Other&) const {}  // begins from a new state, or concerns none
};

}  // namespace

std::unique_ptr<Simulation> swapped(const std::shared_ptr<const Scene>& scene, const Simulation& simulation,
                                    const PaneSettings& settings) {
  PaneSettings wanted = settings, present = simulation.settings();
  resolve(*scene, wanted);
  const bool isMoved = present.backend != wanted.backend;
  present.backend = wanted.backend;
  if (isMoved && present == wanted) {
    Checkpoint checkpoint = simulation.checkpoint();
    checkpoint.settings = settings;
    checkpoint.frozen = nullptr;
    return std::make_unique<Simulation>(scene, checkpoint);
  }
  auto other = std::make_unique<Simulation>(scene, settings, simulation.dt());
  const RefereeHistory measured = simulation.measured();
  other->restore(simulation.snapshot(), &measured);
  other->pull(simulation.world().spring);
  return other;
}

void Keyframes::begin(const Simulation& simulation, long frame) {
  for (auto entry = m_entries.lower_bound(frame); entry != m_entries.end(); entry = m_entries.erase(entry))
    m_bytes -= bytesOf(*entry->second.checkpoint);
  while (!m_journal.empty() && m_journal.back().frame >= frame) m_journal.pop_back();
  add(simulation, frame, true);
}

void Keyframes::stepped(const Simulation& simulation, long frame) {
  if (frame % m_spacing != 0) return;
  add(simulation, frame, false);
  if (m_bytes > m_budget) thin();
}

void Keyframes::add(const Simulation& simulation, long frame, bool base) {
  const auto place =
      m_entries
          .insert_or_assign(frame, Entry{std::make_shared<const Checkpoint>(simulation.checkpoint()), base})
          .first;
  m_bytes += bytesOf(*place->second.checkpoint);
}

void Keyframes::setBudget(std::size_t bytes) {
  m_budget = bytes;
  while (m_bytes > m_budget && m_spacing < kWidest) thin();
}

std::vector<std::shared_ptr<const Checkpoint>> Keyframes::checkpoints() const {
  std::vector<std::shared_ptr<const Checkpoint>> checkpoints;
  for (const auto& [frame, entry] : m_entries) checkpoints.push_back(entry.checkpoint);
  return checkpoints;
}

void Keyframes::thin() {
  if (m_spacing >= kWidest) return;
  m_spacing *= 2;
  for (auto entry = m_entries.begin(); entry != m_entries.end();) {
    if (entry->second.base || entry->first % m_spacing == 0) {
      ++entry;
      continue;
    }
    m_bytes -= bytesOf(*entry->second.checkpoint);
    entry = m_entries.erase(entry);
  }
}

void Keyframes::giveCommands(const std::shared_ptr<const Scene>& scene,
                             std::unique_ptr<Simulation>& simulation) const {
  const long frame = simulation->current()->frame;
  for (const LoggedCommand& logged : m_journal)
    if (logged.frame == frame) std::visit(PaneApplier{scene, simulation}, logged.command);
}

std::unique_ptr<Simulation> Keyframes::simulationBefore(const std::shared_ptr<const Scene>& scene,
                                                        long frame) const {
  auto entry = m_entries.lower_bound(frame);
  if (entry == m_entries.begin() || (entry != m_entries.end() && entry->first == frame && entry->second.base))
    return nullptr;
  --entry;
  auto simulation = std::make_unique<Simulation>(scene, *entry->second.checkpoint);
  giveCommands(scene, simulation);
  while (simulation->current()->frame < frame - 1) {
    simulation->step();
    giveCommands(scene, simulation);
  }
  return simulation;
}

std::vector<RecordPtr> Keyframes::rebuilt(const std::shared_ptr<const Scene>& scene, long first,
                                          long last) const {
  std::vector<RecordPtr> records;
  std::unique_ptr<Simulation> simulation = simulationBefore(scene, first);
  if (!simulation) return records;
  for (long frame = first; frame <= last; ++frame) {
    const auto base = m_entries.find(frame);
    if (base != m_entries.end() && base->second.base) break;
    records.push_back(simulation->step());
    giveCommands(scene, simulation);
  }
  return records;
}

std::optional<RefereeHistory> Keyframes::measuredAt(const std::shared_ptr<const Scene>& scene,
                                                    long frame) const {
  const auto entry = m_entries.find(frame);
  if (entry != m_entries.end()) return entry->second.checkpoint->history;
  const std::unique_ptr<Simulation> simulation = simulationBefore(scene, frame);
  if (!simulation) return std::nullopt;
  simulation->step();
  return simulation->measured();
}

bool Keyframes::explain(const std::shared_ptr<const Scene>& scene, long frame, StepDetail& detail) const {
  const std::unique_ptr<Simulation> simulation = simulationBefore(scene, frame);
  if (!simulation) return false;
  simulation->step(detail);
  return detail.dt > 0;
}

}  // namespace touchstone
