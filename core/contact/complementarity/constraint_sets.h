#pragma once

#include <functional>
#include <vector>

#include "core/geometry/polytope_features.h"
#include "core/record/contact.h"

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

/// Treatment of X sets (Williams 2017), max ρ ≥ 0 of two contacts of which neither carries a force there.
///   Published: they are no rows; the answer is checked, and one that it violates is counted. Where a pair of
///   features has no I set to carry the force of an X set, that is an I set.
///   Impulse: rows with a multiplier of their own, along their first contact, as in the authors' program.
///   Off: neither built nor checked, the older LNC model.
enum class CrossSets { Published, Impulse, Off };

/// An X set that is no row.
struct CrossSet {
  int contacts[2];
};

/// The constraints of the models on one pair of pieces in one step.
struct PairConstraints {
  std::vector<PieceContact> contacts;  ///< distinct
  std::vector<ConstraintSet> sets;
  std::vector<CrossSet> crossSets;  ///< that are no rows
};

struct ConstraintSettings {
  double epsilon = 0;  ///< ε: features closer than this take part [m]
  double reach = 0;    ///< m; above ε: what may arrive from between both distances is held by one face
  double nearby = 0;   ///< m; what comes from farther away than this may miss that face
  double epsilonTheta =
      0.4;  ///< ε_θ: a contact is applicable if its measure is ≥ −ε_θ; 2 switches the test off
  /// δ: what is deeper than this behind a face, or an edge, is no contact but the back of the piece [m].
  /// Pieces that overlap as deep are held by the feature that separates them best.
  double feasibleDepth = 2.5e-3;
  double touching = 1e-4;  ///< a gap above −touching counts as not violated where the primary is chosen [m]
  CrossSets crossSets = CrossSets::Published;
};

/// True if a point on a feature of piece A (or B) is buried in a sibling piece of the same body.
using Buried = std::function<bool(bool onA, const Vec3& point)>;

/// Constraint sets of a pair of convex pieces (Williams 2017, section 3, in the reference form): each near
/// feature pair by its most specific configuration.
///   vertex–vertex: one I set over all strictly applicable contacts of the two corners;
///   vertex–edge:   sides S1, S2 of the edge, each a list of applicable contacts; I or X for every pair of S1
///   × S2; where one side is empty, the feasible contacts of the other as U;
///   vertex–face, edge–edge: U.
/// Edges at a corner whose common perpendicular is farther than one length beyond their ends count as
/// parallel: published are lines without ends, whose feet run off as they become parallel.
/// Polygons: vertex–vertex by the sides {(v_a, edge out of v_b), (v_b, edge out of v_a)} and {(v_a, edge into
/// v_b), (v_b, edge into v_a)}; vertex–edge: U.
/// The same body as a step's narrow phase runs (SetBuilder), for one pair.
PairConstraints findConstraints(const PolytopeView& a, const PolytopeView& b,
                                const ConstraintSettings& settings, const Buried& buried);

}  // namespace touchstone
