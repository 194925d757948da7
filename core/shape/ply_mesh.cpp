#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <map>
#include <sstream>

#include "core/files/scene_error.h"
#include "core/shape/mesh_readers.h"
#include "core/shape/polygon_collector.h"

namespace touchstone {

namespace {

/// Content of a PLY file, text or binary, in either byte order.
struct PlyMesh {
  std::vector<std::array<double, 3>> vertices;
  std::vector<std::vector<double>> faces;  ///< vertex numbers of the file
};

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
    throw SceneError(m_file, "element " + shown(element), problem, kExportRemedy);
  }

  std::string nextLine() {
    const std::size_t end = std::min(m_bytes.find('\n', m_place), m_bytes.size());
    std::string line = m_bytes.substr(m_place, end - m_place);
    m_place = std::min(end + 1, m_bytes.size());
    if (!line.empty() && line.back() == '\r') line.pop_back();
    return line;
  }

  void readHeader() {
    if (nextLine() != "ply") throw SceneError(m_file, "", "is no PLY file", kExportRemedy);
    while (true) {
      if (m_place >= m_bytes.size()) throw SceneError(m_file, "", "ends within its header", kExportRemedy);
      const std::string line = nextLine();
      std::istringstream words(line);
      std::string keyword, first, second, third, fourth;
      words >> keyword >> first >> second >> third >> fourth;
      if (keyword == "end_header") break;
      if (keyword == "format") m_format = first;
      if (keyword == "element") m_elements.push_back({first, countOf(first, second), {}});
      if (keyword != "property") continue;
      if (m_elements.empty()) throw SceneError(m_file, "", "has a property of no element", kExportRemedy);
      const bool isList = first == "list";
      const Property property{isList ? fourth : second, isList, isList ? typeOf(second) : Type(),
                              typeOf(isList ? third : first)};
      if (property.type.size == 0 ||
          (isList && (property.count.size == 0 || property.count.kind == Kind::Real)))
        fail(m_elements.back().name, "has a property of unknown type: " + shown(line));
      m_elements.back().properties.push_back(property);
    }
    if (m_format != "ascii" && m_format != "binary_little_endian" && m_format != "binary_big_endian")
      throw SceneError(m_file, "format", shown(m_format) + " is unknown", kExportRemedy);
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

bool isPly(const std::string& bytes) {
  return bytes.compare(0, 4, "ply\n") == 0 || bytes.compare(0, 5, "ply\r\n") == 0;
}

void readPly(const std::string& bytes, const std::string& path, PolygonCollector& polygons,
             std::vector<std::string>&) {
  const PlyMesh ply = PlyReader(bytes, path).read();
  const auto vertexCount = static_cast<double>(ply.vertices.size());
  for (const std::vector<double>& face : ply.faces)
    polygons.add(face.size(), [&](std::size_t corner) -> PolygonCorner {
      const double vertex = face[corner];
      if (!(vertex >= 0 && vertex < vertexCount && vertex == std::floor(vertex)))
        polygons.failMissingVertex();
      const auto& [x, y, z] = ply.vertices[vertex];
      return {static_cast<float>(x), static_cast<float>(y), static_cast<float>(z)};
    });
}

}  // namespace

MeshReader plyReader() { return {"PLY", {".ply"}, isPly, readPly, nullptr}; }

}  // namespace touchstone
