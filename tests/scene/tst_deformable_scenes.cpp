#include <QtTest>
#include <cmath>

#include "core/elasticity/tetrahedron.h"
#include "core/elasticity/tetrahedron.inl"
#include "core/files/text_forms.h"
#include "core/scene/replicate.h"
#include "core/scene/variation.h"
#include "core/world/elastic_bodies.h"
#include "tests/scene/msh_text.h"
#include "tests/scene/scene_folder.h"
#include "tests/support/near.h"

using namespace touchstone;

/// Scene files with bodies that deform: what the loader makes of them.
class DeformableScenesTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void aLatticeIsABodyOfParticles();
  void massAndInertiaAreThoseOfTheParticles();
  void aSurfaceIsTiedToItsLattice();
  void theSurfaceMayBeAnyClosedOne_data();
  void theSurfaceMayBeAnyClosedOne();
  void aGmshFileIsABody();
  void clothIsAnOpenSheet();
  void elasticityIsRead();
  void activationIsThatOfItsBox();
  void particlesAreHeldAlongTheirPath();
  void particlesAreAttachedToRigidBodies();
  void copiesAreAttachedToTheirOwnBodies();
  void replicasAreAttachedToTheirOwnBodies();
  void variedBodiesAreAttachedWhereTheyAre();
  void equalBodiesShareTheirShape();
  void stepLimitIsThatOfItsStiffestElement();
  void sizeAndNotesTellOfTheBody();
  void theNoteTellsTheStepThatIsTaken();

 private:
  std::shared_ptr<const Scene> load(const QByteArray& bodies, const QByteArray& more = {}) {
    return m_folder.load(bodies, more);
  }
  test::SceneFolder m_folder;
};

namespace {

const char kBar[] =
    R"({"name": "bar", "position": [1, 2, 3], "density": 1000,
        "shape": {"type": "lattice", "size": [0.4, 0.2, 0.2], "cells": [4, 2, 2]},
        "deformable": {"model": "corotational", "young": 1e5, "poisson": 0.3%1}})";
QByteArray bar(const QByteArray& more = {}) { return QByteArray(kBar).replace("%1", more); }

Vec3 particlePlace(const Body& body, int particle) {
  return body.position + body.orientation * body.deformable->rest[particle];
}
/// Largest distance of an attached particle from its place on its body [m].
double attachmentError(const Scene& scene) {
  double largest = 0;
  for (const Body& body : scene.bodies)
    if (body.deformable)
      for (const ParticleAttachment& attachment : body.deformable->attachments) {
        const Body& rigid = scene.bodies[attachment.body];
        largest = std::max(largest, (particlePlace(body, attachment.particle) - rigid.position -
                                     rigid.orientation * attachment.local)
                                        .norm());
      }
  return largest;
}
bool tells(const Scene& scene, const char* text) {
  for (const std::string& note : scene.notes)
    if (note.find(text) != std::string::npos) return true;
  return false;
}

const char kAttached[] =
    R"(, {"name": "plate", "position": [0.85, 2, 3], "orientation": {"axis": [0, 0, 1], "angle_deg": 90},
          "shape": {"type": "box", "size": [0.2, 0.1, 0.2]}})";
const char kAttach[] = R"(, "attach": [{"body": "plate", "box": [[-0.2, -0.1, -0.1], [-0.2, 0.1, 0.1]]}])";

}  // namespace

void DeformableScenesTest::aLatticeIsABodyOfParticles() {
  const auto scene = load(bar());
  const Body& body = scene->bodies[0];
  QVERIFY(body.deformable != nullptr);
  const Deformable& deformable = *body.deformable;
  QCOMPARE(deformable.rest.size(), std::size_t(5 * 3 * 3));
  QCOMPARE(deformable.tetrahedra.size(), std::size_t(5 * 16));
  QVERIFY(body.shape->kind == Shape::Kind::Mesh && body.shape->pieces.empty());
  QCOMPARE(body.shape->surfaces.size(), std::size_t(1));
  QVERIFY(body.shape->surfaces[0].closed);
  QCOMPARE(deformable.surface.size(), body.shape->surfaces[0].vertices.size());
  for (std::size_t vertex = 0; vertex < deformable.surface.size(); ++vertex) {
    const EmbeddedVertex& tie = deformable.surface[vertex];
    QVERIFY(tie.weights[0] == 1 && tie.particles[1] == -1);
    QVERIFY(deformable.rest[tie.particles[0]] == body.shape->surfaces[0].vertices[vertex]);
  }
  QVERIFY((body.position - Vec3(1, 2, 3)).norm() < 1e-14);
  QVERIFY(body.motion == Motion::Dynamic && !deformable.self);
}

void DeformableScenesTest::massAndInertiaAreThoseOfTheParticles() {
  const Body body = load(bar())->bodies[0];
  QVERIFY_NEAR(body.mass, 1000 * 0.4 * 0.2 * 0.2, 1e-12);
  QVERIFY_NEAR(body.volume, 0.016, 1e-16);
  Vec3 moment = Vec3::Zero();
  Mat3 inertia = Mat3::Zero();
  for (std::size_t particle = 0; particle < body.deformable->rest.size(); ++particle) {
    const Vec3& x = body.deformable->rest[particle];
    moment += body.deformable->mass[particle] * x;
    inertia += body.deformable->mass[particle] * (x.squaredNorm() * Mat3::Identity() - x * x.transpose());
  }
  QVERIFY(moment.norm() < 1e-15);
  QVERIFY((body.inertia - inertia).norm() < 1e-15);
  // Masses at nodes have more inertia than the solid, 16 kg (0.2² + 0.2²) / 12, by up to (h/a)² of it.
  QVERIFY(body.inertia(0, 0) > 16 * 0.08 / 12 && body.inertia(0, 0) < 1.5 * 16 * 0.08 / 12);
  const Body heavy = load(bar().replace("\"density\": 1000", "\"mass\": 5"))->bodies[0];
  QVERIFY_NEAR(heavy.mass, 5, 1e-12);
}

void DeformableScenesTest::aSurfaceIsTiedToItsLattice() {
  const auto scene = load(R"({"name": "ball", "density": 500, "shape": {"type": "sphere", "radius": 0.04,
      "subdivisions": 3}, "deformable": {"young": 5e4, "poisson": 0.45, "cell": 0.02}})");
  const Body& body = scene->bodies[0];
  const Deformable& deformable = *body.deformable;
  QCOMPARE(deformable.tetrahedra.size(), std::size_t(405));
  QVERIFY_NEAR(body.mass, 500 * body.volume, 1e-12 * body.mass);
  QVERIFY_NEAR(body.volume, 4.0 / 3 * M_PI * std::pow(0.04, 3), 0.02 * body.volume);
  QCOMPARE(body.shape->surfaces[0].vertices.size(), std::size_t(642));
  for (std::size_t vertex = 0; vertex < deformable.surface.size(); ++vertex) {
    Vec3 place = Vec3::Zero();
    for (std::size_t k = 0; k < 4; ++k)
      place +=
          deformable.surface[vertex].weights[k] * deformable.rest[deformable.surface[vertex].particles[k]];
    QVERIFY((place - body.shape->surfaces[0].vertices[vertex]).norm() < 1e-16);
  }
  QVERIFY(tells(*scene, "of its cubes"));  // 41 % filled
  QVERIFY(deformable.material.model == ElasticModel::NeoHookean);
}

void DeformableScenesTest::theSurfaceMayBeAnyClosedOne_data() {
  QTest::addColumn<QByteArray>("shape");
  QTest::newRow("box") << QByteArray(R"({"type": "box", "size": [1, 1, 1]})");
  QTest::newRow("cylinder") << QByteArray(R"({"type": "cylinder", "radius": 0.6, "height": 0.9})");
  QTest::newRow("capsule") << QByteArray(R"({"type": "capsule", "radius": 0.5, "length": 0.4})");
  QTest::newRow("polyhedron") << QByteArray(
      R"({"type": "polyhedron", "name": "dodecahedron", "radius": 0.7})");
  QTest::newRow("hull") << QByteArray(R"({"type": "hull", "points": [[0,0,0],[1,0,0],[0,1,0],[0,0,1]]})");
  QTest::newRow("mesh") << QByteArray(R"({"type": "mesh", "file": "cube.obj"})");
}

void DeformableScenesTest::theSurfaceMayBeAnyClosedOne() {
  QFETCH(QByteArray, shape);
  m_folder.write("cube.obj", test::cubeObj());
  const auto scene =
      load(R"({"name": "b", "shape": )" + shape + R"(, "deformable": {"young": 1e5, "cell": 0.2}})");
  const Body& body = scene->bodies[0];
  QVERIFY_NEAR(body.mass, 1000 * body.volume, 1e-9 * body.mass);
  QVERIFY(body.deformable->tetrahedra.size() >= 5 && body.shape->pieces.empty());
  QVERIFY(std::isfinite(body.deformable->stepLimit) && body.deformable->stepLimit > 0);
}

void DeformableScenesTest::aGmshFileIsABody() {
  m_folder.write("two.msh", test::msh2(test::twoTetrahedra()));
  const auto scene = load(R"({"name": "b", "density": 100, "shape": {"type": "mesh", "file": "two.msh",
      "scale": 2}, "deformable": {"young": 1e5}})");
  const Body& body = scene->bodies[0];
  QVERIFY_NEAR(body.mass, 100 * 4, 1e-12);
  QVERIFY(scene->sources.count("two.msh") == 1);
  // The mean of both tetrahedra's middles by their volumes, 1 : 2.
  QVERIFY((body.centre - 2 * (Vec3(0.25, 0.25, 0.25) + 2 * Vec3(0.5, 0.5, 0.5)) / 3).norm() < 1e-14);
  QVERIFY((body.position - body.centre).norm() < 1e-14);
}

void DeformableScenesTest::clothIsAnOpenSheet() {
  const auto scene = load(R"({"name": "sheet", "shape": {"type": "cloth", "size": [0.5, 0.4], "cells": [5, 4],
      "grid": "alternating"}, "deformable": {"area_density": 0.2, "edge_stiffness": 100, "bending": 1e-5,
      "self": true, "mass_damping": 0.5}}, {"name": "band", "shape": {"type": "cloth", "size": [0.5, 0.1],
      "cells": [5, 1]}, "deformable": {"area_density": 0.2, "inextensible": true}})");
  const Body &sheet = scene->bodies[0], &band = scene->bodies[1];
  QVERIFY_NEAR(sheet.mass, 0.2 * 0.2, 1e-15);
  QCOMPARE(sheet.volume, 0.0);
  QVERIFY(!sheet.shape->surfaces[0].closed && sheet.deformable->self);
  QCOMPARE(sheet.deformable->massDamping, 0.5);
  QVERIFY(sheet.deformable->tetrahedra.empty() && !sheet.deformable->hinges.empty());
  QVERIFY(sheet.inertia.determinant() > 0);
  QVERIFY(sheet.deformable->stepLimit > 0);
  QVERIFY(band.deformable->hinges.empty());
  QCOMPARE(band.deformable->stepLimit, 0.0);
  for (const ClothEdge& edge : band.deformable->edges) QVERIFY(std::isinf(edge.stiffness));
}

void DeformableScenesTest::elasticityIsRead() {
  const ElasticMaterial linear = load(bar(R"(, "damping": 0.002)"))->bodies[0].deformable->material;
  QVERIFY(linear.model == ElasticModel::Corotational);
  QVERIFY(linear.young == 1e5 && linear.poisson == 0.3 && linear.dampingTime == 0.002);
  const auto stiff = load(bar().replace("0.3", "0.48"));
  QVERIFY(tells(*stiff, "above 0.47"));
  QVERIFY(!tells(*load(bar()), "above 0.47"));
}

void DeformableScenesTest::activationIsThatOfItsBox() {
  const auto whole = load(bar(R"(, "activation": {"eigenstrain": 0.05})"));
  QVERIFY(whole->bodies[0].deformable->activation.empty());
  QCOMPARE(whole->bodies[0].deformable->material.eigenstrain, 0.05);
  QVERIFY(whole->bodies[0].deformable->eigenstrain.empty());
  const auto ramp = load(bar(R"(, "activation": {"eigenstrain": [[0.5, 0], [1.5, 0.05]]})"));
  const TimePath<double>& path = ramp->bodies[0].deformable->eigenstrain;
  QCOMPARE(path.size(), std::size_t(2));
  QVERIFY(path[1].time == 1.5 && path[1].value == 0.05);
  const auto half =
      load(bar(R"(, "activation": {"eigenstrain": 0.05, "box": [[-0.2, 0, -0.1], [0.2, 0.1, 0.1]]})"));
  const Deformable& deformable = *half->bodies[0].deformable;
  QCOMPARE(deformable.activation.size(), deformable.tetrahedra.size());
  for (std::size_t tet = 0; tet < deformable.tetrahedra.size(); ++tet) {
    double height = 0;
    for (int particle : deformable.tetrahedra[tet]) height += deformable.rest[particle].y() / 4;
    QCOMPARE(deformable.activation[tet], height > 0 ? 1.0 : 0.0);
  }
}

void DeformableScenesTest::particlesAreHeldAlongTheirPath() {
  const auto scene = load(bar(R"(, "held": [{"box": [[-0.2, -0.1, -0.1], [-0.2, 0.1, 0.1]]},
      {"box": [[0.2, -1, -1], [0.3, 1, 1]], "path": [[0, [0, 0, 0]], [2, [0.6, 0, 0]]]}])"));
  const Deformable& deformable = *scene->bodies[0].deformable;
  QCOMPARE(deformable.held.size(), std::size_t(2));
  for (const HeldParticles& held : deformable.held) QCOMPARE(held.particles.size(), std::size_t(9));
  for (int particle : deformable.held[0].particles) QVERIFY_NEAR(deformable.rest[particle].x(), -0.2, 1e-14);
  QVERIFY(deformable.held[0].path.empty());
  QCOMPARE(deformable.held[1].path[1].time, 2.0);
  QVERIFY(deformable.held[1].path[1].value == Vec3(0.6, 0, 0));
  // The frame of boxes is that of the file, also where it is not that of the centre of mass.
  m_folder.write("two.msh", test::msh2(test::twoTetrahedra()));
  const auto mesh = load(R"({"name": "b", "shape": {"type": "mesh", "file": "two.msh"}, "deformable":
      {"young": 1e5, "held": [{"box": [[0, 0, 0], [0, 0, 0]]}]}})");
  const Body& body = mesh->bodies[0];
  const int held = body.deformable->held[0].particles.at(0);
  QVERIFY((particlePlace(body, held)).norm() < 1e-15);
}

void DeformableScenesTest::particlesAreAttachedToRigidBodies() {
  const auto scene = load(bar(kAttach) + kAttached);
  const Deformable& deformable = *scene->bodies[0].deformable;
  QCOMPARE(deformable.attachments.size(), std::size_t(9));
  for (const ParticleAttachment& attachment : deformable.attachments) {
    QCOMPARE(attachment.body, 1);
    // The plate is turned by a quarter about z: 0.05 m before it along −x of the world is along +y of it.
    QVERIFY_NEAR(attachment.local.y(), 0.05, 1e-12);
  }
  QVERIFY(attachmentError(*scene) < 1e-15);
}

void DeformableScenesTest::copiesAreAttachedToTheirOwnBodies() {
  const QByteArray wall = R"(, {"name": "wall", "motion": "static", "position": [1.3, 2, 3],
      "shape": {"type": "box", "size": [0.2, 1, 1]}})";
  const QByteArray attach =
      R"(, "attach": [{"body": "plate", "box": [[-0.2, -0.1, -0.1], [-0.2, 0.1, 0.1]]},
                      {"body": "wall", "box": [[0.2, -0.1, -0.1], [0.2, 0.1, 0.1]]}])";
  const auto scene =
      load(bar(attach) + kAttached + wall, R"("copies": {"count": [2, 2], "spacing": [2, 3]}, )");
  QCOMPARE(scene->bodies.size(), std::size_t(2 * 4 + 1));
  QVERIFY(attachmentError(*scene) < 1e-14);
  for (std::size_t body = 3; body < scene->bodies.size(); body += 2) {
    QVERIFY(scene->bodies[body].deformable != nullptr);
    QVERIFY(scene->bodies[body].shape == scene->bodies[0].shape);
    for (const ParticleAttachment& attachment : scene->bodies[body].deformable->attachments)
      QVERIFY(attachment.body == static_cast<int>(body) + 1 || attachment.body == 2);
  }
}

void DeformableScenesTest::replicasAreAttachedToTheirOwnBodies() {
  const auto scene = load(bar(kAttach) + kAttached);
  const auto copy = replicated(*scene, 3);
  for (std::size_t replica = 0; replica < 3; ++replica)
    for (const ParticleAttachment& attachment : copy->bodies[2 * replica].deformable->attachments)
      QCOMPARE(attachment.body, static_cast<int>(2 * replica + 1));
  QVERIFY(attachmentError(*copy) < 1e-15);
}

void DeformableScenesTest::variedBodiesAreAttachedWhereTheyAre() {
  const auto scene = load(bar(kAttach) + kAttached);
  StartVariation variation;
  variation.position = 0.01;
  variation.angle = 0.1;
  variation.spin = 1;
  const auto other = varied(*scene, variation, 7);
  QVERIFY((other->bodies[0].position - scene->bodies[0].position).norm() > 1e-4);
  QVERIFY(other->bodies[0].angularVelocity == Vec3(0, 0, 0));  // it has none
  QVERIFY(other->bodies[1].angularVelocity.norm() > 0);
  QVERIFY(attachmentError(*other) < 1e-14);
  QVERIFY(other->bodies[0].deformable->rest == scene->bodies[0].deformable->rest);
}

void DeformableScenesTest::equalBodiesShareTheirShape() {
  const auto scene =
      load(bar() + "," + bar().replace("\"bar\"", "\"other\"").replace("[1, 2, 3]", "[0, 0, 0]") + "," +
           bar().replace("\"bar\"", "\"third\"").replace("1e5", "2e5"));
  QVERIFY(scene->bodies[0].shape == scene->bodies[1].shape);
  QVERIFY(scene->bodies[0].deformable == scene->bodies[1].deformable);
  QVERIFY(scene->bodies[0].deformable != scene->bodies[2].deformable);
}

void DeformableScenesTest::stepLimitIsThatOfItsStiffestElement() {
  const Deformable deformable = *load(bar())->bodies[0].deformable;
  double largest = 0;
  for (const auto& tet : deformable.tetrahedra) {
    Vec3 corners[4];
    for (std::size_t k = 0; k < 4; ++k) corners[k] = deformable.rest[tet[k]];
    largest = std::max(largest, frequencyBound(deformable.material, restOf(corners), 1000));
  }
  QVERIFY_NEAR(deformable.stepLimit, 2 / std::sqrt(largest), 1e-9 * deformable.stepLimit);
  // 0.42 to 0.55 of the smallest cell over the speed of sound.
  const double sound = std::sqrt((deformable.material.lambda() + 2 * deformable.material.mu()) / 1000);
  QVERIFY_NEAR(deformable.stepLimit / (0.1 / sound), 0.485, 0.075);
}

void DeformableScenesTest::sizeAndNotesTellOfTheBody() {
  const auto scene = load(bar());
  QVERIFY_NEAR(scene->size, std::sqrt(0.16 + 0.04 + 0.04), 1e-14);
  QVERIFY_NEAR(scene->bodies[0].shape->radius, 0.5 * scene->size, 1e-14);
  QVERIFY(tells(*scene, "'bar': 80 tetrahedra, 45 particles, 16 kg"));
}

/// (2/ω)(√(1 + ζ²) − ζ) of the worst tetrahedron, ζ = β ω / 2, and half of it for large stretch.
void DeformableScenesTest::theNoteTellsTheStepThatIsTaken() {
  for (const double beta : {0.0, 0.001, 0.1}) {
    const auto scene = load(bar(", \"damping\": " + QByteArray::number(beta)));
    const double omega = 2 / scene->bodies[0].deformable->stepLimit, zeta = 0.5 * beta * omega,
                 limit = 0.5 * (2 / omega) * (std::sqrt(1 + zeta * zeta) - zeta);
    const std::string note = "explicit elasticity takes steps of at most " + fourDigits(limit) + " s (";
    QVERIFY2(tells(*scene, note.c_str()), note.c_str());
    const int substeps = explicitSubsteps(*scene, 0.01);  // that a pane takes
    QVERIFY(0.01 / substeps <= limit && (substeps == 1 || 0.01 / (substeps - 1) > limit));
  }
}

QTEST_GUILESS_MAIN(DeformableScenesTest)
#include "tst_deformable_scenes.moc"
