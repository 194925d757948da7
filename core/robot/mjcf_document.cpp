#include "core/robot/mjcf_document.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <filesystem>

#include "core/files/scene_error.h"

namespace touchstone {

namespace {

// Larger values let files that include each other fill the memory; smaller ones refuse models in many parts.
constexpr int kMostIncludeLevels = 8;
constexpr std::size_t kMostIncludes = 200, kMostIncludedBytes = std::size_t(32) << 20;
constexpr std::size_t kMostClasses = 2000, kLongestDefault = 1000, kMostDefaults = 100'000;

Quaternion unitQuaternion(const XmlView& at, const char* attribute) {
  const std::vector<double> q = at.numbers(attribute, 4, 4);
  Quaternion turn(q[0], q[1], q[2], q[3]);
  if (!(turn.norm() > 1e-9))
    at.fail(std::string(attribute) + " has no length", "give a unit quaternion w x y z");
  turn.normalize();
  return turn;
}

/// The shortest turn from z to a direction.
Quaternion turnFromZ(const Vec3& direction) {
  const Vec3 unit = direction.normalized();
  if (unit.z() < -1 + 1e-12) return {0, 1, 0, 0};
  const Vec3 cross = Vec3(0, 0, 1).cross(unit);
  Quaternion turn(1 + unit.z(), cross.x(), cross.y(), cross.z());
  turn.normalize();
  return turn;
}

Vec3 directionOf(const XmlView& at, const Vec3& v, const char* attribute) {
  if (!(v.norm() > 1e-9)) at.fail(std::string(attribute) + " has no length", "give a direction");
  return v.normalized();
}

}  // namespace

MjcfDocument::MjcfDocument(const XmlView& root, tinyxml2::XMLDocument& document, const RobotMeshes& meshes,
                           RobotNotes& notes)
    : m_root(root), m_document(document), m_meshes(meshes), m_notes(notes) {
  m_included.insert(std::filesystem::weakly_canonical(std::filesystem::absolute(root.file())).string());
  expandIncludes(document.RootElement(), 0);
  for (auto* each = document.RootElement()->FirstChildElement("compiler"); each;
       each = each->NextSiblingElement("compiler"))
    readCompiler(view(each));
  m_classes["main"];
  for (auto* each = document.RootElement()->FirstChildElement("default"); each;
       each = each->NextSiblingElement("default"))
    readDefaults(each, "main", true);
}

void MjcfDocument::expandIncludes(tinyxml2::XMLElement* element, int depth) {
  for (auto* child = element->FirstChildElement(); child;) {
    auto* next = child->NextSiblingElement();
    if (std::string(child->Name()) == "include") {
      const XmlView at = view(child);
      const std::string path = m_meshes.fileIn(at, "", at.text("file"));
      if (depth >= kMostIncludeLevels)
        at.fail("includes files more than 8 levels deep", "include them directly");
      if (!m_included.insert(path).second)
        at.fail("includes '" + at.text("file") + "' a second time, or in a loop", "include each file once");
      if (m_included.size() > kMostIncludes) at.fail("is one of more than 200 includes", "join the files");
      insertFile(child, path, depth);
    } else {
      expandIncludes(child, depth);
    }
    child = next;
  }
}

void MjcfDocument::insertFile(tinyxml2::XMLElement* include, const std::string& path, int depth) {
  tinyxml2::XMLDocument part;
  readRobotXml(path, part);
  std::error_code error;
  m_bytes += std::filesystem::file_size(path, error);
  if (m_bytes > kMostIncludedBytes)
    view(include).fail("brings the included files above 32 MiB", "keep meshes in files of their own");
  const std::string tag = part.RootElement()->Name();
  if (tag != "mujoco" && tag != "mujocoinclude")
    throw SceneError(path, tag, "is no part of an MJCF model", "begin it with mujoco or mujocoinclude");
  m_files.push_back(std::make_unique<std::string>(path));
  auto* parent = include->Parent();
  tinyxml2::XMLNode* after = include;
  std::vector<tinyxml2::XMLElement*> added;
  for (auto* each = part.RootElement()->FirstChildElement(); each; each = each->NextSiblingElement()) {
    after = parent->InsertAfterChild(after, each->DeepClone(&m_document));
    after->SetUserData(m_files.back().get());
    added.push_back(after->ToElement());
  }
  // Includes of the part, once its own elements are in place.
  for (tinyxml2::XMLElement* each : added) {
    if (std::string(each->Name()) != "include") {
      expandIncludes(each, depth + 1);
      continue;
    }
    const XmlView at = view(each);
    const std::string inner = m_meshes.fileIn(at, "", at.text("file"));
    if (depth + 1 >= kMostIncludeLevels)
      at.fail("includes files more than 8 levels deep", "include them directly");
    if (!m_included.insert(inner).second)
      at.fail("includes '" + at.text("file") + "' a second time, or in a loop", "include each file once");
    insertFile(each, inner, depth + 1);
  }
  parent->DeleteChild(include);
}

void MjcfDocument::readCompiler(const XmlView& compiler) {
  const std::string angle = compiler.textOr("angle", "");
  if (!angle.empty() && angle != "degree" && angle != "radian")
    compiler.fail("angle '" + angle + "' is unknown", "write degree or radian");
  if (!angle.empty()) m_compiler.angle = angle == "degree" ? M_PI / 180 : 1;
  if (compiler.textOr("coordinate", "local") != "local")
    compiler.fail("has coordinate '" + compiler.text("coordinate") + "', which is not supported",
                  "convert the file to local coordinates");
  m_compiler.eulerSequence = compiler.textOr("eulerseq", m_compiler.eulerSequence);
  const std::string& sequence = m_compiler.eulerSequence;
  if (sequence.size() != 3 || sequence.find_first_not_of("xyzXYZ") != std::string::npos)
    compiler.fail("eulerseq '" + sequence.substr(0, 20) + "' is unknown",
                  "write three letters of xyz or XYZ");
  for (const char* key : {"assetdir", "meshdir"})
    m_compiler.meshFolder = compiler.textOr(key, m_compiler.meshFolder);
  m_compiler.stripsPath = compiler.flagOr("strippath", m_compiler.stripsPath);
  m_compiler.limitsFollowRange = compiler.flagOr("autolimits", m_compiler.limitsFollowRange);
  const std::string inertia = compiler.textOr("inertiafromgeom", "");
  if (!inertia.empty() && inertia != "auto" && inertia != "true" && inertia != "false")
    compiler.fail("inertiafromgeom '" + inertia.substr(0, 20) + "' is unknown", "write auto, true or false");
  if (!inertia.empty())
    m_compiler.inertia = inertia == "true"    ? MjcfCompiler::Inertia::Geoms
                         : inertia == "false" ? MjcfCompiler::Inertia::File
                                              : MjcfCompiler::Inertia::Auto;
  if (compiler.has("settotalmass")) m_compiler.totalMass = std::max(0.0, compiler.number("settotalmass"));
  for (const char* key :
       {"boundmass", "boundinertia", "balanceinertia", "inertiagrouprange", "discardvisual"})
    if (compiler.has(key)) m_notes.add(compiler, std::string(key) + " is ignored");
}

/// A class begins with the attributes of the class around it.
void MjcfDocument::readDefaults(tinyxml2::XMLElement* element, const std::string& parent, bool isTop) {
  const XmlView at = view(element);
  std::string name = isTop ? at.textOr("class", "main") : at.text("class");
  if (isTop) {
    m_classes[name] = m_classes["main"];
  } else {
    if (m_classes.count(name) > 0)
      at.fail("has the class '" + name + "', which another default has", "rename one");
    if (m_classes.size() >= kMostClasses) at.fail("is one of more than 2000 classes", "use fewer");
    m_classes[name] = m_classes[parent];
  }
  for (auto* each = element->FirstChildElement(); each; each = each->NextSiblingElement()) {
    if (std::string(each->Name()) == "default") continue;
    for (auto* attribute = each->FirstAttribute(); attribute; attribute = attribute->Next()) {
      const std::string key = attribute->Name(), value = attribute->Value();
      if (key == "class") continue;
      if (key.size() + value.size() > kLongestDefault)
        view(each).fail("has a default of more than 1000 letters", "write it where it is used");
      m_classes[name][each->Name()][key] = value;
    }
  }
  for (const auto& [tag, attributes] : m_classes[name]) m_defaults += attributes.size();
  if (m_defaults > kMostDefaults) at.fail("brings the defaults above 100000", "use fewer classes");
  if (isTop && name != "main") m_classes["main"] = m_classes[name];
  for (auto* each = element->FirstChildElement("default"); each; each = each->NextSiblingElement("default"))
    readDefaults(each, name, false);
}

void MjcfDocument::requireClass(const XmlView& at, const std::string& name) const {
  if (m_classes.count(name) == 0)
    at.fail("names the class '" + name.substr(0, 60) + "', which no default has",
            "add the default or correct the name");
}

void MjcfDocument::applyDefaults(tinyxml2::XMLElement* element, const std::string& childClass) const {
  const XmlView at = view(element);
  const std::string name = at.textOr("class", childClass);
  requireClass(at, name);
  const auto& tags = m_classes.at(name);
  const auto own = tags.find(element->Name());
  if (own == tags.end()) return;
  const char* const kTurns[] = {"quat", "axisangle", "euler", "xyaxes", "zaxis"};
  const bool isTurned =
      std::any_of(std::begin(kTurns), std::end(kTurns), [&](const char* key) { return at.has(key); });
  for (const auto& [key, value] : own->second) {
    if (element->Attribute(key.c_str())) continue;
    if (isTurned && std::count(std::begin(kTurns), std::end(kTurns), key) > 0) continue;
    element->SetAttribute(key.c_str(), value.c_str());
  }
}

Quaternion MjcfDocument::orientationOf(const XmlView& at) const {
  if (at.has("quat")) return unitQuaternion(at, "quat");
  if (at.has("axisangle")) {
    const std::vector<double> v = at.numbers("axisangle", 4, 4);
    return turnAbout(directionOf(at, Vec3(v[0], v[1], v[2]), "axisangle"), v[3] * m_compiler.angle);
  }
  if (at.has("euler")) {
    const Vec3 angles = at.vector("euler");
    Quaternion turn(1, 0, 0, 0);
    for (int k = 0; k < 3; ++k) {
      const char letter = m_compiler.eulerSequence[k];
      const bool isFixed = std::isupper(static_cast<unsigned char>(letter)) != 0;
      const Quaternion own = turnAbout(Vec3::Unit(std::tolower(letter) - 'x'), angles[k] * m_compiler.angle);
      turn = isFixed ? product(own, turn) : product(turn, own);
    }
    return turn;
  }
  if (at.has("xyaxes")) {
    const std::vector<double> v = at.numbers("xyaxes", 6, 6);
    const Vec3 x = directionOf(at, Vec3(v[0], v[1], v[2]), "xyaxes");
    const Vec3 along(v[3], v[4], v[5]);
    const Vec3 y = directionOf(at, Vec3(along - along.dot(x) * x), "xyaxes");
    Mat3 R;
    R.col(0) = x;
    R.col(1) = y;
    R.col(2) = x.cross(y);
    Quaternion turn(R);
    turn.normalize();
    return turn;
  }
  if (at.has("zaxis")) return turnFromZ(directionOf(at, at.vector("zaxis"), "zaxis"));
  return {1, 0, 0, 0};
}

}  // namespace touchstone
