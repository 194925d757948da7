#include "core/contact/nsn/surface_contacts.h"

#include <algorithm>

#include "core/contact/manifold/continuous_penalty.h"
#include "core/geometry/closest_points.h"
#include "core/math/count.h"
#include "core/parallel/host_backend.h"
#include "core/world/motion.inl"

namespace touchstone::nsn {

namespace {

/// Points closer than this have no direction between them [m].
constexpr double kCoincide = 1e-9;
/// Share of the size of the scene: how much nearer than their motion in the step lets them features may come
/// by forces of elements. Larger: more rows that stay open; smaller: contacts are missed for a step.
constexpr double kReach = 2e-3;

}  // namespace

SurfaceContacts::SurfaceContacts(const World& world) {
  double thickest = 0;
  for (const BodyConstants& body : *world.constants) thickest = std::max(thickest, body.thickness);
  m_needs.features = true;
  m_needs.kinds.convexPairs = false;
  m_needs.kinds.self = true;
  m_needs.margins.assign(world.scene->replicas, 2 * thickest + kReach * world.scene->size);
  int firstTriangle = 0;
  const auto global = [&firstTriangle](int triangle) { return triangle < 0 ? -1 : firstTriangle + triangle; };
  for (const Body& body : world.scene->bodies)
    for (const TriangleMesh& mesh : body.shape->surfaces) {
      for (const TriangleMesh::Edge& edge : mesh.edges)
        m_edgeTriangles.push_back({global(edge.left), global(edge.right)});
      firstTriangle += countOf(mesh.triangles);
    }
}

void SurfaceContacts::placeVertices(World& world) {
  const WorldView view = viewOf(world);
  const HostBackend backend;
  forEach(backend, view.vertexCount, PlaceVertices{view, view.position, view.orientation, view.vertexStart});
  forEach(backend, view.vertexCount,
          PlaceVertices{view, view.predictedPosition, view.predictedOrientation, view.vertexPredicted});
}

std::vector<SurfaceContact> SurfaceContacts::find(World& world, bool areVerticesOnHost) {
  if (!areVerticesOnHost) placeVertices(world);
  const WorldView view = viewOf(world);
  m_broadPhase.find(world, m_needs, m_candidates);

  std::vector<SurfaceContact> found;
  const std::vector<FeaturePair>& features = m_candidates.features;
  for (std::size_t index = 0; index < features.size();) {
    const FeaturePair& pair = features[index];
    std::size_t next = index + 1;
    if (pair.kind == FeaturePairKind::VertexFace) {
      const auto surfaceOf = [&](const FeaturePair& candidate) { return view.triangleSurface[candidate.b]; };
      while (next < features.size() && features[next].kind == pair.kind && features[next].a == pair.a &&
             surfaceOf(features[next]) == surfaceOf(pair))
        ++next;
      if (view.isDeformable(view.vertexBody[pair.a]) || view.isDeformable(view.triangleBody[pair.b]))
        addVertex(world, &features[index], &features[index] + (next - index), found);
    } else if (pair.kind == FeaturePairKind::EdgeEdge) {
      if (view.isDeformable(view.edgeBody[pair.a]) || view.isDeformable(view.edgeBody[pair.b]))
        addEdges(world, pair, found);
    } else if (view.isDeformable(view.vertexBody[pair.a])) {
      addPlane(world, pair, found);
    }
    index = next;
  }
  return found;
}

Vec3 SurfaceContacts::normalOf(const World& world, int triangle) const {
  const auto& corners = world.surface->triangles[triangle];
  const auto corner = [&](int k) -> const Vec3& { return world.vertexStart[corners[k]]; };
  const Vec3 area = (corner(1) - corner(0)).cross(corner(2) - corner(0));
  const double length = area.norm();
  return length > 0 ? Vec3(area / length) : Vec3(0, 0, 0);
}

Vec3 SurfaceContacts::normalsAtEdge(const World& world, int edge) const {
  Vec3 sum(0, 0, 0);
  for (const int triangle : m_edgeTriangles[edge])
    if (triangle >= 0) sum += normalOf(world, triangle);
  return sum;
}

bool SurfaceContacts::isClosed(const World& world, int surface) const {
  return world.surface->surfaceClosed[surface] != 0;
}

void SurfaceContacts::addVertex(const World& world, const FeaturePair* first, const FeaturePair* last,
                                std::vector<SurfaceContact>& found) const {
  const SurfaceTopology& surface = *world.surface;
  const Vec3& p = world.vertexStart[first->a];
  const bool closed = isClosed(world, surface.triangleSurface[first->b]);
  std::vector<SurfaceContact> near;
  std::vector<char> isAbove;  // the closest point lies within the triangle
  double least = HUGE_VAL;
  for (const FeaturePair* pair = first; pair != last; ++pair) {
    const auto& corners = surface.triangles[pair->b];
    const auto corner = [&](std::size_t k) -> const Vec3& { return world.vertexStart[corners[k]]; };
    const Vec3 weights = closestOnTriangle(p, corner(0), corner(1), corner(2));
    SurfaceContact contact;
    contact.pair = *pair;
    contact.bodyA = surface.vertexBody[pair->a];
    contact.bodyB = surface.triangleBody[pair->b];
    for (int k = 0; k < 3; ++k) contact.weights[k] = weights[k];
    contact.pointA = p;
    contact.pointB = weights[0] * corner(0) + weights[1] * corner(1) + weights[2] * corner(2);
    contact.gap = (contact.pointA - contact.pointB).norm();
    least = std::min(least, contact.gap);
    isAbove.push_back(weights.minCoeff() > 0);
    near.push_back(contact);
  }
  // The nearest ones meet in a corner or an edge: the sum of their normals tells inside from outside.
  constexpr double kAlike = 1 + 1e-9;
  Vec3 outward(0, 0, 0), away(0, 0, 0);
  for (const SurfaceContact& contact : near)
    if (contact.gap <= least * kAlike) {
      outward += normalOf(world, contact.pair.b);
      away = contact.pointA - contact.pointB;
    }
  // A vertex is behind the triangles around it: of its own surface only those in front of it count.
  const bool isSelf = near.front().bodyA == near.front().bodyB;
  const bool isInside = closed && !isSelf && least > kCoincide && away.dot(outward) < 0;
  bool hasNearest = false;
  for (std::size_t k = 0; k < near.size(); ++k) {
    SurfaceContact& contact = near[k];
    const Vec3 normal = normalOf(world, contact.pair.b), apart = contact.pointA - contact.pointB;
    const bool isNearest = !hasNearest && contact.gap <= least * kAlike;
    if (!isNearest && (isInside || !isAbove[k] || (closed && apart.dot(normal) < 0))) continue;
    if (isSelf && closed && apart.dot(normal) < 0) continue;
    hasNearest = hasNearest || isNearest;
    if (contact.gap <= kCoincide)
      contact.normal = -normal;
    else
      contact.normal = (isInside ? 1 : -1) / contact.gap * apart;
    if (isInside) contact.gap = -contact.gap;
    if (contact.normal.squaredNorm() > 0) found.push_back(contact);
  }
}

void SurfaceContacts::addEdges(const World& world, const FeaturePair& pair,
                               std::vector<SurfaceContact>& found) const {
  const SurfaceTopology& surface = *world.surface;
  const auto& a = surface.edges[pair.a];
  const auto& b = surface.edges[pair.b];
  const auto startOf = [&](int vertex) { return world.vertexStart[vertex]; };
  const Vec3 rows[4] = {startOf(a[0]), startOf(a[1]), startOf(b[0]), startOf(b[1])};
  SurfaceContact contact;
  if (!weightsAt(motionOf(pair.kind, rows, rows), 0, contact.weights) ||
      !areInside(pair.kind, contact.weights, 0))
    return;
  contact.pair = pair;
  contact.bodyA = surface.edgeBody[pair.a];
  contact.bodyB = surface.edgeBody[pair.b];
  contact.pointA = contact.weights[0] * rows[0] + contact.weights[1] * rows[1];
  contact.pointB = contact.weights[2] * rows[2] + contact.weights[3] * rows[3];
  const Vec3 apart = contact.pointB - contact.pointA;
  contact.gap = apart.norm();
  const Vec3 outA = normalsAtEdge(world, pair.a), outB = normalsAtEdge(world, pair.b);
  contact.normal = contact.gap > kCoincide ? Vec3(apart / contact.gap)
                                           : Vec3((rows[1] - rows[0]).cross(rows[3] - rows[2]).normalized());
  const bool areClosed =
      isClosed(world, surface.edgeSurface[pair.a]) && isClosed(world, surface.edgeSurface[pair.b]);
  if (contact.gap <= kCoincide || areClosed) {
    const double alongA = contact.normal.dot(outA), alongB = contact.normal.dot(outB);
    if (alongA < 0 && alongB > 0) {  // each is within the other body
      contact.normal = -contact.normal;
      contact.gap = -contact.gap;
    } else if (areClosed && !(alongA > 0 && alongB < 0)) {
      return;  // no edges of surfaces that face each other
    }
  }
  found.push_back(contact);
}

void SurfaceContacts::addPlane(const World& world, const FeaturePair& pair,
                               std::vector<SurfaceContact>& found) const {
  const Vec3 normal = planeNormal(viewOf(world), pair.b);
  SurfaceContact contact;
  contact.pair = pair;
  contact.bodyA = world.surface->vertexBody[pair.a];
  contact.bodyB = pair.b;
  contact.pointA = world.vertexStart[pair.a];
  contact.gap = normal.dot(contact.pointA - world.position[pair.b]);
  contact.pointB = contact.pointA - contact.gap * normal;
  contact.normal = -normal;
  found.push_back(contact);
}

}  // namespace touchstone::nsn
