#include "app/cli/bench_scenes.h"

#include <cmath>
#include <stdexcept>

#include "core/geometry/convex_hull.h"
#include "core/scene/primitives.h"

namespace touchstone::cli {

namespace {

constexpr double kEdge = 0.1;      // m
constexpr double kDensity = 1000;  // kg/m³
constexpr int kStoreys = 10, kCourses = 20;

std::shared_ptr<const Shape> boxShape() {
  auto shape = std::make_shared<Shape>();
  Polytope hull;
  const std::string problem = convexHull(boxPoints(Vec3::Constant(kEdge)), hull);
  if (!problem.empty()) throw std::logic_error(problem);
  shape->pieces.push_back(hull);
  shape->surfaces.push_back(triangulated(hull));
  shape->radius = 0.5 * std::sqrt(3.0) * kEdge;
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

/// @param place  (number) → where the centre of that box is
template <class Place>
std::shared_ptr<Scene> boxesOnPlane(const std::string& name, int bodies, const Place& place) {
  auto scene = std::make_shared<Scene>();
  scene->name = name + "-" + std::to_string(bodies);
  scene->file = scene->name;
  scene->dt = 1e-3;  // twice as long, and boxes on penalty forces hop
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
  const auto shape = boxShape();
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

std::shared_ptr<Scene> wall(int bodies) {
  return boxesOnPlane("wall", bodies, [](int number) {
    const int course = number % kCourses;
    return Vec3(1.05 * kEdge * (number / kCourses + 0.5 * (course % 2)), kEdge * (course + 0.5), 0);
  });
}

}  // namespace touchstone::cli
