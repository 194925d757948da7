#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <map>

#include "core/files/scene_error.h"
#include "core/files/xml_view.h"
#include "core/math/vec.h"
#include "core/shape/mesh_readers.h"

namespace touchstone {

namespace {

/// Collects the corners of all surfaces in the scene of a Collada file [m], with its unit of length and the
/// places of its nodes. Its upward axis is ignored, as in robot descriptions. The library's reader of this
/// format crashes on malformed files.
class ColladaCorners {
 public:
  ColladaCorners(const std::string& bytes, const std::string& path) : m_path(path) {
    parseXml(bytes, path, m_document);
    number(*m_document.RootElement());
  }

  std::vector<Vec3> read() {
    const tinyxml2::XMLElement& root = *m_document.RootElement();
    Eigen::Affine3d place = Eigen::Affine3d::Identity();
    place.linear() *= unitOf(root);
    const tinyxml2::XMLElement* scene = nullptr;
    if (const auto* library = root.FirstChildElement("library_visual_scenes"))
      scene = library->FirstChildElement("visual_scene");
    if (const auto* chosen = root.FirstChildElement("scene"))
      if (const auto* instance = chosen->FirstChildElement("instance_visual_scene"))
        if (const auto* named = target(*instance)) scene = named;
    if (scene) visit(*scene, place, 0);
    if (m_corners.empty()) throw SceneError(m_path, "", "has no triangles", "export surfaces with a scene");
    return m_corners;
  }

 private:
  // Larger values let a small file that names its nodes again and again take minutes; smaller ones refuse
  // parts.
  static constexpr int kMostLevels = 100, kMostVisits = 100'000, kMostSteps = 3'000'000;
  static constexpr std::size_t kMostCorners = 6'000'000;

  [[noreturn]] void fail(const tinyxml2::XMLElement& element, const std::string& problem) const {
    throw SceneError(m_path, "line " + std::to_string(element.GetLineNum()),
                     std::string(element.Name()) + " " + problem, kExportRemedy);
  }

  void number(const tinyxml2::XMLElement& element) {
    if (const char* id = element.Attribute("id")) m_byId.emplace(id, &element);
    for (auto* child = element.FirstChildElement(); child; child = child->NextSiblingElement())
      number(*child);
  }

  /// Metres in its unit of length.
  double unitOf(const tinyxml2::XMLElement& root) const {
    const auto* asset = root.FirstChildElement("asset");
    const auto* unit = asset ? asset->FirstChildElement("unit") : nullptr;
    if (!unit || !unit->Attribute("meter")) return 1;
    const double metres = numbers(*unit, unit->Attribute("meter"), 1)[0];
    if (!(metres > 0)) fail(*unit, "is no length");
    return metres;
  }

  /// The element that a url or source names; null if that is not in the file.
  const tinyxml2::XMLElement* target(const tinyxml2::XMLElement& element) const {
    const char* name = element.Attribute("url") ? element.Attribute("url") : element.Attribute("source");
    if (!name || name[0] != '#') return nullptr;
    const auto found = m_byId.find(name + 1);
    return found == m_byId.end() ? nullptr : found->second;
  }

  /// @param count  of the numbers; 0: any
  std::vector<double> numbers(const tinyxml2::XMLElement& element, const char* text,
                              std::size_t count) const {
    std::vector<double> values;
    if (!numbersOf(text ? text : "", values)) fail(element, "is not finite numbers");
    if (count > 0 && values.size() != count) fail(element, "has not " + std::to_string(count) + " numbers");
    return values;
  }

  void visit(const tinyxml2::XMLElement& node, Eigen::Affine3d place, int level) {
    if (level > kMostLevels || ++m_visits > kMostVisits) fail(node, "is one of too many");
    for (auto* child = node.FirstChildElement(); child; child = child->NextSiblingElement()) {
      const std::string tag = child->Name();
      countStep(*child);
      if (tag == "translate") {
        const std::vector<double> v = numbers(*child, child->GetText(), 3);
        place.translate(Eigen::Vector3d(v[0], v[1], v[2]));
      } else if (tag == "scale") {
        const std::vector<double> v = numbers(*child, child->GetText(), 3);
        place.scale(Eigen::Vector3d(v[0], v[1], v[2]));
      } else if (tag == "rotate") {
        const std::vector<double> v = numbers(*child, child->GetText(), 4);
        const Eigen::Vector3d axis(v[0], v[1], v[2]);
        if (axis.norm() > 0) place.rotate(Eigen::AngleAxisd(v[3] * M_PI / 180, axis.normalized()));
      } else if (tag == "matrix") {
        const std::vector<double> v = numbers(*child, child->GetText(), 16);
        const Eigen::Matrix4d matrix =
            Eigen::Map<const Eigen::Matrix<double, 4, 4, Eigen::RowMajor>>(v.data());
        place = place * Eigen::Affine3d(matrix);
      } else if (tag == "node") {
        visit(*child, place, level + 1);
      } else if (tag == "instance_node") {
        if (const auto* other = target(*child)) visit(*other, place, level + 1);
      } else if (tag == "instance_geometry") {
        if (const auto* geometry = target(*child)) add(*geometry, place);
      }
    }
  }

  void countStep(const tinyxml2::XMLElement& element) {
    if (++m_steps > kMostSteps) fail(element, "is one of too many");
  }

  static bool hasSurface(const tinyxml2::XMLElement& mesh) {
    for (const char* tag : {"triangles", "polylist", "polygons", "tristrips", "trifans"})
      if (mesh.FirstChildElement(tag)) return true;
    return false;
  }

  void add(const tinyxml2::XMLElement& geometry, const Eigen::Affine3d& place) {
    const auto* mesh = geometry.FirstChildElement("mesh");
    const auto* vertices = mesh ? mesh->FirstChildElement("vertices") : nullptr;
    if (!vertices || !hasSurface(*mesh)) return;
    for (auto* input = vertices->FirstChildElement("input"); input;
         input = input->NextSiblingElement("input")) {
      countStep(*input);
      const char* meaning = input->Attribute("semantic");
      const auto* source = target(*input);
      if (!meaning || std::string(meaning) != "POSITION" || !source) continue;
      const auto* array = source->FirstChildElement("float_array");
      if (!array) fail(*source, "has no numbers");
      auto known = m_points.find(array);
      if (known == m_points.end()) known = m_points.emplace(array, pointsOf(*source, *array)).first;
      if (m_corners.size() + known->second.size() > kMostCorners) fail(geometry, "has too many corners");
      for (const Vec3& point : known->second) {
        const Vec3 corner = place * Eigen::Vector3d(point);
        if (!isWithin(corner, 1e9)) fail(geometry, "has a corner that is not finite or beyond 1e9 m");
        m_corners.push_back(corner);
      }
    }
  }

  std::vector<Vec3> pointsOf(const tinyxml2::XMLElement& source, const tinyxml2::XMLElement& array) const {
    std::size_t stride = 3;
    if (const auto* common = source.FirstChildElement("technique_common"))
      if (const auto* accessor = common->FirstChildElement("accessor"))
        stride = std::max(3, accessor->IntAttribute("stride", 3));
    const std::vector<double> values = numbers(array, array.GetText(), 0);
    std::vector<Vec3> points;
    for (std::size_t first = 0; first + 2 < values.size(); first += stride)
      points.emplace_back(values[first], values[first + 1], values[first + 2]);
    return points;
  }

  const std::string& m_path;
  tinyxml2::XMLDocument m_document;
  std::map<std::string, const tinyxml2::XMLElement*> m_byId;
  std::map<const tinyxml2::XMLElement*, std::vector<Vec3>> m_points;  ///< by their array
  std::vector<Vec3> m_corners;
  int m_visits = 0, m_steps = 0;
};

bool isCollada(const std::string& bytes) {
  const std::size_t mark = bytes.compare(0, 3, "\xef\xbb\xbf") == 0 ? 3 : 0;
  const std::size_t first = bytes.find_first_not_of(" \t\r\n", mark);
  return first != std::string::npos && bytes[first] == '<' && bytes.find("<COLLADA") != std::string::npos;
}

std::vector<Vec3> readCollada(const std::string& bytes, const std::string& path) {
  return ColladaCorners(bytes, path).read();
}

}  // namespace

MeshReader colladaReader() { return {"Collada", {".dae"}, isCollada, nullptr, readCollada}; }

}  // namespace touchstone
