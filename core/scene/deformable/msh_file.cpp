#include "core/scene/deformable/msh_file.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <map>
#include <unordered_map>

#include "core/files/scene_error.h"
#include "core/files/text_forms.h"
#include "core/math/count.h"

namespace touchstone {

namespace {

constexpr char kMeshAgain[] = "mesh the volume again in Gmsh and save it as .msh, format 4.1 or 2.2";
// [m] As in mesh files: products of larger coordinates lose all digits; a smaller value refuses large scenes.
constexpr double kLargestNode = 1e9;
/// V / l³ with the longest edge l: below it, the gradients of the shape functions are rounding noise; a
/// larger value refuses slivers that can be computed.
constexpr double kFlat = 1e-12;
/// Limit of tetrahedronQuality() below which a note warns. A larger value warns of meshes that do no harm, a
/// smaller one of none.
constexpr double kPoorQuality = 0.1;

/// A type of element: its nodes, and true if it fills a volume.
struct ElementType {
  int nodes;
  bool isVolume;
};
const std::map<long, ElementType>& elementTypes() {
  static const std::map<long, ElementType> kTypes = {
      {1, {2, false}},   {2, {3, false}},   {3, {4, false}},   {4, {4, true}},    {5, {8, true}},
      {6, {6, true}},    {7, {5, true}},    {8, {3, false}},   {9, {6, false}},   {10, {9, false}},
      {11, {10, true}},  {12, {27, true}},  {13, {18, true}},  {14, {14, true}},  {15, {1, false}},
      {16, {8, false}},  {17, {20, true}},  {18, {15, true}},  {19, {13, true}},  {20, {9, false}},
      {21, {10, false}}, {22, {12, false}}, {23, {15, false}}, {24, {15, false}}, {25, {21, false}},
      {26, {4, false}},  {27, {5, false}},  {28, {6, false}},  {29, {20, true}},  {30, {35, true}},
      {31, {56, true}},  {92, {64, true}},  {93, {125, true}}};
  return kTypes;
}

std::string nodeName(long tag) { return "node " + std::to_string(tag); }
std::string elementName(long tag) { return "element " + std::to_string(tag); }

/// The numbers of a file, in text or binary form.
class MshNumbers {
 public:
  MshNumbers(const std::string& bytes, const std::string& path) : m_bytes(bytes), m_path(path) {}

  [[noreturn]] void fail(const std::string& place, const std::string& problem) const {
    throw SceneError(m_path, place, problem, kMeshAgain);
  }

  /// The next line that is not blank, without blanks at its ends; empty at the end of the file.
  std::string line() {
    while (m_place < m_bytes.size()) {
      const std::size_t end = std::min(m_bytes.find('\n', m_place), m_bytes.size());
      const std::string text = m_bytes.substr(m_place, end - m_place);
      m_place = std::min(end + 1, m_bytes.size());
      const std::size_t first = text.find_first_not_of(kBlanks);
      if (first != std::string::npos) return text.substr(first, text.find_last_not_of(kBlanks) + 1 - first);
    }
    return {};
  }

  void beginSection(const std::string& section) { m_section = section; }
  void endSection() {
    const std::string end = "$End" + m_section.substr(1), read = line();
    if (read != end)
      fail(m_section, read.empty() ? "ends before its " + end
                                   : "has '" + read.substr(0, 40) + "' in the place of its " + end);
  }
  void skipSection() {
    const std::string end = "$End" + m_section.substr(1);
    const std::size_t place = m_bytes.find(end, m_place);
    if (place == std::string::npos) fail(m_section, "ends before its " + end);
    m_place = place;
    line();
  }

  void beBinary(bool isSwapped) {
    m_isBinary = true;
    m_isSwapped = isSwapped;
  }
  bool isBinary() const { return m_isBinary; }

  /// A whole number that a binary file writes with four bytes, with a sign.
  long integer() {
    if (!m_isBinary) return textNumber<long>();
    return static_cast<std::int32_t>(static_cast<std::uint32_t>(raw(4)));
  }
  /// One that format 4 writes with eight bytes, without a sign.
  long size() {
    const long value = m_isBinary ? static_cast<long>(raw(8)) : textNumber<long>();
    if (value < 0) fail(m_section, "has a negative number for a count or a tag");
    return value;
  }
  double real() {
    if (!m_isBinary) return textNumber<double>();
    const std::uint64_t bits = raw(8);
    double value;
    std::memcpy(&value, &bits, sizeof value);
    return value;
  }
  /// A number of entries: the file cannot hold more of them than bytes.
  std::size_t count(long value, const char* entries) const {
    if (value < 0 || static_cast<unsigned long>(value) > m_bytes.size())
      fail(m_section, "announces " + std::to_string(value) + " " + entries + " in a file of " +
                          std::to_string(m_bytes.size()) + " bytes");
    return value;
  }

 private:
  static constexpr char kBlanks[] = " \t\r\n\v\f";

  template <class Number>
  Number textNumber() {
    const std::size_t first = m_bytes.find_first_not_of(kBlanks, m_place);
    if (first == std::string::npos) fail(m_section, "ends too early");
    const std::size_t end = std::min(m_bytes.find_first_of(kBlanks, first), m_bytes.size());
    Number value{};
    const char *begin = m_bytes.data() + first + (m_bytes[first] == '+'), *stop = m_bytes.data() + end;
    const auto [read, error] = std::from_chars(begin, stop, value);
    if (m_bytes[first] == '$') fail(m_section, "ends too early");
    if (read != stop || error != std::errc())
      fail(m_section,
           "has '" + m_bytes.substr(first, std::min<std::size_t>(40, end - first)) + "' for a number");
    m_place = end;
    return value;
  }

  std::uint64_t raw(std::size_t size) {
    if (m_bytes.size() - m_place < size) fail(m_section, "ends too early");
    std::uint64_t bits = 0;
    for (std::size_t byte = 0; byte < size; ++byte) {
      const std::size_t offset = m_isSwapped ? byte : size - 1 - byte;
      bits = bits << 8 | static_cast<unsigned char>(m_bytes[m_place + offset]);
    }
    m_place += size;
    return bits;
  }

  const std::string &m_bytes, &m_path;
  std::string m_section;
  std::size_t m_place = 0;
  bool m_isBinary = false, m_isSwapped = false;
};

/// Nodes and tetrahedra as the file numbers them.
class MshReader {
 public:
  MshReader(const std::string& bytes, const std::string& path, double scale)
      : m_in(bytes, path), m_path(path), m_scale(scale) {}

  void read() {
    readFormat();
    for (std::string line = m_in.line(); !line.empty(); line = m_in.line()) {
      if (line[0] != '$') m_in.fail("", "has '" + line.substr(0, 40) + "' where a section begins");
      m_in.beginSection(line);
      if (line == "$Nodes")
        readNodes();
      else if (line == "$Elements")
        readElements();
      else
        m_in.skipSection();
    }
    if (m_mesh.particles.empty()) m_in.fail("$Nodes", "is missing or empty");
    if (!m_hasElements) m_in.fail("$Elements", "is missing");
    if (m_mesh.tetrahedra.empty())
      throw SceneError(m_path, "$Elements", "has no tetrahedra",
                       "mesh the volume (in Gmsh: 3D), and save its elements");
  }

  LatticeMesh m_mesh;
  std::vector<long> m_nodeTags, m_elementTags;

 private:
  void readFormat() {
    if (m_in.line() != "$MeshFormat") m_in.fail("", "is no Gmsh file: it does not begin with $MeshFormat");
    m_in.beginSection("$MeshFormat");
    const std::string line = m_in.line();
    double version = 0;
    int isBinary = 0, sizeOfReal = 0;
    if (std::sscanf(line.c_str(), "%lf %d %d", &version, &isBinary, &sizeOfReal) != 3)
      m_in.fail("$MeshFormat", "has not version, kind and size of numbers");
    m_isOld = version >= 2 && version < 3;
    if (!m_isOld && version != 4.1)
      m_in.fail("$MeshFormat", "is of version " + fourDigits(version) + ", which is not read");
    if (isBinary != 0 && isBinary != 1) m_in.fail("$MeshFormat", "is neither text (0) nor binary (1)");
    if (sizeOfReal != 8)
      m_in.fail("$MeshFormat", "has numbers of " + std::to_string(sizeOfReal) + " bytes, not 8");
    if (isBinary == 1) {
      m_in.beBinary(false);
      const auto one = static_cast<std::uint32_t>(m_in.integer());
      if (one != 1 && one != 0x01000000) m_in.fail("$MeshFormat", "does not tell the order of its bytes");
      if (one != 1) m_in.beBinary(true);
    }
    m_in.endSection();
  }

  void addNode(long tag) {
    Vec3 point;
    for (int axis = 0; axis < 3; ++axis) {
      point[axis] = m_scale * m_in.real();
      if (!(std::abs(point[axis]) <= kLargestNode)) m_in.fail(nodeName(tag), "is not finite or beyond 1e9 m");
    }
    if (!m_nodeAt.emplace(tag, countOf(m_mesh.particles)).second) m_in.fail(nodeName(tag), "is given twice");
    if (m_mesh.particles.size() >= kMostTetrahedra)
      throw SceneError(m_path, "$Nodes", "has more than 2 million nodes", "use a coarser mesh");
    m_mesh.particles.push_back(point);
    m_nodeTags.push_back(tag);
  }

  void readNodes() {
    if (!m_mesh.particles.empty()) m_in.fail("$Nodes", "is given twice");
    if (m_isOld) {
      const std::size_t count = m_in.count(m_in.isBinary() ? lineNumber() : m_in.integer(), "nodes");
      for (std::size_t node = 0; node < count; ++node) addNode(m_in.integer());
    } else {
      const std::size_t blocks = m_in.count(m_in.size(), "blocks");
      m_in.count(m_in.size(), "nodes");
      m_in.size(), m_in.size();  // least and largest tag
      for (std::size_t block = 0; block < blocks; ++block) readNodeBlock();
    }
    m_in.endSection();
  }

  void readNodeBlock() {
    const long dimension = m_in.integer();
    m_in.integer();  // tag of the entity
    const long isParametric = m_in.integer();
    if (dimension < 0 || dimension > 3 || (isParametric != 0 && isParametric != 1))
      m_in.fail("$Nodes", "has a block that is of no entity");
    std::vector<long> tags(m_in.count(m_in.size(), "nodes"));
    for (long& tag : tags) tag = m_in.size();
    for (const long tag : tags) {
      addNode(tag);
      for (long parameter = 0; parameter < isParametric * dimension; ++parameter) m_in.real();
    }
  }

  void readElements() {
    if (m_hasElements) m_in.fail("$Elements", "is given twice");
    if (m_mesh.particles.empty()) m_in.fail("$Elements", "stands before $Nodes, or there are none");
    m_hasElements = true;
    if (!m_isOld)
      readElementBlocks();
    else if (m_in.isBinary())
      readOldBinaryElements();
    else
      readOldElements();
    m_in.endSection();
  }

  void readOldElements() {
    const std::size_t count = m_in.count(m_in.integer(), "elements");
    for (std::size_t element = 0; element < count; ++element) {
      const long tag = m_in.integer(), type = m_in.integer();
      const std::size_t further = m_in.count(m_in.integer(), "tags of an element");
      for (std::size_t skipped = 0; skipped < further; ++skipped) m_in.integer();
      readElement(tag, type, &MshNumbers::integer);
    }
  }

  void readOldBinaryElements() {
    const std::size_t count = m_in.count(lineNumber(), "elements");
    for (std::size_t element = 0; element < count;) {
      const long type = m_in.integer();
      const std::size_t blockSize = m_in.count(m_in.integer(), "elements"),
                        further = m_in.count(m_in.integer(), "tags of an element");
      if (blockSize == 0 || blockSize > count - element)
        m_in.fail("$Elements", "has a block of a wrong length");
      for (std::size_t entry = 0; entry < blockSize; ++entry) {
        const long tag = m_in.integer();
        for (std::size_t skipped = 0; skipped < further; ++skipped) m_in.integer();
        readElement(tag, type, &MshNumbers::integer);
      }
      element += blockSize;
    }
  }

  void readElementBlocks() {
    const std::size_t blocks = m_in.count(m_in.size(), "blocks");
    m_in.count(m_in.size(), "elements");
    m_in.size(), m_in.size();  // least and largest tag
    for (std::size_t block = 0; block < blocks; ++block) {
      m_in.integer(), m_in.integer();  // dimension and tag of the entity
      const long type = m_in.integer();
      const std::size_t count = m_in.count(m_in.size(), "elements");
      for (std::size_t element = 0; element < count; ++element)
        readElement(m_in.size(), type, &MshNumbers::size);
    }
  }

  /// @param next  reads the tag of a node
  void readElement(long tag, long type, long (MshNumbers::*next)()) {
    const auto known = elementTypes().find(type);
    if (known == elementTypes().end())
      m_in.fail(elementName(tag), "is of the unknown type " + std::to_string(type));
    if (known->second.isVolume && type != 4)
      throw SceneError(m_path, elementName(tag),
                       "is of type " + std::to_string(type) + ", no tetrahedron of four nodes",
                       "mesh the volume with tetrahedra of the first order");
    std::array<long, 4> nodes{};
    for (int node = 0; node < known->second.nodes; ++node) {
      const long number = (m_in.*next)();
      if (node < 4) nodes[node] = number;
    }
    if (type == 4) addTetrahedron(tag, nodes);
  }

  void addTetrahedron(long tag, const std::array<long, 4>& nodes) {
    if (m_mesh.tetrahedra.size() >= kMostTetrahedra)
      throw SceneError(m_path, "$Elements", "has more than 2 million tetrahedra", "use a coarser mesh");
    std::array<int, 4> particles;
    for (std::size_t corner = 0; corner < 4; ++corner) {
      const auto found = m_nodeAt.find(nodes[corner]);
      if (found == m_nodeAt.end())
        m_in.fail(elementName(tag), "names " + nodeName(nodes[corner]) + ", which is not in $Nodes");
      particles[corner] = found->second;
      for (std::size_t before = 0; before < corner; ++before)
        if (particles[before] == particles[corner])
          m_in.fail(elementName(tag), "names " + nodeName(nodes[corner]) + " twice");
    }
    m_mesh.tetrahedra.push_back(particles);
    m_elementTags.push_back(tag);
  }

  /// A number in a line of text, which counts have in binary files of format 2.
  long lineNumber() {
    const std::string line = m_in.line();
    long value = 0;
    const auto [end, error] = std::from_chars(line.data(), line.data() + line.size(), value);
    if (error != std::errc() || end != line.data() + line.size())
      m_in.fail("", "has '" + line.substr(0, 40) + "' for a count");
    return value;
  }

  MshNumbers m_in;
  const std::string& m_path;
  double m_scale;
  bool m_isOld = false, m_hasElements = false;
  std::unordered_map<long, int> m_nodeAt;  ///< by tag
};

/// Refuses what no body can be made of, and mends what can be.
class MshChecks {
 public:
  MshChecks(const std::string& path, const std::vector<long>& nodeTags, MshFile& file)
      : m_path(path), m_nodeTags(nodeTags), m_file(file) {}

  void run() {
    checkNodes();
    checkVolumes();
    orient();
    checkBoundary();
    noteQuality();
  }

 private:
  [[noreturn]] void failAt(const std::string& place, const std::string& problem,
                           const std::string& remedy) const {
    throw SceneError(m_path, place, problem, remedy);
  }
  std::string elementAt(std::size_t index) const { return elementName(m_file.elementTags[index]); }
  std::string nodeAt(int particle) const { return nodeName(m_nodeTags[particle]); }

  void checkNodes() const {
    const std::vector<Vec3>& points = m_file.mesh.particles;
    std::vector<bool> isUsed(points.size(), false);
    for (const auto& tet : m_file.mesh.tetrahedra)
      for (int particle : tet) isUsed[particle] = true;
    std::map<std::array<double, 3>, int> places;
    for (std::size_t node = 0; node < points.size(); ++node) {
      if (!isUsed[node])
        failAt(nodeAt(static_cast<int>(node)), "belongs to no tetrahedron",
               "remove it: save the elements of the volume only (in Gmsh: a physical group of it)");
      const Vec3& p = points[node];
      const auto [found, isNew] =
          places.insert({{p.x() + 0.0, p.y() + 0.0, p.z() + 0.0}, static_cast<int>(node)});
      if (!isNew)
        failAt(nodeAt(static_cast<int>(node)), "is at the place of " + nodeAt(found->second),
               "join them (in Gmsh: remove duplicate nodes)");
    }
  }

  void checkVolumes() const {
    for (std::size_t index = 0; index < m_file.mesh.tetrahedra.size(); ++index) {
      const double edge = longestEdge(m_file.mesh, index);
      if (!(std::abs(tetrahedronVolume(m_file.mesh, index)) > kFlat * edge * edge * edge))
        failAt(elementAt(index), "is flat: its volume is below 1e-12 of its longest edge cubed", kMeshAgain);
    }
  }

  void orient() {
    const bool isNegative = tetrahedronVolume(m_file.mesh, 0) < 0;
    for (std::size_t index = 1; index < m_file.mesh.tetrahedra.size(); ++index)
      if ((tetrahedronVolume(m_file.mesh, index) < 0) != isNegative)
        failAt(elementAt(index), "has its nodes in the other order than " + elementAt(0),
               "give all tetrahedra the same orientation, or mesh the volume again");
    if (!isNegative) return;
    for (auto& tet : m_file.mesh.tetrahedra) std::swap(tet[2], tet[3]);
    m_file.notes.push_back("all tetrahedra have negative volume; two nodes of each are swapped");
  }

  void checkBoundary() {
    int crowded = -1;
    std::vector<BoundaryFace> faces = boundaryFaces(m_file.mesh, crowded);
    const std::string remedy = "remove doubled or overlapping tetrahedra, or mesh the volume again";
    if (crowded >= 0)
      failAt(elementAt(crowded), "shares a face with two others, or lies on the same side of it as another",
             remedy);
    checkEdges(faces);
    numberBoundaryFirst(m_file.mesh, faces);
    m_file.surface = surfaceOf(m_file.mesh, faces);
    const std::string problem = buildTopology(m_file.surface);
    if (!problem.empty()) failAt("$Elements", "has a boundary that is no surface: " + problem, remedy);
  }

  void checkEdges(const std::vector<BoundaryFace>& faces) const {
    std::map<std::pair<int, int>, int> uses;
    for (const BoundaryFace& face : faces)
      for (std::size_t k = 0; k < 3; ++k) {
        const int a = face.particles[k], b = face.particles[(k + 1) % 3];
        if (++uses[std::minmax(a, b)] > 2)
          failAt(elementAt(face.tetrahedron),
                 "has an edge from " + nodeAt(a) + " to " + nodeAt(b) +
                     " at which more than two faces of the boundary meet",
                 "join its parts by faces, not by an edge, or part them");
      }
  }

  void noteQuality() {
    double worst = HUGE_VAL;
    std::size_t worstIndex = 0, poor = 0;
    for (std::size_t index = 0; index < m_file.mesh.tetrahedra.size(); ++index) {
      const double quality = tetrahedronQuality(m_file.mesh, index);
      poor += quality < kPoorQuality ? 1 : 0;
      if (quality >= worst) continue;
      worst = quality;
      worstIndex = index;
    }
    if (poor > 0)
      m_file.notes.push_back(std::to_string(poor) + " of " + std::to_string(m_file.mesh.tetrahedra.size()) +
                             " tetrahedra are nearly flat, the worst is " + elementAt(worstIndex) +
                             " with quality " + fourDigits(worst) +
                             " (1 is regular): small steps and stiff spots");
  }

  const std::string& m_path;
  const std::vector<long>& m_nodeTags;
  MshFile& m_file;
};

}  // namespace

MshFile readMsh(const std::string& bytes, const std::string& path, double scale) {
  MshReader reader(bytes, path, scale);
  reader.read();
  MshFile file;
  file.mesh = std::move(reader.m_mesh);
  file.elementTags = std::move(reader.m_elementTags);
  MshChecks(path, reader.m_nodeTags, file).run();
  return file;
}

}  // namespace touchstone
