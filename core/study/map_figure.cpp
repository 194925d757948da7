#include "core/study/map_figure.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "core/contact/penalty/step_limit.h"
#include "core/files/text_forms.h"
#include "core/math/not_a_number.h"
#include "core/run/pane_name.h"

namespace touchstone {

namespace {

/// Values over more than two decades have logarithmic colours.
constexpr double kManyDecades = 100;

/// An axis in ascending order.
struct SortedAxis {
  std::string key, title;
  std::vector<double> values;
  bool isLog = false;
  std::size_t indexOf(double value) const {
    return std::lower_bound(values.begin(), values.end(), value) - values.begin();
  }
};

/// True if the ratios of neighbours differ less than their distances.
bool isSpacedByFactors(const std::vector<double>& values) {
  if (values.size() < 2 || !(values.front() > 0)) return false;
  // Of two values neither says anything: a factor of ten or more is one.
  if (values.size() == 2) return values[1] >= 10 * values[0];
  double smallest[2] = {HUGE_VAL, HUGE_VAL}, largest[2] = {0, 0};
  for (std::size_t k = 1; k < values.size(); ++k) {
    const double steps[2] = {std::log(values[k] / values[k - 1]), values[k] - values[k - 1]};
    for (int kind = 0; kind < 2; ++kind) {
      smallest[kind] = std::min(smallest[kind], steps[kind]);
      largest[kind] = std::max(largest[kind], steps[kind]);
    }
  }
  return largest[0] / smallest[0] < largest[1] / smallest[1];
}

SortedAxis sortedAxis(const MapAxis& axis, const std::string& method) {
  const ParameterSpec& spec = mapNumber(axis.key, method);
  SortedAxis sorted;
  sorted.key = axis.key;
  sorted.title = spec.label + (spec.unit.empty() ? "" : " [" + spec.unit + "]");
  sorted.values = axis.values;
  std::sort(sorted.values.begin(), sorted.values.end());
  sorted.values.erase(std::unique(sorted.values.begin(), sorted.values.end()), sorted.values.end());
  sorted.isLog = isSpacedByFactors(sorted.values);
  return sorted;
}

/// The undamped contact whose limit a map shows.
struct UndampedContact {
  std::string body;
  double mass = 0;     ///< of the lightest dynamic body [kg]
  double instant = 0;  ///< θ
  int substeps = 1;
  double stiffness = 0;  ///< k of all worlds [N/m]; 0: automatic, or on an axis
  double dt = 0;         ///< frame length of all worlds [s]; 0: on an axis

  double longestFrame(double k) const { return substeps * undampedStepLimit(instant, k, mass); }
  double largestStiffness(double frame) const {
    return undampedStiffnessLimit(instant, frame / substeps, mass);
  }
  std::string formula() const {
    const double square = stabilityLimitAt(instant), root = std::round(std::sqrt(square));
    const std::string factor = root * root == square ? fourDigits(root)
                               : square == 2         ? std::string("√2 ")
                                                     : std::string("√(4/3) ");
    return "h = " + factor + "√(m/k)";
  }
};

bool hasAxis(const ParameterMap& map, const char* key) {
  return std::any_of(map.axes.begin(), map.axes.end(),
                     [key](const MapAxis& axis) { return axis.key == key; });
}

std::optional<UndampedContact> undampedContact(const ParameterMap& map, const Scene& scene, double dt) {
  const MethodInfo* method = findMethod(map.settings.method);
  if (!method || !method->penalty) return std::nullopt;
  UndampedContact contact;
  for (const Body& body : scene.bodies) {
    if (body.motion != Motion::Dynamic || !(body.mass > 0) || body.deformable) continue;
    if (contact.mass > 0 && contact.mass <= body.mass) continue;
    contact.mass = body.mass;
    contact.body = body.name;
  }
  if (!(contact.mass > 0)) return std::nullopt;
  const ParameterValues values = valuesInForce(scene, map.settings);
  contact.instant = instantOf(*method, values);
  contact.substeps = map.settings.substeps;
  const bool variesStiffness = hasAxis(map, "stiffness"), variesFrame = hasAxis(map, kFrameLengthAxis);
  if (!variesFrame) contact.dt = dt;
  const auto given = values.find("stiffness");
  if (!variesStiffness && given != values.end() && std::holds_alternative<double>(given->second))
    contact.stiffness = std::get<double>(given->second);
  // An automatic stiffness follows the step: it has no limit that a map could show.
  const bool isKnown = variesStiffness || (variesFrame && contact.stiffness > 0);
  return isKnown ? std::optional<UndampedContact>(contact) : std::nullopt;
}

/// Points of the line of the theory. More make larger files; fewer make it visibly stepped.
constexpr int kLinePoints = 200;

/// The limit where stiffness and frame length are the axes, over the range of x.
FigureCurve limitCurve(const UndampedContact& contact, const SortedAxis& x) {
  FigureCurve curve;
  curve.label = "undamped limit, " + contact.formula();
  curve.style = FigureCurve::Style::Theory;
  // The cells at the ends reach beyond their values, by half a cell.
  const double low = x.values.front(), high = x.values.back();
  const double cells = std::max<double>(1, static_cast<double>(x.values.size()) - 1);
  const double reach = 0.5 / cells;
  for (int point = 0; point <= kLinePoints; ++point) {
    const double share = -reach + (1 + 2 * reach) * point / kLinePoints;
    const double place = x.isLog ? low * std::pow(high / low, share) : low + share * (high - low);
    if (!(place > 0)) continue;
    curve.x.push_back(place);
    curve.y.push_back(x.key == kFrameLengthAxis ? contact.largestStiffness(place)
                                                : contact.longestFrame(place));
  }
  return curve;
}

/// Draws the limit and says where it lies.
std::string addLimit(const UndampedContact& contact, const std::vector<SortedAxis>& axes,
                     FigurePanel& panel) {
  std::string sentence = "The limit of an undamped contact, " + contact.formula() +
                         " with m = " + fourDigits(contact.mass) + " kg of '" + contact.body +
                         "', the lightest body";
  if (contact.substeps > 1) sentence += ", and h = dt / " + std::to_string(contact.substeps);
  const bool isCurve = contact.dt == 0 && contact.stiffness == 0;
  if (isCurve) {
    panel.curves.push_back(limitCurve(contact, axes[0]));
    sentence += ", is the line";
  } else {
    FigureBand band;
    const bool ofStiffness = contact.dt > 0;
    const char* key = ofStiffness ? "stiffness" : kFrameLengthAxis;
    band.ofX = axes[0].key == key;
    band.low = band.high =
        ofStiffness ? contact.largestStiffness(contact.dt) : contact.longestFrame(contact.stiffness);
    band.label = "undamped limit";
    const std::vector<double>& values = axes[band.ofX ? 0 : 1].values;
    const bool isInside = band.low >= values.front() && band.low <= values.back();
    if (isInside) panel.bands.push_back(band);
    sentence += ofStiffness ? ", lies at k = " + fourDigits(band.low) + " N/m"
                            : ", lies at dt = " + fourDigits(band.low) + " s";
    if (!isInside) sentence += ", beyond the values";
  }
  return sentence + "; on n springs a body has 1/√n of this step.";
}

/// A measured value of the cells.
struct MapQuantity {
  const char *id, *title, *label;
  double MapCell::*value;
};
constexpr MapQuantity kQuantities[] = {
    {"overlap", "Deepest overlap of the run", "Deepest overlap [m]", &MapCell::depthMax},
    {"end-speed", "Fastest body at the end", "Speed at the end [m/s]", &MapCell::endSpeed}};

/// True if the positive ones of the values span more than two decades.
bool spansDecades(const std::vector<double>& values) {
  double smallest = HUGE_VAL, largest = 0;
  for (double value : values) {
    if (!(value > 0)) continue;
    smallest = std::min(smallest, value);
    largest = std::max(largest, value);
  }
  return largest > kManyDecades * smallest;
}

void fillMap(const ParameterMap& map, const MapQuantity& quantity, const SortedAxis& x, const SortedAxis& y,
             FigurePanel& panel) {
  panel.map.x = x.values;
  panel.map.y = y.values;
  panel.map.label = quantity.label;
  panel.yLabel = y.title;
  panel.yLog = y.isLog;
  panel.map.values.assign(x.values.size() * y.values.size(), kNaN);
  panel.map.failed.assign(panel.map.values.size(), 0);
  for (std::size_t cell = 0; cell < map.cells.size(); ++cell) {
    const std::size_t index =
        y.indexOf(valueAt(map.axes, 1, cell)) * x.values.size() + x.indexOf(valueAt(map.axes, 0, cell));
    if (map.cells[cell].divergedAt >= 0)
      panel.map.failed[index] = 1;
    else
      panel.map.values[index] = map.cells[cell].*quantity.value;
  }
  panel.map.logarithmic = spansDecades(panel.map.values);
}

void fillCurve(const ParameterMap& map, const MapQuantity& quantity, const SortedAxis& x,
               FigurePanel& panel) {
  FigureCurve curve;
  curve.label = paneName(map.settings);
  curve.method = map.settings.method;
  curve.x = x.values;
  curve.y.assign(x.values.size(), kNaN);
  for (std::size_t cell = 0; cell < map.cells.size(); ++cell) {
    const std::size_t index = x.indexOf(valueAt(map.axes, 0, cell));
    if (map.cells[cell].divergedAt >= 0)
      curve.crosses.push_back(x.values[index]);
    else
      curve.y[index] = map.cells[cell].*quantity.value;
  }
  panel.yLabel = quantity.label;
  // A zero has no place on a logarithmic axis.
  const bool hasZero = std::count(curve.y.begin(), curve.y.end(), 0.0) > 0;
  panel.yLog = !hasZero && spansDecades(curve.y);
  panel.curves.push_back(curve);
}

}  // namespace

std::vector<Figure> figuresOf(const ParameterMap& map, const Scene& scene, double dt) {
  std::vector<SortedAxis> axes;
  for (const MapAxis& axis : map.axes) axes.push_back(sortedAxis(axis, map.settings.method));
  const std::optional<UndampedContact> contact = undampedContact(map, scene, dt);
  const bool anyDiverged = std::any_of(map.cells.begin(), map.cells.end(),
                                       [](const MapCell& cell) { return cell.divergedAt >= 0; });
  std::vector<Figure> figures;
  for (const MapQuantity& quantity : kQuantities) {
    FigurePanel panel;
    panel.xLabel = axes[0].title;
    panel.xLog = axes[0].isLog;
    if (axes.size() == 2)
      fillMap(map, quantity, axes[0], axes[1], panel);
    else
      fillCurve(map, quantity, axes[0], panel);
    Figure figure;
    figure.id = quantity.id;
    figure.title = std::string(quantity.title) + ": " + paneName(map.settings) + " on " + scene.name + ", " +
                   fourDigits(map.time) + " s";
    if (!hasAxis(map, kFrameLengthAxis)) figure.title += ", dt = " + fourDigits(dt) + " s";
    if (anyDiverged) figure.caption = axes.size() == 2 ? "Grey: diverged." : "Crosses: diverged.";
    if (contact) figure.caption += (figure.caption.empty() ? "" : " ") + addLimit(*contact, axes, panel);
    figure.panels.push_back(panel);
    figures.push_back(figure);
  }
  return figures;
}

}  // namespace touchstone
