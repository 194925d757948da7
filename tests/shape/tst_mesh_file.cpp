#include <Eigen/Geometry>
#include <QtTest>
#include <array>
#include <cstring>
#include <limits>

#include "core/files/scene_error.h"
#include "core/robot/scene_readers.h"
#include "core/shape/mesh_file.h"
#include "tests/scene/scene_folder.h"
#include "tests/support/gltf.h"
#include "tests/support/near.h"

using namespace touchstone;

namespace {

/// Binary STL of the unit right tetrahedron: three corners per triangle, not shared in the file.
QByteArray tetrahedronStl(const std::array<float, 3>& second = {1, 0, 0}) {
  const float corners[4][3] = {{0, 0, 0}, {second[0], second[1], second[2]}, {0, 1, 0}, {0, 0, 1}};
  const int triangles[4][3] = {{0, 2, 1}, {0, 1, 3}, {0, 3, 2}, {1, 2, 3}};
  QByteArray text(80, ' ');
  const quint32 count = 4;
  text.append(reinterpret_cast<const char*>(&count), 4);
  for (const auto& triangle : triangles) {
    text.append(12, '\0');  // normal: ignored
    for (int corner : triangle) text.append(reinterpret_cast<const char*>(corners[corner]), 12);
    text.append(2, '\0');
  }
  return text;
}

QByteArray tetrahedronPly(const QByteArray& lastFace = "3 1 2 3\n") {
  return "ply\nformat ascii 1.0\nelement vertex 4\nproperty float x\nproperty float y\nproperty float "
         "z\nelement face 4\n"
         "property list uchar int vertex_indices\nend_header\n0 0 0\n1 0 0\n0 1 0\n0 0 1\n3 0 2 1\n3 0 1 "
         "3\n3 0 3 2\n" +
         lastFace;
}

QByteArray meshBody(const QByteArray& file, const QByteArray& more = {}) {
  return R"({"name": "m", )" + more + R"("shape": {"type": "mesh", "file": ")" + file + R"("}})";
}

}  // namespace

class MeshFileTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void everyFormatGivesTheSameTetrahedron_data();
  void everyFormatGivesTheSameTetrahedron();
  void aConvexMeshGetsOnePiece();
  void aConvexMeshWithPointsInsideFacesKeepsItsTriangles();
  void aDentedMeshHasNoPieces();
  void polygonsWithReentrantCornersAreCutInside();
  void scaleMultipliesLengths();
  void nodesOfAGltfFilePlaceTheMesh();
  void nodesThatShareAChildShowItTwice();
  void gltfFilesThatUnfoldAreRefused_data();
  void gltfFilesThatUnfoldAreRefused();
  void verticesThatAreOnlyNearStayApart();
  void cornersThatDifferInTheirLastBitsAreJoined();
  void trianglesWithoutAreaAreLeftOut_data();
  void trianglesWithoutAreaAreLeftOut();
  void numbersOfTexturesThatAreMissingDoNotMatter();
  void convexityIsJudgedAtThePrecisionOfTheFile_data();
  void convexityIsJudgedAtThePrecisionOfTheFile();
  void binaryGltfFilesLoad_data();
  void binaryGltfFilesLoad();
  void sizeVolumeAndMassOfAMeshAreTold();
  void meshesInTheDatasetsFolderAreReachable();
  void hashesNameEveryGeometryFile();
  void anOpenMeshMayBeStaticOrHaveExplicitMass();
  void badMeshesAreRefusedByName_data();
  void badMeshesAreRefusedByName();
  void cornersThatAreNotFiniteAreRefused_data();
  void cornersThatAreNotFiniteAreRefused();
  void cornersThatAFrameMakesInfiniteAreRefused();
  void aLinkThatLeadsOutsideIsRefused();
  void truncatedMeshesNeverCrash_data();
  void truncatedMeshesNeverCrash();

 private:
  test::SceneFolder m_folder;
};

void MeshFileTest::everyFormatGivesTheSameTetrahedron_data() {
  QTest::addColumn<QString>("name");
  QTest::addColumn<QByteArray>("text");
  QTest::newRow("obj") << "t.obj"
                       << QByteArray(
                              "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n");
  QTest::newRow("obj with normals and textures")
      << "n.obj"
      << QByteArray(
             "mtllib none.mtl\nv 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nvt 0 0\nvt 1 0\nvn 1 0 0\nvn 0 1 0\n"
             "f 1/1/1 3/1/1 2/2/1\nf 1/2/2 2/1/1 4/1/2\nusemtl x\nf 1/1/2 4/1/1 3/2/2\no other\nf 2/1/1 "
             "3/2/2 4/1/2\n");
  QTest::newRow("stl") << "t.stl" << tetrahedronStl();
  QTest::newRow("ply") << "t.ply" << tetrahedronPly();
  QTest::newRow("gltf") << "t.gltf" << test::tetrahedronGltf("t.bin");
}

void MeshFileTest::everyFormatGivesTheSameTetrahedron() {
  QFETCH(QString, name);
  QFETCH(QByteArray, text);
  m_folder.write("t.bin", test::tetrahedronBuffer());
  m_folder.write(name, text);
  const auto scene = m_folder.load(meshBody(name.toUtf8()));
  const Body& body = scene->bodies[0];
  QCOMPARE(body.shape->surfaces[0].vertices.size(), std::size_t(4));
  QCOMPARE(body.shape->surfaces[0].triangles.size(), std::size_t(4));
  QVERIFY(body.shape->surfaces[0].closed);
  QVERIFY_NEAR(body.volume, 1.0 / 6, 1e-15);
  QVERIFY_NEAR(body.position.x(), 0.25, 1e-15);
  // Numbered by first use: the first triangle is 0, (0 1 0), (1 0 0).
  QVERIFY((body.shape->surfaces[0].triangles[0] == std::array<int, 3>{0, 1, 2}));
  QVERIFY_NEAR(
      (body.shape->surfaces[0].vertices[1] - body.shape->surfaces[0].vertices[0] - Vec3(0, 1, 0)).norm(), 0,
      1e-15);
}

void MeshFileTest::aConvexMeshGetsOnePiece() {
  m_folder.write("cube.obj", test::cubeObj());
  const auto scene = m_folder.load(meshBody("cube.obj"));
  const Shape& shape = *scene->bodies[0].shape;
  QVERIFY(shape.kind == Shape::Kind::Mesh);
  QCOMPARE(shape.pieces.size(), std::size_t(1));
  QCOMPARE(shape.pieces[0].faces.size(), std::size_t(6));
  QVERIFY(shape.pieces[0].vertices == shape.surfaces[0].vertices);
  QVERIFY_NEAR((scene->bodies[0].position - Vec3(0.5, 0.5, 0.5)).norm(), 0, 1e-15);
}

void MeshFileTest::aConvexMeshWithPointsInsideFacesKeepsItsTriangles() {
  QByteArray text = test::cubeObj();
  text.replace("f 5 6 7 8\n", "v 0.5 0.5 1\nf 5 6 9\nf 6 7 9\nf 7 8 9\nf 8 5 9\n");
  m_folder.write("cube.obj", text);
  const auto scene = m_folder.load(meshBody("cube.obj"));
  const Shape& shape = *scene->bodies[0].shape;
  QVERIFY(shape.kind == Shape::Kind::Mesh);
  QCOMPARE(shape.surfaces[0].vertices.size(), std::size_t(9));
  QCOMPARE(shape.pieces.size(), std::size_t(1));
  QCOMPARE(shape.pieces[0].vertices.size(), std::size_t(8));
}

void MeshFileTest::aDentedMeshHasNoPieces() {
  QByteArray text = test::cubeObj();
  text.replace("f 5 6 7 8\n", "v 0.5 0.5 0.75\nf 5 6 9\nf 6 7 9\nf 7 8 9\nf 8 5 9\n");
  m_folder.write("dent.obj", text);
  const auto scene = m_folder.load(meshBody("dent.obj"));
  QVERIFY(scene->bodies[0].shape->kind == Shape::Kind::Mesh);
  QVERIFY(scene->bodies[0].shape->pieces.empty());
  QVERIFY_NEAR(scene->bodies[0].volume, 1 - 0.25 / 3, 1e-15);
}

void MeshFileTest::polygonsWithReentrantCornersAreCutInside() {
  // An L of three unit squares, thickness 1: a fan from its first corner would leave the polygon.
  m_folder.write("ell.obj",
                 "v 0 2 0\nv 0 0 0\nv 2 0 0\nv 2 1 0\nv 1 1 0\nv 1 2 0\nv 0 2 1\nv 0 0 1\nv 2 0 1\nv 2 1 "
                 "1\nv 1 1 1\nv 1 2 1\n"
                 "f 6 5 4 3 2 1\nf 7 8 9 10 11 12\nf 1 2 8 7\nf 2 3 9 8\nf 3 4 10 9\nf 4 5 11 10\nf 5 6 12 "
                 "11\nf 6 1 7 12\n");
  const auto scene = m_folder.load(meshBody("ell.obj"));
  const TriangleMesh& mesh = scene->bodies[0].shape->surfaces[0];
  QVERIFY(mesh.closed);
  QCOMPARE(mesh.triangles.size(), std::size_t(2 * 4 + 6 * 2));
  double area = 0;
  for (const auto& t : mesh.triangles) {
    const auto corner = [&](std::size_t k) { return mesh.vertices[t[k]]; };
    area += 0.5 * (corner(1) - corner(0)).cross(corner(2) - corner(0)).norm();
  }
  QVERIFY_NEAR(area, 2 * 3 + 8, 1e-14);
  QVERIFY_NEAR(scene->bodies[0].volume, 3, 1e-14);
  QVERIFY(scene->bodies[0].shape->pieces.empty());
}

void MeshFileTest::scaleMultipliesLengths() {
  m_folder.write("cube.obj", test::cubeObj());
  const auto scene =
      m_folder.load(R"({"name": "m", "shape": {"type": "mesh", "file": "cube.obj", "scale": 0.5}})");
  QVERIFY_NEAR(scene->bodies[0].volume, 0.125, 1e-16);
}

void MeshFileTest::nodesOfAGltfFilePlaceTheMesh() {
  m_folder.write("t.bin", test::tetrahedronBuffer());
  m_folder.write("t.gltf", test::tetrahedronGltf("t.bin"));
  QVERIFY_NEAR(m_folder.load(meshBody("t.gltf"))->bodies[0].position.y(), 5.25, 1e-15);
}

namespace {

/// The tetrahedron below other nodes, of which the first is the root.
QByteArray gltfOfNodes(const QByteArray& nodes) {
  return test::tetrahedronGltf("data:application/octet-stream;base64," + test::tetrahedronBuffer().toBase64())
      .replace(R"([{"mesh": 0, "translation": [0, 5, 0]}])", nodes);
}

/// Nodes of which each names the next one `times` times as its child.
QByteArray chainOfNodes(int levels, int times) {
  QByteArray nodes = "[";
  for (int level = 1; level < levels; ++level) {
    QByteArrayList children;
    for (int time = 0; time < times; ++time) children << QByteArray::number(level);
    nodes += "{\"children\": [" + children.join(',') + "]}, ";
  }
  return nodes + "{\"mesh\": 0}]";
}

QByteArray glbOf(QByteArray document) {
  while (document.size() % 4) document += ' ';
  const auto word = [](int number) {
    const auto value = static_cast<quint32>(number);
    return QByteArray(reinterpret_cast<const char*>(&value), 4);
  };
  return "glTF" + word(2) + word(20 + document.size()) + word(document.size()) + "JSON" + document;
}

}  // namespace

void MeshFileTest::nodesThatShareAChildShowItTwice() {
  const std::string path = m_folder.write("two.gltf", gltfOfNodes(R"([{"children": [1, 2]}, {"children": [3]},
        {"children": [3], "translation": [4, 0, 0]}, {"mesh": 0}])"));
  const MeshFile file = loadMesh(path, 1);
  QCOMPARE(file.mesh.triangles.size(), std::size_t(8));
  QCOMPARE(file.mesh.vertices.size(), std::size_t(8));
}

void MeshFileTest::gltfFilesThatUnfoldAreRefused_data() {
  QTest::addColumn<QByteArray>("text");
  QTest::addColumn<QByteArray>("words");
  const QByteArray plain = gltfOfNodes(chainOfNodes(1, 1));
  // 1 + 10 + … + 10⁷ nodes, of which the last ones have 16 corners and indices each.
  QTest::newRow("ten million instances")
      << gltfOfNodes(chainOfNodes(8, 10))
      << QByteArray("nodes: unfold to 11111111 nodes on 8 levels with 160000000 corners");
  QTest::newRow("more than there are numbers")
      << gltfOfNodes(chainOfNodes(150, 300)) << QByteArray("nodes: unfold to 1e+15 nodes on 150 levels");
  QTest::newRow("a chain") << gltfOfNodes(chainOfNodes(20'000, 1))
                           << QByteArray("nodes: unfold to 20000 nodes on 20000 levels");
  QTest::newRow("a chain that no scene names")
      << gltfOfNodes(chainOfNodes(20'000, 1))
             .replace(R"("scenes": [{"nodes": [0]}])", R"("scenes": [{"nodes": [19999]}])")
      << QByteArray("on 20000 levels");
  QTest::newRow("a circle") << gltfOfNodes(R"([{"children": [1]}, {"children": [2]}, {"children": [0]}])")
                            << QByteArray("is its own child");
  QTest::newRow("its own child") << gltfOfNodes(R"([{"children": [0], "mesh": 0}])")
                                 << QByteArray("nodes[0]: is its own child");
  QByteArrayList roots;
  for (int root = 0; root < 100'000; ++root) roots << "0";
  QTest::newRow("roots that repeat") << QByteArray(gltfOfNodes(chainOfNodes(2, 1)))
                                            .replace(R"("scenes": [{"nodes": [0]}])",
                                                     R"("scenes": [{"nodes": [)" + roots.join(',') + "]}]")
                                     << QByteArray("unfold to 200000 nodes");
  QTest::newRow("a child that does not exist")
      << gltfOfNodes(R"([{"children": [7], "mesh": 0}])") << QByteArray("nodes[0].children[0]");
  QByteArrayList primitives;
  for (int part = 0; part < 50'000; ++part) primitives << R"({"attributes": {"POSITION": 0}})";
  QTest::newRow("parts that share their corners")
      << QByteArray(plain)
             .replace(R"({"attributes": {"POSITION": 0}, "indices": 1})", primitives.join(','))
             .replace(R"("byteLength": 48)", R"("byteLength": 48, "byteStride": 0)")
             .replace(R"("nodes": [{"mesh": 0}])",
                      R"("nodes": [{"children": [)" + QByteArray("1,").repeated(99) + R"(1]}, {"mesh": 0}])")
      << QByteArray("nodes: unfold to 101 nodes on 2 levels with 20000000 corners");
  QTest::newRow("corners behind the end") << QByteArray(plain).replace(R"("count": 4)", R"("count": 5)")
                                          << QByteArray("accessors[0]: ends behind");
  QTest::newRow("corners that begin behind the end")
      << QByteArray(plain).replace(R"("componentType": 5126)", R"("byteOffset": 12, "componentType": 5126)")
      << QByteArray("accessors[0]: ends behind");
  QTest::newRow("a part behind the end of its buffer")
      << QByteArray(plain).replace(R"("byteOffset": 48)", R"("byteOffset": 49)")
      << QByteArray("bufferViews[1]: ends behind");
  QTest::newRow("a buffer of a terabyte")
      << QByteArray(plain).replace(R"("byteLength": 72)", R"("byteLength": 1000000000000)")
      << QByteArray("buffers[0].byteLength");
  QTest::newRow("few corners for many")
      << QByteArray(plain).replace(R"("count": 4)", R"("sparse": {"count": 1}, "count": 4)")
      << QByteArray("accessors[0]: is sparse");
  QTest::newRow("an earlier glTF") << QByteArray(plain).replace(R"("version": "2.0")", R"("version": "1.0")")
                                   << QByteArray("asset.version: is '1.0'");
}

/// Text and binary form alike, by counts and without the memory that they stand for.
void MeshFileTest::gltfFilesThatUnfoldAreRefused() {
  QFETCH(QByteArray, text);
  QFETCH(QByteArray, words);
  for (const auto& [name, bytes] : {std::pair("u.gltf", text), std::pair("u.glb", glbOf(text))}) {
    const std::string path = m_folder.write(name, bytes);
    try {
      loadMesh(path, 1);
      QFAIL("was accepted");
    } catch (const SceneError& error) {
      const QByteArray what = error.what();
      QVERIFY2(what.contains(name) && what.contains(words) && what.contains("; "), what);
    }
  }
}

void MeshFileTest::verticesThatAreOnlyNearStayApart() {
  m_folder.write("slit.obj",
                 "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0.000001 0\nv 1 0.000001 -1\nv 0 -1 0\nf 1 2 3\nf 4 6 5\n");
  const auto scene = m_folder.load(meshBody("slit.obj", R"("motion": "static", )"));
  QCOMPARE(scene->bodies[0].shape->surfaces[0].vertices.size(), std::size_t(6));
}

void MeshFileTest::cornersThatDifferInTheirLastBitsAreJoined() {
  QByteArray text = tetrahedronStl();
  for (int triangle = 0; triangle < 4; ++triangle)
    for (int number = 0; number < 9; ++number) {
      char* place = text.data() + 84 + 50 * triangle + 12 + 4 * number;
      float value;
      std::memcpy(&value, place, 4);
      value += static_cast<float>((triangle * 9 + number) % 3 - 1) * 1e-7f;
      std::memcpy(place, &value, 4);
    }
  m_folder.write("rounded.stl", text);
  const auto scene = m_folder.load(meshBody("rounded.stl"));
  const TriangleMesh& mesh = scene->bodies[0].shape->surfaces[0];
  QVERIFY(mesh.closed);
  QCOMPARE(mesh.vertices.size(), std::size_t(4));
  QVERIFY_NEAR(scene->bodies[0].volume, 1.0 / 6, 1e-6);
  QCOMPARE(scene->bodies[0].shape->pieces.size(), std::size_t(1));
}

void MeshFileTest::trianglesWithoutAreaAreLeftOut_data() {
  QTest::addColumn<QByteArray>("text");
  QTest::addColumn<QByteArray>("note");
  const QByteArray cube = test::cubeObj();
  const auto changed = [&](const char* good, const char* bad) { return QByteArray(cube).replace(good, bad); };
  QTest::newRow("a corner twice") << QByteArray(cube + "f 1 1 2\nf 3 4 4\n") << QByteArray("2 of 14");
  QTest::newRow("equal corners of other numbers")
      << QByteArray(cube + "v 0 0 0\nf 1 9 2\nf 9 1 2\n") << QByteArray("2 of 14");
  // The side 1–2 is cut at its middle on one side only; the flat triangle closes the gap.
  QTest::newRow("three corners on a line")
      << changed("f 1 4 3 2\n", "v 0.5 0 0\nf 1 4 9\nf 4 3 9\nf 3 2 9\nf 1 9 2\n") << QByteArray("1 of 14");
  QTest::newRow("apart from the rest")
      << QByteArray(cube + "v 2 0 0\nv 3 0 0\nv 4 0 0\nf 9 10 11\n") << QByteArray("1 of 13");
}

void MeshFileTest::trianglesWithoutAreaAreLeftOut() {
  QFETCH(QByteArray, text);
  QFETCH(QByteArray, note);
  m_folder.write("flat.obj", text);
  const auto scene = m_folder.load(meshBody("flat.obj"));
  QVERIFY(scene->bodies[0].shape->surfaces[0].closed);
  QVERIFY_NEAR(scene->bodies[0].volume, 1, 1e-15);
  QCOMPARE(scene->bodies[0].shape->pieces.size(), std::size_t(1));
  QCOMPARE(scene->notes.size(), std::size_t(1));
  QVERIFY2(QByteArray(scene->notes[0].c_str()).contains(note + " triangles"), scene->notes[0].c_str());
}

void MeshFileTest::numbersOfTexturesThatAreMissingDoNotMatter() {
  QByteArray text;
  for (const QByteArray& line : test::cubeObj().split('\n'))
    if (line.startsWith("f "))
      text += "f " + line.mid(2).trimmed().replace(" ", "/7/3 ") + "/7/3\n";
    else
      text += line + '\n';
  m_folder.write("textures.obj", text);
  QVERIFY_NEAR(m_folder.load(meshBody("textures.obj"))->bodies[0].volume, 1, 1e-15);
}

void MeshFileTest::convexityIsJudgedAtThePrecisionOfTheFile_data() {
  QTest::addColumn<int>("decimals");
  QTest::addColumn<double>("dent");
  QTest::addColumn<bool>("convex");
  for (int decimals : {5, 6, 9}) {
    const QByteArray name = QByteArray::number(decimals) + " decimals";
    QTest::newRow(name) << decimals << 0.0 << true;
    QTest::newRow(name + ", with a dent") << decimals << 0.003 << false;
  }
}

void MeshFileTest::convexityIsJudgedAtThePrecisionOfTheFile() {
  QFETCH(int, decimals);
  QFETCH(double, dent);
  QFETCH(bool, convex);
  // A ball of 0.1 m: rings of corners between two poles.
  constexpr int kRings = 11, kSides = 24;
  constexpr double kRadius = 0.05, kTurn = 0.1234;  // so that no corner is a round number
  QByteArray text;
  const auto corner = [&](double x, double y, double z) {
    for (double value : {x, y, z})
      text += (text.endsWith('\n') || text.isEmpty() ? "v " : " ") + QByteArray::number(value, 'f', decimals);
    text += '\n';
  };
  corner(0, kRadius, 0);
  for (int ring = 1; ring <= kRings; ++ring)
    for (int side = 0; side < kSides; ++side) {
      const double down = M_PI * ring / (kRings + 1), around = 2 * M_PI * side / kSides + kTurn;
      const double radius = kRadius - (ring == 6 && side == 3 ? dent : 0);
      corner(radius * std::sin(down) * std::cos(around), radius * std::cos(down),
             radius * std::sin(down) * std::sin(around));
    }
  corner(0, -kRadius, 0);
  const auto cornerNumber = [](int ring, int side) {
    return QByteArray::number(ring == 0       ? 1
                              : ring > kRings ? 2 + kRings * kSides
                                              : 2 + (ring - 1) * kSides + side % kSides);
  };
  for (int ring = 0; ring <= kRings; ++ring)
    for (int side = 0; side < kSides; ++side) {
      if (ring < kRings)
        text += "f " + cornerNumber(ring, side) + ' ' + cornerNumber(ring + 1, side + 1) + ' ' +
                cornerNumber(ring + 1, side) + '\n';
      if (ring > 0)
        text += "f " + cornerNumber(ring, side) + ' ' + cornerNumber(ring, side + 1) + ' ' +
                cornerNumber(ring + 1, side + 1) + '\n';
    }
  m_folder.write("ball.obj", text);
  const auto scene = m_folder.load(meshBody("ball.obj"));
  QVERIFY(scene->bodies[0].shape->surfaces[0].closed);
  QCOMPARE(scene->bodies[0].shape->pieces.size(), std::size_t(convex ? 1 : 0));
}

void MeshFileTest::binaryGltfFilesLoad_data() {
  QTest::addColumn<QByteArray>("bytes");
  QByteArray document = test::tetrahedronGltf("");
  document.replace("\"uri\": \"\", ", "");
  const QByteArray buffer = test::tetrahedronBuffer();
  const auto word = [](quint32 value) { return QByteArray(reinterpret_cast<const char*>(&value), 4); };
  const auto chunk = [&](const char* kind, QByteArray bytes, char fill) {
    while (bytes.size() % 4) bytes += fill;
    return word(static_cast<quint32>(bytes.size())) + QByteArray(kind, 4) + bytes;
  };
  const auto file = [&](const QByteArray& chunks) {
    return "glTF" + word(2) + word(static_cast<quint32>(12 + chunks.size())) + chunks;
  };
  const QByteArray both = chunk("JSON", document, ' ') + chunk("BIN\0", buffer, '\0');
  QTest::newRow("two chunks") << file(both);
  QTest::newRow("a chunk of another program") << file(both + chunk("MORE", "1234", '\0'));
  QTest::newRow("filled with zeros") << file(chunk("JSON", document + "   ", '\0') +
                                             chunk("BIN\0", buffer, '\0'));
  QTest::newRow("its buffer as text") << file(
      chunk("JSON", test::tetrahedronGltf("data:application/octet-stream;base64," + buffer.toBase64()), ' '));
  QByteArray rich = document;
  rich.replace(
      R"("asset": {"version": "2.0"})",
      R"("asset": {"version": "2.0"}, "materials": [{"pbrMetallicRoughness": {"baseColorTexture": {"index": 0}}}],
                  "textures": [{"source": 0}], "images": [{"uri": "nowhere.png"}], "extensionsUsed": ["KHR_materials_unlit"])");
  rich.replace(R"("POSITION": 0})", R"("POSITION": 0, "TEXCOORD_0": 9}, "material": 0)");
  QTest::newRow("with an image that is missing")
      << file(chunk("JSON", rich, ' ') + chunk("BIN\0", buffer, '\0'));
}

void MeshFileTest::binaryGltfFilesLoad() {
  QFETCH(QByteArray, bytes);
  m_folder.write("t.glb", bytes);
  const auto scene = m_folder.load(meshBody("t.glb"));
  QVERIFY_NEAR(scene->bodies[0].volume, 1.0 / 6, 1e-15);
  QVERIFY_NEAR(scene->bodies[0].position.y(), 5.25, 1e-15);
  QVERIFY(scene->sources.count("t.glb"));
  for (int length = 0; length < bytes.size(); length += 1 + bytes.size() / 50) {
    m_folder.write("cut.glb", bytes.left(length));
    QVERIFY_EXCEPTION_THROWN(m_folder.load(meshBody("cut.glb")), SceneError);
  }
}

void MeshFileTest::sizeVolumeAndMassOfAMeshAreTold() {
  m_folder.write("cube.obj", test::cubeObj());
  const auto scene = m_folder.load(
      R"({"name": "m", "density": 500, "shape": {"type": "mesh", "file": "cube.obj", "scale": 20}})");
  QCOMPARE(scene->notes.size(), std::size_t(1));
  QCOMPARE(scene->notes[0], std::string("'m': mesh 'cube.obj', 20 × 20 × 20 m, 8000 m³, convex; 4e+06 kg"));
}

void MeshFileTest::meshesInTheDatasetsFolderAreReachable() {
  m_folder.write("x/datasets/meshes/cube/cube.obj", test::cubeObj());
  m_folder.write("x/secret.obj", test::cubeObj());
  const QByteArray good = test::SceneFolder::withBodies(meshBody("../meshes/cube/cube.obj"));
  QCOMPARE(loadScene(m_folder.write("x/datasets/scenes/a.json", good))->bodies.size(), std::size_t(1));
  const QByteArray bad = test::SceneFolder::withBodies(meshBody("../../secret.obj"));
  QVERIFY_EXCEPTION_THROWN(loadScene(m_folder.write("x/datasets/scenes/b.json", bad)), SceneError);
}

void MeshFileTest::hashesNameEveryGeometryFile() {
  m_folder.write("sub/t.bin", test::tetrahedronBuffer());
  m_folder.write("sub/t.gltf", test::tetrahedronGltf("t.bin"));
  const auto scene = m_folder.load(meshBody("sub/t.gltf"));
  QCOMPARE(scene->sources.size(), std::size_t(3));
  QVERIFY(scene->sources.count("sub/t.bin") && scene->sources.count("sub/t.gltf") &&
          scene->sources.count("scene.json"));
}

void MeshFileTest::anOpenMeshMayBeStaticOrHaveExplicitMass() {
  m_folder.write("open.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
  QVERIFY(
      !m_folder.load(meshBody("open.obj", R"("motion": "static", )"))->bodies[0].shape->surfaces[0].closed);
  const auto scene = m_folder.load(meshBody("open.obj", R"("mass": 1, "inertia": [1, 1, 2], )"));
  QVERIFY(scene->bodies[0].position == Vec3::Zero());  // the centre of mass is the origin of the file
  QCOMPARE(scene->bodies[0].mass, 1.0);
}

void MeshFileTest::badMeshesAreRefusedByName_data() {
  QTest::addColumn<QString>("name");
  QTest::addColumn<QByteArray>("text");
  QTest::addColumn<QByteArray>("problem");
  const QByteArray cube = test::cubeObj();
  const auto changed = [&](const char* good, const char* bad) { return QByteArray(cube).replace(good, bad); };
  QTest::newRow("open") << "a.obj" << changed("f 4 1 5 8\n", "") << QByteArray("open mesh");
  QTest::newRow("no area at all") << "b.obj" << QByteArray("v 2 0 0\nv 3 0 0\nv 4 0 0\nf 1 2 3\n")
                                  << QByteArray("no triangle with an area");
  QTest::newRow("a list that is no list")
      << "p.ply" << tetrahedronPly("300000000 1 2 3\n") << QByteArray("p.ply");
  QTest::newRow("a second list that is no list")
      << "q.ply"
      << tetrahedronPly()
             .replace("vertex_indices\n", "vertex_indices\nproperty list uchar int more\n")
             .replace("3 0 2 1\n", "3 0 2 1 300000000\n")
      << QByteArray("announces");
  QTest::newRow("compressed") << "r.gltf"
                              << test::tetrahedronGltf("t.bin").replace(
                                     R"("scene": 0)",
                                     R"("extensionsRequired": ["KHR_draco_mesh_compression"], "scene": 0)")
                              << QByteArray("KHR_draco_mesh_compression");
  QTest::newRow("one face turned over")
      << "c.obj" << changed("f 4 1 5 8", "f 8 5 1 4") << QByteArray("not consistently oriented");
  QTest::newRow("inside out")
      << "d.obj" << QByteArray("v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 2 3\nf 1 4 2\nf 1 3 4\nf 2 4 3\n")
      << QByteArray("inside out");
  QTest::newRow("a wall twice") << "e.obj" << QByteArray(cube + "f 1 4 3 2\n")
                                << QByteArray("not a manifold");
  QTest::newRow("vertex that does not exist")
      << "f.obj" << changed("f 4 1 5 8", "f 4 1 5 88") << QByteArray("f.obj");
  QTest::newRow("empty") << "g.obj" << QByteArray() << QByteArray("g.obj");
  QTest::newRow("no faces") << "h.obj" << QByteArray("v 0 0 0\nv 1 0 0\n") << QByteArray("h.obj");
  QTest::newRow("no mesh at all") << "i.stl" << QByteArray("hello, this is a letter and not a mesh")
                                  << QByteArray("i.stl");
  QTest::newRow("lines") << "j.obj" << QByteArray("v 0 0 0\nv 1 0 0\nl 1 2\n") << QByteArray("j.obj");
  QTest::newRow("NaN") << "k.ply" << tetrahedronPly().replace("1 0 0\n0 1 0", "nan 0 0\n0 1 0")
                       << QByteArray("k.ply");
  QTest::newRow("index out of range") << "l.ply" << tetrahedronPly("3 1 2 9\n") << QByteArray("l.ply");
  QTest::newRow("unknown format") << "m.txt" << QByteArray("a letter and no mesh")
                                  << QByteArray("unknown mesh format");
  QTest::newRow("buffer outside") << "n.gltf" << test::tetrahedronGltf("../../../../../../etc/passwd")
                                  << QByteArray("n.gltf");
  QTest::newRow("buffer missing") << "o.gltf" << test::tetrahedronGltf("nowhere.bin") << QByteArray("o.gltf");
}

void MeshFileTest::badMeshesAreRefusedByName() {
  QFETCH(QString, name);
  QFETCH(QByteArray, text);
  QFETCH(QByteArray, problem);
  m_folder.write(name, text);
  try {
    m_folder.load(meshBody(name.toUtf8()));
  } catch (const SceneError& error) {
    const QByteArray what = error.what();
    QVERIFY2((what.contains(name.toUtf8()) || what.contains("bodies[0].shape")) && what.contains(problem),
             what);
    QVERIFY2(what.contains("; "), what);
    return;
  }
  QFAIL("was accepted");
}

void MeshFileTest::cornersThatAreNotFiniteAreRefused_data() {
  QTest::addColumn<int>("axis");
  QTest::addColumn<QByteArray>("word");
  QTest::addColumn<float>("value");
  for (int axis = 0; axis < 3; ++axis) {
    QTest::addRow("NaN along %c", 'x' + axis)
        << axis << QByteArray("nan") << std::numeric_limits<float>::quiet_NaN();
    QTest::addRow("infinite along %c", 'x' + axis)
        << axis << QByteArray("inf") << std::numeric_limits<float>::infinity();
    QTest::addRow("far along %c", 'x' + axis) << axis << QByteArray("-2e9") << -2e9f;
  }
}

/// One component of the second corner, in every format.
void MeshFileTest::cornersThatAreNotFiniteAreRefused() {
  QFETCH(int, axis);
  QFETCH(QByteArray, word);
  QFETCH(float, value);
  std::array<float, 3> corner{1, 0, 0};
  corner[axis] = value;
  QList<QByteArray> words{"1", "0", "0"};
  words[axis] = word;
  const QByteArray line = words.join(' ') + "\n";
  QByteArray buffer = test::tetrahedronBuffer();
  std::memcpy(buffer.data() + 12, corner.data(), 12);
  m_folder.write("t.bin", buffer);
  const std::pair<const char*, QByteArray> files[] = {
      {"t.stl", tetrahedronStl(corner)},
      {"t.ply", tetrahedronPly().replace("1 0 0\n", line)},
      {"t.obj", "v 0 0 0\nv " + line + "v 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n"},
      {"t.gltf", test::tetrahedronGltf("t.bin")}};
  for (const auto& [name, text] : files) {
    m_folder.write(name, text);
    try {
      m_folder.load(meshBody(name));
    } catch (const SceneError& error) {
      const QByteArray what = error.what();
      QVERIFY2(what.contains(name) && what.contains("not finite or beyond 1e9 m"), what);
      continue;
    }
    QFAIL(qPrintable(QStringLiteral("%1 was accepted").arg(name)));
  }
}

/// A COLLADA file whose nodes scale one axis beyond all numbers, where ∞ · 0 is none.
void MeshFileTest::cornersThatAFrameMakesInfiniteAreRefused() {
  for (int axis = 0; axis < 3; ++axis) {
    QList<QByteArray> factors{"1", "1", "1"};
    factors[axis] = "1e300";
    const QByteArray scale = "<scale>" + factors.join(' ') + "</scale>";
    const QByteArray text =
        "<COLLADA xmlns=\"http://www.collada.org/2005/11/COLLADASchema\" version=\"1.4.1\"><asset/>"
        "<library_geometries><geometry id=\"g\"><mesh><source id=\"p\"><float_array id=\"a\" count=\"12\">"
        "0 0 0 0 0 0 0 0 0 0 0 0</float_array></source><vertices id=\"v\"><input semantic=\"POSITION\" "
        "source=\"#p\"/></vertices><triangles count=\"1\"><input semantic=\"VERTEX\" source=\"#v\" "
        "offset=\"0\"/><p>0 1 2</p></triangles></mesh></geometry></library_geometries>"
        "<library_visual_scenes><visual_scene id=\"s\"><node id=\"n\">" +
        scale + scale +
        "<instance_geometry url=\"#g\"/></node></visual_scene></library_visual_scenes><scene>"
        "<instance_visual_scene url=\"#s\"/></scene></COLLADA>\n";
    std::vector<std::string> files;
    try {
      loadMeshCorners(m_folder.write("far.dae", text), files);
    } catch (const SceneError& error) {
      QVERIFY2(QByteArray(error.what()).contains("not finite or beyond 1e9 m"), error.what());
      continue;
    }
    QFAIL("was accepted");
  }
}

void MeshFileTest::aLinkThatLeadsOutsideIsRefused() {
  const std::string outside = m_folder.write("outside/cube.obj", test::cubeObj());
  m_folder.write("inside/here.txt", "");
  if (!QFile::link(QString::fromStdString(outside), QString::fromStdString(m_folder.path("inside/cube.obj"))))
    QSKIP("no links on this file system");
  const std::string path =
      m_folder.write("inside/scene.json", test::SceneFolder::withBodies(meshBody("cube.obj")));
  QVERIFY_EXCEPTION_THROWN(loadScene(path), SceneError);
}

void MeshFileTest::truncatedMeshesNeverCrash_data() {
  QTest::addColumn<QString>("name");
  QTest::addColumn<QByteArray>("text");
  QTest::newRow("obj") << "t.obj" << test::cubeObj();
  QTest::newRow("stl") << "t.stl" << tetrahedronStl();
  QTest::newRow("ply") << "t.ply" << tetrahedronPly();
  QTest::newRow("gltf") << "t.gltf" << test::tetrahedronGltf("t.bin");
}

void MeshFileTest::truncatedMeshesNeverCrash() {
  QFETCH(QString, name);
  QFETCH(QByteArray, text);
  m_folder.write("t.bin", test::tetrahedronBuffer());
  for (int length = 0; length < text.size(); length += 1 + text.size() / 100) {
    m_folder.write(name, text.left(length));
    try {
      m_folder.load(meshBody(name.toUtf8()));
    } catch (const SceneError& error) {
      QVERIFY2(QByteArray(error.what()).contains("; "), error.what());
    }
  }
}

QTEST_APPLESS_MAIN(MeshFileTest)
#include "tst_mesh_file.moc"
