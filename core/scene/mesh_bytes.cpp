#include "core/scene/mesh_bytes.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <sstream>
#include <vector>

#include "core/scene/json_file.h"
#include "core/scene/scene_error.h"

namespace touchstone {

namespace {

using nlohmann::json;

constexpr char kExport[] = "export it again, for example as OBJ";

void removeFields(json& object, const std::vector<const char*>& keys) {
  if (object.is_object())
    for (const char* key : keys) object.erase(key);
}

/// Of each entry of a list, where there is one.
template <class Change>
void changeEach(json& object, const char* key, const Change& change) {
  if (!object.is_object() || !object.contains(key) || !object[key].is_array()) return;
  for (json& entry : object[key]) change(entry);
}

class PlyCounts {
 public:
  PlyCounts(const std::string& bytes, const std::string& file)
      : m_bytes(bytes), m_file(file), m_lines(bytes) {}

  void check() {
    std::string line;
    while (std::getline(m_lines, line) && line.compare(0, 10, "end_header") != 0) readHeader(line);
    if (m_format == "ascii") checkText();
    if (m_format.rfind("binary_", 0) == 0) checkBinary();
  }

 private:
  struct Property {
    std::size_t countSize = 0;  ///< bytes of the count of a list; 0: no list
    std::size_t size = 0;       ///< bytes of a value
    bool isReal = false;
  };
  struct Element {
    std::string name;
    std::size_t count = 0;
    std::vector<Property> properties;
  };

  [[noreturn]] void fail(const std::string& element, const std::string& problem) const {
    throw SceneError(m_file, "element " + element, problem, kExport);
  }
  [[noreturn]] void failCount(const std::string& element, const std::string& count,
                              const std::string& where) const {
    fail(element, "announces '" + count.substr(0, 40) + "' entries " + where);
  }

  /// A count as the file has it, which no more than `most` entries can follow.
  std::size_t checkedCount(const std::string& element, const std::string& text, std::size_t most,
                           const std::string& where) const {
    char* end = nullptr;
    const double number = std::strtod(text.c_str(), &end);
    if (end == text.c_str() || *end != '\0' || !(number >= 0) || number > static_cast<double>(most))
      failCount(element, text, where);
    return static_cast<std::size_t>(number);
  }

  static std::size_t sizeOf(const std::string& type) {
    static const std::vector<std::vector<std::string>> kTypes = {
        {"char", "uchar", "int8", "uint8"},
        {"short", "ushort", "int16", "uint16"},
        {"int", "uint", "float", "int32", "uint32", "float32"},
        {"double", "float64"}};
    for (std::size_t power = 0; power < kTypes.size(); ++power)
      if (std::count(kTypes[power].begin(), kTypes[power].end(), type)) return std::size_t(1) << power;
    return 0;
  }

  void readHeader(const std::string& line) {
    std::istringstream words(line);
    std::string keyword, first, second, third;
    words >> keyword >> first >> second >> third;
    if (keyword == "format") m_format = first;
    if (keyword == "element")
      m_elements.push_back({first,
                            checkedCount(first, second, m_bytes.size(),
                                         "in a file of " + std::to_string(m_bytes.size()) + " bytes"),
                            {}});
    if (keyword != "property" || m_elements.empty()) return;
    const bool isList = first == "list";
    Property property{isList ? sizeOf(second) : 0, sizeOf(isList ? third : first), false};
    const std::string& counted = second;
    if (property.size == 0 ||
        (isList && (property.countSize == 0 || counted.find("float") == 0 || counted.find("double") == 0)))
      fail(m_elements.back().name, "has a property of unknown type: '" + line.substr(0, 60) + "'");
    m_elements.back().properties.push_back(property);
  }

  void checkText() {
    std::string line;
    for (const Element& element : m_elements)
      for (std::size_t entry = 0; entry < element.count && std::getline(m_lines, line); ++entry) {
        std::istringstream words(line);
        for (const Property& property : element.properties) checkText(element, property, line, words);
      }
  }

  void checkText(const Element& element, const Property& property, const std::string& line,
                 std::istringstream& words) const {
    std::string word;
    words >> word;
    if (property.countSize == 0 || word.empty()) return;
    for (std::size_t left = checkedCount(element.name, word, line.size(), "in one line"); left > 0; --left)
      if (!(words >> word)) failCount(element.name, std::to_string(left), "beyond the end of a line");
  }

  void checkBinary() {
    const auto begin = m_lines.tellg();
    m_place = begin < 0 ? m_bytes.size() : static_cast<std::size_t>(begin);
    for (const Element& element : m_elements)
      for (std::size_t entry = 0; entry < element.count; ++entry)
        for (const Property& property : element.properties) {
          const std::size_t count = property.countSize == 0 ? 1 : binaryCount(element, property.countSize);
          if (count > (m_bytes.size() - m_place) / property.size)
            failCount(element.name, std::to_string(count), "beyond the end of the file");
          m_place += count * property.size;
        }
  }

  std::size_t binaryCount(const Element& element, std::size_t size) {
    if (m_bytes.size() - m_place < size) fail(element.name, "ends too early");
    std::size_t count = 0;
    for (std::size_t byte = 0; byte < size; ++byte) {
      const std::size_t place = m_format == "binary_big_endian" ? byte : size - 1 - byte;
      count = count << 8 | static_cast<unsigned char>(m_bytes[m_place + place]);
    }
    m_place += size;
    return count;
  }

  const std::string &m_bytes, &m_file;
  std::istringstream m_lines;
  std::vector<Element> m_elements;
  std::string m_format;
  std::size_t m_place = 0;  ///< in the bytes of a binary file
};

}  // namespace

std::string objGeometry(const std::string& bytes) {
  std::string text = bytes, geometry;
  for (std::size_t at = 0; (at = text.find('\\', at)) != std::string::npos; ++at) {  // a line goes on
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
  removeFields(document, {"materials", "textures", "images", "samplers", "animations", "skins", "cameras",
                          "extensions", "extensionsUsed", "extensionsRequired"});
  changeEach(document, "nodes", [](json& node) { removeFields(node, {"skin", "camera", "extensions"}); });
  changeEach(document, "meshes", [](json& mesh) {
    changeEach(mesh, "primitives", [](json& primitive) {
      removeFields(primitive, {"material", "targets", "extensions"});
      if (!primitive.is_object() || !primitive.contains("attributes")) return;
      json attributes = json::object();
      if (primitive["attributes"].is_object() && primitive["attributes"].contains("POSITION"))
        attributes["POSITION"] = primitive["attributes"]["POSITION"];
      primitive["attributes"] = attributes;
    });
  });
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
  parts.document.resize(parts.document.find_last_not_of('\0') + 1);  // some writers fill up with zeros
  return parts;
}

void checkPlyCounts(const std::string& bytes, const std::string& file) { PlyCounts(bytes, file).check(); }

}  // namespace touchstone
