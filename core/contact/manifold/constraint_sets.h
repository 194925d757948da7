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

/// A feature of either piece.
struct FeatureIds {
  int first, second;
};

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

}  // namespace touchstone
