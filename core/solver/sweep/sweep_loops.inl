#pragma once

#include <cstddef>
#include <vector>

#include "core/solver/product/moving_carriers.inl"
#include "core/solver/rows/redundant_rows.h"
#include "core/solver/table/island_loops.inl"

namespace touchstone {

namespace detail {

/// The p ≥ 0 with p ⊥ max_s w_s ≥ 0 where w_s = w_s(0) + A_s p: none if some w_s(0) ≥ 0, else the smallest
/// that lifts one of them to 0.
/// @param w  of the Maximum and its Members as they are, at p   @param responses  A_s of the Members
struct LeastImpulse {
  double p, least;
  bool isFree;
  TS_HD LeastImpulse(double impulse, double inverse, double w)
      : p(impulse), least(impulse - inverse * w), isFree(least <= 0) {}
  TS_HD void addMember(double w, double response) {
    const double without = w - response * p;
    isFree = isFree || without >= 0;
    if (response > 0 && -without < least * response) least = -without / response;
  }
  TS_HD double value() const { return isFree ? 0 : least; }
};

/// Cholesky's factor of the first rows of a block, those that hold a joint; redundant rows get kRedundantRows
/// of their diagonal.
struct HeldRows {
  int count = 0;
  double factor[kMostHeldRows * kMostHeldRows];  // lower triangle by rows

  /// Replaces the lower triangle of a matrix by its factor. @return false if there is none
  TS_HD bool decompose() {
    for (int i = 0; i < count; ++i) {
      factor[i * count + i] *= 1 + kRedundantRows;
      for (int j = 0; j <= i; ++j) {
        double sum = factor[i * count + j];
        for (int k = 0; k < j; ++k) sum -= factor[i * count + k] * factor[j * count + k];
        if (i == j && !(sum > 0)) return false;
        factor[i * count + j] = i == j ? std::sqrt(sum) : sum / factor[j * count + j];
      }
    }
    return true;
  }
  /// @param x  [count] in: the right side, out: the answer
  TS_HD void solve(double* x) const {
    for (int i = 0; i < count; ++i) {
      for (int k = 0; k < i; ++k) x[i] -= factor[i * count + k] * x[k];
      x[i] /= factor[i * count + i];
    }
    for (int i = count; i-- > 0;) {
      for (int k = i + 1; k < count; ++k) x[i] -= factor[k * count + i] * x[k];
      x[i] /= factor[i * count + i];
    }
  }
};

/// Input and output of sweeps over a block.
struct SweepRows {
  RowsView table;
  CarrierMetric metric;
  CarrierVelocities velocities;
  const IslandCurve* islands;
  RowVectors vectors;

  /// Calls act(block, carriers), whose carriers' velocities follow.
  template <class Act>
  TS_HD void withCarriers(int place, const Act& act) const {
    const RowBlock& block = table.blocks[place];
    if (islands[block.island].isDone) return;
    const int* carriers = table.carriersOf(block);
    if (block.carrierCount <= HeldCarriers::kMost) {
      HeldCarriers held(carriers, block.carrierCount, metric, velocities);
      act(block, held);
      held.store(velocities);
      return;
    }
    const CarriersInMemory moving{carriers, metric, velocities};
    act(block, moving);
  }
};

struct PushStart {  // one block of a colour per index: the warm start's impulses
  SweepRows rows;
  TS_HD void operator()(int place) const {
    rows.withCarriers(place, [&](const RowBlock& block, auto& moving) {
      for (int index = block.firstUnit; index < block.firstUnit + block.unitCount; ++index) {
        const RowUnit& unit = rows.table.units[index];
        pushUnit(rows.table, unit, rows.vectors.z + unit.firstRow, moving);
      }
    });
  }
};

/// Squared length of what a sweep changes.
struct SweepLength {
  double squared = 0;
  TS_HD void add(const SweepLength& o) { squared += o.squared; }
};

/// Directions of sweeps with conjugate gradients (Silcowitz-Hansen, Niebe and Erleben 2010): with g(z) one
/// sweep, e = z − g(z) and |e|² = Σ r e²,
///
///     β = |e|² / |e of the sweep before|²,   z ← g(z) + β d,   d ← β d − e;   β > 1: z ← g(z), d ← 0
struct ConjugateRows {
  double* before;                    ///< [rows] z before the sweep
  double* direction;                 ///< [rows] d
  SweepLength *ofBlocks, *partials;  ///< |e|²
  double* length;                    ///< [islands] |e|² of the last sweep; 0: none
  double* share;                     ///< [islands] β; 0 sets d to 0

  TS_HD void keep(const SweepRows& rows, int place) const {
    const RowBlock& block = rows.table.blocks[place];
    for (int row = block.firstRow; row < block.firstRow + block.rowCount; ++row)
      before[row] = rows.vectors.z[row];
  }
  TS_HD void measure(const SweepRows& rows, int place) const {
    const RowBlock& block = rows.table.blocks[place];
    SweepLength sum;
    for (int row = block.firstRow; row < block.firstRow + block.rowCount; ++row) {
      const double change = rows.vectors.z[row] - before[row];
      sum.squared += rows.vectors.scale[row] * change * change;
    }
    ofBlocks[place] = sum;
  }
};

struct BeginConjugate {  // one block per index
  SweepRows rows;
  ConjugateRows conjugate;
  TS_HD void operator()(int place) const {
    const RowBlock& block = rows.table.blocks[place];
    for (int row = block.firstRow; row < block.firstRow + block.rowCount; ++row) conjugate.direction[row] = 0;
    conjugate.length[block.island] = 0;  // the same from each of its blocks
  }
};

struct FindShare {  // one island per index
  const SweepLength* largest;
  const int* running;
  ConjugateRows conjugate;
  TS_HD void operator()(int island) const {
    if (!running[island]) return;
    const double now = largest[island].squared, last = conjugate.length[island];
    const double share = last > 0 ? now / last : 0;
    conjugate.share[island] = share <= 1 ? share : 0;
    conjugate.length[island] = now;
  }
};

struct MoveAlong {  // one block of a colour per index, after its sweep
  SweepRows rows;
  ConjugateRows conjugate;
  TS_HD void operator()(int place) const {
    rows.withCarriers(place, [&](const RowBlock& block, auto& moving) {
      const double share = conjugate.share[block.island];
      double* const d = conjugate.direction;
      double* const z = rows.vectors.z;
      if (!(share > 0)) {
        for (int row = block.firstRow; row < block.firstRow + block.rowCount; ++row) d[row] = 0;
        return;
      }
      for (int row = block.firstRow; row < block.firstRow + block.rowCount; ++row) d[row] *= share;
      for (int index = block.firstUnit; index < block.firstUnit + block.unitCount; ++index) {
        const RowUnit& unit = rows.table.units[index];
        pushUnit(rows.table, unit, d + unit.firstRow, moving);
      }
      for (int row = block.firstRow; row < block.firstRow + block.rowCount; ++row) {
        const double swept = z[row];
        z[row] += d[row];
        d[row] += swept - conjugate.before[row];
      }
    });
  }
};

/// One block of a colour per index: z ← proj(z − w/r) of its rows in turn (Macklin 2019, eqs. 13 and 16, for
/// the disk), whose velocities follow at once. The rows of a disk see one slip.
struct SweepBlock {
  SweepRows rows;
  TS_HD void operator()(int place) const {
    rows.withCarriers(place, [&](const RowBlock& block, auto& moving) {
      if (block.form == RowForm::General) {
        HeldRows held;
        holdTogether(block, held, moving);
        sweepRows(block, held, moving);
        return;
      }
      for (int unit = block.firstUnit; unit < block.firstUnit + block.unitCount; ++unit)
        sweepPoint(rows.table.units[unit], moving);
    });
  }

 private:
  /// Solves the free rows with which a block begins, such as those that hold a joint, at once: one after the
  /// other they take as many sweeps as arms are longer than bodies are wide, squared.
  template <class Moving>
  TS_HD void holdTogether(const RowBlock& block, HeldRows& held, Moving& moving) const {
    const Row* asks = rows.table.rows + block.firstRow;
    while (held.count < block.rowCount && held.count < kMostHeldRows && asks[held.count].law == RowLaw::Free)
      ++held.count;
    setDiagonalBlock(rows.table, block, rows.metric, held.count, held.factor);
    if (!held.decompose()) held.count = 0;
    const double* z = rows.vectors.z + block.firstRow;
    double change[kMostHeldRows];
    for (int row = 0; row < held.count; ++row) {
      change[row] =
          -(asks[row].constant + rateAlong(rows.table.termsOf(block, row), block.carrierCount, moving));
      for (int other = 0; other < held.count; ++other)
        change[row] -= rows.table.complianceOf(block, row, other) * z[other];
    }
    held.solve(change);
    pushHeld(block, held, change, moving);
  }
  template <class Moving>
  TS_HD void pushHeld(const RowBlock& block, const HeldRows& held, const double* change,
                      Moving& moving) const {
    for (int row = 0; row < held.count; ++row) {
      pushTerms(rows.table.forceTermsOf(block, row), block.carrierCount, change[row], moving);
      rows.vectors.z[block.firstRow + row] += change[row];
    }
  }

  /// The other rows of a block of form General one after the other: limits, drives. Held rows follow each of
  /// them, so that w changes by A_ii − A_if A_ff⁻¹ A_fi for each unit of an impulse.
  template <class Moving>
  TS_HD void sweepRows(const RowBlock& block, const HeldRows& held, Moving& moving) const {
    for (int row = held.count; row < block.rowCount; ++row) {
      const int number = block.firstRow + row;
      const Row& ask = rows.table.rows[number];
      double& z = rows.vectors.z[number];
      const double w = ask.constant + rateAlong(rows.table.termsOf(block, row), block.carrierCount, moving) +
                       ask.compliance * z;
      double follow[kMostHeldRows], slope = rows.vectors.scale[number];
      for (int f = 0; f < held.count; ++f)
        follow[f] = -couplingInBlock(rows.table, block, rows.metric, f, row);
      held.solve(follow);
      for (int f = 0; f < held.count; ++f)
        slope += couplingInBlock(rows.table, block, rows.metric, row, f) * follow[f];
      const bool isHeld = !(slope > kRedundantRows * rows.vectors.scale[number]);
      const double next = projected(ask, z - (isHeld ? rows.vectors.inverse[number] : 1 / slope) * w);
      const double change = next - z;
      z = next;
      if (change == 0) continue;
      pushTerms(rows.table.forceTermsOf(block, row), block.carrierCount, change, moving);
      for (int f = 0; f < held.count; ++f) follow[f] *= change;
      pushHeld(block, held, follow, moving);
    }
  }

  template <class Moving>
  TS_HD void sweepPoint(const RowUnit& unit, Moving& moving) const {
    const RowBlock& block = rows.table.blocks[unit.block];
    const Row* asks = rows.table.rows + unit.firstRow;
    double* z = rows.vectors.z + unit.firstRow;
    const double* inverse = rows.vectors.inverse + unit.firstRow;
    const Vec3* frame = rows.table.frameOf(block, unit.firstGroup);
    const PointTerm* moved = rows.table.pointOf(block, unit.firstGroup);
    const PointTerm* pushed = rows.table.forcePointOf(block, unit.firstGroup);
    for (int row = 0; row < unit.groupRows; ++row) {
      const Vec3 velocity = velocityOf(moved, block.carrierCount, moving);
      if (asks[row].law == RowLaw::Disk) {
        const bool two = isDiskOfTwo(asks, row, unit.groupRows);
        if (asks[row].bound > 0) {
          const Vec3 first = directionOf(frame, row),
                     second = two ? directionOf(frame, row + 1) : Vec3(0, 0, 0);
          double x = z[row] - inverse[row] * (asks[row].constant + first.dot(velocity)), y = 0;
          if (two) y = z[row + 1] - inverse[row] * (asks[row + 1].constant + second.dot(velocity));
          projectOnDisk(diskLimit(asks[row], z[row - asks[row].leader]), x, y);
          const double dx = x - z[row], dy = two ? y - z[row + 1] : 0;
          if (dx != 0 || dy != 0) pushPoint(pushed, block.carrierCount, dx * first + dy * second, moving);
          z[row] = x;
          if (two) z[row + 1] = y;
        }
        row += two;
        continue;
      }
      const double w =
          asks[row].constant + directionOf(frame, row).dot(velocity) + asks[row].compliance * z[row];
      double next = 0;
      if (asks[row].law == RowLaw::Maximum) {
        LeastImpulse impulse(z[row], inverse[row], w);
        for (int member = unit.groupRows; member < unit.rowCount; ++member) {
          const int group = unit.firstGroup + 1 + member - unit.groupRows;
          const double ofMember =
              asks[member].constant + rows.table.frameOf(block, group)[0].dot(velocityOf(
                                          rows.table.pointOf(block, group), block.carrierCount, moving));
          impulse.addMember(ofMember, coupling(rows.table, unit, rows.metric, member, row));
        }
        next = impulse.value();
      } else {
        next = projected(asks[row], z[row] - inverse[row] * w);
      }
      if (next != z[row])
        pushPoint(pushed, block.carrierCount, (next - z[row]) * directionOf(frame, row), moving);
      z[row] = next;
    }
  }
};

/// A sweep over one block of a colour per index, with what it changes.
struct SweepAndMeasure {
  SweepBlock sweep;
  ConjugateRows conjugate;
  TS_HD void operator()(int place) const {
    conjugate.keep(sweep.rows, place);
    sweep(place);
    conjugate.measure(sweep.rows, place);
  }
};

struct MeasureUnit {  // one place of units of a running island per index: by how much it fails
  RowsView table;
  CarrierVelocities velocities;
  const RowPlace* places;
  const int* running;
  RowVectors vectors;
  RowExtremes* extremes;  // [units]
  TS_HD void operator()(int index) const {
    const RowPlace& place = places[index];
    if (!place.isIn(running)) return;
    const RowUnit& unit = place.unit;
    double* w = vectors.rates + unit.firstRow;
    setRates(table, unit, velocities, vectors.z + unit.firstRow, w);
    RowExtremes largest;
    eachResidual(table, unit, vectors, w, [&](double natural, double scaled) {
      largest.add({scaled, natural});
    });
    extremes[place.number] = largest;
  }
};

/// Arrays and settings that sweeps read and write.
struct SweepSpace {
  SweepRows rows;
  const RowPlace* places;
  const int* islandOfCarrier;
  int* running;
  int maxSweeps;
  Vec3 *bestLinear, *bestAngular;
  Judgement judgement;
  ConjugateRows conjugate;
};

/// Sweeps over the islands that are running, from their warm start.
/// @tparam IsConjugate  with ConjugateRows, four sweeps an iteration, for residuals cost as much as a sweep
template <bool IsConjugate>
struct Sweeps {
  static constexpr Threads kThreads = Threads::AsFit;
  static constexpr int kSweeps = IsConjugate ? 4 : 1;  ///< of an iteration
  /// Iterations that so many sweeps take.
  TS_HD static constexpr int iterationsOf(int sweeps) { return (sweeps + kSweeps - 1) / kSweeps; }
  SweepSpace space;

  template <class Loops>
  TS_HD void start(const Loops& loops) const {
    loops.eachColour(PushStart{space.rows});
    if constexpr (IsConjugate) loops.eachBlock(BeginConjugate{space.rows, space.conjugate});
    measure(loops);
  }
  template <class Loops>
  TS_HD int advance(const Loops& loops, int count) const {
    if (count >= space.maxSweeps || !loops.goesOn(count)) return 0;
    int passes = 0;  // stays 0 where WideLoops replays a graph; its callers ignore the number
    loops.repeat([&] {
      for (int sweep = 0; sweep < kSweeps; ++sweep) {
        if constexpr (IsConjugate)
          passes += loops.eachColour(SweepAndMeasure{{space.rows}, space.conjugate});
        else
          passes += loops.eachColour(SweepBlock{space.rows});
        if (sweep + 1 == kSweeps) measure(loops);
        if constexpr (IsConjugate) moveAlong(loops);
      }
    });
    return 1 + passes;
  }

 private:
  template <class Loops>
  TS_HD void moveAlong(const Loops& loops) const {
    const ConjugateRows& conjugate = space.conjugate;
    const SweepLength* ofIslands =
        loops.reduce(static_cast<const SweepLength*>(conjugate.ofBlocks), conjugate.partials);
    loops.eachIsland(FindShare{ofIslands, space.running, conjugate});
    loops.eachColour(MoveAlong{space.rows, conjugate});
  }
  template <class Loops>
  TS_HD void measure(const Loops& loops) const {
    const SweepSpace& s = space;
    const Judgement& judgement = s.judgement;
    loops.eachUnit(MeasureUnit{s.rows.table, s.rows.velocities, s.places, s.running, s.rows.vectors,
                               judgement.extremes.ofUnits},
                   Work::Heavy);
    judgement.judge(loops);
    loops.eachCarrier(KeepVelocities{
        s.rows.velocities, s.islandOfCarrier, judgement.islands, {s.bestLinear, s.bestAngular}});
  }
};

struct CountIterations {  // one island per index: its limit in sweeps with conjugate directions
  IslandCurve* islands;
  TS_HD void operator()(int island) const {
    int& limit = islands[island].limits.maxIterations;
    limit = Sweeps<true>::iterationsOf(limit);
  }
};

}  // namespace detail

/// The arrays of ConjugateRows.
template <class Backend>
class ConjugateArrays {
 public:
  void reserve(int rows, int blocks, int islands, std::size_t partials) {
    m_before.resize(rows);
    m_direction.resize(rows);
    m_lengths.resize(blocks);
    m_partials.resize(partials);
    m_length.resize(islands);
    m_share.resize(islands);
  }
  detail::ConjugateRows rows() {
    return {m_before.data(),   m_direction.data(), m_lengths.data(),
            m_partials.data(), m_length.data(),    m_share.data()};
  }
  /// Adds what a graph of launches must know.
  void addTo(std::vector<const void*>& arrays) const {
    arrays.insert(arrays.end(), {m_before.data(), m_direction.data(), m_lengths.data(), m_partials.data(),
                                 m_length.data(), m_share.data()});
  }

 private:
  template <class T>
  using Array = typename Backend::template Array<T>;
  Array<double> m_before, m_direction, m_length, m_share;
  Array<detail::SweepLength> m_lengths, m_partials;
};

}  // namespace touchstone
