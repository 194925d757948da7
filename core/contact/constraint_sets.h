#pragma once

#include <functional>
#include <vector>

#include "core/contact/polytope_contacts.h"

namespace touchstone {

/// Contacts of which at least one must hold (I, X), or a single one (U). The first is the primary: it carries
/// the force.
struct ConstraintSet {
  ConstraintType type = ConstraintType::U;
  std::vector<int> contacts;  ///< into PairConstraints::contacts, primary first
};

/// A set as loop bodies write it: `count` members of one list from `first` on, primary first.
struct SetRange {
  ConstraintType type;
  int first, count;
};

/// What the models ask of one pair of pieces in one step.
struct PairConstraints {
  std::vector<PieceContact> contacts;  ///< distinct
  std::vector<ConstraintSet> sets;
};

struct ConstraintSettings {
  double epsilon = 0;  ///< ε: features closer than this take part [m]
  double reach = 0;    ///< m; above ε: what may arrive from between both distances is held by one face
  double epsilonTheta =
      0.4;  ///< ε_θ: a contact is applicable if its measure is ≥ −ε_θ; 2 switches the test off
  /// δ: a point deeper than this behind one face, but outside another face of the same piece, has not
  /// penetrated it: no contact, but the back of a thin piece [m].
  double feasibleDepth = 2.5e-3;
};

/// True if a point on a feature of piece A (or B) is buried in a sibling piece of the same body.
using Buried = std::function<bool(bool onA, const Vec3& point)>;

/// Constraint sets of a pair of convex pieces (Williams 2017, section 3, in the reference form): each near
/// feature pair by its most specific configuration.
///   vertex–vertex: one I set over all strictly applicable contacts of the two corners;
///   vertex–edge:   sides S1, S2 of the edge, each a list of applicable contacts; I or X for every pair of S1
///   × S2; the
///                  contacts of one side as U if the other is empty;
///   vertex–face, edge–edge: U.
/// Edges at a corner whose common perpendicular stands farther than one length beyond their ends count as
/// parallel: published are lines without ends, whose feet run off as they become parallel.
/// Polygons: vertex–vertex by the sides {(v_a, edge out of v_b), (v_b, edge out of v_a)} and {(v_a, edge into
/// v_b), (v_b, edge into v_a)}; vertex–edge: U.
/// The same body as a step's narrow phase runs (SetBuilder), for one pair.
PairConstraints findConstraints(const PolytopeView& a, const PolytopeView& b,
                                const ConstraintSettings& settings, const Buried& buried);

}  // namespace touchstone
