#include "core/statistics/ensemble_quantity.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <stdexcept>

#include "core/files/json_view.h"
#include "core/files/listed.h"
#include "core/math/quantile.h"
#include "core/store/body_quantity.h"

namespace touchstone {

namespace {

constexpr char kMeanHeight[] = "mean_height", kBodyHeight[] = "body_height:";

std::vector<std::string> keysPerCopy() {
  std::vector<std::string> keys = {kMeanHeight, std::string(kBodyHeight) + "NAME"};
  for (const QuantityInfo& info : quantityTable())
    if (isMeasuredPerCopy(info.quantity)) keys.push_back(info.key);
  return keys;
}

[[noreturn]] void failQuantity(const std::string& text, const std::string& key) {
  const QuantityInfo* known = findQuantity(key);
  const std::string nearest = nearestName(key, keysPerCopy());
  throw std::invalid_argument(
      text + ": " +
      (known ? "'" + key + "' is not measured in each copy; choose one of "
             : "'" + key + "' is no quantity; " +
                   (nearest.empty() ? "choose one of " : "did you mean '" + nearest + "'? There are ")) +
      listed(keysPerCopy()));
}

/// The part after @.
void readReduction(const std::string& word, EnsembleQuantity& quantity) {
  using Reduction = EnsembleQuantity::Reduction;
  if (word == "max") {
    quantity.reduction = Reduction::Max;
  } else if (word == "mean") {
    quantity.reduction = Reduction::Mean;
  } else if (word == "median") {
    quantity.reduction = Reduction::Median;
  } else {
    char* end = nullptr;
    quantity.time = std::strtod(word.c_str(), &end);
    if (word.empty() || *end != '\0' || !std::isfinite(quantity.time) || quantity.time < 0)
      throw std::invalid_argument(quantity.text + ": '" + word +
                                  "' is no time; write @max, @mean, @median or a time in seconds");
  }
}

std::vector<int> dynamicBodies(const Scene& scene) {
  std::vector<int> bodies;
  for (std::size_t body = 0; body < scene.bodies.size(); ++body)
    if (scene.bodies[body].motion == Motion::Dynamic) bodies.push_back(static_cast<int>(body));
  return bodies;
}

}  // namespace

bool isMeasuredPerCopy(Quantity quantity) {
  switch (quantity) {
    case Quantity::EnergyTotal:  // with what springs hold, which methods count over the whole run
    case Quantity::EnergyDrift:
    case Quantity::StrainMax:  // of bodies that deform
    case Quantity::VolumeError:
    case Quantity::Crossings:
    case Quantity::MomentumLinearError:
    case Quantity::MomentumAngularError:
      return false;
    default:
      return !isTime(quantity) && !quantityInfo(quantity).ofMethod;
  }
}

bool canMeasureCopies(const Scene& scene) {
  return std::none_of(scene.bodies.begin(), scene.bodies.end(),
                      [](const Body& body) { return body.deformable != nullptr; });
}

bool needsContacts(Quantity quantity) {
  return quantity == Quantity::NormalForce || quantity == Quantity::FrictionForce ||
         quantity == Quantity::Contacts || quantity == Quantity::Jitter;
}

EnsembleQuantity ensembleQuantityOf(const std::string& text, const Scene& scene) {
  EnsembleQuantity quantity;
  quantity.text = text;
  const std::size_t separator = text.rfind('@');
  quantity.key = text.substr(0, separator);
  if (separator != std::string::npos) readReduction(text.substr(separator + 1), quantity);
  if (quantity.key == kMeanHeight || quantity.key.rfind(kBodyHeight, 0) == 0) {
    quantity.kind = EnsembleQuantity::Kind::Height;
    quantity.unit = "m";
    quantity.bodies = quantity.key == kMeanHeight
                          ? dynamicBodies(scene)
                          : bodiesNamed(quantity.key.substr(sizeof kBodyHeight - 1), text, scene);
    if (quantity.bodies.empty())
      throw std::invalid_argument(text + ": scene '" + scene.name +
                                  "' has no body that moves; choose another scene");
    return quantity;
  }
  const QuantityInfo* info = findQuantity(quantity.key);
  if (!info || !isMeasuredPerCopy(info->quantity)) failQuantity(text, quantity.key);
  if (!canMeasureCopies(scene))
    throw std::invalid_argument(text + ": is measured in copies of rigid bodies only, and bodies of '" +
                                scene.name + "' deform; choose mean_height or body_height:NAME");
  quantity.quantity = info->quantity;
  quantity.unit = quantityInfo(info->quantity, scene.planar).unit;
  return quantity;
}

double valueIn(const StepRecord& ofCopy, const EnsembleQuantity& quantity) {
  if (quantity.kind == EnsembleQuantity::Kind::Measured) return ofCopy.quantities[quantity.quantity];
  double sum = 0;
  for (const int body : quantity.bodies) sum += ofCopy.bodies[body].position.y();
  return sum / static_cast<double>(quantity.bodies.size());
}

double reduced(const EnsembleQuantity& quantity, const std::vector<double>& times,
               const std::vector<double>& values) {
  using Reduction = EnsembleQuantity::Reduction;
  const double none = std::numeric_limits<double>::quiet_NaN();
  if (values.empty()) return none;
  if (quantity.reduction == Reduction::AtTime) {
    if (std::isnan(quantity.time)) return values.back();
    const auto after = std::lower_bound(times.begin(), times.end(), quantity.time);
    std::size_t nearest = after - times.begin();
    // Half of the last interval: a time that is a sum of steps misses the end by rounding.
    const double last = times.size() > 1 ? times.back() - times[times.size() - 2] : 0;
    if (quantity.time > times.back() + 0.5 * last) return none;
    if (nearest == times.size() ||
        (nearest > 0 && quantity.time - times[nearest - 1] < times[nearest] - quantity.time))
      --nearest;
    return values[nearest];
  }
  // A copy that has no value from some time on has no number of its whole course.
  double sum = 0, maximum = -std::numeric_limits<double>::infinity();
  for (const double value : values) {
    if (std::isnan(value)) return none;
    sum += value;
    maximum = std::max(maximum, value);
  }
  if (quantity.reduction == Reduction::Max) return maximum;
  return quantity.reduction == Reduction::Mean ? sum / static_cast<double>(values.size()) : median(values);
}

double EnsembleMargin::of(double median) const {
  if (!isShare) return value;
  const double share = value * std::abs(median);
  return share > 0 ? share : std::numeric_limits<double>::quiet_NaN();
}

EnsembleMargin ensembleMarginOf(const std::string& text, const std::vector<EnsembleQuantity>& quantities) {
  const std::size_t equals = text.rfind('=');
  const auto fail = [&text](const std::string& problem) {
    throw std::invalid_argument(text + ": " + problem +
                                "; write for example mean_height=2% or mean_height=0.005");
  };
  if (equals == std::string::npos) fail("is not of the form Q=MARGIN");
  EnsembleMargin margin;
  margin.key = text.substr(0, equals);
  const bool isKnown =
      std::any_of(quantities.begin(), quantities.end(), [&](const EnsembleQuantity& quantity) {
        return quantity.text == margin.key || quantity.key == margin.key;
      });
  if (!isKnown) fail("'" + margin.key + "' is none of the quantities that are asked for");
  std::string number = text.substr(equals + 1);
  margin.isShare = !number.empty() && number.back() == '%';
  if (margin.isShare) number.pop_back();
  char* end = nullptr;
  margin.value = std::strtod(number.c_str(), &end);
  if (number.empty() || *end != '\0' || !std::isfinite(margin.value) || !(margin.value > 0))
    fail("'" + text.substr(equals + 1) + "' is no number above 0");
  if (margin.isShare) margin.value /= 100;
  return margin;
}

}  // namespace touchstone
