#include <Eigen/Geometry>
#include <QtTest>
#include <algorithm>
#include <set>

#include "core/geometry/aabb.h"
#include "core/robot/scene_readers.h"
#include "core/scene/scene.h"
#include "tests/scene/scene_folder.h"
#include "tests/support/near.h"

using namespace touchstone;

namespace {

const std::string kScenes = std::string(TS_SOURCE_DIR) + "/datasets/scenes";

bool startsActive(const Body& body) {
  return body.shape->kind != Shape::Kind::Plane && body.releaseTime == 0;
}

std::vector<std::shared_ptr<const Scene>> allScenes() {
  std::vector<std::shared_ptr<const Scene>> scenes;
  for (const std::string& path : findScenes(kScenes)) scenes.push_back(loadScene(path));
  return scenes;
}

Vec3 placed(const Body& body, const Vec3& local) { return body.position + body.orientation * local; }

/// True if the segment from p to q crosses the triangle (a, b, c), by the signs of five tetrahedra.
bool crosses(const Vec3& p, const Vec3& q, const Vec3& a, const Vec3& b, const Vec3& c) {
  const auto side = [](const Vec3& u, const Vec3& v, const Vec3& w, const Vec3& x) {
    return (v - u).cross(w - u).dot(x - u);
  };
  if (side(a, b, c, p) * side(a, b, c, q) > 0) return false;
  const double ab = side(p, q, a, b), bc = side(p, q, b, c), ca = side(p, q, c, a);
  return (ab > 0 && bc > 0 && ca > 0) || (ab < 0 && bc < 0 && ca < 0);
}

std::vector<Vec3> placedVertices(const Body& body, const TriangleMesh& surface) {
  std::vector<Vec3> vertices;
  for (const Vec3& vertex : surface.vertices) vertices.push_back(placed(body, vertex));
  return vertices;
}

/// True if an edge of `a` crosses a triangle of `b`.
bool surfacesCross(const Body& a, const Body& b) {
  for (const TriangleMesh& other : b.shape->surfaces) {
    const std::vector<Vec3> corners = placedVertices(b, other);
    Aabb bound;
    for (const Vec3& corner : corners) bound.add(corner);
    for (const TriangleMesh& surface : a.shape->surfaces) {
      const std::vector<Vec3> ends = placedVertices(a, surface);
      for (const TriangleMesh::Edge& edge : surface.edges) {
        Aabb box;
        for (int end : {edge.tail, edge.head}) box.add(ends[end]);
        if (!overlap(box, bound)) continue;
        for (const auto& triangle : other.triangles) {
          const auto corner = [&](std::size_t k) { return corners[triangle[k]]; };
          Aabb triangleBox;
          for (std::size_t k = 0; k < 3; ++k) triangleBox.add(corner(k));
          if (overlap(box, triangleBox) &&
              crosses(ends[edge.tail], ends[edge.head], corner(0), corner(1), corner(2)))
            return true;
        }
      }
    }
  }
  return false;
}

double lowest(const Body& body) {
  double low = 1e300;
  for (const TriangleMesh& surface : body.shape->surfaces)
    for (const Vec3& vertex : surface.vertices) low = std::min(low, placed(body, vertex).y());
  return low;
}

}  // namespace

class ShippedScenesTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void everySceneLoads_data();
  void everySceneLoads();
  void namesAreUniqueAndThoseOfTheFiles();
  void everySceneTeachesSomethingAndNamesMethods();
  void noBodiesOverlapAtTheStart();
  void nothingStartsBelowAPlane();
  void camerasLookAtTheBodies();
  void meshesAreClosedAndConvexBodiesHavePieces();
  void twentyStonesArePouredOneAfterTheOther();
  void theRestingBoxIsTheOneOfTheReference();
  void theExampleOfTheReadmeLoads();
};

void ShippedScenesTest::everySceneLoads_data() {
  QTest::addColumn<QString>("path");
  for (const std::string& path : findScenes(kScenes))
    QTest::newRow(QFileInfo(QString::fromStdString(path)).baseName().toUtf8())
        << QString::fromStdString(path);
  for (const char* name : {"pour", "resting-box", "corner-trap", "meshes"})
    QTest::newRow(QByteArray("must exist: ") + name)
        << QString::fromStdString(kScenes + "/" + name + ".json");
}

void ShippedScenesTest::everySceneLoads() {
  QFETCH(QString, path);
  try {
    QVERIFY(!loadScene(path.toStdString())->bodies.empty());
  } catch (const std::exception& error) {
    QFAIL(error.what());
  }
}

void ShippedScenesTest::namesAreUniqueAndThoseOfTheFiles() {
  std::set<std::string> names;
  for (const auto& scene : allScenes()) {
    QVERIFY2(names.insert(scene->name).second, scene->name.c_str());
    QCOMPARE(QFileInfo(QString::fromStdString(scene->file)).baseName(), QString::fromStdString(scene->name));
  }
}

void ShippedScenesTest::everySceneTeachesSomethingAndNamesMethods() {
  for (const auto& scene : allScenes()) {
    QVERIFY2(scene->lesson.size() > 200, scene->name.c_str());
    QVERIFY2(!scene->title.empty() && !scene->methods.empty(), scene->name.c_str());
    for (const auto& [method, values] : scene->parameters)
      QVERIFY2(std::count(scene->methods.begin(), scene->methods.end(), method) == 1, method.c_str());
  }
}

void ShippedScenesTest::noBodiesOverlapAtTheStart() {
  for (const auto& scene : allScenes())
    for (std::size_t a = 0; a < scene->bodies.size(); ++a)
      for (std::size_t b = a + 1; b < scene->bodies.size(); ++b) {
        const Body &first = scene->bodies[a], &second = scene->bodies[b];
        if ((first.position - second.position).norm() > first.shape->radius + second.shape->radius) continue;
        if (!startsActive(first) || !startsActive(second)) continue;
        if (first.motion == Motion::Static && second.motion == Motion::Static) continue;
        const auto joins = [&](const Joint& joint) {
          return !joint.collide &&
                 ((joint.bodyA == static_cast<int>(a) && joint.bodyB == static_cast<int>(b)) ||
                  (joint.bodyA == static_cast<int>(b) && joint.bodyB == static_cast<int>(a)));
        };
        if (std::any_of(scene->joints.begin(), scene->joints.end(), joins)) continue;
        QVERIFY2(!surfacesCross(first, second) && !surfacesCross(second, first),
                 (scene->name + ": " + first.name + ", " + second.name).c_str());
      }
}

void ShippedScenesTest::nothingStartsBelowAPlane() {
  for (const auto& scene : allScenes())
    for (const Body& plane : scene->bodies) {
      if (plane.shape->kind != Shape::Kind::Plane) continue;
      QVERIFY(plane.shape->planeNormal == Vec3(0, 1, 0));
      for (const Body& body : scene->bodies)
        if (body.motion == Motion::Dynamic) QVERIFY2(lowest(body) > plane.position.y(), body.name.c_str());
    }
}

void ShippedScenesTest::camerasLookAtTheBodies() {
  // Every dynamic body is in front of the camera, within 60° of the line of sight: bodies that still have to
  // fall may start above the picture.
  for (const auto& scene : allScenes()) {
    const Vec3 sight = (scene->view.target - scene->view.eye).normalized();
    for (const Body& body : scene->bodies) {
      if (body.motion == Motion::Static) continue;
      const Vec3 to = body.position - scene->view.eye;
      const QByteArray name = QByteArray::fromStdString(scene->name + ": " + body.name);
      QVERIFY2(to.norm() > body.shape->radius, name);
      QVERIFY2(sight.dot(to) > 0.5 * to.norm(), name);
    }
  }
}

void ShippedScenesTest::meshesAreClosedAndConvexBodiesHavePieces() {
  for (const auto& scene : allScenes())
    for (const Body& body : scene->bodies) {
      const bool isCloth = body.deformable && body.deformable->tetrahedra.empty();
      for (const TriangleMesh& surface : body.shape->surfaces)
        QVERIFY2(surface.closed != isCloth, body.name.c_str());
      if (body.shape->kind == Shape::Kind::Convex) QVERIFY2(!body.shape->pieces.empty(), body.name.c_str());
      if (body.motion == Motion::Dynamic)
        QVERIFY2(body.mass > 0 && (isCloth || body.volume > 0), body.name.c_str());
    }
}

void ShippedScenesTest::twentyStonesArePouredOneAfterTheOther() {
  const auto scene = loadScene(kScenes + "/pour.json");
  QCOMPARE(scene->methods.size(), std::size_t(4));
  std::set<double> releases;
  for (const Body& body : scene->bodies) {
    if (body.motion == Motion::Static) continue;
    releases.insert(body.releaseTime);
    QVERIFY(body.linearVelocity.y() == -2);
    QVERIFY(body.shape->kind == Shape::Kind::Convex && body.shape->pieces.size() == 1);
    const std::size_t corners = body.shape->pieces[0].vertices.size();
    QVERIFY2(corners >= 6 && corners <= 14, body.name.c_str());
  }
  QCOMPARE(releases.size(), std::size_t(20));
  QCOMPARE(*releases.rbegin(), 4.75);
}

void ShippedScenesTest::theRestingBoxIsTheOneOfTheReference() {
  const auto scene = loadScene(kScenes + "/resting-box.json");
  const Body& box = scene->bodies.back();
  QVERIFY(scene->dt < 0.003);  // the limit at which rocking becomes unstable under CPF
  QCOMPARE(box.mass, 1.0);
  QVERIFY_NEAR(box.volume, 0.2 * 0.1 * 0.3, 1e-16);
  QVERIFY_NEAR(box.inertia(0, 0), (0.01 + 0.09) / 12, 1e-15);
  QVERIFY(lowest(box) > 0.05 && lowest(box) < 0.15);
}

void ShippedScenesTest::theExampleOfTheReadmeLoads() {
  QFile file(QStringLiteral(TS_SOURCE_DIR "/datasets/README.md"));
  QVERIFY(file.open(QIODevice::ReadOnly));
  const QByteArray text = file.readAll();
  const int start = text.indexOf("```json\n") + 8, end = text.indexOf("```", start);
  QVERIFY(start > 8 && end > start);
  test::SceneFolder folder;
  const auto scene = loadScene(folder.write("sliding-box.json", text.mid(start, end - start)));
  QCOMPARE(scene->bodies.size(), std::size_t(2));
}

QTEST_APPLESS_MAIN(ShippedScenesTest)
#include "tst_shipped_scenes.moc"
