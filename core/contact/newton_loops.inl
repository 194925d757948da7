#pragma once

#include "core/contact/contact_rows.inl"
#include "core/contact/pair_sides.inl"
#include "core/solver/ncp_function.h"

namespace touchstone {

/// A row of a contact along a direction d, divided by s: of a rate, and of the impulse of y = s p. Its normal
/// with s = √A_nn or, where there is friction, one of its tangents with s = √r (EquilibratedProblem).
struct NewtonRow {
  Vec3 direction;     ///< d / s
  Vec3 turnA, turnB;  ///< r × d / s
  double offset;      ///< b / s [√(m/s · N s)]: the rate without impulses
  double scale;       ///< s [1/√kg]
  double diagonal;    ///< of A with rows divided by s: 1 for normals
};

/// Coulomb's disk of a contact in these units. Its rows are turned with the slip, as DiskRows ask.
struct NewtonDisk {
  double friction;    ///< μ of |y_t| ≤ μ y_n; 0: without
  double xx, xy, yy;  ///< the block of A of its rows as they are
  TS_HD double limit(double normal) const { return normal > 0 ? friction * normal : 0; }
};

/// One number per row each, as in core/solver/newton.cpp.
struct NewtonVectors {
  double *y, *v;                ///< iterate and A y + b
  double *value, *dy, *dv;      ///< φ and its derivatives there
  double *direction, *rate;     ///< and A times it
  double *newton, *gradient;    ///< where Newton's direction does not lead down
  double *right, *added;        ///< the linear system (A + added) x = right …
  double *x, *best;             ///< … its running and best iterate
  double *r, *z, *p, *Sz, *Sp;  ///< residual, preconditioned, direction, products
  double* inverse;              ///< preconditioner
  double *q, *w;                ///< between the factors of JᵀJ
};
constexpr std::size_t kNewtonVectors = sizeof(NewtonVectors) / sizeof(double*);

/// Sums over the rows of an island.
struct RowSums {
  static constexpr int kCount = 6;
  double values[kCount] = {};
  TS_HD void add(const RowSums& o) {
    for (int k = 0; k < kCount; ++k) values[k] += o.values[k];
  }
};

/// What the rows of a pair of bodies do to them.
struct PairPush {
  Vec3 force, turnA, turnB;  ///< on B; its opposite on A
};

struct NewtonIsland {
  double merit;               ///< ½|F|²
  newton::Progress progress;  ///< of the merit
  int hasFriction;            ///< in one of its contacts at least
  int isSearching;            ///< no direction of this iteration has led down yet
  double slope, step;         ///< of the direction; step that led down, or 0
  double size;                ///< |right|
  double product, curvature;  ///< z·Sz and Sp·M Sp (pcr), r·z and p·Sp (pcg)
  double next, square;        ///< product after the step, |r|²
  double damping;             ///< ω of jacobi
  double residual;            ///< |r| / |right| of the best iterate
  int iterations, isBetter;
  int linearIterations;  ///< of Newton's direction
  double linearResidual;
};

/// For the record.
struct NewtonIterate {
  double merit, linearResidual;
  int linearIterations;
};

namespace detail {

/// What the loops over rows share. An impulse y of a row moves its bodies; `linear` and `angular` are the
/// velocities that the last product gave them.
struct NewtonRows {
  const RowPair* pairs;
  const int* running;
  const NewtonRow* rows;
  const Vec3 *linear, *angular;
  NewtonVectors u;
  const NewtonIsland* islands;
  int perContact;           // 1, or with tangents 2 in the plane and 3 in space
  const NewtonDisk* disks;  // [contacts] unless that is 1

  TS_HD int firstRow(const RowPair& pair) const { return pair.first * perContact; }
  TS_HD int endRow(const RowPair& pair) const { return (pair.first + pair.count) * perContact; }
  TS_HD double rateOf(const RowPair& pair, int row) const {
    const NewtonRow& own = rows[row];
    return own.direction.dot(linear[pair.bodyB] - linear[pair.bodyA]) + own.turnB.dot(angular[pair.bodyB]) -
           own.turnA.dot(angular[pair.bodyA]);
  }
  /// Rows without ∂φ/∂v (open contacts) give their unknown at once and take no part in the linear system.
  TS_HD bool isCoupled(int row) const { return !(u.dv[row] <= newton::kDecoupled * u.dy[row]); }
};

template <class Row>
struct EachRow {  // one pair of a running island per index
  NewtonRows all;
  Row row;
  RowSums* sums;  // null: of no interest
  TS_HD void operator()(int index) const {
    const RowPair& pair = all.pairs[index];
    if (!all.running[pair.island]) return;
    RowSums own;
    for (int index = all.firstRow(pair); index < all.endRow(pair); ++index)
      row(all, pair, all.islands[pair.island], index, own);
    if (sums) sums[index] = own;
  }
};

struct StartRows {  // one pair per index
  WorldView world;
  const RowPair* pairs;
  const ContactRows* contacts;
  const Vec3* z;
  int perContact;  // as in NewtonRows
  NewtonRow* rows;
  NewtonDisk* disks;
  double* y;
  TS_HD void operator()(int index) const {
    const RowPair& pair = pairs[index];
    const MovingPair moving(world, pair);
    for (int place = pair.first; place < pair.first + pair.count; ++place) {
      const ContactRows& contact = contacts[place];
      const int row = place * perContact;
      const double scale = std::sqrt(contact.normalSlope);
      rows[row] =
          rowAlong(contact, contact.normal, scale, contact.rate + contact.normal.dot(moving.slip(contact)));
      y[row] = scale * z[place][0];
      if (perContact > 1) startTangents(contact, moving, place, scale);
    }
  }

 private:
  TS_HD static NewtonRow rowAlong(const ContactRows& contact, const Vec3& along, double scale, double rate) {
    NewtonRow row;
    row.direction = along / scale;
    row.turnA = contact.armA.cross(along) / scale;
    row.turnB = contact.armB.cross(along) / scale;
    row.offset = rate / scale;
    row.scale = scale;
    row.diagonal = 1;
    return row;
  }
  /// Rows of zeros where there is no friction.
  TS_HD void startTangents(const ContactRows& contact, const MovingPair& moving, int place,
                           double normalScale) const {
    const int first = place * perContact + 1;
    const double r = contact.tangentSlope, scale = std::sqrt(r);
    const Vec3 none(0, 0, 0), slip = moving.slip(contact);
    const Vec3 x = contact.friction > 0 ? contact.tangent : none,
               y = contact.friction > 0 && perContact == 3 ? Vec3(contact.normal.cross(contact.tangent))
                                                           : none;
    const Vec3 byX = moving.response(contact, contact, x), byY = moving.response(contact, contact, y);
    disks[place] = {contact.friction * scale / normalScale, x.dot(byX) / r, x.dot(byY) / r, y.dot(byY) / r};
    rows[first] = rowAlong(contact, x, scale, x.dot(slip));
    rows[first].diagonal = disks[place].xx;
    this->y[first] = contact.friction > 0 ? scale * z[place][1] : 0;
    if (perContact < 3) return;
    rows[first + 1] = rowAlong(contact, y, scale, y.dot(slip));
    rows[first + 1].diagonal = disks[place].yy;
    this->y[first + 1] = contact.friction > 0 ? scale * z[place][2] : 0;
  }
};

// The product A x: impulses x of rows push pairs, pairs push bodies, and the bodies' velocities are what
// NewtonRows::rateOf() reads.

struct PushPair {  // one pair of a running island per index
  const RowPair* pairs;
  const int* running;
  const NewtonRow* rows;
  int perContact;
  const double* x;
  PairPush* pushes;
  TS_HD void operator()(int index) const {
    const RowPair& pair = pairs[index];
    if (!running[pair.island]) return;
    PairPush push{Vec3(0, 0, 0), Vec3(0, 0, 0), Vec3(0, 0, 0)};
    for (int row = pair.first * perContact; row < (pair.first + pair.count) * perContact; ++row) {
      push.force += x[row] * rows[row].direction;
      push.turnA += x[row] * rows[row].turnA;
      push.turnB += x[row] * rows[row].turnB;
    }
    pushes[index] = push;
  }
};

struct MoveBody {  // one body of a running island per index
  WorldView world;
  const int* islandOfBody;
  const int* running;
  SidesOfBodies sides;  // of places of pairs
  const PairPush* pushes;
  Vec3 *linear, *angular;
  TS_HD void operator()(int body) const {
    if (islandOfBody[body] < 0 || !running[islandOfBody[body]]) return;
    Vec3 force(0, 0, 0), turn(0, 0, 0);
    for (int k = sides.first[body]; k < sides.first[body + 1]; ++k) {
      const PairPush& push = pushes[sides.pairAt(k)];
      if (sides.sideAt(k) % 2 == 1) {
        force += push.force;
        turn += push.turnB;
      } else {
        force -= push.force;
        turn -= push.turnA;
      }
    }
    linear[body] = world.inverseMass[body] * force;
    angular[body] = world.inverseInertia[body] * turn;
  }
};

/// One pair of a running island per index: v = A y + b, F and its derivatives, and by how much rows fail.
/// Turns the rows of disks.
struct SetRates {
  NewtonRows all;
  NcpFunction function;
  const ContactRows* contacts;
  NewtonRow* rows;    // those of `all`
  NewtonDisk* disks;  // those of `all`
  RowSums* sums;      // ½|F|² is half the first; how many disks have friction
  RowFigures* figures;
  Vec3* z;
  TS_HD void operator()(int index) const {
    const RowPair& pair = all.pairs[index];
    if (!all.running[pair.island]) return;
    RowFigures largest;
    RowSums own;
    for (int place = pair.first; place < pair.first + pair.count; ++place) {
      const int row = place * all.perContact;
      const double y = all.u.y[row], v = all.rateOf(pair, row) + rows[row].offset, scale = rows[row].scale;
      const NcpValue f = ncpValue(function, y, v);
      set(row, v, f);
      own.values[0] += f.value * f.value;
      const double failure = std::fabs(v < y ? v : y);
      largest.add({failure, failure * scale});
      z[place] = Vec3(y / scale, 0, 0);
      if (all.perContact > 1) addFriction(pair, place, own, largest);
    }
    sums[index] = own;
    figures[index] = largest;
  }

 private:
  TS_HD void set(int row, double v, const NcpValue& f) const {
    all.u.v[row] = v;
    all.u.value[row] = f.value;
    all.u.dy[row] = f.dy;
    all.u.dv[row] = f.dv;
  }
  TS_HD void addFriction(const RowPair& pair, int place, RowSums& own, RowFigures& largest) const {
    const int first = place * all.perContact + 1, second = first + 1;
    const bool two = all.perContact == 3;
    const NcpValue none{0, 1, 0};
    if (!(disks[place].friction > 0)) {
      set(first, 0, none);
      if (two) set(second, 0, none);
      return;
    }
    const double limit = disks[place].limit(all.u.y[first - 1]);
    double v1 = all.rateOf(pair, first) + rows[first].offset, y1 = all.u.y[first], v2 = 0, y2 = 0;
    if (two) {
      v2 = all.rateOf(pair, second) + rows[second].offset;
      y2 = all.u.y[second];
    }
    const double square = diskMerit(limit, y1, y2, v1, v2), miss = std::sqrt(square);
    own.values[0] += square;
    own.values[1] += 1;
    largest.add({miss, miss * rows[first].scale});
    const DiskRows slipping = diskRows(limit, y1, y2, v1, v2);
    if (slipping.x != 1) {
      turn(slipping.x, slipping.y, y1, y2);
      turn(slipping.x, slipping.y, v1, v2);
      turnRows(slipping.x, slipping.y, place, two);
      all.u.y[first] = y1;
      if (two) all.u.y[second] = y2;
    }
    set(first, v1, slipping.along);
    Vec3 force = y1 * rows[first].direction;
    if (two) {
      set(second, v2, slipping.across);
      force += y2 * rows[second].direction;
    }
    const ContactRows& contact = contacts[place];
    z[place][1] = contact.tangent.dot(force);
    z[place][2] = two ? contact.normal.cross(contact.tangent).dot(force) : 0;
  }
  template <class Value>
  TS_HD static void turn(double x, double y, Value& first, Value& second) {
    const Value before = first;
    first = x * before + y * second;
    second = x * second - y * before;
  }
  TS_HD void turnRows(double x, double y, int place, bool two) const {
    NewtonRow& first = rows[place * all.perContact + 1];
    NewtonRow none = first;
    NewtonRow& second = two ? rows[place * all.perContact + 2] : none;  // in the plane y = 0, of no interest
    turn(x, y, first.direction, second.direction);
    turn(x, y, first.turnA, second.turnA);
    turn(x, y, first.turnB, second.turnB);
    turn(x, y, first.offset, second.offset);
    NewtonDisk& disk = disks[place];
    const NewtonDisk before = disk;
    disk.xx = x * x * before.xx + 2 * x * y * before.xy + y * y * before.yy;
    disk.yy = y * y * before.xx - 2 * x * y * before.xy + x * x * before.yy;
    disk.xy = x * y * (before.yy - before.xx) + (x * x - y * y) * before.xy;
    first.diagonal = disk.xx;
    second.diagonal = disk.yy;
  }
};

struct SlopeSums {  // after the product of A and the direction
  TS_HD void operator()(const NewtonRows& all, const RowPair& pair, const NewtonIsland&, int row,
                        RowSums& sums) const {
    const NewtonVectors& u = all.u;
    u.rate[row] = all.rateOf(pair, row);
    sums.values[0] += u.value[row] * (u.dy[row] * u.direction[row] + u.dv[row] * u.rate[row]);
  }
};

struct MeritSums {  // 2 × the merit at steps `first`, half of it, …; a contact's rows together
  NcpFunction function;
  double first;
  TS_HD void operator()(const NewtonRows& all, const RowPair&, const NewtonIsland&, int row,
                        RowSums& sums) const {
    if (row % all.perContact != 0) return;
    const NewtonVectors& u = all.u;
    const bool two = all.perContact == 3;
    double step = first;
    for (int k = 0; k < RowSums::kCount; ++k, step *= 0.5) {
      const double y = u.y[row] + step * u.direction[row], v = u.v[row] + step * u.rate[row];
      const double value = ncpValue(function, y, v).value;
      sums.values[k] += value * value;
      if (all.perContact == 1) continue;
      const double limit = all.disks[row / all.perContact].limit(y);
      const int x = row + 1, z = row + 2;
      sums.values[k] +=
          diskMerit(limit, u.y[x] + step * u.direction[x], two ? u.y[z] + step * u.direction[z] : 0,
                    u.v[x] + step * u.rate[x], two ? u.v[z] + step * u.rate[z] : 0);
    }
  }
};

struct MoveRows {
  TS_HD void operator()(const NewtonRows& all, const RowPair&, const NewtonIsland& island, int row,
                        RowSums&) const {
    if (island.step > 0) all.u.y[row] += island.step * all.u.direction[row];
  }
};

/// Of all pairs: the best iterate as impulses that do not pull and stay within the cone (a solver's
/// tolerance), and as unknowns.
struct FinishRows {
  const RowPair* pairs;
  const ContactRows* contacts;
  const NewtonRow* rows;
  int perContact;
  Vec3* best;
  double* x;
  TS_HD void operator()(int index) const {
    const RowPair& pair = pairs[index];
    for (int place = pair.first; place < pair.first + pair.count; ++place) {
      Vec3& own = best[place];
      const int row = place * perContact;
      if (!(own[0] >= 0)) own[0] = 0;
      x[row] = rows[row].scale * own[0];
      if (perContact == 1) continue;
      const ContactRows& contact = contacts[place];
      projectOnDisk(contact.friction * own[0], own[1], own[2]);
      const Vec3 force = own[1] * contact.tangent + own[2] * contact.normal.cross(contact.tangent);
      for (int tangent = row + 1; tangent < row + perContact; ++tangent)
        x[tangent] = rows[tangent].scale * rows[tangent].scale * rows[tangent].direction.dot(force);
    }
  }
};

struct AddVelocities {  // one body per index
  WorldView world;
  const int* islandOfBody;
  const Vec3 *linear, *angular;
  TS_HD void operator()(int body) const {
    if (islandOfBody[body] < 0) return;
    world.nextLinearVelocity[body] += linear[body];
    world.nextAngularVelocity[body] += angular[body];
  }
};

// What islands do with the sums over their rows.

template <class Act>
struct EachIsland {  // one island per index, if it is running
  const RowSums* sums;
  NewtonIsland* islands;
  int* running;
  Act act;
  TS_HD void operator()(int index) const {
    if (!running[index]) return;
    running[index] = act(islands[index], sums[index].values) ? 1 : 0;
  }
};

struct BeginSearch {  // whether the direction leads down at all; with friction, whether there is one
  TS_HD bool operator()(NewtonIsland& island, const double* sums) const {
    island.slope = sums[0];
    island.step = 0;
    return island.hasFriction ? island.slope == island.slope : island.slope < 0;
  }
};

/// The longest of MeritSums that Armijo takes; with friction one that does not lead up, or a blind one.
struct PickStep {
  double first, smallest;
  TS_HD bool operator()(NewtonIsland& island, const double* sums) const {
    const bool friction = island.hasFriction;
    if (friction) {
      island.step = newton::kBlindStep;
      island.isSearching = 0;
    }
    const double wanted = friction ? 0 : newton::kArmijo * island.slope;
    const int most = friction ? newton::kStepsWithFriction : RowSums::kCount;
    double step = first;
    for (int k = 0; k < most && step > smallest; ++k, step *= 0.5) {
      if (!(0.5 * sums[k] <= island.merit + step * wanted)) continue;
      island.step = step;
      island.isSearching = 0;
      break;
    }
    return true;
  }
};

struct GoOnSearching {
  TS_HD bool operator()(NewtonIsland& island, const double*) const { return island.isSearching != 0; }
};

struct NoteMerit {  // one island per index, if it is running: of the iterate that is judged next
  const RowSums* sums;
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
    island.hasFriction = sums[index].values[1] > 0;
    if (index == reported->island)
      history[number] = {island.merit, island.linearResidual, island.linearIterations};
  }
};

struct StartNewton {
  NewtonIsland* islands;
  TS_HD void operator()(int index) const { islands[index] = NewtonIsland{}; }
};

struct BeginIteration {  // one island per index
  NewtonIsland* islands;
  IslandCurve* curves;
  int* running;
  TS_HD void operator()(int index) const {
    if (islands[index].progress.hasStalled()) curves[index].isDone = 1;
    running[index] = islands[index].isSearching = curves[index].isDone ? 0 : 1;
  }
};

struct Wake {  // one island per index: those that are searching run again
  const NewtonIsland* islands;
  int* running;
  TS_HD void operator()(int index) const { running[index] = islands[index].isSearching; }
};

struct StopStuck {  // one island per index: no direction leads down
  const NewtonIsland* islands;
  IslandCurve* curves;
  int* running;
  TS_HD void operator()(int index) const {
    if (islands[index].isSearching) curves[index].isDone = 1;
    running[index] = curves[index].isDone ? 0 : 1;
  }
};

}  // namespace detail

}  // namespace touchstone
