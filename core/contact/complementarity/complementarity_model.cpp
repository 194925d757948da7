#include "core/contact/complementarity/complementarity_model.h"

#include "core/contact/complementarity/contact_rows.inl"
#include "core/parallel/host_backend.h"
#include "core/solver/rows/pair_islands.inl"

namespace touchstone {

int rowsOf(const ModelSet& set, const ModelSettings& settings) {
  const int withFriction = tangentCount(settings) + (settings.friction == FrictionShape::Pyramid ? 1 : 0);
  return static_cast<int>(set.contacts.size()) + (set.friction > 0 ? withFriction : 0);
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

double frictionOf(const World& world, const ModelContact& contact, double velocityUnit) {
  const std::vector<BodyConstants>& bodies = *world.constants;
  const FrictionPair pair = frictionOf(bodies[contact.bodyA], bodies[contact.bodyB]);
  if (pair.staticFriction == pair.dynamicFriction) return pair.dynamicFriction;
  return frictionInStep(viewOf(world), contact.bodyA, contact.bodyB, contact.geometry.normal, contact.armA,
                        contact.armB, velocityUnit);
}

std::vector<std::vector<int>> islandsOf(const World& world, const std::vector<ModelContact>& contacts,
                                        const std::vector<ModelSet>& sets) {
  const HostBackend backend;
  const int bodyCount = static_cast<int>(world.position.size()), count = static_cast<int>(sets.size());
  std::vector<IndexPair> moving;
  moving.reserve(sets.size());
  for (const ModelSet& set : sets) {
    const ModelContact& primary = contacts[set.contacts.front()];
    moving.push_back({isDynamic(world, primary.bodyA) ? primary.bodyA : -1,
                      isDynamic(world, primary.bodyB) ? primary.bodyB : -1});
  }
  thread_local Grouping<HostBackend> sides;  // both keep their arrays from step to step
  thread_local PairIslands<HostBackend> found;
  sides.make(backend, 2 * count, bodyCount, detail::BodyOfSide{moving.data()});
  found.find(backend, {moving.data(), sides.items(), sides.first()}, bodyCount, count);
  std::vector<std::vector<int>> islands(static_cast<std::size_t>(found.count()));
  for (int set = 0; set < count; ++set)
    islands[static_cast<std::size_t>(found.ofBodies()[detail::anyBodyOf(moving[set])])].push_back(set);
  return islands;
}

std::vector<ModelSet> setsOfIsland(const std::vector<ModelSet>& sets, const std::vector<int>& island) {
  std::vector<ModelSet> own;
  own.reserve(island.size());
  for (int set : island) own.push_back(sets[set]);
  return own;
}

IslandProblem assemble(const World& world, const std::vector<ModelContact>& contacts,
                       std::vector<ModelSet> sets, const Velocities& velocities,
                       const ModelSettings& settings) {
  std::vector<DenseRow> rows;
  rows.reserve(sets.size());
  for (const ModelSet& set : sets) {
    const ModelContact& primary = contacts[set.contacts.front()];
    rows.push_back({primary.bodyA, primary.bodyB, detail::contactRow(primary, set.friction), {}});
    for (std::size_t k = 1; k < set.contacts.size(); ++k)
      rows.back().members.push_back(detail::setMember(contacts[set.contacts[k]]));
  }
  IslandProblem island;
  static_cast<DenseProblem&>(island) = denseProblem(world, rows, velocities, settings);
  island.replica = (*world.constants)[rows.front().bodyA].replica;
  island.sets = std::move(sets);
  return island;
}

}  // namespace touchstone
