#include "app/bench/bench_scenes.h"

#include <cmath>
#include <random>
#include <stdexcept>

#include "core/geometry/convex_hull.h"
#include "core/shape/primitives.h"

namespace touchstone::cli {

namespace {

constexpr double kEdge = 0.1;      // m
constexpr double kDensity = 1000;  // kg/m³
constexpr int kStoreys = 10, kCourses = 20;

std::shared_ptr<const Shape> boxShape(const Vec3& size) {
  auto shape = std::make_shared<Shape>();
  Polytope hull;
  const std::string problem = convexHull(boxPoints(size), hull);
  if (!problem.empty()) throw std::logic_error(problem);
  shape->pieces.push_back(hull);
  shape->surfaces.push_back(triangulated(hull));
  shape->radius = 0.5 * size.norm();
  return shape;
}

Body box(const std::shared_ptr<const Shape>& shape, int number, const Vec3& position) {
  Body body;
  body.name = std::to_string(number);
  body.shape = shape;
  body.volume = kEdge * kEdge * kEdge;
  body.mass = kDensity * body.volume;
  body.inertia = Mat3::Identity() * (body.mass * kEdge * kEdge / 6);
  body.position = position;
  return body;
}

/// @param place  place(number) returns the centre of that box
template <class Place>
std::shared_ptr<Scene> boxesOnPlane(const std::string& name, int bodies, const Place& place) {
  auto scene = std::make_shared<Scene>();
  scene->name = name + "-" + std::to_string(bodies);
  scene->file = scene->name;
  scene->dt = 1e-3;  // with a step twice as long, boxes on penalty forces bounce
  scene->size = 1;
  Material stone;
  stone.staticFriction = stone.dynamicFriction = 0.5;
  scene->materials.push_back(stone);
  Body ground;
  ground.name = "ground";
  ground.motion = Motion::Static;
  auto plane = std::make_shared<Shape>();
  plane->kind = Shape::Kind::Plane;
  ground.shape = plane;
  scene->bodies.push_back(ground);
  const auto shape = boxShape(Vec3::Constant(kEdge));
  for (int number = 0; number < bodies; ++number) scene->bodies.push_back(box(shape, number, place(number)));
  return scene;
}

}  // namespace

std::shared_ptr<Scene> towers(int bodies, double overlap) {
  return boxesOnPlane("pile", bodies, [overlap](int number) {
    const int tower = number / kStoreys, storey = number % kStoreys;
    // Towers of shifted boxes on a square grid.
    const double shift = 0.01 * std::sin(12.9898 * number);
    double height = kEdge * (storey + 0.5);
    for (int below = 0; below <= storey; ++below) height -= overlap * (kStoreys - below);
    return Vec3(1.3 * kEdge * (tower % 32) + shift, height, 1.3 * kEdge * (tower / 32) - shift);
  });
}

std::shared_ptr<Scene> alignedTowers(int bodies) {
  auto scene = boxesOnPlane("aligned", bodies, [](int number) {
    const int tower = number / kStoreys;
    return Vec3(1.3 * kEdge * (tower % 32), kEdge * (number % kStoreys + 0.5), 1.3 * kEdge * (tower / 32));
  });
  scene->dt = 5e-3;
  return scene;
}

std::shared_ptr<Scene> droppedIntoBin(int bodies) {
  // Distance between dropped boxes: more than the diagonal of a box. If it is smaller, boxes overlap at the
  // start; if it is larger, the drop takes longer.
  constexpr double kCapacity = 1.8 * kEdge;
  const int side = static_cast<int>(std::lround(std::cbrt(bodies)));
  auto scene = boxesOnPlane("dropped", bodies, [side](int number) {
    const int layer = number / (side * side), place = number % (side * side);
    return Vec3(kCapacity * (place % side - 0.5 * (side - 1)), kEdge + kCapacity * layer,
                kCapacity * (place / side - 0.5 * (side - 1)));
  });
  scene->dt = 1.0 / 120;
  std::mt19937 random(1);
  std::normal_distribution<double> normal;
  for (Body& body : scene->bodies)
    if (body.motion == Motion::Dynamic)
      body.orientation =
          Quaternion(normal(random), normal(random), normal(random), normal(random)).normalized();
  const double inside = 0.5 * kCapacity * side, height = kCapacity * side;
  for (int wall = 0; wall < 4; ++wall) {
    Body body;
    body.name = "wall " + std::to_string(wall);
    body.motion = Motion::Static;
    const bool isAcross = wall % 2 == 0;
    const Vec3 size(isAcross ? kEdge : 2 * inside, height, isAcross ? 2 * inside : kEdge);
    body.shape = boxShape(size);
    const double away = (inside + 0.5 * kEdge) * (wall < 2 ? 1 : -1);
    body.position = Vec3(isAcross ? away : 0, 0.5 * height, isAcross ? 0 : away);
    scene->bodies.push_back(body);
  }
  return scene;
}

std::shared_ptr<Scene> wall(int bodies) {
  return boxesOnPlane("wall", bodies, [](int number) {
    const int course = number % kCourses;
    return Vec3(1.05 * kEdge * (number / kCourses + 0.5 * (course % 2)), kEdge * (course + 0.5), 0);
  });
}

}  // namespace touchstone::cli
