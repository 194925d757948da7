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

Quaternion unitQuaternion(const XmlView& element, const char* attribute) {
  const std::vector<double> q = element.numbers(attribute, 4, 4);
  Quaternion rotation(q[0], q[1], q[2], q[3]);
  if (!(rotation.norm() > 1e-9))
    element.fail(std::string(attribute) + " has no length", "give a unit quaternion w x y z");
  rotation.normalize();
  return rotation;
}

/// The shortest rotation from z to a direction.
Quaternion rotationFromZ(const Vec3& direction) {
  const Vec3 unit = direction.normalized();
  if (unit.z() < -1 + 1e-12) return {0, 1, 0, 0};
  const Vec3 cross = Vec3(0, 0, 1).cross(unit);
  Quaternion rotation(1 + unit.z(), cross.x(), cross.y(), cross.z());
  rotation.normalize();
  return rotation;
}

Vec3 directionOf(const XmlView& element, const Vec3& v, const char* attribute) {
  if (!(v.norm() > 1e-9)) element.fail(std::string(attribute) + " has no length", "give a direction");
  return v.normalized();
}

}  // namespace

MjcfDocument::MjcfDocument(const XmlView& root, tinyxml2::XMLDocument& document, const RobotMeshes& meshes,
                           RobotNotes& notes)
    : m_root(root), m_document(document), m_meshes(meshes), m_notes(notes) {
  m_included.insert(std::filesystem::weakly_canonical(std::filesystem::absolute(root.file())).string());
  expandIncludes(document.RootElement(), 0);
  for (auto* compiler = document.RootElement()->FirstChildElement("compiler"); compiler;
       compiler = compiler->NextSiblingElement("compiler"))
    readCompiler(view(compiler));
  m_classes["main"];
  for (auto* defaults = document.RootElement()->FirstChildElement("default"); defaults;
       defaults = defaults->NextSiblingElement("default"))
    readDefaults(defaults, "main", true);
}

void MjcfDocument::expandIncludes(tinyxml2::XMLElement* element, int depth) {
  for (auto* child = element->FirstChildElement(); child;) {
    auto* next = child->NextSiblingElement();
    if (std::string(child->Name()) == "include") {
      const XmlView include = view(child);
      const std::string path = m_meshes.fileIn(include, "", include.text("file"));
      if (depth >= kMostIncludeLevels)
        include.fail("includes files more than 8 levels deep", "include them directly");
      if (!m_included.insert(path).second)
        include.fail("includes '" + include.text("file") + "' a second time, or in a loop",
                     "include each file once");
      if (m_included.size() > kMostIncludes)
        include.fail("is one of more than 200 includes", "join the files");
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
  for (auto* child = part.RootElement()->FirstChildElement(); child; child = child->NextSiblingElement()) {
    after = parent->InsertAfterChild(after, child->DeepClone(&m_document));
    after->SetUserData(m_files.back().get());
    added.push_back(after->ToElement());
  }
  // Includes of the part, once its own elements are in place.
  for (tinyxml2::XMLElement* child : added) {
    if (std::string(child->Name()) != "include") {
      expandIncludes(child, depth + 1);
      continue;
    }
    const XmlView childView = view(child);
    const std::string inner = m_meshes.fileIn(childView, "", childView.text("file"));
    if (depth + 1 >= kMostIncludeLevels)
      childView.fail("includes files more than 8 levels deep", "include them directly");
    if (!m_included.insert(inner).second)
      childView.fail("includes '" + childView.text("file") + "' a second time, or in a loop",
                     "include each file once");
    insertFile(child, inner, depth + 1);
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
  const XmlView defaults = view(element);
  std::string name = isTop ? defaults.textOr("class", "main") : defaults.text("class");
  if (isTop) {
    m_classes[name] = m_classes["main"];
  } else {
    if (m_classes.count(name) > 0)
      defaults.fail("has the class '" + name + "', which another default has", "rename one");
    if (m_classes.size() >= kMostClasses) defaults.fail("is one of more than 2000 classes", "use fewer");
    m_classes[name] = m_classes[parent];
  }
  for (auto* child = element->FirstChildElement(); child; child = child->NextSiblingElement()) {
    if (std::string(child->Name()) == "default") continue;
    for (auto* attribute = child->FirstAttribute(); attribute; attribute = attribute->Next()) {
      const std::string key = attribute->Name(), value = attribute->Value();
      if (key == "class") continue;
      if (key.size() + value.size() > kLongestDefault)
        view(child).fail("has a default of more than 1000 letters", "write it where it is used");
      m_classes[name][child->Name()][key] = value;
    }
  }
  for (const auto& [tag, attributes] : m_classes[name]) m_defaults += attributes.size();
  if (m_defaults > kMostDefaults) defaults.fail("brings the defaults above 100000", "use fewer classes");
  if (isTop && name != "main") m_classes["main"] = m_classes[name];
  for (auto* inner = element->FirstChildElement("default"); inner;
       inner = inner->NextSiblingElement("default"))
    readDefaults(inner, name, false);
}

void MjcfDocument::requireClass(const XmlView& element, const std::string& name) const {
  if (m_classes.count(name) == 0)
    element.fail("names the class '" + name.substr(0, 60) + "', which no default has",
                 "add the default or correct the name");
}

void MjcfDocument::applyDefaults(tinyxml2::XMLElement* element, const std::string& childClass) const {
  const XmlView elementView = view(element);
  const std::string name = elementView.textOr("class", childClass);
  requireClass(elementView, name);
  const auto& tags = m_classes.at(name);
  const auto defaults = tags.find(element->Name());
  if (defaults == tags.end()) return;
  const char* const kRotations[] = {"quat", "axisangle", "euler", "xyaxes", "zaxis"};
  const bool isRotated = std::any_of(std::begin(kRotations), std::end(kRotations),
                                     [&](const char* key) { return elementView.has(key); });
  for (const auto& [key, value] : defaults->second) {
    if (element->Attribute(key.c_str())) continue;
    if (isRotated && std::count(std::begin(kRotations), std::end(kRotations), key) > 0) continue;
    element->SetAttribute(key.c_str(), value.c_str());
  }
}

Quaternion MjcfDocument::orientationOf(const XmlView& element) const {
  if (element.has("quat")) return unitQuaternion(element, "quat");
  if (element.has("axisangle")) {
    const std::vector<double> v = element.numbers("axisangle", 4, 4);
    return rotationAbout(directionOf(element, Vec3(v[0], v[1], v[2]), "axisangle"), v[3] * m_compiler.angle);
  }
  if (element.has("euler")) {
    const Vec3 angles = element.vector("euler");
    Quaternion rotation(1, 0, 0, 0);
    for (int k = 0; k < 3; ++k) {
      const char letter = m_compiler.eulerSequence[k];
      const bool isFixed = std::isupper(static_cast<unsigned char>(letter)) != 0;
      const Quaternion step =
          rotationAbout(Vec3::Unit(std::tolower(letter) - 'x'), angles[k] * m_compiler.angle);
      rotation = isFixed ? product(step, rotation) : product(rotation, step);
    }
    return rotation;
  }
  if (element.has("xyaxes")) {
    const std::vector<double> v = element.numbers("xyaxes", 6, 6);
    const Vec3 x = directionOf(element, Vec3(v[0], v[1], v[2]), "xyaxes");
    const Vec3 along(v[3], v[4], v[5]);
    const Vec3 y = directionOf(element, Vec3(along - along.dot(x) * x), "xyaxes");
    Mat3 R;
    R.col(0) = x;
    R.col(1) = y;
    R.col(2) = x.cross(y);
    Quaternion rotation(R);
    rotation.normalize();
    return rotation;
  }
  if (element.has("zaxis")) return rotationFromZ(directionOf(element, element.vector("zaxis"), "zaxis"));
  return {1, 0, 0, 0};
}

}  // namespace touchstone
