#include <QDir>
#include <QtTest>
#include <functional>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "core/conform/phenomenon.h"
#include "core/files/scene_error.h"
#include "core/motion/toss_runs.h"
#include "core/robot/scene_readers.h"
#include "core/study/scene_claims.h"
#include "core/study/study.h"
#include "tests/scene/scene_folder.h"

using namespace touchstone;
using Json = nlohmann::json;

/// Every member of a file has an effect: what is read changes without it, or the file is refused. The samples
/// below hold every member of the schemas, each with another value than its default.
class EveryMemberTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void ofScenes_data();
  void ofScenes();
  void theSamplesHaveAllMembersOfTheSchemaOfScenes();
  void ofStudies();
  void theSamplesHaveAllMembersOfTheSchemaOfStudies();
  void ofPhenomena_data();
  void ofPhenomena();
  void unknownMembersAreRefused_data();
  void unknownMembersAreRefused();
  void unknownMembersOfStudiesAreRefused();
  void whatAnotherKindOfStudyReadsIsRefused_data();
  void whatAnotherKindOfStudyReadsIsRefused();
  void polygonsAreGivenInOneWay();

 private:
  using Read = std::function<std::string(const std::string& path)>;
  /// Removes each member of the sample in turn.   @return paths of members without effect
  QStringList idleMembers(const Json& sample, const Read& read) const;
  /// Adds a member to each object of the sample in turn.   @return places where it is taken in silence
  QStringList placesOfUnknownMembers(const Json& sample, const Read& read) const;
  mutable test::SceneFolder m_folder;
};

namespace {

const QString kBattery = QStringLiteral(TS_SOURCE_DIR "/datasets/battery");

/// All that is read, as text.
class Text {
 public:
  template <class Value>
  Text& operator<<(const Value& value) {
    m_text << value << ';';
    return *this;
  }
  Text& operator<<(const Vec3& v) { return *this << v.x() << v.y() << v.z(); }
  Text& operator<<(const Quaternion& q) { return *this << q.w() << q.x() << q.y() << q.z(); }
  Text& operator<<(const ParameterValues& values) {
    for (const auto& [key, value] : values) *this << key << toString(value);
    return *this;
  }
  std::string text() const { return m_text.str(); }

 private:
  std::ostringstream m_text;
};

void add(const Shape& shape, Text& text) {
  text << static_cast<int>(shape.kind) << shape.planeNormal << shape.pieces.size() << shape.radius;
  for (const TriangleMesh& surface : shape.surfaces)
    for (const Vec3& vertex : surface.vertices) text << vertex;
  for (const Polytope& piece : shape.pieces) text << piece.thickness;
}

void add(const Joint& joint, Text& text) {
  const JointDrive& drive = joint.drive;
  text << joint.name << static_cast<int>(joint.kind) << joint.bodyA << joint.bodyB << joint.frames.anchorA
       << joint.frames.anchorB << joint.frames.frameA << joint.frames.frameB << joint.length
       << joint.compliance << joint.angularCompliance << joint.dampingTime << joint.lower << joint.upper
       << drive.stiffness << drive.damping << drive.target << drive.rate << drive.mostForce << drive.force
       << drive.random.most << drive.random.hold << drive.random.seed << joint.dryFriction
       << joint.mimic.joint << joint.mimic.ratio << joint.mimic.offset << joint.collide;
  for (const TimePath<double>* path : {&drive.targets, &drive.forces})
    for (const TimedValue<double>& point : *path) text << point.time << point.value;
}

void add(const Deformable& deformable, Text& text) {
  text << deformable.massDamping << deformable.self << deformable.edges.size() << deformable.hinges.size()
       << deformable.attachments.size() << deformable.stepLimit << static_cast<int>(deformable.material.model)
       << deformable.material.dampingTime << deformable.material.young << deformable.material.poisson
       << deformable.surface.size();
  for (const Vec3& rest : deformable.rest) text << rest;
  for (double mass : deformable.mass) text << mass;
  for (const ClothEdge& edge : deformable.edges) text << edge.stiffness;
  for (const ClothHinge& hinge : deformable.hinges) text << hinge.stiffness;
  for (const HeldParticles& held : deformable.held) {
    text << held.particles.size();
    for (const TimedValue<Vec3>& point : held.path) text << point.time << point.value;
  }
  for (double share : deformable.activation) text << share;
  for (const auto& point : deformable.eigenstrain) text << point.time << point.value;
}

std::string textOf(const Scene& scene) {
  Text text;
  text << scene.name << scene.title << scene.lesson << scene.gravity << scene.dt << scene.duration
       << scene.planar << scene.view.eye << scene.view.target << scene.size << scene.length << scene.replicas
       << recordedWidthOf(scene);
  for (const Material& material : scene.materials)
    text << material.name << material.density << material.staticFriction << material.dynamicFriction
         << material.thickness;
  for (const Body& body : scene.bodies) {
    text << body.name << static_cast<int>(body.motion) << body.material << body.mass << body.volume
         << body.position << body.centre << body.orientation << body.linearVelocity << body.angularVelocity
         << body.releaseTime << body.visible << body.replica;
    for (int k = 0; k < 9; ++k) text << body.inertia(k / 3, k % 3);
    add(*body.shape, text);
    if (body.deformable) add(*body.deformable, text);
  }
  for (const Joint& joint : scene.joints) add(joint, text);
  for (const auto& pair : scene.noContact) text << pair[0] << pair[1];
  for (const std::string& method : scene.methods) text << method;
  for (const auto& [method, values] : scene.parameters) text << method << values;
  for (const AnalyticCurve& curve : scene.analytic) {
    text << curve.quantity << curve.formula;
    for (double coefficient : curve.coefficients) text << coefficient;
  }
  for (const std::string& note : scene.notes) text << note;
  for (const SceneClaim& claim : claimsOf(scene))
    text << claim.text << claim.pane << claim.quantity << static_cast<int>(claim.reduction) << claim.time
         << static_cast<int>(claim.comparison) << claim.value << claim.upper << claim.component;
  return text.text();
}

std::string textOf(const std::vector<StudyChange>& changes) {
  Text text;
  for (const StudyChange& change : changes) text << change.target << change.value;
  return text.text();
}

std::string textOf(const Cell& cell) {
  Text text;
  std::visit([&text](const auto& value) { text << value; }, cell);
  return text.text();
}

std::string textOf(const Study& study) {
  Text text;
  text << study.name << study.title << study.question << study.source << study.notes
       << static_cast<int>(study.kind) << study.scene << study.time << study.crashSpeed
       << study.variation.position << study.variation.angle << study.variation.spin;
  for (double dt : study.dt) text << dt;
  for (int seed : study.seeds) text << seed;
  for (double x : study.grid) text << x;
  for (const StudyAxis& axis : study.axes) {
    text << axis.name << axis.title << axis.unit << textOf(axis.common);
    for (const StudyAxis::Point& point : axis.points) text << textOf(point.value) << textOf(point.changes);
  }
  for (const StudyPane& pane : study.panes) {
    text << pane.label << pane.settings.method << pane.settings.solver << pane.settings.substeps
         << pane.settings.parameters << pane.scene << textOf(pane.changes) << pane.stopsOnFailure;
    for (const auto& [name, value] : pane.constants) text << name << value;
  }
  for (const auto* columns : {&study.columns, &study.derived})
    for (const auto& [name, value] : *columns) text << name << value;
  for (const StudyQuantity& quantity : study.quantities)
    text << quantity.id << quantity.title << quantity.unit << quantity.expression << quantity.isSeries
         << quantity.x << quantity.xTitle << quantity.runs;
  for (const StudyNumber& number : study.numbers)
    text << number.id << number.title << number.unit << number.expression;
  for (const StudyAcceptance& acceptance : study.acceptances) {
    text << acceptance.id << acceptance.claim << acceptance.condition << acceptance.because;
    for (const auto& [name, value] : acceptance.variants) text << name << value;
  }
  for (const StudyPlot& plot : study.plots) {
    text << plot.id << plot.title << static_cast<int>(plot.kind) << plot.x << plot.y << plot.value
         << plot.xTitle << plot.yTitle << plot.xLog << plot.yLog << plot.points << plot.band << plot.bin
         << plot.floor << plot.panels << plot.curves << plot.where << plot.failed;
    for (const StudyPlot::Line& line : plot.lines) text << line.label << line.expression;
    for (const StudyPublished& published : plot.published)
      text << published.id << published.number << published.ofX << published.factor << published.label;
  }
  return text.text();
}

void add(const QuantityQuery& query, Text& text) {
  text << query.quantity << query.body << query.other << query.axis << query.point.value_or(Vec3::Zero())
       << query.from << query.to << query.at << query.value << query.radius << query.number << query.which
       << query.add << query.divide;
}

std::string textOf(const Phenomenon& phenomenon) {
  Text text;
  text << phenomenon.name << phenomenon.number << phenomenon.group << phenomenon.title << phenomenon.question
       << phenomenon.source << phenomenon.notShown << static_cast<int>(phenomenon.primary)
       << phenomenon.primaryMeasure;
  for (const PhenomenonRun& run : phenomenon.runs) {
    text << run.id << run.scene << run.dt << run.time << run.substeps << run.parameters;
    for (const SceneEdit& edit : run.edits) text << edit.path << edit.value;
    for (const auto& [name, why] : run.without) text << name << why;
  }
  for (const Measure& measure : phenomenon.measures) {
    text << measure.id << measure.title << measure.unit << measure.atMost.value_or(-1e9)
         << measure.atLeast.value_or(-1e9) << measure.exact.value_or(-1e9) << measure.tolerance.absolute
         << measure.tolerance.relative << measure.formula << measure.why << measure.polyhedral;
    for (const std::string& run : measure.runs) text << run;
    add(measure.query, text);
    for (const auto& [word, answer] : measure.models) {
      text << word << answer.value << answer.closedForm << answer.tolerance << answer.query.has_value();
      if (answer.query) add(*answer.query, text);
      for (const auto& [name, value] : answer.arguments) text << name << value;
    }
    for (const auto* reasons : {&measure.notFor, &measure.onlyFor, &measure.because})
      for (const auto& [word, why] : *reasons) text << word << why;
  }
  for (const Control& control : phenomenon.controls) {
    for (const SceneEdit& edit : control.edits) text << edit.path << edit.value;
    for (const auto& [name, value] : control.exact) text << name << value;
    for (const std::string& name : control.turns) text << name;
  }
  return text.text();
}

const char kRigid[] = R"({"touchstone": 1, "name": "all", "title": "All", "lesson": "Look.",
  "gravity": [0, -1, 0], "dt": 0.002, "duration": 3, "length_scale": 0.3,
  "recorded_width": 0.2, "methods": ["cpf", "nsn"],
  "notes": ["a note"], "view": {"eye": [3, 2, 1], "target": [0, 1, 0]},
  "parameters": {"cpf": {"stiffness": 5000, "substeps": 3}, "lcp": {"solver": "pgs"}},
  "analytic": [{"quantity": "energy_kinetic", "formula": "t", "coefficients": [0, 1]}],
  "claims": [{"text": "it falls", "pane": "cpf", "quantity": "body_velocity:a", "component": "y", "reduce": "at",
     "time": 0.5, "compare": "<", "value": -0.1}],
  "materials": [{"name": "default", "density": 300}, {"name": "oak", "density": 700, "friction": 0.4,
     "thickness": 0.001}, {"name": "ice", "static_friction": 0.2, "dynamic_friction": 0.1}],
  "no_contact": [["a", "floor"]],
  "bodies": [{"name": "floor", "motion": "static", "shape": {"type": "plane", "normal": [0, 2, 1]}},
    {"name": "a", "material": "oak", "mass": 3, "inertia": [1, 1.5, 2], "centre_of_mass": [0.1, 0, 0],
     "position": [0, 1, 0], "orientation": {"axis": [0, 0, 1], "angle_deg": 20}, "velocity": [1, 0, 0],
     "angular_velocity": [0, 0, 1], "visible": false, "shape": {"type": "box", "size": [1, 1, 1]}},
    {"name": "b", "material": "ice", "density": 20, "position": [2, 1, 0],
     "shape": {"type": "pieces", "pieces": [{"type": "sphere", "radius": 0.4, "subdivisions": 1,
       "position": [0, 0.1, 0], "orientation": [0.8, 0.6, 0, 0]}]}},
    {"name": "c", "position": [4, 1, 0], "shape": {"type": "cylinder", "radius": 0.2, "height": 1,
      "segments": 8}},
    {"name": "late", "position": [8, 1, 0], "release_time": 1, "shape": {"type": "capsule", "radius": 0.2,
      "length": 1, "subdivisions": 1}}],
  "joints": [{"name": "one", "type": "revolute", "body_a": "a", "body_b": "b", "position": [1, 1, 0],
      "axis": [0, 1, 0], "limits": [-2, 2], "dry_friction": 0.1, "armature": 0.2, "collide": true,
      "drive": {"stiffness": 10, "damping": 1, "target": 0.3, "rate": 0.1, "most_force": 50, "force": 2}},
    {"name": "two", "type": "beam", "body_a": "b", "body_b": "c", "anchor_a": [1, 0, 0],
      "anchor_b": [-1, 0, 0], "frame_a": [0.8, 0, 0, 0.6], "frame_b": [0.8, 0, 0, 0.6], "compliance": 1e-4,
      "angular_compliance": 1e-3, "damping_time": 0.1}]})";

const char kMechanism[] = R"({"touchstone": 1, "name": "m", "title": "M", "dt": 0.01, "methods": ["lcp"],
  "assemble": true,
  "bodies": [{"name": "a", "position": [0, 1, 0], "shape": {"type": "box", "size": [1, 1, 1]}},
    {"name": "b", "position": [2, 1, 0], "shape": {"type": "box", "size": [1, 1, 1]}},
    {"name": "c", "position": [5, 1, 0], "shape": {"type": "box", "size": [1, 1, 1]}}],
  "joints": [{"name": "lead", "type": "revolute", "body_b": "a", "position": [0, 1, 0], "axis": [0, 1, 0],
      "drive": {"stiffness": 1, "targets": [[0, 0], [1, 2]], "random_force": {"most": 1, "hold": 0.1, "seed": 4}}},
    {"name": "follow", "type": "revolute", "body_b": "b", "position": [2, 1, 0], "axis": [0, 1, 0],
      "mimic": {"joint": "lead", "ratio": 2, "offset": 0.5}},
    {"name": "push", "type": "prismatic", "body_b": "c", "position": [5, 1, 0], "axis": [1, 0, 0],
      "drive": {"forces": [[0, 1], [1, 3]]}},
    {"name": "rope", "type": "rope", "body_a": "b", "body_b": "c", "anchor_a": [0.5, 0, 0],
      "anchor_b": [-0.5, 0, 0], "length": 2.5},
    {"name": "ball", "type": "ball", "body_b": "c", "anchor_a": [5.51, 1, 0], "anchor_b": [0.5, 0, 0]}]})";

const char kSoft[] = R"({"touchstone": 1, "name": "s", "title": "S", "dt": 0.01, "methods": ["nsn"],
  "copies": {"count": [2, 1], "spacing": [5, 5]},
  "bodies": [{"name": "jelly", "density": 500, "position": [0, 1, 0],
      "shape": {"type": "lattice", "size": [1, 1, 1], "cells": [2, 2, 2]},
      "deformable": {"model": "corotational", "young": 2e5, "poisson": 0.4, "damping": 0.01, "mass_damping": 0.2,
        "self": true, "held": [{"box": [[-1, -1, -1], [1, -0.4, 1]], "path": [[0, [0, 0, 0]], [1, [0, 0.1, 0]]]}]}},
    {"name": "sheet", "position": [3, 1, 0],
      "shape": {"type": "cloth", "size": [1, 1], "cells": [3, 3], "grid": "alternating"},
      "deformable": {"area_density": 0.3, "edge_stiffness": 100, "bending": 0.01, "mass_damping": 0.1}}]})";

const char kStudy[] =
    R"json({"touchstone_study": 1, "name": "all", "title": "All", "question": "Q", "source": "S",
  "notes": "N", "kind": "frames", "scene": "pour", "time": 2, "dt": [0.01, 0.02], "crash_speed": 20,
  "seeds": {"first": 1, "count": 3}, "variation": {"position": 0.1, "angle_deg": 5, "spin": 1},
  "panes": [{"label": "A", "method": "lcp", "solver": "pgs", "substeps": 2, "parameters": {"tolerance": 1e-7},
      "on_failure": "go-on", "scene": "other", "constants": {"c": 2}, "set": {"dt": 0.03}},
    {"label": "B", "method": "cpf"}],
  "sweep": [{"axis": "k", "title": "K", "unit": "N/m", "values": [1, 2], "set": {"parameters/stiffness": "=k"}},
    {"axis": "m", "points": [{"value": 1, "set": {"time": 1}}, {"value": 2}]},
    {"axis": "r", "values": {"from": 1, "to": 4, "count": 3, "spacing": "factors"}}],
  "columns": {"f": "pair_force:a:b"},
  "quantities": [{"id": "q", "title": "T", "unit": "m", "value": "max(overlap)", "runs": "seed = 1"},
    {"id": "s", "series": "f", "x": "frame", "x_title": "Frame"}],
  "numbers": {"n": {"value": "max(q)", "title": "T", "unit": "m"}, "p": "min(q)"},
  "accept": [{"id": "a", "claim": "C", "if": "n > 1", "because": "B", "variants": {"v": "n > 2"}}],
  "plots": [{"id": "one", "title": "T", "x": "k", "y": "q", "x_title": "X", "y_title": "Y", "log": "xy",
      "points": true, "band": "none", "floor": 1e-9, "panels": "m", "curves": "pane", "where": "k > 1",
      "lines": [{"label": "L", "y": "x"}],
      "published": [{"id": "i", "number": "n", "of": "x", "factor": 2, "label": "P"}]},
    {"id": "two", "kind": "map", "x": "k", "y": "m", "value": "q", "failed": "q > 1"},
    {"id": "three", "kind": "share", "x": "k", "y": "q", "bin": 0.5}, {"id": "four", "kind": "series", "y": "s"}]})json";

/// Members that are there for other readers, or that name the kind of the file.
const std::set<std::string> kNotRead = {"$schema"};

/// Names of all members below `properties` in a schema.
void collect(const Json& schema, std::set<std::string>& names) {
  if (schema.is_object()) {
    if (schema.contains("properties") && schema["properties"].is_object())
      for (const auto& [name, value] : schema["properties"].items()) names.insert(name);
    for (const auto& item : schema.items()) collect(item.value(), names);
  } else if (schema.is_array()) {
    for (const Json& item : schema) collect(item, names);
  }
}

void membersOf(const Json& json, std::set<std::string>& names) {
  if (json.is_object())
    for (const auto& [name, value] : json.items()) names.insert(name);
  if (json.is_structured())
    for (const Json& item : json) membersOf(item, names);
}

QStringList missing(const char* schema, const std::vector<std::string>& samples) {
  QFile file(QStringLiteral(TS_SOURCE_DIR "/datasets/") + schema);
  if (!file.open(QIODevice::ReadOnly)) return {"the schema"};
  std::set<std::string> wanted, given;
  collect(Json::parse(file.readAll().toStdString()), wanted);
  for (const std::string& sample : samples) membersOf(Json::parse(sample), given);
  QStringList names;
  for (const std::string& name : wanted)
    if (!given.count(name) && !kNotRead.count(name)) names << QString::fromStdString(name);
  return names;
}

}  // namespace

QStringList EveryMemberTest::idleMembers(const Json& sample, const Read& read) const {
  const std::string whole = read(m_folder.write("sample.json", QByteArray::fromStdString(sample.dump())));
  QStringList idle;
  std::function<void(const Json::json_pointer&)> visit = [&](const Json::json_pointer& place) {
    const Json& node = sample[place];
    if (node.is_array())
      for (std::size_t index = 0; index < node.size(); ++index) visit(place / index);
    if (!node.is_object()) return;
    for (const auto& [name, value] : node.items()) {
      visit(place / name);
      if (value.is_number() && value == 0) continue;  // it may be the default
      Json changed = sample;
      changed[place].erase(name);
      std::string text;
      try {
        text = read(m_folder.write("sample.json", QByteArray::fromStdString(changed.dump())));
      } catch (const std::exception&) {
        continue;  // it cannot be left out
      }
      if (text == whole) idle << QString::fromStdString((place / name).to_string());
    }
  };
  visit(Json::json_pointer());
  return idle;
}

QStringList EveryMemberTest::placesOfUnknownMembers(const Json& sample, const Read& read) const {
  QStringList taken;
  std::function<void(const Json::json_pointer&)> visit = [&](const Json::json_pointer& place) {
    const Json& node = sample[place];
    if (node.is_array())
      for (std::size_t index = 0; index < node.size(); ++index) visit(place / index);
    if (!node.is_object()) return;
    for (const auto& [name, value] : node.items()) visit(place / name);
    Json changed = sample;
    changed[place]["nobody_reads_this"] = 1;
    try {
      read(m_folder.write("sample.json", QByteArray::fromStdString(changed.dump())));
    } catch (const std::exception&) {
      return;
    }
    taken << QString::fromStdString(place.to_string());
  };
  visit(Json::json_pointer());
  return taken;
}

void EveryMemberTest::ofScenes_data() {
  QTest::addColumn<QString>("sample");
  QTest::newRow("rigid bodies and joints") << kRigid;
  QTest::newRow("drives, mimics and ropes") << kMechanism;
  QTest::newRow("bodies that deform") << kSoft;
}

void EveryMemberTest::ofScenes() {
  QFETCH(QString, sample);
  const QStringList idle = idleMembers(Json::parse(sample.toStdString()),
                                       [](const std::string& path) { return textOf(*loadScene(path)); });
  QVERIFY2(idle.isEmpty(), qPrintable(idle.join(", ")));
}

void EveryMemberTest::theSamplesHaveAllMembersOfTheSchemaOfScenes() {
  // Meshes, hulls, polygons, activation and attachments have tests of their own: they need files or a plane.
  const QStringList others = {"file",   "scale", "points", "sides", "activation",   "eigenstrain",
                              "attach", "body",  "layer",  "cell",  "inextensible", "normal"};
  for (const QString& name : missing("scene.schema.json", {kRigid, kMechanism, kSoft}))
    QVERIFY2(others.contains(name), qPrintable(name + " is a member of the schema that no sample has"));
}

void EveryMemberTest::ofStudies() {
  const QStringList idle =
      idleMembers(Json::parse(kStudy), [](const std::string& path) { return textOf(loadStudy(path)); });
  // What is the default: it says what it is without it.
  const QStringList defaults = {"/kind"};
  for (const QString& path : idle) QVERIFY2(defaults.contains(path), qPrintable(idle.join(", ")));
}

void EveryMemberTest::theSamplesHaveAllMembersOfTheSchemaOfStudies() {
  // Controls of claims have tests of their own.
  const QStringList others = {"grid", "quick", "control", "swap", "what", "none", "panes", "runs"};
  for (const QString& name : missing("study.schema.json", {kStudy}))
    QVERIFY2(others.contains(name), qPrintable(name + " is a member of the schema that no sample has"));
}

void EveryMemberTest::ofPhenomena_data() {
  QTest::addColumn<QString>("file");
  for (const QFileInfo& file : QDir(kBattery).entryInfoList({"*.json"}))
    QTest::newRow(qPrintable(file.fileName())) << file.filePath();
}

void EveryMemberTest::ofPhenomena() {
  QFETCH(QString, file);
  QFile sample(file);
  QVERIFY(sample.open(QIODevice::ReadOnly));
  Json json = Json::parse(sample.readAll().toStdString());
  // Values that are the default.
  if (json.value("primary", "") == "worst") json.erase("primary");
  for (Json& measure : json["measures"])
    if (measure.value("number", 0) == 1) measure.erase("number");
  // The sample lies elsewhere than the file, so that the scenes lie beside it.
  for (const Json& run : json["runs"]) {
    const QString name = QString::fromStdString(run["scene"].get<std::string>());
    for (const QString& folder : {kBattery + "/scenes/", QStringLiteral(TS_SOURCE_DIR "/datasets/scenes/")})
      if (QFile scene(folder + name); scene.open(QIODevice::ReadOnly))
        m_folder.write(qPrintable(name), scene.readAll());
  }
  const Read read = [](const std::string& path) {
    return textOf(loadPhenomenon(path, (kBattery + "/scenes").toStdString()));
  };
  QCOMPARE(idleMembers(json, read).join(", "), QString());
  QCOMPARE(placesOfUnknownMembers(json, read).join(", "), QString());
}

void EveryMemberTest::unknownMembersAreRefused_data() { ofScenes_data(); }

void EveryMemberTest::unknownMembersAreRefused() {
  QFETCH(QString, sample);
  const Json json = Json::parse(sample.toStdString());
  QCOMPARE(placesOfUnknownMembers(json,
                                  [](const std::string& path) {
                                    return textOf(*loadScene(path)) +
                                           std::to_string(claimsOf(*loadScene(path)).size());
                                  })
               .join(", "),
           QString());
}

void EveryMemberTest::unknownMembersOfStudiesAreRefused() {
  // Constants have any name; parameters are checked with the scene, before the first run.
  const QStringList open = {"/panes/0/constants", "/panes/0/parameters"};
  for (const QString& place : placesOfUnknownMembers(
           Json::parse(kStudy), [](const std::string& path) { return textOf(loadStudy(path)); }))
    QVERIFY2(open.contains(place), qPrintable(place));
}

void EveryMemberTest::whatAnotherKindOfStudyReadsIsRefused_data() {
  QTest::addColumn<QString>("more");
  QTest::newRow("grid") << R"("grid": [1, 2])";
  QTest::newRow("value") << R"("plots": [{"id": "p", "x": "dt_s", "y": "depth_max", "value": "depth_max"}])";
  QTest::newRow("failed") << R"("plots": [{"id": "p", "x": "dt_s", "y": "depth_max", "failed": "1"}])";
  QTest::newRow("bin") << R"("plots": [{"id": "p", "x": "dt_s", "y": "depth_max", "bin": 1}])";
  QTest::newRow("variation") << R"("variation": {"spin": 1})";
}

void EveryMemberTest::whatAnotherKindOfStudyReadsIsRefused() {
  QFETCH(QString, more);
  const QString text = QStringLiteral(R"({"touchstone_study": 1, "name": "s", "title": "S", "scene": "pour",
    "time": 1, "panes": [{"label": "A", "method": "cpf"}], %1})")
                           .arg(more);
  try {
    loadStudy(m_folder.write("study.json", text.toUtf8()));
  } catch (const SceneError& error) {
    QVERIFY2(QByteArray(error.what()).contains(QByteArray(QTest::currentDataTag()) + ": has no effect"),
             error.what());
    return;
  }
  QFAIL("it is read without an effect");
}

void EveryMemberTest::polygonsAreGivenInOneWay() {
  const auto loads = [this](const QByteArray& members) {
    try {
      m_folder.load(R"({"name": "p", "shape": {"type": "polygon", )" + members + "}}");
      return true;
    } catch (const SceneError&) {
      return false;
    }
  };
  QVERIFY(loads(R"("sides": 6, "radius": 1)"));
  QVERIFY(loads(R"("size": [1, 2])"));
  QVERIFY(loads(R"("points": [[0, 0], [1, 0], [0, 1]])"));
  QVERIFY(!loads(R"("size": [1, 2], "sides": 6)"));
  QVERIFY(!loads(R"("size": [1, 2], "radius": 1)"));
  QVERIFY(!loads(R"("points": [[0, 0], [1, 0], [0, 1]], "size": [1, 2])"));
  QVERIFY(!loads(R"("points": [[0, 0], [1, 0], [0, 1]], "radius": 2)"));
}

QTEST_APPLESS_MAIN(EveryMemberTest)
#include "tst_every_member.moc"
