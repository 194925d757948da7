#pragma once

#include "core/solver/newton/newton_rows.inl"

namespace touchstone {

namespace detail {

/// One place of units of a running island per index, after the product that gives carriers ν = ν̃ + H⁻¹ Fᵀ z:
/// F and its derivatives, and by how much rows fail. Turns the rows of disks. A Maximum asks for the largest
/// of its rates; its derivative is its own, along which the impulse acts, whichever is the largest: the
/// others' are not symmetric.
template <class Forms>
struct SetRates {
  NewtonRows system;
  Forms forms;
  SystemSums* sums;       // [units] |F|²; how many derivatives may be left out
  RowExtremes* extremes;  // of FixedForms
  TS_HD void operator()(int index) const {
    const RowPlace& place = system.places[index];
    if (!place.isIn(system.running)) return;
    const RowUnit& unit = place.unit;
    const Row* rows = system.table.rows + unit.firstRow;
    const NewtonVectors& u = system.u;
    const double softness = system.softness(place);
    double *z = system.vectors.z + unit.firstRow, *w = system.vectors.rates + unit.firstRow;
    for (int k = 0; k < unit.rowCount; ++k) {
      const int row = unit.firstRow + k;
      z[k] = u.inverseRoot[row] * u.y[row];
    }
    setRates(system.table, unit, system.velocities, z, w);
    const double ofMaximum = softness * u.y[unit.firstRow];
    for (int k = 0; k < unit.rowCount; ++k) {
      const int row = unit.firstRow + k;
      const double softened = rows[k].law == RowLaw::Member ? ofMaximum : softness * u.y[row];
      u.v[row] = u.inverseRoot[row] * w[k] + softened;
      if (softness > 0) w[k] = u.root[row] * u.v[row];
    }
    SystemSums unitSums;
    for (int k = 0; k < unit.rowCount; ++k) {
      if (rows[k].law == RowLaw::Disk) {
        k += addDisk(unit, k, unitSums);
        continue;
      }
      addRow(unit, k, unitSums);
    }
    sums[place.number] = unitSums;
    if constexpr (!Forms::kAreRewritten) {
      RowExtremes largest;
      eachResidual(system.table, unit, system.vectors, w, [&](double natural, double scaled) {
        largest.add({scaled, natural});
      });
      extremes[place.number] = largest;
    }
  }

 private:
  TS_HD void set(int row, const NcpValue& f) const {
    system.u.value[row] = f.value;
    system.u.dy[row] = f.dy;
    system.u.dv[row] = f.dv;
  }
  TS_HD void addRow(const RowUnit& unit, int k, SystemSums& unitSums) const {
    const Row* rows = system.table.rows + unit.firstRow;
    const int row = unit.firstRow + k;
    double v = system.u.v[row];
    for (int member = k + 1; rows[k].law == RowLaw::Maximum && member < unit.rowCount; ++member)
      if (rows[member].law == RowLaw::Member) {
        unitSums.values[1] += 1;
        if (system.u.v[unit.firstRow + member] > v) v = system.u.v[unit.firstRow + member];
      }
    const NcpValue f = linearise(rows[k], forms, system.u.root[row], system.u.y[row], v);
    set(row, f);
    unitSums.values[0] += f.value * f.value;
  }
  /// @return how many rows come after its first
  TS_HD int addDisk(const RowUnit& unit, int k, SystemSums& unitSums) const {
    const Row* rows = system.table.rows + unit.firstRow;
    const NewtonVectors& u = system.u;
    const int first = unit.firstRow + k, second = first + 1, normal = first - rows[k].leader;
    const bool two = isDiskOfTwo(rows, k, unit.rowCount);
    u.turnX[first] = 1;
    u.turnY[first] = 0;
    if (two) {
      u.turnX[second] = 1;
      u.turnY[second] = 0;
    }
    if (!(rows[k].bound > 0)) {
      set(first, {u.y[first], 1, 0});
      if (two) set(second, {u.y[second], 1, 0});
      return two;
    }
    const double limit = system.limitOf(first, normal), y1 = u.y[first], v1 = u.v[first],
                 y2 = two ? u.y[second] : 0, v2 = two ? u.v[second] : 0;
    const DiskRows slipping = forms.disk(limit, y1, y2, v1, v2);
    unitSums.values[0] += forms.merit(slipping, limit, y1, y2, v1, v2);
    unitSums.values[1] += 1;
    u.turnX[first] = slipping.x;
    set(first, slipping.along);
    if (!two) return 0;
    u.turnX[second] = slipping.x;
    u.turnY[first] = -slipping.y;  // see NewtonRows::turned()
    u.turnY[second] = slipping.y;
    set(second, slipping.across);
    return 1;
  }
};

/// One place of units of a running island per index, after the product of A and the direction: 2 × the merit
/// at steps 1, ½, ….
struct TrySteps {
  NewtonRows system;
  NcpFunction function;
  MeritSums* sums;  // [units]
  TS_HD void operator()(int index) const {
    const RowPlace& place = system.places[index];
    if (!place.isIn(system.running)) return;
    const RowUnit& unit = place.unit;
    const NewtonVectors& u = system.u;
    const double ofMaximum = system.softness(place) * u.direction[unit.firstRow];
    const Row* rows = system.table.rows + unit.firstRow;
    eachRate(system.table, unit, system.velocities, [&](int k, double rate) {
      const int row = unit.firstRow + k;
      const double compliant =
          rows[k].law == RowLaw::Member ? ofMaximum : system.compliance(place, row) * u.direction[row];
      u.rates[row] = u.inverseRoot[row] * rate + compliant;
    });
    MeritSums unitSums;
    double step = 1;
    for (int tried = 0; tried < newton::kTriedSteps; ++tried, step *= 0.5)
      for (int k = 0; k < unit.rowCount; ++k) {
        if (rows[k].law == RowLaw::Member) continue;
        const int row = unit.firstRow + k;
        const double y = u.y[row] + step * u.direction[row];
        double v = u.v[row] + step * u.rates[row];
        if (rows[k].law == RowLaw::Disk) {
          const bool two = isDiskOfTwo(rows, k, unit.rowCount);
          if (rows[k].bound > 0) {
            const int normal = row - rows[k].leader;
            const double leader = u.y[normal] + step * u.direction[normal];
            unitSums.values[tried] += diskMerit(system.limitAt(row, normal, leader), y,
                                                two ? u.y[row + 1] + step * u.direction[row + 1] : 0, v,
                                                two ? u.v[row + 1] + step * u.rates[row + 1] : 0);
          }
          k += two;
          continue;
        }
        for (int member = k + 1; rows[k].law == RowLaw::Maximum && member < unit.rowCount; ++member) {
          const int other = unit.firstRow + member;
          const double rate = u.v[other] + step * u.rates[other];
          if (rows[member].law == RowLaw::Member && rate > v) v = rate;
        }
        const double value = linearise(rows[k], FixedForms{function}, u.root[row], y, v).value;
        unitSums.values[tried] += value * value;
      }
    sums[place.number] = unitSums;
  }
};

struct MoveRows {
  TS_HD void operator()(const NewtonRows& system, const RowPlace&, const NewtonIsland& island, int row,
                        SystemSums&) const {
    system.u.y[row] += island.step * system.u.direction[row];
  }
};

/// One place of units of a running island per index: the best iterate as impulses that their laws allow (a
/// solver's tolerance), and as unknowns.
struct FinishUnits {
  NewtonRows system;
  double* best;
  TS_HD void operator()(int index) const {
    const RowPlace& place = system.places[index];
    if (!place.isIn(system.running)) return;
    const RowUnit& unit = place.unit;
    allow(system.table.rows + unit.firstRow, unit.rowCount, best + unit.firstRow);
    for (int row = unit.firstRow; row < unit.firstRow + unit.rowCount; ++row)
      system.u.x[row] = system.u.root[row] * best[row];
  }
};

// What islands do with the sums over their rows.

template <class Act, class Sums>
struct EachIsland {  // one island per index, if it is running
  const Sums* sums;
  NewtonIsland* islands;
  int* running;
  Act act;
  TS_HD void operator()(int index) const {
    if (!running[index]) return;
    running[index] = act(islands[index], sums[index].values) ? 1 : 0;
  }
};

/// True for what ends an iteration of a linear solver.
template <class Act>
constexpr bool kEndsLinearIteration = false;
template <>
constexpr bool kEndsLinearIteration<FinishStep> = true;
template <>
constexpr bool kEndsLinearIteration<FinishJacobi> = true;

template <class Island>
struct TellLinear {  // one island per index: EachIsland, with the residual of the reported one
  Island island;
  const IslandCurve* curves;
  const IslandRows* reported;  // or null: not wanted
  float* linear;
  int linearIterations;
  TS_HD void operator()(int index) const {
    const NewtonIsland& state = island.islands[index];
    const int before = state.iterations;
    island(index);
    if (!reported || index != reported->island || state.iterations == before) return;
    linear[(curves[index].measured - 1) * linearIterations + before] = static_cast<float>(state.residual);
  }
};

struct PickStep {  // of TrySteps
  TS_HD bool operator()(NewtonIsland& island, const double* sums) const {
    island.isStuck = isFinite(sums[newton::kTriedSteps - 1]) ? 0 : 1;
    island.step = newton::stepThatMayRise(sums, 2 * island.merit);
    return !island.isStuck;
  }
};

struct NoteMerit {  // one island per index, if it is running: of the iterate that is judged next
  const SystemSums* sums;
  const IslandCurve* curves;
  const int* running;
  const IslandRows* reported;  // [1]
  NewtonIsland* islands;
  NewtonIterate* history;  // of the reported island
  TS_HD void operator()(int index) const {
    if (!running[index]) return;
    NewtonIsland& island = islands[index];
    const int number = curves[index].measured;
    island.merit = 0.5 * sums[index].values[0];
    island.progress.note(island.merit);
    island.isSymmetrised = sums[index].values[1] > 0;
    if (index == reported->island)
      history[number] = {island.merit, island.linearResidual, island.linearIterations};
  }
};

struct StartNewton {  // one island per index, if it is running
  const int* running;
  const IslandCurve* curves;
  double softness;
  double linearShare;  // of the tolerance, that linear systems may leave
  NewtonIsland* islands;
  TS_HD void operator()(int index) const {
    if (!running[index]) return;
    NewtonIsland island{};
    island.softness = softness;
    island.smallest = linearShare * curves[index].limits.tolerance * curves[index].denominator;
    islands[index] = island;
  }
};

struct BeginIteration {  // one island per index
  const NewtonIsland* islands;
  IslandCurve* curves;
  int* running;
  TS_HD void operator()(int index) const {
    const NewtonIsland& island = islands[index];
    if (island.isStuck || island.progress.hasStalled()) curves[index].isDone = 1;
    running[index] = curves[index].isDone ? 0 : 1;
  }
};

struct Wake {  // one island per index: whose linear system has ended runs again, and notes what it cost
  const IslandCurve* curves;
  int* running;
  NewtonIsland* islands;
  TS_HD void operator()(int index) const {
    running[index] = curves[index].isDone ? 0 : 1;
    if (!running[index]) return;
    islands[index].linearIterations = islands[index].iterations;
    islands[index].linearResidual = islands[index].residual;
  }
};

}  // namespace detail

}  // namespace touchstone
