#pragma once

#include <algorithm>
#include <cstddef>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "core/files/json_view.h"
#include "core/files/scene_error.h"
#include "core/shape/mesh_file.h"
#include "core/shape/mesh_readers.h"

namespace touchstone {

/// Refuses a glTF document that unfolds to more than its bytes let expect, or whose accessors reach beyond
/// their buffers. The library recurses into nodes, copies what several nodes share, and trusts offsets.
class GltfLimits {
 public:
  /// @param document  that lives longer than this object
  GltfLimits(const nlohmann::json& document, const std::string& file)
      : m_file(file), m_root(document, file, kExportRemedy) {}

  void require() {
    const std::string version = m_root.at("asset").at("version").text();
    if (version.rfind("2.", 0) != 0)
      m_root.at("asset").at("version").fail("is '" + version + "'", "export it as glTF 2.0");
    readBuffers();
    readAccessors();
    readMeshes();
    readNodes();
  }

 private:
  // Larger values let a small file take memory, time or the stack; smaller ones refuse models of many parts.
  static constexpr std::size_t kMostEntries = 100'000, kMostNodes = 100'000, kMostLevels = 200;
  static constexpr long kMostBytes = 256L << 20;
  static constexpr double kMostCorners = 6.0 * kMostTriangles;

  using List = std::vector<JsonView>;
  struct Node {
    std::vector<std::size_t> children;
    double nodes = 0, corners = 0;  ///< of its unfolded tree
    std::size_t levels = 0;         ///< 0: not known yet
    std::size_t next = 0;           ///< child that is visited next
    bool isOpen = false;            ///< one of those that lead to the visited node
  };
  struct Range {
    long bytes = 0, stride = 0;
  };

  List listOf(const char* key) const { return m_root.has(key) ? m_root.at(key).items(kMostEntries) : List(); }
  static long countOr(const JsonView& view, const char* key, long standard) {
    return view.has(key) ? view.at(key).count(0, kMostBytes) : standard;
  }
  /// The number of an entry of a list.
  static std::size_t indexOf(const JsonView& view, std::size_t size) {
    if (size == 0) view.fail("names an entry of a list that is empty", kExportRemedy);
    return view.count(0, static_cast<long>(size) - 1);
  }

  void readBuffers() {
    std::vector<long> buffers;
    long bytes = 0;
    for (const JsonView& buffer : listOf("buffers")) {
      buffers.push_back(buffer.at("byteLength").count(1, kMostBytes));
      bytes += buffers.back();
      if (bytes > kMostBytes) buffer.fail("makes more than 256 MiB of all buffers", "simplify the mesh");
    }
    for (const JsonView& view : listOf("bufferViews")) {
      const long whole = buffers.empty() ? 0 : buffers[indexOf(view.at("buffer"), buffers.size())];
      const long first = countOr(view, "byteOffset", 0), length = view.at("byteLength").count(1, kMostBytes);
      if (first + length > whole) view.fail("ends behind its buffer", kExportRemedy);
      m_views.push_back({length, countOr(view, "byteStride", 0)});
    }
  }

  void readAccessors() {
    m_accessors = listOf("accessors");
    for (const JsonView& accessor : m_accessors)
      m_corners.push_back(static_cast<double>(accessor.at("count").count(0, kMostBytes)));
  }

  /// The corners of an accessor that is used, whose numbers must lie within its buffer.
  double cornersOf(const JsonView& number) const {
    const std::size_t index = indexOf(number, m_corners.size());
    const JsonView& accessor = m_accessors[index];
    static const std::map<long, long> kBytes = {{5120, 1}, {5121, 1}, {5122, 2},
                                                {5123, 2}, {5125, 4}, {5126, 4}};
    static const std::map<std::string, long> kNumbers = {{"SCALAR", 1}, {"VEC2", 2}, {"VEC3", 3}, {"VEC4", 4},
                                                         {"MAT2", 4},   {"MAT3", 9}, {"MAT4", 16}};
    const auto bytes = kBytes.find(accessor.at("componentType").count(0, kMostBytes));
    const auto numbers = kNumbers.find(accessor.at("type").text());
    if (bytes == kBytes.end() || numbers == kNumbers.end()) accessor.fail("holds no numbers", kExportRemedy);
    if (accessor.has("sparse")) accessor.fail("is sparse, which is not read", "export it without");
    const Range& view = m_views[indexOf(accessor.at("bufferView"), m_views.size())];
    const long size = bytes->second * numbers->second, stride = view.stride > 0 ? view.stride : size;
    const double end = static_cast<double>(countOr(accessor, "byteOffset", 0)) + static_cast<double>(size) +
                       (m_corners[index] - 1) * static_cast<double>(stride);
    if (end > static_cast<double>(view.bytes)) accessor.fail("ends behind its bufferView", kExportRemedy);
    return m_corners[index];
  }

  void readMeshes() {
    std::map<std::size_t, double> known;  // an accessor may be used often
    double sum = 0;
    const auto add = [&](const JsonView& number, double& corners) {
      const std::size_t index = indexOf(number, m_corners.size());
      const auto found = known.find(index);
      corners += found != known.end() ? found->second : known[index] = cornersOf(number);
    };
    for (const JsonView& mesh : listOf("meshes")) {
      double corners = 0;
      for (const JsonView& primitive : mesh.at("primitives").items(kMostEntries)) {
        if (primitive.has("indices")) add(primitive.at("indices"), corners);
        if (primitive.has("attributes") && primitive.at("attributes").has("POSITION"))
          add(primitive.at("attributes").at("POSITION"), corners);
      }
      m_meshes.push_back(corners);
      sum += corners;
      if (sum > kMostCorners)
        mesh.fail("makes more than 12 million corners of all meshes", "simplify the mesh");
    }
  }

  void readNodes() {
    const List views = listOf("nodes");
    std::vector<Node> nodes(views.size());
    std::size_t links = 0;
    for (std::size_t index = 0; index < views.size(); ++index) {
      if (views[index].has("mesh") && !m_meshes.empty())
        nodes[index].corners = m_meshes[indexOf(views[index].at("mesh"), m_meshes.size())];
      if (!views[index].has("children")) continue;
      for (const JsonView& child : views[index].at("children").items(kMostEntries))
        nodes[index].children.push_back(indexOf(child, views.size()));
      links += nodes[index].children.size();
    }
    if (links > kMostEntries) refuse(nodes.size(), 0, 0, links);
    for (std::size_t index = 0; index < nodes.size(); ++index) unfold(index, nodes, views);
    Node whole;
    for (const JsonView& scene : listOf("scenes")) {
      if (!scene.has("nodes")) continue;
      for (const JsonView& root : scene.at("nodes").items(kMostEntries))
        take(nodes[indexOf(root, nodes.size())], whole);
    }
    for (const Node& node : nodes) whole.levels = std::max(whole.levels, node.levels);
    if (whole.nodes > kMostNodes || whole.levels > kMostLevels || whole.corners > kMostCorners)
      refuse(whole.nodes, whole.levels, whole.corners, links);
  }

  /// Counts the tree below a node, without recursion.
  void unfold(std::size_t first, std::vector<Node>& nodes, const List& views) const {
    std::vector<std::size_t> path{first};
    while (!path.empty()) {
      Node& node = nodes[path.back()];
      if (node.levels > 0) {
        path.pop_back();
        continue;
      }
      node.isOpen = true;
      if (node.next < node.children.size()) {
        const std::size_t child = node.children[node.next++];
        if (nodes[child].isOpen)
          views[child].fail("is its own child, over others", "remove it from children");
        path.push_back(child);
        continue;
      }
      node.nodes = 1;
      for (const std::size_t child : node.children) take(nodes[child], node);
      ++node.levels;
      node.isOpen = false;
      path.pop_back();
    }
  }

  /// Adds the tree of a child. Counts that no longer matter stay finite.
  static void take(const Node& child, Node& parent) {
    constexpr double kEnough = 1e15;
    parent.nodes = std::min(kEnough, parent.nodes + child.nodes);
    parent.corners = std::min(kEnough, parent.corners + child.corners);
    parent.levels = std::max(parent.levels, child.levels);
  }

  [[noreturn]] void refuse(double nodes, std::size_t levels, double corners, std::size_t links) const {
    std::ostringstream text;
    text.precision(15);
    text << "unfold to " << nodes << " nodes on " << levels << " levels with " << corners << " corners, over "
         << links << " children";
    throw SceneError(m_file, "nodes", text.str(),
                     "give at most " + std::to_string(kMostNodes) + " nodes, " + std::to_string(kMostLevels) +
                         " levels and 12 million corners");
  }

  const std::string& m_file;
  JsonView m_root;
  std::vector<Range> m_views;
  List m_accessors;
  std::vector<double> m_corners;  ///< of accessors
  std::vector<double> m_meshes;   ///< their corners
};

}  // namespace touchstone
