#pragma once

#include <algorithm>

#include "tests/support/row_models.h"

namespace touchstone::test {

/// Random blocks of rows on bodies and particles. Their gradients are formed entry by entry beside the table.
class RandomRows {
 public:
  Model model;
  std::vector<Eigen::VectorXd> J, F;  ///< [rows][6 · carriers] linear, then angular entries of each carrier

  /// Every third carrier is a particle: its rotation has no inertia and no entries.
  explicit RandomRows(unsigned seed, int carriers = 30) : model(carriers), m_random(seed) {
    for (int carrier = 0; carrier < carriers; ++carrier) {
      for (int axis = 0; axis < 3; ++axis) model.inverseMass[carrier][axis] = 1.5 + number();
      if (isParticle(carrier)) {
        model.inverseInertia[carrier].setZero();
        model.free.angular[carrier].setZero();
      }
    }
  }

  /// Adds a block of random carriers with units of several kinds. @param twoGradients  F differs from J
  void addBlock(RowForm form, int carrierCount, bool twoGradients) {
    beginBlock(form, carrierCount);
    for (const std::vector<Row>& unit : form == RowForm::Point ? pointUnits() : generalUnits()) addUnit(unit);
    finishBlock(twoGradients);
  }
  void beginBlock(RowForm form, int carrierCount) {
    std::vector<int> carriers;
    for (int carrier = 0; carrier < model.carrierCount(); ++carrier) carriers.push_back(carrier);
    std::shuffle(carriers.begin(), carriers.end(), m_random);
    carriers.resize(carrierCount);
    std::sort(carriers.begin(), carriers.end());
    model.table.addBlock({kPieceBlock, countOf(model.table.blocks), 0}, form, carriers);
    m_carriers = carriers;
    m_directions.clear();
  }
  /// Adds a unit to the block. In form Point the rows before the first Member are one group.
  void addUnit(const std::vector<Row>& rows) {
    if (model.table.blocks.back().form == RowForm::Point)
      addPointUnit(rows);
    else
      addGeneralUnit(rows);
  }
  /// Adds the gradients F of the block, if it has two.
  void finishBlock(bool twoGradients) {
    RowBlock& block = model.table.blocks.back();
    if (!twoGradients) {
      F.insert(F.end(), J.begin() + countOf(F), J.end());
    } else if (block.form == RowForm::Point) {
      block.firstForce = countOf(model.table.points);
      for (const std::vector<Vec3>& directions : m_directions) addGradients(F, directions, addPoints());
    } else {
      block.firstForce = countOf(model.table.terms);
      for (int row = 0; row < block.rowCount; ++row) F.push_back(addTerms());
    }
  }

  /// H⁻¹ of all carriers.
  Eigen::MatrixXd inverseMetric() const {
    Eigen::MatrixXd inverse = Eigen::MatrixXd::Zero(6 * model.carrierCount(), 6 * model.carrierCount());
    for (int carrier = 0; carrier < model.carrierCount(); ++carrier)
      for (int axis = 0; axis < 3; ++axis) {
        inverse(6 * carrier + axis, 6 * carrier + axis) = model.inverseMass[carrier][axis];
        for (int other = 0; other < 3; ++other)
          inverse(6 * carrier + 3 + axis, 6 * carrier + 3 + other) =
              model.inverseInertia[carrier](axis, other);
      }
    return inverse;
  }
  /// Impulses of all rows in [−1, 1); 0 of Members.
  Eigen::VectorXd randomImpulses() {
    Eigen::VectorXd z(countOf(model.table.rows));
    for (int row = 0; row < z.size(); ++row)
      z[row] = model.table.rows[row].law == RowLaw::Member ? 0 : number();
    return z;
  }
  double number() { return std::uniform_real_distribution<double>(-1, 1)(m_random); }

 private:
  static bool isParticle(int carrier) { return carrier % 3 == 2; }
  static Row follower(RowLaw law, short leader, double bound = 0) {
    return {-0.1, 0, bound, 1, leader, law, 0};
  }
  static std::vector<std::vector<Row>> pointUnits() {
    const Row normal = rowOf(RowLaw::Unilateral, 0.2), maximum = rowOf(RowLaw::Maximum, -0.3);
    const Row first = follower(RowLaw::Disk, 1, 0.4), second = follower(RowLaw::Disk, 2, 0.4);
    return {{normal, first, second},
            {normal, first},
            {rowOf(RowLaw::Free, 0.1, 0.3), rowOf(RowLaw::Free, 0.2, 0.2), rowOf(RowLaw::Free, 0.3)},
            {maximum, first, second, follower(RowLaw::Member, 3), follower(RowLaw::Member, 4)},
            {maximum, follower(RowLaw::Member, 1), follower(RowLaw::Member, 2)},
            {rowOf(RowLaw::Symmetric, -0.1, 0.5, 2)}};
  }
  static std::vector<std::vector<Row>> generalUnits() {
    return {{rowOf(RowLaw::Free, 0.1, 0.3)},
            {rowOf(RowLaw::Unilateral, 0.2), follower(RowLaw::Disk, 1, 0.4), follower(RowLaw::Disk, 2, 0.4)},
            {rowOf(RowLaw::Maximum, 0.3), follower(RowLaw::Member, 1), follower(RowLaw::Disk, 2, 0.4),
             follower(RowLaw::Disk, 3, 0.4)},
            {rowOf(RowLaw::Unilateral, 0.2), follower(RowLaw::Disk, 1, 0.4)},
            {rowOf(RowLaw::Symmetric, -0.1, 0.5, 2), rowOf(RowLaw::Fixed, 0, 0, 1.5)}};
  }

  Vec3 vector() {
    const double x = number(), y = number(), z = number();
    return {x, y, z};
  }
  /// Adds the points of a group. @return a copy [carrierCount]
  std::vector<PointTerm> addPoints() {
    std::vector<PointTerm> points;
    for (const int carrier : m_carriers) {
      const double weight = number();
      points.push_back({weight, isParticle(carrier) ? Vec3(0, 0, 0) : vector()});
    }
    model.table.points.insert(model.table.points.end(), points.begin(), points.end());
    return points;
  }
  void addPointUnit(const std::vector<Row>& rows) {
    RowBuffer& table = model.table;
    const auto isMember = [](const Row& row) { return row.law == RowLaw::Member; };
    const int count = static_cast<int>(std::find_if(rows.begin(), rows.end(), isMember) - rows.begin());
    for (int group = 0; group <= countOf(rows) - count; ++group) {
      const Vec3 first = vector(), second = vector();
      std::vector<Vec3> directions = {first, second, product(first, second)};
      directions.resize(group == 0 ? count : 1);
      PointTerm* points =
          group == 0 ? table.addGroup(first, second, rows.data(), count) : addMember(table, first, 0);
      if (group > 0) table.rows.back() = rows[count + group - 1];
      table.points.resize(points - table.points.data());
      addGradients(J, directions, addPoints());
      m_directions.push_back(directions);
    }
  }
  static Vec3 product(const Vec3& a, const Vec3& b) {
    return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
  }
  /// The gradients of the rows of a group: weight d and weight (arm × d).
  void addGradients(std::vector<Eigen::VectorXd>& gradients, const std::vector<Vec3>& directions,
                    const std::vector<PointTerm>& points) const {
    for (const Vec3& direction : directions) {
      Eigen::VectorXd gradient = Eigen::VectorXd::Zero(6 * model.carrierCount());
      for (int k = 0; k < countOf(points); ++k) {
        const Vec3 moment = product(points[k].arm, direction);
        for (int axis = 0; axis < 3; ++axis) {
          gradient[6 * m_carriers[k] + axis] = points[k].weight * direction[axis];
          gradient[6 * m_carriers[k] + 3 + axis] = points[k].weight * moment[axis];
        }
      }
      gradients.push_back(gradient);
    }
  }

  void addGeneralUnit(const std::vector<Row>& rows) {
    RowBuffer& table = model.table;
    for (int row = 0; row < countOf(rows); ++row) {
      RowTerm* terms = row == 0 ? table.addRow(rows[row]) : table.addRowToUnit(rows[row]);
      table.terms.resize(terms - table.terms.data());
      J.push_back(addTerms());
    }
  }
  /// Adds the terms of a row. @return its gradient
  Eigen::VectorXd addTerms() {
    Eigen::VectorXd gradient = Eigen::VectorXd::Zero(6 * model.carrierCount());
    for (const int carrier : m_carriers) {
      const RowTerm term{vector(), isParticle(carrier) ? Vec3(0, 0, 0) : vector()};
      model.table.terms.push_back(term);
      for (int axis = 0; axis < 3; ++axis) {
        gradient[6 * carrier + axis] = term.linear[axis];
        gradient[6 * carrier + 3 + axis] = term.angular[axis];
      }
    }
    return gradient;
  }

  std::mt19937 m_random;
  std::vector<int> m_carriers;                  // of the last block
  std::vector<std::vector<Vec3>> m_directions;  // [groups of the last block][rows]
};

/// (v, ω) of each carrier in turn.
inline Eigen::VectorXd stacked(const Motion& motion) {
  Eigen::VectorXd velocities(6 * countOf(motion.linear));
  for (int carrier = 0; carrier < countOf(motion.linear); ++carrier)
    for (int axis = 0; axis < 3; ++axis) {
      velocities[6 * carrier + axis] = motion.linear[carrier][axis];
      velocities[6 * carrier + 3 + axis] = motion.angular[carrier][axis];
    }
  return velocities;
}

/// Largest difference of numbers relative to their scales; NaN is larger than any number.
struct RelativeDifference {
  double largest = 0;
  void add(double actual, double expected, double scale) {
    const double difference = actual == expected ? 0 : std::abs(actual - expected) / scale;
    if (!(difference <= largest)) largest = difference;
  }
  /// @param scales  terms that the entries are sums of; the largest counts
  void add(const Eigen::VectorXd& actual, const Eigen::VectorXd& expected, const Eigen::VectorXd& scales) {
    for (int entry = 0; entry < expected.size(); ++entry)
      add(actual[entry], expected[entry], scales.maxCoeff());
  }
};

}  // namespace touchstone::test
