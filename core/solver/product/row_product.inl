#pragma once

#include "core/solver/rows/law.h"

namespace touchstone {

// The only code that multiplies by J, its transpose, and the inverse of H.

/// Velocity of the point of a group: Σ weight (v + ω × arm) [m/s]. Rates of its rows are its components.
/// @param velocities  of the block's carriers: linear(k), angular(k)
template <class Velocities>
TS_HD Vec3 velocityOf(const PointTerm* point, int carrierCount, const Velocities& velocities) {
  Vec3 sum(0, 0, 0);
  for (int k = 0; k < carrierCount; ++k)
    sum += point[k].weight * Vec3(velocities.linear(k) + velocities.angular(k).cross(point[k].arm));
  return sum;
}

/// J ν of a row of form General. @param isLinear  RowBlock::isLinear
template <class Velocities>
TS_HD double rateAlong(const RowTerm* terms, int carrierCount, const Velocities& velocities,
                       bool isLinear = false) {
  double sum = 0;
  if (isLinear) {
    for (int k = 0; k < carrierCount; ++k) sum += terms[k].linear.dot(velocities.linear(k));
    return sum;
  }
  for (int k = 0; k < carrierCount; ++k)
    sum += terms[k].linear.dot(velocities.linear(k)) + terms[k].angular.dot(velocities.angular(k));
  return sum;
}

/// Velocities of the carriers of a block, in their arrays.
struct VelocitiesOfBlock {
  CarrierVelocities velocities;
  const int* carriers;
  TS_HD const Vec3& linear(int k) const { return velocities.linear[carriers[k]]; }
  TS_HD const Vec3& angular(int k) const { return velocities.angular[carriers[k]]; }
};

/// Calls use(row, J ν) for each row of a unit in turn. @param velocities  of its block's carriers
template <class Velocities, class Use>
TS_HD void eachRate(const RowsView& rows, const RowUnit& unit, const Velocities& velocities, const Use& use) {
  const RowBlock& block = rows.blocks[unit.block];
  const int carriers = block.carrierCount;
  if (block.form == RowForm::General) {
    const int first = unit.firstRow - block.firstRow;
    for (int row = 0; row < unit.rowCount; ++row)
      use(row, rateAlong(rows.termsOf(block, first + row), carriers, velocities, block.isLinear));
    return;
  }
  const Vec3* frame = rows.frameOf(block, unit.firstGroup);
  const Vec3 velocity = velocityOf(rows.pointOf(block, unit.firstGroup), carriers, velocities);
  for (int row = 0; row < unit.groupRows; ++row) use(row, directionOf(frame, row).dot(velocity));
  for (int row = unit.groupRows; row < unit.rowCount; ++row) {
    const int group = unit.firstGroup + 1 + row - unit.groupRows;
    use(row, rows.frameOf(block, group)[0].dot(velocityOf(rows.pointOf(block, group), carriers, velocities)));
  }
}
template <class Use>
TS_HD void eachRate(const RowsView& rows, const RowUnit& unit, const CarrierVelocities& velocities,
                    const Use& use) {
  eachRate(rows, unit, VelocitiesOfBlock{velocities, rows.carriersOf(rows.blocks[unit.block])}, use);
}

/// Σ z d of the rows of a group [N·s]. @param z  z(row) of its `count` rows
template <class Impulses>
TS_HD Vec3 sumOfImpulses(const Vec3* frame, int count, const Impulses& z) {
  Vec3 sum = z(0) * frame[0];
  if (count > 1) sum += z(1) * frame[1];
  if (count > 2) sum += z(2) * Vec3(frame[0].cross(frame[1]));
  return sum;
}
TS_HD inline Vec3 impulseOf(const Vec3* frame, int count, const double* z) {
  return sumOfImpulses(frame, count, [z](int row) { return z[row]; });
}

/// Fᵀ z of the rows of a unit: calls use(k, force, moment) for each carrier [N·s, N·m·s].
/// @param z  z(row) of the unit
template <class Impulses, class Use>
TS_HD void eachPush(const RowsView& rows, const RowUnit& unit, const Impulses& z, const Use& use) {
  const RowBlock& block = rows.blocks[unit.block];
  if (block.form == RowForm::Point) {  // Members have no impulse
    const Vec3 impulse = sumOfImpulses(rows.frameOf(block, unit.firstGroup), unit.groupRows, z);
    const PointTerm* point = rows.forcePointOf(block, unit.firstGroup);
    for (int k = 0; k < block.carrierCount; ++k) {
      const Vec3 share = point[k].weight * impulse;
      use(k, share, Vec3(point[k].arm.cross(share)));
    }
    return;
  }
  const int first = unit.firstRow - block.firstRow;
  for (int row = 0; row < unit.rowCount; ++row) {
    const double p = z(row);
    const RowTerm* terms = rows.forceTermsOf(block, first + row);
    for (int k = 0; k < block.carrierCount; ++k)
      use(k, Vec3(p * terms[k].linear), Vec3(p * terms[k].angular));
  }
}

/// Fᵀ z of all rows of a block of form General on one of its carriers. @param k  carrier of the block
/// @param z  [rowCount]   @param force, moment  out [N·s, N·m·s]
TS_HD inline void pushOfBlock(const RowsView& rows, const RowBlock& block, int k, const double* z,
                              Vec3& force, Vec3& moment) {
  const RowTerm* const terms = rows.forceTermsOf(block, 0) + k;
  const int every = block.carrierCount;
  Vec3 linear(0, 0, 0), angular(0, 0, 0);
  for (int row = 0; row < block.rowCount; ++row) {
    const double p = z[row];
    if (p == 0) continue;  // many limits, for instance
    linear += p * terms[row * every].linear;
    if (!block.isLinear) angular += p * terms[row * every].angular;
  }
  force = linear;
  moment = angular;
}

/// J H⁻¹ Fᵀ of two rows of a block of form General, without C.
TS_HD inline double couplingInBlock(const RowsView& rows, const RowBlock& block, const CarrierMetric& metric,
                                    int rate, int impulse) {
  const int* carriers = rows.carriersOf(block);
  const RowTerm *to = rows.termsOf(block, rate), *from = rows.forceTermsOf(block, impulse);
  double sum = 0;
  for (int k = 0; k < block.carrierCount; ++k) {
    const double ofForce = to[k].linear.dot(metric.inverseMass[carriers[k]].cwiseProduct(from[k].linear));
    sum += block.isLinear ? ofForce
                          : ofForce + to[k].angular.dot(metric.inverseInertia[carriers[k]] * from[k].angular);
  }
  return sum;
}

/// J H⁻¹ Fᵀ of two rows of a unit: change of the rate of the first by an impulse of the second.
TS_HD inline double coupling(const RowsView& rows, const RowUnit& unit, const CarrierMetric& metric, int rate,
                             int impulse) {
  const RowBlock& block = rows.blocks[unit.block];
  const int* carriers = rows.carriersOf(block);
  if (block.form == RowForm::Point) {
    const GroupRow to = groupRowOf(unit, rate), from = groupRowOf(unit, impulse);
    const PointTerm* moved = rows.pointOf(block, to.group);
    const PointTerm* pushed = rows.forcePointOf(block, from.group);
    const Vec3 along = directionOf(rows.frameOf(block, from.group), from.axis);
    Vec3 inverseMass(0, 0, 0);
    for (int k = 0; k < block.carrierCount; ++k)
      inverseMass += moved[k].weight * pushed[k].weight * metric.inverseMass[carriers[k]];
    Vec3 response = inverseMass.cwiseProduct(along);
    for (int k = 0; k < block.carrierCount; ++k) {
      const Vec3 angular = metric.inverseInertia[carriers[k]] * Vec3(pushed[k].arm.cross(along));
      response += moved[k].weight * pushed[k].weight * Vec3(angular.cross(moved[k].arm));
    }
    return directionOf(rows.frameOf(block, to.group), to.axis).dot(response);
  }
  const int first = unit.firstRow - block.firstRow;
  return couplingInBlock(rows, block, metric, first + rate, first + impulse);
}

constexpr int kMostHeldRows = 6;  ///< of setDiagonalBlock(): those that hold a joint

/// The block of A of the first rows of a block of form General, with C: its lower triangle.
/// @param count  at most kMostHeldRows   @param a  [count · count] by rows
TS_HD inline void setDiagonalBlock(const RowsView& rows, const RowBlock& block, const CarrierMetric& metric,
                                   int count, double* a) {
  const int* carriers = rows.carriersOf(block);
  for (int j = 0; j < count; ++j)
    for (int i = j; i < count; ++i) a[i * count + j] = rows.complianceOf(block, i, j);
  for (int k = 0; k < block.carrierCount; ++k)
    for (int j = 0; j < count; ++j) {
      const RowTerm& force = rows.forceTermsOf(block, j)[k];
      const Vec3 moved = metric.inverseMass[carriers[k]].cwiseProduct(force.linear),
                 turned = metric.inverseInertia[carriers[k]] * force.angular;
      for (int i = j; i < count; ++i) {
        const RowTerm& rate = rows.termsOf(block, i)[k];
        a[i * count + j] += rate.linear.dot(moved) + rate.angular.dot(turned);
      }
    }
}

/// C z of a row of a unit. @param z  [rowCount] of the unit
TS_HD inline double compliantRate(const RowsView& rows, const RowUnit& unit, int row, const double* z) {
  const RowBlock& block = rows.blocks[unit.block];
  const int first = unit.firstRow - block.firstRow;
  double sum = rows.rows[unit.firstRow + row].compliance * z[row];
  rows.eachPacked(block, first + row,
                  [&](int other, double compliance) { sum += compliance * z[other - first]; });
  return sum;
}

/// w = constant + J ν + C z of the rows of a unit. @param z, w  [rowCount] of the unit
TS_HD inline void setRates(const RowsView& rows, const RowUnit& unit, const CarrierVelocities& velocities,
                           const double* z, double* w) {
  const Row* asks = rows.rows + unit.firstRow;
  eachRate(rows, unit, velocities, [&](int row, double rate) {
    w[row] = asks[row].constant + rate + compliantRate(rows, unit, row, z);
  });
}

/// Scales r and their inverses, since a device divides slowly: r of the rows of a unit is A_ii = J H⁻¹ Fᵀ +
/// C; of both rows of a disk diskScale() of their block; of a Member that of its Maximum. 1 where that is not
/// positive.
/// @param scales, inverses  [rowCount] of the unit
TS_HD inline void setScales(const RowsView& rows, const RowUnit& unit, const CarrierMetric& metric,
                            double* scales, double* inverses) {
  const Row* asks = rows.rows + unit.firstRow;
  for (int row = 0; row < unit.rowCount; ++row) {
    double r = 0;
    if (asks[row].law == RowLaw::Member) {
      r = scales[row - asks[row].leader];
    } else if (asks[row].law == RowLaw::Disk) {
      const bool two = isDiskOfTwo(asks, row, unit.rowCount);
      const double across = two ? coupling(rows, unit, metric, row, row + 1) : 0,
                   last = two ? coupling(rows, unit, metric, row + 1, row + 1) : 0;
      r = diskScale(coupling(rows, unit, metric, row, row), across, last);
      if (two) {
        scales[row] = r;
        inverses[row] = 1 / r;
        ++row;
      }
    } else {
      const RowBlock& block = rows.blocks[unit.block];
      const int inBlock = unit.firstRow + row - block.firstRow;
      r = coupling(rows, unit, metric, row, row) + rows.complianceOf(block, inBlock, inBlock);
    }
    if (!(r > 0)) r = 1;
    scales[row] = r;
    inverses[row] = 1 / r;
  }
}

}  // namespace touchstone
