#pragma once

#include <string>
#include <vector>

#include "core/contact/complementarity/contact_rows.inl"
#include "core/contact/complementarity/touching_pairs.inl"
#include "core/detect/candidates.h"
#include "core/parallel/copy.h"
#include "core/parallel/device/double_buffer.h"
#include "core/record/bytes.h"

namespace touchstone {

namespace detail {

struct WriteForces {  // one row per index
  const ContactRow* contacts;
  const Vec3* z;
  Vec3* out;
  TS_HD void operator()(int row) const { out[row] = impulseOf(contacts[row], z[row]); }
};

}  // namespace detail

/// Pairs that a step has come to an end for; others keep what they have: their bodies took no part and may
/// wait for others that take the step in halves, or are to take it in halves themselves.
struct SettledPairs {
  WorldView world;
  const int* pieceBody;
  const int* replicas;  ///< [replicaCount] 1: does not take it in halves
  TS_HD bool operator()(const PiecePair& pair) const {
    const int body = pieceBody[pair.pieceA];
    return world.active[body] && replicas[world.bodies[body].replica];
  }
};

namespace detail {

/// A pair of either memory, with its rows there.
struct MergedPair {
  TouchingPair touching;
  int isNew;
};

struct IsTouchingSettled {
  SettledPairs settled;
  const TouchingPair* pairs;
  bool wanted;
  TS_HD bool operator()(int index) const { return settled(pairs[index].pair) == wanted; }
};

struct WriteMerged {  // one pair per index
  const int* indices;
  const TouchingPair* pairs;
  int isNew;
  MergedPair* out;
  TS_HD void operator()(int index) const { out[index] = {pairs[indices[index]], isNew}; }
};

struct MergedBefore {
  TS_HD bool operator()(const MergedPair& a, const MergedPair& b) const {
    return a.touching.pair < b.touching.pair;
  }
};

struct CountMergedRows {  // one pair per index
  const MergedPair* merged;
  int* counts;
  TS_HD void operator()(int index) const { counts[index] = merged[index].touching.count; }
};

/// Rows with impulses on B.
struct RowsWithForces {
  const RowKey* keys;
  const Vec3* forces;
};

struct MoveMergedRows {  // one pair per index
  const MergedPair* merged;
  const int* first;
  RowsWithForces old, own;
  TouchingPair* pairs;
  RowKey* keys;
  Vec3* forces;
  TS_HD void operator()(int index) const {
    const TouchingPair& from = merged[index].touching;
    const RowsWithForces& rows = merged[index].isNew ? own : old;
    pairs[index] = {from.pair, first[index], from.count};
    for (int k = 0; k < from.count; ++k) {
      keys[first[index] + k] = rows.keys[from.first + k];
      forces[first[index] + k] = rows.forces[from.first + k];
    }
  }
};

}  // namespace detail

/// The rows of the last step with their impulses on B, on a backend: the next one's start. As vectors, for
/// tangents and the primaries of sets may be others then.
template <class Backend>
class WarmStart {
 public:
  void clear() { m_pairCount = m_rowCount = 0; }
  /// @param z  as in impulseOf()
  void set(const Backend& backend, const TouchingPair* pairs, int pairCount, const RowKey* keys,
           const ContactRow* contacts, const Vec3* z, int rowCount) {
    m_pairCount = pairCount;
    m_rowCount = rowCount;
    m_pairs.resize(static_cast<std::size_t>(pairCount));
    m_keys.resize(static_cast<std::size_t>(rowCount));
    m_impulses.resize(m_keys.size());
    copyWithin(backend, pairs, pairCount, m_pairs.data());
    copyWithin(backend, keys, rowCount, m_keys.data());
    forEach(backend, rowCount, detail::WriteForces{contacts, z, m_impulses.data()});
  }

  /// set() for pairs in any order, and with those that are not settled as they were. Waits.
  void update(const Backend& backend, const SettledPairs& settled, const TouchingPair* pairs, int pairCount,
              const RowKey* keys, const ContactRow* contacts, const Vec3* z, int rowCount) {
    m_forces.resize(static_cast<std::size_t>(rowCount));
    forEach(backend, rowCount, detail::WriteForces{contacts, z, m_forces.data()});
    m_merged.resize(static_cast<std::size_t>(m_pairCount + pairCount));
    const int kept = list(backend, {settled, m_pairs.data(), false}, m_pairCount, 0),
              count = kept + list(backend, {settled, pairs, true}, pairCount, kept);
    stableSort(backend, m_merged.data(), count, detail::MergedBefore{});
    m_first.resize(static_cast<std::size_t>(count) + 1);
    forEach(backend, count, detail::CountMergedRows{m_merged.data(), m_first.data()});
    m_pairCount = count;
    m_rowCount = offsetsOf(backend, count, m_first.data());
    m_nextPairs.resize(static_cast<std::size_t>(count));
    m_nextKeys.resize(static_cast<std::size_t>(m_rowCount));
    m_nextImpulses.resize(m_nextKeys.size());
    forEach(backend, count,
            detail::MoveMergedRows{m_merged.data(),
                                   m_first.data(),
                                   {m_keys.data(), m_impulses.data()},
                                   {keys, m_forces.data()},
                                   m_nextPairs.data(),
                                   m_nextKeys.data(),
                                   m_nextImpulses.data()});
    std::swap(m_pairs, m_nextPairs);
    std::swap(m_keys, m_nextKeys);
    std::swap(m_impulses, m_nextImpulses);
  }

  detail::RowsOfPairs rows() const { return {m_pairs.data(), m_pairCount}; }
  const RowKey* keys() const { return m_keys.data(); }
  const Vec3* impulses() const { return m_impulses.data(); }

  /// Begins to copy all to the host.
  void send(const Backend& backend) {
    m_sentPairs.start(backend, rows().pairs, static_cast<std::size_t>(m_pairCount));
    m_sentKeys.start(backend, keys(), static_cast<std::size_t>(m_rowCount));
    m_sentImpulses.start(backend, impulses(), static_cast<std::size_t>(m_rowCount));
  }
  /// Until then nothing may be written.
  void wait() {
    m_sentPairs.wait();
    m_sentKeys.wait();
    m_sentImpulses.wait();
  }
  /// Waits for it; it is what is kept from then on.
  void keepSent() {
    wait();
    m_sentPairs.keep();
    m_sentKeys.keep();
    m_sentImpulses.keep();
  }
  std::string kept() {
    const TouchingPair* pairs = m_sentPairs.items();
    const RowKey* keys = m_sentKeys.items();
    const Vec3* impulses = m_sentImpulses.items();
    ByteWriter writer;
    for (std::size_t pair = 0; pair < m_sentPairs.count(); ++pair) {
      const TouchingPair& touching = pairs[pair];
      for (int number : {touching.pair.pieceA, touching.pair.pieceB, touching.pair.planeBody, touching.count})
        writer.put(number);
      for (int place = touching.first; place < touching.first + touching.count; ++place) {
        const RowKey& key = keys[place];
        for (int number : {key.kind, key.featureA, key.featureB, key.members}) writer.put(number);
        writer.put(impulses[place]);
      }
    }
    return writer.take();
  }

  void restore(const Backend& backend, const std::string& bytes) {
    std::vector<TouchingPair> pairs;
    std::vector<RowKey> keys;
    std::vector<Vec3> impulses;
    ByteReader reader(bytes);
    while (!reader.atEnd()) {
      TouchingPair touching{{}, static_cast<int>(keys.size()), 0};
      for (int* number :
           {&touching.pair.pieceA, &touching.pair.pieceB, &touching.pair.planeBody, &touching.count})
        reader.get(*number);
      for (int k = 0; k < touching.count; ++k) {
        RowKey key;
        for (int* number : {&key.kind, &key.featureA, &key.featureB, &key.members}) reader.get(*number);
        keys.push_back(key);
        impulses.emplace_back();
        reader.get(impulses.back());
      }
      pairs.push_back(touching);
    }
    m_pairCount = static_cast<int>(pairs.size());
    m_rowCount = static_cast<int>(keys.size());
    backend.upload(pairs.data(), pairs.size(), m_pairs);
    backend.upload(keys.data(), keys.size(), m_keys);
    backend.upload(impulses.data(), impulses.size(), m_impulses);
  }

 private:
  template <class T>
  using Array = typename Backend::template Array<T>;

  /// Those of the pairs that pass, behind `there` others. @return how many
  int list(const Backend& backend, const detail::IsTouchingSettled& test, int pairCount, int there) {
    const List<Backend, int>& chosen = m_chosen.select(backend, Extent{pairCount, nullptr}, test);
    forEach(backend, chosen.size(),
            detail::WriteMerged{chosen.data(), test.pairs, test.wanted ? 1 : 0, m_merged.data() + there});
    return chosen.size();
  }

  int m_pairCount = 0, m_rowCount = 0;
  Array<TouchingPair> m_pairs;
  Array<RowKey> m_keys;  ///< [rows]
  Array<Vec3> m_impulses;
  // Of update():
  Selection<Backend> m_chosen;
  Array<detail::MergedPair> m_merged;
  Array<int> m_first;
  Array<Vec3> m_forces, m_nextImpulses;
  Array<TouchingPair> m_nextPairs;
  Array<RowKey> m_nextKeys;
  DoubleBuffer<Backend, TouchingPair> m_sentPairs;
  DoubleBuffer<Backend, RowKey> m_sentKeys;
  DoubleBuffer<Backend, Vec3> m_sentImpulses;
};

}  // namespace touchstone
