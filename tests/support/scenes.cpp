#include "tests/support/scenes.h"

#include <cmath>
#include <cstdlib>
#include "core/robot/scene_readers.h"

namespace touchstone::test {

std::shared_ptr<const Shape> boxShape(const Vec3& size) {
  auto shape = std::make_shared<Shape>();
  shape->kind = Shape::Kind::Convex;
  Polytope box;
  for (int corner = 0; corner < 8; ++corner)
    box.vertices.push_back(0.5 * Vec3(corner & 1 ? size.x() : -size.x(), corner & 2 ? size.y() : -size.y(),
                                      corner & 4 ? size.z() : -size.z()));
  for (const std::vector<int>& face : std::vector<std::vector<int>>{
           {0, 4, 6, 2}, {1, 3, 7, 5}, {0, 1, 5, 4}, {2, 6, 7, 3}, {0, 2, 3, 1}, {4, 5, 7, 6}})
    box.faces.push_back({face, Vec3::Zero(), 0});
  if (!buildTopology(box).empty()) std::abort();
  shape->pieces.push_back(box);
  shape->surfaces.push_back(triangulated(box));
  shape->radius = 0.5 * size.norm();
  return shape;
}

Body box(const char* name, const Vec3& size, double mass, const Vec3& position) {
  Body body;
  body.name = name;
  body.shape = boxShape(size);
  body.mass = mass;
  const Vec3 s = size.cwiseProduct(size);
  body.inertia = (mass / 12 * Vec3(s.y() + s.z(), s.x() + s.z(), s.x() + s.y())).asDiagonal();
  body.volume = size.prod();
  body.position = position;
  return body;
}

Body ground(double height) {
  Body body;
  body.name = "ground";
  auto shape = std::make_shared<Shape>();
  shape->kind = Shape::Kind::Plane;
  body.shape = shape;
  body.motion = Motion::Static;
  body.position = Vec3(0, height, 0);
  return body;
}

std::shared_ptr<Scene> scene(std::initializer_list<Body> bodies, double friction) {
  auto scene = std::make_shared<Scene>();
  scene->name = "test";
  scene->file = "test";
  Material material;
  material.staticFriction = material.dynamicFriction = friction;
  scene->materials.push_back(material);
  scene->bodies = bodies;
  return scene;
}

std::shared_ptr<const Scene> shipped(const std::string& name) {
  return loadScene(TS_SOURCE_DIR "/datasets/scenes/" + name + ".json");
}

std::shared_ptr<Scene> shipped(const std::string& name, double friction) {
  auto scene = std::make_shared<Scene>(*shipped(name));
  for (Material& material : scene->materials) material.staticFriction = material.dynamicFriction = friction;
  return scene;
}

std::shared_ptr<Scene> tumblingBox() {
  Body body = box("box", Vec3(0.2, 0.2, 0.2), 2, Vec3(0, 0.22, 0));
  body.angularVelocity = Vec3(1, 2, 3);
  body.linearVelocity = Vec3(0.5, 0, 0);
  auto scene = touchstone::test::scene({ground(), body}, 0.4);
  scene->dt = 2e-3;
  scene->size = 0.4;
  return scene;
}

std::shared_ptr<Scene> tower() {
  Body second = box("b", Vec3(0.2, 0.2, 0.2), 1, Vec3(0.03, 0.32, 0.02));
  second.angularVelocity = Vec3(1, 2, 3);
  auto tower = scene({ground(), box("a", Vec3(0.2, 0.2, 0.2), 1, Vec3(0, 0.1, 0)), second}, 0.3);
  tower->dt = 2e-3;
  return tower;
}

std::shared_ptr<Scene> pile(int side, int layers, double friction) {
  auto scene = touchstone::test::scene({ground()}, friction);
  for (int layer = 0; layer < layers; ++layer)
    for (int k = 0; k < side * side; ++k) {
      Body own = box("box", Vec3(0.1, 0.1, 0.1), 1,
                     Vec3(0.102 * (k % side), 0.0501 + 0.1002 * layer, 0.102 * (k / side)));
      own.orientation = Quaternion(Eigen::AngleAxisd(0.02 * layer, Vec3::UnitY()));
      scene->bodies.push_back(own);
    }
  scene->dt = 5e-3;
  scene->size = 1;
  return scene;
}

std::shared_ptr<Scene> pendulum(double angle, double inertia) {
  Body bob = box("bob", Vec3(0.02, 0.02, 0.02), 1, Vec3(std::sin(angle), -std::cos(angle), 0));
  bob.inertia = inertia * Mat3::Identity();
  const auto made = scene({bob});
  made->dt = 1.0 / 120;
  Joint hinge;
  hinge.name = "hinge";
  hinge.kind = JointKind::Revolute;
  hinge.bodyB = 0;
  hinge.frames.anchorB = -bob.position;
  hinge.frames.frameA = hinge.frames.frameB = Quaternion(std::sqrt(0.5), 0, -std::sqrt(0.5), 0);  // e₁ = z
  made->joints.push_back(hinge);
  return made;
}

std::shared_ptr<Scene> weakLift() {
  const auto made = scene({box("slider", Vec3(0.1, 0.1, 0.1), 2, Vec3(0, 0, 0))});
  Joint rail;
  rail.name = "rail";
  rail.kind = JointKind::Prismatic;
  rail.bodyB = 0;
  rail.frames.frameA = rail.frames.frameB = Quaternion(std::sqrt(0.5), 0, 0, std::sqrt(0.5));  // e₁ = y
  rail.drive = {1e5, 100, 1, 0, 8, {}};
  made->joints.push_back(rail);
  return made;
}

std::shared_ptr<Scene> slackRope() {
  const auto made = scene({box("load", Vec3(0.1, 0.1, 0.1), 3, Vec3(0, -0.5, 0))});
  Joint rope;
  rope.name = "rope";
  rope.kind = JointKind::Rope;
  rope.bodyB = 0;
  rope.length = 0.8;
  made->joints.push_back(rope);
  return made;
}

}  // namespace touchstone::test
