#include <QtTest>

#include "core/files/scene_error.h"
#include "core/geometry/mass_properties.h"
#include "core/scene/deformable/msh_file.h"
#include "tests/scene/msh_text.h"
#include "tests/support/near.h"

using namespace touchstone;

/// Gmsh files: both formats, text and binary, and what is mended or told.
class MshFileTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void allFormsAreRead_data();
  void allFormsAreRead();
  void theSurfaceComesFirst();
  void scaleMultipliesCoordinates();
  void negativeOrientationIsTurnedWithANote();
  void flatTetrahedraAreTold();
  void tagsNeedNotFollowEachOther();
  void everyTruncationIsRefused_data() { allFormsAreRead_data(); }
  void everyTruncationIsRefused();
};

namespace {

MshFile read(const QByteArray& bytes, double scale = 1) {
  return readMsh(bytes.toStdString(), "test.msh", scale);
}

/// A cube of eight nodes around a ninth: 12 tetrahedra.
test::MshContent cubeAroundANode() {
  test::MshContent mesh;
  mesh.nodes.push_back({0, 0, 0});
  for (int corner = 0; corner < 8; ++corner)
    mesh.nodes.push_back({corner & 1 ? 1. : -1., corner & 2 ? 1. : -1., corner & 4 ? 1. : -1.});
  // The faces of a cube, outward, as pairs of triangles of its corners.
  const int faces[6][4] = {{0, 4, 6, 2}, {1, 3, 7, 5}, {0, 1, 5, 4},
                           {2, 6, 7, 3}, {0, 2, 3, 1}, {4, 5, 7, 6}};
  for (const auto& f : faces)
    for (const auto& t : {std::array<int, 3>{f[0], f[1], f[2]}, std::array<int, 3>{f[0], f[2], f[3]}})
      mesh.tetrahedra.push_back({1, t[0] + 2, t[1] + 2, t[2] + 2});
  return mesh;
}

}  // namespace

void MshFileTest::allFormsAreRead_data() {
  QTest::addColumn<QByteArray>("bytes");
  const test::MshContent mesh = test::twoTetrahedra();
  QTest::newRow("2.2 text") << test::msh2(mesh);
  QTest::newRow("4.1 text") << test::msh4(mesh);
  QTest::newRow("2.2 text of Windows") << test::msh2(mesh).replace("\n", "\r\n");
  QTest::newRow("2.2 binary") << test::msh2Binary(mesh, false);
  QTest::newRow("2.2 binary, other order") << test::msh2Binary(mesh, true);
  QTest::newRow("4.1 binary") << test::msh4Binary(mesh, false);
  QTest::newRow("4.1 binary, other order") << test::msh4Binary(mesh, true);
}

void MshFileTest::allFormsAreRead() {
  QFETCH(QByteArray, bytes);
  const MshFile file = read(bytes);
  QCOMPARE(file.mesh.particles.size(), std::size_t(5));
  QCOMPARE(file.mesh.tetrahedra.size(), std::size_t(2));
  QVERIFY(file.notes.empty());
  QVERIFY_NEAR(tetrahedronVolume(file.mesh, 0), 1.0 / 6, 1e-16);
  QVERIFY_NEAR(tetrahedronVolume(file.mesh, 1), 1.0 / 3, 1e-16);
  QVERIFY(file.surface.closed);
  QCOMPARE(file.surface.triangles.size(), std::size_t(6));
  QVERIFY_NEAR(massProperties(file.surface).volume, 0.5, 1e-15);
  Vec3 sum = Vec3::Zero();
  for (const Vec3& particle : file.mesh.particles) sum += particle;
  QVERIFY((sum - Vec3(2, 2, 2)).norm() < 1e-15);
}

void MshFileTest::theSurfaceComesFirst() {
  const MshFile file = read(test::msh2(cubeAroundANode()));
  QCOMPARE(file.surface.vertices.size(), std::size_t(8));
  for (std::size_t vertex = 0; vertex < 8; ++vertex)
    QVERIFY(file.surface.vertices[vertex] == file.mesh.particles[vertex]);
  QVERIFY(file.mesh.particles[8] == Vec3(0, 0, 0));
  QVERIFY_NEAR(latticeVolume(file.mesh), 8, 1e-14);
}

void MshFileTest::scaleMultipliesCoordinates() {
  const MshFile file = read(test::msh4(test::twoTetrahedra()), 0.001);
  QVERIFY_NEAR(latticeVolume(file.mesh), 0.5e-9, 1e-24);
}

void MshFileTest::negativeOrientationIsTurnedWithANote() {
  test::MshContent mesh = test::twoTetrahedra();
  for (auto& t : mesh.tetrahedra) std::swap(t[0], t[1]);
  const MshFile file = read(test::msh2(mesh));
  QVERIFY_NEAR(latticeVolume(file.mesh), 0.5, 1e-15);
  QVERIFY_NEAR(massProperties(file.surface).volume, 0.5, 1e-15);
  QCOMPARE(file.notes.size(), std::size_t(1));
  QVERIFY(file.notes[0].find("swapped") != std::string::npos);
}

void MshFileTest::flatTetrahedraAreTold() {
  test::MshContent mesh = test::twoTetrahedra();
  mesh.nodes[0] = {0.33, 0.33, 0.33};  // nearly in the face of the others
  const MshFile file = read(test::msh2(mesh));
  QCOMPARE(file.notes.size(), std::size_t(1));
  const QString note = QString::fromStdString(file.notes[0]);
  QVERIFY2(note.contains("1 of 2") && note.contains("element 3"), qPrintable(note));
}

void MshFileTest::tagsNeedNotFollowEachOther() {
  const QByteArray text =
      "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n4\n70 0 0 0\n9 1 0 0\n1000000 0 1 0\n3 0 0 "
      "1\n$EndNodes\n"
      "$Elements\n1\n55 4 0 70 9 1000000 3\n$EndElements\n";
  const MshFile file = read(text);
  QCOMPARE(file.elementTags, std::vector<long>{55});
  QVERIFY_NEAR(latticeVolume(file.mesh), 1.0 / 6, 1e-16);
}

void MshFileTest::everyTruncationIsRefused() {
  QFETCH(QByteArray, bytes);
  for (int length = 0; length < bytes.trimmed().size(); ++length)
    QVERIFY_EXCEPTION_THROWN(read(bytes.left(length)), SceneError);
}

QTEST_GUILESS_MAIN(MshFileTest)
#include "tst_msh_file.moc"
