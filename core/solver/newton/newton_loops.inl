#pragma once

#include "core/solver/newton/newton_rows.inl"

namespace touchstone {

namespace detail {

/// One place of rows of a running island per index: v = A y + b, F and its derivatives, and by how much rows
/// fail. Turns the rows of disks. A set's row asks for the largest of its rates; its derivative is the
/// primary's, along which the impulse acts, whichever is the largest: the others' are not symmetric.
struct SetRates {
  NewtonRows all;
  NcpFunction function;
  SystemSums* sums;  // [contacts] |F|²; how many derivatives may be left out
  RowExtremes* extremes;
  Vec3* z;
  TS_HD void operator()(int index) const {
    const RowPlace& at = all.places[index];
    if (!at.isIn(all.running)) return;
    const int contact = at.row, row = contact * all.perContact;
    const double y = all.u.y[row], scale = all.rows[row].scale;
    const double v = all.times(at, row, all.u.y) + all.rows[row].offset;
    const double largestRate = addOthers(at, contact, all.softness(at) * y, v);
    const NcpValue f = ncpValue(function, y, largestRate);
    set(row, v, f);
    SystemSums own;
    own.values[0] = f.value * f.value;
    own.values[1] = all.contacts[contact].otherCount;
    const double failure = std::fabs(largestRate < y ? largestRate : y);
    RowExtremes largest;
    largest.add({failure, failure * scale});
    z[contact] = Vec3(y / scale, 0, 0);
    if (all.perContact > 1) addFriction(at, contact, own, largest);
    sums[contact] = own;
    extremes[contact] = largest;
  }

 private:
  /// @param softened  what softness adds to rates   @param v  the primary's   @return the largest of the
  /// set's
  TS_HD double addOthers(const RowPlace& at, int place, double softened, double v) const {
    const ContactRow& contact = all.contacts[place];
    for (int k = contact.firstOther; k < contact.firstOther + contact.otherCount; ++k) {
      const double rate = all.rateOf(at, all.others[k]) + all.others[k].offset + softened;
      all.otherRates[k] = rate;
      if (rate > v) v = rate;
    }
    return v;
  }
  TS_HD void set(int row, double v, const NcpValue& f) const {
    all.u.v[row] = v;
    all.u.value[row] = f.value;
    all.u.dy[row] = f.dy;
    all.u.dv[row] = f.dv;
  }
  TS_HD void addFriction(const RowPlace& at, int place, SystemSums& own, RowExtremes& largest) const {
    const int first = place * all.perContact + 1, second = first + 1;
    const bool two = all.perContact == 3;
    const NcpValue none{0, 1, 0};
    if (!(all.disks[place].friction > 0)) {
      set(first, 0, none);
      if (two) set(second, 0, none);
      return;
    }
    const double limit = all.disks[place].limit(all.u.y[first - 1]);
    double v1 = all.times(at, first, all.u.y) + all.rows[first].offset, y1 = all.u.y[first], v2 = 0, y2 = 0;
    if (two) {
      v2 = all.times(at, second, all.u.y) + all.rows[second].offset;
      y2 = all.u.y[second];
    }
    const double square = diskMerit(limit, y1, y2, v1, v2), miss = std::sqrt(square);
    own.values[0] += square;
    own.values[1] += 1;
    largest.add({miss, miss * all.rows[first].scale});
    const DiskRows slipping = diskRows(limit, y1, y2, v1, v2);
    if (slipping.x != 1) {
      rotate(slipping.x, slipping.y, y1, y2);
      rotate(slipping.x, slipping.y, v1, v2);
      rotateRows(slipping.x, slipping.y, place, two);
      all.u.y[first] = y1;
      if (two) all.u.y[second] = y2;
    }
    set(first, v1, slipping.along);
    Vec3 force = y1 * all.rows[first].direction;
    if (two) {
      set(second, v2, slipping.across);
      force += y2 * all.rows[second].direction;
    }
    const ContactRow& contact = all.contacts[place];
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
    NewtonRow& first = all.rows[place * all.perContact + 1];
    NewtonRow none = first;
    NewtonRow& second = two ? all.rows[place * all.perContact + 2] : none;  // in the plane y = 0: not used
    rotate(x, y, first.direction, second.direction);
    rotate(x, y, first.angularA, second.angularA);
    rotate(x, y, first.angularB, second.angularB);
    rotate(x, y, first.offset, second.offset);
    NewtonDisk& disk = all.disks[place];
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
  NewtonRows all;
  NcpFunction function;
  MeritSums* sums;  // [contacts]
  TS_HD void operator()(int index) const {
    const RowPlace& at = all.places[index];
    if (!at.isIn(all.running)) return;
    const NewtonVectors& u = all.u;
    const bool rubs = all.perContact > 1, two = all.perContact == 3;
    const int place = at.row, row = place * all.perContact, x = row + 1, z = row + 2;
    const ContactRow& contact = all.contacts[place];
    const double softened = all.softness(at) * u.direction[row], normalRate = all.times(at, row, u.direction),
                 rateX = rubs ? all.times(at, x, u.direction) : 0,
                 rateZ = two ? all.times(at, z, u.direction) : 0;
    MeritSums own;
    double step = 1;
    for (int k = 0; k < newton::kTriedSteps; ++k, step *= 0.5) {
      const double y = u.y[row] + step * u.direction[row];
      double v = u.v[row] + step * normalRate;
      for (int s = contact.firstOther; s < contact.firstOther + contact.otherCount; ++s) {
        const double rate = all.otherRates[s] + step * (all.rateOf(at, all.others[s]) + softened);
        if (rate > v) v = rate;
      }
      const double value = ncpValue(function, y, v).value;
      own.values[k] = value * value;
      if (!rubs) continue;
      own.values[k] += diskMerit(all.disks[place].limit(y), u.y[x] + step * u.direction[x],
                                 two ? u.y[z] + step * u.direction[z] : 0, u.v[x] + step * rateX,
                                 two ? u.v[z] + step * rateZ : 0);
    }
    sums[place] = own;
  }
};

struct MoveRows {
  TS_HD void operator()(const NewtonRows& all, const RowPlace&, const NewtonIsland& island, int row,
                        SystemSums&) const {
    all.u.y[row] += island.step * all.u.direction[row];
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
      Vec3& own = best[place];
      const int row = place * perContact;
      if (!(own[0] >= 0)) own[0] = 0;
      x[row] = rows[row].scale * own[0];
      if (perContact == 1) continue;
      const ContactRow& contact = contacts[place];
      projectOnDisk(contact.friction * own[0], own[1], own[2]);
      const Vec3 force = own[1] * contact.tangent + own[2] * contact.normal.cross(contact.tangent);
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
