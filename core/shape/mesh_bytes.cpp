#include "core/shape/mesh_bytes.h"

#include <algorithm>
#include <cstdint>
#include <sstream>

#include "core/files/json_file.h"
#include "core/files/scene_error.h"
#include "core/shape/gltf_limits.h"
#include "core/shape/mesh_readers.h"

namespace touchstone {

namespace {

using nlohmann::json;

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

}  // namespace

std::string objGeometry(const std::string& bytes) {
  std::string text = bytes, geometry;
  // A backslash continues the line.
  for (std::size_t slash = 0; (slash = text.find('\\', slash)) != std::string::npos; ++slash) {
    const std::size_t end = text.find_first_not_of('\r', slash + 1);
    if (end != std::string::npos && text[end] == '\n')
      text.replace(slash, end + 1 - slash, end + 1 - slash, ' ');
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
    throw SceneError(file, "", "is no binary glTF 2.0 file", kExportRemedy);
  GlbParts parts;
  std::size_t place = 12;
  while (bytes.size() - place >= 8) {
    const std::size_t length = word(place);
    const std::uint32_t kind = word(place + 4);
    place += 8;
    if (length > bytes.size() - place)
      throw SceneError(file, "", "ends within one of its chunks", kExportRemedy);
    if (kind == kDocument && parts.document.empty()) parts.document = bytes.substr(place, length);
    if (kind == kBuffer && parts.buffer.empty()) parts.buffer = bytes.substr(place, length);
    place = std::min(bytes.size(), place + (length + 3) / 4 * 4);
  }
  parts.document.resize(parts.document.find_last_not_of('\0') + 1);  // some writers pad with zeros
  return parts;
}

}  // namespace touchstone
