#pragma once

#include "core/contact/contact_rows.inl"
#include "core/contact/pair_sides.inl"
#include "core/solver/ncp_function.h"

namespace touchstone {

/// The row of a contact without friction, divided by s = √A_nn: of a rate, and of the impulse of y = s p.
struct NewtonRow {
  Vec3 normal;        ///< n / s
  Vec3 turnA, turnB;  ///< r × n / s
  double offset;      ///< b / s [√(m/s · N s)]: the rate without impulses
  double scale;       ///< s [1/√kg]
};

/// One number per contact each, as in core/solver/newton.cpp.
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
  double merits[newton::kPatience + 1];  ///< of the last iterates, in turn
  double merit;                          ///< ½|F|²
  int isSearching;                       ///< no direction of this iteration has led down yet
  int stalls;
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

  TS_HD double rateOf(const RowPair& pair, int row) const {
    const NewtonRow& own = rows[row];
    return own.normal.dot(linear[pair.bodyB] - linear[pair.bodyA]) + own.turnB.dot(angular[pair.bodyB]) -
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
    for (int place = pair.first; place < pair.first + pair.count; ++place)
      row(all, pair, all.islands[pair.island], place, own);
    if (sums) sums[index] = own;
  }
};

struct StartRows {  // one pair per index
  WorldView world;
  const RowPair* pairs;
  const ContactRows* contacts;
  const Vec3* z;
  NewtonRow* rows;
  double* y;
  TS_HD void operator()(int index) const {
    const RowPair& pair = pairs[index];
    const MovingPair moving(world, pair);
    for (int place = pair.first; place < pair.first + pair.count; ++place) {
      const ContactRows& contact = contacts[place];
      NewtonRow row;
      row.scale = std::sqrt(contact.normalSlope);
      row.normal = contact.normal / row.scale;
      row.turnA = contact.armA.cross(contact.normal) / row.scale;
      row.turnB = contact.armB.cross(contact.normal) / row.scale;
      row.offset = (contact.rate + contact.normal.dot(moving.slip(contact))) / row.scale;
      rows[place] = row;
      y[place] = row.scale * z[place][0];
    }
  }
};

// The product A x: impulses x of rows push pairs, pairs push bodies, and the bodies' velocities are what
// NewtonRows::rateOf() reads.

struct PushPair {  // one pair of a running island per index
  const RowPair* pairs;
  const int* running;
  const NewtonRow* rows;
  const double* x;
  PairPush* pushes;
  TS_HD void operator()(int index) const {
    const RowPair& pair = pairs[index];
    if (!running[pair.island]) return;
    PairPush push{Vec3(0, 0, 0), Vec3(0, 0, 0), Vec3(0, 0, 0)};
    for (int place = pair.first; place < pair.first + pair.count; ++place) {
      push.force += x[place] * rows[place].normal;
      push.turnA += x[place] * rows[place].turnA;
      push.turnB += x[place] * rows[place].turnB;
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
struct SetRates {
  NewtonRows all;
  NcpFunction function;
  RowSums* sums;  // ½|F|² is half the first
  RowFigures* figures;
  Vec3* z;
  TS_HD void operator()(int index) const {
    const RowPair& pair = all.pairs[index];
    if (!all.running[pair.island]) return;
    RowFigures largest;
    RowSums own;
    const NewtonVectors& u = all.u;
    for (int place = pair.first; place < pair.first + pair.count; ++place) {
      const NewtonRow& row = all.rows[place];
      const double y = u.y[place], v = all.rateOf(pair, place) + row.offset;
      const NcpValue f = ncpValue(function, y, v);
      u.v[place] = v;
      u.value[place] = f.value;
      u.dy[place] = f.dy;
      u.dv[place] = f.dv;
      own.values[0] += f.value * f.value;
      const double failure = std::fabs(v < y ? v : y);
      largest.add({failure, failure * row.scale});
      z[place] = Vec3(y / row.scale, 0, 0);
    }
    sums[index] = own;
    figures[index] = largest;
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

struct MeritSums {  // 2 × the merit at steps `first`, half of it, …
  NcpFunction function;
  double first;
  TS_HD void operator()(const NewtonRows& all, const RowPair&, const NewtonIsland&, int row,
                        RowSums& sums) const {
    const NewtonVectors& u = all.u;
    double step = first;
    for (int k = 0; k < RowSums::kCount; ++k, step *= 0.5) {
      const double value =
          ncpValue(function, u.y[row] + step * u.direction[row], u.v[row] + step * u.rate[row]).value;
      sums.values[k] += value * value;
    }
  }
};

struct MoveRows {
  TS_HD void operator()(const NewtonRows& all, const RowPair&, const NewtonIsland& island, int row,
                        RowSums&) const {
    if (island.step > 0) all.u.y[row] += island.step * all.u.direction[row];
  }
};

/// Of all pairs: the best iterate as impulses that do not pull (a solver's tolerance), and as unknowns.
struct FinishRows {
  const RowPair* pairs;
  const NewtonRow* rows;
  Vec3* best;
  double* x;
  TS_HD void operator()(int index) const {
    const RowPair& pair = pairs[index];
    for (int place = pair.first; place < pair.first + pair.count; ++place) {
      if (!(best[place][0] >= 0)) best[place][0] = 0;
      x[place] = rows[place].scale * best[place][0];
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

struct BeginSearch {  // whether the direction leads down at all
  TS_HD bool operator()(NewtonIsland& island, const double* sums) const {
    island.slope = sums[0];
    island.step = 0;
    return island.slope < 0;
  }
};

struct PickStep {  // Armijo: the longest of MeritSums
  double first, smallest;
  TS_HD bool operator()(NewtonIsland& island, const double* sums) const {
    double step = first;
    for (int k = 0; k < RowSums::kCount && step > smallest; ++k, step *= 0.5) {
      if (!(0.5 * sums[k] <= island.merit + newton::kArmijo * step * island.slope)) continue;
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
    const int number = curves[index].measured, room = newton::kPatience + 1;
    island.merit = 0.5 * sums[index].values[0];
    island.stalls = number >= newton::kPatience &&
                    island.merit > newton::kProgress * island.merits[(number - newton::kPatience) % room];
    island.merits[number % room] = island.merit;
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
    if (islands[index].stalls) curves[index].isDone = 1;
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
