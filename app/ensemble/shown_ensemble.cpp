#include "app/ensemble/shown_ensemble.h"

#include <cmath>

namespace touchstone {

double ShownEnsemble::horizon() const {
  double first = std::nan("");
  for (const EnsembleMember& member : ensemble.members) first = std::fmin(first, member.horizon.time);
  return first;
}

std::vector<EnsembleQuantity> quantitiesOfCopies(const Scene& scene) {
  std::vector<EnsembleQuantity> quantities;
  if (!canMeasureCopies(scene)) return quantities;
  for (const QuantityInfo& info : quantityTable(scene.planar))
    if (isMeasuredPerCopy(info.quantity)) quantities.push_back(ensembleQuantityOf(info.key, scene));
  return quantities;
}

}  // namespace touchstone
