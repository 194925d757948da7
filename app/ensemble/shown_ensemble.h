#pragma once

#include <memory>
#include <vector>

#include "app/session/pane_spans.h"
#include "core/statistics/ensemble.h"

namespace touchstone {

/// Copies of the scene of a session under the panes that it had.
struct ShownEnsemble {
  Ensemble ensemble;
  std::vector<EnsembleVerdict> verdicts;  ///< verdictsOf() it
  std::vector<PaneSpan> panes;            ///< [members] for label, colour and dash
  QString scene;                          ///< name

  /// First time at which the copies of a pane part [s]; not a number: they do not.
  double horizon() const;
};
using ShownEnsemblePtr = std::shared_ptr<const ShownEnsemble>;

/// All quantities that can be measured in each copy; none of a scene with bodies that deform.
std::vector<EnsembleQuantity> quantitiesOfCopies(const Scene& scene);

}  // namespace touchstone
