#include "core/constraints/kinds/host_kinds.h"

#include <algorithm>
#include <stdexcept>

#include "core/parallel/frame_clock.h"
#include "core/parallel/host_backend.h"
#include "core/solver/table/row_table.inl"

namespace touchstone {

void HostKinds::write(const StateView& state, RowBuffer& to) {
  m_written.clear();
  for (int kind = 0; kind < countOf(m_kinds); ++kind)
    for (int index = 0; index < m_kinds[kind].count; ++index) {
      const int before = countOf(to.blocks);
      m_kinds[kind].write(index, state, to);
      if (countOf(to.blocks) > before) m_written.push_back({to.blocks.back().key, kind, index});
    }
  const auto isBefore = [](const Written& a, const Written& b) { return a.key < b.key; };
  if (!std::is_sorted(m_written.begin(), m_written.end(), isBefore))
    throw std::logic_error("kinds of constraints are not in the order of their keys");
}

void HostKinds::writeAgain(const RowBlock& block, const StateView& state, const RowArrays& to) const {
  const auto written = std::lower_bound(m_written.begin(), m_written.end(), block.key,
                                        [](const Written& a, const BlockKey& key) { return a.key < key; });
  thread_local RowBuffer rows;
  rows.clear();
  m_kinds[written->kind].write(written->index, state, rows);
  if (countOf(rows.rows) != block.rowCount)
    throw std::logic_error("a constraint has other rows than at the start of the step");
  std::copy(rows.rows.begin(), rows.rows.end(), to.rows + block.firstRow);
  if (block.form == RowForm::General) {
    std::copy(rows.terms.begin(), rows.terms.end(), to.terms + block.firstTerm);
  } else {
    std::copy(rows.points.begin(), rows.points.end(), to.points + block.firstTerm);
    std::copy(rows.frames.begin(), rows.frames.end(), to.frames + block.firstFrame);
  }
  if (block.firstPacked >= 0)
    std::copy(rows.packed.begin(), rows.packed.end(), to.packed + block.firstPacked);
}

RowRewriting HostKinds::rewriting(const World& world, std::vector<BodyPose>& poses) const {
  poses.resize(world.bodyCount());
  BodyPose* const placed = poses.data();
  return {[&world, placed](int carrier, const CarrierVelocities& u) {
            if (carrier < world.bodyCount()) placed[carrier] = StateView{world, world.dt, &u}.poseOf(carrier);
          },
          [this, &world, placed](const RowBlock& block, const CarrierVelocities& u, const RowArrays& to) {
            checkFrameClock();
            writeAgain(block, {world, world.dt, &u, placed}, to);
          },
          nullptr};
}

RowsDetail HostKinds::detailAt(const RowBuffer& rows, const StateView& state, const std::vector<int>& islands,
                               const double* z) const {
  RowsDetail detail;
  HostTable& table = detail.table;
  table = hostTable(state.world);
  table.linear.assign(state.u->linear, state.u->linear + table.linear.size());
  table.angular.assign(state.u->angular, state.u->angular + table.angular.size());
  table.rows = rows;
  table.islandCount = 0;
  for (int block = 0; block < countOf(rows.blocks); ++block) {
    writeAgain(rows.blocks[block], state, table.rows.arrays());
    table.rows.blocks[block].island = islands[block];
    table.islandCount = std::max(table.islandCount, 1 + islands[block]);
  }
  detail.impulses.assign(z, z + rows.rows.size());
  detail.keys.assign(rows.units.size(), RowKey{0, 0, 0, 0});
  detail.slots.assign(rows.rows.size(), -1);
  return detail;
}

HostTable hostTable(const World& world) {
  HostTable table;
  const int carriers = countOf(world.inverseMass);
  table.inverseMass.resize(carriers);
  table.inverseInertia.resize(carriers);
  const detail::SetMetric setMetric{viewOf(world), table.inverseMass.data(), table.inverseInertia.data()};
  for (int carrier = 0; carrier < carriers; ++carrier) setMetric(carrier);
  table.linear = world.nextLinearVelocity;
  table.angular = world.nextAngularVelocity;
  table.islandCount = 1;
  return table;
}

std::vector<int> islandsOf(const RowBuffer& rows, const RowBlock* placed, int count) {
  std::vector<int> islands(rows.blocks.size());
  for (int place = 0; place < count; ++place)
    islands[rows.units[placed[place].firstUnit].block] = placed[place].island;
  return islands;
}

}  // namespace touchstone
