#pragma once

#include <string>
#include <vector>

#include "core/math/count.h"
#include "core/parallel/copy.h"
#include "core/parallel/device/double_buffer.h"
#include "core/parallel/select.h"
#include "core/parallel/sort.h"
#include "core/record/bytes.h"
#include "core/solver/product/row_product.inl"
#include "core/solver/rows/unit_match.h"

namespace touchstone {

namespace detail {

/// The units of blocks that are remembered, in the order of their keys.
struct RememberedBlocks {
  const RowBlock* blocks;
  int count;
  /// @return null: the block is not among them
  TS_HD const RowBlock* find(const BlockKey& key) const {
    const int index = firstNotBefore(count, [&](int entry) { return blocks[entry].key < key; });
    return index < count && !(key < blocks[index].key) ? blocks + index : nullptr;
  }
};

/// One unit per index. Form Point: the impulse of its first group, on the carriers with positive weights;
/// General: that of its first row.
struct WriteForces {
  RowsView table;
  const double* z;
  Vec3* out;
  UnitPlace* places;
  TS_HD void operator()(int index) const {
    const RowUnit& unit = table.units[index];
    const RowBlock& block = table.blocks[unit.block];
    places[index] = placeOf(table, unit);
    if (block.form == RowForm::General) {
      out[index] = Vec3(z[unit.firstRow], 0, 0);
      return;
    }
    out[index] = impulseOf(table.frameOf(block, unit.firstGroup), unit.groupRows, z + unit.firstRow);
  }
};

/// A block of either memory, with its units in that one.
struct MergedBlock {
  RowBlock block;
  int isNew;
};

/// A block of which only the key and the place of its units are known.
TS_HD inline RowBlock rememberedBlock(const BlockKey& key, int firstUnit, int unitCount) {
  RowBlock block{};
  block.key = key;
  block.firstUnit = firstUnit;
  block.unitCount = unitCount;
  return block;
}

template <class Settled>
struct IsBlockSettled {
  Settled settled;
  const RowBlock* blocks;
  bool wanted;
  TS_HD bool operator()(int index) const { return settled(blocks[index].key) == wanted; }
};

struct WriteMerged {  // one block per index
  const int* indices;
  const RowBlock* blocks;
  int isNew;
  MergedBlock* out;
  TS_HD void operator()(int index) const { out[index] = {blocks[indices[index]], isNew}; }
};

struct MergedBefore {
  TS_HD bool operator()(const MergedBlock& a, const MergedBlock& b) const {
    return a.block.key < b.block.key;
  }
};

struct CountMergedUnits {  // one block per index
  const MergedBlock* merged;
  int* counts;
  TS_HD void operator()(int index) const { counts[index] = merged[index].block.unitCount; }
};

/// Units with impulses on B.
struct UnitsWithForces {
  const RowKey* keys;
  const Vec3* forces;
  const UnitPlace* places;
};

struct MoveMergedUnits {  // one block per index
  const MergedBlock* merged;
  const int* first;
  UnitsWithForces old, current;
  RowBlock* blocks;
  RowKey* keys;
  Vec3* forces;
  UnitPlace* places;
  TS_HD void operator()(int index) const {
    const RowBlock& block = merged[index].block;
    const UnitsWithForces& units = merged[index].isNew ? current : old;
    blocks[index] = rememberedBlock(block.key, first[index], block.unitCount);
    for (int k = 0; k < block.unitCount; ++k) {
      keys[first[index] + k] = units.keys[block.firstUnit + k];
      forces[first[index] + k] = units.forces[block.firstUnit + k];
      places[first[index] + k] = units.places[block.firstUnit + k];
    }
  }
};

}  // namespace detail

/// The units of the last step with their impulses on B, on a backend: the next one's start. As
/// vectors, since tangents and the primaries of sets may be others then.
template <class Backend>
class WarmStart {
 public:
  void clear() { m_blockCount = m_unitCount = 0; }
  /// @param blocks  [blockCount] in the order of their keys, whose units are the first unitCount of the table
  /// @param z  impulses of its rows
  void set(const Backend& backend, const RowBlock* blocks, int blockCount, const RowKey* keys,
           const RowsView& table, const double* z, int unitCount) {
    m_blockCount = blockCount;
    m_unitCount = unitCount;
    m_blocks.resize(blockCount);
    m_keys.resize(unitCount);
    m_impulses.resize(unitCount);
    m_places.resize(unitCount);
    copyWithin(backend, blocks, blockCount, m_blocks.data());
    copyWithin(backend, keys, unitCount, m_keys.data());
    forEach(backend, unitCount, detail::WriteForces{table, z, m_impulses.data(), m_places.data()});
  }

  /// set() for blocks in any order; those that are not settled keep what they have. Waits.
  /// @param settled  settled(key): whether the step has ended for a block
  template <class Settled>
  void update(const Backend& backend, const Settled& settled, const RowBlock* blocks, int blockCount,
              const RowKey* keys, const RowsView& table, const double* z, int unitCount) {
    m_forces.resize(unitCount);
    m_newPlaces.resize(unitCount);
    forEach(backend, unitCount, detail::WriteForces{table, z, m_forces.data(), m_newPlaces.data()});
    m_merged.resize(m_blockCount + blockCount);
    using IsSettled = detail::IsBlockSettled<Settled>;
    const int kept = list(backend, IsSettled{settled, m_blocks.data(), false}, m_blockCount, 0),
              count = kept + list(backend, IsSettled{settled, blocks, true}, blockCount, kept);
    stableSort(backend, m_merged.data(), count, detail::MergedBefore{});
    m_first.resize(count + 1);
    forEach(backend, count, detail::CountMergedUnits{m_merged.data(), m_first.data()});
    m_blockCount = count;
    m_unitCount = offsetsOf(backend, count, m_first.data());
    m_nextBlocks.resize(count);
    m_nextKeys.resize(m_unitCount);
    m_nextImpulses.resize(m_nextKeys.size());
    m_nextPlaces.resize(m_nextKeys.size());
    forEach(backend, count,
            detail::MoveMergedUnits{m_merged.data(),
                                    m_first.data(),
                                    {m_keys.data(), m_impulses.data(), m_places.data()},
                                    {keys, m_forces.data(), m_newPlaces.data()},
                                    m_nextBlocks.data(),
                                    m_nextKeys.data(),
                                    m_nextImpulses.data(),
                                    m_nextPlaces.data()});
    std::swap(m_blocks, m_nextBlocks);
    std::swap(m_keys, m_nextKeys);
    std::swap(m_impulses, m_nextImpulses);
    std::swap(m_places, m_nextPlaces);
  }

  detail::RememberedBlocks blocks() const { return {m_blocks.data(), m_blockCount}; }
  const RowKey* keys() const { return m_keys.data(); }
  const Vec3* impulses() const { return m_impulses.data(); }
  const UnitPlace* places() const { return m_places.data(); }

  /// Begins to copy all to the host.
  void send(const Backend& backend) {
    m_sentBlocks.start(backend, blocks().blocks, m_blockCount);
    m_sentKeys.start(backend, keys(), m_unitCount);
    m_sentImpulses.start(backend, impulses(), m_unitCount);
    m_sentPlaces.start(backend, places(), m_unitCount);
  }
  /// Until then nothing may be written.
  void wait() {
    m_sentBlocks.wait();
    m_sentKeys.wait();
    m_sentImpulses.wait();
    m_sentPlaces.wait();
  }
  /// Waits for it; it is what is kept from then on.
  void keepSent() {
    wait();
    m_sentBlocks.keep();
    m_sentKeys.keep();
    m_sentImpulses.keep();
    m_sentPlaces.keep();
  }
  /// The kept blocks, as recordings have them: of each block piece A, piece B or −1, plane or −1, and its
  /// units; of a joint its number, −1 and −1.
  std::string kept() {
    const RowBlock* blocks = m_sentBlocks.items();
    const RowKey* keys = m_sentKeys.items();
    const Vec3* impulses = m_sentImpulses.items();
    const UnitPlace* places = m_sentPlaces.items();
    ByteWriter writer;
    for (std::size_t index = 0; index < m_sentBlocks.count(); ++index) {
      const RowBlock& block = blocks[index];
      if (block.unitCount == 0) continue;  // it couples bodies and starts nothing
      const BlockKey& name = block.key;
      for (int number : {name.first, name.kind == kPieceBlock ? name.second : -1,
                         name.kind == kPlaneBlock ? name.second : -1, block.unitCount})
        writer.put(number);
      for (int place = block.firstUnit; place < block.firstUnit + block.unitCount; ++place) {
        const RowKey& key = keys[place];
        for (int number : {key.kind, key.featureA, key.featureB, key.members}) writer.put(number);
        writer.put(impulses[place]);
        if (name.kind != kJointBlock) putPlace(places[place], writer);
      }
    }
    return writer.take();
  }

  /// @param bytes  of kept()
  void restore(const Backend& backend, const std::string& bytes) {
    std::vector<RowBlock> blocks;
    std::vector<RowKey> keys;
    std::vector<Vec3> impulses;
    std::vector<UnitPlace> places;
    ByteReader reader(bytes);
    while (!reader.atEnd()) {
      int first = 0, second = 0, other = 0, count = 0;
      for (int* number : {&first, &second, &other, &count}) reader.get(*number);
      const BlockKey name = other >= 0    ? BlockKey{kPlaneBlock, first, other}
                            : second >= 0 ? BlockKey{kPieceBlock, first, second}
                                          : BlockKey{kJointBlock, first, 0};
      blocks.push_back(detail::rememberedBlock(name, countOf(keys), count));
      for (int k = 0; k < count; ++k) {
        RowKey key;
        for (int* number : {&key.kind, &key.featureA, &key.featureB, &key.members}) reader.get(*number);
        keys.push_back(key);
        impulses.emplace_back();
        reader.get(impulses.back());
        places.push_back({Vec3(0, 0, 0), Vec3(0, 0, 0)});
        if (name.kind == kJointBlock) continue;
        reader.get(places.back().arm);
        reader.get(places.back().normal);
      }
    }
    m_blockCount = countOf(blocks);
    m_unitCount = countOf(keys);
    backend.upload(blocks.data(), blocks.size(), m_blocks);
    backend.upload(keys.data(), keys.size(), m_keys);
    backend.upload(impulses.data(), impulses.size(), m_impulses);
    backend.upload(places.data(), places.size(), m_places);
  }

 private:
  template <class T>
  using Array = typename Backend::template Array<T>;

  static void putPlace(const UnitPlace& place, ByteWriter& writer) {
    writer.put(place.arm);
    writer.put(place.normal);
  }
  /// Writes the blocks that pass from a place of m_merged on. @return their number
  template <class Test>
  int list(const Backend& backend, const Test& test, int blockCount, int place) {
    const List<Backend, int>& chosen = m_chosen.select(backend, Extent{blockCount, nullptr}, test);
    forEach(backend, chosen.size(),
            detail::WriteMerged{chosen.data(), test.blocks, test.wanted ? 1 : 0, m_merged.data() + place});
    return chosen.size();
  }

  int m_blockCount = 0, m_unitCount = 0;
  Array<RowBlock> m_blocks;  ///< see rememberedBlock()
  Array<RowKey> m_keys;      ///< [units]
  Array<Vec3> m_impulses;
  Array<UnitPlace> m_places;
  // Of update():
  Selection<Backend> m_chosen;
  Array<detail::MergedBlock> m_merged;
  Array<int> m_first;
  Array<Vec3> m_forces, m_nextImpulses;
  Array<UnitPlace> m_newPlaces, m_nextPlaces;
  Array<RowBlock> m_nextBlocks;
  Array<RowKey> m_nextKeys;
  DoubleBuffer<Backend, RowBlock> m_sentBlocks;
  DoubleBuffer<Backend, RowKey> m_sentKeys;
  DoubleBuffer<Backend, Vec3> m_sentImpulses;
  DoubleBuffer<Backend, UnitPlace> m_sentPlaces;
};

}  // namespace touchstone
