#include "core/world/elastic_bodies.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "core/elasticity/cloth.h"
#include "core/elasticity/tetrahedron.inl"
#include "core/math/count.h"

namespace touchstone {

namespace {

class ElasticAppender {
 public:
  ElasticAppender(const Scene& scene, ElasticBodies& out) : m_bodyCount(countOf(scene.bodies)), m_out(out) {}

  void add(const Body& body) {
    beginBody();
    if (!body.deformable) return;
    const Deformable& deformable = *body.deformable;
    m_first = m_bodyCount + m_out.particleCount();
    addParticles(deformable);
    for (std::size_t tet = 0; tet < deformable.tetrahedra.size(); ++tet) addTetrahedron(deformable, tet);
    for (const ClothEdge& edge : deformable.edges)
      m_out.edges.push_back(
          {{carrier(edge.particles[0]), carrier(edge.particles[1])}, edge.length, edge.stiffness});
    for (const ClothHinge& hinge : deformable.hinges) {
      HingeElement element{{}, hinge.angle, hinge.stiffness};
      for (std::size_t k = 0; k < 4; ++k) element.carriers[k] = carrier(hinge.particles[k]);
      m_out.hinges.push_back(element);
    }
  }

  /// Vertices of a surface of a body, in the order of SurfaceTopology.
  void addSurface(const Body& body, const TriangleMesh& mesh) {
    if (!body.deformable) {
      m_out.vertices.resize(m_out.vertices.size() + mesh.vertices.size());
      return;
    }
    for (const EmbeddedVertex& vertex : body.deformable->surface) {
      VertexCarriers vertexCarriers;
      for (std::size_t k = 0; k < 4; ++k) {
        if (vertex.particles[k] < 0) continue;
        vertexCarriers.carriers[k] = carrier(vertex.particles[k]);
        vertexCarriers.weights[k] = vertex.weights[k];
      }
      m_out.vertices.push_back(vertexCarriers);
    }
  }

  /// Lists the slots of each particle.
  void finish() {
    beginBody();
    std::vector<std::vector<int>> slots(m_out.particleMass.size());
    int element = 0;
    const auto list = [&](const auto& elements, int corners) {
      for (const auto& elementCarriers : elements) {
        for (int corner = 0; corner < corners; ++corner)
          slots[elementCarriers.carriers[corner] - m_bodyCount].push_back(4 * element + corner);
        ++element;
      }
    };
    list(m_out.tetrahedra, 4);
    list(m_out.edges, 2);
    list(m_out.hinges, 4);
    for (const std::vector<int>& elementSlots : slots) {
      m_out.slots.insert(m_out.slots.end(), elementSlots.begin(), elementSlots.end());
      m_out.firstSlot.push_back(countOf(m_out.slots));
    }
  }

 private:
  void beginBody() {
    m_out.firstParticle.push_back(m_out.particleCount());
    m_out.firstTetrahedron.push_back(countOf(m_out.tetrahedra));
  }

  int carrier(int particle) const { return m_first + particle; }

  void addParticles(const Deformable& deformable) {
    const std::size_t before = m_out.hold.size();
    for (const double mass : deformable.mass) {
      m_out.particleMass.push_back(mass);
      m_out.massDamping.push_back(deformable.massDamping);
      m_out.hold.push_back(-1);
    }
    for (const HeldParticles& held : deformable.held) {
      for (const int particle : held.particles) m_out.hold[before + particle] = countOf(m_out.holds);
      m_out.holds.push_back(held);
    }
    for (const ParticleAttachment& attachment : deformable.attachments)
      m_out.attachments.push_back({carrier(attachment.particle), attachment.body, attachment.local});
    m_out.hasUnknownForces = m_out.hasUnknownForces || !deformable.held.empty() || deformable.massDamping > 0;
    m_out.isDriven = m_out.isDriven || !deformable.held.empty() || !deformable.eigenstrain.empty();
    m_materialOf.clear();
  }

  void addTetrahedron(const Deformable& deformable, std::size_t index) {
    TetrahedronElement element;
    Vec3 corners[4];
    for (std::size_t k = 0; k < 4; ++k) {
      const int particle = deformable.tetrahedra[index][k];
      element.carriers[k] = carrier(particle);
      corners[k] = deformable.rest[particle];
    }
    element.rest = restOf(corners);
    const double share = deformable.activation.empty() ? 1 : deformable.activation[index];
    const auto [entry, isNew] = m_materialOf.try_emplace(share, countOf(m_out.materials));
    if (isNew) {
      m_out.materials.push_back(deformable.material);
      m_out.materials.back().eigenstrain *= share;
      m_out.eigenstrains.push_back(deformable.eigenstrain);
      for (TimedValue<double>& point : m_out.eigenstrains.back()) point.value *= share;
    }
    element.material = entry->second;
    m_out.tetrahedra.push_back(element);
  }

  int m_bodyCount, m_first = 0;
  ElasticBodies& m_out;
  std::map<double, int> m_materialOf;  ///< of the body, by share of its eigenstrain
};

/// use(begin, end) of the tetrahedra of each body of the scene, in order.
template <class Use>
void eachBodyOf(const ElasticBodies& bodies, const Use& use) {
  for (std::size_t body = 0; body + 1 < bodies.firstTetrahedron.size(); ++body)
    use(bodies.firstTetrahedron[body], bodies.firstTetrahedron[body + 1]);
}

Mat3 gradientOf(const TetrahedronElement& tet, const Vec3* position) {
  Vec3 x[4];
  gatherCorners(tet.carriers, position, x);
  return deformationGradient(tet.rest, x);
}

}  // namespace

std::shared_ptr<const ElasticBodies> buildElasticBodies(const Scene& scene) {
  auto bodies = std::make_shared<ElasticBodies>();
  const bool isAny = std::any_of(scene.bodies.begin(), scene.bodies.end(),
                                 [](const Body& body) { return body.deformable != nullptr; });
  if (!isAny) return bodies;
  ElasticAppender appender(scene, *bodies);
  for (const Body& body : scene.bodies) {
    appender.add(body);
    for (const TriangleMesh& mesh : body.shape->surfaces) appender.addSurface(body, mesh);
  }
  appender.finish();
  return bodies;
}

Vec3 holdOffset(const HeldParticles& held, double time) {
  return held.path.empty() ? Vec3(0, 0, 0) : valueAt(held.path, time);
}

void findMaterials(const ElasticBodies& bodies, double time, std::vector<ElasticMaterial>& materials) {
  materials = bodies.materials;
  for (std::size_t material = 0; material < materials.size(); ++material)
    if (!bodies.eigenstrains[material].empty())
      materials[material].eigenstrain = valueAt(bodies.eigenstrains[material], time);
}

ElasticSums elasticSumsOf(const ElasticBodies& bodies, const Vec3* position, double time) {
  ElasticSums sums;
  std::vector<ElasticMaterial> materials;
  findMaterials(bodies, time, materials);
  eachBodyOf(bodies, [&](int begin, int end) {
    double atRest = 0, now = 0;
    for (int index = begin; index < end; ++index) {
      const TetrahedronElement& tet = bodies.tetrahedra[index];
      const Mat3 F = gradientOf(tet, position);
      const double J = F.determinant();
      sums.energy += elasticEnergy(materials[tet.material], tet.rest, F);
      sums.inverted += J <= 0;
      sums.strain = std::max(sums.strain, largestStrain(F));
      atRest += tet.rest.volume;
      now += J * tet.rest.volume;
    }
    if (atRest > 0) sums.volumeError = std::max(sums.volumeError, std::abs(now / atRest - 1));
  });
  for (const EdgeElement& edge : bodies.edges) {
    const double c = (position[edge.carriers[1]] - position[edge.carriers[0]]).norm() - edge.length;
    sums.strain = std::max(sums.strain, std::abs(c / edge.length));
    if (std::isfinite(edge.stiffness)) sums.energy += 0.5 * edge.stiffness * c * c;
  }
  Vec3 x[4];
  for (const HingeElement& hinge : bodies.hinges) {
    gatherCorners(hinge.carriers, position, x);
    const double c = wrappedAngle(hingeBend(x).angle - hinge.angle);
    sums.energy += 0.5 * hinge.stiffness * c * c;
  }
  return sums;
}

std::vector<int> invertedTetrahedra(const ElasticBodies& bodies, const Vec3* position) {
  std::vector<int> inverted;
  eachBodyOf(bodies, [&](int begin, int end) {
    int count = 0;
    for (int index = begin; index < end; ++index)
      count += gradientOf(bodies.tetrahedra[index], position).determinant() <= 0;
    inverted.push_back(count);
  });
  return inverted;
}

double explicitStepLimit(const Scene& scene) {
  double shortest = HUGE_VAL;
  for (const Body& body : scene.bodies)
    if (body.deformable) shortest = std::fmin(shortest, explicitStepLimit(*body.deformable));
  return shortest;
}

int explicitSubsteps(const Scene& scene, double dt) {
  const double limit = explicitStepLimit(scene), count = limit > 0 ? std::ceil(dt / limit) : HUGE_VAL;
  return count < std::numeric_limits<int>::max() ? std::max(1, static_cast<int>(count))
                                                 : std::numeric_limits<int>::max();
}

}  // namespace touchstone
