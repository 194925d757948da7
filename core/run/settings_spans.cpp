#include "core/run/settings_spans.h"
#include "core/math/count.h"

#include <algorithm>

namespace touchstone {

namespace {

/// Goes through a log as a Comparison does, with settings only.
class Walk {
 public:
  explicit Walk(const command::SetAll& start) { (*this)(start); }

  std::map<int, std::vector<SettingsSpan>> spans;
  long frame = -1;  ///< of the command
  const std::vector<int>& ids() const { return m_ids; }

  void operator()(const command::SetDt& c) {
    m_dt = c.dt;
    for (const auto& [id, settings] : m_settings) note(id);
  }
  void operator()(const command::SetParameter& c) {
    change(c.pane, [&](PaneSettings& settings) { settings.parameters[c.key] = c.value; });
  }
  void operator()(const command::SetSubsteps& c) {
    change(c.pane, [&](PaneSettings& settings) { settings.substeps = c.substeps; });
  }
  void operator()(const command::SetPane& c) {
    change(c.pane, [&](PaneSettings& settings) { settings = c.settings; });
  }
  void operator()(const command::AddPane& c) { come(c.id, c.settings); }
  void operator()(const command::DuplicatePane& c) {
    const auto source = m_settings.find(c.source);
    if (source == m_settings.end()) return;
    spans[c.id] = spans[c.source];
    come(c.id, source->second);
  }
  void operator()(const command::RemovePane& c) {
    if (isThere(c.pane)) m_ids.erase(m_ids.begin() + c.pane);
  }
  void operator()(const command::RestorePane& c) {
    const auto count = countOf(m_ids);
    m_ids.insert(m_ids.begin() + std::clamp(c.to, 0, count), c.id);
  }
  void operator()(const command::MovePane& c) {
    if (!isThere(c.pane) || !isThere(c.to)) return;
    const int id = m_ids[c.pane];
    m_ids.erase(m_ids.begin() + c.pane);
    m_ids.insert(m_ids.begin() + c.to, id);
  }
  void operator()(const command::SetAll& c) {
    m_dt = c.dt;
    m_ids = c.ids;
    for (std::size_t pane = 0; pane < c.ids.size() && pane < c.panes.size(); ++pane) {
      m_settings[c.ids[pane]] = c.panes[pane];
      note(c.ids[pane]);
    }
  }
  void operator()(const command::Fork&) {}
  void operator()(const command::Pull&) {}

 private:
  bool isThere(int pane) const { return pane >= 0 && pane < countOf(m_ids); }
  template <class Change>
  void change(int pane, const Change& change) {
    if (!isThere(pane)) return;
    const int id = m_ids[pane];
    change(m_settings[id]);
    note(id);
  }
  void come(int id, const PaneSettings& settings) {
    m_ids.push_back(id);
    m_settings[id] = settings;
    note(id);
  }
  /// Commands after one frame make one span, and none where they come to the same as before.
  void note(int id) {
    std::vector<SettingsSpan>& spansOfPane = spans[id];
    if (!spansOfPane.empty() && spansOfPane.back().after == frame) spansOfPane.pop_back();
    SettingsSpan span{frame, m_settings[id], m_dt};
    if (!spansOfPane.empty()) {
      PaneSettings before = spansOfPane.back().settings;
      before.backend = span.settings.backend;
      if (before == span.settings && spansOfPane.back().dt == span.dt) return;
    }
    spansOfPane.push_back(span);
  }

  double m_dt = 0;
  std::vector<int> m_ids;                  ///< [paneCount] by place
  std::map<int, PaneSettings> m_settings;  ///< by id, of removed panes too
};

Walk walked(const command::SetAll& start, const std::vector<LoggedCommand>& log) {
  Walk walk(start);
  for (const LoggedCommand& logged : log) {
    walk.frame = logged.frame;
    std::visit(walk, logged.command);
  }
  return walk;
}

}  // namespace

std::map<int, std::vector<SettingsSpan>> settingsSpans(const command::SetAll& start,
                                                       const std::vector<LoggedCommand>& log) {
  return std::move(walked(start, log).spans);
}

std::vector<int> paneIds(const command::SetAll& start, const std::vector<LoggedCommand>& log) {
  return walked(start, log).ids();
}

const SettingsSpan& spanAt(const std::vector<SettingsSpan>& spans, long frame) {
  std::size_t found = 0;
  while (found + 1 < spans.size() && spans[found + 1].after < frame) ++found;
  return spans[found];
}

}  // namespace touchstone
