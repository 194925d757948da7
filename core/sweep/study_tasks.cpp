#include <algorithm>
#include <cmath>
#include <filesystem>

#include "core/conform/phenomenon.h"
#include "core/files/file_bytes.h"
#include "core/files/scene_error.h"
#include "core/run/settings_json.h"
#include "core/scene/frame_count.h"
#include "core/scene/scene_text.h"
#include "core/store/body_quantity.h"
#include "core/store/provenance.h"
#include "core/sweep/run_table.h"
#include "core/sweep/study.h"

namespace touchstone {

namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;
using Names = std::vector<std::pair<std::string, double>>;

/// Replaces every text that begins with = by the number that it is.
void evaluateIn(nlohmann::json& value, const Names& names) {
  if (value.is_structured())
    for (nlohmann::json& item : value) evaluateIn(item, names);
  if (!value.is_string() || value.get_ref<const std::string&>().rfind('=', 0) != 0) return;
  const std::string text = value.get<std::string>();
  const double number = evaluated(text.substr(1), names);
  if (!std::isfinite(number)) throw ExpressionError("'" + text + "': gives no number");
  value = number;
}

/// The tasks of a study, made point by point.
class Planner {
 public:
  Planner(const Study& study, const StudyPlaces& places) : m_study(study), m_places(places) {}

  std::vector<StudyTask> tasks() {
    std::vector<StudyTask> tasks;
    const std::vector<double> steps = m_study.dt.empty() ? std::vector<double>{0} : m_study.dt;
    for (int seed : m_study.seeds) {
      std::vector<std::size_t> at(m_study.axes.size(), 0);
      do {
        for (double dt : steps)
          for (std::size_t pane = 0; pane < m_study.panes.size(); ++pane)
            tasks.push_back(taskOf(pane, at, dt, seed));
      } while (next(at));
    }
    return tasks;
  }

 private:
  /// The next point; the last axis changes fastest. @return false after the last one
  bool next(std::vector<std::size_t>& at) const {
    for (std::size_t axis = at.size(); axis-- > 0;) {
      if (++at[axis] < m_study.axes[axis].points.size()) return true;
      at[axis] = 0;
    }
    return false;
  }

  StudyTask taskOf(std::size_t index, const std::vector<std::size_t>& at, double dt, int seed) {
    const StudyPane& pane = m_study.panes[index];
    StudyTask task;
    task.pane = index;
    task.dt = dt;
    task.time = m_study.time;
    task.seed = seed;
    task.settings = pane.settings;
    Names names(pane.constants.begin(), pane.constants.end());
    if (dt > 0) names.emplace_back("dt", dt);
    std::string scene = pane.scene.empty() ? m_study.scene : pane.scene;
    std::vector<StudyChange> changes;
    for (std::size_t axis = 0; axis < at.size(); ++axis) {
      const StudyAxis::Point& point = m_study.axes[axis].points[at[axis]];
      const std::vector<StudyChange>& common = m_study.axes[axis].common;
      task.point.push_back(point.value);
      if (const double* number = std::get_if<double>(&point.value))
        names.emplace_back(m_study.axes[axis].name, *number);
      changes.insert(changes.end(), common.begin(), common.end());
      changes.insert(changes.end(), point.changes.begin(), point.changes.end());
    }
    changes.insert(changes.end(), pane.changes.begin(), pane.changes.end());
    try {
      std::vector<SceneEdit> edits;
      for (const StudyChange& change : changes) apply(change, names, task, edits, scene);
      if (m_study.kind == StudyKind::Phenomenon)
        findPhenomenon(task);
      else if (m_study.kind != StudyKind::Formula && m_study.kind != StudyKind::PairPath)
        findScene(pane, scene, edits, task);
      task.hash = hashOfTask(pane, names, task);
    } catch (const ExpressionError& error) {
      throw SceneError(m_study.file, "sweep", error.what(), "axes, constants and dt can be used");
    } catch (const std::invalid_argument& error) {
      throw std::invalid_argument(m_study.file + ":panes '" + pane.label + "': " + error.what());
    }
    return task;
  }

  void apply(const StudyChange& change, const Names& names, StudyTask& task, std::vector<SceneEdit>& edits,
             std::string& scene) {
    nlohmann::json value = nlohmann::json::parse(change.value);
    evaluateIn(value, names);
    const auto number = [&]() {
      if (!value.is_number())
        throw SceneError(m_study.file, change.target, "must be a number",
                         "or a text with = and an expression");
      return value.get<double>();
    };
    if (change.target == "dt") {
      task.dt = number();
    } else if (change.target == "time") {
      task.time = number();
    } else if (change.target == "substeps") {
      task.settings.substeps = static_cast<int>(std::lround(number()));
    } else if (change.target == "solver" || change.target == "scene") {
      if (!value.is_string())
        throw SceneError(m_study.file, change.target, "must be a text", "name a " + change.target);
      (change.target == "solver" ? task.settings.solver : scene) = value.get<std::string>();
    } else if (change.target.rfind("scene/", 0) == 0) {
      edits.push_back({change.target.substr(6), value.dump()});
    } else {
      const std::string key = change.target.substr(std::string("parameters/").size());
      const MethodInfo* method = findMethod(task.settings.method);
      if (!isOfDrive(key) && (!method || !findParameter(*method, key))) return;
      if (value.is_number())
        task.settings.parameters[key] = value.get<double>();
      else if (value.is_boolean())
        task.settings.parameters[key] = value.get<bool>() ? 1.0 : 0.0;
      else if (value.is_string())
        task.settings.parameters[key] = value.get<std::string>();
      else
        throw SceneError(m_study.file, change.target, "is no value of a parameter",
                         "give a number or a text");
    }
  }

  void findPhenomenon(StudyTask& task) {
    for (std::size_t axis = 0; axis < m_study.axes.size(); ++axis)
      if (m_study.axes[axis].name == "phenomenon")
        if (const std::string* name = std::get_if<std::string>(&task.point[axis]))
          task.phenomenon = (fs::path(m_places.datasets) / "battery" / (*name + ".json")).string();
    if (task.phenomenon.empty())
      throw SceneError(m_study.file, "sweep", "has no axis 'phenomenon' of names",
                       "name phenomena of the conformance card");
  }

  void findScene(const StudyPane& pane, const std::string& name, const std::vector<SceneEdit>& edits,
                 StudyTask& task) {
    std::string key = name;
    for (const SceneEdit& edit : edits) key += "\n" + edit.path + "\n" + edit.value;
    std::shared_ptr<const Scene>& scene = m_scenes[key];
    if (!scene) {
      std::error_code ignored;
      const fs::path beside = fs::path(m_study.file).parent_path() / name;
      const std::string path = fs::is_regular_file(beside, ignored) ? beside.string() : m_places.scenes(name);
      if (edits.empty()) {
        scene = loadScene(path);
      } else {
        const SourceFile file = readSource(path, "give the path of a scene file");
        const std::string text = editedScene(path, *file.bytes, edits);
        scene = readScene(path, {hashOf(text), std::make_shared<const std::string>(text)});
      }
      checkSuggestions(*scene);
      for (const auto& column : m_study.columns) bodyQuantityOf(column.second, *scene);
    }
    task.scene = scene;
    if (task.dt == 0) task.dt = scene->dt;
    const MethodInfo* method = findMethod(task.settings.method);
    if (method && findParameter(*method, "on_failure") && !task.settings.parameters.count("on_failure"))
      task.settings.parameters["on_failure"] = pane.stopsOnFailure ? "stop" : "go-on";
    const std::string problem = refusal(*scene, task.settings);
    if (!problem.empty()) throw std::invalid_argument(problem);
    const std::string times = frameCountProblem(task.time, task.dt);
    if (!times.empty()) throw SceneError(m_study.file, "time", times, kFrameCountRemedy);
  }

  /// Hash of everything that affects the result of a run, which labels and titles do not. Another version may
  /// compute another result.
  std::string hashOfTask(const StudyPane& pane, const Names& names, const StudyTask& task) {
    Json json = m_version;
    json["kind"] = toString(m_study.kind);
    if (task.scene) {
      for (const auto& [file, source] : task.scene->sources) json["scene"][file] = source.hash;
      json["pane"] = toJson(settingsInForce(task));
    } else {
      json["pane"] = {task.phenomenon.empty() ? "" : hashOfPhenomenon(task.phenomenon),
                      m_study.kind == StudyKind::Phenomenon ? pane.label : "", names};
    }
    if (m_study.kind == StudyKind::Formula) json["grid"] = m_study.grid;
    json["dt_s"] = task.dt;
    json["time_s"] = task.time;
    json["crash_speed"] = m_study.crashSpeed;
    json["stops"] = pane.stopsOnFailure;
    json["seed"] = task.seed;
    if (task.seed != 0)
      json["variation"] = {m_study.variation.position, m_study.variation.angle, m_study.variation.spin};
    for (const auto& column : m_study.columns) json["columns"].push_back({column.first, column.second});
    for (const auto& column : m_study.derived) json["derived"].push_back({column.first, column.second});
    for (const StudyQuantity& quantity : m_study.quantities)
      json["quantities"].push_back({quantity.expression, quantity.isSeries ? quantity.x : "",
                                    quantity.runs.empty() || isAsked(m_study, quantity, task)});
    return hashOf(json.dump());
  }

  /// Of its file and of all scenes and meshes that it names.
  const std::string& hashOfPhenomenon(const std::string& file) {
    std::string& hash = m_phenomena[file];
    if (!hash.empty()) return hash;
    const std::string scenes = (fs::path(file).parent_path().parent_path() / "scenes").string();
    std::string all = hashOf(readFile(file, "name a phenomenon"));
    const Phenomenon phenomenon = loadPhenomenon(file, scenes);
    for (const PhenomenonRun& run : phenomenon.runs) {
      const std::shared_ptr<const Scene> scene = loadScene(run.scene);
      for (const auto& [name, source] : scene->sources) all += name + source.hash;
    }
    return hash = hashOf(all);
  }

  static Json versionOf() {
    const Json version = provenance();
    return {{"version", version.at("version")}, {"commit", version.at("commit")}};
  }

  const Study& m_study;
  const StudyPlaces& m_places;
  const Json m_version = versionOf();
  std::map<std::string, std::shared_ptr<const Scene>> m_scenes;
  std::map<std::string, std::string> m_phenomena;  ///< hashes by file
};

}  // namespace

PaneSettings settingsInForce(const StudyTask& task) {
  PaneSettings settings = task.settings;
  resolve(*task.scene, settings);
  const ParameterValues given = settings.parameters;
  settings.parameters = valuesInForce(*task.scene, settings);
  for (const auto& [key, value] : given)
    if (isOfDrive(key)) settings.parameters[key] = value;
  return settings;
}

std::vector<StudyTask> tasksOf(const Study& study, const StudyPlaces& places) {
  return Planner(study, places).tasks();
}

}  // namespace touchstone
