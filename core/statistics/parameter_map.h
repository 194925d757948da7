#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "core/run/simulation.h"
#include "core/scene/replicate.h"

namespace touchstone {

/// Key of the axis of frame lengths [s].
inline constexpr char kFrameLengthAxis[] = "dt";

/// One axis of a map: a number of the method, or of the scene under any method, and its values.
struct MapAxis {
  std::string key;  ///< key of the parameter; "scene.friction": Coulomb's coefficient of all pairs of bodies;
                    ///< or kFrameLengthAxis
  std::vector<double> values;
};

/// Parses "stiffness=1e3..1e6/16" (spaced by factors if the parameter's slider is logarithmic, else evenly)
/// or "stiffness=1e3,1e4,1e5".
/// @throws std::invalid_argument if the text is neither, if the number is not one that each replica of a
/// scene can have separately, nor the frame length, or if a value is outside its range
MapAxis mapAxisOf(const std::string& text, const std::string& method);
/// Description of the values of an axis: label, unit, range.   @throws std::invalid_argument for an unknown
/// key
const ParameterSpec& mapNumber(const std::string& key, const std::string& method);
/// True if an axis has frame lengths.
bool variesFrameLength(const std::vector<MapAxis>& axes);

/// Number of worlds of a map: of all combinations of values.
/// @throws std::invalid_argument for none, three or more axes, one that is there twice, or too many worlds
std::size_t cellCount(const std::vector<MapAxis>& axes);
/// The value on an axis of a world. The first axis changes fastest.
double valueAt(const std::vector<MapAxis>& axes, std::size_t axis, std::size_t cell);
/// Values that distinguish the replica of a world from others under a method. A frame length does not: the
/// replicas of one run share it.
ReplicaVariation variationAt(const std::vector<MapAxis>& axes, const std::string& method, std::size_t cell);

/// Result of one replica.
struct MapCell {
  double divergedAt = -1;  ///< s; −1: it did not diverge
  double depthMax = 0;     ///< deepest overlap of any frame, measured by the Referee [m]
  double endDepth = 0;     ///< deepest overlap of the last frame [m]
  double endSpeed = 0;     ///< speed of the fastest body at the end [m/s]
};

/// A scene under one method with many parameter values, all replicas with the same frame length in one run.
struct ParameterMap {
  PaneSettings settings;
  std::vector<MapAxis> axes;               ///< one or two
  std::vector<MapCell> cells;              ///< the first axis changes fastest
  double time = 0;                         ///< simulated [s]; the longest, where frame lengths differ
  BackendKind backend = BackendKind::Cpu;  ///< backend of the last step
  std::vector<std::string> warnings;       ///< warnings of the simulation, each once
};

/// @param dt  frame length [s]; ignored if an axis has frame lengths: there is a run for each of them then
/// @param time  to simulate [s]; each world simulates the whole number of its frames that comes closest
/// @param progress  called with the completed share of all frames, or null
/// @throws std::invalid_argument if the settings or an axis are invalid
/// @throws std::runtime_error if the machine cannot run that many replicas
ParameterMap parameterMap(const Scene& scene, const PaneSettings& settings, const std::vector<MapAxis>& axes,
                          double dt, double time, const std::function<void(double share)>& progress = {});

/// CSV with a header and one line per cell.
std::string csvOf(const ParameterMap& map);
/// Picture for a terminal, one letter per cell: x diverged; the digit n for a value between 1e-n and
/// 1e-(n-1), at least 0; . for less than 1e-9.
std::string pictureOf(const ParameterMap& map, const std::string& title, double MapCell::*value);

}  // namespace touchstone
