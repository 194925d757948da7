#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <tuple>
#include <vector>

#include "core/contact/contact_rows.inl"
#include "core/contact/matrix_free_engine.h"
#include "core/contact/piece_engine.inl"
#include "core/contact/sweep_plan.h"
#include "core/parallel/reduce.h"
#include "core/record/bytes.h"

namespace touchstone {

/// A pair that has rows, and where they begin.
struct TouchingPair {
  PiecePair pair;
  int first, count;
};

/// A sequence of loops that stays the same from step to step while its arrays lie where they lay.
template <class Backend>
class LearnedSequence {
 public:
  /// Forgets what was learned if an array has moved or a number has changed.
  void learnFor(std::vector<const void*> arrays, std::vector<double> numbers) {
    if (arrays == m_arrays && numbers == m_numbers) return;
    m_arrays = std::move(arrays);
    m_numbers = std::move(numbers);
    m_repetition.emplace();
  }
  template <class Sequence>
  void run(const Backend& backend, const Sequence& sequence) {
    backend.repeat(*m_repetition, sequence);
  }

 private:
  std::optional<typename Backend::Repetition> m_repetition{std::in_place};
  std::vector<const void*> m_arrays;  ///< that the sequence reads or writes
  std::vector<double> m_numbers;      ///< that went into it
};

/// What all solvers without a matrix share: rows by pair, island and chunk, their start from the last step,
/// the best iterate of each island, and the record.
template <class Backend>
class MatrixFreeEngineOn : public MatrixFreeEngine {
 public:
  MatrixFreeEngineOn(RowPer rows, const World& world, const std::shared_ptr<BackendWorld>& there,
                     const PieceEngine& pieces)
      : m_there(worldOn<Backend>(there)),
        m_backend(m_there->backend()),
        m_hasSets(rows == RowPer::Set),
        m_planar(world.scene->planar),
        m_pieces(dynamic_cast<const PieceEngineOn<Backend>&>(pieces)),
        m_pieceBody(world.pieces->body) {}

  void begin(const World& world, const std::vector<PiecePair>& pairs,
             const SolverSettings& settings) override {
    m_sentKeys.wait();  // what is on its way is written anew from here on
    m_sentImpulses.wait();
    m_settings = settings;
    m_view = m_there->view(world);
    findTouching(pairs);
    planOrder(world);
    sendPairs();
    makeRoom();
    fill(m_backend, m_running.data(), m_plan.islandCount, 1);
    if (m_hasSets) {
      fill(m_backend, m_rules.data(), m_plan.islandCount, PrimaryRule::Published);
      keepVelocities(m_free);
    }
    m_isFirst = true;
    startRows();
  }

  void beginAgain() override {
    keepVelocities(m_before);
    sendPairs();  // each with its rows of the last answer
    if (m_isFirst) fill(m_backend, m_running.data(), m_plan.islandCount, 1);
    m_isFirst = false;
    fill(m_backend, m_rules.data(), m_plan.islandCount, PrimaryRule::LargestGap);
    freeVelocities();
    startRows();
  }

  int movingIslands() override {
    forEach(m_backend, pairCount(),
            detail::FindChange{m_view, m_pairs.data(), m_before.linear.data(), m_before.angular.data(),
                               m_figures.data()});
    joinChunks(m_figures, m_chunkFigures);
    forEach(m_backend, m_plan.islandCount,
            detail::FindMoving{m_firstChunk.data(), m_chunkFigures.data(), m_running.data()});
    std::vector<int> running(static_cast<std::size_t>(m_plan.islandCount));
    m_backend.download(m_running.data(), running.size(), running.data());
    return static_cast<int>(std::count(running.begin(), running.end(), 1));
  }

  std::vector<ModelSet> sets() const override {
    std::vector<ModelSet> sets;
    if (!m_hasSets) {
      for (int contact = 0; contact < static_cast<int>(rowCount()); ++contact)
        sets.push_back({ConstraintType::U, {contact}, 0});
      return sets;
    }
    const FoundSets found = m_pieces.fetchSets();
    const std::vector<int> primaries = fetched(static_cast<const int*>(m_primaries.data()));
    for (std::size_t row = 0; row < found.sets.size(); ++row) {
      const SetRange& set = found.sets[row];
      const int* first = found.members.data() + set.first;
      sets.push_back({set.type, {first, first + set.count}, 0});
      std::vector<int>& own = sets.back().contacts;
      std::swap(own.front(), *std::find(own.begin(), own.end(), primaries[row]));
    }
    return sets;
  }

  std::vector<Vec3> impulses() const override { return fetched(m_last.impulses.data()); }
  std::vector<double> slips() override {
    m_slips.resize(rowCount());
    forEach(m_backend, pairCount(),
            detail::FindSlip{m_view, m_pairs.data(), m_contacts.data(), m_slips.data()}, Work::Heavy);
    return fetched(static_cast<const double*>(m_slips.data()));
  }
  std::vector<Vec3> start() const override { return fetched(m_z.data()); }

  std::vector<int> rowOrder() const override {
    std::vector<int> order;
    for (int pair : m_plan.order)
      for (int k = 0; k < m_touching[pair].count; ++k) order.push_back(m_touching[pair].first + k);
    return order;
  }

  void reset() override { m_last.pairs.clear(); }

  void sendMemory() override {
    const std::size_t count = rowCountOf(m_last.pairs);
    m_sentPairs = m_last.pairs;
    m_sentKeys.start(m_backend, static_cast<const RowKey*>(m_last.keys.data()), count);
    m_sentImpulses.start(m_backend, static_cast<const Vec3*>(m_last.impulses.data()), count);
  }

  std::string sentMemory() override {
    const RowKey* keys = m_sentKeys.wait();
    const Vec3* impulses = m_sentImpulses.wait();
    ByteWriter writer;
    for (const TouchingPair& touching : m_sentPairs) {
      for (int number : {touching.pair.pieceA, touching.pair.pieceB, touching.pair.planeBody, touching.count})
        writer.put(number);
      for (int place = touching.first; place < touching.first + touching.count; ++place) {
        const RowKey& key = keys[place];
        for (int number : {key.kind, key.featureA, key.featureB, key.others}) writer.put(number);
        writer.put(impulses[place]);
      }
    }
    return writer.take();
  }

  void restoreMemory(const std::string& bytes) override {
    std::vector<RowKey> keys;
    std::vector<Vec3> impulses;
    m_last.pairs.clear();
    ByteReader reader(bytes);
    while (!reader.atEnd()) {
      TouchingPair touching{{}, static_cast<int>(keys.size()), 0};
      for (int* number :
           {&touching.pair.pieceA, &touching.pair.pieceB, &touching.pair.planeBody, &touching.count})
        reader.get(*number);
      for (int k = 0; k < touching.count; ++k) {
        RowKey key;
        for (int* number : {&key.kind, &key.featureA, &key.featureB, &key.others}) reader.get(*number);
        keys.push_back(key);
        impulses.emplace_back();
        reader.get(impulses.back());
      }
      m_last.pairs.push_back(touching);
    }
    m_backend.upload(keys.data(), keys.size(), m_last.keys);
    m_backend.upload(impulses.data(), impulses.size(), m_last.impulses);
  }

 protected:
  template <class T>
  using Array = typename Backend::template Array<T>;

  // How often the host asks a device whether an island is still running: islands stop on their own.
  static constexpr int kIterationsBetween = Backend::kOnHost ? 1 : 8;

  int pairCount() const { return static_cast<int>(m_plan.order.size()); }
  std::size_t rowCount() const { return rowCountOf(m_touching); }

  /// Gives the bodies of running islands the velocities that they have without contact. Only with sets.
  void freeVelocities() const {
    forEach(m_backend, m_view.bodyCount,
            detail::UseVelocities{m_view, m_islandOfBody.data(), m_running.data(), m_free.linear.data(),
                                  m_free.angular.data()});
  }

  /// Rows and warm start of the islands that are running, from velocities without contact.
  void startRows() {
    const RowSource source{m_pieces.contacts(), m_hasSets ? m_pieces.sets() : nullptr, m_pieces.members(),
                           m_rules.data()};
    const detail::StartPair start{m_view,
                                  source,
                                  m_pairs.data(),
                                  m_running.data(),
                                  m_planar,
                                  m_last.keys.data(),
                                  m_last.impulses.data(),
                                  m_contacts.data(),
                                  m_others.data(),
                                  m_primaries.data(),
                                  m_keys.data(),
                                  m_z.data(),
                                  m_figures.data()};
    forEach(m_backend, pairCount(), start, Work::Heavy);
    joinChunks(m_figures, m_chunkFigures);
    forEach(
        m_backend, m_plan.islandCount,
        detail::StartIsland{m_firstChunk.data(), m_chunkFigures.data(), m_running.data(), m_islands.data()});
  }

  template <class Figures>
  void joinChunks(const Array<Figures>& figures, Array<Figures>& chunks) const {
    forEach(m_backend, static_cast<int>(chunks.size()),
            detail::JoinChunk<Figures>{m_chunkPlaces.data(), m_firstOfChunk.data(), figures.data(),
                                       chunks.data()});
  }

  /// Takes the residuals of all pairs as those of an iterate: its islands keep it if it is their best, and
  /// stop where it is good enough.
  void judge() {
    joinChunks(m_figures, m_chunkFigures);
    forEach(m_backend, m_plan.islandCount,
            detail::JudgeIsland{m_firstChunk.data(), m_chunkFigures.data(), m_settings.tolerance,
                                m_settings.maxIterations, m_reported, m_islands.data(), m_running.data(),
                                m_history.data()});
    forEach(m_backend, pairCount(),
            detail::KeepImpulses{m_pairs.data(), m_islands.data(), m_z.data(), m_best.data()});
  }

  bool isRunning() const {
    return joined(m_backend, static_cast<const int*>(m_running.data()), m_plan.islandCount, 0, Larger{}) > 0;
  }
  /// Whether to take iteration `count`.
  bool goesOn(int count) const { return count % kIterationsBetween != 0 || isRunning(); }

  void remember() {
    const int count = static_cast<int>(rowCount());
    m_last.pairs = m_touching;
    m_last.keys.resize(m_keys.size());
    m_last.impulses.resize(m_best.size());
    copyWithin(m_backend, static_cast<const RowKey*>(m_keys.data()), count, m_last.keys.data());
    copyWithin(m_backend, static_cast<const Vec3*>(m_best.data()), count, m_last.impulses.data());
  }

  MatrixFreeReport report() const {
    std::vector<IslandCurve> islands(static_cast<std::size_t>(m_plan.islandCount));
    m_backend.download(m_islands.data(), islands.size(), islands.data());
    MatrixFreeReport report;
    report.islands = m_plan.islandCount;
    RowFigures largest;
    for (const IslandCurve& island : islands) {
      largest.add(island.best);
      report.unsolved += !(island.best.scaled <= m_settings.tolerance);
    }
    report.residual = largest.natural;
    if (islands.empty()) return report;
    std::vector<PrimaryRule> rules(m_hasSets ? islands.size() : 0);
    m_backend.download(m_rules.data(), rules.size(), rules.data());
    report.withLargestGap = static_cast<int>(std::count(rules.begin(), rules.end(), PrimaryRule::LargestGap));
    const IslandCurve& told = islands[m_reported];
    report.tolerance = m_settings.tolerance * told.denominator * told.largestScale;
    std::vector<RowFigures> history(static_cast<std::size_t>(told.measured));
    m_backend.download(m_history.data(), history.size(), history.data());
    for (const RowFigures& each : history) report.iterations.push_back({each.natural, each.scaled});
    return report;
  }

  std::shared_ptr<BackendWorldOn<Backend>> m_there;
  Backend m_backend;
  bool m_hasSets, m_planar;
  SolverSettings m_settings;
  WorldView m_view;

  std::vector<std::array<int, 2>> m_bodies;  ///< [pairs] of the plan
  SweepPlan m_plan;
  int m_planNumber = 0;
  int m_reported = 0;  ///< the island whose residuals are told

  Array<int> m_islandOfBody, m_chunkPlaces, m_firstOfChunk, m_firstChunk;
  Array<RowPair> m_pairs;
  Array<ContactRows> m_contacts;  ///< [rows]
  Array<OtherGap> m_others;       ///< [members of the sets]
  Array<PrimaryRule> m_rules;     ///< [islands], if there are sets
  Array<RowKey> m_keys;
  Array<Vec3> m_z, m_best;
  Array<RowFigures> m_figures, m_chunkFigures, m_history;
  /// [bodyCount] velocities of all bodies.
  struct KeptVelocities {
    Array<Vec3> linear, angular;
  };
  KeptVelocities m_free;  ///< without contact, if there are sets
  Array<IslandCurve> m_islands;
  Array<int> m_running;  ///< [islands] those that the next loops are about

 private:
  void keepVelocities(KeptVelocities& kept) const {
    const std::size_t bodies = static_cast<std::size_t>(m_view.bodyCount);
    kept.linear.resize(bodies);
    kept.angular.resize(bodies);
    copyWithin(m_backend, static_cast<const Vec3*>(m_view.nextLinearVelocity), m_view.bodyCount,
               kept.linear.data());
    copyWithin(m_backend, static_cast<const Vec3*>(m_view.nextAngularVelocity), m_view.bodyCount,
               kept.angular.data());
  }

  static std::size_t rowCountOf(const std::vector<TouchingPair>& pairs) {
    return pairs.empty() ? 0 : static_cast<std::size_t>(pairs.back().first + pairs.back().count);
  }

  void findTouching(const std::vector<PiecePair>& pairs) {
    std::vector<int> first(pairs.size() + 1);
    m_backend.download(m_hasSets ? m_pieces.firstSetOfPair() : m_pieces.firstOfPair(), first.size(),
                       first.data());
    m_touching.clear();
    for (std::size_t pair = 0; pair < pairs.size(); ++pair)
      if (first[pair + 1] > first[pair])
        m_touching.push_back({pairs[pair], first[pair], first[pair + 1] - first[pair]});
  }

  std::array<int, 2> bodiesOf(const PiecePair& pair) const {
    const int a = m_pieceBody[pair.pieceA],
              b = pair.planeBody >= 0 ? pair.planeBody : m_pieceBody[pair.pieceB];
    return {std::min(a, b), std::max(a, b)};
  }

  /// The plan of the last step stays while the same bodies touch.
  void planOrder(const World& world) {
    std::vector<std::array<int, 2>> bodies;
    std::vector<char> moves;
    for (const TouchingPair& touching : m_touching) {
      bodies.push_back(bodiesOf(touching.pair));
      for (int body : bodies.back()) moves.push_back(isDynamic(world, body));
    }
    if (m_isPlanned && bodies == m_bodies && moves == m_moves) return;
    m_isPlanned = true;
    ++m_planNumber;
    m_bodies = std::move(bodies);
    m_moves = std::move(moves);
    m_plan = planSweeps(world, m_bodies);
    const auto send = [this](const std::vector<int>& numbers, Array<int>& there) {
      m_backend.upload(numbers.data(), numbers.size(), there);
    };
    send(m_plan.islandOfBody, m_islandOfBody);
    send(m_plan.chunkPlaces, m_chunkPlaces);
    send(m_plan.firstOfChunk, m_firstOfChunk);
    send(m_plan.firstChunk, m_firstChunk);
  }

  /// In the order of the sweeps, each with its rows of the last step. Both lists have pairs of pieces
  /// first, sorted.
  void sendPairs() {
    const auto order = [](const PiecePair& pair) {
      return std::make_tuple(pair.planeBody >= 0, pair.pieceA, pair.pieceB, pair.planeBody);
    };
    std::vector<const TouchingPair*> before(m_touching.size(), nullptr);
    auto last = m_last.pairs.begin();
    for (std::size_t pair = 0; pair < m_touching.size(); ++pair) {
      const auto own = order(m_touching[pair].pair);
      while (last != m_last.pairs.end() && order(last->pair) < own) ++last;
      if (last != m_last.pairs.end() && order(last->pair) == own) before[pair] = &*last;
    }
    std::vector<RowPair> pairs;
    std::vector<int> rows(static_cast<std::size_t>(m_plan.islandCount), 0);
    for (std::size_t place = 0; place < m_plan.order.size(); ++place) {
      const int pair = m_plan.order[place];
      const TouchingPair& touching = m_touching[pair];
      pairs.push_back({m_bodies[pair][0], m_bodies[pair][1], touching.first, touching.count,
                       before[pair] ? before[pair]->first : 0, before[pair] ? before[pair]->count : 0,
                       m_plan.island[place]});
      rows[m_plan.island[place]] += touching.count;
    }
    m_backend.upload(pairs.data(), pairs.size(), m_pairs);
    m_reported = static_cast<int>(std::max_element(rows.begin(), rows.end()) - rows.begin());
  }

  void makeRoom() {
    const std::size_t rows = rowCount(), pairs = m_plan.order.size(),
                      islands = static_cast<std::size_t>(m_plan.islandCount);
    if (m_hasSets) {
      m_rules.resize(islands);
      m_primaries.resize(rows);
      m_others.resize(static_cast<std::size_t>(m_pieces.memberCount()));
    }
    m_contacts.resize(rows);
    m_keys.resize(rows);
    m_z.resize(rows);
    m_best.resize(rows);
    m_figures.resize(pairs);
    m_chunkFigures.resize(m_plan.firstOfChunk.size() - 1);
    m_islands.resize(islands);
    m_running.resize(islands);
    m_history.resize(static_cast<std::size_t>(m_settings.maxIterations) + 1);
  }

  /// One of each row.
  template <class T>
  std::vector<T> fetched(const T* items) const {
    std::vector<T> here(rowCount());
    m_backend.download(items, here.size(), here.data());
    return here;
  }

  const PieceEngineOn<Backend>& m_pieces;
  std::vector<int> m_pieceBody;

  std::vector<TouchingPair> m_touching;  ///< of the running step
  std::vector<char> m_moves;             ///< [2 × pairs] which bodies of the plan are dynamic
  bool m_isPlanned = false;
  KeptVelocities m_before;  ///< of the last answer
  bool m_isFirst = true;    ///< beginAgain() since begin()
  Array<double> m_slips;
  Array<int> m_primaries;  ///< [rows], if there are sets

  /// Of the last step: the next one's start.
  struct Remembered {
    std::vector<TouchingPair> pairs;
    Array<RowKey> keys;
    Array<Vec3> impulses;
  };
  Remembered m_last;
  std::vector<TouchingPair> m_sentPairs;
  typename Backend::template Download<RowKey> m_sentKeys;
  typename Backend::template Download<Vec3> m_sentImpulses;
};

}  // namespace touchstone
