#include <QtTest>
#include <algorithm>
#include <array>

#include "core/contact/contacts_form.h"
#include "core/contact/lcp/lcp.h"
#include "core/geometry/convex_hull.h"
#include "core/run/simulation.h"
#include "tests/contact/method_run.h"

using namespace touchstone;

/// Which contacts a patch of two surfaces keeps, and that they stay the same.
class ContactsOfPatchesTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void sceneAtRestKeepsItsContacts_data();
  void sceneAtRestKeepsItsContacts();
  void aFaceRestsOnFourContacts_data();
  void aFaceRestsOnFourContacts();
  void aPrismStandsOnFourOfEightCorners_data();
  void aPrismStandsOnFourOfEightCorners();
  void flushFacesStayFlushUpToALargerAngle();
  void memoryHoldsWhichFacesAreFlush();
};

namespace {

using Key = std::array<int, 7>;

std::vector<Key> keysOf(const StepRecord& record) {
  std::vector<Key> keys;
  for (const Contact& contact : record.contacts)
    keys.push_back({contact.bodyA, contact.bodyB, contact.pieceA, contact.pieceB,
                    2 * static_cast<int>(contact.kind) + (contact.vertexOnA ? 1 : 0), contact.featureA,
                    contact.featureB});
  std::sort(keys.begin(), keys.end());
  return keys;
}

Simulation simulationOf(const std::shared_ptr<const Scene>& scene, const QString& method,
                        const char* contacts = kPatchContacts) {
  PaneSettings settings;
  settings.method = method.toStdString();
  settings.parameters[kContacts] = std::string(contacts);
  return Simulation(scene, settings, scene->dt);
}

void addMethods() {
  QTest::addColumn<QString>("method");
  for (const char* method : {"lcp", "peg", "nsn"}) QTest::newRow(method) << method;
}

/// An upright prism over a regular octagon, with its lower face at y = 0.
Body octagonPrism(double radius, double height, double mass) {
  std::vector<Vec3> points;
  for (int corner = 0; corner < 8; ++corner)
    for (double y : {-0.5 * height, 0.5 * height})
      points.emplace_back(radius * std::cos(M_PI / 8 + corner * M_PI / 4), y,
                          radius * std::sin(M_PI / 8 + corner * M_PI / 4));
  Polytope piece;
  if (!convexHull(points, piece).empty()) qFatal("no hull");
  Body body = test::box("prism", Vec3(2 * radius, height, 2 * radius), mass, Vec3(0, 0.5 * height, 0));
  auto shape = std::make_shared<Shape>();
  shape->pieces.push_back(piece);
  shape->surfaces.push_back(triangulated(piece));
  for (const Vec3& vertex : piece.vertices) shape->radius = std::max(shape->radius, vertex.norm());
  body.shape = shape;
  return body;
}

}  // namespace

void ContactsOfPatchesTest::sceneAtRestKeepsItsContacts_data() {
  QTest::addColumn<QString>("scene");
  QTest::addColumn<QString>("method");
  QTest::addColumn<int>("contacts");
  for (const char* method : {"lcp", "peg"}) {
    QTest::newRow(qPrintable(QStringLiteral("arch, %1").arg(method))) << "arch" << method << 84;
    QTest::newRow(qPrintable(QStringLiteral("stack, %1").arg(method))) << "heavy-stack" << method << 20;
  }
  QTest::newRow("stack, nsn") << "heavy-stack"
                              << "nsn" << 20;
}

/// Rounding decides neither whether two faces are flush nor which corners of a patch are kept.
void ContactsOfPatchesTest::sceneAtRestKeepsItsContacts() {
  QFETCH(QString, scene);
  QFETCH(QString, method);
  QFETCH(int, contacts);
  constexpr int kRest = 10, kFrames = 80;
  Simulation simulation = simulationOf(test::shipped(scene.toStdString()), method);
  for (int frame = 0; frame < kRest; ++frame) simulation.step();
  const std::vector<Key> keys = keysOf(*simulation.step());
  QCOMPARE(keys.size(), static_cast<std::size_t>(contacts));
  for (int frame = 0; frame < kFrames; ++frame)
    QVERIFY2(keysOf(*simulation.step()) == keys, qPrintable(QString::number(frame)));
}

void ContactsOfPatchesTest::aFaceRestsOnFourContacts_data() { addMethods(); }

void ContactsOfPatchesTest::aFaceRestsOnFourContacts() {
  QFETCH(QString, method);
  Body lower = test::box("lower", Vec3(0.2, 0.2, 0.2), 1, Vec3(0, 0.1, 0)),
       upper = test::box("upper", Vec3(0.2, 0.2, 0.2), 1, Vec3(0.03, 0.3, 0.02));
  auto scene = test::scene({test::ground(), lower, upper}, 0.5);
  for (const char* contacts : {kPatchContacts, kAllContacts}) {
    Simulation simulation = simulationOf(scene, method, contacts);
    for (int frame = 0; frame < 10; ++frame) {
      const RecordPtr record = simulation.step();
      QCOMPARE(record->contacts.size(), std::size_t(8));  // of box and plane, and of both boxes
      const bool tells = record->deliveredBy.find("all contacts") != std::string::npos;
      QCOMPARE(tells, contacts == kAllContacts);
    }
  }
}

void ContactsOfPatchesTest::aPrismStandsOnFourOfEightCorners_data() { addMethods(); }

/// A load beyond the middle presses on the corners that are kept.
void ContactsOfPatchesTest::aPrismStandsOnFourOfEightCorners() {
  QFETCH(QString, method);
  const Body load = test::box("load", Vec3(0.1, 0.1, 0.1), 5, Vec3(0.06, 0.15, 0.03));
  auto scene = test::scene({test::ground(), octagonPrism(0.2, 0.1, 2), load}, 0.5);
  Simulation simulation = simulationOf(scene, method);
  const auto onPlane = [](const StepRecord& record) {
    return std::count_if(record.contacts.begin(), record.contacts.end(),
                         [](const Contact& contact) { return contact.kind == FeaturePairKind::VertexPlane; });
  };
  std::vector<Key> keys;
  for (int frame = 0; frame < 100; ++frame) {
    const RecordPtr record = simulation.step();
    QCOMPARE(static_cast<int>(onPlane(*record)), 4);
    if (frame > 0) QVERIFY(keysOf(*record) == keys);
    keys = keysOf(*record);
  }
  for (int body : {1, 2}) {
    const Vec3 moved = simulation.world().position[body] - scene->bodies[body].position;
    QVERIFY2(moved.norm() < 1e-5, qPrintable(QString::number(moved.norm())));
  }
  Simulation whole = simulationOf(scene, method, kAllContacts);
  QCOMPARE(static_cast<int>(onPlane(*whole.step())), 8);
}

namespace {

/// A box on a block of its size, whose facing faces are by an angle from parallel [rad].
std::shared_ptr<Scene> leaning(double angle) {
  Body box = test::box("box", Vec3(0.2, 0.2, 0.2), 1, Vec3(0, 0.1, 0));
  box.orientation = Quaternion(Eigen::AngleAxisd(angle, Vec3::UnitZ()));
  return test::scene({test::block("block", Vec3(0.2, 0.2, 0.2), Vec3(0, -0.1, 0)), box}, 0.5);
}

std::size_t contactsAfterFirstStep(double angle, const std::string& memory) {
  test::MethodRun run(leaning(angle), lcp::Info::describe(), {{kContacts, std::string(kAllContacts)}});
  if (!memory.empty()) run.restoreMemory(memory);
  run.step();
  return run.record.contacts.size();
}

}  // namespace

void ContactsOfPatchesTest::flushFacesStayFlushUpToALargerAngle() {
  test::MethodRun run(leaning(0), lcp::Info::describe(), {{kContacts, std::string(kAllContacts)}});
  const auto contactsAt = [&run](double angle) {
    run.world.orientation[1] = Quaternion(Eigen::AngleAxisd(angle, Vec3::UnitZ()));
    run.world.position[1] = Vec3(0, 0.1, 0);
    run.world.linearVelocity[1] = run.world.angularVelocity[1] = Vec3::Zero();
    run.step();
    return run.record.contacts.size();
  };
  QVERIFY(contactsAt(2e-4) != 4);  // never flush so far
  QCOMPARE(contactsAt(0.5e-4), std::size_t(4));
  QCOMPARE(contactsAt(2e-4), std::size_t(4));
  QVERIFY(contactsAt(4e-4) != 4);
  QVERIFY(contactsAt(2e-4) != 4);
}

/// A state goes on as the pane would have gone on that it is from.
void ContactsOfPatchesTest::memoryHoldsWhichFacesAreFlush() {
  test::MethodRun run(leaning(0), lcp::Info::describe());
  run.step();
  const std::string memory = run.memory();
  QVERIFY(contactsAfterFirstStep(2e-4, {}) != 4);
  QCOMPARE(contactsAfterFirstStep(2e-4, memory), std::size_t(4));
}

QTEST_GUILESS_MAIN(ContactsOfPatchesTest)
#include "tst_contacts_of_patches.moc"
