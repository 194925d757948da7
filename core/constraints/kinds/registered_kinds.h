#pragma once

#include <functional>
#include <memory>
#include <string>

#include "core/constraints/kinds/host_kinds.h"
#include "core/record/step_record.h"
#include "core/solver/rows/constraint_kind.h"

namespace touchstone {

/// Kinds of constraints besides those of the program, which every method holds: those with rows at velocity
/// level, at iterates, and after its forces. Each has
///     static constexpr const char* kKey;
///     explicit Kind(const World& world);
///     int count() const;
///     void write(int index, const StateView& state, RowBuffer& to) const;   see StateView
/// The kind and the numbers of the keys of its blocks are set by the list.
template <class... Kinds>
struct ConstraintList {};

/// @throws std::logic_error if there is one with this key
void registerConstraint(const std::string& key, std::function<HostKind(const World& world)> make);

template <class... Kinds>
void registerConstraints(ConstraintList<Kinds...>) {
  (registerConstraint(Kinds::kKey,
                      [](const World& world) {
                        const auto kind = std::make_shared<const Kinds>(world);
                        return HostKind{kind->count(),
                                        [kind](int index, const StateView& state, RowBuffer& to) {
                                          kind->write(index, state, to);
                                        }};
                      }),
   ...);
}

/// The key of such a kind. @param number  in the order of registration
std::string registeredKey(int number);
/// True if the world has constraints of such kinds.
bool hasRegisteredConstraints(const World& world);
/// Adds these kinds, in the order of their registration, with the keys {kRegisteredBlock + its number, index,
/// 0}.
void addRegisteredKinds(const World& world, HostKinds& kinds);
/// Records the impulses of bodies that do not move by the blocks of such kinds: what their rows do to all
/// carriers together.
/// @param z  impulses of all rows   @param without  replicas that do not count, or empty
void recordRegistered(const RowsView& rows, int blockCount, const double* z, const World& world,
                      const ReplicaSet& without, Vec3& groundImpulse, Vec3& groundAngularImpulse);

}  // namespace touchstone
