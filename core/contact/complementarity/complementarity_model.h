#pragma once

#include <string>
#include <vector>

#include "core/contact/manifold/constraint_sets.h"
#include "core/contact/manifold/model_contact.h"
#include "core/contact/method.h"
#include "core/solver/dense/from_rows.h"
#include "core/solver/rows/host_table.h"
#include "core/world/world.h"

namespace touchstone {

/// A set with its friction, over indices into the step's ModelContacts.
struct ModelSet {
  ConstraintType type = ConstraintType::U;
  std::vector<int> contacts;  ///< primary first
  double friction = 0;        ///< μ of the pair
};

/// Softness of a compromise, which answers where the rows of a problem contradict each other or its solver
/// fails: added to the diagonal as a share of each row's own response. Soft enough to stay finite, hard
/// enough that rows which can be met are met to 0.1 %.
constexpr double kSoftness = 1e-3;
/// An iterate that fails by no more, as scaledResidual(), is better than a compromise; a worse one can gain
/// more energy (`chain`, `rings`).
constexpr double kGoodEnough = 1e-5;

/// Gap of a joint at the end of a step that a pass leaves [m, rad]. Larger: the projection after the step,
/// which knows no velocities, changes more of Σ x × m v; smaller: passes that change nothing.
constexpr double kFollows = 1e-9;
/// Share of the largest gap above which a pass has not brought joints nearer, and is the last one.
constexpr double kFalls = 0.5;

/// The dense problem of one island with the sets whose rows it has, in their order.
struct IslandProblem : DenseProblem {
  int replica = 0;  ///< to which all its bodies belong
  std::vector<ModelSet> sets;
};

/// The problem of an island as it was solved.
struct IslandAnswer {
  IslandProblem island;
  Eigen::VectorXd start;  ///< of the solver, [n]
  SolverResult result;
};

/// Re-linearised steps end here even if velocities still move.
inline constexpr int kMostLinearisations = 15;

/// Adds a contact to rows on the host, as a block of its own.
/// @param rate  constant of its ρ [m/s]   @param friction  μ   @param planar  friction has one axis
void addContactBlock(const WorldView& world, const ModelContact& contact, double rate, double friction,
                     bool planar, RowBuffer& rows);

/// True if two bodies of the world can rub against each other.
bool hasFriction(const World& world);
/// Number of rows of a set in the dense problem.
int rowsOf(const ModelSet& set, const ModelSettings& settings);

}  // namespace touchstone
