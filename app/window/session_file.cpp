#include "app/window/session_file.h"

#include <QDir>
#include <QFileInfo>
#include <algorithm>
#include <cmath>
#include <limits>
#include <ostream>

#include "app/session/session.h"
#include "core/files/file_bytes.h"
#include "core/files/json_file.h"
#include "core/files/json_view.h"
#include "core/files/text_forms.h"
#include "core/files/written_file.h"
#include "core/world/world.h"

namespace touchstone {

namespace {

using Json = nlohmann::ordered_json;

constexpr int kVersion = 1;
const char* const kMarkerFields[] = {"marker_a_frame", "marker_b_frame"};

// One list of members serves reading and writing.
template <class View, class Visit>
void eachSwitch(View& view, const Visit& visit) {
  visit("contacts", view.contacts);
  visit("forces", view.forces);
  visit("normals", view.normals);
  visit("overlaps", view.overlaps);
  visit("grid", view.grid);
  visit("wireframe", view.wireframe);
  visit("scalar_bar", view.scalarBar);
  visit("ghost", view.ghost);
  visit("log_arrows", view.logArrows);
  visit("trails", view.trails);
  visit("joints", view.joints);
  visit("joint_forces", view.jointForces);
}

const std::pair<BodyColour, const char*> kBodyColours[] = {{BodyColour::Plain, "plain"},
                                                           {BodyColour::Penetration, "penetration"},
                                                           {BodyColour::Difference, "difference"}};

const std::pair<DeformationColour, const char*> kDeformationColours[] = {
    {DeformationColour::Plain, "plain"},
    {DeformationColour::Volume, "volume"},
    {DeformationColour::Strain, "strain"},
    {DeformationColour::Pressure, "pressure"}};

const std::pair<CurveForm, const char*> kCurveForms[] = {
    {CurveForm::Values, "values"}, {CurveForm::Difference, "difference"}, {CurveForm::Ratio, "ratio"}};

const std::pair<Section, const char*> kSections[] = {
    {Section::Off, "off"}, {Section::X, "x"}, {Section::Y, "y"}, {Section::Z, "z"}};

/// The choice that a field names; `choice` stays where there is no such field.
template <class Choice, std::size_t count>
void readChoice(const JsonView& json, const char* field, const std::pair<Choice, const char*> (&names)[count],
                Choice& choice) {
  if (!json.has(field)) return;
  std::vector<std::string> known;
  for (const auto& [each, name] : names) known.emplace_back(name);
  const std::string wanted = json.at(field).oneOf(known);
  for (const auto& [each, name] : names)
    if (wanted == name) choice = each;
}

Json viewJson(const ViewSettings& view) {
  Json json;
  eachSwitch(view, [&json](const char* key, bool on) { json[key] = on; });
  json["depth_scale_m"] = view.scalarMaximum;
  for (const auto& [colour, name] : kBodyColours)
    if (view.bodyColour == colour) json["body_colour"] = name;
  for (const auto& [colour, name] : kDeformationColours)
    if (view.deformation == colour) json["deformation_colour"] = name;
  for (const auto& [section, name] : kSections)
    if (view.section == section) json["section"] = name;
  json["section_offset"] = view.sectionOffset;
  return json;
}

ViewSettings viewOf(const JsonView& json) {
  ViewSettings view;
  std::vector<std::string> known = {"depth_scale_m", "body_colour", "deformation_colour", "section",
                                    "section_offset"};
  eachSwitch(view, [&](const char* key, bool& on) {
    if (json.has(key)) on = json.at(key).boolean();
    known.emplace_back(key);
  });
  json.allowOnly(known);
  if (json.has("depth_scale_m")) view.scalarMaximum = json.at("depth_scale_m").nonNegative();
  readChoice(json, "body_colour", kBodyColours, view.bodyColour);
  readChoice(json, "deformation_colour", kDeformationColours, view.deformation);
  readChoice(json, "section", kSections, view.section);
  if (json.has("section_offset")) {
    view.sectionOffset = json.at("section_offset").number();
    if (std::abs(view.sectionOffset) > 1)
      json.at("section_offset").fail("lies outside the scene", "give a number from -1 to 1");
  }
  return view;
}

CameraState cameraOf(const JsonView& json) {
  json.allowOnly({"eye_m", "target_m", "up", "angle_deg"});
  const CameraState camera{json.at("eye_m").vector(), json.at("target_m").vector(), json.at("up").vector(),
                           json.at("angle_deg").number()};
  if (!((camera.eye - camera.target).cross(camera.up).norm() > 0))
    json.at("up").fail("is no direction across the view",
                       "turn the camera, or correct its eye, target and up");
  if (!(camera.angle > 0 && camera.angle < 180))
    json.at("angle_deg").fail("is no opening of a camera", "give an angle above 0 and below 180 degrees");
  return camera;
}

Json vectorJson(const Vec3& v) { return {v.x(), v.y(), v.z()}; }

Json sessionJson(const SessionFile& session, const QDir& folder) {
  Json json;
  json["touchstone_session"] = kVersion;
  json["source"] = folder.relativeFilePath(session.source).toStdString();
  if (!session.sceneName.isEmpty()) json["scene_name"] = session.sceneName.toStdString();
  if (session.comparison) json["comparison"] = Json::parse(toText(Command(*session.comparison)));
  for (const CameraState& camera : session.cameras)
    json["cameras"].push_back({{"eye_m", vectorJson(camera.eye)},
                               {"target_m", vectorJson(camera.target)},
                               {"up", vectorJson(camera.up)},
                               {"angle_deg", camera.angle}});
  json["cameras_linked"] = session.camerasLinked;
  json["view"] = viewJson(session.view);
  json["reference"] = session.reference;
  for (const QString& plot : session.plots) json["plots"].push_back(plot.toStdString());
  if (session.largePlot >= 0) json["large_plot"] = session.largePlot;
  for (const auto& [form, name] : kCurveForms)
    if (session.plotOptions.form == form) json["plot_form"] = name;
  json["cut_peaks"] = session.plotOptions.cutsPeaks;
  for (int marker = 0; marker < 2; ++marker)
    if (session.markers[marker] >= 0) json[kMarkerFields[marker]] = session.markers[marker];
  json["speed"] = session.speed;
  if (!session.arrangement.isEmpty()) json["arrangement"] = session.arrangement.toStdString();
  json["layout"] = session.layout.toBase64().toStdString();
  return json;
}

constexpr char kRemedy[] = "give a file that File > Save session wrote";

SessionFile sessionOf(const JsonView& root, const QDir& folder) {
  // The tiles of the plots in a window.
  constexpr std::size_t kMostPlots = 8;
  // A larger value lets a damaged file use more memory; a smaller one refuses sessions with many docks.
  constexpr std::size_t kMostLayoutBytes = 1 << 20;
  // Largest speed. A larger one skips most frames in playback; a smaller one refuses valid sessions.
  constexpr double kFastest = 1000;
  root.allowOnly({"touchstone_session", "source", "scene_name", "comparison", "cameras", "cameras_linked",
                  "view", "reference", "plots", "large_plot", "plot_form", "cut_peaks", "marker_a_frame",
                  "marker_b_frame", "speed", "arrangement", "layout"});
  root.at("touchstone_session").integer(kVersion, kVersion);
  SessionFile session;
  session.source = QDir::cleanPath(folder.absoluteFilePath(QString::fromStdString(root.at("source").text())));
  session.sceneName = QString::fromStdString(root.textOr("scene_name", ""));
  if (!session.sceneName.isEmpty() && !isPlainName(session.sceneName.toStdString()))
    root.at("scene_name").fail("is no name of a scene", kRemedy);
  if (root.has("comparison")) session.comparison = setAllOf(root.at("comparison"));
  if (session.comparison && session.comparison->panes.size() > Session::kMostPanes)
    root.at("comparison")
        .fail("has " + std::to_string(session.comparison->panes.size()) + " panes",
              "a window shows at most " + std::to_string(Session::kMostPanes));
  if (root.has("cameras"))
    for (const JsonView& camera : root.at("cameras").items(Session::kMostPanes))
      session.cameras.push_back(cameraOf(camera));
  if (root.has("cameras_linked")) session.camerasLinked = root.at("cameras_linked").boolean();
  if (root.has("view")) session.view = viewOf(root.at("view"));
  if (session.comparison && session.cameras.size() > session.comparison->panes.size())
    root.at("cameras").fail("are more than the panes", kRemedy);
  if (root.has("reference")) {
    session.reference = root.at("reference").integer(0, std::numeric_limits<int>::max());
    const auto isIt = [&session](int id) { return id == session.reference; };
    if (session.comparison &&
        std::none_of(session.comparison->ids.begin(), session.comparison->ids.end(), isIt))
      root.at("reference").fail("is the id of no pane", kRemedy);
  }
  if (root.has("plots"))
    for (const JsonView& plot : root.at("plots").items(kMostPlots)) {
      session.plots << QString::fromStdString(plot.text());
      if (!PlotTile::isKey(session.plots.back())) plot.fail("is no key of a plot", kRemedy);
    }
  if (root.has("large_plot")) session.largePlot = root.at("large_plot").integer(0, kMostPlots - 1);
  readChoice(root, "plot_form", kCurveForms, session.plotOptions.form);
  if (root.has("cut_peaks")) session.plotOptions.cutsPeaks = root.at("cut_peaks").boolean();
  for (int marker = 0; marker < 2; ++marker)
    if (root.has(kMarkerFields[marker]))
      session.markers[marker] = root.at(kMarkerFields[marker]).integer(0, std::numeric_limits<int>::max());
  if (root.has("speed")) session.speed = root.at("speed").nonNegative();
  if (session.speed > kFastest) root.at("speed").fail("is above 1000", kRemedy);
  if (root.has("arrangement"))
    session.arrangement =
        QString::fromStdString(root.at("arrangement").oneOf({"explore", "compare", "lecture", "figure"}));
  const std::string layout = root.textOr("layout", "");
  if (layout.size() > kMostLayoutBytes) root.at("layout").fail("is longer than 1 MiB", kRemedy);
  session.layout = QByteArray::fromBase64(QByteArray::fromStdString(layout));
  return session;
}

}  // namespace

bool isSessionFile(const QString& path) {
  std::string text;
  try {
    text = readFile(path.toStdString(), kRemedy);
  } catch (const SceneError&) {
    return false;
  }
  if (text.find("\"touchstone_session\"") == std::string::npos) return false;
  try {
    const nlohmann::json json = parseJson(text, path.toStdString());
    return json.is_object() && json.contains("touchstone_session");
  } catch (const SceneError&) {
    return true;  // a damaged file, for which its reader reports the place
  }
}

SessionFile readSession(const QString& path) {
  const nlohmann::json json = readJson(path.toStdString(), kRemedy);
  return sessionOf(JsonView(json, path.toStdString(), kRemedy), QFileInfo(path).absoluteDir());
}

QString writeSession(const SessionFile& session, const QString& path) {
  const std::string text = sessionJson(session, QFileInfo(path).absoluteDir()).dump(2) + '\n';
  try {
    writeWhole(path.toStdString(), [&](std::ostream& out) { out << text; });
    return {};
  } catch (const std::runtime_error& error) {
    return QString::fromStdString(error.what());
  }
}

}  // namespace touchstone
