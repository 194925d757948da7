#include "core/solver/product/dense_product.h"

#include "core/math/count.h"
#include "core/parallel/parallel_for.h"
#include "core/solver/product/moving_carriers.inl"

namespace touchstone {

namespace {

/// Gradients of sums of rows, with the carriers of their blocks.
struct SumGradients {
  struct Entry {
    const int* carriers;  // ascending
    int carrierCount, firstTerm;
  };
  std::vector<Entry> entries;  // [sums]
  std::vector<RowTerm> terms;  // terms[firstTerm + carrier of the block]

  /// @param term  termOf() or forceTermOf()
  template <class Term>
  SumGradients(const RowsView& rows, const std::vector<RowSum>& sums, const Term& term) {
    entries.reserve(sums.size());
    for (const RowSum& sum : sums) {
      if (sum.unit < 0) {
        entries.push_back({nullptr, 0, 0});
        continue;
      }
      const RowUnit& unit = rows.units[sum.unit];
      const RowBlock& block = rows.blocks[unit.block];
      entries.push_back({rows.carriersOf(block), block.carrierCount, countOf(terms)});
      for (int k = 0; k < block.carrierCount; ++k) {
        RowTerm combined = term(rows, unit, sum.rows[0], k);
        combined.linear *= sum.weights[0];
        combined.angular *= sum.weights[0];
        if (sum.weights[1] != 0) {
          const RowTerm second = term(rows, unit, sum.rows[1], k);
          combined.linear += sum.weights[1] * second.linear;
          combined.angular += sum.weights[1] * second.angular;
        }
        terms.push_back(combined);
      }
    }
  }
};

/// Rate of a sum by changes of the velocities of other carriers. @param changes  [changed.carrierCount]
double rateBy(const SumGradients& rates, const SumGradients::Entry& rate, const SumGradients::Entry& changed,
              const RowTerm* changes) {
  const RowTerm* terms = rates.terms.data() + rate.firstTerm;
  double sum = 0;
  for (int k = 0, other = 0; k < rate.carrierCount && other < changed.carrierCount;) {
    const int difference = rate.carriers[k] - changed.carriers[other];
    if (difference == 0)
      sum += terms[k].linear.dot(changes[other].linear) + terms[k].angular.dot(changes[other].angular);
    k += difference <= 0;
    other += difference >= 0;
  }
  return sum;
}

}  // namespace

Eigen::MatrixXd denseProduct(const RowsView& rows, const CarrierMetric& metric,
                             const std::vector<RowSum>& rates, const std::vector<RowSum>& forces) {
  const SumGradients rateGradients(rows, rates, termOf);
  SumGradients responses(rows, forces, forceTermOf);
  for (const SumGradients::Entry& entry : responses.entries)
    for (int k = 0; k < entry.carrierCount; ++k) {
      RowTerm& term = responses.terms[entry.firstTerm + k];
      term.linear = metric.inverseMass[entry.carriers[k]].cwiseProduct(term.linear).eval();
      term.angular = (metric.inverseInertia[entry.carriers[k]] * term.angular).eval();
    }
  Eigen::MatrixXd product(countOf(rates), countOf(forces));
  parallelFor(countOf(forces), [&](int column) {
    const SumGradients::Entry& force = responses.entries[column];
    const RowTerm* changes = responses.terms.data() + force.firstTerm;
    for (int row = 0; row < countOf(rates); ++row)
      product(row, column) = rateBy(rateGradients, rateGradients.entries[row], force, changes);
  });
  return product;
}

Eigen::VectorXd denseRates(const RowsView& rows, const std::vector<RowSum>& rates,
                           const CarrierVelocities& velocities) {
  Eigen::VectorXd sums = Eigen::VectorXd::Zero(countOf(rates));
  std::vector<double> unitRates;  // of the unit of the previous sum: sums of a unit follow one another
  int unitOfRates = -1;
  for (int row = 0; row < countOf(rates); ++row) {
    const RowSum& sum = rates[row];
    if (sum.unit < 0) continue;
    if (sum.unit != unitOfRates) {
      unitOfRates = sum.unit;
      unitRates.resize(rows.units[sum.unit].rowCount);
      eachRate(rows, rows.units[sum.unit], velocities,
               [&unitRates](int rowOfUnit, double rate) { unitRates[rowOfUnit] = rate; });
    }
    sums[row] = sum.weights[0] * unitRates[sum.rows[0]];
    if (sum.weights[1] != 0) sums[row] += sum.weights[1] * unitRates[sum.rows[1]];
  }
  return sums;
}

void addImpulses(const RowsView& rows, const CarrierMetric& metric, const std::vector<int>& units,
                 const double* z, const CarrierVelocities& velocities) {
  for (const int index : units) {
    const RowUnit& unit = rows.units[index];
    const RowBlock& block = rows.blocks[unit.block];
    const CarriersInMemory moving{rows.carriersOf(block), metric, velocities};
    pushUnit(rows, unit, z + unit.firstRow, moving);
  }
}

}  // namespace touchstone
