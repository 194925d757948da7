#include <Eigen/Geometry>
#include <QtTest>

#include "core/files/scene_error.h"
#include "core/math/count.h"
#include "core/robot/scene_readers.h"
#include "tests/scene/scene_folder.h"
#include "tests/support/near.h"

using namespace touchstone;

class SceneFileTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void theSmallestSceneHasDefaults();
  void headFieldsAreRead();
  void aLessonIsATextOrAListOfParagraphs();
  void aBoxGetsMassAndInertiaFromItsDensity();
  void densityOfTheBodyWinsOverTheMaterial();
  void aMaterialCalledDefaultIsTheFilesOwn();
  void massScalesTheComputedInertia();
  void explicitInertiaIsTakenAsGiven();
  void positionIsThatOfTheShapeAndBecomesThatOfTheCentreOfMass();
  void staticShapesKeepTheirOrigin();
  void orientationsByQuaternionAndByAxisAgree();
  void convexShapesHaveOnePieceWithTheVerticesOfTheSurface_data();
  void convexShapesHaveOnePieceWithTheVerticesOfTheSurface();
  void piecesArePlacedAndAddUp();
  void touchingPiecesOfADynamicBodyAreAccepted();
  void overlappingPiecesAreAcceptedWithExplicitMassAndForStaticBodies();
  void aBodyMayHaveNoShape();
  void theCentreOfMassCanBeGiven();
  void theInertiaIsAboutTheGivenCentreOfMass();
  void piecesAndTheirOverlapsMoveWithTheCentreOfMass();
  void capsulesReachBeyondTheirLength();
  void theHullOfAMeshNeedNotBeClosed();
  void fineHullsAreReduced();
  void pairsWithoutContactAndNotesAreRead();
  void aPlaneHasAUnitNormal();
  void frictionSetsBothCoefficients();
  void parametersKeepTheirType();
  void equalShapesAreShared();
  void sizeIsTheDiagonalOfAllBoundedBodies();
  void withoutAViewTheCameraLooksAtTheMiddle();
  void theHashChangesWithTheFile();
  void scenesAreFoundInBothFormsSorted();

 private:
  test::SceneFolder m_folder;
};

void SceneFileTest::theSmallestSceneHasDefaults() {
  const auto scene = m_folder.load(R"({"name": "b", "shape": {"type": "box", "size": [1, 1, 1]}})");
  QVERIFY(scene->gravity == Vec3(0, -9.81, 0));
  QCOMPARE(scene->duration, 5.0);
  QCOMPARE(scene->materials.size(), std::size_t(1));
  const Body& body = scene->bodies[0];
  QVERIFY(body.motion == Motion::Dynamic && body.visible && body.releaseTime == 0);
  QVERIFY_NEAR(body.mass, 1000, 1e-12);
}

void SceneFileTest::headFieldsAreRead() {
  const auto scene = m_folder.load(
      R"({"name": "p", "motion": "static", "visible": false, "release_time": 2.5, "shape": {"type": "plane"}})",
      R"("title": "T", "lesson": "L", "gravity": [1, 2, 3], "dt": 0.002, "duration": 7, "methods": ["cpf", "peg"],
         "view": {"eye": [1, 2, 3], "target": [4, 5, 6]}, )");
  QCOMPARE(QString::fromStdString(scene->title + scene->lesson), QString("TL"));
  QVERIFY(scene->gravity == Vec3(1, 2, 3));
  QCOMPARE(scene->dt, 0.002);
  QCOMPARE(scene->duration, 7.0);
  QVERIFY(scene->methods == (std::vector<std::string>{"cpf", "peg"}));
  QVERIFY(scene->view.eye == Vec3(1, 2, 3) && scene->view.target == Vec3(4, 5, 6));
  QVERIFY(!scene->bodies[0].visible && scene->bodies[0].releaseTime == 2.5);
}

void SceneFileTest::aLessonIsATextOrAListOfParagraphs() {
  const auto scene = m_folder.load(R"({"name": "p", "motion": "static", "shape": {"type": "plane"}})",
                                   R"("lesson": ["One", "Next."], )");
  QCOMPARE(QString::fromStdString(scene->lesson), QString("One\n\nNext.\n\n"));
}

void SceneFileTest::aBoxGetsMassAndInertiaFromItsDensity() {
  const auto scene =
      m_folder.load(R"({"name": "b", "material": "m", "shape": {"type": "box", "size": [0.2, 0.1, 0.3]}})",
                    R"("materials": [{"name": "m", "density": 500}], )");
  const Body& body = scene->bodies[0];
  QVERIFY_NEAR(body.volume, 0.006, 1e-16);
  QVERIFY_NEAR(body.mass, 3, 1e-14);
  QVERIFY_NEAR(body.inertia(0, 0), 3 * (0.01 + 0.09) / 12, 1e-15);
  QVERIFY_NEAR(body.inertia(1, 1), 3 * (0.04 + 0.09) / 12, 1e-15);
  QVERIFY_NEAR(body.inertia(0, 1), 0, 1e-17);
  QVERIFY_NEAR(body.position.norm(), 0, 1e-16);
}

void SceneFileTest::densityOfTheBodyWinsOverTheMaterial() {
  const auto scene =
      m_folder.load(R"({"name": "b", "density": 2, "shape": {"type": "box", "size": [1, 1, 1]}})");
  QVERIFY_NEAR(scene->bodies[0].mass, 2, 1e-14);
}

void SceneFileTest::aMaterialCalledDefaultIsTheFilesOwn() {
  const auto scene = m_folder.load(R"({"name": "named", "material": "default",
      "shape": {"type": "box", "size": [1, 1, 1]}},
    {"name": "unnamed", "shape": {"type": "box", "size": [1, 1, 1]}},
    {"name": "other", "material": "oak", "shape": {"type": "box", "size": [1, 1, 1]}})",
                                   R"("materials": [{"name": "oak", "density": 700},
      {"name": "default", "density": 500, "friction": 0.5}], )");
  QCOMPARE(scene->materials.size(), std::size_t(2));
  for (std::size_t body : {0, 1}) {
    QVERIFY_NEAR(scene->bodies[body].mass, 500, 1e-10);
    QCOMPARE(scene->materials[scene->bodies[body].material].dynamicFriction, 0.5);
  }
  QVERIFY_NEAR(scene->bodies[2].mass, 700, 1e-10);
}

void SceneFileTest::massScalesTheComputedInertia() {
  const auto scene =
      m_folder.load(R"({"name": "b", "mass": 6, "shape": {"type": "box", "size": [1, 1, 1]}})");
  QVERIFY_NEAR(scene->bodies[0].inertia(2, 2), 1, 1e-15);
}

void SceneFileTest::explicitInertiaIsTakenAsGiven() {
  const auto scene = m_folder.load(
      R"({"name": "a", "mass": 6, "inertia": [1, 2, 2.5], "shape": {"type": "box", "size": [1, 1, 1]}},
         {"name": "b", "mass": 6, "inertia": [[2, 0.5, 0], [0.5, 2, 0], [0, 0, 2]],
          "shape": {"type": "box", "size": [1, 1, 1]}})");
  QVERIFY(scene->bodies[0].inertia.diagonal() == Vec3(1, 2, 2.5));
  QCOMPARE(scene->bodies[1].inertia(1, 0), 0.5);
}

void SceneFileTest::positionIsThatOfTheShapeAndBecomesThatOfTheCentreOfMass() {
  // A right tetrahedron with its corner at the origin of the shape, rotated by 90° about y: centre (¼, ¼, ¼)
  // → (¼, ¼, −¼).
  const auto scene = m_folder.load(
      R"({"name": "t", "position": [1, 2, 3], "orientation": {"axis": [0, 1, 0], "angle_deg": 90},
          "shape": {"type": "hull", "points": [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]]}})");
  const Body& body = scene->bodies[0];
  QVERIFY_NEAR((body.position - Vec3(1.25, 2.25, 2.75)).norm(), 0, 1e-15);
  QVERIFY_NEAR((body.position + body.orientation * body.shape->pieces[0].vertices[0] - Vec3(1, 2, 3)).norm(),
               0, 1e-15);
  const Polytope::Face& face = body.shape->pieces[0].faces[0];
  QVERIFY_NEAR(face.normal.dot(body.shape->pieces[0].vertices[face.vertices[0]]), face.offset, 1e-15);
  QVERIFY_NEAR(body.shape->radius, (Vec3(1, 0, 0) - Vec3(0.25, 0.25, 0.25)).norm(), 1e-15);
}

void SceneFileTest::staticShapesKeepTheirOrigin() {
  const auto scene = m_folder.load(
      R"({"name": "t", "motion": "static", "position": [1, 2, 3],
          "shape": {"type": "hull", "points": [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]]}})");
  QVERIFY(scene->bodies[0].position == Vec3(1, 2, 3));
  QVERIFY(scene->bodies[0].shape->surfaces[0].vertices[0] == Vec3::Zero());
  QCOMPARE(scene->bodies[0].mass, 0.0);
}

void SceneFileTest::orientationsByQuaternionAndByAxisAgree() {
  const auto scene = m_folder.load(
      R"({"name": "a", "orientation": [3, 0, 4, 0], "shape": {"type": "box", "size": [1, 1, 1]}},
         {"name": "b", "orientation": {"axis": [0, 2, 0], "angle_deg": 106.26020470831196}, "shape": {"type": "box", "size": [1, 1, 1]}})");
  QVERIFY_NEAR(scene->bodies[0].orientation.w(), 0.6, 1e-16);
  QVERIFY_NEAR(scene->bodies[0].orientation.y(), 0.8, 1e-16);
  QVERIFY_NEAR((scene->bodies[0].orientation.coeffs() - scene->bodies[1].orientation.coeffs()).norm(), 0,
               1e-15);
}

void SceneFileTest::convexShapesHaveOnePieceWithTheVerticesOfTheSurface_data() {
  QTest::addColumn<QByteArray>("shape");
  QTest::addColumn<int>("vertices");
  QTest::addColumn<int>("faces");
  QTest::newRow("box") << QByteArray(R"({"type": "box", "size": [1, 2, 3]})") << 8 << 6;
  QTest::newRow("sphere") << QByteArray(R"({"type": "sphere", "radius": 1, "subdivisions": 2})") << 162
                          << 320;
  QTest::newRow("sphere, not divided")
      << QByteArray(R"({"type": "sphere", "radius": 1, "subdivisions": 0})") << 12 << 20;
  QTest::newRow("cylinder") << QByteArray(R"({"type": "cylinder", "radius": 1, "height": 2, "segments": 7})")
                            << 14 << 9;
  QTest::newRow("tetrahedron") << QByteArray(R"({"type": "polyhedron", "name": "tetrahedron", "radius": 1})")
                               << 4 << 4;
  QTest::newRow("cube") << QByteArray(R"({"type": "polyhedron", "name": "cube", "radius": 1})") << 8 << 6;
  QTest::newRow("octahedron") << QByteArray(R"({"type": "polyhedron", "name": "octahedron", "radius": 1})")
                              << 6 << 8;
  QTest::newRow("dodecahedron") << QByteArray(
                                       R"({"type": "polyhedron", "name": "dodecahedron", "radius": 1})")
                                << 20 << 12;
  QTest::newRow("icosahedron") << QByteArray(R"({"type": "polyhedron", "name": "icosahedron", "radius": 1})")
                               << 12 << 20;
}

void SceneFileTest::convexShapesHaveOnePieceWithTheVerticesOfTheSurface() {
  QFETCH(QByteArray, shape);
  QFETCH(int, vertices);
  QFETCH(int, faces);
  const auto scene = m_folder.load("{\"name\": \"b\", \"shape\": " + shape + "}");
  const Shape& loaded = *scene->bodies[0].shape;
  QVERIFY(loaded.kind == Shape::Kind::Convex);
  QCOMPARE(loaded.pieces.size(), std::size_t(1));
  QCOMPARE(countOf(loaded.pieces[0].vertices), vertices);
  QCOMPARE(countOf(loaded.pieces[0].faces), faces);
  QVERIFY(loaded.pieces[0].vertices == loaded.surfaces[0].vertices);
  QVERIFY(loaded.surfaces[0].closed);
  QVERIFY(scene->bodies[0].mass > 0);
}

void SceneFileTest::piecesArePlacedAndAddUp() {
  const QByteArray body =
      R"({"name": "L", "motion": "static", "shape": {"type": "pieces", "pieces": [
           {"type": "box", "size": [1, 1, 1], "position": [5, 0, 0]},
           {"type": "box", "size": [2, 1, 1], "orientation": {"axis": [0, 0, 1], "angle_deg": 90}}]}})";
  const auto scene = m_folder.load(body);
  const Shape& shape = *scene->bodies[0].shape;
  QCOMPARE(shape.pieces.size(), std::size_t(2));
  QCOMPARE(shape.surfaces.size(), std::size_t(2));
  QVERIFY(shape.pieces[0].vertices[7] == Vec3(5.5, 0.5, 0.5));
  QVERIFY_NEAR((shape.pieces[1].vertices[7] - Vec3(-0.5, 1, 0.5)).norm(), 0, 1e-15);
  QVERIFY_NEAR(scene->bodies[0].volume, 3, 1e-14);
}

void SceneFileTest::touchingPiecesOfADynamicBodyAreAccepted() {
  const auto scene = m_folder.load(
      R"({"name": "bar", "density": 1, "shape": {"type": "pieces", "pieces": [
           {"type": "box", "size": [1, 1, 1], "position": [-0.5, 0, 0]},
           {"type": "box", "size": [1, 1, 1], "position": [0.5, 0, 0]}]}})");
  QVERIFY_NEAR(scene->bodies[0].mass, 2, 1e-14);
  QVERIFY_NEAR(scene->bodies[0].inertia(1, 1), 2.0 * (4 + 1) / 12, 1e-14);
}

void SceneFileTest::overlappingPiecesAreAcceptedWithExplicitMassAndForStaticBodies() {
  const QByteArray shape = R"("shape": {"type": "pieces", "pieces": [
           {"type": "box", "size": [1, 1, 1]}, {"type": "box", "size": [1, 1, 1], "position": [0.5, 0, 0]}]}})";
  const auto scene = m_folder.load(R"({"name": "a", "motion": "static", )" + shape +
                                   R"(, {"name": "b", "mass": 2, "inertia": [1, 1, 1], )" + shape);
  QCOMPARE(scene->bodies[1].mass, 2.0);
}

void SceneFileTest::aBodyMayHaveNoShape() {
  const auto scene =
      m_folder.load(R"({"name": "b", "mass": 2, "inertia": [1, 1, 1], "shape": {"type": "none"}})");
  QVERIFY(scene->bodies[0].mass == 2 && scene->bodies[0].shape->surfaces.empty());
}

void SceneFileTest::theCentreOfMassCanBeGiven() {
  const auto scene = m_folder.load(
      R"({"name": "b", "mass": 2, "inertia": [1, 1, 1], "centre_of_mass": [0, 0.1, 0], "position": [1, 0, 0],
          "orientation": {"axis": [0, 0, 1], "angle_deg": 90}, "shape": {"type": "box", "size": [1, 1, 1]}})");
  const Body& body = scene->bodies[0];
  QVERIFY_NEAR((body.position - Vec3(0.9, 0, 0)).norm(), 0, 1e-15);
  double lowest = 0;
  for (const Vec3& vertex : body.shape->pieces[0].vertices) lowest = std::min(lowest, vertex.y());
  QVERIFY_NEAR(lowest, -0.6, 1e-15);
}

void SceneFileTest::theInertiaIsAboutTheGivenCentreOfMass() {
  const auto scene = m_folder.load(
      R"({"name": "b", "mass": 2, "centre_of_mass": [0.3, 0, 0], "shape": {"type": "box", "size": [1, 1, 1]}},
         {"name": "c", "density": 2, "centre_of_mass": [0.3, 0, 0],
          "shape": {"type": "box", "size": [1, 1, 1]}},
         {"name": "d", "mass": 2, "shape": {"type": "box", "size": [1, 1, 1]}})");
  for (std::size_t body : {0, 1}) {  // I = m/6, and by Steiner m 0.3² more about y and z
    const Body& placed = scene->bodies[body];
    QVERIFY_NEAR(placed.mass, 2, 1e-14);
    QVERIFY_NEAR((placed.centre - Vec3(0.3, 0, 0)).norm(), 0, 1e-16);
    QVERIFY_NEAR(placed.inertia(0, 0), 2.0 / 6, 1e-15);
    QVERIFY_NEAR(placed.inertia(1, 1), 2.0 / 6 + 2 * 0.09, 1e-15);
    QVERIFY_NEAR(placed.inertia(2, 2), 2.0 / 6 + 2 * 0.09, 1e-15);
  }
  QVERIFY_NEAR(scene->bodies[2].inertia(1, 1), 2.0 / 6, 1e-15);  // equal shapes, other centres
}

void SceneFileTest::piecesAndTheirOverlapsMoveWithTheCentreOfMass() {
  const auto scene = m_folder.load(
      R"({"name": "b", "mass": 1, "centre_of_mass": [0.2, 0.1, 0], "shape": {"type": "pieces", "pieces": [
            {"type": "box", "size": [1, 1, 1]}, {"type": "box", "size": [1, 1, 1], "position": [1, 0, 0]}]}})");
  const Body& body = scene->bodies[0];
  QCOMPARE(body.shape->pieces.size(), std::size_t(2));
  for (const Polytope& piece : body.shape->pieces)
    for (const Polytope::Face& face : piece.faces)
      for (int vertex : face.vertices)
        QVERIFY_NEAR(face.normal.dot(piece.vertices[vertex]), face.offset, 1e-15);
  Vec3 low = Vec3::Constant(1e9);
  for (const TriangleMesh& surface : body.shape->surfaces)
    for (const Vec3& vertex : surface.vertices) low = low.cwiseMin(vertex);
  QVERIFY_NEAR((low - Vec3(-0.7, -0.6, -0.5)).norm(), 0, 1e-15);
  QVERIFY_NEAR((body.position - Vec3(0.2, 0.1, 0)).norm(), 0, 1e-15);
}

void SceneFileTest::capsulesReachBeyondTheirLength() {
  const auto scene = m_folder.load(
      R"({"name": "b", "shape": {"type": "capsule", "radius": 0.1, "length": 1, "subdivisions": 3}})");
  const Body& body = scene->bodies[0];
  double high = 0, wide = 0;
  for (const Vec3& vertex : body.shape->pieces[0].vertices) {
    high = std::max(high, vertex.y());
    wide = std::max(wide, std::hypot(vertex.x(), vertex.z()));
  }
  QVERIFY_NEAR(wide, 0.1, 1e-12);
  QVERIFY_NEAR(high, 0.6, 2e-3);  // the pole lies within a triangle
  // The faces of the polyhedron cut 1 % off.
  QVERIFY_NEAR(body.mass / (1000 * M_PI * 0.01 * (1 + 0.4 / 3)), 1, 0.02);
}

void SceneFileTest::theHullOfAMeshNeedNotBeClosed() {
  m_folder.write("open.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\n");
  const auto scene = m_folder.load(R"({"name": "b", "shape": {"type": "pieces", "pieces": [
      {"type": "hull", "file": "open.obj", "scale": [1, 2, -3], "position": [5, 0, 0]}]}})");
  QVERIFY_NEAR(scene->bodies[0].mass, 1000, 1e-9);  // 1 × 2 × 3 / 6 m³
  QVERIFY_NEAR((scene->bodies[0].position - Vec3(5.25, 0.5, -0.75)).norm(), 0, 1e-12);
  QVERIFY(scene->sources.count("open.obj") == 1);
}

void SceneFileTest::fineHullsAreReduced() {
  QByteArray ball;
  constexpr int kRings = 60;
  for (int ring = 1; ring < kRings; ++ring)
    for (int k = 0; k < kRings; ++k) {
      const double polar = M_PI * ring / kRings, around = 2 * M_PI * k / kRings;
      ball += "v " + QByteArray::number(std::sin(polar) * std::cos(around), 'g', 9) + " " +
              QByteArray::number(std::cos(polar), 'g', 9) + " " +
              QByteArray::number(std::sin(polar) * std::sin(around), 'g', 9) + "\n";
    }
  for (int corner = 1; corner + 2 <= (kRings - 1) * kRings; ++corner)
    ball += "f " + QByteArray::number(corner) + " " + QByteArray::number(corner + 1) + " " +
            QByteArray::number(corner + 2) + "\n";
  m_folder.write("ball.obj", ball);
  const auto scene = m_folder.load(R"({"name": "b", "shape": {"type": "hull", "file": "ball.obj"}})");
  QVERIFY(scene->bodies[0].shape->pieces[0].vertices.size() <= 642);
  QVERIFY_NEAR(scene->bodies[0].mass / (4000.0 / 3 * M_PI), 1, 0.02);
}

void SceneFileTest::pairsWithoutContactAndNotesAreRead() {
  const auto scene = m_folder.load(
      R"({"name": "a", "shape": {"type": "box", "size": [1, 1, 1]}}, {"name": "b", "shape": {"type": "box", "size": [1, 1, 1]}})",
      R"("no_contact": [["b", "a"]], "notes": ["made by hand"], )");
  QVERIFY(scene->noContact == (std::vector<std::array<int, 2>>{{1, 0}}));
  QVERIFY(scene->notes == (std::vector<std::string>{"made by hand"}));
}

void SceneFileTest::aPlaneHasAUnitNormal() {
  const auto scene = m_folder.load(
      R"({"name": "p", "motion": "static", "position": [0, 1, 0], "shape": {"type": "plane", "normal": [0, 3, 4]}})");
  QVERIFY(scene->bodies[0].shape->kind == Shape::Kind::Plane);
  QVERIFY_NEAR((scene->bodies[0].shape->planeNormal - Vec3(0, 0.6, 0.8)).norm(), 0, 1e-16);
  QVERIFY(scene->bodies[0].shape->surfaces.empty() && scene->bodies[0].shape->pieces.empty());
}

void SceneFileTest::frictionSetsBothCoefficients() {
  const auto scene = m_folder.load(
      R"({"name": "p", "motion": "static", "material": "b", "shape": {"type": "plane"}})",
      R"("materials": [{"name": "a", "friction": 0.3}, {"name": "b", "static_friction": 0.5, "dynamic_friction": 0.25}], )");
  // Material 0 is the default one.
  QCOMPARE(scene->materials[1].staticFriction, 0.3);
  QCOMPARE(scene->materials[1].dynamicFriction, 0.3);
  QCOMPARE(scene->materials[2].staticFriction, 0.5);
  QCOMPARE(scene->materials[2].dynamicFriction, 0.25);
  QCOMPARE(scene->bodies[0].material, 2);
}

void SceneFileTest::parametersKeepTheirType() {
  const auto scene =
      m_folder.load(R"({"name": "p", "motion": "static", "shape": {"type": "plane"}})",
                    R"("parameters": {"cpf": {"k": 2.5, "mode": "start", "on": true, "off": false}}, )");
  const ParameterValues& values = scene->parameters.at("cpf");
  QVERIFY(values.at("k") == ParameterValue(2.5));
  QVERIFY(values.at("mode") == ParameterValue(std::string("start")));
  QVERIFY(values.at("on") == ParameterValue(std::string(kTrue)) &&
          values.at("off") == ParameterValue(std::string(kFalse)));
}

void SceneFileTest::equalShapesAreShared() {
  const auto scene = m_folder.load(
      R"({"name": "a", "shape": {"type": "box", "size": [1, 1, 1]}}, {"name": "b", "shape": {"size": [1, 1, 1], "type": "box"}},
         {"name": "c", "shape": {"type": "box", "size": [1, 1, 2]}})");
  QVERIFY(scene->bodies[0].shape == scene->bodies[1].shape);
  QVERIFY(scene->bodies[0].shape != scene->bodies[2].shape);
}

void SceneFileTest::sizeIsTheDiagonalOfAllBoundedBodies() {
  const auto scene = m_folder.load(
      R"({"name": "p", "motion": "static", "position": [0, -99, 0], "shape": {"type": "plane"}},
         {"name": "a", "shape": {"type": "box", "size": [1, 1, 1]}},
         {"name": "b", "position": [2, 0, 0], "shape": {"type": "box", "size": [1, 2, 2]}})");
  QVERIFY_NEAR(scene->size, std::sqrt(9.0 + 4 + 4), 1e-15);
}

void SceneFileTest::withoutAViewTheCameraLooksAtTheMiddle() {
  const auto scene =
      m_folder.load(R"({"name": "a", "position": [3, 4, 5], "shape": {"type": "box", "size": [1, 1, 1]}})");
  QVERIFY_NEAR((scene->view.target - Vec3(3, 4, 5)).norm(), 0, 1e-15);
  QVERIFY((scene->view.eye - scene->view.target).norm() > scene->size);
}

void SceneFileTest::theHashChangesWithTheFile() {
  const QByteArray body = R"({"name": "p", "motion": "static", "shape": {"type": "plane"}})";
  const auto first = m_folder.load(body), same = m_folder.load(body), other = m_folder.load(body + " ");
  QCOMPARE(first->sources.at("scene.json").hash.size(), std::size_t(16));
  QVERIFY(first->sources.at("scene.json").hash == same->sources.at("scene.json").hash);
  QVERIFY(first->sources.at("scene.json").hash != other->sources.at("scene.json").hash);
}

void SceneFileTest::scenesAreFoundInBothFormsSorted() {
  test::SceneFolder folder;
  folder.write("scenes/b.json", "{}");
  folder.write("scenes/a.json", "{}");
  folder.write("scenes/c/scene.json", "{}");
  folder.write("scenes/readme.md", "");
  const std::vector<std::string> expected{folder.path("scenes/a.json"), folder.path("scenes/b.json"),
                                          folder.path("scenes/c/scene.json")};
  QVERIFY(findScenes(folder.path("scenes")) == expected);
  QVERIFY(findScenes(folder.path("nowhere")).empty());
}

QTEST_APPLESS_MAIN(SceneFileTest)
#include "tst_scene_file.moc"
