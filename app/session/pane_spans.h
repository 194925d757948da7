#pragma once

#include <QString>
#include <vector>

#include "app/session/pane_state.h"

namespace touchstone {

/// What a pane ran over some of its frames, as legends, curves and marks show it.
struct PaneSpan {
  long first = 0;        ///< the first frame that was computed so
  QString method;        ///< key
  QString label;         ///< tells it from other panes of all the record: "CPF", "LCP · lemke", "CPF #2"
  int variant = 0;       ///< how many panes before this one run the method or have run it
  QString change;        ///< what is other than in the span before: "DPF → CPF", "stiffness 2e4 → 5e3"
  bool isNamed = false;  ///< the change is one of name
  PaneSettings settings;
};

/// [paneCount] the spans of each pane in the order of time, at least one: the last is what it runs now. Spans
/// in which no frame of the histories was computed are left out.
std::vector<std::vector<PaneSpan>> paneSpans(const Scene& scene, const std::vector<PaneState>& panes,
                                             const std::vector<History>& histories);

/// What a pane runs, in short: "CPF", "LCP · newton-fb-pcr", "PEG exact".
QString shortName(const Scene& scene, const PaneSettings& settings);

}  // namespace touchstone
