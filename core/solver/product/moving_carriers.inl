#pragma once

#include "core/solver/product/row_product.inl"

namespace touchstone {

/// Carriers of a block whose velocities follow impulses at once, kept in registers until store().
class HeldCarriers {
 public:
  static constexpr int kMost = 2;

  TS_HD HeldCarriers(const int* carriers, int count, const CarrierMetric& metric,
                     const CarrierVelocities& velocities)
      : m_carriers(carriers), m_count(count) {
    for (int k = 0; k < count; ++k) {
      m_linear[k] = velocities.linear[carriers[k]];
      m_angular[k] = velocities.angular[carriers[k]];
      m_inverseMass[k] = metric.inverseMass[carriers[k]];
      m_inverseInertia[k] = metric.inverseInertia[carriers[k]];
    }
  }
  TS_HD void store(const CarrierVelocities& velocities) const {
    for (int k = 0; k < m_count; ++k) {
      velocities.linear[m_carriers[k]] = m_linear[k];
      velocities.angular[m_carriers[k]] = m_angular[k];
    }
  }
  TS_HD const Vec3& linear(int k) const { return m_linear[k]; }
  TS_HD const Vec3& angular(int k) const { return m_angular[k]; }
  TS_HD void push(int k, const Vec3& impulse, const Vec3& moment) {
    m_linear[k] += m_inverseMass[k].cwiseProduct(impulse);
    m_angular[k] += m_inverseInertia[k] * moment;
  }

 private:
  const int* m_carriers;
  int m_count;
  Vec3 m_linear[kMost], m_angular[kMost], m_inverseMass[kMost];
  Mat3 m_inverseInertia[kMost];
};

/// The same for any number of carriers, in their arrays.
struct CarriersInMemory {
  const int* carriers;
  CarrierMetric metric;
  CarrierVelocities velocities;

  TS_HD const Vec3& linear(int k) const { return velocities.linear[carriers[k]]; }
  TS_HD const Vec3& angular(int k) const { return velocities.angular[carriers[k]]; }
  TS_HD void push(int k, const Vec3& impulse, const Vec3& moment) const {
    velocities.linear[carriers[k]] += metric.inverseMass[carriers[k]].cwiseProduct(impulse);
    velocities.angular[carriers[k]] += metric.inverseInertia[carriers[k]] * moment;
  }
};

/// Pushes carriers at a point. @param impulse  N·s
template <class Moving>
TS_HD void pushPoint(const PointTerm* point, int carrierCount, const Vec3& impulse, Moving& moving) {
  for (int k = 0; k < carrierCount; ++k) {
    const Vec3 share = point[k].weight * impulse;
    moving.push(k, share, point[k].arm.cross(share));
  }
}

/// Pushes carriers by an impulse z of a row of form General.
template <class Moving>
TS_HD void pushTerms(const RowTerm* terms, int carrierCount, double z, Moving& moving) {
  for (int k = 0; k < carrierCount; ++k) moving.push(k, z * terms[k].linear, z * terms[k].angular);
}

/// Pushes carriers by the impulses of a unit. @param z  [rowCount]
template <class Moving>
TS_HD void pushUnit(const RowsView& rows, const RowUnit& unit, const double* z, Moving& moving) {
  const RowBlock& block = rows.blocks[unit.block];
  if (block.form == RowForm::Point) {
    pushPoint(rows.forcePointOf(block, unit.firstGroup), block.carrierCount,
              impulseOf(rows.frameOf(block, unit.firstGroup), unit.groupRows, z), moving);
    return;
  }
  const int first = unit.firstRow - block.firstRow;
  for (int row = 0; row < unit.rowCount; ++row)
    pushTerms(rows.forceTermsOf(block, first + row), block.carrierCount, z[row], moving);
}

}  // namespace touchstone
