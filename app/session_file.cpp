#include "app/session_file.h"

#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QSaveFile>
#include <nlohmann/json.hpp>

#include "core/scene/scene_error.h"

namespace touchstone {

namespace {

using Json = nlohmann::ordered_json;

constexpr int kVersion = 1;
constexpr qint64 kMostBytes = 4 << 20;  // a session is some kilobytes

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
}

const std::pair<BodyColour, const char*> kBodyColours[] = {{BodyColour::Plain, "plain"},
                                                           {BodyColour::Penetration, "penetration"},
                                                           {BodyColour::Difference, "difference"}};

Json viewJson(const ViewSettings& view) {
  Json json;
  eachSwitch(view, [&json](const char* key, bool on) { json[key] = on; });
  json["depth_scale_m"] = view.scalarMaximum;
  for (const auto& [colour, name] : kBodyColours)
    if (view.bodyColour == colour) json["body_colour"] = name;
  return json;
}

ViewSettings viewOf(const Json& json) {
  ViewSettings view;
  eachSwitch(view, [&json](const char* key, bool& on) { on = json.value(key, on); });
  view.scalarMaximum = json.value("depth_scale_m", 0.0);
  const std::string colour = json.value("body_colour", "penetration");
  for (const auto& [each, name] : kBodyColours)
    if (colour == name) view.bodyColour = each;
  return view;
}

Json vectorJson(const Vec3& v) { return {v.x(), v.y(), v.z()}; }
Vec3 vectorOf(const Json& json) {
  return {json.at(0).get<double>(), json.at(1).get<double>(), json.at(2).get<double>()};
}

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
  json["speed"] = session.speed;
  json["layout"] = session.layout.toBase64().toStdString();
  return json;
}

SessionFile sessionOf(const Json& json, const QDir& folder) {
  SessionFile session;
  session.source =
      QDir::cleanPath(folder.absoluteFilePath(QString::fromStdString(json.at("source").get<std::string>())));
  session.sceneName = QString::fromStdString(json.value("scene_name", std::string()));
  if (json.contains("comparison"))
    session.comparison = std::get<command::SetAll>(commandOf(json.at("comparison").dump()));
  if (json.contains("cameras"))
    for (const Json& camera : json.at("cameras"))
      session.cameras.push_back({vectorOf(camera.at("eye_m")), vectorOf(camera.at("target_m")),
                                 vectorOf(camera.at("up")), camera.at("angle_deg").get<double>()});
  session.camerasLinked = json.value("cameras_linked", true);
  if (json.contains("view")) session.view = viewOf(json.at("view"));
  session.reference = json.value("reference", 0);
  if (json.contains("plots"))
    for (const Json& plot : json.at("plots"))
      session.plots << QString::fromStdString(plot.get<std::string>());
  session.speed = json.value("speed", 1.0);
  session.layout = QByteArray::fromBase64(QByteArray::fromStdString(json.value("layout", std::string())));
  return session;
}

QByteArray contentOf(const QString& path) {
  QFile file(path);
  return file.size() <= kMostBytes && file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

}  // namespace

bool isSessionFile(const QString& path) {
  const QByteArray content = contentOf(path);
  if (!content.contains("touchstone_session")) return false;
  const Json json = Json::parse(content.toStdString(), nullptr, false);
  return json.is_object() && json.contains("touchstone_session");
}

SessionFile readSession(const QString& path) {
  const std::string file = path.toStdString();
  try {
    const Json json = Json::parse(contentOf(path).toStdString());
    if (json.at("touchstone_session") != kVersion)
      throw SceneError(file, "touchstone_session", "is a version that this program does not read",
                       "save the session anew with this version");
    return sessionOf(json, QFileInfo(path).absoluteDir());
  } catch (const nlohmann::json::exception& error) {
    throw SceneError(file, "", std::string("is no session (") + error.what() + ")",
                     "give a file that File > Save session wrote");
  } catch (const std::invalid_argument& error) {
    throw SceneError(file, "comparison", error.what(), "give a file that File > Save session wrote");
  } catch (const std::bad_variant_access&) {
    throw SceneError(file, "comparison", "is another command", "give a file that File > Save session wrote");
  }
}

QString writeSession(const SessionFile& session, const QString& path) {
  const QByteArray text =
      QByteArray::fromStdString(sessionJson(session, QFileInfo(path).absoluteDir()).dump(2)) + '\n';
  QSaveFile file(path);
  const bool done = file.open(QIODevice::WriteOnly) && file.write(text) == text.size() && file.commit();
  return done
             ? QString()
             : QObject::tr("%1: cannot be written (%2); choose another folder").arg(path, file.errorString());
}

}  // namespace touchstone
