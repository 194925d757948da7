#pragma once

#include <string>
#include <vector>

#include "core/math/count.h"
#include "core/parallel/copy.h"
#include "core/parallel/device/double_buffer.h"
#include "core/parallel/select.h"
#include "core/parallel/sort.h"
#include "core/record/bytes.h"
#include "core/solver/rows/row_loops.inl"

namespace touchstone {

namespace detail {

struct WriteForces {  // one row per index
  const ContactRow* contacts;
  const Vec3* z;
  Vec3* out;
  TS_HD void operator()(int row) const { out[row] = impulseOf(contacts[row], z[row]); }
};

/// A block of either memory, with its rows in that one.
struct MergedBlock {
  RowBlock block;
  int isNew;
};

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

struct CountMergedRows {  // one block per index
  const MergedBlock* merged;
  int* counts;
  TS_HD void operator()(int index) const { counts[index] = merged[index].block.count; }
};

/// Rows with impulses on B.
struct RowsWithForces {
  const RowKey* keys;
  const Vec3* forces;
};

struct MoveMergedRows {  // one block per index
  const MergedBlock* merged;
  const int* first;
  RowsWithForces old, current;
  RowBlock* blocks;
  RowKey* keys;
  Vec3* forces;
  TS_HD void operator()(int index) const {
    const RowBlock& block = merged[index].block;
    const RowsWithForces& rows = merged[index].isNew ? current : old;
    blocks[index] = {block.key, block.bodyA, block.bodyB, first[index], block.count};
    for (int k = 0; k < block.count; ++k) {
      keys[first[index] + k] = rows.keys[block.first + k];
      forces[first[index] + k] = rows.forces[block.first + k];
    }
  }
};

}  // namespace detail

/// The rows of the last step with their impulses on B, on a backend: the next one's start. As vectors, since
/// tangents and the primaries of sets may be others then.
template <class Backend>
class WarmStart {
 public:
  void clear() { m_blockCount = m_rowCount = 0; }
  /// @param z  as in impulseOf()
  void set(const Backend& backend, const RowBlock* blocks, int blockCount, const RowKey* keys,
           const ContactRow* contacts, const Vec3* z, int rowCount) {
    m_blockCount = blockCount;
    m_rowCount = rowCount;
    m_blocks.resize(blockCount);
    m_keys.resize(rowCount);
    m_impulses.resize(m_keys.size());
    copyWithin(backend, blocks, blockCount, m_blocks.data());
    copyWithin(backend, keys, rowCount, m_keys.data());
    forEach(backend, rowCount, detail::WriteForces{contacts, z, m_impulses.data()});
  }

  /// set() for blocks in any order; those that are not settled keep what they have. Waits.
  /// @param settled  settled(key): whether the step has ended for a block
  template <class Settled>
  void update(const Backend& backend, const Settled& settled, const RowBlock* blocks, int blockCount,
              const RowKey* keys, const ContactRow* contacts, const Vec3* z, int rowCount) {
    m_forces.resize(rowCount);
    forEach(backend, rowCount, detail::WriteForces{contacts, z, m_forces.data()});
    m_merged.resize(m_blockCount + blockCount);
    using IsSettled = detail::IsBlockSettled<Settled>;
    const int kept = list(backend, IsSettled{settled, m_blocks.data(), false}, m_blockCount, 0),
              count = kept + list(backend, IsSettled{settled, blocks, true}, blockCount, kept);
    stableSort(backend, m_merged.data(), count, detail::MergedBefore{});
    m_first.resize(count + 1);
    forEach(backend, count, detail::CountMergedRows{m_merged.data(), m_first.data()});
    m_blockCount = count;
    m_rowCount = offsetsOf(backend, count, m_first.data());
    m_nextBlocks.resize(count);
    m_nextKeys.resize(m_rowCount);
    m_nextImpulses.resize(m_nextKeys.size());
    forEach(backend, count,
            detail::MoveMergedRows{m_merged.data(),
                                   m_first.data(),
                                   {m_keys.data(), m_impulses.data()},
                                   {keys, m_forces.data()},
                                   m_nextBlocks.data(),
                                   m_nextKeys.data(),
                                   m_nextImpulses.data()});
    std::swap(m_blocks, m_nextBlocks);
    std::swap(m_keys, m_nextKeys);
    std::swap(m_impulses, m_nextImpulses);
  }

  detail::RowsOfBlocks rows() const { return {m_blocks.data(), m_blockCount}; }
  const RowKey* keys() const { return m_keys.data(); }
  const Vec3* impulses() const { return m_impulses.data(); }

  /// Begins to copy all to the host.
  void send(const Backend& backend) {
    m_sentBlocks.start(backend, rows().blocks, m_blockCount);
    m_sentKeys.start(backend, keys(), m_rowCount);
    m_sentImpulses.start(backend, impulses(), m_rowCount);
  }
  /// Until then nothing may be written.
  void wait() {
    m_sentBlocks.wait();
    m_sentKeys.wait();
    m_sentImpulses.wait();
  }
  /// Waits for it; it is what is kept from then on.
  void keepSent() {
    wait();
    m_sentBlocks.keep();
    m_sentKeys.keep();
    m_sentImpulses.keep();
  }
  /// The kept blocks, as recordings have them: of each block piece A, piece B or −1, plane or −1, and its
  /// rows.
  std::string kept() {
    const RowBlock* blocks = m_sentBlocks.items();
    const RowKey* keys = m_sentKeys.items();
    const Vec3* impulses = m_sentImpulses.items();
    ByteWriter writer;
    for (std::size_t index = 0; index < m_sentBlocks.count(); ++index) {
      const RowBlock& block = blocks[index];
      if (block.count == 0) continue;  // it couples bodies and starts nothing
      const bool isFirstKind = block.key.kind == 0;
      for (int number : {block.key.first, isFirstKind ? block.key.second : -1,
                         isFirstKind ? -1 : block.key.second, block.count})
        writer.put(number);
      for (int place = block.first; place < block.first + block.count; ++place) {
        const RowKey& key = keys[place];
        for (int number : {key.kind, key.featureA, key.featureB, key.members}) writer.put(number);
        writer.put(impulses[place]);
      }
    }
    return writer.take();
  }

  /// @param bytes  of kept()
  void restore(const Backend& backend, const std::string& bytes) {
    std::vector<RowBlock> blocks;
    std::vector<RowKey> keys;
    std::vector<Vec3> impulses;
    ByteReader reader(bytes);
    while (!reader.atEnd()) {
      int first = 0, second = 0, other = 0, count = 0;
      for (int* number : {&first, &second, &other, &count}) reader.get(*number);
      const bool isFirstKind = other < 0;
      blocks.push_back(
          {{isFirstKind ? 0 : 1, first, isFirstKind ? second : other}, -1, -1, countOf(keys), count});
      for (int k = 0; k < count; ++k) {
        RowKey key;
        for (int* number : {&key.kind, &key.featureA, &key.featureB, &key.members}) reader.get(*number);
        keys.push_back(key);
        impulses.emplace_back();
        reader.get(impulses.back());
      }
    }
    m_blockCount = countOf(blocks);
    m_rowCount = countOf(keys);
    backend.upload(blocks.data(), blocks.size(), m_blocks);
    backend.upload(keys.data(), keys.size(), m_keys);
    backend.upload(impulses.data(), impulses.size(), m_impulses);
  }

 private:
  template <class T>
  using Array = typename Backend::template Array<T>;

  /// Writes the blocks that pass from a place of m_merged on. @return their number
  template <class Test>
  int list(const Backend& backend, const Test& test, int blockCount, int place) {
    const List<Backend, int>& chosen = m_chosen.select(backend, Extent{blockCount, nullptr}, test);
    forEach(backend, chosen.size(),
            detail::WriteMerged{chosen.data(), test.blocks, test.wanted ? 1 : 0, m_merged.data() + place});
    return chosen.size();
  }

  int m_blockCount = 0, m_rowCount = 0;
  Array<RowBlock> m_blocks;  ///< their carriers are not used
  Array<RowKey> m_keys;      ///< [rows]
  Array<Vec3> m_impulses;
  // Of update():
  Selection<Backend> m_chosen;
  Array<detail::MergedBlock> m_merged;
  Array<int> m_first;
  Array<Vec3> m_forces, m_nextImpulses;
  Array<RowBlock> m_nextBlocks;
  Array<RowKey> m_nextKeys;
  DoubleBuffer<Backend, RowBlock> m_sentBlocks;
  DoubleBuffer<Backend, RowKey> m_sentKeys;
  DoubleBuffer<Backend, Vec3> m_sentImpulses;
};

}  // namespace touchstone
