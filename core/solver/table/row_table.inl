#pragma once

#include "core/solver/rows/constraint_kind.h"
#include "core/solver/table/island_loops.inl"
#include "core/solver/table/warm_start.inl"

namespace touchstone {

namespace detail {

struct PlaceBlock {  // one place of the sweeps per index
  const RowBlock* blocks;
  RememberedBlocks before;
  const GroupedItem* order;
  const int* island;
  RowBlock* out;
  UnitsBefore* unitsBefore;
  IslandRows* rows;
  RowUnit* units;
  TS_HD void operator()(int place) const {
    RowBlock block = blocks[order[place].item];
    block.island = island[place];
    out[place] = block;
    const RowBlock* last = before.find(block.key);
    unitsBefore[place] = last ? UnitsBefore{last->firstUnit, last->unitCount} : UnitsBefore{0, 0};
    rows[place] = {block.rowCount, block.island};
    for (int unit = block.firstUnit; unit < block.firstUnit + block.unitCount; ++unit)
      units[unit].block = place;
  }
};

struct SetMetric {  // one carrier per index
  WorldView world;
  Vec3* inverseMass;
  Mat3* inverseInertia;
  TS_HD void operator()(int carrier) const {
    const bool moves = isDynamic(world, carrier);
    const double inverse = moves ? world.inverseMass[carrier] : 0;
    inverseMass[carrier] = Vec3(inverse, inverse, inverse);
    inverseInertia[carrier] = moves ? world.inverseInertia[carrier] : Mat3(Mat3::Zero());
  }
};

}  // namespace detail

/// The rows of a step on a backend: structure, gradients and asks, with the islands and colours of their
/// blocks. Its arrays grow, and stay from step to step.
template <class Backend>
class RowTable {
 public:
  template <class T>
  using Array = typename Backend::template Array<T>;
  using Kinds = std::vector<ConstraintKind<Backend>*>;

  /// Blocks, carriers and units of all kinds in their order, which is that of their keys, with islands and
  /// colours.
  void layOut(const Backend& backend, const WorldView& world, const Kinds& kinds) {
    m_kinds = kinds;
    m_counts = {};
    std::vector<RowCounts> firsts;
    for (const ConstraintKind<Backend>* kind : kinds) {
      firsts.push_back(m_counts);
      add(kind->counts(), m_counts);
    }
    reserve();
    m_inverseMass.resize(world.carrierCount);
    m_inverseInertia.resize(world.carrierCount);
    forEach(backend, world.carrierCount,
            detail::SetMetric{world, m_inverseMass.data(), m_inverseInertia.data()});
    RowArrays to = arrays();
    to.blocks = m_keyed.data();
    for (int kind = 0; kind < countOf(kinds); ++kind) kinds[kind]->writeStructure(backend, firsts[kind], to);
    m_structure.make(backend, world.carrierCount, m_keyed.data(), m_counts.blocks, m_carriers.data(),
                     m_counts.carriers);
  }
  /// Places the blocks in the order of the sweeps, each with its units of the last step.
  void place(const Backend& backend, const detail::RememberedBlocks& before) {
    forEach(backend, m_counts.blocks,
            detail::PlaceBlock{m_keyed.data(), before, m_structure.order(), m_structure.island(),
                               m_blocks.data(), m_before.data(), m_rowsOfBlocks.data(), m_units.data()});
    const GroupedItem* listed = m_structure.tree().firstPlaces().places;
    forEach(backend, m_counts.blocks, detail::CountUnitsOfBlock{listed, m_blocks.data(), m_firstUnit.data()});
    sumCounts(backend, m_counts.blocks, m_firstUnit.data());
    forEach(backend, m_counts.blocks,
            detail::PlaceUnits{listed, view(), m_firstUnit.data(), m_places.data()});
    fill(backend, m_places.data() + m_counts.units, m_unitCapacity - m_counts.units,
         RowPlace{RowUnit{0, 0, 0, 0, 0}, 0, -1});
  }
  /// Writes rows, gradients and start of all kinds. @param writing  but for the arrays of the table
  void write(const Backend& backend, RowWriting writing) {
    writing.to = arrays();
    writing.blockCount = m_counts.blocks;
    writing.before = m_before.data();
    for (ConstraintKind<Backend>* kind : m_kinds) kind->writeRows(backend, writing);
  }

  RowsView view() const {
    return {m_blocks.data(), m_carriers.data(), m_rows.data(),  m_terms.data(),
            m_points.data(), m_frames.data(),   m_units.data(), m_packed.data()};
  }
  CarrierMetric metric() const { return {m_inverseMass.data(), m_inverseInertia.data()}; }
  const RowCounts& counts() const { return m_counts; }
  const RowStructure<Backend>& structure() const { return m_structure; }
  /// [blocks] in the order of their keys.
  const RowBlock* keyedBlocks() const { return m_keyed.data(); }
  /// [blocks] of each place.
  Array<IslandRows>& rowsOfBlocks() { return m_rowsOfBlocks; }
  /// [unitCapacity()] units by island.
  const RowPlace* places() const { return m_places.data(); }
  /// A graph of a device holds the count of each of its loops, while rows come and go: some more places than
  /// there are units, and as many as before where that suffices.
  int unitCapacity() const { return m_unitCapacity; }
  /// [blocks + 1] of each block by island: its first of places().
  const int* firstUnits() const { return m_firstUnit.data(); }

  /// The same table on the host. @param rows  its arrays, whose view() it is
  void fetch(const Backend& backend, RowBuffer& rows) const {
    rows.blocks = fetched(backend, m_blocks.data(), m_counts.blocks);
    fetchItems(backend, rows);
  }
  /// Takes rows and gradients that have been written again on the host. @param rows  as fetch() gave them
  void takeItems(const Backend& backend, const RowBuffer& rows) {
    backend.upload(rows.rows.data(), rows.rows.size(), m_rows);
    backend.upload(rows.terms.data(), rows.terms.size(), m_terms);
    backend.upload(rows.points.data(), rows.points.size(), m_points);
    backend.upload(rows.frames.data(), rows.frames.size(), m_frames);
    backend.upload(rows.packed.data(), rows.packed.size(), m_packed);
  }
  /// Its arrays, in the backend's memory.
  RowArrays arrays() {
    return {m_blocks.data(), m_carriers.data(), m_rows.data(),  m_terms.data(),
            m_points.data(), m_frames.data(),   m_units.data(), m_packed.data()};
  }
  /// fetch() with the blocks in the order of their keys.
  void fetchKeyed(const Backend& backend, RowBuffer& rows) const {
    rows.blocks = fetched(backend, m_keyed.data(), m_counts.blocks);
    fetchItems(backend, rows);
    for (int block = 0; block < m_counts.blocks; ++block)
      for (int k = 0; k < rows.blocks[block].unitCount; ++k)
        rows.units[rows.blocks[block].firstUnit + k].block = block;
  }

 private:
  void fetchItems(const Backend& backend, RowBuffer& rows) const {
    rows.carriers = fetched(backend, m_carriers.data(), m_counts.carriers);
    rows.rows = fetched(backend, m_rows.data(), m_counts.rows);
    rows.terms = fetched(backend, m_terms.data(), m_counts.terms);
    rows.points = fetched(backend, m_points.data(), m_counts.points);
    rows.frames = fetched(backend, m_frames.data(), m_counts.frames);
    rows.units = fetched(backend, m_units.data(), m_counts.units);
    rows.packed = fetched(backend, m_packed.data(), m_counts.packed);
  }
  static void add(const RowCounts& more, RowCounts& sum) {
    sum.blocks += more.blocks;
    sum.carriers += more.carriers;
    sum.rows += more.rows;
    sum.units += more.units;
    sum.terms += more.terms;
    sum.points += more.points;
    sum.frames += more.frames;
    sum.packed += more.packed;
  }
  static int loopCapacity(int units, int before) {
    if (Backend::kOnHost) return units;
    return units > before || units < before / 4 ? units + units / 4 : before;
  }
  void reserve() {
    m_keyed.resize(m_counts.blocks);
    m_blocks.resize(m_counts.blocks);
    m_before.resize(m_counts.blocks);
    m_rowsOfBlocks.resize(m_counts.blocks);
    m_carriers.resize(m_counts.carriers);
    m_rows.resize(m_counts.rows);
    m_terms.resize(m_counts.terms);
    m_points.resize(m_counts.points);
    m_frames.resize(m_counts.frames);
    m_units.resize(m_counts.units);
    m_packed.resize(m_counts.packed);
    m_unitCapacity = loopCapacity(m_counts.units, m_unitCapacity);
    m_places.resize(m_unitCapacity);
    m_firstUnit.resize(m_counts.blocks + 1);
  }

  Kinds m_kinds;
  RowCounts m_counts;
  Array<RowBlock> m_keyed, m_blocks;  ///< in the order of keys, and of the sweeps
  Array<UnitsBefore> m_before;
  Array<IslandRows> m_rowsOfBlocks;
  Array<int> m_carriers, m_firstUnit;
  Array<Row> m_rows;
  Array<RowTerm> m_terms;
  Array<PointTerm> m_points;
  Array<Vec3> m_frames;
  Array<RowUnit> m_units;
  Array<double> m_packed;
  Array<RowPlace> m_places;
  int m_unitCapacity = 0;
  RowStructure<Backend> m_structure;
  Array<Vec3> m_inverseMass;
  Array<Mat3> m_inverseInertia;
};

}  // namespace touchstone
