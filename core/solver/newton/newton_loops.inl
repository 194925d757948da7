#pragma once

#include "core/solver/newton/newton_rows.inl"

namespace touchstone {

namespace detail {

/// One place of rows of a running island per index: v = A y + b, F and its derivatives, and by how much rows
/// fail. Turns the rows of disks. A set's row asks for the largest of its rates; its derivative is the
/// primary's, along which the impulse acts, whichever is the largest: the others' are not symmetric.
struct SetRates {
  NewtonRows system;
  NcpFunction function;
  SystemSums* sums;  // [contacts] |F|²; how many derivatives may be left out
  RowExtremes* extremes;
  Vec3* z;
  TS_HD void operator()(int index) const {
    const RowPlace& rowPlace = system.places[index];
    if (!rowPlace.isIn(system.running)) return;
    const int contact = rowPlace.row, row = contact * system.perContact;
    const double y = system.u.y[row], scale = system.rows[row].scale;
    const double v = system.times(rowPlace, row, system.u.y) + system.rows[row].offset;
    const double largestRate = addOthers(rowPlace, contact, system.softness(rowPlace) * y, v);
    const NcpValue f = ncpValue(function, y, largestRate);
    set(row, v, f);
    SystemSums rowSums;
    rowSums.values[0] = f.value * f.value;
    rowSums.values[1] = system.contacts[contact].otherCount;
    const double failure = std::fabs(largestRate < y ? largestRate : y);
    RowExtremes largest;
    largest.add({failure, failure * scale});
    z[contact] = Vec3(y / scale, 0, 0);
    if (system.perContact > 1) addFriction(rowPlace, contact, rowSums, largest);
    sums[contact] = rowSums;
    extremes[contact] = largest;
  }

 private:
  /// @param softened  what softness adds to rates   @param v  the primary's   @return the largest of the
  /// set's
  TS_HD double addOthers(const RowPlace& rowPlace, int place, double softened, double v) const {
    const ContactRow& contact = system.contacts[place];
    for (int k = contact.firstOther; k < contact.firstOther + contact.otherCount; ++k) {
      const double rate = system.rateOf(rowPlace, system.others[k]) + system.others[k].offset + softened;
      system.otherRates[k] = rate;
      if (rate > v) v = rate;
    }
    return v;
  }
  TS_HD void set(int row, double v, const NcpValue& f) const {
    system.u.v[row] = v;
    system.u.value[row] = f.value;
    system.u.dy[row] = f.dy;
    system.u.dv[row] = f.dv;
  }
  TS_HD void addFriction(const RowPlace& rowPlace, int place, SystemSums& rowSums,
                         RowExtremes& largest) const {
    const int first = place * system.perContact + 1, second = first + 1;
    const bool two = system.perContact == 3;
    const NcpValue none{0, 1, 0};
    if (!(system.disks[place].friction > 0)) {
      set(first, 0, none);
      if (two) set(second, 0, none);
      return;
    }
    const double limit = system.disks[place].limit(system.u.y[first - 1]);
    double v1 = system.times(rowPlace, first, system.u.y) + system.rows[first].offset, y1 = system.u.y[first],
           v2 = 0, y2 = 0;
    if (two) {
      v2 = system.times(rowPlace, second, system.u.y) + system.rows[second].offset;
      y2 = system.u.y[second];
    }
    const double square = diskMerit(limit, y1, y2, v1, v2), miss = std::sqrt(square);
    rowSums.values[0] += square;
    rowSums.values[1] += 1;
    largest.add({miss, miss * system.rows[first].scale});
    const DiskRows slipping = diskRows(limit, y1, y2, v1, v2);
    if (slipping.x != 1) {
      rotate(slipping.x, slipping.y, y1, y2);
      rotate(slipping.x, slipping.y, v1, v2);
      rotateRows(slipping.x, slipping.y, place, two);
      system.u.y[first] = y1;
      if (two) system.u.y[second] = y2;
    }
    set(first, v1, slipping.along);
    Vec3 force = y1 * system.rows[first].direction;
    if (two) {
      set(second, v2, slipping.across);
      force += y2 * system.rows[second].direction;
    }
    const ContactRow& contact = system.contacts[place];
    z[place][1] = contact.tangent.dot(force);
    z[place][2] = two ? contact.normal.cross(contact.tangent).dot(force) : 0;
  }
  template <class Value>
  TS_HD static void rotate(double x, double y, Value& first, Value& second) {
    const Value before = first;
    first = x * before + y * second;
    second = x * second - y * before;
  }
  TS_HD void rotateRows(double x, double y, int place, bool two) const {
    NewtonRow& first = system.rows[place * system.perContact + 1];
    NewtonRow none = first;
    NewtonRow& second =
        two ? system.rows[place * system.perContact + 2] : none;  // in the plane y = 0: not used
    rotate(x, y, first.direction, second.direction);
    rotate(x, y, first.angularA, second.angularA);
    rotate(x, y, first.angularB, second.angularB);
    rotate(x, y, first.offset, second.offset);
    NewtonDisk& disk = system.disks[place];
    const NewtonDisk before = disk;
    disk.xx = x * x * before.xx + 2 * x * y * before.xy + y * y * before.yy;
    disk.yy = y * y * before.xx - 2 * x * y * before.xy + x * x * before.yy;
    disk.xy = x * y * (before.yy - before.xx) + (x * x - y * y) * before.xy;
    first.diagonal = disk.xx;
    second.diagonal = disk.yy;
  }
};

/// One place of rows of a running island per index, after the product of A and the direction: 2 × the merit
/// at steps 1, ½, ….
struct TrySteps {
  NewtonRows system;
  NcpFunction function;
  MeritSums* sums;  // [contacts]
  TS_HD void operator()(int index) const {
    const RowPlace& rowPlace = system.places[index];
    if (!rowPlace.isIn(system.running)) return;
    const NewtonVectors& u = system.u;
    const bool rubs = system.perContact > 1, two = system.perContact == 3;
    const int place = rowPlace.row, row = place * system.perContact, x = row + 1, z = row + 2;
    const ContactRow& contact = system.contacts[place];
    const double softened = system.softness(rowPlace) * u.direction[row],
                 normalRate = system.times(rowPlace, row, u.direction),
                 rateX = rubs ? system.times(rowPlace, x, u.direction) : 0,
                 rateZ = two ? system.times(rowPlace, z, u.direction) : 0;
    MeritSums rowSums;
    double step = 1;
    for (int k = 0; k < newton::kTriedSteps; ++k, step *= 0.5) {
      const double y = u.y[row] + step * u.direction[row];
      double v = u.v[row] + step * normalRate;
      for (int s = contact.firstOther; s < contact.firstOther + contact.otherCount; ++s) {
        const double rate =
            system.otherRates[s] + step * (system.rateOf(rowPlace, system.others[s]) + softened);
        if (rate > v) v = rate;
      }
      const double value = ncpValue(function, y, v).value;
      rowSums.values[k] = value * value;
      if (!rubs) continue;
      rowSums.values[k] += diskMerit(system.disks[place].limit(y), u.y[x] + step * u.direction[x],
                                     two ? u.y[z] + step * u.direction[z] : 0, u.v[x] + step * rateX,
                                     two ? u.v[z] + step * rateZ : 0);
    }
    sums[place] = rowSums;
  }
};

struct MoveRows {
  TS_HD void operator()(const NewtonRows& system, const RowPlace&, const NewtonIsland& island, int row,
                        SystemSums&) const {
    system.u.y[row] += island.step * system.u.direction[row];
  }
};

/// One pair of a running island per index: the best iterate as impulses that do not pull and stay within the
/// cone (a solver's tolerance), and as unknowns.
struct FinishRows {
  const RowPair* pairs;
  const int* running;
  const ContactRow* contacts;
  const NewtonRow* rows;
  int perContact;
  Vec3* best;
  double* x;
  TS_HD void operator()(int index) const {
    const RowPair& pair = pairs[index];
    if (!running[pair.island]) return;
    for (int place = pair.first; place < pair.first + pair.count; ++place) {
      Vec3& impulse = best[place];
      const int row = place * perContact;
      if (!(impulse[0] >= 0)) impulse[0] = 0;
      x[row] = rows[row].scale * impulse[0];
      if (perContact == 1) continue;
      const ContactRow& contact = contacts[place];
      projectOnDisk(contact.friction * impulse[0], impulse[1], impulse[2]);
      const Vec3 force = impulse[1] * contact.tangent + impulse[2] * contact.normal.cross(contact.tangent);
      for (int tangent = row + 1; tangent < row + perContact; ++tangent)
        x[tangent] = rows[tangent].scale * rows[tangent].scale * rows[tangent].direction.dot(force);
    }
  }
};

struct AddVelocities {  // one body of a running island per index
  WorldView world;
  const int* islandOfBody;
  const int* running;
  const Vec3 *linear, *angular;
  TS_HD void operator()(int body) const {
    if (islandOfBody[body] < 0 || !running[islandOfBody[body]]) return;
    world.nextLinearVelocity[body] += linear[body];
    world.nextAngularVelocity[body] += angular[body];
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
  NewtonIsland* islands;
  TS_HD void operator()(int index) const {
    if (!running[index]) return;
    NewtonIsland island{};
    island.softness = softness;
    island.smallest = newton::kLinearShare * curves[index].limits.tolerance * curves[index].denominator;
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
