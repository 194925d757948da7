#include "core/run/pane_settings.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "core/contact/accuracy.h"
#include "core/contact/newton_form.h"
#include "core/contact/penalty/automatic_springs.h"
#include "core/contact/push_out_form.h"
#include "core/files/json_view.h"
#include "core/files/listed.h"
#include "core/files/scene_error.h"
#include "core/record/quantity.h"
#include "core/world/elastic_bodies.h"

namespace touchstone {

namespace {

std::string solverProblem(const MethodInfo& method, const std::string& solver) {
  if (method.solvers.empty())
    return solver.empty() ? "" : "solver '" + solver + "' has no problems to solve; it needs no solver";
  if (std::count(method.solvers.begin(), method.solvers.end(), solver) > 0) return {};
  return "solver '" + solver + "' cannot solve its problems; choose one of " + listed(method.solvers);
}

// Keys that a scene may suggest in addition to a method's parameters: they belong to the pane, not to the
// method.
constexpr char kSubsteps[] = "substeps", kSolver[] = "solver";
bool isPaneKey(const std::string& key) { return key == kSubsteps || key == kSolver; }

struct ParameterFault {
  std::string problem, remedy;  ///< empty: there is none
};

ParameterFault faultOf(const MethodInfo& method, const std::string& key, const ParameterValue& value) {
  if (const ParameterSpec* spec = findParameter(method, key))
    return {refusal(*spec, value), "give such a value"};
  std::vector<std::string> known;
  for (const ParameterSpec& spec : method.parameters) known.push_back(spec.key);
  const std::string nearest = nearestName(key, known);
  return {"is no parameter of " + method.key,
          nearest.empty() ? "known are " + listed(known) : "did you mean '" + nearest + "'?"};
}

bool isDriveKey(const std::string& key) { return key.rfind(kDriveKey, 0) == 0; }
std::string driveOf(const std::string& key) { return key.substr(sizeof kDriveKey - 1); }

ParameterFault driveFault(const Scene& scene, const std::string& key, const ParameterValue& value) {
  constexpr double kFarthest = 1e6;  // m, rad: beyond, the sine of an angle has no digits left
  const std::string name = driveOf(key);
  std::vector<std::string> known;
  for (const Joint& joint : scene.joints) {
    if (!joint.drive.isOn()) continue;
    if (joint.name != name) {
      known.push_back(joint.name);
      continue;
    }
    const double* target = std::get_if<double>(&value);
    if (target ? std::abs(*target) <= kFarthest : std::get<std::string>(value) == kAutomatic) return {};
    return {"must be a number from -1e6 to 1e6, or " + std::string(kAutomatic),
            "give the target in metres or radians, or the word for the scene's own"};
  }
  if (known.empty()) return {"is no drive: the scene has none", "remove it"};
  const std::string nearest = nearestName(name, known);
  return {"is no drive of scene '" + scene.name + "'",
          nearest.empty() ? "known are " + listed(known)
                          : "did you mean '" + std::string(kDriveKey) + nearest + "'?"};
}

std::string methodRemedy(const std::string& key) {
  std::vector<std::string> known;
  for (const MethodInfo& method : methodTable()) known.push_back(method.key);
  const std::string nearest = nearestName(key, known);
  return nearest.empty() ? "choose one of " + listed(known) : "did you mean '" + nearest + "'?";
}

/// The method's defaults, over them what the scene suggests.   @throws SceneError
ParameterValues suggestedValues(const Scene& scene, const MethodInfo& method) {
  ParameterValues values;
  for (const ParameterSpec& spec : method.parameters) values[spec.key] = spec.standard;
  const auto suggested = scene.parameters.find(method.key);
  if (suggested == scene.parameters.end()) return values;
  for (const auto& [key, value] : suggested->second) {
    if (isPaneKey(key)) continue;
    const ParameterFault fault = faultOf(method, key, value);
    if (!fault.problem.empty())
      throw SceneError(scene.file, "parameters." + method.key + "." + key, fault.problem, fault.remedy);
    values[currentKey(key)] = meant(*findParameter(method, key), value);
  }
  return values;
}

void checkPaneKeys(const Scene& scene, const std::string& method) {
  const ParameterValues& values = scene.parameters.at(method);
  const auto fail = [&](const char* key, const std::string& problem) {
    throw SceneError(scene.file, "parameters." + method + "." + key, problem, "correct it");
  };
  if (const auto found = values.find(kSubsteps); found != values.end()) {
    const double* number = std::get_if<double>(&found->second);
    const std::string problem =
        number ? substepsProblem(*number) : "must be a number, is '" + toString(found->second) + "'";
    if (!problem.empty()) fail(kSubsteps, problem);
  }
  if (const auto found = values.find(kSolver); found != values.end()) {
    const std::string* solver = std::get_if<std::string>(&found->second);
    const std::string problem = solver ? solverProblem(*findMethod(method), *solver)
                                       : "must be a text, is " + toString(found->second);
    if (!problem.empty()) fail(kSolver, problem);
  }
}

}  // namespace

std::string substepsProblem(double substeps) {
  const bool fits = substeps >= 1 && substeps <= kMostSubsteps && substeps == std::floor(substeps);
  return fits ? ""
              : "must be a whole number from 1 to " + std::to_string(kMostSubsteps) + ", is " +
                    toString(ParameterValue(substeps));
}

ParameterValues valuesInForce(const Scene& scene, const PaneSettings& settings) {
  const MethodInfo& method = *findMethod(settings.method);
  ParameterValues values = suggestedValues(scene, method);
  for (const auto& [key, value] : settings.parameters) {
    const ParameterFault fault =
        isDriveKey(key) ? driveFault(scene, key, value) : faultOf(method, key, value);
    if (!fault.problem.empty())
      throw std::invalid_argument(method.key + "." + key + ": " + fault.problem + "; " + fault.remedy);
    if (isDriveKey(key)) continue;
    values[currentKey(key)] = meant(*findParameter(method, key), value);
  }
  const std::string problem = method.clash ? method.clash(values, settings.solver) : std::string();
  if (!problem.empty()) throw std::invalid_argument(method.key + ": " + problem);
  return values;
}

PaneSettings inForce(const Scene& scene, PaneSettings settings) {
  resolve(scene, settings);
  const ParameterValues given = settings.parameters;
  settings.parameters = valuesInForce(scene, settings);
  for (const auto& [key, value] : given)
    if (isDriveKey(key)) settings.parameters[key] = value;
  return settings;
}

std::vector<double> driveTargetsOf(const Scene& scene, const PaneSettings& settings) {
  std::vector<double> targets(scene.joints.size(), std::nan(""));
  for (const auto& [key, value] : settings.parameters) {
    if (!isDriveKey(key)) continue;
    const double* target = std::get_if<double>(&value);
    for (std::size_t joint = 0; target && joint < targets.size();
         ++joint)  // replicas have drives of one name
      if (scene.joints[joint].name == driveOf(key)) targets[joint] = *target;
  }
  return targets;
}

const MethodInfo& resolve(const Scene& scene, PaneSettings& settings) {
  const MethodInfo* method = findMethod(settings.method);
  if (!method)
    throw std::invalid_argument("method '" + settings.method + "' is unknown; " +
                                methodRemedy(settings.method));
  if (scene.planar && !method->planar) {
    std::vector<std::string> others;
    for (const MethodInfo& other : methodTable())
      if (other.planar) others.push_back(other.key);
    throw std::invalid_argument(method->key + " cannot run scene '" + scene.name +
                                "': polygons have no surface to penetrate through; choose " +
                                listed(others, " or "));
  }
  const std::string problem = refusalOf(*method, scene);
  if (!problem.empty())
    throw std::invalid_argument(method->key + " cannot run scene '" + scene.name + "': " + problem);
  if (settings.solver.empty() && !method->solvers.empty()) settings.solver = method->solvers.front();
  for (const std::string& fault :
       {solverProblem(*method, settings.solver), substepsProblem(settings.substeps)})
    if (!fault.empty()) throw std::invalid_argument(method->key + ": " + fault);
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
  } catch (const SceneError& error) {
    return error.what();
  }
}

void checkSuggestions(const Scene& scene) {
  for (std::size_t index = 0; index < scene.methods.size(); ++index)
    if (!findMethod(scene.methods[index]))
      throw SceneError(scene.file, "methods[" + std::to_string(index) + "]",
                       "'" + scene.methods[index] + "' is no method", methodRemedy(scene.methods[index]));
  for (const auto& [key, values] : scene.parameters) {
    const MethodInfo* method = findMethod(key);
    if (!method) throw SceneError(scene.file, "parameters." + key, "is no method", methodRemedy(key));
    suggestedValues(scene, *method);
    checkPaneKeys(scene, key);
  }
  for (std::size_t curve = 0; curve < scene.analytic.size(); ++curve)
    if (!findQuantity(scene.analytic[curve].quantity))
      throw SceneError(scene.file, "analytic[" + std::to_string(curve) + "].quantity",
                       "'" + scene.analytic[curve].quantity + "' is no quantity",
                       "give a key such as energy_kinetic or normal_force");
}

/// @param given  values over those of the scene: springs that they name ask for no substeps
static PaneSettings suggestedPane(const Scene& scene, const std::string& method,
                                  const ParameterValues& given) {
  checkSuggestions(scene);
  PaneSettings settings;
  settings.method = method;
  const MethodInfo* const info = findMethod(method);  // null: resolve() refuses it
  if (info && info->deformables == Deformables::Explicit)
    settings.substeps = std::clamp(explicitSubsteps(scene, scene.dt), 1, kMostSubsteps);
  const auto suggested = scene.parameters.find(method);
  const ParameterValues values = suggested == scene.parameters.end() ? ParameterValues() : suggested->second;
  const auto areAutomatic = [](const ParameterValues& parameters) {
    const auto stiffness = parameters.find("stiffness");
    return stiffness == parameters.end() || stiffness->second == ParameterValue(std::string(kAutomatic));
  };
  if (info && info->penalty && areAutomatic(given.count("stiffness") ? given : values))
    settings.substeps = std::max(settings.substeps, closingSubsteps(scene, scene.dt));
  if (values.count(kSubsteps)) settings.substeps = static_cast<int>(std::get<double>(values.at(kSubsteps)));
  if (values.count(kSolver)) settings.solver = std::get<std::string>(values.at(kSolver));
  return settings;
}

PaneSettings suggestedPane(const Scene& scene, const std::string& method) {
  return suggestedPane(scene, method, {});
}

PaneSettings completed(PaneSettings words, const Scene& scene) {
  const PaneSettings suggested = suggestedPane(scene, words.method, words.parameters);
  if (words.substeps == kAsSuggested) words.substeps = suggested.substeps;
  if (words.solver.empty()) words.solver = suggested.solver;
  return words;
}

std::vector<PaneSettings> suggestedPanes(const Scene& scene) {
  std::vector<PaneSettings> panes;
  for (std::size_t index = 0; index < scene.methods.size(); ++index) {
    panes.push_back(suggestedPane(scene, scene.methods[index]));
    const std::string problem = refusal(scene, panes.back());
    if (!problem.empty())
      throw SceneError(scene.file, "methods[" + std::to_string(index) + "]", problem,
                       "or take it out of the list");
  }
  return panes;
}

void takeAccurateForms(PaneSettings& settings) {
  const MethodInfo* method = findMethod(settings.method);
  if (method && findParameter(*method, kAccuracy)) settings.parameters.emplace(kAccuracy, kAccurate);
}

void takePublishedForms(PaneSettings& settings) {
  takeAccurateForms(settings);
  const MethodInfo* method = findMethod(settings.method);
  if (method && findParameter(*method, kPushOut)) settings.parameters.emplace(kPushOut, kPublishedPushOut);
  if (method && findParameter(*method, kNewtonForm)) settings.parameters.emplace(kNewtonForm, kMacklinNewton);
}

}  // namespace touchstone
