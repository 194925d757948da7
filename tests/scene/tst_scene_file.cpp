#include <QTemporaryDir>
#include <QtTest>

#include "core/contact/contact_method.h"
#include "core/geometry/mass_properties.h"
#include "core/run/comparison.h"
#include "core/scene/primitives.h"
#include "core/scene/scene_error.h"
#include "core/scene/shape_file.h"
#include "tests/support/near.h"

using namespace touchstone;

class SceneFileTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void everyShippedSceneRunsUnderItsMethods();
  void massOfABoxIsExactWhereverItsOriginIs();
  void massOfATetrahedronIsExact();
  void aConvexMeshFileIsItsOwnPiece();
  void badScenesNameFileFieldAndRemedy_data();
  void badScenesNameFileFieldAndRemedy();
  void badMeshesNameTheFile_data();
  void badMeshesNameTheFile();

 private:
  QString write(const QString& name, const QByteArray& text) {
    QFile file(m_folder.filePath(name));
    if (!file.open(QIODevice::WriteOnly)) qFatal("cannot write");
    file.write(text);
    return file.fileName();
  }
  QTemporaryDir m_folder;
};

static QByteArray sceneWith(const QByteArray& bodies, const QByteArray& more = "") {
  return R"({"touchstone": 1, "name": "t", "title": "t", "dt": 0.01, "methods": ["cpf"],)" + more + R"("bodies": [)" + bodies + "]}";
}

static QByteArray bodyWith(const QByteArray& shape, const QByteArray& more = "") {
  return R"({"name": "b", "shape": )" + shape + (more.isEmpty() ? "" : ", " + more) + "}";
}

static const QByteArray kBox = R"({"type": "box", "size": [1, 2, 3]})";

void SceneFileTest::everyShippedSceneRunsUnderItsMethods() {
  const std::vector<std::string> paths = findScenes(TS_SOURCE_DIR "/datasets/scenes");
  QVERIFY(paths.size() >= 4);
  for (const std::string& path : paths) {
    const auto scene = loadScene(path);
    QVERIFY2(scene->lesson.size() > 100, path.c_str());
    std::vector<std::string> problems;
    const std::vector<PaneSettings> panes = suggestedPanes(*scene, &problems);
    QVERIFY2(problems.empty(), problems.empty() ? "" : problems.front().c_str());
    QVERIFY(!panes.empty());
    Comparison comparison(scene, panes);
    for (int frame = 0; frame < 20; ++frame)
      for (const RecordPtr& record : comparison.step(false)) QVERIFY2(record->status == StepStatus::Ok, path.c_str());
  }
}

void SceneFileTest::massOfABoxIsExactWhereverItsOriginIs() {
  const QByteArray shape = R"({"type": "pieces", "pieces": [{"type": "box", "size": [1, 2, 3], "position": [100, 200, -300]}]})";
  const auto scene = loadScene(
      write("box.json", sceneWith(bodyWith(shape, R"("density": 500, "position": [1, 0, 0])"))).toStdString());
  const Body& body = scene->bodies[0];
  QVERIFY_NEAR(body.mass, 3000, 1e-9);
  QVERIFY_NEAR((body.position - Vec3(101, 200, -300)).norm(), 0, 1e-9);
  const Vec3 expected = 3000.0 / 12 * Vec3(4 + 9, 1 + 9, 1 + 4);
  QVERIFY_NEAR((body.inertia - Mat3(expected.asDiagonal())).norm(), 0, 1e-8);
}

void SceneFileTest::massOfATetrahedronIsExact() {
  // Corner tetrahedron with legs 1: volume 1/6, centre (1/4, 1/4, 1/4), Ixx about the centre = 1/6 · 3/40.
  TriangleMesh mesh;
  mesh.vertices = {Vec3(0, 0, 0), Vec3(1, 0, 0), Vec3(0, 1, 0), Vec3(0, 0, 1)};
  mesh.triangles = {{0, 2, 1}, {0, 1, 3}, {0, 3, 2}, {1, 2, 3}};
  QVERIFY(buildTopology(mesh).empty());
  QVERIFY(mesh.closed);
  const MassProperties solid = massProperties(mesh);
  QVERIFY_NEAR(solid.volume, 1.0 / 6, 1e-15);
  QVERIFY_NEAR((solid.centre - Vec3::Constant(0.25)).norm(), 0, 1e-15);
  QVERIFY_NEAR(solid.inertia(0, 0), 1.0 / 80, 1e-15);
  QVERIFY_NEAR(solid.inertia(0, 1), 1.0 / 480, 1e-15);
}

static const QByteArray kTetrahedron = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n";

void SceneFileTest::aConvexMeshFileIsItsOwnPiece() {
  write("tet.obj", kTetrahedron);
  const auto scene =
      loadScene(write("mesh.json", sceneWith(bodyWith(R"({"type": "mesh", "file": "tet.obj"})"))).toStdString());
  QCOMPARE(scene->bodies[0].shape->pieces.size(), std::size_t(1));
  QCOMPARE(scene->bodies[0].shape->surfaces[0].triangles.size(), std::size_t(4));
  QVERIFY_NEAR(scene->bodies[0].mass, 1000.0 / 6, 1e-4);  // coordinates pass through single precision
}

void SceneFileTest::badScenesNameFileFieldAndRemedy_data() {
  QTest::addColumn<QByteArray>("text");
  QTest::addColumn<QString>("field");
  const auto row = [](const char* name, const QByteArray& text, const char* field) {
    QTest::newRow(name) << text << QString(field);
  };
  row("empty", "", "line 1");
  row("truncated", sceneWith(bodyWith(kBox)).left(90), "line 1");
  row("not an object", "[1, 2]", "must be an object");
  row("no version", R"({"name": "t"})", "touchstone");
  row("wrong version", R"({"touchstone": 2, "name": "t", "title": "t", "dt": 1, "methods": [], "bodies": []})", "touchstone");
  row("no bodies", sceneWith(""), "bodies");
  row("unknown field", sceneWith(bodyWith(kBox, R"("vellocity": [0, 0, 0])")), "did you mean 'velocity'");
  row("name with slash", sceneWith(bodyWith(kBox)).replace(R"("name": "t")", R"("name": "../t")"), "name");
  row("zero dt", sceneWith(bodyWith(kBox)).replace("0.01", "0"), "dt");
  row("huge dt", sceneWith(bodyWith(kBox)).replace("0.01", "100"), "dt");
  row("dt as text", sceneWith(bodyWith(kBox)).replace("0.01", R"("fast")"), "dt");
  row("infinite number", sceneWith(bodyWith(kBox, R"("mass": 1e999)")), "");
  row("NaN", sceneWith(bodyWith(kBox, R"("mass": NaN)")), "line 1");
  row("zero mass", sceneWith(bodyWith(kBox, R"("mass": 0)")), "bodies[0].mass");
  row("negative mass", sceneWith(bodyWith(kBox, R"("mass": -2)")), "bodies[0].mass");
  row("mass and density", sceneWith(bodyWith(kBox, R"("mass": 2, "density": 3)")), "bodies[0].density");
  row("mass of a static body", sceneWith(bodyWith(kBox, R"("motion": "static", "mass": 2)")), "bodies[0].mass");
  row("unknown motion", sceneWith(bodyWith(kBox, R"("motion": "jumping")")), "bodies[0].motion");
  row("zero quaternion", sceneWith(bodyWith(kBox, R"("orientation": [0, 0, 0, 0])")), "bodies[0].orientation");
  row("short quaternion", sceneWith(bodyWith(kBox, R"("orientation": [1, 0, 0])")), "bodies[0].orientation");
  row("axis without length", sceneWith(bodyWith(kBox, R"("orientation": {"axis": [0, 0, 0], "angle_deg": 3})")), "axis");
  row("short vector", sceneWith(bodyWith(kBox, R"("position": [1, 2])")), "bodies[0].position");
  row("text in a vector", sceneWith(bodyWith(kBox, R"("position": [1, 2, "3"])")), "bodies[0].position[2]");
  row("negative release", sceneWith(bodyWith(kBox, R"("release_time": -1)")), "bodies[0].release_time");
  row("unknown material", sceneWith(bodyWith(kBox, R"("material": "glass")")), "bodies[0].material");
  row("two bodies of one name", sceneWith(bodyWith(kBox) + "," + bodyWith(kBox)), "bodies[1].name");
  row("empty name", sceneWith(bodyWith(kBox)).replace(R"("name": "b")", R"("name": "")"), "bodies[0].name");
  row("no shape", sceneWith(R"({"name": "b"})"), "bodies[0].shape");
  row("unknown shape", sceneWith(bodyWith(R"({"type": "blob"})")), "bodies[0].shape.type");
  row("flat box", sceneWith(bodyWith(R"({"type": "box", "size": [1, 0, 1]})")), "bodies[0].shape.size");
  row("negative radius", sceneWith(bodyWith(R"({"type": "sphere", "radius": -1})")), "bodies[0].shape.radius");
  row("huge subdivision", sceneWith(bodyWith(R"({"type": "sphere", "radius": 1, "subdivisions": 40})")), "subdivisions");
  row("unknown polyhedron", sceneWith(bodyWith(R"({"type": "polyhedron", "name": "cubist", "radius": 1})")), "shape.name");
  row("hull in a plane", sceneWith(bodyWith(R"({"type": "hull", "points": [[0,0,0],[1,0,0],[0,1,0],[1,1,0]]})")), "bodies[0].shape");
  row("hull of three points", sceneWith(bodyWith(R"({"type": "hull", "points": [[0,0,0],[1,0,0],[0,1,0]]})")), "bodies[0].shape");
  row("no pieces", sceneWith(bodyWith(R"({"type": "pieces", "pieces": []})")), "bodies[0].shape.pieces");
  row("overlapping pieces", sceneWith(bodyWith(R"({"type": "pieces", "pieces": [{"type": "box", "size": [1,1,1]}, {"type": "box", "size": [1,1,1]}]})")), "bodies[0].shape");
  row("dynamic plane", sceneWith(bodyWith(R"({"type": "plane"})")), "bodies[0].motion");
  row("plane without normal", sceneWith(bodyWith(R"({"type": "plane", "normal": [0,0,0]})", R"("motion": "static")")), "normal");
  row("friction the wrong way round", sceneWith(bodyWith(kBox), R"("materials": [{"name": "m", "static_friction": 0.1, "dynamic_friction": 0.4}],)"), "materials[0]");
  row("negative friction", sceneWith(bodyWith(kBox), R"("materials": [{"name": "m", "friction": -0.1}],)"), "materials[0].friction");
  row("material twice", sceneWith(bodyWith(kBox), R"("materials": [{"name": "m"}, {"name": "m"}],)"), "materials[1].name");
  row("parameters as a list", sceneWith(bodyWith(kBox), R"("parameters": [1],)"), "parameters");
  row("view without target", sceneWith(bodyWith(kBox), R"("view": {"eye": [1, 1, 1]},)"), "view.target");
  row("indefinite inertia", sceneWith(bodyWith(kBox, R"("inertia": [[1,2,0],[2,1,0],[0,0,1]])")), "bodies[0].inertia");
  row("deep nesting", QByteArray(2000, '[') + QByteArray(2000, ']'), "32 levels");
  row("missing mesh", sceneWith(bodyWith(R"({"type": "mesh", "file": "nowhere.obj"})")), "nowhere.obj");
  row("mesh outside", sceneWith(bodyWith(R"({"type": "mesh", "file": "../../etc/passwd.obj"})")), "outside");
  row("absolute mesh path", sceneWith(bodyWith(R"({"type": "mesh", "file": "/etc/passwd.obj"})")), "outside");
}

static QString errorOf(const QString& path) {
  try {
    loadScene(path.toStdString());
  } catch (const SceneError& error) {
    return QString::fromStdString(error.what());
  }
  return {};
}

void SceneFileTest::badScenesNameFileFieldAndRemedy() {
  QFETCH(QByteArray, text);
  QFETCH(QString, field);
  const QString message = errorOf(write("bad.json", text));
  QVERIFY2(!message.isEmpty(), "the scene was accepted");
  QVERIFY2(message.contains(QRegularExpression("\\.(json|obj)")), qPrintable(message));
  QVERIFY2(message.contains(field), qPrintable(message));
  QVERIFY2(message.contains("; "), qPrintable(message));
}

void SceneFileTest::badMeshesNameTheFile_data() {
  QTest::addColumn<QString>("name");
  QTest::addColumn<QByteArray>("text");
  QTest::newRow("empty") << "m.obj" << QByteArray();
  QTest::newRow("not a mesh") << "m.ply" << QByteArray("hello");
  QTest::newRow("unknown format") << "m.txt" << kTetrahedron;
  QTest::newRow("no faces") << "m.obj" << QByteArray("v 0 0 0\nv 1 0 0\nv 0 1 0\n");
  QTest::newRow("open") << "m.obj" << QByteArray("v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\n");
  QTest::newRow("inside out") << "m.obj" << QByteArray("v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 2 3\nf 1 4 2\nf 1 3 4\nf 2 4 3\n");
  QTest::newRow("one triangle turned") << "m.obj" << QByteArray("v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 2 3\nf 1 2 4\nf 1 4 3\nf 2 3 4\n");
  QTest::newRow("triangle without area") << "m.obj" << QByteArray(kTetrahedron + "v 2 0 0\nv 3 0 0\nv 4 0 0\nf 5 6 7\n");
  QTest::newRow("index out of range") << "m.obj" << QByteArray("v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 9\n");
  QTest::newRow("NaN") << "m.obj" << QByteArray("v nan 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n");
  QTest::newRow("truncated binary") << "m.stl" << QByteArray("solid\0\0\0\1\2\3", 11);
}

void SceneFileTest::badMeshesNameTheFile() {
  QFETCH(QString, name);
  QFETCH(QByteArray, text);
  write(name, text);
  const QString message = errorOf(write("bad.json", sceneWith(bodyWith(R"({"type": "mesh", "file": ")" + name.toUtf8() + R"("})"))));
  QVERIFY2(!message.isEmpty(), "the mesh was accepted");
  QVERIFY2(message.contains("; "), qPrintable(message));
}

QTEST_APPLESS_MAIN(SceneFileTest)
#include "tst_scene_file.moc"
