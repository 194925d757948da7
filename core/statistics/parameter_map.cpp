#include "core/statistics/parameter_map.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>

#include "core/contact/on_failure.h"
#include "core/files/text_forms.h"
#include "core/math/count.h"
#include "core/scene/frame_count.h"
#include "core/world/world.h"

namespace touchstone {

namespace {

/// A larger value lets a map exhaust the memory; a smaller one refuses maps that the machine can compute.
constexpr std::size_t kMostCells = 65536;

double numberIn(const std::string& word, const std::string& whole) {
  char* end = nullptr;
  const double number = std::strtod(word.c_str(), &end);
  if (word.empty() || *end != '\0')
    throw std::invalid_argument(
        whole + ": '" + word + "' is no number; write for example stiffness=1e3..1e6/16 or damping=0,10,100");
  return number;
}

/// The friction of the scene, which applies to all methods.
const ParameterSpec& sceneFriction() {
  static const ParameterSpec spec = {"scene.friction",
                                     "Friction μ",
                                     "",
                                     "Coulomb's coefficient of all pairs of bodies, static and dynamic.",
                                     ParameterKind::Number,
                                     0.0,
                                     0,
                                     10,
                                     false,
                                     {}};
  return spec;
}

/// The frame length, of the replicas of one run.
const ParameterSpec& frameLength() {
  static const ParameterSpec spec = {kFrameLengthAxis,
                                     "Frame length dt",
                                     "s",
                                     "Time from frame to frame; a frame has one step or more.",
                                     ParameterKind::Number,
                                     0.0,
                                     0,
                                     kLongestStep,
                                     true,
                                     {}};
  return spec;
}

/// Why a value of an axis is refused, or empty.
std::string problemOf(const ParameterSpec& spec, double value) {
  if (spec.key == kFrameLengthAxis && !(value > 0 && value <= kLongestStep))
    return "must be above 0 and at most 1 s, is " + toString(ParameterValue(value));
  return refusal(spec, value);
}

/// Integers: those nearest to the spaced values, each once.
std::vector<double> spaced(double first, double last, int count, const ParameterSpec& spec) {
  const bool byFactors = spec.logarithmic && first > 0 && last > 0;
  std::vector<double> values;
  for (int k = 0; k < count; ++k) {
    const double share = count > 1 ? static_cast<double>(k) / (count - 1) : 0;
    values.push_back(byFactors ? first * std::pow(last / first, share) : first + share * (last - first));
  }
  values.back() = count > 1 ? last : first;
  if (spec.kind != ParameterKind::Integer) return values;
  for (double& value : values) value = std::round(value);
  values.erase(std::unique(values.begin(), values.end()), values.end());
  return values;
}

std::vector<double> valuesIn(const std::string& list, const std::string& whole, const ParameterSpec& spec) {
  const std::size_t dots = list.find(".."), slash = list.find('/');
  std::vector<double> values;
  if (dots == std::string::npos) {
    for (std::size_t start = 0; start <= list.size();) {
      const std::size_t comma = std::min(list.find(',', start), list.size());
      values.push_back(numberIn(list.substr(start, comma - start), whole));
      start = comma + 1;
    }
    return values;
  }
  if (slash == std::string::npos || slash < dots)
    throw std::invalid_argument(whole + ": says no number of values; write for example " + whole + "/16");
  const double first = numberIn(list.substr(0, dots), whole);
  const double last = numberIn(list.substr(dots + 2, slash - dots - 2), whole);
  const double count = numberIn(list.substr(slash + 1), whole);
  if (list[dots + 2] == '.')
    throw std::invalid_argument(whole + ": has three dots; write two between the first and the last value");
  for (const double end : {first, last})
    if (spec.kind == ParameterKind::Integer && end != std::floor(end))
      throw std::invalid_argument(whole + ": " + toString(ParameterValue(end)) +
                                  " is no whole number; give whole first and last values");
  if (!(count >= 1 && count <= static_cast<double>(kMostCells) && count == std::floor(count)))
    throw std::invalid_argument(whole + ": the number of values must be a whole number from 1 to " +
                                std::to_string(kMostCells));
  return spaced(first, last, static_cast<int>(count), spec);
}

/// The worlds of one frame length.
struct WorldGroup {
  double dt = 0;                   ///< of a frame [s]
  std::vector<std::size_t> cells;  ///< of the map
};

/// All worlds, by their frame lengths in the order in which they appear.
std::vector<WorldGroup> groupsOf(const std::vector<MapAxis>& axes, double dt) {
  std::vector<WorldGroup> groups;
  for (std::size_t cell = 0; cell < cellCount(axes); ++cell) {
    for (std::size_t axis = 0; axis < axes.size(); ++axis)
      if (axes[axis].key == kFrameLengthAxis) dt = valueAt(axes, axis, cell);
    auto group = std::find_if(groups.begin(), groups.end(),
                              [dt](const WorldGroup& candidate) { return candidate.dt == dt; });
    if (group == groups.end()) group = groups.insert(groups.end(), {dt, {}});
    group->cells.push_back(cell);
  }
  return groups;
}

/// Adds a frame of a group's worlds.
void addRecord(const Scene& scene, const World& world, const StepRecord& record, const WorldGroup& group,
               ParameterMap& map) {
  for (std::size_t cell : group.cells) map.cells[cell].endDepth = 0;
  for (const Overlap& overlap : record.overlaps) {
    MapCell& cell = map.cells[group.cells[scene.bodies[overlap.bodyA].replica]];
    cell.endDepth = std::max(cell.endDepth, overlap.depth);
    cell.depthMax = std::max(cell.depthMax, overlap.depth);
  }
  for (std::size_t replica = 0; replica < group.cells.size(); ++replica) {
    const bool isStopped = replica < world.replicaFrozen.size() && world.replicaFrozen[replica];
    MapCell& cell = map.cells[group.cells[replica]];
    if ((isStopped || record.status == StepStatus::Diverged) && cell.divergedAt < 0)
      cell.divergedAt = record.time;
  }
  for (const std::string& warning : record.warnings)
    if (!std::count(map.warnings.begin(), map.warnings.end(), warning) && warning.rfind("replica ", 0) != 0)
      map.warnings.push_back(warning);
}

/// Runs the worlds of a group.   @param stepped  called after each frame
void runWorlds(const Scene& scene, const WorldGroup& group, double time, const std::function<void()>& stepped,
               ParameterMap& map) {
  const auto worlds = replicated(scene, countOf(group.cells), [&](int replica) {
    return variationAt(map.axes, map.settings.method, group.cells[replica]);
  });
  const long frames = frameCount(time, group.dt);
  Simulation simulation(worlds, map.settings, group.dt);
  for (long frame = 0; frame < frames; ++frame) {
    const RecordPtr record = simulation.step();
    if (record->status == StepStatus::Stopped) throw std::runtime_error(record->statusText);
    addRecord(*worlds, simulation.world(), *record, group, map);
    stepped();
  }
  const RecordPtr last = simulation.current();
  for (std::size_t body = 0; body < worlds->bodies.size(); ++body) {
    double& speed = map.cells[group.cells[worlds->bodies[body].replica]].endSpeed;
    speed = std::max(speed, last->bodies[body].linearVelocity.norm());
  }
  map.time = std::max(map.time, last->time);
  map.backend = simulation.backend();
}

/// The decade of a length or speed, as a letter.
char letterOf(const MapCell& cell, double value) {
  if (cell.divergedAt >= 0) return 'x';
  if (!(value >= 1e-9)) return '.';
  return static_cast<char>('0' + std::clamp(static_cast<int>(std::ceil(-std::log10(value))), 0, 9));
}

}  // namespace

const ParameterSpec& mapNumber(const std::string& key, const std::string& method) {
  const MethodInfo* info = findMethod(method);
  if (!info) throw std::invalid_argument("method '" + method + "' is unknown");
  std::string known;
  for (const ParameterSpec* spec : {&frameLength(), &sceneFriction()}) {
    if (spec->key == key) return *spec;
    known += (known.empty() ? "" : ", ") + spec->key;
  }
  for (const ParameterSpec& spec : info->parameters) {
    const bool isNumber = spec.kind == ParameterKind::Number || spec.kind == ParameterKind::Integer;
    if (!isNumber || spec.forAllReplicas) continue;
    if (spec.key == currentKey(key)) return spec;
    known += ", " + spec.key;
  }
  throw std::invalid_argument(key + ": is no number of " + method +
                              " that each world can have of its own; choose one of " + known);
}

bool variesFrameLength(const std::vector<MapAxis>& axes) {
  return std::any_of(axes.begin(), axes.end(),
                     [](const MapAxis& axis) { return axis.key == kFrameLengthAxis; });
}

MapAxis mapAxisOf(const std::string& text, const std::string& method) {
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos)
    throw std::invalid_argument(text +
                                ": is not of the form key=values; write for example stiffness=1e3..1e6/16");
  MapAxis axis;
  axis.key = currentKey(text.substr(0, equals));
  const ParameterSpec& spec = mapNumber(axis.key, method);
  axis.values = valuesIn(text.substr(equals + 1), text, spec);
  for (double value : axis.values) {
    const std::string problem = problemOf(spec, value);
    if (!problem.empty()) throw std::invalid_argument(text + ": " + axis.key + " " + problem);
  }
  return axis;
}

std::size_t cellCount(const std::vector<MapAxis>& axes) {
  if (axes.empty() || axes.size() > 2)
    throw std::invalid_argument("a map varies one or two numbers, not " + std::to_string(axes.size()));
  if (axes.size() == 2 && axes[0].key == axes[1].key)
    throw std::invalid_argument("a map varies two parameters, not " + axes[0].key + " twice");
  std::size_t cells = 1;
  for (const MapAxis& axis : axes) cells *= axis.values.size();
  if (cells > kMostCells)
    throw std::invalid_argument("a map has at most " + std::to_string(kMostCells) + " worlds, not " +
                                std::to_string(cells) + "; take fewer values");
  return cells;
}

double valueAt(const std::vector<MapAxis>& axes, std::size_t axis, std::size_t cell) {
  const std::size_t inRow = axes[0].values.size();
  return axes[axis].values[axis == 0 ? cell % inRow : cell / inRow];
}

ReplicaVariation variationAt(const std::vector<MapAxis>& axes, const std::string& method, std::size_t cell) {
  ReplicaVariation variation;
  for (std::size_t axis = 0; axis < axes.size(); ++axis) {
    const double value = valueAt(axes, axis, cell);
    if (axes[axis].key == sceneFriction().key)
      variation.changeMaterial = [value](Material& material) {
        material.staticFriction = material.dynamicFriction = value;
      };
    else if (axes[axis].key != kFrameLengthAxis)
      variation.parameters[method][axes[axis].key] = value;
  }
  return variation;
}

ParameterMap parameterMap(const Scene& scene, const PaneSettings& settings, const std::vector<MapAxis>& axes,
                          double dt, double time, const std::function<void(double share)>& progress) {
  checkSuggestions(scene);
  const auto onFailure = settings.parameters.find(kOnFailure);
  if (onFailure != settings.parameters.end() &&
      onFailure->second == ParameterValue(std::string(kFailureStops)))
    throw std::invalid_argument(
        "on_failure = stop: all worlds of a map run as one pane, so that one of them cannot stop; leave it "
        "out");
  ParameterMap map;
  map.axes = axes;
  map.settings = settings;
  map.cells.resize(cellCount(axes));
  const std::vector<WorldGroup> groups = groupsOf(axes, dt);
  long frames = 0, done = 0;
  for (const WorldGroup& group : groups) frames += frameCount(time, group.dt);
  const auto stepped = [&] {
    ++done;
    if (progress) progress(static_cast<double>(done) / static_cast<double>(frames));
  };
  for (const WorldGroup& group : groups) runWorlds(scene, group, time, stepped, map);
  return map;
}

std::string csvOf(const ParameterMap& map) {
  std::string text;
  for (const MapAxis& axis : map.axes) text += axis.key + ",";
  text += "diverged_at_s,depth_max_m,end_depth_m,end_speed_m_per_s\n";
  for (std::size_t index = 0; index < map.cells.size(); ++index) {
    const MapCell& cell = map.cells[index];
    for (std::size_t axis = 0; axis < map.axes.size(); ++axis)
      text += toString(ParameterValue(valueAt(map.axes, axis, index))) + ",";
    text += (cell.divergedAt < 0 ? "" : toString(ParameterValue(cell.divergedAt))) + ",";
    for (double value : {cell.depthMax, cell.endDepth}) text += toString(ParameterValue(value)) + ",";
    text += toString(ParameterValue(cell.endSpeed)) + "\n";
  }
  return text;
}

std::string pictureOf(const ParameterMap& map, const std::string& title, double MapCell::*value) {
  const MapAxis& across = map.axes[0];
  const std::size_t inRow = across.values.size();
  std::string text = title + "; " + across.key + " to the right, " + fourDigits(across.values.front()) +
                     " to " + fourDigits(across.values.back()) +
                     (map.axes.size() == 2 ? ", " + map.axes[1].key + " upwards" : "") + "\n";
  for (std::size_t row = map.cells.size() / inRow; row-- > 0;) {
    char label[32];
    std::snprintf(label, sizeof label, "%10s |",
                  map.axes.size() == 2 ? fourDigits(map.axes[1].values[row]).c_str() : "");
    text += label;
    for (std::size_t cell = row * inRow; cell < (row + 1) * inRow; ++cell)
      text += std::string(" ") + letterOf(map.cells[cell], map.cells[cell].*value);
    text += "\n";
  }
  return text;
}

}  // namespace touchstone
