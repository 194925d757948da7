#pragma once

#include <memory>
#include <set>
#include <string>
#include <vector>

#include "core/record/integrator.h"
#include "core/run/pane_settings.h"

namespace touchstone {

/// A column of the card: a method with its settings, or trajectories of another engine.
struct CardColumn {
  std::string label;   ///< as the user wrote it: "lcp-lemke:friction_facets=4", or the key of a trajectory
  std::string folder;  ///< of trajectories; empty: one of our methods
  bool isForeign() const { return !folder.empty(); }
};

/// Theory of a column, from its resolved parameters.
struct ColumnModel {
  /// Words for friction and impact that phenomena know: "cone", "pyramid" and "pyramid4", "box" (each of
  /// two directions by itself), "regularised"; "plastic", "newton", "elastic"; kSemiImplicitEuler; the key of
  /// its method, and METHOD-SOLVER; of dpf "discrete" as well, since it looks at instants only. "unknown" of
  /// other engines.
  std::set<std::string> words;
  std::string text;        ///< with its numbers: "pyramid of 8, Newton's e = 0.5"
  int facets = 0;          ///< of "pyramid"
  double restitution = 0;  ///< of "newton"
  // Of "elastic":
  double instant = 0;    ///< θ, see PenaltyTraits
  double stiffness = 0;  ///< N/m; 0: chosen for each contact
  double step = 0;       ///< s
  double weighting = 0;  ///< k_ω of "regularised" [s/m]
};
/// The words of ColumnModel that are no method: of "pyramid" without its number of facets.
const std::vector<std::string>& modelWords();
/// True for the words that a ColumnModel can have: those, keys of methods, keys with a solver of the method
/// ("lcp-pgs"), and a pyramid with its facets.
bool isModelWord(const std::string& word);
ColumnModel modelOf(const Scene& scene, const PaneSettings& settings, double dt);
ColumnModel unknownModel();
/// The theory that a file or an engine declares. Closed forms need the numbers of some words:
/// "regularised=K", k_ω [s/m]; "newton=E"; "elastic=THETA/STIFFNESS", the instant of the step and N/m of a
/// contact.
/// @param words  none: not known   @param step  of the integration [s]; 0: not known
/// @throws std::invalid_argument, with the words that are known
ColumnModel declaredModel(const std::vector<std::string>& words, double step);

/// All contact methods with their default solvers, and the columns that the card has besides. Engines of
/// other programs are columns where a user names them.
std::vector<std::string> defaultColumns();

}  // namespace touchstone
