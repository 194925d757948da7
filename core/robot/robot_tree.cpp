#include "core/robot/robot_tree.h"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <array>

#include "core/shape/primitives.h"

namespace touchstone {

namespace {

/// Takes the y axis of the program's cylinders and capsules to the z axis of robots' files.
Quaternion yToZ() { return {std::sqrt(0.5), std::sqrt(0.5), 0, 0}; }

Mat3 diagonal(double x, double y, double z) { return Vec3(x, y, z).asDiagonal(); }

}  // namespace

Quaternion rotationAbout(const Vec3& unitAxis, double angle) {
  const Vec3 v = std::sin(0.5 * angle) * unitAxis;
  return {std::cos(0.5 * angle), v.x(), v.y(), v.z()};
}

RobotInertia together(const RobotInertia& a, const RobotInertia& b) {
  RobotInertia sum;
  sum.mass = a.mass + b.mass;
  if (!(sum.mass > 0)) return sum;
  sum.centre = (a.mass * a.centre + b.mass * b.centre) / sum.mass;
  for (const RobotInertia* part : {&a, &b}) {  // Steiner
    const Vec3 d = part->centre - sum.centre;
    sum.inertia += part->inertia + part->mass * (d.squaredNorm() * Mat3::Identity() - d * d.transpose());
  }
  return sum;
}

bool isInertia(const Mat3& inertia) {
  if (!inertia.allFinite()) return false;
  const Vec3 moments = Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d>(inertia).eigenvalues();
  // As in scene files: rounded digits of flat bodies are allowed. The least moment of a real body is not
  // smaller than rounding of the largest.
  return moments[0] > 1e-9 * moments[2] && moments[2] <= (moments[0] + moments[1]) * (1 + 1e-6);
}

Quaternion principalAxes(const Mat3& inertia, Vec3& moments) {
  const Mat3 off = inertia - Mat3(inertia.diagonal().asDiagonal());
  moments = inertia.diagonal();
  if (off.cwiseAbs().maxCoeff() <= 1e-12 * moments.maxCoeff()) return {1, 0, 0, 0};
  const Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d> solver(inertia);
  const Eigen::Matrix3d axes = solver.eigenvectors();
  // Of the orders of the axes the one whose diagonal is largest, so that the rotation is small.
  std::array<int, 3> order = {0, 1, 2}, best = order;
  double largest = -1;
  do {
    double trace = 0;
    for (int k = 0; k < 3; ++k) trace += std::abs(axes(k, order[k]));
    if (trace > largest + 1e-9) {
      largest = trace;
      best = order;
    }
  } while (std::next_permutation(order.begin(), order.end()));
  Mat3 sortedAxes;
  for (int k = 0; k < 3; ++k) {
    const int column = best[k];
    sortedAxes.col(k) = axes.col(column) * (axes(k, column) < 0 ? -1 : 1);
    moments[k] = solver.eigenvalues()[column];
  }
  if (sortedAxes.determinant() < 0) sortedAxes.col(2) *= -1;
  Quaternion rotation(sortedAxes);
  rotation.normalize();
  return rotation;
}

RobotShape boxShape(const Vec3& size) {
  RobotShape shape;
  shape.piece = {{"type", "box"}, {"size", {size.x(), size.y(), size.z()}}};
  const Vec3 square = size.cwiseProduct(size);
  shape.solid.volume = size.prod();
  shape.solid.inertia = shape.solid.volume / 12 *
                        diagonal(square.y() + square.z(), square.x() + square.z(), square.x() + square.y());
  return shape;
}

RobotShape sphereShape(double radius) {
  RobotShape shape;
  shape.piece = {{"type", "sphere"}, {"radius", radius}};
  shape.solid.volume = 4.0 / 3 * M_PI * std::pow(radius, 3);
  shape.solid.inertia = 0.4 * shape.solid.volume * radius * radius * Mat3::Identity();
  return shape;
}

RobotShape cylinderShape(double radius, double height) {
  RobotShape shape;
  shape.piece = {{"type", "cylinder"}, {"radius", radius}, {"height", height}};
  shape.pose.orientation = yToZ();
  const double volume = M_PI * radius * radius * height, across = radius * radius / 4 + height * height / 12;
  shape.solid.volume = volume;
  shape.solid.inertia = volume * diagonal(across, radius * radius / 2, across);
  return shape;
}

RobotShape capsuleShape(double radius, double length) {
  RobotShape shape;
  shape.piece = {{"type", "capsule"}, {"radius", radius}, {"length", length}};
  shape.pose.orientation = yToZ();
  const double r = radius, tube = M_PI * r * r * length, ball = 4.0 / 3 * M_PI * r * r * r;
  const double along = tube * r * r / 2 + ball * 0.4 * r * r;
  // Each half ball by Steiner about its own centre of mass, 3/8 r from its flat side.
  const double across = tube * (r * r / 4 + length * length / 12) +
                        ball * (0.4 * r * r + length * length / 4 + 3 * length * r / 8);
  shape.solid.volume = tube + ball;
  shape.solid.inertia = diagonal(across, along, across);
  return shape;
}

RobotShape ellipsoidShape(const Vec3& radii) {
  RobotShape shape;
  shape.piece = {{"type", "hull"}, {"points", nlohmann::ordered_json::array()}};
  for (const Vec3& point : spherePoints(1, 2)) {
    const Vec3 corner = point.cwiseProduct(radii);
    shape.piece["points"].push_back({corner.x(), corner.y(), corner.z()});
  }
  const Vec3 square = radii.cwiseProduct(radii);
  shape.solid.volume = 4.0 / 3 * M_PI * radii.prod();
  shape.solid.inertia = shape.solid.volume / 5 *
                        diagonal(square.y() + square.z(), square.x() + square.z(), square.x() + square.y());
  return shape;
}

RobotShape meshShape(const std::string& file, const Vec3& scale, const Polytope& hull) {
  RobotShape shape;
  shape.piece = {{"type", "hull"}, {"file", file}};
  if (scale != Vec3(1, 1, 1)) shape.piece["scale"] = {scale.x(), scale.y(), scale.z()};
  shape.solid = massProperties(triangulated(hull));
  return shape;
}

}  // namespace touchstone
