#include "app/ensemble/shown_ensemble.h"

#include <QObject>
#include <cmath>

#include "app/plots/session_curves.h"

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

void styleBand(Curve& curve, const ShownEnsemble& shown, std::size_t pane) {
  styleCurve(curve, shown.panes[pane]);
  curve.label = QObject::tr("%1, %2 copies").arg(curve.label).arg(shown.ensemble.members[pane].copyCount());
  curve.dash = Qt::DotLine;
  curve.width = 0.6;
  curve.marker = -1;
}

std::vector<Curve> curvesOfEnsemble(const ShownEnsemble& shown, Quantity quantity) {
  std::vector<Curve> curves;
  const std::vector<EnsembleQuantity>& quantities = shown.ensemble.quantities;
  for (std::size_t index = 0; index < quantities.size(); ++index) {
    if (quantities[index].quantity != quantity) continue;
    for (std::size_t pane = 0; pane < shown.ensemble.members.size(); ++pane) {
      const EnsembleMember& member = shown.ensemble.members[pane];
      Curve curve;
      styleBand(curve, shown, pane);
      curve.x = member.times;
      for (std::size_t sample = 0; sample < member.times.size(); ++sample) {
        const Band band = bandAt(member, index, sample);
        curve.y.push_back(band.median);
        curve.low.push_back(band.low);
        curve.high.push_back(band.high);
      }
      curves.push_back(std::move(curve));
    }
  }
  return curves;
}

}  // namespace touchstone
