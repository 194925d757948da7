#include "core/contact/complementarity/complementarity_model.h"

#include "core/contact/complementarity/contact_rows.inl"
#include "core/math/count.h"

namespace touchstone {

int rowsOf(const ModelSet& set, const ModelSettings& settings) {
  return unknownsOfContact(countOf(set.contacts) - 1, set.friction, settings);
}

void addContactBlock(const WorldView& world, const ModelContact& contact, double rate, double friction,
                     bool planar, RowBuffer& rows) {
  std::vector<int> carriers;
  for (const int body : {contact.bodyA, contact.bodyB})
    if (isDynamic(world, body)) carriers.push_back(body);
  rows.addBlock({contact.pieceB < 0 ? kPlaneBlock : kPieceBlock, contact.pieceA, contact.pieceB},
                RowForm::Point, carriers);
  const Vec3& normal = contact.geometry.normal;
  const Vec3 held = detail::heldSlip(world, contact);
  Vec3 tangent, second;
  contactTangents(normal, planar, tangent, second);
  const Row group[] = {detail::contactRow(RowLaw::Unilateral, 0, rate + normal.dot(held), 0),
                       detail::contactRow(RowLaw::Disk, 1, tangent.dot(held), friction),
                       detail::contactRow(RowLaw::Disk, 2, second.dot(held), friction)};
  PointTerm* const points = rows.addGroup(normal, tangent, group, planar ? 2 : 3);
  for (int k = 0; k < countOf(carriers); ++k)
    points[k] = carriers[k] == contact.bodyA ? PointTerm{-1, contact.armA} : PointTerm{1, contact.armB};
}

HostTable hostTable(const World& world) {
  HostTable table;
  for (int carrier = 0; carrier < countOf(world.inverseMass); ++carrier) {
    const double inverse = isDynamic(world, carrier) ? world.inverseMass[carrier] : 0;
    table.inverseMass.push_back(Vec3(inverse, inverse, inverse));
    table.inverseInertia.push_back(inverse > 0 ? world.inverseInertia[carrier] : Mat3(Mat3::Zero()));
  }
  table.linear = world.nextLinearVelocity;
  table.angular = world.nextAngularVelocity;
  table.islandCount = 1;
  return table;
}

bool hasFriction(const World& world) {
  const auto rubs = [&world](std::size_t body) { return (*world.constants)[body].staticFriction > 0; };
  int rubbing = 0, moving = 0;
  for (std::size_t body = 0; body < world.constants->size(); ++body) {
    rubbing += rubs(body);
    moving += rubs(body) && world.scene->bodies[body].motion == Motion::Dynamic;
  }
  return rubbing > 1 && moving > 0;
}

void raiseStatus(StepStatus status, const std::string& text, StepRecord& record) {
  if (status == StepStatus::Ok || status < record.status) return;
  record.status = status;
  record.statusText = text;
}

}  // namespace touchstone
