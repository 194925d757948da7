#pragma once

#include <limits>
#include <string>
#include <vector>

#include "core/record/step_record.h"
#include "core/scene/scene.h"

namespace touchstone {

/// Quantity that is followed in every copy of an ensemble, and the reduction of its course to one number.
struct EnsembleQuantity {
  enum class Kind { Measured, Height };
  enum class Reduction { AtTime, Max, Mean, Median };
  std::string text;  ///< as given: "mean_height@max"
  std::string key;   ///< without the reduction: "mean_height", "body_height:stone*"
  std::string unit;  ///< "m"; empty for counts
  Kind kind = Kind::Measured;
  Quantity quantity = Quantity::Count;  ///< Measured
  std::vector<int> bodies;              ///< Height: of which the mean is taken
  Reduction reduction = Reduction::AtTime;
  double time = std::numeric_limits<double>::quiet_NaN();  ///< AtTime [s]; not a number: the end
};

/// Parses Q, Q@TIME, Q@max, Q@mean or Q@median: at the end, at a time [s], over all frames. Q is mean_height
/// (mean height [m] of the centres of mass of all dynamic bodies, those that are not released yet where they
/// wait), body_height:A (of named bodies, A as in pair_force:A:B) or the key of a quantity that can be
/// measured in each copy.
/// @throws std::invalid_argument with the fault and the remedy
EnsembleQuantity ensembleQuantityOf(const std::string& text, const Scene& scene);

/// True for quantities that the Referee measures in each copy: neither a method's own, nor clock time, nor a
/// balance over the whole run.
bool isMeasuredPerCopy(Quantity quantity);
/// True if the scene has rigid bodies only.
bool canMeasureCopies(const Scene& scene);
/// True if it needs the contacts of the steps, and not only poses and velocities.
bool needsContacts(Quantity quantity);

/// The value in the record of one copy; a number that the record does not have is not a number.
double valueIn(const StepRecord& ofCopy, const EnsembleQuantity& quantity);

/// The course of a copy as one number: not a number if the copy has no value there.
/// @param times  [samples] s   @param values  [samples]
double reduced(const EnsembleQuantity& quantity, const std::vector<double>& times,
               const std::vector<double>& values);

/// "Q=2%" (of the other side's median) or "Q=0.005" (in the unit of Q).
struct EnsembleMargin {
  std::string key;  ///< as EnsembleQuantity::text or ::key
  double value = 0;
  bool isShare = false;
  /// δ for a comparison with numbers of this median. @return not a number for a share of nothing
  double of(double median) const;
};
/// @throws std::invalid_argument unless it is a number above 0 of one of these quantities
EnsembleMargin ensembleMarginOf(const std::string& text, const std::vector<EnsembleQuantity>& quantities);

}  // namespace touchstone
