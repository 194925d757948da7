#include "core/contact/complementarity/placed_contacts.h"

#include "core/math/count.h"
#include "core/parallel/parallel_for.h"

namespace touchstone {

std::vector<PlacedPolytope> placedPieces(const World& world, const Pose& pose) {
  std::vector<PlacedPolytope> pieces(world.pieces->body.size());
  parallelFor(countOf(pieces), [&](int piece) {
    const int body = world.pieces->body[piece];
    if (!world.active[body]) return;
    const Polytope& polytope = world.scene->bodies[body].shape->pieces[world.pieces->index[piece]];
    pieces[piece] = placed(polytope, pose.position[body], pose.orientation[body]);
  });
  return pieces;
}

void reevaluate(const World& world, const Pose& pose, const std::vector<PlacedPolytope>& placed,
                ModelContact& contact) {
  reevaluate(viewOf(world), placed, world.pieces->body.data(), pose.position.data(), contact);
}

}  // namespace touchstone
