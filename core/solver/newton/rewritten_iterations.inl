#pragma once

#include "core/solver/newton/newton_iterations.inl"
#include "core/solver/newton/rewritten_loops.inl"

namespace touchstone {

namespace detail {

/// Non-smooth Newton (Macklin 2019, eqs. 53, 56, 57, 59 and 60): velocities ν and impulses z such that
///
///     g = M (ν − ν̃) − Fᵀz = 0,   φ(y, v) = 0 of each row with w = c(q(ν))/h + C z
///
/// Rows are written again at every iterate. Δz solves the linear system of NewtonIterations with H in the
/// place of M and J H⁻¹ g on its right side, and Δν = H⁻¹ (FᵀΔz − g).
struct RewrittenIterations {
  static constexpr Threads kThreads = Threads::All;
  NewtonIterations newton;
  RewrittenSpace space;
  void (*rewriteThere)(void* solver);  // writes the rows of a device on the host; null on the host
  void* solver;

  template <class Loops>
  TS_HD void start(const Loops& loops) const {
    const NewtonSpace& n = newton.space;
    loops.eachIsland(StartRewrittenIsland{space, n.system.running, n.judgement.islands});
    loops.eachCarrier(StartCarrier{space, n.runningCarriers(), n.freeLinear, n.freeAngular});
    measure(loops, true);
    judge(loops);
  }
  template <class Loops>
  TS_HD int advance(const Loops& loops, int) const {
    const NewtonSpace& n = newton.space;
    loops.eachIsland(BeginRewritten{space, n.judgement.islands, n.system.running});
    if (!loops.isRunning()) return 0;
    findPushed(loops);
    const int passes = newton.findDirection(loops);
    takeStep(loops);
    measure(loops, false);
    if (space.settings.damping == 0) {
      loops.eachIsland(BeginShorter{space, n.system.running});
      if (loops.isRunning()) measure(loops, false);
      loops.eachIsland(RunAgain{n.judgement.islands, n.system.running});
    }
    judge(loops);
    return 1 + passes;
  }

 private:
  /// Impulses and velocities of the step, from which the next iterate is.
  template <class Loops>
  TS_HD void takeStep(const Loops& loops) const {
    const NewtonSpace& n = newton.space;
    newton.push(loops, n.system.u.direction, false, space.pushed.linear, space.pushed.angular);
    loops.eachCarrier(KeepChange{n.runningCarriers(), n.system.velocities, space});
    loops.eachUnit(KeepStep{n.system, space});
    if (!space.settings.stiffensParticles) return;
    sumForces(loops, space.zBefore, space.forceBefore);
    sumForces(loops, space.stepImpulse, space.forceOfStep);
  }

  /// Rows, equations and residuals where the iterate is; of a step those of its share. @param isStart  the
  /// rows are those of the start, and so is the iterate
  template <class Loops>
  TS_HD void measure(const Loops& loops, bool isStart) const {
    const NewtonSpace& n = newton.space;
    if (!isStart) {
      loops.eachUnit(MoveImpulses{n.system, space});
      loops.eachCarrier(MoveVelocities{n.runningCarriers(), space});
      rewrite(loops);
    }
    if (!isStart && space.settings.stiffensParticles) {
      sumForces(loops, n.system.vectors.z, space.forceNow);
      loops.eachCarrier(SetSecant{n.runningCarriers(), space});
    }
    loops.eachUnit(ScaleRewritten{n.system, space}, Work::Heavy);
    pushWithMass(loops, n.system.vectors.z, nullptr);
    loops.eachCarrier(
        FindDefect{n.runningCarriers(), space, n.freeLinear, n.freeAngular, n.system.velocities});
    loops.eachUnit(SetRates<RewrittenForms>{n.system, space.forms(), n.sums.ofUnits, nullptr}, Work::Heavy);
    if (n.system.isPublished) loops.eachUnit(EachRow<SetShare>{n.system, SetShare{}, nullptr});
    loops.eachUnit(FindParts{n.system, space.partsOfUnits});
    loops.eachBlock(ReduceUnits<ResidualParts>{n.judgement.blocks, n.system.running, space.partsOfUnits,
                                               space.partsOfBlocks});
    loops.eachBlock(AddCarriers{n.system.table, n.system.running, n.sides, space});
    const ResidualParts* parts =
        loops.reduce(static_cast<const ResidualParts*>(space.partsOfBlocks), space.partials);
    const SystemSums* sums = n.sums.reduce(loops, n.judgement.blocks, n.system.running);
    loops.eachIsland(TakeParts{sums, parts, n.system.running, n.system.islands, space.islands});
  }

  /// Writes the rows of the running islands again, with the geometric stiffness of joints.
  template <class Loops>
  TS_HD void rewrite(const Loops& loops) const {
    const NewtonSpace& n = newton.space;
#ifndef __CUDA_ARCH__
    if (rewriteThere) {
      rewriteThere(solver);
      return;
    }
#endif
    loops.eachCarrier(PlaceCarrier{n.runningCarriers(), space.again, space.iterate});
    loops.eachBlock(RewriteBlock{n.system.table, n.system.running, space.again, space.iterate, space.rows});
    if (space.settings.stiffensJoints)
      loops.eachCarrier(
          StiffenCarrier{n.system.table, n.runningCarriers(), n.sides, n.system.vectors.z, space});
  }

  template <class Loops>
  TS_HD void sumForces(const Loops& loops, const double* z, Vec3* out) const {
    const NewtonSpace& n = newton.space;
    loops.eachBlockInParts(PushBlock{n.system, z, false, n.pushes, nullptr});
    loops.eachCarrier(SumForces{n.system.table, n.runningCarriers(), n.sides, n.pushes, out});
  }

  /// Gives the carriers M⁻¹ Fᵀx. @param share  as PushBlock
  template <class Loops>
  TS_HD void pushWithMass(const Loops& loops, const double* x, const double* share) const {
    const NewtonSpace& n = newton.space;
    loops.eachBlockInParts(PushBlock{n.system, x, false, n.pushes, share});
    loops.eachCarrier(MoveCarrier{space.mass, n.runningCarriers(), n.sides, n.pushes, nullptr, nullptr,
                                  n.system.velocities});
  }

  template <class Loops>
  TS_HD void findPushed(const Loops& loops) const {
    const NewtonSpace& n = newton.space;
    if (n.system.isPublished) pushWithMass(loops, n.system.u.y, n.system.u.unit);
    loops.eachCarrier(FindPushed{n.runningCarriers(), space, n.freeLinear, n.freeAngular,
                                 n.system.isPublished ? n.system.velocities.linear : nullptr,
                                 n.system.isPublished ? n.system.velocities.angular : nullptr});
  }

  template <class Loops>
  TS_HD void judge(const Loops& loops) const {
    const NewtonSpace& n = newton.space;
    loops.eachIsland(JudgeRewritten{space, n.system.islands, n.system.running, n.judgement.reported,
                                    n.judgement.islands, n.history, n.judgement.history});
    loops.eachUnit(KeepImpulses{n.judgement.places, n.judgement.islands, n.judgement.z, n.judgement.best});
    loops.eachCarrier(KeepVelocities{space.iterate, n.islandOfCarrier, n.judgement.islands, space.best});
  }
};

}  // namespace detail

template <>
constexpr bool kNeedsHost<detail::RewrittenIterations> = true;

}  // namespace touchstone
