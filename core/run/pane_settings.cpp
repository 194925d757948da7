#include "core/run/pane_settings.h"

#include <algorithm>
#include <stdexcept>

#include "core/scene/listed.h"

namespace touchstone {

namespace {

constexpr auto keyIn = [](const auto& described) { return described.key; };

// Keys that a scene may suggest beside a method's parameters: they belong to the pane, not to the method.
bool isPaneKey(const std::string& key) { return key == "substeps" || key == "solver"; }

const ParameterSpec* findSpec(const MethodInfo& method, const std::string& key) {
  for (const ParameterSpec& spec : method.parameters)
    if (spec.key == key) return &spec;
  return nullptr;
}

void put(const MethodInfo& method, const std::string& key, const ParameterValue& value,
         const std::string& where, ParameterValues& values) {
  const ParameterSpec* spec = findSpec(method, key);
  if (!spec)
    throw std::invalid_argument(where + method.key + "." + key +
                                ": is no parameter of this method; known are " +
                                listed(method.parameters, ", ", keyIn));
  const std::string problem = refusal(*spec, value);
  if (!problem.empty()) throw std::invalid_argument(where + method.key + "." + key + ": " + problem);
  values[key] = value;
}

}  // namespace

ParameterValues valuesInForce(const Scene& scene, const PaneSettings& settings) {
  const MethodInfo& method = *findMethod(settings.method);
  ParameterValues values;
  for (const ParameterSpec& spec : method.parameters) values[spec.key] = spec.standard;
  const auto suggested = scene.parameters.find(method.key);
  if (suggested != scene.parameters.end())
    for (const auto& [key, value] : suggested->second)
      if (!isPaneKey(key)) put(method, key, value, scene.file + ":parameters.", values);
  for (const auto& [key, value] : settings.parameters) put(method, key, value, "", values);
  const std::string problem = method.clash ? method.clash(values, settings.solver) : std::string();
  if (!problem.empty()) throw std::invalid_argument(method.key + ": " + problem);
  return values;
}

const MethodInfo& resolve(const Scene& scene, PaneSettings& settings) {
  const MethodInfo* method = findMethod(settings.method);
  if (!method)
    throw std::invalid_argument("method '" + settings.method + "' is unknown; choose one of " +
                                listed(methodTable(), ", ", keyIn));
  if (scene.planar && !method->planar)
    throw std::invalid_argument(method->key + " cannot run scene '" + scene.name +
                                "': polygons have no surface to penetrate through; choose lcp or peg");
  const std::string problem = method->refusal ? method->refusal(scene) : std::string();
  if (!problem.empty())
    throw std::invalid_argument(method->key + " cannot run scene '" + scene.name + "': " + problem);
  if (settings.solver.empty() && !method->solvers.empty()) settings.solver = method->solvers.front();
  const bool known = method->solvers.empty()
                         ? settings.solver.empty()
                         : std::count(method->solvers.begin(), method->solvers.end(), settings.solver) > 0;
  if (!known)
    throw std::invalid_argument(
        "solver '" + settings.solver + "' cannot solve the problems of " + method->key + "; " +
        (method->solvers.empty() ? "it needs no solver" : "choose one of " + listed(method->solvers)));
  if (settings.substeps < 1) throw std::invalid_argument("substeps must be at least 1");
  return *method;
}

std::string refusal(const Scene& scene, const PaneSettings& settings) {
  try {
    PaneSettings checked = settings;
    resolve(scene, checked);
    valuesInForce(scene, checked);
    return {};
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
}

}  // namespace touchstone
