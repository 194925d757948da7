#pragma once

#include <memory>
#include <vector>

#include "core/run/history.h"
#include "core/run/simulation.h"

namespace touchstone {

/// Several simulations of one scene in lockstep: every pane advances by the same frame length, whatever its
/// substeps. Used by one thread at a time (the workbench's worker or the command line).
class Comparison {
 public:
  Comparison(std::shared_ptr<const Scene> scene, const std::vector<PaneSettings>& panes);

  const Scene& scene() const { return *m_scene; }
  std::shared_ptr<const Scene> scenePtr() const { return m_scene; }
  int paneCount() const { return static_cast<int>(m_panes.size()); }
  const Simulation& pane(int index) const { return *m_panes[index].simulation; }
  const History& history(int index) const { return m_panes[index].history; }
  double dt() const { return m_dt; }
  double time() const;
  long frame() const;

  /// One frame in all panes, concurrently if asked (step times then share the cores). @return a record per
  /// pane
  std::vector<RecordPtr> step(bool concurrently);

  void restart();
  void setDt(double dt);  ///< takes effect at the next frame
  void setParameter(int pane, const std::string& key, const ParameterValue& value);
  void setSubsteps(int pane, int substeps);
  /// Replaces what a pane runs; it continues from its present state under the new method.
  void setPane(int pane, const PaneSettings& settings);
  void addPane(const PaneSettings& settings);  ///< starts from the state of pane 0, at the same time
  void removePane(int pane);
  /// Gives the state of `pane` at recorded `frame` to all panes; later frames are forgotten. @return false if
  /// the frame is not kept
  bool fork(int pane, long frame);

 private:
  struct Pane {
    std::unique_ptr<Simulation> simulation;
    History history;
  };
  std::shared_ptr<const Scene> m_scene;
  double m_dt;
  std::vector<Pane> m_panes;
};

/// Panes that the scene suggests, with its parameters; refused methods are left out and named in `problems`.
std::vector<PaneSettings> suggestedPanes(const Scene& scene, std::vector<std::string>* problems = nullptr);

}  // namespace touchstone
