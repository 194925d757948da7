#include "core/conform/phenomenon.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include "core/conform/column.h"
#include "core/conform/references.h"
#include "core/conform/trajectory_quantity.h"
#include "core/contact/method_info.h"
#include "core/files/file_bytes.h"
#include "core/files/inner_path.h"
#include "core/files/json_file.h"
#include "core/files/json_view.h"
#include "core/files/listed.h"
#include "core/files/text_forms.h"
#include "core/run/pane_name.h"
#include "core/scene/frame_count.h"
#include "core/scene/scene.h"
#include "core/scene/scene_file.h"

namespace touchstone {

namespace {

namespace fs = std::filesystem;

/// Largest number of runs, measures and controls of a phenomenon. More never end; fewer refuse a sweep.
constexpr std::size_t kMostItems = 200;
constexpr char kGuide[] = "add it; datasets/README.md describes the format";

const std::vector<std::string> kQueryMembers = {"body",  "other",  "axis",   "point", "from", "to",    "at",
                                                "value", "radius", "number", "which", "add",  "divide"};

bool contains(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

/// Reads the members of a query that are there, over those that it has.
void readQuery(const JsonView& view, QuantityQuery& query) {
  const TrajectoryQuantity& quantity = *findTrajectoryQuantity(query.quantity);
  for (const std::string& member : kQueryMembers) {
    if (!view.has(member.c_str()) || member == "add" || member == "divide") continue;
    if (!contains(quantity.required, member) && !contains(quantity.optional, member))
      view.at(member.c_str())
          .fail("is no member of the quantity " + quantity.key, "it has " + listed(quantity.required) +
                                                                    (quantity.optional.empty() ? "" : ", ") +
                                                                    listed(quantity.optional));
  }
  query.body = view.textOr("body", query.body);
  query.other = view.textOr("other", query.other);
  if (view.has("axis")) {
    const Vec3 axis = view.at("axis").vector();
    if (axis.norm() == 0) view.at("axis").fail("is 0", "give a direction");
    query.axis = axis.normalized();
  }
  if (view.has("point")) query.point = view.at("point").vector();
  const auto number = [&view](const char* key, double& value) {
    if (view.has(key)) value = view.at(key).number();
  };
  for (const char* key : {"from", "to", "at"})
    if (view.has(key)) view.at(key).nonNegative();
  number("from", query.from);
  number("to", query.to);
  number("at", query.at);
  number("value", query.value);
  number("add", query.add);
  number("divide", query.divide);
  if (query.divide == 0) view.at("divide").fail("is 0", "give another number");
  if (view.has("radius")) query.radius = view.at("radius").positive();
  if (view.has("number")) query.number = view.at("number").integer(-1, 1'000'000);
  if (view.has("which")) query.which = view.at("which").oneOf(quantity.choices);
  if (query.to != QuantityQuery::kEnd && query.to < query.from)
    view.at(view.has("to") ? "to" : "from").fail("ends before it begins", "give from ≤ to");
}

Tolerance toleranceOf(const JsonView& view) {
  view.requireObject();
  view.allowOnly({"absolute", "relative"});
  if (!view.has("absolute") && !view.has("relative"))
    view.fail("gives neither an absolute nor a relative tolerance", "give one that is greater than 0");
  Tolerance tolerance;
  if (view.has("absolute")) tolerance.absolute = view.at("absolute").positive();
  if (view.has("relative")) tolerance.relative = view.at("relative").positive();
  return tolerance;
}

ModelAnswer modelOf(const JsonView& view, const QuantityQuery& query) {
  ModelAnswer answer;
  if (view.json().is_number()) {
    answer.value = view.number();
    return answer;
  }
  view.requireObject();
  std::vector<std::string> known = {"value_of_model", "recorded_value", "recorded_failure", "source",
                                    "closed_form",    "arguments",      "tolerance"};
  known.insert(known.end(), kQueryMembers.begin(), kQueryMembers.end());
  view.allowOnly(known);
  if (view.has("closed_form")) {
    const JsonView form = view.at("closed_form");
    answer.closedForm = form.text();
    const ClosedForm* found = findClosedForm(answer.closedForm);
    if (!found) {
      std::vector<std::string> keys;
      for (const ClosedForm& form : closedFormTable()) keys.push_back(form.key);
      form.fail("'" + answer.closedForm + "' is no closed form", "choose one of " + listed(keys));
    }
    const JsonView arguments = view.at("arguments");
    arguments.requireObject();
    arguments.allowOnly(found->arguments);
    for (const std::string& key : found->arguments)
      answer.arguments[key] = arguments.at(key.c_str()).number();
  } else if (view.has("recorded_value") || view.has("recorded_failure")) {
    answer.isRecorded = true;
    if (view.has("recorded_value")) answer.value = view.at("recorded_value").number();
    if (view.has("recorded_failure")) answer.failure = view.at("recorded_failure").text();
    answer.source = view.at("source").text();
  } else {
    answer.value = view.at("value_of_model").number();
  }
  if (view.has("tolerance")) answer.tolerance = view.at("tolerance").positive();
  const bool isAsked = std::any_of(kQueryMembers.begin(), kQueryMembers.end(),
                                   [&](const std::string& key) { return view.has(key.c_str()); });
  if (isAsked) {
    answer.query = query;
    readQuery(view, *answer.query);
  }
  return answer;
}

/// A place in a scene's file and what comes there, or a parameter of columns.
void readSet(const JsonView& view, std::vector<SceneEdit>& edits, ParameterValues* parameters) {
  view.requireObject();
  for (const auto& [key, value] : view.members(kMostItems)) {
    if (key.find('/') != std::string::npos || key == "gravity" || key == "materials") {
      edits.push_back({key, value.json().dump()});
      continue;
    }
    const auto has = [&key = key](const MethodInfo& method) { return findParameter(method, key); };
    if (!parameters || std::none_of(methodTable().begin(), methodTable().end(), has))
      value.fail("is neither a parameter of a method nor a place in the scene's file",
                 "places have slashes: materials/NAME/friction");
    if (value.json().is_string())
      (*parameters)[key] = value.text();
    else
      (*parameters)[key] = value.number();
  }
}

/// A scene beside the phenomenon, in its folder "scenes", or a shipped one by name.
std::string sceneFile(const JsonView& view, const std::string& scenes) {
  const std::string name = view.text();
  const fs::path folder = fs::path(view.file()).parent_path();
  const char* const inside = "put the scene into that folder, or name a shipped one";
  if (!name.empty() && !staysBelow(name))
    view.fail("'" + name + "' lies outside the folder of the phenomenon", inside);
  // A phenomenon and its scene may have one name: the scene lies in a folder of its own.
  const fs::path places[] = {folder / "scenes" / name, folder / name, fs::path(scenes) / name,
                             fs::path(scenes) / (name + ".json")};
  for (const fs::path& place : places) {
    std::error_code ignored;
    if (!fs::is_regular_file(place, ignored)) continue;
    if (!liesIn(folder, place) && (scenes.empty() || !liesIn(scenes, place)))
      view.fail("'" + name + "' leads out of the folder of the phenomenon", inside);
    return place.string();
  }
  view.fail("there is no such scene",
            "give a path from the phenomenon's folder, or the name of a shipped scene");
}

std::shared_ptr<const Scene> sceneOf(const PhenomenonRun& run) {
  const SourceFile file = readSource(run.scene, "give the path of a scene file");
  const std::string text = editedScene(run.scene, *file.bytes, run.edits);
  return readScene(run.scene, {hashOf(text), std::make_shared<const std::string>(text)});
}

/// The same; a change with which the scene is refused is named by its place in the phenomenon.
/// @param set   holds the last changes, from `firstEdit` on
std::shared_ptr<const Scene> sceneOf(const PhenomenonRun& run, std::size_t firstEdit, const JsonView& set) {
  std::string problem;
  try {
    return sceneOf(run);
  } catch (const SceneError& error) {
    problem = error.what();
  }
  PhenomenonRun part = run;
  part.edits.resize(firstEdit);
  for (std::size_t edit = firstEdit; edit < run.edits.size(); ++edit) {
    part.edits.push_back(run.edits[edit]);
    try {
      sceneOf(part);
    } catch (const SceneError& error) {
      set.at(part.edits.back().path.c_str())
          .fail("gives no scene (" + std::string(error.what()) + ")", "correct it");
    }
  }
  set.fail("gives no scene (" + problem + ")", "correct it");
}

PhenomenonRun runOf(const JsonView& view, const std::string& scenes) {
  view.allowOnly({"id", "scene", "dt", "time", "substeps", "set", "without"});
  PhenomenonRun run;
  run.id = view.at("id").text();
  if (!std::all_of(run.id.begin(), run.id.end(),
                   [](unsigned char c) { return std::isalnum(c) || c == '-' || c == '_' || c == '.'; }) ||
      run.id.empty())
    view.at("id").fail("must be letters, digits, - _ and .", "it becomes part of the name of a folder");
  run.scene = sceneFile(view.at("scene"), scenes);
  if (view.has("dt")) run.dt = view.at("dt").positive();
  if (view.has("time")) run.time = view.at("time").positive();
  if (view.has("substeps")) run.substeps = view.at("substeps").integer(1, 100'000);
  if (view.has("set")) readSet(view.at("set"), run.edits, &run.parameters);
  if (view.has("without"))
    for (const auto& [name, why] : view.at("without").members(kMostItems)) {
      const PaneSettings pane = paneNamed(name);
      const MethodInfo* method = findMethod(pane.method);
      if (!method) why.fail("is no method", "touchstone-cli list names them");
      if (!pane.solver.empty() && !contains(method->solvers, pane.solver))
        why.fail("names no solver of its method", "touchstone-cli list names them");
      run.without[name] = why.text();
    }
  return run;
}

void requireBody(const JsonView& view, const char* key, const std::string& name, const Scene& scene) {
  if (name.empty()) return;
  std::vector<std::string> names;
  for (const Body& body : scene.bodies) names.push_back(body.name);
  if (contains(names, name)) return;
  const std::string nearest = nearestName(name, names);
  view.at(key).fail("the scene " + scene.name + " has no body '" + name + "'",
                    nearest.empty() ? "it has " + listed(names) : "did you mean '" + nearest + "'?");
}

using Scenes = std::map<std::string, std::shared_ptr<const Scene>>;

Measure measureOf(const JsonView& view, const Scenes& scenes) {
  std::vector<std::string> known = {"id",        "title",   "run",      "runs",    "quantity", "unit",
                                    "exact",     "why",     "formula",  "models",  "not_for",  "polyhedral",
                                    "tolerance", "at_most", "at_least", "because", "only_for"};
  known.insert(known.end(), kQueryMembers.begin(), kQueryMembers.end());
  view.allowOnly(known);
  Measure measure;
  measure.id = view.at("id").text();
  measure.title = view.textOr("title", measure.id);
  const JsonView quantity = view.at("quantity");
  measure.query.quantity = quantity.text();
  const TrajectoryQuantity* found = findTrajectoryQuantity(measure.query.quantity);
  if (!found) {
    std::vector<std::string> keys;
    for (const TrajectoryQuantity& quantity : trajectoryQuantityTable()) keys.push_back(quantity.key);
    quantity.fail("'" + measure.query.quantity + "' is no quantity", "choose one of " + listed(keys));
  }
  const auto addRun = [&](const JsonView& run) {
    measure.runs.push_back(run.text());
    if (scenes.count(measure.runs.back()) == 0)
      run.fail("there is no run '" + measure.runs.back() + "'", "name one of \"runs\"");
  };
  const bool isOfSeveral = found->key == "self_convergence";
  if (isOfSeveral) {
    for (const JsonView& run : view.at("runs").items(kMostItems)) addRun(run);
    if (measure.runs.size() < 3) view.at("runs").fail("are fewer than three", "name at least three runs");
  } else {
    addRun(view.at("run"));
  }
  if (const char* unread = isOfSeveral ? "run" : "runs"; view.has(unread))
    view.at(unread).fail("is no member of the quantity " + found->key,
                         std::string("give ") + (isOfSeveral ? "runs" : "run"));
  for (const std::string& member : found->required) view.at(member.c_str());
  readQuery(view, measure.query);
  for (const std::string& run : measure.runs) {
    requireBody(view, "body", measure.query.body, *scenes.at(run));
    requireBody(view, "other", measure.query.other, *scenes.at(run));
  }
  measure.unit = view.textOr("unit", found->unit);
  measure.formula = view.textOr("formula", "");
  measure.why = view.textOr("why", "");
  if (view.has("polyhedral")) measure.polyhedral = view.at("polyhedral").boolean();
  if (view.has("exact")) {
    measure.exact = view.at("exact").number();
    measure.tolerance = toleranceOf(view.at("tolerance"));
    if (measure.tolerance.of(*measure.exact) <= 0)
      view.at("tolerance").fail("is 0 for the answer 0", "give an absolute one");
  }
  const auto bound = [&](const char* key, std::optional<double>& value) {
    if (!view.has(key)) return;
    value = view.at(key).number();
    if (view.has("exact")) view.at(key).fail("stands beside an exact answer", "remove one of the two");
    if (view.has("tolerance")) measure.tolerance = toleranceOf(view.at("tolerance"));
  };
  bound("at_most", measure.atMost);
  bound("at_least", measure.atLeast);
  if (view.has("tolerance") && !measure.exact && !measure.atMost && !measure.atLeast)
    view.at("tolerance").fail("is of no answer", "give exact, at_most or at_least, or remove it");
  const auto requireModel = [](const JsonView& source, const std::string& word) {
    if (!isModelWord(word))
      source.fail("is no model of a column", "name a method, or one of " + listed(modelWords()));
  };
  if (view.has("models"))
    for (const auto& [word, answer] : view.at("models").members(kMostItems)) {
      requireModel(answer, word);
      measure.models[word] = modelOf(answer, measure.query);
    }
  const auto readReasons = [&](const char* key, std::map<std::string, std::string>& reasons) {
    if (!view.has(key)) return;
    for (const auto& [word, why] : view.at(key).members(kMostItems)) {
      requireModel(why, word);
      reasons[word] = why.text();
    }
  };
  readReasons("not_for", measure.notFor);
  readReasons("only_for", measure.onlyFor);
  readReasons("because", measure.because);
  return measure;
}

Control controlOf(const JsonView& view, const Phenomenon& phenomenon) {
  view.allowOnly({"set", "exact", "turns"});
  Control control;
  if (view.has("set")) readSet(view.at("set"), control.edits, nullptr);
  const auto require = [&](const JsonView& name, const std::string& id) {
    if (std::none_of(phenomenon.measures.begin(), phenomenon.measures.end(),
                     [&](const Measure& measure) { return measure.id == id; }))
      name.fail("there is no measure '" + id + "'", "name one of \"measures\"");
  };
  if (view.has("exact"))
    for (const auto& [id, answer] : view.at("exact").members(kMostItems)) {
      require(answer, id);
      control.exact[id] = answer.number();
    }
  for (const JsonView& id : view.at("turns").items(kMostItems)) {
    require(id, id.text());
    control.turns.push_back(id.text());
  }
  if (control.edits.empty() && control.exact.empty()) view.fail("changes nothing", "give set or exact");
  if (control.turns.empty()) view.at("turns").fail("is empty", "name the measures that the change must turn");
  return control;
}

/// Refuses a reason that stands for the number of a measure that there is not.
void requireNumbersOfReasons(const JsonView& views, const std::vector<Measure>& measures) {
  std::size_t index = 0;
  for (const JsonView& view : views.items(kMostItems))
    for (const auto& [word, text] : measures[index++].because)
      for (std::size_t begin = text.find('{'); begin != std::string::npos;
           begin = text.find('{', begin + 1)) {
        const std::string id = text.substr(begin + 1, text.find('}', begin) - begin - 1);
        const auto isNamed = [&id = id](const Measure& measure) { return measure.id == id; };
        if (std::none_of(measures.begin(), measures.end(), isNamed))
          view.at("because")
              .at(word.c_str())
              .fail("there is no measure '" + id + "'", "name one of \"measures\" in {}");
      }
}

template <class Item>
void requireNewId(const JsonView& view, const std::vector<Item>& items, const std::string& id) {
  if (std::any_of(items.begin(), items.end(), [&](const Item& item) { return item.id == id; }))
    view.at("id").fail("is used twice", "rename one");
}

/// The member of an object, or the item of an array by its number or its "name"; null: there is none.
nlohmann::json* stepInto(nlohmann::json& json, const std::string& key) {
  if (json.is_object()) return json.contains(key) ? &json[key] : nullptr;
  if (!json.is_array()) return nullptr;
  for (nlohmann::json& item : json)
    if (item.is_object() && item.contains("name") && item["name"] == key) return &item;
  char* end = nullptr;
  const unsigned long index = std::strtoul(key.c_str(), &end, 10);
  return !key.empty() && *end == '\0' && index < json.size() ? &json[index] : nullptr;
}

void removeFrom(nlohmann::json& json, const std::string& key) {
  if (json.is_object()) {
    json.erase(key);
    return;
  }
  for (std::size_t index = 0; index < json.size(); ++index)
    if (&json[index] == stepInto(json, key)) {
      json.erase(index);
      return;
    }
}

}  // namespace

const PhenomenonRun& Phenomenon::run(const std::string& id) const {
  return *std::find_if(runs.begin(), runs.end(), [&](const PhenomenonRun& run) { return run.id == id; });
}

std::string editedScene(const std::string& file, const std::string& text,
                        const std::vector<SceneEdit>& edits) {
  if (edits.empty()) return text;
  nlohmann::json document = parseJson(text, file);
  for (const SceneEdit& edit : edits) {
    nlohmann::json* place = &document;
    std::string rest = edit.path, key = rest.substr(0, rest.find('/'));
    while (rest.size() > key.size()) {
      place = stepInto(*place, key);
      if (!place) break;
      rest = rest.substr(key.size() + 1);
      key = rest.substr(0, rest.find('/'));
    }
    const nlohmann::json value = nlohmann::json::parse(edit.value);
    nlohmann::json* member = place ? stepInto(*place, key) : nullptr;
    if (!place || (!member && !place->is_object()))
      throw SceneError(file, edit.path, "there is no such place", "name members and items as the file does");
    if (value.is_null())
      removeFrom(*place, key);
    else if (member)
      *member = value;
    else
      (*place)[key] = value;
  }
  return document.dump(1);
}

Phenomenon loadPhenomenon(const std::string& path, const std::string& scenesFolder) {
  const nlohmann::json document = readJson(path, "give the path of a phenomenon file");
  const JsonView root(document, path, kGuide);
  root.allowOnly({"touchstone_phenomenon", "name", "number", "group", "title", "question", "source",
                  "not_shown", "primary", "runs", "measures", "controls"});
  root.at("touchstone_phenomenon").integer(1, 1);
  Phenomenon phenomenon;
  phenomenon.file = path;
  phenomenon.name = root.at("name").text();
  if (!isPlainName(phenomenon.name))
    root.at("name").fail("must be 1 to 100 letters, digits, - and _", "it becomes the name of a folder");
  phenomenon.number = root.textOr("number", "");
  phenomenon.group = root.textOr("group", "");
  phenomenon.title = root.at("title").text();
  phenomenon.question = root.textOr("question", "");
  phenomenon.source = root.textOr("source", "");
  phenomenon.notShown = root.textOr("not_shown", "");
  Scenes scenes;
  for (const JsonView& view : root.at("runs").items(kMostItems)) {
    const PhenomenonRun run = runOf(view, scenesFolder);
    requireNewId(view, phenomenon.runs, run.id);
    scenes[run.id] = run.edits.empty() ? sceneOf(run) : sceneOf(run, 0, view.at("set"));
    const Scene& scene = *scenes[run.id];
    const std::string problem =
        frameCountProblem(run.time > 0 ? run.time : scene.duration, run.dt > 0 ? run.dt : scene.dt);
    if (!problem.empty()) view.fail(problem, kFrameCountRemedy);
    phenomenon.runs.push_back(run);
  }
  for (const JsonView& view : root.at("measures").items(kMostItems)) {
    const Measure measure = measureOf(view, scenes);
    requireNewId(view, phenomenon.measures, measure.id);
    phenomenon.measures.push_back(measure);
  }
  if (phenomenon.measures.empty()) root.at("measures").fail("is empty", "give at least one measure");
  requireNumbersOfReasons(root.at("measures"), phenomenon.measures);
  const std::string primary = root.textOr("primary", "worst");
  phenomenon.primary = primary == "worst"   ? Primary::Worst
                       : primary == "wrong" ? Primary::Wrong
                       : primary == "right" ? Primary::Right
                                            : Primary::Measure;
  phenomenon.primaryMeasure = primary;
  if (phenomenon.primary == Primary::Measure &&
      std::none_of(phenomenon.measures.begin(), phenomenon.measures.end(),
                   [&](const Measure& measure) { return measure.id == primary; }))
    root.at("primary").fail("there is no measure '" + primary + "'",
                            "name one of \"measures\", or worst, wrong or right");
  if (root.has("controls"))
    for (const JsonView& view : root.at("controls").items(kMostItems)) {
      phenomenon.controls.push_back(controlOf(view, phenomenon));
      for (const PhenomenonRun& run : phenomenon.runs) {
        const bool isMeant =
            std::any_of(phenomenon.measures.begin(), phenomenon.measures.end(), [&](const Measure& measure) {
              return contains(measure.runs, run.id) && contains(phenomenon.controls.back().turns, measure.id);
            });
        if (!isMeant) continue;
        PhenomenonRun changed = run;
        changed.edits.insert(changed.edits.end(), phenomenon.controls.back().edits.begin(),
                             phenomenon.controls.back().edits.end());
        if (!phenomenon.controls.back().edits.empty()) sceneOf(changed, run.edits.size(), view.at("set"));
      }
    }
  return phenomenon;
}

std::vector<Phenomenon> loadPhenomena(const std::string& folder) {
  std::error_code error;
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(folder, error))
    if (entry.path().extension() == ".json") files.push_back(entry.path());
  if (error)
    throw SceneError(folder, "", "cannot be read (" + error.message() + ")", "give a folder of phenomena");
  std::sort(files.begin(), files.end());
  std::vector<Phenomenon> phenomena;
  const std::string scenes = (fs::path(folder).parent_path() / "scenes").string();
  for (const fs::path& file : files) phenomena.push_back(loadPhenomenon(file.string(), scenes));
  std::stable_sort(phenomena.begin(), phenomena.end(), [](const Phenomenon& a, const Phenomenon& b) {
    const auto key = [](const Phenomenon& phenomenon) {
      const int number = std::atoi(phenomenon.number.c_str());
      return number > 0 ? number : 1'000'000;
    };
    return key(a) < key(b);
  });
  return phenomena;
}

}  // namespace touchstone
