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
  Vec3 tangent, second;
  contactTangents(normal, planar, tangent, second);
  Row group[3];
  const int count = planar ? 2 : 3;
  detail::setContactRows(world, contact, rate, friction, tangent, second, count, group);
  PointTerm* const points = rows.addGroup(normal, tangent, group, count);
  for (int k = 0; k < countOf(carriers); ++k) points[k] = detail::pointOn(contact, carriers[k]);
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

}  // namespace touchstone
