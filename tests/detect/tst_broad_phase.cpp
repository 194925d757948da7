#include <QtTest>
#include <algorithm>
#include <tuple>

#include "core/detect/broad_phase.h"
#include "core/detect/candidates.h"
#include "core/math/count.h"
#include "core/scene/replicate.h"
#include "core/world/world.h"
#include "tests/support/scenes.h"

using namespace touchstone;
using namespace touchstone::test;

using Pairs = std::vector<std::tuple<int, int, int>>;  ///< kind, a, b

static Pairs sorted(const std::vector<FeaturePair>& pairs) {
  Pairs out;
  for (const FeaturePair& pair : pairs)
    if (pair.kind != FeaturePairKind::VertexPlane)
      out.emplace_back(static_cast<int>(pair.kind), pair.a, pair.b);
  return out;
}

/// Tests every feature against every other: boxes from the start to the predicted pose, grown by half the
/// margin.
struct BruteForce {
  Pairs features, vertexSurface;

  BruteForce(const World& world, const CandidateNeeds& needs) {
    const SurfaceTopology& surface = *world.surface;
    std::vector<Aabb> vertices, surfaces(surface.surfaceBody.size());
    for (std::size_t vertex = 0; vertex < surface.vertexBody.size(); ++vertex) {
      Aabb box;
      const int body = surface.vertexBody[vertex];
      if (world.active[body]) {
        box.add(world.vertexStart[vertex]);
        box.add(world.vertexPredicted[vertex]);
        box.grow(0.5 * needs.margins[(*world.constants)[body].replica]);
      }
      vertices.push_back(box);
    }
    const auto boxOf = [&vertices](const auto& corners) {
      Aabb box;
      for (int corner : corners) box.add(vertices[corner]);
      return box;
    };
    for (std::size_t s = 0; s < surfaces.size(); ++s)
      for (int vertex = surface.surfaceFirstVertex[s]; vertex < surface.surfaceFirstVertex[s + 1]; ++vertex)
        surfaces[s].add(vertices[vertex]);
    const int vertexCount = countOf(vertices);
    for (int vertex = 0; vertex < vertexCount; ++vertex) {
      const int body = surface.vertexBody[vertex];
      for (std::size_t t = 0; t < surface.triangles.size(); ++t)
        if (needs.kinds.triangles && canCollide(world, body, surface.triangleBody[t]) &&
            overlap(vertices[vertex], boxOf(surface.triangles[t])))
          features.emplace_back(static_cast<int>(FeaturePairKind::VertexFace), vertex, static_cast<int>(t));
      for (std::size_t s = 0; s < surfaces.size(); ++s)
        if ((needs.kinds.openSurfaces || surface.surfaceClosed[s]) &&
            canCollide(world, body, surface.surfaceBody[s]) && overlap(vertices[vertex], surfaces[s]))
          vertexSurface.emplace_back(static_cast<int>(FeaturePairKind::VertexFace), vertex,
                                     static_cast<int>(s));
    }
    for (std::size_t a = 0; a < surface.edges.size(); ++a)
      for (std::size_t b = 0; b < surface.edges.size(); ++b)
        if (surface.edgeSharp[a] && surface.edgeSharp[b] && surface.edgeBody[a] < surface.edgeBody[b] &&
            canCollide(world, surface.edgeBody[a], surface.edgeBody[b]) &&
            overlap(boxOf(surface.edges[a]), boxOf(surface.edges[b])))
          features.emplace_back(static_cast<int>(FeaturePairKind::EdgeEdge), static_cast<int>(a),
                                static_cast<int>(b));
  }
};

/// A slab with edges under more boxes than the limit of a neighbour list, two falling boxes, one that is not
/// released yet, and a body of two surfaces, one of them open.
static std::shared_ptr<Scene> crowdedSlab() {
  Body slab = box("slab", Vec3(1, 0.1, 1), 1, Vec3(0, -0.05, 0));
  slab.motion = Motion::Static;
  const auto scene = touchstone::test::scene({ground(-0.1), slab});
  for (int k = 0; k < 81; ++k) {
    Body small = box("box", Vec3(0.12, 0.12, 0.12), 1,
                     Vec3(0.13 * (k % 9) - 0.52, 0.0595 + 0.0001 * k, 0.13 * (k / 9) - 0.52));
    small.orientation = Quaternion(Eigen::AngleAxisd(0.04 * k, Vec3::UnitY()));
    scene->bodies.push_back(small);
  }
  Body falls = box("falls", Vec3(0.2, 0.2, 0.2), 1, Vec3(0.1, 0.4, 0.05));
  falls.linearVelocity = Vec3(0, -30, 0);
  scene->bodies.push_back(falls);
  Body later = box("later", Vec3(0.2, 0.2, 0.2), 1, Vec3(0, 0.1, 0));
  later.releaseTime = 1;
  scene->bodies.push_back(later);
  Body two = box("two", Vec3(0.2, 0.2, 0.2), 1, Vec3(0.3, 0.2, 0.3));
  auto shape = std::make_shared<Shape>(*boxShape(Vec3(0.2, 0.2, 0.2)));
  TriangleMesh open = shape->surfaces[0];
  open.triangles.resize(4);
  for (Vec3& vertex : open.vertices) vertex += Vec3(0, -0.15, 0.1);
  if (!buildTopology(open).empty()) std::abort();
  shape->surfaces.push_back(open);
  two.shape = shape;
  scene->bodies.push_back(two);
  return scene;
}

class BroadPhaseTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void findsThePairsThatBruteForceFinds_data();
  void findsThePairsThatBruteForceFinds();
};

void BroadPhaseTest::findsThePairsThatBruteForceFinds_data() {
  QTest::addColumn<int>("number");
  QTest::addColumn<bool>("triangles");
  QTest::addColumn<bool>("openSurfaces");
  QTest::newRow("pile") << 0 << true << false;
  QTest::newRow("pile, no triangles") << 0 << false << false;
  QTest::newRow("crowded slab") << 1 << true << false;
  QTest::newRow("crowded slab, open surfaces too") << 1 << true << true;
  QTest::newRow("three replicas") << 2 << true << false;
}

void BroadPhaseTest::findsThePairsThatBruteForceFinds() {
  QFETCH(int, number);
  QFETCH(bool, triangles);
  QFETCH(bool, openSurfaces);
  const std::shared_ptr<const Scene> scenes[] = {
      pile(3, 3), crowdedSlab(), replicated(*pile(2, 2), 3, [](int) { return ReplicaVariation(); })};
  const std::shared_ptr<const Scene>& scene = scenes[number];
  World world = makeWorld(scene);
  CandidateNeeds needs;
  needs.features = true;
  needs.kinds = {triangles, openSurfaces};
  needs.margins.assign(scene->replicas, 0.01);
  BroadPhase broadPhase;
  Candidates found;
  for (int step = 0; step < 3; ++step) {  // without contact: boxes fall into each other
    predict(world, 5e-3);
    broadPhase.find(world, needs, found);
    const BruteForce expected(world, needs);
    QVERIFY(!expected.features.empty());
    QVERIFY(sorted(found.features) == expected.features);
    QVERIFY(sorted(found.vertexSurface) == expected.vertexSurface);
    integrate(world);
  }
}

QTEST_APPLESS_MAIN(BroadPhaseTest)
#include "tst_broad_phase.moc"
