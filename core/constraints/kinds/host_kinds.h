#pragma once

#include <functional>
#include <utility>
#include <vector>

#include "core/solver/rows/rewriting.h"
#include "core/solver/rows/row_buffer.h"
#include "core/solver/rows/rows_detail.h"
#include "core/solver/rows/state_view.h"

namespace touchstone {

/// A kind of constraint whose rows the host writes, see StateView.
struct HostKind {
  int count;
  std::function<void(int index, const StateView& state, RowBuffer& to)> write;
};

/// Kinds of constraints of a step.
class HostKinds {
 public:
  /// Adds a kind, in the order of keys. @param kind  stays as long as this
  template <class Kind>
  void add(const Kind& kind) {
    add(HostKind{kind.count(), [&kind](int index, const StateView& state, RowBuffer& to) {
                   kind.write(index, state, to);
                 }});
  }
  void add(HostKind kind) { m_kinds.push_back(std::move(kind)); }
  /// Adds the rows of all constraints, and notes their blocks for writeAgain().
  void write(const StateView& state, RowBuffer& to);
  /// Writes rows and gradients of a block at another state, where they lie in the arrays. Threads may write
  /// different blocks at once.
  void writeAgain(const RowBlock& block, const StateView& state, const RowArrays& to) const;
  /// Writes all rows again for as long as this lives, without geometric stiffness.
  /// @param world  in the step of write()   @param poses  room for those of the iterates
  RowRewriting rewriting(const World& world, std::vector<BodyPose>& poses) const;
  /// The rows at another state with the impulses that led there, for the inspector. Without keys and slots.
  /// @param rows  of write()   @param islands  [blocks] of them
  RowsDetail detailAt(const RowBuffer& rows, const StateView& state, const std::vector<int>& islands,
                      const double* z) const;

 private:
  /// A constraint with a block.
  struct Written {
    BlockKey key;
    int kind, index;
  };

  std::vector<HostKind> m_kinds;
  std::vector<Written> m_written;  ///< ascending
};

/// Masses of a world and the velocities of its running step, without rows.
HostTable hostTable(const World& world);
/// [blocks of rows] their islands. @param placed  [count] the same blocks in a table, in any order
std::vector<int> islandsOf(const RowBuffer& rows, const RowBlock* placed, int count);

}  // namespace touchstone
