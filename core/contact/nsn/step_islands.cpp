#include "core/contact/nsn/step_islands.h"

#include <algorithm>

#include "core/constraints/joint_islands.h"
#include "core/constraints/joint_step.h"
#include "core/detect/feature_particles.h"
#include "core/solver/rows/host_islands.h"
#include "core/world/body_pose.h"
#include "core/world/joint_coordinates.h"
#include "core/world/material_friction.h"

namespace touchstone::nsn {

ContactKey contactKeyOf(const ModelContact& contact) {
  return {contact.pieceA, contact.pieceB < 0 ? -1 - contact.bodyB : contact.pieceB,
          2 * static_cast<int>(contact.geometry.kind) + (contact.geometry.vertexOnA ? 1 : 0),
          contact.geometry.featureA, contact.geometry.featureB};
}

ContactKey contactKeyOf(const SurfaceContact& contact) {
  return {-2, -2, static_cast<int>(contact.pair.kind), contact.pair.a, contact.pair.b};
}

namespace {

/// The items that couple bodies into islands, as pairs for islandsOfPairs(). More than two carriers are a
/// chain of pairs, whose first pair stands for the item.
struct CoupledItems {
  enum class Kind { Contact, Joint, Attachment, Element, More };
  struct Item {
    Kind kind;
    int index;
  };
  std::vector<IndexPair> moving;
  std::vector<Item> items;  ///< [moving]

  void add(Kind kind, int index, const std::vector<int>& carriers) {
    if (carriers.empty()) return;
    for (std::size_t k = 0; k + 1 < carriers.size() || k == 0; ++k) {
      moving.push_back({carriers[k], k + 1 < carriers.size() ? carriers[k + 1] : -1});
      items.push_back({k == 0 ? kind : Kind::More, index});
    }
  }
};

class IslandBuilder {
 public:
  explicit IslandBuilder(const DividedStep& step)
      : m_step(step), m_world(step.world), m_view(viewOf(step.world)) {}

  std::vector<Part> parts() {
    const CoupledItems coupled = coupledItems();
    const std::vector<std::vector<int>> islands = islandsOfPairs(coupled.moving, m_view.carrierCount);
    IslandBodies bodies = bodiesOfIslands(islands, coupled.moving, m_view.carrierCount);
    m_place = std::move(bodies.place);
    std::vector<Part> parts(islands.size());
    for (std::size_t index = 0; index < islands.size(); ++index) {
      Part& part = parts[index];
      part.bodies = bodies.ofIsland[index];
      const std::size_t first = part.bodies.front();
      part.replica = (*m_world.constants)[m_world.carrierBody[first]].replica;
      part.island.h = m_world.dt;
      part.island.planar = m_world.scene->planar;
      for (const int body : part.bodies) part.island.bodies.push_back(bodyOf(body));
      for (const int pair : islands[index]) addItem(coupled.items[pair], part);
      for (IslandJoint& joint : part.island.joints) {
        const auto led = std::find(part.joints.begin(), part.joints.end(), joint.joint->mimic.joint);
        if (led != part.joints.end()) joint.mimicked = static_cast<int>(led - part.joints.begin());
      }
    }
    return parts;
  }

 private:
  CoupledItems coupledItems() const {
    using Kind = CoupledItems::Kind;
    CoupledItems coupled;
    const auto keepMoving = [this](std::vector<int> carriers) {
      carriers.erase(std::remove_if(carriers.begin(), carriers.end(),
                                    [&](int carrier) { return !canMove(m_world, carrier); }),
                     carriers.end());
      return carriers;
    };
    for (int index = 0; index < m_step.contacts.count(); ++index) {
      std::vector<int> carriers;
      if (m_step.contacts.isOfPieces(index)) {
        carriers = {m_step.contacts.piece(index).bodyA, m_step.contacts.piece(index).bodyB};
      } else {
        const SurfaceContact& contact = m_step.contacts.surface(index);
        for (const bool isA : {true, false}) {
          const int body = isA ? contact.bodyA : contact.bodyB;
          if (!m_view.isDeformable(body)) {
            carriers.push_back(body);
            continue;
          }
          const ParticleWeights particles = particlesOf(m_view, contact.pair, isA, contact.weights);
          carriers.insert(carriers.end(), particles.carriers, particles.carriers + particles.count);
        }
      }
      coupled.add(Kind::Contact, index, keepMoving(carriers));
    }
    const JointPairs joined = jointPairs(m_world);
    for (std::size_t pair = 0; pair < joined.moving.size(); ++pair) {
      coupled.moving.push_back(joined.moving[pair]);
      coupled.items.push_back({joined.joint[pair] < 0 ? Kind::More : Kind::Joint, joined.joint[pair]});
    }
    const std::vector<ElasticBodies::Attachment>& attachments = m_world.elastic->attachments;
    for (std::size_t index = 0; index < attachments.size(); ++index)
      if (canMove(m_world, attachments[index].carrier))
        coupled.add(Kind::Attachment, static_cast<int>(index),
                    keepMoving({attachments[index].carrier, attachments[index].body}));
    int element = 0;
    const auto addElements = [&](const auto& elements) {
      for (const auto& elementCarriers : elements)
        coupled.add(Kind::Element, element++,
                    keepMoving({std::begin(elementCarriers.carriers), std::end(elementCarriers.carriers)}));
    };
    addElements(m_world.elastic->tetrahedra);
    addElements(m_world.elastic->edges);
    addElements(m_world.elastic->hinges);
    return coupled;
  }

  void addItem(const CoupledItems::Item& item, Part& part) const {
    using Kind = CoupledItems::Kind;
    if (item.kind == Kind::Contact) {
      part.contacts.push_back(item.index);
      part.island.contacts.push_back(m_step.contacts.isOfPieces(item.index)
                                         ? contactOf(m_step.contacts.piece(item.index))
                                         : surfaceContactOf(m_step.contacts.surface(item.index)));
    } else if (item.kind == Kind::Joint) {
      part.joints.push_back(item.index);
      part.island.joints.push_back(jointOf(item.index));
    } else if (item.kind == Kind::Attachment) {
      part.attachments.push_back(item.index);
      part.island.attachments.push_back(attachmentOf(item.index));
    } else if (item.kind == Kind::Element) {
      part.elements.push_back(item.index);
      part.island.elements.push_back(elementOf(item.index));
    }
  }

  IslandAttachment attachmentOf(int index) const {
    const ElasticBodies::Attachment& source = m_world.elastic->attachments[index];
    IslandAttachment attachment;
    attachment.particle = m_place[source.carrier];
    const bool moves = canMove(m_world, source.body);
    attachment.body = moves ? m_place[source.body] : -1;
    const BodyPose pose = poseOf(m_world, source.body);
    attachment.point = moves ? source.local : Vec3(pose.position + pose.orientation * source.local);
    return attachment;
  }

  IslandElement elementOf(int index) const {
    const ElasticBodies& elastic = *m_world.elastic;
    IslandElement element;
    const auto useCarriers = [&](const int* carriers, std::size_t count) {
      for (std::size_t k = 0; k < count; ++k) {
        const std::size_t carrier = carriers[k];
        element.bodies[k] = canMove(m_world, carriers[k]) ? m_place[carrier] : -1;
        element.heldVelocities[k] = m_world.nextLinearVelocity[carrier];
        element.held[k] = m_world.position[carrier] + m_world.dt * m_world.nextLinearVelocity[carrier];
      }
    };
    std::size_t position = index;
    if (position < elastic.tetrahedra.size()) {
      element.tetrahedron = &elastic.tetrahedra[position];
      element.material = &m_world.materials[element.tetrahedron->material];
      useCarriers(element.tetrahedron->carriers, 4);
    } else if (position -= elastic.tetrahedra.size(); position < elastic.edges.size()) {
      element.edge = &elastic.edges[position];
      useCarriers(element.edge->carriers, 2);
    } else {
      element.hinge = &elastic.hinges[position - elastic.edges.size()];
      useCarriers(element.hinge->carriers, 4);
    }
    if (!m_step.warm) return element;
    const auto known = m_step.warm->elements.find(index);
    if (known != m_step.warm->elements.end()) element.force = known->second;
    return element;
  }

  DeformedSide sideOf(const SurfaceContact& contact, bool isA) const {
    DeformedSide side;
    side.isUsed = true;
    const ParticleWeights particles = particlesOf(m_view, contact.pair, isA, contact.weights);
    for (int k = 0; k < particles.count; ++k) {
      const std::size_t carrier = particles.carriers[k];
      const double weight = particles.weights[k];
      if (canMove(m_world, particles.carriers[k])) {
        side.shares.push_back({m_place[carrier], weight});
        continue;
      }
      side.heldVelocity += weight * m_world.nextLinearVelocity[carrier];
      side.held += weight * (m_world.position[carrier] + m_world.dt * m_world.nextLinearVelocity[carrier]);
    }
    return side;
  }

  IslandContact surfaceContactOf(const SurfaceContact& contact) const {
    const std::vector<BodyConstants>& constants = *m_world.constants;
    IslandContact islandContact;
    const auto use = [&](bool isA, int body, const Vec3& point, int& islandBody, Vec3& local,
                         DeformedSide& side) {
      if (m_view.isDeformable(body)) {
        side = sideOf(contact, isA);
        return;
      }
      islandBody = canMove(m_world, body) ? m_place[body] : -1;
      local = localOf(body, point);
    };
    use(true, contact.bodyA, contact.pointA, islandContact.a, islandContact.pointA, islandContact.sideA);
    use(false, contact.bodyB, contact.pointB, islandContact.b, islandContact.pointB, islandContact.sideB);
    islandContact.normal = contact.normal;
    const BodyConstants &a = constants[contact.bodyA], &b = constants[contact.bodyB];
    islandContact.thickness = a.thickness + b.thickness;
    islandContact.thickness +=
        gapLeft(ruleOf(contact.bodyA), contact.gap - islandContact.thickness, m_world.dt);
    islandContact.friction = frictionOf(a, b).dynamicFriction;
    islandContact.force = forceOf(contactKeyOf(contact));
    return islandContact;
  }

  /// In the frame of a body; of one that does not move in the m_world.
  Vec3 localOf(int body, const Vec3& point) const {
    if (!isDynamic(m_world, body)) return point;
    return m_world.orientation[body].conjugate() * Vec3(point - m_world.position[body]);
  }

  IslandJoint jointOf(int index) const {
    const Joint& joint = m_world.scene->joints[index];
    IslandJoint islandJoint;
    islandJoint.joint = &joint;
    const auto placeOf = [&](int body) { return body < 0 ? -1 : m_place[body]; };
    islandJoint.a = placeOf(joint.bodyA);
    islandJoint.b = placeOf(joint.bodyB);
    islandJoint.fixedA = poseOf(m_world, joint.bodyA);
    islandJoint.fixedB = poseOf(m_world, joint.bodyB);
    islandJoint.coordinate = m_world.jointCoordinate[index];
    islandJoint.aim = driveAim(m_world, index, m_world.time + m_world.dt);
    return islandJoint;
  }

  IslandBody bodyOf(int body) const {
    IslandBody islandBody;
    if (body >= m_world.bodyCount()) {
      islandBody.isParticle = true;
      islandBody.pose.position = m_world.position[body];
      islandBody.inverseMass = m_world.inverseMass[body];
      islandBody.linear = m_world.nextLinearVelocity[body];
      return islandBody;
    }
    islandBody.pose = poseOf(m_world, body);
    islandBody.constants = (*m_world.constants)[body];
    islandBody.inverseMass = m_world.inverseMass[body];
    islandBody.inverseInertia = m_world.inverseInertia[body];
    const Mat3 rotation = islandBody.pose.orientation.toRotationMatrix();
    islandBody.inertia = rotation * islandBody.constants.inertia * rotation.transpose();
    islandBody.linear = m_world.nextLinearVelocity[body];
    islandBody.angular = m_world.nextAngularVelocity[body];
    return islandBody;
  }

  IslandContact contactOf(const ModelContact& contact) const {
    const std::vector<BodyConstants>& constants = *m_world.constants;
    IslandContact islandContact;
    islandContact.a = m_place[contact.bodyA];
    islandContact.b = m_place[contact.bodyB];
    islandContact.pointA = localOf(contact.bodyA, contact.geometry.pointA);
    islandContact.pointB = localOf(contact.bodyB, contact.geometry.pointB);
    islandContact.normal = contact.geometry.normal;
    setTurn(contact, islandContact);
    islandContact.thickness = constants[contact.bodyA].thickness + constants[contact.bodyB].thickness;
    // An overlap is undone no faster than the rule says.
    islandContact.thickness +=
        gapLeft(ruleOf(contact.bodyA), contact.geometry.psi - islandContact.thickness, m_world.dt);
    islandContact.friction = frictionInStep(m_view, contact.bodyA, contact.bodyB, islandContact.normal,
                                            contact.armA, contact.armB, m_step.velocityUnit);
    islandContact.force = forceOf(contactKeyOf(contact));
    return islandContact;
  }

  /// Sets the features with which the normal of a contact turns; a body that does not move turns nothing.
  void setTurn(const ModelContact& contact, IslandContact& islandContact) const {
    const PieceContact& geometry = contact.geometry;
    if (geometry.kind == FeaturePairKind::VertexFace) {
      islandContact.turnsWith = geometry.vertexOnA ? TurnsWith::FaceOfB : TurnsWith::FaceOfA;
    } else if (geometry.kind == FeaturePairKind::EdgeEdge) {
      islandContact.turnsWith = TurnsWith::Edges;
      islandContact.edgeA = edgeOf(contact.bodyA, pieceOf(contact, contact.bodyA), geometry.featureA);
      islandContact.edgeB = edgeOf(contact.bodyB, pieceOf(contact, contact.bodyB), geometry.featureB);
    }
  }
  int pieceOf(const ModelContact& contact, int body) const {
    return m_world.pieces->body[contact.pieceA] == body ? contact.pieceA : contact.pieceB;
  }
  /// The direction of an edge in the frame of its body; of one that does not move in the world.
  Vec3 edgeOf(int body, int piece, int edge) const {
    const Shape& shape = *m_world.scene->bodies[body].shape;
    const Polytope& polytope = shape.pieces[m_world.pieces->index[piece]];
    const Polytope::Edge& ends = polytope.edges[edge];
    const Vec3 along = (polytope.vertices[ends.head] - polytope.vertices[ends.tail]).normalized();
    return isDynamic(m_world, body) ? along : Vec3(m_world.orientation[body] * along);
  }

  const RowRules& ruleOf(int body) const {
    const int replica = (*m_world.constants)[body].replica;
    return m_step.rules[m_step.rules.size() == 1 ? 0 : replica];
  }
  /// Initial force of a contact.
  Vec3 forceOf(const ContactKey& key) const {
    if (!m_step.warm) return Vec3(0, 0, 0);
    const auto known = m_step.warm->contacts.find(key);
    return known == m_step.warm->contacts.end() ? Vec3(0, 0, 0) : known->second;
  }

  const DividedStep& m_step;
  const World& m_world;
  WorldView m_view;
  std::vector<int> m_place;  ///< [carrierCount] of a carrier in its island; −1: in none
};

}  // namespace

std::vector<Part> partsOf(const DividedStep& step) { return IslandBuilder(step).parts(); }

}  // namespace touchstone::nsn
