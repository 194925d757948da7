#pragma once

#include "core/solver/linear/krylov.inl"
#include "core/solver/linear/linear.h"
#include "core/solver/newton/matrix_systems.inl"
#include "core/solver/newton/newton_system_loops.inl"
#include "core/solver/table/island_loops.inl"

namespace touchstone {

namespace detail {

/// Arrays and settings that Newton's iterations read and write.
struct NewtonSpace {
  NewtonRows system;
  const int* islandOfCarrier;
  CarrierIncidence sides;
  CarrierPush* pushes;                   // [sides]
  const Vec3 *freeLinear, *freeAngular;  // [carrierCount] ν̃
  ReducedExtremes<SystemSums> sums;
  ReducedExtremes<MeritSums> merits;
  Judgement judgement;
  NewtonIterate* history;  // of the reported island
  NcpFunction function;
  LinearSolver linearSolver;
  int linearIterations;
  double linearTolerance;    // on relative residuals of linear systems; 0: as far as the step needs
  bool isExact;              // the system has all derivatives, and is not symmetric
  MatrixSystems* matrices;   // on the host, for linear solvers that need the matrix; or null
  CarrierSystems* carriers;  // the same of rewritten rows
  float* linear;  // [iterations × linearIterations] relative residuals of the linear systems of …
  const IslandRows* reported;                // … this island; or null: not wanted
  const Vec3 *pushedLinear, *pushedAngular;  // [carrierCount] −H⁻¹ g of rewritten rows, else null

  TS_HD RunningCarriers runningCarriers() const { return {islandOfCarrier, system.running}; }
};

/// Damped Newton on F(y) = φ(y, A y + b) with the generalised Jacobian D_y + D_v (A + kShift), on the islands
/// that are running, from their start until they have stopped. The merit is ½|F|². A loop over units comes
/// after the product that it reads.
struct NewtonIterations {
  static constexpr Threads kThreads = Threads::All;
  NewtonSpace space;

  template <class Loops>
  TS_HD void start(const Loops& loops) const {
    measure(loops);
  }
  template <class Loops>
  TS_HD int advance(const Loops& loops, int) const {
    if (!beginIteration(loops)) return 0;
    const int passes = findDirection(loops);
    takeStep(loops);
    measure(loops);
    return 1 + passes;
  }

  /// Velocities ν̃ + H⁻¹ Fᵀ z of the iterate.
  template <class Loops>
  TS_HD void moveTo(const Loops& loops, const double* y) const {
    push(loops, y, false, space.freeLinear, space.freeAngular);
  }
  /// At the iterate, after moveTo().
  template <class Loops>
  TS_HD void setRates(const Loops& loops) const {
    const NewtonSpace& s = space;
    loops.eachUnit(SetRates<FixedForms>{s.system, {s.function}, s.sums.ofUnits, s.judgement.extremes.ofUnits},
                   Work::Heavy);
  }

  /// Gives carriers the velocities H⁻¹ Fᵀ x, or what that adds to others.
  template <class Loops>
  TS_HD void push(const Loops& loops, const double* x, bool isTurned, const Vec3* fromLinear = nullptr,
                  const Vec3* fromAngular = nullptr) const {
    const NewtonSpace& s = space;
    loops.eachBlockInParts(PushBlock{s.system, x, isTurned, s.pushes, s.system.u.unit});
    loops.eachCarrier(MoveCarrier{s.system.metric, s.runningCarriers(), s.sides, s.pushes, fromLinear,
                                  fromAngular, s.system.velocities});
  }
  /// Newton's direction from the iterate. @return iterations of the linear solver
  template <class Loops>
  TS_HD int findDirection(const Loops& loops) const {
    const bool isExact = space.isExact;
    loops.eachUnit(OpenUnits{space.system, isExact});
    push(loops, space.system.u.direction, true, space.pushedLinear, space.pushedAngular);
    sumRows(loops, FormSystem{isExact});
    conclude(loops,
             BeginSystem{takesLastIterate(space.linearSolver) ? 1 : 0, isExact, space.linearTolerance});
    const int passes = solveSystem(loops);
    loops.eachIsland(Wake{space.judgement.islands, space.system.running, space.system.islands});
    loops.eachUnit(TakeAnswer{space.system, isExact});
    return passes;
  }

 private:
  /// The product of A and a vector of turned rows.
  template <class Loops>
  TS_HD void multiply(const Loops& loops, const double* x) const {
    push(loops, x, true);
  }

  template <class Loops>
  TS_HD void measure(const Loops& loops) const {
    const NewtonSpace& s = space;
    moveTo(loops, s.system.u.y);
    setRates(loops);
    const SystemSums* sums = s.sums.reduce(loops, s.judgement.blocks, s.system.running);
    loops.eachIsland(NoteMerit{sums, s.judgement.islands, s.system.running, s.judgement.reported,
                               s.system.islands, s.history});
    s.judgement.judge(loops);
  }

  template <class Loops>
  TS_HD bool beginIteration(const Loops& loops) const {
    loops.eachIsland(BeginIteration{space.system.islands, space.judgement.islands, space.system.running});
    return loops.isRunning();
  }

  template <class Loops>
  TS_HD int solveSystem(const Loops& loops) const {
    if (space.matrices || space.carriers) {
      loops.eachIsland(SolveWithMatrix{space.system, space.matrices, space.carriers, space.judgement.islands,
                                       space.reported, space.linear, space.linearIterations});
      return 1;
    }
    if (space.linearSolver == LinearSolver::Jacobi) return relax(loops);
    return iterateKrylov(Systems<Loops>{*this, loops}, space.system.u,
                         space.linearSolver == LinearSolver::Pcr, space.linearIterations);
  }

  /// The linear systems of the islands that are running, for iterateKrylov() and iterateJacobi().
  template <class Loops>
  struct Systems {
    const NewtonIterations& newton;
    const Loops& loops;
    TS_NO_SPACE_CHECK
    TS_HD void multiply(const double* x) const { newton.multiply(loops, x); }
    TS_NO_SPACE_CHECK
    template <class Act>
    TS_HD void eachRow(const Act& act) const {
      newton.eachRow(loops, act);
    }
    TS_NO_SPACE_CHECK
    template <class Act>
    TS_HD void sumRows(const Act& act) const {
      newton.sumRows(loops, act);
    }
    TS_NO_SPACE_CHECK
    template <class Act>
    TS_HD void conclude(const Act& act) const {
      newton.conclude(loops, act);
    }
    TS_NO_SPACE_CHECK
    TS_HD bool goesOn(int count) const { return loops.goesOn(count); }
    TS_NO_SPACE_CHECK
    template <class Sequence>
    TS_HD void repeat(const Sequence& sequence) const {
      loops.repeat(sequence);
    }
  };

  /// Jacobi's sweeps, damped by 1 / λ_max(M S).
  template <class Loops>
  TS_HD int relax(const Loops& loops) const {
    constexpr int kPowers = 15;  // larger: no other damping; smaller: sweeps that diverge
    sumRows(loops, BeginPower{});
    conclude(loops, MeasurePower{});
    for (int count = 0; count < kPowers; ++count) {
      eachRow(loops, DividePower{});
      multiply(loops, space.system.u.p);
      sumRows(loops, TimesPower{});
      conclude(loops, MeasurePower{});
    }
    return iterateJacobi(Systems<Loops>{*this, loops}, space.system.u, space.linearIterations);
  }

  template <class Loops>
  TS_HD void takeStep(const Loops& loops) const {
    push(loops, space.system.u.direction, false);
    loops.eachUnit(TrySteps{space.system, space.function, space.merits.ofUnits}, Work::Heavy);
    conclude(loops, PickStep{}, space.merits);
    eachRow(loops, MoveRows{});
  }

  template <class Loops, class Act>
  TS_HD void eachRow(const Loops& loops, const Act& act, SystemSums* sums = nullptr) const {
    loops.eachUnit(EachRow<Act>{space.system, act, sums});
  }
  template <class Loops, class Act>
  TS_HD void sumRows(const Loops& loops, const Act& act) const {
    eachRow(loops, act, space.sums.ofUnits);
  }
  /// Lets running islands act on the sums of their rows.
  template <class Loops, class Act, class Sums>
  TS_HD void conclude(const Loops& loops, const Act& act, const ReducedExtremes<Sums>& sums) const {
    const Sums* ofIslands = sums.reduce(loops, space.judgement.blocks, space.system.running);
    const EachIsland<Act, Sums> islands{ofIslands, space.system.islands, space.system.running, act};
    if constexpr (kEndsLinearIteration<Act>)
      loops.eachIsland(TellLinear<EachIsland<Act, Sums>>{islands, space.judgement.islands, space.reported,
                                                         space.linear, space.linearIterations});
    else
      loops.eachIsland(islands);
  }
  template <class Loops, class Act>
  TS_HD void conclude(const Loops& loops, const Act& act) const {
    conclude(loops, act, space.sums);
  }
};

}  // namespace detail

}  // namespace touchstone
