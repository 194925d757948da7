#include "core/record/contact_features.h"

#include "core/math/count.h"
#include "core/record/placed_surface.h"

namespace touchstone {

namespace {

/// True if a body may touch itself.
bool isSelf(const Body& body) { return body.deformable && body.deformable->self; }

}  // namespace

ContactFeatures::ContactFeatures(std::shared_ptr<const Scene> scene)
    : m_scene(std::move(scene)),
      m_surface(buildSurfaceTopology(*m_scene)),
      m_pieces(buildPieceTable(*m_scene)) {}

bool ContactFeatures::has(const Contact& contact, int body, int piece, int id, bool vertex) const {
  const auto inside = [](int index, std::size_t count) {
    return index >= 0 && index < static_cast<int>(count);
  };
  const auto ownedBy = [&](const std::vector<int>& bodies) {
    return inside(id, bodies.size()) && bodies[id] == body;
  };
  if (m_scene->bodies[body].shape->kind == Shape::Kind::Plane) return piece == -1;
  const bool edge = contact.kind == FeaturePairKind::EdgeEdge;
  if (piece == -1)
    return ownedBy(edge ? m_surface->edgeBody : vertex ? m_surface->vertexBody : m_surface->triangleBody);
  if (!inside(piece, m_pieces->body.size()) || m_pieces->body[piece] != body) return false;
  const Polytope& shape = m_scene->bodies[body].shape->pieces[m_pieces->index[piece]];
  return inside(id, edge ? shape.edges.size() : vertex ? shape.vertices.size() : shape.faces.size());
}

bool ContactFeatures::has(const Contact& contact) const {
  const int bodies = countOf(m_scene->bodies);
  return contact.bodyA >= 0 && contact.bodyA <= contact.bodyB && contact.bodyB < bodies &&
         (contact.bodyA < contact.bodyB || isSelf(m_scene->bodies[contact.bodyA])) &&
         has(contact, contact.bodyA, contact.pieceA, contact.featureA, contact.vertexOnA) &&
         has(contact, contact.bodyB, contact.pieceB, contact.featureB, !contact.vertexOnA);
}

BodyFeature ContactFeatures::ofSurface(FeaturePairKind kind, int id, bool vertex) const {
  BodyFeature feature;
  const auto add = [&](int vertexId) {
    feature.points.push_back(m_surface->vertexLocal[vertexId]);
    if (m_scene->bodies[m_surface->vertexBody[vertexId]].deformable)
      feature.vertices.push_back(vertexId -
                                 m_surface->surfaceFirstVertex[m_surface->vertexSurface[vertexId]]);
  };
  if (kind == FeaturePairKind::EdgeEdge) {
    feature.body = m_surface->edgeBody.at(id);
    for (int end : m_surface->edges[id]) add(end);
  } else if (vertex) {
    feature.body = m_surface->vertexBody.at(id);
    add(id);
  } else {
    feature.body = m_surface->triangleBody.at(id);
    for (int corner : m_surface->triangles[id]) add(corner);
  }
  return feature;
}

BodyFeature ContactFeatures::ofPiece(FeaturePairKind kind, int piece, int id, bool vertex) const {
  BodyFeature feature;
  feature.body = m_pieces->body.at(piece);
  const Polytope& shape = m_scene->bodies[feature.body].shape->pieces.at(m_pieces->index[piece]);
  if (kind == FeaturePairKind::EdgeEdge) {
    const Polytope::Edge& edge = shape.edges.at(id);
    feature.points = {shape.vertices[edge.tail], shape.vertices[edge.head]};
  } else if (vertex) {
    feature.points = {shape.vertices.at(id)};
  } else {
    for (int corner : shape.faces.at(id).vertices) feature.points.push_back(shape.vertices[corner]);
  }
  return feature;
}

std::vector<BodyFeature> ContactFeatures::of(const Contact& contact) const {
  const auto feature = [&](int piece, int id, bool vertex) {
    return piece >= 0 ? ofPiece(contact.kind, piece, id, vertex) : ofSurface(contact.kind, id, vertex);
  };
  std::vector<BodyFeature> features;
  const auto isPlane = [&](int body) { return m_scene->bodies.at(body).shape->kind == Shape::Kind::Plane; };
  if (!isPlane(contact.bodyA))
    features.push_back(feature(contact.pieceA, contact.featureA, contact.vertexOnA));
  if (!isPlane(contact.bodyB))
    features.push_back(feature(contact.pieceB, contact.featureB, !contact.vertexOnA));
  return features;
}

bool sameFeatures(const Contact& a, const Contact& b) {
  return a.kind == b.kind && a.bodyA == b.bodyA && a.bodyB == b.bodyB && a.pieceA == b.pieceA &&
         a.pieceB == b.pieceB && a.vertexOnA == b.vertexOnA && a.featureA == b.featureA &&
         a.featureB == b.featureB;
}

std::vector<Vec3> placed(const BodyFeature& feature, const BodyState& body) {
  std::vector<Vec3> points;
  for (const Vec3& point : feature.points) points.push_back(body.position + body.orientation * point);
  return points;
}

std::vector<Vec3> placed(const BodyFeature& feature, const Scene& scene, const StepRecord& record) {
  const std::shared_ptr<const Deformable>& deformable = scene.bodies[feature.body].deformable;
  if (!deformable) return placed(feature, stateIn(scene, record, feature.body));
  const std::vector<Vec3> particles = placedParticles(scene, record, feature.body);
  std::vector<Vec3> points;
  for (int vertex : feature.vertices) points.push_back(placed(deformable->surface[vertex], particles));
  return points;
}

}  // namespace touchstone
