#include <QtTest>
#include <algorithm>
#include <cmath>

#include "core/files/scene_error.h"
#include "core/shape/mesh_file.h"
#include "core/shape/mesh_readers.h"
#include "tests/scene/scene_folder.h"
#include "tests/support/gltf.h"

using namespace touchstone;

namespace {

constexpr float kCorners[4][3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
constexpr int kTriangles[4][3] = {{0, 2, 1}, {0, 1, 3}, {0, 3, 2}, {1, 2, 3}};

QByteArray bytesOf(quint32 number) { return QByteArray(reinterpret_cast<const char*>(&number), 4); }

QByteArray objText() {
  return "# a tetrahedron\nv 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n";
}

QByteArray stlText() {
  QByteArray text = "solid t\n";
  for (const auto& triangle : kTriangles) {
    text += "facet normal 0 0 0\nouter loop\n";
    for (const int corner : triangle) {
      text += "vertex";
      for (const float value : kCorners[corner]) text += ' ' + QByteArray::number(static_cast<double>(value));
      text += '\n';
    }
    text += "endloop\nendfacet\n";
  }
  return text + "endsolid t\n";
}

QByteArray binaryStl() {
  QByteArray bytes = QByteArray(80, ' ') + bytesOf(4);
  for (const auto& triangle : kTriangles) {
    bytes.append(12, '\0');  // normal: ignored
    for (const int corner : triangle) bytes.append(reinterpret_cast<const char*>(kCorners[corner]), 12);
    bytes.append(2, '\0');
  }
  return bytes;
}

QByteArray plyText() {
  return "ply\nformat ascii 1.0\nelement vertex 4\nproperty float x\nproperty float y\nproperty float z\n"
         "element face 4\nproperty list uchar int vertex_indices\nend_header\n"
         "0 0 0\n1 0 0\n0 1 0\n0 0 1\n3 0 2 1\n3 0 1 3\n3 0 3 2\n3 1 2 3\n";
}

QByteArray gltfText() {
  return test::tetrahedronGltf("data:application/octet-stream;base64," +
                               test::tetrahedronBuffer().toBase64());
}

QByteArray glb() {
  QByteArray document = gltfText();
  while (document.size() % 4) document += ' ';
  const auto length = static_cast<quint32>(document.size());
  return "glTF" + bytesOf(2) + bytesOf(20 + length) + bytesOf(length) + "JSON" + document;
}

QByteArray colladaText() {
  return "<?xml version=\"1.0\"?>\n<COLLADA version=\"1.4.1\"><asset/>"
         "<library_geometries><geometry id=\"g\"><mesh><source id=\"p\"><float_array id=\"a\" count=\"12\">"
         "0 0 0 1 0 0 0 1 0 0 0 1</float_array></source><vertices id=\"v\"><input semantic=\"POSITION\" "
         "source=\"#p\"/></vertices><triangles count=\"1\"><input semantic=\"VERTEX\" source=\"#v\" "
         "offset=\"0\"/><p>0 1 2</p></triangles></mesh></geometry></library_geometries>"
         "<library_visual_scenes><visual_scene id=\"s\"><node id=\"n\"><instance_geometry url=\"#g\"/></node>"
         "</visual_scene></library_visual_scenes><scene><instance_visual_scene "
         "url=\"#s\"/></scene></COLLADA>";
}

/// A file of the right tetrahedron with legs of 1 m.
struct MeshSample {
  QByteArray extension, bytes;
};

QList<MeshSample> samples() {
  return {{".obj", objText()},     {".stl", stlText()},
          {".stl", binaryStl()},   {".ply", plyText()},
          {".gltf", gltfText()},   {".glb", glb()},
          {".dae", colladaText()}, {".ply", plyText().replace("\n", "\r\n")}};
}

bool hasExtension(const MeshReader& reader, const QByteArray& extension) {
  return std::count(reader.extensions.begin(), reader.extensions.end(), extension.toStdString()) > 0;
}

bool hasSurface(const QByteArray& extension) {
  const auto& readers = meshReaders();
  return std::any_of(readers.begin(), readers.end(), [&](const MeshReader& reader) {
    return hasExtension(reader, extension) && reader.readPolygons;
  });
}

/// Fails unless a file holds the tetrahedron, which glTF's node lifts.
void verifyIsTetrahedron(const std::string& path, bool withSurface) {
  std::vector<std::string> files;
  const std::vector<Vec3> corners = loadMeshCorners(path, files);
  QCOMPARE(corners.size(), std::size_t(4));
  QCOMPARE(files.size(), std::size_t(1));
  double length = 0;
  for (const Vec3& corner : corners) length += (corner - corners[0]).norm();
  QVERIFY(std::abs(length - 3) < 1e-12 || std::abs(length - (1 + 2 * std::sqrt(2.0))) < 1e-12);
  if (!withSurface) return;
  const MeshFile mesh = loadMesh(path, 1);
  QCOMPARE(mesh.triangles, std::size_t(4));
  QVERIFY(mesh.mesh.closed);
}

}  // namespace

class MeshReadersTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void everyExtensionOfTheTableLoads();
  void filesWithAForeignExtensionAreRecognisedByTheirContent();
  void aContentIsTakenByTheReaderOfItsKindOnly();
  void theExtensionDecidesBeforeTheContent();
  void rubbishIsRefusedWithTheFormatsOfTheTable_data();
  void rubbishIsRefusedWithTheFormatsOfTheTable();
  void aKindWithoutPolygonsIsNoSurface();

 private:
  QByteArray refusal(const QByteArray& name, const QByteArray& bytes, bool asSurface);

  test::SceneFolder m_folder;
};

/// The message with which a mesh is refused; empty if it loads.
QByteArray MeshReadersTest::refusal(const QByteArray& name, const QByteArray& bytes, bool asSurface) {
  const std::string path = m_folder.write(name, bytes);
  std::vector<std::string> files;
  try {
    if (asSurface)
      loadMesh(path, 1);
    else
      loadMeshCorners(path, files);
  } catch (const SceneError& error) {
    return error.what();
  }
  return {};
}

void MeshReadersTest::everyExtensionOfTheTableLoads() {
  QVERIFY(meshReaders().size() >= 6);
  for (const MeshReader& reader : meshReaders())
    for (const std::string& extension : reader.extensions) {
      int loaded = 0;
      for (const MeshSample& sample : samples()) {
        if (sample.extension.toStdString() != extension) continue;
        ++loaded;
        verifyIsTetrahedron(m_folder.write("t" + sample.extension, sample.bytes), reader.readPolygons);
        verifyIsTetrahedron(m_folder.write("t" + sample.extension.toUpper(), sample.bytes),
                            reader.readPolygons);
        if (QTest::currentTestFailed()) QFAIL(extension.c_str());
      }
      QVERIFY2(loaded > 0, ("no sample of a file " + extension).c_str());
    }
}

void MeshReadersTest::filesWithAForeignExtensionAreRecognisedByTheirContent() {
  for (const MeshSample& sample : samples())
    for (const char* name : {"part.dat", "part", "part.mesh.bak"}) {
      verifyIsTetrahedron(m_folder.write(name, sample.bytes), hasSurface(sample.extension));
      if (QTest::currentTestFailed()) QFAIL(sample.extension + " as " + name);
    }
}

void MeshReadersTest::aContentIsTakenByTheReaderOfItsKindOnly() {
  for (const MeshSample& sample : samples())
    for (const MeshReader& reader : meshReaders())
      QVERIFY2(reader.canRead(sample.bytes.toStdString()) == hasExtension(reader, sample.extension),
               sample.extension + " and the reader of " + reader.extensions[0].c_str());
}

void MeshReadersTest::theExtensionDecidesBeforeTheContent() {
  const QByteArray message = refusal("t.ply", objText(), true);
  QVERIFY2(message.contains("is no PLY file"), message);
}

void MeshReadersTest::rubbishIsRefusedWithTheFormatsOfTheTable_data() {
  QTest::addColumn<QByteArray>("bytes");
  QTest::newRow("empty") << QByteArray();
  QTest::newRow("a letter") << QByteArray("Dear reader,\nf is a letter, and\nv is one more.\n");
  QTest::newRow("a letter that starts like STL") << QByteArray("solid ground at last\n");
  QTest::newRow("corners without faces") << QByteArray("v 0 0 0\nv 1 0 0\n");
  QTest::newRow("binary STL with a byte too many") << binaryStl() + '\0';
  QTest::newRow("zeros") << QByteArray(84, '\0');
  QTest::newRow("JSON") << QByteArray(R"({"touchstone": 1, "bodies": []})");
  QTest::newRow("another XML") << QByteArray("<robot name=\"r\"/>");
  QTest::newRow("a word that starts like PLY") << QByteArray("plywood\n");
}

void MeshReadersTest::rubbishIsRefusedWithTheFormatsOfTheTable() {
  QFETCH(QByteArray, bytes);
  const QByteArray surface = refusal("part.dat", bytes, true), hull = refusal("part.dat", bytes, false);
  QVERIFY2(surface.endsWith("part.dat: has an unknown mesh format; use OBJ, STL, PLY or glTF (.obj, .stl, "
                            ".ply, .gltf, .glb)"),
           surface);
  QVERIFY2(hull.contains("unknown mesh format; use OBJ,"), hull);
  for (const MeshReader& reader : meshReaders())
    for (const std::string& extension : reader.extensions)
      QVERIFY2(hull.contains(extension.c_str()) && hull.contains(reader.format), hull);
}

void MeshReadersTest::aKindWithoutPolygonsIsNoSurface() {
  for (const char* name : {"t.dae", "t.dat"}) {
    const QByteArray message = refusal(name, colladaText(), true);
    QVERIFY2(message.contains("unknown mesh format") && !message.contains(".dae)"), message);
  }
}

QTEST_APPLESS_MAIN(MeshReadersTest)
#include "tst_mesh_readers.moc"
