#include "core/store/command_check.h"

#include <algorithm>
#include <map>

#include "core/math/count.h"
#include "core/scene/frame_count.h"
#include "core/world/world.h"

namespace touchstone {

namespace {

/// The panes after the commands of a log, without their results. Each function returns the fault, or an empty
/// text.
class PaneList {
 public:
  PaneList(const Scene& scene, const command::SetAll& start) : m_scene(scene), m_all(start) {}
  void at(long frame) { m_frame = frame; }
  const std::vector<int>& ids() const { return m_all.ids; }

  std::string operator()(const command::SetDt& c) const {
    return c.dt > 0 && c.dt <= kLongestStep ? "" : "a frame has no such length";
  }
  std::string operator()(const command::SetParameter& c) {
    if (!has(c.pane)) return noPane(c.pane);
    m_all.panes[c.pane].parameters[c.key] = c.value;
    return refusal(m_scene, m_all.panes[c.pane]);
  }
  std::string operator()(const command::SetSubsteps& c) {
    if (!has(c.pane)) return noPane(c.pane);
    m_all.panes[c.pane].substeps = c.substeps;
    return refusal(m_scene, m_all.panes[c.pane]);
  }
  std::string operator()(const command::SetPane& c) {
    if (!has(c.pane)) return noPane(c.pane);
    m_all.panes[c.pane] = c.settings;
    return refusal(m_scene, c.settings);
  }
  std::string operator()(const command::AddPane& c) {
    m_all.panes.push_back(c.settings);
    m_all.ids.push_back(c.id);
    if (c.source >= 0 && !std::count(m_all.ids.begin(), m_all.ids.end(), c.source)) return noPane(c.source);
    return problemOf(m_scene, m_all);
  }
  std::string operator()(const command::DuplicatePane& c) {
    const auto source = std::find(m_all.ids.begin(), m_all.ids.end(), c.source);
    const auto removed = m_removed.find(c.source);
    if (source == m_all.ids.end() && removed == m_removed.end()) return noPane(c.source);
    const PaneSettings settings =
        source != m_all.ids.end() ? m_all.panes[source - m_all.ids.begin()] : removed->second;
    m_all.panes.push_back(settings);
    m_all.ids.push_back(c.id);
    return problemOf(m_scene, m_all);
  }
  std::string operator()(const command::RestorePane& c) {
    const auto found = m_removed.find(c.id);
    if (found == m_removed.end()) return "no pane " + std::to_string(c.id) + " was removed";
    if (c.to < 0 || c.to > countOf(m_all.panes)) return noPane(c.to);
    m_all.panes.insert(m_all.panes.begin() + c.to, found->second);
    m_all.ids.insert(m_all.ids.begin() + c.to, c.id);
    m_removed.erase(found);
    return problemOf(m_scene, m_all);
  }
  std::string operator()(const command::RemovePane& c) {
    if (!has(c.pane)) return noPane(c.pane);
    m_removed[m_all.ids[c.pane]] = m_all.panes[c.pane];
    m_all.panes.erase(m_all.panes.begin() + c.pane);
    m_all.ids.erase(m_all.ids.begin() + c.pane);
    return {};
  }
  std::string operator()(const command::MovePane& c) {
    if (!has(c.pane)) return noPane(c.pane);
    if (!has(c.to)) return noPane(c.to);
    move(m_all.panes, c.pane, c.to);
    move(m_all.ids, c.pane, c.to);
    return {};
  }
  std::string operator()(const command::Fork& c) const {
    if (c.id < 0 && !has(c.pane)) return noPane(c.pane);
    if (c.id >= 0 && !m_removed.count(c.id) && !std::count(m_all.ids.begin(), m_all.ids.end(), c.id))
      return noPane(c.id);
    return c.frame <= m_frame ? "" : "frame " + std::to_string(c.frame) + " has not come yet";
  }
  std::string operator()(const command::Pull& c) const {
    return c.spring.body < 0 ? "" : problemOf(m_scene, c.spring);
  }
  std::string operator()(const command::SetAll& c) {
    m_all = c;
    return problemOf(m_scene, c);
  }

 private:
  bool has(int pane) const { return pane >= 0 && pane < countOf(m_all.panes); }
  static std::string noPane(int pane) { return "there is no pane " + std::to_string(pane); }
  template <class T>
  static void move(std::vector<T>& list, int oldPlace, int newPlace) {
    const T item = list[oldPlace];
    list.erase(list.begin() + oldPlace);
    list.insert(list.begin() + newPlace, item);
  }

  const Scene& m_scene;
  command::SetAll m_all;
  std::map<int, PaneSettings> m_removed;  ///< by id
  long m_frame = 0;
};

}  // namespace

std::string problemOf(const Scene& scene, const command::SetAll& configuration) {
  if (!(configuration.dt > 0 && configuration.dt <= kLongestStep)) return "a frame has no such length";
  if (configuration.panes.size() > kMostRecordedPanes)
    return "it has " + std::to_string(configuration.panes.size()) + " panes, at most " +
           std::to_string(kMostRecordedPanes) + " are allowed";
  if (configuration.ids.size() != configuration.panes.size()) return "ids and panes differ in number";
  for (std::size_t pane = 0; pane < configuration.ids.size(); ++pane) {
    if (configuration.ids[pane] < 0 ||
        std::count(configuration.ids.begin(), configuration.ids.end(), configuration.ids[pane]) > 1)
      return "the id " + std::to_string(configuration.ids[pane]) + " of a pane is negative or used twice";
    const std::string problem = refusal(scene, configuration.panes[pane]);
    if (!problem.empty()) return problem;
  }
  return {};
}

std::string problemOf(const Scene& scene, const command::SetAll& start, const std::vector<LoggedCommand>& log,
                      const command::SetAll& now, long lastFrame) {
  std::string problem = problemOf(scene, start);
  if (problem.empty()) problem = problemOf(scene, now);
  if (!problem.empty()) return problem;
  PaneList panes(scene, start);
  long frame = 0;
  for (std::size_t number = 0; number < log.size(); ++number) {
    const auto said = [number](const std::string& what) {
      return "command " + std::to_string(number) + ": " + what;
    };
    if (log[number].frame < frame || log[number].frame > lastFrame)
      return said("frame " + std::to_string(log[number].frame) +
                  " is before the command before it, or after the end");
    frame = log[number].frame;
    panes.at(frame);
    problem = std::visit(panes, log[number].command);
    if (!problem.empty()) return said(problem);
  }
  return panes.ids() == now.ids ? "" : "the commands do not lead to the panes at the end";
}

}  // namespace touchstone
