#pragma once

#include <algorithm>
#include <vector>

#include "tests/support/row_models.h"

// Tables of rows with one answer each: what every solver of rows must agree on.

namespace touchstone::test {

/// Adds a rigid body at rest to a model. @param extents  edges of a box of even density [m]
/// @param tilt  of the box about (1, 2, 3) [rad]   @return its carrier
inline int addBody(const Vec3& position, double mass, const Vec3& extents, double tilt, Model& model) {
  const Vec3 squares = extents.cwiseProduct(extents);
  const Vec3 moments =
      mass / 12 * Vec3(squares.y() + squares.z(), squares.x() + squares.z(), squares.x() + squares.y());
  const Mat3 turn = Eigen::AngleAxisd(tilt, Eigen::Vector3d(1, 2, 3).normalized()).toRotationMatrix();
  model.position.push_back(position);
  model.inverseMass.push_back(Vec3::Constant(1 / mass));
  model.inverseInertia.push_back(turn * moments.cwiseInverse().asDiagonal() * turn.transpose());
  model.free.linear.push_back(Vec3(0, 0, 0));
  model.free.angular.push_back(Vec3(0, 0, 0));
  return model.carrierCount() - 1;
}

/// Adds a particle, which has no rotation. @return its carrier
inline int addParticle(const Vec3& position, double mass, const Vec3& velocity, Model& model) {
  const int particle = addBody(position, mass, Vec3(1, 1, 1), 0, model);
  model.inverseInertia[particle] = Mat3::Zero();
  model.free.linear[particle] = velocity;
  return particle;
}

/// Adds a block with three contact points of a horizontal face. @param below  −1: the plane
/// @param centre  of the face [m]
inline void addFace(int below, int above, const Vec3& centre, double friction, Model& model) {
  const Vec3 corners[] = {Vec3(0.4, 0, 0.3), Vec3(-0.35, 0, 0.35), Vec3(0.05, 0, -0.4)};
  if (below < 0)
    model.table.addBlock({kPlaneBlock, above, 0}, RowForm::Point, {above});
  else
    model.table.addBlock({kPieceBlock, below, above}, RowForm::Point, {below, above});
  for (int corner = 0; corner < 3; ++corner) {
    const double gapRate = 0.004 * (corner - 1);  // m/s
    PointTerm* points = addContact(model.table, RowLaw::Unilateral, Vec3(0, 1, 0), gapRate, friction);
    setPoints(model, below, above, centre + corners[corner], points);
  }
}

/// Adds a stack of boxes with edges of 1 m that falls onto the plane. @param slip  speed of its top [m/s]
inline void addStack(int boxes, double x, double friction, double slip, Model& model) {
  for (int level = 0; level < boxes; ++level) {
    const int box =
        addBody(Vec3(x + 0.02 * level, 0.5 + level, 0.01 * level), 2 - 0.3 * level, Vec3(1, 1, 1), 0, model);
    model.free.linear[box] = Vec3(0.02 * level, -0.0981 - 0.01 * level, -0.01);
    model.free.angular[box] = Vec3(0.02, 0.01 * level, -0.03);
  }
  const int first = model.carrierCount() - boxes;
  model.free.linear.back() += Vec3(slip, 0, 0.3 * slip);
  for (int level = 1; level < boxes; ++level)
    addFace(first + level - 1, first + level, Vec3(x, level, 0), friction, model);
  addFace(-1, first, Vec3(x, 0, 0), friction, model);
}

/// Two stacks. @param slip  speed of their tops [m/s]
inline Model stacks(double friction, double slip) {
  Model model(0);
  addStack(3, 0, friction, slip, model);
  addStack(2, 3, friction, -0.7 * slip, model);
  return model;
}

/// Adds a row about an axis to a joint, as a unit of the last block; its angle counts as 0.4 m/rad.
/// @param axis  of the rate ω_B − ω_A
inline void addAxisRow(Row row, const Vec3& axis, Model& model) {
  row.length = 0.4F;
  const int carriers = model.table.blocks.back().carrierCount;
  RowTerm* terms = model.table.addRow(row);
  if (carriers == 2) terms[0].angular = -axis;
  terms[carriers - 1].angular = axis;
}

/// Places of rows of chain() in its table.
struct ChainRows {
  int dryFriction, limit, saturated, drive, stuck, given, mimic;
};
/// Five bodies that hang from the world in a row by ball joints, with a limit, two drives, of which one is at
/// its bound, dry friction that slips and that sticks, a given moment, and a coordinate that follows others.
inline Model chain(ChainRows* places = nullptr) {
  Model model(0);
  ChainRows rows{};
  constexpr int kLinks = 5;
  for (int link = 0; link < kLinks; ++link) {
    const int body =
        addBody(Vec3(0.5 + link, 0.02 * link, 0), 1 + 0.2 * link, Vec3(1, 0.2, 0.3), 0.1 * (link + 1), model);
    model.free.linear[body] = Vec3(0.01, -0.0981, 0.02 * link);
    model.free.angular[body] = Vec3(0.3 - 0.1 * link, 0.1, 0.2 * link - 0.3);
  }
  const auto nextRow = [&] { return countOf(model.table.rows); };
  for (int joint = 0; joint < kLinks; ++joint) {
    const Vec3 anchor(joint, 0.02 * joint - 0.01, 0);
    model.table.addBlock({kJointBlock, joint, 0}, RowForm::General,
                         joint == 0 ? std::vector<int>{0} : std::vector<int>{joint - 1, joint});
    for (int axis = 0; axis < 3; ++axis) {
      RowTerm* terms = model.table.addRow(rowOf(RowLaw::Free, 0.01 * (axis - 1) + 0.002 * joint));
      for (int body = std::max(joint - 1, 0); body <= joint; ++body, ++terms) {
        const double sign = body == joint ? 1 : -1;
        terms->linear = sign * Vec3::Unit(axis);
        terms->angular = sign * (anchor - model.position[body]).cross(Vec3::Unit(axis));
      }
    }
    const Vec3 hinge(0, 0, 1);
    switch (joint) {
      case 0:
        rows.dryFriction = nextRow();
        addAxisRow(rowOf(RowLaw::Symmetric, 0, 1e-4, 0.001), Vec3(1, 0, 0), model);
        break;
      case 1:
        rows.limit = nextRow();
        addAxisRow(rowOf(RowLaw::Unilateral, -0.5), hinge, model);
        break;
      case 2:
        rows.saturated = nextRow();
        addAxisRow(rowOf(RowLaw::Symmetric, -1, 0.05, 0.002), hinge, model);
        break;
      case 3:
        rows.drive = nextRow();
        addAxisRow(rowOf(RowLaw::Symmetric, 0.2, 0.1, 100), hinge, model);
        rows.stuck = nextRow();
        addAxisRow(rowOf(RowLaw::Symmetric, 0, 1e-4, 100), Vec3(1, 0, 0), model);
        break;
      default:
        rows.given = nextRow();
        addAxisRow(rowOf(RowLaw::Fixed, 0.4, 0, 0.01), hinge, model);
    }
  }
  model.table.addBlock({kJointBlock, kLinks, 0}, RowForm::General, {0, 1, 2, 3});
  rows.mimic = nextRow();
  RowTerm* terms = model.table.addRow(rowOf(RowLaw::Free, 0.03));
  const double shares[] = {-1, 1, 0.5, -0.5};
  for (int k = 0; k < 4; ++k) terms[k].angular = shares[k] * Vec3(0, 1, 0);
  if (places) *places = rows;
  return model;
}

/// Adds a box on the plane, and on it a body by a set of three contacts.
/// @param shift  added to the constants of both Members [m/s]
inline void addSetOnABox(double x, double friction, double shift, Model& model) {
  const int box = addBody(Vec3(x, 0.5, 0), 2, Vec3(1, 1, 1), 0, model),
            top = addBody(Vec3(x + 0.1, 1.5, -0.05), 1, Vec3(1, 1, 1), 0.2, model);
  model.free.linear[box] = Vec3(0.01, -0.1, 0.02);
  model.free.linear[top] = Vec3(0.2, -0.4, -0.1);
  model.free.angular[top] = Vec3(0.1, -0.2, 0.3);
  const Vec3 normals[] = {Vec3(0, 1, 0), Vec3(0.6, 0.8, 0), Vec3(0, 0.8, -0.6)};
  const Vec3 points[] = {Vec3(0.15, 1, 0), Vec3(-0.1, 1.05, 0.05), Vec3(0.1, 0.95, 0.1)};
  const double constants[] = {-0.05, -0.1 + shift, -0.15 + shift};
  model.table.addBlock({kPieceBlock, box, top}, RowForm::Point, {box, top});
  for (int k = 0; k < 3; ++k)
    setPoints(model, box, top, points[k] + Vec3(x, 0, 0),
              k == 0 ? addContact(model.table, RowLaw::Maximum, normals[k], constants[k], friction)
                     : addMember(model.table, normals[k], constants[k]));
  addFace(-1, box, Vec3(x, 0, 0), friction, model);
}

/// Three sets: the primary has the largest rate of the first, a Member that of the second, and the third is
/// open because a Member separates.
inline Model sets(double friction) {
  Model model(0);
  addSetOnABox(0, friction, -0.5, model);
  addSetOnABox(3, friction, 0.15, model);
  addSetOnABox(6, friction, 0.3, model);
  return model;
}

/// Contacts between surfaces of particles over 3, 4 and 8 carriers, over 5 with a body, and in the plane.
inline Model surfaces(double friction) {
  Model model(0);
  const int body = addBody(Vec3(5, 0.5, 0), 2, Vec3(1, 1, 1), 0.1, model);
  model.free.linear[body] = Vec3(0.1, -0.2, 0.05);
  model.free.angular[body] = Vec3(0.1, 0.2, -0.3);
  for (int k = 0; k < 16; ++k)
    addParticle(Vec3(0.5 * k, 1 + k % 3, 0.1 * (k % 5)), 0.2 + 0.02 * k,
                Vec3(0.1 * (k % 4) - 0.2, 0.3 * (k % 3) - 0.4, 0.1 * (k % 5) - 0.2), model);
  const auto add = [&](const std::vector<int>& on, const std::vector<double>& weights, const Vec3& normal,
                       double constant, bool planar = false) {
    model.table.addBlock({kSurfaceBlock, countOf(model.table.blocks), 0}, RowForm::Point, on);
    PointTerm* points =
        addContact(model.table, RowLaw::Unilateral, normal.normalized(), constant, friction, planar);
    for (int k = 0; k < countOf(on); ++k)
      points[k] = {weights[k], on[k] == body ? Vec3(-0.3, 0.4, 0.2) : Vec3(0, 0, 0)};
  };
  add({1, 2, 3}, {0.2, 0.3, 0.5}, Vec3(0, 1, 0), -0.3);
  add({1, 2, 3, 4}, {-0.3, -0.3, -0.4, 1}, Vec3(0.2, 1, 0.1), -0.4);
  add({4, 5, 6, 7, 8, 9, 10, 11}, {-0.1, -0.2, -0.3, -0.4, 0.25, 0.25, 0.2, 0.3}, Vec3(0.1, 1, -0.3), -0.2);
  add({0, 11, 12, 13, 14}, {-1, 0.1, 0.2, 0.3, 0.4}, Vec3(-0.2, 1, 0), -0.5);
  add({2, 8, 13}, {1, -0.5, -0.5}, Vec3(0, 0.3, 1), 0.05);
  add({15, 16}, {-1, 1}, Vec3(0.1, 1, 0), -0.6, true);  // in the plane: an island of its own
  return model;
}

/// Contacts of a net of particles with the plane, over three carriers each: an island with more blocks than a
/// group of threads takes.
inline Model net(double friction) {
  constexpr int kBlocks = 140;
  Model model(0);
  for (int k = 0; k < kBlocks + 2; ++k)
    addParticle(Vec3(0.1 * k, 0, 0.05 * (k % 2)), 0.1 + 0.01 * (k % 7),
                Vec3(0.1 * (k % 4) - 0.2, 0.3 * (k % 3) - 0.4, 0.1 * (k % 5) - 0.2), model);
  for (int k = 0; k < kBlocks; ++k) {
    model.table.addBlock({kSurfaceBlock, k, 0}, RowForm::Point, {k, k + 1, k + 2});
    PointTerm* points = addContact(model.table, RowLaw::Unilateral, Vec3(0, 1, 0), -0.01 * (k % 6), friction);
    const double weights[] = {0.2, 1, -0.3};
    for (int carrier = 0; carrier < 3; ++carrier) points[carrier].weight = weights[carrier];
  }
  return model;
}

/// Adds a block of a table to another one. @param carriers  its carriers there   @param key  its key there
inline void addCopy(const RowBuffer& from, int index, const std::vector<int>& carriers, const BlockKey& key,
                    RowBuffer& to) {
  const RowBlock& block = from.blocks[index];
  RowBlock& copy = to.addBlock(key, block.form, carriers);
  copy.rowCount = block.rowCount;
  copy.unitCount = block.unitCount;
  const auto append = [](const auto& source, int first, int count, auto& target) {
    target.insert(target.end(), source.begin() + first, source.begin() + first + count);
  };
  int groups = 0;
  for (int unit = block.firstUnit; unit < block.firstUnit + block.unitCount; ++unit) {
    RowUnit moved = from.units[unit];
    moved.block = countOf(to.blocks) - 1;
    moved.firstRow += copy.firstRow - block.firstRow;
    to.units.push_back(moved);
    groups += 1 + moved.rowCount - moved.groupRows;
  }
  append(from.rows, block.firstRow, block.rowCount, to.rows);
  if (block.form == RowForm::General) {
    append(from.terms, block.firstTerm, block.rowCount * block.carrierCount, to.terms);
    return;
  }
  append(from.points, block.firstTerm, groups * block.carrierCount, to.points);
  append(from.frames, block.firstFrame, 2 * groups, to.frames);
}

inline std::vector<int> carriersOf(const RowBuffer& table, int block) {
  const auto first = table.carriers.begin() + table.blocks[block].firstCarrier;
  return {first, first + table.blocks[block].carrierCount};
}

/// Adds a carrier of another model. @return its number
inline int addCarrier(const Model& from, int carrier, Model& to) {
  to.position.push_back(from.position[carrier]);
  to.inverseMass.push_back(from.inverseMass[carrier]);
  to.inverseInertia.push_back(from.inverseInertia[carrier]);
  to.free.linear.push_back(from.free.linear[carrier]);
  to.free.angular.push_back(from.free.angular[carrier]);
  return to.carrierCount() - 1;
}

/// All carriers and blocks of some models in one, blocks in the order of their kinds.
inline Model together(const std::vector<Model>& models) {
  Model all(0);
  std::vector<int> firstCarriers;
  for (const Model& model : models) {
    firstCarriers.push_back(all.carrierCount());
    for (int carrier = 0; carrier < model.carrierCount(); ++carrier) addCarrier(model, carrier, all);
  }
  for (int kind = kPieceBlock; kind <= kSurfaceBlock; ++kind)
    for (int index = 0; index < countOf(models); ++index)
      for (int block = 0; block < countOf(models[index].table.blocks); ++block) {
        const RowBuffer& table = models[index].table;
        if (table.blocks[block].key.kind != kind) continue;
        std::vector<int> carriers = carriersOf(table, block);
        for (int& carrier : carriers) carrier += firstCarriers[index];
        addCopy(table, block, carriers, {kind, countOf(all.table.blocks), 0}, all.table);
      }
  return all;
}

/// A part of a model with the numbers that its carriers and rows have in the whole.
struct Part {
  Model model{0};
  std::vector<int> carriers, rows;
};
/// The carriers and rows of an island. @param islandOfBlock  [blocks] of the whole
inline Part islandOf(const Model& whole, const std::vector<int>& islandOfBlock, int island) {
  Part part;
  std::vector<int> place(whole.carrierCount(), -1);
  const RowBuffer& table = whole.table;
  for (int block = 0; block < countOf(table.blocks); ++block)
    if (islandOfBlock[block] == island)
      for (const int carrier : carriersOf(table, block)) place[carrier] = 0;
  for (int carrier = 0; carrier < whole.carrierCount(); ++carrier) {
    if (place[carrier] < 0) continue;
    place[carrier] = addCarrier(whole, carrier, part.model);
    part.carriers.push_back(carrier);
  }
  for (int block = 0; block < countOf(table.blocks); ++block) {
    if (islandOfBlock[block] != island) continue;
    std::vector<int> carriers = carriersOf(table, block);
    for (int& carrier : carriers) carrier = place[carrier];
    addCopy(table, block, carriers, table.blocks[block].key, part.model.table);
    const int first = table.blocks[block].firstRow;
    for (int row = first; row < first + table.blocks[block].rowCount; ++row) part.rows.push_back(row);
  }
  return part;
}

/// All scenes in one table. @param hasFriction  false: contacts without friction
inline Model allTogether(bool hasFriction) {
  return together({stacks(hasFriction ? 0.5 : 0, hasFriction ? 1.5 : 0), chain(), sets(hasFriction ? 0.4 : 0),
                   surfaces(hasFriction ? 0.3 : 0), net(hasFriction ? 0.3 : 0)});
}

/// A model with its name.
struct NamedModel {
  const char* name;
  Model model;
  bool hasFriction;
};
inline std::vector<NamedModel> everyScene() {
  return {{"stacks", stacks(0, 0), false},
          {"stacks whose tops slide", stacks(0.5, 1.5), true},
          {"chain", chain(), false},
          {"sets", sets(0.4), true},
          {"sets without friction", sets(0), false},
          {"surfaces", surfaces(0.3), true},
          {"surfaces without friction", surfaces(0), false},
          {"net", net(0.3), true},
          {"net without friction", net(0), false},
          {"all together", allTogether(true), true},
          {"all together without friction", allTogether(false), false}};
}

}  // namespace touchstone::test
