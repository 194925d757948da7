#include <cmath>

#include "core/robot/scene_readers.h"
#include "core/scene/scene.h"
#include "tests/support/gui_main.h"
#include "widgets/views/scene_view.h"

using namespace touchstone;

class SceneViewTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void narrowViewsSeeTheWidthOfA4To3View_data();
  void narrowViewsSeeTheWidthOfA4To3View();
  void pictureOfAHeldViewIsThatOfItsLastRecord();
};

void SceneViewTest::narrowViewsSeeTheWidthOfA4To3View_data() {
  QTest::addColumn<QSize>("size");
  QTest::addColumn<double>("across");  // tangents of half the opening
  QTest::addColumn<double>("up");
  const double half = std::tan(15 * EIGEN_PI / 180), width = half * 4 / 3;
  QTest::newRow("wide") << QSize(800, 400) << 2 * half << half;
  QTest::newRow("4:3") << QSize(600, 450) << width << half;
  QTest::newRow("narrow") << QSize(300, 600) << width << 2 * width;
}

void SceneViewTest::narrowViewsSeeTheWidthOfA4To3View() {
  QFETCH(QSize, size);
  QFETCH(double, across);
  QFETCH(double, up);
  SceneView view(loadScene(TS_SOURCE_DIR "/datasets/scenes/pour.json"));
  view.resize(500, 500);
  view.QWidget::show();
  QVERIFY(QTest::qWaitForWindowExposed(&view));
  view.resize(size);
  QTRY_COMPARE(view.size(), size);
  CameraState camera;
  camera.eye = Vec3(0, 0, 5);
  camera.target = Vec3(0, 0, 0);
  camera.angle = 30;
  view.setCameraState(camera);
  QCOMPARE(view.cameraState().angle, 30.0);
  const Vec3 right = view.rayAt(QPoint(size.width(), size.height() / 2)).direction,
             top = view.rayAt(QPoint(size.width() / 2, 0)).direction;
  QVERIFY2(std::abs(right.x() / -right.z() / across - 1) < 0.02,
           qPrintable(QString::number(right.x() / -right.z())));
  QVERIFY2(std::abs(top.y() / -top.z() / up - 1) < 0.02, qPrintable(QString::number(top.y() / -top.z())));
}

void SceneViewTest::pictureOfAHeldViewIsThatOfItsLastRecord() {
  const auto scene = loadScene(TS_SOURCE_DIR "/datasets/scenes/pour.json");
  auto record = std::make_shared<StepRecord>();
  for (const Body& body : scene->bodies)
    record->bodies.push_back({body.position, body.orientation, Vec3(0, 0, 0), Vec3(0, 0, 0), true});
  SceneView view(scene);
  view.resize(400, 300);
  view.QWidget::show();
  QVERIFY(QTest::qWaitForWindowExposed(&view));
  ViewFrame frame;
  frame.record = record;
  view.show(frame);
  const QImage before = view.renderToImage(QSize(200, 150));
  auto moved = std::make_shared<StepRecord>(*record);
  for (BodyState& body : moved->bodies) body.position.y() += 0.3;
  frame.record = moved;
  view.hold();
  view.show(frame);
  const QImage after = view.renderToImage(QSize(200, 150));
  view.release();
  QVERIFY(before != after);
  QCOMPARE(after, view.renderToImage(QSize(200, 150)));
}

TS_GUI_TEST_MAIN(SceneViewTest)
#include "tst_scene_view.moc"
