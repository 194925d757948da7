#include <mujoco/mujoco.h>

#include <QtTest>

#include "core/math/count.h"
#include "core/robot/export/exported_scene.h"
#include "core/robot/export/mjcf_writer.h"
#include "core/robot/scene_readers.h"
#include "tests/scene/scene_folder.h"
#include "tests/support/near.h"

using namespace touchstone;

/// The engine that exported models are for loads them and has the same bodies.
class MujocoExportTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void bodiesAreTheSame_data();
  void bodiesAreTheSame();
  void aStepHasTheContactsOfTheScene();

 private:
  test::SceneFolder m_folder;
};

namespace {

struct Model {
  explicit Model(const std::string& path) : model(mj_loadXML(path.c_str(), nullptr, error, sizeof error)) {}
  ~Model() { mj_deleteModel(model); }
  Model(const Model&) = delete;
  Model& operator=(const Model&) = delete;
  char error[1000] = {};
  mjModel* model;
};

std::string pathOf(const QString& name) {
  return (QStringLiteral(TS_SOURCE_DIR "/datasets/battery/scenes/") + name + ".json").toStdString();
}

Vec3 vectorOf(const mjtNum* numbers) { return {numbers[0], numbers[1], numbers[2]}; }
Quaternion quaternionOf(const mjtNum* numbers) { return {numbers[0], numbers[1], numbers[2], numbers[3]}; }

}  // namespace

void MujocoExportTest::bodiesAreTheSame_data() {
  QTest::addColumn<QString>("name");
  for (const char* name :
       {"isotropy", "table", "corner", "tripod", "free-spin", "mass-ratio", "internal-edges"})
    QTest::newRow(name) << name;
}

void MujocoExportTest::bodiesAreTheSame() {
  QFETCH(QString, name);
  const auto scene = loadScene(pathOf(name));
  const Model loaded(m_folder.write("model.xml", QByteArray::fromStdString(mjcfText(*scene))));
  QVERIFY2(loaded.model, loaded.error);
  const mjModel& model = *loaded.model;
  QCOMPARE(model.nbody, countOf(scene->bodies) + 1);
  QCOMPARE(model.opt.timestep, scene->dt);
  QCOMPARE(model.opt.cone, static_cast<int>(mjCONE_ELLIPTIC));
  QVERIFY(vectorOf(model.opt.gravity) == scene->gravity);
  QCOMPARE(model.nkey, 1);
  for (const Body& body : scene->bodies) {
    const int id = mj_name2id(&model, mjOBJ_BODY, body.name.c_str());
    QVERIFY2(id > 0, body.name.c_str());
    const Quaternion q = quaternionOf(model.body_quat + 4 * id);
    QVERIFY_NEAR((vectorOf(model.body_pos + 3 * id) - body.position).norm(), 0, 1e-12);
    QVERIFY_NEAR(q.angularDistance(body.orientation), 0, 3e-8);  // of an arc cosine; coefficients are below
    QVERIFY_NEAR((q.coeffs() - body.orientation.coeffs()).norm(), 0, 1e-12);
    if (body.motion == Motion::Static) {
      QCOMPARE(model.body_jntnum[id], 0);
      continue;
    }
    QVERIFY_NEAR(model.body_mass[id], body.mass, 1e-12 * body.mass);
    QVERIFY_NEAR(vectorOf(model.body_ipos + 3 * id).norm(), 0, 0);
    const Mat3 R = quaternionOf(model.body_iquat + 4 * id).toRotationMatrix();
    const Mat3 inertia = R * vectorOf(model.body_inertia + 3 * id).asDiagonal() * R.transpose();
    QVERIFY_NEAR((inertia - body.inertia).norm(), 0, 1e-12 * body.inertia.norm());
    const int joint = model.body_jntadr[id];
    const mjtNum *qpos = model.key_qpos + model.jnt_qposadr[joint],
                 *qvel = model.key_qvel + model.jnt_dofadr[joint];
    QVERIFY_NEAR((vectorOf(qpos) - body.position).norm(), 0, 1e-12);
    QVERIFY_NEAR((quaternionOf(qpos + 3).coeffs() - body.orientation.coeffs()).norm(), 0, 1e-12);
    QVERIFY_NEAR((vectorOf(qvel) - body.linearVelocity).norm(), 0, 1e-12);
    QVERIFY_NEAR((quaternionOf(qpos + 3) * vectorOf(qvel + 3) - body.angularVelocity).norm(), 0, 1e-12);
  }
}

void MujocoExportTest::aStepHasTheContactsOfTheScene() {
  const auto scene = loadScene(pathOf("isotropy"));
  const Model loaded(m_folder.write("model.xml", QByteArray::fromStdString(mjcfText(*scene))));
  QVERIFY2(loaded.model, loaded.error);
  const std::unique_ptr<mjData, void (*)(mjData*)> data(mj_makeData(loaded.model), mj_deleteData);
  mj_resetDataKeyframe(loaded.model, data.get(), 0);
  const int steps = 100;
  for (int step = 0; step < steps; ++step) mj_step(loaded.model, data.get());
  QVERIFY(data->ncon >= 8);  // eight pucks on the ground; they lean forward, so that not all corners touch
  for (int contact = 0; contact < data->ncon; ++contact)
    QVERIFY_NEAR(data->contact[contact].friction[0], 0.3, 1e-15);
  // Every puck is braked by μ g along its own way: that engine's friction is a cone as well.
  const double expected = 2 - 0.3 * 9.81 * steps * scene->dt;
  for (int dof = 0; dof < loaded.model->nv; dof += 6) {
    const Vec3 velocity = vectorOf(data->qvel + dof);
    QVERIFY_NEAR(std::hypot(velocity.x(), velocity.z()), expected, 0.01 * expected);
  }
}

QTEST_APPLESS_MAIN(MujocoExportTest)
#include "tst_mujoco_export.moc"
