#pragma once

#include <QByteArray>
#include <array>
#include <cstring>
#include <vector>

namespace touchstone::test {

/// Content of a Gmsh file. Tags start at 1.
struct MshContent {
  std::vector<std::array<double, 3>> nodes;
  std::vector<std::array<int, 4>> tetrahedra;
};

/// Two tetrahedra that share the face of the nodes 2, 3 and 4.
inline MshContent twoTetrahedra() {
  return {{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {1, 1, 1}}, {{1, 2, 3, 4}, {2, 3, 4, 5}}};
}

inline QByteArray number(double value) { return QByteArray::number(value, 'g', 17); }
inline QByteArray number(long value) { return QByteArray::number(static_cast<qlonglong>(value)); }

/// Format 2.2, text. A point and a triangle stand before the tetrahedra.
inline QByteArray msh2(const MshContent& mesh) {
  QByteArray text = "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n" + number(long(mesh.nodes.size())) + "\n";
  long tag = 0;
  for (const auto& p : mesh.nodes)
    text += number(++tag) + " " + number(p[0]) + " " + number(p[1]) + " " + number(p[2]) + "\n";
  text += "$EndNodes\n$Elements\n" + number(long(2 + mesh.tetrahedra.size())) +
          "\n1 15 2 0 1 1\n2 2 2 0 1 1 2 3\n";
  tag = 2;
  for (const auto& t : mesh.tetrahedra) {
    text += number(++tag) + " 4 2 0 1";
    for (const int node : t) text += " " + number(long(node));
    text += "\n";
  }
  return text + "$EndElements\n";
}

/// Format 4.1, text, with a further section and two blocks of nodes.
inline QByteArray msh4(const MshContent& mesh) {
  const long count = long(mesh.nodes.size()), elementCount = 1 + long(mesh.tetrahedra.size());
  QByteArray text =
      "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n$PhysicalNames\n1\n3 1 "
      "\"solid\"\n$EndPhysicalNames\n$Nodes\n2 " +
      number(count) + " 1 " + number(count) + "\n2 1 1 1\n1\n";
  const auto coordinates = [&](long node) {
    const auto& p = mesh.nodes[std::size_t(node)];
    return number(p[0]) + " " + number(p[1]) + " " + number(p[2]);
  };
  text += coordinates(0) + " 0.5 0.5\n3 1 0 " + number(count - 1) + "\n";  // parametric: u and v follow
  for (long node = 1; node < count; ++node) text += number(node + 1) + "\n";
  for (long node = 1; node < count; ++node) text += coordinates(node) + "\n";
  text += "$EndNodes\n$Elements\n2 " + number(elementCount) + " 1 " + number(elementCount) +
          "\n2 1 2 1\n1 1 2 3\n3 1 4 " + number(elementCount - 1) + "\n";
  long tag = 1;
  for (const auto& t : mesh.tetrahedra) {
    text += number(++tag);
    for (const int node : t) text += " " + number(long(node));
    text += "\n";
  }
  return text + "$EndElements\n";
}

template <class Number>
void put(QByteArray& bytes, Number value, bool swapped) {
  char raw[sizeof value];
  std::memcpy(raw, &value, sizeof value);
  for (std::size_t k = 0; k < sizeof value; ++k) bytes += raw[swapped ? sizeof value - 1 - k : k];
}

/// Format 2.2, binary.
inline QByteArray msh2Binary(const MshContent& mesh, bool swapped) {
  QByteArray bytes = "$MeshFormat\n2.2 1 8\n";
  put(bytes, qint32(1), swapped);
  bytes += "\n$EndMeshFormat\n$Nodes\n" + number(long(mesh.nodes.size())) + "\n";
  qint32 tag = 0;
  for (const auto& p : mesh.nodes) {
    put(bytes, ++tag, swapped);
    for (const double x : p) put(bytes, x, swapped);
  }
  bytes += "\n$EndNodes\n$Elements\n" + number(long(mesh.tetrahedra.size())) + "\n";
  for (const qint32 head : {qint32(4), qint32(mesh.tetrahedra.size()), qint32(2)}) put(bytes, head, swapped);
  tag = 2;
  for (const auto& t : mesh.tetrahedra) {
    for (const qint32 head : {++tag, qint32(0), qint32(1)}) put(bytes, head, swapped);
    for (const int node : t) put(bytes, qint32(node), swapped);
  }
  return bytes + "\n$EndElements\n";
}

/// Format 4.1, binary.
inline QByteArray msh4Binary(const MshContent& mesh, bool swapped) {
  QByteArray bytes = "$MeshFormat\n4.1 1 8\n";
  put(bytes, qint32(1), swapped);
  bytes += "\n$EndMeshFormat\n$Nodes\n";
  const auto sizes = [&](std::vector<quint64> values) {
    for (const quint64 value : values) put(bytes, value, swapped);
  };
  const auto integers = [&](std::vector<qint32> values) {
    for (const qint32 value : values) put(bytes, value, swapped);
  };
  sizes({1, mesh.nodes.size(), 1, mesh.nodes.size()});
  integers({3, 1, 0});
  sizes({mesh.nodes.size()});
  for (quint64 node = 1; node <= mesh.nodes.size(); ++node) sizes({node});
  for (const auto& p : mesh.nodes)
    for (const double x : p) put(bytes, x, swapped);
  bytes += "\n$EndNodes\n$Elements\n";
  sizes({1, mesh.tetrahedra.size(), 1, mesh.tetrahedra.size()});
  integers({3, 1, 4});
  sizes({mesh.tetrahedra.size()});
  quint64 tag = 0;
  for (const auto& t : mesh.tetrahedra) {
    sizes({++tag});
    for (const int node : t) sizes({quint64(node)});
  }
  return bytes + "\n$EndElements\n";
}

}  // namespace touchstone::test
