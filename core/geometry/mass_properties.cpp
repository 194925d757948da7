#include "core/geometry/mass_properties.h"

namespace touchstone {

namespace {

/// Inertia about the centre from the covariance C = ∫ x xᵀ dV about it: I = tr(C) 1 − C.
Mat3 inertiaOf(const Mat3& covariance) { return covariance.trace() * Mat3::Identity() - covariance; }

/// ∫ x xᵀ dV about a point at `offset` from the centre (parallel axes).
Mat3 moved(const Mat3& inertia, double volume, const Vec3& offset) {
  return inertia + volume * (offset.squaredNorm() * Mat3::Identity() - offset * offset.transpose());
}

}  // namespace

MassProperties massProperties(const TriangleMesh& mesh) {
  MassProperties result;
  if (mesh.triangles.empty()) return result;
  const Vec3 origin = mesh.vertices[mesh.triangles[0][0]];
  Vec3 moment = Vec3::Zero();
  Mat3 covariance = Mat3::Zero();
  for (const auto& triangle : mesh.triangles) {
    const Vec3 a = mesh.vertices[triangle[0]] - origin, b = mesh.vertices[triangle[1]] - origin,
               c = mesh.vertices[triangle[2]] - origin;
    const double volume = a.dot(b.cross(c)) / 6;  // of the tetrahedron (origin, a, b, c)
    const Vec3 sum = a + b + c;
    result.volume += volume;
    moment += volume / 4 * sum;
    covariance +=
        volume / 20 * (sum * sum.transpose() + a * a.transpose() + b * b.transpose() + c * c.transpose());
  }
  const Vec3 centre = moment / result.volume;
  covariance -= result.volume * centre * centre.transpose();
  result.centre = origin + centre;
  result.inertia = inertiaOf(covariance);
  return result;
}

MassProperties about(const MassProperties& solid, const Vec3& point) {
  return {solid.volume, point, moved(solid.inertia, solid.volume, point - solid.centre)};
}

MassProperties combined(const MassProperties& a, const MassProperties& b) {
  MassProperties result;
  result.volume = a.volume + b.volume;
  result.centre = (a.volume * a.centre + b.volume * b.centre) / result.volume;
  result.inertia = moved(a.inertia, a.volume, a.centre - result.centre) +
                   moved(b.inertia, b.volume, b.centre - result.centre);
  return result;
}

}  // namespace touchstone
