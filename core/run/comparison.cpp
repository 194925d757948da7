#include "core/run/comparison.h"

#include <cmath>
#include <stdexcept>

#include "core/parallel/parallel_for.h"

namespace touchstone {

namespace {

/// The scene's analytic curves belong to quantities, which the scene's loader does not know.
void checkAnalytic(const Scene& scene) {
  for (std::size_t curve = 0; curve < scene.analytic.size(); ++curve) {
    if (findQuantity(scene.analytic[curve].quantity)) continue;
    throw std::invalid_argument(scene.file + ":analytic[" + std::to_string(curve) + "].quantity: '" +
                                scene.analytic[curve].quantity +
                                "' is no quantity; give a key such as energy_kinetic or normal_force");
  }
}

}  // namespace

Comparison::Comparison(std::shared_ptr<const Scene> scene, const std::vector<PaneSettings>& panes)
    : m_scene(std::move(scene)), m_dt(m_scene->dt) {
  checkAnalytic(*m_scene);
  for (const PaneSettings& settings : panes) {
    m_panes.push_back({std::make_unique<Simulation>(m_scene, settings, m_dt), History()});
    m_panes.back().history.append(m_panes.back().simulation->current());
  }
}

double Comparison::time() const { return m_panes.empty() ? 0 : m_panes.front().simulation->current()->time; }
long Comparison::frame() const { return m_panes.empty() ? 0 : m_panes.front().simulation->current()->frame; }

std::vector<RecordPtr> Comparison::step(bool concurrently) {
  std::vector<RecordPtr> records(m_panes.size());
  const auto stepPane = [&](int pane) { records[pane] = m_panes[pane].simulation->step(); };
  if (concurrently) {
    parallelFor(paneCount(), stepPane);
  } else {
    for (int pane = 0; pane < paneCount(); ++pane) stepPane(pane);
  }
  for (int pane = 0; pane < paneCount(); ++pane) m_panes[pane].history.append(records[pane]);
  return records;
}

void Comparison::restart() {
  for (Pane& pane : m_panes) {
    pane.simulation = std::make_unique<Simulation>(m_scene, pane.simulation->settings(), m_dt);
    pane.history.clear();
    pane.history.append(pane.simulation->current());
  }
}

void Comparison::setDt(double dt) {
  for (Pane& pane : m_panes) pane.simulation->setDt(dt);
  m_dt = dt;
}

void Comparison::setParameter(int pane, const std::string& key, const ParameterValue& value) {
  m_panes.at(pane).simulation->setParameter(key, value);
}

void Comparison::setSubsteps(int pane, int substeps) { m_panes.at(pane).simulation->setSubsteps(substeps); }

void Comparison::setPane(int index, const PaneSettings& settings) {
  Pane& pane = m_panes.at(index);
  auto simulation = std::make_unique<Simulation>(m_scene, settings, m_dt);
  simulation->restore(pane.simulation->snapshot());
  pane.simulation = std::move(simulation);
}

void Comparison::addPane(const PaneSettings& settings) {
  auto simulation = std::make_unique<Simulation>(m_scene, settings, m_dt);
  if (!m_panes.empty()) simulation->restore(m_panes.front().simulation->snapshot());
  m_panes.push_back({std::move(simulation), History()});
  m_panes.back().history.append(m_panes.back().simulation->current());
}

void Comparison::removePane(int pane) {
  m_panes.at(pane);
  m_panes.erase(m_panes.begin() + pane);
}

bool Comparison::fork(int source, long frame) {
  const RecordPtr record = m_panes.at(source).history.at(frame);
  if (!record) return false;
  const Snapshot snapshot{record->time, record->frame, record->bodies};
  for (Pane& pane : m_panes) {
    pane.simulation->restore(snapshot);
    pane.history.truncateAfter(frame - 1);
    pane.history.append(pane.simulation->current());
  }
  return true;
}

std::vector<PaneSettings> suggestedPanes(const Scene& scene, std::vector<std::string>* problems) {
  std::vector<PaneSettings> panes;
  for (const std::string& method : scene.methods) {
    PaneSettings settings;
    settings.method = method;
    const auto suggested = scene.parameters.find(method);
    if (suggested != scene.parameters.end()) {
      const auto substeps = suggested->second.find("substeps");
      if (substeps != suggested->second.end())
        if (const double* value = std::get_if<double>(&substeps->second))
          settings.substeps = static_cast<int>(*value);
      const auto solver = suggested->second.find("solver");
      if (solver != suggested->second.end())
        if (const std::string* value = std::get_if<std::string>(&solver->second)) settings.solver = *value;
    }
    const std::string problem = refusal(scene, settings);
    if (problem.empty()) {
      panes.push_back(settings);
    } else if (problems) {
      problems->push_back(problem);
    }
  }
  return panes;
}

}  // namespace touchstone
