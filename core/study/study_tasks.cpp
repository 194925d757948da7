#include <algorithm>
#include <cmath>
#include <filesystem>

#include "core/conform/phenomenon.h"
#include "core/files/file_bytes.h"
#include "core/files/inner_path.h"
#include "core/files/json_view.h"
#include "core/files/scene_error.h"
#include "core/files/text_forms.h"
#include "core/robot/scene_readers.h"
#include "core/run/pane_name.h"
#include "core/run/settings_json.h"
#include "core/scene/frame_count.h"
#include "core/scene/scene_file.h"
#include "core/store/body_quantity.h"
#include "core/store/provenance.h"
#include "core/study/run_table.h"
#include "core/study/study.h"

namespace touchstone {

namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;
using Names = std::vector<std::pair<std::string, double>>;

/// The expressions of a task, over one table that is made for the first of them.
class TaskExpressions {
 public:
  TaskExpressions(const Names& names, const std::shared_ptr<ExpressionBudget>& budget)
      : m_names(names), m_budget(budget) {}
  double value(const std::string& expression) {
    if (!m_table) m_table = tableOfNumbers(m_names, m_budget);
    return m_table->number(expression);
  }

 private:
  const Names& m_names;
  std::shared_ptr<ExpressionBudget> m_budget;
  std::unique_ptr<ExpressionTable> m_table;
};

/// Replaces every text that begins with = by the number that it is.
void evaluateIn(nlohmann::json& value, TaskExpressions& expressions) {
  if (value.is_structured())
    for (nlohmann::json& item : value) evaluateIn(item, expressions);
  if (!value.is_string() || value.get_ref<const std::string&>().rfind('=', 0) != 0) return;
  const std::string text = value.get<std::string>();
  const double number = expressions.value(text.substr(1));
  if (!std::isfinite(number)) throw ExpressionError("'" + text + "': gives no number");
  value = number;
}

/// The tasks of a study, made point by point.
class Planner {
 public:
  Planner(const Study& study, const StudyPlaces& places) : m_study(study), m_places(places) {}

  std::vector<StudyTask> tasks() {
    std::vector<StudyTask> tasks;
    std::vector<Place> places;  ///< [tasks]
    const std::vector<double> steps = m_study.dt.empty() ? std::vector<double>{0} : m_study.dt;
    for (int seed : m_study.seeds) {
      std::vector<std::size_t> point(m_study.axes.size(), 0);
      do {
        for (double dt : steps)
          for (std::size_t pane = 0; pane < m_study.panes.size(); ++pane) {
            places.push_back({point, dt});
            tasks.push_back(taskOf(pane, places.back(), seed));
          }
      } while (next(point));
    }
    addControls(tasks, places);
    return tasks;
  }

 private:
  /// True for the kinds whose runs are simulations of the study's scene.
  bool simulates() const {
    return m_study.kind != StudyKind::Formula && m_study.kind != StudyKind::PairPath &&
           m_study.kind != StudyKind::Phenomenon;
  }
  struct Place {
    std::vector<std::size_t> points;  ///< [axes] points
    double dt;                        ///< s; 0: the scene's
  };
  /// A control of an acceptance, and the run that it changes.
  struct Perturbed {
    int acceptance, control;
    double dt;  ///< s, of the run
  };

  /// The next point; the last axis changes fastest. @return false after the last one
  bool next(std::vector<std::size_t>& point) const {
    for (std::size_t axis = point.size(); axis-- > 0;) {
      if (++point[axis] < m_study.axes[axis].points.size()) return true;
      point[axis] = 0;
    }
    return false;
  }

  /// Adds the perturbed runs of each control.
  void addControls(std::vector<StudyTask>& tasks, const std::vector<Place>& places) {
    const std::size_t count = tasks.size();
    for (std::size_t acceptance = 0; acceptance < m_study.acceptances.size(); ++acceptance) {
      const std::vector<StudyControl>& controls = m_study.acceptances[acceptance].controls;
      for (std::size_t index = 0; index < controls.size(); ++index) {
        if (controls[index].changes.empty()) continue;
        const std::size_t before = tasks.size();
        for (std::size_t task = 0; task < count; ++task) {
          if (!isChanged(controls[index], tasks[task])) continue;
          const Perturbed perturbed{static_cast<int>(acceptance), static_cast<int>(index), tasks[task].dt};
          tasks.push_back(taskOf(tasks[task].pane, places[task], tasks[task].seed, &perturbed));
        }
        if (tasks.size() == before)
          throw SceneError(m_study.file, "accept",
                           "has a control '" + controls[index].what + "' that changes no run",
                           "mend its panes or runs");
      }
    }
  }

  bool isChanged(const StudyControl& control, const StudyTask& task) const {
    const std::string& label = m_study.panes[task.pane].label;
    return (control.panes.empty() ||
            std::find(control.panes.begin(), control.panes.end(), label) != control.panes.end()) &&
           isOf(m_study, control.runs, task, m_budget);
  }

  /// @param perturbed  null: a run of the study
  StudyTask taskOf(std::size_t index, const Place& place, int seed, const Perturbed* perturbed = nullptr) {
    const StudyPane& pane = m_study.panes[index];
    StudyTask task;
    task.pane = index;
    if (perturbed) {
      task.acceptance = perturbed->acceptance;
      task.control = perturbed->control;
      task.statedDt = perturbed->dt;
    }
    task.dt = place.dt;
    task.time = m_study.time;
    task.seed = seed;
    task.settings = pane.settings;
    task.constants = pane.constants;
    std::string scene = pane.scene.empty() ? m_study.scene : pane.scene;
    std::vector<StudyChange> changes;
    for (std::size_t axis = 0; axis < place.points.size(); ++axis) {
      const StudyAxis::Point& point = m_study.axes[axis].points[place.points[axis]];
      const std::vector<StudyChange>& common = m_study.axes[axis].common;
      task.point.push_back(point.value);
      if (const double* number = std::get_if<double>(&point.value))
        task.constants[m_study.axes[axis].name] = *number;
      changes.insert(changes.end(), common.begin(), common.end());
      changes.insert(changes.end(), point.changes.begin(), point.changes.end());
    }
    changes.insert(changes.end(), pane.changes.begin(), pane.changes.end());
    try {
      std::vector<SceneEdit> edits;
      if (perturbed)
        perturb(m_study.acceptances[perturbed->acceptance].controls[perturbed->control], task, changes);
      Names names(task.constants.begin(), task.constants.end());
      if (place.dt > 0) names.emplace_back("dt", place.dt);
      TaskExpressions expressions(names, m_budget);
      for (const StudyChange& change : changes) apply(change, expressions, task, edits, scene);
      if (m_study.kind == StudyKind::Phenomenon)
        findPhenomenon(task);
      else if (simulates())
        findScene(pane, scene, edits, task);
      task.hash = hashOfTask(pane, task);
    } catch (const ExpressionError& error) {
      throw SceneError(m_study.file, "sweep", error.what(), "axes, constants and dt can be used");
    } catch (const std::invalid_argument& error) {
      throw std::invalid_argument(m_study.file + ":panes '" + pane.label + "': " + error.what());
    }
    return task;
  }

  void apply(const StudyChange& change, TaskExpressions& expressions, StudyTask& task,
             std::vector<SceneEdit>& edits, std::string& scene) {
    const bool isOfPane = change.target == "substeps" || change.target == "solver" ||
                          change.target.rfind("parameters/", 0) == 0;
    if (!simulates() && !(m_study.kind == StudyKind::Phenomenon && isOfPane))
      throw SceneError(m_study.file, change.target,
                       std::string("has no effect in a study of kind ") + toString(m_study.kind),
                       "remove it, or use its axis and constants in expressions");
    nlohmann::json value = nlohmann::json::parse(change.value);
    evaluateIn(value, expressions);
    const auto fail = [&](const std::string& problem, const std::string& remedy) {
      throw SceneError(m_study.file, "sweep." + change.target, problem, remedy);
    };
    const auto number = [&]() {
      if (!value.is_number()) fail("must be a number", "or a text with = and an expression");
      return value.get<double>();
    };
    const auto seconds = [&](double maximum) {
      const double span = number();
      if (!(span > 0 && span <= maximum))
        fail("must be above 0 and at most " + csvNumber(maximum) + " s, is " + csvNumber(span),
             "correct the value or the expression");
      return span;
    };
    if (change.target == "dt") {
      task.dt = seconds(kLongestStep);
    } else if (change.target == "time") {
      task.time = seconds(static_cast<double>(kMostFrames) * kLongestStep);
    } else if (change.target == "method") {
      setMethod(value, task.settings);
    } else if (change.target == "substeps") {
      const std::string problem = substepsProblem(number());
      if (!problem.empty()) fail(problem, "correct the value or the expression");
      applyKey(change.target, number(), task.settings);
    } else if (change.target == "solver" || change.target == "scene") {
      if (!value.is_string()) fail("must be a text", "name a " + change.target);
      const std::string text = value.get<std::string>();
      if (change.target == "solver")
        applyKey(change.target, text, task.settings);
      else
        scene = text;
    } else if (change.target.rfind("scene/", 0) == 0) {
      edits.push_back({change.target.substr(6), value.dump()});
    } else {
      const std::string key = change.target.substr(std::string("parameters/").size());
      const MethodInfo* method = findMethod(task.settings.method);
      if (!isOfDrive(key) && (!method || !findParameter(*method, key))) return;
      if (value.is_number())
        applyKey(key, value.get<double>(), task.settings);
      else if (value.is_boolean())
        applyKey(key, std::string(value.get<bool>() ? kTrue : kFalse), task.settings);
      else if (value.is_string())
        applyKey(key, value.get<std::string>(), task.settings);
      else
        fail("is no value of a parameter", "give a number, a text, true or false");
    }
  }

  /// Adds the changes of a control; those of constants are in force before any expression.
  void perturb(const StudyControl& control, StudyTask& task, std::vector<StudyChange>& changes) const {
    const std::string constant = "constants/";
    const Names before(task.constants.begin(), task.constants.end());
    TaskExpressions expressions(before, m_budget);
    for (const StudyChange& change : control.changes) {
      if (change.target.rfind(constant, 0) != 0) {
        changes.push_back(change);
        continue;
      }
      nlohmann::json value = nlohmann::json::parse(change.value);
      evaluateIn(value, expressions);
      if (!value.is_number())
        throw SceneError(m_study.file, change.target, "must be a number",
                         "or a text with = and an expression");
      task.constants[change.target.substr(constant.size())] = value.get<double>();
    }
  }

  /// Another method keeps those parameters that it has.
  void setMethod(const nlohmann::json& value, PaneSettings& settings) const {
    const MethodInfo* method = value.is_string() ? findMethod(value.get<std::string>()) : nullptr;
    if (!method) throw SceneError(m_study.file, "method", "is no method", "touchstone-cli list names them");
    settings.method = value.get<std::string>();
    settings.solver.clear();
    for (auto parameter = settings.parameters.begin(); parameter != settings.parameters.end();)
      parameter = isOfDrive(parameter->first) || findParameter(*method, parameter->first)
                      ? std::next(parameter)
                      : settings.parameters.erase(parameter);
  }

  void findPhenomenon(StudyTask& task) {
    for (std::size_t axis = 0; axis < m_study.axes.size(); ++axis)
      if (m_study.axes[axis].name == "phenomenon")
        if (const std::string* name = std::get_if<std::string>(&task.point[axis]); name && isPlainName(*name))
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
      const fs::path folder = fs::path(m_study.file).parent_path(), beside = folder / name;
      if ((!name.empty() && !staysBelow(name)) || (fs::exists(beside, ignored) && !liesIn(folder, beside)))
        throw SceneError(m_study.file, "scene", "'" + name + "' lies outside the folder of the study",
                         "put the scene into that folder, or name a shipped one");
      const bool isBeside = fs::is_regular_file(beside, ignored);
      if (!isBeside && fs::path(name).has_parent_path())
        throw SceneError(m_study.file, "scene", "'" + name + "' is not in the folder of the study",
                         "put the scene there, or name a shipped one");
      const std::string path = isBeside ? beside.string() : m_places.scenes(name);
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
    task.settings = completed(task.settings, *scene);
    if (task.dt == 0) task.dt = scene->dt;
    if (task.control < 0) task.statedDt = task.dt;
    const MethodInfo* method = findMethod(task.settings.method);
    if (method && findParameter(*method, "on_failure") && !task.settings.parameters.count("on_failure"))
      task.settings.parameters["on_failure"] = pane.stopsOnFailure ? "stop" : "go-on";
    takePublishedForms(task.settings);
    const std::string problem = refusal(*scene, task.settings);
    if (!problem.empty()) throw std::invalid_argument(problem);
    const std::string times = frameCountProblem(task.time, task.dt);
    if (!times.empty()) throw SceneError(m_study.file, "time", times, kFrameCountRemedy);
  }

  /// Hash of everything that affects the result of a run, which labels and titles do not. Another version may
  /// compute another result.
  std::string hashOfTask(const StudyPane& pane, const StudyTask& task) {
    Json json = m_version;
    json["kind"] = toString(m_study.kind);
    if (task.scene) {
      for (const auto& [file, source] : task.scene->sources) json["scene"][file] = source.hash;
      json["pane"] = toJson(inForce(*task.scene, task.settings));
    } else {
      json["pane"] = {task.phenomenon.empty() ? "" : hashOfPhenomenon(task.phenomenon),
                      m_study.kind == StudyKind::Phenomenon ? wordsOf(task.settings) : "", task.constants};
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
    const std::vector<bool> asked = askedOf(m_study, task, m_budget);
    for (std::size_t k = 0; k < asked.size(); ++k) {
      const StudyQuantity& quantity = m_study.quantities[k];
      json["quantities"].push_back(
          {quantity.expression, quantity.isSeries ? quantity.x : "", static_cast<bool>(asked[k])});
    }
    return hashOf(json.dump());
  }

  /// Hash of the file of a phenomenon, and of all scenes and meshes that it names.
  const std::string& hashOfPhenomenon(const std::string& file) {
    std::string& hash = m_phenomena[file];
    if (!hash.empty()) return hash;
    const std::string scenes = (fs::path(file).parent_path().parent_path() / "scenes").string();
    std::string hashes = hashOf(readFile(file, "name a phenomenon"));
    const Phenomenon phenomenon = loadPhenomenon(file, scenes);
    for (const PhenomenonRun& run : phenomenon.runs) {
      const std::shared_ptr<const Scene> scene = loadScene(run.scene);
      for (const auto& [name, source] : scene->sources) hashes += name + source.hash;
    }
    return hash = hashOf(hashes);
  }

  static Json versionOf() {
    const Json version = provenance();
    return {{"version", version.at("version")}, {"commit", version.at("commit")}};
  }

  const Study& m_study;
  const StudyPlaces& m_places;
  const Json m_version = versionOf();
  const std::shared_ptr<ExpressionBudget> m_budget =
      std::make_shared<ExpressionBudget>(ExpressionBudget::Clock::Wall);
  std::map<std::string, std::shared_ptr<const Scene>> m_scenes;
  std::map<std::string, std::string> m_phenomena;  ///< hashes by file
};

}  // namespace

std::vector<StudyTask> tasksOf(const Study& study, const StudyPlaces& places) {
  return Planner(study, places).tasks();
}

}  // namespace touchstone
