#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "core/run/simulation.h"

namespace touchstone {

/// One direction of a map: a number of the method, or of the scene under any method, and the values that it
/// takes.
struct MapAxis {
  std::string key;  ///< of the parameter, or "scene.friction": Coulomb's coefficient of all pairs of bodies
  std::vector<double> values;
};

/// "stiffness=1e3..1e6/16" (spaced by factors where the parameter's slider is logarithmic, else evenly) or
/// "stiffness=1e3,1e4,1e5".
/// @throws std::invalid_argument if it is neither, or is no number of scene or method that each replica of a
/// scene can have of its own, or lies outside its range
MapAxis mapAxisOf(const std::string& text, const std::string& method);

/// What became of one replica.
struct MapCell {
  double divergedAt = -1;  ///< s; −1: it did not
  double depthMax = 0;     ///< deepest overlap of any frame, as the Referee measures it [m]
  double endDepth = 0;     ///< deepest overlap of the last frame [m]
  double endSpeed = 0;     ///< of its fastest body at the end [m/s]
};

/// A scene under one method with many parameters, all worlds at once.
struct ParameterMap {
  PaneSettings settings;
  std::vector<MapAxis> axes;               ///< one or two
  std::vector<MapCell> cells;              ///< the first axis changes fastest
  double time = 0;                         ///< simulated [s]
  BackendKind backend = BackendKind::Cpu;  ///< that took the last step
  std::vector<std::string> warnings;       ///< of the simulation, each once
};

/// @param dt  frame length [s]   @param time  to simulate [s]
/// @param progress  called with the share that is done, or null
/// @throws std::invalid_argument if the settings or an axis are refused
/// @throws std::runtime_error if the worlds are too many for the machine
ParameterMap parameterMap(const Scene& scene, const PaneSettings& settings, const std::vector<MapAxis>& axes,
                          double dt, double time, const std::function<void(double share)>& progress = {});

/// A line for each cell under a header.
std::string csvOf(const ParameterMap& map);
/// For a terminal, a letter for each cell: x diverged; n a value between 1e-n and 1e-(n-1), 0 or more; . less
/// than 1e-9.
std::string pictureOf(const ParameterMap& map, const std::string& title, double MapCell::*value);

}  // namespace touchstone
