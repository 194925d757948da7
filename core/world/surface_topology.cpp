#include <algorithm>
#include <array>
#include <map>
#include <numeric>
#include <set>

#include "core/math/count.h"
#include "core/scene/scale.h"
#include "core/world/exposure.h"
#include "core/world/world.h"

namespace touchstone {

namespace {

// Edges bent by less than this angle are diagonals of a face, not features (Tang uses the edges of the true
// surface). A larger angle drops edges of finely rounded bodies; with a smaller one rounding turns diagonals
// into features.
constexpr double kFlatCosine = 1 - 0.5e-6;  // cos of 1e-3 rad

bool isSharp(const TriangleMesh& mesh, const TriangleMesh::Edge& edge) {
  const bool boundary = edge.right < 0;
  return boundary || (edge.turn < kFlatCosine && (edge.convex || !mesh.closed));
}

/// Trees over the features of one surface, numbered as in its mesh.
struct FeatureTrees {
  TreeLayout triangles, edges;

  explicit FeatureTrees(const TriangleMesh& mesh) {
    std::vector<int> indices(mesh.triangles.size());
    std::iota(indices.begin(), indices.end(), 0);
    triangles = layOutTree(triangleCentres(mesh), indices);

    std::vector<Vec3> centres;
    std::vector<int> sharp;
    for (const TriangleMesh::Edge& edge : mesh.edges) {
      if (isSharp(mesh, edge)) sharp.push_back(countOf(centres));
      centres.push_back(0.5 * (mesh.vertices[edge.tail] + mesh.vertices[edge.head]));
    }
    edges = layOutTree(centres, sharp);
  }
};

struct Appender {
  SurfaceTopology& out;
  std::map<const TriangleMesh*, FeatureTrees> treesOf{};  ///< bodies of one shape share its meshes
  std::vector<PlantedTree> triangleTrees{}, edgeTrees{};

  void add(int body, const TriangleMesh& mesh) {
    const int surface = countOf(out.surfaceBody);
    const int firstVertex = countOf(out.vertexLocal);
    const int firstTriangle = countOf(out.triangles);
    const int firstEdge = countOf(out.edges);
    out.surfaceBody.push_back(body);
    out.surfaceClosed.push_back(mesh.closed ? 1 : 0);
    for (const Vec3& vertex : mesh.vertices) {
      out.vertexLocal.push_back(vertex);
      out.vertexBody.push_back(body);
      out.vertexSurface.push_back(surface);
    }
    for (std::size_t triangle = 0; triangle < mesh.triangles.size(); ++triangle) {
      const auto& t = mesh.triangles[triangle];
      const auto& n = mesh.neighbours[triangle];
      out.triangles.push_back({firstVertex + t[0], firstVertex + t[1], firstVertex + t[2]});
      const auto global = [firstTriangle](int id) { return id < 0 ? -1 : firstTriangle + id; };
      out.triangleNeighbours.push_back({global(n[0]), global(n[1]), global(n[2])});
      out.triangleBody.push_back(body);
      out.triangleSurface.push_back(surface);
    }
    for (const TriangleMesh::Edge& edge : mesh.edges) {
      out.edges.push_back({firstVertex + edge.tail, firstVertex + edge.head});
      out.edgeBody.push_back(body);
      out.edgeSurface.push_back(surface);
      out.edgeSharp.push_back(isSharp(mesh, edge) ? 1 : 0);
    }
    const FeatureTrees& trees = treesOf.try_emplace(&mesh, mesh).first->second;
    triangleTrees.push_back({&trees.triangles, firstTriangle});
    edgeTrees.push_back({&trees.edges, firstEdge});
    closeRanges();
  }

  void closeRanges() {
    out.surfaceFirstVertex.push_back(countOf(out.vertexLocal));
    out.surfaceFirstTriangle.push_back(countOf(out.triangles));
  }
};

}  // namespace

std::shared_ptr<const SurfaceTopology> buildSurfaceTopology(const Scene& scene) {
  auto topology = std::make_shared<SurfaceTopology>();
  Appender appender{*topology};
  appender.closeRanges();
  for (std::size_t body = 0; body < scene.bodies.size(); ++body) {
    const Shape& shape = *scene.bodies[body].shape;
    while (countOf(topology->replicaFirstPlane) <= scene.bodies[body].replica)
      topology->replicaFirstPlane.push_back(countOf(topology->planes));
    if (shape.kind == Shape::Kind::Plane) topology->planes.push_back(static_cast<int>(body));
    for (const TriangleMesh& mesh : shape.surfaces) appender.add(static_cast<int>(body), mesh);
  }
  topology->replicaFirstPlane.resize(scene.replicas + 1, countOf(topology->planes));
  for (const Joint& joint : scene.joints)
    if (joint.bodyA >= 0 && !joint.collide)
      topology->joined.push_back({std::min(joint.bodyA, joint.bodyB), std::max(joint.bodyA, joint.bodyB)});
  for (std::size_t body = 0; body < scene.bodies.size(); ++body) {
    if (!scene.bodies[body].deformable) continue;
    std::set<int> others;
    for (const ParticleAttachment& attachment : scene.bodies[body].deformable->attachments)
      others.insert(attachment.body);
    const int bodyIndex = static_cast<int>(body);
    for (const int other : others)
      topology->joined.push_back({std::min(bodyIndex, other), std::max(bodyIndex, other)});
  }
  for (const auto& [a, b] : scene.noContact) topology->joined.push_back({std::min(a, b), std::max(a, b)});
  std::sort(topology->joined.begin(), topology->joined.end());
  topology->triangleTrees = layOutForest(appender.triangleTrees);
  topology->edgeTrees = layOutForest(appender.edgeTrees);
  return topology;
}

namespace {

/// Finds pairs of pieces that do not move relative to each other and whose boxes are within a distance.
class NeighbourFinder {
 public:
  NeighbourFinder(const Scene& scene, const PieceTable& table, double distance)
      : m_scene(scene), m_table(table) {
    for (std::size_t piece = 0; piece < table.body.size(); ++piece) {
      const Body& body = scene.bodies[table.body[piece]];
      Aabb box;
      for (const Vec3& vertex : body.shape->pieces[table.index[piece]].vertices)
        box.add(worldPoint(body.position, body.orientation, vertex));
      box.grow(0.5 * distance);
      m_boxes.push_back(box);
    }
  }

  /// [pieceCount], each list ascending.
  std::vector<std::vector<int>> find() const {
    std::vector<int> order(m_boxes.size());
    std::iota(order.begin(), order.end(), 0);
    const auto low = [&](int piece) { return m_boxes[piece].low.x(); };
    std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return low(a) < low(b); });
    std::vector<std::vector<int>> lists(m_boxes.size());
    for (std::size_t k = 0; k < order.size(); ++k)
      for (std::size_t m = k + 1; m < order.size() && low(order[m]) <= m_boxes[order[k]].high.x(); ++m)
        if (stayTogether(order[k], order[m]) && overlap(m_boxes[order[k]], m_boxes[order[m]])) {
          lists[order[k]].push_back(order[m]);
          lists[order[m]].push_back(order[k]);
        }
    for (std::vector<int>& list : lists) std::sort(list.begin(), list.end());
    return lists;
  }

 private:
  bool stayTogether(int a, int b) const {
    const Body &bodyA = m_scene.bodies[m_table.body[a]], &bodyB = m_scene.bodies[m_table.body[b]];
    if (&bodyA == &bodyB) return true;
    return bodyA.motion == Motion::Static && bodyB.motion == Motion::Static && bodyA.replica == bodyB.replica;
  }

  const Scene& m_scene;
  const PieceTable& m_table;
  std::vector<Aabb> m_boxes;
};

}  // namespace

std::shared_ptr<const PieceTable> buildPieceTable(const Scene& scene) {
  auto table = std::make_shared<PieceTable>();
  for (std::size_t body = 0; body < scene.bodies.size(); ++body)
    for (std::size_t piece = 0; piece < scene.bodies[body].shape->pieces.size(); ++piece) {
      table->body.push_back(static_cast<int>(body));
      table->index.push_back(static_cast<int>(piece));
    }
  for (const std::vector<int>& list : NeighbourFinder(scene, *table, kFlush * lengthOf(scene)).find())
    table->neighbours.add(list);
  return table;
}

}  // namespace touchstone
