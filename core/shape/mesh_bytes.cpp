#include "core/shape/mesh_bytes.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <map>
#include <sstream>

#include "core/files/json_file.h"
#include "core/files/scene_error.h"
#include "core/files/xml_view.h"
#include "core/shape/gltf_limits.h"

namespace touchstone {

namespace {

using nlohmann::json;

constexpr char kExport[] = "export it again, for example as OBJ";

void removeFields(json& object, const std::vector<const char*>& keys) {
  if (object.is_object())
    for (const char* key : keys) object.erase(key);
}

void keepFields(json& object, const std::vector<std::string>& keys) {
  if (!object.is_object()) return;
  json kept = json::object();
  for (const std::string& key : keys)
    if (object.contains(key)) kept[key] = std::move(object[key]);
  object = std::move(kept);
}

/// Applies a change to each entry of a list, if there is one.
template <class Change>
void changeEach(json& object, const char* key, const Change& change) {
  if (!object.is_object() || !object.contains(key) || !object[key].is_array()) return;
  for (json& entry : object[key]) change(entry);
}

/// Printable form of arbitrary bytes.
std::string shown(const std::string& text) {
  std::string printable;
  for (char c : text.substr(0, 40)) printable += c >= ' ' && c <= '~' ? c : '?';
  return "'" + printable + "'";
}

class PlyReader {
 public:
  PlyReader(const std::string& bytes, const std::string& file) : m_bytes(bytes), m_file(file) {}

  PlyMesh read() {
    readHeader();
    for (const Element& element : m_elements) {
      const bool isVertex = element.name == "vertex", isFace = element.name == "face";
      for (std::size_t entry = 0; entry < element.count; ++entry) {
        if (isVertex) m_mesh.vertices.push_back({});
        for (const Property& property : element.properties)
          if (property.isList)
            readList(element, property, isFace);
          else
            readValue(element, property, isVertex);
      }
    }
    return std::move(m_mesh);
  }

 private:
  enum class Kind { Signed, Unsigned, Real };
  struct Type {
    Kind kind = Kind::Real;
    std::size_t size = 0;  ///< size in bytes in a binary file
  };
  struct Property {
    std::string name;
    bool isList = false;
    Type count, type;
  };
  struct Element {
    std::string name;
    std::size_t count = 0;
    std::vector<Property> properties;
  };

  [[noreturn]] void fail(const std::string& element, const std::string& problem) const {
    throw SceneError(m_file, "element " + shown(element), problem, kExport);
  }

  std::string nextLine() {
    const std::size_t end = std::min(m_bytes.find('\n', m_place), m_bytes.size());
    std::string line = m_bytes.substr(m_place, end - m_place);
    m_place = std::min(end + 1, m_bytes.size());
    if (!line.empty() && line.back() == '\r') line.pop_back();
    return line;
  }

  void readHeader() {
    if (nextLine() != "ply") throw SceneError(m_file, "", "is no PLY file", kExport);
    while (true) {
      if (m_place >= m_bytes.size()) throw SceneError(m_file, "", "ends within its header", kExport);
      const std::string line = nextLine();
      std::istringstream words(line);
      std::string keyword, first, second, third, fourth;
      words >> keyword >> first >> second >> third >> fourth;
      if (keyword == "end_header") break;
      if (keyword == "format") m_format = first;
      if (keyword == "element") m_elements.push_back({first, countOf(first, second), {}});
      if (keyword != "property") continue;
      if (m_elements.empty()) throw SceneError(m_file, "", "has a property of no element", kExport);
      const bool isList = first == "list";
      const Property property{isList ? fourth : second, isList, isList ? typeOf(second) : Type(),
                              typeOf(isList ? third : first)};
      if (property.type.size == 0 ||
          (isList && (property.count.size == 0 || property.count.kind == Kind::Real)))
        fail(m_elements.back().name, "has a property of unknown type: " + shown(line));
      m_elements.back().properties.push_back(property);
    }
    if (m_format != "ascii" && m_format != "binary_little_endian" && m_format != "binary_big_endian")
      throw SceneError(m_file, "format", shown(m_format) + " is unknown", kExport);
  }

  /// Number of entries; the file cannot hold more entries than bytes.
  std::size_t countOf(const std::string& element, const std::string& text) const {
    std::size_t count = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), count);
    if (error != std::errc() || end != text.data() + text.size() || count > m_bytes.size())
      failCount(element, shown(text));
    return count;
  }
  [[noreturn]] void failCount(const std::string& element, const std::string& count) const {
    fail(element,
         "announces " + count + " entries in a file of " + std::to_string(m_bytes.size()) + " bytes");
  }

  static Type typeOf(const std::string& name) {
    static const std::map<std::string, Type> kTypes = {
        {"char", {Kind::Signed, 1}},     {"int8", {Kind::Signed, 1}},     {"uchar", {Kind::Unsigned, 1}},
        {"uint8", {Kind::Unsigned, 1}},  {"short", {Kind::Signed, 2}},    {"int16", {Kind::Signed, 2}},
        {"ushort", {Kind::Unsigned, 2}}, {"uint16", {Kind::Unsigned, 2}}, {"int", {Kind::Signed, 4}},
        {"int32", {Kind::Signed, 4}},    {"uint", {Kind::Unsigned, 4}},   {"uint32", {Kind::Unsigned, 4}},
        {"float", {Kind::Real, 4}},      {"float32", {Kind::Real, 4}},    {"double", {Kind::Real, 8}},
        {"float64", {Kind::Real, 8}}};
    const auto type = kTypes.find(name);
    return type == kTypes.end() ? Type() : type->second;
  }

  double next(const Element& element, const Type& type) {
    return m_format == "ascii" ? nextWord(element) : nextBytes(element, type);
  }

  double nextWord(const Element& element) {
    constexpr char kBlanks[] = " \t\r\n";
    const std::size_t first = m_bytes.find_first_not_of(kBlanks, m_place);
    if (first == std::string::npos) fail(element.name, "ends too early");
    const std::size_t end = std::min(m_bytes.find_first_of(kBlanks, first), m_bytes.size());
    double value = 0;
    const char *begin = m_bytes.data() + first + (m_bytes[first] == '+'), *stop = m_bytes.data() + end;
    const auto [read, error] = std::from_chars(begin, stop, value);
    if (read != stop || error != std::errc())
      fail(element.name, "has " + shown(m_bytes.substr(first, end - first)) + " for a number");
    m_place = end;
    return value;
  }

  double nextBytes(const Element& element, const Type& type) {
    if (m_bytes.size() - m_place < type.size) fail(element.name, "ends too early");
    std::uint64_t bits = 0;
    for (std::size_t byte = 0; byte < type.size; ++byte) {
      const std::size_t place = m_format == "binary_big_endian" ? byte : type.size - 1 - byte;
      bits = bits << 8 | static_cast<unsigned char>(m_bytes[m_place + place]);
    }
    m_place += type.size;
    if (type.kind == Kind::Unsigned) return static_cast<double>(bits);
    if (type.kind == Kind::Signed) {
      const std::uint64_t sign = std::uint64_t(1) << (8 * type.size - 1);
      return static_cast<double>(static_cast<std::int64_t>((bits ^ sign) - sign));
    }
    if (type.size == sizeof(double)) return as<double>(bits);
    return static_cast<double>(as<float>(static_cast<std::uint32_t>(bits)));
  }

  template <class Real, class Bits>
  static Real as(Bits bits) {
    static_assert(sizeof(Real) == sizeof(Bits));
    Real value;
    std::memcpy(&value, &bits, sizeof value);
    return value;
  }

  void readValue(const Element& element, const Property& property, bool isVertex) {
    const double value = next(element, property.type);
    if (!isVertex) return;
    for (std::size_t axis = 0; axis < 3; ++axis)
      if (property.name == std::string(1, "xyz"[axis])) m_mesh.vertices.back()[axis] = value;
  }

  void readList(const Element& element, const Property& property, bool isFace) {
    const double count = next(element, property.count);
    if (!(count >= 0 && count <= static_cast<double>(m_bytes.size() - m_place) && count == std::floor(count)))
      failCount(element.name, std::to_string(count));
    std::vector<double> values;
    for (double entry = 0; entry < count; ++entry) values.push_back(next(element, property.type));
    if (isFace && (property.name == "vertex_indices" || property.name == "vertex_index"))
      m_mesh.faces.push_back(std::move(values));
  }

  const std::string &m_bytes, &m_file;
  std::size_t m_place = 0;
  std::vector<Element> m_elements;
  std::string m_format;
  PlyMesh m_mesh;
};

}  // namespace

std::string objGeometry(const std::string& bytes) {
  std::string text = bytes, geometry;
  for (std::size_t at = 0; (at = text.find('\\', at)) != std::string::npos; ++at) {  // a backslash continues
                                                                                     // the line
    const std::size_t end = text.find_first_not_of('\r', at + 1);
    if (end != std::string::npos && text[end] == '\n') text.replace(at, end + 1 - at, end + 1 - at, ' ');
  }
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    const std::size_t first = std::min(line.find_first_not_of(" \t"), line.size());
    const bool isFace = line[first] == 'f', isCorner = line[first] == 'v';
    if ((!isFace && !isCorner) || (line[first + 1] != ' ' && line[first + 1] != '\t')) continue;
    bool inNumber = true;
    for (const char letter : line.substr(first)) {
      inNumber = (inNumber && letter != '/') || letter == ' ' || letter == '\t';
      if (inNumber || isCorner) geometry += letter == '\t' || letter == '\r' ? ' ' : letter;
    }
    geometry += '\n';
  }
  return geometry;
}

std::string gltfGeometry(const std::string& text, const std::string& file, const std::string& binary) {
  json document = parseJson(text, file);
  if (document.is_object() && document.contains("extensionsRequired"))
    for (const json& extension : document["extensionsRequired"]) {
      const std::string name = extension.is_string() ? extension.get<std::string>() : extension.dump();
      if (name.find("compression") != std::string::npos || name.find("quantization") != std::string::npos)
        throw SceneError(file, "extensionsRequired", "asks for " + name + ", which is not read",
                         "export it again without compression");
    }
  keepFields(document,
             {"asset", "scene", "scenes", "nodes", "meshes", "accessors", "bufferViews", "buffers"});
  if (document.is_object() && document.contains("asset")) keepFields(document["asset"], {"version"});
  changeEach(document, "scenes", [](json& scene) { keepFields(scene, {"nodes"}); });
  changeEach(document, "nodes", [](json& node) {
    keepFields(node, {"children", "matrix", "translation", "rotation", "scale", "mesh"});
  });
  changeEach(document, "meshes", [](json& mesh) {
    keepFields(mesh, {"primitives"});
    changeEach(mesh, "primitives", [](json& primitive) {
      keepFields(primitive, {"attributes", "indices", "mode"});
      if (primitive.is_object() && primitive.contains("attributes"))
        keepFields(primitive["attributes"], {"POSITION"});
    });
  });
  for (const char* key : {"accessors", "bufferViews", "buffers"})
    changeEach(document, key, [](json& entry) {
      removeFields(entry, {"name", "extensions", "extras", "min", "max"});
    });
  GltfLimits(document, file).require();
  if (!binary.empty())
    changeEach(document, "buffers", [&](json& buffer) {
      if (buffer.is_object() && !buffer.contains("uri")) buffer["uri"] = binary;
    });
  return document.dump(-1, ' ', false, json::error_handler_t::replace);
}

GlbParts partsOfGlb(const std::string& bytes, const std::string& file) {
  constexpr std::uint32_t kMagic = 0x46546c67, kDocument = 0x4e4f534a, kBuffer = 0x004e4942;
  const auto word = [&](std::size_t place) {
    std::uint32_t value = 0;
    for (std::size_t byte = 0; byte < 4; ++byte)
      value |= std::uint32_t(static_cast<unsigned char>(bytes[place + byte])) << 8 * byte;
    return value;
  };
  if (bytes.size() < 20 || word(0) != kMagic || word(4) != 2)
    throw SceneError(file, "", "is no binary glTF 2.0 file", kExport);
  GlbParts parts;
  std::size_t place = 12;
  while (bytes.size() - place >= 8) {
    const std::size_t length = word(place);
    const std::uint32_t kind = word(place + 4);
    place += 8;
    if (length > bytes.size() - place) throw SceneError(file, "", "ends within one of its chunks", kExport);
    if (kind == kDocument && parts.document.empty()) parts.document = bytes.substr(place, length);
    if (kind == kBuffer && parts.buffer.empty()) parts.buffer = bytes.substr(place, length);
    place = std::min(bytes.size(), place + (length + 3) / 4 * 4);
  }
  parts.document.resize(parts.document.find_last_not_of('\0') + 1);  // some writers pad with zeros
  return parts;
}

PlyMesh readPly(const std::string& bytes, const std::string& file) { return PlyReader(bytes, file).read(); }

namespace {

/// Collects the corners of a Collada file.
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

  [[noreturn]] void fail(const tinyxml2::XMLElement& at, const std::string& problem) const {
    throw SceneError(m_path, "line " + std::to_string(at.GetLineNum()),
                     std::string(at.Name()) + " " + problem, kExport);
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

  /// What an element's url or source names; null if that is not in the file.
  const tinyxml2::XMLElement* target(const tinyxml2::XMLElement& element) const {
    const char* name = element.Attribute("url") ? element.Attribute("url") : element.Attribute("source");
    if (!name || name[0] != '#') return nullptr;
    const auto found = m_byId.find(name + 1);
    return found == m_byId.end() ? nullptr : found->second;
  }

  /// @param count  of the numbers; 0: any
  std::vector<double> numbers(const tinyxml2::XMLElement& at, const char* text, std::size_t count) const {
    std::vector<double> values;
    if (!numbersOf(text ? text : "", values)) fail(at, "is not finite numbers");
    if (count > 0 && values.size() != count) fail(at, "has not " + std::to_string(count) + " numbers");
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
    for (std::size_t at = 0; at + 2 < values.size(); at += stride)
      points.emplace_back(values[at], values[at + 1], values[at + 2]);
    return points;
  }

  const std::string& m_path;
  tinyxml2::XMLDocument m_document;
  std::map<std::string, const tinyxml2::XMLElement*> m_byId;
  std::map<const tinyxml2::XMLElement*, std::vector<Vec3>> m_points;  ///< by their array
  std::vector<Vec3> m_corners;
  int m_visits = 0, m_steps = 0;
};

}  // namespace

std::vector<Vec3> cornersOfCollada(const std::string& bytes, const std::string& path) {
  return ColladaCorners(bytes, path).read();
}

}  // namespace touchstone
