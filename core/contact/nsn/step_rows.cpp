#include "core/contact/nsn/step_rows.h"

#include <algorithm>
#include <limits>
#include <numeric>

#include "core/constraints/kinds/registered_kinds.h"
#include "core/contact/nsn/geometric_stiffness.h"
#include "core/detect/feature_particles.h"
#include "core/elasticity/element_rows.inl"
#include "core/solver/product/limiting_accuracy.h"
#include "core/world/material_friction.h"

namespace touchstone::nsn {

namespace {

const RowRules& ruleOf(const World& world, const std::vector<RowRules>& rules, int body) {
  return rules[rules.size() == 1 ? 0 : (*world.constants)[body].replica];
}

/// A point of the world in the frame of a body.
Vec3 localOf(const World& world, int body, const Vec3& point) {
  return world.orientation[body].conjugate() * Vec3(point - world.position[body]);
}

/// Contacts in the order of their keys, and which each of them was.
void sortByKey(std::vector<GapContact>& gaps, std::vector<int>& order) {
  order.resize(gaps.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return gaps[a].key < gaps[b].key; });
  std::vector<GapContact> sorted;
  for (const int index : order) sorted.push_back(gaps[index]);
  gaps = std::move(sorted);
}

}  // namespace

StepRows::StepRows(const World& world, const StepContacts& contacts, const std::vector<RowRules>& rules,
                   const Values& values, double velocityUnit)
    : m_world(world),
      m_joints{world, &m_slots, JointGradients::OfState, values.drives},
      m_attachments{world},
      m_tetrahedra{world, values.elastic},
      m_edges{world},
      m_hinges{world},
      m_normalsTurn(values.normalsTurn) {
  addContacts(contacts, rules, velocityUnit);
  const GapContactForm form = values.isProximal ? GapContactForm::PointsOfStart : GapContactForm::Published;
  m_pieceRows = std::make_unique<GapContactRows>(m_pieceGaps, form);
  m_surfaceRows = std::make_unique<GapContactRows>(m_surfaceGaps, form);
  m_kinds.add(*m_pieceRows);
  m_kinds.add(m_joints);
  m_kinds.add(m_attachments);
  m_kinds.add(m_tetrahedra);
  m_kinds.add(m_edges);
  m_kinds.add(m_hinges);
  m_kinds.add(*m_surfaceRows);
  addRegisteredKinds(world, m_kinds);
  m_kinds.write({world, world.dt, nullptr}, m_rows);
  m_joints.slots = nullptr;  // they stay
  m_hasElements = std::any_of(m_rows.blocks.begin(), m_rows.blocks.end(), isElement);
  findContacts(contacts);
}

void StepRows::addContacts(const StepContacts& contacts, const std::vector<RowRules>& rules,
                           double velocityUnit) {
  for (const ModelContact& contact : contacts.pieces)
    m_pieceGaps.push_back(gapOf(contact, ruleOf(m_world, rules, contact.bodyA), velocityUnit));
  for (const SurfaceContact& contact : contacts.surfaces)
    m_surfaceGaps.push_back(gapOf(contact, ruleOf(m_world, rules, contact.bodyA)));
  sortByKey(m_pieceGaps, m_indexOfPiece);
  sortByKey(m_surfaceGaps, m_indexOfSurface);
}

ContactSide StepRows::sideOf(int body, const Vec3& point) const {
  ContactSide side;
  side.body = body;
  side.point = localOf(m_world, body, point);
  return side;
}

GapContact StepRows::gapOf(const ModelContact& contact, const RowRules& rule, double velocityUnit) const {
  const std::vector<BodyConstants>& constants = *m_world.constants;
  const PieceContact& geometry = contact.geometry;
  GapContact gap;
  const int plane = m_world.pieces->body[contact.pieceA] == contact.bodyA ? contact.bodyB : contact.bodyA;
  gap.key = contact.pieceB < 0 ? BlockKey{kPlaneBlock, contact.pieceA, plane}
                               : BlockKey{kPieceBlock, contact.pieceA, contact.pieceB};
  gap.a = sideOf(contact.bodyA, geometry.pointA);
  gap.b = sideOf(contact.bodyB, geometry.pointB);
  gap.normal = geometry.normal;
  const auto edgeOf = [&](int body, int edge) {
    const int piece = m_world.pieces->body[contact.pieceA] == body ? contact.pieceA : contact.pieceB;
    const Polytope& polytope = m_world.scene->bodies[body].shape->pieces[m_world.pieces->index[piece]];
    const Polytope::Edge& ends = polytope.edges[edge];
    return Vec3((polytope.vertices[ends.head] - polytope.vertices[ends.tail]).normalized());
  };
  if (m_normalsTurn && geometry.kind == FeaturePairKind::VertexFace) {
    gap.turnsWith = geometry.vertexOnA ? TurnsWith::FaceOfB : TurnsWith::FaceOfA;
  } else if (m_normalsTurn && geometry.kind == FeaturePairKind::EdgeEdge) {
    gap.turnsWith = TurnsWith::Edges;
    gap.edgeA = edgeOf(contact.bodyA, geometry.featureA);
    gap.edgeB = edgeOf(contact.bodyB, geometry.featureB);
  }
  gap.thickness = constants[contact.bodyA].thickness + constants[contact.bodyB].thickness;
  // An overlap is undone no faster than the rule says.
  const double psi = geometry.psi - gap.thickness;
  gap.thickness += gapLeft(rule, psi, m_world.dt);
  gap.pushOut = pushOutSpeed(rule, psi, m_world.dt);
  gap.friction = frictionInStep(viewOf(m_world), contact.bodyA, contact.bodyB, gap.normal, contact.armA,
                                contact.armB, velocityUnit);
  return gap;
}

GapContact StepRows::gapOf(const SurfaceContact& contact, const RowRules& rule) const {
  const WorldView view = viewOf(m_world);
  const BodyConstants &a = view.bodies[contact.bodyA], &b = view.bodies[contact.bodyB];
  GapContact gap;
  gap.key = {kSurfaceBlock + static_cast<int>(contact.pair.kind), contact.pair.a, contact.pair.b};
  const auto side = [&](bool isA, int body, const Vec3& point) {
    if (!view.isDeformable(body)) return sideOf(body, point);
    ContactSide deforming;
    deforming.particles = particlesOf(view, contact.pair, isA, contact.weights);
    return deforming;
  };
  gap.a = side(true, contact.bodyA, contact.pointA);
  gap.b = side(false, contact.bodyB, contact.pointB);
  gap.normal = contact.normal;
  gap.thickness = a.thickness + b.thickness;
  gap.thickness += gapLeft(rule, contact.gap - gap.thickness, m_world.dt);
  gap.friction = frictionOf(a, b).dynamicFriction;
  return gap;
}

/// Blocks lie in the order of their contacts, without those that no carrier moves.
void StepRows::findContacts(const StepContacts& contacts) {
  std::size_t piece = 0, surface = 0;
  const auto isOf = [](const GapContact& gap, const RowBlock& block) {
    return !(gap.key < block.key) && !(block.key < gap.key);
  };
  for (int index = 0; index < countOf(m_rows.blocks); ++index) {
    const RowBlock& block = m_rows.blocks[index];
    const bool isOfPieces = block.key.kind <= kPlaneBlock;
    if (!isOfPieces && (block.key.kind < kSurfaceBlock || block.key.kind >= kRegisteredBlock)) continue;
    const std::vector<GapContact>& gaps = isOfPieces ? m_pieceGaps : m_surfaceGaps;
    std::size_t& next = isOfPieces ? piece : surface;
    while (!isOf(gaps[next], block)) ++next;
    for (int unit = block.firstUnit; unit < block.firstUnit + block.unitCount; ++unit, ++next) {
      const int source = (isOfPieces ? m_indexOfPiece : m_indexOfSurface)[next];
      m_contacts.push_back({isOfPieces, source, static_cast<int>(next), index, unit,
                            m_rows.units[unit].firstRow, m_rows.units[unit].rowCount});
      m_keys.push_back(isOfPieces ? rowKeyOf(contacts.pieces[source].geometry) : RowKey{0, 0, 0, 0});
    }
  }
}

int StepRows::elementOf(const RowBlock& block) const {
  const ElasticBodies& elastic = *m_world.elastic;
  int first = 0;
  if (block.key.kind > kTetrahedronBlock) first += countOf(elastic.tetrahedra);
  if (block.key.kind > kEdgeBlock) first += countOf(elastic.edges);
  return first + block.key.first;
}

Vec3 StepRows::impulseOf(const RowContact& contact, const double* z) {
  Vec3 impulse(0, 0, 0);
  for (int row = 0; row < contact.rowCount; ++row) impulse[row] = z[contact.firstRow + row];
  return impulse;
}

void StepRows::addForce(const RowContact& contact, const CarrierVelocities& u, const double* z,
                        WarmForces& forces) const {
  const PlacedGap placed = placedAt(gapOf(contact), stateAt(u));
  const Vec3 along = impulseOf(contact, z) / m_world.dt;
  WarmForces::Block& block = forces.contacts[m_rows.blocks[contact.block].key];
  block.keys.push_back(m_keys[&contact - m_contacts.data()]);
  block.places.push_back(placeOf(m_rows.view(), m_rows.units[contact.unit]));
  block.forces.push_back(along[0] * placed.normal + along[1] * placed.first + along[2] * placed.second);
}

/// True for corotational elements, whose rows lie along eigenvectors of E. @param rows  out
bool StepRows::hasConstantBasis(const RowBlock& block, ElementRows& rows) const {
  if (block.key.kind != kTetrahedronBlock) return false;
  const TetrahedronElement& element = m_world.elastic->tetrahedra[block.key.first];
  const ElasticMaterial& material = m_world.materials[element.material];
  if (material.model == ElasticModel::NeoHookean) return false;
  Vec3 x[4];
  for (int corner = 0; corner < 4; ++corner) x[corner] = m_world.position[element.carriers[corner]];
  const double none[ElementRows::kMost] = {};
  rows = elementRows(material, element.rest, ElasticRows::Six, x, none);
  return true;
}

StepRows::StrainForce StepRows::forceOfElement(const RowBlock& block, const double* z) const {
  StrainForce force{};
  ElementRows rows;
  const bool isTurned = hasConstantBasis(block, rows);
  for (int row = 0; row < block.rowCount; ++row) {
    if (m_rows.rows[block.firstRow + row].flags & kTransient) continue;
    const double along = z[block.firstRow + row] / m_world.dt;
    if (!isTurned) force[row] = along;
    for (int strain = 0; isTurned && strain < rows.kept; ++strain)
      force[strain] += rows.basis[strain][row] * along;
  }
  return force;
}

void StepRows::setStart(const RowBlock& block, const StrainForce& force, double* z) const {
  ElementRows rows;
  const bool isTurned = hasConstantBasis(block, rows);
  for (int row = 0; row < block.rowCount; ++row) {
    if (m_rows.rows[block.firstRow + row].flags & kTransient) continue;
    double along = isTurned ? 0 : force[row];
    for (int strain = 0; isTurned && strain < rows.kept; ++strain)
      along += rows.basis[strain][row] * force[strain];
    z[block.firstRow + row] = m_world.dt * along;
  }
}

/// The force along the normal and the tangents of the start, as far as the laws of the rows allow.
void StepRows::setStart(const RowContact& contact, const Vec3& force, double* z) const {
  const Vec3* const frame =
      m_rows.view().frameOf(m_rows.blocks[contact.block], m_rows.units[contact.unit].firstGroup);
  const double p = m_world.dt * frame[0].dot(force);
  if (!(p > 0)) return;
  z[contact.firstRow] = p;
  if (contact.rowCount == 1) return;
  double x = m_world.dt * directionOf(frame, 1).dot(force),
         y = contact.rowCount > 2 ? m_world.dt * directionOf(frame, 2).dot(force) : 0;
  projectOnDisk(gapOf(contact).friction * p, x, y);
  z[contact.firstRow + 1] = x;
  if (contact.rowCount > 2) z[contact.firstRow + 2] = y;
}

std::vector<double> StepRows::startOf(const WarmForces& forces, double length) const {
  std::vector<double> z(m_rows.rows.size(), 0.0);
  for (int first = 0, next = 0; first < countOf(m_contacts); first = next) {
    while (next < countOf(m_contacts) && m_contacts[next].block == m_contacts[first].block) ++next;
    const auto known = forces.contacts.find(m_rows.blocks[m_contacts[first].block].key);
    if (known == forces.contacts.end()) continue;
    const WarmForces::Block& before = known->second;
    UnitMatch match(before.keys.data(), before.places.data(), countOf(before.keys), length);
    std::vector<int> unmatched;
    for (int contact = first; contact < next; ++contact) {
      const int index = match.withKey(m_keys[contact]);
      if (index < 0)
        unmatched.push_back(contact);
      else
        setStart(m_contacts[contact], before.forces[index], z.data());
    }
    for (const int contact : unmatched) {
      const int index = match.nearest(placeOf(m_rows.view(), m_rows.units[m_contacts[contact].unit]));
      if (index >= 0) setStart(m_contacts[contact], before.forces[index], z.data());
    }
  }
  for (const RowBlock& block : m_rows.blocks) {
    if (!isElement(block)) continue;
    const auto known = forces.elements.find(elementOf(block));
    if (known != forces.elements.end()) setStart(block, known->second, z.data());
  }
  return z;
}

RowRewriting StepRows::rewriting() const {
  RowRewriting again = m_kinds.rewriting(m_world, m_poses);
  again.stiffness = [this](const RowBlock& block, int k, const RowTerm* terms, const double* z,
                           const CarrierVelocities& u) {
    return geometricStiffness(m_slots, block, m_rows.carriers.data() + block.firstCarrier, k, terms, z,
                              {m_world, m_world.dt, &u, m_poses.data()});
  };
  return again;
}

RowsDetail StepRows::detail(const CarrierVelocities& u, const std::vector<double>& z,
                            const std::vector<int>& islandOfBlock) const {
  RowsDetail detail = m_kinds.detailAt(m_rows, stateAt(u), islandOfBlock, z.data());
  for (int contact = 0; contact < countOf(m_contacts); ++contact)
    detail.keys[m_contacts[contact].unit] = m_keys[contact];
  setSlots(m_rows.view(), countOf(m_rows.blocks), m_slots, detail.slots);
  return detail;
}

double StepRows::limitingAccuracy(const std::vector<char>& inIsland, const CarrierVelocities& u,
                                  const double* z) const {
  RowBuffer rows = m_rows;
  const StateView state = stateAt(u);
  for (int block = 0; block < countOf(rows.blocks); ++block)
    if (inIsland[block]) m_kinds.writeAgain(rows.blocks[block], state, rows.arrays());
  const WorldView view = viewOf(m_world);
  std::vector<double> sums(view.carrierCount, 0.0);
  double farthest = 0;
  for (const RowUnit& unit : rows.units) {
    if (!inIsland[unit.block]) continue;
    addResponses(rows.view(), unit, view.inverseMass, view.inverseInertia, z + unit.firstRow, sums.data());
    const RowBlock& block = rows.blocks[unit.block];
    for (int k = 0; k < block.carrierCount; ++k) {
      const int carrier = rows.carriers[block.firstCarrier + k];
      const Vec3 place = m_world.position[carrier] + m_world.dt * u.linear[carrier];
      farthest = std::fmax(farthest, place.cwiseAbs().maxCoeff());
    }
  }
  const double largest = *std::max_element(sums.begin(), sums.end());
  return 0.5 * std::numeric_limits<double>::epsilon() * (largest + farthest / m_world.dt);
}

}  // namespace touchstone::nsn
