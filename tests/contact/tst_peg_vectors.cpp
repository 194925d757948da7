#include <QtTest>
#include <set>

#include "core/contact/manifold/model_contact.h"
#include "core/geometry/convex_hull.h"
#include "core/geometry/polytope_overlap.h"
#include "core/math/count.h"
#include "core/solver/dense/from_rows.h"
#include "core/world/world.h"
#include "tests/support/near.h"
#include "tests/support/pair_constraints.h"
#include "tests/support/set_rows.h"
#include "tests/support/solid_overlap.h"
#include "tests/support/vectors.h"

using namespace touchstone;
using nlohmann::json;

Q_DECLARE_METATYPE(const json*)

/// Contact finding, constraint sets and one time step of both models on the reference cases, spatial and
/// planar.
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
        QTest::newRow(qPrintable(QStringLiteral("%1 %2").arg(file).arg(QString::fromStdString(c["name"]))))
            << &c;
  }
  std::vector<json> m_files;
};

/// A vector of space, or of the plane z = 0.
static Vec3 vec(const json& v) {
  return {v[0].get<double>(), v[1].get<double>(), v.size() > 2 ? v[2].get<double>() : 0.0};
}

/// Components of (velocity, angular velocity) in the files: all six, or x, y and the rotation about z.
static std::vector<int> components(const json& c) {
  return c["dim"] == 2 ? std::vector<int>{0, 1, 5} : std::vector<int>{0, 1, 2, 3, 4, 5};
}

/// The two bodies of a case as pieces and as a world at the start of its step.
struct Case {
  explicit Case(const json& c) {
    for (const json& body : c["bodies"]) c["dim"] == 2 ? addPolygon(c, body) : addSolid(c, body);
    world.constants = std::make_shared<std::vector<BodyConstants>>(world.position.size());
    for (std::size_t body = 0; body < pieces.size(); ++body)
      placedPieces.push_back(placed(pieces[body], world.position[body], world.orientation[body]));
    ConstraintSettings settings;
    settings.epsilon = c["eps"];
    settings.epsilonTheta = c["eps_theta"];
    settings.crossSets = CrossSets::Impulse;  // the choice of the reference cases
    for (std::size_t second = 1; second < pieces.size(); ++second)
      for (std::size_t first = 0; first < second; ++first)
        if (world.inverseMass[first] > 0 || world.inverseMass[second] > 0)
          addPair(static_cast<int>(first), static_cast<int>(second), settings, c["h"]);
  }

  void addPair(int first, int second, const ConstraintSettings& settings, double h) {
    const PairConstraints pair = test::findConstraints(placedPieces[first], placedPieces[second], settings,
                                                       [](bool, const Vec3&) { return false; });
    const int offset = countOf(contacts);
    for (const PieceContact& geometry : pair.contacts) {
      ModelContact contact;
      contact.geometry = geometry;
      contact.bodyA = first;
      contact.bodyB = second;
      WorldView view;
      view.position = world.position.data();
      view.inverseMass = world.inverseMass.data();
      setArms(view, geometry.pointA, geometry.pointB, contact);
      contact.rate = geometry.psi / h;
      contacts.push_back(contact);
    }
    for (ConstraintSet set : pair.sets) {
      for (int& contact : set.contacts) contact += offset;
      sets.push_back(set);
    }
  }

  void addBody(const json& c, const json& body, const Quaternion& orientation, const Mat3& inertia,
               const Vec3& spin) {
    world.position.push_back(vec(body["position"]));
    world.orientation.push_back(orientation);
    const bool isStatic = body.value("static", false);
    world.active.push_back(1);
    world.inverseMass.push_back(isStatic ? 0 : 1 / body["mass"].get<double>());
    world.inverseInertia.push_back(Mat3::Zero());
    Vec6 velocity = Vec6::Zero();
    if (!isStatic) {
      const Mat3 rotation = orientation.toRotationMatrix();
      const Mat3 J = rotation * inertia * rotation.transpose();
      world.inverseInertia.back() = J.inverse();
      const double h = c["h"];
      velocity.head<3>() = vec(body["v"]) + h * vec(c["gravity"]);
      velocity.tail<3>() = spin - h * (J.inverse() * spin.cross(Vec3(J * spin)));
    }
    free.push_back(velocity);
  }

  void addPolygon(const json& c, const json& body) {
    Polytope polygon;
    std::vector<Vec3> points;
    for (const json& vertex : body["vertices"]) points.push_back(vec(vertex));
    const std::string problem = convexPolygon(points, 0.1, polygon);
    if (!problem.empty()) qFatal("%s", problem.c_str());
    // The hull starts at its own vertex; contacts refer to the file's.
    std::vector<int> numbers;
    for (const Vec3& vertex : polygon.vertices)
      numbers.push_back(static_cast<int>(std::find(points.begin(), points.end(), vertex) - points.begin()));
    fileVertex.push_back(numbers);
    edges.emplace_back();
    pieces.push_back(polygon);
    const double half = 0.5 * body["angle"].get<double>(), inertia = body.value("inertia", 1.0);
    addBody(c, body, Quaternion(std::cos(half), 0, 0, std::sin(half)), inertia * Mat3::Identity(),
            Vec3(0, 0, body.value("omega", 0.0)));
  }

  void addSolid(const json& c, const json& body) {
    Polytope piece;
    for (const json& vertex : body["vertices"]) piece.vertices.push_back(vec(vertex));
    for (const json& face : body["faces"])
      piece.faces.push_back({face.get<std::vector<int>>(), Vec3::Zero(), 0});
    const std::string problem = buildTopology(piece);
    if (!problem.empty()) qFatal("%s", problem.c_str());
    // The file has its own numbers of edges; contacts refer to edges by end points.
    std::vector<std::pair<int, int>> named;
    for (const json& edge : body["edges"]) named.emplace_back(edge[0].get<int>(), edge[1].get<int>());
    edges.push_back(named);
    fileVertex.emplace_back();
    pieces.push_back(piece);
    const json& q = body["quaternion"];
    Mat3 inertia = Mat3::Identity();
    if (!body.value("static", false))
      for (int row = 0; row < 3; ++row) inertia.row(row) = vec(body["inertia"][row]);
    addBody(c, body,
            Quaternion(q[0].get<double>(), q[1].get<double>(), q[2].get<double>(), q[3].get<double>()),
            inertia, body.contains("omega") ? vec(body["omega"]) : Vec3(Vec3::Zero()));
  }

  /// Our vertex or polygon side in the numbers of the file: side k of a polygon starts at its vertex k.
  int named(int body, int feature) const {
    return fileVertex[body].empty() ? feature : fileVertex[body][feature];
  }

  /// The file's contact with the same features, or −1.
  int matching(const json& c, const ModelContact& model) const {
    const PieceContact& contact = model.geometry;
    for (std::size_t index = 0; index < c["contacts"].size(); ++index) {
      const json& wanted = c["contacts"][index];
      const bool edge = wanted["kind"] == "ee";
      if (edge != (contact.kind == FeaturePairKind::EdgeEdge)) continue;
      // The file's first feature may belong to the later body.
      const bool swapped = wanted["a"] == model.bodyB;
      if ((swapped ? wanted["b"] : wanted["a"]) != model.bodyA ||
          (swapped ? wanted["a"] : wanted["b"]) != model.bodyB)
        continue;
      const int first = wanted["feature_a"], second = wanted["feature_b"];
      const int onA = swapped ? second : first, onB = swapped ? first : second;
      if (edge) {
        if (sameEdge(model.bodyA, contact.featureA, onA) && sameEdge(model.bodyB, contact.featureB, onB))
          return static_cast<int>(index);
      } else if (contact.vertexOnA != swapped && named(model.bodyA, contact.featureA) == onA &&
                 named(model.bodyB, contact.featureB) == onB) {
        return static_cast<int>(index);
      }
    }
    return -1;
  }
  bool sameEdge(int body, int ours, int theirs) const {
    const Polytope::Edge& edge = pieces[body].edges[ours];
    const auto& named = edges[body][theirs];
    return (edge.tail == named.first && edge.head == named.second) ||
           (edge.tail == named.second && edge.head == named.first);
  }

  World world;
  std::vector<Polytope> pieces;
  std::vector<std::vector<std::pair<int, int>>> edges;
  std::vector<std::vector<int>> fileVertex;  ///< polygons: their vertices in the numbers of the file
  std::vector<PlacedPolytope> placedPieces;
  std::vector<Vec6> free;
  std::vector<ConstraintSet> sets;
  std::vector<ModelContact> contacts;
};

void PegVectorsTest::findsTheContactsAndSets() {
  QFETCH(const json*, reference);
  const json& c = *reference;
  const Case scene(c);
  QCOMPARE(scene.contacts.size(), c["contacts"].size());
  std::vector<int> number;
  for (std::size_t index = 0; index < scene.contacts.size(); ++index) {
    const PieceContact& contact = scene.contacts[index].geometry;
    const int match = scene.matching(c, scene.contacts[index]);
    QVERIFY2(match >= 0, "a contact that the reference does not have");
    number.push_back(match);
    const json& wanted = c["contacts"][match];
    const double sign = wanted["a"] == scene.contacts[index].bodyB ? -1 : 1;
    QVERIFY_NEAR(contact.psi, wanted["psi"].get<double>(), 1e-9);
    QVERIFY_NEAR((sign * contact.normal - vec(wanted["normal"])).norm(), 0, 1e-9);
    QVERIFY_NEAR(contact.applicability, wanted["applicability"].get<double>(), 1e-9);
    const json& jacobian = wanted["jacobian"][sign > 0 ? "a" : "b"];
    int entry = 0;
    for (int k : components(c))
      QVERIFY_NEAR(scene.contacts[index].jacobian.a[k], jacobian[entry++].get<double>(), 1e-9);
  }
  const auto described = [](const std::string& type, const std::vector<int>& contacts) {
    return std::make_tuple(type, contacts.front(), std::set<int>(contacts.begin(), contacts.end()));
  };
  std::multiset<std::tuple<std::string, int, std::set<int>>> ours, theirs;
  for (const ConstraintSet& set : scene.sets) {
    std::vector<int> contacts;
    for (int contact : set.contacts) contacts.push_back(number[contact]);
    ours.insert(described(set.type == ConstraintType::U   ? "U"
                          : set.type == ConstraintType::I ? "I"
                                                          : "X",
                          contacts));
  }
  for (const json& set : c["sets"])
    theirs.insert(described(set["type"], set["contacts"].get<std::vector<int>>()));
  QVERIFY(ours == theirs);
}

/// The rows of some sets, primary first, without friction.
static RowBuffer tableOf(const Case& scene, const std::vector<std::vector<int>>& sets) {
  RowBuffer table;
  for (const std::vector<int>& set : sets) {
    const ModelContact& primary = scene.contacts[set.front()];
    std::vector<int> carriers;
    for (const int body : {primary.bodyA, primary.bodyB})
      if (scene.world.inverseMass[body] > 0) carriers.push_back(body);
    table.addBlock({kPieceBlock, primary.bodyA, primary.bodyB}, RowForm::Point, carriers);
    for (const int member : set) {
      const ModelContact& contact = scene.contacts[member];
      const Vec3& normal = contact.geometry.normal;
      PointTerm* points = member == set.front()
                              ? test::addContact(table, RowLaw::Maximum, normal, contact.rate, 0)
                              : test::addMember(table, normal, contact.rate);
      for (const int body : carriers)
        *points++ = body == contact.bodyA ? PointTerm{-1, contact.armA} : PointTerm{1, contact.armB};
    }
  }
  return table;
}

static double distance(const json& c, const std::vector<Vec6>& velocities, const json& expected) {
  double largest = 0, size = 1;
  for (std::size_t body = 0; body < velocities.size(); ++body) {
    int entry = 0;
    for (int k : components(c)) {
      const double wanted = expected[body][entry++];
      largest = std::max(largest, std::abs(velocities[body][k] - wanted));
      size = std::max(size, std::abs(wanted));
    }
  }
  return largest / size;
}

static void compareStep(const json& c, const Case& scene, const std::vector<std::vector<int>>& sets,
                        const json& expected, const char* solver) {
  const RowBuffer table = tableOf(scene, sets);
  std::vector<Vec3> inverseMass, linear, angular;
  std::vector<int> units;
  for (const double mass : scene.world.inverseMass) inverseMass.push_back(Vec3::Constant(mass));
  for (const Vec6& velocity : scene.free) {
    linear.push_back(velocity.head<3>());
    angular.push_back(velocity.tail<3>());
  }
  for (int unit = 0; unit < countOf(table.units); ++unit) units.push_back(unit);
  const CarrierMetric metric{inverseMass.data(), scene.world.inverseInertia.data()};
  const CarrierVelocities bodies{linear.data(), angular.data()};
  const DenseProblem island = denseProblem(table.view(), metric, bodies, units, ModelSettings());
  SolverSettings settings;
  settings.tolerance = 1e-11;
  // Sweeps converge as slowly as rows are dependent: the slowest known case takes a few hundred thousand.
  settings.maxIterations = expected["status"] == "none" ? 20000 : 5000000;
  const SolverResult result = makeSolver(solver)->solve(island.problem, {}, settings);
  if (expected["status"] == "none") {
    QVERIFY(result.status != SolveStatus::Solved);
    QCOMPARE(result.status == SolveStatus::NoSolution,
             std::string(solver) == "lemke");  // sweeps cannot prove it
    return;
  }
  QVERIFY2(result.status == SolveStatus::Solved, result.message.c_str());
  std::vector<double> impulses(table.rows.size());
  writeImpulses(table.view(), island, result.z, impulses.data());
  addImpulses(table.view(), metric, units, impulses.data(), bodies);
  std::vector<Vec6> velocities(scene.free.size());
  for (std::size_t body = 0; body < velocities.size(); ++body)
    velocities[body] << linear[body], angular[body];
  double best = 1e300;
  for (const json& candidate : expected["velocities"])
    best = std::min(best, distance(c, velocities, candidate));
  QVERIFY_NEAR(best, 0, 1e-6);
}

void PegVectorsTest::stepsToOneOfTheKnownVelocities() {
  QFETCH(const json*, reference);
  const json& c = *reference;
  const Case scene(c);
  std::vector<std::vector<int>> standard, peg;
  int rows = 0;
  for (std::size_t contact = 0; contact < scene.contacts.size(); ++contact)
    standard.push_back({static_cast<int>(contact)});
  for (const ConstraintSet& set : scene.sets) {
    peg.push_back(set.contacts);
    rows += countOf(set.contacts);
  }
  QCOMPARE(countOf(standard), c["standard"]["rows"].get<int>());
  const json& sizes = c["peg"]["mlcp"];
  QCOMPARE(rows, sizes["n_U"].get<int>() + sizes["n_I"].get<int>() + sizes["n_c"].get<int>());
  for (const char* solver : {"lemke", "pgs"}) {
    compareStep(c, scene, standard, c["standard"], solver);
    compareStep(c, scene, peg, c["peg"], solver);
  }
}

void PegVectorsTest::measuresTheOverlap_data() {
  QTest::addColumn<const json*>("reference");
  for (std::size_t file = 0; file < m_files.size(); ++file) {
    int index = 0;
    for (const json& o : m_files[file]["overlap"]) {
      QTest::newRow(qPrintable(QStringLiteral("%1 overlap %2").arg(file).arg(index))) << &o;
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
    const std::string problem =
        (*reference)["dim"] == 2 ? convexPolygon(points, 1, hulls[side]) : convexHull(points, hulls[side]);
    QVERIFY2(problem.empty(), problem.c_str());
  }
  const Quaternion identity(1, 0, 0, 0);
  const PlacedPolytope a = placed(hulls[0], Vec3::Zero(), identity),
                       b = placed(hulls[1], Vec3::Zero(), identity);
  const double expected = (*reference)["measure"];
  QVERIFY_NEAR(test::intersection(a, b).volume, expected, 1e-9 * std::max(expected, 1e-6));
  QVERIFY_NEAR(test::intersection(b, a).volume, expected, 1e-9 * std::max(expected, 1e-6));
  QCOMPARE(separation(a, b) < 0, expected > 0);
}

QTEST_APPLESS_MAIN(PegVectorsTest)
#include "tst_peg_vectors.moc"
