#include "core/run/pane_name.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <sstream>
#include <stdexcept>

#include "core/solver/solver_traits.h"

namespace touchstone {

namespace {

const std::string kLinearSolver = "linear_solver";

/// Takes "-pcr" off the end of a solver's name.
void takeLinearSolver(PaneSettings& settings) {
  for (const std::string& key : linearSolverKeys()) {
    const std::string end = "-" + key;
    std::string& solver = settings.solver;
    if (solver.size() <= end.size() || solver.compare(solver.size() - end.size(), end.size(), end) != 0)
      continue;
    settings.parameters[kLinearSolver] = key;
    solver.resize(solver.size() - end.size());
    return;
  }
}

}  // namespace

std::string solverName(const std::string& solver, const ParameterValues& values) {
  const auto found = values.find(kLinearSolver);
  const std::string* key = found == values.end() ? nullptr : std::get_if<std::string>(&found->second);
  return key ? solverWithLinear(solver, linearSolverOf(key->c_str())) : solver;
}

std::string paneName(const std::string& method, const std::string& solver) {
  return solver.empty() ? method : method + "-" + solver;
}

std::string paneName(const PaneSettings& settings) {
  return paneName(settings.method, solverName(settings.solver, settings.parameters));
}

PaneSettings paneNamed(const std::string& name) {
  PaneSettings settings;
  settings.method = name;
  if (findMethod(name)) return settings;
  for (const MethodInfo& method : methodTable())
    if (name.rfind(method.key + "-", 0) == 0) {
      settings.method = method.key;
      settings.solver = name.substr(method.key.size() + 1);
      takeLinearSolver(settings);
    }
  return settings;
}

PaneSettings paneFor(const std::string& name, const Scene& scene) {
  std::string separated = name;  // values may stand behind commas too
  const std::size_t colon = separated.find(':');
  if (colon != std::string::npos)
    std::replace(separated.begin() + static_cast<std::ptrdiff_t>(colon), separated.end(), ',', ':');
  std::istringstream parts(separated);
  std::string part;
  std::getline(parts, part, ':');
  PaneSettings pane = paneNamed(part);
  pane.substeps = kAsSuggested;
  while (std::getline(parts, part, ':')) {
    const std::size_t equals = part.find('=');
    if (equals == std::string::npos)
      throw std::invalid_argument(name + ": '" + part + "' is not of the form key=value; write for example " +
                                  pane.method + ":substeps=2");
    applyKey(part.substr(0, equals), valueOfWord(part.substr(equals + 1)), pane);
  }
  return completed(pane, scene);
}

std::vector<std::string> paneWords(const std::vector<std::string>& parts) {
  std::vector<std::string> words;
  for (const std::string& part : parts) {
    const bool goesOn = !words.empty() && words.back().find(':') != std::string::npos &&
                        part.find('=') != std::string::npos && part.find(':') == std::string::npos;
    if (goesOn)
      words.back() += "," + part;
    else
      words.push_back(part);
  }
  return words;
}

std::vector<PaneSettings> panesFor(const std::vector<std::string>& names, const Scene& scene) {
  if (names.empty()) return suggestedPanes(scene);
  std::vector<PaneSettings> panes;
  for (const std::string& name : paneWords(names)) panes.push_back(paneFor(name, scene));
  return panes;
}

void requireRunnable(const Scene& scene, const std::vector<PaneSettings>& panes) {
  for (const PaneSettings& pane : panes)
    if (const std::string problem = refusal(scene, pane); !problem.empty())
      throw std::invalid_argument(problem);
}

namespace {

/// True if a key means the same in both methods: both have it, with the same name, unit and kind.
bool meansTheSame(const std::string& key, const MethodInfo& before, const MethodInfo& after) {
  const ParameterSpec *first = findParameter(before, key), *second = findParameter(after, key);
  return first && second && first->label == second->label && first->unit == second->unit &&
         first->kind == second->kind && first->choices == second->choices;
}

/// Values that someone has chosen for a pane: its own, over the scene's for its method.
ParameterValues chosenValues(const PaneSettings& pane, const Scene& scene) {
  ParameterValues values = pane.parameters;
  const auto suggested = scene.parameters.find(pane.method);
  if (suggested != scene.parameters.end()) values.insert(suggested->second.begin(), suggested->second.end());
  values.erase("substeps");
  values.erase("solver");
  values.erase(kLinearSolver);
  return values;
}

}  // namespace

PaneSettings withMethod(const PaneSettings& before, const std::string& name, const Scene& scene) {
  PaneSettings after = paneFor(name, scene);
  after.backend = before.backend;
  const MethodInfo *methodBefore = findMethod(before.method), *methodAfter = findMethod(after.method);
  if (after.method == before.method || !methodBefore || !methodAfter) {
    after.substeps = before.substeps;
    after.parameters.insert(before.parameters.begin(), before.parameters.end());
    return after;
  }
  const bool areSprings = meansTheSame("stiffness", *methodBefore, *methodAfter);
  // Panes on springs have their substeps for the stiffness, which they keep.
  if (areSprings || before.substeps != suggestedPane(scene, before.method).substeps)
    after.substeps = before.substeps;
  const auto suggested = scene.parameters.find(after.method);
  for (const auto& [key, value] : chosenValues(before, scene)) {
    const bool isDrive = key.rfind(kDriveKey, 0) == 0;
    if (!isDrive && !meansTheSame(key, *methodBefore, *methodAfter)) continue;
    // What the scene says of the new method counts more than what it says of the old one.
    const bool isOwn = before.parameters.count(key) != 0;
    if (!isOwn && suggested != scene.parameters.end() && suggested->second.count(key)) continue;
    after.parameters.emplace(key, value);
  }
  return after;
}

std::vector<std::string> lostWith(const PaneSettings& before, const PaneSettings& after, const Scene& scene) {
  std::vector<std::string> lost;
  const MethodInfo* methodBefore = findMethod(before.method);
  const ParameterValues kept = chosenValues(after, scene);
  for (const auto& [key, value] : chosenValues(before, scene)) {
    const ParameterSpec* spec = methodBefore ? findParameter(*methodBefore, key) : nullptr;
    const auto found = kept.find(key);
    if (found == kept.end() || !(found->second == value))
      lost.push_back((spec ? spec->label : key) + " " + toString(value));
  }
  if (before.substeps != after.substeps) lost.push_back("substeps " + std::to_string(before.substeps));
  return lost;
}

std::string wordsOf(const PaneSettings& settings) {
  std::string words = paneName(settings), separator = ":";
  const auto add = [&](const std::string& key, const std::string& value) {
    words += separator + key + "=" + value;
    separator = ",";
  };
  for (const auto& [key, value] : settings.parameters)
    if (key != kLinearSolver || settings.solver.empty()) add(key, toString(value));
  if (settings.substeps != kAsSuggested) add("substeps", std::to_string(settings.substeps));
  return words;
}

namespace {

/// Values that may differ between panes of one name, as text by key.
std::map<std::string, std::string> valuesByKey(const Scene& scene, const PaneSettings& pane) {
  std::map<std::string, std::string> values;
  const MethodInfo& method = *findMethod(pane.method);
  for (const auto& [key, value] : valuesInForce(scene, pane)) {
    if (key == kLinearSolver) continue;
    const ParameterSpec* spec = findParameter(method, key);
    const bool isFile = spec && spec->kind == ParameterKind::File;
    values[key] = isFile ? std::filesystem::path(toString(value)).stem().string() : toString(value);
  }
  values["substeps"] = std::to_string(pane.substeps);
  values["backend"] = keyOf(pane.backend);
  return values;
}

}  // namespace

std::vector<std::string> paneLabels(const Scene& scene, const std::vector<PaneSettings>& panes) {
  std::vector<std::string> labels;
  std::vector<std::map<std::string, std::string>> values;
  for (const PaneSettings& pane : panes) values.push_back(valuesByKey(scene, pane));
  for (std::size_t pane = 0; pane < panes.size(); ++pane) {
    labels.push_back(paneName(panes[pane]));
    for (const auto& [key, value] : values[pane])
      for (std::size_t other = 0; other < panes.size(); ++other)
        if (paneName(panes[other]) == paneName(panes[pane]) && values[other].at(key) != value) {
          labels.back() += ":" + key + "=" + value;
          break;
        }
  }
  for (std::size_t pane = 0; pane < labels.size(); ++pane)
    for (int number = 2;
         std::count(labels.begin(), labels.begin() + static_cast<std::ptrdiff_t>(pane), labels[pane]) > 0;
         ++number)
      labels[pane] = labels[pane].substr(0, labels[pane].find('#')) + "#" + std::to_string(number);
  return labels;
}

ParameterValue valueOfWord(const std::string& word) {
  char* end = nullptr;
  const double number = std::strtod(word.c_str(), &end);
  if (word.empty() || *end != '\0') return word;
  return number;
}

void applyKey(const std::string& key, const ParameterValue& value, PaneSettings& pane) {
  if (key == "substeps") {
    const double* number = std::get_if<double>(&value);
    const std::string problem =
        number ? substepsProblem(*number) : "must be a number, is '" + toString(value) + "'";
    if (!problem.empty()) throw std::invalid_argument("substeps " + problem);
    pane.substeps = static_cast<int>(*number);
  } else if (key == "solver") {
    pane.solver = toString(value);
    takeLinearSolver(pane);
  } else {
    pane.parameters[currentKey(key)] = value;
  }
}

std::string nameWithStep(const PaneSettings& settings) {
  const auto step = settings.parameters.find("step");
  return paneName(settings) +
         (step == settings.parameters.end() ? "" : " " + std::get<std::string>(step->second));
}

PaneSettings paneWithStep(const std::string& name) {
  const std::size_t blank = name.find(' ');
  PaneSettings pane = paneNamed(name.substr(0, blank));
  if (blank != std::string::npos) pane.parameters["step"] = name.substr(blank + 1);
  return pane;
}

}  // namespace touchstone
