#include "core/contact/polytope_contacts.h"

#include <algorithm>
#include <cmath>

namespace touchstone {

namespace {

/// min over the neighbours w of the vertex of η·(w − v)/|w − v|: how far all its edges lean away from the
/// face.
double vertexApplicability(const PlacedPolytope& p, int vertex, const Vec3& eta) {
  double least = 1;
  for (int edge : p.polytope->vertexEdges[vertex]) {
    const Polytope::Edge& e = p.polytope->edges[edge];
    const Vec3 along = p.vertices[e.tail == vertex ? e.head : e.tail] - p.vertices[vertex];
    least = std::min(least, eta.dot(along) / along.norm());
  }
  return least;
}

/// Unit vectors in the faces beside an edge, perpendicular to it, pointing into the faces.
struct EdgeSides {
  Vec3 left, right;
};
EdgeSides sidesOf(const PlacedPolytope& p, int edge) {
  const Polytope::Edge& e = p.polytope->edges[edge];
  const Vec3 direction = (p.vertices[e.head] - p.vertices[e.tail]).normalized();
  return {p.normals[e.left].cross(direction), direction.cross(p.normals[e.right])};
}

}  // namespace

PieceContact vertexFaceContact(const PlacedPolytope& a, int vertex, const PlacedPolytope& b, int face) {
  PieceContact contact;
  contact.vertexOnA = true;
  contact.featureA = vertex;
  contact.featureB = face;
  const Vec3& eta = b.normals[face];
  contact.psi = eta.dot(a.vertices[vertex]) - b.offsets[face];
  contact.normal = -eta;
  contact.pointA = a.vertices[vertex];
  contact.pointB = contact.pointA + contact.psi * contact.normal;
  contact.applicability = vertexApplicability(a, vertex, eta);
  return contact;
}

PieceContact faceVertexContact(const PlacedPolytope& a, int face, const PlacedPolytope& b, int vertex) {
  PieceContact contact;
  contact.vertexOnA = false;
  contact.featureA = face;
  contact.featureB = vertex;
  const Vec3& eta = a.normals[face];
  contact.psi = eta.dot(b.vertices[vertex]) - a.offsets[face];
  contact.normal = eta;
  contact.pointB = b.vertices[vertex];
  contact.pointA = contact.pointB - contact.psi * contact.normal;
  contact.applicability = vertexApplicability(b, vertex, eta);
  return contact;
}

bool edgeEdgeContact(const PlacedPolytope& a, int edgeA, const PlacedPolytope& b, int edgeB,
                     PieceContact& contact) {
  const Polytope::Edge &ea = a.polytope->edges[edgeA], &eb = b.polytope->edges[edgeB];
  const Vec3 &a0 = a.vertices[ea.tail], &b0 = b.vertices[eb.tail];
  const Vec3 da = a.vertices[ea.head] - a0, db = b.vertices[eb.head] - b0;
  const Vec3 cross = da.cross(db);
  const double length = cross.norm();
  constexpr double kParallel = 1e-9;  // sine of the angle below which the normal is noise
  if (length < kParallel * da.norm() * db.norm()) return false;
  Vec3 n = cross / length;
  const EdgeSides sa = sidesOf(a, edgeA), sb = sidesOf(b, edgeB);
  // n from A into B: the faces of A lie behind it (n·t_a ≤ 0), those of B before it.
  const auto away = [&](const Vec3& axis) {
    return std::min({-axis.dot(sa.left), -axis.dot(sa.right), axis.dot(sb.left), axis.dot(sb.right)});
  };
  const double plus = away(n), minus = away(-n);
  if (minus > plus) n = -n;
  contact.kind = FeaturePairKind::EdgeEdge;
  contact.vertexOnA = true;
  contact.featureA = edgeA;
  contact.featureB = edgeB;
  contact.normal = n;
  contact.psi = n.dot(b0 - a0);
  contact.applicability = std::max(plus, minus);
  const Vec3 rho = b0 - a0;
  contact.pointA = a0 + rho.cross(db).dot(cross) / (length * length) * da;
  contact.pointB = b0 + rho.cross(da).dot(cross) / (length * length) * db;
  return true;
}

bool reevaluate(const PlacedPolytope& a, const PlacedPolytope& b, PieceContact& contact) {
  if (contact.kind == FeaturePairKind::EdgeEdge)
    return edgeEdgeContact(a, contact.featureA, b, contact.featureB, contact);
  contact = contact.vertexOnA ? vertexFaceContact(a, contact.featureA, b, contact.featureB)
                              : faceVertexContact(a, contact.featureA, b, contact.featureB);
  return true;
}

Vec3 edgeCross(const PlacedPolytope& p, int edge) {
  const Polytope::Edge& e = p.polytope->edges[edge];
  const Vec3 direction = p.vertices[e.head] - p.vertices[e.tail];
  return direction.cross(Vec3(-(p.normals[e.left] + p.normals[e.right]))).normalized();
}

double segmentDistance(const Vec3& a0, const Vec3& a1, const Vec3& b0, const Vec3& b1, double& s, double& t) {
  const Vec3 da = a1 - a0, db = b1 - b0, r = a0 - b0;
  const double aa = da.squaredNorm(), bb = db.squaredNorm(), ab = da.dot(db), ar = da.dot(r), br = db.dot(r);
  const double determinant = aa * bb - ab * ab;
  const auto clamped = [](double x) { return std::min(1.0, std::max(0.0, x)); };
  s = determinant > 1e-18 * aa * bb ? clamped((ab * br - bb * ar) / determinant) : 0;
  t = (ab * s + br) / bb;
  if (t < 0 || t > 1) {
    t = clamped(t);
    s = clamped((ab * t - ar) / aa);
  }
  return (a0 + s * da - b0 - t * db).norm();
}

}  // namespace touchstone
