#pragma once

#include <array>
#include <string>
#include <vector>

namespace touchstone {

/// Every plotted and exported quantity.
enum class Quantity {
  NormalForce,
  FrictionForce,
  PenetrationMax,
  PenetrationMean,
  Overlap,
  MethodDepth,
  EnergyKinetic,
  EnergyPotential,
  EnergyElastic,
  EnergyTotal,
  EnergyDrift,
  MomentumLinear,
  MomentumLinearError,
  MomentumAngular,
  MomentumAngularError,
  Jitter,
  JointError,
  StrainMax,
  VolumeError,
  Crossings,
  Residual,
  Iterations,
  Solves,
  StepParts,
  Contacts,
  Traps,
  UnilateralSets,
  InequalitySets,
  CrossSets,
  BrokenCrossSets,
  TimePredict,
  TimeBroadPhase,
  TimeNarrowPhase,
  TimeAssemble,
  TimeSolve,
  TimeIntegrate,
  TimeMeasure,
  TimeStep,
  Count
};
constexpr int kQuantityCount = static_cast<int>(Quantity::Count);
/// True for measured times, which differ between any two runs.
constexpr bool isTime(Quantity quantity) {
  return quantity >= Quantity::TimePredict && quantity <= Quantity::TimeStep;
}

/// Values by quantity; NaN where a quantity does not apply.
struct QuantityValues {
  std::array<double, kQuantityCount> values;
  QuantityValues();  ///< all NaN
  double& operator[](Quantity q) { return values[static_cast<int>(q)]; }
  double operator[](Quantity q) const { return values[static_cast<int>(q)]; }
};

struct QuantityInfo {
  Quantity quantity;
  std::string key;     ///< "penetration_max": CSV column without unit, command line
  std::string label;   ///< "Deepest penetration"
  std::string symbol;  ///< "δ max"
  std::string unit;    ///< "m"; empty for counts
  std::string column;  ///< "penetration_max_m"
  std::string help;    ///< how it is computed, with the source
  bool ofMethod;       ///< computed from the method's own quantities, not by the Referee
};

/// All quantities in order of the enumeration.
/// @param planar  the scene is planar: overlaps are areas
const std::vector<QuantityInfo>& quantityTable(bool planar = false);
const QuantityInfo& quantityInfo(Quantity q, bool planar = false);
/// The quantity with this key, or null.
const QuantityInfo* findQuantity(const std::string& key);

}  // namespace touchstone
