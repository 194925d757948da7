#pragma once

#include "core/math/symmetric_eigen.h"
#include "core/solver/newton/newton_loops.inl"

namespace touchstone {

/// State of an island whose rows are written again.
struct RewrittenIsland {
  ResidualParts now;  ///< of this iterate
  double before;      ///< total of the one before the step
  double least;       ///< total of the best iterate after the start, which is at rest
  double step;        ///< t
  int count;          ///< iterations begun
  int isLast, wasWhole, hasEnded;
};

namespace detail {

/// Arrays of rows that are written again, beside those of NewtonRows, whose `metric` is H of the iterate.
struct RewrittenSpace {
  CarrierMetric mass;  // M
  Vec3* inverseMass;   // [carriers] H⁻¹ …
  Mat3* inverseInertia;
  Vec3* addedMass;  // … and H − M
  Mat3* addedInertia;
  CarrierVelocities iterate;  // ν
  CarrierVelocities start;    // ν before the step
  CarrierVelocities change;   // Δν of the last direction
  CarrierVelocities defect;   // M⁻¹ g
  CarrierVelocities pushed;   // −H⁻¹ g
  CarrierVelocities best;     // ν of the answer
  // [carriers] of elements: Fᵀz and Fᵀ Δz with the gradients before the step, Fᵀz with those behind it
  Vec3 *forceBefore, *forceOfStep, *forceNow;
  double* stepImpulse;  // [rows] Δz
  double* zBefore;      // [rows] z before the step
  RewrittenIsland* islands;
  ResidualParts* history;  // of the reported island
  ResidualParts *partsOfUnits, *partsOfBlocks, *partials;
  WorldView world;
  RewritingSettings settings;
  const RowRewriting* again;  // on the host
  RowArrays rows;             // of the table, where the host may write them; null on a device

  TS_HD RewrittenForms forms() const { return {settings.forms, world.dt}; }
};

struct StartCarrier {  // one carrier per index, if its island runs: H = M
  RewrittenSpace space;
  RunningCarriers carriers;
  const Vec3 *freeLinear, *freeAngular;
  TS_HD void operator()(int carrier) const {
    if (!carriers.has(carrier)) return;
    const Vec3 none(0, 0, 0);
    space.inverseMass[carrier] = space.mass.inverseMass[carrier];
    space.inverseInertia[carrier] = space.mass.inverseInertia[carrier];
    space.addedMass[carrier] = none;
    space.addedInertia[carrier] = Mat3::Zero();
    const bool isAtRest = space.settings.startsAtRest;
    space.iterate.linear[carrier] = isAtRest ? none : freeLinear[carrier];
    space.iterate.angular[carrier] = isAtRest ? none : freeAngular[carrier];
    space.change.linear[carrier] = space.change.angular[carrier] = none;
  }
};

struct StartRewrittenIsland {  // one island per index, if it is running
  RewrittenSpace space;
  const int* running;
  IslandCurve* curves;
  TS_HD void operator()(int index) const {
    if (!running[index]) return;
    curves[index].denominator = curves[index].largestScale = 1;  // the tolerance is one on natural residuals
    RewrittenIsland island{};
    island.least = HUGE_VAL;
    island.wasWhole = space.settings.lastStepIsWhole ? 0 : 1;
    space.islands[index] = island;
  }
};

struct PlaceCarrier {  // one carrier of a running island per index, on the host only
  RunningCarriers carriers;
  const RowRewriting* again;
  CarrierVelocities iterate;
  TS_HD void operator()(int carrier) const {
#ifndef __CUDA_ARCH__
    if (carriers.has(carrier)) again->place(carrier, iterate);
#endif
  }
};

struct RewriteBlock {  // one block of a running island per index, on the host only
  RowsView table;
  const int* running;
  const RowRewriting* again;
  CarrierVelocities iterate;
  RowArrays to;
  TS_HD void operator()(int index) const {
#ifndef __CUDA_ARCH__
    const RowBlock& block = table.blocks[index];
    if (running[block.island]) again->write(block, iterate, to);
#endif
  }
};

/// H⁻¹ of a body with geometric stiffness: H = I + h² [sym K]₊.
/// @param inverse  I⁻¹, also singular   @param added  out: H − I
TS_HD inline Mat3 stiffened(const Mat3& inverse, const Mat3& stiffness, double h, Mat3& added) {
  const SymmetricEigen eigen = symmetricEigen(0.5 * (stiffness + stiffness.transpose()));
  Mat3 scaled = eigen.vectors;
  for (int k = 0; k < 3; ++k) scaled.col(k) *= h * h * (eigen.values[k] > 0 ? eigen.values[k] : 0);
  added = scaled * eigen.vectors.transpose();
  const Mat3 factor = Mat3::Identity() + inverse * added;
  const Mat3 whole = factor.inverse() * inverse;
  return 0.5 * (whole + whole.transpose());
}

struct StiffenCarrier {  // one carrier of a running island per index, on the host only
  RowsView table;
  RunningCarriers carriers;
  CarrierIncidence sides;
  const double* z;
  RewrittenSpace space;
  TS_HD void operator()(int carrier) const {
#ifndef __CUDA_ARCH__
    if (!carriers.has(carrier)) return;
    Mat3 sum = Mat3::Zero();
    bool isStiff = false;
    for (int place = sides.first[carrier]; place < sides.first[carrier + 1]; ++place) {
      const RowBlock& block = table.blocks[sides.blockAt(place)];
      if (block.key.kind != kJointBlock) continue;
      isStiff = true;
      sum += space.again->stiffness(block, sides.sideAt(place) - block.firstCarrier,
                                    table.terms + block.firstTerm, z + block.firstRow, space.iterate);
    }
    if (isStiff)
      space.inverseInertia[carrier] =
          stiffened(space.mass.inverseInertia[carrier], sum, space.world.dt, space.addedInertia[carrier]);
#endif
  }
};

/// One place of units of a running island per index, after its rows are written: scales and diagonals.
struct ScaleRewritten {
  NewtonRows system;
  RewrittenSpace space;
  TS_HD void operator()(int index) const {
    const RowPlace& place = system.places[index];
    if (!place.isIn(system.running)) return;
    const RowUnit& unit = place.unit;
    const RowBlock& block = system.table.blocks[unit.block];
    const Row* rows = system.table.rows + unit.firstRow;
    const NewtonVectors& u = system.u;
    setScales(system.table, unit, space.mass, system.vectors.scale + unit.firstRow,
              system.vectors.inverse + unit.firstRow);
    for (int k = 0; k < unit.rowCount; ++k) {
      const int row = unit.firstRow + k, inBlock = row - block.firstRow;
      if (rows[k].law == RowLaw::Fixed) system.vectors.z[row] = rows[k].bound;
      u.root[row] = std::sqrt(space.forms().scaleOf(rows[k].law, system.vectors.scale[row]));
      u.inverseRoot[row] = 1 / u.root[row];
      u.y[row] = u.root[row] * system.vectors.z[row];
      u.turnX[row] = 1;
      u.turnY[row] = u.across[row] = 0;
      const double scale = u.inverseRoot[row] * u.inverseRoot[row];
      u.diagonal[row] = scale * (coupling(system.table, unit, system.metric, k, k) +
                                 system.table.complianceOf(block, inBlock, inBlock));
      if (rows[k].law == RowLaw::Disk && isDiskOfTwo(rows, k, unit.rowCount))
        u.across[row] = scale * coupling(system.table, unit, system.metric, k, k + 1);
    }
  }
};

/// Σ Fᵀz over the elements of a carrier of a running island [N·s], after their pushes.
struct SumForces {
  RowsView table;
  RunningCarriers carriers;
  CarrierIncidence sides;
  const CarrierPush* pushes;
  Vec3* out;
  TS_HD void operator()(int carrier) const {
    if (!carriers.has(carrier)) return;
    Vec3 force(0, 0, 0);
    for (int place = sides.first[carrier]; place < sides.first[carrier + 1]; ++place) {
      const int kind = table.blocks[sides.blockAt(place)].key.kind;
      if (isElementBlock(kind)) force += pushes[sides.sideAt(place)].force;
    }
    out[carrier] = force;
  }
};

/// The secant of geometric stiffness of a particle along one axis, −min(0, c) with c = ΔFᵀz / Δν, as mass
/// (Macklin 2019, eq. 73, corrected) [kg]. @param force  ΔFᵀz [N·s]   @param move  Δν [m/s]
TS_HD inline double secantMass(double force, double move) {
  // m/s. Larger: particles that still move have none; smaller: it is a quotient of roundings.
  constexpr double kMoves = 1e-9;
  const double secant = std::fabs(move) >= kMoves ? force / move : 0;
  return secant < 0 ? -secant : 0;
}

/// The secant of geometric stiffness of a particle as mass. One carrier of a running island per index.
struct SetSecant {
  RunningCarriers carriers;
  RewrittenSpace space;
  TS_HD void operator()(int carrier) const {
    if (carrier < space.world.bodyCount || !carriers.has(carrier)) return;
    const double step = space.islands[carriers.islandOf[carrier]].step;
    for (int axis = 0; axis < 3; ++axis) {
      const double move = step * space.change.linear[carrier][axis],
                   before = space.forceBefore[carrier][axis] + step * space.forceOfStep[carrier][axis],
                   added = secantMass(space.forceNow[carrier][axis] - before, move);
      space.addedMass[carrier][axis] = added;
      space.inverseMass[carrier][axis] = 1 / (1 / space.mass.inverseMass[carrier][axis] + added);
    }
  }
};

/// One carrier of a running island per index, after the push of all impulses with M: M⁻¹ g. Gives the
/// carriers the velocities of the iterate.
struct FindDefect {
  RunningCarriers carriers;
  RewrittenSpace space;
  const Vec3 *freeLinear, *freeAngular;
  CarrierVelocities velocities;  // in: M⁻¹ Fᵀz
  TS_HD void operator()(int carrier) const {
    if (!carriers.has(carrier)) return;
    space.defect.linear[carrier] =
        space.iterate.linear[carrier] - freeLinear[carrier] - velocities.linear[carrier];
    space.defect.angular[carrier] =
        space.iterate.angular[carrier] - freeAngular[carrier] - velocities.angular[carrier];
    velocities.linear[carrier] = space.iterate.linear[carrier];
    velocities.angular[carrier] = space.iterate.angular[carrier];
  }
};

/// −H⁻¹ g of a carrier of a running island: H⁻¹ g = d − H⁻¹ (H − M) d with d = M⁻¹ g.
struct FindPushed {
  RunningCarriers carriers;
  RewrittenSpace space;
  const Vec3 *freeLinear, *freeAngular;
  const Vec3 *moved, *turned;  // M⁻¹ Fᵀz with the shares of the rows; null: there are none
  TS_HD void operator()(int carrier) const {
    if (!carriers.has(carrier)) return;
    Vec3 linear = space.defect.linear[carrier], angular = space.defect.angular[carrier];
    if (moved) {
      linear = space.iterate.linear[carrier] - freeLinear[carrier] - moved[carrier];
      angular = space.iterate.angular[carrier] - freeAngular[carrier] - turned[carrier];
    }
    const Vec3 stiffLinear =
                   space.inverseMass[carrier].cwiseProduct(space.addedMass[carrier].cwiseProduct(linear)),
               stiffAngular = space.inverseInertia[carrier] * Vec3(space.addedInertia[carrier] * angular);
    space.pushed.linear[carrier] = stiffLinear - linear;
    space.pushed.angular[carrier] = stiffAngular - angular;
  }
};

/// Share of the gradients of a row (NormalForm::Published), after its derivatives.
struct SetShare {
  TS_HD void operator()(const NewtonRows& system, const RowPlace&, const NewtonIsland&, int row,
                        SystemSums&) const {
    system.u.unit[row] = system.u.inverseRoot[row] * (system.isScaled(row) ? system.u.dv[row] : 1);
  }
};

/// One place of units of a running island per index, after SetRates: by how much its rows fail, by kind.
struct FindParts {
  NewtonRows system;
  ResidualParts* parts;  // [units]
  TS_HD void operator()(int index) const {
    const RowPlace& place = system.places[index];
    if (!place.isIn(system.running)) return;
    const RowUnit& unit = place.unit;
    const Row* rows = system.table.rows + unit.firstRow;
    ResidualParts found;
    found.addUnit(system.table.blocks[unit.block].key.kind, rows, unit.rowCount,
                  system.vectors.z + unit.firstRow, system.vectors.rates + unit.firstRow,
                  system.vectors.scale + unit.firstRow, system.vectors.inverse + unit.firstRow);
    parts[place.number] = found;
  }
};

/// One block of a running island per index, after the figures of its units: those of its carriers. Carriers
/// of several blocks share their energy among these.
struct AddCarriers {
  RowsView table;
  const int* running;
  CarrierIncidence sides;
  RewrittenSpace space;
  TS_HD void operator()(int index) const {
    const RowBlock& block = table.blocks[index];
    if (!running[block.island]) return;
    ResidualParts& parts = space.partsOfBlocks[index];
    const double step = space.islands[block.island].step;
    for (int k = 0; k < block.carrierCount; ++k) {
      const int carrier = table.carriersOf(block)[k];
      const Vec3 &linear = space.defect.linear[carrier], &angular = space.defect.angular[carrier];
      for (int axis = 0; axis < 3; ++axis) {
        ResidualParts::keep(std::fabs(linear[axis]), parts.momentum);
        ResidualParts::keep(std::fabs(angular[axis]), parts.momentum);
        ResidualParts::keep(std::fabs(step * space.change.linear[carrier][axis]), parts.stepSize);
        ResidualParts::keep(std::fabs(step * space.change.angular[carrier][axis]), parts.stepSize);
      }
      parts.kinetic += energyOf(carrier, linear, angular) / sides.count(carrier);
    }
  }

 private:
  TS_HD double energyOf(int carrier, const Vec3& linear, const Vec3& angular) const {
    const double energy = linear.squaredNorm() / space.world.inverseMass[carrier];
    if (carrier >= space.world.bodyCount) return energy;
    const Vec3 inBody = space.world.orientation[carrier].conjugate() * angular;
    return energy + inBody.dot(Vec3(space.world.bodies[carrier].inertia * inBody));
  }
};

/// One island per index, if it is running: figures of its iterate.
struct TakeParts {
  const SystemSums* sums;
  const ResidualParts* parts;
  const int* running;
  NewtonIsland* newton;
  RewrittenIsland* islands;
  TS_HD void operator()(int index) const {
    if (!running[index]) return;
    islands[index].now = parts[index];
    newton[index].merit = 0.5 * (sums[index].values[0] + parts[index].kinetic);
    newton[index].isSymmetrised = 1;
  }
};

/// One island per index, if it is running: keeps the iterate where it is the answer so far.
struct JudgeRewritten {
  RewrittenSpace space;
  const NewtonIsland* newton;
  const int* running;
  const IslandRows* reported;
  IslandCurve* curves;
  NewtonIterate* merits;  // of the reported island, as the next
  RowExtremes* history;
  TS_HD void operator()(int index) const {
    IslandCurve& curve = curves[index];
    curve.isImproved = 0;
    if (!running[index]) return;
    RewrittenIsland& island = space.islands[index];
    const double total = island.now.total();
    const bool isStart = curve.measured == 0;
    if (isStart || !space.settings.usesBest || total <= island.least) {
      curve.isImproved = 1;
      curve.best = {total, total};
      if (!isStart) island.least = total;
    }
    island.hasEnded = !isStart && !isFinite(newton[index].merit);
    if (index == reported->island) {
      history[curve.measured] = {total, total};
      space.history[curve.measured] = island.now;
      merits[curve.measured] = {newton[index].merit, newton[index].linearResidual,
                                newton[index].linearIterations};
    }
    ++curve.measured;
  }
};

/// One island per index, if it is running: whether it takes one more step, and which share of it.
struct BeginRewritten {
  RewrittenSpace space;
  IslandCurve* curves;
  int* running;
  TS_HD void operator()(int index) const {
    if (!running[index]) return;
    RewrittenIsland& island = space.islands[index];
    const IslandCurve& curve = curves[index];
    const double total = island.now.total();
    // An iterate within the tolerance is followed by one whole step, which brings momentum to rounding.
    const bool isWithin = total <= curve.limits.tolerance;
    const bool ends = island.hasEnded || island.count >= curve.limits.maxIterations || total == 0 ||
                      (isWithin && island.wasWhole);
    if (ends) {
      curves[index].isDone = 1;
      running[index] = 0;
      return;
    }
    ++island.count;
    island.isLast = isWithin || island.count >= curve.limits.maxIterations;
    if (island.isLast) island.wasWhole = 1;
    island.before = total;
    const double damping = space.settings.damping;
    island.step = damping == 0 || (island.isLast && space.settings.lastStepIsWhole) ? 1 : damping;
  }
};

/// One island per index: runs where the whole step has not lowered the residual, and a share of it is left
/// to try.
struct BeginShorter {
  RewrittenSpace space;
  int* running;
  TS_HD void operator()(int index) const {
    if (!running[index]) return;
    RewrittenIsland& island = space.islands[index];
    const bool isLower = island.now.total() < island.before;
    running[index] = !island.isLast && !isLower ? 1 : 0;
    if (running[index]) island.step = newton::kUsualShare;
  }
};

struct RunAgain {  // one island per index
  const IslandCurve* curves;
  int* running;
  TS_HD void operator()(int index) const { running[index] = curves[index].isDone ? 0 : 1; }
};

/// One place of units of a running island per index: the step's change of impulses, and impulses before it.
/// Transient rows have served.
struct KeepStep {
  NewtonRows system;
  RewrittenSpace space;
  TS_HD void operator()(int index) const {
    const RowPlace& place = system.places[index];
    if (!place.isIn(system.running)) return;
    for (int row = place.unit.firstRow; row < place.unit.firstRow + place.unit.rowCount; ++row) {
      if (system.table.rows[row].flags & kTransient) system.u.direction[row] = 0;
      space.stepImpulse[row] = system.u.inverseRoot[row] * system.u.direction[row];
      space.zBefore[row] = system.vectors.z[row];
    }
  }
};

struct KeepChange {  // one carrier of a running island per index, after the push of the direction
  RunningCarriers carriers;
  CarrierVelocities velocities;
  RewrittenSpace space;
  TS_HD void operator()(int carrier) const {
    if (!carriers.has(carrier)) return;
    space.start.linear[carrier] = space.iterate.linear[carrier];
    space.start.angular[carrier] = space.iterate.angular[carrier];
    space.change.linear[carrier] = velocities.linear[carrier];
    space.change.angular[carrier] = velocities.angular[carrier];
  }
};

/// One place of units of a running island per index: impulses where a share of the step leads.
struct MoveImpulses {
  NewtonRows system;
  RewrittenSpace space;
  TS_HD void operator()(int index) const {
    const RowPlace& place = system.places[index];
    if (!place.isIn(system.running)) return;
    const double step = space.islands[place.island].step;
    for (int row = place.unit.firstRow; row < place.unit.firstRow + place.unit.rowCount; ++row)
      system.vectors.z[row] = space.zBefore[row] + step * space.stepImpulse[row];
  }
};

/// One carrier of a running island per index: velocities where a share of the step leads.
struct MoveVelocities {
  RunningCarriers carriers;
  RewrittenSpace space;
  TS_HD void operator()(int carrier) const {
    if (!carriers.has(carrier)) return;
    const double step = space.islands[carriers.islandOf[carrier]].step;
    space.iterate.linear[carrier] = space.start.linear[carrier] + step * space.change.linear[carrier];
    space.iterate.angular[carrier] = space.start.angular[carrier] + step * space.change.angular[carrier];
  }
};

}  // namespace detail

}  // namespace touchstone
