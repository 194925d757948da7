#include "core/conform/kit.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <set>
#include <stdexcept>
#include <variant>

#include "core/conform/column.h"
#include "core/conform/trajectory_quantity.h"
#include "core/files/file_bytes.h"
#include "core/files/inner_path.h"
#include "core/files/json_view.h"
#include "core/files/listed.h"
#include "core/files/scene_error.h"
#include "core/files/sha256.h"
#include "core/files/text_forms.h"
#include "core/robot/export/exported_scene.h"
#include "core/robot/export/mjcf_writer.h"
#include "core/scene/scene_file.h"
#include "core/trajectory/trajectory_file.h"

namespace touchstone {

namespace {

namespace fs = std::filesystem;
using OrderedJson = nlohmann::ordered_json;

OrderedJson jsonOf(const Vec3& v) { return {v.x(), v.y(), v.z()}; }

OrderedJson jsonOf(const ExportedSolid& solid) {
  switch (solid.kind) {
    case ExportedSolid::Kind::Plane:
      return {{"type", "plane"}, {"normal", jsonOf(solid.normal)}};
    case ExportedSolid::Kind::Box:
      return {{"type", "box"}, {"centre", jsonOf(solid.centre)}, {"half_size", jsonOf(solid.halfSize)}};
    case ExportedSolid::Kind::Round: {
      const RoundPiece& round = solid.round;
      const bool isSphere = round.kind == RoundPiece::Kind::Sphere;
      OrderedJson json = {{"type", isSphere                                  ? "sphere"
                                   : round.kind == RoundPiece::Kind::Capsule ? "capsule"
                                                                             : "cylinder"},
                          {"centre", jsonOf(round.centre)},
                          {"radius", round.radius}};
      if (isSphere) return json;
      json["axis"] = jsonOf(round.axis);
      json["length"] = round.length;
      return json;
    }
    case ExportedSolid::Kind::Mesh:
      break;
  }
  OrderedJson json = {{"type", solid.piece->planar() ? "polygon" : "hull"}, {"points", OrderedJson::array()}};
  for (const Vec3& vertex : solid.piece->vertices) json["points"].push_back(jsonOf(vertex));
  return json;
}

OrderedJson jsonOf(const Body& body, const Scene& scene) {
  const Material& material = scene.materials[body.material];
  const bool isStatic = body.motion == Motion::Static;
  OrderedJson json = {{"name", body.name}, {"motion", isStatic ? "static" : "dynamic"}};
  if (!isStatic) {
    json["mass"] = body.mass;
    for (int row = 0; row < 3; ++row) json["inertia"].push_back(jsonOf(Vec3(body.inertia.row(row))));
  }
  json["friction"] = material.dynamicFriction;
  if (material.staticFriction != material.dynamicFriction) json["static_friction"] = material.staticFriction;
  const Quaternion& q = body.orientation;
  json["position"] = jsonOf(body.position);
  json["orientation"] = {q.w(), q.x(), q.y(), q.z()};
  if (!isStatic) {
    json["velocity"] = jsonOf(body.linearVelocity);
    json["angular_velocity"] = jsonOf(body.angularVelocity);
  }
  if (body.releaseTime > 0) json["release_time"] = body.releaseTime;
  json["solids"] = OrderedJson::array();
  for (const ExportedSolid& solid : exportedSolids(body)) json["solids"].push_back(jsonOf(solid));
  return json;
}

std::string bodiesText(const Scene& scene) {
  OrderedJson json;
  json["touchstone_bodies"] = 1;
  json["bodies"] = OrderedJson::array();
  for (const Body& body : scene.bodies) json["bodies"].push_back(jsonOf(body, scene));
  json["no_contact"] = OrderedJson::array();
  for (const auto& [a, b] : scene.noContact)
    json["no_contact"].push_back({scene.bodies[a].name, scene.bodies[b].name});
  return json.dump(1) + "\n";
}

bool asksForContacts(const Measure& measure) {
  return findTrajectoryQuantity(measure.query.quantity)->needsContacts;
}

std::vector<const Measure*> measuresOf(const Phenomenon& phenomenon, const PhenomenonRun& run) {
  std::vector<const Measure*> measures;
  for (const Measure& measure : phenomenon.measures)
    if (std::count(measure.runs.begin(), measure.runs.end(), run.id) > 0) measures.push_back(&measure);
  return measures;
}

double frameOf(const Scene& scene, const PhenomenonRun& run) { return run.dt > 0 ? run.dt : scene.dt; }
double timeOf(const Scene& scene, const PhenomenonRun& run) {
  return run.time > 0 ? run.time : scene.duration;
}

/// Collects the files of a kit.
class KitWriter {
 public:
  void add(const Phenomenon& phenomenon, const PhenomenonRun& run) {
    const std::string trajectory = trajectoryNames(phenomenon, run).front();
    if (!m_names.insert(trajectory).second)
      throw SceneError(phenomenon.file, "runs",
                       "have the run '" + run.id + "' whose trajectory " + trajectory +
                           " is that of another phenomenon too",
                       "rename the run, or its scene");
    const std::string folder = "runs/" + trajectory.substr(0, trajectory.size() - 4);
    const SourceFile source = sceneSourceOf(run);
    const std::shared_ptr<const Scene> scene = readScene(run.scene, source);
    const auto put = [&](const std::string& name, const std::string& text) {
      m_kit.files.push_back({folder + "/" + name, text});
      return folder + "/" + name;
    };
    OrderedJson json = {{"phenomenon", phenomenon.name}, {"number", phenomenon.number}, {"run", run.id}};
    json["trajectory"] = trajectory;
    const std::vector<const Measure*> measures = measuresOf(phenomenon, run);
    const bool hasContacts = std::any_of(measures.begin(), measures.end(),
                                         [](const Measure* measure) { return asksForContacts(*measure); });
    if (hasContacts) json["contacts"] = contactsNameOf(trajectory);
    json["scene"] = put("scene.json", *source.bytes);
    json["scene_name"] = scene->name;
    json["scene_sha256"] = sha256(*source.bytes);
    json["dt"] = frameOf(*scene, run);
    json["time"] = timeOf(*scene, run);
    if (run.substeps > 0) json["step"] = frameOf(*scene, run) / run.substeps;
    json["gravity"] = jsonOf(scene->gravity);
    json["restitution"] = restitutionOf(*scene, run);
    json["set"] = setOf(run);
    json["measures"] = OrderedJson::array();
    for (const Measure* measure : measures) json["measures"].push_back(measure->title);
    json["bodies"] = nullptr;
    json["mjcf"] = nullptr;
    json["urdf"] = nullptr;
    json["not_exported"] = OrderedJson::object();
    const auto leaveOut = [&](const std::string& format, const std::string& reason) {
      json["not_exported"][format] = reason;
      m_kit.notExported.push_back(trajectory + ": no " + format + ": " + reason);
    };
    const auto exported = [&](const char* format, const std::function<std::string()>& write) {
      try {
        json[format] = write();
      } catch (const SceneError& error) {
        const std::string reason = error.what();
        // The path of the scene differs from machine to machine.
        leaveOut(format, reason.substr(reason.rfind(run.scene, 0) == 0 ? run.scene.size() + 1 : 0));
      }
    };
    for (const auto& [name, file] : scene->sources) {
      if (name == fs::path(run.scene).filename().string()) continue;
      if (staysBelow(name))
        put(name, *file.bytes);
      else
        leaveOut("mesh of scene.json", name + " lies outside the folder of the scene; put it there");
    }
    exported("bodies", [&] {
      if (!scene->planar) requireExportable(*scene);
      return put("bodies.json", bodiesText(*scene));
    });
    exported("mjcf", [&] { return put("scene.xml", mjcfText(*scene)); });
    exported("urdf", [&] {
      for (const ExportedFile& file : urdfFiles(*scene)) put("urdf/" + file.name, file.text);
      return folder + "/urdf/world.csv";
    });
    m_runs.push_back(std::move(json));
  }

  Kit kit() {
    OrderedJson json;
    json["touchstone_kit"] = 1;
    json["battery_version"] = kBatteryVersion;
    json["units"] = "SI, y up, world axes; positions are centres of mass; quaternions w, x, y, z";
    json["pairs"] =
        "friction: square root of the product of both bodies; restitution: that of the run, for every pair";
    json["runs"] = m_runs;
    m_kit.manifest = json.dump(1) + "\n";
    return std::move(m_kit);
  }

 private:
  static OrderedJson setOf(const PhenomenonRun& run) {
    OrderedJson json = OrderedJson::object();
    for (const SceneEdit& edit : run.edits) json[edit.path] = OrderedJson::parse(edit.value);
    for (const auto& [key, value] : run.parameters)
      std::visit([&json, &key = key](const auto& content) { json[key] = content; }, value);
    return json;
  }
  Kit m_kit;
  OrderedJson m_runs = OrderedJson::array();
  std::set<std::string> m_names;
};

/// Relative rounding of times that a file tells in decimals. Larger: a short file passes; smaller: rounding
/// counts.
constexpr double kTimeRounding = 1e-6;

std::string seconds(double time) { return fourDigits(time) + " s"; }

/// Reads a trajectory to its end and compares it with what the run asks for.
void checkFile(const std::string& path, const Phenomenon& phenomenon, const PhenomenonRun& run,
               RunCheck& check) {
  const SourceFile source = sceneSourceOf(run);
  const std::shared_ptr<const Scene> scene = readScene(run.scene, source);
  const double dt = frameOf(*scene, run), time = timeOf(*scene, run);
  TrajectoryOptions options;
  options.key = "x";
  std::error_code ignored;
  const bool hasContacts = fs::is_regular_file(contactsNameOf(path), ignored);
  if (hasContacts) options.contacts = contactsNameOf(path);
  TrajectoryReader reader(scene, path, options);
  double first = NAN, last = NAN, widest = 0, widestAt = 0;
  std::vector<double> until(scene->bodies.size(), NAN);  // last time of each body
  for (TrajectorySample sample; reader.next(sample);) {
    if (std::isnan(first)) first = sample.time;
    if (!std::isnan(last) && sample.time - last > widest) widest = sample.time - last, widestAt = last;
    last = sample.time;
    for (std::size_t body = 0; body < until.size(); ++body)
      if (sample.states[body].active) until[body] = sample.time;
  }
  const auto problem = [&check](const std::string& text) { check.problems.push_back(text); };
  const TrajectoryHeader& header = reader.header();
  if (!header.sceneHash.empty() && header.sceneHash != sha256(*source.bytes))
    problem("scene_sha256 is that of another scene; run " + phenomenon.name + " " + run.id +
            " of this version of the kit");
  if (std::isnan(first)) {
    problem("has no row; write the start and the end of every step");
    return;
  }
  if (first > kTimeRounding * dt) problem("begins at " + seconds(first) + "; write the start, at 0 s, too");
  if (last < time - 0.5 * dt) problem("ends at " + seconds(last) + "; the run takes " + seconds(time));
  if (widest > dt * (1 + kTimeRounding))
    problem("has no sample for " + seconds(widest) + " after " + seconds(widestAt) +
            "; write one at least every " + seconds(dt));
  for (std::size_t body = 0; body < until.size(); ++body)
    if (scene->bodies[body].motion == Motion::Dynamic && until[body] < last)
      problem("has no row of '" + scene->bodies[body].name + "' after " + seconds(until[body]) +
              "; write every body until the end");
  const double step = run.substeps > 0 ? dt / run.substeps : 0;
  if (step > 0 && header.step > 0 && std::abs(header.step - step) > kTimeRounding * step)
    problem("has the step " + seconds(header.step) + "; this run is about the step: take " + seconds(step));
  try {
    declaredModel(header.model, header.step);
  } catch (const std::invalid_argument& error) {
    problem(error.what());
  }
  if (header.sceneHash.empty()) check.notes.push_back("names no scene_sha256, which would tell its scene");
  if (header.step == 0) check.notes.push_back("names no step");
  if (!reader.givesLinear() || !reader.givesAngular())
    check.notes.push_back("has no velocities; they are derived from poses, which smear impacts");
  for (const Measure* measure : measuresOf(phenomenon, run))
    if (!hasContacts && asksForContacts(*measure))
      check.notes.push_back("without " + contactsNameOf(check.file) + " there is no '" + measure->title +
                            "'");
  for (const std::string& warning : reader.warnings())
    if (warning.find("scene_sha256") == std::string::npos)
      check.notes.push_back(warning.rfind(path + ": ", 0) == 0 ? warning.substr(path.size() + 2) : warning);
}

}  // namespace

SourceFile sceneSourceOf(const PhenomenonRun& run, bool withoutParameters) {
  const SourceFile file = readSource(run.scene, "give the path of a scene file");
  std::vector<SceneEdit> edits = run.edits;
  if (withoutParameters && file.bytes->find("\"parameters\"") != std::string::npos)
    edits.push_back({"parameters", "null"});
  if (edits.empty()) return file;
  const std::string text = editedScene(run.scene, *file.bytes, edits);
  return {hashOf(text), std::make_shared<const std::string>(text)};
}

std::vector<std::string> trajectoryNames(const Phenomenon& phenomenon, const PhenomenonRun& run) {
  const std::string scene = fs::path(run.scene).stem().string();
  std::vector<std::string> names = {scene + "." + run.id + ".csv"};
  const auto first = std::find_if(phenomenon.runs.begin(), phenomenon.runs.end(),
                                  [&](const PhenomenonRun& other) { return other.scene == run.scene; });
  if (first != phenomenon.runs.end() && first->id == run.id) names.push_back(scene + ".csv");
  return names;
}

std::string contactsNameOf(const std::string& trajectory) {
  return trajectory.substr(0, trajectory.size() - 4) + ".contacts.csv";
}

std::string trajectoryIn(const std::string& folder, const Phenomenon& phenomenon, const PhenomenonRun& run) {
  for (const std::string& name : trajectoryNames(phenomenon, run)) {
    std::error_code ignored;
    if (fs::is_regular_file(fs::path(folder) / name, ignored)) return (fs::path(folder) / name).string();
  }
  return {};
}

double restitutionOf(const Scene& scene, const PhenomenonRun& run) {
  const auto numberIn = [](const ParameterValues& values) {
    const auto found = values.find("restitution");
    const double* number = found == values.end() ? nullptr : std::get_if<double>(&found->second);
    return number ? *number : -1;
  };
  double restitution = numberIn(run.parameters);
  if (restitution >= 0) return restitution;
  for (const auto& [method, values] : scene.parameters) restitution = std::max(restitution, numberIn(values));
  return std::max(0.0, restitution);
}

std::string sentenceOf(const Phenomenon& phenomenon, const PhenomenonRun& run) {
  const std::shared_ptr<const Scene> scene = readScene(run.scene, sceneSourceOf(run));
  std::string sentence = "run " + run.id + ": " + trajectoryNames(phenomenon, run).front() + ", frames of " +
                         seconds(frameOf(*scene, run)) + " for " + seconds(timeOf(*scene, run));
  if (run.substeps > 0) sentence += ", steps of " + seconds(frameOf(*scene, run) / run.substeps);
  sentence += ", restitution " + fourDigits(restitutionOf(*scene, run));
  for (const SceneEdit& edit : run.edits) sentence += ", " + edit.path + " " + edit.value;
  return sentence;
}

Kit kitOf(const std::vector<Phenomenon>& phenomena) {
  KitWriter writer;
  for (const Phenomenon& phenomenon : phenomena)
    for (const PhenomenonRun& run : phenomenon.runs) writer.add(phenomenon, run);
  return writer.kit();
}

std::vector<std::string> FolderCheck::missing() const {
  std::vector<std::string> names;
  for (const RunCheck& run : runs)
    if (!run.isThere) names.push_back(run.file);
  return names;
}

std::size_t FolderCheck::complete() const {
  return std::count_if(runs.begin(), runs.end(),
                       [](const RunCheck& run) { return run.isThere && run.problems.empty(); });
}

FolderCheck checkedFolder(const std::string& folder, const std::vector<Phenomenon>& phenomena,
                          const std::vector<Phenomenon>& known) {
  FolderCheck check;
  for (const Phenomenon& phenomenon : phenomena)
    for (const PhenomenonRun& run : phenomenon.runs) {
      const std::string path = trajectoryIn(folder, phenomenon, run);
      RunCheck result{phenomenon.name, run.id, trajectoryNames(phenomenon, run).front(),
                      !path.empty(),   {},     {}};
      if (!path.empty()) {
        result.file = fs::path(path).filename().string();
        try {
          checkFile(path, phenomenon, run, result);
        } catch (const SceneError& error) {
          result.problems.emplace_back(error.what());
        }
      }
      check.runs.push_back(std::move(result));
    }
  std::set<std::string> names;
  for (const auto* some : {&phenomena, &known})
    for (const Phenomenon& phenomenon : *some)
      for (const PhenomenonRun& run : phenomenon.runs)
        for (const std::string& name : trajectoryNames(phenomenon, run))
          names.insert({name, contactsNameOf(name)});
  std::error_code error;
  std::set<std::string> others;
  for (const auto& entry : fs::directory_iterator(folder, error))
    if (entry.path().extension() == ".csv" && names.count(entry.path().filename().string()) == 0)
      others.insert(entry.path().filename().string());
  for (const std::string& name : others) {
    const std::string nearest = nearestName(name, {names.begin(), names.end()});
    check.strays.push_back(name + ": no run asks for it" +
                           (nearest.empty() ? "" : "; did you mean " + nearest + "?"));
  }
  return check;
}

}  // namespace touchstone
