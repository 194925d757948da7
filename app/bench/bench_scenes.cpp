#include "app/bench/bench_scenes.h"

#include <cmath>
#include <random>
#include <stdexcept>

#include "core/geometry/convex_hull.h"
#include "core/run/pane_name.h"
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

/// @param edge  m
Body cube(const std::shared_ptr<const Shape>& shape, double edge, int number, const Vec3& position) {
  Body body;
  body.name = std::to_string(number);
  body.shape = shape;
  body.volume = edge * edge * edge;
  body.mass = kDensity * body.volume;
  body.inertia = Mat3::Identity() * (body.mass * edge * edge / 6);
  body.position = position;
  return body;
}

/// @param place  place(number) returns the centre of that box   @param edge  m
template <class Place>
std::shared_ptr<Scene> boxesOnPlane(const std::string& name, int bodies, const Place& place,
                                    double edge = kEdge) {
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
  const auto shape = boxShape(Vec3::Constant(edge));
  for (int number = 0; number < bodies; ++number)
    scene->bodies.push_back(cube(shape, edge, number, place(number)));
  return scene;
}

/// Four walls around the vertical axis through the origin.
/// @param inside  half of the width along x and z, and the whole height [m]   @param thickness  m
void addWalls(Scene& scene, const Vec3& inside, double thickness) {
  for (int wall = 0; wall < 4; ++wall) {
    Body body;
    body.name = "wall " + std::to_string(wall);
    body.motion = Motion::Static;
    const bool isAcross = wall % 2 == 0;
    const Vec3 size(isAcross ? thickness : 2 * inside.x(), inside.y(), isAcross ? 2 * inside.z() : thickness);
    body.shape = boxShape(size);
    const double away = ((isAcross ? inside.x() : inside.z()) + 0.5 * thickness) * (wall < 2 ? 1 : -1);
    body.position = Vec3(isAcross ? away : 0, 0.5 * inside.y(), isAcross ? 0 : away);
    scene.bodies.push_back(body);
  }
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

bool isPenalty(const std::string& pane) { return findMethod(paneWithStep(pane).method)->penalty.has_value(); }

std::shared_ptr<Scene> towersFor(const std::string& pane, int bodies) {
  return towers(bodies, isPenalty(pane) ? kTowerOverlap : 0);
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
  addWalls(*scene, Vec3(inside, height, inside), kEdge);
  return scene;
}

std::shared_ptr<Scene> layersIntoBin(int bodies, int across, int deep) {
  constexpr double kCube = 0.2, kGap = 0.05, kPitch = kCube + kGap;  // m
  constexpr double kLayerShift = 0.1, kShift = 0.01, kTurn = 0.1;    // m, m, rad
  std::mt19937 random(1);
  std::uniform_real_distribution<double> part(-1, 1);
  const auto someVector = [&] {
    Vec3 vector;
    for (int axis = 0; axis < 3; ++axis) vector[axis] = part(random);
    return vector;
  };
  Vec3 ofLayer = Vec3::Zero();  // its shift [m]
  const auto scene = boxesOnPlane(
      "boxes", bodies,
      [&](int number) {
        const int layer = number / (across * deep), place = number % (across * deep);
        if (place == 0) ofLayer = kLayerShift * someVector();
        const Vec3 middle(kPitch * (place % across - 0.5 * (across - 1)) + ofLayer.x(),
                          kGap + 0.5 * kCube + kPitch * layer,
                          kPitch * (place / across - 0.5 * (deep - 1)) + ofLayer.z());
        return Vec3(middle + kShift / std::sqrt(3.0) * someVector());
      },
      kCube);
  scene->dt = 1.0 / 120;
  for (const char* method : {"dpf", "cpf"})  // the springs of the shipped scene `bin`
    scene->parameters[method] = {{"stiffness", 1e5}, {"substeps", 8.0}};
  for (Body& body : scene->bodies)
    if (body.motion == Motion::Dynamic) {
      const Vec3 axis = someVector().normalized();
      body.orientation = Quaternion(Eigen::AngleAxisd(kTurn * part(random), axis));
    }
  const int layers = (bodies + across * deep - 1) / (across * deep);
  addWalls(
      *scene,
      Vec3(0.5 * kPitch * across + kLayerShift, kPitch * (layers + 1), 0.5 * kPitch * deep + kLayerShift),
      kCube);
  return scene;
}

std::shared_ptr<Scene> wall(int bodies) {
  return boxesOnPlane("wall", bodies, [](int number) {
    const int course = number % kCourses;
    return Vec3(1.05 * kEdge * (number / kCourses + 0.5 * (course % 2)), kEdge * (course + 0.5), 0);
  });
}

}  // namespace touchstone::cli
