#pragma once

#include "core/math/host_device.h"
#include "core/math/vec.h"

namespace touchstone {

/// Relation of an impulse z of a row and the rate w = constant + J ν + C z that it asks about. All but Disk,
/// Maximum and Member keep z within an interval: z = clamp(z − w/r, lower, upper) for any r > 0, see
/// intervalOf().
///   Free         (−∞, ∞): w = 0
///   Unilateral   [0, ∞): 0 ≤ z ⊥ w ≥ 0
///   Symmetric    [−bound, bound]: w = 0, or z at the bound that opposes w
///   Fixed        [bound, bound]: z is given
///   Disk         one or two rows in a row with one leader, whose impulses β obey |β| ≤ bound · z of the
///   leader:
///                β = proj(β − w/r) (Macklin 2019, eqs. 13 and 16)
///   Maximum      0 ≤ z ⊥ max(w, w of its Members) ≥ 0 (Williams 2017, eqs. 20, 24, 39 and 40)
///   Member       its rate alone counts; z = 0
enum class RowLaw : unsigned char { Free, Unilateral, Symmetric, Fixed, Disk, Maximum, Member };

/// Relation and numbers of one rate. Structure (RowBlock), gradients and asks are separate arrays: a second
/// problem on the same gradients is another array of Row.
struct Row {
  double constant;    ///< of w [m/s, rad/s, 1/s]
  double compliance;  ///< diagonal of C [1/kg, 1/(kg·m²), …]; 0 of rows in RowBlock::firstPacked
  double bound;  ///< largest impulse [N·s, N·m·s]; of a Disk μ; of a Unilateral, Maximum or Member the speed
                 ///< at which its overlap is undone apart from impulses [m/s], see PushOut
  float length;  ///< m for each unit of what the row measures: brings angles and strains to m/s
  short leader;  ///< of a Disk its normal, of a Member its Maximum: how many rows before
  RowLaw law;
  unsigned char flags;  ///< RowFlag
};
static_assert(sizeof(Row) == 32, "rows of a table lie without gaps");

/// @param kTransient  exists for the matrix only: z := 0 when rows are written again, and no residual
enum RowFlag : unsigned char { kTransient = 1 };

/// The entries of one carrier in one row of J: rate += linear · v + angular · ω.
struct RowTerm {
  Vec3 linear, angular;
};

/// One carrier of a group of up to three rows of form Point: a direction d of the group's frame has
/// the entries linear = weight d, angular = weight (arm × d).
struct PointTerm {
  double weight;  ///< of the point on this carrier, with the sign of its side
  Vec3 arm;       ///< from the carrier's centre of mass [m]; 0 on particles
};

/// Form in which a block stores gradients.
///   General  one RowTerm for each row and carrier
///   Point    directions d₁, d₂ and d₃ = d₁ × d₂ for each group of rows, one PointTerm for each group and
///   carrier
enum class RowForm : unsigned char { General, Point };

/// Identity of a block of rows from step to step. Blocks are ordered by kind, then first, then second.
struct BlockKey {
  int kind, first, second;
  TS_HD bool operator<(const BlockKey& o) const {
    if (kind != o.kind) return kind < o.kind;
    return first != o.first ? first < o.first : second < o.second;
  }
};

/// BlockKey::kind. A coupling has no rows: its carriers share an island. Contacts between surfaces that
/// deform have the kind kSurfaceBlock plus that of their features; kinds that are registered follow.
enum BlockKind {
  kPieceBlock,
  kPlaneBlock,
  kCouplingBlock,
  kJointBlock,
  kAttachmentBlock,
  kTetrahedronBlock,
  kEdgeBlock,
  kHingeBlock,
  kSurfaceBlock,
  kRegisteredBlock = 64
};

/// True for the elements of bodies that deform. @param kind  BlockKey::kind
TS_HD inline bool isElementBlock(int kind) { return kind >= kTetrahedronBlock && kind <= kHingeBlock; }

/// Identity of a unit of rows from step to step, within its block.
struct RowKey {
  int kind;  ///< of the features, with the side of the vertex
  int featureA, featureB;
  int members;  ///< of a set of several, without those, a number that they and its type make; else 0
  TS_HD bool operator==(const RowKey& o) const {
    return kind == o.kind && featureA == o.featureA && featureB == o.featureB && members == o.members;
  }
};

/// Rows on the same carriers (bodies, then particles): the contacts of two pieces, a joint, an element.
/// Carriers that do not move are in no block.
struct RowBlock {
  BlockKey key;
  int island;                      ///< −1 before RowTable::layOut()
  int firstCarrier, carrierCount;  ///< ascending
  int firstRow, rowCount;
  int firstUnit, unitCount;  ///< the rows as units, in their order
  int firstTerm;             ///< General: terms[firstTerm + row · carrierCount + k]
                             ///< Point: points[firstTerm + group · carrierCount + k]
  int firstFrame;            ///< Point: frames[firstFrame + 2 group] = d₁, then d₂
  int firstForce;            ///< terms or points that impulses act along, as firstTerm; −1: the same
  RowForm form;
  unsigned char packedCount;  ///< 0: C is Row::compliance alone
  bool isLinear;              ///< General: no entry has an angular part, since its carriers are particles
  int firstPacked;  ///< packed[firstPacked + packedIndex(row, column)]: C of the first `packedCount` rows
};

/// Place of an entry of a symmetric matrix among those of its lower triangle, which lie row by row.
TS_HD inline int packedIndex(int row, int column) {
  return row > column ? row * (row + 1) / 2 + column : column * (column + 1) / 2 + row;
}

/// Rows that a law ties together: a row without followers, a contact with its friction, a set with its
/// members, the rows of a point, rows with a packed compliance. Loops over rows take one unit for each index.
/// The first `groupRows` rows are the first group of a unit in form Point; each row after them is a group of
/// its own (Members).
struct RowUnit {
  int block;  ///< place of the block
  int firstRow;
  int firstGroup;  ///< within the block, if it has form Point
  short rowCount, groupRows;
};

/// Numbers of items of each array of a table.
struct RowCounts {
  int blocks = 0, carriers = 0, rows = 0, units = 0, terms = 0, points = 0, frames = 0, packed = 0;
};

/// Arrays of a table, on the host or on a device.
struct RowsView {
  const RowBlock* blocks;
  const int* carriers;
  const Row* rows;
  const RowTerm* terms;
  const PointTerm* points;
  const Vec3* frames;
  const RowUnit* units;
  const double* packed;

  TS_HD const int* carriersOf(const RowBlock& block) const { return carriers + block.firstCarrier; }
  /// The directions of a group of form Point, of which the third is the product of the others.
  TS_HD const Vec3* frameOf(const RowBlock& block, int group) const {
    return frames + block.firstFrame + 2 * group;
  }
  /// The point of a group on each carrier, along which rates are measured, and along which impulses act.
  TS_HD const PointTerm* pointOf(const RowBlock& block, int group) const {
    return points + block.firstTerm + group * block.carrierCount;
  }
  TS_HD const PointTerm* forcePointOf(const RowBlock& block, int group) const {
    return points + (block.firstForce < 0 ? block.firstTerm : block.firstForce) + group * block.carrierCount;
  }
  /// C between two rows of a block, packed or not. @param row, column  of the block
  TS_HD double complianceOf(const RowBlock& block, int row, int column) const {
    if (row < block.packedCount && column < block.packedCount)
      return packed[block.firstPacked + packedIndex(row, column)];
    return row == column ? rows[block.firstRow + row].compliance : 0;
  }
  /// Calls use(other, C of row and other) for the rows that are packed with a row, if it is. @param row  of
  /// the block
  template <class Use>
  TS_HD void eachPacked(const RowBlock& block, int row, const Use& use) const {
    if (row >= block.packedCount) return;
    for (int other = 0; other < block.packedCount; ++other)
      use(other, packed[block.firstPacked + packedIndex(row, other)]);
  }
  /// The entries of a row of form General on each carrier. @param row  of the block
  TS_HD const RowTerm* termsOf(const RowBlock& block, int row) const {
    return terms + block.firstTerm + row * block.carrierCount;
  }
  TS_HD const RowTerm* forceTermsOf(const RowBlock& block, int row) const {
    return terms + (block.firstForce < 0 ? block.firstTerm : block.firstForce) + row * block.carrierCount;
  }
};

/// Arrays of a table to write to.
struct RowArrays {
  RowBlock* blocks;
  int* carriers;
  Row* rows;
  RowTerm* terms;
  PointTerm* points;
  Vec3* frames;
  RowUnit* units;
  double* packed;
};

/// Velocities of carriers, or what moves them.
struct CarrierVelocities {
  Vec3 *linear, *angular;  ///< [carrierCount] m/s, rad/s
};

/// Inverse of H of each carrier, 0 of those that do not move and of the angular part of particles.
struct CarrierMetric {
  const Vec3* inverseMass;     ///< [carrierCount] along the world's axes [1/kg]
  const Mat3* inverseInertia;  ///< [carrierCount] world frame [1/(kg·m²)]
};

/// Direction of a row of a group. @param frame  RowsView::frameOf()   @param axis  0 … 2
TS_HD inline Vec3 directionOf(const Vec3* frame, int axis) {
  return axis == 0 ? frame[0] : axis == 1 ? frame[1] : Vec3(frame[0].cross(frame[1]));
}

/// Group and axis of a row of a unit in form Point.
struct GroupRow {
  int group, axis;
};
TS_HD inline GroupRow groupRowOf(const RowUnit& unit, int row) {
  return row < unit.groupRows ? GroupRow{unit.firstGroup, row}
                              : GroupRow{unit.firstGroup + 1 + row - unit.groupRows, 0};
}

/// The entries that a point has in a row of its group. @param frame  RowsView::frameOf()   @param axis  0 … 2
TS_HD inline RowTerm termAt(const PointTerm& point, const Vec3* frame, int axis) {
  const Vec3 d = directionOf(frame, axis);
  return {point.weight * d, point.weight * point.arm.cross(d)};
}
/// The entries of one carrier in a row, whatever the block's form. @param row  of the unit
/// @param k  carrier of the block
TS_HD inline RowTerm termOf(const RowsView& rows, const RowUnit& unit, int row, int k) {
  const RowBlock& block = rows.blocks[unit.block];
  if (block.form == RowForm::General) return rows.termsOf(block, unit.firstRow + row - block.firstRow)[k];
  const GroupRow place = groupRowOf(unit, row);
  return termAt(rows.pointOf(block, place.group)[k], rows.frameOf(block, place.group), place.axis);
}
/// The same of the gradient along which its impulse acts.
TS_HD inline RowTerm forceTermOf(const RowsView& rows, const RowUnit& unit, int row, int k) {
  const RowBlock& block = rows.blocks[unit.block];
  if (block.form == RowForm::General)
    return rows.forceTermsOf(block, unit.firstRow + row - block.firstRow)[k];
  const GroupRow place = groupRowOf(unit, row);
  return termAt(rows.forcePointOf(block, place.group)[k], rows.frameOf(block, place.group), place.axis);
}

}  // namespace touchstone
