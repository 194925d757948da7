#include "core/constraints/kinds/registered_kinds.h"

#include <stdexcept>
#include <vector>

#include "core/solver/product/row_product.inl"

namespace touchstone {

namespace {

struct Registered {
  std::string key;
  std::function<HostKind(const World& world)> make;
};

std::vector<Registered>& registered() {
  static std::vector<Registered> kinds;
  return kinds;
}

}  // namespace

void registerConstraint(const std::string& key, std::function<HostKind(const World& world)> make) {
  for (const Registered& kind : registered())
    if (kind.key == key) throw std::logic_error("there is a kind of constraint '" + key + "' already");
  registered().push_back({key, std::move(make)});
}

std::string registeredKey(int number) { return registered().at(number).key; }

bool hasRegisteredConstraints(const World& world) {
  for (const Registered& kind : registered())
    if (kind.make(world).count > 0) return true;
  return false;
}

void addRegisteredKinds(const World& world, HostKinds& kinds) {
  for (int number = 0; number < countOf(registered()); ++number) {
    const HostKind kind = registered()[number].make(world);
    kinds.add(HostKind{kind.count, [kind, number](int index, const StateView& state, RowBuffer& to) {
                         const int before = countOf(to.blocks);
                         kind.write(index, state, to);
                         if (countOf(to.blocks) > before)
                           to.blocks.back().key = {kRegisteredBlock + number, index, 0};
                       }});
  }
}

void recordRegistered(const RowsView& rows, int blockCount, const double* z, const World& world,
                      const ReplicaSet& without, Vec3& groundImpulse, Vec3& groundAngularImpulse) {
  for (int index = 0; index < blockCount; ++index) {
    const RowBlock& block = rows.blocks[index];
    if (block.key.kind < kRegisteredBlock) continue;
    const int* const carriers = rows.carriersOf(block);
    const int body = world.carrierBody[carriers[0]];
    if (!without.empty() && without[(*world.constants)[body].replica]) continue;
    for (int place = block.firstUnit; place < block.firstUnit + block.unitCount; ++place) {
      const RowUnit& unit = rows.units[place];
      const auto impulse = [&](int row) { return z[unit.firstRow + row]; };
      eachPush(rows, unit, impulse, [&](int k, const Vec3& force, const Vec3& moment) {
        groundImpulse += force;
        groundAngularImpulse += world.position[carriers[k]].cross(force) + moment;
      });
    }
  }
}

}  // namespace touchstone
