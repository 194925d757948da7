#include "core/engine/engine_bodies.h"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <utility>

namespace touchstone {

PrincipalAxes principalAxesOf(const Mat3& inertia) {
  // Relative to the trace. A larger value turns the axes of bodies that are nearly, but not quite, aligned; a
  // smaller one turns those of boxes by rounding.
  constexpr double kDiagonal = 1e-12;
  const Mat3 rest = inertia - Mat3(inertia.diagonal().asDiagonal());
  if (rest.cwiseAbs().maxCoeff() <= kDiagonal * inertia.trace())
    return {inertia.diagonal(), Quaternion::Identity()};
  const Eigen::SelfAdjointEigenSolver<Mat3> solved(inertia);
  Mat3 axes = solved.eigenvectors();
  if (axes.determinant() < 0) axes.col(0) = -axes.col(0);
  return {solved.eigenvalues(), Quaternion(axes).normalized()};
}

std::optional<BoxPiece> boxOf(const Polytope& piece) {
  constexpr double kExact = 1e-9;  // of its size: smaller misses boxes that were turned and rounded
  if (piece.planar() || piece.vertices.size() != 8 || piece.faces.size() != 6) return {};
  Vec3 sum = Vec3::Zero();
  for (const Vec3& vertex : piece.vertices) sum += vertex;
  BoxPiece box;
  box.centre = sum / 8;
  const Vec3 x = piece.faces[0].normal;
  const auto other = std::find_if(piece.faces.begin(), piece.faces.end(), [&x](const Polytope::Face& face) {
    return std::abs(face.normal.dot(x)) < 0.5;
  });
  if (other == piece.faces.end()) return {};
  const Vec3 y = (other->normal - other->normal.dot(x) * x).normalized();
  Mat3 axes;
  axes << x, y, x.cross(y);
  const auto corner = [&](const Vec3& vertex) { return Vec3(axes.transpose() * (vertex - box.centre)); };
  box.half = corner(piece.vertices[0]).cwiseAbs();
  int seen = 0;  // corners by signs
  for (const Vec3& vertex : piece.vertices) {
    const Vec3 local = corner(vertex);
    if ((local.cwiseAbs() - box.half).cwiseAbs().maxCoeff() > kExact * box.half.norm()) return {};
    seen |= 1 << ((local.x() > 0) + 2 * (local.y() > 0) + 4 * (local.z() > 0));
  }
  if (seen != 255) return {};
  // The axes of the shape where they are those of the box: then no rotation adds rounding.
  if (axes.cwiseAbs().isApprox(axes.cwiseAbs().array().round().matrix(), kExact)) {
    box.half = (axes.cwiseAbs().array().round().matrix() * box.half).eval();
    return box;
  }
  box.axes = Quaternion(axes).normalized();
  return box;
}

double pairFriction(const Scene& scene, int a, int b) {
  const auto frictionOf = [&scene](int body) {
    return scene.materials[scene.bodies[body].material].dynamicFriction;
  };
  return std::sqrt(frictionOf(a) * frictionOf(b));
}

bool mayMeet(const Scene& scene, int a, int b) {
  const Body &first = scene.bodies[a], &second = scene.bodies[b];
  if (first.motion == Motion::Static && second.motion == Motion::Static) return false;
  if (a == b || first.replica != second.replica) return false;
  return std::none_of(scene.noContact.begin(), scene.noContact.end(), [a, b](const std::array<int, 2>& pair) {
    return (pair[0] == a && pair[1] == b) || (pair[0] == b && pair[1] == a);
  });
}

Contact ascending(const Contact& contact) {
  if (contact.bodyA < contact.bodyB) return contact;
  Contact turned = contact;
  std::swap(turned.bodyA, turned.bodyB);
  std::swap(turned.pointA, turned.pointB);
  turned.normal = -contact.normal;
  turned.frictionImpulse = -contact.frictionImpulse;
  return turned;
}

}  // namespace touchstone
