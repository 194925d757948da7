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
/// Of the size of the scene: how much nearer to each other than their way in the step lets them features may
/// come by forces of elements. Larger: more rows that stay open; smaller: contacts are missed for a step.
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

std::vector<SurfaceContact> SurfaceContacts::find(World& world, bool areVerticesHere) {
  if (!areVerticesHere) placeVertices(world);
  const WorldView view = viewOf(world);
  m_broadPhase.find(world, m_needs, m_candidates);

  std::vector<SurfaceContact> found;
  const std::vector<FeaturePair>& all = m_candidates.features;
  for (std::size_t index = 0; index < all.size();) {
    const FeaturePair& pair = all[index];
    std::size_t next = index + 1;
    if (pair.kind == FeaturePairKind::VertexFace) {
      const auto surfaceOf = [&](const FeaturePair& each) { return view.triangleSurface[each.b]; };
      while (next < all.size() && all[next].kind == pair.kind && all[next].a == pair.a &&
             surfaceOf(all[next]) == surfaceOf(pair))
        ++next;
      if (view.isDeformable(view.vertexBody[pair.a]) || view.isDeformable(view.triangleBody[pair.b]))
        addVertex(world, &all[index], &all[index] + (next - index), found);
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
  const auto at = [&](int k) -> const Vec3& { return world.vertexStart[corners[k]]; };
  const Vec3 area = (at(1) - at(0)).cross(at(2) - at(0));
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
    const auto at = [&](std::size_t k) -> const Vec3& { return world.vertexStart[corners[k]]; };
    const Vec3 weights = closestOnTriangle(p, at(0), at(1), at(2));
    SurfaceContact own;
    own.pair = *pair;
    own.bodyA = surface.vertexBody[pair->a];
    own.bodyB = surface.triangleBody[pair->b];
    for (int k = 0; k < 3; ++k) own.weights[k] = weights[k];
    own.pointA = p;
    own.pointB = weights[0] * at(0) + weights[1] * at(1) + weights[2] * at(2);
    own.gap = (own.pointA - own.pointB).norm();
    least = std::min(least, own.gap);
    isAbove.push_back(weights.minCoeff() > 0);
    near.push_back(own);
  }
  // The nearest ones meet in a corner or an edge: the sum of their normals tells inside from outside.
  constexpr double kAlike = 1 + 1e-9;
  Vec3 outward(0, 0, 0), away(0, 0, 0);
  for (const SurfaceContact& each : near)
    if (each.gap <= least * kAlike) {
      outward += normalOf(world, each.pair.b);
      away = each.pointA - each.pointB;
    }
  // A vertex is behind the triangles around it: of its own surface only those in front of it count.
  const bool isSelf = near.front().bodyA == near.front().bodyB;
  const bool isInside = closed && !isSelf && least > kCoincide && away.dot(outward) < 0;
  bool hasNearest = false;
  for (std::size_t k = 0; k < near.size(); ++k) {
    SurfaceContact& own = near[k];
    const Vec3 normal = normalOf(world, own.pair.b), apart = own.pointA - own.pointB;
    const bool isNearest = !hasNearest && own.gap <= least * kAlike;
    if (!isNearest && (isInside || !isAbove[k] || (closed && apart.dot(normal) < 0))) continue;
    if (isSelf && closed && apart.dot(normal) < 0) continue;
    hasNearest = hasNearest || isNearest;
    if (own.gap <= kCoincide)
      own.normal = -normal;
    else
      own.normal = (isInside ? 1 : -1) / own.gap * apart;
    if (isInside) own.gap = -own.gap;
    if (own.normal.squaredNorm() > 0) found.push_back(own);
  }
}

void SurfaceContacts::addEdges(const World& world, const FeaturePair& pair,
                               std::vector<SurfaceContact>& found) const {
  const SurfaceTopology& surface = *world.surface;
  const auto& a = surface.edges[pair.a];
  const auto& b = surface.edges[pair.b];
  const auto at = [&](int vertex) { return world.vertexStart[vertex]; };
  const Vec3 rows[4] = {at(a[0]), at(a[1]), at(b[0]), at(b[1])};
  SurfaceContact own;
  if (!weightsAt(motionOf(pair.kind, rows, rows), 0, own.weights) || !areInside(pair.kind, own.weights, 0))
    return;
  own.pair = pair;
  own.bodyA = surface.edgeBody[pair.a];
  own.bodyB = surface.edgeBody[pair.b];
  own.pointA = own.weights[0] * rows[0] + own.weights[1] * rows[1];
  own.pointB = own.weights[2] * rows[2] + own.weights[3] * rows[3];
  const Vec3 apart = own.pointB - own.pointA;
  own.gap = apart.norm();
  const Vec3 outA = normalsAtEdge(world, pair.a), outB = normalsAtEdge(world, pair.b);
  own.normal = own.gap > kCoincide ? Vec3(apart / own.gap)
                                   : Vec3((rows[1] - rows[0]).cross(rows[3] - rows[2]).normalized());
  const bool areClosed =
      isClosed(world, surface.edgeSurface[pair.a]) && isClosed(world, surface.edgeSurface[pair.b]);
  if (own.gap <= kCoincide || areClosed) {
    const double alongA = own.normal.dot(outA), alongB = own.normal.dot(outB);
    if (alongA < 0 && alongB > 0) {  // each is within the other body
      own.normal = -own.normal;
      own.gap = -own.gap;
    } else if (areClosed && !(alongA > 0 && alongB < 0)) {
      return;  // no edges of surfaces that face each other
    }
  }
  found.push_back(own);
}

void SurfaceContacts::addPlane(const World& world, const FeaturePair& pair,
                               std::vector<SurfaceContact>& found) const {
  const Vec3 normal = planeNormal(viewOf(world), pair.b);
  SurfaceContact own;
  own.pair = pair;
  own.bodyA = world.surface->vertexBody[pair.a];
  own.bodyB = pair.b;
  own.pointA = world.vertexStart[pair.a];
  own.gap = normal.dot(own.pointA - world.position[pair.b]);
  own.pointB = own.pointA - own.gap * normal;
  own.normal = -normal;
  found.push_back(own);
}

}  // namespace touchstone::nsn
