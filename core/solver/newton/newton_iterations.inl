#pragma once

#include "core/solver/linear/krylov.inl"
#include "core/solver/linear/linear.h"
#include "core/solver/newton/newton_system_loops.inl"
#include "core/solver/rows/island_loops.inl"

namespace touchstone {

namespace detail {

/// Arrays and settings that Newton's iterations read and write.
struct NewtonSpace {
  NewtonRows system;
  WorldView world;
  const RowPair* pairs;
  const int* islandOfBody;
  CarrierIncidence sides;  // of places of pairs
  PairPush* pushes;        // [pairs]
  ReducedExtremes<SystemSums> sums;
  ReducedExtremes<MeritSums> merits;
  Judgement judgement;
  Vec3* z;
  NewtonIterate* history;  // of the reported island
  NcpFunction function;
  LinearSolver linearSolver;
  int linearIterations;
};

/// Damped Newton as in core/solver/dense/newton.cpp on the islands that are running, from their start until
/// they have stopped. A loop over rows comes after the product that it reads.
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

  /// The product of A and x, for NewtonRows::rateOf().
  template <class Loops>
  TS_HD void multiply(const Loops& loops, const double* x) const {
    const NewtonSpace& s = space;
    loops.eachPairInParts(
        PushPair{s.pairs, s.system.running, s.system.rows, s.system.perContact, x, s.pushes});
    loops.eachBody(MoveBody{s.world, s.islandOfBody, s.system.running, s.sides, s.pushes, s.system.linear,
                            s.system.angular});
  }

  /// At the iterate, after its product.
  template <class Loops>
  TS_HD void setRates(const Loops& loops) const {
    const NewtonSpace& s = space;
    loops.eachRow(SetRates{s.system, s.function, s.sums.ofRows, s.judgement.extremes.ofRows, s.z},
                  Work::Heavy);
  }

 private:
  template <class Loops>
  TS_HD void measure(const Loops& loops) const {
    const NewtonSpace& s = space;
    multiply(loops, s.system.u.y);
    setRates(loops);
    const SystemSums* sums = s.sums.reduce(loops, s.pairs, s.system.running);
    loops.eachIsland(NoteMerit{sums, s.judgement.islands, s.system.running, s.judgement.reported,
                               s.system.islands, s.history});
    s.judgement.judge(loops);
  }

  template <class Loops>
  TS_HD bool beginIteration(const Loops& loops) const {
    loops.eachIsland(BeginIteration{space.system.islands, space.judgement.islands, space.system.running});
    return loops.isRunning();
  }

  /// @return iterations of the linear solver
  template <class Loops>
  TS_HD int findDirection(const Loops& loops) const {
    eachRow(loops, OpenRows{});
    multiply(loops, space.system.u.direction);
    sumRows(loops, FormSystem{});
    conclude(loops, BeginSystem{takesLastIterate(space.linearSolver) ? 1 : 0});
    const int passes = space.linearSolver == LinearSolver::Jacobi
                           ? relax(loops)
                           : iterateKrylov(Systems<Loops>{*this, loops}, space.system.u,
                                           space.linearSolver == LinearSolver::Pcr, space.linearIterations);
    loops.eachIsland(Wake{space.judgement.islands, space.system.running, space.system.islands});
    eachRow(loops, TakeAnswer{});
    return passes;
  }

  /// The linear systems of the islands that are running, for iterateKrylov() and iterateJacobi().
  template <class Loops>
  struct Systems {
    const NewtonIterations& newton;
    const Loops& loops;
    TS_NO_SPACE_CHECK
    TS_HD void multiply(const double* x) const { newton.multiply(loops, x); }
    TS_NO_SPACE_CHECK
    template <class Row>
    TS_HD void eachRow(const Row& row) const {
      newton.eachRow(loops, row);
    }
    TS_NO_SPACE_CHECK
    template <class Row>
    TS_HD void sumRows(const Row& row) const {
      newton.sumRows(loops, row);
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

  /// Jacobi's sweeps, damped by 1 / a bound on the row sums of |M S|.
  template <class Loops>
  TS_HD int relax(const Loops& loops) const {
    const NewtonSpace& s = space;
    const ReducedExtremes<RowExtremes>& bounds = s.judgement.extremes;
    loops.eachRow(BoundRows{s.system, s.world, s.pairs, s.sides, bounds.ofRows}, Work::Heavy);
    const RowExtremes* ofIslands = bounds.reduce(loops, s.pairs, s.system.running);
    loops.eachIsland(TakeDamping{ofIslands, s.system.running, s.system.islands});
    return iterateJacobi(Systems<Loops>{*this, loops}, s.system.u, s.linearIterations);
  }

  template <class Loops>
  TS_HD void takeStep(const Loops& loops) const {
    multiply(loops, space.system.u.direction);
    loops.eachRow(TrySteps{space.system, space.function, space.merits.ofRows}, Work::Heavy);
    conclude(loops, PickStep{}, space.merits);
    eachRow(loops, MoveRows{});
  }

  template <class Loops, class Row>
  TS_HD void eachRow(const Loops& loops, const Row& row, SystemSums* sums = nullptr) const {
    loops.eachRow(EachRow<Row>{space.system, row, sums});
  }
  template <class Loops, class Row>
  TS_HD void sumRows(const Loops& loops, const Row& row) const {
    eachRow(loops, row, space.sums.ofRows);
  }
  /// Lets running islands act on the sums of their rows.
  template <class Loops, class Act, class Sums>
  TS_HD void conclude(const Loops& loops, const Act& act, const ReducedExtremes<Sums>& sums) const {
    const Sums* ofIslands = sums.reduce(loops, space.pairs, space.system.running);
    loops.eachIsland(EachIsland<Act, Sums>{ofIslands, space.system.islands, space.system.running, act});
  }
  template <class Loops, class Act>
  TS_HD void conclude(const Loops& loops, const Act& act) const {
    conclude(loops, act, space.sums);
  }
};

}  // namespace detail

}  // namespace touchstone
