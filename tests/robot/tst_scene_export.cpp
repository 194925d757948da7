#include <QDir>
#include <QtTest>
#include <algorithm>

#include "core/files/scene_error.h"
#include "core/files/text_forms.h"
#include "core/robot/export/exported_scene.h"
#include "core/robot/export/mjcf_writer.h"
#include "core/robot/export/urdf_writer.h"
#include "core/robot/robot_import.h"
#include "core/robot/scene_readers.h"
#include "core/scene/scene_file.h"
#include "tests/robot/robot_scene.h"
#include "tests/scene/scene_folder.h"
#include "tests/support/near.h"

using namespace touchstone;
using namespace touchstone::test;

/// Scenes written for other engines come back through the readers of their formats.
class SceneExportTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void modelsOfMujocoComeBack_data();
  void modelsOfMujocoComeBack();
  void urdfComesBack_data();
  void urdfComesBack();
  void theWorldsTableHoldsStarts();
  void pairsHaveTheGeometricMeanOfTheFriction();
  void boxesHaveHalfSizesAndOtherPiecesAreMeshes();
  void theKeyHoldsVelocitiesWithSpinInBodyAxes();
  void roundPiecesKeepTheirPrimitive();
  void planesBecomeBoxesUnderThem();
  void excludedPairsAreLeftOutOrListed();
  void namesOfFilesAreUnique();
  void releaseTimesAreWritten();
  void whatOtherEnginesLackIsRefused_data();
  void whatOtherEnginesLackIsRefused();
  void whatGetsLostIsTold();

 private:
  std::shared_ptr<const Scene> reference() {
    return m_folder.load(
        "{\"name\": \"floor\", \"motion\": \"static\", \"material\": \"rough\", \"position\": [0, 0.25, 0], "
        "\"shape\": {\"type\": \"plane\", \"normal\": [0.6, 0.8, 0]}},"
        "{\"name\": \"step\", \"motion\": \"static\", \"material\": \"rough\", \"position\": [1, 2, 3], "
        "\"orientation\": {\"axis\": [0, 0, 1], \"angle_deg\": 30}, "
        "\"shape\": {\"type\": \"box\", \"size\": [0.2, 0.4, 0.6]}},"
        "{\"name\": \"an <L>\", \"material\": \"smooth\", \"mass\": 3, \"position\": [0.3, 1.7, -0.1], "
        "\"orientation\": {\"axis\": [1, 2, 3], \"angle_deg\": 70}, \"velocity\": [0.1, -0.2, 0.3], "
        "\"angular_velocity\": [1, 2, -3], \"shape\": {\"type\": \"pieces\", \"pieces\": ["
        "{\"type\": \"box\", \"size\": [0.1, 0.3, 0.1]}, "
        "{\"type\": \"box\", \"size\": [0.3, 0.1, 0.1], \"position\": [0.2, 0.1, 0]}]}},"
        "{\"name\": \"gem\", \"material\": \"smooth\", \"position\": [0, 3, 0], "
        "\"shape\": {\"type\": \"polyhedron\", \"name\": \"octahedron\", \"radius\": 0.1}}",
        "\"dt\": 0.004, \"gravity\": [0.1, -9.81, 0.2], \"materials\": [{\"name\": \"rough\", \"friction\": "
        "0.9}, {\"name\": \"smooth\", \"friction\": 0.4}], ");
  }
  void addScenes() {
    QTest::addColumn<QString>("file");
    QTest::newRow("pieces") << QString();
    const QString folder = QStringLiteral(TS_SOURCE_DIR "/datasets/battery/scenes/");
    for (const QString& file : QDir(folder).entryList({"*.json"}))
      QTest::newRow(qPrintable(file)) << folder + file;
  }
  std::shared_ptr<const Scene> sceneOf(const QString& file) {
    return file.isEmpty() ? reference() : loadScene(file.toStdString());
  }
  SceneFolder m_folder;
};

namespace {

/// The readers turn the z axis of a file upwards.
Mat3 rotation() {
  Mat3 matrix;
  matrix << 1, 0, 0, 0, 0, 1, 0, -1, 0;
  return matrix;
}

Mat3 inWorld(const Body& body) {
  const Mat3 R = body.orientation.toRotationMatrix();
  return R * body.inertia * R.transpose();
}

std::string textOf(const std::vector<ExportedFile>& files, const std::string& name) {
  for (const ExportedFile& file : files)
    if (file.name == name) return file.text;
  return {};
}

int count(const std::string& text, const std::string& part) {
  return QString::fromStdString(text).count(QString::fromStdString(part));
}

}  // namespace

void SceneExportTest::modelsOfMujocoComeBack_data() { addScenes(); }

void SceneExportTest::modelsOfMujocoComeBack() {
  QFETCH(QString, file);
  const auto scene = sceneOf(file);
  const auto back = loadScene(m_folder.write("model.xml", QByteArray::fromStdString(mjcfText(*scene))));
  QCOMPARE(back->dt, scene->dt);
  QVERIFY((back->gravity - rotation() * scene->gravity).isZero(0));
  int moving = 0;
  for (const Body& original : scene->bodies) {
    if (original.motion == Motion::Static) continue;
    ++moving;
    const Body& other = body(*back, original.name);
    QVERIFY(other.motion == Motion::Dynamic);
    QVERIFY_NEAR(other.mass, original.mass, 1e-12 * original.mass);
    QVERIFY_NEAR((other.position - rotation() * original.position).norm(), 0,
                 1e-12 * (1 + original.position.norm()));
    const Mat3 expected = rotation() * inWorld(original) * rotation().transpose();
    QVERIFY_NEAR((inWorld(other) - expected).norm(), 0, 1e-12 * expected.norm());
  }
  QVERIFY(moving > 0);
}

void SceneExportTest::urdfComesBack_data() { addScenes(); }

void SceneExportTest::urdfComesBack() {
  QFETCH(QString, file);
  const auto scene = sceneOf(file);
  const std::vector<ExportedFile> files = urdfFiles(*scene);
  for (const ExportedFile& file : files)
    m_folder.write(QString::fromStdString("urdf/" + file.name), QByteArray::fromStdString(file.text));
  RobotOptions options;
  options.base = RobotOptions::Base::Free;
  for (const Body& original : scene->bodies) {
    if (original.motion == Motion::Static) continue;
    const std::string path =
        m_folder.path(QString::fromStdString("urdf/" + plainName(original.name) + ".urdf"));
    SourceFile source;
    source.bytes = std::make_shared<const std::string>(importRobot(path, options).scene);
    const auto back = readScene(path, source);
    const Body& other = back->bodies.at(0);
    QVERIFY_NEAR(other.mass, original.mass, 1e-12 * original.mass);
    QVERIFY_NEAR(other.position.norm(), 0, 0);
    const Mat3 expected = rotation() * original.inertia * rotation().transpose();
    QVERIFY_NEAR((inWorld(other) - expected).norm(), 0, 1e-12 * expected.norm());
    QCOMPARE(other.shape->pieces.size(), original.shape->pieces.size());
    for (std::size_t piece = 0; piece < original.shape->pieces.size(); ++piece) {
      if (original.shape->pieces[piece].vertices.size() > 642) continue;  // the reader simplifies finer ones
      for (const Vec3& corner : original.shape->pieces[piece].vertices) {
        double nearest = HUGE_VAL;
        for (const Vec3& found : other.shape->pieces[piece].vertices)
          nearest =
              std::min(nearest, (other.position + other.orientation * found - rotation() * corner).norm());
        // The reader of OBJ files has single precision.
        const bool isBox = exportedSolids(original)[piece].kind == ExportedSolid::Kind::Box;
        QVERIFY_NEAR(nearest, 0, (isBox ? 1e-12 : 3e-7) * original.shape->radius);
      }
    }
  }
}

void SceneExportTest::theWorldsTableHoldsStarts() {
  const auto scene = reference();
  const QStringList lines =
      QString::fromStdString(textOf(urdfFiles(*scene), "world.csv")).split('\n', Qt::SkipEmptyParts);
  QCOMPARE(lines[0], QStringLiteral("# touchstone_world: 1"));
  QVERIFY(lines.contains("# gravity: 0.1 -9.81 0.2") && lines.contains("# step: 0.004"));
  const QStringList names = lines[lines.size() - 5].split(','), cells = lines[lines.size() - 2].split(',');
  QCOMPARE(cells[0], QStringLiteral("an <L>"));
  const auto cell = [&](const char* name) { return cells[names.indexOf(name)].toDouble(); };
  const Body& original = body(*scene, "an <L>");
  // The doubles themselves: the digits suffice.
  QVERIFY(Vec3(cell("x"), cell("y"), cell("z")) == original.position);
  QVERIFY(Quaternion(cell("qw"), cell("qx"), cell("qy"), cell("qz")).coeffs() ==
          original.orientation.coeffs());
  QVERIFY(Vec3(cell("vx"), cell("vy"), cell("vz")) == original.linearVelocity);
  QVERIFY(Vec3(cell("wx"), cell("wy"), cell("wz")) == original.angularVelocity);
  QVERIFY(cell("mass") == 3 && cell("friction") == 0.4);
  QVERIFY_NEAR(cell("root_friction") * cell("root_friction"), 0.4, 1e-15);
}

void SceneExportTest::pairsHaveTheGeometricMeanOfTheFriction() {
  const std::string text = mjcfText(*reference());
  const std::string rough = csvNumber(std::sqrt(0.9 * 0.4));
  QVERIFY_NEAR(std::stod(rough), 0.6, 1e-15);
  // floor: solid0, step: 1, L: 2 and 3, gem: 4.
  QVERIFY(count(text, "geom1=\"solid0\" geom2=\"solid2\" condim=\"3\" friction=\"" + rough + " " + rough +
                          " 0 0 0\"") == 1);
  QVERIFY(count(text, "geom1=\"solid3\" geom2=\"solid4\" condim=\"3\" friction=\"0.4 0.4 0 0 0\"") == 1);
  QCOMPARE(count(text, "<pair "), 8);  // statics, and pieces of one body, do not meet
  QCOMPARE(count(text, "contype=\"0\" conaffinity=\"0\""), 5);
  const auto smooth = m_folder.load(
      "{\"name\": \"a\", \"shape\": {\"type\": \"box\", \"size\": [1, 1, 1]}}, {\"name\": \"b\", "
      "\"position\": "
      "[3, 0, 0], \"shape\": {\"type\": \"box\", \"size\": [1, 1, 1]}}");
  QVERIFY(count(mjcfText(*smooth), "friction=\"1e-05 1e-05 0 0 0\"") == 1);
}

void SceneExportTest::boxesHaveHalfSizesAndOtherPiecesAreMeshes() {
  const auto scene = reference();
  const std::vector<ExportedSolid> solids = exportedSolids(body(*scene, "an <L>"));
  QCOMPARE(solids.size(), std::size_t(2));
  const Vec3 centre = body(*scene, "an <L>").centre;
  QVERIFY(solids[1].kind == ExportedSolid::Kind::Box);
  QVERIFY_NEAR((solids[1].halfSize - Vec3(0.15, 0.05, 0.05)).norm(), 0, 1e-15);
  QVERIFY_NEAR((solids[1].centre - (Vec3(0.2, 0.1, 0) - centre)).norm(), 0, 1e-15);
  QVERIFY(count(mjcfText(*scene), "type=\"box\" pos=\"0 0 0\" size=\"0.1 0.2 0.3\"") == 1);
  QVERIFY(exportedSolids(body(*scene, "gem"))[0].kind == ExportedSolid::Kind::Mesh);
  // Eight corners alone make no box.
  const auto wedge = m_folder.load(
      "{\"name\": \"w\", \"shape\": {\"type\": \"hull\", \"points\": [[0,0,0],[1,0,0],[1,1,0],[0,1,0],"
      "[0.1,0.1,1],[0.9,0.1,1],[0.9,0.9,1],[0.1,0.9,1]]}}");
  QVERIFY(exportedSolids(wedge->bodies[0])[0].kind == ExportedSolid::Kind::Mesh);
}

void SceneExportTest::roundPiecesKeepTheirPrimitive() {
  const auto scene = m_folder.load(
      R"({"name": "ball", "shape": {"type": "sphere", "radius": 0.1}},
         {"name": "wheel", "shape": {"type": "cylinder", "radius": 0.2, "height": 0.05}},
         {"name": "nut", "shape": {"type": "cylinder", "radius": 0.2, "height": 0.05, "segments": 6}},
         {"name": "club", "shape": {"type": "pieces", "pieces": [
           {"type": "box", "size": [0.1, 0.1, 0.1]},
           {"type": "capsule", "radius": 0.03, "length": 0.4, "position": [0.3, 0, 0],
            "orientation": {"axis": [0, 0, 1], "angle_deg": -90}}]}})");
  const auto only = [&](const char* name) { return exportedSolids(body(*scene, name))[0]; };
  QVERIFY(only("ball").kind == ExportedSolid::Kind::Round);
  QVERIFY(only("ball").round.kind == RoundPiece::Kind::Sphere);
  QCOMPARE(only("ball").round.radius, 0.1);
  QVERIFY_NEAR(only("ball").round.centre.norm(), 0, 1e-15);
  QVERIFY(only("wheel").round.kind == RoundPiece::Kind::Cylinder);
  QCOMPARE(only("wheel").round.length, 0.05);
  QVERIFY(only("nut").kind == ExportedSolid::Kind::Mesh);
  const RoundPiece handle = exportedSolids(body(*scene, "club"))[1].round;
  QVERIFY(handle.kind == RoundPiece::Kind::Capsule);
  QVERIFY_NEAR((handle.axis - Vec3(1, 0, 0)).norm(), 0, 1e-15);
  QVERIFY_NEAR((handle.centre - (Vec3(0.3, 0, 0) - body(*scene, "club").centre)).norm(), 0, 1e-15);
  QVERIFY(count(mjcfText(*scene), "type=\"sphere\"") == 1);
  QVERIFY(count(mjcfText(*scene), "type=\"capsule\" fromto=\"") == 1);
  QVERIFY(count(mjcfText(*scene), "type=\"cylinder\" fromto=\"") == 1);
  QString urdf;
  for (const ExportedFile& file : urdfFiles(*scene)) urdf += QString::fromStdString(file.text);
  QCOMPARE(urdf.count("<collision>"), 1 + 1 + 1 + 1 + 3);  // a capsule is a cylinder with two spheres
  QCOMPARE(urdf.count("<sphere radius=\"0.1\"/>"), 2);     // collision and picture
}

void SceneExportTest::theKeyHoldsVelocitiesWithSpinInBodyAxes() {
  const auto scene = reference();
  const Body& original = body(*scene, "an <L>");
  const QString text = QString::fromStdString(mjcfText(*scene));
  const QStringList numbers = text.section("qvel=\"", 1).section('"', 0, 0).split(' ', Qt::SkipEmptyParts);
  QCOMPARE(numbers.size(), 12);
  const auto vector = [&](int first) {
    return Vec3(numbers[first].toDouble(), numbers[first + 1].toDouble(), numbers[first + 2].toDouble());
  };
  QVERIFY(vector(0) == original.linearVelocity);
  QVERIFY_NEAR((original.orientation * vector(3) - original.angularVelocity).norm(), 0, 1e-14);
  QVERIFY((vector(3) - original.angularVelocity).norm() > 1);
  QVERIFY(vector(6).isZero(0) && vector(9).isZero(0));
}

void SceneExportTest::planesBecomeBoxesUnderThem() {
  const auto scene = reference();
  m_folder.write("floor.urdf", QByteArray::fromStdString(textOf(urdfFiles(*scene), "floor.urdf")));
  const auto back = loadScene(m_folder.path("floor.urdf"));
  const Body& box = back->bodies.at(0);
  QVERIFY(box.motion == Motion::Static);
  const Vec3 normal = rotation() * Vec3(0.6, 0.8, 0);
  double highest = -HUGE_VAL, lowest = HUGE_VAL;
  int onTop = 0;
  for (const Vec3& corner : box.shape->pieces.at(0).vertices) {
    const double height = normal.dot(box.position + box.orientation * corner);
    highest = std::max(highest, height);
    lowest = std::min(lowest, height);
    onTop += std::abs(height) < 1e-12 * kPlaneSizes * scene->size;
  }
  QVERIFY_NEAR(highest, 0, 1e-12 * kPlaneSizes * scene->size);
  QVERIFY_NEAR(lowest, -scene->size, 1e-12 * kPlaneSizes * scene->size);
  QCOMPARE(onTop, 4);
}

void SceneExportTest::excludedPairsAreLeftOutOrListed() {
  const auto scene = m_folder.load(
      "{\"name\": \"a\", \"shape\": {\"type\": \"box\", \"size\": [1, 1, 1]}}, {\"name\": \"b, c\", "
      "\"position\": [3, 0, 0], \"shape\": {\"type\": \"box\", \"size\": [1, 1, 1]}}",
      "\"no_contact\": [[\"b, c\", \"a\"]], ");
  QCOMPARE(count(mjcfText(*scene), "<pair "), 0);
  QVERIFY(textOf(urdfFiles(*scene), "no_contact.csv").find("\"b, c\"") != std::string::npos);
  QVERIFY(textOf(urdfFiles(*reference()), "no_contact.csv").empty());
}

void SceneExportTest::namesOfFilesAreUnique() {
  const auto scene = m_folder.load(
      "{\"name\": \"a b\", \"shape\": {\"type\": \"box\", \"size\": [1, 1, 1]}}, {\"name\": \"a/b\", "
      "\"position\": [3, 0, 0], \"shape\": {\"type\": \"box\", \"size\": [1, 1, 1]}}");
  const std::vector<ExportedFile> files = urdfFiles(*scene);
  QVERIFY(!textOf(files, "a-b.urdf").empty() && !textOf(files, "a-b_2.urdf").empty());
  QVERIFY(count(textOf(files, "world.csv"), "\na/b,a-b_2.urdf,") == 1);
}

void SceneExportTest::releaseTimesAreWritten() {
  const QByteArray bodies =
      R"({"name": "a", "shape": {"type": "box", "size": [1, 1, 1]}},
         {"name": "b", "position": [3, 0, 0], "release_time": 0.5, "shape": {"type": "box", "size": [1, 1, 1]}})";
  const auto scene = m_folder.load(bodies);
  const QStringList lines =
      QString::fromStdString(textOf(urdfFiles(*scene), "world.csv")).split('\n', Qt::SkipEmptyParts);
  const int column = lines[lines.size() - 3].split(',').indexOf("release_time");
  QCOMPARE(lines[lines.size() - 2].split(',')[column], QStringLiteral("0"));
  QCOMPARE(lines[lines.size() - 1].split(',')[column], QStringLiteral("0.5"));
  QCOMPARE(count(mjcfText(*scene), "<numeric name=\"release_time\" data=\"0 0.5\"/>"), 1);
  QCOMPARE(exportWarnings(*scene).size(), std::size_t(1));
  QVERIFY(QString::fromStdString(exportWarnings(*scene).front()).contains("released later"));
  QCOMPARE(count(mjcfText(*reference()), "release_time"), 0);
}

void SceneExportTest::whatOtherEnginesLackIsRefused_data() {
  QTest::addColumn<QByteArray>("bodies");
  QTest::addColumn<QByteArray>("more");
  QTest::addColumn<QString>("field");
  QTest::addColumn<QString>("remedy");
  const QByteArray box = "{\"name\": \"a\", \"shape\": {\"type\": \"box\", \"size\": [1, 1, 1]}}";
  QTest::newRow("planar") << QByteArray(
                                 "{\"name\": \"a\", \"shape\": {\"type\": \"polygon\", \"size\": [1, 1]}}")
                          << QByteArray() << "bodies: are polygons"
                          << "use a scene of solids";
  QTest::newRow("joint") << box
                         << QByteArray(
                                "\"joints\": [{\"name\": \"pin\", \"type\": \"ball\", \"body_b\": "
                                "\"a\", \"anchor_a\": [0, 0, 0]}], ")
                         << "joints[0]: is the joint 'pin'"
                         << "remove the joints";
  QTest::newRow("mesh without pieces")
      << QByteArray("{\"name\": \"m\", \"shape\": {\"type\": \"mesh\", \"file\": \"dent.obj\"}}")
      << QByteArray() << "bodies[0].shape: is a mesh that is not convex"
      << "give its pieces";
}

void SceneExportTest::whatOtherEnginesLackIsRefused() {
  QFETCH(QByteArray, bodies);
  QFETCH(QByteArray, more);
  QFETCH(QString, field);
  QFETCH(QString, remedy);
  // A cube whose upper face is pushed in to a point.
  m_folder.write("dent.obj",
                 "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nv 0 0 1\nv 1 0 1\nv 1 1 1\nv 0 1 1\nv 0.5 0.5 0.5\n"
                 "f 1 4 3\nf 1 3 2\nf 5 6 9\nf 6 7 9\nf 7 8 9\nf 8 5 9\nf 1 2 6\nf 1 6 5\nf 2 3 7\nf 2 7 6\n"
                 "f 3 4 8\nf 3 8 7\nf 4 1 5\nf 4 5 8\n");
  const auto scene = m_folder.load(bodies, more);
  for (const bool asMjcf : {true, false}) {
    QString message;
    try {
      asMjcf ? void(mjcfText(*scene)) : void(urdfFiles(*scene));
    } catch (const SceneError& error) {
      message = QString::fromUtf8(error.what());
    }
    QVERIFY2(message.contains("scene.json:" + field) && message.contains("; " + remedy), qPrintable(message));
  }
}

void SceneExportTest::whatGetsLostIsTold() {
  QVERIFY(exportWarnings(*reference()).empty());
  const auto scene = m_folder.load(
      "{\"name\": \"a\", \"material\": \"m\", \"shape\": {\"type\": \"box\", \"size\": [1, 1, 1]}}",
      "\"materials\": [{\"name\": \"m\", \"static_friction\": 0.6, \"dynamic_friction\": 0.5}], "
      "\"parameters\": "
      "{\"lcp\": {\"restitution\": 0.7}}, ");
  const std::vector<std::string> warnings = exportWarnings(*scene);
  QCOMPARE(warnings.size(), std::size_t(2));
  QVERIFY(warnings[0].find("'m': static friction 0.6") != std::string::npos);
  QVERIFY(warnings[1].find("parameters.lcp.restitution 0.7") != std::string::npos);
  QVERIFY(count(urdfFiles(*scene)[0].text + textOf(urdfFiles(*scene), "world.csv"), ",0.5,") == 1);
}

QTEST_APPLESS_MAIN(SceneExportTest)
#include "tst_scene_export.moc"
