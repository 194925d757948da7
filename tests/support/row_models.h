#pragma once

#include <cmath>
#include <functional>
#include <random>
#include <vector>

#include "core/math/count.h"
#include "core/solver/dense/from_rows.h"
#include "tests/support/set_rows.h"

// Tables of rows on a few bodies, with their dense problems by measured pushes.

namespace touchstone::test {

/// Velocities of all carriers.
struct Motion {
  std::vector<Vec3> linear, angular;
  explicit Motion(int carriers = 0) : linear(carriers, Vec3(0, 0, 0)), angular(carriers, Vec3(0, 0, 0)) {}
  CarrierVelocities view() { return {linear.data(), angular.data()}; }
};

/// Bodies with positions, masses and inertias, and a table of rows on them.
struct Model {
  std::vector<Vec3> position, inverseMass;
  std::vector<Mat3> inverseInertia;
  Motion free;
  RowBuffer table;

  explicit Model(int carriers) : free(carriers) {
    std::mt19937 random(7);
    std::uniform_real_distribution<double> number(-1, 1);
    for (int carrier = 0; carrier < carriers; ++carrier) {
      position.push_back(Vec3(0.1 * carrier, 1.0 * carrier, -0.05 * carrier));
      inverseMass.push_back(Vec3::Constant(1 / (1.0 + carrier)));
      Mat3 root;
      for (int k = 0; k < 9; ++k) root(k / 3, k % 3) = number(random);
      inverseInertia.push_back(root * root.transpose() + 2 * Mat3::Identity());
      free.linear[carrier] = Vec3(number(random), number(random) - 1, number(random));
      free.angular[carrier] = Vec3(number(random), number(random), number(random));
    }
  }
  CarrierMetric metric() const { return {inverseMass.data(), inverseInertia.data()}; }
  std::vector<int> units() const {
    std::vector<int> places;
    for (int unit = 0; unit < countOf(table.units); ++unit) places.push_back(unit);
    return places;
  }
  DenseProblem dense(const ModelSettings& settings = ModelSettings(),
                     const std::vector<HeldImpulse>& held = {}) {
    return denseProblem(table.view(), metric(), free.view(), units(), settings, held);
  }
  int carrierCount() const { return countOf(position); }
};

/// Rate that an unknown asks for without its constant, and the push of a unit of it; written for each scene
/// without the table.
struct Expected {
  double constant;
  std::function<double(const Motion&)> rate;
  std::function<void(Motion&)> push;
};

/// Rate of B's point along a direction relative to A's. @param bodyA  −1: static
inline Expected alongPoint(const Model& model, double constant, int bodyA, int bodyB, const Vec3& point,
                           const Vec3& direction) {
  return {constant,
          [=, &model](const Motion& motion) {
            const auto velocity = [&](int body) {
              if (body < 0) return Vec3(0, 0, 0);
              return Vec3(motion.linear[body] + motion.angular[body].cross(point - model.position[body]));
            };
            return direction.dot(velocity(bodyB) - velocity(bodyA));
          },
          [=, &model](Motion& motion) {
            const auto push = [&](int body, const Vec3& impulse) {
              if (body < 0) return;
              motion.linear[body] += model.inverseMass[body].x() * impulse;
              motion.angular[body] +=
                  model.inverseInertia[body] * (point - model.position[body]).cross(impulse);
            };
            push(bodyA, -direction);
            push(bodyB, direction);
          }};
}

inline Expected difference(const Expected& one, const Expected& other) {
  return {one.constant - other.constant,
          [=](const Motion& motion) { return one.rate(motion) - other.rate(motion); }, [](Motion&) {}};
}

/// J H⁻¹ Fᵀ and b of expected unknowns: each is pushed from rest, and all rates are measured.
struct Measured {
  Eigen::MatrixXd A;
  Eigen::VectorXd b;
  Measured(const Model& model, const std::vector<Expected>& unknowns)
      : A(unknowns.size(), unknowns.size()), b(unknowns.size()) {
    for (int column = 0; column < countOf(unknowns); ++column) {
      Motion motion(model.carrierCount());
      unknowns[column].push(motion);
      for (int row = 0; row < countOf(unknowns); ++row) A(row, column) = unknowns[row].rate(motion);
      b[column] = unknowns[column].constant + unknowns[column].rate(model.free);
    }
  }
};

inline double largestDifference(const Eigen::MatrixXd& one, const Eigen::MatrixXd& other) {
  if (one.rows() != other.rows() || one.cols() != other.cols()) return HUGE_VAL;
  return one.size() > 0 ? (one - other).cwiseAbs().maxCoeff() : 0;
}

/// Contact of bodies, or of a body and the static plane y = 0.
struct Touch {
  int bodyA, bodyB;  // −1: static
  Vec3 normal, point;
  double constant;
};

/// Contacts of two boxes: one on a plane, one on top of it and tilted.
inline std::vector<Touch> touchesOfBoxes(bool planar) {
  const Vec3 tilted = Vec3(0.1, 1, planar ? 0 : -0.2).normalized();
  std::vector<Touch> touches;
  for (const double x : {-0.5, 0.5})
    for (const double z : planar ? std::vector<double>{0} : std::vector<double>{-0.5, 0.5}) {
      touches.push_back({-1, 0, Vec3(0, 1, 0), Vec3(x, -0.5, z), -0.1 - 0.05 * x});
      touches.push_back({0, 1, tilted, Vec3(x + 0.05, 0.5, z), -0.2 + 0.1 * z});
    }
  return touches;
}

/// Sets the points of the last group of a table on its block's carriers.
inline void setPoints(const Model& model, int bodyA, int bodyB, const Vec3& point, PointTerm* points) {
  if (bodyA >= 0) *points++ = {-1, point - model.position[bodyA]};
  if (bodyB >= 0) *points = {1, point - model.position[bodyB]};
}

inline void addTouches(const std::vector<Touch>& touches, double friction, bool planar, Model& model) {
  for (const Touch& touch : touches) {
    const std::vector<int> carriers =
        touch.bodyA < 0 ? std::vector<int>{touch.bodyB} : std::vector<int>{touch.bodyA, touch.bodyB};
    model.table.addBlock({kPieceBlock, touch.bodyA, touch.bodyB}, RowForm::Point, carriers);
    PointTerm* points =
        addContact(model.table, RowLaw::Unilateral, touch.normal, touch.constant, friction, planar);
    setPoints(model, touch.bodyA, touch.bodyB, touch.point, points);
  }
}

inline Expected along(const Model& model, const Touch& touch, double constant, const Vec3& direction) {
  return alongPoint(model, constant, touch.bodyA, touch.bodyB, touch.point, direction);
}

/// Adds a block with one row of form General, whose terms are random.
inline void addGeneralRow(const Row& row, unsigned seed, int kind, const std::vector<int>& carriers,
                          Model& model) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> number(-1, 1);
  model.table.addBlock({kind, countOf(model.table.blocks), 0}, RowForm::General, carriers);
  RowTerm* terms = model.table.addRow(row);
  for (int k = 0; k < countOf(carriers); ++k)
    for (int axis = 0; axis < 3; ++axis) {
      terms[k].linear[axis] = number(random);
      terms[k].angular[axis] = number(random);
    }
}

/// The unknown of the only row of a unit of form General.
inline Expected ofGeneralRow(const Model& model, int unit) {
  const RowUnit& rowUnit = model.table.units[unit];
  const RowBlock& block = model.table.blocks[rowUnit.block];
  const std::vector<int> carriers(model.table.carriers.begin() + block.firstCarrier,
                                  model.table.carriers.begin() + block.firstCarrier + block.carrierCount);
  const std::vector<RowTerm> terms(model.table.terms.begin() + block.firstTerm,
                                   model.table.terms.begin() + block.firstTerm + block.carrierCount);
  return {model.table.rows[rowUnit.firstRow].constant,
          [=](const Motion& motion) {
            double rate = 0;
            for (int k = 0; k < countOf(carriers); ++k)
              for (int axis = 0; axis < 3; ++axis)
                rate += terms[k].linear[axis] * motion.linear[carriers[k]][axis] +
                        terms[k].angular[axis] * motion.angular[carriers[k]][axis];
            return rate;
          },
          [=, &model](Motion& motion) {
            for (int k = 0; k < countOf(carriers); ++k) {
              motion.linear[carriers[k]] += model.inverseMass[carriers[k]].x() * terms[k].linear;
              motion.angular[carriers[k]] += model.inverseInertia[carriers[k]] * terms[k].angular;
            }
          }};
}

inline Row rowOf(RowLaw law, double constant, double compliance = 0, double bound = 0) {
  return {constant, compliance, bound, 1, 0, law, 0};
}

/// A contact of two bodies with two members and friction; ρ_s along other normals at other points.
inline std::vector<Touch> addSet(double friction, Model& model) {
  const std::vector<Touch> members = {{0, 1, Vec3(0, 1, 0), Vec3(0.2, 0.5, 0.1), -0.3},
                                      {0, 1, Vec3(0.6, 0.8, 0), Vec3(-0.3, 0.6, 0), -0.1},
                                      {0, 1, Vec3(0, 0.8, -0.6), Vec3(0.1, 0.4, 0.3), 0.05}};
  model.table.addBlock({kPieceBlock, 0, 1}, RowForm::Point, {0, 1});
  setPoints(model, 0, 1, members[0].point,
            addContact(model.table, RowLaw::Maximum, members[0].normal, members[0].constant, friction));
  for (int k = 1; k < countOf(members); ++k)
    setPoints(model, 0, 1, members[k].point, addMember(model.table, members[k].normal, members[k].constant));
  return members;
}

}  // namespace touchstone::test
