#pragma once

#include <QByteArray>

namespace touchstone::test {

/// glTF of a tetrahedron whose buffer is at `uri` (another file or data), with a node that lifts it by 5 m.
inline QByteArray tetrahedronGltf(const QByteArray& uri) {
  return R"({"asset": {"version": "2.0"}, "scene": 0, "scenes": [{"nodes": [0]}],
    "nodes": [{"mesh": 0, "translation": [0, 5, 0]}], "meshes": [{"primitives": [{"attributes": {"POSITION": 0}, "indices": 1}]}],
    "buffers": [{"uri": ")" +
         uri + R"(", "byteLength": 72}],
    "bufferViews": [{"buffer": 0, "byteOffset": 0, "byteLength": 48}, {"buffer": 0, "byteOffset": 48, "byteLength": 24}],
    "accessors": [{"bufferView": 0, "componentType": 5126, "count": 4, "type": "VEC3", "min": [0, 0, 0], "max": [1, 1, 1]},
      {"bufferView": 1, "componentType": 5123, "count": 12, "type": "SCALAR"}]})";
}

/// Its buffer: four corners (float), four triangles (16 bits).
inline QByteArray tetrahedronBuffer() {
  const float corners[12] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1};
  const quint16 indices[12] = {0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3};
  return QByteArray(reinterpret_cast<const char*>(corners), 48) +
         QByteArray(reinterpret_cast<const char*>(indices), 24);
}

}  // namespace touchstone::test
