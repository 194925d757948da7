#include <QtTest>
#include <set>

#include "core/contact/complementarity_model.h"
#include "core/geometry/convex_hull.h"
#include "tests/support/near.h"
#include "tests/support/vectors.h"

using namespace touchstone;
using nlohmann::json;

Q_DECLARE_METATYPE(const json*)

/// Contact finding, constraint sets and one time step of both models on the spatial reference cases.
class PegVectorsTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void initTestCase() { m_files = test::referenceFiles(QStringLiteral("peg-cases")); }
  void findsTheContactsAndSets_data() { caseRows(); }
  void findsTheContactsAndSets();
  void stepsToOneOfTheKnownVelocities_data() { caseRows(); }
  void stepsToOneOfTheKnownVelocities();
  void measuresTheOverlap_data();
  void measuresTheOverlap();

 private:
  void caseRows() {
    QTest::addColumn<const json*>("reference");
    for (std::size_t file = 0; file < m_files.size(); ++file)
      for (const json& c : m_files[file]["cases"])
        if (c["dim"] == 3)
          QTest::newRow(qPrintable(QStringLiteral("%1 %2").arg(file).arg(QString::fromStdString(c["name"])))) << &c;
  }
  std::vector<json> m_files;
};

static Vec3 vec(const json& v) { return {v[0].get<double>(), v[1].get<double>(), v[2].get<double>()}; }

/// The two bodies of a case as pieces and as a world at the start of its step.
struct Case {
  explicit Case(const json& c) {
    for (const json& body : c["bodies"]) {
      Polytope piece;
      for (const json& vertex : body["vertices"]) piece.vertices.push_back(vec(vertex));
      for (const json& face : body["faces"]) piece.faces.push_back({face.get<std::vector<int>>(), Vec3::Zero(), 0});
      const std::string problem = buildTopology(piece);
      if (!problem.empty()) qFatal("%s", problem.c_str());
      // The file numbers edges its own way; contacts refer to them by their end points.
      std::vector<std::pair<int, int>> named;
      for (const json& edge : body["edges"]) named.emplace_back(edge[0].get<int>(), edge[1].get<int>());
      edges.push_back(named);
      pieces.push_back(piece);
      const json& q = body["quaternion"];
      Quaternion orientation(q[0].get<double>(), q[1].get<double>(), q[2].get<double>(), q[3].get<double>());
      world.position.push_back(vec(body["position"]));
      world.orientation.push_back(orientation);
      const bool isStatic = body.value("static", false);
      world.active.push_back(1);
      world.inverseMass.push_back(isStatic ? 0 : 1 / body["mass"].get<double>());
      world.inverseInertia.push_back(Mat3::Zero());
      Vec6 velocity = Vec6::Zero();
      if (!isStatic) {
        Mat3 inertia;
        for (int row = 0; row < 3; ++row) inertia.row(row) = vec(body["inertia"][row]);
        const Mat3 rotation = orientation.toRotationMatrix();
        const Mat3 J = rotation * inertia * rotation.transpose();
        world.inverseInertia.back() = J.inverse();
        const Vec3 v = vec(body["v"]), w = vec(body["omega"]);
        const double h = c["h"];
        velocity.head<3>() = v + h * vec(c["gravity"]);
        velocity.tail<3>() = w - h * (J.inverse() * w.cross(Vec3(J * w)));
      }
      free.push_back(velocity);
    }
    for (std::size_t body = 0; body < pieces.size(); ++body)
      placedPieces.push_back(placed(pieces[body], world.position[body], world.orientation[body]));
    ConstraintSettings settings;
    settings.epsilon = c["eps"];
    settings.epsilonTheta = c["eps_theta"];
    found = findConstraints(placedPieces[0], placedPieces[1], settings, [](bool, const Vec3&) { return false; });
    for (const PieceContact& geometry : found.contacts) {
      ModelContact contact;
      contact.geometry = geometry;
      contact.bodyA = 0;
      contact.bodyB = 1;
      contact.jacobian = pairJacobian(0, 1, geometry.normal, geometry.pointA - world.position[0],
                                      geometry.pointB - world.position[1]);
      contact.rate = geometry.psi / c["h"].get<double>();
      contacts.push_back(contact);
    }
  }

  /// The file's contact that has the same features, or −1.
  int matching(const json& c, const PieceContact& contact) const {
    for (std::size_t index = 0; index < c["contacts"].size(); ++index) {
      const json& wanted = c["contacts"][index];
      const bool edge = wanted["kind"] == "ee";
      if (edge != (contact.kind == FeaturePairKind::EdgeEdge)) continue;
      const bool swapped = wanted["a"] == 1;  // the file's first feature belongs to body 1
      const int first = wanted["feature_a"], second = wanted["feature_b"];
      const int onA = swapped ? second : first, onB = swapped ? first : second;
      if (edge) {
        if (sameEdge(0, contact.featureA, onA) && sameEdge(1, contact.featureB, onB)) return static_cast<int>(index);
      } else if (contact.vertexOnA != swapped && contact.featureA == onA && contact.featureB == onB) {
        return static_cast<int>(index);
      }
    }
    return -1;
  }
  bool sameEdge(int body, int ours, int theirs) const {
    const Polytope::Edge& edge = pieces[body].edges[ours];
    const auto& named = edges[body][theirs];
    return (edge.tail == named.first && edge.head == named.second) || (edge.tail == named.second && edge.head == named.first);
  }

  World world;
  std::vector<Polytope> pieces;
  std::vector<std::vector<std::pair<int, int>>> edges;
  std::vector<PlacedPolytope> placedPieces;
  Velocities free;
  PairConstraints found;
  std::vector<ModelContact> contacts;
};

void PegVectorsTest::findsTheContactsAndSets() {
  QFETCH(const json*, reference);
  const json& c = *reference;
  const Case scene(c);
  QCOMPARE(scene.found.contacts.size(), c["contacts"].size());
  std::vector<int> number;
  for (std::size_t index = 0; index < scene.found.contacts.size(); ++index) {
    const PieceContact& contact = scene.found.contacts[index];
    const int match = scene.matching(c, contact);
    QVERIFY2(match >= 0, "a contact that the reference does not have");
    number.push_back(match);
    const json& wanted = c["contacts"][match];
    const double sign = wanted["a"] == 1 ? -1 : 1;
    QVERIFY_NEAR(contact.psi, wanted["psi"].get<double>(), 1e-9);
    QVERIFY_NEAR((sign * contact.normal - vec(wanted["normal"])).norm(), 0, 1e-9);
    QVERIFY_NEAR(contact.applicability, wanted["applicability"].get<double>(), 1e-9);
    const json& jacobian = wanted["jacobian"][sign > 0 ? "a" : "b"];
    for (int k = 0; k < 6; ++k) QVERIFY_NEAR(scene.contacts[index].jacobian.a[k], jacobian[k].get<double>(), 1e-9);
  }
  const auto described = [](const std::string& type, const std::vector<int>& contacts) {
    return std::make_tuple(type, contacts.front(), std::set<int>(contacts.begin(), contacts.end()));
  };
  std::multiset<std::tuple<std::string, int, std::set<int>>> ours, theirs;
  for (const ConstraintSet& set : scene.found.sets) {
    std::vector<int> contacts;
    for (int contact : set.contacts) contacts.push_back(number[contact]);
    ours.insert(described(set.type == ConstraintType::U ? "U" : set.type == ConstraintType::I ? "I" : "X", contacts));
  }
  for (const json& set : c["sets"]) theirs.insert(described(set["type"], set["contacts"].get<std::vector<int>>()));
  QVERIFY(ours == theirs);
}

static double distance(const Velocities& velocities, const json& expected) {
  double largest = 0, size = 1;
  for (std::size_t body = 0; body < velocities.size(); ++body)
    for (int k = 0; k < 6; ++k) {
      largest = std::max(largest, std::abs(velocities[body][k] - expected[body][k].get<double>()));
      size = std::max(size, std::abs(expected[body][k].get<double>()));
    }
  return largest / size;
}

static void compareStep(const Case& scene, const std::vector<ModelSet>& sets, const json& expected) {
  std::vector<int> all;
  for (std::size_t set = 0; set < sets.size(); ++set) all.push_back(static_cast<int>(set));
  const IslandProblem island = assemble(scene.world, scene.contacts, sets, all, scene.free, ModelSettings());
  SolverSettings settings;
  settings.tolerance = 1e-11;
  const SolverResult result = makeSolver("lemke")->solve(island.problem, {}, settings);
  if (expected["status"] == "none") {
    QVERIFY(result.status == SolveStatus::NoSolution);
    return;
  }
  QVERIFY2(result.status == SolveStatus::Solved, result.message.c_str());
  Velocities velocities = scene.free;
  addImpulses(scene.world, island, result.z, velocities);
  double best = 1e300;
  for (const json& candidate : expected["velocities"]) best = std::min(best, distance(velocities, candidate));
  QVERIFY_NEAR(best, 0, 1e-6);
}

void PegVectorsTest::stepsToOneOfTheKnownVelocities() {
  QFETCH(const json*, reference);
  const json& c = *reference;
  const Case scene(c);
  std::vector<ModelSet> standard, peg;
  int rows = 0;
  for (std::size_t contact = 0; contact < scene.contacts.size(); ++contact)
    standard.push_back({ConstraintType::U, {static_cast<int>(contact)}, 0});
  for (const ConstraintSet& set : scene.found.sets) {
    peg.push_back({set.type, set.contacts, 0});
    rows += static_cast<int>(set.contacts.size());
  }
  QCOMPARE(static_cast<int>(standard.size()), c["standard"]["rows"].get<int>());
  const json& sizes = c["peg"]["mlcp"];
  QCOMPARE(rows, sizes["n_U"].get<int>() + sizes["n_I"].get<int>() + sizes["n_c"].get<int>());
  compareStep(scene, standard, c["standard"]);
  compareStep(scene, peg, c["peg"]);
}

void PegVectorsTest::measuresTheOverlap_data() {
  QTest::addColumn<const json*>("reference");
  for (std::size_t file = 0; file < m_files.size(); ++file) {
    int index = 0;
    for (const json& o : m_files[file]["overlap"]) {
      if (o["dim"] == 3) QTest::newRow(qPrintable(QStringLiteral("%1 overlap %2").arg(file).arg(index))) << &o;
      ++index;
    }
  }
}


void PegVectorsTest::measuresTheOverlap() {
  QFETCH(const json*, reference);
  Polytope hulls[2];
  for (int side = 0; side < 2; ++side) {
    std::vector<Vec3> points;
    for (const json& point : (*reference)[side ? "hull_b" : "hull_a"]) points.push_back(vec(point));
    QVERIFY(convexHull(points, hulls[side]).empty());
  }
  const Quaternion identity(1, 0, 0, 0);
  const PlacedPolytope a = placed(hulls[0], Vec3::Zero(), identity), b = placed(hulls[1], Vec3::Zero(), identity);
  const double expected = (*reference)["measure"];
  QVERIFY_NEAR(intersection(a, b).volume, expected, 1e-9 * std::max(expected, 1e-6));
  QVERIFY_NEAR(intersection(b, a).volume, expected, 1e-9 * std::max(expected, 1e-6));
  QCOMPARE(separation(a, b) < 0, expected > 0);
}

QTEST_APPLESS_MAIN(PegVectorsTest)
#include "tst_peg_vectors.moc"
