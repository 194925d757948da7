#pragma once

#include "core/contact/complementarity/contact_rows.inl"
#include "core/solver/table/convergence.inl"

namespace touchstone {

namespace detail {

/// Sums over the rows of a pair, of an island [J].
struct RowWork {
  double done = 0;    ///< by the impulses, on all bodies
  double needed = 0;  ///< that an answer of this quality may do
  double size = 0;    ///< of the terms
  TS_HD void add(const RowWork& o) {
    done += o.done;
    needed += o.needed;
    size += o.size;
  }
};

/// True if the impulses of an island have brought in more energy than what undoes its violated sets.
TS_HD inline bool gains(const RowWork& work) {
  constexpr double kRelative = 1e-6;  // above the solver's tolerance, below anything visible
  return work.done > work.needed + kRelative * work.size;
}

/// True if they have added so large an energy that the answer cannot stay.
TS_HD inline bool gainsMuch(const RowWork& work) {
  constexpr double kMuch = 0.02;  // below it no answer is visibly wrong
  return work.done > work.needed + kMuch * work.size;
}

/// One island per index: 1 if gains().
struct FlagGains {
  const RowWork* works;
  int* flags;
  TS_HD void operator()(int island) const { flags[island] = gains(works[island]) ? 1 : 0; }
};

/// One block per index. At a solution the impulses take energy, but for what it takes to undo violated sets:
///     ½ Σ z (Gᵀν⁺ + Gᵀν̃) ≤ Σ p min(max(0, −max_s ψ_s / h), maxSeparationSpeed)
/// An impact without restitution cannot do more; a primary pushed along the wrong normal can, while another
/// contact of its set is the one to satisfy. Before the end of the sweeps Σ p max(0, max_s ρ_s) + β·w_t is
/// still on the way as well.
struct FindWork {
  WorldView world, free;  // with the answer's velocities, and with those that it has without contacts
  RowsView table;
  RowSource source;
  const int* primaries;  // or null: every contact is a unit
  int perContact;
  const double* z;
  RowWork* work;
  TS_HD void operator()(int index) const {
    const RowBlock& block = table.blocks[index];
    RowWork sum;
    for (int unit = block.firstUnit;
         block.key.kind <= kPlaneBlock && unit < block.firstUnit + block.unitCount; ++unit)
      sum.add(workOf(unit));
    work[index] = sum;
  }

 private:
  TS_HD RowWork workOf(int number) const {
    const RowUnit& unit = table.units[number];
    const int primary = primaries ? primaries[number] : number;
    const ModelContact& contact = source.contacts[primary];
    const PairVelocities after(world, contact.bodyA, contact.bodyB),
        before(free, contact.bodyA, contact.bodyB);
    const double* impulses = z + unit.firstRow;
    const Vec3 impulse =
                   impulseOf(table.frameOf(table.blocks[unit.block], unit.firstGroup), perContact, impulses),
               slip = after.slip(contact);
    const double now = impulse.dot(slip), then = impulse.dot(before.slip(contact));
    const double p = impulses[0], sliding = now - p * contact.geometry.normal.dot(slip);
    double asked = contact.rate, remainder = after.rateOf(contact);
    for (int k = 0; source.sets && k < source.sets[number].count; ++k) {
      const ModelContact& other = source.contacts[source.members[source.sets[number].first + k]];
      if (other.rate > asked) asked = other.rate;
      const double rate = after.rateOf(other);
      if (rate > remainder) remainder = rate;
    }
    RowWork rowWork;
    rowWork.done = 0.5 * (now + then);
    const double lift = asked < 0 ? std::fmin(-asked, contact.maxSeparationSpeed) : 0;
    rowWork.needed = p * (lift + (remainder > 0 ? remainder : 0)) + (sliding > 0 ? sliding : 0);
    rowWork.size = std::fabs(now) + std::fabs(then);
    return rowWork;
  }
};

/// One island per index: those that gained energy run again with the largest gap as primary. A solution
/// with it gains none where rate_1 = max_s rate_s is no more than what undoes the overlap.
struct RefuseAnswers {
  const RowWork* works;
  const IslandCurve* islands;
  bool orUnsolved;  // those that were not solved too
  PrimaryChoice* forms;
  int* running;
  TS_HD void operator()(int index) const {
    PrimaryChoice& form = forms[index];
    const bool isUnsolved = !islands[index].isAnswered();
    running[index] =
        form.rule == PrimaryRule::Published && (gains(works[index]) || (orUnsolved && isUnsolved)) ? 1 : 0;
    if (running[index]) form = {PrimaryRule::LargestGap, 1, isUnsolved ? 1 : 0};
  }
};

}  // namespace detail

}  // namespace touchstone
