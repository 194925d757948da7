#pragma once

#include <QString>
#include <vector>

#include "app/session/pane_state.h"

namespace touchstone {

/// The method of a pane during some of its frames, for legends, curves and marks.
struct PaneSpan {
  long first = 0;        ///< the first frame that it computed
  QString method;        ///< key
  QString label;         ///< distinguishes it from other panes in the whole record: "CPF", "LCP · lemke",
                         ///< "CPF #2"
  int variant = 0;       ///< number of earlier panes that run or ran the method
  QString change;        ///< difference from the span before: "DPF → CPF", "stiffness 2e4 → 5e3"
  bool isNamed = false;  ///< the change affects the name
  PaneSettings settings;
};

/// [paneCount] the spans of each pane in order of time, at least one; the last is what it runs now. Spans
/// without a computed frame in the histories are left out.
std::vector<std::vector<PaneSpan>> paneSpans(const Scene& scene, const std::vector<PaneState>& panes,
                                             const std::vector<History>& histories);

/// Short name of what a pane runs: "CPF", "LCP · newton-fb-pcr", "PEG exact".
QString shortName(const Scene& scene, const PaneSettings& settings);

}  // namespace touchstone
