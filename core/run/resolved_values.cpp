#include "core/run/resolved_values.h"

#include "core/contact/penalty/automatic_springs.h"
#include "core/files/text_forms.h"

namespace touchstone {

namespace {

/// Source of a value that belongs to the pane and not to its method.
/// @param isSuggested  it is what suggestedPane() gives
ValueSource sourceOfPaneValue(const Scene& scene, const std::string& method, const char* key,
                              bool isSuggested) {
  if (!isSuggested) return ValueSource::User;
  const auto values = scene.parameters.find(method);
  const bool isOfScene = values != scene.parameters.end() && values->second.count(key) > 0;
  return isOfScene ? ValueSource::Scene : ValueSource::Default;
}

ValueSource sourceOf(const Scene& scene, const PaneSettings& settings, const ParameterSpec& spec) {
  if (settings.parameters.count(spec.key)) return ValueSource::User;
  const auto suggested = scene.parameters.find(settings.method);
  if (suggested != scene.parameters.end() && suggested->second.count(spec.key)) return ValueSource::Scene;
  return spec.published.empty() ? ValueSource::Default : ValueSource::Paper;
}

}  // namespace

std::vector<ResolvedValue> resolvedValues(const Scene& scene, const PaneSettings& settings, double dt) {
  if (!findMethod(settings.method)) return {};
  PaneSettings resolved = settings;
  const MethodInfo& method = resolve(scene, resolved);
  const ParameterValues values = valuesInForce(scene, resolved);
  PaneSettings suggested = settings;
  suggested.substeps = kAsSuggested;
  suggested.solver.clear();
  suggested = completed(suggested, scene);
  resolve(scene, suggested);
  const double step = dt / resolved.substeps;

  std::vector<ResolvedValue> table;
  const auto add = [&table](const char* key, const char* unit, const char* help, const ParameterValue& value,
                            ValueSource source) {
    table.push_back({key, unit, help, value, source, "", false, {}});
  };
  const bool isSuggested = resolved.substeps == suggested.substeps;
  const ValueSource substeps = sourceOfPaneValue(scene, method.key, "substeps", isSuggested);
  add("step", "s", "Frame length divided by the substeps.", step,
      dt != scene.dt                  ? ValueSource::User
      : substeps == ValueSource::User ? substeps
                                      : ValueSource::Scene);
  add("substeps", "", "Steps of the pane per frame.", static_cast<double>(resolved.substeps), substeps);
  const bool isForSpeed = substeps == ValueSource::Default && method.penalty && resolved.substeps > 1 &&
                          resolved.substeps == closingSubsteps(scene, scene.dt);
  if (isForSpeed) {
    const double count = resolved.substeps;
    table.back().automatic = {
        count, count, "automatic springs stop the fastest body within half of the thinner one's width"};
  }
  if (!method.solvers.empty())
    add("solver", "", "Solver of the problems of its steps.", resolved.solver,
        sourceOfPaneValue(scene, method.key, "solver", resolved.solver == suggested.solver));
  for (const ParameterSpec& spec : method.parameters) {
    ResolvedValue row{spec.key, spec.unit, spec.help, values.at(spec.key), sourceOf(scene, settings, spec),
                      "",       false,     {}};
    if (row.source == ValueSource::Paper) row.paper = spec.published;
    row.mayBeAutomatic = spec.mayBeAutomatic || row.isAutomatic();
    if (row.mayBeAutomatic) row.automatic = automaticValueOf(scene, method.key, spec.key, step);
    table.push_back(row);
  }
  for (const auto& [key, value] : settings.parameters)
    if (key.rfind(kDriveKey, 0) == 0)
      add(key.c_str(), "m or rad", "Target of the drive.", value, ValueSource::User);
  return table;
}

std::string sourceText(const ResolvedValue& value) {
  switch (value.source) {
    case ValueSource::User:
      return "user";
    case ValueSource::Scene:
      return "scene";
    case ValueSource::Paper:
      return value.paper;
    case ValueSource::Default:
      return "our default";
  }
  return {};
}

std::string valueText(const ResolvedValue& value) {
  const std::string unit = value.unit.empty() ? "" : " " + value.unit;
  if (!value.isAutomatic())
    return ((value.automatic && !value.mayBeAutomatic) ? std::string(kAutomatic) + ", " : "") +
           toString(value.value) + unit;
  if (!value.automatic) return std::string(kAutomatic) + ", for each contact";
  const std::string smallest = fourDigits(value.automatic->least),
                    largest = fourDigits(value.automatic->most);
  return std::string(kAutomatic) + ", " + (smallest == largest ? smallest : smallest + " … " + largest) +
         unit;
}

}  // namespace touchstone
